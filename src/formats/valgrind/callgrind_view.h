/*
 * Any profile as callgrind sees it: whole costs per function and line, and per caller and callee.
 */
#ifndef PP_CALLGRIND_VIEW_H
#define PP_CALLGRIND_VIEW_H

#include "formats/valgrind/family.h"

struct pp_cg_view {
	struct pp_builder builder;
	struct pp_profile *profile; /* one series, clean names, lines and edges */
	uint32_t *first_line;       /* by function of it, which it does not tell apart */
	bool ready;
};

/* PP_E_UNSUPPORTED when the profile holds no cost. Without `edges` only lines are made. */
pp_status pp_cg_view_init(struct pp_cg_view *, struct pp_writer *, bool edges);
void pp_cg_view_release(struct pp_cg_view *);

#endif
