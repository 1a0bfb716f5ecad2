/*
 * Files beneath a directory, and nothing else: whatever a path says and wherever links lead.
 */
#ifndef PP_BENEATH_H
#define PP_BENEATH_H

#include "base/common.h"

/* A directory to look beneath, as it is called; -1 when it is none. Close it. */
int pp_beneath_dir(const char *path);
/*
 * All bytes of a regular file beneath it, at most `most`, to be freed; NULL when there is none such. Links are
 * followed as long as they stay beneath; those that name a path from the root do not.
 */
char *pp_beneath_read(int dir, struct pp_slice path, size_t most, size_t *size);

#endif
