/*
 * Shared by the kinds of stack dumps: dump.c reads lines and recognises the kinds; stacks.c, jstack.c
 * and go_raw.c parse stacks that are printed frame by frame, trees.c parses trees of counts.
 */
#ifndef PP_DUMP_H
#define PP_DUMP_H

#include "formats/author.h"

enum { DUMP_LINE, DUMP_COUNT, DUMP_IDLE };

extern const struct pp_rule pp_dump_rules[];

struct pp_dump;

#define PP_DUMP_NAMES 3

/* A kind of dump: how its lines are known again, and what becomes of them. */
struct pp_dump_kind {
	const char *name;
	/* Bits that a line is worth for recognition, below 0 if it cannot be one. */
	int (*bid)(struct pp_slice line);
	/* Takes a line, without its end; false when it is damaged (said by the caller). */
	bool (*line)(struct pp_dump *, struct pp_slice line);
	/* After the last one. */
	void (*end)(struct pp_dump *);
	const char *metric, *unit; /* what is counted; NULL = the kind builds its metrics itself */
	enum pp_metric_kind counts;
	/* Beginnings of lines that name the kind, among the first lines. */
	const char *named[PP_DUMP_NAMES];
};

/* A line of a tree whose callers or callees may follow. */
struct pp_dump_level {
	size_t depth;
	pp_frame frame;
	uint64_t count, below; /* of all that lies on it */
};

/* Lines of a location, the innermost function first. */
struct pp_dump_place {
	size_t begin, n;
};

struct pp_dump {
	struct pp_reader *reader;
	struct pp_builder *builder;
	const struct pp_dump_kind *kind;
	uint32_t series;         /* of the stack that is read */
	struct pp_owners owners; /* series by thread, where threads have names or numbers */
	bool open;               /* a stack is being read */
	int64_t tid;             /* of its thread; -1 = unknown */
	struct pp_buf state;     /* what that does; what it waits for: a class, an address */
	struct pp_buf lock, lock_id;
	bool own,
	    works;      /* jstack: it is a thread of the JVM; there is more than waiting for work */
	uint64_t idles; /* how many of the JVM's do nothing */
	unsigned section;        /* of the file, as a kind counts them */
	struct pp_buf thread;    /* its name */
	PP_VEC(pp_frame) frames; /* of it, as they come */
	PP_VEC(struct pp_dump_level) levels;
	bool callers_below; /* of a tree: what lies deeper called it */
	pp_str module;      /* told last */
	/* go: locations by number, in the text of all; samples refer to them before they are listed */
	PP_VEC(struct pp_dump_place) kept;
	struct pp_map kept_at; /* by number: which of them */
	struct pp_buf places;
	uint64_t unlisted;   /* frames of samples whose location is not among them */
	struct pp_buf types; /* of samples */
	uint64_t falls;      /* by type, a bit each: some value is below 0 */
	uint64_t columns[2]; /* vtune: of the cost and of the module, + 1 */
};

/* stacks.c, jstack.c, go_raw.c, trees.c */
extern const struct pp_dump_kind pp_dump_gdb, pp_dump_jstack, pp_dump_goroutine, pp_dump_go_raw;
extern const struct pp_dump_kind pp_dump_sample, pp_dump_pmcstat, pp_dump_vtune;

/* A frame by names, where they are known. */
pp_frame pp_dump_frame(struct pp_dump *, struct pp_slice name, struct pp_slice module,
                       struct pp_slice file, uint32_t line);
/* Adds a frame of a name and a place such as "file.c:12". */
void pp_dump_frame_add(struct pp_dump *, struct pp_slice name, struct pp_slice module,
                       struct pp_slice place);
/* Chooses the series of the stack: of a thread, with d->state, d->lock and d->lock_id as labels. */
void pp_dump_series(struct pp_dump *, const struct pp_owner *);
/* Ends a stack that counts once. */
void pp_dump_stack_end(struct pp_dump *);
/* The last of a word in a text; NULL when it is not there. */
const unsigned char *pp_dump_find_last(struct pp_slice text, const char *word);
/* The stack of d->frames, the innermost first unless `outermost_first`; they are none afterwards. */
void pp_dump_stack(struct pp_dump *, uint64_t count, bool outermost_first);
/* The same with a value for each metric. */
void pp_dump_stack_values(struct pp_dump *, const int64_t *values, bool outermost_first);

#endif
