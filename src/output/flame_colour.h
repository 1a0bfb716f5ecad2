/*
 * The colours of frames: equal names have equal colours in every picture.
 */
#ifndef PP_FLAME_COLOUR_H
#define PP_FLAME_COLOUR_H

#include "output/flame_svg.h"

struct pp_rgb {
	unsigned r, g, b;
};

/* What colours stand for in one picture. */
struct pp_legend_item {
	char label[128];
	struct pp_rgb colour;
};
#define PP_LEGEND_MAX 10

struct pp_rgb pp_flame_colour(const struct pp_flame *, const struct pp_flame_style *, pp_func);
/* By module, as pictures have it unless told otherwise. */
struct pp_rgb pp_func_colour(const struct pp_profile *, pp_func);
/* Compared profiles: orange grew, blue shrank, the stronger the nearer to `largest`; safe for the colour-blind. */
struct pp_rgb pp_flame_change_colour(double change, double largest);
/*
 * The languages or modules in a picture, those with the widest boxes first, when those decide colours. Returns how
 * many; PP_LEGEND_MAX + 1 when out of memory.
 */
size_t pp_flame_legend(const struct pp_flame *, const struct pp_flame_style *,
                       struct pp_legend_item items[PP_LEGEND_MAX]);

#endif
