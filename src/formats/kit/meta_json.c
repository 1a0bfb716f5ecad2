/*
 * JSON into metadata and back, without recursion: what is open stands in a list, or is known by its rows.
 */
#include "formats/kit/meta_json.h"

struct open {
	uint32_t meta; /* its row in the profile */
	bool object;
};

struct meta_read {
	struct pp_scan *scan;
	struct pp_builder *b;
	struct pp_arena arena; /* for strings with escapes */
	const unsigned char *odd;
	PP_VEC(struct open) open;
};

struct pp_slice
pp_build_json_text(struct pp_builder *b, struct pp_json_str s, struct pp_arena *arena)
{
	struct pp_slice value = pp_json_str_value(s, arena);

	if (value.p || !value.n)
		return value;
	pp_builder_fail(b, PP_E_NOMEM, NULL);
	return pp_slice_of("", 0);
}

static struct pp_slice
text_of(struct meta_read *r, struct pp_json_str s)
{
	if (s.odd && !r->odd)
		r->odd = s.raw.p;
	return pp_build_json_text(r->b, s, &r->arena);
}

static void
scalar_take(struct meta_read *r, struct pp_slice key, enum pp_json_type type)
{
	static const enum pp_meta_type types[] = {
		[PP_JSON_STRING] = PP_META_TEXT,
		[PP_JSON_NUMBER] = PP_META_NUMBER,
		[PP_JSON_BOOL] = PP_META_BOOL,
		[PP_JSON_NULL] = PP_META_NULL,
	};
	struct pp_slice text = pp_slice_of("", 0);
	struct pp_json_str s;

	if (type == PP_JSON_STRING) {
		if (pp_scan_string(r->scan, &s))
			text = text_of(r, s);
	} else {
		(void)pp_scan_skip(r->scan, &text);
	}
	if (r->scan->error == PP_SCAN_OK)
		(void)pp_build_meta(r->b, r->open.at[r->open.n - 1].meta, key, types[type],
		                    type == PP_JSON_NULL ? pp_slice_of("", 0) : text);
}

/* Enters an object or array; `first` is the outermost, which has no key and is no row. */
static void
nest(struct meta_read *r, struct pp_slice key, enum pp_json_type type, bool first)
{
	struct open open = { .object = type == PP_JSON_OBJECT };

	if (open.object ? !pp_scan_object(r->scan) : !pp_scan_array(r->scan))
		return;
	if (!first)
		open.meta = pp_build_meta(r->b, r->open.at[r->open.n - 1].meta, key,
		                          open.object ? PP_META_OBJECT : PP_META_ARRAY,
		                          pp_slice_of("", 0));
	if (!pp_vec_push(&r->open, open))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

static void
member_take(struct meta_read *r, struct pp_slice key, const char *leave_out)
{
	enum pp_json_type type = pp_scan_peek(r->scan);

	if (leave_out && r->open.n == 1 && pp_slice_eq_z(key, leave_out))
		(void)pp_scan_skip(r->scan, NULL);
	else if (type == PP_JSON_OBJECT || type == PP_JSON_ARRAY)
		nest(r, key, type, false);
	else if (type != PP_JSON_NOTHING)
		scalar_take(r, key, type);
}

/* Takes all that is open beyond the first `outer`. */
static void
members_take(struct meta_read *r, size_t outer, const char *leave_out)
{
	struct pp_json_str key;

	while (r->open.n > outer && pp_builder_ok(r->b) && r->scan->error == PP_SCAN_OK) {
		bool object = r->open.at[r->open.n - 1].object;

		if (object ? !pp_scan_key(r->scan, &key) : !pp_scan_item(r->scan))
			r->open.n--;
		else
			member_take(r, object ? text_of(r, key) : pp_slice_of("", 0), leave_out);
	}
	pp_arena_release(&r->arena);
	pp_vec_release(&r->open);
}

void
pp_meta_json_read(struct pp_scan *scan, struct pp_builder *b, const char *leave_out,
                  const unsigned char **odd)
{
	struct meta_read r = { .scan = scan, .b = b };

	nest(&r, pp_slice_of("", 0), PP_JSON_OBJECT, true);
	members_take(&r, 0, leave_out);
	if (odd && r.odd)
		*odd = r.odd;
}

void
pp_meta_json_member(struct pp_scan *scan, struct pp_builder *b, uint32_t parent,
                    struct pp_slice key)
{
	struct meta_read r = { .scan = scan, .b = b };
	struct open outer = { .meta = parent, .object = true };

	if (!pp_vec_push(&r.open, outer)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return;
	}
	member_take(&r, key, NULL);
	members_take(&r, 1, NULL);
}

/* ---- writing ---- */

/* The value of a row, or the bracket that opens it. */
static void
row_open(struct pp_json *j, const struct pp_profile *p, const struct pp_meta_row *row)
{
	struct pp_slice text = pp_text_of(p, row->text);
	double number;

	switch (row->type) {
	case PP_META_OBJECT:
		pp_json_begin_object(j);
		break;
	case PP_META_ARRAY:
		pp_json_begin_array(j);
		break;
	case PP_META_NULL:
		pp_json_null(j);
		break;
	case PP_META_BOOL:
	case PP_META_NUMBER:
		/* As the file wrote it, if that is JSON: "007" or "nan" of another syntax becomes text. */
		if (pp_slice_eq_z(text, "true") || pp_slice_eq_z(text, "false") ||
		    pp_num_double(text, &number))
			pp_json_raw(j, (const char *)text.p, text.n);
		else
			pp_json_text(j, text);
		break;
	case PP_META_TEXT:
		pp_json_text(j, text);
		break;
	}
}

static void
row_close(struct pp_json *j, const struct pp_meta_row *row)
{
	if (row->type == PP_META_OBJECT)
		pp_json_end_object(j);
	else
		pp_json_end_array(j);
}

void
pp_meta_json_write(struct pp_json *j, const struct pp_profile *p, size_t row, bool keyed)
{
	uint32_t open = 0; /* row + 1 of the innermost open object or array */
	size_t i;

	for (i = row; i < p->meta.n; i++) {
		const struct pp_meta_row *m = &p->meta.at[i];

		/* Children follow their parent: what is open and not the parent has no more of them. */
		if (i > row && m->parent <= row)
			break;
		for (; i > row && open != m->parent; open = p->meta.at[open - 1].parent)
			row_close(j, &p->meta.at[open - 1]);
		if (i == row ? keyed : p->meta.at[open - 1].type == PP_META_OBJECT)
			pp_json_key_text(j, pp_text_of(p, m->key));
		row_open(j, p, m);
		if (m->type == PP_META_OBJECT || m->type == PP_META_ARRAY)
			open = (uint32_t)i + 1;
	}
	for (; open > row; open = p->meta.at[open - 1].parent)
		row_close(j, &p->meta.at[open - 1]);
}
