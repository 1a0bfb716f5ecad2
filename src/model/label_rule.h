/*
 * Choosing series by their labels: "KEY=VALUE", "KEY~RE", and with "!" before the sign those that do not.
 *
 * VALUE is a text, or for labels that are numbers a number with or without a unit ("32kB", "1.5ms") or a range of them
 * ("1kB..64kB", "10ms.."). Nothing behind the sign chooses what has no label of that key. Of several values of one key
 * any may be it. The keys are those of model/labels.h, so that "pid=7" and "thread~worker" work, too.
 */
#ifndef PP_LABEL_RULE_H
#define PP_LABEL_RULE_H

#include "base/buf.h"
#include "model/labels.h"
#include "text/regex.h"

/* A number as given, and what it is of: ns or bytes, if it has a unit of time or memory. */
struct pp_label_amount {
	bool given;
	double value;
	enum { PP_AMOUNT_PLAIN, PP_AMOUNT_TIME, PP_AMOUNT_BYTES } of;
};

struct pp_label_rule {
	struct pp_slice key, value;
	struct pp_regex *regex; /* NULL = `value` itself */
	bool negated;
	struct pp_label_amount from, to; /* where the value is one or two numbers */
};

/* Parses one; false when it is wrong (*problem says why) or out of memory (*problem is empty). */
bool pp_label_rule_parse(struct pp_label_rule *, struct pp_slice text, struct pp_buf *problem);
void pp_label_rule_release(struct pp_label_rule *);
/* Tell whether it chooses a profile whose label of that key has this text; an empty text means no such label. */
bool pp_label_rule_text(const struct pp_label_rule *, struct pp_slice text);
/* Clears stays[series] of those that it does not choose. PP_E_LIMIT when a pattern takes too long, and *problem says so. */
pp_status pp_label_rule_apply(const struct pp_label_rule *, const struct pp_profile *, bool *stays,
                              struct pp_buf *problem);

#endif
