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

/*
 * For steps of a few instructions, which shall not ask at all: how far a loop over at .. end goes before it asks again;
 * `at` when it is at its end or stops.
 */
static inline size_t
pp_stretch(size_t at, size_t end)
{
	if (at >= end || (at && pp_account_stops()))
		return at;
	return end - at < 16384 ? end : at + 16384;
}

#endif
