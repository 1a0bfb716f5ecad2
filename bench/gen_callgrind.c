/*
 * Writes a callgrind profile of about the given size to standard output: gen_callgrind MB
 *
 * Functions of a large program, each with some lines of its own and calls into the next layers, with ids for names
 * and relative positions as callgrind writes them. Costs of calls are what the callee costs, so that totals agree.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LAYERS 24

static uint64_t written, random_state = 1;

static unsigned
draw(unsigned below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % below;
}

static void
name_put(const char *key, unsigned number, unsigned char *known, const char *text)
{
	int n = known[number] ? printf("%s=(%u)\n", key, number)
	                      : printf("%s=(%u) %s%u\n", key, number, text, number);

	known[number] = 1;
	written += (uint64_t)n;
}

int
main(int argc, char **argv)
{
	double size = argc > 1 ? atof(argv[1]) * 1e6 : 1e6;
	unsigned funcs = (unsigned)(size / 5000) + LAYERS * 4, layer = funcs / LAYERS, f, i;
	unsigned char *known = calloc(funcs + 1, 1), *files = calloc(funcs + 1, 1);
	uint64_t *total = calloc(funcs + 1, sizeof *total);

	if (!known || !files || !total)
		return 1;
	printf(
	    "# callgrind format\nversion: 1\ncreator: gen_callgrind\npositions: line\nevents: Ir Dr Dw\n\n");
	/* The last layer first: what a call costs is known when it is written. */
	for (f = funcs; f-- > 0;) {
		unsigned lines = 40 + draw(240), calls = f + layer < funcs ? 4 + draw(24) : 0;

		name_put("fl", f / 20 + 1, files, "/srv/app/src/module/file_");
		name_put("fn", f + 1, known, "app::module::function_number_");
		for (i = 0; i < lines; i++) {
			unsigned cost = 1 + draw(5000);

			total[f] += cost;
			written += (uint64_t)printf("+%u %u %u %u\n", 1 + draw(3), cost, cost / 3,
			                            cost / 7);
		}
		for (i = 0; i < calls; i++) {
			unsigned callee = f + layer + draw(layer), count = 1 + draw(9);
			uint64_t cost;

			if (callee >= funcs)
				continue;
			cost = total[callee] / 16 + 1;
			total[f] += cost;
			name_put("cfi", callee / 20 + 1, files, "/srv/app/src/module/file_");
			name_put("cfn", callee + 1, known, "app::module::function_number_");
			written += (uint64_t)printf("calls=%u +%u\n+1 %llu %llu %llu\n", count,
			                            draw(50), (unsigned long long)cost,
			                            (unsigned long long)cost / 3,
			                            (unsigned long long)cost / 7);
		}
		written += (uint64_t)printf("\n");
	}
	free(known);
	free(files);
	free(total);
	return 0;
}
