"""A server of `polyprof serve`, and requests as bytes: what a client library would mend is what is tested."""
import http.client
import os
import re
import signal
import socket
import subprocess
import time

HANG = 60  # seconds after which something will never happen


class Server:
    def __init__(self, polyprof, *words, cwd=None, listen='127.0.0.1:0'):
        self.process = subprocess.Popen([polyprof, 'serve', *words, '--listen', listen], cwd=cwd,
                                        stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stderr.readline().decode()
        found = re.search(r'http://(\S+):(\d+)/', line)
        if not found:
            raise RuntimeError(line + self.process.stderr.read().decode())
        self.address, self.port = found[1], int(found[2])
        self.host = f'{self.address}:{self.port}'

    def connect(self):
        return socket.create_connection((self.address, self.port), timeout=60)

    def raw(self, data, shut=False):
        """What comes back for bytes, to the end of the connection."""
        with self.connect() as s:
            try:
                s.sendall(data)
            except OSError:
                pass
            if shut:
                s.shutdown(socket.SHUT_WR)
            return read_all(s)

    def ask(self, path, method='GET', body=None, headers=None):
        """Status, headers and content."""
        c = http.client.HTTPConnection(self.address, self.port, timeout=60)
        c.request(method, path, body, headers or {})
        r = c.getresponse()
        content = r.read()
        c.close()
        return r.status, r.headers, content

    def stop(self, number=signal.SIGTERM):
        """Its exit code, and what it said."""
        self.process.send_signal(number)
        said = self.process.stderr.read()
        return self.process.wait(60), said

    def number(self, metric):
        """A value of /metrics."""
        return int(re.search(rf'^{re.escape(metric)} (\d+)$', self.ask('/metrics')[2].decode(), re.M)[1])

    def wait(self, holds):
        """Waits until something holds; whether it does."""
        until = time.monotonic() + HANG
        while not (held := holds()) and time.monotonic() < until:
            time.sleep(0.01)
        return held

    def rss(self):
        with open(f'/proc/{self.process.pid}/statm', encoding='ascii') as file:
            return int(file.read().split()[1]) * os.sysconf('SC_PAGESIZE')


class Pipe:
    """A file that a question reads for as long as the test likes."""

    def __init__(self, path, text):
        self.path, self.text, self.file = path, text, None
        with open(path, 'wb'):
            pass  # nobody serves a pipe: it takes the place of a file

    def lay(self):
        os.mkfifo(self.path + '.laid')
        os.rename(self.path + '.laid', self.path)

    def opened(self):
        """Waits until somebody reads, and gives a part of it."""
        self.file = open(self.path, 'wb', buffering=0)
        self.file.write(self.text)

    def more(self):
        """Gives a part more; False when nobody reads any longer."""
        try:
            self.file.write(self.text)
            return True
        except BrokenPipeError:
            return False

    def end(self):
        self.file.close()


def sanitized(polyprof):
    with open(polyprof, 'rb') as file:
        return re.search(b'__[at]san_init', file.read()) is not None


def memory_limit(polyprof, plain):
    """Sanitizers keep what was freed, and tables of their own."""
    return plain * 20 if sanitized(polyprof) else plain


def read_all(s):
    parts = []
    try:
        while part := s.recv(1 << 20):
            parts.append(part)
    except OSError:
        pass
    return b''.join(parts)


def status(data):
    """The status of an answer in bytes; 0 when there is none."""
    return int(data[9:12]) if data.startswith(b'HTTP/1.1 ') else 0
