/*
 * What samples with each label cost: a histogram by key and value. A sample with several values of one key counts for
 * each of them.
 */
#ifndef PP_TAGS_H
#define PP_TAGS_H

#include "model/ledger.h"

struct pp_tag {
	struct pp_slice key, value; /* the value as text, with its unit */
	bool is_number;
	int64_t number;
	struct pp_slice unit;
	size_t row; /* of its costs */
};

struct pp_tags {
	const struct pp_profile *profile;
	PP_VEC(struct pp_tag) rows; /* by key, then by cost */
	struct pp_ledger cost;
	struct pp_strtab texts; /* of values */
};

/* Which labels to include, besides those of samples. */
struct pp_tags_of {
	/* Keys of model/labels.h with at least this many values, a missing one included. */
	size_t least;
	const struct pp_slice *keys; /* and these */
	size_t key_count;
};

/* All labels, and what else tells series apart. False when out of memory. */
bool pp_tags_compute(const struct pp_profile *, size_t metric, const struct pp_tags_of *,
                     struct pp_tags *);
void pp_tags_release(struct pp_tags *);

static inline union pp_value
pp_tag_cost(const struct pp_tags *t, size_t i, size_t metric)
{
	return pp_ledger_get(&t->cost, t->rows.at[i].row, metric);
}

#endif
