/*
 * Profiles derived from profiles. A profile never changes once it is built; what a filter, a group or an estimate
 * makes of it is another profile that has some columns of its own and shares the rest.
 *
 *     pp_derive_init()    starts one: which columns are copied, which start empty; all others are shared
 *     ...                 fills the columns that are its own, through `to`
 *     pp_derive_finish()  hands it over; from here on it does not change either
 *
 * The base must outlive what was derived from it, unless pp_profile_adopt() hands its columns on.
 */
#ifndef PP_DERIVE_H
#define PP_DERIVE_H

#include "model/profile.h"

/* Columns that are shared or owned together. */
enum {
	PP_COLUMN_STRINGS = 1 << 0,
	PP_COLUMN_MODULES = 1 << 1,
	PP_COLUMN_FUNCS = 1 << 2,
	PP_COLUMN_FRAMES = 1 << 3,
	PP_COLUMN_METRICS = 1 << 4,
	PP_COLUMN_META = 1 << 5,
	PP_COLUMN_TREE = 1 << 6,
	PP_COLUMN_SERIES = 1 << 7, /* the list of series */
	PP_COLUMN_ROWS = 1 << 8,   /* and what they hold: needs a list of its own */
	PP_COLUMN_TIMES = 1 << 9,  /* and their timelines: likewise */
	PP_COLUMN_CALLS = 1 << 10,
	PP_COLUMN_LINES = 1 << 11,
	PP_COLUMN_COSTS = 1 << 12,
	PP_COLUMN_SOURCES = 1 << 13,
	PP_COLUMN_KEPT = 1 << 14,
	PP_COLUMN_NOT_OWN = 1 << 15,
	PP_COLUMN_DERIVED = 1 << 16, /* what only derived profiles have */
	PP_COLUMN_LABELS = 1 << 17,
	PP_COLUMNS = (1 << 18) - 1
};

/* A derived profile under construction. */
struct pp_derive {
	const struct pp_profile *from;
	struct pp_profile *to; /* only columns that are its own may be changed */
};

/* Starts one; false when out of memory (then there is nothing to finish). */
bool pp_derive_init(struct pp_derive *, const struct pp_profile *from, unsigned copied,
                    unsigned emptied);
/*
 * Makes further columns its own, as they are. Not for trees, timelines and what is kept: these are shared or
 * made anew. False when out of memory.
 */
bool pp_derive_copy(struct pp_derive *, unsigned columns);
/* Makes further columns its own, without anything in them. False when out of memory. */
bool pp_derive_empty(struct pp_derive *, unsigned columns);
/*
 * Shares strings and columns that are arrays with another profile than its base, which must outlive it as well. None of them
 * may be its own.
 */
void pp_derive_borrow(struct pp_derive *, const struct pp_profile *, unsigned columns);
/* Nothing is known of the file any more that it came from, but for its format and whether it was complete. */
void pp_derive_forget_origin(struct pp_derive *);
/* Appends a function that stands for others; 0 when out of memory. Needs strings and functions of its own. */
pp_func pp_derive_func(struct pp_derive *, struct pp_slice name, pp_str file, uint32_t line);
/* Hands the profile over, or frees it unless `status` is PP_OK. Returns `status`. */
pp_status pp_derive_finish(struct pp_derive *, pp_status status, struct pp_profile **out);

/*
 * The same profile with what a metric gained at least, where it falls and no steps are known: what is left of each stack
 * that has some. Nobody gained less than those that they called, as with steps (pp_metric_of_shares()); but nobody
 * says that it is what was gained (pp_metric_gained()). *out is NULL where there is nothing to add.
 */
pp_status pp_gains_least(const struct pp_profile *, size_t metric, struct pp_profile **out);
/* The same profile without the metrics of what others gained, for those who list metrics as the file has them. */
pp_status pp_gains_drop(const struct pp_profile *, struct pp_profile **out);

/*
 * The same profile with costs that may be below 0, and with all of them below 0 if `negate`: what merging it with another
 * one subtracts. PP_E_LIMIT when a cost does not fit.
 */
pp_status pp_profile_turn(const struct pp_profile *, bool negate, struct pp_profile **out);

/*
 * Makes a derived profile independent of its base: it takes over what it shares with `base`, and the rest of
 * `base` is freed. Nobody else may use `base`; what that one shares in turn stays shared.
 */
void pp_profile_adopt(struct pp_profile *, struct pp_profile *base);

#endif
