/*
 * What `diff` and `gate` share: which profiles stand for before and after, which metric, which rules.
 */
#ifndef PP_COMPARE_H
#define PP_COMPARE_H

#include "analysis/diff.h"
#include "questions/question.h"

/* The first member of the parameters of both. */
struct pp_compared {
	struct pp_asked asked;
	struct pp_scope scope;
	struct pp_texts files; /* repeated runs: before and after, for who reads them */
	unsigned normalize;    /* enum pp_diff_norm */
	const char *noise;     /* percent; NULL = the usual */
};

extern const struct pp_param_group pp_params_compare;

/* Lives in the answer. */
struct pp_compare {
	struct pp_diff diff;
	struct pp_diff_input *input[2];
	size_t n[2];
};

/*
 * Compares the profiles of a subject. PP_OK, or a status with the reason said; nothing is said when the answer
 * `needs_stacks`: then the profiles have to be read again, not only for costs per function.
 */
pp_status pp_compare_make(struct pp_answer *, const struct pp_subject *, const struct pp_compared *,
                          struct pp_compare **out);

/* Whether two profiles have any metric of the same meaning, or one has none at all; PP_E_UNSUPPORTED with the reason said. */
pp_status pp_compare_possible(struct pp_answer *, const struct pp_profile *before,
                              const struct pp_profile *after);

/* One exact value, or the shortest text of a double when runs were averaged or scaled. */
size_t pp_compare_print(const struct pp_diff *, const struct pp_diff_value *, size_t side,
                        char out[PP_NUM_MAX]);
/* Whether any of a side was idle, which its whole lacks. */
bool pp_compare_idle(const struct pp_diff *, size_t side);
/* The whole of a side likewise, what was idle included. */
size_t pp_compare_print_total(const struct pp_diff *, size_t side, char out[PP_NUM_MAX]);
/* The same for after - before. */
size_t pp_compare_print_delta(const struct pp_diff *, const struct pp_diff_value *,
                              char out[PP_NUM_MAX]);
/* The word that `normalize` was given; NULL for none. */
const char *pp_compare_normalized(const struct pp_diff *);

/* Returns what to do for verdicts to be worth more: about times of one run each; NULL = nothing. */
const char *pp_compare_advice(const struct pp_diff *);

/* "metric" to "rule": what comes before the rows. */
void pp_compare_head(struct pp_answer *, const struct pp_diff *);

/* Some rows of a comparison: the first member of a table's data. */
struct pp_compare_rows {
	const struct pp_diff *diff;
	const size_t *shown; /* rows of the diff; NULL = all as they are */
	size_t n;
};

static inline const struct pp_diff_row *
pp_compare_row(const struct pp_compare_rows *rows, size_t row)
{
	return &rows->diff->rows.at[rows->shown ? rows->shown[row] : row];
}

/* The columns of such rows in JSON and CSV, and the function of a row. */
#define PP_COMPARE_COLUMNS 37
extern const struct pp_answer_column pp_compare_columns[PP_COMPARE_COLUMNS];
pp_func pp_compare_func(const void *data, size_t row, const struct pp_profile **);
/* "functions": [...] for JSON alone. */
void pp_compare_table(struct pp_answer *, const struct pp_compare_rows *);

#endif
