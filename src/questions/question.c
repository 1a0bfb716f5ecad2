/*
 * Questions by name, and what is the same in all of them.
 */
#include "questions/question.h"

#include <stddef.h>
#include <stdlib.h>

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

static const struct pp_param budget_params[] = {
	{ "page", 0, PP_PARAM_COUNT, "N", "leave out the first N rows", PP_HINT_NONE,
	  offsetof(struct pp_asked, budget.page) },
	{ "bytes", 0, PP_PARAM_COUNT, "N", "answer in at most N bytes (0 = any number)",
	  PP_HINT_NONE, offsetof(struct pp_asked, budget.bytes) },
	{ 0 },
};
const struct pp_param_group pp_params_budget = { "Budget", budget_params };

#define METRIC_PARAM                                                                               \
	{                                                                                          \
		"metric", 'm', PP_PARAM_TEXT, "NAME",                                              \
		    "the metric to show and sort by (default: the primary one)", PP_HINT_NONE,     \
		    offsetof(struct pp_asked, metric)                                              \
	}
#define LIMIT_PARAM                                                                                \
	{                                                                                          \
		"limit", 'n', PP_PARAM_COUNT, "N", "show N rows (0 = all)", PP_HINT_NONE,          \
		    offsetof(struct pp_asked, budget.rows)                                         \
	}

static const struct pp_param metric_params[] = { METRIC_PARAM, LIMIT_PARAM, { 0 } };
const struct pp_param_group pp_params_metric = { "Rows", metric_params };

static const struct pp_param rank_params[] = {
	METRIC_PARAM,
	{ "sort", 0, PP_PARAM_CHOICE, "self|total|calls|name",
	  "the order of the rows (default: self)", PP_HINT_NONE, offsetof(struct pp_ranked, sort) },
	LIMIT_PARAM,
	{ 0 },
};
const struct pp_param_group pp_params_rank = { "Rows", rank_params };

static const struct pp_param by_params[] = {
	{ "by", 0, PP_PARAM_CHOICE, "function|file|module|line|thread",
	  "what the rows are (default: function)", PP_HINT_NONE, 0 },
	{ 0 },
};
const struct pp_param_group pp_params_by = { "Rows", by_params };

static const struct pp_param min_params[] = {
	{ "min", 0, PP_PARAM_SHARE, "PCT", "leave out what is less than PCT percent of the whole",
	  PP_HINT_NONE, 0 },
	{ 0 },
};
const struct pp_param_group pp_params_min = { "Filters", min_params };

static const struct pp_param depth_params[] = {
	{ "depth", 0, PP_PARAM_COUNT, "N", "go no deeper than N frames", PP_HINT_NONE, 0 },
	{ 0 },
};
const struct pp_param_group pp_params_depth = { "Filters", depth_params };

/* The budget, which no question can be without. */
static const struct pp_param_use budget_use[] = { { &pp_params_budget, 0 }, { 0 } };

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
	asking->params->budget = (struct pp_budget){ .rows = PP_UNSET };
	if (question->init)
		question->init(asking->params);
	return true;
}

void
pp_asking_release(struct pp_asking *asking)
{
	pp_answer_release(&asking->answer);
	if (asking->params)
		pp_params_release(asking->question->params, asking->params);
	free(asking->params);
}

bool
pp_asking_set(struct pp_asking *asking, const char *name, const char *text, struct pp_buf *problem)
{
	const struct pp_param_use *uses = asking->question->params;
	const struct pp_param *param = pp_params_find(uses, name);
	bool known;

	if (!param) {
		uses = budget_use;
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

struct pp_want
pp_asking_want(const struct pp_asking *asking)
{
	struct pp_want want = { .facets = PP_TREE | PP_EDGES | PP_LINES | PP_META };

	if (asking->question->want)
		asking->question->want(asking->params, &want);
	return want;
}

pp_status
pp_asking_run(struct pp_asking *asking, const struct pp_subject *subject)
{
	struct pp_answer *a = &asking->answer;
	pp_status status;

	a->budget = asking->params->budget;
	a->exact = asking->params->exact;
	status = asking->question->run(subject, asking->params, a);
	return status == PP_OK && a->failed ? pp_answer_fail_status(a, PP_E_NOMEM) : status;
}

pp_status
pp_asked_metric(const struct pp_asked *asked, const struct pp_profile *p, struct pp_answer *a,
                size_t *metric)
{
	struct pp_suggest suggest;
	struct pp_buf text = { 0 };
	pp_status status;
	size_t i;

	*metric = pp_profile_primary(p);
	if (!asked->metric)
		return PP_OK;
	*metric = pp_profile_metric_find(p, pp_slice_z(asked->metric));
	if (*metric < p->metrics.n)
		return PP_OK;
	pp_suggest_init(&suggest, pp_slice_z(asked->metric));
	for (i = 0; i < p->metrics.n; i++) {
		pp_buf_adds(&text, i ? ", " : " (there is ");
		pp_metric_label(p, &p->metrics.at[i], &text);
		pp_suggest_offer(&suggest, pp_text_of(p, p->metrics.at[i].name));
	}
	pp_buf_adds(&text, i ? ")" : "");
	pp_suggest_print(&suggest, &text, "");
	status = pp_answer_fail(a, PP_E_USAGE, "no-metric", "no metric '%s' in this profile%s",
	                        asked->metric, text.n ? text.p : "");
	pp_buf_release(&text);
	return status;
}
