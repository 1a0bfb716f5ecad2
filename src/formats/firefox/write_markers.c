/*
 * Markers written again; see markers.c for how they are kept.
 */
#include "formats/firefox/write.h"

enum { M_NAME, M_START, M_END, M_PHASE, M_CATEGORY, M_DATA, M_STRINGS, M_PARTS };

/* Where the parts of one stand that belongs to some series; false when it is none. */
static bool
marker_open(struct ff_write *x, size_t extra, size_t first, size_t end, struct pp_slice *part)
{
	const struct pp_extra_row *row = &x->p->kept.extras.at[extra];
	struct pp_scan s;
	size_t i;

	if (row->table != PP_EXTRA_MARKER || row->row >= x->p->series.n)
		return false;
	for (i = first; i < end && x->series[i] != row->row;)
		i++;
	if (i == end)
		return false;
	x->text.n = 0;
	pp_buf_add(&x->text, pp_text_of(x->p, row->bytes).p, pp_text_of(x->p, row->bytes).n);
	if (!pp_buf_room(&x->text, PP_SCAN_PAD) || x->text.failed) {
		x->failed = true;
		return false;
	}
	pp_scan_init(&s, pp_slice_of(x->text.p, x->text.n), 0, PP_SCAN_TOLERANT);
	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return false;
	for (i = 0; i < M_PARTS; i++)
		if (!pp_scan_item(&s) || !pp_scan_skip(&s, &part[i]))
			return false;
	return part[M_NAME].n >= 2 && part[M_NAME].p[0] == '"' && part[M_STRINGS].p[0] == '{' &&
	       (part[M_DATA].p[0] == '{' || part[M_DATA].p[0] == 'n');
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
	struct pp_scan s = scan_of(part[M_NAME]);

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
	struct pp_scan s = scan_of(part[M_STRINGS]), data = scan_of(part[M_DATA]);
	struct pp_json_str key;
	struct pp_slice value;

	if (part[M_DATA].p[0] != '{') {
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
	if (which == M_NAME)
		name_put(x, part);
	else if (which == M_DATA)
		data_put(x, part);
	/* Old files have neither phases nor categories. */
	else if ((part[which].p[0] == 'n' && which >= M_PHASE) ||
	         (which == M_CATEGORY && !x->keeps_categories))
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
	} columns[] = { { "data", M_DATA },   { "name", M_NAME },   { "startTime", M_START },
		        { "endTime", M_END }, { "phase", M_PHASE }, { "category", M_CATEGORY } };
	size_t n = x->p->kept.extras.n, i, k;
	struct pp_slice part[M_PARTS];
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
