/*
 * Calls and returns of a series as they happened, for who writes them: balanced, the innermost closed first, time never going back.
 */
#ifndef PP_KIT_REPLAY_H
#define PP_KIT_REPLAY_H

#include "model/profile.h"

struct pp_replay {
	const struct pp_profile *profile;
	const struct pp_series *series;
	size_t metric;
	/* A node is entered or left; NULL = only the ends are of interest. Times are values of the metric. */
	void (*step)(void *ctx, pp_node, union pp_value at, bool enters);
	void *ctx;
	union pp_value first, last; /* of all times */
	bool
	    resumed; /* a node was entered without a call: what went on there had been called before */
};

/* Whether a metric of a series can be replayed: it only grows, and its states are known. */
bool pp_replay_can(const struct pp_profile *, const struct pp_series *, size_t metric);
/* False when out of memory. */
bool pp_replay_run(struct pp_replay *);
/*
 * Whether the samples in the timeline of a series add up to its costs: windows of time may have only a part of them. Sets
 * *fine to false when out of memory.
 */
bool pp_samples_add_up(const struct pp_profile *, const struct pp_series *, size_t metric,
                       bool *fine);

#endif
