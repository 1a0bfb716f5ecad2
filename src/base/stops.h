/*
 * Loops that may go on for long ask now and then whether they are still wanted.
 */
#ifndef PP_STOPS_H
#define PP_STOPS_H

#include "base/common.h"

/* pp_account_stops() in a loop of small steps, by their number. */
static inline bool
pp_account_stops_at(size_t step)
{
	return PP_UNLIKELY((step & 16383) == 16383) && pp_account_stops();
}

#endif
