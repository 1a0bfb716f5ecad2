/*
 * Which function a source line belongs to, by the places of functions: for lines that a file lists without one.
 */
#ifndef PP_PLACES_H
#define PP_PLACES_H

#include "model/profile.h"

/* A function whose place is known. */
struct pp_place {
	pp_str file;
	uint32_t first, last, said; /* said: the first as the profile has it, also of a script */
	pp_func func;
	uint32_t around; /* the innermost one that it stands in, + 1; 0 = none */
	/* Of it and those around it that share its first line, and that share all lines: one that is marked; 0 = none. */
	pp_func marked_first, marked_same;
};

struct pp_places {
	PP_VEC(struct pp_place) at; /* by file and first line, outer ones first */
};

/* False when out of memory; release it in both cases. */
bool pp_places_init(struct pp_places *, const struct pp_profile *);
void pp_places_release(struct pp_places *);
/* The innermost function around a line, else the code of the file outside of functions; 0 = not known. */
pp_func pp_place_func(const struct pp_places *, pp_str file, uint32_t line);
/* Marks functions: those for which `is` says so. */
void pp_places_mark(struct pp_places *, bool (*is)(const void *, pp_func), const void *data);
/* The same as pp_place_func(), but of several functions that share a line a marked one comes first. */
pp_func pp_place_marked(const struct pp_places *, pp_str file, uint32_t line);

#endif
