/*
 * JSON into metadata, without recursion: objects and arrays that are open stand in a list.
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

static struct pp_slice
text_of(struct meta_read *r, struct pp_json_str s)
{
	struct pp_slice value = pp_json_str_value(s, &r->arena);

	if (s.odd && !r->odd)
		r->odd = s.raw.p;
	if (value.p || !value.n)
		return value;
	pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return pp_slice_of("", 0);
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

void
pp_meta_json_read(struct pp_scan *scan, struct pp_builder *b, const char *leave_out,
                  const unsigned char **odd)
{
	struct meta_read r = { .scan = scan, .b = b };
	struct pp_json_str key;

	nest(&r, pp_slice_of("", 0), PP_JSON_OBJECT, true);
	while (r.open.n && pp_builder_ok(b) && scan->error == PP_SCAN_OK) {
		bool object = r.open.at[r.open.n - 1].object;

		if (object ? !pp_scan_key(scan, &key) : !pp_scan_item(scan))
			r.open.n--;
		else
			member_take(&r, object ? text_of(&r, key) : pp_slice_of("", 0), leave_out);
	}
	if (odd && r.odd)
		*odd = r.odd;
	pp_arena_release(&r.arena);
	pp_vec_release(&r.open);
}
