/*
 * What the parts of the NYTProf writer share.
 */
#ifndef PP_NYTPROF_WRITE_H
#define PP_NYTPROF_WRITE_H

#include "model/flat.h"
#include "formats/nytprof/emit.h"
#include "formats/nytprof/read.h"
#include "formats/nytprof/rules.h"

/*
 * Records that stand for counts, in all; see nytprof-write-counts. Counts that come from NYTProf were as
 * many records before, so they are not limited.
 */
#define PP_NYT_COUNT_BUDGET ((uint64_t)2000000)

/* Where a string eval was made; fid 0: it is a file. */
struct pp_nyt_eval {
	uint32_t fid, line;
};

/* A script, and all that its processes did: the stacks below one root. Written as a process. */
struct pp_nyt_run {
	pp_node root;
	uint32_t fid;
	int64_t pid;
	double ticks; /* in all */
	double left;  /* of these, without lines yet */
	bool outside; /* some of it outside of subs */
};

/* The cost of a line within one run. */
struct pp_nyt_run_line {
	uint32_t line, run;
	uint64_t hits;
	double ticks;
};

struct pp_nyt_writing {
	struct pp_writer *writer;
	const struct pp_profile *profile;
	const struct pp_metric *metric; /* NULL when the profile has none */
	size_t metric_index;
	struct pp_nyt_out out;
	struct pp_flat flat;
	uint32_t *row_of; /* func -> row of flat + 1 */
	uint64_t rate;    /* ticks per second */
	double tick;      /* ticks for one cell */
	bool is_time;
	struct pp_strtab names; /* as they are written */
	pp_str *spelled;        /* by name of a function: its place in `names` */

	struct pp_map fid_of;             /* pp_str of a file -> fid */
	PP_VEC(pp_str) files;             /* by fid - 1; 0 = one of our own making */
	PP_VEC(struct pp_nyt_eval) evals; /* by fid - 1 */
	uint32_t script;                  /* the fid for what has no file */

	/* From the tree, by node: */
	double *self, *incl;
	uint64_t *calls;
	bool has_calls; /* the tree counts calls */
	bool returns;   /* there are stacks of calls */
	bool outside;   /* main::RUNTIME is one of the functions */
	bool levels;    /* what files spend outside of subs is told by statements */

	PP_VEC(struct pp_nyt_run) runs; /* of several scripts; empty where there is one */
	PP_VEC(struct pp_nyt_run_line) run_lines;
	uint32_t *run_of; /* by fid: the run that it is known to be of, + 1 */

	uint64_t budget;   /* records left that only count */
	double line_ticks; /* in all lines */
	double last_start; /* of the last run, in seconds since 1970 */
	double most_ticks; /* that one line may take, as each record holds but 31 bits */
	bool no_memory;
};

/* Options as the profiler writes them when nobody asks for others: key and value; NULL at the end. */
extern const char *const pp_nyt_usual_options[][2];

/* A value of the metric in ticks. */
static inline double
pp_nyt_value_ticks(const struct pp_nyt_writing *w, union pp_value v)
{
	return (w->metric->type == PP_REAL ? v.d : (double)v.i) * w->tick;
}

static inline double
pp_nyt_cell_ticks(const struct pp_nyt_writing *w, int64_t cell)
{
	return pp_nyt_value_ticks(w, pp_cell_value(w->metric, cell));
}

/* Whether a function is a file's own level, PACKAGE::RUNTIME. */
bool pp_nyt_is_level(const struct pp_profile *, pp_func);
/* The same, if its time is told by statements instead of calls. */
bool pp_nyt_is_outside_row(const struct pp_nyt_writing *, pp_func);
/* Numbers all files that something names; false when out of memory. */
bool pp_nyt_files_collect(struct pp_nyt_writing *);
/* Files of a run, its script first, by which a process is known; or all. */
void pp_nyt_write_files(struct pp_nyt_writing *, const struct pp_nyt_run *);
/* The fid of a file, by its name; `script` for none. */
uint32_t pp_nyt_write_fid(struct pp_nyt_writing *, pp_str file);
/* A sub's name: in package main unless it has one. */
void pp_nyt_write_name(struct pp_nyt_writing *, pp_func);
double pp_nyt_write_seconds(const struct pp_nyt_writing *, double ticks);

/* A 'c' record to be, in ticks. */
struct pp_nyt_caller {
	pp_func caller, callee; /* caller 0: main::RUNTIME */
	pp_str file;
	uint32_t line;
	uint64_t count;
	double incl, excl, reci;
	uint32_t depth;
};

struct pp_nyt_callers {
	PP_VEC(struct pp_nyt_caller) rows;
	/* For those from the tree: */
	struct pp_map places;  /* callee << 32 | line of the call -> number */
	struct pp_map of_pair; /* caller << 32 | place -> row */
};

/* Flat costs, files and tree of the profile, for this writer and its relative. */
pp_status pp_nyt_writing_init(struct pp_nyt_writing *, struct pp_writer *);
void pp_nyt_writing_release(struct pp_nyt_writing *);

/* ---- write_runs.c ---- */
/* Finds the scripts, and divides the lines among them; false when out of memory. */
bool pp_nyt_runs_find(struct pp_nyt_writing *);
/* The run that a file is written with: that of the script that it is or is part of, else the first. */
uint32_t pp_nyt_run_of(const struct pp_nyt_writing *, uint32_t fid);
/* The run that a stack is written with, by its root. */
uint32_t pp_nyt_run_of_root(const struct pp_nyt_writing *, pp_node root);

/* ---- write_calls.c ---- */
/* Whether a node is that of code outside of subs, whose time the statements have. */
bool pp_nyt_is_outside_node(const struct pp_nyt_writing *, pp_node);
void pp_nyt_callers_collect(struct pp_nyt_writing *, struct pp_nyt_callers *);
void pp_nyt_callers_release(struct pp_nyt_callers *);
/* Sums of the tree; false when out of memory. */
bool pp_nyt_write_tree_prepare(struct pp_nyt_writing *);
/* The lines of one run, or of all. */
void pp_nyt_write_returns(struct pp_nyt_writing *, const struct pp_nyt_run *);
void pp_nyt_write_callers(struct pp_nyt_writing *);

#endif
