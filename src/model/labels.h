/*
 * Labels: what a file says of its samples beside stack and thread, by key: text, or a number with a unit.
 *
 * A set of labels is a row of profile->labels: its first label, and the set of those that follow (`rest`, an earlier
 * row; 0 = none). Equal sets are one row, in whatever order a file lists them: keys go by their bytes, several values
 * of one key as they came. So what holds for sets is found for all of them in one loop over the rows.
 *
 * A series has one set, for all that it holds. Beside those of the file, what else is known of a series answers to
 * labels of these keys, where it has none of that key: event, process (or comm), thread, pid, tid, cpu, context; and
 * for all series at once the metadata of the file, by the names of its top-level values.
 */
#ifndef PP_LABELS_H
#define PP_LABELS_H

#include "base/buf.h"
#include "base/common.h"
#include "base/slice.h"
#include "base/strtab.h"

struct pp_profile;

typedef uint32_t pp_labels; /* a set; 0 = no labels */

enum pp_label_type { PP_LABEL_TEXT, PP_LABEL_NUMBER };

struct pp_label_row {
	pp_labels rest;
	pp_str key, text, unit; /* texts have no unit, numbers no text */
	enum pp_label_type type;
	int64_t number;
};

/* Whether any series has labels. */
bool pp_profile_has_labels(const struct pp_profile *);
/* The value of a top-level key of the metadata; false when there is none. */
bool pp_meta_label(const struct pp_profile *, struct pp_slice key, struct pp_slice *text);
/* Gives all of a profile that is just built a label, as metadata would; false when out of memory. */
bool pp_profile_label(struct pp_profile *, struct pp_slice key, struct pp_slice text);
/* Appends the value of a label: text, or a number and its unit. */
void pp_label_print(const struct pp_profile *, const struct pp_label_row *, struct pp_buf *);

/* ---- the value of one key in each series ---- */

/*
 * By series: its value, 0 = it has none. Several of one series are one text, with commas. They are numbered by first
 * appearance, from 1 on.
 */
struct pp_label_values {
	uint32_t *of;           /* by series */
	struct pp_strtab texts; /* by value */
	uint32_t n;             /* how many, that of none included */
};

/* False when out of memory. */
bool pp_label_values_find(const struct pp_profile *, struct pp_slice key, struct pp_label_values *);
void pp_label_values_release(struct pp_label_values *);

#endif
