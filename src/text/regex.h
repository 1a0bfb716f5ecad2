/*
 * Regular expressions over names: by PCRE2 (regex_pcre.c), or words only without it (regex_none.c).
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

/* Whether no character of a pattern has a meaning, so that it is just a word to look for. */
static inline bool
pp_regex_is_word(struct pp_slice pattern)
{
	size_t i;

	for (i = 0; i < pattern.n; i++)
		if (pattern.p[i] == '\0' || pattern.p[i] >= 0x80 ||
		    strchr("\\^$.[]|()?*+{}", pattern.p[i]))
			return false;
	return true;
}

enum pp_regex_result { PP_REGEX_NO, PP_REGEX_YES, PP_REGEX_TOO_HARD, PP_REGEX_NOMEM };

/* Compiles; NULL when it cannot, and then *problem says why (nothing when out of memory). */
struct pp_regex *pp_regex_new(struct pp_slice pattern, struct pp_buf *problem);
void pp_regex_free(struct pp_regex *); /* NULL is allowed */
/* Whether the pattern matches anywhere in the name. */
enum pp_regex_result pp_regex_match(struct pp_regex *, struct pp_slice name);
/* The same; what the named groups of the pattern matched is told, one after the other. */
enum pp_regex_result
pp_regex_groups(struct pp_regex *, struct pp_slice text,
                void (*group)(void *ctx, const char *name, struct pp_slice value), void *ctx);

#endif
