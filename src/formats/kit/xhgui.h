/*
 * What xhgui puts beside a profile: the request, where and when.
 */
#ifndef PP_KIT_XHGUI_H
#define PP_KIT_XHGUI_H

#include "formats/format.h"
#include "text/json_scan.h"

/* Enters the map of a file, which may be wrapped: entries have numbers, what stands around them has not. */
bool pp_xhgui_enter(struct pp_scan *, bool *wrapped);
/* A row of `polyprof list` from a file that has it near its start; for pp_format.describe. */
pp_status pp_xhgui_describe(struct pp_reader *, struct pp_brief *);

#endif
