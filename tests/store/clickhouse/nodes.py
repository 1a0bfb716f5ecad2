"""Real ClickHouse nodes for tests: chDB's library from npm, a process each, one cluster of them.

    nodes = Nodes(directory, 3)        # raises Missing where the library cannot be had
    nodes.source('prof')               # clickhouse://127.0.0.1:P1,127.0.0.1:P2,…/prof?cluster=pp
    nodes.kill(1); nodes.start(1)      # a node goes down and comes back with its data
    nodes.ask('SELECT 1', node=0)
    nodes.end()
"""
import contextlib
import http.server
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = '@chdb/lib-linux-x64-gnu@26.7.3-stable.1'
CLUSTER = 'pp'


class Missing(Exception):
    """There can be no nodes here."""


def library(directory):
    """The path of libchdb.so: what POLYPROF_CHDB names, else it is installed into the directory once."""
    named = os.environ.get('POLYPROF_CHDB')
    if named:
        if not os.path.exists(named):
            raise Missing(f'POLYPROF_CHDB={named} is not there')
        return named
    place = os.path.join(directory, 'chdb')
    path = os.path.join(place, 'node_modules', PACKAGE.rsplit('@', 1)[0], 'libchdb.so')
    if os.path.exists(os.path.join(place, 'installed')):
        return path
    if not shutil.which('npm'):
        raise Missing('npm is not installed')
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, 'package.json'), 'w') as file:
        json.dump({'private': True}, file)
    command = ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', PACKAGE]
    try:
        done = subprocess.run(command, cwd=place, capture_output=True, timeout=400)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f'npm cannot install {PACKAGE}: {error}') from error
    if done.returncode != 0 or not os.path.exists(path):
        raise Missing(f'npm cannot install {PACKAGE}: {done.stderr.decode(errors="replace")[-300:]}')
    with open(os.path.join(place, 'installed'), 'w'):
        pass
    return path


def program(directory):
    """The node, built beside the library."""
    chdb = library(directory)
    binary = os.path.join(directory, 'clickhouse-node')
    source = os.path.join(HERE, 'node.c')
    if not os.path.exists(binary) or os.path.getmtime(binary) < os.path.getmtime(source):
        compiler = os.environ.get('CC', 'cc').split()
        command = [*compiler, '-O1', source, chdb, f'-Wl,-rpath,{os.path.dirname(chdb)}', '-o', binary + '.new']
        done = subprocess.run(command, capture_output=True)
        if done.returncode != 0:
            raise Missing(f'the node cannot be built: {done.stderr.decode(errors="replace")[-300:]}')
        os.replace(binary + '.new', binary)
    return binary


def free_ports(n):
    """Ports that nobody has, below those that clients get: a node that was stopped gets its own back."""
    ports = []
    while len(ports) < n:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(('127.0.0.1', port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports


class Nodes:
    def __init__(self, directory, count):
        os.makedirs(directory, exist_ok=True)
        self.binary = program(directory)
        self.place = os.path.join(directory, f'nodes-{os.getpid()}')
        shutil.rmtree(self.place, ignore_errors=True)
        os.makedirs(self.place)
        ports = free_ports(2 * count)
        self.http, self.tcp = ports[:count], ports[count:]
        self.running = [None] * count
        shards = ''.join(f'<shard><replica><host>127.0.0.1</host><port>{port}</port></replica></shard>' for port in self.tcp)
        self.config = os.path.join(self.place, 'config.xml')
        with open(self.config, 'w') as file:
            file.write('<clickhouse><listen_host>127.0.0.1</listen_host>'
                       f'<remote_servers><{CLUSTER}>{shards}</{CLUSTER}></remote_servers></clickhouse>\n')
        try:
            for i in range(count):
                self.begin(i)
            for i in range(count):
                self.wait(i)
        except BaseException:
            self.end()
            raise

    def begin(self, i):
        listen = ("SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; "
                  "SELECT count() FROM file('-', 'LineAsString', 'l String')")
        command = [self.binary, f'--config-file={self.config}', f'--path={self.place}/n{i}', '--listen_host=127.0.0.1',
                   f'--http_port={self.http[i]}', f'--tcp_port={self.tcp[i]}', '--query', listen]
        log = open(os.path.join(self.place, f'n{i}.log'), 'ab')
        self.running[i] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
        log.close()

    def wait(self, i):
        until = time.time() + 60
        while time.time() < until:
            if self.running[i].poll() is not None:
                break
            try:
                with urllib.request.urlopen(f'http://127.0.0.1:{self.http[i]}/ping', timeout=2) as answer:
                    if answer.read() == b'Ok.\n':
                        return
            except OSError:
                pass
            time.sleep(0.05)
        with open(os.path.join(self.place, f'n{i}.log'), errors='replace') as log:
            raise Missing(f'node {i} does not start: {log.read()[-500:]}')

    def start(self, i):
        self.begin(i)
        self.wait(i)

    def kill(self, i):
        self.running[i].send_signal(signal.SIGKILL)
        self.running[i].wait()
        self.running[i].stdin.close()

    def mend(self):
        """Starts again what has ended."""
        for i, process in enumerate(self.running):
            if process.poll() is not None:
                self.start(i)

    def ask(self, sql, node=0, data=None, database=None):
        """The answer as bytes; an error of the server is an urllib HTTPError."""
        url = f'http://127.0.0.1:{self.http[node]}/?wait_end_of_query=1'
        if database:
            url += f'&database={database}'
        if data is not None:
            url += '&query=' + urllib.request.quote(sql)
        try:
            with urllib.request.urlopen(url, data=data if data is not None else sql.encode(), timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors='replace')[:500]) from error

    def everywhere(self, sql, database=None):
        return [self.ask(sql, i, database=database) for i in range(len(self.http))]

    def source(self, database, options=''):
        hosts = ','.join(f'127.0.0.1:{port}' for port in self.http)
        return f'clickhouse://{hosts}/{database}?cluster={CLUSTER}{options}'

    def cpu(self):
        """CPU seconds that the nodes have used."""
        ticks = 0
        for process in self.running:
            with open(f'/proc/{process.pid}/stat') as stat:
                fields = stat.read().rsplit(')', 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf('SC_CLK_TCK')

    def end(self):
        for process in self.running:
            if process and process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.place, ignore_errors=True)


@contextlib.contextmanager
def pretended(answer):
    """A server that passes for ClickHouse, where it is: answer(path, sql) gives a status and a body."""
    class Pretender(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            sql = b''
            while (size := int(self.rfile.readline() or b'0', 16)):
                sql += self.rfile.read(size + 2)[:-2]
            self.rfile.readline()
            status, body = answer(self.path, sql)
            # Who asked may have been killed meanwhile.
            with contextlib.suppress(OSError):
                self.send_response(status)
                self.send_header('Content-Length', str(len(body)))
                self.send_header('Connection', 'close')
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Pretender)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f'127.0.0.1:{server.server_address[1]}'
    server.shutdown()
