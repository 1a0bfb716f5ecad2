/*
 * In fuzzers the hash tables have a fixed seed, so that equal inputs take equal ways.
 */
#include "io/system.h"

uint64_t __wrap_pp_random_seed(void); /* in place of pp_random_seed(), by the linker */

uint64_t
__wrap_pp_random_seed(void)
{
	return 1;
}
