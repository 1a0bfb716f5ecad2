/*
 * The flat profile: what each function costs itself, and with all it called.
 *
 * Total counts outermost activations only, so no function exceeds the whole. Functions are told apart
 * by identity (name, file, line, column, module).
 */
#ifndef PP_FLAT_H
#define PP_FLAT_H

#include "model/profile.h"

struct pp_flat {
	const struct pp_profile *profile;
	size_t n;
	size_t metrics;
	bool has_calls;
	bool uncounted; /* some calls are not counted, so that no count is no 0 */
	pp_func *func;
	uint64_t *calls;
	union pp_value *self; /* [row * metrics + metric]; NULL where they are sparse */
	union pp_value *total;
	/* With more than PP_FEW_COLUMNS metrics: struct pp_cost_pair by place[row] and metric. */
	struct pp_wide *wide;
	uint32_t *place;
	struct pp_gather adding; /* the same while it is computed */
	union pp_value *whole;   /* [metric]: the sum over the profile */
	/*
	 * Per row the number of the call cycle it belongs to, from 1, 0 = none; NULL when the source is
	 * not a call graph. In a cycle of a call graph nobody knows who caused what: a member's total is
	 * its own cost and that of calls that leave the cycle, and the members' totals add up to the
	 * cycle's.
	 */
	uint32_t *cycle;
	uint32_t cycles;
	/* Per row what the file states beyond costs; function 0 = nothing. NULL where it states nothing at all. */
	struct pp_fact_row *fact;
};

/* What a row costs of one metric. */
static inline struct pp_cost_pair
pp_flat_get(const struct pp_flat *f, size_t row, size_t metric)
{
	const struct pp_cost_pair *pair;

	if (PP_LIKELY(!f->wide))
		return (struct pp_cost_pair){ f->self[row * f->metrics + metric],
			                      f->total[row * f->metrics + metric] };
	pair = pp_wide_find(f->wide, f->place[row], (uint32_t)metric);
	return pair ? *pair : (struct pp_cost_pair){ 0 };
}

/*
 * Whether it is known how often the function of a row was called. It is not if no counted call leads to it and calls
 * may be uncounted: in some of the stacks, or from outside of a call graph.
 */
static inline bool
pp_flat_calls_known(const struct pp_flat *f, size_t row)
{
	return f->has_calls && (f->calls[row] || !f->uncounted);
}

/* By what was gained is by own cost, where the metric does not fall. */
enum pp_sort {
	PP_SORT_SELF,
	PP_SORT_TOTAL,
	PP_SORT_CALLS,
	PP_SORT_NAME,
	PP_SORT_GAINED,
	PP_SORT_FLAT, /* other words for the first two */
	PP_SORT_CUM,
	PP_SORT_SHOWN /* by own cost, and by total where there is none */
};

/* Computes all rows, in no particular order; PP_E_UNSUPPORTED when the profile holds no cost at all. */
pp_status pp_flat_compute(const struct pp_profile *, struct pp_flat *);
/* How many rows that would give, which are the functions of the profile; false when out of memory. */
bool pp_functions_count(const struct pp_profile *, uint64_t *functions);
void pp_flat_release(struct pp_flat *);
/* Leaves out the rows whose flag is not set. */
void pp_flat_keep(struct pp_flat *, const bool *stays);
/* What a row gained of a metric that falls, itself and with all it called; of others, what it costs. */
struct pp_cost_pair pp_flat_gained(const struct pp_flat *, size_t row, size_t metric);
/* What shares of a metric are of: the whole or, where it falls, all that was gained. */
union pp_value pp_flat_whole(const struct pp_flat *, size_t metric);
/* Reorders rows by row numbers that are `stride` bytes apart. Returns false if out of memory. */
bool pp_flat_reorder(struct pp_flat *, const uint32_t *rows, size_t stride);
/* Sorts descending (names ascending); ties by name, file, line. False when out of memory. */
bool pp_flat_sort(struct pp_flat *, enum pp_sort, size_t metric);

#endif
