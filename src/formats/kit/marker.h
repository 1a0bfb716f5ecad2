/*
 * A marker: an event beside the stacks that readers of browsers' formats keep (PP_EXTRA_MARKER) as a list of JSON,
 * and their writers write again.
 */
#ifndef PP_KIT_MARKER_H
#define PP_KIT_MARKER_H

#include "model/profile.h"
#include "text/json_scan.h"

/* The parts of the list: name, times, how it lasts, category, what it holds, and the strings that that refers to. */
enum pp_marker_part {
	PP_MARKER_NAME,
	PP_MARKER_START,
	PP_MARKER_END,
	PP_MARKER_PHASE,
	PP_MARKER_CATEGORY,
	PP_MARKER_DATA,
	PP_MARKER_STRINGS,
	PP_MARKER_PARTS
};

/*
 * Where the parts of a kept row stand, in `text`, which is overwritten; false when it is no marker of any series, or when
 * text->failed.
 */
bool pp_marker_open(const struct pp_profile *, const struct pp_extra_row *, struct pp_buf *text,
                    struct pp_slice part[PP_MARKER_PARTS]);

#endif
