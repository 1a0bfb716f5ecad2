/*
 * An answer under a budget: one compact object, rows as arrays under `columns`, and how to get what was cut.
 *
 * A question that knows how fills in the head and tells what its rows are (pp_question.excerpt); which of them fit is
 * decided here and nowhere else. The same cells become JSON or text. Every text of a profile is spelled and clipped before it
 * is counted, and none becomes part of a sentence.
 */
#ifndef PP_EXCERPT_H
#define PP_EXCERPT_H

#include "questions/handles.h"
#include "questions/question.h"

/* Tokens that may be asked for, and bytes that each stands for. */
#define PP_TOKENS_LEAST 300
#define PP_TOKENS_MOST 20000
#define PP_TOKEN_BYTES 2

/* A row while it is made. */
struct pp_row {
	struct pp_buf *out;
	bool text;      /* for people; else JSON */
	size_t clip;    /* bytes that a text may have */
	unsigned cells; /* so far */
};

/* A list or an object in a cell is begun and ended by these; cells between them are its items. */
void pp_row_open(struct pp_row *, char bracket);
void pp_row_close(struct pp_row *, char bracket);
/* In an object: before the cell that it names. */
void pp_row_key(struct pp_row *, const char *key);
void pp_row_null(struct pp_row *);
void pp_row_bool(struct pp_row *, bool);
void pp_row_count(struct pp_row *, uint64_t);
void pp_row_int(struct pp_row *, int64_t);
/* A number with so many decimals at most. */
void pp_row_real(struct pp_row *, double, int decimals);
/* A share in percent; null without a whole. */
void pp_row_pct(struct pp_row *, double part, double whole);
void pp_row_value(struct pp_row *, const struct pp_metric *, union pp_value);
/* A number that is text already. */
void pp_row_raw(struct pp_row *, const char *text, size_t n);
/* Words of ours, and text of anybody. */
void pp_row_word(struct pp_row *, const char *);
void pp_row_text(struct pp_row *, struct pp_slice);
/* The last bytes of a path, so many at most: they say which it is. */
void pp_row_path(struct pp_row *, const char *path, size_t most);
/* A text that is spelled already. */
void pp_row_spelled(struct pp_row *, const struct pp_buf *);
/* Spells what hides or moves text as long as there is room; returns how many bytes of the text that took. */
size_t pp_spell(struct pp_buf *, struct pp_slice, size_t room);
/* "f12"; null for 0. */
void pp_row_handle(struct pp_row *, char kind, uint64_t number);
/* The name of a function, and FILE:LINE or else the module. */
void pp_row_name(struct pp_row *, const struct pp_profile *, pp_func);
void pp_row_place(struct pp_row *, const struct pp_profile *, pp_func);

/* One argument of the call that goes on. */
struct pp_excerpt_next {
	const char *tool; /* NULL = the same */
	const char *key;
	char value[32];
	const char *and_key; /* a second one; NULL = there is none */
	char and_value[40];
};

struct pp_excerpt {
	struct pp_answer *answer;
	const struct pp_question *question;
	const struct pp_subject *subject;
	const struct pp_asked *asked;
	size_t limit;   /* bytes; 0 = any number */
	unsigned tight; /* texts are shorter than usual: 1 or 2 */
	bool starved;   /* rows were cut, and there was room for none */
	bool loose;     /* rows were cut, and much of the room is left */
	struct pp_buf head_bytes;
	struct pp_row head; /* what stands before the rows */
	bool noted;         /* notes stand in it */
	bool said;          /* for people: the head and the rows are sentences, without titles */
	/* What the rows are; without columns there are none. */
	const char *const *columns;
	size_t column_count;
	size_t rows;
	uint64_t first; /* the first one shown */
	void *data;
	void (*row)(void *data, size_t row, struct pp_row *);
	/* What a row holds in percent, for what is said of those cut; or NULL. */
	double (*percent)(void *data, size_t row);
	/* Rows that are chosen by who makes them: all are shown, and these were left out. */
	bool chosen;
	uint64_t cut_rows;
	double cut_percent;
	struct pp_excerpt_next next; /* of chosen ones; key NULL = nothing was cut */
};

/* Asks for it: the answer's `excerpt` is filled in, also when the status tells of a failure. */
pp_status pp_excerpt_run(struct pp_asking *, const struct pp_subject *);
/* The same of a failure before the question could be asked. */
void pp_excerpt_fail(struct pp_asking *);

/* "file", "stamp" of a topic. */
void pp_excerpt_file(struct pp_excerpt *, const struct pp_topic *);
/* "file" to "total" of a topic; metrics.n = no metric. */
void pp_excerpt_head(struct pp_excerpt *, const struct pp_topic *, size_t metric,
                     union pp_value total);
/* For people: makes the head anew, as words. */
void pp_excerpt_say(struct pp_excerpt *);
/* The handles of a topic; NULL when out of memory. */
const struct pp_handles *pp_excerpt_handles(struct pp_excerpt *, const struct pp_topic *);
/* The tree of a topic with the handles of its nodes; likewise. */
const struct pp_numbering *pp_excerpt_numbering(struct pp_answer *, const struct pp_topic *);
/* Whether functions of a topic go by handles: they do unless they were grouped. */
bool pp_excerpt_has_handles(const struct pp_excerpt *, const struct pp_topic *);
/* Bytes that the name of a metric may have. */
size_t pp_excerpt_metric_clip(const struct pp_excerpt *);
/* Texts in the head are shorter where there is little room. */
void pp_excerpt_shorten(struct pp_excerpt *);
/* How many bytes of rows there is room for, beside the head and what says that rows were cut. */
size_t pp_excerpt_room(struct pp_excerpt *);
/* A function by handle or by name: PP_OK, or a status with the reason said. */
pp_status pp_excerpt_function(struct pp_excerpt *, const struct pp_topic *, const char *name,
                              pp_func *);

#endif
