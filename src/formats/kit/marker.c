/*
 * Markers as they are kept, taken apart.
 */
#include "formats/kit/marker.h"

bool
pp_marker_open(const struct pp_profile *p, const struct pp_extra_row *row, struct pp_buf *text,
               struct pp_slice part[PP_MARKER_PARTS])
{
	struct pp_slice bytes = pp_text_of(p, row->bytes);
	struct pp_scan s;
	size_t i;

	if (row->table != PP_EXTRA_MARKER || row->row >= p->series.n)
		return false;
	text->n = 0;
	pp_buf_add(text, bytes.p, bytes.n);
	if (!pp_buf_room(text, PP_SCAN_PAD) || text->failed)
		return false;
	pp_scan_init(&s, pp_slice_of(text->p, text->n), 0, PP_SCAN_TOLERANT);
	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return false;
	for (i = 0; i < PP_MARKER_PARTS; i++)
		if (!pp_scan_item(&s) || !pp_scan_skip(&s, &part[i]))
			return false;
	return part[PP_MARKER_NAME].p[0] == '"' && part[PP_MARKER_STRINGS].p[0] == '{';
}
