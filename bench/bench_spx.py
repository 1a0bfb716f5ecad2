"""SPX reports of 20 million events: the costliest functions, what decoding alone takes, and what others do.

The web UI of SPX cannot be run here; on such a report it needs minutes and 5 to 11 GB. php-spx-mcp's
get_flat_profile is run when PHP and its path (PHP_SPX_MCP) are there. The reference in Python is run
when its path (SPX_ORACLE) is given; it takes a minute.
"""
import json
import os

TITLE = 'SPX reports'
META = {'key': 'made', 'exec_ts': 1794729896, 'host_name': 'h', 'process_pid': 1, 'process_tid': 1,
        'process_pwd': '/', 'cli': 1, 'cli_command_line': 'app.php', 'http_request_uri': 'n/a',
        'http_method': 'n/a', 'http_host': 'n/a', 'custom_metadata_str': None, 'wall_time_ms': 0,
        'peak_memory_usage': 0, 'called_function_count': 800, 'enabled_metrics': ['wt', 'zm']}


def made(bench, name, variant, events, pack):
    """The pair of files; polyprof's own zstd frames hold 512 KiB each, as those of SPX."""
    generator = bench.compiled('gen_spx.c')
    body = bench.made(name, ['sh', '-c', f'{generator} {variant} {events} | {pack}'])
    base = body[:body.index('.txt')]
    with open(base + '.json', 'w') as file:
        json.dump({**META, 'call_count': events // 2, 'recorded_call_count': events // 2}, file)
    return body


def run(bench):
    events = int(bench.size(20) * 1e6)
    frames = "split -b 524288 --filter='zstd -q -1 -c'"
    gz4 = made(bench, f'spx4-{events}.txt.gz', '0.4', events, 'gzip -1')
    gz5 = made(bench, f'spx5gz-{events}.txt.gz', '0.5', events, 'gzip -1')
    zst5 = made(bench, f'spx5-{events}.txt.zst', '0.5', events, frames)
    polyprof = bench.polyprof
    oracle, mcp = os.environ.get('SPX_ORACLE', ''), os.environ.get('PHP_SPX_MCP', '')
    for title, body, unpack in (('0.4, gzip', gz4, 'zcat'), ('0.5, gzip', gz5, 'zcat'), ('0.5, zstd', zst5, 'zstdcat')):
        rows = [
            ('polyprof top -j1', [polyprof, 'top', '-j1', body]),
            ('polyprof top', [polyprof, 'top', body]),
            ('polyprof convert --to folded', [polyprof, 'convert', '--to', 'folded', '-o', '/dev/null', body]),
            (f'{unpack} (decodes only)', [unpack, body]),
        ]
        if oracle:
            rows.append(('reference in Python', ['python3', oracle, body[:body.index('.txt')], '--quiet']))
        if mcp and body.endswith('.gz'):
            rows.append(('php-spx-mcp get_flat_profile', ['php', mcp, os.path.dirname(body), body[:body.index('.txt')], 'flat']))
        best = bench.table(f'Costliest functions of {events / 1e6:.0f} million events ({title})', rows,
                           os.path.getsize(body))
        print(f'    {events / 1e6 / best.cpu:.0f} million events per second of processor time, decoding included')
