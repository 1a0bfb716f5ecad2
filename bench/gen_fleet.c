/*
 * Profiles of a fleet as folded stacks: 20,000 functions, a million different stacks of 26 frames that part early, 1,000 of
 * them in each file.  gen_fleet DIRECTORY FILES FIRST  makes FIRST.folded and so on; each thousand has all stacks once.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACKS = 1000000, FILES = 1000, DEPTH = 26, PARTED = 15, FUNCTIONS = 20000 };

static uint32_t
mixed(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 29) * 0xd6e8feb86659fd93u;
	return (uint32_t)(x >> 32);
}

/* Above PARTED frames stacks whose numbers begin alike are the same. */
static unsigned
function_of(uint32_t stack, unsigned depth)
{
	unsigned shift = depth < PARTED ? 20 - 20 * depth / PARTED : 0;

	return mixed((uint64_t)(stack >> shift) << 8 | depth) % FUNCTIONS;
}

int
main(int argc, char **argv)
{
	unsigned files = argc > 2 ? (unsigned)atoi(argv[2]) : 0,
	         first = argc > 3 ? (unsigned)atoi(argv[3]) : 0, i;

	for (i = first; i < first + files; i++) {
		char path[4096];
		uint32_t stack;
		FILE *out;

		snprintf(path, sizeof path, "%s/%06u.folded", argv[1], i);
		out = fopen(path, "w");
		if (!out)
			return 1;
		for (stack = i % FILES; stack < STACKS; stack += FILES) {
			unsigned depth;

			for (depth = 0; depth < DEPTH; depth++)
				fprintf(out, "%sfleet::f%05u", depth ? ";" : "",
				        function_of(stack, depth));
			fprintf(out, " %u\n", 1 + mixed((uint64_t)i << 32 | stack) % 20);
		}
		if (fclose(out))
			return 1;
	}
	return 0;
}
