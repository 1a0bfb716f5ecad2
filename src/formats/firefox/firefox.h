/*
 * What the two formats of Firefox have in common: tables of frames and stacks, and threads whose samples name stacks by
 * their row. Internal to src/formats/firefox.
 */
#ifndef PP_FIREFOX_H
#define PP_FIREFOX_H

#include "formats/author.h"
#include "formats/kit/fixed.h"
#include "formats/kit/json_doc.h"

/* Rules that both formats have, at the same place of their lists; each goes on with its own. */
enum { FF_JSON, FF_CUT, FF_INDEX, FF_STACK_ORDER, FF_VERSION, FF_DIGITS, FF_DIGITS_FINE, FF_RULES };

/* What samples count. */
enum ff_metric { FF_SAMPLES, FF_TIME, FF_BYTES, FF_CPU, FF_JS, FF_NATIVE, FF_METRICS };

/* A row of a table that a cell names: none, or what no row can be. */
#define FF_NONE UINT32_MAX
#define FF_BAD (UINT32_MAX - 1)
/* A sample that is left out; rows are less than that. */
#define FF_LEFT_OUT (UINT32_MAX - 2)

/* What metadata say where times are none. */
#define FF_LAID "made up: stacks were laid one after the other"

#define FF_NO_STACK "[no stack]"

typedef PP_VEC(uint32_t) ff_column;

/* What a column has at a row, FF_NONE where it is too short or not there. */
static inline uint32_t
ff_cell_at(const ff_column *column, size_t row)
{
	return row < column->n ? column->at[row] : FF_NONE;
}

/* The same of a line or column of a text, 0 = not known. */
static inline uint32_t
ff_place_at(const ff_column *column, size_t row)
{
	uint32_t v = ff_cell_at(column, row);

	return v < FF_LEFT_OUT ? v : 0;
}

/* A binary: where it was loaded, where that is known. */
struct ff_lib {
	pp_str name, build_id;
	uint64_t start, end, offset;
	uint64_t end_before; /* the largest end up to here, once they are in order */
	uint32_t row;        /* in the file */
	uint32_t place;      /* of the binary whose row in the file is this one's place */
};

struct ff_libs {
	PP_VEC(struct ff_lib) rows; /* in order of their starts */
	struct pp_map by_name;      /* name -> row */
};

struct ff_read;

/* What samples of a thread add up to at a stack. */
struct ff_sum {
	int64_t value, cpu;
	bool touched;
};

/* Stacks: each has a parent, which stands before it, and a frame. */
struct ff_stacks {
	ff_column parent, frame;
	/* By stack: where it went, what samples of a thread add up to, and whether any has it. */
	PP_VEC(pp_stack) where;
	PP_VEC(struct ff_sum) sums; /* one more, behind all, for no stack */
	ff_column touched;
	size_t misplaced; /* whose parents do not come first, to be told */
	/* The frame of a row, made when it is needed first. */
	pp_frame (*frame_of)(struct ff_read *, uint32_t row);
};

/* Samples of a thread, of one metric and perhaps CPU time. */
struct ff_samples {
	ff_column stack;       /* FF_NONE: without one */
	PP_VEC(int64_t) value; /* empty = 1 each */
	PP_VEC(int64_t) cpu;   /* empty = none */
	PP_VEC(int64_t) time;  /* ns; empty = not known */
	enum ff_metric metric;
	uint32_t series;
	size_t n;
};

/* Details of markers that are rows of the strings: the type of the marker and the key. */
struct ff_schema_key {
	struct pp_json_str type;
	struct pp_json_str key;
};

struct ff_schemas {
	PP_VEC(struct ff_schema_key) keys;
	struct pp_buf text;
};

/* Where a long value begins and ends. */
#define FF_LONG 4096
#define FF_LONGS 256
struct ff_long {
	const unsigned char *at, *end;
};

struct ff_read {
	struct pp_json_doc doc;
	struct pp_builder *b;
	const unsigned char *end; /* of the text that is scanned */
	struct pp_fixed fixed[FF_METRICS];
	uint32_t metric[FF_METRICS]; /* of the profile, PP_NO_METRIC = there is none */
	enum ff_metric seen[FF_METRICS];
	unsigned seen_count;
	bool untimed; /* what stands as times is made up */
	int cpu_unit; /* CPU time is counted in 10^-cpu_unit s; 0 = it is no time */
	struct ff_libs libs;
	struct ff_stacks stacks;
	struct ff_schemas schemas;
	/* What a row of the strings is between its quotes; false when there is none such. */
	bool (*string_raw)(struct ff_read *, uint32_t row, struct pp_slice *);
	struct ff_long longs[FF_LONGS]; /* by a hash of their place */
	ff_column path;                 /* rows of stacks on the way to the root */
	void *own;                      /* of the format */
};

/* ---- JSON by places (outline.c) ---- */

struct pp_scan ff_scan(const struct ff_read *, const unsigned char *at);
/* Notes what a scan found to be broken. */
void ff_scanned(struct ff_read *, const struct pp_scan *);
void ff_find(struct ff_read *, unsigned rule, const unsigned char *at, const char *what);
/*
 * Where the values of an object stand, by a list of keys; NULL for what is absent or null. False, and nothing noted, when
 * it is no object.
 */
bool ff_outline(struct ff_read *, const unsigned char *at, const struct pp_slice *keys, unsigned n,
                const unsigned char **values);
/* Rows of a column; what is neither null, -1 nor a row is FF_BAD. False when it is no array. */
bool ff_column_read(struct ff_read *, const unsigned char *at, ff_column *);
/* Item i of an array, for findings. */
const unsigned char *ff_item_at(struct ff_read *, const unsigned char *array, size_t i);
/* Values: false when it is something else. */
bool ff_number_at(struct ff_read *, const unsigned char *at, struct pp_json_num *);
bool ff_u64_at(struct ff_read *, const unsigned char *at, uint64_t *);
uint32_t ff_index_at(struct ff_read *, const unsigned char *at); /* or FF_NONE, FF_BAD */
bool ff_text_at(struct ff_read *, const unsigned char *at, struct pp_slice *);
pp_str ff_str_at(struct ff_read *, const unsigned char *at); /* 0 when it is no text */
/* Calls back for each item of an array until that returns false. False when it is none. */
bool ff_each(struct ff_read *, const unsigned char *array,
             bool (*item)(struct ff_read *, const unsigned char *at, size_t i, void *ctx),
             void *ctx);

/* ---- what both read (thread.c) ---- */

void ff_meta_read(struct ff_read *, const unsigned char *meta);
/* Members of a document that are not read. What there is of them is told to be lost by whoever writes. */
#define FF_UNREAD 3
#define FF_UNREAD_KEYS PP_KEY("counters"), PP_KEY("pages"), PP_KEY("profilerOverhead")
void ff_unread_see(struct ff_read *, const unsigned char *const *values);
/* Notes that there is a metric; the first is the primary one. And makes those that there are. */
void ff_metric_see(struct ff_read *, enum ff_metric);
void ff_metrics_make(struct ff_read *);
void ff_libs_read(struct ff_read *, const unsigned char *libs);
void ff_libs_release(struct ff_libs *);
/* A module by its name, and by its row among the binaries where that is known (else FF_NONE). */
pp_module ff_module(struct ff_read *, pp_str name, uint32_t lib);
/* The binary that an address is in; NULL when none is known. */
const struct ff_lib *ff_lib_at(const struct ff_libs *, uint64_t address);
/* Checks that each parent comes first, and makes room; then tells, once, how many do not. */
void ff_stacks_check(struct ff_read *);
void ff_stacks_tell(struct ff_read *, const unsigned char *at);
void ff_stacks_clear(struct ff_stacks *);
void ff_stacks_release(struct ff_stacks *);
/* Whether samples may name a stack. */
bool ff_stack_usable(const struct ff_stacks *, uint32_t stack);
/* The series of a thread. */
uint32_t ff_series(struct ff_read *, const unsigned char *pid, const unsigned char *tid,
                   const unsigned char *name, const unsigned char *process);
/* Time in ms as ns, of a time or of a sum of steps. */
struct ff_clock {
	struct pp_fixed fixed;
	pp_i128 sum;
	bool far; /* some time was beyond 64 bits */
};
int64_t ff_clock_take(struct ff_clock *, const struct pp_json_num *, bool step);
/* Hands samples over, and empties them. */
void ff_samples_feed(struct ff_read *, struct ff_samples *);
void ff_samples_release(struct ff_samples *);
/* Whether all has to be read again, as numbers need more digits; then that is prepared. */
bool ff_retry(struct ff_read *);
/* Begins a document; a question for findings looks at all of it. False when there is nothing. */
bool ff_begin(struct ff_read *);
void ff_release(struct ff_read *);

/* ---- markers.c ---- */

/* A marker: where its values stand, NULL = null or not there. */
struct ff_marker {
	const unsigned char *start, *end, *phase, *category, *data;
	struct pp_slice name; /* as it is written between quotes */
	/* Times that are given instead, in ns, where `moved`. */
	bool moved;
	int64_t start_ns, end_ns;
};

/* Which of their details name strings by their row, by what meta says. */
void ff_schemas_read(struct ff_read *, const unsigned char *meta);
void ff_schemas_release(struct ff_schemas *);
/* Counts a marker of a series, and keeps it if that is wanted. */
void ff_marker_take(struct ff_read *, uint32_t series, const struct ff_marker *);
/* The same of a table of columns. */
void ff_markers_read(struct ff_read *, const unsigned char *at, uint32_t series);

/* ---- originals.c ---- */

/* Tables as they stand in the file, and those of their columns that are read. */
struct ff_originals {
	const unsigned char *funcs, *frames, *sources, *locations;
	const ff_column *source_file;
	const ff_column *func_script, *func_line, *func_column;
	const ff_column *frame_func, *frame_line, *frame_column;
	pp_str (*string)(struct ff_read *, uint32_t row);
};

/* Source maps out of what is known of scripts. */
void ff_originals_load(struct ff_read *, const struct ff_originals *);

/* ---- location.c ---- */

/* What a location of Gecko says. */
struct ff_location {
	struct pp_slice name, file, module;
	uint32_t line, column;
	uint32_t source; /* FF_NONE = it names none */
	uint64_t address;
	bool is_address, root_scope;
};

void ff_location_parse(struct pp_slice text, struct ff_location *);
/*
 * Splits what processed profiles before version 18 have in one string: before version 4 the name, file and line of a function, and
 * then its file and line, with the column in place of the line.
 */
void ff_func_upgrade(struct ff_read *, struct pp_func_row *, bool has_file);

pp_status pp_firefox_write(struct pp_writer *);
extern const struct pp_holds pp_firefox_holds[];
/* The bytes of recognition: whether a head is an object whose first key a profile of Firefox has. */
bool ff_head(const struct pp_peek *);
bool ff_head_has(const struct pp_peek *, const char *word);
/* How the tables of a head are laid out: as rows of a schema (Gecko), or as columns (processed). */
enum ff_layout { FF_NO_TABLE, FF_ROWS, FF_COLUMNS };
enum ff_layout ff_head_layout(const struct pp_peek *);

#endif
