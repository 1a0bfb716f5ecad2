/*
 * What writing keeps in mind. Internal to src/formats/firefox.
 *
 * Tables are numbered in the order in which samples need them, by what is written of their rows: so a file that is read and
 * written again is the same.
 */
#ifndef PP_FIREFOX_WRITE_H
#define PP_FIREFOX_WRITE_H

#include "formats/firefox/firefox.h"

#define NO_METRIC SIZE_MAX

/* What of a thread is written: a sample, or what was allocated. */
struct entry {
	int64_t time;
	uint32_t row;   /* in the order of the profile, for what has the same time */
	uint32_t stack; /* its row + 1, 0 = none */
	int64_t value, cpu;
};

/* Rows of the tables; strings by their number, 0 = none. */
struct ff_func_out {
	uint32_t name, file, line, column, module;
};

struct ff_frame_out {
	uint64_t address;
	uint32_t func, line, column, depth;
};

struct ff_module_out {
	uint32_t name, build_id;
};

struct ff_write {
	struct pp_writer *w;
	const struct pp_profile *p;
	struct pp_json j;
	bool old;                     /* version 47 */
	size_t main, cpu, js, native; /* metrics, or NO_METRIC */
	enum ff_metric as;            /* what the main one is */

	/* ---- tables ---- */
	struct pp_strtab strings;
	struct pp_strtab modules, funcs, frames; /* by their rows */
	struct pp_map stacks;                    /* parent << 32 | frame -> row + 1 */
	PP_VEC(uint64_t) stack_rows;             /* the same by row */
	uint32_t *stack_of;                      /* by node: row + 1, 0 = not yet */
	PP_VEC(pp_node) path;
	struct pp_buf text;

	/* ---- threads ---- */
	uint32_t *series; /* in the order of threads */
	PP_VEC(struct entry) entries;
	struct pp_map entry_of; /* stack -> entry + 1, where times are not known */
	bool counting;          /* what does not fit is counted, once */
	uint64_t samples;
	uint64_t markers;
	/* The file's categories stay, which markers name, and frames are of the grey one. */
	bool keeps_categories;
	char category[12];
	bool laid; /* times are made up */
	bool spans;
	pp_i128 first, last; /* ns that readers will see, where it spans any */
	bool failed;
};

/* False when out of memory. */
bool ff_tables_init(struct ff_write *);
void ff_tables_release(struct ff_write *);
/* The row + 1 of the stack of a node; 0 for none. */
uint32_t ff_stack_number(struct ff_write *, pp_node);
/* The markers of series (by their order). */
void ff_markers_put(struct ff_write *, size_t first, size_t end);
/* Whether a cell of a metric, or of none, is 0. */
bool ff_is_zero(const struct ff_write *, size_t metric, int64_t cell);
/* Whether series (by their order) have samples in the order of time. */
bool ff_is_timed(const struct ff_write *, size_t first, size_t end);
/* The entries of a thread in the table of a metric, NO_METRIC = none; their stacks are numbered. */
void ff_entries_take(struct ff_write *, size_t table, size_t first, size_t end);
/* A cell, null where it is not known. */
void ff_null_or(struct pp_json *, bool known, uint64_t v);
/* A column that says the same of all rows. */
void ff_column_of_same(struct ff_write *, const char *key, size_t n, const char *text);
/* All tables that stacks need, and the binaries. */
void ff_tables_put(struct ff_write *);
void ff_libs_put(struct ff_write *);

#endif
