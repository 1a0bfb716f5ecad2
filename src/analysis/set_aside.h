/*
 * A profile as answers show it: allocators and idleness are set aside.
 *
 *     allocators   the cost of a stack that ends in them, of metrics that count memory, goes to the first frame outside, or
 *                  to the outermost where there is none
 *     idleness     the cost of stacks that end in "(idle)" or "(program)" is in no row any more, but noted
 *
 * Which functions these are: model/leaf_kind.h. What was done: pp_profile.aside. Totals of metrics stay what they were, but
 * for what was idle.
 */
#ifndef PP_SET_ASIDE_H
#define PP_SET_ASIDE_H

#include "model/profile.h"

/*
 * The profile without either; *out is NULL where it has neither, or knows only calls. Timelines stay as
 * they are.
 */
pp_status pp_set_aside_derive(const struct pp_profile *, struct pp_profile **out);
/* Whether costs per function, of which stacks are not known, contain something that is to be set aside. */
bool pp_set_aside_needs_stacks(const struct pp_profile *);

#endif
