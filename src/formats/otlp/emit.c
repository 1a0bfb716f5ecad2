/*
 * A message once more, as protobuf or as JSON: fields in order, numbers as short as they can be, lists in one piece, what is not set
 * left out. Protobuf keeps what nobody knows behind the rest.
 */
#include <stdio.h>

#include "base/varint.h"
#include "formats/otlp/otlp.h"
#include "text/base64.h"

struct emit {
	struct pp_json *json; /* NULL = protobuf */
	struct pp_buf *out;   /* protobuf */
	struct pp_buf text;   /* of a value in JSON */
	unsigned depth;
	bool no_memory;
};

static void message_emit(struct emit *, enum otlp_type, struct pp_slice);

static void
varint_emit(struct pp_buf *b, uint64_t value)
{
	char *room = pp_buf_room(b, PP_VARINT_MAX);

	if (room)
		b->n += (size_t)(pp_varint_put((unsigned char *)room, value) -
		                 (unsigned char *)room);
}

/* Puts the length of all from `begin` on before it. */
static void
length_insert(struct pp_buf *b, size_t begin)
{
	unsigned char length[PP_VARINT_MAX];
	size_t n = (size_t)(pp_varint_put(length, b->n - begin) - length);

	if (!pp_buf_room(b, n))
		return;
	memmove(b->p + begin + n, b->p + begin, b->n - begin);
	memcpy(b->p + begin, length, n);
	b->n += n;
}

static void
double_text(double value, struct pp_json *json)
{
	char text[PP_NUM_MAX];
	size_t n = pp_num_print_double(text, value);

	if (value != value || value - value != 0)
		pp_json_textz(json, value != value ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
	else
		pp_json_raw(json, text, n);
}

static void
number_json(struct pp_json *json, enum otlp_kind kind, uint64_t value)
{
	char text[PP_NUM_MAX];
	double real;

	memcpy(&real, &value, sizeof real);
	switch (kind) {
	case OTLP_BOOL:
		pp_json_bool(json, value != 0);
		break;
	case OTLP_DOUBLE:
		double_text(real, json);
		break;
	case OTLP_INT32:
		pp_json_i64(json, pp_otlp_index(value));
		break;
	case OTLP_UINT32:
		pp_json_u64(json, (uint32_t)value);
		break;
	default:
		(void)snprintf(text, sizeof text, kind == OTLP_INT64 ? "%lld" : "%llu",
		               (unsigned long long)value);
		pp_json_textz(json, text);
	}
}

static void
number_emit(struct emit *e, enum otlp_kind kind, uint64_t value)
{
	unsigned i;

	if (e->json)
		number_json(e->json, kind, value);
	else if (pp_otlp_wire_type(kind) == PP_WIRE_FIXED64)
		for (i = 0; i < 8; i++)
			pp_buf_addc(e->out, (char)(value >> (8 * i)));
	else
		varint_emit(e->out, kind == OTLP_BOOL     ? value != 0
		                    : kind == OTLP_INT32  ? (uint64_t)pp_otlp_index(value)
		                    : kind == OTLP_UINT32 ? (uint32_t)value
		                                          : value);
}

static void
bytes_emit(struct emit *e, const struct otlp_field *field, struct pp_slice bytes)
{
	if (!e->json) {
		varint_emit(e->out, bytes.n);
		pp_buf_add(e->out, bytes.p, bytes.n);
	} else if (field->kind == OTLP_STRING) {
		pp_json_text(e->json, bytes);
	} else if (field->hex != OTLP_BASE64 && (field->hex == OTLP_HEX || bytes.n == 16)) {
		pp_json_hex(e->json, bytes);
	} else {
		char *room;

		e->text.n = 0;
		room = pp_buf_room(&e->text, PP_BASE64_SIZE(bytes.n));
		if (room)
			pp_base64_put(room, bytes.p, bytes.n);
		pp_json_text(e->json, pp_slice_of(room, room ? PP_BASE64_SIZE(bytes.n) : 0));
	}
}

static void
value_emit(struct emit *e, const struct otlp_field *field, const struct pp_wire_field *f)
{
	size_t begin = e->out->n;

	if (pp_otlp_wire_type(field->kind) != PP_WIRE_BYTES) {
		number_emit(e, field->kind, f->value);
	} else if (field->kind != OTLP_MESSAGE) {
		bytes_emit(e, field, f->bytes);
	} else {
		message_emit(e, field->type, f->bytes);
		if (!e->json)
			length_insert(e->out, begin);
	}
}

/* Whether a field of the file is one of the message, as it should be stored. */
static bool
is_stored(const struct otlp_field *field, const struct pp_wire_field *f)
{
	return f->type == pp_otlp_wire_type(field->kind) ||
	       (f->type == PP_WIRE_BYTES && field->many && field->kind < OTLP_STRING);
}

/* The numbers of a field, of which several may be in one piece. */
static void
numbers_emit(struct emit *e, const struct otlp_field *field, const struct pp_wire_field *f)
{
	struct pp_wire_field each = *f;
	struct pp_wire w;
	size_t i;

	if (f->type != PP_WIRE_BYTES) {
		value_emit(e, field, f);
		return;
	}
	if (pp_otlp_wire_type(field->kind) == PP_WIRE_FIXED64) {
		for (i = 0; i + 8 <= f->bytes.n; i += 8) {
			each.value = pp_otlp_time(f->bytes, i / 8);
			value_emit(e, field, &each);
		}
		return;
	}
	pp_wire_init(&w, f->bytes);
	while (pp_wire_varint(&w, &each.value))
		value_emit(e, field, &each);
}

/* Several messages of a field that is one are one behind the other. */
static struct pp_slice
joined(struct emit *e, struct pp_slice message, unsigned number, struct pp_buf *all)
{
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f))
		if (f.number == number && f.type == PP_WIRE_BYTES)
			pp_buf_add(all, f.bytes.p, f.bytes.n);
	e->no_memory |= all->failed;
	return pp_slice_of(all->p, all->n);
}

/* A field that is there once, or counts once. */
static void
one_emit(struct emit *e, struct pp_slice message, enum otlp_type type, unsigned number)
{
	const struct otlp_field *field = &pp_otlp_messages[type].fields[number - 1];
	struct pp_wire_field f, last = { 0 };
	struct pp_buf all = { 0 };
	struct pp_wire w;
	unsigned n = 0;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f))
		if (f.number == number && is_stored(field, &f)) {
			last = f;
			n++;
		}
	if (n > 1 && field->kind == OTLP_MESSAGE)
		last.bytes = joined(e, message, number, &all);
	/* Of an attribute's value it matters whether it is there. */
	if (type == OTLP_ANY_VALUE || field->kind == OTLP_MESSAGE ||
	    (last.type == PP_WIRE_BYTES ? last.bytes.n : last.value) != 0) {
		if (e->json)
			pp_json_key_text(e->json, pp_otlp_messages[type].keys[number - 1]);
		else
			varint_emit(e->out, (uint64_t)number << 3 | pp_otlp_wire_type(field->kind));
		value_emit(e, field, &last);
	}
	pp_buf_release(&all);
}

static void
many_emit(struct emit *e, struct pp_slice message, enum otlp_type type, unsigned number)
{
	const struct otlp_field *field = &pp_otlp_messages[type].fields[number - 1];
	bool packed = field->kind < OTLP_STRING;
	struct pp_wire_field f;
	struct pp_wire w;
	size_t begin;

	if (e->json) {
		pp_json_key_text(e->json, pp_otlp_messages[type].keys[number - 1]);
		pp_json_begin_array(e->json);
	} else if (packed) {
		varint_emit(e->out, (uint64_t)number << 3 | PP_WIRE_BYTES);
	}
	begin = e->out->n;
	pp_wire_init(&w, message);
	while (!e->no_memory && pp_wire_next(&w, &f)) {
		if (f.number != number || !is_stored(field, &f))
			continue;
		if (!e->json && !packed)
			varint_emit(e->out, (uint64_t)number << 3 | PP_WIRE_BYTES);
		if (packed)
			numbers_emit(e, field, &f);
		else
			value_emit(e, field, &f);
	}
	if (e->json)
		pp_json_end_array(e->json);
	else if (packed)
		length_insert(e->out, begin);
}

static void
message_emit(struct emit *e, enum otlp_type type, struct pp_slice message)
{
	const struct otlp_message *m = &pp_otlp_messages[type];
	struct pp_wire_field f;
	struct pp_wire w;
	unsigned there = 0, i;
	bool unknown = false;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f)) {
		bool known = f.number <= m->count;

		if (known && is_stored(&m->fields[f.number - 1], &f))
			there |= 1u << f.number;
		unknown |= !known;
	}
	if (e->json)
		pp_json_begin_object(e->json);
	for (i = 1; e->depth < OTLP_DEPTH && i <= m->count; i++)
		if (there >> i & 1) {
			e->depth++;
			if (m->fields[i - 1].many)
				many_emit(e, message, type, i);
			else
				one_emit(e, message, type, i);
			e->depth--;
		}
	if (e->json)
		pp_json_end_object(e->json);
	pp_wire_init(&w, message);
	while (unknown && !e->json && pp_wire_next(&w, &f))
		if (f.number > m->count) {
			struct pp_slice field = pp_wire_field_bytes(&w, &f);

			pp_buf_add(e->out, field.p, field.n);
		}
	e->no_memory |= e->out->failed || e->text.failed;
}

void
pp_otlp_emit(struct pp_slice message, enum otlp_form form, struct pp_sink *sink, bool *no_memory)
{
	struct pp_buf out = { 0 };
	struct emit e = { .out = &out };
	struct pp_json json;
	unsigned char length[4];
	unsigned i;

	if (form == OTLP_JSON) {
		pp_json_init(&json, sink, PP_JSON_COMPACT);
		e.json = &json;
	}
	message_emit(&e, OTLP_DATA, message);
	if (form == OTLP_JSON)
		pp_json_end_line(&json);
	for (i = 0; i < 4; i++)
		length[i] = (unsigned char)(out.n >> (24 - 8 * i));
	if (form == OTLP_PREFIXED)
		pp_sink_write(sink, length, sizeof length);
	pp_sink_write(sink, out.p, out.n);
	*no_memory |= e.no_memory || out.failed;
	pp_buf_release(&out);
	pp_buf_release(&e.text);
}
