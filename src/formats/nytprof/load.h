/*
 * What reading a NYTProf stream collects before the profile is built.
 *
 * The stream names things late: a sub's name comes when it returns, its file and lines at the end. So
 * everything is kept by small numbers here, and bound to the model when the input is over.
 */
#ifndef PP_NYTPROF_LOAD_H
#define PP_NYTPROF_LOAD_H

#include "formats/kit/parts.h"
#include "formats/nytprof/rules.h"
#include "formats/nytprof/settings.h"
#include "formats/nytprof/store.h"
#include "formats/nytprof/stream.h"

#define PP_NYT_RATE 10000000u /* ticks per second unless the file says otherwise */

struct pp_nyt_cell {
	int64_t ticks;
	uint64_t hits; /* twice their number, plus 1 when there was any record at all */
};

/* A file or string eval, by its fid. Cells of lines below `cap` are here, others in `sparse`. */
struct pp_nyt_file_row {
	uint32_t fid;
	uint32_t eval_fid, eval_line;
	uint32_t flags;
	pp_str name;
	pp_str package; /* of its first "package" line; 0 = none seen */
	bool defined;
	uint32_t cap;
	struct pp_nyt_cell *cells;
	int64_t first_at; /* when its first statement ran, by the clock of its process */
	size_t process;   /* the first that ran it, + 1; 0 = none */
	uint64_t returns; /* how many there were then */
	uint64_t met;     /* and when the file was met, before its first statement began */
	bool outside;     /* by the clock, it was loaded outside of all subs */
};

struct pp_nyt_sparse_row {
	uint32_t file, line;
	struct pp_nyt_cell cell;
};

struct pp_nyt_files {
	PP_VEC(struct pp_nyt_file_row) rows; /* [0] = none */
	PP_VEC(uint32_t) of_fid;             /* row of small fids */
	struct pp_map of_large_fid;
	uint64_t cell_bytes; /* in all dense cells */
	PP_VEC(struct pp_nyt_sparse_row) sparse;
	struct pp_map sparse_of; /* row << 32 | line */
};

struct pp_nyt_sub_row {
	pp_str name;
	pp_func func;
	pp_frame frame;
	bool described; /* an 's' record was there */
	bool internal;  /* XS or an opcode */
	uint32_t file;  /* row */
	uint32_t first, last;
};

struct pp_nyt_subs {
	struct pp_strtab raw;    /* names as written */
	PP_VEC(uint32_t) of_raw; /* sub + 1 */
	struct pp_map of_name;   /* decoded name -> sub */
	PP_VEC(struct pp_nyt_sub_row) rows;
	uint32_t unknown; /* the sub that stands for frames never seen to return */
};

/* A 'c' record, costs in ticks of `base_rate`. */
struct pp_nyt_call_row {
	uint32_t caller, called; /* subs; PP_NYT_NO_SUB = not named */
	uint32_t file, line;
	uint64_t count;
	double incl, excl, reci;
	uint32_t depth; /* of recursion */
};

#define PP_NYT_NO_SUB UINT32_MAX

/* A '<' record. */
struct pp_nyt_return {
	uint32_t depth;
	uint32_t sub;
	double incl, excl;
};

/* When a call began and ended by the clock of the statements; INT64_MIN: not known. */
struct pp_nyt_moment {
	int64_t enter, leave;
	uint32_t site_line;
	pp_node node;
};

struct pp_nyt_entry {
	int64_t at;
	uint32_t line; /* of the call */
};

/* Calls of one depth that a statement made, from the last one back. */
struct pp_nyt_ending {
	uint32_t depth;
	int64_t leave; /* of the call that was looked at */
	int64_t end;   /* of the one before it */
};

/* What a timeline needs, kept only when one is wanted. */
struct pp_nyt_times {
	PP_VEC(struct pp_nyt_moment) moments; /* beside the buffer of returns */
	PP_VEC(struct pp_nyt_entry) entered;  /* at '>', by depth */
	PP_VEC(struct pp_nyt_ending) endings; /* while a statement is settled */
	bool unsettled;         /* something happened within the statement that runs */
	size_t settled;         /* moments before it */
	uint32_t settled_depth; /* entries up to it */
	double own;             /* time returned so far */
};

struct pp_nyt_branch {
	uint32_t parent; /* branch, or UINT32_MAX = top */
	uint32_t sub;
	uint64_t calls;
	double excl, incl;
};

/* A tree of calls whose outermost caller has not returned yet, so that its name is not known. */
struct pp_nyt_waiting {
	uint32_t depth;  /* of its top calls */
	size_t taken_by; /* the return in the buffer that takes it, or SIZE_MAX */
	PP_VEC(struct pp_nyt_branch) branches;
	struct pp_map child; /* (parent + 1) << 32 | sub */
};

struct pp_nyt_sum {
	uint64_t calls;
	double excl, incl;
};

/* Where a call belongs: in the profile's tree, or in a waiting one. */
struct pp_nyt_place {
	uint32_t depth;
	uint32_t tree; /* 0 = the profile's, else waiting[tree - 1] */
	uint32_t node;
};

struct pp_nyt_calls {
	PP_VEC(struct pp_nyt_return) buffer;
	PP_VEC(uint32_t) levels; /* beside it: the file whose level calls, + 1; or empty */
	PP_VEC(struct pp_nyt_waiting) waiting; /* depths ascending */
	PP_VEC(struct pp_nyt_waiting) taken;
	PP_VEC(struct pp_nyt_place) path;
	PP_VEC(struct pp_nyt_sum) sums; /* by node, for the process at hand */
	PP_VEC(double) incl;            /* by node, for all */
	PP_VEC(pp_node) touched;        /* nodes with a sum */
	uint32_t depth;                 /* frames open, by '>' and '<' */
	uint64_t returns, entries;
	bool open_at_end;
	struct pp_nyt_times times;
};

/* A file other than the script whose own level ran outside of all subs. */
struct pp_nyt_outside_file {
	uint32_t file; /* row */
	pp_func func;
	double ticks;
};

/* A file that some process ran as its script. Runs of several scripts can be merged into one recording. */
struct pp_nyt_script {
	uint32_t file; /* row */
	pp_func
	    func; /* its main::RUNTIME; of the first script, that of all that belongs to no other */
	pp_node node;  /* 0 = none yet */
	uint64_t hits; /* its statements when the process at hand began */
};

/* Statements of a process in which no sub returned. */
struct pp_nyt_quiet {
	size_t process; /* index + 1; 0 = none */
	int64_t ticks;
};

/* Code outside of all subs; see outside.c. */
struct pp_nyt_outside {
	uint32_t sub;       /* main::RUNTIME, + 1; 0 = there were no statements (yet) */
	pp_node node;       /* of it; 0 = calls stand at the top */
	uint32_t series;    /* + 1, of what belongs to no process */
	uint32_t compiling; /* the caller while the script is compiled, + 1; 0 = none */
	bool found;         /* script and files are known */
	bool dealt;         /* the tree has calls under the file whose level made them */
	uint32_t script;
	PP_VEC(struct pp_nyt_script) scripts; /* in the order of the processes; see scripts.c */
	PP_VEC(uint32_t)
	script_of; /* by row of a file or eval: the script that it is or is in, + 1 */
	PP_VEC(struct pp_nyt_outside_file) files;
	PP_VEC(uint32_t) level_of; /* by row of a file or eval: which of these it is part of, + 1 */
	PP_VEC(struct pp_nyt_quiet) quiet;
	uint64_t before;        /* statements before the first outermost call returned */
	PP_VEC(uint32_t) fresh; /* files that were loaded since an outermost call returned */
};

struct pp_nyt_process {
	uint32_t pid, ppid;
	double start, end;
	bool open;
	uint32_t series;     /* + 1; 0 = none yet */
	uint32_t script;     /* of outside.scripts, + 1; 0 = not known (yet) */
	uint64_t statements; /* of all processes before it */
	uint64_t offset;
};

/* Ticks and seconds. */
struct pp_nyt_clock {
	uint64_t rate;      /* ticks per second now */
	uint64_t base_rate; /* of everything stored */
	int64_t multiplier; /* base_rate / rate */
	bool given;         /* the file says the rate */
	bool used;          /* something is stored in ticks of base_rate */
	int64_t now;        /* ticks of statements in this process */
};

struct pp_nyt_statements {
	uint64_t n;
	bool discount; /* the next one goes on: it does not count */
	bool dropped;  /* a discount was left over when its process ended */
	uint64_t negative, negative_at;
};

struct pp_nyt_load {
	struct pp_reader *reader;
	struct pp_builder *builder;
	struct pp_diags *diags;
	struct pp_nyt_stream stream;
	bool want_calls, want_timeline, want_source;

	struct pp_nyt_clock clock;
	struct pp_nyt_statements statements;
	uint64_t records;

	struct pp_nyt_files files;
	struct pp_nyt_subs subs;
	struct pp_nyt_calls calls;
	struct pp_nyt_outside outside;
	PP_VEC(struct pp_nyt_call_row) callers;
	uint64_t caller_count; /* calls in all 'c' records */
	PP_VEC(struct pp_nyt_process) processes;
	size_t process; /* current, index + 1; 0 = none */
	struct pp_nyt_settings settings;
	bool damaged;
	bool crlf;
	uint64_t errors;            /* findings that stood before reading began */
	struct pp_nyt_store *store; /* the records as read, when wanted */
	bool store_whole;
	struct pp_behind behind;
};

/* ---- tables.c ---- */
bool pp_nyt_tables_init(struct pp_nyt_load *);
void pp_nyt_tables_release(struct pp_nyt_load *);
/* The row of a fid that a record uses; makes a stand-in when nothing defined it. 0 when out of memory. */
uint32_t pp_nyt_file_use(struct pp_nyt_load *, uint32_t fid);
void pp_nyt_file_define(struct pp_nyt_load *, const struct pp_nyt_file *);
/* The row of a fid, 0 = none. */
uint32_t pp_nyt_file_row(const struct pp_nyt_load *, uint32_t fid);
bool pp_nyt_file_known(const struct pp_nyt_load *, uint32_t fid);
/* Forgets which fid is which file: another profile follows in the same input. */
void pp_nyt_files_restart(struct pp_nyt_load *);
/* Adds a statement to a line, wherever it is kept. */
void pp_nyt_line_add(struct pp_nyt_load *, uint32_t file, uint32_t line, int64_t ticks,
                     bool counted);
/* The sub of a name as written; PP_NYT_NO_SUB when out of memory. */
uint32_t pp_nyt_sub_use(struct pp_nyt_load *, struct pp_slice name);
void pp_nyt_sub_describe(struct pp_nyt_load *, const struct pp_nyt_sub *);
void pp_nyt_rate_set(struct pp_nyt_load *, uint64_t rate);
/* Seconds as ticks of base_rate: exactly those the profiler divided, where that can be told. */
double pp_nyt_seconds_ticks(const struct pp_nyt_load *, double seconds);
/* The nearest number of ticks that survives being written as seconds: a few last bits away at most. */
double pp_nyt_ticks_settle(const struct pp_nyt_load *, double ticks);

/* ---- calls.c ---- */
void pp_nyt_calls_enter(struct pp_nyt_load *, uint32_t line);
void pp_nyt_calls_return(struct pp_nyt_load *, uint32_t depth, uint32_t sub, double incl,
                         double excl);
/* The process is over: nothing open will return any more. */
void pp_nyt_calls_end(struct pp_nyt_load *);
/* Ticks became finer: multiplies what is kept. */
void pp_nyt_calls_refine(struct pp_nyt_load *, double factor);
void pp_nyt_calls_release(struct pp_nyt_calls *);

/* Makes main::RUNTIME, and its node, if there were statements. */
void pp_nyt_outside_begin(struct pp_nyt_load *);
/* Adds cost to a node of the process whose number + 1 is given (0 = none). */
void pp_nyt_calls_add(struct pp_nyt_load *, size_t process, pp_node, double ticks);

/* ---- outside.c ---- */
/* A line of source text: the package of its file, if it says so. */
void pp_nyt_package_look(struct pp_nyt_load *, uint32_t file, struct pp_slice text);
/* An outermost call returns after so many ticks: which of the files it loaded it, and which were there. */
void pp_nyt_outside_judge(struct pp_nyt_load *, double incl);
/*
 * Finds the script and other files that ran outside of all subs, for at most so many ticks. Where calls are not
 * known, all of it is the script's.
 */
void pp_nyt_outside_find(struct pp_nyt_load *, double most, bool calls_known);
/* Whether a caller is code outside of all subs. */
bool pp_nyt_is_outside(const struct pp_nyt_load *, uint32_t caller);
/* The file whose level makes a call, + 1; 0 = the script's, or a sub makes it. */
uint32_t pp_nyt_outside_level(const struct pp_nyt_load *, const struct pp_nyt_call_row *);
void pp_nyt_outside_release(struct pp_nyt_outside *);

/* ---- scripts.c ---- */
/* A process begins; a file is met for the first time. */
void pp_nyt_scripts_begin(struct pp_nyt_load *);
void pp_nyt_scripts_meet(struct pp_nyt_load *, uint32_t file);
/* Whether processes ran several scripts, and calls say which time is whose. */
bool pp_nyt_has_scripts(const struct pp_nyt_load *);
/* Whether a file is the script of some process, where there are several. */
bool pp_nyt_is_script(const struct pp_nyt_load *, uint32_t file);
/* The script of a process, by its number + 1 (0 = none): its place in outside.scripts. */
size_t pp_nyt_process_script(struct pp_nyt_load *, size_t process);
/* The nodes of the code outside of all subs: of a script, of a process. 0 = calls stand at the top. */
pp_node pp_nyt_script_node(struct pp_nyt_load *, size_t script);
pp_node pp_nyt_process_node(struct pp_nyt_load *, size_t process);
/* Returns the main::RUNTIME that makes a call in a file. */
pp_func pp_nyt_script_func(const struct pp_nyt_load *, uint32_t file);
/* Returns the cost in ticks of everything that one script ran, from the tree. */
bool pp_nyt_script_totals(struct pp_nyt_load *, double *totals);

/* ---- levels.c ---- */
/* All records of calls are there: tells which file's level made those in the buffer, if that can be told. */
void pp_nyt_levels_deal(struct pp_nyt_load *);
/* Gives files what their levels called, in the tree. */
void pp_nyt_levels_divide(struct pp_nyt_load *);
/* The node of one of those files, under main::RUNTIME. */
pp_node pp_nyt_outside_node(struct pp_nyt_load *, size_t file);

/* ---- outside_store.c ---- */
/* All records are read: finds what ran outside of subs, and gives it what it called. */
void pp_nyt_outside_settle(struct pp_nyt_load *, bool calls_known);
/* Who makes a call; 0 = not known. */
pp_func pp_nyt_outside_func(const struct pp_nyt_load *, const struct pp_nyt_call_row *);
/* What was spent outside of subs, as calls from nowhere and in the tree. */
void pp_nyt_outside_store(struct pp_nyt_load *);

/* ---- times.c: only when a timeline is wanted ---- */
/* A sub is entered, at the depth that is now reached, or left. */
void pp_nyt_times_enter(struct pp_nyt_load *, uint32_t line);
void pp_nyt_times_leave(struct pp_nyt_load *, uint32_t depth);
/* The statement has ended within which something happened. */
void pp_nyt_times_settle(struct pp_nyt_load *);
/* Lays out what is in the buffer of returns, whose nodes are known, and what was spent outside of subs. */
void pp_nyt_times_store(struct pp_nyt_load *, struct pp_timeline *, double outside);
void pp_nyt_times_refine(struct pp_nyt_load *, double factor);
void pp_nyt_times_release(struct pp_nyt_times *);

/* ---- finish.c ---- */
void pp_nyt_finish(struct pp_nyt_load *);

static inline struct pp_place
pp_nyt_here(const struct pp_nyt_load *load)
{
	return pp_at_offset(load->stream.offset);
}

#define PP_NYT_FIND(load, rule, place, ...)                                                        \
	pp_diag_add((load)->diags, &pp_nytprof_rules[rule], (place), __VA_ARGS__)

#endif
