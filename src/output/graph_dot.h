/*
 * A call graph in the language of Graphviz.
 *
 * Nodes carry the attributes function, file, line, calls, self and total, edges calls and total, exact as in JSON; the
 * rest is how they are drawn.
 */
#ifndef PP_GRAPH_DOT_H
#define PP_GRAPH_DOT_H

#include "analysis/call_net.h"
#include "io/sink.h"

/* `pruned` says what of the graph this is, or is NULL. */
void pp_graph_dot(struct pp_sink *, const struct pp_net *, const char *title, const char *pruned);

#endif
