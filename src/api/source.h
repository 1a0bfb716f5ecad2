/*
 * Source text for the files that a profile names: from the profile itself, or from directories that the user names.
 *
 * A profile's paths are never opened as they are. Under a directory that is named, a file is looked for by ever shorter
 * ends of its path. "auto" names the current directory and those of the profiles: there a file is read only where the
 * profile says that it is, and none that is hidden. Nothing outside these directories is read, through links neither.
 */
#ifndef PP_SOURCE_TEXT_H
#define PP_SOURCE_TEXT_H

#include "model/source.h"
#include "questions/param.h"

struct pp_sources {
	PP_VEC(struct pp_source_dir {
		int fd;
		bool exact;     /* paths as the profile has them; else any end of them */
		char *names[2]; /* exact: what the directory is called from the root; or NULL */
	})
	dirs;
	PP_VEC(const char *) absent; /* what was named and is no directory */
	PP_VEC(const struct pp_profile *) profiles;
	PP_VEC(struct pp_source_text *) files;
	struct pp_map index; /* of files, by profile and name */
};

/* Directories, or "auto"; the files that the profiles were read from. False when out of memory. */
bool pp_sources_init(struct pp_sources *, const struct pp_texts *given, const char *const *files,
                     size_t file_count);
void pp_sources_release(struct pp_sources *);
/* All bytes of a file, to be freed: in each directory the longest end of the path that is there; NULL when none is. */
char *pp_sources_read(const struct pp_sources *, struct pp_slice recorded, size_t *size);
/* The text of a file, for a subject: NULL when it is not known, or out of memory. */
const struct pp_source_text *pp_sources_find(void *sources, const struct pp_profile *, pp_str file);

#endif
