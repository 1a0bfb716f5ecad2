/*
 * The default limits, and how a caller's own are completed by them.
 */
#include "base/limits.h"

static const struct pp_limits defaults = {
	.max_string = (uint64_t)1 << 30,
	.max_line = (uint64_t)4 << 30,
	.max_nodes = 4000000000u,
	.max_depth = 200000000u,
	.max_nesting = 1000,
	.max_filters = 8,
	/* Real profiles reach 200:1; the grace lets small files of one repeated byte pass. */
	.max_expansion = 1000,
	.expansion_grace = (uint64_t)256 << 20,
};

const struct pp_limits *
pp_limits_default(void)
{
	return &defaults;
}

#define TAKE(field) out.field = own->field ? own->field : defaults.field

struct pp_limits
pp_limits_complete(const struct pp_limits *own)
{
	struct pp_limits out = defaults;

	if (!own)
		return out;
	TAKE(max_memory);
	TAKE(max_string);
	TAKE(max_line);
	TAKE(max_nodes);
	TAKE(max_depth);
	TAKE(max_nesting);
	TAKE(max_filters);
	TAKE(max_expansion);
	TAKE(expansion_grace);
	return out;
}
