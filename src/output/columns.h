/*
 * Tables as columns of bytes for a viewer: a name, a kind, a count, then the values.
 *
 *     'u'  varints, 32 bits          'd'  zig-zag varints of differences, 32 bits
 *     'v'  varints, 64 bits          'z'  zig-zag varints, 64 bits
 *     'f'  doubles, little endian    'b'  bytes
 *
 * A column starts with one byte for the length of its name, the name, its kind, and two 32-bit
 * little-endian numbers: how many values, how many bytes. Failures stick to the buffer.
 */
#ifndef PP_COLUMNS_H
#define PP_COLUMNS_H

#include "base/buf.h"
#include "base/common.h"
#include "model/metric.h"

struct pp_columns {
	struct pp_buf bytes;
	size_t head; /* where the open column's numbers are */
	size_t body; /* where its values start */
	uint64_t count;
	uint32_t last; /* of a column of differences */
	bool too_large;
};

void pp_columns_release(struct pp_columns *);

/* One column value by value: begin, any number of puts of its kind, end. */
void pp_column_begin(struct pp_columns *, char kind, const char *name, ...) PP_PRINTF(3, 4);
void pp_column_u(struct pp_columns *, uint64_t);
void pp_column_d(struct pp_columns *, uint32_t);
void pp_column_z(struct pp_columns *, int64_t);
void pp_column_f(struct pp_columns *, double);
void pp_column_end(struct pp_columns *);

/* Whole columns. */
void pp_column_u32(struct pp_columns *, char kind, const uint32_t *, size_t n, const char *name,
                   ...) PP_PRINTF(5, 6);
void pp_column_bytes(struct pp_columns *, const char *name, const void *, size_t n);
/* Values of a metric: `n` of them, `stride` apart; exact where 64 bits hold them all. */
void pp_column_values(struct pp_columns *, const char *name, const struct pp_metric *,
                      const union pp_value *, size_t n, size_t stride);

/* Bytes as a viewer gets them: gzip, in place of what `out` held. */
pp_status pp_columns_pack(struct pp_slice, struct pp_buf *out);

#endif
