/*
 * Functions at the end of a stack that do not explain its cost: allocators, and placeholders for a
 * thread that had nothing to do. Answers give the cost of an allocator to the first frame outside of
 * it and leave idle stacks out (analysis/set_aside.h); conversions do neither.
 */
#ifndef PP_LEAF_KIND_H
#define PP_LEAF_KIND_H

#include "model/profile.h"

enum pp_leaf_kind { PP_LEAF_PLAIN, PP_LEAF_ALLOCATOR, PP_LEAF_IDLE };

/*
 * Returns whether a name says that nothing ran: "(idle)" or "(program)", as V8 writes them. A reader
 * may add such a leaf to the stack of a thread that it knows to be parked.
 */
bool pp_name_is_idle(struct pp_slice name);
/* Returns the kind of a function, by its name and for allocators also by file and module. */
enum pp_leaf_kind pp_leaf_kind_of(const struct pp_profile *, pp_func);
/* Returns whether a metric counts memory or allocations. */
bool pp_metric_is_allocation(const struct pp_profile *, size_t metric);
/* Returns whether a profile has such a metric. */
bool pp_profile_has_allocations(const struct pp_profile *);

#endif
