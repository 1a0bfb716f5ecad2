"""The Test Anything Protocol, for the tests written in Python."""
import os

# Builds that look for something else than answers take each Nth of what is repeated; 1 is all of it.
SHARE = int(os.environ.get('POLYPROF_SHARE', '1'))


def share(items):
    """What of a list this build goes through."""
    return list(items)[::SHARE]


def few(items, most):
    """At most so many of a list, evenly; all of them where POLYPROF_ALL is set."""
    items = list(items)
    return items if os.environ.get('POLYPROF_ALL') or len(items) <= most else [items[i * len(items) // most] for i in range(most)]


def half(items):
    """Each second of a list that is long because there are many formats; all of it where POLYPROF_ALL is set."""
    return list(items)[::1 if os.environ.get('POLYPROF_ALL') else 2]


def turn_of(items, number, most):
    """At most so many of a list, others for each number so that all have their turn; all where POLYPROF_ALL is set."""
    every = 1 if os.environ.get('POLYPROF_ALL') else max(1, -(-len(items) // most))
    return items[number % every::every]


class Tap:
    """Counts checks and prints each; what a failed one has to say comes as comments."""

    def __init__(self):
        self.run = self.failed = 0

    def ok(self, passed, what, detail=''):
        self.run += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.run} - {what}")
        if not passed:
            print('\n'.join('# ' + line for line in str(detail)[:3000].splitlines()))

    def same(self, got, wanted, what):
        self.ok(got == wanted, what, f'got {got!r}, wanted {wanted!r}')

    def skip(self, what, why):
        self.run += 1
        print(f'ok {self.run} - {what} # SKIP {why}')

    def done(self):
        """The plan; what the program exits with."""
        print(f'1..{self.run}')
        return 1 if self.failed else 0
