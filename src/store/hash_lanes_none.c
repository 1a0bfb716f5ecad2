/*
 * Where no registers are known to be wide enough: see hash_lanes.h.
 */
#include "store/hash_lanes.h"

pp_lanes_mix *
pp_lanes_mixer(size_t nth)
{
	(void)nth;
	return NULL;
}
