/*
 * The least that a program must do to find the costliest functions of a pprof profile in gzip: inflate, find locations and
 * functions, add up what each sample's functions cost, themselves and in all. Ids up to a few million, lists in one piece, the
 * last value, no diagnostics, no checks, no limits: a measure for what polyprof's care costs.  bare_pprof FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { MOST_IDS = 1 << 22, MOST_LINES = 8 };

struct location {
	uint32_t functions[MOST_LINES], n;
};

struct function {
	uint64_t name, seen;
	int64_t self, total;
};

static struct location *locations;
static struct function *functions;

static uint64_t
varint(const unsigned char **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift;
	while (shift += 7, *(*p)++ & 0x80);
	return v;
}

/* The next field: its number, and what it holds, or where. */
static unsigned
field(const unsigned char **p, uint64_t *value, const unsigned char **end)
{
	uint64_t tag = varint(p);

	*value = varint(p);
	*end = (tag & 7) == 2 ? *p + *value : NULL;
	return (unsigned)(tag >> 3);
}

static void
location_read(const unsigned char *p, const unsigned char *end)
{
	const unsigned char *inner;
	uint64_t id = 0, value, function;
	struct location l = { { 0 }, 0 };

	while (p < end) {
		unsigned number = field(&p, &value, &inner);

		if (number == 1)
			id = value;
		if (number == 4 && l.n < MOST_LINES && p < inner) {
			const unsigned char *line = p, *rest;

			(void)field(&line, &function, &rest);
			l.functions[l.n++] = (uint32_t)function;
		}
		p = inner ? inner : p;
	}
	locations[id] = l;
}

static void
function_read(const unsigned char *p, const unsigned char *end)
{
	const unsigned char *inner;
	uint64_t f[8] = { 0 }, value;

	while (p < end) {
		unsigned number = field(&p, &value, &inner);

		f[number & 7] = value;
	}
	functions[f[1]].name = f[2];
}

static void
sample_read(const unsigned char *p, const unsigned char *end, uint64_t serial)
{
	const unsigned char *stack = NULL, *stack_end = NULL, *inner;
	uint64_t value;
	int64_t cost = 0;
	int leaf = 1;
	uint32_t i;

	while (p < end) {
		unsigned number = field(&p, &value, &inner);

		if (number == 1) {
			stack = p;
			stack_end = inner;
		}
		while (number == 2 && p < inner)
			cost = (int64_t)varint(&p);
		p = inner ? inner : p;
	}
	while (stack < stack_end) {
		const struct location *l = &locations[varint(&stack)];

		for (i = 0; i < l->n; i++, leaf = 0) {
			struct function *f = &functions[l->functions[i]];

			f->self += leaf ? cost : 0;
			f->total += f->seen != serial ? cost : 0;
			f->seen = serial;
		}
	}
}

int
main(int argc, char **argv)
{
	gzFile file = argc == 2 ? gzopen(argv[1], "rb") : NULL;
	size_t n = 0, room = (size_t)1 << 20;
	unsigned char *bytes = malloc(room);
	const unsigned char *p, *end;
	uint64_t value, serial = 0;
	int got, pass;

	locations = calloc(MOST_IDS, sizeof *locations);
	functions = calloc(MOST_IDS, sizeof *functions);
	if (!file || !bytes || !locations || !functions)
		return 1;
	(void)gzbuffer(file, 1 << 18);
	while ((got = gzread(file, bytes + n, (unsigned)(room - n))) > 0) {
		n += (size_t)got;
		if (n == room && !(bytes = realloc(bytes, room += room / 2)))
			return 1;
	}
	for (pass = 0; pass < 2; pass++)
		for (p = bytes; p < bytes + n; p = end ? end : p) {
			unsigned number = field(&p, &value, &end);

			if (pass == 0 && number == 4)
				location_read(p, end);
			else if (pass == 0 && number == 5)
				function_read(p, end);
			else if (pass == 1 && number == 2)
				sample_read(p, end, ++serial);
		}
	for (value = 0, got = 0; value < MOST_IDS; value++)
		if (functions[value].total > functions[got].total)
			got = (int)value;
	printf("%llu samples, function %d: %lld, itself %lld\n", (unsigned long long)serial, got,
	       (long long)functions[got].total, (long long)functions[got].self);
	return 0;
}
