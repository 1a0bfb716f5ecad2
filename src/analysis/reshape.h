/*
 * Profiles made from profiles, for pictures: stacks by name only, stacks upside down, two as one.
 */
#ifndef PP_RESHAPE_H
#define PP_RESHAPE_H

#include "model/profile.h"

/* True when no two frames of the tree show the same name: then pp_reshape_names() would change nothing. */
bool pp_reshape_is_by_name(const struct pp_profile *, bool *out_of_memory);

/*
 * Stacks from their leaves. Deep ones have nearly as many different ends as they have frames, each a stack of its own; so
 * only as many callers of each leaf are kept as fit, and those beyond become one sum.
 */
struct pp_reversal {
	uint32_t levels; /* kept; 0 = all */
};

/*
 * One metric of a profile with stacks told apart by names alone, root first or, unless `reverse` is NULL, leaf
 * first. PP_E_LIMIT when a sum exceeds 64 bits.
 */
pp_status pp_reshape_names(const struct pp_profile *, size_t metric, struct pp_reversal *reverse,
                           struct pp_profile **out);

/*
 * Two profiles as one with the metrics "before" and "after", stacks told apart by names. Metrics that count the same in
 * different steps count whole units, or doubles where one of them tells parts of a unit; PP_E_USAGE when the units
 * differ.
 */
pp_status pp_reshape_union(const struct pp_profile *before, size_t before_metric,
                           const struct pp_profile *after, size_t after_metric,
                           struct pp_reversal *reverse, struct pp_profile **out);

/*
 * The profile with a metric's own costs multiplied, each rounded to the nearest the metric can tell; it shares the
 * rest. PP_E_LIMIT when one exceeds 64 bits.
 */
pp_status pp_reshape_scale(const struct pp_profile *, size_t metric, double factor,
                           struct pp_profile **out);

/* ---- the parts, for those who put profiles together themselves ---- */

struct pp_builder;

/* How a metric of a profile is taken over into another one. */
struct pp_taking {
	const struct pp_profile *profile;
	size_t metric;
	bool plain;    /* as whole units, or parts of them where `real` */
	bool real;     /* as doubles */
	double factor; /* to the unit; with `to` and `real`: that costs are multiplied by */
	const struct pp_metric *to; /* as cells of this one, times `mul`; or NULL */
	int64_t mul;
	struct pp_reversal *reverse; /* stacks leaf first; or NULL */
};

/* Starts a profile of stacks out of one or two; false when out of memory. */
bool pp_taking_start(struct pp_builder *, const struct pp_taking *sides, size_t n);
/* The metric that cells become, under a new name if given. */
void pp_taking_metric(struct pp_builder *, const struct pp_taking *, const char *name,
                      unsigned flags);
/*
 * Adds a metric of a profile as metric `to` of series 0; `frames` has the new frame of each. False when a sum passes
 * 64 bits, or on failure.
 */
bool pp_taking_add(struct pp_builder *, uint32_t to, const struct pp_taking *,
                   const pp_frame *frames);
pp_status pp_taking_finish(struct pp_builder *, bool fits, struct pp_profile **out);

#endif
