/*
 * Traces of `clang -ftime-trace`, lld and other programs of LLVM. Their names are kinds of work; the
 * file, template or function is in args:
 *
 *     {"pid": 1, "tid": 7, "ph": "X", "ts": 10, "dur": 60, "name": "Source", "args": {"detail": "/usr/include/c++/12/map"}}
 *
 * A slice is named by both, and its detail is a label as well. Newer versions write slices as a pair of asynchronous events, the end directly behind the
 * beginning and with the id 0 for all of them. At the end come sums by kind, each as a slice "Total Source" on a thread of its own, which are left out.
 */
#include "formats/chrome/trace.h"

/* The key that only these programs write stands behind the events or, if keys were sorted, before them. */
#define MARK "\"beginningOfTime\""
#define MARK_WITHIN 512

#define TOTAL "Total "
/* If nearly every slice has its own detail, costs by detail are useless and take memory. */
#define SERIES_MOST 65536

/* The args of an event. */
struct details {
	struct pp_json_str detail, file;
	uint64_t line;
	bool has_detail, has_file, has_count;
	unsigned others;
};

static void
details_read(struct trace_read *r, const struct event *e, struct details *d)
{
	struct pp_json_str key;
	struct pp_scan s;

	*d = (struct details){ 0 };
	if (!e->args)
		return;
	s = pp_json_doc_scan(&r->doc, e->args);
	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, "detail") && pp_scan_peek(&s) == PP_JSON_STRING) {
			d->has_detail = pp_scan_string(&s, &d->detail) && d->detail.raw.n;
		} else if (pp_json_str_eq(key, "file") && pp_scan_peek(&s) == PP_JSON_STRING) {
			d->has_file = pp_scan_string(&s, &d->file) && d->file.raw.n;
		} else if (pp_json_str_eq(key, "line")) {
			(void)pp_scan_if_count(&s, UINT32_MAX, &d->line);
		} else {
			d->has_count |= pp_json_str_eq(key, "count") ||
			                pp_json_str_eq(key, "avg ms");
			d->others++;
			(void)pp_scan_skip(&s, NULL);
		}
	}
}

bool
pp_trace_clang_begins(struct trace_read *r, const struct event *first)
{
	struct pp_slice text = pp_slice_between(r->doc.text.p, r->doc.text.p + r->doc.text.n);
	size_t tail = text.n < MARK_WITHIN ? text.n : MARK_WITHIN;
	struct details d;

	if (pp_slice_holds(pp_slice_of(text.p, tail), MARK) ||
	    pp_slice_holds(pp_slice_from(text, text.n - tail), MARK))
		return true;
	/* The file may be cut, or the events were taken out of it. */
	if (first->ph != 'X' || first->has_cat)
		return false;
	details_read(r, first, &d);
	return d.has_detail && !d.others;
}

bool
pp_trace_clang_is_total(struct trace_read *r, const struct event *e)
{
	struct details d;

	if (e->ph != 'X' || !e->has_name || !pp_slice_starts(e->name.raw, TOTAL))
		return false;
	details_read(r, e, &d);
	if (!d.has_count)
		return false;
	r->totals_at = r->totals++ ? r->totals_at : e->at;
	return true;
}

pp_frame
pp_trace_clang_frame(struct trace_read *r, const struct event *e, pp_str name)
{
	struct pp_func_row func = { 0 };
	struct pp_frame_row frame = { 0 };
	struct pp_buf text = { 0 };
	struct pp_slice kind, detail;
	struct details d;
	pp_frame found;

	details_read(r, e, &d);
	if (!d.has_detail)
		return 0;
	detail = pp_build_json_text(r->b, d.detail, &r->doc.arena);
	kind = pp_text_of(r->b->profile, name);
	pp_buf_add(&text, kind.p, kind.n);
	pp_buf_addc(&text, ' ');
	pp_buf_add(&text, detail.p, detail.n);
	if (text.failed)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	else
		func.name = pp_build_str(r->b, pp_slice_of(text.p, text.n));
	pp_buf_release(&text);
	if (d.has_file) {
		func.file = pp_json_doc_str(&r->doc, d.file);
		func.line = (uint32_t)d.line;
	}
	frame.func = pp_build_func(r->b, &func);
	found = pp_build_frame(r->b, &frame);
	if (r->labels && !pp_map_set(&r->detail_of, found, pp_build_str(r->b, detail)))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return found;
}

bool
pp_trace_clang_close(struct trace_thread *t, pp_str name, int64_t end)
{
	struct trace_slice *last = t->slices.n ? &t->slices.at[t->slices.n - 1] : NULL;

	if (!last || last->kind != TRACE_B || last->name != name || end < last->begin)
		return false;
	last->end = end;
	last->kind = TRACE_X;
	return true;
}

uint32_t
pp_trace_clang_series(struct trace_read *r, uint32_t series, uint32_t around, pp_frame frame)
{
	struct pp_label_row row = { .type = PP_LABEL_TEXT };
	uint32_t detail = pp_map_get(&r->detail_of, frame);

	if (detail == PP_MAP_NONE)
		return around;
	if (r->b->profile->series.n >= SERIES_MOST) {
		r->b->profile->unread |= PP_HAS(LABELS);
		return around;
	}
	row.key = pp_build_strz(r->b, PP_TRACE_DETAIL);
	row.text = detail;
	return pp_build_series_labelled(r->b, series, pp_build_labels(r->b, &row, 1));
}
