/*
 * polyprof, the experimental half of the API: questions about files, parameters as data, outputs, a builder of
 * profiles, the columns of a profile, and formats of your own.
 *
 * What stands here may change with any release; what proves itself moves to polyprof.h. The conventions are those of
 * polyprof.h. The command line is built on these two headers.
 */
#ifndef POLYPROF_EXPERIMENTAL_H
#define POLYPROF_EXPERIMENTAL_H

#include <polyprof/polyprof.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what it was built with -------------------------------------------------------------- */

/* The libraries that it uses with their versions, and what else it can do: "zlib 1.2.13, zstd 1.5.4, ...". */
PP_API const char *pp_features(void);

/* ---- parameters as data ------------------------------------------------------------------ */

/* What a value is. */
enum pp_param_kind {
	PP_PARAM_FLAG,   /* given or not */
	PP_PARAM_TEXT,   /* the last one given */
	PP_PARAM_TEXTS,  /* all that were given */
	PP_PARAM_COUNT,  /* a whole number */
	PP_PARAM_SIZE,   /* in bytes: 500K, 8M or 1G */
	PP_PARAM_CHOICE, /* one of `value`, the first when not given */
	PP_PARAM_SHARE   /* 0 to 100, a percent sign allowed */
};

/* What completes a value in a shell. */
enum pp_param_hint {
	PP_HINT_NONE,
	PP_HINT_FILE,
	PP_HINT_FORMAT,
	PP_HINT_COMMAND,
	PP_HINT_RULE,
	PP_HINT_SHELL
};

struct pp_param {
	const char *name; /* on the command line a long name without dashes */
	char letter;      /* short name, 0 = none */
	enum pp_param_kind kind;
	const char *value; /* how the value is called in help; for choices: "a|b|c" */
	const char *help;
	enum pp_param_hint hint;
	size_t at; /* the library's own business */
};

/* Parameters that belong together; one group may serve many questions. */
struct pp_param_group {
	const char *title;
	const struct pp_param *params; /* ended by name NULL */
};

/* Where help shows a group: the question's own first, then how to print, then how to read. */
typedef enum pp_group_place { PP_GROUP_FIRST, PP_GROUP_OUTPUT, PP_GROUP_INPUT } pp_group_place;

/* The groups of a question in the order in which help shows them; NULL past the last. */
PP_API const struct pp_param_group *pp_question_group(const char *question, size_t index,
                                                      pp_group_place *place);
/* The parameter that must be given and may stand without its name; NULL when there is none. */
PP_API const struct pp_param *pp_question_word(const char *question);

/* What a question is asked about, out of the files that are named. */
typedef enum pp_asks {
	PP_ASKS_ONE,     /* all of them, merged */
	PP_ASKS_EACH,    /* each by itself, one after the other */
	PP_ASKS_SIDES,   /* two of them, or repeated runs before and after */
	PP_ASKS_PICTURE, /* two of them, unless they are to be merged; else all of them, merged */
	PP_ASKS_FOLDERS, /* what stands in these directories */
	PP_ASKS_NOTHING, /* nothing: what the program itself knows */
	PP_ASKS_SERIES   /* each of them, in order, all at once */
} pp_asks;

PP_API pp_asks pp_question_asks(const char *question);

/* What an answer can be printed as, besides text. */
enum {
	PP_GIVES_JSON = 1 << 0,
	PP_GIVES_CSV = 1 << 1,
	PP_GIVES_FILE = 1 << 2 /* a picture, a report, a profile: PP_RENDER_FILE */
};
PP_API unsigned pp_question_gives(const char *question);

/*
 * Whether a value makes sense for a parameter. If not, *problem (free it with pp_free()) says why in a sentence without
 * a full stop; `dashes` stand before the parameter's name in it. NULL when out of memory.
 */
PP_API bool pp_param_problem(const struct pp_param *, const char *text, const char *dashes,
                             char **problem);

/* ---- questions about files --------------------------------------------------------------- */

/* How far reading is; `over` takes back what was shown of it. */
struct pp_progress_at {
	const char *file;
	bool files; /* files are counted, not bytes */
	bool over;
	uint64_t done, total; /* total 0 = unknown */
};

/*
 * Profiles that stay open between questions, so that the next one about the same content need not read it again. No more
 * than so many bytes are held (0 = 1 GiB), the least recently used ones go first. One thread at a time may use it; answers
 * have to be freed before it.
 */
typedef struct pp_shelf pp_shelf;
PP_API pp_shelf *pp_shelf_new(uint64_t max_memory); /* NULL when out of memory */
PP_API void pp_shelf_free(pp_shelf *);

struct pp_provider;

struct pp_ask_opts {
	size_t size; /* sizeof(struct pp_ask_opts) */
	/* How it will be printed: text has as many rows as people want to see, JSON and CSV are exact. */
	pp_rendering_form form;
	bool quiet;   /* findings below errors are not part of the answer */
	bool verbose; /* all findings, and how long reading took */
	void *ctx;    /* handed to the functions, each of which may be NULL */
	/* What is to be said, as it comes; also kept as notes of the answer. */
	void (*note)(void *ctx, pp_severity, const char *rule, const char *text);
	/* The findings of a file. */
	void (*findings)(void *ctx, const pp_diags *);
	void (*progress)(void *ctx, const struct pp_progress_at *);
	/* Formats beside those of the library, NULL-terminated; see pp_format_new(). */
	const pp_format *const *formats;
	bool map; /* files are mapped; see struct pp_read_opts */
	bool
	    terminal; /* it will be printed on one: listings have as many rows as people want to see at once */
	/* `list`: only files that changed from .. to (ns since 1970, both 0 = all; without from also what was there). */
	int64_t changed_from, changed_to;
	/* Keeps what is read for answers with "budget" or "handles"; or NULL. */
	pp_shelf *shelf;
	/* Nothing but the files named and companions beside them is opened, and no links in place of these. */
	bool confined;
	/* Asked again and again, from any thread: true stops reading and asking as soon as possible. */
	bool (*stop)(void *ctx);
	/* Knows sources that stand for many profiles (stores); or NULL. The library brings none. */
	const struct pp_provider *provider;
};

/*
 * Reads files ("-" = standard input) as the question needs it and asks it about them: one profile out of all (top,
 * convert), each by itself (check, info), two sides (diff: "before=FILE", "after=FILE" or two files), what stands in
 * directories (list), or nothing at all (formats, explain). Parameters as in pp_ask(), and those of reading: "from",
 * "variant", "option", "jobs", "strict". Ownership as in pp_ask(); an answer that is worth printing although the status
 * tells of a failure says so (pp_answer_stands()).
 */
PP_API pp_status pp_ask_files(const char *const *files, size_t n, const char *question,
                              const char *const *params, const struct pp_ask_opts *opts,
                              pp_answer **out);

PP_API bool pp_answer_stands(const pp_answer *);
/* Whether what was asked about exceeds a limit (gate) or breaks rules (check). */
PP_API bool pp_answer_exceeds(const pp_answer *);
/* What may have been meant, when a name fits none or several functions; "PLACE:NAME" is one of those. */
PP_API size_t pp_answer_candidates(const pp_answer *, size_t *not_listed);
PP_API void pp_answer_candidate(const pp_answer *, size_t index, struct pp_text *name,
                                struct pp_text *place);

/* What can be asked next: words of a command line before and behind the same files. */
struct pp_next {
	const char *does, *before, *after;
	const char *file; /* instead of the same files; NULL = those */
};
PP_API bool pp_answer_next(const pp_answer *, size_t index, struct pp_next *);

/* ---- outputs ----------------------------------------------------------------------------- */

/* A file that appears whole under its name or not at all, or standard output. */
typedef struct pp_sink pp_output;

/*
 * Opens a file ("-" = standard output); .gz and .zst compress. Without `sync` a power cut may leave an empty one. A
 * failure is a finding, *error (may be NULL) its errno.
 */
PP_API pp_status pp_output_open(const char *path, bool sync, pp_diags *diags, pp_output **out,
                                int *error);
/* Failures are sticky: pp_output_commit() tells. */
PP_API void pp_output_write(pp_output *, const void *data, size_t n);
/* Ends it, and gives the file its name; `path` is for the finding. */
PP_API pp_status pp_output_commit(pp_output *, const char *path, pp_diags *diags, int *error);
/* Whether a write has failed. */
PP_API bool pp_output_failed(const pp_output *);
/* Frees it; without a commit nothing is left behind. NULL is allowed. */
PP_API void pp_output_free(pp_output *);
/* Removes what is half written: for signal handlers. NULL is allowed. */
PP_API void pp_output_drop(const pp_output *);

struct pp_print_opts {
	size_t size; /* sizeof(struct pp_print_opts) */
	pp_rendering_form form;
	unsigned width; /* columns of text; 0 = as many as needed */
	bool colour;
	bool terminal;        /* bytes that would move the cursor are escaped */
	const char *all_hint; /* how to see all rows, behind "12 more functions"; NULL = nothing */
};

/*
 * Prints an answer. Notes and findings that come up are told as while asking. PP_E_OUTPUT when the output failed, which
 * pp_output_commit() explains; otherwise the notes say why.
 */
PP_API pp_status pp_answer_print(pp_answer *, const struct pp_print_opts *, pp_output *);

/* What a viewer asks for of a report. */
struct pp_piece_opts {
	size_t size; /* sizeof(struct pp_piece_opts) */
	uint64_t
	    at; /* what lies below this node, as an earlier piece numbered it; 0 = everything */
	uint32_t nodes;    /* about how many of them, at most */
	uint64_t max_size; /* bytes */
	bool functions;    /* instead, the list of functions by name, */
	uint64_t from;     /* from this one on, as many as fit */
	const char *file;  /* instead, the lines of this file; NULL = not so */
};
/*
 * The tables that a report would hold, packed for its viewer: the heavy part of everything, or what lies below one node
 * of that. The answer to "report" can be asked again and again, by one thread at a time. PP_E_USAGE when it is another
 * answer or there is no such node. Free the bytes with pp_free().
 */
PP_API pp_status pp_answer_piece(pp_answer *, const struct pp_piece_opts *, char **bytes,
                                 size_t *n);

/* Findings of one rule that people are shown; the rest is counted in one line. */
#define PP_FINDINGS_SHOWN 20
/* Findings as lines for people, at most `shown` of each rule (0 = all); free the text with pp_free(). NULL: no memory. */
PP_API char *pp_diags_text(const pp_diags *, pp_severity at_least, size_t shown, bool colour);

/* ---- building a profile ------------------------------------------------------------------ */

/*
 * Errors are sticky: after the first failure every call does nothing and returns 0, and pp_builder_end() tells. Ids count
 * from 1; 0 means none. Not safe for use by several threads at once.
 */
typedef struct pp_builder pp_builder;

PP_API pp_builder *pp_builder_new(const struct pp_limits *limits); /* NULL when out of memory */
/* Hands over the profile if nothing failed, and frees the builder. */
PP_API pp_status pp_builder_end(pp_builder *, pp_profile **out);
PP_API void pp_builder_free(pp_builder *);
/* Says that something is missing: pp_profile_complete() is false then. */
PP_API void pp_builder_incomplete(pp_builder *);

/* A metric, which counts in whole steps of `unit` ("ns", "bytes", "samples"). All metrics come before any cost. */
PP_API uint32_t pp_make_metric(pp_builder *, const char *name,
                               const char *unit); /* its index + 1 */
PP_API uint32_t pp_make_string(pp_builder *, const void *data, size_t n);

struct pp_function {
	uint32_t name, file, module; /* strings; 0 = unknown */
	uint32_t line;
};
/* The same identity gives the same id. */
PP_API uint32_t pp_make_function(pp_builder *, const struct pp_function *);
/* A place in a function; line 0 = anywhere in it. */
PP_API uint32_t pp_make_frame(pp_builder *, uint32_t function, uint32_t line);
/* Adds a cost, one value per metric, to a stack of frames, the outermost first. */
PP_API void pp_make_stack(pp_builder *, const uint32_t *frames, size_t depth,
                          const int64_t *values);
/* Adds calls, with what they cost with all they called, one value per metric. */
PP_API void pp_make_call(pp_builder *, uint32_t caller, uint32_t callee, uint32_t line,
                         uint64_t calls, const int64_t *values);
/* Adds what a line of a function costs itself, one value per metric. */
PP_API void pp_make_line(pp_builder *, uint32_t function, uint32_t line, const int64_t *values);
PP_API void pp_make_meta(pp_builder *, const char *key, const void *data, size_t n);

/* ---- the columns of a profile ------------------------------------------------------------ */

/*
 * The tables that a profile is made of, as numbers: ids of strings, functions, frames, and so on. `refers` is the table
 * whose rows the numbers of a column are, "strings" for pp_profile_string(), or "" for plain numbers.
 */
PP_API size_t pp_table_count(void);
PP_API const char *pp_table_name(size_t table); /* NULL past the last */
PP_API size_t pp_table_size(const pp_profile *, size_t table);
PP_API size_t pp_table_column_count(size_t table);
PP_API const char *pp_table_column_name(size_t table, size_t column);
PP_API const char *pp_table_column_refers(size_t table, size_t column);
/* How many costs follow the columns of each row, as columns without a name: those of calls and lines have some. */
PP_API size_t pp_table_cells(const pp_profile *, size_t table);
/* 0 for a row or column that is not there. */
PP_API int64_t pp_table_number(const pp_profile *, size_t table, size_t row, size_t column);
PP_API struct pp_text pp_profile_string(const pp_profile *, uint32_t id);

/* ---- formats of your own ----------------------------------------------------------------- */

/* What a format's read function takes bytes from, and tells its findings. */
typedef struct pp_reader pp_reader;

/* Puts up to `room` of the next bytes, decompressed, into `to`; 0 at the end. */
PP_API size_t pp_reader_take(pp_reader *, void *to, size_t room);
/* A finding at a line (0 = unknown) and column of the input. */
PP_API void pp_reader_finding(pp_reader *, const struct pp_rule *, uint64_t line, uint64_t column,
                              const char *message);

/* Which functions there are says what a format can do. All that is pointed to must outlive the format. */
struct pp_format_maker {
	size_t size; /* sizeof(struct pp_format_maker) */
	const char *name, *title;
	const char *extensions;      /* blank separated, without dots; or NULL */
	unsigned facets;             /* PP_TREE and so on: what it can hold */
	const struct pp_rule *rules; /* ended by id NULL; or NULL */
	void *ctx;                   /* handed to the functions */
	/* How many bits of the first bytes were really verified: 8 for each byte of a magic number, 0 = not mine. */
	int (*recognise)(void *ctx, const void *head, size_t n, bool whole, const char *name);
	/* Gives all of the input to the builder. PP_OK when anything could be used, else PP_E_INVALID. */
	pp_status (*read)(void *ctx, pp_reader *, pp_builder *);
	pp_status (*write)(void *ctx, const pp_profile *, pp_output *);
};

/*
 * A format beside those of the library: hand it to pp_read_opts.formats or pp_ask_opts.formats, or to pp_write_file(). There
 * is no list of them in the library; it must outlive all profiles read with it. NULL when out of memory.
 */
PP_API pp_format *pp_format_new(const struct pp_format_maker *);
PP_API void pp_format_free(pp_format *);

#ifdef __cplusplus
}
#endif

#endif
