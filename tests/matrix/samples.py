#!/usr/bin/env python3
"""Samples against rules: samples.py POLYPROF tests/formats

tests/formats/FORMAT/good/*       are accepted, without a warning
tests/formats/FORMAT/bad/RULE*    fire the rule they are named after (RULE-write-* in writing FORMAT)
tests/formats/FORMAT/canonical/*  what the good or bad sample of the same name is when written as FORMAT
tests/formats/elsewhere.json      rules that no file can fire, and the test that fires them instead

Every rule of every format has a bad sample or stands in elsewhere.json. Companions (the body of an SPX
profile) lie beside their sample and are not samples of their own. Speaks TAP.
"""
import gzip
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)

COMPANIONS = ('.txt', '.txt.gz', '.txt.zst')


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def ask(*command):
    """The JSON that a command prints."""
    done = run(*command)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{' '.join(command)} printed no JSON: {done.stdout[:200]!r} {done.stderr[:200]!r}")


def samples(directory):
    if not os.path.isdir(directory):
        return []
    names = [name for name in sorted(os.listdir(directory)) if not name.startswith('.')]

    def is_companion(name):
        stem = next((name[:-len(end)] for end in COMPANIONS if name.endswith(end)), None)
        return stem is not None and stem + '.json' in names
    return [os.path.join(directory, name) for name in names if not is_companion(name)]


def contents(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        return file.read()


def rule_of(name, rules):
    """The longest rule id that a file's name starts with."""
    return max((rule for rule in rules if name.startswith(rule)), key=len, default=None)


def fires(polyprof, fmt, path, rule):
    """Whether a sample fires a rule, and what it fires instead."""
    if '-write-' in rule:
        said = run(polyprof, 'convert', path, '--to', fmt, '-o', '-').stderr.decode(errors='replace')
        return f'[{rule}]' in said, said
    found = {diag['rule'] for diag in ask(polyprof, 'check', '--json', path)['files'][0]['diagnostics']}
    return rule in found, 'found ' + ', '.join(sorted(found))


def mentions(path, rule):
    """Whether a test speaks of a rule, by its id or by its name in C."""
    with open(path) as file:
        text = file.read()
    return rule in text or rule.split('-', 1)[1].replace('-', '_').upper() in text


def main():
    polyprof, root = sys.argv[1:3]
    tap = Tap()
    rules = {row['rule']: row for row in ask(polyprof, 'explain', '--json')['rules']}
    with open(os.path.join(root, 'elsewhere.json')) as file:
        elsewhere = json.load(file)
    fired = set()
    for fmt in sorted(entry.name for entry in os.scandir(root) if entry.is_dir()):
        for path in samples(os.path.join(root, fmt, 'good')):
            file = ask(polyprof, 'check', '--json', '--strict', path)['files'][0]
            tap.ok(file['verdict'] == 'accept', f'{fmt}: {os.path.basename(path)} is accepted',
                   json.dumps(file['diagnostics']))
        for path in samples(os.path.join(root, fmt, 'bad')):
            name = os.path.basename(path)
            rule = rule_of(name, rules)
            good, said = fires(polyprof, fmt, path, rule) if rule else (False, 'no rule has that name')
            tap.ok(good, f'{fmt}: {name} fires {rule}', said)
            fired.add(rule)
        canonical = os.path.join(root, fmt, 'canonical')
        for path in samples(canonical):
            name = os.path.basename(path)
            options = [os.path.join(root, fmt, kind, name + end) for kind in ('good', 'bad')
                       for end in ('', '.gz')]
            source = next((option for option in options if os.path.exists(option)), None)
            done = run(polyprof, 'convert', source or path, '--to', fmt, '-o', '-')
            tap.ok(source is not None and done.stdout == contents(path),
                   f'{fmt}: {name} in canonical form', done.stderr.decode(errors='replace')[:1000])
    for rule in sorted(rules):
        tap.ok((rule in fired) != (rule in elsewhere), f'{rule} is fired by a sample or a test',
               'both by a sample and elsewhere' if rule in fired else
               'no sample in tests/formats/*/bad is named after it')
        words = rules[rule]
        tap.ok(words['title'] and len(words['explain'].split()) >= 8, f'{rule} is explained')
    for rule, where in sorted(elsewhere.items()):
        path = os.path.join(root, '..', '..', where)
        tap.ok(rule in rules and os.path.exists(path) and mentions(path, rule), f'{rule} is fired by {where}')
    return tap.done()


sys.exit(main())
