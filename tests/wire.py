"""Messages of protobuf, for the tests that make some."""


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def num(field, n):
    return varint(field << 3) + varint(n)


def fixed(field, n):
    return varint(field << 3 | 1) + n.to_bytes(8, 'little')


def sub(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field, numbers):
    return sub(field, b''.join(varint(n) for n in numbers)) if numbers else b''


def message(*pairs):
    """Numbers by field; lists are packed; what is no number goes in as bytes. What is 0 is left out."""
    return b''.join(num(f, v) if isinstance(v, int) else packed(f, v) if isinstance(v, list) else sub(f, v) for f, v in pairs if v != 0)
