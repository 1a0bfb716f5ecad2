#!/usr/bin/env python3
"""Real clients of `polyprof serve`: clients.py POLYPROF DIRECTORY

The Pyroscope agent for Node pushes, through a restart; the conformance suite of the Model Context Protocol asks. They come from npm and are
installed into DIRECTORY once; where that is not possible each is a skipped test. Speaks TAP.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..')]
import kit  # noqa: E402
import tap  # noqa: E402

T = tap.Tap()
PACKAGES = ['@pyroscope/nodejs@0.6.4', '@modelcontextprotocol/conformance@0.2.0-alpha.12', 'node@24.21.0']
# What a server of its own tools, without requests to clients, can be asked; and what these check that needs tools of the suite's own.
SCENARIOS = ['server-initialize', 'server-stateless', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection', 'caching',
             'http-header-validation', 'sep-2164-resource-not-found']
OTHERS_TOOLS = {'sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400',
                'sep-2575-http-server-no-independent-requests-on-stream', 'sep-2575-server-no-log-without-loglevel'}

AGENT = """
const Pyroscope = require('@pyroscope/nodejs');
const port = Number(process.argv[2]);
let ended = false;
process.stdin.on('end', () => (ended = true)).resume();
Pyroscope.init({ serverAddress: `http://127.0.0.1:${port}`, appName: 'shop', tags: { region: 'north' }, flushIntervalMs: 500,
  wall: { samplingDurationMs: 500, samplingIntervalMicros: 1000, collectCpuTime: true } });
Pyroscope.start();
function busyOrders() {
  const until = Date.now() + 80;
  let x = 0;
  while (Date.now() < until) for (let i = 0; i < 1e5; i++) x += Math.sqrt(i);
  return x;
}
(function turn() {
  busyOrders();
  if (!ended) setTimeout(turn, 5);
  else Pyroscope.stop().then(() => process.exit(0), () => process.exit(0));
})();
"""


def install(directory):
    """Whether the clients are there."""
    done = os.path.join(directory, 'installed')
    if os.path.exists(done):
        return True
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, 'package.json'), 'w', encoding='ascii') as file:
        json.dump({'private': True}, file)
    try:
        fine = subprocess.run(['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', *PACKAGES], cwd=directory, capture_output=True,
                              timeout=240, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        fine = False
    if fine:
        with open(done, 'w', encoding='ascii'):
            pass
    return fine


def agent(polyprof, directory, scratch):
    """The agent runs on while the server is started anew: what the store has of its function is the sum of its profiles."""
    script = os.path.join(directory, 'agent.cjs')
    with open(script, 'w', encoding='ascii') as file:
        file.write(AGENT)
    store = os.path.join(scratch, 'agent.ppdb')

    def ask(*words):
        return json.loads(subprocess.run([polyprof, *words, '--json'], capture_output=True, check=False).stdout or '{}')

    def pushed():
        return [p for p in ask('store', 'list', store, '-n', '0').get('profiles', []) if p['labels'].get('type') == 'cpu']

    s = kit.Server(polyprof, '--store', store)
    node = subprocess.Popen(['node', script, str(s.port)], cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    T.ok(s.wait(pushed), 'the agent pushes')
    code, _ = s.stop()
    before = len(pushed())
    T.same(code, 0, 'the server stops meanwhile')
    again = subprocess.Popen([polyprof, 'serve', '--store', store, '--listen', s.host], stderr=subprocess.PIPE)
    again.stderr.readline()
    T.ok(s.wait(lambda: len(pushed()) > before), 'it goes on when the server is there again')
    node.stdin.close()
    T.same(node.wait(kit.HANG), 0, 'the agent ends well')
    wall = ('--where', 'service=shop and type=cpu')
    rows = ask('top', store, *wall).get('functions', [])
    found = [row for row in rows if 'busyOrders' in row['name']]
    T.ok(found and found[0]['total']['samples'] > 0, 'its function is found', rows[:3])
    listed = pushed()
    T.ok(len(listed) >= 2 and all(p['labels']['region'] == 'north' for p in listed), 'its profiles have its labels', listed[:1])
    total = sum(p['metrics']['samples'] for p in listed)
    T.same(ask('top', store, *wall).get('total'), ask('top', store, *wall, '--metric', 'cpu').get('total'), 'one whole')
    T.same(ask('top', store, *wall, '--metric', 'samples').get('total'), total, 'and counted once')
    again.terminate()
    T.same(again.wait(kit.HANG), 0, 'exit 0')


def conformance(polyprof, directory, scratch):
    with open(os.path.join(scratch, 'a.folded'), 'w', encoding='ascii') as file:
        file.write('a;b;c 5\na;b 2\n')
    s = kit.Server(polyprof, os.path.join(scratch, 'a.folded'))
    node = os.path.join(directory, 'node_modules', '.bin', 'node')
    suite = os.path.join(directory, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
    for scenario in SCENARIOS:
        r = subprocess.run([node, suite, 'server', '--url', f'http://{s.host}/mcp', '--scenario', scenario], capture_output=True, text=True, timeout=kit.HANG,
                           check=False)
        text = re.sub(r'\x1b\[\d+m', '', r.stdout)
        failed = {name for name in re.findall(r'\[([\w-]+) *\] FAILURE', text)} - OTHERS_TOOLS
        passed = re.search(r'Passed: (\d+)/', text)
        T.ok(not failed and passed and int(passed[1]) > 0, f'conformance: {scenario}', (failed, text[-1500:]))
    s.stop()


def main():
    polyprof, directory = map(os.path.abspath, sys.argv[1:3])
    if not shutil.which('npm') or not install(directory):
        T.skip('the Pyroscope agent', 'npm cannot install it here')
        T.skip('the conformance suite', 'npm cannot install it here')
        return T.done()
    with tempfile.TemporaryDirectory() as scratch:
        agent(polyprof, directory, scratch)
        conformance(polyprof, directory, scratch)
    return T.done()


sys.exit(main())
