/*
 * A large pprof profile, as Go writes it: gen_pprof SAMPLES | gzip -1. Types, samples, one mapping, locations, functions, strings last. 20,000
 * functions with three locations each, every fifth with another function inlined; stacks of 13 to 39 locations that share their first
 * frames and differ below.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 20000u
#define LOCATIONS (3 * FUNCTIONS)

struct bytes {
	unsigned char at[4096];
	size_t n;
};

static uint64_t state = 0x2545f4914f6cdd1du;

static uint64_t
next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void
put(struct bytes *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		b->at[b->n++] = (unsigned char)(v | 128);
	b->at[b->n++] = (unsigned char)v;
}

static void
put_number(struct bytes *b, unsigned field, uint64_t v)
{
	put(b, field << 3);
	put(b, v);
}

static void
put_bytes(struct bytes *b, unsigned field, const void *bytes, size_t n)
{
	put(b, field << 3 | 2);
	put(b, n);
	memcpy(b->at + b->n, bytes, n);
	b->n += n;
}

static void
write_field(unsigned field, const void *bytes, size_t n)
{
	struct bytes head = { .n = 0 };

	put(&head, field << 3 | 2);
	put(&head, n);
	fwrite(head.at, 1, head.n, stdout);
	fwrite(bytes, 1, n, stdout);
}

static void
write_sample(void)
{
	struct bytes stack = { .n = 0 }, values = { .n = 0 }, sample = { .n = 0 };
	unsigned depth = 13 + (unsigned)(next_random() % 27), i;
	uint64_t at = 1, ids[40], count = 1 + next_random() % 3;

	for (i = 0; i < depth; i++) {
		at = (at * 31 +
		      next_random() % (i < 3   ? 2
		                       : i < 8 ? 3
		                               : 6) +
		      1) *
		     0x9e3779b97f4a7c15u;
		ids[i] = 1 + (at >> 20) % LOCATIONS;
	}
	while (i-- > 0)
		put(&stack, ids[i]);
	put(&values, count);
	put(&values, count * 10000000);
	put_bytes(&sample, 1, stack.at, stack.n);
	put_bytes(&sample, 2, values.at, values.n);
	write_field(2, sample.at, sample.n);
}

static void
write_tables(void)
{
	unsigned i, k;

	for (i = 1; i <= LOCATIONS; i++) {
		struct bytes location = { .n = 0 };

		put_number(&location, 1, i);
		put_number(&location, 2, 1);
		put_number(&location, 3, 0x400000 + 16 * i);
		for (k = i % 5 == 0 ? 2 : 1; k-- > 0;) {
			struct bytes line = { .n = 0 };

			put_number(&line, 1, 1 + (k ? i * 7 % FUNCTIONS : (i - 1) / 3));
			put_number(&line, 2, 1 + i % 500);
			put_bytes(&location, 4, line.at, line.n);
		}
		write_field(4, location.at, location.n);
	}
	for (i = 1; i <= FUNCTIONS; i++) {
		struct bytes function = { .n = 0 };

		put_number(&function, 1, i);
		put_number(&function, 2, 5 + i);
		put_number(&function, 4, 5);
		put_number(&function, 5, 1 + i % 900);
		write_field(5, function.at, function.n);
	}
}

int
main(int argc, char **argv)
{
	static const char *const words[] = { "",    "samples",     "count",
		                             "cpu", "nanoseconds", "/bakery/oven.go" };
	long samples = argc > 1 ? atol(argv[1]) : 100000;
	unsigned i;

	write_field(1, "\x08\x01\x10\x02", 4);
	write_field(1, "\x08\x03\x10\x04", 4);
	while (samples-- > 0)
		write_sample();
	write_field(3, "\x08\x01\x28\x05\x38\x01", 6);
	write_tables();
	for (i = 0; i < sizeof words / sizeof *words; i++)
		write_field(6, words[i], strlen(words[i]));
	for (i = 1; i <= FUNCTIONS; i++) {
		char name[64];
		int n = snprintf(name, sizeof name, "example.org/bakery%u.(*Oven).Step%u", i % 300,
		                 i);

		write_field(6, name, (size_t)n);
	}
	return 0;
}
