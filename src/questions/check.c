/*
 * check: does a file keep the rules of its format?
 */
#include <stddef.h>
#include <stdlib.h>

#include "formats/format.h"
#include "questions/excerpt.h"
#include "questions/findings.h"
#include "questions/question.h"
#include "text/units.h"

static void check_want(const void *, struct pp_want *);
static pp_status check_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status check_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param check_params[] = {
	{ "strict", 0, PP_PARAM_FLAG, NULL, "warnings count as findings (exit 1)", PP_HINT_NONE,
	  offsetof(struct pp_asked, reading.strict) },
	{ 0 },
};
static const struct pp_param_group check_group = { "Verdict", check_params };

static const struct pp_param_use check_uses[] = { { &check_group, 0, PP_GROUP_INPUT }, { 0 } };

const struct pp_question pp_question_check = {
	.name = "check",
	.summary = "validate files against the rules of their format",
	.params = check_uses,
	.params_size = sizeof(struct pp_asked),
	.asks = PP_ASKS_EACH,
	.judges = true,
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.want = check_want,
	.excerpt = check_excerpt,
	.run = check_run,
};

static void
check_want(const void *params, struct pp_want *want)
{
	want->facets |= PP_FINDINGS;
}

enum verdict { ACCEPT, WARN, REJECT };

static const char *const verdict_names[] = { "accept", "warn", "reject" };
static const enum pp_ink verdict_inks[] = { PP_INK_GOOD, PP_INK_WARNING, PP_INK_ERROR };

static enum verdict
verdict_of(const struct pp_topic *t)
{
	if (t->status != PP_OK || (t->diags && pp_diags_total(t->diags, PP_ERROR) > 0))
		return REJECT;
	return t->diags && pp_diags_total(t->diags, PP_WARNING) > 0 ? WARN : ACCEPT;
}

static void
verdict_say(struct pp_answer *a, const struct pp_topic *t, enum verdict verdict)
{
	struct pp_buf text = { 0 };

	if (t->diags) {
		pp_units_listed(&text, t->diags->totals[PP_ERROR], "error", "errors");
		pp_units_listed(&text, t->diags->totals[PP_WARNING], "warning", "warnings");
		pp_units_listed(&text, t->diags->totals[PP_NOTE], "note", "notes");
	}
	pp_answer_say_name(a, PP_INK_TITLE, pp_slice_z(t->file ? t->file : "profile"));
	pp_answer_say(a, PP_INK_PLAIN, ": ");
	pp_answer_say(a, verdict_inks[verdict], "%s", verdict_names[verdict]);
	if (t->chosen)
		pp_answer_say(a, PP_INK_PLAIN, " (%s%s%s)", t->chosen->name, text.n ? ": " : "",
		              text.n ? text.p : "");
	else if (text.n)
		pp_answer_say(a, PP_INK_PLAIN, " (%s)", text.p);
	pp_answer_say(a, PP_INK_PLAIN, "\n");
	pp_buf_release(&text);
}

/* For CSV all files share one header. */
static void
csv_add(struct pp_answer *a, const struct pp_subject *subject)
{
	const struct pp_diags **diags = pp_answer_alloc(a, (subject->n + 1) * sizeof *diags);
	size_t i, n = 0;

	for (i = 0; diags && i < subject->n; i++)
		if (subject->topics[i].diags)
			diags[n++] = subject->topics[i].diags;
	if (diags)
		pp_answer_findings_of(a, diags, n);
}

/* A file that was read but is wrong is a finding; one that could not be read at all is not. */
static pp_status
check_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct pp_asked *asked = data;
	const struct pp_topic *t = &subject->topics[subject->nth];
	enum verdict verdict = verdict_of(t);
	pp_status status = t->status == PP_E_INVALID ? PP_OK : t->status;

	a->stands = true;
	a->exceeded |= status == PP_OK &&
	               (verdict == REJECT || (verdict == WARN && asked->reading.strict));
	if (subject->nth == 0)
		pp_answer_open_list(a, "files");
	pp_answer_open(a, NULL);
	pp_answer_text(a, "file", PP_AS_NAME, pp_slice_z(t->file ? t->file : ""));
	if (t->chosen)
		pp_answer_textz(a, "format", t->chosen->name);
	pp_answer_textz(a, "verdict", verdict_names[verdict]);
	if (t->diags) {
		pp_answer_findings(a, t->diags);
		pp_answer_list_findings(a, t->diags, asked->quiet ? PP_ERROR : PP_NOTE,
		                        asked->verbose ? 0 : PP_FINDINGS_SHOWN);
	}
	if (t->profile)
		pp_answer_bool(a, "complete", t->profile->complete);
	pp_answer_close(a);
	if (!asked->quiet || verdict != ACCEPT)
		verdict_say(a, t, verdict);
	if (subject->nth + 1 == subject->n) {
		pp_answer_close_list(a);
		csv_add(a, subject);
	}
	return status;
}

/* ---- under a budget ---- */

static void
order_release(void *data)
{
	pp_diag_order_release(data);
}

/* Messages may quote the file: they are strings of their own. */
static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct pp_diag *d = ((const struct pp_diag_order *)data)->at[row];
	struct pp_buf place = { 0 };

	pp_row_word(r, pp_severity_name(d->severity));
	pp_row_word(r, d->rule->id);
	if (d->line)
		pp_buf_addf(&place, "line %llu", (unsigned long long)d->line);
	else if (d->offset != PP_NO_OFFSET)
		pp_buf_addf(&place, "offset %llu", (unsigned long long)d->offset);
	if (place.n)
		pp_row_word(r, place.p);
	else
		pp_row_null(r);
	pp_row_text(r, pp_slice_z(d->message));
	pp_buf_release(&place);
}

static pp_status
check_excerpt(const struct pp_subject *subject, const void *data, struct pp_excerpt *x)
{
	static const char *const columns[] = { "severity", "rule", "place", "message" };
	const struct pp_asked *asked = data;
	const struct pp_topic *t = &subject->topics[subject->nth];
	enum verdict verdict = verdict_of(t);
	pp_status status = t->status == PP_E_INVALID ? PP_OK : t->status;
	struct pp_diag_order *order = pp_answer_own(x->answer, sizeof *order, order_release);

	if (subject->n != 1)
		return pp_answer_fail(x->answer, PP_E_USAGE, PP_RULE_USAGE,
		                      "under a budget one file is checked at a time");
	if (status != PP_OK)
		return status;
	if (!order || (t->diags && !pp_diag_order_init(order, t->diags)))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	x->answer->exceeded |= verdict == REJECT || (verdict == WARN && asked->reading.strict);
	pp_excerpt_head(x, t, SIZE_MAX, (union pp_value){ 0 });
	pp_row_key(&x->head, "verdict");
	pp_row_word(&x->head, verdict_names[verdict]);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, order->n);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = order->n;
	x->data = order;
	x->row = excerpt_row;
	return PP_OK;
}
