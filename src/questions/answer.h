/*
 * An answer as data: fields, tables whose columns are data, a few lines for people, and notes.
 *
 * Everything stands in one list, in the order in which it is given. What has a key goes into JSON under it, a
 * table also into CSV; what has a title, or is said, goes into text and Markdown. So each renderer is a walk over the
 * list, and a key is spelled once: where the question adds it.
 *
 *     pp_answer_text(a, "format", PP_AS_TEXT, ...)      {"format": "folded", ...
 *     pp_answer_open(a, "counts") ... pp_answer_close(a)   "counts": {...}, ...
 *     pp_answer_say(a, PP_INK_TITLE, "%s", ...)         a piece of a line for people
 *     pp_answer_table(a, &table)                        "functions": [{...}, ...]; aligned columns
 *
 * Nothing here fails at once: an answer that ran out of memory says so at the end (pp_answer.failed).
 */
#ifndef PP_ANSWER_H
#define PP_ANSWER_H

#include <stdarg.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "model/profile.h"
#include "questions/budget.h"
#include "polyprof/polyprof_experimental.h"
#include "text/ink.h"

/* ---- data ---- */

/* What a datum is: which members hold it, and how it is printed. */
enum pp_as {
	PP_AS_NAME, /* text: bytes of the profile; in JSON with NAME_hex beside it where they are not UTF-8 */
	PP_AS_TEXT,   /* text: any bytes */
	PP_AS_LABEL,  /* text that is safe for a terminal already; for people only */
	PP_AS_COUNT,  /* count; 12,345 for people */
	PP_AS_INT,    /* whole: a number that may be negative */
	PP_AS_BYTES,  /* count; 3.4 MiB for people */
	PP_AS_TIME,   /* whole, in ns; 1.25 ms for people */
	PP_AS_VALUE,  /* value, of a metric in a unit: exact, or in the unit that fits for people */
	PP_AS_AMOUNT, /* part, in a unit: like a value that is not exact */
	PP_AS_REAL,   /* part: a double */
	PP_AS_SHARE,  /* part of all; 45.2% for people */
	PP_AS_BAR,    /* part of all, drawn; for people only */
	PP_AS_BOOL,   /* yes */
	PP_AS_RAW     /* text: a number, or other JSON, as it stands */
};

struct pp_datum {
	bool known; /* what is not known is left out, never made up */
	bool null;  /* known to be none: null in JSON, nothing elsewhere */
	bool yes;
	enum pp_ink ink;
	struct pp_slice text;
	struct pp_slice key; /* instead of the column's, when n > 0 */
	union {
		uint64_t count;
		int64_t whole;
	};
	double part, all;
	const struct pp_metric *metric;
	struct pp_slice unit;
	union pp_value value;
	struct pp_buf *made; /* in columns: an empty buffer to make a text in */
};

/* Shorthands for the functions of columns. */
static inline void
pp_datum_text(struct pp_datum *d, struct pp_slice text)
{
	d->known = true;
	d->text = text;
}

static inline void
pp_datum_count(struct pp_datum *d, uint64_t count)
{
	d->known = true;
	d->count = count;
}

static inline void
pp_datum_part(struct pp_datum *d, double part, double all)
{
	d->known = true;
	d->part = part;
	d->all = all;
}

/*
 * A share of the whole, if it is one: what a file states of a call may be more than all that functions cost by
 * themselves, and then it is no part of that. Half a tenth of a percent is rounding.
 */
static inline void
pp_datum_share(struct pp_datum *d, double part, double all)
{
	if (part <= all * 1.0005)
		pp_datum_part(d, part, all);
}

static inline void
pp_datum_value(struct pp_datum *d, const struct pp_profile *p, size_t metric, union pp_value value)
{
	d->known = true;
	d->metric = &p->metrics.at[metric];
	d->unit = pp_text_of(p, d->metric->unit);
	d->value = value;
}

static inline void
pp_datum_amount(struct pp_datum *d, const struct pp_profile *p, size_t metric, double amount)
{
	d->known = true;
	d->unit = pp_text_of(p, p->metrics.at[metric].unit);
	d->part = amount;
}

/* What was made in d->made is the text. */
static inline void
pp_datum_made(struct pp_datum *d)
{
	d->known = d->made->n > 0;
	d->text = pp_slice_of(d->made->p ? d->made->p : "", d->made->n);
}

/* ---- tables ---- */

enum {
	PP_COLUMN_RIGHT = 1 << 0,  /* aligned to the right */
	PP_COLUMN_FLEX = 1 << 1,   /* may be shortened in its middle */
	PP_COLUMN_NO_CSV = 1 << 2, /* in JSON only */
	PP_COLUMN_NO_JSON = 1 << 3,
	PP_COLUMN_RAILS = 1 << 4, /* the last one of a tree: lines join its rows to their callers */
	PP_COLUMN_INDENT = 1 << 6, /* the last one too, but its rows are only indented */
	PP_COLUMN_NAMES = 1 << 8,  /* names of functions, as --names wants them */
	PP_COLUMN_METRIC = 1 << 7, /* a metric beside the main one: told of when there is no room */
	PP_COLUMN_OF_VALUE = 1 << 10, /* what one value of a label costs: likewise */
	PP_COLUMN_FALLS = 1 << 9, /* of `each`, the metrics that fall and whose steps are known */
	PP_COLUMN_KEEP_GROUP =
	    1 << 5,               /* its group is there, if empty, where the datum is not known */
	PP_COLUMN_MAYBE = 1 << 11 /* of `each`: no object without a datum in it */
};

/* What a column tells of the function that a row is about (pp_answer_table.func). */
enum pp_func_part {
	PP_PART_NONE,
	PP_PART_NAME,
	PP_PART_DEMANGLED, /* what its name stands for, if that is mangled */
	PP_PART_MANGLED,   /* what the file calls it, if its name was demangled */
	PP_PART_FILE,
	PP_PART_LINE,
	PP_PART_COLUMN,
	PP_PART_MODULE,
	PP_PART_GENERATED_NAME, /* and what it is in a generated script, if it was remapped */
	PP_PART_GENERATED_FILE,
	PP_PART_GENERATED_LINE,
	PP_PART_GENERATED_COLUMN,
	PP_PART_PLACE /* FILE:LINE, else the module: for people */
};

/* A member of a record, as a column; what is NULL, 0 or PP_NO_OFFSET is not known. */
enum pp_member {
	PP_MEMBER_NONE,
	PP_MEMBER_TEXT, /* const char * */
	PP_MEMBER_COUNT /* uint64_t */
};

struct pp_answer_column {
	const char *key;   /* in JSON and CSV; NULL = for people only */
	const char *group; /* the object in JSON that it is a member of; in CSV "GROUP_KEY" */
	const char *csv;   /* its name in CSV where that is another */
	const char *title; /* for people; NULL = in JSON and CSV only */
	enum pp_as as;
	unsigned flags;
	size_t least;    /* columns that it takes at least, for people */
	unsigned drop;   /* 0 = always shown; else the highest goes first when space is short */
	enum pp_ink ink; /* unless the datum has another */
	size_t arg;      /* handed to `get`: mostly a metric */
	/*
	 * One datum for each metric of this profile, which `get` then has as its arg: in JSON an object under
	 * the key, in CSV columns "KEY_METRIC", those of columns that follow each other metric by metric.
	 */
	const struct pp_profile *each;
	void (*get)(const void *data, size_t row, size_t arg, struct pp_datum *);
	enum pp_func_part part; /* instead of `get` */
	enum pp_member
	    member; /* instead of `get`: `arg` is where it lies in a record of the table */
};

/* Whether a column of `each` has a datum for a metric. */
static inline bool
pp_column_has(const struct pp_answer_column *c, size_t metric)
{
	return !(c->flags & PP_COLUMN_FALLS) ||
	       pp_metric_gained(c->each, metric) < c->each->metrics.n;
}

/* For columns that are members. */
#define PP_TEXT_OF(type, name) .arg = offsetof(struct type, name), .member = PP_MEMBER_TEXT
#define PP_NUMBER_OF(type, name) .arg = offsetof(struct type, name), .member = PP_MEMBER_COUNT

/* What it was before a source map told where it comes from. */
#define PP_GENERATED_COLUMN(name, kind, what)                                                      \
	{                                                                                          \
		.key = (name), .group = "minified", .as = (kind), .flags = PP_COLUMN_NO_CSV,       \
		.part = PP_PART_GENERATED_##what                                                   \
	}

/* A function as JSON and CSV name it. */
#define PP_FUNC_COLUMNS                                                                            \
	{ .key = "name", .as = PP_AS_NAME, .part = PP_PART_NAME },                                 \
	    { .key = "demangled",                                                                  \
	      .as = PP_AS_NAME,                                                                    \
	      .flags = PP_COLUMN_NO_CSV,                                                           \
	      .part = PP_PART_DEMANGLED },                                                         \
	    { .key = "mangled",                                                                    \
	      .as = PP_AS_NAME,                                                                    \
	      .flags = PP_COLUMN_NO_CSV,                                                           \
	      .part = PP_PART_MANGLED },                                                           \
	    { .key = "file", .as = PP_AS_NAME, .part = PP_PART_FILE },                             \
	    { .key = "line",                                                                       \
	      .as = PP_AS_COUNT,                                                                   \
	      .part = PP_PART_LINE }, /* CSV has the same columns whatever the profile knows */    \
	    { .key = "column",                                                                     \
	      .as = PP_AS_COUNT,                                                                   \
	      .flags = PP_COLUMN_NO_CSV,                                                           \
	      .part = PP_PART_COLUMN },                                                            \
	    PP_GENERATED_COLUMN("name", PP_AS_NAME, NAME),                                         \
	    PP_GENERATED_COLUMN("file", PP_AS_NAME, FILE),                                         \
	    PP_GENERATED_COLUMN("line", PP_AS_COUNT, LINE),                                        \
	    PP_GENERATED_COLUMN("column", PP_AS_COUNT, COLUMN)
#define PP_MODULE_COLUMN(flag)                                                                     \
	{                                                                                          \
		.key = "module", .as = PP_AS_NAME, .flags = (flag), .part = PP_PART_MODULE         \
	}

/* Where a row of a tree stands. */
struct pp_branch_place {
	uint32_t level; /* 0 = the outermost */
	bool last;      /* nothing follows under the same caller */
};

enum {
	PP_TABLE_OBJECT =
	    1 << 0, /* in JSON its one outermost row is an object, not an array of one */
	PP_TABLE_NESTED =
	    1 << 1, /* in JSON rows without rows below them have an empty array of these */
	PP_TABLE_NO_CSV = 1 << 2,  /* not the table that CSV gives */
	PP_TABLE_NO_TEXT = 1 << 3, /* not for people */
	PP_TABLE_NO_MORE = 1 << 4, /* the question says itself what is not shown */
	PP_TABLE_WHOLE = 1 << 5,   /* rows that belong together: never cut by their number */
	PP_TABLE_USUAL = 1 << 7,   /* scripts get the usual number of rows, too */
	PP_TABLE_CSV_TOO =
	    1 << 8, /* CSV gives it, too, where the one before has the same columns */
	PP_TABLE_NO_HEADER = 1 << 6 /* for people without a line of titles */
};

struct pp_answer_table {
	const char *key; /* in JSON; NULL = none there */
	const char *one,
	    *many; /* what its rows are, for "12 more functions"; NULL = nothing special */
	const struct pp_answer_column *columns;
	size_t column_count;
	const void
	    *data; /* handed to the columns; owned by the answer (pp_answer_own) or the subject */
	/* For columns with a `member`: a record per row, or records of this size as `data`. */
	const void *const *records;
	size_t record_size;
	unsigned flags;
	size_t rows;         /* that there are; not counted (0) when `next` is given */
	size_t usual;        /* that people are shown unless they say otherwise; 0 = all */
	size_t metrics_left; /* that have no column for people */
	size_t empty;        /* rows that cost nothing and are not among `rows` */
	/*
	 * Rows as they come, where there may be millions: moves on to the next and returns 1, 0 behind the last, -1 when
	 * out of memory. `row` means nothing to the columns then. Such a table can be printed once, and not in text.
	 */
	int (*next)(void *data);
	/* The function that a row is about, and its profile; for columns with a `part`. */
	pp_func (*func)(const void *data, size_t row, const struct pp_profile **);
	/* Rows inside rows: each stands behind the one that it is in. NULL = there are none. */
	struct pp_branch_place (*place)(const void *data, size_t row);
	const char *nested;      /* the key of rows inside a row */
	struct pp_window window; /* set when the question is answered */
};

/* What a table has in a row and a column; d->made is empty. */
void pp_answer_get(const struct pp_answer_table *, const struct pp_answer_column *, size_t row,
                   size_t arg, struct pp_datum *);

/* ---- the list ---- */

enum pp_item_kind {
	PP_ITEM_FIELD,      /* key: datum */
	PP_ITEM_OPEN,       /* key: an object begins */
	PP_ITEM_CLOSE,      /* and ends */
	PP_ITEM_OPEN_LIST,  /* key: an array begins */
	PP_ITEM_CLOSE_LIST, /* and ends */
	PP_ITEM_TABLE,
	PP_ITEM_SAID, /* for people: text as it stands, safe for a terminal, lines ended by '\n' */
	PP_ITEM_LINE, /* for people: "key  text", keys aligned */
	PP_ITEM_PARAGRAPH, /* for people: text in lines that fit, indented by `count` columns */
	PP_ITEM_FINDINGS   /* for people: findings, one in a line */
};

struct pp_item {
	enum pp_item_kind kind;
	const char *key; /* NULL = in a list, or none */
	enum pp_as as;
	struct pp_datum datum;        /* FIELD; SAID and LINE: text and ink */
	struct pp_answer_table table; /* TABLE */
	const struct pp_diags
	    *diags; /* FINDINGS: those of at least `least`, `count` of each rule */
	pp_severity least;
	size_t count;
};

/* What a reader should know beside the answer; an error when there is none. */
struct pp_answer_note {
	pp_severity severity;
	const char *rule; /* a stable id */
	const char *text;
};

/* What may have been meant, when a name fits none or several. */
struct pp_candidate {
	struct pp_slice name;
	struct pp_slice place; /* of several that have one name, "PLACE:NAME" is this one */
	pp_func func;
};

struct pp_product;

struct pp_answer {
	struct pp_arena arena;
	PP_VEC(struct pp_item) items;
	PP_VEC(struct pp_answer_note) notes;
	PP_VEC(struct pp_candidate) candidates;
	size_t more_candidates; /* that are not listed */
	PP_VEC(struct pp_next) hints;
	PP_VEC(struct pp_owned {
		void *data;
		void (*release)(void *);
	})
	owned;
	struct pp_budget budget; /* as asked */
	const char *metric;      /* the same: what is asked next is about it, too; or NULL */
	bool exact;
	bool
	    needs_stacks; /* there is none yet: what is asked about has to be read for its stacks, too */
	const struct pp_product
	    *product; /* what is to be drawn or written, questions/product.h; or NULL */
	struct pp_slice
	    excerpt;            /* the whole answer under a budget, as it is printed; n = 0: none */
	const char *unreadable; /* why a file could not be read, where findings say so; or NULL */
	bool exceeded;          /* a limit */
	bool stands;            /* it is worth printing whatever the status */
	bool failed;            /* out of memory: something is missing */
	/* Is told notes as they come; or NULL. */
	void (*tell)(void *tell_ctx, const struct pp_answer_note *);
	void *tell_ctx;
};

void pp_answer_init(struct pp_answer *);
void pp_answer_release(struct pp_answer *);
/* Takes back what was answered so that it can be asked again; memory and notes stay. */
void pp_answer_clear(struct pp_answer *);

/* Memory that lives as long as the answer, zeroed; NULL when out of memory. */
void *pp_answer_alloc(struct pp_answer *, size_t n);
/* The same, with what has to be called on it at the end. */
void *pp_answer_own(struct pp_answer *, size_t n, void (*release)(void *));
/* The text of a buffer; the answer fails when that has no memory for it. */
const char *pp_answer_made(struct pp_answer *, const struct pp_buf *);
/* A copy of text that lives as long as the answer, NUL-terminated; "" when out of memory. */
const char *pp_answer_copy(struct pp_answer *, struct pp_slice);

/* Fields. Without a key they are elements of the list that is open. Texts are copied. */
void pp_answer_text(struct pp_answer *, const char *key, enum pp_as, struct pp_slice);
void pp_answer_textz(struct pp_answer *, const char *key, const char *);
void pp_answer_count(struct pp_answer *, const char *key, uint64_t);
void pp_answer_int(struct pp_answer *, const char *key, int64_t);
void pp_answer_bool(struct pp_answer *, const char *key, bool);
void pp_answer_real(struct pp_answer *, const char *key, double);
void pp_answer_value(struct pp_answer *, const char *key, const struct pp_profile *, size_t metric,
                     union pp_value);
/* A metric by the name that values have. */
void pp_answer_metric(struct pp_answer *, const char *key, const struct pp_profile *,
                      size_t metric);
/* "total", and "idle" where some of it is, which the total given lacks. */
void pp_answer_total(struct pp_answer *, const struct pp_profile *, size_t metric, union pp_value);
/* "name", "file", "line", "column", "module" of a function, as far as they are known. */
void pp_answer_func(struct pp_answer *, const struct pp_profile *, pp_func);
/* "format", "complete": what the answer is drawn from. */
void pp_answer_source(struct pp_answer *, const struct pp_profile *);
/* "metric", "attributed" if allocators were set aside, "unit"; nothing without metrics. */
void pp_answer_unit(struct pp_answer *, const struct pp_profile *, size_t metric);
/* "units" of all metrics, where rows have several. */
void pp_answer_units(struct pp_answer *, const struct pp_profile *);
void pp_answer_open(struct pp_answer *, const char *key);
void pp_answer_close(struct pp_answer *);
void pp_answer_open_list(struct pp_answer *, const char *key);
void pp_answer_close_list(struct pp_answer *);
/* JSON as it stands, out of a buffer that is freed. */
void pp_answer_raw(struct pp_answer *, const char *key, struct pp_buf *);

/* A table; its window is made from the budget. Returns what is in the answer, NULL when out of memory. */
const struct pp_answer_table *pp_answer_table(struct pp_answer *, const struct pp_answer_table *);
/* The rows that a table of so many would show: for questions that have to know before. */
struct pp_window pp_answer_window(const struct pp_answer *, size_t rows, size_t usual);

/* For people: words that are safe for a terminal already (names go through pp_answer_say_name). */
void pp_answer_say(struct pp_answer *, enum pp_ink, const char *fmt, ...) PP_PRINTF(3, 4);
/* Bytes from anywhere, made safe. */
void pp_answer_say_name(struct pp_answer *, enum pp_ink, struct pp_slice);
/* "key  text" of a listing of keys. Nothing when the text is empty. */
void pp_answer_line(struct pp_answer *, const char *key, enum pp_ink, struct pp_slice);

void pp_answer_paragraph(struct pp_answer *, const char *text, size_t indent);
/* Whether anything was said so far. */
bool pp_answer_has_said(const struct pp_answer *);

/* The rule of errors that a look at the help would mend. */
#define PP_RULE_USAGE "usage"

/* Notes; the text has no full stop. */
void pp_answer_note(struct pp_answer *, const char *rule, const char *fmt, ...) PP_PRINTF(3, 4);
/* Says why there is no answer, and returns the status. */
pp_status pp_answer_fail(struct pp_answer *, pp_status, const char *rule, const char *fmt, ...)
    PP_PRINTF(4, 5);
/* The same in the status' own words. */
pp_status pp_answer_fail_status(struct pp_answer *, pp_status);

/* What can be asked next; the words are copied. */
void pp_answer_hint(struct pp_answer *, const char *does, const char *before, const char *after);
/* The same with a word of the profile behind the command, quoted for a shell; nothing when it cannot be typed. */
void pp_answer_hint_typed(struct pp_answer *, const char *does, const char *command,
                          struct pp_slice word);

/* ---- words that several answers use ---- */

/* A function's name as people read it, safe for a terminal: the one place where names become text. */
void pp_func_text(struct pp_buf *, const struct pp_profile *, pp_func);

/* " net, 4.45 MiB gained, 4.44 MiB given back": behind the net value of a metric that falls. */
void pp_describe_falls(struct pp_buf *, const struct pp_profile *, const struct pp_metric *,
                       union pp_value net, union pp_value gained);
/* "wall time: 1.25 ms", or "12,345 samples" where the metric is named like its unit. Not safe for a terminal. */
void pp_metric_describe(struct pp_buf *, const struct pp_profile *, const struct pp_metric *,
                        double value);

#endif
