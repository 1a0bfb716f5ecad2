/*
 * Paths as texts.
 */
#ifndef PP_PATH_H
#define PP_PATH_H

#include "base/buf.h"

/* Adds a path without empty parts, "." and, where something stands before it, "..". Nothing stays nothing. */
void pp_path_clean(struct pp_buf *, struct pp_slice);

/* What ends the name of a file, without the dot and compression aside; nothing where there is no dot. */
struct pp_slice pp_path_ending(const char *path);
/* Whether it is a word of a list, blank separated, without regard to case. */
bool pp_ending_listed(struct pp_slice ending, const char *list);
/* Endings of what is no profile: pictures, pages, documents, tables, archives. */
extern const char pp_endings_other[];
/* Endings that profilers give to their files, and others to theirs: they say nothing. */
extern const char pp_endings_vague[];

/* Adds the path of a file:// address, whose %20 and the like are resolved; false for anything but a file of this machine. */
bool pp_path_of_address(struct pp_buf *, struct pp_slice);

#endif
