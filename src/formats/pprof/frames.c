/*
 * drop_frames and keep_frames: what the program that recorded says is of no interest, allocators in a profile of memory for example.
 * A function is dropped with all that it called, as google/pprof does it.
 */
#include "formats/pprof/pprof.h"

#include "text/regex.h"

struct frame_rules {
	struct pprof_doc *doc;
	struct pp_regex *drop, *keep;
	bool too_hard;
};

/*
 * A pattern that has to match a whole name; NULL when it is none. Go's expressions know no assertions around a place and no
 * references back, so those are none either.
 */
static struct pp_regex *
pattern_new(struct pprof_doc *d, int field, const char *what)
{
	struct pp_slice text = pp_pprof_string(d, (uint64_t)d->f[field], what, NULL);
	static const char *const foreign[] = { "(?=", "(?!", "(?<=", "(?<!",
		                               "\\1", "\\2", "\\K",  "(?>" };
	struct pp_buf pattern = { 0 }, problem = { 0 };
	struct pp_regex *regex = NULL;
	size_t i;

	if (text.n == 0)
		return NULL;
	for (i = 0; i < PP_COUNT_OF(foreign); i++)
		if (pp_slice_holds(text, foreign[i]))
			pp_buf_addf(&problem, "'%s' is not known", foreign[i]);
	/* Each by itself first: "a)(b" is none, though it is one in brackets. */
	if (!problem.n)
		regex = pp_regex_new(text, &problem);
	pp_regex_free(regex);
	regex = NULL;
	pp_buf_adds(&pattern, "^(?:");
	pp_buf_add(&pattern, text.p, text.n);
	pp_buf_adds(&pattern, ")\\z");
	if (!problem.n && !pattern.failed)
		regex = pp_regex_new(pp_slice_of(pattern.p, pattern.n), &problem);
	if (problem.n)
		pp_pprof_report(d, PPROF_FRAMES_REGEX, NULL,
		                "%s is not a regular expression: "
		                "%.200s",
		                what, problem.p);
	else if (!regex)
		d->no_memory = true;
	pp_buf_release(&pattern);
	pp_buf_release(&problem);
	return regex;
}

/* A name as patterns see it: without a dot at its start, and without arguments. */
static struct pp_slice
name_simplify(struct pp_slice name)
{
	static const char *const brackets[] = { "(anonymous namespace)", "operator()" };
	size_t i = 0, k;

	if (name.n && name.p[0] == '.')
		name = pp_slice_from(name, 1);
	while (i < name.n) {
		struct pp_slice rest = pp_slice_from(name, i);
		size_t skip = 0;

		for (k = 0; k < PP_COUNT_OF(brackets); k++)
			skip = pp_slice_starts(rest, brackets[k]) ? strlen(brackets[k]) : skip;
		if (!skip && rest.p[0] == '(')
			return pp_slice_of(name.p, i);
		i += skip ? skip : 1;
	}
	return name;
}

static bool
pattern_matches(struct frame_rules *r, struct pp_regex *regex, struct pp_slice name)
{
	enum pp_regex_result result = pp_regex_match(regex, name);

	if (result == PP_REGEX_TOO_HARD && !r->too_hard) {
		r->too_hard = true;
		pp_pprof_report(r->doc, PPROF_FRAMES_REGEX, NULL,
		                "drop_frames or keep_frames takes too long on a name");
	}
	r->doc->no_memory |= result == PP_REGEX_NOMEM;
	return result == PP_REGEX_YES;
}

/* By function: 1 when it is to be dropped. */
static uint8_t *
functions_judge(struct frame_rules *r)
{
	struct pprof_doc *d = r->doc;
	uint8_t *drops = calloc(d->functions.n + 1, 1);
	size_t i;

	d->no_memory |= !drops;
	for (i = 0; !d->no_memory && i < d->functions.n; i++) {
		uint64_t index = d->functions.at[i].f[FUNCTION_NAME];
		struct pp_slice name = index < d->strings.n ? d->strings.at[index]
		                                            : pp_slice_of("", 0);

		if (name.n == 0)
			continue;
		name = name_simplify(name);
		drops[i] = pattern_matches(r, r->drop, name) &&
		           !(r->keep && pattern_matches(r, r->keep, name));
	}
	return drops;
}

static struct pprof_cut *
locations_cut(struct pprof_doc *d, const uint8_t *drops)
{
	struct pprof_cut *cuts = calloc(d->locations.n + 1, sizeof *cuts);
	size_t i;

	d->no_memory |= !cuts;
	for (i = 0; cuts && i < d->locations.n; i++) {
		const struct pprof_location *l = &d->locations.at[i];
		uint32_t k = l->lines;

		while (k > 0 && !(d->lines.at[l->line + k - 1].function != PPROF_NONE &&
		                  drops[d->lines.at[l->line + k - 1].function]))
			k--;
		cuts[i].matched = k > 0;
		cuts[i].whole = k > 0 && k == l->lines;
		cuts[i].stay = cuts[i].whole ? l->lines : l->lines - k;
	}
	return cuts;
}

struct pprof_cut *
pp_pprof_cuts(struct pprof_doc *d)
{
	struct frame_rules r = { .doc = d };
	struct pprof_cut *cuts = NULL;
	uint8_t *drops = NULL;

	r.drop = pattern_new(d, PROFILE_DROP_FRAMES, "drop_frames");
	r.keep = pattern_new(d, PROFILE_KEEP_FRAMES, "keep_frames");
	if (!d->f[PROFILE_DROP_FRAMES] &&
	    pp_pprof_string(d, (uint64_t)d->f[PROFILE_KEEP_FRAMES], "keep_frames", NULL).n)
		pp_pprof_report(d, PPROF_FRAMES_REGEX, NULL,
		                "keep_frames without drop_frames has no effect");
	if (r.drop && !d->no_memory)
		drops = functions_judge(&r);
	if (drops && !d->no_memory)
		cuts = locations_cut(d, drops);
	free(drops);
	pp_regex_free(r.drop);
	pp_regex_free(r.keep);
	return cuts;
}

void
pp_pprof_cut_stack(const struct pprof_cut *cuts, uint32_t **stack, size_t *depth)
{
	bool other = false;
	size_t i;

	for (i = *depth; i-- > 0;) {
		const struct pprof_cut *cut = &cuts[(*stack)[i]];

		if (!cut->matched) {
			other = true;
		} else if (other) {
			/* It goes with all below it; of a location that is cut, what is left of it stays. */
			i += cut->whole;
			*stack += i;
			*depth -= i;
			return;
		}
	}
}
