/*
 * Functions by what a user types: the whole name, a unique part of it, FILE:NAME, or /REGEX/.
 */
#ifndef PP_FIND_H
#define PP_FIND_H

#include "questions/answer.h"

/*
 * Finds one function. Of several that have the same name, FILE:NAME, FILE:LINE:NAME or MODULE:NAME picks one; :NAME
 * is the one without a place. PP_E_USAGE with what was meant perhaps among the answer's candidates.
 */
pp_status pp_find_function(struct pp_answer *, const struct pp_profile *, const char *name,
                           pp_func *func);
struct pp_topic;
/* The same, or by its handle. */
pp_status pp_find_topic_function(struct pp_answer *, const struct pp_topic *, const char *name,
                                 pp_func *func);
/* What to type for a function: its name, with its place where others have the same. In `made` where it is made. */
struct pp_slice pp_find_typed(const struct pp_profile *, pp_func, struct pp_buf *made);
/* Whether a function may be the one that was typed: what readers may leave out is not. */
bool pp_find_possible(const char *typed, const char *name, size_t n);

#endif
