/*
 * What changed between two profiles, or two sets of repeated runs, function by function.
 *
 * A change is told from noise by a rule that fits how the numbers came about:
 *     exact      calls, instructions, bytes: every difference is real
 *     sampled    numbers of samples: twice the counting error, 2 * sqrt(before + after)
 *     measured   times of single runs: 5 % (by default) of the whole and of the function
 *     repeated   several runs: Welch's t for costs or shares, 95 % for all functions together,
 *                and at least 0.1 % of the whole
 */
#ifndef PP_DIFF_H
#define PP_DIFF_H

#include "analysis/identity.h"
#include "analysis/noise.h"

enum pp_diff_norm { PP_NORM_NONE, PP_NORM_TOTAL, PP_NORM_SAMPLES, PP_NORM_TIME };
enum pp_diff_status { PP_SAME, PP_NOISE, PP_GREW, PP_SHRANK, PP_NEW, PP_GONE };

/* One quantity before and after. `value` is after scaling, in the metric's canonical unit. */
struct pp_diff_value {
	double value[2];
	double
	    part[2]; /* what its share is: the value or, of a metric that falls, what it gained */
	double variance[2];                 /* of a single run; 0 with one run */
	double share[2], share_variance[2]; /* likewise of its parts of the wholes of the runs */
	union pp_value exact[2];            /* when the diff is exact */
	double limit;                       /* a change up to this is noise */
	enum pp_diff_status status;
};

struct pp_diff_row {
	const struct pp_profile *profile[2]; /* where func[] is looked up; NULL = not there */
	pp_func func[2];
	struct pp_diff_value self, total;
	double calls[2];
	bool uncounted[2]; /* some calls are not counted, so that no count is no 0 */
	size_t seen[2];    /* runs that have it */
	size_t last;       /* the last of them, counted from 1 over both sides */
};

struct pp_diff_options {
	enum pp_diff_norm normalize;
	double noise; /* share of the whole, for times of single runs */
};

struct pp_diff_group {
	uint32_t row; /* + 1 */
	uint32_t run; /* the last one, counted from 1, whose functions were found to be apart */
};

struct pp_diff {
	struct pp_identity identity;
	struct pp_diff_input
	    *input[2]; /* what is compared; functions that are the same are one in `united` */
	const struct pp_profile **given[2]; /* per run: what `input` was before that */
	size_t runs[2];
	struct pp_metric
	    metric;         /* in which `exact` values are; strings of the first profile before */
	bool exact;         /* single runs, not scaled: values are exact */
	bool has_calls;     /* on both sides */
	bool has_shares;    /* every run has a positive whole that its parts add up to */
	double per_whole;   /* 1 / whole of the run that is added; 0 = it has none */
	size_t added;       /* runs */
	double scale;       /* that `after` was multiplied by */
	double usual;       /* that makes most of `after` what it was before */
	double usual_share; /* likewise of the shares of repeated runs */
	struct pp_diff_options options;
	enum pp_diff_rule rule;
	struct pp_noise noise;       /* of single runs */
	bool steps[2];               /* it falls, and what it gained is known of every run */
	struct pp_noise usual_noise; /* the same when `after` is multiplied by `usual` */
	struct pp_diff_value whole;
	struct pp_diff_value idle; /* what was set aside, which the whole lacks */
	PP_VEC(struct pp_diff_row) rows;
	PP_VEC(struct pp_diff_group) groups; /* by group of the identity */
	double size[2]; /* sum of what the runs are normalised by, where that is not the metric */
	bool estimated; /* the stacks of a run are */
	uint32_t **keys[2]; /* per run: group by function */
	struct pp_profile *
	    *united[2];    /* per run: what `input` shows where functions became one; or NULL */
	bool needs_stacks; /* profiles of costs per function alone (PP_COSTS) do not do */
};

/*
 * Compares. The profiles must outlive the result. PP_E_UNSUPPORTED when they cannot be normalised that way; *problem says why. The same with
 * `needs_stacks` when they were read for costs per function alone and have to be read again, whole.
 */
pp_status pp_diff_compute(struct pp_diff *, const struct pp_diff_input *before, size_t befores,
                          const struct pp_diff_input *after, size_t afters,
                          const struct pp_diff_options *, struct pp_buf *problem);
void pp_diff_release(struct pp_diff *);

/*
 * The same, one run after the other: those before, then those after, each in its order. The first ones must outlive the
 * result; of the others those that `kept` says: the result refers to them. PP_E_UNSUPPORTED with `needs_stacks` when functions turn
 * out to be one, which takes all runs at once. Runs are several on a side at least.
 */
pp_status pp_diff_begin(struct pp_diff *, const struct pp_diff_input *before, size_t befores,
                        const struct pp_diff_input *after, size_t afters,
                        const struct pp_diff_options *);
pp_status pp_diff_add(struct pp_diff *, size_t side, const struct pp_diff_input *, bool *kept);
pp_status pp_diff_end(struct pp_diff *, struct pp_buf *problem);

enum pp_diff_sort { PP_DIFF_SELF, PP_DIFF_TOTAL, PP_DIFF_CALLS, PP_DIFF_NAME };

/* The largest change of self, total or calls first, ties by name; or all by name. */
void pp_diff_sort(struct pp_diff *, enum pp_diff_sort);

/* The function that a row shows: as it is after, or was before. */
const struct pp_func_row *pp_diff_func(const struct pp_diff_row *, const struct pp_profile **);

/* Whether it is known how often a row's functions were called on a side. */
static inline bool
pp_diff_counted(const struct pp_diff *d, const struct pp_diff_row *row, size_t side)
{
	return d->has_calls && (row->calls[side] > 0 || !row->uncounted[side]);
}

static inline double
pp_diff_delta(const struct pp_diff_value *v)
{
	return v->value[PP_AFTER] - v->value[PP_BEFORE];
}

/* What shares are of: the larger of both wholes, or of what was gained in all. */
double pp_diff_size(const struct pp_diff *);
/* How large a quantity is on its larger side: what it is, or what it gained before that was given back. */
double pp_diff_value_size(const struct pp_diff_value *);
/* The change of a quantity's part of the whole, of what was gained where it falls: -1 to 1. 0 when a whole is not positive. */
double pp_diff_share(const struct pp_diff *, const struct pp_diff_value *);
const char *pp_diff_status_name(enum pp_diff_status);
/* The rule in words: "a change of up to ... is noise". */
void pp_diff_explain(const struct pp_diff *, struct pp_buf *);

/*
 * Both trees as one profile with the metrics "before", "after" and "change" (the sum of what changed,
 * up or down, below a node). Single runs with stacks only: PP_E_UNSUPPORTED otherwise.
 */
pp_status pp_diff_union(const struct pp_diff *, bool with_change, struct pp_profile **out);

#endif
