/*
 * report: one HTML file with every view of one or two profiles.
 */
#include <stddef.h>

#include "analysis/reshape.h"
#include "model/derive.h"
#include "questions/facts.h"
#include "questions/product.h"

#define MAX_SIZE (8u << 20)
#define FACTS_MOST 12

struct report_params {
	struct pp_asked asked;
	struct pp_scope scope;
	bool merge;
	uint64_t max_size;
	const char *title;
	struct pp_texts source;
};

static void report_init(void *);
static void report_want(const void *, struct pp_want *);
static pp_status report_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param report_params[] = {
	{ "output", 'o', PP_PARAM_TEXT, "OUT",
	  "the file to write (`-` or nothing = standard output)", PP_HINT_FILE,
	  offsetof(struct report_params, asked.output) },
	{ "metric", 'm', PP_PARAM_TEXT, "NAME", "what to show first", PP_HINT_NONE,
	  offsetof(struct report_params, asked.metric) },
	{ "merge", 0, PP_PARAM_FLAG, NULL, "add two files up instead of comparing them",
	  PP_HINT_NONE, offsetof(struct report_params, merge) },
	{ "max-size", 0, PP_PARAM_SIZE, "SIZE",
	  "sum up light parts until the file is no larger than this: 500K, 8M (default), 1G; "
	  "0 = keep all",
	  PP_HINT_NONE, offsetof(struct report_params, max_size) },
	{ "title", 0, PP_PARAM_TEXT, "TEXT", "the title", PP_HINT_NONE,
	  offsetof(struct report_params, title) },
	{ "source", 0, PP_PARAM_TEXTS, "DIR|auto",
	  "include the source found under DIR, or where the profile says it is (auto); may "
	  "be repeated",
	  PP_HINT_FILE, offsetof(struct report_params, source) },
	{ 0 },
};
static const struct pp_param_group report_group = { "Report", report_params };

static const struct pp_param_use report_uses[] = {
	{ &report_group, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_by, offsetof(struct report_params, scope), PP_GROUP_FIRST },
	{ &pp_params_root, offsetof(struct report_params, scope), PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct report_params, scope), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_report = {
	.name = "report",
	.summary = "one self-contained HTML file with every view",
	.params = report_uses,
	.params_size = sizeof(struct report_params),
	.scope_at = offsetof(struct report_params, scope),
	.asks = PP_ASKS_PICTURE,
	.gives = PP_GIVES_FILE,
	.makes = PP_MAKES_REPORT,
	.init = report_init,
	.want = report_want,
	.run = report_run,
};

static void
report_init(void *data)
{
	struct report_params *params = data;

	params->scope.keep_time = true;
}

static void
report_want(const void *data, struct pp_want *want)
{
	want->merge = ((const struct report_params *)data)->merge;
	want->facets |= PP_TIMELINE | PP_GAINS | PP_GAINS_ALL | PP_SOURCE;
	want->stacks = true;
}

/* ---- what is shown; lives in the answer ---- */

struct shown {
	struct pp_product product;
	struct pp_profile *own[PP_DIGEST_MAX]; /* made for this */
	const char *files[PP_DIGEST_MAX];
};

static void
shown_release(void *data)
{
	struct shown *s = data;

	pp_profile_free(s->own[0]);
	pp_profile_free(s->own[1]);
}

/* A stretch of time is a profile of its own: its costs are booked, the timeline is still that of the whole. */
static bool
forget_time(struct shown *s, size_t i)
{
	struct pp_derive d;

	if (!pp_derive_init(&d, s->product.profiles[i], 0, PP_COLUMN_TIMES))
		return false;
	d.to->facets &= ~(unsigned)PP_TIMELINE;
	(void)pp_derive_finish(&d, PP_OK, &s->own[i]);
	s->product.profiles[i] = s->own[i];
	return true;
}

/* A differential file is two profiles by itself, unless one of its metrics is asked for. */
static pp_status
split(struct shown *s, const struct report_params *params)
{
	const struct pp_profile *whole = s->product.profiles[0];
	size_t before = pp_profile_metric_find(whole, pp_slice_z("before"));
	size_t after = pp_profile_metric_find(whole, pp_slice_z("after"));
	struct pp_profile *both[PP_DIGEST_MAX] = { NULL, NULL };
	pp_status status;
	size_t i;

	if (s->product.n != 1 || before >= whole->metrics.n || after >= whole->metrics.n ||
	    params->asked.metric)
		return PP_OK;
	status = pp_reshape_names(whole, before, NULL, &both[0]);
	if (status == PP_OK)
		status = pp_reshape_names(whole, after, NULL, &both[1]);
	for (i = 0; i < PP_DIGEST_MAX; i++) {
		pp_profile_free(s->own[i]);
		s->product.profiles[i] = s->own[i] = both[i];
	}
	s->product.n = 2;
	return status;
}

/* ---- what the numbers say by themselves ---- */

/* Facts live in an answer of their own: what cannot be compared for them may well be drawn. */
static pp_status
facts_copy(const struct pp_facts *f, struct pp_answer *a, struct pp_html_opts *opts)
{
	size_t n = f->list.n < FACTS_MOST ? f->list.n : FACTS_MOST, i;
	struct pp_html_fact *list = pp_answer_alloc(a, (n + 1) * sizeof *list);

	if (!list)
		return PP_E_NOMEM;
	for (i = 0; i < n; i++) {
		const struct pp_fact *fact = &f->list.at[i];
		pp_func func = fact->of_function ? pp_handles_func(f->handles, fact->handle) : 0;
		struct pp_slice said = pp_slice_z(fact->evidence);

		list[i] = (struct pp_html_fact){
			.share = fact->share,
			.text = pp_answer_copy(
			    a, fact->name_end ? pp_slice_of(said.p, fact->name_at) : said),
			.rest = fact->name_end
			            ? pp_answer_copy(a, pp_slice_from(said, fact->name_end))
			            : NULL,
			.func = pp_text_of(f->handles->profile,
			                   f->handles->profile->funcs.at[func].name),
		};
		if (!func)
			list[i].func.n = 0;
	}
	opts->facts = list;
	opts->fact_count = n;
	return PP_OK;
}

/* Of the one profile, or of the later of two and what changed. */
static pp_status
facts_tell(const struct pp_subject *subject, const struct report_params *params,
           struct pp_answer *a, struct pp_html_opts *opts)
{
	struct pp_compared compared = { .asked = params->asked };
	struct pp_subject sides = *subject;
	struct pp_answer said;
	struct pp_excerpt x = { .answer = &said, .subject = subject, .asked = &params->asked };
	struct pp_facts f;
	pp_status status;

	pp_answer_init(&said);
	x.head = (struct pp_row){ .out = &x.head_bytes, .text = true, .clip = PP_FACT_NAME_BYTES };
	sides.split = 1;
	status = pp_facts_make(&f, &x, &subject->topics[subject->n - 1], &params->asked);
	if (status == PP_OK && subject->n == 2)
		status = pp_facts_changes(&f, &sides, &compared);
	if (status != PP_E_NOMEM) {
		pp_facts_sort(&f);
		status = facts_copy(&f, a, opts);
	}
	pp_facts_release(&f);
	pp_buf_release(&x.head_bytes);
	pp_answer_release(&said);
	return status;
}

static pp_status
report_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct report_params *params = data;
	struct shown *s = pp_answer_own(a, sizeof *s, shown_release);
	struct pp_product *product = s ? &s->product : NULL;
	const char **inputs = pp_answer_alloc(a, (subject->file_count + 1) * sizeof *inputs);
	pp_status status;
	size_t i;

	if (!s || !inputs)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	product->kind = PP_MAKES_REPORT;
	product->n = subject->n;
	for (i = 0; i < subject->n; i++) {
		product->profiles[i] = subject->topics[i].profile;
		if (pp_scope_has_time(&params->scope) && !forget_time(s, i))
			return pp_answer_fail_status(a, PP_E_NOMEM);
	}
	status = split(s, params);
	if (status != PP_OK)
		return pp_answer_fail(a, status, "cannot-compare", "cannot compare: %s",
		                      pp_status_text(status));
	/* All functions would be gone, and others new. */
	if (product->n == 2)
		status = pp_compare_possible(a, product->profiles[0], product->profiles[1]);
	if (status != PP_OK)
		return status;
	for (i = 0; i < subject->file_count; i++)
		inputs[i] = subject->files[i];
	s->files[0] = s->files[1] = subject->file_count ? subject->files[0] : "profile";
	if (subject->n == 2 && subject->file_count == 2)
		s->files[1] = subject->files[1];
	product->report = (struct pp_html_opts){
		.title = params->title,
		.files = s->files,
		.inputs = inputs,
		.words = subject->words,
		.source = subject->source,
		.source_data = subject->source_data,
		.names = (enum pp_names)params->asked.names,
		.max_size = params->max_size == PP_UNSET ? MAX_SIZE : params->max_size,
	};
	a->product = product;
	/* A differential file says nothing of two profiles. */
	if (product->n == subject->n && facts_tell(subject, params, a, &product->report) != PP_OK)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	return pp_asked_metric(&params->asked, product->profiles[0], a, &product->report.metric);
}
