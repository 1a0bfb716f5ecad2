/*
 * What cachegrind, callgrind and Xdebug files share, and where it is:
 *
 *     lines.h      numbers, positions, costs and ids in the text
 *     parse.c      the grammar of lines, in any order: pp_cg_parse() keeps all state that it needs (current
 *                  object, file and function, position bases, ids, events of the part) and hands facts to a
 *                  visitor, which makes edges and lines (callgrind_read.c) or calls (xdebug_records.c)
 *     header.c     `key: value` lines and parts;  events.c: columns;  names.c: ids;  finish.c: the end
 *     detect.c     which of the three a file is;  describe.c: what its header tells;  rules.c
 *     emit.c       writing lines: names with ids, places, costs
 *
 * callgrind_*.c and cachegrind*.c are of Valgrind's own, xdebug*.c of Xdebug.
 */
#ifndef PP_CALLGRIND_FAMILY_H
#define PP_CALLGRIND_FAMILY_H

#include "base/units.h"
#include "formats/format.h"
#include "formats/valgrind/lines.h"

enum pp_cg_family { PP_CG_NONE, PP_CG_XDEBUG, PP_CG_CALLGRIND, PP_CG_CACHEGRIND };

#define PP_CG_SHOWN 200 /* of a name in a message */
/* A name, for "%.*s". */
#define PP_CG_CLIP(name)                                                                           \
	(int)((name).n < PP_CG_SHOWN ? (name).n : PP_CG_SHOWN), (const char *)(name).p

/* Positions in the tables of rules. */
enum pp_callgrind_rule {
#define CALLGRIND(name, id, severity, title, text) PP_CG_##name,
#include "formats/valgrind/rule_list.h"
};
enum pp_xdebug_rule {
#define XDEBUG(name, id, severity, title, text) PP_XD_##name,
#include "formats/valgrind/rule_list.h"
};
enum pp_cachegrind_rule {
#define CACHEGRIND(name, id, severity, title, text) PP_CACHEGRIND_##name,
#include "formats/valgrind/rule_list.h"
};

extern const struct pp_rule pp_callgrind_rules[], pp_xdebug_rules[], pp_cachegrind_rules[];

/* ---- names ------------------------------------------------------------------------------ */

/* The three spaces of ids. */
enum pp_cg_space { PP_CG_OBJECTS, PP_CG_FILES, PP_CG_FUNCTIONS, PP_CG_SPACES };

/* Ids of one space: `(N)` -> name. Ids need not be dense; very large ones go to a hash table. */
struct pp_cg_ids {
	PP_VEC(struct pp_cg_id {
		pp_str name;
		uint32_t part; /* where it was defined, counted from 1; 0 = undefined */
	})
	small;
	struct pp_map large; /* id -> index in `far` */
	PP_VEC(struct pp_cg_id) far;
};

void pp_cg_ids_release(struct pp_cg_ids *);

/*
 * A comment that starts like this counts the calls of the current function that no function of the file makes: callgrind
 * counts calls where they are made. All readers skip comments.
 */
#define PP_CG_OUTSIDE "# calls from outside: "

/* ---- parts ------------------------------------------------------------------------------ */

/* A header line of a part, in order. */
struct pp_cg_header {
	uint32_t part;
	pp_str key, value;
};

/* One part: a header and a body. */
struct pp_cg_part {
	pp_str version, creator, cmd;
	size_t first_header; /* its header lines stand together, in the order of the parts */
	int64_t pid, thread, number; /* -1 = not given */
	bool has_events, has_body, has_summary, has_totals;
	bool has_main;      /* Xdebug: a record of {main} was seen */
	unsigned positions; /* PP_CG_INSTR | ... */
	uint32_t event_count;
	uint32_t *events; /* column -> metric */
	bool in_order;    /* column k is metric k */
	uint32_t series;  /* of the profile, once it has a body */
	uint64_t *sums;   /* per metric: the own costs of this part, modulo 2^64 */
	size_t sums_n;
	pp_str summary, totals; /* as written */
	uint64_t summary_line, totals_line;
};

#define PP_CG_XDEBUG_EVENTS 2 /* that Xdebug counts at most: time and memory */

enum { PP_CG_INSTR = 1, PP_CG_BB = 2, PP_CG_LINE = 4 };

/* A derived event: a sum of columns with factors. */
struct pp_cg_term {
	uint32_t metric;
	int64_t factor;
};

struct pp_cg_derived {
	uint32_t metric;
	pp_str formula;
	PP_VEC(struct pp_cg_term) terms;
};

/* Tables of extras. */
enum { PP_CG_EXTRA_METRIC = 1 };

/* ---- the parser ------------------------------------------------------------------------- */

/* A place: address, basic block, line; 0 where the part has no such column. */
struct pp_cg_pos {
	uint64_t at[3];
};

/* A call as its two lines give it. */
struct pp_cg_call {
	pp_func callee;
	pp_str name;   /* the callee's */
	bool has_file; /* the callee's file was given, not taken from the caller */
	uint64_t count;
	struct pp_cg_pos target;
};

struct pp_cg_jump {
	bool conditional;
	uint64_t followed, executed;
	struct pp_cg_pos target;
	pp_str file; /* 0 = the current one */
	pp_str name; /* of the function jumped to; 0 = the same */
};

struct pp_cg_parser;

/* What the parser tells; each may be NULL. Costs are indexed by metric. */
struct pp_cg_visitor {
	/* The first line of a body: the part's events are known. */
	void (*body)(struct pp_cg_parser *);
	void (*function)(struct pp_cg_parser *); /* a `fn=` line */
	void (*own)(struct pp_cg_parser *, const struct pp_cg_pos *, const int64_t *costs);
	void (*call)(struct pp_cg_parser *, const struct pp_cg_call *, const struct pp_cg_pos *,
	             const int64_t *costs);
	void (*jump)(struct pp_cg_parser *, const struct pp_cg_jump *, const struct pp_cg_pos *);
	/* Calls of the current function that no function makes. */
	void (*outside)(struct pp_cg_parser *, uint64_t calls);
	void (*blank)(struct pp_cg_parser *); /* an empty line (xtree: the end of a stack) */
	/* Unmeaning but kept lines: rec=, frfn=, bb=, ln=. */
	void (*other)(struct pp_cg_parser *, struct pp_slice line);
};

enum pp_cg_pending { PP_CG_OWN, PP_CG_CALL, PP_CG_JUMP };

/* Which line of the text it is. */
struct pp_cg_at {
	uint64_t line;              /* its number, from 1 */
	uint64_t offset;            /* of its first byte */
	const unsigned char *begin; /* its first byte */
	bool cut;                   /* it is the last one and lacks its newline */
};

struct pp_cg_names {
	struct pp_cg_ids ids[PP_CG_SPACES];
	uint64_t undefined; /* uses of ids that were never defined */
};

/* What header lines told. */
struct pp_cg_head {
	PP_VEC(struct pp_cg_part) parts;
	PP_VEC(struct pp_cg_header) lines;
	PP_VEC(struct pp_cg_derived) derived;
	uint32_t part;               /* number of the current part, counted from 1; 0 = none */
	uint32_t late_events;        /* events that only parts behind the first have */
	bool fresh;                  /* the next header line starts a part */
	struct pp_slice events_text; /* the `events:` line that is read now */
};

/* Where own costs belong: ob=, fl=, fi=, fe=, fn=. */
struct pp_cg_place {
	pp_module object;
	pp_str file;         /* of fl= */
	pp_str current_file; /* of fl=, fi= or fe= */
	pp_str function;
	bool has_function;
	pp_func func; /* of (object, file, function); 0 = look it up */
};

/* Where the next call or jump goes: cob=, cfi=, cfn=, jfi=, jfn=. */
struct pp_cg_next {
	pp_module object;
	pp_str file, function, jump_file, jump_function;
	bool has_object, has_file, has_function, function_used;
};

struct pp_cg_parser {
	struct pp_reader *reader;
	struct pp_builder *builder;
	enum pp_cg_family family;
	const struct pp_cg_visitor *visitor;
	void *ctx; /* the visitor's */

	struct pp_cg_at at;
	struct pp_cg_names names;
	struct pp_cg_head head;
	struct pp_cg_place place;
	struct pp_cg_next next;
	bool by_callgrind; /* positions are relative to the last own line; names are made of ids */
	struct pp_cg_pos base;

	/* The record of one or two lines that is read now. */
	enum pp_cg_pending pending;
	struct pp_cg_call call;
	struct pp_cg_jump jump;
	int64_t *costs; /* one per metric */
	size_t costs_cap;
	uint32_t cost_count; /* how many the line had */
	size_t cost_bound;   /* costs of metrics from here on are 0 */
};

/* Reads the whole input. PP_OK, PP_E_IO, or the builder's status. */
pp_status pp_cg_parse(struct pp_cg_parser *);
void pp_cg_parser_release(struct pp_cg_parser *);

static inline struct pp_cg_part *
pp_cg_part(struct pp_cg_parser *p)
{
	return &p->head.parts.at[p->head.part - 1];
}

/* A part by its number, counted from 1. */
static inline struct pp_cg_part *
pp_cg_part_at(struct pp_cg_parser *p, uint32_t number)
{
	return &p->head.parts.at[number - 1];
}

/* A finding at the current line; `at` is the byte to point at, or NULL for its start. */
void pp_cg_report(struct pp_cg_parser *, enum pp_callgrind_rule, const unsigned char *at,
                  const char *fmt, ...) PP_PRINTF(4, 5);
/* Says that a cost of this line does not fit into a sum of a metric (metrics.n: of calls). */
void pp_cg_sum_report(void *parser, size_t metric);
/* The function that own costs belong to now. */
pp_func pp_cg_func(struct pp_cg_parser *);
/* names.c: the name that `(N) text`, `(N)` or `text` stands for. */
pp_str pp_cg_name(struct pp_cg_parser *, enum pp_cg_space, struct pp_slice value);
/* Gives an id its name; false (said) when it had another one in the same part. */
bool pp_cg_id_define(struct pp_cg_parser *, enum pp_cg_space, uint64_t id, pp_str name);
/* The name that an id has; 0 = none. */
pp_str pp_cg_id_name(struct pp_cg_parser *, enum pp_cg_space, uint64_t id);

/* header.c: `key: value` lines, parts, events. False when the line is none. */
bool pp_cg_header(struct pp_cg_parser *, struct pp_slice line);
/* Starts a part at the next header line (a separator was seen). */
void pp_cg_part_end(struct pp_cg_parser *);
/* Makes sure that there is a part. */
bool pp_cg_part_need(struct pp_cg_parser *);
/* finish.c: meta data of all parts, checks of totals; for the end of the reading. */
void pp_cg_finish(struct pp_cg_parser *);
/* Whether a totals: or summary: line says what the own costs of a part add up to, of all events. */
bool pp_cg_sums_agree(const struct pp_cg_parser *, const struct pp_cg_part *, pp_str vector);

/* Gives the current part its series in the profile. */
void pp_cg_series(struct pp_cg_parser *, bool has_calls, bool measured);

/* events.c: an `events:` line, which names the columns of the part; an `event:` line behind it. */
void pp_cg_events(struct pp_cg_parser *, struct pp_slice value);
void pp_cg_event(struct pp_cg_parser *, struct pp_slice value);
/* Computes the derived events of a cost line. */
void pp_cg_derive(struct pp_cg_parser *, int64_t *costs);
/* Whether all that a metric has in a profile fits into 63 bits. */
bool pp_cg_fits_signed(const struct pp_profile *, uint32_t metric);
/* The unit that a reader will take a metric of another profile to have by its name; NULL: its own. */
const char *pp_cg_unit_by_name(struct pp_slice name);
/* The unit in parentheses at the end of a name, which begins at *before; NULL when there is none. */
const struct pp_unit *pp_cg_unit_in(struct pp_slice name, size_t *before);
/* The nanoseconds of "10ns", "us", "µs", "ms", "s", "100ns" ...; 0 when it is no such unit. */
uint64_t pp_cg_time_unit(struct pp_slice text);

/* ---- recognition and entry -------------------------------------------------------------- */

/* Which member of the family the head looks like, and how many bits say so. */
enum pp_cg_family pp_cg_detect(const struct pp_peek *, int *bits);
pp_status pp_callgrind_read(struct pp_reader *, struct pp_builder *, enum pp_cg_family);
/* Whether who wrote a file ends each of its parts with a totals: line, so that one without is incomplete. */
bool pp_cg_ends_with_totals(struct pp_slice creator);
pp_status pp_xdebug_read(struct pp_reader *, struct pp_builder *);
pp_status pp_xdebug_describe(struct pp_reader *, struct pp_brief *);
pp_status pp_callgrind_describe(struct pp_reader *, struct pp_brief *);
pp_status pp_cachegrind_describe(struct pp_reader *, struct pp_brief *);

pp_status pp_callgrind_write(struct pp_writer *);
pp_status pp_cachegrind_write(struct pp_writer *);
pp_status pp_xdebug_write(struct pp_writer *);

#endif
