/*
 * Protobuf's wire format.
 */
#include "text/protobuf.h"

#include "base/varint.h"

static bool
wire_fail(struct pp_wire *w, enum pp_wire_error error, const unsigned char *at)
{
	if (w->error == PP_WIRE_OK) {
		w->error = error;
		w->error_at = at;
	}
	w->cur = w->end;
	return false;
}

bool
pp_wire_varint_long(struct pp_wire *w, uint64_t *v)
{
	const unsigned char *p = w->cur;
	size_t left = (size_t)(w->end - p), n;
	uint64_t value = 0;

	if (w->error != PP_WIRE_OK || left == 0)
		return false;
	for (n = 0; n < PP_VARINT_MAX; n++) {
		if (n == left)
			return wire_fail(w, PP_WIRE_VARINT_CUT, p);
		value |= (uint64_t)(p[n] & 0x7f) << (7 * n);
		if (p[n] & 0x80)
			continue;
		if (n == PP_VARINT_MAX - 1 && p[n] > 1 && !w->overflow_at)
			w->overflow_at = p;
		w->cur = p + n + 1;
		*v = value;
		return true;
	}
	return wire_fail(w, PP_WIRE_VARINT_LONG, p);
}

/* A varint that must be there. */
static bool
varint_take(struct pp_wire *w, const unsigned char *field, uint64_t *v)
{
	if (w->cur == w->end)
		return wire_fail(w, PP_WIRE_VARINT_CUT, field);
	return pp_wire_varint(w, v);
}

static bool
bytes_take(struct pp_wire *w, const unsigned char *field, uint64_t n, struct pp_slice *bytes)
{
	if (n > (uint64_t)(w->end - w->cur))
		return wire_fail(w, PP_WIRE_CUT, field);
	*bytes = pp_slice_of(w->cur, (size_t)n);
	w->cur += n;
	return true;
}

/* What follows the number of a field that is no group. */
static bool
value_take(struct pp_wire *w, struct pp_wire_field *f)
{
	size_t i;

	if (f->type == PP_WIRE_VARINT)
		return varint_take(w, f->begin, &f->value);
	if (f->type == PP_WIRE_BYTES)
		return varint_take(w, f->begin, &f->value) &&
		       bytes_take(w, f->begin, f->value, &f->bytes);
	if (f->type != PP_WIRE_FIXED64 && f->type != PP_WIRE_FIXED32)
		return wire_fail(w, PP_WIRE_TYPE, f->begin);
	if (!bytes_take(w, f->begin, f->type == PP_WIRE_FIXED64 ? 8 : 4, &f->bytes))
		return false;
	for (f->value = 0, i = f->bytes.n; i-- > 0;)
		f->value = f->value << 8 | f->bytes.p[i];
	return true;
}

static bool
number_take(struct pp_wire *w, struct pp_wire_field *f)
{
	uint64_t tag;

	f->begin = w->cur;
	if (!pp_wire_varint(w, &tag))
		return false;
	f->number = tag >> 3;
	f->type = (enum pp_wire_type)(tag & 7);
	return f->number != 0 || wire_fail(w, PP_WIRE_NUMBER, f->begin);
}

/* All of a group that has begun. */
static bool
group_take(struct pp_wire *w, struct pp_wire_field *group)
{
	uint64_t open[PP_WIRE_NESTING];
	size_t depth = 0;
	const unsigned char *begin = w->cur;
	struct pp_wire_field f;

	open[depth++] = group->number;
	do {
		if (w->cur == w->end)
			return wire_fail(w, PP_WIRE_UNGROUPED, group->begin);
		if (!number_take(w, &f))
			return false;
		if (f.type == PP_WIRE_GROUP_END) {
			if (f.number != open[--depth])
				return wire_fail(w, PP_WIRE_UNGROUPED, f.begin);
		} else if (f.type == PP_WIRE_GROUP) {
			if (depth == PP_WIRE_NESTING)
				return wire_fail(w, PP_WIRE_DEEP, f.begin);
			open[depth++] = f.number;
		} else if (!value_take(w, &f)) {
			return false;
		}
	} while (depth > 0);
	group->bytes = pp_slice_of(begin, (size_t)(f.begin - begin));
	return true;
}

bool
pp_wire_next(struct pp_wire *w, struct pp_wire_field *f)
{
	if (w->cur == w->end || !number_take(w, f))
		return false;
	if (f->type == PP_WIRE_GROUP)
		return group_take(w, f);
	if (f->type == PP_WIRE_GROUP_END)
		return wire_fail(w, PP_WIRE_UNGROUPED, f->begin);
	return value_take(w, f);
}

const char *
pp_wire_error_text(enum pp_wire_error error)
{
	static const char *const texts[] = {
		[PP_WIRE_OK] = "no error",
		[PP_WIRE_VARINT_CUT] = "a varint is cut",
		[PP_WIRE_VARINT_LONG] = "a varint is longer than ten bytes",
		[PP_WIRE_CUT] = "a field exceeds its message",
		[PP_WIRE_NUMBER] = "a field has number 0",
		[PP_WIRE_TYPE] = "a field has a wire type that does not exist",
		[PP_WIRE_UNGROUPED] = "a group does not end where it should",
		[PP_WIRE_DEEP] = "groups are nested too deep",
	};

	return texts[error];
}
