"""A client of `polyprof mcp` that is written by hand: JSON-RPC in lines, nothing else."""
import json
import subprocess

MODERN = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {}}


class Server:
    def __init__(self, polyprof, *words):
        self.process = subprocess.Popen([polyprof, 'mcp', *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.last = 0

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b'\n')
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def request(self, method, params=None, modern=True):
        self.last += 1
        params = dict(params or {})
        if modern:
            params['_meta'] = {**MODERN, **params.get('_meta', {})}
        self.send({'jsonrpc': '2.0', 'id': self.last, 'method': method, 'params': params})
        return self.last

    def ask(self, method, params=None, modern=True):
        wanted = self.request(method, params, modern)
        while True:
            answer = self.read()
            if answer is None or answer.get('id') == wanted:
                return answer

    def call(self, tool, **arguments):
        """The object that a tool answers with, and how many bytes of it there are."""
        answer = self.ask('tools/call', {'name': tool, 'arguments': arguments})
        text = answer['result']['content'][0]['text']
        return json.loads(text), len(text.encode()), answer['result']

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        said = self.process.stderr.read()
        return self.process.wait(100), rest, said
