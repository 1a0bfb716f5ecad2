/*
 * convert, merge: a profile in some format; and which format a profile is written in.
 */
#include <stddef.h>
#include <stdlib.h>

#include "questions/product.h"

/* Tokens that a header and a stack fit into. */
#define BUDGET_LEAST 300

struct convert_params {
	struct pp_asked asked;
	struct pp_scope scope;
	struct pp_target target;
	bool skip;
};

static pp_status convert_ready(const struct pp_subject *, const void *, struct pp_answer *);
static void convert_want(const void *, struct pp_want *);
static void merge_want(const void *, struct pp_want *);
static void symbolize_init(void *);
static void symbolize_want(const void *, struct pp_want *);
static pp_status convert_run(const struct pp_subject *, const void *, struct pp_answer *);

#define TO                                                                                         \
	{                                                                                          \
		"to", 't', PP_PARAM_TEXT, "FORMAT",                                                \
		    "the format to write (default: by the extension of OUT)", PP_HINT_FORMAT,      \
		    offsetof(struct convert_params, target.to)                                     \
	}
#define OUTPUT(help)                                                                               \
	{                                                                                          \
		"output", 'o', PP_PARAM_TEXT, "OUT", help, PP_HINT_FILE,                           \
		    offsetof(struct convert_params, asked.output)                                  \
	}
#define HOW                                                                                        \
	{ "variant",                                                                               \
	  0,                                                                                       \
	  PP_PARAM_TEXT,                                                                           \
	  "VARIANT",                                                                               \
	  "the variant of the format to write",                                                    \
	  PP_HINT_NONE,                                                                            \
	  offsetof(struct convert_params, target.variant) },                                       \
	    { "metric",                                                                            \
	      'm',                                                                                 \
	      PP_PARAM_TEXT,                                                                       \
	      "NAME",                                                                              \
	      "the metric to write, for formats that hold only one",                               \
	      PP_HINT_NONE,                                                                        \
	      offsetof(struct convert_params, asked.metric) },                                     \
	{                                                                                          \
		"lossless", 0, PP_PARAM_FLAG, NULL,                                                \
		    "write nothing rather than lose anything (exit 4)", PP_HINT_NONE,              \
		    offsetof(struct convert_params, target.lossless)                               \
	}

static const struct pp_param convert_params[] = {
	TO,
	OUTPUT("the file to write (`-` or nothing = standard output; .gz and .zst compress)"),
	HOW,
	{ "budget", 0, PP_PARAM_COUNT, "N",
	  "keep the heaviest stacks that fit into N tokens, for agents (only for spaa)",
	  PP_HINT_NONE, offsetof(struct convert_params, asked.budget.tokens) },
	{ 0 },
};
static const struct pp_param_group convert_group = { "Output", convert_params };

static const struct pp_param merge_params[] = {
	OUTPUT("the file to write (`-` = standard output; .gz and .zst compress)"),
	TO,
	HOW,
	{ "skip", 0, PP_PARAM_FLAG, NULL,
	  "leave out files that cannot be read or measure other things, instead of stopping",
	  PP_HINT_NONE, offsetof(struct convert_params, skip) },
	{ 0 },
};
static const struct pp_param_group merge_group = { "Output", merge_params };

static const struct pp_param symbolize_params[] = {
	OUTPUT("the file to write (`-` or nothing = standard output; .gz and .zst compress)"),
	TO,
	{ "binary", 0, PP_PARAM_TEXT, "PATH",
	  "the binary for the module of the same name, or for all modules that are not found",
	  PP_HINT_FILE, offsetof(struct convert_params, asked.reading.binary) },
	{ "debug-dir", 0, PP_PARAM_TEXT, "DIR",
	  "also look for binaries and debug files by build id below DIR (DIR/.build-id/...)",
	  PP_HINT_FILE, offsetof(struct convert_params, asked.reading.debug_dir) },
	HOW,
	{ 0 },
};
static const struct pp_param_group symbolize_group = { "Output", symbolize_params };

#define USES(group)                                                                                \
	{                                                                                          \
		{ &(group), 0, PP_GROUP_FIRST },                                                   \
		    { &pp_params_filter, offsetof(struct convert_params, scope), PP_GROUP_FIRST }, \
		    { &pp_params_depth, offsetof(struct convert_params, scope.depth),              \
		      PP_GROUP_FIRST },                                                            \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
static const struct pp_param_use convert_uses[] = {
	{ &convert_group, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct convert_params, scope), PP_GROUP_FIRST },
	{ &pp_params_depth, offsetof(struct convert_params, scope.depth), PP_GROUP_FIRST },
	{ 0 },
};
static const struct pp_param_use merge_uses[] = USES(merge_group);
static const struct pp_param_use symbolize_uses[] = USES(symbolize_group);

const struct pp_question pp_question_convert = {
	.name = "convert",
	.summary = "write a profile in another format, losing nothing silently",
	.params = convert_uses,
	.params_size = sizeof(struct convert_params),
	.scope_at = offsetof(struct convert_params, scope),
	.gives = PP_GIVES_FILE,
	.makes = PP_MAKES_PROFILE,
	.ready = convert_ready,
	.want = convert_want,
	.run = convert_run,
};

const struct pp_question pp_question_merge = {
	.name = "merge",
	.summary = "several profiles into one",
	.params = merge_uses,
	.params_size = sizeof(struct convert_params),
	.scope_at = offsetof(struct convert_params, scope),
	.gives = PP_GIVES_FILE,
	.makes = PP_MAKES_PROFILE,
	.ready = convert_ready,
	.want = merge_want,
	.run = convert_run,
};

const struct pp_question pp_question_symbolize = {
	.name = "symbolize",
	.summary = "names and source lines for a profile that has addresses only",
	.params = symbolize_uses,
	.params_size = sizeof(struct convert_params),
	.scope_at = offsetof(struct convert_params, scope),
	.gives = PP_GIVES_FILE,
	.makes = PP_MAKES_PROFILE,
	.init = symbolize_init,
	.ready = convert_ready,
	.want = symbolize_want,
	.run = convert_run,
};

/* ---- the target ---- */

/* Calls a word of a list, blank separated, the next; false behind the last. */
static bool
word_next(const char **list, struct pp_slice *word)
{
	if (!*list || !**list)
		return false;
	*word = pp_slice_of(*list, strcspn(*list, " "));
	*list += word->n + strspn(*list + word->n, " ");
	return true;
}

/* The format whose extension ends the name; the longest wins ("diff.folded" over "folded"). */
static const struct pp_format *
format_by_name(const char *path)
{
	const struct pp_format *const *format, *best = NULL;
	size_t best_length = 0;
	struct pp_slice word;

	for (format = pp_formats; *format; format++) {
		const char *list = (*format)->can & PP_CAN_WRITE ? (*format)->extensions : NULL;

		while (word_next(&list, &word)) {
			char ext[32];

			if (word.n <= best_length || word.n >= sizeof ext)
				continue;
			memcpy(ext, word.p, word.n);
			ext[word.n] = '\0';
			if (pp_name_ends(path, ext)) {
				best = *format;
				best_length = word.n;
			}
		}
	}
	return best;
}

/* Whether an extension of one format ends in one of the other's, as "diff.folded" in "folded". What is JSON is told apart by what it holds. */
static bool
endings_related(const struct pp_format *a, const struct pp_format *b)
{
	const char *longer = a->extensions, *shorter;
	struct pp_slice x, y;

	while (word_next(&longer, &x))
		for (shorter = b->extensions; word_next(&shorter, &y);)
			if (x.n > y.n && x.p[x.n - y.n - 1] == '.' && !pp_slice_eq_z(y, "json") &&
			    memcmp(x.p + x.n - y.n, y.p, y.n) == 0)
				return true;
	return false;
}

/* What ends a name, compression aside; nothing where there is no dot. */
static struct pp_slice
ending_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct pp_slice name = pp_slice_z(slash ? slash + 1 : path);
	size_t dot;

	if (pp_slice_ends(name, ".gz") || pp_slice_ends(name, ".zst"))
		name.n -= pp_slice_ends(name, ".gz") ? 3 : 4;
	for (dot = name.n; dot > 1 && name.p[dot - 1] != '.'; dot--)
		;
	return dot > 1 ? pp_slice_from(name, dot) : pp_slice_from(name, name.n);
}

/* Whether an ending says that a file is no profile at all. Those of other formats are given to many files: --to decides. */
static bool
ending_contradicts(struct pp_slice ending, const struct pp_format *target)
{
	const char *others =
	    "svg html htm png jpg jpeg gif webp pdf ps eps md csv xml sarif dot zip";
	const char *own = target->extensions;
	struct pp_slice word;
	bool found = false;

	while (word_next(&own, &word))
		if (pp_slice_eq(word, ending))
			return false;
	while (!found && word_next(&others, &word))
		found = pp_slice_eq(word, ending);
	return found;
}

/* A file whose name says something else would be misread ever after. */
static pp_status
ending_check(struct pp_answer *a, const char *path, const struct pp_format *target)
{
	const struct pp_format *named = path ? format_by_name(path) : NULL;
	struct pp_slice ending = ending_of(path ? path : "");

	if (named && named != target &&
	    (endings_related(named, target) || endings_related(target, named)))
		return pp_answer_fail(a, PP_E_USAGE, "misleading-name",
		                      "%s is named like %s, so it would be misread if it held %s",
		                      path, named->name, target->name);
	if (named == target || !ending_contradicts(ending, target))
		return PP_OK;
	return pp_answer_fail(a, PP_E_USAGE, "misleading-name",
	                      "%s would be a misleading name for %s output: use %.*s%.*s", path,
	                      target->name, (int)((const char *)ending.p - path), path,
	                      (int)strcspn(target->extensions, " "), target->extensions);
}

/* A variant must be one of those the format lists. */
static pp_status
variant_check(struct pp_answer *a, const char *variant, const struct pp_format *target)
{
	if (pp_format_has_variant(target, variant))
		return PP_OK;
	return pp_answer_fail(a, PP_E_USAGE, "no-variant", "format %s has no variant '%s'%s%s",
	                      target->name, variant, target->variants ? "; it has " : "",
	                      target->variants ? target->variants : "");
}

pp_status
pp_target_find(const struct pp_target *t, const struct pp_asked *asked, struct pp_answer *a,
               const struct pp_format **target)
{
	const char *output = asked->output;
	const char *path = output && strcmp(output, "-") != 0 ? output : NULL;
	struct pp_buf hint = { 0 };
	pp_status status = PP_OK;

	*target = t->to  ? pp_format_among(asked->formats, t->to)
	          : path ? format_by_name(path)
	                 : NULL;
	if (!t->to && !*target)
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "name the format to write with --to, or by the "
		                      "extension of -o");
	if (!*target || !((*target)->can & PP_CAN_WRITE)) {
		pp_suggest_format(t->to, PP_CAN_WRITE, &hint);
		status = pp_answer_fail(a, PP_E_USAGE, "no-format",
		                        "no format '%s' can be written%s", t->to,
		                        hint.n ? hint.p : "; `polyprof formats` lists them");
		pp_buf_release(&hint);
		return status;
	}
	status = ending_check(a, path, *target);
	return status == PP_OK ? variant_check(a, t->variant, *target) : status;
}

pp_status
pp_target_make(const struct pp_target *t, const struct pp_asked *asked, const struct pp_profile *p,
               struct pp_answer *a)
{
	struct pp_product *product = pp_answer_alloc(a, sizeof *product);
	size_t n = asked->reading.options.list.n, i;
	const char **options = pp_answer_alloc(a, (n + 1) * sizeof *options);

	if (!product || !options)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	for (i = 0; i < n; i++)
		options[i] = asked->reading.options.list.at[i].text;
	product->kind = PP_MAKES_PROFILE;
	product->profiles[0] = p;
	product->write = (struct pp_write_opts){ .variant = t->variant,
		                                 .metric = asked->metric,
		                                 .lossless = t->lossless,
		                                 .options = options };
	a->product = product;
	return pp_target_find(t, asked, a, &product->target);
}

/* ---- the questions ---- */

static pp_status
convert_ready(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct convert_params *params = data;
	const struct pp_format *target;

	pp_status status = pp_target_find(&params->target, &params->asked, a, &target);

	if (status == PP_OK && params->asked.budget.tokens != PP_UNSET &&
	    (strcmp(target->name, "spaa") != 0 || params->asked.budget.tokens < BUDGET_LEAST))
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "--budget is for spaa, and takes %d tokens at least",
		                      BUDGET_LEAST);
	return status;
}

/* The target, which is known to be there. */
static const struct pp_format *
target_of(const struct convert_params *params)
{
	const char *output = params->asked.output ? params->asked.output : "";

	return params->target.to ? pp_format_among(params->asked.formats, params->target.to)
	                         : format_by_name(output);
}

/* Whether a format keeps events in their order, in any of its variants. */
static bool
keeps_timelines(const struct pp_format *format)
{
	const struct pp_holds *h = format->holds;

	/* A format from outside of the library tells it by its facets. */
	if (!h)
		return format->can & PP_TIMELINE;
	while (h->variant && !((h->keeps | h->own) & PP_HAS(TIMELINE)))
		h++;
	return (h->keeps | h->own) & PP_HAS(TIMELINE);
}

/* Labels too are read only where the target has a place for them. */
static unsigned
labels_wanted(const struct pp_format *format)
{
	return format->holds && format->holds->keeps & PP_HAS(LABELS) ? PP_LABELS : 0;
}

/* Source lines take looking up, likewise. */
static unsigned
source_wanted(const struct pp_format *format)
{
	const uint64_t lines = PP_HAS(PLACES) | PP_HAS(LINES);

	return format->holds && format->holds->keeps & lines ? PP_SOURCE : 0;
}

/* What the target can hold: an event that it does not keep need not be stored. */
static void
convert_want(const void *data, struct pp_want *want)
{
	const struct convert_params *params = data;
	unsigned can;

	want->target = target_of(params);
	can = want->target->can & PP_FACETS;
	/* Threads that only samples name are lost where the target has no place for them, and that is said. */
	want->facets |= PP_THREADS | (keeps_timelines(want->target) ? PP_TIMELINE : 0u);
	if (can & ~(unsigned)PP_TREE)
		want->facets |= PP_EXTRAS | PP_SITES;
	want->facets |= (want->target->can & PP_EXTRAS) | labels_wanted(want->target) |
	                source_wanted(want->target);
	want->rewrites = !params->asked.metric && !params->target.variant &&
	                 params->asked.budget.tokens == PP_UNSET;
	if (!want->target->holds || want->target->holds->metrics != 1 || params->asked.metric)
		want->facets |= PP_GAINS;
}

static void
merge_want(const void *data, struct pp_want *want)
{
	const struct convert_params *params = data;

	want->target = target_of(params);
	want->facets |= PP_GAINS | labels_wanted(want->target) | source_wanted(want->target);
	want->can_skip = true;
	want->skips = params->skip;
}

static void
symbolize_init(void *data)
{
	struct convert_params *params = data;

	params->asked.reading.symbolize = params->asked.reading.inlined = true;
}

/* Addresses are needed even where the target has no place for them. */
static void
symbolize_want(const void *data, struct pp_want *want)
{
	convert_want(data, want);
	want->facets |= PP_EXTRAS | PP_SITES;
	want->rewrites = false;
}

static pp_status
convert_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct convert_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	size_t metric;
	/* What is rewritten as it is read has no profile. */
	pp_status status = p ? pp_asked_metric(&params->asked, p, a, &metric) : PP_OK;

	return status == PP_OK ? pp_target_make(&params->target, &params->asked, p, a) : status;
}
