/*
 * The listing of functions that `top` and the summary share: computed, sorted, laid out.
 */
#ifndef PP_LISTING_H
#define PP_LISTING_H

#include "analysis/flat.h"
#include "cli/cli.h"

struct pp_listing {
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
int pp_listing_init(struct pp_listing *, struct pp_cli *, const struct pp_profile *);
void pp_listing_release(struct pp_listing *);

/* One line above the table: the metric, its total, how many functions. */
void pp_listing_heading(const struct pp_listing *, const struct pp_style *, struct pp_sink *);
void pp_listing_table(const struct pp_listing *, size_t rows, const struct pp_style *,
                      struct pp_sink *);
/* What the table leaves out, if anything. */
void pp_listing_footer(const struct pp_listing *, size_t rows, const struct pp_style *,
                       struct pp_sink *);
void pp_listing_csv(const struct pp_listing *, size_t rows, bool tame, struct pp_sink *);

#endif
