/*
 * libFuzzer target of one reader, the one that POLYPROF_FUZZ_FORMAT names. Without it containers and recognition are
 * fuzzed as well.
 */
#include <stdlib.h>

#include "exercise.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const char *format = getenv("POLYPROF_FUZZ_FORMAT");
	struct exercise e = { .format = format && *format ? format : NULL,
		              .data = data,
		              .size = size,
		              .draws = size % 16 == 0 };

	exercise_run(&e);
	return 0;
}
