/*
 * The state of a read.
 *
 * Reading has two halves. Taking a line apart (record.h) needs nothing but the line, so chunks of lines
 * are taken apart by any number of threads. Judging and using records (pp_spaa_apply_*) goes by the
 * order of the file, on one thread, so the result never depends on the number of threads.
 */
#ifndef PP_SPAA_H
#define PP_SPAA_H

#include "base/id_table.h"
#include "base/slots.h"
#include "formats/format.h"
#include "formats/spaa/record.h"

/* ---- the state of a read ---- */

/* One metric of one event: a column of values. */
struct pp_spaa_column {
	uint32_t metric;            /* in pp_spaa_metrics.rows */
	uint32_t column;            /* the builder's */
	bool real, negative, large; /* some value is a double, below 0, past 2^63-1 */
	bool zero;                  /* some stack has it and it is 0 */
	uint8_t scale;
};

struct pp_spaa_event {
	struct pp_spaa_declared said; /* its texts are in the profile's strings */
	pp_str str;
	uint32_t number;                       /* among the events */
	PP_VEC(struct pp_spaa_column) columns; /* [0] is the primary metric */
	bool used;                             /* it has stacks */
	uint32_t first_metric;                 /* of the profile, when it is finished */
	uint32_t time_from; /* column from which time is derived, or UINT32_MAX */
};

/* A value of a stack, and what of it is its leaf's own, if that is less. */
struct pp_spaa_cost {
	uint32_t column; /* of its event */
	bool apart;
	struct pp_decimal value, own;
};

/* What a metric's name means to the rules. */
enum pp_spaa_special {
	PP_SPAA_PLAIN,
	PP_SPAA_M_PERIOD,
	PP_SPAA_M_SAMPLES,
	PP_SPAA_M_COUNT,
	PP_SPAA_M_CPU_TIME,
	PP_SPAA_M_ALLOC_BYTES,
	PP_SPAA_M_FREE_BYTES,
	PP_SPAA_M_LIVE_BYTES,
	PP_SPAA_M_ALLOC_COUNT,
	PP_SPAA_M_FREE_COUNT,
	PP_SPAA_M_LIVE_COUNT,
	PP_SPAA_M_PEAK_BYTES,
	PP_SPAA_SPECIALS
};

struct pp_spaa_metric {
	struct pp_slice name;
	struct pp_slice unit; /* as the event `unit_event` has it, which named it last */
	uint32_t unit_event;
	bool has_unit;
	enum pp_spaa_special special;
	uint64_t events;  /* bit per event (the first 64) that counts it */
	uint64_t stamp;   /* of the list that named it last */
	uint64_t weighed; /* the same, of the weights of stacks only, */
	uint32_t at;      /* and where in them */
};

struct pp_spaa_dso_row {
	uint64_t id;
	pp_module module;
	bool is_kernel;
};

struct pp_spaa_frame_row {
	pp_frame frame;
	uint32_t dso;        /* row */
	uint64_t ip, symoff; /* hashes of their text; 0 = absent */
	uint64_t depth;
	uint8_t kind;
	bool inlined, has_depth;
};

struct pp_spaa_thread_row {
	uint64_t tid, pid;
	pp_str comm;
	bool declared, used;
};

/* A stack id. Short ones stand here, so that finding one takes two cache misses and not three. */
struct pp_spaa_id_row {
	uint32_t n;
	uint32_t record; /* its first one + 1; 0 = not defined so far */
	uint32_t event;  /* of that one */
	union {
		unsigned char text[20];
		const unsigned char *longer;
	} u;
};

/* One stack record. */
struct pp_spaa_stack_row {
	uint64_t context;
	uint32_t event;
	uint32_t series; /* in pp_spaa_costs.series */
	uint32_t next;   /* record of the same id + 1 */
	uint32_t id;
	enum pp_spaa_stack_type type;
	pp_stack where; /* in the tree, when the builder knows it and there are timelines */
};

#define PP_SPAA_REFUSED UINT32_MAX /* pp_spaa_id_row.record of a stack that was refused */

/* A reference that cannot be judged before the end. */
struct pp_spaa_pending {
	uint32_t id, event;
	enum pp_spaa_rule rule;
	struct pp_place place;
	uint64_t times;
};

struct pp_spaa_link {
	uint32_t from, to; /* ids */
	uint32_t record;   /* stack record that says so */
	struct pp_place place;
};

/* The user or the kernel part of a stack, which waits until its partners are known. */
struct pp_spaa_half {
	uint32_t record;
	uint32_t depth;
	size_t frames; /* root first: in pp_spaa_costs.half_frames */
	size_t costs;  /* in pp_spaa_costs.list */
	uint32_t n;
	bool dropped; /* all of it went into others */
	size_t cells; /* what is left of its costs, when halves are joined */
};

/* A sample, or what a stack weighs in a window. */
struct pp_spaa_moment {
	int64_t time;
	union {
		uint64_t period;            /* of a sample */
		struct pp_spaa_run weights; /* of a window: in window_weights */
	};
	int64_t pid, tid;
	uint32_t id, event, cpu;
	bool has_period, timed;
};

/* What the samples of one thread say of a stack without thread. */
struct pp_spaa_share {
	uint32_t from, to; /* in pp_spaa_costs.series */
	pp_node node;
	size_t cells; /* in share_cells: one per metric of the event */
	bool split;   /* it is the thread's now */
};

struct pp_spaa_window_weight {
	uint32_t metric;
	struct pp_decimal value;
};

/* ---- the stages of a read, each with the few files that may touch it ---- */

/* What is being read: read.c, header.c; all others only report (state.c). */
struct pp_spaa_input {
	const struct pp_spaa_chunk *chunk; /* whose records are used */
	struct pp_spaa_parser parser;
	uint64_t lines;  /* before the chunk */
	uint64_t errors; /* found so far */
	bool early;      /* a record stood before the header */
	bool gave_up;
};

/* dso, frame and thread records: dict.c. */
struct pp_spaa_dicts {
	struct pp_id_table dso_of, frame_of, thread_of;
	PP_VEC(struct pp_spaa_dso_row) dsos;
	PP_VEC(struct pp_spaa_frame_row) frames;
	PP_VEC(struct pp_spaa_thread_row) threads;
	struct pp_map func_of; /* name, module -> function */
};

/* Stacks by their ids, and what refers to them: stacks.c. */
struct pp_spaa_stacks {
	struct pp_slots slots; /* id + 1 */
	PP_VEC(struct pp_spaa_id_row) ids;
	PP_VEC(uint64_t) id_frames; /* per id: hash of its frames and type */
	struct pp_arena id_texts;
	PP_VEC(struct pp_spaa_stack_row) records;
	struct pp_map
	    contexts; /* of ids with several records: (id, context) and (id, event) -> record */
	PP_VEC(struct pp_spaa_pending) pending;
	struct pp_map pending_of;
	PP_VEC(struct pp_spaa_link) links;
};

/* Metrics by their names, units, and the list of weights judged last: metrics.c. */
struct pp_spaa_metrics {
	PP_VEC(struct pp_spaa_metric) rows;
	struct pp_map of;          /* pp_str of the name -> metric */
	struct pp_map unit_of;     /* event, metric -> pp_str of its unit */
	struct pp_map counted;     /* event, metric: those past the bits of pp_spaa_metric.events */
	uint32_t counts;           /* metrics of all events together */
	uint64_t stamp, odd_units; /* of the last list, of the last one with a unit that differs */
	PP_VEC(uint32_t) resolved; /* metrics of the last list, */
	PP_VEC(uint32_t) weighed;  /* of the weights of a stack */
};

struct pp_spaa_series_key {
	uint32_t event;
	int64_t pid, tid, cpu;
	pp_str comm;
	pp_labels labels;
	uint32_t at; /* the builder's series */
};

/* What stacks cost, by event: costs.c, join.c, model.c. */
struct pp_spaa_costs {
	PP_VEC(struct pp_spaa_event) events;
	struct pp_map event_of; /* pp_str of the name -> event */
	uint32_t last_event;
	PP_VEC(struct pp_spaa_series_key) series;
	struct pp_map series_of;
	struct pp_map labels_of; /* context -> its labels */
	uint32_t last_series;
	uint32_t *moved;             /* where the profile has each series of the builder */
	PP_VEC(pp_frame) path;       /* of one stack */
	PP_VEC(int64_t) values, own; /* of one stack, by column of the builder */
	PP_VEC(uint32_t) used;       /* those columns that it has */
	struct pp_map column_of;     /* event << 32 | metric: the event's column */
	PP_VEC(struct pp_spaa_cost) list;
	PP_VEC(struct pp_spaa_half) halves;
	PP_VEC(pp_frame) half_frames;
};

/* Samples and windows: sample.c, timeline.c. */
struct pp_spaa_times {
	PP_VEC(struct pp_spaa_moment) moments;
	PP_VEC(struct pp_spaa_moment) windows;
	PP_VEC(struct pp_spaa_window_weight) window_weights;
	PP_VEC(struct pp_spaa_share) shares;
	PP_VEC(int64_t) share_cells;
	struct pp_map share_of; /* series of a thread, node -> share */
	uint64_t samples;
	bool has_windows;
};

/* The records of a file as they were, for writing them back without loss; nothing when one was refused. */
struct pp_spaa_kept {
	struct pp_buf lines;
	bool incomplete; /* and they say so */
};

/* What has no meaning here, and profiles of other formats: kept.c, carry_load.c. */
struct pp_spaa_carried {
	bool has_extras; /* there is something that only writing all records back keeps */
	struct pp_spaa_kept *kept;
	struct pp_spaa_carry *carry; /* what x_polyprof records restore; NULL when there are none */
	bool announced;              /* by the header */
	/* Where stacks are listed: frames of all stack records, by their ids, root first, and where those of each end. */
	bool listed;
	PP_VEC(uint32_t) frames;
	PP_VEC(uint64_t) ends;
	bool installed; /* the carried profile is in place */
	uint64_t mark;  /* sum over the stack records */
};

struct pp_spaa_reader {
	struct pp_reader *reader;
	struct pp_builder *builder;
	bool want_costs, want_time;
	struct pp_spaa_input in;
	struct pp_spaa_header header;
	struct pp_spaa_dicts dicts;
	struct pp_spaa_stacks stacks;
	struct pp_spaa_metrics metrics;
	struct pp_spaa_costs costs;
	struct pp_spaa_times times;
	struct pp_spaa_carried carried;
};

/* Frees what a stage holds. */
void pp_spaa_dicts_release(struct pp_spaa_dicts *);
void pp_spaa_stacks_release(struct pp_spaa_stacks *);
void pp_spaa_metrics_release(struct pp_spaa_metrics *);
void pp_spaa_costs_release(struct pp_spaa_costs *);

/* ---- judging and using records ---- */

pp_status pp_spaa_read(struct pp_reader *, struct pp_builder *);

void pp_spaa_apply_header(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_dso(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_frame(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_thread(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_stack(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_sample(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_window(struct pp_spaa_reader *, const struct pp_spaa_record *);
/* Notes that a stack names a thread, which should have been declared before. */
void pp_spaa_thread_used(struct pp_spaa_reader *, int64_t tid);
/* Judges a stack, with the hash of its frames, beside others of the same id. */
void pp_spaa_stack_judge(struct pp_spaa_reader *, const struct pp_spaa_record *, uint32_t id,
                         uint32_t event, uint64_t frames);
/* Notes the record of a stack that is right, and its series. */
bool pp_spaa_stack_add(struct pp_spaa_reader *, const struct pp_spaa_record *, uint32_t id,
                       uint32_t event, uint64_t frames, uint32_t series);
/* The record of an id with a context, PP_MAP_NONE when there is none. */
uint32_t pp_spaa_context_find(const struct pp_spaa_reader *, uint32_t id, uint64_t context);
/* Looks at what could not be judged before: references forward. */
void pp_spaa_apply_end(struct pp_spaa_reader *);
/* One more column of an event; false when out of memory. */
bool pp_spaa_column_add(struct pp_spaa_reader *, struct pp_spaa_event *, uint32_t metric);
/* A value as a cell of its column, whose type and scale grow with what they must hold. */
int64_t pp_spaa_cell_grow(struct pp_spaa_reader *, struct pp_spaa_column *,
                          const struct pp_decimal *);
static inline int64_t
pp_spaa_cell(struct pp_spaa_reader *r, struct pp_spaa_column *c, const struct pp_decimal *v)
{
	if (PP_LIKELY(!v->is_real && v->scale == 0 && !v->negative && v->magnitude <= INT64_MAX &&
	              !c->real && c->scale == 0))
		return (int64_t)v->magnitude;
	return pp_spaa_cell_grow(r, c, v);
}
/* Uses what the stack of a record costs. */
void pp_spaa_costs_add(struct pp_spaa_reader *, const struct pp_spaa_stack *, uint32_t record,
                       const pp_frame *frames);
/* Hands a stack to the builder; `cells`, one per column of its event, stand for the values of `costs`. */
void pp_spaa_stack_give(struct pp_spaa_reader *, uint32_t record, const struct pp_spaa_cost *costs,
                        size_t n, const int64_t *cells, const pp_frame *frames, size_t depth);
/* Puts user and kernel halves together and hands them to the builder. */
void pp_spaa_join(struct pp_spaa_reader *);
/* Makes metrics, series and timelines of what was read. */
void pp_spaa_model_finish(struct pp_spaa_reader *);
/* What the context of a stack says beside that, as far as it is ordered. */
pp_labels pp_spaa_labels(struct pp_spaa_reader *, const struct pp_spaa_record *);
/* The series of an event, process, thread, cpu, name and labels, made when absent. */
uint32_t pp_spaa_series_of(struct pp_spaa_reader *, struct pp_spaa_series_key);
/* Makes columns hold what samples or windows say, and series for their threads. */
void pp_spaa_times_fit(struct pp_spaa_reader *);
void pp_spaa_timeline_build(struct pp_spaa_reader *);

/* Made the profile's private data; NULL when out of memory. */
struct pp_spaa_kept *pp_spaa_kept_new(struct pp_kept_facet *);
void pp_spaa_kept_add(struct pp_spaa_reader *, const struct pp_spaa_record *);
/* Nothing is kept of a file that has errors: without what was refused the others may mean nothing. */
void pp_spaa_kept_drop(struct pp_spaa_reader *);
/* What a profile kept and may be written as it is; NULL when nothing. */
const struct pp_spaa_kept *pp_spaa_kept_of(const struct pp_profile *);

/* A finding about a record; `at` (or NULL) is a byte of its line. */
void pp_spaa_report(struct pp_spaa_reader *, const struct pp_spaa_record *, enum pp_spaa_rule,
                    const unsigned char *at, const char *fmt, ...) PP_PRINTF(5, 6);
struct pp_place pp_spaa_place(const struct pp_spaa_reader *, const struct pp_spaa_record *,
                              const unsigned char *at);
/*
 * Where a value stands in a record, for a finding of the rule: a path of keys and, as # (at most two), of
 * `indices` ("weights.#.value"). What of it is not there is left out. No more is looked for once so many
 * findings of the rule are known that another would not be kept.
 */
const unsigned char *pp_spaa_locate(struct pp_spaa_reader *, const struct pp_spaa_record *,
                                    enum pp_spaa_rule, const char *path, const uint32_t *indices);
/* A finding about the value of that path. */
void pp_spaa_report_in(struct pp_spaa_reader *, const struct pp_spaa_record *, enum pp_spaa_rule,
                       const char *path, const uint32_t *indices, const char *fmt, ...)
    PP_PRINTF(6, 7);

/* The event of a name; false when the header does not declare it. */
bool pp_spaa_event_find(struct pp_spaa_reader *, struct pp_slice name, uint32_t *event);
/* The row of a stack id, made when absent; UINT32_MAX when out of memory. */
uint32_t pp_spaa_id_row(struct pp_spaa_reader *, const struct pp_spaa_id *);
/*
 * Metrics of all events together. Every stack has a cell for each of them, so without a limit a file could
 * make memory grow with the square of its length.
 */
#define PP_SPAA_METRICS_MAX 1024
/* Notes that an event counts a metric; false when those are too many. */
bool pp_spaa_metric_count(struct pp_spaa_reader *, uint32_t event, uint32_t metric);
/* The metric of a name, made when absent; UINT32_MAX when out of memory. */
uint32_t pp_spaa_metric_row(struct pp_spaa_reader *, struct pp_slice name);
/* A list of weights: of which event (UINT32_MAX = not known), and where in its record. */
struct pp_spaa_list {
	struct pp_spaa_run run;
	uint32_t event;
	const char *path; /* of an entry */
	uint32_t entry;   /* of a window, if the path has two # */
};
/*
 * Resolves a list of weights: (*metric_at)[i] for each (valid until the next call; may be NULL); reports
 * duplicates and differing units. False when it must not be used.
 */
bool pp_spaa_metrics_resolve(struct pp_spaa_reader *, const struct pp_spaa_record *,
                             const struct pp_spaa_list *, uint32_t **metric_at);
/* The unit that an event's weights give a metric. */
struct pp_slice pp_spaa_unit_of(const struct pp_spaa_reader *, uint32_t event, uint32_t metric,
                                bool *has_unit);
void pp_spaa_no_memory(struct pp_spaa_reader *);
/* A reference from another record to a stack, which may come later. */
void pp_spaa_refer(struct pp_spaa_reader *, const struct pp_spaa_record *,
                   const struct pp_spaa_id *, uint32_t event, enum pp_spaa_rule, uint32_t *out);

#define PP_SPAA_NO_EVENT UINT32_MAX

#endif
