/*
 * Markers: what programs said of themselves, as they are kept for writing them again. The model has no place for them, so each is
 * an extra of its thread's series, a list in JSON:
 *
 *     ["CSS transition", 12.5, null, 2, 1, {"type": "...", ...}, {"cause": "text", ...}]
 *
 * name, start, end, phase, category, details, and those of the details that are rows of the file's strings, as text.
 * Stacks among the details go by rows of a table that is made anew, and are left out.
 */
#include "formats/firefox/firefox.h"

/* ---- what meta says of details ---- */

/* Whether a detail of that format is a row of the strings. */
static bool
is_string_row(struct pp_json_str format)
{
	return pp_json_str_eq(format, "unique-string") || pp_json_str_eq(format, "flow-id") ||
	       pp_json_str_eq(format, "terminating-flow-id");
}

static bool
field_take(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	static const struct pp_slice keys[] = { PP_KEY("key"), PP_KEY("format") };
	struct ff_schema_key found = { .type = *(const struct pp_json_str *)ctx };
	struct pp_json_str format;
	const unsigned char *v[2];
	struct pp_scan s;

	(void)i;
	if (!ff_outline(r, at, keys, 2, v) || !v[0] || !v[1])
		return true;
	s = ff_scan(r, v[1]);
	if (!pp_scan_if_string(&s, &format) || !is_string_row(format))
		return true;
	s = ff_scan(r, v[0]);
	if (pp_scan_if_string(&s, &found.key) && !pp_vec_push(&r->schemas.keys, found))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return pp_builder_ok(r->b);
}

static bool
schema_take(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	static const struct pp_slice keys[] = { PP_KEY("name"), PP_KEY("fields"), PP_KEY("data") };
	struct pp_json_str type;
	const unsigned char *v[3];
	struct pp_scan s;

	(void)i;
	(void)ctx;
	if (!ff_outline(r, at, keys, 3, v) || !v[0])
		return true;
	s = ff_scan(r, v[0]);
	if (pp_scan_if_string(&s, &type))
		(void)ff_each(r, v[1] ? v[1] : v[2], field_take, &type);
	return pp_builder_ok(r->b);
}

void
ff_schemas_read(struct ff_read *r, const unsigned char *meta)
{
	static const struct pp_slice keys[] = { PP_KEY("markerSchema") };
	const unsigned char *schemas;

	r->schemas.keys.n = 0;
	if (r->doc.reader->order->facets & PP_EXTRAS && ff_outline(r, meta, keys, 1, &schemas) &&
	    schemas)
		(void)ff_each(r, schemas, schema_take, NULL);
}

void
ff_schemas_release(struct ff_schemas *s)
{
	pp_vec_release(&s->keys);
	pp_buf_release(&s->text);
}

static bool
has_string_row(const struct ff_schemas *s, struct pp_json_str type, struct pp_json_str key)
{
	size_t i;

	for (i = 0; i < s->keys.n; i++)
		if (pp_json_str_cmp(s->keys.at[i].key, key) == 0 &&
		    pp_json_str_cmp(s->keys.at[i].type, type) == 0)
			return true;
	return false;
}

/* ---- one of them ---- */

static void
member_add(struct pp_buf *to, const char *begin, struct pp_slice key, struct pp_slice value,
           const char *quote)
{
	pp_buf_adds(to, to->p[to->n - 1] == begin[0] ? "\"" : ",\"");
	pp_buf_add(to, key.p, key.n);
	pp_buf_addf(to, "\":%s", quote);
	pp_buf_add(to, value.p, value.n);
	pp_buf_adds(to, quote);
}

/* Details but stacks; those that are rows of the strings go to `strings`, as text. */
static void
details_add(struct ff_read *r, const unsigned char *at, struct pp_buf *to, struct pp_buf *strings)
{
	static const struct pp_slice type_key[] = { PP_KEY("type") };
	struct pp_json_str type = { 0 }, key;
	struct pp_slice value, text;
	const unsigned char *v;
	struct pp_scan s;

	pp_buf_adds(to, "{");
	pp_buf_adds(strings, "{");
	if (ff_outline(r, at, type_key, 1, &v) && v) {
		s = ff_scan(r, v);
		(void)pp_scan_if_string(&s, &type);
	}
	s = ff_scan(r, at);
	if (to->failed || strings->failed || pp_scan_peek(&s) != PP_JSON_OBJECT ||
	    !pp_scan_object(&s))
		return;
	while (pp_scan_key(&s, &key) && pp_scan_skip(&s, &value)) {
		if (pp_json_str_eq(key, "cause") || pp_json_str_eq(key, "stack"))
			continue;
		if (r->string_raw && has_string_row(&r->schemas, type, key) &&
		    r->string_raw(r, ff_index_at(r, value.p), &text))
			member_add(strings, "{", key.raw, text, "\"");
		else
			member_add(to, "{", key.raw, value, "");
		if (to->failed || strings->failed)
			return;
	}
	ff_scanned(r, &s);
}

/* A number as it is written, or null. */
static void
number_add(struct ff_read *r, const unsigned char *at, struct pp_buf *to)
{
	struct pp_json_num num;

	if (ff_number_at(r, at, &num))
		pp_buf_add(to, num.text.p, num.text.n);
	else
		pp_buf_adds(to, "null");
	pp_buf_adds(to, ",");
}

/* A time in ms, of this process or moved to the clock of the first. */
static void
time_add(struct ff_read *r, const struct ff_marker *m, bool end, struct pp_buf *to)
{
	const unsigned char *at = end ? m->end : m->start;
	char digits[PP_NUM_MAX];

	if (!m->moved || !at) {
		number_add(r, at, to);
		return;
	}
	pp_buf_add(to, digits, pp_num_print(digits, end ? m->end_ns : m->start_ns, 6));
	pp_buf_adds(to, ",");
}

void
ff_marker_take(struct ff_read *r, uint32_t series, const struct ff_marker *m)
{
	struct pp_buf *text = &r->schemas.text, strings = { 0 };

	r->b->profile->markers++;
	if (!(r->doc.reader->order->facets & PP_EXTRAS) || !pp_builder_ok(r->b))
		return;
	text->n = 0;
	pp_buf_adds(text, "[\"");
	pp_buf_add(text, m->name.p, m->name.n);
	pp_buf_adds(text, "\",");
	time_add(r, m, false, text);
	time_add(r, m, true, text);
	number_add(r, m->phase, text);
	number_add(r, m->category, text);
	if (m->data) {
		details_add(r, m->data, text, &strings);
		pp_buf_adds(text, "},");
		pp_buf_add(text, strings.p, strings.n);
		pp_buf_adds(text, "}]");
	} else {
		pp_buf_adds(text, "null,{}]");
	}
	if (text->failed || strings.failed)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	else
		pp_build_extra(r->b, PP_EXTRA_MARKER, series, "marker",
		               pp_slice_of(text->p, text->n));
	pp_buf_release(&strings);
}

/* ---- a table of them ---- */

enum { M_NAME, M_START, M_END, M_PHASE, M_CATEGORY, M_DATA, M_TIME, M_COLUMNS };
static const struct pp_slice marker_keys[M_COLUMNS] = { PP_KEY("name"),     PP_KEY("startTime"),
	                                                PP_KEY("endTime"),  PP_KEY("phase"),
	                                                PP_KEY("category"), PP_KEY("data"),
	                                                PP_KEY("time") };

/* Where the next item of a column stands, NULL for null; false behind the last. */
static bool
marker_cell(struct pp_scan *s, const unsigned char **at)
{
	*at = NULL;
	if (!s->begin)
		return true;
	if (!pp_scan_item(s))
		return false;
	if (pp_scan_peek(s) != PP_JSON_NULL)
		*at = s->cur;
	return pp_scan_pass(s);
}

/* Columns side by side, as long as there are names. */
void
ff_markers_read(struct ff_read *r, const unsigned char *at, uint32_t series)
{
	const unsigned char *v[M_COLUMNS], *cell[M_COLUMNS];
	struct pp_scan s[M_COLUMNS];
	struct ff_marker marker;
	size_t i;
	bool more;

	memset(s, 0, sizeof s);
	if (!ff_outline(r, at, marker_keys, M_COLUMNS, v) || !v[M_NAME])
		return;
	for (i = 0; i < M_COLUMNS; i++) {
		if (!v[i])
			continue;
		s[i] = ff_scan(r, v[i]);
		if (pp_scan_peek(&s[i]) != PP_JSON_ARRAY || !pp_scan_array(&s[i]))
			memset(&s[i], 0, sizeof s[i]);
	}
	more = s[M_NAME].begin != NULL;
	while (more && pp_builder_ok(r->b)) {
		for (i = 0; i < M_COLUMNS; i++)
			more = marker_cell(&s[i], &cell[i]) && more;
		marker = (struct ff_marker){ .start = cell[cell[M_START] ? M_START : M_TIME],
			                     .end = cell[M_END],
			                     .phase = cell[M_PHASE],
			                     .category = cell[M_CATEGORY],
			                     .data = cell[M_DATA] };
		if (more && r->string_raw(r, ff_index_at(r, cell[M_NAME]), &marker.name))
			ff_marker_take(r, series, &marker);
	}
}
