/*
 * Source text for a profile's lines: from the profile itself, or from directories the user names.
 *
 * A profile's paths are never opened as they are: a file is only looked for under --source directories,
 * by ever shorter ends of its path, and paths with ".." are not looked for at all.
 */
#ifndef PP_SOURCE_TEXT_H
#define PP_SOURCE_TEXT_H

#include "model/profile.h"

struct pp_sources {
	const struct pp_profile *profile;
	const char *const *dirs; /* NULL-terminated */
	PP_VEC(struct pp_source_file {
		char *bytes; /* NULL = not found */
		size_t size;
		PP_VEC(size_t) starts; /* of each line */
	})
	files;
	struct pp_map index; /* of files, by their names */
};

void pp_sources_init(struct pp_sources *, const struct pp_profile *, const char *const *dirs);
void pp_sources_release(struct pp_sources *);
/* The text of a line without its end; false when it is not known. */
bool pp_sources_line(struct pp_sources *, pp_str file, uint32_t line, struct pp_slice *text);

#endif
