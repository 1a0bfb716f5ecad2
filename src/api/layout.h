/*
 * Graphviz, run as a program of its own.
 */
#ifndef PP_LAYOUT_H
#define PP_LAYOUT_H

#include "io/sink.h"

/*
 * Lets `dot` lay out a graph and writes the SVG. PP_E_UNSUPPORTED when there is no such program; PP_E_OUTPUT when it
 * failed, *problem saying why in words that are safe for a terminal, or when the sink did; PP_E_NOMEM.
 */
pp_status pp_layout_svg(struct pp_slice graph, struct pp_sink *, struct pp_buf *problem);

#endif
