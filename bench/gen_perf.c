/*
 * Makes the text that perf script would print of a large program:  gen_perf MEGABYTES REPEAT_PERCENT
 *
 * A random call graph of 6,000 functions in eight binaries; each calls up to eight others, the first far
 * more often than the last, from one of four places. Depth is about 20, threads are twelve.
 * REPEAT_PERCENT of the stacks repeat one of the last 4,096. The same arguments give the same bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 6000, CALLEES = 8, DEEPEST = 60, RECENT = 4096, SITES = 4, BINARIES = 8 };

static const char *const binaries[BINARIES] = { "[kernel.kallsyms]",
	                                        "/usr/lib/x86_64-linux-gnu/libc.so.6",
	                                        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
	                                        "/usr/bin/server",
	                                        "/usr/bin/server",
	                                        "/usr/bin/server",
	                                        "/usr/lib/x86_64-linux-gnu/libssl.so.3",
	                                        "/tmp/perf-4711.map" };

struct stack {
	uint32_t place[DEEPEST]; /* function * SITES + site, leaf first */
	unsigned depth;
};

static uint32_t callees[FUNCTIONS][CALLEES];
static struct stack recent[RECENT];
static uint64_t state = 88172645463325252u;

static uint64_t
draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

/* Small numbers far more often than large ones. */
static uint32_t
draw_low(uint32_t below)
{
	uint32_t n = 0;

	while (n + 1 < below && draw(100) < 45)
		n++;
	return n;
}

static void
stack_make(struct stack *s)
{
	uint32_t path[DEEPEST], at = (uint32_t)draw(16);
	unsigned n = 0, i, want = 8 + (unsigned)draw(24);

	while (n < want) {
		path[n++] = at * SITES + draw_low(SITES);
		at = callees[at][draw_low(CALLEES)];
	}
	s->depth = n;
	for (i = 0; i < n; i++)
		s->place[i] = path[n - 1 - i];
}

static size_t
stack_print(const struct stack *s)
{
	size_t bytes = 1;
	unsigned i;

	for (i = 0; i < s->depth; i++) {
		uint32_t f = s->place[i] / SITES, site = s->place[i] % SITES;
		unsigned b = f % BINARIES;
		uint64_t address = (b ? 0x1000u : 0xffffffff81000000u) + (uint64_t)f * 0x80;

		bytes += (size_t)printf("\t%16llx %s%s_%u%s+0x%x (%s)\n",
		                        (unsigned long long)(address + site * 0x11),
		                        b == 3 ? "app::Module<int>::" : "", b ? "function" : "sys",
		                        f, b == 3 ? "(int, char*)" : "", site * 0x11, binaries[b]);
	}
	putchar('\n');
	return bytes;
}

int
main(int argc, char **argv)
{
	uint64_t target = (uint64_t)(argc > 1 ? atof(argv[1]) : 10) * 1000000, bytes = 0, ns = 0;
	uint64_t repeat = argc > 2 ? strtoull(argv[2], NULL, 10) : 90, made = 0;
	unsigned f, c;

	for (f = 0; f < FUNCTIONS; f++)
		for (c = 0; c < CALLEES; c++)
			callees[f][c] = (uint32_t)draw(FUNCTIONS);
	while (bytes < target) {
		unsigned thread = (unsigned)draw(12);
		struct stack *s = &recent[draw(made < RECENT ? made + 1 : RECENT)];

		if (made == 0 || !s->depth || draw(100) >= repeat) {
			s = &recent[made++ % RECENT];
			stack_make(s);
		}
		ns += 80000 + draw(9000);
		bytes += (size_t)printf(
		    "worker %u %5u [%03u] %5llu.%06llu:    1003009 cycles:P: \n", thread,
		    4711 + thread, thread % 4, (unsigned long long)(ns / 1000000000),
		    (unsigned long long)(ns / 1000 % 1000000));
		bytes += stack_print(s);
	}
	return 0;
}
