/*
 * Labels of profiles: pairs of text, a key at most once.
 *
 * The canonical form is a JSON object without blanks, keys in the order of their bytes, labels whose value is "" left
 * out (a label that is absent equals ""). The same labels are the same bytes, so a store keeps each set once.
 */
#ifndef PP_LABEL_SET_H
#define PP_LABEL_SET_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/common.h"

#define PP_LABEL_KEY_MAX 128
#define PP_LABEL_VALUE_MAX 4096
#define PP_LABELS_MAX 64

struct pp_store_label {
	struct pp_slice key, value;
};

/*
 * Appends the canonical form. PP_E_USAGE when a limit is exceeded, a key is empty or is there with two values, or
 * something is not UTF-8: *problem then says what. The labels may come in any order.
 */
pp_status pp_labels_canonical(const struct pp_store_label *, size_t count, struct pp_buf *out,
                              struct pp_buf *problem);

/* "KEY=VALUE" as it is given on the command line; false without '=' or without a key. */
bool pp_label_split(struct pp_slice text, struct pp_store_label *);

/* A set that was read back; its texts live as long as it does. Zero-initialised is empty. */
struct pp_label_set {
	struct pp_arena texts;
	struct pp_store_label at[PP_LABELS_MAX];
	size_t n;
};

/* PP_E_INVALID when the text is not a canonical form. */
pp_status pp_label_set_read(struct pp_label_set *, struct pp_slice canonical);
/* The value of a label, "" when it is absent. */
struct pp_slice pp_label_set_get(const struct pp_label_set *, struct pp_slice key);
void pp_label_set_release(struct pp_label_set *);

#endif
