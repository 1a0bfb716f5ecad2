/*
 * libFuzzer target of the extracts of a store (store/extract.h): what is read of any bytes can be asked, and told again.
 */
#include <stdlib.h>

#include "exercise.h"
#include "store/extract.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const struct exercise e = { .draws = size % 16 == 0 };
	struct pp_profile *p = NULL, *again = NULL;
	struct pp_buf bytes = { 0 };
	uint64_t input;

	if (pp_extract_read(pp_slice_of(data, size), &input, &p) == PP_OK) {
		exercise_ask(&e, p);
		/* What was read can be an extract: it is the same again, or there is none. */
		if (pp_extract_make(p, UINT64_MAX, UINT64_MAX, &bytes) == PP_OK &&
		    pp_extract_read(pp_slice_of(bytes.p, bytes.n), &input, &again) != PP_OK)
			abort();
	}
	pp_profile_free(again);
	pp_profile_free(p);
	pp_buf_release(&bytes);
	return 0;
}
