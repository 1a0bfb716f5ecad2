/*
 * polyprof: read, check, question, compare, convert and draw profiles of any profiler.
 *
 * This is the whole public API, in the order in which data flows:
 *
 *     bytes -> pp_read_* -> pp_profile -> pp_ask, pp_flat_*, pp_node_costs_* -> pp_write_*
 *
 * Conventions
 *   - Nothing here prints, exits or aborts. Out of memory is PP_E_NOMEM like any other failure.
 *   - Names are byte strings with a length: any byte may occur, NUL and newline included.
 *   - Ids are 32-bit; 0 means "none" (for nodes: the root, which stands for the whole profile).
 *   - A profile is immutable once read: any number of threads may use it at the same time.
 *   - Structs of options begin with their size: set `size` to sizeof the struct. Members that a caller
 *     compiled with an older header does not know take their defaults then; 0 is the size of the first
 *     version. Bytes set beyond what the library knows are PP_E_USAGE: it is older than the caller.
 *   - Functions named _new or _read hand over ownership; free it with the matching _free, which
 *     accepts NULL. Every other pointer that comes back lives as long as its profile.
 */
#ifndef POLYPROF_H
#define POLYPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PP_API __attribute__((visibility("default")))
#else
#define PP_API
#endif

/* ---- version ---------------------------------------------------------------------------- */

#define PP_VERSION_MAJOR 0
#define PP_VERSION_MINOR 1
#define PP_VERSION_PATCH 0

/* The version of the library that is running, "MAJOR.MINOR.PATCH". */
PP_API const char *pp_version(void);

/* ---- results ---------------------------------------------------------------------------- */

/* What a call came to. The values are pinned: they never change their meaning. */
typedef enum pp_status {
	PP_OK = 0,
	PP_E_NOMEM = 1,     /* an allocation failed; nothing was handed over */
	PP_E_IO = 2,        /* the operating system refused to open or read the input */
	PP_E_UNKNOWN = 3,   /* no format recognised the input */
	PP_E_AMBIGUOUS = 4, /* several formats recognised it equally well; name one */
	PP_E_INVALID = 5,   /* recognised, but nothing in it could be used */
	PP_E_LIMIT = 6,     /* a limit (pp_limits) was reached */
	PP_E_UNSUPPORTED =
	    7,           /* the profile lacks what the call needs, or the format cannot do it */
	PP_E_USAGE = 8,  /* arguments that make no sense; nothing was changed */
	PP_E_OUTPUT = 9, /* the output could not be written; an older file is left as it was */
	PP_E_LOSS = 10   /* writing would lose something and that was forbidden */
} pp_status;

/* A short English sentence for a status. Never NULL. */
PP_API const char *pp_status_text(pp_status status);

/* ---- limits ----------------------------------------------------------------------------- */

/*
 * Bounds against hostile input, checked in one place each. A field of 0 takes the default, which is
 * generous: real profiles do not meet them. What exceeds one is PP_E_LIMIT.
 */
struct pp_limits {
	uint64_t
	    max_memory; /* bytes for reading a profile, and for it and what is asked of it later;
	                        the default is three quarters of the machine's memory */
	uint64_t max_string;      /* bytes of one name */
	uint64_t max_line;        /* bytes of one text line or binary record */
	uint32_t max_nodes;       /* nodes of the call tree */
	uint32_t max_depth;       /* frames of one stack */
	uint32_t max_nesting;     /* nested JSON values, nested evals */
	uint32_t max_filters;     /* compression layers around one input */
	uint32_t max_expansion;   /* decoded bytes per byte of the file, all layers together */
	uint64_t expansion_grace; /* decoded bytes that are always allowed, whatever the ratio */
};

/* The default limits; that of memory depends on the machine and is 0 here. */
PP_API const struct pp_limits *pp_limits_default(void);

/* ---- diagnostics ------------------------------------------------------------------------ */

typedef enum pp_severity { PP_NOTE = 0, PP_WARNING = 1, PP_ERROR = 2 } pp_severity;

/* A rule that a diagnostic can cite. `id` is stable, e.g. "folded-count-missing". */
struct pp_rule {
	const char *id;
	pp_severity severity;
	const char *title;   /* one line: what is wrong */
	const char *explain; /* a paragraph: why it matters, what polyprof does, how to mend it */
};

/* One finding. Absent places are 0 (line, column) and PP_NO_OFFSET (offset). */
#define PP_NO_OFFSET UINT64_MAX
struct pp_diag {
	const struct pp_rule *rule;
	pp_severity severity;
	const char *file;
	uint64_t line;
	uint64_t column;
	uint64_t offset; /* in the decoded stream */
	const char *message;
};

/* Collects findings. Not safe for use by several threads at once. */
typedef struct pp_diags pp_diags;

PP_API pp_diags *pp_diags_new(void); /* NULL when out of memory */
PP_API void pp_diags_free(pp_diags *);
/* Findings kept, in the order of the input; findings of one rule past the cap are only counted. */
PP_API size_t pp_diags_count(const pp_diags *);
PP_API const struct pp_diag *pp_diags_get(const pp_diags *, size_t index);
/* All findings of at least this severity, the uncounted ones included. */
PP_API uint64_t pp_diags_total(const pp_diags *, pp_severity at_least);
/* Looks a rule up by its id among the rules of every format; NULL when there is none. */
PP_API const struct pp_rule *pp_rule_find(const char *id);

/* ---- formats ---------------------------------------------------------------------------- */

/* What a format can do and which facets of a profile it can hold. */
enum {
	PP_CAN_READ = 1 << 0,
	PP_CAN_WRITE = 1 << 1,
	PP_TREE = 1 << 2,     /* whole stacks with their cost */
	PP_EDGES = 1 << 3,    /* caller-callee pairs with calls and inclusive cost */
	PP_LINES = 1 << 4,    /* cost per source line */
	PP_TIMELINE = 1 << 5, /* what happened when */
	PP_META = 1 << 6,     /* key/value metadata */
	PP_EXTRAS = 1 << 7,   /* everything needed to write the same format back without loss */
	PP_FACETS = PP_TREE | PP_EDGES | PP_LINES | PP_TIMELINE
};

typedef struct pp_format pp_format;

PP_API size_t pp_format_count(void);
PP_API const pp_format *pp_format_get(size_t index);
PP_API const pp_format *pp_format_find(const char *name); /* NULL when there is none */
PP_API const char *pp_format_name(const pp_format *);
PP_API const char *pp_format_title(const pp_format *);
PP_API const char *pp_format_extensions(const pp_format *); /* blank separated, without dots */
PP_API unsigned pp_format_can(const pp_format *);

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct pp_profile pp_profile;

struct pp_read_opts {
	size_t size;      /* sizeof(struct pp_read_opts) */
	const char *from; /* format name; NULL = recognise it */
	const char
	    *variant;  /* format specific; NULL = decide. One that the format lacks is PP_E_USAGE */
	unsigned want; /* facets, PP_META, PP_EXTRAS; 0 = PP_TREE|PP_EDGES|PP_LINES|PP_META */
	unsigned threads;               /* 0 = one per processor */
	const struct pp_limits *limits; /* NULL = defaults */
	/* "key=value" strings for the format, NULL-terminated; or NULL. Unknown keys are PP_E_USAGE */
	const char *const *options;
	/* Called now and then with bytes read and bytes in all (0 = unknown); true stops the reading. */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* Formats beside those of the library, NULL-terminated; or NULL. See polyprof_experimental.h. */
	const pp_format *const *formats;
	/*
	 * Files are mapped instead of read, which is faster for large ones. But then one that becomes shorter
	 * meanwhile kills the process (SIGBUS), unless it has a handler for that.
	 */
	bool map;
	/* Files that a recording names are not opened, nor links in place of companions. */
	bool confined;
};

/*
 * Reads a profile from a file ("-" = standard input), from memory, which must stay unchanged until
 * the call returns, or from a function that puts the next 1..room bytes into `to` and returns how many,
 * 0 at the end, negative with errno set when it failed; it may be called from another thread, one call at a
 * time. `name` serves messages and, as a tie-break, recognition. `diags` may be NULL.
 * On PP_OK *out is the caller's to free; a damaged input that could be used in part is PP_OK too,
 * with pp_profile_complete() false and the reasons in `diags`. Otherwise *out is NULL.
 */
PP_API pp_status pp_read_file(const char *path, const struct pp_read_opts *opts, pp_diags *diags,
                              pp_profile **out);
PP_API pp_status pp_read_memory(const void *data, size_t size, const char *name,
                                const struct pp_read_opts *opts, pp_diags *diags, pp_profile **out);
PP_API pp_status pp_read_callback(ptrdiff_t (*read)(void *ctx, void *to, size_t room), void *ctx,
                                  const char *name, const struct pp_read_opts *opts,
                                  pp_diags *diags, pp_profile **out);

/*
 * Tells which format an input is of without reading it: its first 64 KiB, decoded, are looked at. *bits
 * (which may be NULL) is how many bits of it were verified. PP_E_UNKNOWN and PP_E_AMBIGUOUS as when
 * reading; *format is then NULL.
 */
PP_API pp_status pp_recognise_file(const char *path, const struct pp_read_opts *opts,
                                   pp_diags *diags, const pp_format **format, int *bits);
PP_API pp_status pp_recognise_memory(const void *data, size_t size, const char *name,
                                     const struct pp_read_opts *opts, pp_diags *diags,
                                     const pp_format **format, int *bits);
PP_API void pp_profile_free(pp_profile *);

/* ---- the profile ------------------------------------------------------------------------ */

struct pp_text {
	const char *data; /* not NUL-terminated */
	size_t size;
};

PP_API const pp_format *pp_profile_format(const pp_profile *);
PP_API bool pp_profile_complete(const pp_profile *);
PP_API unsigned pp_profile_facets(const pp_profile *);
PP_API size_t pp_profile_metric_count(const pp_profile *);
PP_API struct pp_text pp_profile_metric_name(const pp_profile *, size_t metric);
PP_API const char *pp_profile_metric_unit(const pp_profile *, size_t metric);
/* A number as exact as it is known. */
#define PP_NUMBER_TEXT 72
struct pp_number {
	double value;    /* the nearest double */
	bool is_integer; /* `integer` is the number itself */
	int64_t integer;
	char text[PP_NUMBER_TEXT]; /* all its digits, as JSON spells them */
};
/* What a metric costs over the whole profile, in its unit (ns for time); all zero for a wrong index. */
PP_API struct pp_number pp_profile_metric_total(const pp_profile *, size_t metric);
/* The metric to use unless told otherwise; the number of metrics when there is none. */
PP_API size_t pp_profile_metric_primary(const pp_profile *);
PP_API uint32_t pp_profile_func_count(const pp_profile *); /* ids are 1..count-1 */
PP_API struct pp_text pp_profile_func_name(const pp_profile *, uint32_t func);
PP_API struct pp_text pp_profile_func_file(const pp_profile *, uint32_t func);
PP_API uint32_t pp_profile_func_line(const pp_profile *, uint32_t func);
PP_API uint32_t pp_profile_node_count(const pp_profile *); /* node 0 is the root */
PP_API uint32_t pp_profile_node_parent(const pp_profile *, uint32_t node);
PP_API uint32_t pp_profile_node_func(const pp_profile *, uint32_t node);

/* What each node of the tree costs in one metric: itself, and with all it called. */
typedef struct pp_node_costs pp_node_costs;

/* PP_E_UNSUPPORTED when the profile holds no stacks, PP_E_USAGE for a metric it does not have. */
PP_API pp_status pp_node_costs_new(const pp_profile *, size_t metric, pp_node_costs **out);
PP_API void pp_node_costs_free(pp_node_costs *);
PP_API struct pp_number pp_node_costs_self(const pp_node_costs *, uint32_t node);
PP_API struct pp_number pp_node_costs_total(const pp_node_costs *, uint32_t node);

/* ---- questions -------------------------------------------------------------------------- */

/* The cost of each function: itself, and with all it called (outermost activations only). */
typedef struct pp_flat pp_flat;

PP_API pp_status pp_flat_new(const pp_profile *, pp_flat **out);
PP_API void pp_flat_free(pp_flat *);
PP_API size_t pp_flat_count(const pp_flat *);
PP_API uint32_t pp_flat_func(const pp_flat *, size_t row);
PP_API bool pp_flat_calls(const pp_flat *, size_t row, uint64_t *calls); /* false: not known */
/* Costs in the metric's unit, as doubles and exactly; 0 for a row or metric that is not there. */
PP_API double pp_flat_self(const pp_flat *, size_t row, size_t metric);
PP_API double pp_flat_total(const pp_flat *, size_t row, size_t metric);
PP_API struct pp_number pp_flat_self_number(const pp_flat *, size_t row, size_t metric);
PP_API struct pp_number pp_flat_total_number(const pp_flat *, size_t row, size_t metric);

/*
 * Any question of the command line: top, tree, callers, lines, info, check, diff, flame, convert, ... pp_question_get()
 * tells which there are. Parameters are "name=value" strings, NULL-terminated (or NULL), named as the options of
 * the command line: "sort=total", "limit=10", "function=parse", "focus=^db", "bytes=20000"; a flag is "tree=". A
 * comparison has two profiles, before and after; every other question has one and `after` is NULL. Without a
 * profile (NULL) the question is about the files that "file=PATH" names, read as it needs them; list has
 * "directory=PATH". The profiles must outlive the answer. *out is the caller's to free also when the status tells of
 * a failure, unless that is PP_E_NOMEM, PP_E_LIMIT when the limit of memory is reached, or there is no such question:
 * its notes then say why.
 */
typedef struct pp_reply pp_answer;

PP_API pp_status pp_ask(const pp_profile *, const char *question, const char *const *params,
                        pp_answer **out);
PP_API pp_status pp_ask_pair(const pp_profile *before, const pp_profile *after,
                             const char *question, const char *const *params, pp_answer **out);
PP_API void pp_answer_free(pp_answer *);

PP_API size_t pp_question_count(void);
PP_API const char *pp_question_get(size_t index);   /* its name; NULL past the last */
PP_API const char *pp_question_about(size_t index); /* one line */

/* What the answer has to say besides: severity, a stable rule id, a sentence without full stop. */
PP_API size_t pp_answer_note_count(const pp_answer *);
PP_API pp_severity pp_answer_note_severity(const pp_answer *, size_t note);
PP_API const char *pp_answer_note_rule(const pp_answer *, size_t note);
PP_API const char *pp_answer_note_text(const pp_answer *, size_t note);

/*
 * The tables of an answer, as its JSON has them: "functions" of top, "edges" of callers. Columns are named by a key
 * and, where the JSON nests them, a group: {"self": {"wt": 5}} is the column "wt" of the group "self".
 */
PP_API size_t pp_answer_tables(const pp_answer *);
PP_API const char *pp_answer_table_name(const pp_answer *, size_t table);
PP_API size_t pp_answer_rows(const pp_answer *, size_t table);
PP_API size_t pp_answer_rows_in_all(const pp_answer *, size_t table); /* those cut included */
PP_API size_t pp_answer_columns(const pp_answer *, size_t table);
PP_API struct pp_text pp_answer_column_name(const pp_answer *, size_t table, size_t column);
PP_API struct pp_text pp_answer_column_group(const pp_answer *, size_t table, size_t column);

typedef enum pp_cell_kind {
	PP_CELL_UNKNOWN = 0, /* nothing is known: never a made-up zero */
	PP_CELL_TEXT = 1,    /* text */
	PP_CELL_NUMBER = 2,  /* number */
	PP_CELL_BOOL = 3,    /* yes */
	PP_CELL_NULL = 4     /* known to be none */
} pp_cell_kind;

struct pp_cell {
	pp_cell_kind kind;
	bool yes;
	struct pp_text text; /* valid until the next call with the same answer */
	struct pp_number number;
};

/* Not safe for use of one answer by several threads at once. */
PP_API struct pp_cell pp_answer_cell(pp_answer *, size_t table, size_t row, size_t column);

typedef enum pp_rendering_form {
	PP_RENDER_TEXT = 0, /* for people, 80 columns, no colours */
	PP_RENDER_JSON = 1, /* what --json prints */
	PP_RENDER_CSV = 2,
	PP_RENDER_MARKDOWN = 3,
	PP_RENDER_FILE = 4 /* what the question makes: a picture, a report, a profile; else text */
} pp_rendering_form;

/* The answer as bytes, NUL-terminated; free them with pp_free(). PP_E_LIMIT when `bytes` was too small for any answer. */
PP_API pp_status pp_answer_render(const pp_answer *, pp_rendering_form, char **text, size_t *size);

/* ---- writing ---------------------------------------------------------------------------- */

struct pp_write_opts {
	size_t size;                /* sizeof(struct pp_write_opts) */
	const char *variant;        /* NULL = the format's default */
	const char *metric;         /* for formats that hold one; NULL = the primary one */
	bool lossless;              /* fail with PP_E_LOSS rather than lose anything */
	const char *const *options; /* "key=value", NULL-terminated; or NULL */
};

/*
 * Writes the profile to a file ("-" = standard output), compressed if the name ends in .gz or .zst.
 * The file appears whole under its name or not at all. What the format cannot hold is reported in
 * `diags` as warnings.
 */
PP_API pp_status pp_write_file(const pp_profile *, const char *path, const pp_format *format,
                               const struct pp_write_opts *opts, pp_diags *diags);
/*
 * The same into memory, which the caller frees with pp_free(), or by a function that takes all n bytes
 * and returns true, or false with errno set to stop the writing (PP_E_OUTPUT). Formats of two files (SPX
 * 0.4) cannot be written that way: PP_E_UNSUPPORTED. What a function was given before a failure is the
 * caller's to drop.
 */
PP_API pp_status pp_write_memory(const pp_profile *, const pp_format *format,
                                 const struct pp_write_opts *opts, pp_diags *diags, void **data,
                                 size_t *size);
PP_API pp_status pp_write_callback(const pp_profile *,
                                   bool (*write)(void *ctx, const void *data, size_t n), void *ctx,
                                   const pp_format *format, const struct pp_write_opts *opts,
                                   pp_diags *diags);
/* Frees what a function above says is freed so; NULL is allowed. */
PP_API void pp_free(void *);

#ifdef __cplusplus
}
#endif

#endif
