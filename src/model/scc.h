/*
 * Strongly connected components of a graph: the cycles of a call graph.
 */
#ifndef PP_SCC_H
#define PP_SCC_H

#include "base/common.h"

/*
 * The successors of node v are to[first[v]] .. to[first[v + 1] - 1]. component[v] receives the number of
 * its component, counted from 0 in the order in which they are completed: a component's number is
 * larger than those of all components it reaches. *count is how many there are. False when out of memory.
 */
bool pp_scc_compute(uint32_t n, const size_t *first, const uint32_t *to, uint32_t *component,
                    uint32_t *count);

#endif
