/*
 * Files that belong to another: the body of a report, the parts of a recording that is a directory. Internal to src/api.
 */
#ifndef PP_BESIDE_H
#define PP_BESIDE_H

#include <stdint.h>

/* What files beside one are known by: 0 when none belongs to it. */
struct pp_beside {
	uint64_t content;  /* names, sizes and times of change */
	uint64_t identity; /* and which files they are */
};

void pp_beside_find(const char *path, struct pp_beside *);

#endif
