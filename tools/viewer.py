#!/usr/bin/env python3
"""Bundles the viewer of reports, or the web app of `serve`: viewer.py WEB OUT.js needed|wanted|never [ENTRY.ts]

Needs node and the packages of web/package.json, which it installs when npm can. Without them it writes
an empty file, and `polyprof report` says what is missing.
"""
import fcntl
import os
import shutil
import subprocess
import sys


def run(command, where):
    try:
        return subprocess.run(command, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, str(error))


def installed(web):
    return os.path.exists(os.path.join(web, 'node_modules', 'esbuild', 'package.json'))


def install(web):
    """One build at a time; several share the packages, which may be there in part while another installs them."""
    with open(os.path.join(web, '.lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed(web) and shutil.which('npm'):
            run(['npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts'], web)
    return installed(web)


def main():
    web, out, how, *entry = sys.argv[1:]
    if os.path.exists(out):
        os.remove(out)
    why = None
    if how == 'never':
        why = 'left out'
    elif not shutil.which('node'):
        why = 'node is not installed'
    elif not install(web):
        why = 'the packages of web/package.json could not be installed'
    if why is None:
        done = run(['node', 'bundle.mjs', os.path.abspath(out), *entry], web)
        if done.returncode:
            sys.exit(done.stdout)
    elif how == 'needed':
        sys.exit(f'viewer: {why}')
    else:
        print(f'viewer: {why}; `polyprof report` and the web app will not work', file=sys.stderr)
        open(out, 'w').close()


main()
