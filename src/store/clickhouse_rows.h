/*
 * Profiles as rows of ClickHouse's tables, and back: texts of functions and frames, and what profiles that servers may add up
 * have in common.
 */
#ifndef PP_CLICKHOUSE_ROWS_H
#define PP_CLICKHOUSE_ROWS_H

#include "model/builder.h"
#include "store/clickhouse.h"

/*
 * All that tells a function, as text: pp_function_key(), and behind it, where they are known, column (c), last line (e),
 * flags (g), build id (b) and kind (k) of its module.
 */
void pp_rows_function(struct pp_buf *, const struct pp_profile *, pp_func);
/* Makes the function of a text; 0 when it is none, or on failure of the builder. */
pp_func pp_rows_build_function(struct pp_builder *, struct pp_slice key);

/* What is known of a frame beside function and line, as text: "" when nothing is. */
void pp_rows_place(struct pp_buf *, const struct pp_profile *, pp_frame);
pp_frame pp_rows_build_frame(struct pp_builder *, pp_func, uint32_t line, struct pp_slice place);

/* What a metric is called in the rows of one profile: each by another name. */
void pp_rows_metric(struct pp_buf *, const struct pp_profile *, size_t metric);

/*
 * What profiles must have in common that servers may add them up, and what their sum has: format, metrics and the like.
 * Nothing is appended when a profile is more than stacks with whole numbers.
 */
void pp_rows_shape(struct pp_buf *, const struct pp_profile *);
/* A builder for such a profile, with its metrics and one series. PP_E_INVALID when the shape is none. */
pp_status pp_rows_build_shape(struct pp_builder *, struct pp_slice shape, const struct pp_order *,
                              uint64_t seed);

#endif
