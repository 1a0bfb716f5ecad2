/*
 * Records of a store, there and back.
 */
#include "store/record.h"

#include "base/varint.h"

void
pp_record_number(struct pp_buf *out, uint64_t value)
{
	char *room = pp_buf_room(out, PP_VARINT_MAX);

	if (room)
		out->n += (size_t)((char *)pp_varint_put((unsigned char *)room, value) - room);
}

void
pp_record_text(struct pp_buf *out, struct pp_slice text)
{
	pp_record_number(out, text.n);
	if (text.n)
		pp_buf_add(out, text.p, text.n);
}

/* Whether a column's number means something outside of its profile. How rows of a series lie does not. */
static bool
stays(const struct pp_column *column)
{
	return column->size && strcmp(column->name, "dense") != 0 &&
	       (column->to == PP_NUMBER || column->to == PP_FLAGS || column->to == PP_TO_OWN);
}

void
pp_record_row(struct pp_buf *out, const struct pp_profile *p, enum pp_table_id table, size_t row)
{
	const struct pp_table *t = &pp_schema[table];
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct pp_column *column = &t->columns[i];
		int64_t number = pp_table_cell(p, table, row, column);

		if (column->to == PP_TO_STR)
			pp_record_text(out, pp_text_of(p, (pp_str)number));
		else if (stays(column))
			pp_record_number(out, pp_zigzag(number));
	}
}

struct pp_record
pp_record_of(struct pp_slice bytes)
{
	const unsigned char *p = bytes.n ? bytes.p : (const unsigned char *)"";

	return (struct pp_record){ p, p + bytes.n, false };
}

uint64_t
pp_record_take(struct pp_record *r)
{
	uint64_t value = 0;
	unsigned shift;

	for (shift = 0; r->p < r->end && shift < 64 && !r->failed; shift += 7) {
		unsigned char byte = *r->p++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	r->failed = true;
	return 0;
}

struct pp_slice
pp_record_take_text(struct pp_record *r)
{
	uint64_t n = pp_record_take(r);
	struct pp_slice text = { r->p, (size_t)n };

	if (r->failed || n > (size_t)(r->end - r->p)) {
		r->failed = true;
		return pp_slice_z("");
	}
	r->p += n;
	return text;
}

bool
pp_record_take_row(struct pp_record *r, struct pp_builder *b, enum pp_table_id table, void *row)
{
	const struct pp_table *t = &pp_schema[table];
	int64_t numbers[PP_COLUMNS_MAX] = { 0 };
	size_t rows = pp_table_rows(b->profile, table), i;

	for (i = 0; i < t->n; i++) {
		const struct pp_column *column = &t->columns[i];

		if (column->to == PP_TO_STR)
			numbers[i] = pp_build_str(b, pp_record_take_text(r));
		else if (stays(column))
			numbers[i] = pp_unzigzag(pp_record_take(r));
	}
	if (r->failed || !pp_builder_ok(b) ||
	    !pp_table_fits(b->profile, table, rows < t->first ? t->first : rows, numbers)) {
		r->failed = true;
		return false;
	}
	pp_table_row(table, numbers, row);
	return true;
}

bool
pp_record_end(const struct pp_record *r)
{
	return !r->failed && r->p == r->end;
}
