/*
 * Any profile as callgrind sees it: whole costs per function and line, and per caller and callee.
 */
#ifndef PP_CALLGRIND_VIEW_H
#define PP_CALLGRIND_VIEW_H

#include "formats/kit/sites.h"
#include "formats/valgrind/family.h"

struct pp_cg_view {
	struct pp_builder builder;
	struct pp_profile *profile; /* one series, clean names, lines and edges */
	uint32_t *first_line;       /* by function of it, which it does not tell apart */
	pp_func *plain;        /* by function of it: the same, or the one that calls itself as it */
	uint64_t *outside;     /* by function of it: calls that no function makes */
	struct pp_sites sites; /* of edges without one, by plain functions */
	bool ready;
};

/*
 * PP_E_UNSUPPORTED when the profile holds no cost. Without `edges` only lines are made, and a
 * function that calls itself is one.
 */
pp_status pp_cg_view_init(struct pp_cg_view *, struct pp_writer *, bool edges);
void pp_cg_view_release(struct pp_cg_view *);

#endif
