/*
 * What the files of the SPAA reader share: a line taken apart, a chunk of lines, the state of a read.
 *
 * Reading has two halves. Taking a line apart (spaa_parse.c, spaa_dict.c, spaa_stack.c, spaa_sample.c:
 * the pp_spaa_parse_* functions) needs nothing but the line, so chunks of lines are taken apart by any
 * number of threads. Judging and using records (pp_spaa_apply_*) goes by the order of the file, on one
 * thread, so the result never depends on the number of threads.
 */
#ifndef PP_SPAA_H
#define PP_SPAA_H

#include "base/hash.h"
#include "formats/format.h"
#include "formats/spaa/rules.h"
#include "model/sums.h"
#include "text/json_scan.h"

/* ---- values ---- */

/* A number: exactly magnitude * 10^-scale, or a double when that does not fit. */
struct pp_spaa_num {
	uint64_t magnitude;
	double real;
	bool is_real;
	bool negative;
	uint8_t scale;
};

#define PP_SPAA_SCALE_MAX 18
/* 10^i */
extern const uint64_t pp_spaa_powers[PP_SPAA_SCALE_MAX + 1];

/* The id of a stack: text, or a number by its digits; 17 and "17" are the same. */
struct pp_spaa_id {
	struct pp_slice text;
	uint64_t hash;
	const unsigned char *at; /* where it stands */
	bool is_text;
	bool is_hex; /* 0x and hexadecimal digits */
};

struct pp_spaa_weight {
	struct pp_slice metric, unit;
	bool has_unit;
	struct pp_spaa_num value;
};

/* A run of items in one of a chunk's pools. */
struct pp_spaa_run {
	uint32_t first, n;
};

/* A stack named by another record, with its weights in windows. */
struct pp_spaa_ref {
	struct pp_spaa_id id;
	struct pp_spaa_run weights;
};

/* A hash of text; seeds are random, so it is good for one read only. */
static inline uint64_t
pp_spaa_hash(const unsigned char *p, size_t n, uint64_t seed)
{
	uint64_t h = seed ^ n * PP_HASH_K1, last = 0;
	size_t i;

	if (n < 8) {
		for (i = 0; i < n; i++)
			last = last << 8 | p[i];
		return pp_mix(h ^ last, PP_HASH_K1);
	}
	for (i = 0; i + 8 < n; i += 8)
		h = pp_mix(h ^ pp_load64(p + i), PP_HASH_K2);
	return pp_mix(h ^ pp_load64(p + n - 8), PP_HASH_K1);
}

/* ---- records ---- */

enum pp_spaa_type {
	PP_SPAA_HEADER,
	PP_SPAA_DSO,
	PP_SPAA_FRAME,
	PP_SPAA_THREAD,
	PP_SPAA_STACK,
	PP_SPAA_SAMPLE,
	PP_SPAA_WINDOW,
	PP_SPAA_OTHER, /* x_ records and unknown ones */
	PP_SPAA_NONE   /* not even a type */
};

enum pp_spaa_kind { PP_SPAA_USER, PP_SPAA_KERNEL, PP_SPAA_UNKNOWN };
enum pp_spaa_stack_type { PP_SPAA_UNIFIED, PP_SPAA_USER_STACK, PP_SPAA_KERNEL_STACK };

struct pp_spaa_dso {
	uint64_t id;
	struct pp_slice name, build_id;
	bool has_id, has_name, is_kernel;
};

struct pp_spaa_frame {
	uint64_t id, dso, depth;
	struct pp_slice func, srcline, ip, symoff;
	enum pp_spaa_kind kind;
	bool has_id, has_dso, has_func, has_depth, has_ip, has_symoff, has_srcline;
	bool unresolved, inlined;
};

struct pp_spaa_thread {
	uint64_t pid, tid;
	struct pp_slice comm;
};

/* A number that may be absent: -1. Thread, process and cpu numbers past 2^63 are absent too. */
struct pp_spaa_stack {
	struct pp_spaa_id id;
	struct pp_spaa_run frames, weights, own, related;
	struct pp_slice event, comm;
	uint64_t context; /* a hash of its context: equal ones are equal as JSON values */
	uint64_t leaf;    /* exclusive.frame */
	int64_t pid, tid, cpu;
	enum pp_spaa_stack_type type;
	bool has_id, has_event, has_own, has_leaf;
};

struct pp_spaa_sample {
	struct pp_spaa_id id;
	struct pp_slice event;
	struct pp_spaa_num time;
	uint64_t period;
	int64_t pid, tid, cpu;
	bool has_period;
};

struct pp_spaa_window {
	struct pp_spaa_num start, end;
	struct pp_slice unit;
	struct pp_spaa_run by_stack;
};

struct pp_spaa_record {
	enum pp_spaa_type type;
	bool wrong;    /* an error was found: it must not be used */
	uint64_t line; /* within the chunk, from 1 */
	struct pp_slice text;
	union {
		struct pp_spaa_dso dso;
		struct pp_spaa_frame frame;
		struct pp_spaa_thread thread;
		struct pp_spaa_stack stack;
		struct pp_spaa_sample sample;
		struct pp_spaa_window window;
		struct pp_slice name; /* of another type */
	} u;
};

struct pp_spaa_finding {
	enum pp_spaa_rule rule;
	uint64_t line;
	const unsigned char *line_at, *at;
	const char *message;
};

/* Some lines, taken apart. */
struct pp_spaa_chunk {
	const unsigned char *begin, *end;
	uint64_t lines;
	PP_VEC(struct pp_spaa_record) records;
	PP_VEC(uint64_t) frames;
	PP_VEC(struct pp_spaa_weight) weights;
	PP_VEC(struct pp_spaa_ref) refs;
	PP_VEC(struct pp_spaa_finding) findings;
	struct pp_arena arena; /* unescaped strings, messages */
	pp_status status;
	bool extras; /* something has no meaning to anybody here and is kept only as text */
};

/* ---- taking lines apart ---- */

/* An object or array that a walk is in. */
struct pp_spaa_level {
	uint64_t hash, key;
	size_t keys;
	uint64_t serial;
	bool object;
};

/* An object of a context that was there lately, by its bytes in the chunk. */
struct pp_spaa_known {
	struct pp_slice text;
	uint64_t hash;
};

struct pp_spaa_parser {
	struct pp_scan scan;
	struct pp_spaa_chunk *chunk;
	struct pp_spaa_record *rec;
	uint32_t max_nesting;
	uint64_t seed;
	const unsigned char
	    *type_at;            /* where the type of a record stands, if it is none of the known */
	struct pp_slice weights; /* the text of the stack's weights, if they are right */
	uint64_t serial;         /* of the objects seen in this line */
	PP_VEC(uint64_t) keys;   /* hashes of the unknown keys of the open objects */
	struct pp_map many;      /* the same for objects with many of them */
	PP_VEC(struct pp_spaa_level) levels;
	struct pp_spaa_known known[8];
	unsigned known_next;
};

/* An object being read: which known keys were seen, taken, wrong. */
struct pp_spaa_object {
	struct pp_json_names names;
	uint64_t seen, taken, wrong;
	const unsigned char *at; /* its bracket */
	size_t keys;
	uint64_t serial;
	bool warn; /* unknown keys without x_ deserve a warning */
	const char *what;
	/* the current key */
	struct pp_json_str key;
	unsigned index;
};

bool pp_spaa_parser_init(struct pp_spaa_parser *, uint64_t seed, uint32_t max_nesting);
void pp_spaa_parser_release(struct pp_spaa_parser *);
void pp_spaa_chunk_release(struct pp_spaa_chunk *);
/* Takes all lines of [chunk->begin, chunk->end) apart. */
void pp_spaa_chunk_parse(struct pp_spaa_chunk *, struct pp_spaa_parser *);
/* The type that a word names. */
enum pp_spaa_type pp_spaa_type_of(struct pp_slice word);

void pp_spaa_find(struct pp_spaa_parser *, enum pp_spaa_rule, const unsigned char *at,
                  const char *fmt, ...) PP_PRINTF(4, 5);

/* Reports the error of the scanner. */
void pp_spaa_scan_error(struct pp_spaa_parser *);

/* Where the value that comes next starts. */
static inline const unsigned char *
pp_spaa_here(struct pp_spaa_parser *p)
{
	(void)pp_scan_peek(&p->scan);
	return p->scan.cur;
}

/* Enters the object that comes next. False, with the value passed, when it is something else. */
bool pp_spaa_object_begin(struct pp_spaa_parser *, struct pp_spaa_object *,
                          const struct pp_slice *names, unsigned count, enum pp_spaa_rule,
                          const char *what);
/*
 * The next key, in o->key and o->index; duplicates are reported and unknown keys with their values
 * passed here (when `hash` is not NULL each is added to it). False at the end.
 */
bool pp_spaa_object_key(struct pp_spaa_parser *, struct pp_spaa_object *, uint64_t *hash);
/* Reports keys that must be there and are not. */
void pp_spaa_object_need(struct pp_spaa_parser *, const struct pp_spaa_object *, unsigned key,
                         enum pp_spaa_rule);

/*
 * The value of the current key, if it is right: then its bit in o->taken is set and the result true.
 * null counts as absent. What is wrong is reported and passed.
 */
bool pp_spaa_uint(struct pp_spaa_parser *, struct pp_spaa_object *, enum pp_spaa_rule, uint64_t *);
bool pp_spaa_number(struct pp_spaa_parser *, struct pp_spaa_object *, enum pp_spaa_rule,
                    struct pp_spaa_num *);
bool pp_spaa_text(struct pp_spaa_parser *, struct pp_spaa_object *, enum pp_spaa_rule,
                  struct pp_slice *);
bool pp_spaa_bool(struct pp_spaa_parser *, struct pp_spaa_object *, enum pp_spaa_rule, bool *);
/* One of the words; its index. */
bool pp_spaa_word(struct pp_spaa_parser *, struct pp_spaa_object *, enum pp_spaa_rule,
                  const struct pp_slice *words, unsigned count, bool null_is_absent, unsigned *);
/* Neither of these takes null for absent. */
bool pp_spaa_id(struct pp_spaa_parser *, enum pp_spaa_rule, const char *what, struct pp_spaa_id *);
bool pp_spaa_array_begin(struct pp_spaa_parser *, enum pp_spaa_rule, const char *what);
/* Passes any value, looking for duplicate keys; its hash says which values are equal. */
uint64_t pp_spaa_walk(struct pp_spaa_parser *);
/* The same for a value of the context at *at; false, and nothing done, when something deserves a finding. */
bool pp_spaa_walk_plain(struct pp_spaa_parser *, const unsigned char **at, uint64_t *hash);
/* A list of weights. */
bool pp_spaa_weights(struct pp_spaa_parser *, const char *what, struct pp_spaa_run *);

bool pp_spaa_is_hex(struct pp_slice);
/* Whether a name is one that only kernel images have. */
bool pp_spaa_kernel_name(struct pp_slice);
/* All of a text as a number, as the reader takes it. */
bool pp_spaa_num_parse(struct pp_slice, struct pp_spaa_num *);
/* What is no double in units of 10^-18: 64 bits and 18 digits are less than 127 bits. */
pp_i128 pp_spaa_num_widest(const struct pp_spaa_num *);
/* Orders two numbers: -1, 0, 1. */
int pp_spaa_num_cmp(const struct pp_spaa_num *, const struct pp_spaa_num *);
static inline bool
pp_spaa_num_is_zero(const struct pp_spaa_num *n)
{
	return n->is_real ? n->real == 0.0 : n->magnitude == 0;
}
static inline bool
pp_spaa_num_is_negative(const struct pp_spaa_num *n)
{
	return n->is_real ? n->real < 0.0 : n->negative && n->magnitude;
}
double pp_spaa_num_double(const struct pp_spaa_num *);
/* number * num, rounded to a whole; false when that passes 64 bits. */
bool pp_spaa_num_scaled(const struct pp_spaa_num *, int64_t num, int64_t *out);

/* The keys of a context, in the order of the names in spaa_stack.c. */
enum {
	PP_SPAA_CTX_EVENT,
	PP_SPAA_CTX_PID,
	PP_SPAA_CTX_TID,
	PP_SPAA_CTX_CPU,
	PP_SPAA_CTX_COMM,
	PP_SPAA_CTX_PROBE,
	PP_SPAA_CTX_EXECNAME,
	PP_SPAA_CTX_UID,
	PP_SPAA_CTX_ZONENAME,
	PP_SPAA_CTX_TRACE_FIELDS
};

/* A known key and its value as a part of the hash of a context, in any order. */
static inline uint64_t
pp_spaa_context_add(unsigned key, uint64_t value)
{
	return pp_mix(PP_HASH_K1 * (key + 1), value ^ PP_HASH_K2);
}

/* Take the line apart if it is written plainly; false (and nothing changed but the record) when not. */
bool pp_spaa_quick_sample(struct pp_spaa_parser *);
bool pp_spaa_quick_stack(struct pp_spaa_parser *);

void pp_spaa_parse_dso(struct pp_spaa_parser *);
void pp_spaa_parse_frame(struct pp_spaa_parser *);
void pp_spaa_parse_thread(struct pp_spaa_parser *);
void pp_spaa_parse_stack(struct pp_spaa_parser *);
void pp_spaa_parse_sample(struct pp_spaa_parser *);
void pp_spaa_parse_window(struct pp_spaa_parser *);

/* ---- the state of a read ---- */

enum pp_spaa_mode { PP_SPAA_PERIOD, PP_SPAA_FREQUENCY, PP_SPAA_EVENT };
enum pp_spaa_event_kind {
	PP_SPAA_HARDWARE,
	PP_SPAA_SOFTWARE,
	PP_SPAA_ALLOCATION,
	PP_SPAA_DEALLOCATION,
	PP_SPAA_TIMER,
	PP_SPAA_PROBE
};

/* One metric of one event: a column of values. */
struct pp_spaa_column {
	uint32_t metric;            /* in pp_spaa_reader.metrics */
	bool real, negative, large; /* some value is a double, below 0, past 2^63-1 */
	bool zero;                  /* some stack has it and it is 0 */
	uint8_t scale;
};

#define PP_SPAA_DROPPED UINT32_MAX /* the series of a row that went into others */

struct pp_spaa_row {
	uint32_t series, home; /* home stays when it is dropped */
	pp_node node;          /* set when the batch is flushed; with `flat` its path, held + 1 */
	pp_node base;          /* of halves: the node before joining; with `flat` the path above */
};

struct pp_spaa_event {
	struct pp_slice name; /* in the profile's strings */
	pp_str str;
	enum pp_spaa_event_kind kind;
	enum pp_spaa_mode mode;
	struct pp_slice primary;
	struct pp_spaa_num period, frequency;
	bool has_period, has_frequency, documented;
	PP_VEC(struct pp_spaa_column) columns; /* [0] is the primary metric */
	PP_VEC(struct pp_spaa_row) rows;
	PP_VEC(int64_t) cells; /* `wide` per row */
	size_t wide;           /* columns there is room for: 1, 2, 4, ...; those not used are 0 */
	uint32_t first_metric; /* of the profile, when it is finished */
	uint32_t time_from;    /* column from which time is derived, or UINT32_MAX */
	struct pp_sums sums;   /* by frame, when only sums are wanted */
	uint64_t summed;       /* rows that went into them */
	uint32_t rest;         /* row + 1 of stacks that nobody asks about */
};

/* An exclusive value that is less than the stack's. */
struct pp_spaa_less {
	uint32_t event, row, column;
	struct pp_spaa_num own;
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

struct pp_spaa_header {
	bool seen;
	bool root_to_leaf;
	bool local_ids;
	bool is_perf, is_dtrace;
	bool has_range;
	struct pp_spaa_num start, end;
	int64_t unit; /* ns per unit of the range; 0 = unknown */
	bool unit_odd;
};

/* Numbers to rows: a table for small ones, a map for the others. */
struct pp_spaa_table {
	uint32_t *small; /* row + 1 */
	size_t small_n;
	struct pp_map large;
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
	bool inlined, has_depth, kept;
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
	uint32_t row;  /* of the event's rows */
	uint32_t next; /* record of the same id + 1 */
	uint32_t id;
	enum pp_spaa_stack_type type;
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

/*
 * A stack whose frames wait, root first, until its partners are known: a kernel stack with related
 * ones; with `flat` every half of a stack.
 */
struct pp_spaa_held {
	uint32_t record;
	size_t first;
	uint32_t depth;
};

/* A sample, or what a stack weighs in a window. */
struct pp_spaa_moment {
	int64_t time;
	union {
		uint64_t period;            /* of a sample */
		struct pp_spaa_run weights; /* of a window: in window_weights */
	};
	int64_t tid;
	uint32_t id, event, cpu;
	bool has_period;
};

struct pp_spaa_window_weight {
	uint32_t metric;
	struct pp_spaa_num value;
};

struct pp_spaa_reader {
	struct pp_reader *reader;
	struct pp_builder *builder;
	bool want_tree, want_time;
	bool flat;             /* only sums per function are wanted: no tree where none is needed */
	struct pp_sieve sieve; /* what of a stack is added up, if it has a filter */
	bool functions;        /* places are not asked for: one frame for each function */
	bool keep;             /* stacks that nobody asks about are summed up */
	bool gave_up;
	bool early;     /* a record stood before the header */
	uint64_t lines; /* before the current chunk */
	uint64_t errors;
	const struct pp_spaa_chunk *chunk;
	struct pp_spaa_parser parser; /* for the header */
	struct pp_spaa_parser line_parser;
	struct pp_spaa_header header;
	PP_VEC(struct pp_spaa_event) events;
	struct pp_map event_of; /* pp_str of the name -> event */
	uint32_t last_event;

	struct pp_spaa_table dso_of, frame_of, thread_of;
	PP_VEC(struct pp_spaa_dso_row) dsos;
	PP_VEC(struct pp_spaa_frame_row) frames;
	PP_VEC(struct pp_spaa_thread_row) threads;
	struct pp_map func_of; /* name, module -> function */

	struct pp_spaa_id_slot {
		uint32_t tag;
		uint32_t id; /* row + 1 */
	} * id_slots;
	unsigned id_bits; /* log2 of the number of slots */
	PP_VEC(struct pp_spaa_id_row) ids;
	PP_VEC(uint64_t) id_frames; /* per id: hash of its frames and type */
	struct pp_arena id_texts;
	PP_VEC(struct pp_spaa_stack_row) stacks;
	struct pp_map
	    contexts; /* of ids with several records: (id, context) and (id, event) -> record */

	PP_VEC(struct pp_spaa_metric) metrics;
	struct pp_map metric_of;   /* hash of the name -> metric */
	struct pp_map unit_of;     /* event, metric -> pp_str of its unit */
	struct pp_map counted;     /* event, metric: those past the bits of pp_spaa_metric.events */
	uint32_t counts;           /* metrics of all events together */
	uint64_t stamp, odd_units; /* of the last list, of the last one with a unit that differs */
	PP_VEC(uint32_t) resolved, weight_metrics;

	struct pp_spaa_series_key {
		uint32_t event;
		int64_t pid, tid, cpu;
		pp_str comm;
	} last_series_key;
	uint32_t last_series;
	PP_VEC(struct pp_spaa_series_key) series;
	struct pp_map series_of;
	uint32_t *series_at; /* the profile's series of each */

	pp_frame *batch_frames;
	uint32_t *batch_depth;
	pp_node *batch_under, *batch_leaf;
	struct pp_spaa_batched {
		uint32_t event, row;
	} * batch_rows;
	size_t batch_n, batch_frame_n;

	PP_VEC(struct pp_spaa_pending) pending;
	struct pp_map pending_of;
	PP_VEC(struct pp_spaa_link) links;
	PP_VEC(struct pp_spaa_less) less;
	PP_VEC(union pp_value) own, total; /* of one stack, to be added up */
	PP_VEC(pp_frame) path;             /* its frames */
	PP_VEC(struct pp_spaa_held) held;
	PP_VEC(pp_frame) held_frames;
	PP_VEC(struct pp_spaa_moment) moments;
	PP_VEC(struct pp_spaa_moment) windows;
	PP_VEC(struct pp_spaa_window_weight) window_weights;
	uint64_t samples;
	bool has_windows;
	bool has_extras; /* there is something that only writing all records back keeps */
	struct pp_spaa_kept *kept;
	struct pp_spaa_carry *carry; /* what x_polyprof records restore; NULL when there are none */
	bool carries;                /* the header announces them */
	bool installed;              /* the carried profile is in place */
	uint64_t mark;               /* sum over the stack records */
};

/* ---- judging and using records ---- */

pp_status pp_spaa_read(struct pp_reader *, struct pp_builder *);

void pp_spaa_apply_header(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_dso(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_frame(struct pp_spaa_reader *, const struct pp_spaa_record *);
void pp_spaa_apply_thread(struct pp_spaa_reader *, const struct pp_spaa_record *);
bool pp_spaa_apply_stack(struct pp_spaa_reader *, const struct pp_spaa_record *);
bool pp_spaa_apply_sample(struct pp_spaa_reader *, const struct pp_spaa_record *);
bool pp_spaa_apply_window(struct pp_spaa_reader *, const struct pp_spaa_record *);
/* The record of an id with a context, PP_MAP_NONE when there is none. */
uint32_t pp_spaa_context_find(const struct pp_spaa_reader *, uint32_t id, uint64_t context);
/* Looks at what could not be judged before: references forward. */
void pp_spaa_apply_end(struct pp_spaa_reader *);
/* The column of a metric, made when absent; UINT32_MAX when out of memory. `guess` goes from 1 up. */
uint32_t pp_spaa_column(struct pp_spaa_reader *, struct pp_spaa_event *, uint32_t metric,
                        uint32_t *guess);
/* A value as a cell of its column, whose type and scale grow with what they must hold. */
int64_t pp_spaa_cell(struct pp_spaa_event *, uint32_t column, const struct pp_spaa_num *);
/* Notes which exclusive values of the record are less than those of the row made last. */
void pp_spaa_less_add(struct pp_spaa_reader *, const struct pp_spaa_record *, uint32_t event);
/* Adds the row made last up and takes it away again. */
void pp_spaa_sums_take(struct pp_spaa_reader *, uint32_t event, pp_frame *, size_t depth);
/* Adds the row made last to those of stacks that nobody asks about. */
void pp_spaa_rest_take(struct pp_spaa_reader *, uint32_t event);
/* Adds the rows up that are left, and gives all sums to the profile. */
void pp_spaa_sums_finish(struct pp_spaa_reader *);
/* Says where exclusive values are less than those of the stack. */
void pp_spaa_less_finish(struct pp_spaa_reader *);
/* Puts the waiting stacks into the tree. */
bool pp_spaa_flush(struct pp_spaa_reader *);
/* Makes metrics, series and timelines of what was read. */
void pp_spaa_model_finish(struct pp_spaa_reader *);
/* Makes columns hold what samples or windows say. */
void pp_spaa_times_fit(struct pp_spaa_reader *);
void pp_spaa_timeline_build(struct pp_spaa_reader *);
/* The header as metadata. */
void pp_spaa_model_meta(struct pp_spaa_reader *, struct pp_slice header);

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

bool pp_spaa_table_get(const struct pp_spaa_table *, uint64_t number, uint32_t *row);
bool pp_spaa_table_set(struct pp_spaa_table *, uint64_t number, uint32_t row);
void pp_spaa_table_release(struct pp_spaa_table *);

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
/* Nanoseconds of a unit of time, 0 when it is none; *odd when the name is short for a proper one. */
int64_t pp_spaa_time_unit(struct pp_slice name, bool *odd);

#define PP_SPAA_NO_EVENT UINT32_MAX
/* Stacks that are put into the tree together. */
#define PP_SPAA_BATCH 512

#endif
