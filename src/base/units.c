/*
 * The one table of units.
 */
#include "base/units.h"

/* Of several symbols for one factor the first is the one that is written. */
static const struct pp_unit units[] = {
	{ "ns", PP_UNIT_TIME, PP_UNIT_SYMBOL, 1 },
	{ "nsec", PP_UNIT_TIME, PP_UNIT_SHORT, 1 },
	{ "nanoseconds", PP_UNIT_TIME, PP_UNIT_FULL, 1 },
	{ "10ns", PP_UNIT_TIME, PP_UNIT_CLOCK, 10 },
	{ "100ns", PP_UNIT_TIME, PP_UNIT_CLOCK, 100 },
	{ "us", PP_UNIT_TIME, PP_UNIT_SYMBOL, 1000 },
	{ "\xc2\xb5s", PP_UNIT_TIME, PP_UNIT_SYMBOL, 1000 },
	{ "\xce\xbcs", PP_UNIT_TIME, PP_UNIT_SYMBOL, 1000 },
	{ "usec", PP_UNIT_TIME, PP_UNIT_SHORT, 1000 },
	{ "microseconds", PP_UNIT_TIME, PP_UNIT_FULL, 1000 },
	{ "ms", PP_UNIT_TIME, PP_UNIT_SYMBOL, 1000000 },
	{ "msec", PP_UNIT_TIME, PP_UNIT_SHORT, 1000000 },
	{ "milliseconds", PP_UNIT_TIME, PP_UNIT_FULL, 1000000 },
	{ "s", PP_UNIT_TIME, PP_UNIT_SYMBOL, 1000000000 },
	{ "sec", PP_UNIT_TIME, PP_UNIT_SHORT, 1000000000 },
	{ "seconds", PP_UNIT_TIME, PP_UNIT_FULL, 1000000000 },
	{ "min", PP_UNIT_TIME, PP_UNIT_SYMBOL, 60000000000 },
	{ "h", PP_UNIT_TIME, PP_UNIT_SYMBOL, 3600000000000 },
	{ "bytes", PP_UNIT_BYTES, PP_UNIT_FULL, 1 },
	{ "byte", PP_UNIT_BYTES, PP_UNIT_FULL, 1 },
	{ "B", PP_UNIT_BYTES, PP_UNIT_SYMBOL, 1 },
	{ "kB", PP_UNIT_BYTES, PP_UNIT_SYMBOL, 1000 },
	{ "KB", PP_UNIT_BYTES, PP_UNIT_SYMBOL, 1000 },
	{ "MB", PP_UNIT_BYTES, PP_UNIT_SYMBOL, 1000000 },
	{ "GB", PP_UNIT_BYTES, PP_UNIT_SYMBOL, 1000000000 },
	{ "KiB", PP_UNIT_BYTES, PP_UNIT_SYMBOL, 1024 },
	{ "MiB", PP_UNIT_BYTES, PP_UNIT_SYMBOL, 1048576 },
	{ "GiB", PP_UNIT_BYTES, PP_UNIT_SYMBOL, 1073741824 },
};

const struct pp_unit *
pp_unit_find(enum pp_unit_of of, struct pp_slice word)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(units); i++)
		if (units[i].of == of && pp_slice_eq_z(word, units[i].word))
			return &units[i];
	return NULL;
}

const char *
pp_unit_symbol(enum pp_unit_of of, uint64_t factor)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(units); i++)
		if (units[i].of == of && units[i].factor == factor &&
		    (units[i].form == PP_UNIT_SYMBOL || units[i].form == PP_UNIT_CLOCK))
			return units[i].word;
	return NULL;
}
