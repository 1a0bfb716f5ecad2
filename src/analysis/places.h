/*
 * Which function a source line belongs to, by the places of functions: for lines that a file lists without one.
 */
#ifndef PP_PLACES_H
#define PP_PLACES_H

#include "model/profile.h"

/* A function whose place is known. */
struct pp_place {
	pp_str file;
	uint32_t first, last;
	pp_func func;
	uint32_t around; /* the innermost one that it stands in, + 1; 0 = none */
};

struct pp_places {
	PP_VEC(struct pp_place) at; /* by file and first line, outer ones first */
};

/* False when out of memory; release it in both cases. */
bool pp_places_init(struct pp_places *, const struct pp_profile *);
void pp_places_release(struct pp_places *);
/* The innermost function around a line, else the code of the file outside of functions; 0 = not known. */
pp_func pp_place_func(const struct pp_places *, pp_str file, uint32_t line);

#endif
