/*
 * What Chrome's formats share.
 */
#include "formats/chrome/chrome.h"

#include "formats/chrome/v8.h"

struct pp_slice
pp_chrome_head(const struct pp_peek *peek)
{
	struct pp_slice head = peek->head;

	return head.n >= 3 && memcmp(head.p, "\xef\xbb\xbf", 3) == 0
	           ? pp_slice_of(head.p + 3, head.n - 3)
	           : head;
}

void
pp_chrome_meta_read(struct pp_json_doc *doc, struct pp_scan *s, struct pp_json_str key)
{
	struct pp_slice name = pp_build_json_text(doc->b, key, &doc->arena);
	enum pp_json_type type = pp_scan_peek(s);
	struct pp_json_str text;
	struct pp_json_num num;

	if (type == PP_JSON_STRING && pp_scan_string(s, &text))
		(void)pp_build_meta(doc->b, 0, name, PP_META_TEXT,
		                    pp_text_of(doc->b->profile, pp_json_doc_str(doc, text)));
	else if (type == PP_JSON_NUMBER && pp_scan_number(s, &num))
		(void)pp_build_meta(doc->b, 0, name, PP_META_NUMBER, num.text);
	else if (pp_scan_pass(s) && type != PP_JSON_NULL)
		doc->b->profile->holds |= PP_EXTRAS;
}

void
pp_chrome_frame_put(struct pp_json *j, const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[func];
	struct pp_slice name = pp_text_of(p, f->name);

	pp_json_put_object(j, "callFrame");
	pp_json_put_text(j, "functionName",
	                 pp_slice_eq_z(name, V8_ANONYMOUS) ? pp_slice_of("", 0) : name);
	pp_json_put_textz(j, "scriptId", "0");
	pp_json_put_text(j, "url", pp_text_of(p, f->file));
	pp_json_put_i64(j, "lineNumber", (int64_t)f->line - 1);
	pp_json_put_i64(j, "columnNumber", (int64_t)f->column - 1);
	pp_json_end_object(j);
}
