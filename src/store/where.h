/*
 * Which profiles of a store: conditions on their labels.
 *
 *     expression = conjunction { "or" conjunction }
 *     conjunction = term { "and" term }
 *     term = "not" term | "(" expression ")" | condition
 *     condition = key ( "=" | "!=" ) text | key ( "~" | "!~" ) quoted | key "in" "(" text { "," text } ")"
 *
 * A key or text is bare ([A-Za-z0-9_./:@+-]+, none of the four words) or stands in double quotes, in which \" and \\
 * are a quote and a backslash; any other backslash is one, so that patterns can be written as usual. A label that is
 * absent equals "". Three keys are no labels: `format`; `complete`, which is true or false; `profile`, the profile's hash in
 * hexadecimal digits, of which = != and in compare as many as are given.
 *
 * Most expressions ask for labels only, which few profiles have of their own: who evaluates them tries each distinct
 * set of labels once, and looks at single profiles only where that is not enough (PP_WHERE_DEPENDS).
 */
#ifndef PP_WHERE_H
#define PP_WHERE_H

#include "base/buf.h"
#include "base/common.h"

/* Bytes of an expression, and how deep it may nest. */
#define PP_WHERE_MAX 65536
#define PP_WHERE_DEPTH 100

struct pp_where;
struct pp_label_set;

/* NULL when it is none, or out of memory: then *problem says why, with the place, or nothing. */
struct pp_where *pp_where_parse(struct pp_slice text, struct pp_buf *problem);
void pp_where_free(struct pp_where *); /* NULL is allowed */

/* Receives each beginning of an id that an expression compares with = != or in. False ends the walk. */
typedef bool pp_where_id(void *data, struct pp_slice begin);
/* False when `each` ended it. */
bool pp_where_ids(const struct pp_where *, pp_where_id *each, void *data);
/* Whether an id, in hexadecimal digits, has that beginning. */
bool pp_where_id_begins(struct pp_slice id, struct pp_slice begin);

enum pp_where_result {
	PP_WHERE_NO,
	PP_WHERE_YES,
	PP_WHERE_DEPENDS,  /* on what is not known here */
	PP_WHERE_TOO_HARD, /* a pattern took too long */
	PP_WHERE_NOMEM
};

/* The value of a key; false when it is not known here. */
typedef bool pp_where_getter(const void *subject, struct pp_slice key, struct pp_slice *value);

/* A NULL expression is true of everything. */
enum pp_where_result pp_where_match(const struct pp_where *, pp_where_getter *,
                                    const void *subject);

/* What is known of a profile beside its labels. */
struct pp_where_profile {
	struct pp_slice format;
	bool complete;
	struct pp_slice hash; /* hexadecimal digits */
};

/* Of labels alone, or with `profile` (never PP_WHERE_DEPENDS) of one of the profiles that have them. */
enum pp_where_result pp_where_match_labels(const struct pp_where *, const struct pp_label_set *,
                                           const struct pp_where_profile *profile);

#endif
