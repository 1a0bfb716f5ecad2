/*
 * Makes the body of an SPX report of a given size:  gen_spx 0.4|0.5 EVENTS [SEED]
 *
 * A call graph of 800 functions, each calling up to four others, the first far more often than the last.
 * The walk keeps near a depth of 12, as a framework that handles request after request, so there are some
 * hundred thousand distinct stacks. Wall time grows by what small PHP functions take, memory goes up and down. The
 * report is balanced, starts with zeros, and is what SPX itself would write: 0.5 with blocks of 8192
 * events and references. The same arguments give the same bytes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 800, CALLEES = 4, DEEPEST = 60, BLOCK = 8192, RECENT = 4 };

struct walk {
	uint64_t random;
	int callee[FUNCTIONS][CALLEES];
	int line[FUNCTIONS];
	int stack[DEEPEST];
	int depth;
	uint64_t events;
	int64_t wall, memory, last_wall, last_memory;
	int recent[RECENT];
};

static uint32_t
next_random(struct walk *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)(w->random >> 20);
}

/* One of four, the first in three cases of four. */
static int
skewed(struct walk *w)
{
	uint32_t r = next_random(w) & 127;

	return r < 96 ? 0 : r < 118 ? 1 : r < 126 ? 2 : 3;
}

static void
print_04(const struct walk *w, bool start, int function)
{
	printf("%d %d %" PRId64 " %" PRId64 "\n", function, start, w->wall, w->memory);
}

static void
print_difference(int64_t value, int64_t last, bool absolute)
{
	if (absolute)
		printf("|a%" PRId64, value);
	else if (value != last)
		printf("|%" PRId64, value - last);
	else
		putchar('|');
}

static void
print_05(struct walk *w, bool start, int function)
{
	bool absolute = w->events % BLOCK == 0;
	int back = 0, i;

	if (!start)
		putchar('-');
	else if (w->depth > 1)
		printf("%x|", (unsigned)w->line[w->stack[w->depth - 2]] + (unsigned)function % 40);
	else
		putchar('|');
	for (i = RECENT; i >= 1 && function >= 100; i--)
		if ((uint64_t)i <= w->events % BLOCK &&
		    w->recent[(w->events - (uint64_t)i) % RECENT] == function)
			back = i;
	if (back)
		printf("r%d", back);
	else
		printf("%d", function);
	w->recent[w->events % RECENT] = function;
	print_difference(w->wall, w->last_wall, absolute);
	print_difference(w->memory, w->last_memory, absolute);
	putchar('\n');
	w->last_wall = w->wall;
	w->last_memory = w->memory;
}

/* Time and memory pass before an event, but for the first. */
static void
pass(struct walk *w)
{
	if (w->events == 0)
		return;
	w->wall += 20 + next_random(w) % 1500;
	if (next_random(w) % 8 < 3)
		w->memory += ((int64_t)(next_random(w) % 257) - 120) * 8;
	if (w->memory < 0)
		w->memory = 0;
}

static bool
starts(struct walk *w, uint64_t left)
{
	uint32_t r = next_random(w) % 1000;

	if (w->depth == 0)
		return true;
	if (left <= (uint64_t)w->depth || w->depth == DEEPEST)
		return false;
	return r < (w->depth < 3 ? 880u : w->depth < 12 ? 490u : 300u);
}

static void
step(struct walk *w, bool bars, uint64_t left)
{
	bool start = starts(w, left);
	int function;

	pass(w);
	if (start) {
		function = w->depth ? w->callee[w->stack[w->depth - 1]][skewed(w)] : 0;
		w->stack[w->depth++] = function;
	} else {
		function = w->stack[--w->depth];
	}
	if (bars)
		print_05(w, start, function);
	else
		print_04(w, start, function);
	w->events++;
}

int
main(int argc, char **argv)
{
	static struct walk w;
	static char buffer[1 << 20];
	bool bars = argc > 1 && strcmp(argv[1], "0.5") == 0;
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	int f, i;

	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	w.random = 88172645463325252u + (argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
	for (f = 0; f < FUNCTIONS; f++) {
		w.line[f] = 10 + (int)(next_random(&w) % 4000);
		for (i = 0; i < CALLEES; i++)
			w.callee[f][i] = 1 + (int)(next_random(&w) % (FUNCTIONS - 1));
	}
	puts("[events]");
	events += events & 1;
	while (w.events < events)
		step(&w, bars, events - w.events);
	puts("[functions]");
	for (f = 0; f < FUNCTIONS; f++) {
		if (bars)
			printf("/app/src/Module%d/Class%d.php:%d:", f / 50, f / 7, w.line[f]);
		printf("App\\Module%d\\Class%d::method%d\n", f / 50, f / 7, f);
	}
	return ferror(stdout) ? 1 : 0;
}
