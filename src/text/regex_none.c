/*
 * Names by plain words, where there is no PCRE2 (WebAssembly, small builds): a pattern in which no
 * character has a meaning is looked for as it is; any other is refused, never guessed at.
 */
#include "text/regex.h"

#include <stdlib.h>

struct pp_regex {
	size_t n;
	unsigned char word[];
};

struct pp_regex *
pp_regex_new(struct pp_slice pattern, struct pp_buf *problem)
{
	struct pp_regex *re;

	if (!pp_regex_is_word(pattern)) {
		pp_buf_addf(problem,
		            "'%.*s' is a regular expression, for which polyprof was built without "
		            "PCRE2; only plain words can be looked for",
		            (int)(pattern.n < 200 ? pattern.n : 200), (const char *)pattern.p);
		return NULL;
	}
	re = malloc(sizeof *re + pattern.n);
	if (re) {
		re->n = pattern.n;
		if (pattern.n)
			memcpy(re->word, pattern.p, pattern.n);
	}
	return re;
}

void
pp_regex_free(struct pp_regex *re)
{
	free(re);
}

enum pp_regex_result
pp_regex_match(struct pp_regex *re, struct pp_slice name)
{
	const unsigned char *text = name.n ? name.p : (const unsigned char *)"";

	return memmem(text, name.n, re->word, re->n) ? PP_REGEX_YES : PP_REGEX_NO;
}

enum pp_regex_result
pp_regex_groups(struct pp_regex *re, struct pp_slice text,
                void (*group)(void *ctx, const char *name, struct pp_slice value), void *ctx)
{
	(void)group;
	(void)ctx;
	return pp_regex_match(re, text);
}
