/*
 * Regular expressions over names, by PCRE2.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/regex.h"

#include <pcre2.h>
#include <stdlib.h>

/* Steps of backtracking, nesting and KiB of heap for one name: far above what sane patterns need. */
#define MATCH_STEPS 1000000
#define MATCH_DEPTH 10000
#define MATCH_HEAP 16384

struct pp_regex {
	pcre2_code *code;
	pcre2_match_context *context;
	unsigned char *word; /* the whole pattern, when no character in it has a meaning */
	size_t word_length;
};

/* "missing closing parenthesis at character 5 of '(foo'". */
static void
describe(struct pp_buf *problem, struct pp_slice pattern, int error, size_t at)
{
	char text[160];

	if (error == PCRE2_ERROR_HEAP_FAILED)
		return;
	if (pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text) < 0)
		text[0] = '\0';
	pp_buf_addf(problem, "%s at character %zu of '%.*s'", text, at + 1,
	            (int)(pattern.n < 200 ? pattern.n : 200), (const char *)pattern.p);
}

/* Most patterns are just a word: looking for that is a lot faster. False when out of memory. */
static bool
find_word(struct pp_regex *re, struct pp_slice pattern)
{
	if (!pp_regex_is_word(pattern))
		return true;
	re->word = malloc(pattern.n + 1);
	if (re->word && pattern.n)
		memcpy(re->word, pattern.p, pattern.n);
	re->word_length = pattern.n;
	return re->word != NULL;
}

struct pp_regex *
pp_regex_new(struct pp_slice pattern, struct pp_buf *problem)
{
	struct pp_regex *re = calloc(1, sizeof *re);
	int error = PCRE2_ERROR_HEAP_FAILED;
	size_t at = 0;

	if (!re)
		return NULL;
	re->code = pcre2_compile(pattern.p, pattern.n,
	                         PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
	                         &error, &at, NULL);
	if (!re->code)
		describe(problem, pattern, error, at);
	else
		(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE); /* where that is possible */
	re->context = re->code ? pcre2_match_context_create(NULL) : NULL;
	if (!re->context || !find_word(re, pattern)) {
		pp_regex_free(re);
		return NULL;
	}
	pcre2_set_match_limit(re->context, MATCH_STEPS);
	pcre2_set_depth_limit(re->context, MATCH_DEPTH);
	pcre2_set_heap_limit(re->context, MATCH_HEAP);
	return re;
}

void
pp_regex_free(struct pp_regex *re)
{
	if (!re)
		return;
	pcre2_match_context_free(re->context);
	pcre2_code_free(re->code);
	free(re->word);
	free(re);
}

enum pp_regex_result
pp_regex_match(struct pp_regex *re, struct pp_slice name)
{
	/* An empty name may come without an address. */
	const unsigned char *text = name.n ? name.p : (const unsigned char *)"";
	pcre2_match_data *match;
	int found;

	if (re->word)
		return memmem(text, name.n, re->word, re->word_length) ? PP_REGEX_YES : PP_REGEX_NO;
	/* Not one for all matches: several threads may use one pattern. */
	match = pcre2_match_data_create(1, NULL);
	if (!match)
		return PP_REGEX_NOMEM;
	found = pcre2_match(re->code, text, name.n, 0, 0, match, re->context);
	pcre2_match_data_free(match);
	if (found >= 0)
		return PP_REGEX_YES;
	if (found == PCRE2_ERROR_NOMATCH)
		return PP_REGEX_NO;
	return found == PCRE2_ERROR_NOMEMORY ? PP_REGEX_NOMEM : PP_REGEX_TOO_HARD;
}

enum pp_regex_result
pp_regex_groups(struct pp_regex *re, struct pp_slice text,
                void (*group)(void *ctx, const char *name, struct pp_slice value), void *ctx)
{
	const unsigned char *bytes = text.n ? text.p : (const unsigned char *)"", *names = NULL;
	pcre2_match_data *match = pcre2_match_data_create_from_pattern(re->code, NULL);
	uint32_t count = 0, width = 0, i;
	int found = match ? pcre2_match(re->code, bytes, text.n, 0, 0, match, re->context) : 0;

	if (match && found >= 0) {
		const size_t *spans = pcre2_get_ovector_pointer(match);

		(void)pcre2_pattern_info(re->code, PCRE2_INFO_NAMECOUNT, &count);
		(void)pcre2_pattern_info(re->code, PCRE2_INFO_NAMEENTRYSIZE, &width);
		(void)pcre2_pattern_info(re->code, PCRE2_INFO_NAMETABLE, (void *)&names);
		/* An entry is the number of the group, two bytes, and its name. */
		for (i = 0; i < count; i++, names += width) {
			size_t n = (size_t)names[0] << 8 | names[1];

			if (n < pcre2_get_ovector_count(match) && spans[2 * n] != PCRE2_UNSET &&
			    spans[2 * n + 1] >= spans[2 * n])
				group(ctx, (const char *)names + 2,
				      pp_slice_of(bytes + spans[2 * n],
				                  spans[2 * n + 1] - spans[2 * n]));
		}
	}
	pcre2_match_data_free(match);
	if (!match || found == PCRE2_ERROR_NOMEMORY)
		return PP_REGEX_NOMEM;
	return found >= 0                     ? PP_REGEX_YES
	       : found == PCRE2_ERROR_NOMATCH ? PP_REGEX_NO
	                                      : PP_REGEX_TOO_HARD;
}
