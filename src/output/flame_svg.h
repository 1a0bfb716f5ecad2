/*
 * A flame graph as an SVG that works everywhere: as a picture, with titles where scripts are off, and as
 * a tool with zoom and search in a browser.
 */
#ifndef PP_FLAME_SVG_H
#define PP_FLAME_SVG_H

#include "analysis/flame.h"
#include "io/sink.h"

/* Names of the colour sets, NULL at the end. */
extern const char *const pp_flame_colors[];

/* Writes the picture. Any bytes in names give well-formed XML. */
void pp_flame_svg(struct pp_sink *, const struct pp_flame *, const struct pp_flame_style *);

#endif
