"""What a report holds, for the tests written in Python."""
import base64
import itertools
import re
import struct
import zlib


def columns_of(page):
    """The columns of a report: name, kind, count, size, bytes, one after the other."""
    text = re.search(r'id="data">([^<]*)<', page)[1]
    data, at, found = zlib.decompress(base64.b64decode(text), 31), 0, {}
    while at < len(data):
        length = data[at]
        name = data[at + 1:at + 1 + length].decode()
        kind, count, size = struct.unpack_from('<cII', data, at + 1 + length)
        at += length + 10
        found[name] = kind, count, data[at:at + size]
        at += size
    return found


def numbers(column):
    kind, count, data = column
    if kind == b'f':
        return struct.unpack(f'<{count}d', data)
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append((value >> 1) ^ -(value & 1) if kind == b'z' else value)
            value = shift = 0
    return values


def ids(column):
    """Numbers; of some columns the differences are written."""
    kind, count, data = column
    values = numbers((b'z' if kind == b'd' else kind, count, data))
    return list(itertools.accumulate(values)) if kind == b'd' else values


def strings_of(columns):
    """All texts of a report."""
    lengths, data, at, out = ids(columns['str.length']), columns['str.bytes'][2], 0, []
    for length in lengths:
        out.append(data[at:at + length].decode(errors='replace'))
        at += length
    return out
