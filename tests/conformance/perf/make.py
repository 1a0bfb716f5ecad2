#!/usr/bin/env python3
"""Writes recordings as perf does, in any of its layouts: make.py tests/formats/perf renews the samples there.

One small recording (two processes, three threads, two events) in many clothes; see class Recording. What is damaged is made
out of it, a file for each rule.
"""
import os
import struct
import sys

IP, TID, TIME, READ, CALLCHAIN, ID, CPU, PERIOD = 1, 2, 4, 16, 32, 64, 128, 256
BRANCH_STACK, REGS_USER, STACK_USER, IDENTIFIER = 2048, 4096, 8192, 65536
KERNEL, USER = 1, 2
MARK_KERNEL, MARK_USER = 2**64 - 128, 2**64 - 512
APP, LIBRARY, PLUGIN = '/srv/app/bin/app', '/usr/lib/libwork.so.1', '/srv/app/plugin.so'
BUILD_ID = bytes(range(20))


class Recording:
    """Records in the order of a byte order ('<' or '>'), to be put into a file."""

    def __init__(self, order='<', sample_type=IP | TID | TIME | ID | CPU | PERIOD | CALLCHAIN, attr_size=112, **more):
        self.order, self.type, self.attr_size, self.more = order, sample_type, attr_size, more
        self.records = []

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def attr(self, event, config, rate, sample_type=None, freq=False, read_format=0):
        flags = 1 << 18 | 1 << 24 | (1 << 10 if freq else 0)
        raw = flags.to_bytes(8, 'little')
        if self.order == '>':
            raw = bytes(int(f'{byte:08b}'[::-1], 2) for byte in raw)
        body = self.pack('IIQQQQ', event, self.attr_size, config, rate, sample_type or self.type, read_format) + raw
        body += bytes(24) + self.pack('Q', self.more.get('branch_type', 0)) + self.pack('Q', self.more.get('regs', 0))
        return body.ljust(self.attr_size, b'\0')[:self.attr_size]

    def add(self, kind, misc, body, time=None, ids=(0, 0), event=1, cpu=0):
        """A record; with a time it has the trailer of sample_id_all."""
        if time is not None:
            body += self.pack('II', *ids) + self.pack('QQII', time, event, cpu, 0)
        self.records.append(self.pack('IHH', kind, misc, 8 + len(body)) + body)

    @staticmethod
    def text(name):
        raw = name.encode() + b'\0'
        return raw + bytes(-len(raw) % 8)

    def mmap(self, pid, start, size, offset, name, time, build_id=None, code=True, misc=USER):
        middle = self.pack('IIQQ', 8, 1, 77, 0)
        if build_id:
            middle, misc = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b'\0'), misc | 0x4000
        self.add(10, misc, self.pack('IIQQQ', pid, pid, start, size, offset) + middle
                 + self.pack('II', 5 if code else 1, 2) + self.text(name), time, (pid, pid))

    def kernel(self):
        self.add(1, KERNEL, self.pack('iiQQQ', -1, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000)
                 + self.text('[kernel.kallsyms]_text'), 0)

    def comm(self, pid, tid, name, time, executed=False):
        self.add(3, 0x2000 if executed else 0, self.pack('II', pid, tid) + self.text(name), time, (pid, tid))

    def fork(self, pid, parent, tid, ptid, time):
        self.add(7, 0, self.pack('IIIIQ', pid, parent, tid, ptid, time), time, (pid, tid))

    def sample(self, pid, tid, time, chain, period=1000, event=1, cpu=0, misc=USER, tail=b''):
        leaf = next((a for a in chain if a < 2**64 - 4095), 0)
        fields = [(IDENTIFIER, self.pack('Q', event)), (IP, self.pack('Q', leaf)), (TID, self.pack('II', pid, tid)),
                  (TIME, self.pack('Q', time)), (ID, self.pack('Q', event)), (CPU, self.pack('II', cpu, 0)),
                  (PERIOD, self.pack('Q', period)), (CALLCHAIN, self.pack(f'{1 + len(chain)}Q', len(chain), *chain))]
        self.add(9, misc, b''.join(body for bit, body in fields if self.type & bit) + tail)

    def round(self):
        self.add(68, 0, b'')


def fill(recording):
    """What happened: the same whatever the clothes."""
    r = recording
    r.kernel()
    r.comm(100, 100, 'app', 0)
    r.mmap(100, 0x400000, 0x3000, 0x1000, APP, 0)
    r.mmap(100, 0x7f0000000000, 0x10000, 0, LIBRARY, 0, BUILD_ID)
    r.sample(100, 100, 1000, [MARK_USER, 0x400123, 0x400456, 0x400789], 500)
    r.sample(100, 100, 1010, [MARK_USER, 0x7f0000000020, 0x400456, 0x400789], 700)
    r.fork(100, 100, 101, 100, 1015)
    r.sample(100, 101, 1020, [MARK_USER, 0x400123, 0x400999], 300)
    r.comm(100, 101, 'wrk (1) x', 1025)
    r.round()
    r.sample(100, 101, 1030, [MARK_KERNEL, 0xffffffff81000100, MARK_USER, 0x400123, 0x400999], 250, misc=KERNEL, cpu=1)
    r.sample(100, 100, 1035, [MARK_USER, 0x400123, 0x400456, 0x400789], 1, event=2)
    r.fork(200, 100, 200, 100, 1040)
    r.sample(200, 200, 1050, [MARK_USER, 0x400123], 400)
    r.mmap(200, 0x401000, 0x1000, 0, PLUGIN, 1055)
    r.sample(200, 200, 1060, [MARK_USER, 0x401010, 0x402010, 0x400123], 600)
    r.round()
    r.comm(200, 200, 'child', 1070, executed=True)
    r.sample(200, 200, 1080, [MARK_USER, 0x400123], 50)
    r.sample(300, 301, 1090, [0x500000], 5)
    return r


# comm, module and address of each frame from the root on; period. Of the first event.
STACKS = {
    'app;0x1789;0x1456;0x1123': 500,
    'app;0x1789;0x1456;0x20': 700,
    'app;0x1999;0x1123': 300,
    'wrk (1) x;0x1999;0x1123;0xffffffff81000100': 250,
    'app;0x1123': 400,
    'app;0x1123;0x3010;0x10': 600,
    'child;0x400123': 50,
    ':301;0x500000': 5,
}


def strings(r, *texts):
    out = b''
    for text in texts:
        raw = text.encode() + b'\0'
        raw += bytes(-len(raw) % 64)
        out += r.pack('I', len(raw)) + raw
    return out


def features(r, attrs):
    """Those by number that say anything here."""
    name = r.text(APP)
    events = r.pack('II', len(attrs), r.attr_size)
    for number, (attr, title) in enumerate(attrs, 1):
        raw = title.encode() + b'\0'
        events += attr + r.pack('II', 1, len(raw)) + raw + r.pack('Q', number)
    return {2: r.pack('IHH', 0, USER, 36 + len(name)) + r.pack('i', -1) + bytes(range(20, 40)) + bytes(4) + name,
            3: strings(r, 'box'), 4: strings(r, '6.1.0'), 5: strings(r, '6.1.9'), 6: strings(r, 'x86_64'),
            7: r.pack('II', 4, 2), 11: r.pack('I', 3) + strings(r, 'perf', 'record', 'app'), 12: events}


def attrs_of(r):
    return [(r.attr(1, 0, 997, freq=True), 'cpu-clock'), (r.attr(1, 2, 1), 'page-faults')]


def file_of(r, magic=None, size=None, attrs=None, extra=b'', bits=None, records=None):
    """File mode: header, ids, attributes, records, features."""
    attrs = attrs or attrs_of(r)
    data = b''.join(r.records if records is None else records) + extra
    ids = b''.join(r.pack('Q', number) for number in range(1, len(attrs) + 1))
    at = 104
    section = b''.join(attr + r.pack('QQ', at + 8 * k, 8) for k, (attr, _) in enumerate(attrs))
    start = at + len(ids) + len(section)
    found = features(r, attrs) if bits is None else bits
    mask = sum(1 << bit for bit in found)
    head = (magic or (b'PERFILE2' if r.order == '<' else b'2ELIFREP'))
    head += r.pack('9Q', 104, r.attr_size + 16, at + len(ids), len(section), start, len(data) if size is None else size, 0, 0,
                   mask & 2**64 - 1)
    head = head.ljust(104, b'\0')
    place, table, content = start + len(data) + 16 * len(found), b'', b''
    for bit in sorted(found):
        table += r.pack('QQ', place + len(content), len(found[bit]))
        content += found[bit]
    return head + ids + section + data + table + content


def pipe_of(r):
    head = b'PERFILE2' + r.pack('Q', 16)
    attrs = attrs_of(r)
    for number, (attr, title) in enumerate(attrs, 1):
        head += r.pack('IHH', 64, 0, 16 + len(attr)) + attr + r.pack('Q', number)
        raw = r.text(title)
        head += r.pack('IHH', 78, 0, 24 + len(raw)) + r.pack('QQ', 2, number) + raw
    found = features(r, attrs)
    found.pop(12)
    found.pop(2)
    for bit, content in sorted(found.items()):
        content += bytes(-len(content) % 8)
        head += r.pack('IHHQ', 80, 0, 16 + len(content), bit) + content
    name = r.text(APP)
    head += r.pack('IHH', 67, USER, 36 + len(name)) + r.pack('i', -1) + bytes(range(20, 40)) + bytes(4) + name
    return head + b''.join(r.records)


def shuffled(r):
    """Each processor's records are written at once: those of a round turn round."""
    out, group = [], []
    for record in r.records:
        if struct.unpack_from(r.order + 'I', record)[0] == 68:
            out += group[::-1]
            out.append(record)
            group = []
        else:
            group.append(record)
    return out + group[::-1]


def elf(symbols, build_id=None, link=None, exported=(), shift=0):
    """A program for x86-64 of nothing but symbols: (name, offset, size, type, binding), loaded `shift` behind its offset."""
    names, blank = ['.text', '.shstrtab'], struct.pack('<IIQQQQIIQQ', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    parts = [(1, 6, bytes(0x2000), 0, 0)]
    for kind, rows, title, strings_title in ((2, symbols, '.symtab', '.strtab'), (11, exported, '.dynsym', '.dynstr')):
        if not rows:
            continue
        texts, table = b'\0', bytes(24)
        for name, offset, size, what, binding in rows:
            table += struct.pack('<IBBHQQ', len(texts), binding << 4 | what, 0, 1, offset + shift, size)
            texts += name.encode() + b'\0'
        parts += [(kind, 2, table, len(parts) + 2, 24), (3, 2, texts, 0, 0)]
        names[-1:-1] = [title, strings_title]
    if build_id:
        parts.append((7, 2, struct.pack('<III', 4, len(build_id), 3) + b'GNU\0' + build_id, 0, 0))
        names[-1:-1] = ['.note.gnu.build-id']
    if link:
        raw = link.encode() + b'\0'
        parts.append((1, 0, raw + bytes(-len(raw) % 4) + bytes(4), 0, 0))
        names[-1:-1] = ['.gnu_debuglink']
    texts, places = b'\0', []
    for name in names:
        places.append(len(texts))
        texts += name.encode() + b'\0'
    parts.append((3, 0, texts, 0, 0))
    body, headers = b'', blank
    for place, (kind, flags, content, ref, entry) in zip(places, parts):
        at = 0x1000 + len(body) if kind != 1 or content.strip(b'\0') else 0
        headers += struct.pack('<IIQQQQIIQQ', place, kind, flags, 0, at, len(content), ref, 0, 8, entry)
        body += content if at else b''
        body += bytes(-len(body) % 8)
    load = struct.pack('<IIQQQQQQ', 1, 5, 0, shift, 0, 0x4000, 0x4000, 0x1000)
    head = b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 3, 62, 1, 0, 64, 0x1000 + len(body), 0, 64, 56, 1, 64,
                                                              len(parts) + 1, len(parts))
    return (head + load).ljust(0x1000, b'\0') + body + headers


def layouts():
    """The same recording in every layout, by name."""
    little, big = fill(Recording()), fill(Recording('>'))
    old = fill(Recording(attr_size=80))
    early = [one for one in little.records[:4]]
    return {
        'file': file_of(little),
        'big-endian': file_of(big),
        'version-1': file_of(old, magic=b'PERFFILE'),
        'version-1-big-endian': file_of(fill(Recording('>', attr_size=80)), magic=b'PERFFILE'),
        'pipe': pipe_of(little),
        'identifier': file_of(fill(Recording(sample_type=IP | TID | TIME | CPU | PERIOD | CALLCHAIN | IDENTIFIER))),
        'long-attributes': file_of(fill(Recording(attr_size=136))),
        'shuffled': file_of(little, records=early + shuffled_tail(little)),
    }


def branched(order, branches):
    """The recording with branches (from, to, flags) in each sample: -b."""
    r = fill(Recording(order, sample_type=IP | TID | TIME | ID | CPU | PERIOD | CALLCHAIN | BRANCH_STACK))
    more = r.pack('Q', len(branches)) + b''.join(r.pack('3Q', *branch) for branch in branches)
    for k, record in enumerate(r.records):
        if struct.unpack_from(order + 'I', record)[0] == 9:
            r.records[k] = record[:6] + r.pack('H', len(record) + len(more)) + record[8:] + more
    return file_of(r)


def shuffled_tail(r):
    tail = Recording(r.order)
    tail.records = r.records[4:]
    return shuffled(tail)


def damaged():
    """A recording for each rule that it breaks, by the id of the rule."""
    good = fill(Recording())
    whole = file_of(good)
    start = struct.unpack_from('<Q', whole, 40)[0]

    def put(at, form, *values):
        out = bytearray(whole)
        struct.pack_into('<' + form, out, at, *values)
        return bytes(out)

    def more(kind, body, misc=0):
        return file_of(good, extra=struct.pack('<IHH', kind, misc, 8 + len(body)) + body)

    lone = Recording()
    huge = fill(Recording())
    huge.sample(100, 100, 2000, [MARK_USER, 0x400123], 2**64 - 1)
    unknown = fill(Recording())
    unknown.sample(100, 100, 2000, [MARK_USER, 0x400123], 1, event=99)
    short = fill(Recording())
    short.sample(100, 100, 2000, [MARK_USER, 0x400123])
    short.records[-1] = short.records[-1][:-24] + struct.pack('<QQQ', 2**40, 0, 0)
    stacks = fill(Recording(sample_type=IP | TID | TIME | ID | CPU | PERIOD | CALLCHAIN | STACK_USER))
    for k, record in enumerate(stacks.records):
        if record[0] == 9:
            stacks.records[k] = record[:6] + struct.pack('<H', len(record) + 24) + record[8:] + struct.pack('<3Q', 8, 0, 8)
    return {
        'perf-header': put(8, 'Q', 77),
        'perf-header-stride': put(16, 'Q', 60),
        'perf-header-cut': whole[:60],
        'perf-header-ids': put(104 + 16 + 112, 'Q', 2**40),
        'perf-no-event': put(24, 'Q', 2**40),
        'perf-no-event-pipe': b'PERFILE2' + struct.pack('<Q', 16),
        'perf-cut': whole[:start + 700],
        'perf-cut-size': put(start + 6, 'H', 4),
        'perf-sample': file_of(short),
        'perf-event': file_of(unknown),
        'perf-event-pipe': b'PERFILE2' + struct.pack('<Q', 16) + good.records[4] + pipe_of(lone)[16:],
        'perf-sum': file_of(huge),
        'perf-packed': more(81, bytes(range(40))),
        'perf-unfinished': file_of(good, size=0, bits={}),
        'perf-features': whole[:start + struct.unpack_from('<Q', whole, 48)[0] + 20],
        'perf-lost': more(2, struct.pack('<QQ', 1, 7) + struct.pack('<IIQQII', 100, 100, 1085, 1, 0, 0)),
        'perf-throttled': more(5, struct.pack('<QQQ', 1085, 1, 1) + struct.pack('<IIQQII', 100, 100, 1085, 1, 0, 0)),
        'perf-trace': more(11, struct.pack('<QQQ', 0, 8, 0) + struct.pack('<IIQQII', 100, 100, 1085, 1, 0, 0)),
        'perf-branches': branched('<', [(1, 2, 0)]),
        'perf-stacks': file_of(stacks),
        'perf-records': more(60, bytes(8)),
        'perf-symbols': whole,
    }


def main():
    root = sys.argv[1]
    for kind, files in (('good', layouts()), ('bad', damaged())):
        for name, content in files.items():
            with open(os.path.join(root, kind, name + '.perf.data'), 'wb') as out:
                out.write(content)


if __name__ == '__main__':
    main()
