/*
 * Questions by name, and what is the same in all of them.
 */
#include "questions/question.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/slice.h"
#include "questions/excerpt.h"
#include "text/suggest.h"

const struct pp_question *
pp_question_find(const char *name)
{
	const struct pp_question *const *question;

	for (question = pp_questions; *question; question++)
		if (strcmp((*question)->name, name) == 0)
			return *question;
	return NULL;
}

/* ---- groups of parameters ---- */

static const struct pp_param input_params[] = {
	{ "from", 0, PP_PARAM_TEXT, "FORMAT", "read as this format instead of recognising it",
	  PP_HINT_FORMAT, offsetof(struct pp_asked, reading.from) },
	{ "option", 0, PP_PARAM_TEXTS, "KEY=VALUE",
	  "set an option of a format, as `polyprof formats NAME` lists them; may be repeated",
	  PP_HINT_NONE, offsetof(struct pp_asked, reading.options) },
	{ "inline", 0, PP_PARAM_FLAG, NULL, "show inlined functions, if debug information has them",
	  PP_HINT_NONE, offsetof(struct pp_asked, reading.inlined) },
	{ "source-map", 0, PP_PARAM_TEXTS, "FILE|DIR|auto",
	  "show the functions, files and lines that bundled scripts were built from; may be repeated",
	  PP_HINT_FILE, offsetof(struct pp_asked, reading.maps) },
	{ "jobs", 'j', PP_PARAM_COUNT, "N", "use N threads (default: one per processor)",
	  PP_HINT_NONE, offsetof(struct pp_asked, reading.jobs) },
	{ 0 },
};
static const struct pp_param_group params_input = { "Input", input_params };

static const struct pp_param variant_params[] = {
	{ "variant", 0, PP_PARAM_TEXT, "VARIANT", "read as this variant of the format",
	  PP_HINT_NONE, offsetof(struct pp_asked, reading.variant) },
	{ 0 },
};
static const struct pp_param_group params_variant = { "Input", variant_params };

static const struct pp_param strict_params[] = {
	{ "strict", 0, PP_PARAM_FLAG, NULL,
	  "refuse damaged input instead of using the intact part (exit 3)", PP_HINT_NONE,
	  offsetof(struct pp_asked, reading.strict) },
	{ 0 },
};
static const struct pp_param_group params_strict = { "Input", strict_params };

static const struct pp_param store_params[] = {
	{ "where", 0, PP_PARAM_TEXT, "EXPR",
	  "in a store: only profiles whose labels match: 'service=web and host~\"^a\"'",
	  PP_HINT_NONE, offsetof(struct pp_asked, store.where) },
	{ "since", 0, PP_PARAM_TEXT, "TIME",
	  "in a store: only what was recorded since then: an age (90s 30m 1h 1d 2w), @SECONDS or "
	  "2026-11-15T20:00:00Z",
	  PP_HINT_NONE, offsetof(struct pp_asked, store.since) },
	{ "until", 0, PP_PARAM_TEXT, "TIME", "in a store: only what was recorded before then",
	  PP_HINT_NONE, offsetof(struct pp_asked, store.until) },
	{ "between", 0, PP_PARAM_TEXT, "TIME..TIME", "the same as --since and --until together",
	  PP_HINT_NONE, offsetof(struct pp_asked, store.between) },
	{ "partial", 0, PP_PARAM_FLAG, NULL,
	  "in a store that lost rows: use what is left; the answer says that it is incomplete",
	  PP_HINT_NONE, offsetof(struct pp_asked, store.partial) },
	{ "max-nodes", 0, PP_PARAM_COUNT, "N",
	  "in a store whose servers do the sums: at most the N costliest functions or stacks (0 = all)",
	  PP_HINT_NONE, offsetof(struct pp_asked, store.max_nodes) },
	{ 0 },
};
static const struct pp_param_group params_store = { "Store", store_params };

static const struct pp_param excerpt_params[] = {
	{ "budget", 0, PP_PARAM_COUNT, "N",
	  "answer in at most N tokens, 300 to 20000, and say how to get the rest", PP_HINT_NONE,
	  offsetof(struct pp_asked, budget.tokens) },
	{ "page", 0, PP_PARAM_TEXT, "N", "skip the first N rows, as the previous answer says",
	  PP_HINT_NONE, offsetof(struct pp_asked, budget.page_given) },
	{ "handles", 0, PP_PARAM_FLAG, NULL,
	  "start rows with handles (f1, n1), which work wherever a name does", PP_HINT_NONE,
	  offsetof(struct pp_asked, handles) },
	{ 0 },
};
static const struct pp_param_group params_excerpt = { "Budget", excerpt_params };

static const struct pp_param budget_params[] = {
	{ "bytes", 0, PP_PARAM_COUNT, "N", "answer in at most N bytes (0 = any number)",
	  PP_HINT_NONE, offsetof(struct pp_asked, budget.bytes) },
	{ 0 },
};
static const struct pp_param_group params_budget = { "Budget", budget_params };

static const struct pp_param output_params[] = {
	{ "output", 'o', PP_PARAM_TEXT, "FILE", "what the output is called", PP_HINT_FILE,
	  offsetof(struct pp_asked, output) },
	{ "names", 0, PP_PARAM_CHOICE, "fit|short|full", "how much of names is shown", PP_HINT_NONE,
	  offsetof(struct pp_asked, names) },
	{ "max-output", 0, PP_PARAM_SIZE, "SIZE", "write no more than that", PP_HINT_NONE,
	  offsetof(struct pp_asked, max_output) },
	{ "max-memory", 0, PP_PARAM_SIZE, "SIZE", "take no more memory than that", PP_HINT_NONE,
	  offsetof(struct pp_asked, reading.max_memory) },
	{ 0 },
};
static const struct pp_param_group params_output = { "Output", output_params };

#define METRIC_PARAM                                                                               \
	{                                                                                          \
		"metric", 'm', PP_PARAM_TEXT, "NAME",                                              \
		    "the metric to show and sort by (default: the primary one)", PP_HINT_NONE,     \
		    offsetof(struct pp_asked, metric)                                              \
	}
#define INDEX_PARAM                                                                                \
	{                                                                                          \
		"sample-index", 0, PP_PARAM_TEXT, "NAME|N",                                        \
		    "the same as --metric: a name, or a number counting from 0", PP_HINT_NONE,     \
		    offsetof(struct pp_asked, metric)                                              \
	}
#define LIMIT_PARAM                                                                                \
	{                                                                                          \
		"limit", 'n', PP_PARAM_COUNT, "N", "show N rows (0 = all)", PP_HINT_NONE,          \
		    offsetof(struct pp_asked, budget.rows)                                         \
	}

static const struct pp_param metric_params[] = { METRIC_PARAM, INDEX_PARAM, LIMIT_PARAM, { 0 } };
const struct pp_param_group pp_params_metric = { "Rows", metric_params };

static const struct pp_param rank_params[] = {
	{ "metric", 'm', PP_PARAM_TEXT, "NAME[,NAME]",
	  "the metric to show and sort by (default: the primary one), and others to show "
	  "next to it",
	  PP_HINT_NONE, offsetof(struct pp_asked, metric) },
	INDEX_PARAM,
	{ "sort", 0, PP_PARAM_CHOICE, "self|total|calls|name|gained|flat|cum",
	  "the order of the rows (default: self); gained: for metrics that fall; flat and "
	  "cum: pprof's words for self and total",
	  PP_HINT_NONE, offsetof(struct pp_ranked, sort) },
	LIMIT_PARAM,
	{ 0 },
};
const struct pp_param_group pp_params_rank = { "Rows", rank_params };

static const struct pp_param by_params[] = {
	{ "by", 0, PP_PARAM_CHOICE, "function|file|module|line|thread|name|address|label:KEY",
	  "what the rows are (default: function); name: functions of the same name are one "
	  "row",
	  PP_HINT_NONE, offsetof(struct pp_scope, by) },
	{ "granularity", 0, PP_PARAM_CHOICE,
	  "default|functions|filefunctions|files|lines|addresses",
	  "the same in pprof's words: functions of the same name, in the same file, and so on",
	  PP_HINT_NONE, offsetof(struct pp_scope, granularity) },
	{ 0 },
};
const struct pp_param_group pp_params_by = { "Rows", by_params };

static const struct pp_param base_params[] = {
	{ "base", 0, PP_PARAM_TEXT, "FILE",
	  "subtract this profile (`diff` compares, with verdicts, and shows what is new)",
	  PP_HINT_FILE, offsetof(struct pp_asked, base) },
	{ 0 },
};
const struct pp_param_group pp_params_base = { "Rows", base_params };

static const struct pp_param min_params[] = {
	{ "min", 0, PP_PARAM_SHARE, "PCT", "leave out anything below PCT percent of the whole",
	  PP_HINT_NONE, 0 },
	{ 0 },
};
const struct pp_param_group pp_params_min = { "Filters", min_params };

static const struct pp_param depth_params[] = {
	{ "depth", 0, PP_PARAM_COUNT, "N", "go no deeper than N frames", PP_HINT_NONE, 0 },
	{ 0 },
};
const struct pp_param_group pp_params_depth = { "Filters", depth_params };

/* What no question can be without; one of its own of the same name comes first. */
static const struct pp_param_use common_uses[] = {
	{ &params_input, 0, PP_GROUP_INPUT },  { &params_variant, 0, PP_GROUP_INPUT },
	{ &params_strict, 0, PP_GROUP_INPUT }, { &params_store, 0, PP_GROUP_INPUT },
	{ &params_budget, 0, PP_GROUP_FIRST }, { &params_excerpt, 0, PP_GROUP_FIRST },
	{ &params_output, 0, PP_GROUP_FIRST }, { 0 },
};

/* Whether help shows a group of a question: what needs no name is shown by the synopsis. */
static bool
group_shown(const struct pp_question *q, const struct pp_param_use *use, pp_group_place place)
{
	return use->place == place && !(q->word && q->word == use->group->params);
}

const struct pp_param_group *
pp_question_shown(const struct pp_question *q, size_t index, pp_group_place *place)
{
	const struct pp_param_use *use;
	bool reads = q->asks != PP_ASKS_FOLDERS && q->asks != PP_ASKS_NOTHING;

	for (*place = PP_GROUP_FIRST; *place <= PP_GROUP_INPUT; (*place)++) {
		for (use = common_uses; *place == PP_GROUP_INPUT && reads && use->group; use++)
			if (use->place == *place &&
			    !pp_params_find(q->params, use->group->params->name) && index-- == 0)
				return use->group;
		for (use = q->params; use->group; use++)
			if (group_shown(q, use, *place) && index-- == 0)
				return use->group;
		if (*place == PP_GROUP_FIRST && q->excerpt && index-- == 0)
			return &params_excerpt;
	}
	return NULL;
}

/* ---- asking ---- */

bool
pp_asking_init(struct pp_asking *asking, const struct pp_question *question)
{
	*asking = (struct pp_asking){ .question = question };
	pp_answer_init(&asking->answer);
	asking->params = malloc(question->params_size);
	if (!asking->params)
		return false;
	pp_params_init(question->params, asking->params, question->params_size);
	asking->params->budget = (struct pp_budget){ .rows = PP_UNSET, .tokens = PP_UNSET };
	asking->params->reading.jobs = asking->params->reading.max_memory = PP_UNSET;
	asking->params->max_output = PP_UNSET;
	if (question->init)
		question->init(asking->params);
	return true;
}

void
pp_asking_release(struct pp_asking *asking)
{
	pp_answer_release(&asking->answer);
	if (asking->params) {
		pp_params_release(asking->question->params, asking->params);
		pp_params_release(common_uses, asking->params);
	}
	free(asking->params);
}

bool
pp_asking_set(struct pp_asking *asking, const char *name, const char *text, struct pp_buf *problem)
{
	const struct pp_param_use *uses = asking->question->params;
	const struct pp_param *param = pp_params_find(uses, name);
	bool known;

	if (!param) {
		uses = common_uses;
		param = pp_params_find(uses, name);
	}
	if (!param) {
		pp_buf_addf(problem, "%s has no parameter '%s'", asking->question->name, name);
		return false;
	}
	return pp_params_set(uses, asking->params, param, text, &known, problem);
}

const struct pp_scope *
pp_asking_scope(const struct pp_asking *asking)
{
	const char *params = (const char *)asking->params;

	return asking->question->scope_at ? (const void *)(params + asking->question->scope_at)
	                                  : NULL;
}

const struct pp_texts *
pp_asking_texts(const struct pp_asking *asking, const char *name)
{
	return pp_params_member(asking->question->params, asking->params, name);
}

bool
pp_asking_flag(const struct pp_asking *asking, const char *name)
{
	const bool *flag = pp_params_member(asking->question->params, asking->params, name);

	return flag && *flag;
}

bool
pp_excerpt_asked(const struct pp_asking *asking)
{
	const struct pp_question *q = asking->question;

	return q->excerpt && (asking->params->budget.tokens != PP_UNSET || !q->run ||
	                      (q->asks == PP_ASKS_SERIES && !asking->params->over_time));
}

/* A word or a node that may be a handle needs all of the profile as well. */
bool
pp_asking_whole(const struct pp_asking *asking)
{
	const struct pp_question *q = asking->question;
	const char *const *word = pp_params_member(q->params, asking->params, "function");
	const char *const *node = pp_params_member(q->params, asking->params, "node");

	return q->excerpt && q->asks != PP_ASKS_SERIES &&
	       (pp_excerpt_asked(asking) || asking->params->handles || (node && *node) ||
	        (word && pp_handle_parse('f', *word)));
}

struct pp_want
pp_asking_want(const struct pp_asking *asking)
{
	struct pp_want want = { .facets = PP_TREE | PP_EDGES | PP_LINES | PP_META };
	const struct pp_scope *scope = pp_asking_scope(asking);

	if (asking->question->want)
		asking->question->want(asking->params, &want);
	/* Who judges has no handles, and looks at what nobody else reads. */
	if (pp_asking_whole(asking) && !asking->question->judges) {
		want.facets = PP_TREE | PP_EDGES | PP_LINES | PP_META | PP_SITES | PP_GAINS |
		              PP_GAINS_ALL | PP_SOURCE | PP_THREADS;
		want.about = NULL;
		want.min_share = want.prune = 0;
	}
	/* Names are known when all is read. */
	if (asking->params->reading.maps.list.n) {
		want.about = NULL;
		want.prune = 0;
	}
	/* People see what other metrics than the one they look at came to in the end. */
	if (asking->params->form != PP_RENDER_TEXT || asking->params->metric)
		want.facets |= PP_GAINS_ALL;
	/* What is written keeps all that was recorded. */
	if (asking->question->makes != PP_MAKES_PROFILE && !(scope && scope->all_frames)) {
		want.facets |= PP_DROPS;
		/* Without filters the file is shown unchanged. */
		want.facets |= scope && !want.all_frames ? PP_ASIDE : 0u;
	}
	return want;
}

pp_status
pp_asking_ready(struct pp_asking *asking, const struct pp_subject *subject)
{
	const struct pp_question *q = asking->question;

	if (q->word && q->word->kind == PP_PARAM_TEXT &&
	    !*(const char *const *)(const void *)((const char *)asking->params + q->word->at))
		return pp_answer_fail(&asking->answer, PP_E_USAGE, PP_RULE_USAGE,
		                      "name a %s and a file", q->word->name);
	return q->ready ? q->ready(subject, asking->params, &asking->answer) : PP_OK;
}

/* The page as a number of rows; false when it is none that the question has. */
static bool
page_settle(const struct pp_question *q, struct pp_budget *budget)
{
	const char *given = budget->page_given;

	return !given || pp_num_u64(pp_slice_z(given), &budget->page) ||
	       (strcmp(q->name, "tree") == 0 && strspn(given, "0123456789.") == strlen(given));
}

pp_status
pp_asking_run(struct pp_asking *asking, const struct pp_subject *subject)
{
	struct pp_answer *a = &asking->answer;
	pp_status status;

	if (!page_settle(asking->question, &asking->params->budget))
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "there is no such page: `next` of an answer says which is");

	a->budget = asking->params->budget;
	a->metric = asking->params->metric;
	a->exact = asking->params->exact;
	if (pp_excerpt_asked(asking)) {
		status = pp_excerpt_run(asking, subject);
		return status == PP_OK && a->failed ? pp_answer_fail_status(a, PP_E_NOMEM) : status;
	}
	status = asking->question->run(subject, asking->params, a);
	return status == PP_OK && a->failed ? pp_answer_fail_status(a, PP_E_NOMEM) : status;
}

/* Says that there is no such metric, and which there are. */
static pp_status
metric_missing(struct pp_slice name, const struct pp_profile *p, struct pp_answer *a)
{
	struct pp_buf text = { 0 }, title = { 0 };
	struct pp_suggest suggest;
	pp_status status;
	size_t i;

	pp_suggest_init(&suggest, name);
	for (i = 0; i < pp_metrics_shown(p); i++) {
		const struct pp_metric *m = &p->metrics.at[i];
		size_t from;

		pp_buf_adds(&text, i ? ", " : "; it has ");
		from = text.n;
		pp_metric_label(p, m, &text);
		title.n = 0;
		pp_metric_title(p, m, &title);
		if (title.n && text.n > from &&
		    pp_slice_cmp(pp_slice_of(text.p + from, text.n - from),
		                 pp_slice_of(title.p, title.n)) != 0) {
			pp_buf_adds(&text, " (");
			pp_buf_add(&text, title.p, title.n);
			pp_buf_adds(&text, ")");
		}
		pp_suggest_offer(&suggest, pp_text_of(p, m->name));
	}
	pp_suggest_print(&suggest, &text, "");
	status = pp_answer_fail(a, PP_E_USAGE, "no-metric", "no metric '%.*s' in this profile%s",
	                        (int)(name.n < 200 ? name.n : 200), (const char *)name.p,
	                        text.n ? text.p : "");
	pp_buf_release(&text);
	pp_buf_release(&title);
	return status;
}

pp_status
pp_asked_metric(const struct pp_asked *asked, const struct pp_profile *p, struct pp_answer *a,
                size_t *metric)
{
	*metric = pp_profile_primary(p);
	if (!asked->metric)
		return PP_OK;
	*metric = pp_profile_metric_find(p, pp_slice_z(asked->metric));
	return *metric < p->metrics.n ? PP_OK : metric_missing(pp_slice_z(asked->metric), p, a);
}

/* The whole may be the name of one: events have commas in theirs. */
pp_status
pp_asked_metrics(const struct pp_asked *asked, const struct pp_profile *p, struct pp_answer *a,
                 size_t *metric, struct pp_metrics_beside *beside)
{
	struct pp_slice rest = pp_slice_z(asked->metric ? asked->metric : ""), name;
	bool more = true;
	size_t found, n = 0;

	beside->given = false;
	beside->n = 0;
	if (!pp_slice_find(rest, ',') || pp_profile_metric_find(p, rest) < p->metrics.n)
		return pp_asked_metric(asked, p, a, metric);
	beside->given = true;
	for (; pp_slice_field(&rest, ',', &more, &name); n++) {
		name = pp_slice_trim(name);
		found = pp_profile_metric_find(p, name);
		if (found == p->metrics.n)
			return metric_missing(name, p, a);
		if (n == 0) {
			*metric = found;
			a->metric = pp_answer_copy(a, name); /* others are only shown beside it */
		} else if (beside->n < PP_COUNT_OF(beside->metric)) {
			beside->metric[beside->n++] = found;
		}
	}
	return PP_OK;
}
