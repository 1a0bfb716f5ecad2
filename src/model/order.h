/*
 * What is to be made of what a reader reports: the one place where a question reaches the builder. A reader
 * looks at `facets` only to leave out parsing what nobody ordered.
 */
#ifndef PP_ORDER_H
#define PP_ORDER_H

#include "model/filter.h"

/* Names that matter: stacks without any may be added up as cost without a stack. */
struct pp_keep {
	bool (*name)(void *ctx, const char *name, size_t n);
	void *ctx;
};

struct pp_order {
	unsigned facets; /* PP_TREE | ...: what will be asked for */
	/*
	 * Stacks may be filtered as they come; profile->costs.filtered then says that they were. It is simple
	 * (pp_filter_is_simple), or NULL.
	 */
	const struct pp_filter *filter;
	const struct pp_keep *keep; /* or NULL */
	double
	    min_share; /* subtrees below this share of the whole may be summed up; 0 = keep all */
};

static inline bool
pp_keep_name(const struct pp_keep *keep, struct pp_slice name)
{
	return keep->name(keep->ctx, (const char *)name.p, name.n);
}

#endif
