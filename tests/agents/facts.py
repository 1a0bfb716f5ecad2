#!/usr/bin/env python3
"""Findings of profiles that are written here, by chance and at the edges of the rules: facts.py POLYPROF. Speaks TAP.

What docs/findings.md says of samples, names, memory and changes is computed from the numbers that were written, not from
other answers: nothing is claimed that does not hold, and nothing is missing.
"""
import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

POLYPROF = os.path.abspath(sys.argv[1])
RANDOM = random.Random(18)
TIMES = 12


def findings(file, *words):
    """{kind: [(weight, evidence)]} of all of them."""
    run = subprocess.run([POLYPROF, 'findings', '--json', '--budget', '20000', file, *words], capture_output=True)
    answer = json.loads(run.stdout)
    found = {}
    for kind, weight, evidence, _ in answer['rows']:
        found.setdefault(kind, []).append((weight, evidence))
    assert 'cut' not in answer
    return found


def near(a, b):
    return abs(a - b) <= 1.001e-4


def samples(home):
    """few-samples and unknown-names of folded stacks."""
    unknown, known = ['[unknown]', '0xdeadBEEF', '#12', '??'], ['f', '0xzz', '#x', '#', '0x', '12', 'unknown', '[unknown]2']
    for n in range(TIMES):
        total = (199, 200, 201, 5000)[n % 4]
        names = RANDOM.sample(unknown, RANDOM.randint(1, 3)) + RANDOM.sample(known, 3)
        # 5 % of them, one more or one less, or any part.
        share = (-(-total // 20), -(-total // 20) - 1, RANDOM.randint(0, total // 2))[n % 3]
        parts = {name: 0 for name in names}
        for at in range(total):
            parts[RANDOM.choice([name for name in names if (name in unknown) == (at < share)])] += 1
        with open(os.path.join(home, 'by-chance.folded'), 'w') as file:
            file.write(''.join(f'main;{name} {count}\n' for name, count in parts.items() if count))
        found = findings(file.name)
        wrong = []
        if [e['samples'] for _, e in found.get('few-samples', [])] != ([total] if total < 200 else []):
            wrong.append(f'{total} samples: {found.get("few-samples")}')
        stated = found.get('unknown-names', [])
        if [e['self'] for _, e in stated] != ([share] if share >= 0.05 * total else []) or not all(near(w, share / total) for w, _ in stated):
            wrong.append(f'{share} of {total} have no name: {stated}')
        yield wrong, f'{total} samples, {share} of them without a name'


def churn(home):
    """churn of a heap: what was allocated, what is left, and who allocated most."""
    for n in range(TIMES):
        places = {0x1000 * (at + 1): RANDOM.randint(1, 10 ** 6) for at in range(RANDOM.randint(1, 8))}
        allocated = sum(places.values())
        # 1 MiB and a tenth of it, or close to them.
        places[0x1000] += max(0, (1 << 20) - (n % 3 == 0) - allocated) if n % 2 == 0 else 0
        allocated = sum(places.values())
        live = (allocated // 10, allocated // 10 + 1, 0, RANDOM.randint(0, allocated // 5))[n % 4]
        rows, left = [], live
        for address, size in places.items():
            kept = min(left, size)
            left -= kept
            rows.append(f'{min(kept, 1)}: {kept} [1: {size}] @ {address:#x}\n')
        with open(os.path.join(home, 'by-chance.heap'), 'w') as file:
            file.write(f'heap profile: 1: {live} [{len(places)}: {allocated}] @ heapprofile\n' + ''.join(rows))
        found = findings(file.name, '-m', 'alloc_bytes').get('churn', [])
        holds = allocated >= 1 << 20 and allocated >= 10 * live
        most = min(5, len(places))
        wrong = [] if [(e['allocated'], e['live'], len(e['ids'])) for _, e in found] == ([(allocated, live, most)] if holds else []) \
            and all(near(w, 1 - live / allocated) for w, _ in found) else [found]
        yield wrong, f'{allocated} bytes allocated, {live} left'


def both(home):
    """both-hot of time and of allocated memory."""
    for n in range(TIMES):
        calls = {f'f{at}': [RANDOM.randint(1, 3) * RANDOM.choice((1, 40)) for _ in range(2)] for at in range(8)}
        # One that has 5 % of both, or all but.
        for at in range(2):
            calls['f0'][at] = 0
            rest = sum(costs[at] for costs in calls.values())
            calls['f1'][at] += -rest % 19
            calls['f0'][at] = (rest + -rest % 19) // 19 - (n % 3 == at)
        wholes = [sum(costs[at] for costs in calls.values()) for at in range(2)]
        table = {f'main()==>{name}': {'ct': 1, 'wt': costs[0], 'mem.aa': costs[1]} for name, costs in calls.items()}
        table['main()'] = {'ct': 1, 'wt': wholes[0], 'mem.aa': wholes[1]}
        with open(os.path.join(home, 'by-chance.xhprof.json'), 'w') as file:
            json.dump(table, file)
        wanted = {name: [cost / whole for cost, whole in zip(costs, wholes)] for name, costs in calls.items()
                  if all(cost >= 0.05 * whole for cost, whole in zip(costs, wholes))}
        found = {e['name']: (w, [share for _, share in e['shares']]) for w, e in findings(file.name).get('both-hot', [])}
        wrong = [] if set(found) == set(wanted) and all(near(w, min(wanted[name])) and all(map(near, shares, wanted[name]))
                                                        for name, (w, shares) in found.items()) else [found, wanted]
        yield wrong, f'{len(wanted)} costly in time and memory'


def spx(home, metrics, costs):
    """main() calls f(): what both cost by metric."""
    path = os.path.join(home, 'kinds.json')
    meta = {'key': 'kinds', 'exec_ts': 1700000000, 'host_name': 'h', 'process_pid': 1, 'process_tid': 1, 'process_pwd': '/', 'cli': 1,
            'cli_command_line': 'x', 'http_request_uri': '', 'http_method': '', 'http_host': '', 'custom_metadata_str': '', 'wall_time_ms': 1,
            'peak_memory_usage': 1, 'called_function_count': 2, 'call_count': 2, 'recorded_call_count': 2, 'enabled_metrics': metrics}
    at = [[0] * len(metrics), costs[0], [a + b for a, b in zip(*costs)], [a + b for a, b in zip(*costs)]]
    events = ''.join(f'{func} {start} {" ".join(map(str, values))}\n' for func, start, values in zip((0, 1, 1, 0), (1, 1, 0, 0), at))
    with open(path, 'w') as file:
        json.dump(meta, file)
    with gzip.open(path.replace('.json', '.txt.gz'), 'wt') as file:
        file.write(f'[events]\n{events}[functions]\nmain\nf\n')
    return path


def kinds(home):
    """Bytes that are no memory, memory that was freed, samples of allocations: neither both-hot nor churn; and what is."""
    mib = 1 << 20
    for metrics, costs, both_hot, allocated in (
            (['wt', 'io'], ([500, 10 ** 6], [500, 9 * 10 ** 6]), 0, None),
            (['wt', 'zmfb'], ([500, 10 ** 6], [500, 9 * 10 ** 6]), 0, None),
            (['wt', 'zmab'], ([500, 10 ** 6], [500, 9 * 10 ** 6]), 2, None),
            (['wt', 'zmab', 'zmfb'], ([500, mib, mib], [500, 99 * mib, 95 * mib]), 1, (100 * mib, 4 * mib)),
            (['wt', 'zmab', 'zmfb'], ([500, mib, mib], [500, 99 * mib, 80 * mib]), 1, None),
            (['wt', 'zm', 'zmab', 'zmfb'], ([500, 5, mib, mib], [500, 5, 99 * mib, 95 * mib]), 2, (100 * mib, 4 * mib))):
        found = findings(spx(home, metrics, costs))
        got = len(found.get('both-hot', [])), [(e['allocated'], e['live']) for _, e in found.get('churn', [])]
        yield [] if got == (both_hot, [allocated] if allocated else []) else [got], f'SPX with {" ".join(metrics)}'
    point = {'tb': 100 * mib, 'tbk': 9, 'tl': 1, 'mb': 70, 'mbk': 2, 'gb': 60, 'gbk': 1, 'eb': 10, 'ebk': 1, 'rb': 1, 'wb': 1, 'fs': [1]}
    with open(os.path.join(home, 'dhat.out.json'), 'w') as file:
        json.dump({'dhatFileVersion': 2, 'mode': 'heap', 'verb': 'Allocated', 'bklt': True, 'bkacc': True, 'tu': 'instrs', 'Mtu': 'Minstr', 'tuth': 500,
                   'cmd': './x', 'pid': 1, 'te': 100, 'tg': 50, 'pps': [point], 'ftbl': ['[root]', '0x1: work (x.c:1)']}, file)
    found = findings(file.name).get('churn', [])
    yield [] if [(e['allocated'], e['live']) for _, e in found] == [(100 * mib, 10)] else [found], 'DHAT'
    with open(os.path.join(home, 'heap.heapprofile'), 'w') as file:
        node = {'callFrame': {'functionName': 'f', 'scriptId': '1', 'url': 'a.js', 'lineNumber': 1, 'columnNumber': 1}, 'selfSize': 4096, 'id': 2, 'children': []}
        json.dump({'head': {'callFrame': {**node['callFrame'], 'functionName': '(root)'}, 'selfSize': 0, 'id': 1, 'children': [node]},
                   'samples': [{'size': 4096, 'nodeId': 2, 'ordinal': 1}]}, file)
    found = findings(file.name)
    yield [] if 'both-hot' not in found and 'hot-self' in found else [found], 'samples of a heap'
    with open(os.path.join(home, 'none.folded'), 'w') as file:
        pass
    found = findings(file.name)
    yield [] if [e['samples'] for _, e in found.get('few-samples', [])] == [0] and 'concentration' in found else [found], 'no samples at all'


def callgrind(path, functions):
    with open(path, 'w') as file:
        file.write('events: Ir\n')
        for name, (_, cost) in functions.items():
            file.write(f'fn={name}\n1 {cost}\n\n')
        file.write('fn=main\n1 1\n')
        for name, (calls, cost) in functions.items():
            file.write(f'cfn={name}\ncalls={calls} 1\n1 {cost}\n')


def why(was, now):
    ratio = math.log(now[0] / was[0]) / math.log(now[1] / was[1])
    return 'calls' if ratio >= 0.8 else 'cost-per-call' if ratio <= 0.2 else 'both'


def changes(home):
    """changed with its reason, and superlinear, of exact counts."""
    seen = set()
    for n in range(TIMES):
        growth, powers = RANDOM.choice((1.1, 1.19, 1.2, 2, 3)), ((0, 0.5, 1, 1.2), (0.5, 1.2, 1.3, 1.45, 1.6), (1, 4, 6))[n % 3]
        before = {f'g{at}': (RANDOM.choice((5, 9, 10, 100, 400)), RANDOM.randint(200, 4000)) for at in range(9)}
        # Costs grow by a power of calls: at 0.8 and 0.2 reasons change, at 1.5 it is superlinear.
        after = {name: (max(1, round(calls * growth)), max(1, round(cost * growth ** RANDOM.choice(powers))))
                 for name, (calls, cost) in before.items()}
        callgrind(os.path.join(home, 'before.callgrind'), before)
        callgrind(os.path.join(home, 'after.callgrind'), after)
        found = findings(os.path.join(home, 'after.callgrind'), '--before', os.path.join(home, 'before.callgrind'))
        totals = [sum(cost for _, cost in side.values()) + 1 for side in (before, after)]
        wanted = {name: (now[1] - before[name][1], why(before[name], now)) for name, now in after.items()
                  if now[1] != before[name][1] and abs(now[1] - before[name][1]) >= 0.05 * max(totals)}
        stated = {e['name']: (e['delta'], e['because']) for _, e in found.get('changed', [])}
        wrong = [] if stated == wanted else [stated, wanted]
        seen |= {reason for _, reason in wanted.values()}
        ratios = sorted(now[0] / before[name][0] for name, now in after.items() if min(now[0], before[name][0]) >= 10 and now[0] != before[name][0])
        middle = len(ratios) // 2
        size = 0 if len(ratios) < 3 else ratios[middle] if len(ratios) % 2 else (ratios[middle - 1] + ratios[middle]) / 2
        steep = {name: math.log(now[1] / before[name][1]) / math.log(size) for name, now in after.items()
                 if size >= 1.2 and now[1] >= 0.05 * totals[1] and math.log(now[1] / before[name][1]) / math.log(size) >= 1.5}
        stated = {e['name']: e['exponent'] for _, e in found.get('superlinear', [])}
        if set(stated) != set(steep) or any(abs(stated[name] - steep[name]) > 0.006 for name in steep):
            wrong.append(f'superlinear: {stated} is stated, {steep} holds')
        seen |= {'superlinear'} if steep else set()
        yield wrong, f'{len(wanted)} changed, {len(steep)} more than linearly'
    yield {'calls', 'cost-per-call', 'both', 'superlinear'} - seen, 'all reasons were seen'


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as home:
        for part in (samples, churn, both, kinds, changes):
            for wrong, what in part(home):
                tap.ok(not wrong, f'{part.__name__}: {what}', '\n'.join(map(str, wrong)))
    return tap.done()


sys.exit(main())
