/*
 * Metrics that a format knows by keys of its own: what each key means when it is read, and which metric of any
 * profile is written under it.
 */
#ifndef PP_KIT_METRIC_KEYS_H
#define PP_KIT_METRIC_KEYS_H

#include "model/builder.h"

struct pp_writer;

struct pp_metric_key {
	const char *key; /* NULL ends a list: what all other keys mean */
	const char *unit;
	enum pp_metric_kind kind;
	unsigned flags;
	uint32_t factor; /* canonical units in one of the file's */
};

/*
 * The metric of signed integers that a key counts, made when it is new, whatever rows there are; `most` when there
 * are so many already. *next is where to look first, as files have their keys in one order mostly; 0 at the start.
 */
size_t pp_key_metric(struct pp_builder *, const struct pp_metric_key *keys, struct pp_slice key,
                     size_t most, size_t *next);

/* A metric as it is written. */
struct pp_key_column {
	struct pp_buf name;
	uint32_t unit; /* canonical units in one of the file's */
};

/*
 * A column for each metric of the profile, noted in the report of losses: under the key that it is called or, if
 * nothing else is, that it means; the writer's metric under the first key if nothing means that; others under their
 * own names. NULL when out of memory.
 */
struct pp_key_column *pp_key_columns(struct pp_writer *, const struct pp_metric_key *keys);
void pp_key_columns_free(struct pp_key_column *, size_t metrics);

#endif
