/*
 * The listing of functions that `top` and the summary share, and one function as all answers show it.
 */
#ifndef PP_RANKING_H
#define PP_RANKING_H

#include "model/flat.h"
#include "questions/question.h"

/* Lives in the answer that it is shown in. */
struct pp_ranking {
	struct pp_flat flat; /* sorted */
	unsigned sort;       /* enum pp_sort */
	size_t metric;       /* metrics.n when the profile has none */
	struct pp_metrics_beside beside;
	double *whole;   /* per metric */
	double bar_unit; /* what fills a whole bar */
	size_t empty;    /* rows that cost nothing and are not shown */
	unsigned by;     /* what the rows are: enum pp_group_by */
	const char *one, *many;
	const struct pp_handles *handles; /* that rows for people begin with; or NULL */
};

/*
 * Computes and sorts; rows below `min` of the whole are left out. PP_OK, or a status with the reason said. *out belongs
 * to the answer.
 */
pp_status pp_ranking_make(struct pp_answer *, const struct pp_profile *, const struct pp_ranked *,
                          unsigned by, double min, struct pp_ranking **out);
/* "functions": [...], with columns for people. `usual` rows are shown to people, or to all who do not ask for more. */
void pp_ranking_table(struct pp_answer *, struct pp_ranking *, size_t usual, bool to_all);
/* Says so when calls do not fit: then the largest number that does is shown. */
void pp_calls_note(struct pp_answer *, const struct pp_flat *);
/* Notes how to see a function that answers leave out. */
void pp_aside_note(struct pp_answer *, const struct pp_profile *, pp_func);
/* What a function is that is not written in its program's language: "xsub", "opcode", or NULL. */
const char *pp_flat_kind(const struct pp_flat *, size_t row);
/* "function": {...}: one row of a flat profile, for JSON. The flat profile must outlive the answer. */
void pp_flat_object(struct pp_answer *, const char *key, const struct pp_flat *, size_t row);

#endif
