/*
 * Diagnostics as data: who complains (a rule), where, and what exactly.
 *
 * A collector keeps at most `cap_per_rule` findings of each rule and counts the rest. It never fails:
 * when memory runs out the finding is still counted.
 */
#ifndef PP_DIAG_H
#define PP_DIAG_H

#include <stdarg.h>

#include "base/arena.h"
#include "base/common.h"
#include "base/vec.h"

/* Where something was found. 0 (line, column) and PP_NO_OFFSET mean unknown. */
struct pp_place {
	uint64_t line;
	uint64_t column;
	uint64_t offset;
};

#define PP_NOWHERE ((struct pp_place){ 0, 0, PP_NO_OFFSET })

static inline struct pp_place
pp_at_line(uint64_t line, uint64_t column, uint64_t offset)
{
	return (struct pp_place){ line, column, offset };
}

static inline struct pp_place
pp_at_offset(uint64_t offset)
{
	return (struct pp_place){ 0, 0, offset };
}

/* The place of a byte in a text, line and column counted; costs as much as the text before it is long. */
struct pp_place pp_place_in(struct pp_slice text, const unsigned char *at);

/* The same for one place after the other, each behind the last: lines are counted once. */
struct pp_places {
	struct pp_slice text;
	const unsigned char *at; /* NULL = none yet */
	struct pp_place place;
};

struct pp_place pp_places_next(struct pp_places *, const unsigned char *at);

struct pp_rule_count {
	const struct pp_rule *rule;
	uint64_t n;
};

struct pp_diags {
	struct pp_arena arena;
	PP_VEC(struct pp_diag) list;
	PP_VEC(struct pp_rule_count) counts; /* by first appearance */
	uint64_t totals[3];                  /* by severity */
	const char *file;                    /* put into what is added now */
	uint64_t cap_per_rule;               /* 0 = PP_DIAG_CAP */
};

#define PP_DIAG_CAP 1000

/* Adds a finding of a rule; the message is a printf format without the place, the rule id or a full stop. */
void pp_diag_add(struct pp_diags *, const struct pp_rule *, struct pp_place, const char *fmt, ...)
    PP_PRINTF(4, 5);
void pp_diag_vadd(struct pp_diags *, const struct pp_rule *, struct pp_place, const char *fmt,
                  va_list args) PP_PRINTF(4, 0);
/* Names the file for what follows (copied). */
void pp_diags_set_file(struct pp_diags *, const char *file);
/* How often a rule was found. */
uint64_t pp_diags_of_rule(const struct pp_diags *, const struct pp_rule *);
/* Moves all findings of `from` behind those of `to`; line numbers grow by `add_lines`. */
void pp_diags_append(struct pp_diags *to, const struct pp_diags *from, uint64_t add_lines);
/* The same findings, each with its file, in diagnostics that were not initialised; false when out of memory. */
bool pp_diags_copy(struct pp_diags *to, const struct pp_diags *from);
/* Puts the findings from `first` on into the order of the input (line, then column, then offset). */
void pp_diags_sort(struct pp_diags *, size_t first);
void pp_diags_init(struct pp_diags *);
void pp_diags_release(struct pp_diags *);

#endif
