/*
 * What is to be made of what a reader reports: the one place where a question reaches the builder. A reader
 * looks at `facets` only to leave out parsing what nobody ordered.
 */
#ifndef PP_ORDER_H
#define PP_ORDER_H

#include "model/filter.h"

/*
 * What can be ordered beside the facets that polyprof.h names (PP_TREE and so on). Values are those of no
 * facet, so that one word holds both.
 */
enum {
	/*
	 * Self and total of functions. Whatever a file states of them, stacks or calls or lines, has to be read;
	 * what is kept of that is the builder's choice unless a facet is ordered too.
	 */
	PP_COSTS = 1 << 8,
	PP_SITES = 1 << 9, /* where each call was made, which may split the tree further */
	PP_FINDINGS =
	    1 << 10, /* findings are all that matters: what no rule needs may be skipped */
	PP_FUNCTIONS = 1 << 11, /* where in a function something happened does not matter */
	PP_THREADS = 1 << 12,   /* costs by thread, also where only what happened when tells them */
	PP_GAINS = 1 << 13,     /* what metrics that fall gained, beside what is left of it */
	PP_GAINS_ALL = 1 << 14, /* also where the primary metric does not fall */
	PP_LABELS = 1 << 15,    /* costs by label */
	PP_SOURCE = 1 << 16,    /* source lines of addresses, which take looking up */
	PP_DROPS = 1 << 17,     /* frames that the file says are of no interest are left out */
	PP_ASIDE = 1 << 18      /* allocators and idleness are set aside: model/leaf_kind.h */
};

/* Names that matter: stacks without any may be added up as cost without a stack. */
struct pp_keep {
	bool (*name)(void *ctx, const char *name, size_t n);
	void *ctx;
};

struct pp_order {
	unsigned facets; /* PP_TREE | ...: what will be asked for */
	/*
	 * Only what this leaves will be asked for: costs per function or stacks. Whole stacks go through it
	 * as they come, and profile->costs.filtered says so; of what does not come as stacks, the facets above are
	 * kept, for whoever asked to filter. It is simple (pp_filter_is_simple), or NULL.
	 */
	const struct pp_filter *filter;
	bool
	    filter_stacks; /* of what it leaves stacks will be asked for, not only costs per function */
	const struct pp_keep *keep; /* or NULL */
	/* The only keys of labels that matter, where PP_LABELS is ordered; NULL = all do. */
	const struct pp_slice *label_keys;
	size_t label_key_count;
	double
	    min_share; /* subtrees below this share of the whole may be summed up; 0 = keep all */
	bool
	    listed; /* whoever writes them takes stacks as a list (model/held.h) as well as a tree */
	double cut_share; /* stacks may end below a branch of less than this share; 0 = keep all */
	bool maps;        /* source maps that the file brings are wanted (pp_build_source_map) */
};

/* Whether costs per function are all that is ordered. */
static inline bool
pp_order_is_costs(const struct pp_order *o)
{
	return (o->facets & PP_COSTS) && !(o->facets & (PP_FACETS | PP_EXTRAS));
}

/* Whether labels are; a reader that skips them says so: profile->unread |= PP_HAS(LABELS). */
static inline bool
pp_order_has_labels(const struct pp_order *o)
{
	return o->facets == 0 || o->facets & (PP_LABELS | PP_EXTRAS);
}

/* Whether labels of a key are. */
static inline bool
pp_order_has_label(const struct pp_order *o, struct pp_slice key)
{
	size_t i;

	if (!pp_order_has_labels(o))
		return false;
	for (i = 0; i < o->label_key_count; i++)
		if (pp_slice_eq(o->label_keys[i], key))
			return true;
	return o->label_key_count == 0 || o->facets & PP_EXTRAS;
}

/* Whether what metrics that fall gained is ordered. */
static inline bool
pp_order_has_gains(const struct pp_order *o)
{
	return (o->facets & PP_GAINS) && !(o->facets & PP_FINDINGS);
}

/* Whether whole stacks are to be added up as they come, filtered if there is a filter. */
static inline bool
pp_order_adds_up(const struct pp_order *o)
{
	return pp_order_is_costs(o) || (o->filter && !o->filter_stacks &&
	                                !(o->facets & (unsigned)(PP_TIMELINE | PP_EXTRAS)));
}

/* Whether they are to be filtered on their way into the tree. */
static inline bool
pp_order_sieves(const struct pp_order *o)
{
	return o->filter && o->filter_stacks && !o->keep &&
	       !(o->facets & (unsigned)(PP_TIMELINE | PP_EXTRAS | PP_FINDINGS));
}

/* Whether no stack has to be found again: those who only look for findings need none. */
static inline bool
pp_order_needs_no_tree(const struct pp_order *o)
{
	return pp_order_adds_up(o) || (o->facets & PP_FINDINGS);
}

/* Whether a reader has to report a facet: it is ordered, or costs that may have to be computed from it are. */
static inline bool
pp_order_needs(const struct pp_order *o, unsigned facets)
{
	const unsigned costs = PP_TREE | PP_EDGES | PP_LINES;

	return (o->facets & facets) || (o->facets & PP_COSTS && facets & costs);
}

/* Whether all that is known of a frame is its function. */
static inline bool
pp_order_is_by_function(const struct pp_order *o)
{
	return pp_order_adds_up(o) ||
	       (o->facets & PP_FUNCTIONS && !(o->facets & (PP_EXTRAS | PP_SITES)));
}

static inline bool
pp_keep_name(const struct pp_keep *keep, struct pp_slice name)
{
	return keep->name(keep->ctx, (const char *)name.p, name.n);
}

#endif
