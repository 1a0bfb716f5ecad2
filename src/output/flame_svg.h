/*
 * A flame graph as an SVG that works everywhere: as a picture, with titles where scripts are off, and as
 * a tool with zoom and search in a browser.
 */
#ifndef PP_FLAME_SVG_H
#define PP_FLAME_SVG_H

#include "analysis/flame.h"
#include "io/sink.h"

/* What decides the colour of a frame. */
enum pp_palette { PP_PALETTE_NAME, PP_PALETTE_MODULE, PP_PALETTE_LANGUAGE };

struct pp_flame_style {
	const char *title;    /* NULL = "Flame graph" */
	const char *subtitle; /* NULL = none */
	bool estimated;       /* the stacks are, which the picture says */
	const char *colors;   /* a name of pp_flame_colors[] */
	enum pp_palette palette;
	double width; /* of the picture, in pixels */
	bool icicle;  /* the whole on top */
};

/* Names of the colour sets, NULL at the end; the first is the default. */
extern const char *const pp_flame_colors[];

/* How wide the frames are drawn for a picture of that width. */
double pp_flame_svg_span(double width);

/* Writes the picture. Any bytes in names give well-formed XML. */
void pp_flame_svg(struct pp_sink *, const struct pp_flame *, const struct pp_flame_style *);

#endif
