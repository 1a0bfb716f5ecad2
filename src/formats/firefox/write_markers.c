/*
 * Markers written again; see markers.c for how they are kept.
 */
#include "formats/firefox/write.h"
#include "formats/kit/marker.h"

/* Where the parts of one stand that belongs to some series; false when it is none. */
static bool
marker_open(struct ff_write *x, size_t extra, size_t first, size_t end, struct pp_slice *part)
{
	const struct pp_extra_row *row = &x->p->kept.extras.at[extra];
	size_t i;

	for (i = first; i < end && x->series[i] != row->row;)
		i++;
	if (i == end)
		return false;
	if (!pp_marker_open(x->p, row, &x->text, part)) {
		x->failed |= x->text.failed;
		return false;
	}
	return part[PP_MARKER_DATA].p[0] == '{' || part[PP_MARKER_DATA].p[0] == 'n';
}

/* The row of a string that is written as JSON. */
static uint64_t
row_of(struct ff_write *x, struct pp_scan *s)
{
	struct pp_arena arena = { 0 };
	struct pp_json_str string = { 0 };
	struct pp_slice text;
	pp_str row = 0;
	bool is_new;

	(void)pp_scan_if_string(s, &string);
	text = pp_json_str_value(string, &arena);
	if ((text.n && !text.p) ||
	    !pp_strtab_intern(&x->strings, text.n ? (const void *)text.p : "", text.n, &row,
	                      &is_new))
		x->failed = true;
	pp_arena_release(&arena);
	return row;
}

static struct pp_scan
scan_of(struct pp_slice text)
{
	struct pp_scan s;

	pp_scan_init(&s, text, 0, PP_SCAN_TOLERANT);
	return s;
}

static void
name_put(struct ff_write *x, const struct pp_slice *part)
{
	struct pp_scan s = scan_of(part[PP_MARKER_NAME]);

	pp_json_u64(&x->j, row_of(x, &s));
}

static void
key_put(struct ff_write *x, struct pp_json_str key)
{
	struct pp_arena arena = { 0 };
	struct pp_slice text = pp_json_str_value(key, &arena);

	x->failed |= text.n && !text.p;
	pp_json_key_text(&x->j, text.p ? text : pp_slice_of("", 0));
	pp_arena_release(&arena);
}

static void
data_put(struct ff_write *x, const struct pp_slice *part)
{
	struct pp_scan s = scan_of(part[PP_MARKER_STRINGS]), data = scan_of(part[PP_MARKER_DATA]);
	struct pp_json_str key;
	struct pp_slice value;

	if (part[PP_MARKER_DATA].p[0] != '{') {
		pp_json_null(&x->j);
		return;
	}
	pp_json_begin_object(&x->j);
	(void)pp_scan_object(&data);
	while (pp_scan_key(&data, &key) && pp_scan_skip(&data, &value)) {
		key_put(x, key);
		pp_json_raw_text(&x->j, value);
	}
	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key)) {
		key_put(x, key);
		pp_json_u64(&x->j, row_of(x, &s));
	}
	pp_json_end_object(&x->j);
}

static void
part_put(struct ff_write *x, const struct pp_slice *part, unsigned which)
{
	if (which == PP_MARKER_NAME)
		name_put(x, part);
	else if (which == PP_MARKER_DATA)
		data_put(x, part);
	/* Old files have neither phases nor categories. */
	else if ((part[which].p[0] == 'n' && which >= PP_MARKER_PHASE) ||
	         (which == PP_MARKER_CATEGORY && !x->keeps_categories))
		pp_json_u64(&x->j, 0);
	else
		pp_json_raw(&x->j, (const char *)part[which].p, part[which].n);
}

void
ff_markers_put(struct ff_write *x, size_t first, size_t end)
{
	static const struct {
		const char *key;
		unsigned part;
	} columns[] = { { "data", PP_MARKER_DATA },       { "name", PP_MARKER_NAME },
		        { "startTime", PP_MARKER_START }, { "endTime", PP_MARKER_END },
		        { "phase", PP_MARKER_PHASE },     { "category", PP_MARKER_CATEGORY } };
	size_t n = x->p->kept.extras.n, i, k;
	struct pp_slice part[PP_MARKER_PARTS];
	uint64_t count = 0;

	for (i = 0; i < n && !x->failed; i++)
		count += marker_open(x, i, first, end, part);
	x->markers += count;
	pp_json_put_object(&x->j, "markers");
	pp_json_put_u64(&x->j, "length", count);
	for (k = 0; k < PP_COUNT_OF(columns); k++) {
		pp_json_put_array(&x->j, columns[k].key);
		for (i = 0; i < n && !x->failed; i++)
			if (marker_open(x, i, first, end, part))
				part_put(x, part, columns[k].part);
		pp_json_end_array(&x->j);
	}
	pp_json_end_object(&x->j);
}
