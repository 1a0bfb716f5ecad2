/*
 * A profile: columns, 32-bit ids, parents first. Read-only after pp_builder_finish().
 *
 *     strs      interned bytes
 *     modules   binaries, libraries, kernel images
 *     funcs     name, file, module, first line and column; `same` = the first function of equal identity
 *     frames    a place in a function: line, address, inline depth; what a node of the tree shows
 *     tree      nodes = (parent, frame)
 *     metrics   what is counted
 *     labels    key -> text or number; a row is a set of them
 *     series    event x process x thread x cpu x labels; each has rows of cells, one per node with own cost
 *     edges     caller, callee, call site -> calls, inclusive (and own) cost
 *     lines     function, file, line, address -> cost, hits
 *     timelines what happened when, per series
 *     sources   file, line -> text, where the profile brings it
 *     meta      ordered key/value tree;  extras: (table, row, key) -> bytes as read
 */
#ifndef PP_PROFILE_H
#define PP_PROFILE_H

#include "base/strtab.h"
#include "base/vec.h"
#include "model/labels.h"
#include "model/metric.h"
#include "model/sparse.h"
#include "model/timeline.h"
#include "model/tree.h"

enum pp_module_kind { PP_MODULE_BINARY, PP_MODULE_KERNEL, PP_MODULE_JIT, PP_MODULE_SCRIPT };

struct pp_module_row {
	pp_str name;
	pp_str build_id;
	enum pp_module_kind kind;
};

enum {
	PP_FUNC_INTERNAL = 1 << 0, /* built into the language (php::strlen, CORE:print, XS) */
	PP_FUNC_KERNEL = 1 << 1,
	PP_FUNC_UNKNOWN = 1 << 2, /* no symbol: the name is an address or a placeholder */
	PP_FUNC_PSEUDO = 1 << 3,  /* not code: [no stack], (idle) */
	PP_FUNC_SCRIPT = 1 << 4,  /* top-level code of a file */
	PP_FUNC_MORE = 1 << 5,    /* "(N more)": what a pruning reader summed up */
	PP_FUNC_DECLARED = 1 << 6 /* the file lists it, called or not */
};

struct pp_func_row {
	pp_str name;
	pp_str file;
	pp_module module;
	uint32_t line;   /* first line, 0 = unknown */
	uint32_t column; /* where in it the function begins, from 1; 0 = unknown */
	uint32_t last_line;
	uint32_t flags; /* PP_FUNC_* */
	pp_func
	    same; /* first function with the same name, file, line, column and module; own id if first */
};

enum {
	PP_FRAME_INLINED = 1 << 0,
	PP_FRAME_FILE_OFFSET = 1 << 1, /* `address` is an offset in the module's file */
	/* What the file says of this frame, whatever its function and its module are (SPAA). */
	PP_FRAME_USER = 1 << 2,
	PP_FRAME_KERNEL = 1 << 3,
	PP_FRAME_NEITHER = 1 << 4, /* the file says that it does not know */
	PP_FRAME_KINDS = PP_FRAME_USER | PP_FRAME_KERNEL | PP_FRAME_NEITHER
};

struct pp_frame_row {
	pp_func func;
	uint32_t line; /* where in the function; 0 = unknown */
	uint32_t column;
	uint32_t site_line; /* line in the caller from which it was called (SPX 0.5); 0 = unknown */
	uint64_t address;
	union {
		uint64_t offset; /* from the start of the symbol */
		uint64_t more;   /* of PP_FUNC_MORE: how many frames it stands for */
	};
	uint16_t inline_depth;
	uint16_t flags;
	pp_str file; /* where the line is, if not in the function's file; else 0 */
};

/*
 * Own costs. Row r of a series holds `stride` cells: one per metric of the profile, then the number of
 * calls when `has_calls`, then one inclusive cost per metric when `measured` (the file measures what a
 * stack cost with all it called; sums of rounded own costs would differ). Dense series have one row
 * per node (row = node id; `present` tells which nodes the file gave a value); others list their nodes
 * in `node_of`. Where there are more than PP_FEW_COLUMNS metrics, a series of stacks may be sparse: it
 * then has `wide` instead of `cells`, and neither calls nor measured costs.
 */
struct pp_series {
	pp_str event;
	pp_str process, thread; /* names */
	int64_t pid, tid, cpu;  /* -1 = unknown */
	pp_str context;         /* further distinction, verbatim; 0 = none */
	pp_labels labels;
	bool dense;
	bool has_calls;
	bool measured;
	uint32_t stride;
	uint32_t rows;
	uint32_t rows_cap;
	int64_t *cells;
	struct pp_wide *wide; /* of int64_t, by row and metric; or NULL */
	pp_node *node_of;     /* NULL when dense */
	uint64_t *present;    /* bit set, dense only */
	struct pp_map row_of; /* node -> row, sparse only; gone after finish */
	struct pp_timeline timeline;
};

/* A call site: who called whom from where. */
struct pp_edge_row {
	pp_func caller, callee; /* caller 0 = from outside */
	pp_str site_file;       /* 0 = the caller's file */
	uint32_t site_line;
	uint64_t site_address;
	uint32_t series;
};

/* Part of what a series has at a node that is not the node's own. */
struct pp_not_own_row {
	uint32_t series, metric;
	pp_node node;
	int64_t cell;
};

/* What the file states of a function beyond what it costs. */
struct pp_fact_row {
	pp_func func;
	uint32_t recursion;     /* how deep it runs below itself; 0 = it does not */
	uint32_t places, files; /* from how many it is called */
	uint32_t metric;
	int64_t recursive; /* what calls below itself cost, each with all it called */
};

struct pp_line_row {
	pp_func func; /* 0 = not known */
	pp_str file;
	uint32_t line;
	uint32_t series;
	uint64_t address;
};

enum pp_meta_type {
	PP_META_TEXT,
	PP_META_NUMBER,
	PP_META_BOOL,
	PP_META_NULL,
	PP_META_OBJECT,
	PP_META_ARRAY
};

/* `text` is the value as written (numbers too, so they stay exact). Children follow their parent. */
struct pp_meta_row {
	uint32_t parent; /* row + 1 of the parent, 0 = top level */
	pp_str key;
	pp_str text;
	enum pp_meta_type type;
};

/* The text of a source line that came with the profile, its newline included. */
struct pp_source_row {
	pp_str file;
	uint32_t line;
	pp_str text;
};

/* The source map of a script that came with the profile: as such, as a data: address, or an address where it is. */
struct pp_source_map_row {
	pp_str script;
	pp_str text;
};

/* What a function is in the script that its source became. */
struct pp_generated_row {
	pp_str name, file;
	uint32_t line, column;
};

/* Something that the program said while it was recorded, of a series: whatever the format. */
#define PP_EXTRA_MARKER 0x6d61726bU

struct pp_extra_row {
	uint32_t table; /* chosen by the format, but for PP_EXTRA_MARKER */
	uint32_t row;
	pp_str key;
	pp_str bytes;
};

/*
 * Each facet says what it states; pp_profile_basis() decides by that where the costs of functions come from.
 */

/* Who called whom, from where: what the file states of single calls. */
struct pp_calls_facet {
	PP_VEC(struct pp_edge_row) rows;
	PP_VEC(int64_t) cells; /* per row: calls, inclusive[metric], own[metric] when `own` */
	struct pp_wide *wide;  /* or instead, with more than PP_FEW_COLUMNS metrics */
	bool own;
	bool self_repeats; /* a call of a function by itself repeats time of the outer call */
	bool
	    outermost; /* names tell levels of recursion: no call is within another of its callee */
	/*
	 * A function costs what its calls cost together. Without `own`, what it costs itself is what its
	 * callers say less what its callees say.
	 */
	bool adds_up;
	size_t told; /* rows that the file has, where they were added up per caller and callee */
	PP_VEC(struct pp_fact_row)
	facts; /* several of one function are of profiles that were merged */
};

/* Cost per source line or address. */
struct pp_lines_facet {
	PP_VEC(struct pp_line_row) rows;
	PP_VEC(int64_t) cells; /* per row: hits when `hits`, then cost[metric] */
	struct pp_wide *wide;  /* or instead, likewise */
	bool hits;
	bool adds_up; /* a function itself costs what its lines cost together */
	size_t told;  /* rows that the file has, where they were added up per function */
};

/*
 * Costs per function, where the file states them or nothing else was read. Row 0 (function 0) stands for
 * the whole profile.
 */
struct pp_costs_facet {
	bool stated;   /* the functions listed are all that cost anything */
	bool measured; /* by the file, so that rounding does not add up; else sums */
	bool
	    shares_names; /* functions that are not listed are other profiles', whose names these are, too */
	PP_VEC(pp_func) funcs; /* by row */
	/* By row: the series that it belongs to, function 0 being the whole of that. Empty = of all series. */
	PP_VEC(uint32_t) series;
	PP_VEC(uint64_t) calls;       /* by row; empty = not known */
	PP_VEC(union pp_value) cells; /* per row: own[metric], total[metric] */
	struct pp_wide *wide;         /* or instead, of struct pp_cost_pair by row and metric */
	/* What each metric costs in the whole file, where filters let a part of it pass. */
	bool filtered;
	PP_VEC(union pp_value) unfiltered;
};

/* What only the format's own writer understands. */
struct pp_kept_facet {
	PP_VEC(struct pp_extra_row) extras;
	void *data;
	void (*free)(void *);
};

/* What is known only of a profile that was derived from another one; see model/derive.h. */
struct pp_derived_facet {
	/* By function: whose identity it had before functions were grouped; empty = they were not. */
	PP_VEC(pp_func) alone;
	/* By function: the number of its cycle of calls, from 1, 0 = none. Where stacks were estimated only. */
	PP_VEC(uint32_t) cycles;
	/* By function: the file's name of one that was demangled, else 0; empty = none was. */
	PP_VEC(pp_str) mangled;
	bool for_people; /* that is for people only: scripts are given the file's names */
	/* By function: what it is in a generated script, file 0 = nothing; empty = none is. */
	PP_VEC(struct pp_generated_row) generated;
};

/* Costs of a metric that answers set aside (analysis/set_aside.h). */
struct pp_aside_row {
	union pp_value idle; /* cost of idle leaves, which is in no row of the profile any more */
	bool attributed;     /* cost of allocators went to whoever called them */
};

/* When things happened, on the clock of the recording. */
struct pp_time_span {
	bool known;
	int64_t start, end; /* ns */
};

struct pp_held;

struct pp_profile {
	const pp_format *format;
	/* Whose variant, extras and private data these are, when another format carried them; or NULL. */
	const pp_format *native;
	pp_str variant, producer;
	pp_str compression[8]; /* outermost first; 0-terminated */
	bool complete;
	bool estimated;  /* stacks were reconstructed, not recorded */
	unsigned facets; /* what is here */
	unsigned
	    holds; /* what the file holds, wanted or not: facets and what a reader was told to skip */
	uint64_t
	    unread; /* traits (model/traits.h) that the file has and the reader was told to skip */
	uint64_t events, samples; /* as counted by the reader; 0 = none */
	uint64_t markers;         /* likewise; those that are kept are extras of PP_EXTRA_MARKER */
	struct pp_time_span time;
	int64_t recorded_at;  /* Unix seconds, 0 = unknown */
	uint32_t recorded_ns; /* and nanoseconds, where the file tells: pp_profile_recorded() */
	struct {
		uint64_t limit,
		    used; /* bytes that reading it was allowed (0 = the default) and took */
	} memory;
	unsigned shared; /* PP_COLUMN_*: columns of the profile that this one was derived from */

	/* ---- the core ---- */
	struct pp_strtab strs;
	PP_VEC(struct pp_module_row) modules; /* [0] = none, likewise below */
	PP_VEC(struct pp_func_row) funcs;
	PP_VEC(struct pp_frame_row) frames;
	PP_VEC(struct pp_label_row) labels;
	PP_VEC(struct pp_metric) metrics; /* from 0 */
	PP_VEC(struct pp_aside_row)
	aside; /* by metric; empty = nothing was set aside, metrics past its end have nothing */
	PP_VEC(struct pp_series) series; /* from 0 */
	PP_VEC(struct pp_meta_row) meta;

	/* ---- the facets, each present or empty ---- */
	struct pp_tree tree;
	struct pp_held
	    *held; /* instead of a tree, where order.listed: stacks of the first series */
	struct pp_calls_facet calls;
	struct pp_lines_facet lines;
	struct pp_costs_facet costs;
	PP_VEC(struct pp_source_row) sources;         /* by file, then line */
	PP_VEC(struct pp_source_map_row) source_maps; /* as they came */
	struct pp_kept_facet kept;

	struct pp_derived_facet derived;
	/* What is not a leaf's own cost by the file's word, though it has no callee for it; rare. */
	PP_VEC(struct pp_not_own_row) not_own;
};

static inline struct pp_slice
pp_text_of(const struct pp_profile *p, pp_str s)
{
	return pp_strtab_get(&p->strs, s);
}

/* Returns the costs of a metric that were set aside. */
static inline struct pp_aside_row
pp_profile_aside(const struct pp_profile *p, size_t metric)
{
	return metric < p->aside.n ? p->aside.at[metric] : (struct pp_aside_row){ 0 };
}

/* A sum over the profile with what was idle. */
static inline union pp_value
pp_value_with_idle(const struct pp_profile *p, size_t metric, union pp_value sum)
{
	if (metric < p->aside.n)
		pp_value_add(&p->metrics.at[metric], &sum, p->aside.at[metric].idle);
	return sum;
}

/* The format that a profile really is of, whichever file brought it. */
static inline const pp_format *
pp_profile_native(const struct pp_profile *p)
{
	return p->native ? p->native : p->format;
}

static inline pp_func
pp_frame_func(const struct pp_profile *p, pp_frame frame)
{
	return p->frames.at[frame].func;
}

/* Notes when a profile was recorded, in ns since 1970; 0 = unknown. */
static inline void
pp_profile_record_at(struct pp_profile *p, uint64_t ns)
{
	p->recorded_at = (int64_t)(ns / 1000000000);
	p->recorded_ns = (uint32_t)(ns % 1000000000);
}

/* When it was, likewise; false when it is unknown, before 1970 or beyond 64 bits. */
static inline bool
pp_profile_recorded(const struct pp_profile *p, int64_t *ns)
{
	return p->recorded_at > 0 &&
	       !__builtin_mul_overflow(p->recorded_at, INT64_C(1000000000), ns) &&
	       !__builtin_add_overflow(*ns, (int64_t)p->recorded_ns, ns);
}

/* The function a node shows, by identity. The root has none (0). */
static inline pp_func
pp_node_func(const struct pp_profile *p, pp_node node)
{
	return p->funcs.at[p->frames.at[pp_tree_frame(&p->tree, node)].func].same;
}

/* The function that one is by identity, groups aside. */
static inline pp_func
pp_func_alone(const struct pp_profile *p, pp_func func)
{
	return func < p->derived.alone.n ? p->derived.alone.at[func] : p->funcs.at[func].same;
}

/* Its identity either way. */
static inline pp_func
pp_func_id(const struct pp_profile *p, pp_func func, bool alone)
{
	return alone ? pp_func_alone(p, func) : p->funcs.at[func].same;
}

static inline size_t
pp_edge_stride(const struct pp_profile *p)
{
	return 1 + p->metrics.n * (p->calls.own ? 2 : 1);
}

static inline size_t
pp_line_stride(const struct pp_profile *p)
{
	return p->metrics.n + (p->lines.hits ? 1 : 0);
}

/* A cell of row i of the calls, and of the lines. */
static inline int64_t
pp_edge_cell(const struct pp_profile *p, size_t i, size_t column)
{
	const int64_t *cell;

	if (PP_LIKELY(!p->calls.wide))
		return p->calls.cells.at[i * pp_edge_stride(p) + column];
	cell = pp_wide_find(p->calls.wide, i, (uint32_t)column);
	return cell ? *cell : 0;
}

static inline int64_t
pp_line_cell(const struct pp_profile *p, size_t i, size_t column)
{
	const int64_t *cell;

	if (PP_LIKELY(!p->lines.wide))
		return p->lines.cells.at[i * pp_line_stride(p) + column];
	cell = pp_wide_find(p->lines.wide, i, (uint32_t)column);
	return cell ? *cell : 0;
}

/* What the calls of row i cost with all that they called, what they cost themselves, and what line i costs. */
static inline struct pp_cells
pp_edge_costs(const struct pp_profile *p, size_t i)
{
	return PP_UNLIKELY(p->calls.wide)
	           ? pp_wide_cells(p->calls.wide, i, 1, (uint32_t)p->metrics.n)
	           : (struct pp_cells){ .at = p->calls.cells.at + i * pp_edge_stride(p) + 1,
		                        .n = p->metrics.n };
}

static inline struct pp_cells
pp_edge_own(const struct pp_profile *p, size_t i)
{
	size_t n = p->metrics.n;

	return PP_UNLIKELY(p->calls.wide)
	           ? pp_wide_cells(p->calls.wide, i, (uint32_t)n + 1, (uint32_t)n)
	           : (struct pp_cells){ .at = p->calls.cells.at + i * pp_edge_stride(p) + 1 + n,
		                        .n = n };
}

static inline struct pp_cells
pp_line_costs(const struct pp_profile *p, size_t i)
{
	return PP_UNLIKELY(p->lines.wide)
	           ? pp_wide_cells(p->lines.wide, i, p->lines.hits, (uint32_t)p->metrics.n)
	           : (struct pp_cells){ .at = p->lines.cells.at + i * pp_line_stride(p) +
		                              p->lines.hits,
		                        .n = p->metrics.n };
}

/* What row r of the costs of functions costs itself; its total is metrics.n values further. Not where it is sparse. */
static inline const union pp_value *
pp_costs_own(const struct pp_profile *p, size_t row)
{
	return p->costs.cells.at + row * 2 * p->metrics.n;
}

/* What it costs of one metric. */
static inline struct pp_cost_pair
pp_costs_get(const struct pp_profile *p, size_t row, size_t metric)
{
	const struct pp_cost_pair *pair;

	if (p->costs.wide) {
		pair = pp_wide_find(p->costs.wide, row, (uint32_t)metric);
		return pair ? *pair : (struct pp_cost_pair){ 0 };
	}
	return (struct pp_cost_pair){ pp_costs_own(p, row)[metric],
		                      pp_costs_own(p, row)[p->metrics.n + metric] };
}

/* Adds costs, one per metric. */
static inline void
pp_values_add(const struct pp_profile *p, union pp_value *sums, const union pp_value *values)
{
	size_t m;

	for (m = 0; m < p->metrics.n; m++)
		pp_value_add(&p->metrics.at[m], &sums[m], values[m]);
}

/* The same of cells. */
static inline void
pp_values_add_cells(const struct pp_profile *p, union pp_value *sums, struct pp_cells cells)
{
	const struct pp_metric *metrics = p->metrics.at;
	size_t i;

	if (PP_LIKELY(!cells.column))
		for (i = 0; i < cells.n; i++)
			pp_value_add(&metrics[i], &sums[i],
			             pp_cell_value(&metrics[i], cells.at[i]));
	else
		for (i = 0; i < cells.n; i++) {
			uint32_t m = pp_cells_column(&cells, i);

			pp_value_add(&metrics[m], &sums[m],
			             pp_cell_value(&metrics[m], cells.at[i]));
		}
}

/* Leaves a series without rows; what it had is somebody else's, or freed before. */
static inline void
pp_series_forget(struct pp_series *s)
{
	s->cells = NULL;
	s->wide = NULL;
	s->node_of = NULL;
	s->present = NULL;
	s->rows = s->rows_cap = 0;
}

void pp_series_release(struct pp_series *);
/* The cells of a node, made zero when absent and marked present; NULL when out of memory. */
int64_t *pp_series_at(struct pp_series *, pp_node);
/* The cell of a node and a metric in one that has `wide`, likewise; and only the row. */
int64_t *pp_series_wide_at(struct pp_series *, pp_node, uint32_t metric);
bool pp_series_wide_row(struct pp_series *, pp_node);

/* The node of row r of a series. */
static inline pp_node
pp_series_node(const struct pp_series *s, uint32_t row)
{
	return s->dense ? row : s->node_of[row];
}

/* Whether row r was given by the file (a node that merely lies on a path was not). */
static inline bool
pp_series_present(const struct pp_series *s, uint32_t row)
{
	return !s->dense || (s->present[row >> 6] >> (row & 63) & 1);
}

/* The cells of row r; not where the series is sparse. */
static inline const int64_t *
pp_series_cells(const struct pp_series *s, uint32_t row)
{
	return s->cells + (size_t)row * s->stride;
}

/* The cell of row r of a metric. */
static inline int64_t
pp_series_cell(const struct pp_series *s, uint32_t row, size_t metric)
{
	const int64_t *cell;

	if (PP_LIKELY(!s->wide))
		return s->cells[(size_t)row * s->stride + metric];
	cell = pp_wide_find(s->wide, row, (uint32_t)metric);
	return cell ? *cell : 0;
}

/* What row r costs, few metrics or many. */
static inline struct pp_cells
pp_series_costs(const struct pp_profile *p, const struct pp_series *s, uint32_t row)
{
	return PP_UNLIKELY(s->wide)
	           ? pp_wide_cells(s->wide, row, 0, (uint32_t)p->metrics.n)
	           : (struct pp_cells){ .at = pp_series_cells(s, row), .n = p->metrics.n };
}

/* The measured inclusive costs of row r, or NULL when the series has none. */
static inline const int64_t *
pp_series_measured(const struct pp_profile *p, const struct pp_series *s, uint32_t row)
{
	return s->measured ? pp_series_cells(s, row) + p->metrics.n + s->has_calls : NULL;
}

/*
 * A metric that falls (PP_METRIC_SIGNED) may have a second one of its name behind all others (PP_METRIC_GAINED): what was
 * gained, step by step as the file records it. Filters, groups and sums treat that as any metric; names, lists and
 * files do not show it.
 */

/* How many metrics there are to be shown: those before the gains. */
static inline size_t
pp_metrics_shown(const struct pp_profile *p)
{
	size_t n = p->metrics.n;

	while (n && p->metrics.at[n - 1].flags & PP_METRIC_GAINED)
		n--;
	return n;
}

/* Whether a metric falls, so that what was gained and given back are told apart. */
static inline bool
pp_metric_falls(const struct pp_metric *m)
{
	return (m->flags & (PP_METRIC_SIGNED | PP_METRIC_NO_SUM)) == PP_METRIC_SIGNED;
}

/* Whether any metric does. */
bool pp_profile_falls(const struct pp_profile *);
/* The metric of what one gained; metrics.n when that is not known. */
size_t pp_metric_gained(const struct pp_profile *, size_t metric);
/* Whether of any metric that falls it is known what it gained. */
bool pp_profile_has_gains(const struct pp_profile *);
/* Of how many rows of the series a metric's net cost does not tell what was gained, as far as that is known. */
uint64_t pp_gains_hidden(const struct pp_profile *, size_t metric);
/* What shares and widths are of: what a metric gained, at least, where that is known; else the metric itself. */
size_t pp_metric_of_shares(const struct pp_profile *, size_t metric);
/*
 * What of a metric was gained, where it falls: what is known of that (0 = nothing), but no less than what is left of it.
 * Where it does not fall it is the value itself.
 */
union pp_value pp_value_gained(const struct pp_metric *, union pp_value net, union pp_value gained);
/* The same out of values, one per metric. */
union pp_value pp_values_gained(const struct pp_profile *, const union pp_value *values,
                                size_t metric);
/*
 * How much rather than others a metric is shown where the file does not choose: time most, then cycles, which are time
 * at some rate, then instructions, which are work.
 */
enum { PP_PREFERS_INSTRUCTIONS = 1, PP_PREFERS_CYCLES, PP_PREFERS_TIME };
unsigned pp_metric_preference(const struct pp_profile *, const struct pp_metric *);
/* Of the metrics that are marked as primary ones, one of each event, leaves the one that is preferred, or the first. */
void pp_metrics_settle_primary(struct pp_profile *);
/* The metric to use unless told otherwise: the primary one, else the first; metrics.n when none. */
size_t pp_profile_primary(const struct pp_profile *);
/*
 * From when to when it was recorded: as the file says, or else from the first of its events to the last. Traces
 * tell it themselves: what a file says may include time that their clock leaves out, such as the profiler's own.
 */
struct pp_time_span pp_profile_span(const struct pp_profile *);
/* Appends what a metric is called: its name, or EVENT/NAME where several share that. */
void pp_metric_label(const struct pp_profile *, const struct pp_metric *, struct pp_buf *);
/* Appends what people call it: "wall time" of `wt`. No two metrics of a profile are called alike. */
void pp_metric_title(const struct pp_profile *, const struct pp_metric *, struct pp_buf *);
/* Whether a metric goes by a name, or by "EVENT/NAME". */
bool pp_metric_is_named(const struct pp_profile *, const struct pp_metric *, struct pp_slice name);
/* A metric by name (or "EVENT/NAME"), else by what people call it, else by its number; metrics.n when there is none. */
size_t pp_profile_metric_find(const struct pp_profile *, struct pp_slice name);
/* Whether metrics of two profiles are of one kind and unit. */
bool pp_metric_same_kind(const struct pp_profile *, const struct pp_metric *,
                         const struct pp_profile *, const struct pp_metric *);
/* The metric of `p` with the name, event, unit and kind of one of `other`; metrics.n when there is none. */
size_t pp_profile_metric_same(const struct pp_profile *p, const struct pp_profile *other,
                              const struct pp_metric *);
/* The only one of its kind and unit, if that kind says what it means. */
size_t pp_profile_metric_sole(const struct pp_profile *p, const struct pp_profile *other,
                              const struct pp_metric *);
/*
 * The metric of `p` that means what a metric of `other` means; metrics.n when there is none. That is one
 * of the same name, event, unit and kind; else the only one of its kind and unit, if it is the only one
 * on the other side too (SPX "wt" and Xdebug "Time" are both wall time in ns).
 */
size_t pp_profile_metric_like(const struct pp_profile *p, const struct pp_profile *other,
                              size_t metric);
/* The order of functions by name, file, line and column, whichever profiles they are of. */
int pp_func_row_cmp(const struct pp_profile *, const struct pp_func_row *a,
                    const struct pp_profile *, const struct pp_func_row *b);
/* The order of functions by name, file, line, column and module. */
int pp_func_cmp(const struct pp_profile *, pp_func a, pp_func b);
/*
 * Says that a sum of a metric, or of calls when `metric` is metrics.n, exceeds 64 bits at a function (0 = at
 * none).
 */
void pp_profile_sum_problem(const struct pp_profile *, pp_func, size_t metric, struct pp_buf *);
/*
 * Where the costs of functions come from. What the file states of them outranks what would have to be
 * added up; stacks are asked when nothing does.
 */
enum pp_basis {
	PP_BASIS_TREE,  /* own cost of nodes, inclusive by the tree */
	PP_BASIS_LINES, /* own cost of lines, inclusive cost of calls with cycles resolved */
	PP_BASIS_CALLS, /* calls */
	PP_BASIS_COSTS  /* the functions' own table */
};

enum pp_basis pp_profile_basis(const struct pp_profile *);
/* From here on the stacks tell what functions cost, whatever was stated. */
void pp_profile_forget_stated(struct pp_profile *);

#define PP_ALL_SERIES SIZE_MAX

struct pp_ledger;
/*
 * What each function costs itself by anything but stacks, by function and metric, of one series or of all; row 0 is
 * what belongs to no function. Functions go by identity, groups aside when `alone`. The caller's to release;
 * false when out of memory (then there is nothing to release).
 */
bool pp_profile_own(const struct pp_profile *, size_t series, bool alone, struct pp_ledger *own);

/* Whether calls, which state inclusive costs only, are all that tells what functions cost. */
bool pp_calls_are_all(const struct pp_profile *);
/* By function, by identity: whether a call of it is told. The caller's to free; NULL when out of memory. */
bool *pp_funcs_called(const struct pp_profile *, bool alone);
/* Whether calls were counted: else it is only known who called whom. */
bool pp_calls_counted(const struct pp_profile *);

/* The sum of a metric over the whole profile, from whichever facet holds it. */
union pp_value pp_profile_total(const struct pp_profile *, size_t metric);
/* The same of all metrics at once. The caller's to free; NULL when out of memory. */
union pp_value *pp_profile_totals(const struct pp_profile *);
/*
 * The text of a source line that came with the profile; false when it did not. The newline, if the
 * file had one, is left out.
 */
bool pp_profile_source_line(const struct pp_profile *, pp_str file, uint32_t line,
                            struct pp_slice *text);
/* The value of a top-level meta key, or an empty slice. */
struct pp_slice pp_profile_meta(const struct pp_profile *, const char *key);

#endif
