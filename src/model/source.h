/*
 * The text of a source file, by line.
 */
#ifndef PP_MODEL_SOURCE_H
#define PP_MODEL_SOURCE_H

#include "model/profile.h"

struct pp_source_text {
	char *bytes; /* NULL = the text is not known */
	size_t size;
	PP_VEC(size_t) starts; /* of each line */
	bool recorded;         /* it came with the profile */
};

/* Whoever knows where source text is: NULL when it does not. What it gives stays as long as it does. */
typedef const struct pp_source_text *pp_source_finder(void *data, const struct pp_profile *,
                                                      pp_str file);

/* Finds the lines of its bytes; false when out of memory. */
bool pp_source_text_index(struct pp_source_text *);
/*
 * What came with the profile, lines that did not being empty: no bytes when none came, or when those that did are too
 * far apart to be a file. False when out of memory.
 */
bool pp_profile_source(const struct pp_profile *, pp_str file, struct pp_source_text *);
void pp_source_text_release(struct pp_source_text *);
/* A line, counted from 1, without its end; false when there is none. */
bool pp_source_text_line(const struct pp_source_text *, uint64_t line, struct pp_slice *);

#endif
