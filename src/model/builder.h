/*
 * Builds a profile. The one place where limits are enforced, so no format can forget them.
 *
 * Errors are sticky: after the first failure (`status`: PP_E_NOMEM or PP_E_LIMIT) every call is a
 * no-op that returns 0, so readers check pp_builder_ok() once per record or block.
 */
#ifndef PP_BUILDER_H
#define PP_BUILDER_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/limits.h"
#include "base/slots.h"
#include "model/order.h"
#include "model/profile.h"
#include "model/rules.h"

/* Finds rows by content. Zero-initialised + seed is empty. */
struct pp_index {
	struct pp_slots slots; /* of rows + 1 */
	uint64_t seed;
};

/* What rows of that hash are found by. */
static inline uint32_t
pp_index_tag(const struct pp_index *index, uint64_t hash)
{
	return (uint32_t)(pp_mix(hash ^ index->seed, PP_HASH_K2) >> 32);
}

/* Where to look for the first of them; */
static inline size_t
pp_index_begin(const struct pp_index *index, uint32_t tag)
{
	return pp_slots_begin(&index->slots, tag);
}

/* and the next that may be it, PP_MAP_NONE when there is none. */
static inline uint32_t
pp_index_next(const struct pp_index *index, uint32_t tag, size_t *at)
{
	return index->slots.at ? pp_slots_next(&index->slots, tag, at) - 1 : PP_MAP_NONE;
}

/* Enters a row; false when out of memory. */
bool pp_index_add(struct pp_index *, uint32_t tag, uint32_t row);

struct pp_builder {
	struct pp_profile
	    *profile; /* under construction; fields without a function below may be set directly */
	pp_status status;
	const char *limit; /* which limit was reached, for the message */
	struct pp_limits limits;
	struct pp_order order; /* what to make */
	struct pp_index func_index, frame_index, edge_index, line_index, module_index, label_index;
	struct pp_map labelled;   /* series << 32 | labels: the series like it that has those */
	bool divides_costs;       /* costs of functions are those of one series each, */
	uint32_t costs_series;    /* now of this one */
	struct pp_map costs_row;  /* series << 32 | function: the row of its costs */
	uint32_t line_last;       /* the row that costs of a function went to last, without lines */
	bool has_later;           /* some functions are bound late */
	struct pp_stacks *stacks; /* those reported, see pp_build_stack() */
	/* A sum that does not fit is a finding, here, at the place of what is reported now; NULL = only noted. */
	struct pp_diags *diags;
	struct pp_place place;
	const struct pp_rule
	    *sum_rule; /* the format's own rule and what to say; NULL = sum-overflow */
	const char *sum_message;
	/* Its reader reports nothing but whole stacks, and looks at none before the end: model/held.h. */
	bool may_hold;
	uint32_t steps;  /* since it was asked whether the profile is still wanted */
	bool overflowed; /* a sum did not fit; where stacks are added up, one may not fit */
	const struct pp_pages *pages;
	uint64_t seed;
};

/*
 * Starts a profile; false when out of memory. `limits` must be complete (pp_limits_complete). No order
 * (NULL) means that all that is reported is kept.
 */
bool pp_builder_init(struct pp_builder *, const struct pp_limits *limits, const struct pp_order *,
                     uint64_t seed, const struct pp_pages *pages);
/* Throws away what was built and starts over; false when out of memory. */
bool pp_builder_restart(struct pp_builder *);
/*
 * From here on stacks go into the tree as they are, whatever was ordered, and filters are left to whoever asked for
 * them: for readers that have a tree themselves. Before the first stack.
 */
void pp_builder_plant(struct pp_builder *);
/* Starts over, and does that: every sum of equal stacks is checked. For inputs that can be read again where `overflowed` was set. */
bool pp_builder_restart_exactly(struct pp_builder *);
/* Frees everything, the profile too unless it was handed over by pp_builder_finish(). */
void pp_builder_release(struct pp_builder *);

static inline bool
pp_builder_ok(const struct pp_builder *b)
{
	return b->status == PP_OK;
}

/* The same, and asks whether the profile is still wanted: once per block. */
bool pp_builder_goes_on(struct pp_builder *);

/* Notes a failure unless there was one before. */
void pp_builder_fail(struct pp_builder *, pp_status, const char *limit);

/* ---- names ---- */
pp_str pp_build_str(struct pp_builder *, struct pp_slice);
pp_str pp_build_strz(struct pp_builder *, const char *);
/* What a buffer holds; frees it. One that failed is the builder's failure. */
pp_str pp_build_buf(struct pp_builder *, struct pp_buf *);
pp_str pp_build_strf(struct pp_builder *, const char *fmt, ...) PP_PRINTF(2, 3);
pp_module pp_build_module(struct pp_builder *, const struct pp_module_row *);
/*
 * The function of that identity (name, file, line, column, module), made when absent. `same` is ignored; flags
 * and last_line of the first call stay.
 */
pp_func pp_build_func(struct pp_builder *, const struct pp_func_row *);
/* A function whose identity comes later (SPX lists names last): always a new id. */
pp_func pp_build_func_later(struct pp_builder *);
/* Gives a later function its identity; `same` is settled in pp_builder_finish(). */
void pp_build_func_bind(struct pp_builder *, pp_func, const struct pp_func_row *);
/* The frame of those properties, made when absent. */
pp_frame pp_build_frame(struct pp_builder *, const struct pp_frame_row *);
/* The frame of a function of which only the name is known: the short way for stacks of names. */
pp_frame pp_build_frame_named(struct pp_builder *, struct pp_slice name);

/* The frame "(N more)", a sum of so many. */
pp_frame pp_build_frame_more(struct pp_builder *, uint32_t n);

/* ---- costs ---- */
/* Adds a metric; returns its index. All metrics come before the first series, edge or line. */
uint32_t pp_build_metric(struct pp_builder *, const struct pp_metric *);
/*
 * Adds, for each metric that falls, one of what it gained, where that is ordered; returns how many. All other metrics are
 * there already. Whole stacks need no more; who adds to cells adds gains, too (pp_cell_gained()).
 */
uint32_t pp_build_gains(struct pp_builder *);
/* The same when there are rows already, each of which becomes wider. False when out of memory (not noted). */
bool pp_build_metric_late(struct pp_builder *, const struct pp_metric *);
/* Adds a metric by plain strings: name, unit, kind, type, flags. */
uint32_t pp_build_metric_z(struct pp_builder *, const char *name, const char *unit,
                           enum pp_metric_kind, enum pp_cell_type, unsigned flags);
/*
 * Adds a series (event, pid, tid, ... are taken, the rest is set up); returns its index. `dense` suits
 * the main series of a profile, sparse the many small ones.
 */
uint32_t pp_build_series(struct pp_builder *, const struct pp_series *like, bool dense,
                         bool has_calls);
/*
 * A sparse series of stacks whose metrics come late: it has so many columns of counts until
 * pp_build_series_settle() says which metric each is, PP_NO_METRIC for a column that is dropped. Its samples in
 * time are then put into the order of time if need be.
 */
#define PP_NO_METRIC UINT32_MAX
uint32_t pp_build_series_late(struct pp_builder *, const struct pp_series *like, uint32_t columns);
void pp_build_series_settle(struct pp_builder *, uint32_t series, const uint32_t *metrics,
                            bool unordered);
/*
 * The set of `n` labels, which are put in order. Of each key, type, and text or number with unit are given. 0 when
 * there are none, or on failure. Readers skip those that are not ordered (pp_order_has_label()).
 */
pp_labels pp_build_labels(struct pp_builder *, struct pp_label_row *, size_t n);
/* The set of one label more, in front of others; for who translates sets. */
pp_labels pp_build_label_row(struct pp_builder *, const struct pp_label_row *);
/* The sparse series that is like another one and has those labels, made when absent; the other one itself for none. */
uint32_t pp_build_series_labelled(struct pp_builder *, uint32_t series, pp_labels);
/* A series with no properties at all. */
uint32_t pp_build_series_plain(struct pp_builder *, bool dense, bool has_calls);
/* The cells of a node in a series, made zero when absent and marked present. Valid until the next call. NULL on failure. */
int64_t *pp_build_cells(struct pp_builder *, uint32_t series, pp_node);
/* One of them, where rows may have too many metrics for a cell each. Likewise. */
int64_t *pp_build_cell(struct pp_builder *, uint32_t series, pp_node, uint32_t metric);
/* Adds a value; false when the sum exceeds 64 bits (cell unchanged, builder still fine) or on failure. */
bool pp_build_add(struct pp_builder *, uint32_t series, pp_node, uint32_t metric, int64_t value);

/* ---- whole stacks ---- */

#define PP_TOO_DEEP "a stack is too deep"

/* Where a stack went, to add to it again without its frames; 0 = not known (yet). */
typedef uint32_t pp_stack;

/* What a stack costs, and when. */
struct pp_sample {
	uint32_t series;
	uint32_t cpu; /* + 1; 0 = unknown */
	const int64_t *
	    values; /* one per metric, or per column of a series whose metrics come late; NULL = a path without cost */
	const int64_t *own; /* what of them is the leaf's own; NULL = all */
	const uint32_t
	    *columns; /* those columns that have a value, `column_count` of them; NULL = any may */
	size_t column_count;
	bool timed; /* `time` is known, and kept if timelines are ordered */
	int64_t time;
	pp_stack
	    *where; /* is told where the stack went, at the latest by pp_build_flush(); or NULL */
};

/* The place of what is reported next, for findings. */
static inline void
pp_builder_at(struct pp_builder *b, struct pp_place place)
{
	b->place = place;
}

/*
 * Reports a whole stack, root first. The order decides what becomes of it: nodes of the tree, sums per
 * function, cost without a stack, or nothing. Depth is limited here; a sum that does not fit is one
 * finding and leaves this report out. All series of a profile that get stacks have the same columns. What
 * is reported shows in the profile after pp_build_flush(), which pp_builder_finish() does. False on failure.
 */
bool pp_build_sample(struct pp_builder *, const struct pp_sample *, const pp_frame *frames,
                     size_t depth);
/* The same stack once more. */
bool pp_build_again(struct pp_builder *, const struct pp_sample *, pp_stack);
/* Nothing runs in a series from a time on, until its next sample. */
bool pp_build_pause(struct pp_builder *, uint32_t series, int64_t time);
bool pp_build_flush(struct pp_builder *);

/* Whether it is ever told where stacks went: not where they are added up. */
static inline bool
pp_builder_remembers(const struct pp_builder *b)
{
	return !pp_order_needs_no_tree(&b->order);
}

/* Whether stacks are added up as they are. */
static inline bool
pp_builder_walks(const struct pp_builder *b)
{
	return pp_order_needs_no_tree(&b->order) && !b->order.filter;
}

static inline bool
pp_build_stack(struct pp_builder *b, uint32_t series, const pp_frame *frames, size_t depth,
               const int64_t *values)
{
	return pp_build_sample(b, &(struct pp_sample){ .series = series, .values = values }, frames,
	                       depth);
}

/*
 * Columns whose meaning is known at the end only. A reader that learns while it reads what is counted, and
 * how exactly, makes columns before the first stack that has them, and metrics when all is read; then
 * pp_build_columns_settle() says which column each metric is. Until then cells are signed integers, unless
 * something else is said of the column. A sum that does not fit goes on in one more series of the same
 * properties, so totals, which are wider, stay exact.
 */
uint32_t pp_build_column(struct pp_builder *);
/* The cells of a column are unsigned from now on: some value exceeds 63 bits, and none is negative. */
void pp_build_column_unsigned(struct pp_builder *, uint32_t column);
/* They are doubles from now on; those that were integers are divided. */
void pp_build_column_real(struct pp_builder *, uint32_t column, double divisor);
/* Multiplies them; false, and nothing done, when one has no room for that. */
bool pp_build_column_scale(struct pp_builder *, uint32_t column, uint64_t factor);
/*
 * A stack that has the first `keep` frames of the one before, and n others, from the leaf on. Only where stacks are added
 * up (pp_builder_walks()), and columns are made: values are of PP_WALK_COLUMNS, whose sums fit 64 bits, from `column` on.
 */
#define PP_WALK_COLUMNS 2
bool pp_build_walk(struct pp_builder *, uint32_t column, size_t keep, const pp_frame *frames,
                   size_t n, const uint64_t *values);
/*
 * `column_of` has the column of each metric. Series are put in the order of the events that metrics have;
 * moved[i], for each that there was, is the new place.
 */
void pp_build_columns_settle(struct pp_builder *, const uint32_t *column_of, uint32_t *moved);

/* A sum of a metric (metrics.n = of calls) does not fit at a function (0 = at none): a finding. */
void pp_builder_overflow(struct pp_builder *, pp_func, size_t metric, struct pp_place);

/* For builder.c and merge.c. Adds a metric whose name others may have, too; false when out of memory. */
bool pp_metrics_push(struct pp_profile *, const struct pp_metric *);
bool pp_builder_prune(struct pp_builder *);
bool pp_stacks_finish(struct pp_builder *);
/* The columns of a series became those metrics, or PP_NO_METRIC. False when out of memory. */
bool pp_stacks_settled(struct pp_builder *, uint32_t series, const uint32_t *metrics);
bool pp_stacks_merge(struct pp_builder *into, const struct pp_builder *from,
                     const pp_frame *frame_map);
void pp_stacks_free(struct pp_stacks *);

/* ---- the tree ---- */
/* The child node, made when absent; 0 on failure (check pp_builder_ok). */
pp_node pp_build_child(struct pp_builder *, pp_node parent, pp_frame);
/* Many stacks at once, the fast way; see pp_tree_batch(). */
bool pp_build_batch(struct pp_builder *, const pp_frame *frames, const uint32_t *depth,
                    const pp_node *under, size_t stacks, pp_node *leaf);

/* ---- edges and lines ---- */
/*
 * The row of an edge or a line, made when absent; PP_MAP_NONE on failure. And a cell of it: of an edge calls,
 * inclusive..., own...; of a line hits?, cost.... Valid until the next call, NULL on failure and where there is no row.
 */
uint32_t pp_build_edge_row(struct pp_builder *, const struct pp_edge_row *);
uint32_t pp_build_line_row(struct pp_builder *, const struct pp_line_row *);
int64_t *pp_build_edge_cell(struct pp_builder *, uint32_t row, size_t column);
int64_t *pp_build_line_cell(struct pp_builder *, uint32_t row, size_t column);
/* An edge that is not there yet, with all its cells; false when it is, which leaves it as it was, or on failure. */
bool pp_build_edge_new(struct pp_builder *, const struct pp_edge_row *, const int64_t *cells);
/* All cells of an edge or a line, for formats of at most PP_FEW_COLUMNS metrics. */
int64_t *pp_build_edge(struct pp_builder *, const struct pp_edge_row *);
int64_t *pp_build_line(struct pp_builder *, const struct pp_line_row *);
/* Whether lines (PP_LINES) or call sites (PP_EDGES) are ordered; else their costs per function are all that stays. */
static inline bool
pp_builder_keeps(const struct pp_builder *b, unsigned facet)
{
	unsigned all = b->order.facets;

	return all == 0 || all & (facet | PP_EXTRAS | PP_FINDINGS);
}

/* Who is told of a sum that does not fit: by its metric, metrics.n for the number of calls. NULL = nobody. */
struct pp_over {
	void (*tell)(void *ctx, size_t metric);
	void *ctx;
};

/*
 * Adds what a line cost (of the first n metrics), or calls with all that they called. Where they are not
 * ordered, places within functions are left out; a sum of a function that does not fit is told then, sets
 * `overflowed` and goes on in another row, as that of no place may be too large. Else false when a sum does not fit,
 * which is left as it was, or on failure.
 */
bool pp_build_line_add(struct pp_builder *, const struct pp_line_row *, const int64_t *costs,
                       size_t n, const struct pp_over *);
bool pp_build_edge_add(struct pp_builder *, const struct pp_edge_row *, uint64_t calls,
                       const int64_t *costs, size_t n, const struct pp_over *);

/* The text of a source line; a line given twice keeps its first text. */
void pp_build_source(struct pp_builder *, pp_str file, uint32_t line, struct pp_slice text);
/* The source map of a script, where order.maps: as such, as a data: address, or the address where it is. */
void pp_build_source_map(struct pp_builder *, pp_str script, struct pp_slice text);
/* Puts the source lines in order; pp_builder_finish() does it. False when out of memory. */
bool pp_sources_settle(struct pp_profile *);

/* ---- functions ---- */
/* A row of the costs of functions: own and total have a sum per metric, or are NULL where those are many. */
struct pp_func_costs {
	uint32_t row;
	uint64_t *calls;
	union pp_value *own, *total;
};

/* Those of a function, 0 = the whole profile, until more rows are made; false when that failed. */
bool pp_build_func_costs(struct pp_builder *, pp_func, struct pp_func_costs *);
/* Adds to those of one metric, many or few. */
void pp_build_func_cost(struct pp_builder *, pp_func, uint32_t metric, struct pp_cost_pair);

/* Adds to what was idle of a metric, and is in no costs of functions: where PP_ASIDE is ordered. */
void pp_build_idle(struct pp_builder *, uint32_t metric, union pp_value cost);

/* ---- meta and extras ---- */
/* Adds a key under a parent (0 = top, else a value returned before); returns a handle. */
uint32_t pp_build_meta(struct pp_builder *, uint32_t parent, struct pp_slice key, enum pp_meta_type,
                       struct pp_slice text);
void pp_build_meta_z(struct pp_builder *, const char *key, enum pp_meta_type, struct pp_slice text);
void pp_build_extra(struct pp_builder *, uint32_t table, uint32_t row, const char *key,
                    struct pp_slice bytes);

/* Frees a profile that was not finished, or was. */
void pp_profile_release(struct pp_profile *);

/* ---- merging what several threads built ---- */
/*
 * Adds all of `from` behind what `into` has: strings, functions, frames, nodes and rows, in the order
 * of `from`, so that the result is what one thread would have built. Both have the same metrics and
 * series. False when a sum exceeds 64 bits (then build in one thread to find the place) or on failure.
 */
bool pp_builder_merge(struct pp_builder *into, const struct pp_builder *from);

/*
 * Finishes: settles `same`, drops what only building needs, sets the facets that have data. The caller
 * owns the profile.
 */
pp_status pp_builder_finish(struct pp_builder *, struct pp_profile **out);

#endif
