#!/usr/bin/env python3
"""Flame graphs of every good sample: flame.py POLYPROF SAMPLES

Each SVG is well-formed; no frame is drawn twice; children lie within their parent, add up to no more
than it, and none is lost; the whole is the profile's total or, of a metric that falls, what was gained; values are those of `top`; a pruned picture
is the picture of the pruned whole. Speaks TAP.
"""
import bisect
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import share  # noqa: E402 (needs the path above)

SVG = '{http://www.w3.org/2000/svg}'
TITLE = re.compile(r'(.*) \((-?[0-9,.]+) ([^,]*), ([0-9.]+)%\)', re.S)


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def frames(path):
    """(name, value, x, y, width, is a sum) of every frame, lane by lane: the first holds what is in none."""
    out = [[]]
    for g in ET.parse(path).getroot().iter(SVG + 'g'):
        classes = (g.get('class') or '').split()
        if 'frame' not in classes:
            continue
        rects, title = g.findall(SVG + 'rect'), g.find(SVG + 'title').text
        match = TITLE.fullmatch(title.split('\nbefore ')[0])
        assert len(rects) == 1 and match, title
        number = match[2].replace(',', '')
        value = float(number) if '.' in number else int(number)
        if 'lane' in classes:
            out.append([])
        out[-1].append((match[1], value, *(float(rects[0].get(k)) for k in ('x', 'y', 'width')), 'more' in classes))
    return out


def problems(found, by_time=False):
    """What is wrong with a layout: frames by row, parents below (or above) their children. In the order of time a
    function may stand on another more than once."""
    by_row = {}
    for f in found:
        by_row.setdefault(f[3], []).append(f)
    rows = [sorted(by_row[y], key=lambda f: f[2]) for y in sorted(by_row, key=lambda y: abs(y - found[0][3]))]
    wrong = [] if len(rows[0]) == 1 else ['not one frame for everything']
    for parents, children in zip(rows, rows[1:]):
        starts = [parent[2] for parent in parents]
        inside = [[] for _ in parents]
        for f in children:
            at = bisect.bisect_right(starts, f[2] + 1e-3) - 1
            # Frames without width may stand where the next parent begins.
            while at > 0 and f[2] + f[4] > parents[at][2] + parents[at][4] + 1e-3:
                at -= 1
            if at < 0 or f[2] + f[4] > parents[at][2] + parents[at][4] + 1e-3:
                wrong.append(f'{f[0]!r} outside its parent')
            else:
                inside[at].append(f)
        for parent, held in zip(parents, inside):
            names = [f[0] for f in held if not f[5]]
            if not by_time and len(names) != len(set(names)):
                wrong.append(f'a frame twice in {parent[0]!r}')
            if sum(f[4] for f in held) > parent[4] + 2e-3:
                wrong.append(f'children wider than {parent[0]!r}')
    return wrong


def lane_problems(whole, lanes):
    """Lanes stand one above the other on the whole, each within it."""
    if not lanes:
        return []
    edges = [sorted((abs(min(f[3] for f in lane) - whole[3]), abs(max(f[3] for f in lane) - whole[3]))) for lane in lanes]
    wrong = [f'lane {lane[0][0]!r} is not above the one before it' for lane, below, its in zip(lanes, [[0, 0], *edges], edges)
             if its[0] != below[1] + 16]
    return wrong + [f'lane {lane[0][0]!r} leaves the picture' for lane in lanes
                    if lane[0][2] < whole[2] - 1e-3 or lane[0][2] + lane[0][4] > whole[2] + whole[4] + 1e-3]


EDGES = {
    'empty': ('', 0, 1), 'zero': ('main;a 0\nmain;b 0\n', 0, 1), 'one frame': ('main 1\n', 1, 2),
    '5,000 levels': (';'.join(f'f{i}' for i in range(5000)) + ' 7\n', 7, 5001),
    '100,000 children': (''.join(f'main;c{i} {1 + i % 7}\n' for i in range(100000)), 399995, 3),
    'a name of 1 MB': ('main;' + 'x' * (1 << 20) + ' 5\nmain;y 1\n', 6, 4),
    'past 64 bits': ('main;a 18446744073709551615\nmain;b 1\n', None, None),
    '2^63': ('main;a 9223372036854775808\nmain;b 1\n', 9223372036854775809, 4),
}


def gained(polyprof, path, metric):
    """What all stacks gained: by their steps, or what is left of those that have some."""
    todo = [json.loads(run(polyprof, 'tree', '--json', '--min', '0', '-m', metric, path).stdout)['root']]
    whole = 0
    while todo:
        node = todo.pop()
        whole += node.get('gained', {}).get(metric, max(0, node['self'][metric]))
        todo += node['children']
    return whole


def idle(polyprof, path):
    """What is left out of the whole."""
    return json.loads(run(polyprof, 'top', '--json', '-q', '-n', '1', path).stdout or b'{}').get('idle', 0)


def edge_problems(polyprof, directory, text, total, frames_wanted):
    """What is wrong with the picture of a made profile, drawn in every way."""
    path, svg, wrong = os.path.join(directory, 'edge.folded'), os.path.join(directory, 'edge.svg'), []
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)
    for way in ([], ['--icicle'], ['--reverse'], ['--width', '200', '--sort', 'weight']):
        done = run(polyprof, 'flame', '-q', path, '-o', svg, *way)
        if done.returncode:
            wrong.append(f'{way}: {done.stderr.decode()[:200]}')
            continue
        found = frames(svg)[0]
        wrong += problems(found)
        if total is not None and found[0][1] != total:
            wrong.append(f'{way}: the whole is {found[0][1]}, not {total}')
        if frames_wanted and way in ([], ['--icicle']) and len(found) != frames_wanted:
            wrong.append(f'{way}: {len(found)} frames, not {frames_wanted}')
    return wrong


def main():
    polyprof, samples = sys.argv[1:3]
    count = failed = 0
    with tempfile.TemporaryDirectory() as directory:
        svg = os.path.join(directory, 'x.svg')
        for name, made in EDGES.items():
            detail = edge_problems(polyprof, directory, *made)
            count += 1
            failed += bool(detail)
            print(f"{'not ok' if detail else 'ok'} {count} - {name}")
            print(''.join(f'# {line}\n' for line in detail), end='')
        for where, _, names in sorted(os.walk(samples)):
            for name in share(sorted(names)) if where.endswith('good') else []:
                path = os.path.join(where, name)
                info = json.loads(run(polyprof, 'info', '--json', path).stdout or b'{}')
                if 'tree' not in info.get('facets', []) or info.get('counts', {}).get('stacks', 0) > 20000:
                    continue
                detail = []
                ways = [[], ['--icicle', '--sort', 'weight', '--palette', 'module'], ['--reverse', '--palette', 'language']]
                if 'timeline' in info['facets']:
                    ways.append(['--flamechart'])
                for extra in ways:
                    by_time = extra == ['--flamechart']
                    done = run(polyprof, 'flame', path, '-o', svg, *extra)
                    try:
                        first, *lanes = frames(svg) if done.returncode == 0 else [[]]
                    except (ET.ParseError, AssertionError) as error:
                        detail.append(f'{extra}: {error}')
                        continue
                    if not first:
                        detail.append(done.stderr.decode())
                        continue
                    for found in [first, *lanes]:
                        detail += problems(found, by_time)
                    if first[0][0] != 'all' or (lanes and not by_time) or len(lanes) == 1 or (lanes and len(first) > 1):
                        detail.append(f'{extra}: the whole, or its lanes')
                    detail += lane_problems(first[0], lanes)
                    primary = [m for m in info['metrics'] if info.get('primary') in (m['name'], f"{m.get('event')}/{m['name']}")] or info['metrics']
                    whole = gained(polyprof, path, primary[0]['name']) if primary[0].get('falls') else primary[0]['total']
                    whole -= idle(polyprof, path)
                    if not by_time and info['format'] != 'diff-folded' and first[0][1] != whole:
                        detail.append(f"{extra}: the whole is {first[0][1]}, not {whole}")
                count += 1
                failed += bool(detail)
                print(f"{'not ok' if detail else 'ok'} {count} - {os.path.relpath(path, samples)}")
                print(''.join(f'# {line}\n' for line in detail), end='')
    print(f'1..{count}')
    return 1 if failed else 0


sys.exit(main())
