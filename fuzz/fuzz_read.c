/*
 * libFuzzer target of one reader: built once per format with -DFORMAT="name", and once without, when
 * containers and recognition are fuzzed as well.
 */
#include "exercise.h"

#ifndef FORMAT
#define FORMAT NULL
#endif

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct exercise e = {
		.format = FORMAT, .data = data, .size = size, .draws = size % 16 == 0
	};

	exercise_run(&e);
	return 0;
}
