"""Seals of rows as src/store/seal.h has them, for tests that change a store as somebody would who knows how."""
import sqlite3

MASK = (1 << 64) - 1
K1, K2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93


def step(h, word):
    h = (h ^ word & MASK) * K1 & MASK
    return (h << 29 | h >> 35) & MASK


def words(data):
    return [int.from_bytes(data[i:i + 8], 'little') for i in range(0, len(data) - 7, 8)]


def add(h, value):
    if isinstance(value, int):
        return step(h, value)
    data = value.encode() if isinstance(value, str) else value or b''
    h = step(h, len(data))
    whole = len(data) // 32 * 32
    if whole:
        lanes = [(h + lane * K2) & MASK for lane in range(4)]
        for at, word in enumerate(words(data[:whole])):
            lanes[at % 4] = step(lanes[at % 4], word)
        for lane in lanes:
            h = step(h, lane)
    for word in words(data[whole:]):
        h = step(h, word)
    return step(h, int.from_bytes(data[len(data) // 8 * 8:], 'little'))


def seal(what, *columns):
    h = add(K2, what)
    for column in columns:
        h = add(h, column)
    h = (h ^ h >> 32) * K2 & MASK
    h = (h ^ h >> 29) * K1 & MASK
    h ^= h >> 32
    return h - (1 << 64) if h >> 63 else h


def change(path, sql, values=()):
    """Runs SQL on a store, and seals what it says of series and profiles."""
    db = sqlite3.connect(path)
    db.create_function('seal', -1, seal)
    with db:
        db.execute(sql, values)
        db.execute("UPDATE series SET seal = seal('series', id, labels)")
        db.execute("UPDATE profile SET seal = seal('profile', id, hash, series, t0, t1, complete, format, source, meta)")
    db.close()
