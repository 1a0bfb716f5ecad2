/*
 * Other programs.
 */
#ifndef PP_PROCESS_H
#define PP_PROCESS_H

#include <sys/types.h>

#include "base/common.h"

/*
 * Starts a program that is looked for on the PATH, with these as its standard streams and the signals of one that was
 * just started. `apart`: what the terminal sends to us does not reach it. Returns 0, or an errno: ENOENT when there is
 * no such program.
 */
int pp_process_start(const char *const argv[], const int streams[3], bool apart, pid_t *pid);

#endif
