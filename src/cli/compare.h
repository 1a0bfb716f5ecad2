/*
 * What `diff` and `gate` share: which files stand for before and after, which metric, which rules.
 */
#ifndef PP_COMPARE_H
#define PP_COMPARE_H

#include "analysis/diff.h"
#include "cli/load.h"

struct pp_compare {
	struct pp_diff diff;
	struct pp_profile *
	    *loaded[2]; /* what `input` points at; a differential profile is both sides */
	struct pp_diff_input *input[2];
	size_t n[2];
	struct pp_load_order order;
};

extern const struct pp_param_group pp_group_compare;

/* Loads, with whole `stacks` if they are needed, and compares. Returns 0, or an exit code after saying why. Release it in both cases. */
int pp_compare_run(struct pp_cli *, bool stacks, struct pp_compare *);
void pp_compare_release(struct pp_compare *);

/* One exact value, or the shortest text of a double when runs were averaged or scaled. */
size_t pp_compare_print(const struct pp_diff *, const struct pp_diff_value *, size_t side,
                        char out[PP_NUM_MAX]);
/* The same for after - before. */
size_t pp_compare_print_delta(const struct pp_diff *, const struct pp_diff_value *,
                              char out[PP_NUM_MAX]);
/* Whether a profile's stacks are an estimate. */
bool pp_compare_estimated(const struct pp_diff *);
/* The word that --normalize was given; NULL for none. */
const char *pp_compare_normalized(const struct pp_diff *);

struct pp_json;
/* One row of `diff --json`. */
void pp_compare_json_row(struct pp_json *, const struct pp_diff *, const struct pp_diff_row *);
/* "metric" to "rule": what comes before the rows, into the caller's object. */
void pp_compare_json_head(struct pp_json *, const struct pp_diff *);

#endif
