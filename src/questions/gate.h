/*
 * Limits on what changed between two profiles.
 */
#ifndef PP_GATE_H
#define PP_GATE_H

#include "questions/compare.h"
#include "questions/gate_rule.h"

struct pp_gate_params {
	struct pp_compared compared;
	struct pp_texts limits;
};

extern const struct pp_param_group pp_params_limits;

/* What became of one limit. */
struct pp_gate_outcome {
	struct pp_gate_rule rule;
	size_t matched;
	bool failed;
	PP_VEC(size_t) rows; /* that exceed it, largest first */
};

/* Lives in the answer. */
struct pp_gate {
	const struct pp_diff *diff;
	struct pp_gate_outcome *outcomes;
	size_t n;
	size_t failed;
	struct pp_slice unit;
};

/* Compares and tests, for those who print it their own way. PP_OK, or a status with the reason said. */
pp_status pp_gate_make(struct pp_answer *, const struct pp_subject *, const struct pp_gate_params *,
                       const struct pp_gate **out);
/* "12 ms before, 15 ms after (+25.0 %)": of a row, or of the whole (NULL). */
void pp_gate_describe(const struct pp_gate *, const struct pp_gate_outcome *,
                      const struct pp_diff_row *, struct pp_buf *);
void pp_gate_name(const struct pp_diff_row *, struct pp_slice *name);

#endif
