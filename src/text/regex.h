/*
 * Regular expressions over names, by PCRE2.
 *
 * Patterns are Perl's. Case matters unless the pattern starts with (?i). Names are taken as UTF-8;
 * bytes that are not match nothing. A name that takes too long to decide is an error, never a guess, so
 * no pattern and no name can hang the program.
 */
#ifndef PP_REGEX_H
#define PP_REGEX_H

#include "base/buf.h"
#include "base/common.h"

struct pp_regex;

enum pp_regex_result { PP_REGEX_NO, PP_REGEX_YES, PP_REGEX_TOO_HARD, PP_REGEX_NOMEM };

/* Compiles; NULL when it cannot, and then *problem says why (nothing when out of memory). */
struct pp_regex *pp_regex_new(struct pp_slice pattern, struct pp_buf *problem);
void pp_regex_free(struct pp_regex *); /* NULL is allowed */
/* Whether the pattern matches anywhere in the name. */
enum pp_regex_result pp_regex_match(struct pp_regex *, struct pp_slice name);

#endif
