#!/usr/bin/env python3
"""`gate` in the formats that machines read, with names that attack them: gate.py POLYPROF. Speaks TAP."""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

polyprof = sys.argv[1]
number = failed = 0
NAMES = ['<script>alert(1)</script>', ']]>', '"quoted"', "it's", 'a&b', '| cell | cell |', '`code`', '**bold**',
         '[link](http://x)', '![i](y)', '<!-- c -->', 'tab\there', 'esc\x1b[31mred', 'bell\x07', '\u202eright to left',
         'ünï\\cödé', 'del\x7f', '``', '\\', '$(rm -rf)', '@someone', '#1', '~~gone~~', '&lt', 'x' * 5000]


def ok(passed, what, detail=''):
    global number, failed
    number += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {what}" + ('' if passed else f'\n# {detail!r}'[:500]))


def gate(kind, *limits):
    command = [polyprof, 'gate', before, after, '--format', kind]
    for limit in limits:
        command += ['--fail-if', limit]
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)


with tempfile.TemporaryDirectory() as directory:
    before, after = os.path.join(directory, 'before'), os.path.join(directory, 'after')
    for path, count in ((before, 100), (after, 400)):
        with open(path, 'wb') as file:
            for name in NAMES:
                file.write(f'main;{name} {count}\n'.encode())
            file.write(b'main;bad\xff\xfebytes %d\n' % count)
    limits = ('self(*) > +5%', 'total > +5%', 'total(main) < -5%', 'self(/</) > 1k', 'self("<script>alert(1)</script>") > +1%')

    done = gate('junit', *limits)
    try:
        suite = xml.etree.ElementTree.fromstring(done.stdout)
    except xml.etree.ElementTree.ParseError as error:
        suite = None
        ok(False, 'JUnit is XML', str(error))
    if suite is not None:
        cases = suite.findall('testcase')
        ok(done.returncode == 1 and suite.get('tests') == '5' and suite.get('failures') == '3' and len(cases) == 5,
           'JUnit: five cases, three failures', done.stdout[:300])
        ok([case.get('name') for case in cases] == list(limits), 'JUnit: named by the limits')
        ok([case.find('failure') is not None for case in cases] == [True, True, False, False, True], 'JUnit: which failed')
        text = cases[0].find('failure').text
        ok(all(name in text for name in NAMES if name.isprintable()) and text.count('(+300.0%)') == len(NAMES) + 1,
           'JUnit: names as they are', text[:300])
        ok('del\\x7f' in text and '\\u{202e}right' in text and not re.search('[\x7f\u202a-\u202e\ufffd]', text),
           'JUnit: what hides or reorders text is spelled', text[:300])

    done = gate('json', *limits)
    data = json.loads(done.stdout)
    ok(done.returncode == 1 and data['passed'] is False and [limit['passed'] for limit in data['limits']] ==
       [False, False, True, True, False], 'JSON: which failed')
    found = {row['name'] for row in data['limits'][0]['functions']}
    ok(found >= set(NAMES), 'JSON: names as they are', set(NAMES) - found)
    ok(len(data['limits'][4]['functions']) == 1, 'JSON: a quoted name is one function')

    done = gate('markdown', *limits)
    lines = done.stdout.decode().splitlines()
    rows = [line for line in lines if line.startswith('|')]
    ok(all(len(re.findall(r'(?<!\\)(?:\\\\)*\|', row)) == 5 for row in rows), 'Markdown: four cells in each row',
       [row for row in rows if len(re.findall(r'(?<!\\)(?:\\\\)*\|', row)) != 5][:2])
    ok(len(rows) == 2 + len(NAMES) + 1 + 1 + 1 + 1 + 1, 'Markdown: one row for each', len(rows))
    # What is left when code spans are taken out: a run of backticks up to the next run as long.
    bare = [re.sub(r'(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)', 'CODE', row).replace('**fail**', '') for row in rows]
    ok(not any(re.search(r'(?<!\\)[<`*\[]', row) for row in bare), 'Markdown: no markup from names',
       [row for row in bare if re.search(r'(?<!\\)[<`*\[]', row)][:2])
    ok(all(row.count('CODE') == 2 for row in bare[2:2 + len(NAMES)]), 'Markdown: limits and names are code', bare[:4])
    ok(not any(ord(c) < 32 for line in lines for c in line), 'Markdown: no control characters')

    done = gate('github', *limits)
    lines = done.stdout.decode().splitlines()
    form = re.compile(r'::error title=([^:,]*)::(.*)')
    found = [form.fullmatch(line) for line in lines]
    ok(done.returncode == 1 and all(found) and len(lines) == len(NAMES) + 1 + 1 + 1, 'GitHub: one error for each', lines[:3])
    ok(not re.search('[\x00-\x09\x0b-\x1f\x7f\u202e]', done.stdout.decode()), 'GitHub: no control characters')
    ok(all('%' not in re.sub('%(25|0A|0D|3A|2C)', '', line) for line in lines), 'GitHub: % is escaped', lines[:3])
    said = [found_one[2].replace('%25', '%') for found_one in found if found_one]
    ok(all(any(text.startswith(name + ': 100 samples before') for text in said) for name in NAMES if name.isprintable()),
       'GitHub: names as they are', said[:3])

    done = gate('sarif', *limits, 'total > +5%')
    log = json.loads(done.stdout)
    run, = log['runs']
    rules = [rule['id'] for rule in run['tool']['driver']['rules']]
    ok(done.returncode == 1 and log['version'] == '2.1.0' and rules == list(limits), 'SARIF: a rule for each limit', rules)
    ok(all(result['ruleId'] == rules[result['ruleIndex']] and result['level'] == 'error' for result in run['results']),
       'SARIF: results know their rules')
    ok(len(run['results']) == len(NAMES) + 1 + 1 + 1, 'SARIF: one result for each', len(run['results']))
    named = {place['fullyQualifiedName'] for result in run['results'] for place in result['locations'][0].get('logicalLocations', [])}
    ok(named >= set(NAMES), 'SARIF: names as they are', set(NAMES) - named)
    texts = [result['message']['text'] for result in run['results']]
    ok(not any(re.search(r'(?<!\\)(?:\\\\)*\]\(', text) for text in texts), 'SARIF: names make no links')

    # Paths, from the root and not, with all that URIs must not hold; xhprof names may hold newlines.
    with open(before, 'w') as file:
        json.dump({'main()': {'ct': 1, 'wt': 9000}, 'main()==>a\nb\rc::%25': {'ct': 1, 'wt': 8000}}, file)
    after, old = before, after
    done = gate('github', 'self(*) > 1us')
    ok(b'::a%0Ab%0Dc::%2525: ' in done.stdout and done.stdout.count(b'\n') == 2, 'GitHub: lines are escaped', done.stdout)
    after = old
    places = {'/srv/ä b.c': 'file:///srv/%C3%A4%20b.c', 'php:internal': 'php%3Ainternal', './x#y?z%.c': 'x%23y%3Fz%25.c',
              os.getcwd() + '/src/a.c': 'src/a.c', os.getcwd() + 'x/a.c': 'file://' + os.getcwd() + 'x/a.c'}
    for path in (before, after):
        with open(path, 'w') as file:
            file.write('# callgrind format\nevents: Ir\n')
            for number_of, place in enumerate(places):
                file.write(f'fl={place}\nfn=f{number_of}\n7 100\n')
    log = json.loads(gate('sarif', 'self(*) > 1').stdout)
    uris = {result['locations'][0]['physicalLocation']['artifactLocation']['uri'] for result in log['runs'][0]['results']}
    ok(uris == set(places.values()), 'SARIF: paths as URIs', uris)

    done = gate('text', *limits[1:3])
    ok(b'\x1b' not in done.stdout and b'\x07' not in done.stdout, 'Text: no control characters', done.stdout[:300])
    done = gate('junit', 'total < -5%')
    suite = xml.etree.ElementTree.fromstring(done.stdout)
    ok(done.returncode == 0 and suite.get('failures') == '0', 'JUnit: nothing failed')
print(f'1..{number}')
sys.exit(1 if failed else 0)
