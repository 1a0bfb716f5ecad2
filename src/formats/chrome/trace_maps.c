/*
 * Source maps in traces. V8 tells of each script where its map is, if that was recorded:
 *
 *     {"name": "ScriptCatchup", "cat": "disabled-by-default-devtools.v8-source-rundown", "args":
 *      {"data": {"url": "http://h/app.js", "sourceMapUrl": "app.js.map", ...}}, ...}
 *
 * and so do the events of evaluating and compiling scripts of some versions. DevTools saves the maps that it had as
 * "metadata": {"sourceMaps": [{"url", "sourceMapUrl", "sourceMap": {"version": 3, ...}}]}.
 */
#include "formats/chrome/trace.h"

/* What says of a script where its map is; the map itself goes before its address. */
static void
script_read(struct trace_read *r, struct pp_scan *s)
{
	struct pp_json_str key, url, address;
	struct pp_slice map = { 0 };
	bool has_url = false, has_address = false;

	(void)pp_scan_object(s);
	while (pp_scan_key(s, &key))
		if (pp_json_str_eq(key, "url"))
			has_url = pp_scan_if_string(s, &url);
		else if (pp_json_str_eq(key, "sourceMapUrl") || pp_json_str_eq(key, "sourceMapURL"))
			has_address = pp_scan_if_string(s, &address);
		else if (pp_json_str_eq(key, "sourceMap") && pp_scan_peek(s) == PP_JSON_OBJECT)
			(void)pp_scan_skip(s, &map);
		else
			(void)pp_scan_skip(s, NULL);
	if (!has_url || (!map.n && !has_address))
		return;
	if (!map.n)
		map = pp_build_json_text(r->b, address, &r->doc.arena);
	pp_build_source_map(r->b, pp_json_doc_str(&r->doc, url), map);
}

void
pp_trace_script_take(struct trace_read *r, const struct event *e)
{
	const unsigned char *data;
	struct pp_scan s;

	/* Details of profiles are long, and have none. */
	if (!e->args || e->ph == 'P' || !(data = pp_trace_object(r, e->args, "data")))
		return;
	s = pp_json_doc_scan(&r->doc, data);
	script_read(r, &s);
}

void
pp_trace_maps_read(struct trace_read *r, struct pp_scan s)
{
	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return;
	while (pp_builder_ok(r->b) && pp_scan_item(&s))
		if (pp_scan_peek(&s) == PP_JSON_OBJECT)
			script_read(r, &s);
		else
			(void)pp_scan_skip(&s, NULL);
}
