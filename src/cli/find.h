/*
 * Functions by what a user types: the whole name, a unique part of it, FILE:NAME, or /REGEX/.
 */
#ifndef PP_FIND_H
#define PP_FIND_H

#include "cli/cli.h"
#include "model/profile.h"

/*
 * Finds one function. Functions of the same name at different places are taken together (a note says
 * so); FILE:NAME picks one of them. Returns 0, or PP_EXIT_USAGE after listing what was meant perhaps.
 */
int pp_find_function(struct pp_cli *, struct pp_profile *, const char *name, pp_func *func);

#endif
