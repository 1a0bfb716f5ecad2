/*
 * Profiles divided by series, so that what is known of a series (a thread, a label) selects costs in every facet: stacks,
 * calls, lines, and the costs of functions that a file states.
 */
#ifndef PP_DIVIDE_H
#define PP_DIVIDE_H

#include "model/profile.h"

/* A series of which nothing is known. */
#define PP_SERIES_PLAIN ((struct pp_series){ .pid = -1, .tid = -1, .cpu = -1 })

/* Gives a profile that is just built a series if it has none; false when out of memory. */
bool pp_series_ensure(struct pp_profile *);
/* The same of a finished profile: *out is NULL if it has a series. */
pp_status pp_series_ensured(const struct pp_profile *, struct pp_profile **out);

/* Returns the file's own total of a metric: both costs of function 0. */
struct pp_cost_pair pp_costs_whole(const struct pp_profile *, size_t metric);
/* Keeps the costs of some series, which get other numbers. For derived profiles with PP_COLUMN_COSTS of their own. */
void pp_costs_choose(struct pp_profile *, const bool *stays, const uint32_t *number);
/* The same profile with one row of costs per function, in order of their ids; *out is NULL if it is so. */
pp_status pp_costs_united(const struct pp_profile *, struct pp_profile **out);

/* Derives the part of a profile without stacks that belongs to one series. */
pp_status pp_series_alone(const struct pp_profile *, uint32_t series, struct pp_profile **out);

#endif
