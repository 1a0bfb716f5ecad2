/*
 * The limits of `gate`:  SUBJECT OP LIMIT
 *
 *     SUBJECT  total | self(F) | total(F) | calls(F)     F: a name, /REGEX/ or *
 *     OP       > >= < <=
 *     LIMIT    [+|-]NUMBER[UNIT|%]
 *
 * With a sign the limit is one of the change: in percent of the value before, or in its unit. Without,
 * it is one of the value after: in its unit, or in percent of the whole; of a metric that falls, both are what was gained.
 */
#ifndef PP_GATE_RULE_H
#define PP_GATE_RULE_H

#include "analysis/diff.h"
#include "text/regex.h"

enum pp_gate_subject { PP_GATE_WHOLE, PP_GATE_SELF, PP_GATE_TOTAL, PP_GATE_CALLS };
enum pp_gate_op { PP_GATE_MORE, PP_GATE_AT_LEAST, PP_GATE_LESS, PP_GATE_AT_MOST };

struct pp_gate_rule {
	const char *text; /* as given */
	enum pp_gate_subject subject;
	struct pp_slice name;   /* F, when it is a name */
	struct pp_regex *regex; /* F, when it is a pattern */
	bool all;               /* F is * */
	enum pp_gate_op op;
	bool of_change; /* the limit has a sign */
	bool percent;
	double number; /* in the metric's unit, or percent / 100 */
};

/* Parses for a metric of this unit; false when it makes no sense, and *problem says why. */
bool pp_gate_parse(struct pp_gate_rule *, const char *text, struct pp_slice unit,
                   struct pp_buf *problem);
void pp_gate_release(struct pp_gate_rule *);

/* Whether the rule speaks of a function; TOO_HARD when its pattern gives up. */
enum pp_regex_result pp_gate_matches(const struct pp_gate_rule *, const struct pp_diff_row *);
/* Whether a row (NULL = the whole) exceeds the limit. Noise never does. */
bool pp_gate_exceeds(const struct pp_gate_rule *, const struct pp_diff *,
                     const struct pp_diff_row *);

#endif
