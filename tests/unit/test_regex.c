/* Patterns over names, by PCRE2 or, with -DWORDS, by the alternative that only knows words. */
#include "tap.h"

#include "text/regex.h"

#ifdef WORDS
enum { HAS_PATTERNS = 0 };
#else
enum { HAS_PATTERNS = 1 };
#endif

static void
check(const char *pattern, const char *name, bool matches)
{
	struct pp_buf problem = { 0 };
	struct pp_regex *re = pp_regex_new(pp_slice_z(pattern), &problem);
	bool is_word = pp_regex_is_word(pp_slice_z(pattern));

	if (!HAS_PATTERNS && !is_word) {
		ok(!re && problem.n > 0, "/%s/ is refused and that is said", pattern);
	} else {
		ok(re && (pp_regex_match(re, pp_slice_z(name)) == PP_REGEX_YES) == matches,
		   "/%s/ %s %s", pattern, matches ? "matches" : "does not match", name);
	}
	pp_regex_free(re);
	pp_buf_release(&problem);
}

int
main(void)
{
	struct pp_buf problem = { 0 };

	check("", "anything", true);
	check("parse", "json_parse_value", true);
	check("parse", "json_PARSE", false);
	check("(?i)parse", "json_PARSE", true);
	check("^parse$", "parse", true);
	check("a|b", "xbx", true);
	check("a-b:c", "xa-b:cx", true);
	ok(!pp_regex_new(pp_slice_z("(open"), &problem) && problem.n > 0,
	   "a wrong pattern is said");
	pp_buf_release(&problem);
	return tap_done();
}
