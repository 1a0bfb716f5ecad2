/*
 * A JSON document by the places of its values: first which there are, then each as it is needed.
 */
#include "formats/firefox/firefox.h"

struct pp_scan
ff_scan(const struct ff_read *r, const unsigned char *at)
{
	struct pp_scan s;

	pp_scan_init(&s, pp_slice_between(at, r->end), 0, PP_SCAN_TOLERANT);
	return s;
}

/* Whether a place is in the file itself; what was text within it has none. */
static bool
is_in_file(const struct ff_read *r, const unsigned char *at)
{
	return at >= r->doc.text.p && at <= r->doc.text.p + r->doc.text.n;
}

void
ff_scanned(struct ff_read *r, const struct pp_scan *s)
{
	if (s->error != PP_SCAN_OK && is_in_file(r, s->error_at))
		pp_json_doc_scanned(&r->doc, s);
	else if (s->error != PP_SCAN_OK)
		pp_json_find(&r->doc, FF_JSON, NULL, "text within the file: %s",
		             pp_scan_error_text(s->error));
}

void
ff_find(struct ff_read *r, unsigned rule, const unsigned char *at, const char *what)
{
	pp_json_find(&r->doc, rule, at && is_in_file(r, at) ? at : NULL, "%s", what);
}

/* Passes a value. Where long ones end is remembered: they are passed by everybody who looks for something behind them. */
static bool
value_pass(struct ff_read *r, struct pp_scan *s)
{
	const unsigned char *at = s->cur;
	struct ff_long *known = &r->longs[pp_mix((uintptr_t)at, PP_HASH_K2) % FF_LONGS];

	if (known->at == at) {
		s->cur = known->end;
		s->after_value = true;
		return true;
	}
	if (!pp_scan_pass(s))
		return false;
	if ((size_t)(s->cur - at) >= FF_LONG && is_in_file(r, at))
		*known = (struct ff_long){ at, s->cur };
	return true;
}

bool
ff_outline(struct ff_read *r, const unsigned char *at, const struct pp_slice *keys, unsigned n,
           const unsigned char **values)
{
	struct pp_json_names names = { .names = keys, .count = n };
	struct pp_json_str key;
	struct pp_scan s;
	unsigned index;

	memset(values, 0, n * sizeof *values);
	if (!at)
		return false;
	s = ff_scan(r, at);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return false;
	while (pp_scan_named_key(&s, &names, &key, &index)) {
		enum pp_json_type type = pp_scan_peek(&s);

		if (index < n && type != PP_JSON_NOTHING && type != PP_JSON_NULL)
			values[index] = s.cur;
		if (!value_pass(r, &s))
			break;
	}
	ff_scanned(r, &s);
	return true;
}

/* An item of a column that is no plain number. */
static uint32_t
item_read(struct pp_scan *s)
{
	struct pp_json_num num;
	uint64_t v;

	if (pp_scan_peek(s) == PP_JSON_NULL)
		return pp_scan_null(s) ? FF_NONE : FF_BAD;
	if (!pp_scan_if_number(s, &num))
		return FF_BAD;
	if (num.integer && num.negative && num.magnitude == 1)
		return FF_NONE;
	return pp_json_num_u64(&num, &v) && v < FF_LEFT_OUT ? (uint32_t)v : FF_BAD;
}

bool
ff_column_read(struct ff_read *r, const unsigned char *at, ff_column *column)
{
	struct pp_scan s;

	column->n = 0;
	if (!at)
		return true;
	s = ff_scan(r, at);
	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return false;
	while (pp_builder_ok(r->b)) {
		uint64_t some[256];
		size_t n = pp_scan_plain_u64s(&s, some, PP_COUNT_OF(some)), i;
		uint32_t *to;

		if (!pp_vec_reserve(column, column->n + n + 1))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		if (!pp_builder_ok(r->b))
			break;
		to = column->at + column->n;
		for (i = 0; i < n; i++)
			to[i] = some[i] < FF_LEFT_OUT ? (uint32_t)some[i] : FF_BAD;
		column->n += n;
		if (n == PP_COUNT_OF(some))
			continue;
		if (!pp_scan_item(&s))
			break;
		column->at[column->n] = item_read(&s);
		column->n += s.error == PP_SCAN_OK;
	}
	ff_scanned(r, &s);
	return true;
}

const unsigned char *
ff_item_at(struct ff_read *r, const unsigned char *array, size_t i)
{
	struct pp_scan s = ff_scan(r, array);
	size_t k;

	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return array;
	for (k = 0; k < i && pp_scan_item(&s) && pp_scan_pass(&s); k++)
		;
	return pp_scan_item(&s) && pp_scan_peek(&s) != PP_JSON_NOTHING ? s.cur : array;
}

bool
ff_number_at(struct ff_read *r, const unsigned char *at, struct pp_json_num *num)
{
	struct pp_scan s;

	if (!at)
		return false;
	s = ff_scan(r, at);
	return pp_scan_peek(&s) == PP_JSON_NUMBER && pp_scan_number(&s, num);
}

bool
ff_u64_at(struct ff_read *r, const unsigned char *at, uint64_t *v)
{
	struct pp_json_num num;

	return ff_number_at(r, at, &num) && pp_json_num_u64(&num, v);
}

uint32_t
ff_index_at(struct ff_read *r, const unsigned char *at)
{
	struct pp_scan s;

	if (!at)
		return FF_NONE;
	s = ff_scan(r, at);
	return item_read(&s);
}

bool
ff_text_at(struct ff_read *r, const unsigned char *at, struct pp_slice *text)
{
	struct pp_json_str str;
	struct pp_scan s;

	if (!at)
		return false;
	s = ff_scan(r, at);
	if (pp_scan_peek(&s) != PP_JSON_STRING || !pp_scan_string(&s, &str))
		return false;
	*text = pp_build_json_text(r->b, str, &r->doc.arena);
	return pp_builder_ok(r->b);
}

pp_str
ff_str_at(struct ff_read *r, const unsigned char *at)
{
	struct pp_slice text;

	return ff_text_at(r, at, &text) ? pp_build_str(r->b, text) : 0;
}

bool
ff_each(struct ff_read *r, const unsigned char *array,
        bool (*item)(struct ff_read *, const unsigned char *at, size_t i, void *ctx), void *ctx)
{
	struct pp_scan s;
	size_t i;

	if (!array)
		return false;
	s = ff_scan(r, array);
	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return false;
	for (i = 0; pp_builder_ok(r->b) && pp_scan_item(&s); i++)
		if (pp_scan_peek(&s) == PP_JSON_NOTHING || !item(r, s.cur, i, ctx) ||
		    !value_pass(r, &s))
			break;
	ff_scanned(r, &s);
	return true;
}
