#!/usr/bin/env python3
"""Prints the commit of a source tree, or `unknown` when it is not the top of a repository: commit.py ROOT"""
import os
import subprocess
import sys


def git(root, *args):
    try:
        done = subprocess.run(['git', '-C', root, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ''
    return done.stdout.strip() if done.returncode == 0 else ''


root = os.path.realpath(sys.argv[1])
top = git(root, 'rev-parse', '--show-toplevel')
print((top and os.path.realpath(top) == root and git(root, 'rev-parse', '--short=12', 'HEAD')) or 'unknown')
