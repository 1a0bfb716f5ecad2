/*
 * What became of limits: the verdict of `gate`, for whoever prints it.
 */
#ifndef PP_GATE_H
#define PP_GATE_H

#include "questions/gate_rule.h"
#include "base/vec.h"

/* What became of one limit. */
struct pp_gate_outcome {
	struct pp_gate_rule rule;
	size_t matched;
	bool failed;
	PP_VEC(size_t) rows; /* that exceed it, largest first */
};

struct pp_gate {
	const struct pp_diff *diff;
	struct pp_gate_outcome *outcomes;
	size_t n;
	size_t failed;
	struct pp_slice unit;
	const char *file;      /* that stands for "after"; or NULL */
	const char *directory; /* to which the paths of files are shown, from the root; or NULL */
};

/* "12 ms before, 15 ms after (+25.0%)": of a function, or the whole (NULL). */
void pp_gate_describe(const struct pp_gate *, const struct pp_gate_outcome *,
                      const struct pp_diff_row *, struct pp_buf *);
/* What a function is called, and where it is: no bytes, line 0 = unknown. */
struct pp_slice pp_gate_name(const struct pp_diff_row *);
struct pp_slice pp_gate_place(const struct pp_gate *, const struct pp_diff_row *, uint32_t *line);
/* A path as it is seen from the directory. */
struct pp_slice pp_gate_path(const struct pp_gate *, struct pp_slice path);

/* The forms in which machines, and people who review, read it. */
enum pp_gate_form {
	PP_GATE_TEXT,
	PP_GATE_JSON,
	PP_GATE_MARKDOWN,
	PP_GATE_JUNIT,
	PP_GATE_GITHUB, /* commands of a workflow of GitHub */
	PP_GATE_SARIF   /* 2.1.0 */
};

#endif
