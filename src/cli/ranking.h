/*
 * The listing of functions that `top` and the summary share: computed, sorted, laid out.
 */
#ifndef PP_RANKING_H
#define PP_RANKING_H

#include "analysis/flat.h"
#include "cli/cli.h"

struct pp_ranking {
	struct pp_flat flat; /* sorted */
	enum pp_sort sort;
	size_t metric;          /* metrics.n when the profile has none */
	double *whole;          /* per metric */
	bool grouped;           /* by something else than functions */
	const char *one, *many; /* what the rows are: "function", "functions" */
};

/*
 * Computes and sorts by what -m and --sort say. Returns 0, or an exit code after saying why. Release it
 * in both cases; the profile must outlive it.
 */
int pp_ranking_init(struct pp_ranking *, struct pp_cli *, const struct pp_profile *);
void pp_ranking_release(struct pp_ranking *);

/* One line above the table: the metric, its total, how many functions. */
void pp_ranking_heading(const struct pp_ranking *, const struct pp_style *, struct pp_sink *);
void pp_ranking_table(const struct pp_ranking *, size_t rows, const struct pp_style *,
                      struct pp_sink *);
/* What the table leaves out, if anything. */
void pp_ranking_footer(const struct pp_ranking *, size_t rows, const struct pp_style *,
                       struct pp_sink *);
void pp_ranking_csv(const struct pp_ranking *, size_t rows, bool tame, struct pp_sink *);

#endif
