/*
 * Files packed by xz: not unpacked here.
 */
#include "io/unxz.h"

bool
pp_unxz_is_built(void)
{
	return false;
}

bool
pp_unxz(struct pp_slice packed, size_t most, struct pp_buf *out)
{
	return false;
}
