/*
 * Source maps for the scripts that a profile names: files and directories that the user names, and those that the
 * profile brings. A profile's paths are never opened as they are, and nothing outside the directories is read; see
 * api/source.h.
 */
#ifndef PP_MAPS_H
#define PP_MAPS_H

#include "api/reply.h"

/* Whether maps are named, so that names are not those of the files. */
bool pp_maps_given(const struct pp_reply *);
/* Replaces a profile of scripts by one of their sources, where maps are named: PP_OK, or a status with the reason said. */
pp_status pp_maps_apply(struct pp_reply *, const char *const *files, size_t n,
                        struct pp_profile **);

#endif
