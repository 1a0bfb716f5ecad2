/*
 * Merging profiles: any number, one after the other, of any formats whose metrics agree by meaning.
 */
#ifndef PP_MERGE_H
#define PP_MERGE_H

#include "base/buf.h"
#include "model/builder.h"
#include "model/schema.h"

/* Threads told apart in a merged profile; further ones are taken together. */
#define PP_MERGE_SERIES 256

/* What is known of a metric of the result. */
struct pp_merged_metric {
	uint32_t having;     /* how many profiles have it */
	uint32_t primary;    /* of how many it is the primary one */
	unsigned preference; /* the largest of those that it is made of */
};

/* What all profiles together have of a kind and unit; texts are those of the merge. */
struct pp_merge_kind {
	enum pp_metric_kind kind;
	pp_str unit;
	bool several;       /* one of them has more than one such metric */
	bool mixed;         /* they belong to different events, or to one under different names */
	pp_str event, name; /* of the first that belongs to an event; event 0 = none does */
};

/* A profile that is growing. What is added may be freed at once. */
struct pp_merge {
	struct pp_builder builder;
	size_t profiles; /* that had anything in them */
	PP_VEC(struct pp_merged_metric) metrics;
	/*
	 * Metrics of other names may be added up where kind and unit say that they mean the same. Whether they do is
	 * known when all profiles were seen; until then only names count.
	 */
	bool all_seen;
	PP_VEC(struct pp_merge_kind) kinds;
	struct pp_strtab texts;
	enum pp_basis first_basis; /* of the first of them */
	struct pp_map source_from; /* file -> which profile gave its source */
	bool has_events;           /* one of them counts events */
	unsigned lost;             /* facets that some had and the result cannot keep */
	bool joined_threads;
	/*
	 * Keys of labels that matter: what the metadata of a profile says of them become labels of its series, as the
	 * result has the metadata of none. Set after pp_merge_init().
	 */
	const struct pp_slice *label_keys;
	size_t label_key_count;
};

/* False when out of memory. */
bool pp_merge_init(struct pp_merge *, const struct pp_limits *, uint64_t seed);
void pp_merge_release(struct pp_merge *);
/* Looks at the metrics of a profile that will be added; false when out of memory. */
bool pp_merge_see(struct pp_merge *, const struct pp_profile *);
/* Whether it depends on profiles that were not seen yet what its metrics are added to. */
bool pp_merge_must_wait(const struct pp_merge *, const struct pp_profile *);
/*
 * Adds a profile that was seen; sums are exact, and the numbers of the result do not depend on who came first.
 * PP_E_USAGE when it has nothing in common with those before, PP_E_LIMIT when a sum of calls or lines exceeds 64 bits
 * (stacks may); *problem then says what.
 */
pp_status pp_merge_add(struct pp_merge *, const struct pp_profile *, struct pp_buf *problem);
/* The result, which the caller owns. */
pp_status pp_merge_finish(struct pp_merge *, struct pp_profile **out);

/*
 * One profile out of several, whose order does not matter. PP_E_USAGE when they have nothing in common; PP_E_LIMIT as pp_merge_add().
 */
pp_status pp_profile_merge(struct pp_profile *const *profiles, size_t n,
                           const struct pp_limits *limits, struct pp_profile **out);

/* ---- the parts, for merge*.c ---- */

/* Where a metric of the added profile goes, and how its cells become those of the result. */
struct pp_metric_way {
	uint32_t to;
	bool converts;
	int64_t mul;
};

/* Where each id of `from` went. */
struct pp_merge_maps {
	uint32_t *id[PP_REFERS]; /* by what refers; series are NULL where there are none */
	struct pp_metric_way *metric;
	/* What was being added last, to tell where a sum passed 64 bits: of `from`, metrics.n = calls. */
	pp_func at_func;
	size_t at_metric;
	bool joined; /* a series went to that of another thread, as there are too many */
};

struct pp_series_finder;
/* A row of a table with all that it refers to translated. */
void pp_merge_translate(const struct pp_merge_maps *, enum pp_table_id, void *row);
/* The series of `into` with the same properties, made when absent and there are not too many. */
uint32_t pp_merge_series_of(struct pp_builder *into, const struct pp_series *from,
                            struct pp_merge_maps *, struct pp_series_finder *, size_t most);
/*
 * Adds what nodes, calls and lines cost, and what is known beside; false when a sum exceeds 64 bits or on failure. With
 * `spill`, sums of nodes go on in another series then.
 */
bool pp_merge_rows(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *,
                   bool spill);
bool pp_merge_not_own(struct pp_builder *into, const struct pp_profile *from,
                      struct pp_merge_maps *);
bool pp_merge_facts(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *);
bool pp_merge_edges(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *);
bool pp_merge_lines(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *);
/* The same of the costs of functions, where those of the result are stated. */
bool pp_merge_funcs(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *);
/* The costs of functions and of the whole, from whichever facet states them: of each series if the result divides them. */
struct pp_merge_flats {
	struct pp_flat *at;     /* by series, or one */
	struct pp_profile **of; /* by series: the profile of it alone; or NULL */
	size_t n;
};
bool pp_merge_flats_find(const struct pp_builder *into, const struct pp_profile *from,
                         struct pp_merge_flats *);
bool pp_merge_flats_add(struct pp_builder *into, struct pp_merge_flats *, struct pp_merge_maps *);
void pp_merge_flats_release(struct pp_merge_flats *);

/* Whether a profile holds nothing at all. */
bool pp_merge_is_empty(const struct pp_profile *);
/*
 * Whether there is anything in common. Then: finds or makes a metric for each one of `from`, rescaling what is
 * there where needed. The same status and problem as pp_merge_add().
 */
pp_status pp_merge_metrics_agree(const struct pp_merge *, const struct pp_profile *from,
                                 struct pp_buf *problem);
pp_status pp_merge_metrics(struct pp_merge *, const struct pp_profile *from,
                           struct pp_metric_way *ways, struct pp_buf *problem);
/* Marks the primary metric, whatever the order in which profiles came. */
void pp_merge_primary(struct pp_merge *);

#endif
