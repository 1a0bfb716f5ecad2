/*
 * A view: a profile, and what was asked to be seen of it. The profile itself never changes; each step (a filter, a
 * group, an estimate) makes another profile that shares what it can with the one before. Steps follow each other in
 * any order, and only the last one's profile is held beside the base.
 *
 * Any number of views may look at one profile at the same time, each in its own thread.
 */
#ifndef PP_VIEW_H
#define PP_VIEW_H

#include "analysis/demangle.h"
#include "analysis/estimate.h"
#include "analysis/filter.h"
#include "analysis/group.h"
#include "analysis/set_aside.h"

struct pp_view {
	const struct pp_profile *base;  /* what was read; NULL when the view has taken it over */
	const struct pp_profile *shown; /* what there is to see: questions are asked of this */
	struct pp_profile *own;      /* the same when it is the view's; NULL while it is the base */
	bool estimated;              /* stacks were, in a step of this view */
	struct pp_estimate estimate; /* and how far they can be trusted */
	bool filtered;               /* something may have been left out */
};

/* Looks at a profile, which must outlive the view. */
void pp_view_init(struct pp_view *, const struct pp_profile *base);
/* The same of a profile that is the view's from here on: what no step needs any more is freed early. */
void pp_view_init_owned(struct pp_view *, struct pp_profile *base);
void pp_view_release(struct pp_view *);
/* Hands over what an owning view shows; nothing is left in it. */
struct pp_profile *pp_view_take(struct pp_view *);

/* Each step leaves the view as it was when it fails. */

/* See pp_filter_derive(). */
pp_status pp_view_filter(struct pp_view *, const struct pp_filter *, struct pp_buf *problem);
/* See pp_group_derive(). */
pp_status pp_view_group(struct pp_view *, enum pp_group_by, struct pp_slice label,
                        struct pp_buf *problem);
/* See pp_root_derive(). */
pp_status pp_view_root(struct pp_view *, enum pp_group_by, struct pp_slice label);
/* See pp_series_ensured() and pp_costs_united(). */
pp_status pp_view_divide(struct pp_view *);
pp_status pp_view_unite(struct pp_view *);
/* See pp_demangle_derive(). */
pp_status pp_view_demangle(struct pp_view *, bool for_people_only, struct pp_demangled *shared);
/* See pp_set_aside_derive(). */
pp_status pp_view_set_aside(struct pp_view *);
/* See pp_estimate_derive(). */
pp_status pp_view_estimate(struct pp_view *, const struct pp_estimate_opts *);

/*
 * What the base adds up to in a metric of what is shown, from whichever facet holds it; a view that has taken its base
 * over knows only what is left.
 */
union pp_value pp_view_whole(const struct pp_view *, size_t metric);

#endif
