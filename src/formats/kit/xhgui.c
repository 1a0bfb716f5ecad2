/*
 * What xhgui puts beside a profile.
 */
#include "formats/kit/xhgui.h"

#include "text/json_scan.h"

/* What is looked at to tell what a file is about. */
#define DESCRIBED_MOST ((size_t)1 << 20)

/* The value at a path, as text, out of what was read of the file; false when it is not there. */
static bool
told_at(struct pp_slice text, const char *path, struct pp_arena *arena, struct pp_slice *value)
{
	struct pp_json_str word;
	struct pp_scan s;

	pp_scan_init(&s, text, 0, PP_SCAN_TOLERANT);
	if (!pp_scan_path(&s, path, NULL, NULL))
		return false;
	if (pp_scan_peek(&s) == PP_JSON_NUMBER)
		return pp_scan_skip(&s, value);
	if (pp_scan_peek(&s) != PP_JSON_STRING || !pp_scan_string(&s, &word))
		return false;
	*value = pp_json_str_value(word, arena);
	return value->p != NULL;
}

/* What xhgui puts beside the profile, if it stands near the start: the request, where and when. */
pp_status
pp_xhgui_describe(struct pp_reader *r, struct pp_brief *brief)
{
	struct pp_arena arena = { 0 };
	struct pp_slice text, url, value;
	int64_t micro;

	(void)pp_input_need(r->in, DESCRIBED_MOST);
	text = pp_slice_of(r->in->cur, pp_input_left(r->in));
	text.n = text.n < DESCRIBED_MOST ? text.n : DESCRIBED_MOST;
	if (told_at(text, "meta.url", &arena, &url) && url.n) {
		brief->is_request = true;
		if (told_at(text, "meta.SERVER.REQUEST_METHOD", &arena, &value) && value.n) {
			pp_buf_add(&brief->what, value.p, value.n);
			pp_buf_addc(&brief->what, ' ');
		}
		if (told_at(text, "meta.SERVER.HTTP_HOST", &arena, &value))
			pp_buf_add(&brief->what, value.p, value.n);
		pp_buf_add(&brief->what, url.p, url.n);
	}
	if (told_at(text, "meta.SERVER.SERVER_NAME", &arena, &value))
		pp_buf_add(&brief->host, value.p, value.n);
	if ((told_at(text, "meta.request_ts.sec", &arena, &value) ||
	     told_at(text, "meta.SERVER.REQUEST_TIME", &arena, &value)) &&
	    !pp_num_i64(value, &brief->recorded_at))
		brief->recorded_at = 0;
	if ((told_at(text, "profile.main().wt", &arena, &value) ||
	     told_at(text, "main().wt", &arena, &value)) &&
	    pp_num_i64(value, &micro) && micro >= 0) {
		brief->has_wall = !__builtin_mul_overflow(micro, 1000, &brief->wall);
		pp_buf_adds(&brief->metric, "wt");
	}
	pp_arena_release(&arena);
	return brief->what.failed || brief->host.failed || brief->metric.failed ? PP_E_NOMEM
	                                                                        : PP_OK;
}

bool
pp_xhgui_enter(struct pp_scan *s, bool *wrapped)
{
	struct pp_scan probe = *s, inner = *s;
	struct pp_json_str key;

	*wrapped = pp_scan_object(&probe) && pp_scan_key(&probe, &key) &&
	           pp_scan_peek(&probe) == PP_JSON_OBJECT && pp_scan_object(&probe) &&
	           pp_scan_key(&probe, &key) && pp_scan_peek(&probe) != PP_JSON_NUMBER &&
	           pp_scan_path(&inner, "profile", NULL, NULL);
	*s = *wrapped ? inner : *s;
	return pp_scan_object(s);
}
