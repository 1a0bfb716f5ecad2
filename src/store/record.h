/*
 * Records of a store: numbers and texts one after the other, rows of the model's tables among them (model/schema.h) with the
 * texts that they refer to in place of ids. Equal rows are equal bytes.
 */
#ifndef PP_STORE_RECORD_H
#define PP_STORE_RECORD_H

#include "model/builder.h"
#include "model/schema.h"

void pp_record_number(struct pp_buf *, uint64_t);
void pp_record_text(struct pp_buf *, struct pp_slice);
/* What a row refers to beside texts is left out. */
void pp_record_row(struct pp_buf *, const struct pp_profile *, enum pp_table_id, size_t row);

/* A record being read. Errors are sticky: numbers are 0 and texts empty from then on. */
struct pp_record {
	const unsigned char *p, *end;
	bool failed;
};

struct pp_record pp_record_of(struct pp_slice);
uint64_t pp_record_take(struct pp_record *);
struct pp_slice pp_record_take_text(struct pp_record *);
/* A row of the table's type; its texts become the builder's. False when it is damaged or on failure. */
bool pp_record_take_row(struct pp_record *, struct pp_builder *, enum pp_table_id, void *row);
/* Whether all of it was read, and nothing was wrong. */
bool pp_record_end(const struct pp_record *);

#endif
