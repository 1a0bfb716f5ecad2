"""perf script text read the slow way, by regular expressions and without any state beyond the sample at hand.

What a collapser makes of it: stacks from the root to the leaf with what they weigh, by event. It knows the layouts that
perf prints by default and with -F for samples with a time and an event, which is what recordings have.
"""
import collections
import gzip
import re

HEADER = re.compile(r'^(?P<comm>.*?)\s+(?:(?P<pid>-?\d+)/)?(?P<tid>-?\d+)\s+(?:\[\d+\]\s+)?(?:[A-Z]+\s+)?'
                    r'(?P<time>\d+\.\d+):\s+(?:(?P<period>\d+)\s+)?(?P<event>\S+):(?P<rest>\s.*|)$')
FRAME = re.compile(r'^\s*(?P<ip>[0-9a-f]{1,16})\s+(?P<symbol>.*?)(?:\+0x(?P<offset>[0-9a-f]+))?'
                   r'(?: \((?P<dso>/.*|\[.*|inlined)\))?$')


class Sample:
    def __init__(self, match):
        self.comm, self.event = match['comm'], match['event']
        self.pid, self.tid = match['pid'], match['tid']
        self.period = int(match['period']) if match['period'] else None
        self.frames = []  # leaf first

    def stack(self):
        return tuple(reversed(self.frames))


def samples(path):
    """The samples of a file in order, each with the names of its frames."""
    sample = None
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'rt', errors='surrogateescape', newline='\n') as file:
        for line in file:
            line = line.rstrip('\n')
            header = None if line.startswith(('\t', '#')) else HEADER.match(line)
            if header and header['event'].startswith('PERF_RECORD_'):
                header = None
                if sample:
                    yield sample
                sample = None
            elif header:
                if sample:
                    yield sample
                sample = Sample(header)
                frame = FRAME.match(header['rest'])
                if frame and not re.match(r'^[a-z_]+:[a-z_]+$', header['event']):
                    sample.frames.append(frame['symbol'])
            elif sample and line.startswith('\t'):
                frame = FRAME.match(line)
                if frame:
                    sample.frames.append(frame['symbol'] or '0x' + frame['ip'].lstrip('0'))
    if sample:
        yield sample


def collapse(path):
    """{event: {stack: [samples, sum of periods]}}"""
    events = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for sample in samples(path):
        cost = events[sample.event][';'.join(sample.stack())]
        cost[0] += 1
        cost[1] += sample.period or 0
    return events
