/*
 * OTLP's JSON as protobuf. Not protobuf's own JSON: ids of traces and spans are hexadecimal, keys have no other spelling than
 * lowerCamelCase, and what nobody knows is ignored. Lengths of messages are five bytes, whatever they are, and filled in when
 * the message has ended, so that one pass is enough and nothing moves.
 */
#include "formats/otlp/otlp.h"

#include "base/decimal.h"
#include "base/varint.h"
#include "text/base64.h"

#define LENGTH_BYTES 5

struct json_read {
	struct otlp_messages *to;
	struct pp_buf *out;
	struct pp_scan scan;
	struct pp_arena arena;
	unsigned depth;
};

static void
json_report(struct json_read *r, int rule, const unsigned char *at, const char *what,
            const char *wrong)
{
	struct otlp_messages *m = r->to;

	if (m->diags)
		pp_diag_add(m->diags, &pp_otlp_rules[rule],
		            pp_at_offset(m->offset + (uint64_t)(at - m->input.p)), "%s%s%s", what,
		            *what ? ": " : "", wrong);
}

static void
number_put(struct pp_buf *b, uint64_t value)
{
	char *room = pp_buf_room(b, PP_VARINT_MAX);

	if (room)
		b->n += (size_t)(pp_varint_put((unsigned char *)room, value) -
		                 (unsigned char *)room);
}

static void
tag_put(struct pp_buf *b, unsigned number, enum pp_wire_type type)
{
	number_put(b, (uint64_t)number << 3 | type);
}

static void
fixed_put(struct pp_buf *b, uint64_t value)
{
	char bytes[8];
	unsigned i;

	for (i = 0; i < 8; i++)
		bytes[i] = (char)(value >> (8 * i));
	pp_buf_add(b, bytes, sizeof bytes);
}

/* Room for a length; where it is. */
static size_t
length_begin(struct pp_buf *b)
{
	static const char none[LENGTH_BYTES] = { 0 };

	pp_buf_add(b, none, sizeof none);
	return b->n;
}

static void
length_end(struct pp_buf *b, size_t begin)
{
	uint64_t n = b->n - begin;
	unsigned i;

	if (b->failed)
		return;
	for (i = 0; i < LENGTH_BYTES; i++)
		b->p[begin - LENGTH_BYTES + i] = (char)((n >> (7 * i) & 0x7f) |
		                                        (i + 1 < LENGTH_BYTES ? 0x80 : 0));
}

/* ---- values ---- */

/* A whole number, as a number or as text; false when it is none. */
static bool
whole_read(struct json_read *r, struct pp_decimal *value)
{
	struct pp_json_num num;
	struct pp_json_str text;
	uint64_t magnitude;

	if (pp_scan_peek(&r->scan) == PP_JSON_NUMBER) {
		if (!pp_scan_number(&r->scan, &num))
			return false;
		if (num.integer) {
			*value = (struct pp_decimal){ .magnitude = num.magnitude,
				                      .negative = num.negative };
			return num.fits;
		}
		return pp_decimal_parse(num.text, value);
	}
	if (pp_scan_peek(&r->scan) != PP_JSON_STRING || !pp_scan_string(&r->scan, &text) ||
	    text.escaped)
		return false;
	*value = (struct pp_decimal){ .negative = text.raw.n && text.raw.p[0] == '-' };
	if (!pp_num_u64(pp_slice_from(text.raw, value->negative), &magnitude))
		return false;
	value->magnitude = magnitude;
	return true;
}

/* Takes the zeros off a fraction; false when there is more to it. */
static bool
decimal_settle(struct pp_decimal *d)
{
	for (; d->scale > 0; d->scale--) {
		if (d->magnitude % 10)
			return false;
		d->magnitude /= 10;
	}
	return !d->is_real;
}

static bool
whole_put(struct json_read *r, enum otlp_kind kind)
{
	static const struct {
		uint64_t below, above; /* the furthest from 0 on either side */
	} ranges[] = { [OTLP_INT64] = { (uint64_t)1 << 63, INT64_MAX },
		       [OTLP_UINT64] = { 0, UINT64_MAX },
		       [OTLP_INT32] = { (uint64_t)1 << 31, INT32_MAX },
		       [OTLP_UINT32] = { 0, UINT32_MAX },
		       [OTLP_FIXED64] = { 0, UINT64_MAX } };
	struct pp_decimal d;
	uint64_t value;

	if (!whole_read(r, &d) || !decimal_settle(&d) ||
	    d.magnitude > (d.negative ? ranges[kind].below : ranges[kind].above))
		return false;
	value = d.negative ? 0 - d.magnitude : d.magnitude;
	if (kind == OTLP_FIXED64)
		fixed_put(r->out, value);
	else
		number_put(r->out, value);
	return true;
}

static bool
double_put(struct json_read *r)
{
	struct pp_json_num num;
	struct pp_json_str text;
	double value = 0;
	uint64_t bits;
	bool fine;

	if (pp_scan_peek(&r->scan) == PP_JSON_NUMBER) {
		fine = pp_scan_number(&r->scan, &num) && pp_num_double(num.text, &value);
	} else {
		fine = pp_scan_peek(&r->scan) == PP_JSON_STRING && pp_scan_string(&r->scan, &text);
		if (fine && pp_json_str_eq(text, "NaN"))
			value = __builtin_nan("");
		else if (fine && pp_json_str_eq(text, "Infinity"))
			value = __builtin_inf();
		else if (fine && pp_json_str_eq(text, "-Infinity"))
			value = -__builtin_inf();
		else
			fine = fine && pp_num_double(text.raw, &value);
	}
	memcpy(&bits, &value, sizeof bits);
	if (fine)
		fixed_put(r->out, bits);
	return fine;
}

static int
hex_digit(unsigned char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

static bool
hex_put(struct pp_buf *b, struct pp_slice text)
{
	size_t i;

	if (text.n % 2)
		return false;
	for (i = 0; i < text.n; i++)
		if (hex_digit(text.p[i]) < 0)
			return false;
	for (i = 0; i < text.n; i += 2)
		pp_buf_addc(b, (char)(hex_digit(text.p[i]) << 4 | hex_digit(text.p[i + 1])));
	return true;
}

static bool
text_put(struct json_read *r, const struct otlp_field *field, const char **wrong)
{
	struct pp_json_str text;
	struct pp_slice value;
	size_t begin, n;
	bool fine = true;

	if (pp_scan_peek(&r->scan) != PP_JSON_STRING) {
		*wrong = "should be a text";
		return false;
	}
	if (!pp_scan_string(&r->scan, &text))
		return false;
	value = pp_json_str_value(text, &r->arena);
	if (value.n && !value.p) {
		r->out->failed = true;
		return true;
	}
	begin = length_begin(r->out);
	n = r->out->n;
	if (field->kind == OTLP_STRING)
		pp_buf_add(r->out, value.p, value.n);
	else if (field->hex == OTLP_BASE64 || !hex_put(r->out, value))
		fine = field->hex != OTLP_HEX && pp_base64_take_any(r->out, value);
	else if (field->hex == OTLP_EITHER && value.n != 32) {
		r->out->n = n;
		fine = pp_base64_take_any(r->out, value);
	}
	if (!fine)
		r->out->n = n;
	length_end(r->out, begin);
	*wrong = field->hex == OTLP_HEX ? "is not hexadecimal" : "is not base64";
	return fine;
}

static bool message_read(struct json_read *, enum otlp_type, unsigned number);

/* A value without its tag; false, with what is wrong, when it is to be left out. */
static bool
value_put(struct json_read *r, const struct otlp_field *field, const char **wrong)
{
	bool truth;

	switch (field->kind) {
	case OTLP_BOOL:
		*wrong = "is neither true nor false";
		if (pp_scan_peek(&r->scan) != PP_JSON_BOOL || !pp_scan_bool(&r->scan, &truth))
			return false;
		number_put(r->out, truth);
		return true;
	case OTLP_DOUBLE:
		*wrong = "is not a number";
		return double_put(r);
	case OTLP_STRING:
	case OTLP_BYTES:
		return text_put(r, field, wrong);
	default:
		*wrong = "is not a whole number that fits";
		return whole_put(r, field->kind);
	}
}

/* A value that could not be used is passed over. */
static void
value_pass(struct json_read *r, const unsigned char *at, const char *key, const char *wrong)
{
	if (r->scan.error != PP_SCAN_OK)
		return;
	json_report(r, OTLP_BAD_JSON, at, key, wrong);
	/* What was taken already is behind. */
	if (r->scan.cur == at)
		(void)pp_scan_skip(&r->scan, NULL);
}

/* One value of a field. */
static void
field_put(struct json_read *r, const struct otlp_field *field, unsigned number, const char *key)
{
	const unsigned char *at;
	const char *wrong = "is not what it should be";
	size_t before = r->out->n;

	if (pp_scan_peek(&r->scan) == PP_JSON_NOTHING)
		return;
	at = r->scan.cur;
	if (field->kind == OTLP_MESSAGE) {
		if (!message_read(r, field->type, number))
			value_pass(r, at, key, "should be an object");
		return;
	}
	tag_put(r->out, number, pp_otlp_wire_type(field->kind));
	if (!value_put(r, field, &wrong)) {
		/* A text that is no id stays, empty; all else is left out. */
		if (field->kind != OTLP_BYTES)
			r->out->n = before;
		value_pass(r, at, key, wrong);
	}
}

/* The values of a list of numbers, in one piece. */
static void
list_put(struct json_read *r, const struct otlp_field *field, unsigned number, const char *key)
{
	const char *wrong;
	uint64_t plain[64];
	size_t begin, i, n;

	tag_put(r->out, number, PP_WIRE_BYTES);
	begin = length_begin(r->out);
	do {
		/* Numbers of few digits, which nearly all indices are. */
		while ((n = field->kind == OTLP_INT32
		                ? pp_scan_plain_u64s(&r->scan, plain, PP_COUNT_OF(plain))
		                : 0))
			for (i = 0; i < n; i++)
				number_put(r->out, plain[i]);
		if (!pp_scan_item(&r->scan))
			break;
		if (pp_scan_peek(&r->scan) != PP_JSON_NOTHING) {
			const unsigned char *at = r->scan.cur;
			size_t before = r->out->n;

			if (!value_put(r, field, &wrong)) {
				/* 0 keeps its place: others may go by it. */
				r->out->n = before;
				if (field->kind == OTLP_FIXED64)
					fixed_put(r->out, 0);
				else
					number_put(r->out, 0);
				value_pass(r, at, key, wrong);
			}
		}
	} while (r->scan.error == PP_SCAN_OK);
	length_end(r->out, begin);
}

static void
values_read(struct json_read *r, const struct otlp_field *field, unsigned number, const char *key)
{
	const unsigned char *at;

	if (pp_scan_peek(&r->scan) == PP_JSON_NULL) {
		(void)pp_scan_null(&r->scan);
		return;
	}
	at = r->scan.cur;
	if (!field->many) {
		field_put(r, field, number, key);
	} else if (pp_scan_peek(&r->scan) != PP_JSON_ARRAY) {
		value_pass(r, at, key, "should be a list");
	} else if (pp_scan_array(&r->scan)) {
		if (field->kind < OTLP_STRING)
			list_put(r, field, number, key);
		else
			while (pp_scan_item(&r->scan))
				field_put(r, field, number, key);
	}
}

/* ---- objects ---- */

/* Whether a key is a known one in the spelling of protobuf's own files: stack_index. */
static bool
is_snake(const struct otlp_message *m, struct pp_slice key)
{
	unsigned i;

	for (i = 0; i < m->count; i++) {
		struct pp_slice name = m->keys[i];
		size_t k = 0, n = 0;

		while (n < name.n && k < key.n) {
			unsigned char c = name.p[n];

			if (c >= 'A' && c <= 'Z') {
				if (key.p[k] != '_' || ++k == key.n)
					break;
				c = (unsigned char)(c + 32);
			}
			if (c != key.p[k])
				break;
			n++;
			k++;
		}
		if (n == name.n && k == key.n)
			return true;
	}
	return false;
}

static void
unknown_pass(struct json_read *r, const struct otlp_message *m, struct pp_json_str key)
{
	struct otlp_messages *to = r->to;
	bool snake = is_snake(m, key.raw);

	if (to->diags)
		pp_diag_add(to->diags,
		            &pp_otlp_rules[snake ? OTLP_BAD_JSON_NAME : OTLP_BAD_UNKNOWN_FIELD],
		            pp_at_offset(to->offset + (uint64_t)(key.raw.p - to->input.p)),
		            snake ? "%s has key %.*s, which OTLP spells otherwise: it is ignored"
		                  : "%s has key %.*s",
		            m->name, PP_SHOWN(key.raw));
	(void)pp_scan_skip(&r->scan, NULL);
}

static void
members_read(struct json_read *r, const struct otlp_message *m)
{
	struct pp_json_names names = { m->keys, m->count, 0 };
	struct pp_json_str key;
	char name[32];
	uint64_t seen = 0;
	unsigned index;

	while (pp_scan_named_key(&r->scan, &names, &key, &index)) {
		if (index == m->count) {
			unknown_pass(r, m, key);
			continue;
		}
		memcpy(name, m->keys[index].p, m->keys[index].n);
		name[m->keys[index].n] = '\0';
		if (!pp_json_seen_once(&seen, index))
			json_report(r, OTLP_BAD_JSON, key.raw.p, name, "is there twice");
		values_read(r, &m->fields[index], index + 1, name);
	}
}

/* An object as a field of that number, 0 = as a message of its own; false when it is none. */
static bool
message_read(struct json_read *r, enum otlp_type type, unsigned number)
{
	uint64_t at = r->to->offset + (uint64_t)(r->scan.cur - r->to->input.p);
	size_t begin = 0;

	if (pp_scan_peek(&r->scan) != PP_JSON_OBJECT)
		return false;
	if (r->depth == OTLP_DEPTH) {
		json_report(r, OTLP_BAD_JSON, r->scan.cur, "", "values are nested too deep");
		(void)pp_scan_skip(&r->scan, NULL);
		return true;
	}
	if (!pp_scan_object(&r->scan))
		return true;
	if (number) {
		tag_put(r->out, number, PP_WIRE_BYTES);
		begin = length_begin(r->out);
	}
	if (!pp_vec_push(&r->to->marks, (struct otlp_mark){ r->out->n, at }))
		r->out->failed = true;
	r->depth++;
	members_read(r, &pp_otlp_messages[type]);
	r->depth--;
	if (number)
		length_end(r->out, begin);
	return true;
}

void
pp_otlp_json_read(struct otlp_messages *m)
{
	struct json_read r = { .to = m, .out = &m->made };

	pp_scan_init(&r.scan, m->input, 0, PP_SCAN_STRICT);
	while (!r.out->failed && r.scan.error == PP_SCAN_OK &&
	       pp_scan_space(r.scan.cur, r.scan.end) < r.scan.end) {
		/* One value after the other: each begins anew. */
		r.scan.after_value = false;
		if (!message_read(&r, OTLP_DATA, 0))
			value_pass(&r, r.scan.cur, "", "a message should be an object");
		else if (!pp_vec_push(&m->ends, r.out->n))
			r.out->failed = true;
	}
	if (r.scan.error != PP_SCAN_OK) {
		json_report(&r, r.scan.error == PP_SCAN_E_UTF8 ? OTLP_BAD_UTF8 : OTLP_BAD_JSON,
		            r.scan.error_at, "", pp_scan_error_text(r.scan.error));
		m->complete = false;
	}
	m->no_memory |= r.out->failed;
	pp_arena_release(&r.arena);
}
