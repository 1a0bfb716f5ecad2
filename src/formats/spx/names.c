/*
 * The list of functions.
 *
 *     0.4   NAME                 Class::method, function, or the path of a script
 *     0.5   FILE:LINE:NAME       empty FILE and line 0 for internal functions; FILE may hold anything
 *
 * Nothing is escaped. Where FILE:LINE:NAME can be cut in several ways, the cut that makes FILE and NAME
 * equal is right (top-level code of a script); else the right-most one whose NAME looks like a name.
 */
#include "base/num.h"
#include "formats/spx/spx.h"

#define CUTS_LOOKED_AT 64

static bool
holds(struct pp_slice s, const char *text)
{
	return s.n && memmem(s.p, s.n, text, strlen(text)) != NULL;
}

/* Whether this can be the name of a function, not the rest of a path. */
static bool
looks_like_name(struct pp_slice s)
{
	return !memchr(s.p, '/', s.n) || holds(s, "{closure") || holds(s, "eval()'d");
}

/*
 * Finds the cut ":DIGITS:" whose second colon is the first at or before `last`; false when there is
 * none. At least one byte follows it.
 */
static bool
cut_before(struct pp_slice text, size_t last, struct spx_name *out)
{
	size_t second = last + 1;

	while (second-- > 1) {
		size_t first = second;
		uint64_t line;

		if (text.p[second] != ':' || second + 1 == text.n)
			continue;
		while (first > 0 && (unsigned)text.p[first - 1] - '0' <= 9)
			first--;
		if (first == second || first == 0 || text.p[first - 1] != ':')
			continue;
		if (!pp_num_u64(pp_slice_of(text.p + first, second - first), &line))
			line = 0;
		out->file = pp_slice_of(text.p, first - 1);
		out->line = line > UINT32_MAX ? 0 : (uint32_t)line;
		out->name = pp_slice_of(text.p + second + 1, text.n - second - 1);
		return true;
	}
	return false;
}

struct spx_name
pp_spx_name_split(struct pp_slice text, bool places)
{
	struct spx_name cut, best = { .file = pp_slice_of(text.p, 0), .name = text };
	bool sure = false;
	/* Without a file there is nothing to cut wrongly. */
	bool internal = places && text.n > 3 && memcmp(text.p, ":0:", 3) == 0;
	size_t last = text.n ? text.n - 1 : 0, found = 0;

	if (internal)
		best.name = pp_slice_of(text.p + 3, text.n - 3);
	while (places && !internal && cut_before(text, last, &cut)) {
		cut.flags = 0;
		if (pp_slice_eq(cut.file, cut.name)) {
			best = cut;
			best.flags = PP_FUNC_SCRIPT;
			return best;
		}
		/* Hostile names have any number of cuts: a few are looked at in full. */
		if (!sure && found < CUTS_LOOKED_AT) {
			sure = looks_like_name(cut.name);
			if (sure || !found)
				best = cut;
		}
		found++;
		if (cut.file.n == 0)
			break;
		/* The colon before the digits may end another cut. */
		last = cut.file.n;
	}
	if (internal || (found && best.file.n == 0) ||
	    (best.name.n > 2 && memcmp(best.name.p, "::", 2) == 0))
		best.flags |= PP_FUNC_INTERNAL;
	return best;
}
