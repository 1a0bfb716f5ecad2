/*
 * What the rules say of a message beyond how it is stored; and what attributes are.
 */
#include "formats/otlp/otlp.h"

#include <stdio.h>

#include "base/utf8.h"
#include "text/base64.h"

/* Of more attributes than this on one holder, keys are looked up instead of being held against each other. */
#define KEYS_COMPARED 16

size_t
pp_otlp_count(const struct otlp_doc *d, unsigned table)
{
	size_t n = table == OTLP_TABLE_STRINGS  ? d->strings.n
	           : table == OTLP_TABLE_STACKS ? d->stacks.n
	                                        : d->tables[table].n;

	return n ? n : 1;
}

static const char *
table_name(unsigned table)
{
	return (const char *)pp_otlp_messages[OTLP_DICTIONARY].keys[table - 1].p;
}

bool
pp_otlp_has(struct otlp_doc *d, unsigned table, int32_t index, const char *what,
            const unsigned char *at)
{
	if (PP_LIKELY(index >= 0 && (size_t)index < pp_otlp_count(d, table)))
		return true;
	/* Where the end lacks, so may what is referred to. */
	if (!d->cut && !d->lacks)
		pp_otlp_report(d, OTLP_BAD_INDEX, at, "%s refers to %d of %zu in %s", what, index,
		               pp_otlp_count(d, table), table_name(table));
	return false;
}

struct pp_slice
pp_otlp_text(const struct otlp_doc *d, uint32_t index)
{
	return index < d->strings.n ? d->strings.at[index] : pp_slice_of("", 0);
}

/* The string of a field; told where there is none. */
static struct pp_slice
string_check(struct otlp_doc *d, uint64_t index, const char *what, const unsigned char *at)
{
	(void)pp_otlp_has(d, OTLP_TABLE_STRINGS, pp_otlp_index(index), what, at);
	return pp_otlp_text(d, (uint32_t)index);
}

/* ---- attributes ---- */

struct otlp_value
pp_otlp_value(const struct otlp_doc *d, struct pp_slice any)
{
	struct otlp_value value = { 0 };
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, any);
	while (pp_wire_next(&w, &f)) {
		const struct otlp_message *m = &pp_otlp_messages[OTLP_ANY_VALUE];

		if (f.number > m->count ||
		    f.type != pp_otlp_wire_type(m->fields[f.number - 1].kind))
			continue;
		value.field = (unsigned)f.number;
		value.number = f.value;
		value.text = f.number == OTLP_ANY_INDEX ? pp_otlp_text(d, (uint32_t)f.value)
		                                        : f.bytes;
	}
	return value;
}

struct pp_slice
pp_otlp_attribute(const struct otlp_doc *d, int32_t index, struct otlp_value *value,
                  struct pp_slice *unit)
{
	const struct otlp_row *row;

	*value = (struct otlp_value){ 0 };
	*unit = pp_slice_of("", 0);
	if (index <= 0 || (size_t)index >= d->tables[OTLP_TABLE_ATTRIBUTES].n)
		return pp_slice_of("", 0);
	row = &d->tables[OTLP_TABLE_ATTRIBUTES].at[index];
	*value = pp_otlp_value(d, row->bytes[0]);
	*unit = pp_otlp_text(d, (uint32_t)row->f[OTLP_ATTRIBUTE_UNIT]);
	return pp_otlp_text(d, (uint32_t)row->f[OTLP_ATTRIBUTE_KEY]);
}

struct pp_slice
pp_otlp_pair(const struct otlp_doc *d, struct pp_slice pair, struct otlp_value *value)
{
	struct pp_slice key = pp_slice_of("", 0);
	struct pp_wire_field f;
	struct pp_wire w;

	*value = (struct otlp_value){ 0 };
	pp_wire_init(&w, pair);
	while (pp_wire_next(&w, &f))
		if (f.number == OTLP_KEY_VALUE_KEY && f.type == PP_WIRE_BYTES)
			key = f.bytes;
		else if (f.number == OTLP_KEY_VALUE_VALUE && f.type == PP_WIRE_BYTES)
			*value = pp_otlp_value(d, f.bytes);
		else if (f.number == OTLP_KEY_VALUE_INDEX && f.type == PP_WIRE_VARINT && f.value &&
		         key.n == 0)
			key = pp_otlp_text(d, (uint32_t)f.value);
	return key;
}

struct pp_slice
pp_otlp_origin_bytes(const struct otlp_doc *d, const struct otlp_origin *o)
{
	const struct pp_slice *first, *last;

	if (o->pairs.n == 0)
		return pp_slice_of("", 0);
	/* They stand one behind the other in the message. */
	first = d->pairs.at + o->pairs.first;
	last = first + o->pairs.n - 1;
	return pp_slice_between(first->p, last->p + last->n);
}

void
pp_otlp_hex(struct pp_slice bytes, struct pp_buf *out)
{
	size_t i;

	for (i = 0; i < bytes.n; i++) {
		pp_buf_addc(out, "0123456789abcdef"[bytes.p[i] >> 4]);
		pp_buf_addc(out, "0123456789abcdef"[bytes.p[i] & 15]);
	}
}

/* Texts within a list have quotes, so that where one ends can be told. */
static void
quoted_print(struct pp_slice text, struct pp_buf *out)
{
	size_t i;

	pp_buf_addc(out, '"');
	for (i = 0; i < text.n; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			pp_buf_addc(out, '\\');
		if (text.p[i] < 0x20)
			pp_buf_addf(out, "\\u%04x", text.p[i]);
		else
			pp_buf_addc(out, (char)text.p[i]);
	}
	pp_buf_addc(out, '"');
}

static void value_print(const struct otlp_doc *, const struct otlp_value *, struct pp_buf *,
                        unsigned depth);

static void
list_print(const struct otlp_doc *d, const struct otlp_value *list, struct pp_buf *out,
           unsigned depth)
{
	bool pairs = list->field == OTLP_ANY_LIST, first = true;
	struct otlp_value value;
	struct pp_wire_field f;
	struct pp_wire w;

	pp_buf_addc(out, pairs ? '{' : '[');
	pp_wire_init(&w, list->text);
	while (depth < OTLP_DEPTH && pp_wire_next(&w, &f)) {
		if (f.number != 1 || f.type != PP_WIRE_BYTES)
			continue;
		if (!first)
			pp_buf_addc(out, ',');
		first = false;
		if (pairs) {
			quoted_print(pp_otlp_pair(d, f.bytes, &value), out);
			pp_buf_addc(out, ':');
		} else {
			value = pp_otlp_value(d, f.bytes);
		}
		value_print(d, &value, out, depth + 1);
	}
	pp_buf_addc(out, pairs ? '}' : ']');
}

static void
value_print(const struct otlp_doc *d, const struct otlp_value *value, struct pp_buf *out,
            unsigned depth)
{
	char number[PP_NUM_MAX], *room;
	double real;

	memcpy(&real, &value->number, sizeof real);
	switch (value->field) {
	case OTLP_ANY_BOOL:
		pp_buf_adds(out, value->number ? "true" : "false");
		break;
	case OTLP_ANY_INT:
		pp_buf_addf(out, "%lld", (long long)value->number);
		break;
	case OTLP_ANY_DOUBLE:
		pp_buf_add(out, number, pp_num_print_double(number, real));
		break;
	case OTLP_ANY_ARRAY:
	case OTLP_ANY_LIST:
		list_print(d, value, out, depth);
		break;
	case OTLP_ANY_BYTES:
		room = pp_buf_room(out, PP_BASE64_SIZE(value->text.n) + 2);
		if (!room)
			break;
		pp_base64_put(room, value->text.p, value->text.n);
		out->n += PP_BASE64_SIZE(value->text.n);
		break;
	default:
		if (depth)
			quoted_print(value->text, out);
		else
			pp_buf_add(out, value->text.p, value->text.n);
	}
}

void
pp_otlp_value_print(const struct otlp_doc *d, const struct otlp_value *value, struct pp_buf *out)
{
	value_print(d, value, out, 0);
}

/* ---- keys that are there once ---- */

struct keys {
	struct pp_slice few[KEYS_COMPARED];
	struct pp_strtab many;
	size_t n;
};

/* Whether a key was there before. */
static bool
key_again(struct otlp_doc *d, struct keys *k, struct pp_slice key)
{
	bool is_new = true;
	size_t i;
	pp_str id;

	if (k->n < KEYS_COMPARED) {
		for (i = 0; i < k->n; i++)
			if (pp_slice_eq(k->few[i], key))
				return true;
		k->few[k->n++] = key;
		return false;
	}
	if (k->n++ == KEYS_COMPARED) {
		d->no_memory |= !pp_strtab_init(&k->many, 0);
		for (i = 0; i < KEYS_COMPARED && !d->no_memory; i++)
			d->no_memory |= !pp_strtab_intern(&k->many, k->few[i].p, k->few[i].n, &id,
			                                  &is_new);
	}
	if (!d->no_memory)
		d->no_memory |= !pp_strtab_intern(&k->many, key.p, key.n, &id, &is_new);
	return !is_new;
}

static void
keys_release(struct keys *k)
{
	if (k->n > KEYS_COMPARED)
		pp_strtab_release(&k->many);
}

void
pp_otlp_attributes_check(struct otlp_doc *d, const int32_t *list, size_t n, const char *what,
                         const unsigned char *at)
{
	struct keys keys = { .n = 0 };
	struct otlp_value value;
	struct pp_slice unit;
	bool told = false;
	size_t i;

	for (i = 0; i < n && !d->no_memory; i++) {
		if (!pp_otlp_has(d, OTLP_TABLE_ATTRIBUTES, list[i], what, at))
			continue;
		if (list[i] == 0) {
			pp_otlp_report(d, OTLP_BAD_ATTRIBUTE_ZERO, at, "%s refers to attribute 0",
			               what);
			continue;
		}
		if (key_again(d, &keys, pp_otlp_attribute(d, list[i], &value, &unit)) && !told) {
			told = true;
			pp_otlp_report(d, OTLP_BAD_ATTRIBUTE_KEY, at, "%s has a key twice", what);
		}
	}
	keys_release(&keys);
}

static void pairs_check(struct otlp_doc *, const struct pp_slice *, size_t n, const char *what,
                        const unsigned char *at, unsigned depth);

static void
value_check(struct otlp_doc *d, struct pp_slice any, unsigned depth)
{
	const struct otlp_message *m = &pp_otlp_messages[OTLP_ANY_VALUE];
	struct pp_wire_field f, item;
	struct pp_wire w, items;
	unsigned n = 0;

	if (depth == OTLP_DEPTH) {
		pp_otlp_report(d, OTLP_BAD_WIRE, any.p, "values are nested too deep");
		return;
	}
	pp_wire_init(&w, any);
	while (pp_wire_next(&w, &f)) {
		if (f.number > m->count ||
		    f.type != pp_otlp_wire_type(m->fields[f.number - 1].kind)) {
			pp_otlp_field_odd(d, &f, OTLP_ANY_VALUE);
			continue;
		}
		n++;
		if (f.number == OTLP_ANY_INDEX)
			(void)string_check(d, f.value, "a value", f.begin);
		else if (f.number == OTLP_ANY_STRING && !pp_utf8_valid(f.bytes))
			pp_otlp_report(d, OTLP_BAD_UTF8, f.begin, "a text is not UTF-8");
		if (f.number != OTLP_ANY_ARRAY && f.number != OTLP_ANY_LIST)
			continue;
		pp_wire_init(&items, f.bytes);
		while (f.number == OTLP_ANY_ARRAY && pp_wire_next(&items, &item))
			if (item.number == 1 && item.type == PP_WIRE_BYTES)
				value_check(d, item.bytes, depth + 1);
		if (f.number == OTLP_ANY_LIST) {
			PP_VEC(struct pp_slice) pairs = { 0 };

			while (!d->no_memory && pp_wire_next(&items, &item))
				if (item.number == 1 && item.type == PP_WIRE_BYTES)
					d->no_memory |= !pp_vec_push(&pairs, item.bytes);
			pairs_check(d, pairs.at, pairs.n, "a list", f.begin, depth + 1);
			pp_vec_release(&pairs);
		}
		if (items.error)
			pp_otlp_wire_report(d, &items);
	}
	if (w.error || w.overflow_at)
		pp_otlp_wire_report(d, &w);
	if (n > 1)
		pp_otlp_report(d, OTLP_BAD_VALUE_BOTH, any.p, "a value is several at once");
}

/* Returns the key of a pair. */
static struct pp_slice
pair_check(struct otlp_doc *d, struct pp_slice pair, const char *what, unsigned depth)
{
	const struct otlp_message *m = &pp_otlp_messages[OTLP_KEY_VALUE];
	struct pp_slice key = pp_slice_of("", 0);
	struct pp_wire_field f;
	struct pp_wire w;
	uint64_t index = 0;

	pp_wire_init(&w, pair);
	while (pp_wire_next(&w, &f)) {
		if (f.number > m->count ||
		    f.type != pp_otlp_wire_type(m->fields[f.number - 1].kind)) {
			pp_otlp_field_odd(d, &f, OTLP_KEY_VALUE);
			continue;
		}
		if (f.number == OTLP_KEY_VALUE_VALUE)
			value_check(d, f.bytes, depth);
		else if (f.number == OTLP_KEY_VALUE_INDEX)
			index = f.value;
		else
			key = f.bytes;
	}
	if (w.error || w.overflow_at)
		pp_otlp_wire_report(d, &w);
	if (!pp_utf8_valid(key))
		pp_otlp_report(d, OTLP_BAD_UTF8, pair.p, "a key is not UTF-8");
	if (key.n && index)
		pp_otlp_report(d, OTLP_BAD_KEY_BOTH, pair.p,
		               "%s has key %.*s, and string %d as a key", what, PP_SHOWN(key),
		               pp_otlp_index(index));
	return key.n ? key : string_check(d, index, what, pair.p);
}

static void
pairs_check(struct otlp_doc *d, const struct pp_slice *pairs, size_t n, const char *what,
            const unsigned char *at, unsigned depth)
{
	struct keys *keys = calloc(1, sizeof *keys);
	size_t i;

	d->no_memory |= !keys;
	for (i = 0; i < n && !d->no_memory; i++) {
		struct pp_slice key = pair_check(d, pairs[i], what, depth);

		if (key_again(d, keys, key))
			pp_otlp_report(d, OTLP_BAD_ATTRIBUTE_KEY, at, "%s has key %.*s twice", what,
			               PP_SHOWN(key));
	}
	if (keys)
		keys_release(keys);
	free(keys);
}

/* ---- tables ---- */

static bool
all_zero(struct pp_slice bytes)
{
	size_t i;

	for (i = 0; i < bytes.n; i++)
		if (bytes.p[i])
			return false;
	return true;
}

/* Whether the first element of a table stands for "not set". */
static bool
is_zero(const struct otlp_doc *d, unsigned table)
{
	const struct otlp_row *row;
	struct otlp_value value;
	unsigned i;

	if (table == OTLP_TABLE_STRINGS)
		return d->strings.at[0].n == 0;
	if (table == OTLP_TABLE_STACKS)
		return d->stacks.at[0].n == 0;
	row = &d->tables[table].at[0];
	if (table == OTLP_TABLE_LINKS)
		return all_zero(row->bytes[0]) && all_zero(row->bytes[1]) &&
		       (row->bytes[0].n == 0 || row->bytes[0].n == 16) &&
		       (row->bytes[1].n == 0 || row->bytes[1].n == 8);
	for (i = 0; i < PP_COUNT_OF(row->f); i++)
		if (row->f[i])
			return false;
	value = pp_otlp_value(d, row->bytes[0]);
	return row->list.n == 0 && row->lines.n == 0 && value.field == 0;
}

/* Where an element of a table stands. */
static const unsigned char *
element_at(const struct otlp_doc *d, unsigned table, size_t index)
{
	struct pp_wire_field part, f;
	struct pp_wire w, elements;

	pp_wire_init(&w, d->bytes);
	while (pp_wire_next(&w, &part)) {
		if (part.number != OTLP_DATA_DICTIONARY || part.type != PP_WIRE_BYTES)
			continue;
		pp_wire_init(&elements, part.bytes);
		while (pp_wire_next(&elements, &f))
			if (f.number == table && index-- == 0)
				return f.bytes.p;
	}
	return d->bytes.p;
}

static void
zeros_check(struct otlp_doc *d)
{
	unsigned table;

	for (table = 1; table < OTLP_TABLES; table++) {
		size_t n = table == OTLP_TABLE_STRINGS  ? d->strings.n
		           : table == OTLP_TABLE_STACKS ? d->stacks.n
		                                        : d->tables[table].n;

		if (n == 0 && d->profiles.n && !d->cut)
			pp_otlp_report(d, OTLP_BAD_TABLE_MISSING, d->bytes.p, "%s has no element 0",
			               table_name(table));
		else if (n && !is_zero(d, table))
			pp_otlp_report(d, OTLP_BAD_ZERO, element_at(d, table, 0),
			               "%s[0] is not the zero value", table_name(table));
	}
}

/* Whether a number of a line makes sense. */
static bool
is_line(int64_t number)
{
	return number >= 0 && number <= UINT32_MAX;
}

static void
mapping_check(struct otlp_doc *d, const struct otlp_row *m, const char *what)
{
	(void)string_check(d, m->f[OTLP_MAPPING_FILE], what, m->at);
	if (m->f[OTLP_MAPPING_LIMIT] && m->f[OTLP_MAPPING_START] > m->f[OTLP_MAPPING_LIMIT])
		pp_otlp_report(d, OTLP_BAD_MAPPING_RANGE, m->at, "%s ends before it starts", what);
}

static void
function_check(struct otlp_doc *d, const struct otlp_row *f, const char *what)
{
	size_t n = string_check(d, f->f[OTLP_FUNCTION_NAME], what, f->at).n;

	n += string_check(d, f->f[OTLP_FUNCTION_SYSTEM], what, f->at).n;
	n += string_check(d, f->f[OTLP_FUNCTION_FILE], what, f->at).n;
	if (n == 0 && !d->cut)
		pp_otlp_report(d, OTLP_BAD_FUNCTION_EMPTY, f->at, "%s has no name and no file",
		               what);
	if (!is_line((int64_t)f->f[OTLP_FUNCTION_START]))
		pp_otlp_report(d, OTLP_BAD_LINE_NUMBER, f->at, "%s starts at line %lld", what,
		               (long long)f->f[OTLP_FUNCTION_START]);
}

static void
location_check(struct otlp_doc *d, const struct otlp_row *l, const char *what)
{
	uint32_t i;

	(void)pp_otlp_has(d, OTLP_TABLE_MAPPINGS, pp_otlp_index(l->f[OTLP_LOCATION_MAPPING]), what,
	                  l->at);
	for (i = 0; i < l->lines.n; i++) {
		const struct otlp_line *line = &d->lines.at[l->lines.first + i];

		(void)pp_otlp_has(d, OTLP_TABLE_FUNCTIONS, (int32_t)line->function, what, l->at);
		if (!is_line(line->line) || !is_line(line->column))
			pp_otlp_report(d, OTLP_BAD_LINE_NUMBER, l->at,
			               "%s has line %lld, column %lld", what, (long long)line->line,
			               (long long)line->column);
	}
}

static void
link_check(struct otlp_doc *d, const struct otlp_row *l, const char *what)
{
	if (l->bytes[0].n != 16 || l->bytes[1].n != 8)
		pp_otlp_report(d, OTLP_BAD_ID_LENGTH, l->at, "%s has ids of %zu and %zu bytes",
		               what, l->bytes[0].n, l->bytes[1].n);
}

static void
attribute_check(struct otlp_doc *d, const struct otlp_row *a, const char *what)
{
	if (string_check(d, a->f[OTLP_ATTRIBUTE_KEY], what, a->at).n == 0 && !d->cut)
		pp_otlp_report(d, OTLP_BAD_ATTRIBUTE_NAME, a->at, "%s has no key", what);
	(void)string_check(d, a->f[OTLP_ATTRIBUTE_UNIT], what, a->at);
	value_check(d, a->bytes[0], 0);
}

/* "locationTable[7]". There are very many of them, so it is made by hand. */
static void
row_name(char out[40], unsigned table, size_t i)
{
	char digits[24], *at = digits + sizeof digits;
	struct pp_slice name = pp_otlp_messages[OTLP_DICTIONARY].keys[table - 1];

	*--at = '\0';
	*--at = ']';
	do
		*--at = (char)('0' + i % 10);
	while (i /= 10);
	*--at = '[';
	memcpy(out, name.p, name.n);
	memcpy(out + name.n, at, (size_t)(digits + sizeof digits - at));
}

static void
tables_check(struct otlp_doc *d)
{
	static void (*const checks[])(struct otlp_doc *, const struct otlp_row *, const char *) = {
		[OTLP_TABLE_MAPPINGS] = mapping_check,     [OTLP_TABLE_LOCATIONS] = location_check,
		[OTLP_TABLE_FUNCTIONS] = function_check,   [OTLP_TABLE_LINKS] = link_check,
		[OTLP_TABLE_ATTRIBUTES] = attribute_check, [OTLP_TABLE_STACKS] = NULL
	};
	unsigned table;
	size_t i;

	for (table = 1; table < OTLP_TABLES; table++)
		for (i = 0; checks[table] && i < d->tables[table].n; i++) {
			const struct otlp_row *row = &d->tables[table].at[i];
			char what[40];

			/* What stands for "not set" has been looked at, but for what it refers to. */
			if (i == 0 && table != OTLP_TABLE_LOCATIONS)
				continue;
			row_name(what, table, i);
			checks[table](d, row, what);
			if (row->list.n)
				pp_otlp_attributes_check(d, d->numbers.at + row->list.first,
				                         row->list.n, what, row->at);
		}
}

static void
stacks_check(struct otlp_doc *d)
{
	const unsigned char *at;
	size_t i, told = 0;
	uint32_t k;

	for (i = 0; i < d->stacks.n; i++) {
		const int32_t *list = d->numbers.at + d->stacks.at[i].first;
		char what[40];

		for (k = 0; k < d->stacks.at[i].n; k++) {
			if (PP_LIKELY(list[k] > 0 &&
			              (size_t)list[k] < d->tables[OTLP_TABLE_LOCATIONS].n))
				continue;
			if (!d->diags || told >= PP_DIAG_CAP)
				return;
			told++;
			at = element_at(d, OTLP_TABLE_STACKS, i);
			row_name(what, OTLP_TABLE_STACKS, i);
			if (pp_otlp_has(d, OTLP_TABLE_LOCATIONS, list[k], what, at))
				pp_otlp_report(d, OTLP_BAD_LOCATION_ZERO, at,
				               "%s refers to location 0", what);
		}
	}
}

/* Says once for each table that something stands in it twice. */
static void
duplicates_check(struct otlp_doc *d, uint64_t seed)
{
	struct pp_wire_field part, f;
	struct pp_strtab seen[OTLP_TABLES] = { { .seed = 0 } };
	bool told[OTLP_TABLES] = { false }, is_new;
	struct pp_wire w, table;
	unsigned i;
	pp_str id;

	for (i = 1; i < OTLP_TABLES; i++)
		d->no_memory |= !pp_strtab_init(&seen[i], seed);
	pp_wire_init(&w, d->bytes);
	while (!d->no_memory && pp_wire_next(&w, &part)) {
		if (part.number != OTLP_DATA_DICTIONARY || part.type != PP_WIRE_BYTES)
			continue;
		pp_wire_init(&table, part.bytes);
		while (!d->no_memory && pp_wire_next(&table, &f)) {
			if (f.number >= OTLP_TABLES || f.type != PP_WIRE_BYTES || told[f.number])
				continue;
			/* Their numbers in front make all of them texts that are not empty. */
			f.bytes = pp_wire_field_bytes(&table, &f);
			d->no_memory |= !pp_strtab_intern(&seen[f.number], f.bytes.p, f.bytes.n,
			                                  &id, &is_new);
			if (d->no_memory || is_new)
				continue;
			told[f.number] = true;
			pp_otlp_report(d, OTLP_BAD_DUPLICATE, f.begin, "%s has an element twice",
			               table_name((unsigned)f.number));
		}
	}
	for (i = 1; i < OTLP_TABLES; i++)
		pp_strtab_release(&seen[i]);
}

/* ---- profiles ---- */

static void
profile_check(struct otlp_doc *d, const struct otlp_profile *p)
{
	const unsigned char *at = p->message.p;
	char what[40];

	(void)snprintf(what, sizeof what, "profile %llu", (unsigned long long)p->number);
	if (string_check(d, p->type[0], what, at).n == 0 && !d->cut)
		pp_otlp_report(d, OTLP_BAD_SAMPLE_TYPE, at, "%s has no sample type", what);
	(void)string_check(d, p->type[1], what, at);
	(void)string_check(d, p->period_type[0], what, at);
	(void)string_check(d, p->period_type[1], what, at);
	if (p->id.n && p->id.n != 16)
		pp_otlp_report(d, OTLP_BAD_ID_LENGTH, p->id.p, "the id of %s has %zu bytes", what,
		               p->id.n);
	else if (p->id.n && all_zero(p->id))
		pp_otlp_report(d, OTLP_BAD_ID_ZERO, p->id.p, "the id of %s is all zero", what);
	if ((p->format.n == 0) != (p->payload.n == 0))
		pp_otlp_report(d, OTLP_BAD_PAYLOAD, at, "%s has %s", what,
		               p->format.n ? "the format of an original, and no original"
		                           : "an original, and not its format");
	pp_otlp_attributes_check(d, d->numbers.at + p->list.first, p->list.n, what, at);
}

static void
origins_check(struct otlp_doc *d, const struct otlp_origin *list, size_t n, const char *what)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].pairs.n)
			pairs_check(d, d->pairs.at + list[i].pairs.first, list[i].pairs.n, what,
			            list[i].at, 0);
}

void
pp_otlp_check(struct otlp_doc *d, bool duplicates, uint64_t seed)
{
	size_t i;

	if (d->profiles.n == 0 && !d->cut)
		pp_otlp_report(d, OTLP_BAD_NO_PROFILES, d->bytes.p, "there is no profile");
	for (i = 0; i < d->profiles.n && !d->has_dictionary && !d->cut; i++)
		if (d->profiles.at[i].f[OTLP_PROFILE_SAMPLES]) {
			pp_otlp_report(d, OTLP_BAD_DICTIONARY, d->profiles.at[i].message.p,
			               "there are samples, and no dictionary");
			d->lacks = true;
			return;
		}
	zeros_check(d);
	tables_check(d);
	stacks_check(d);
	origins_check(d, d->resources.at, d->resources.n, "a resource");
	origins_check(d, d->scopes.at, d->scopes.n, "a scope");
	for (i = 0; i < d->profiles.n; i++)
		profile_check(d, &d->profiles.at[i]);
	if (duplicates && d->diags)
		duplicates_check(d, seed);
}

void
pp_otlp_check_all(struct otlp_doc *d, uint64_t seed)
{
	struct otlp_samples s;
	size_t i;

	pp_otlp_check(d, false, seed);
	for (i = 0; i < d->profiles.n && !d->no_memory; i++) {
		pp_otlp_samples_init(&s, d, &d->profiles.at[i], true);
		while (pp_otlp_samples_next(&s))
			;
		pp_otlp_samples_release(&s);
	}
}
