/*
 * convert, merge: a profile in some format; and which format a profile is written in.
 */
#include <stddef.h>
#include <stdlib.h>

#include "questions/product.h"
#include "text/path.h"

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

/* How long the longest extension of a format is that ends the name; 0 = none does. */
static size_t
extension_match(const struct pp_format *format, const char *path)
{
	const char *list = format->extensions;
	struct pp_slice word;
	size_t best = 0;

	while (word_next(&list, &word)) {
		char ext[32];

		if (word.n <= best || word.n >= sizeof ext)
			continue;
		memcpy(ext, word.p, word.n);
		ext[word.n] = '\0';
		if (pp_name_ends(path, ext))
			best = word.n;
	}
	return best;
}

/* The format, of those with an ability, whose extension ends the name; the longest wins ("diff.folded" over "folded"). */
static const struct pp_format *
format_by_name(const char *path, unsigned can)
{
	const struct pp_format *const *format, *best = NULL;
	size_t best_length = 0;

	for (format = pp_formats; *format; format++) {
		size_t length = ((*format)->can & can) == can ? extension_match(*format, path) : 0;

		if (length > best_length) {
			best = *format;
			best_length = length;
		}
	}
	return best;
}

/* Whether an ending says that a file holds other bytes than those of the format. */
static bool
ending_contradicts(struct pp_slice ending, const struct pp_format *target, const char *variant)
{
	/* A variant that is not the one in JSON, of a format that has one. */
	bool other = variant && target->variants && strstr(target->variants, "json") &&
	             !strstr(variant, "json");

	if (pp_ending_listed(ending, pp_endings_other))
		return true;
	if (target->writes == 0)
		return false;
	if (pp_ending_listed(ending, "json jsonl ndjson"))
		return other || !(target->writes & PP_WRITES_JSON);
	return pp_ending_listed(ending, "txt log") && (target->writes & PP_WRITES_BINARY);
}

/* A file whose name says something else would be misread ever after. */
static pp_status
ending_check(struct pp_answer *a, const char *path, const struct pp_format *target,
             const char *variant)
{
	struct pp_slice ending = pp_path_ending(path ? path : "");
	const struct pp_format *named = path ? format_by_name(path, 0) : NULL;
	size_t length = named ? extension_match(named, path) : 0;
	int best = (int)strcspn(target->extensions, " ");

	if (!path || (length && extension_match(target, path) == length))
		return PP_OK;
	if (length && (length > ending.n || !pp_ending_listed(ending, pp_endings_vague)))
		return pp_answer_fail(
		    a, PP_E_USAGE, "misleading-name",
		    "%s is named like %s, so it would be misread if it held %s: use %.*s%.*s", path,
		    named->name, target->name,
		    (int)((const char *)ending.p + ending.n - path - (ptrdiff_t)length), path, best,
		    target->extensions);
	if (!ending_contradicts(ending, target, variant))
		return PP_OK;
	return pp_answer_fail(a, PP_E_USAGE, "misleading-name",
	                      "%s would be a misleading name for %s output: use %.*s%.*s", path,
	                      target->name, (int)((const char *)ending.p - path), path, best,
	                      target->extensions);
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
	          : path ? format_by_name(path, PP_CAN_WRITE)
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
	status = ending_check(a, path, *target, t->variant);
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
	                         : format_by_name(output, PP_CAN_WRITE);
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
