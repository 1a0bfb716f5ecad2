/*
 * Functions by what a user types: the whole name, a unique part of it, FILE:NAME, or /REGEX/.
 */
#ifndef PP_FIND_H
#define PP_FIND_H

#include "questions/answer.h"

/*
 * Finds one function. Functions of the same name at different places are taken together (a note says
 * so); FILE:NAME picks one of them. Those are one in *profile, which is then another that belongs to the answer.
 * PP_E_USAGE with what was meant perhaps among the answer's candidates.
 */
pp_status pp_find_function(struct pp_answer *, const struct pp_profile **profile, const char *name,
                           pp_func *func);
/* Whether a function may be the one that was typed: what readers may leave out is not. */
bool pp_find_possible(const char *typed, const char *name, size_t n);

#endif
