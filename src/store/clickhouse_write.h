/*
 * Rows of one profile for ClickHouse's tables, sent as they are made or kept until others come along.
 */
#ifndef PP_CLICKHOUSE_WRITE_H
#define PP_CLICKHOUSE_WRITE_H

#include "store/clickhouse_rows.h"
#include "store/clickhouse_stacks.h"
#include "store/label_set.h"

/* Steps whose rows can be kept. */
enum { PP_STEP_STACKS, PP_STEP_SAMPLES, PP_STEP_EDGES, PP_STEP_LINES, PP_STEPS_KEPT };

/* Texts, one behind the other: text i begins at[i] and ends at[i + 1]. */
struct pp_row_texts {
	struct pp_buf bytes;
	PP_VEC(size_t) at;
};

/* A profile while it is written. */
struct pp_writing {
	const struct pp_store_item *item;
	const struct pp_profile *p; /* NULL: it was let go of, its rows are in `taken` */
	struct pp_buf taken[PP_STEPS_KEPT];
	struct pp_label_set labels;
	struct pp_slice service;
	uint64_t batch;
	struct pp_row_texts metrics;
	struct pp_row_stacks stacks;
	uint64_t shard;           /* its bit; 0 = unknown */
	uint64_t servers_changed; /* of its store, when its rows were begun */
	struct pp_buf shape;
	uint64_t samples, events;
	size_t metric_count;
	uint64_t rows, edge_rows, line_rows;
	pp_i128 *total; /* by metric: of the cells as they are stored */
	pp_u128 *bound;
	bool known;
};

/* Zeroed before; released in all cases. */
pp_status pp_writing_begin(struct pp_writing *, struct pp_clickhouse *,
                           const struct pp_store_item *);
/* Lets go of what the profile's rows are made of. */
void pp_writing_trim(struct pp_writing *);
void pp_writing_release(struct pp_writing *);

/* Rows of one table. */
void pp_write_stacks(struct pp_clickhouse_insert *, struct pp_writing *);
void pp_write_samples(struct pp_clickhouse_insert *, struct pp_writing *);
void pp_write_edges(struct pp_clickhouse_insert *, struct pp_writing *);
void pp_write_lines(struct pp_clickhouse_insert *, struct pp_writing *);
void pp_write_blob(struct pp_clickhouse_insert *, struct pp_writing *);
void pp_write_commit(struct pp_clickhouse_insert *, struct pp_writing *);

#endif
