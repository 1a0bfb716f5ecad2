/*
 * Functions that are the end of a stack without being its cause: allocators, in which all memory is allocated, and
 * placeholders for a thread that had nothing to do. Answers give the cost of the former to the first frame outside of them
 * and leave the latter out (analysis/set_aside.h); conversions do neither.
 */
#ifndef PP_LEAF_KIND_H
#define PP_LEAF_KIND_H

#include "model/profile.h"

enum pp_leaf_kind { PP_LEAF_PLAIN, PP_LEAF_ALLOCATOR, PP_LEAF_IDLE };

/* Whether a name says that nothing ran: "(idle)" and "(program)", as V8 writes them. */
bool pp_name_is_idle(struct pp_slice name);
/* Tells the kind of a function by its name, and an allocator also by its file and its module. */
enum pp_leaf_kind pp_leaf_kind_of(const struct pp_profile *, pp_func);
/* Whether a metric counts memory or allocations, so that its cost belongs to whoever called the allocator. */
bool pp_metric_is_allocation(const struct pp_profile *, size_t metric);
/* Whether a profile has such a metric. */
bool pp_profile_has_allocations(const struct pp_profile *);

#endif
