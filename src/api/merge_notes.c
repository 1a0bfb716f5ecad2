/*
 * What a merged profile could not take over, for people.
 */
#include "api/merge_notes.h"

#include "api/reply.h"
#include "text/escape.h"
#include "text/suggest.h"
#include "text/units.h"

/* Of more metrics than that, the number is told. */
#define METRICS_LISTED 6

/* Adds the names of the metrics that so many of the profiles have; how many metrics they are. */
static size_t
metrics_list(const struct pp_merge *m, uint32_t having, struct pp_buf *out)
{
	const struct pp_profile *p = m->builder.profile;
	struct pp_buf title = { 0 };
	size_t i, n = 0;

	for (i = 0; i < pp_metrics_shown(p); i++) {
		if (m->metrics.at[i].having != having)
			continue;
		if (n++ >= METRICS_LISTED)
			continue;
		title.n = 0;
		pp_metric_title(p, &p->metrics.at[i], &title);
		pp_buf_adds(out, n > 1 ? ", " : "");
		pp_escape_terminal(out, pp_slice_of(title.p ? title.p : "", title.n));
	}
	if (n > METRICS_LISTED)
		pp_buf_addf(out, " and %zu more", n - METRICS_LISTED);
	out->failed |= title.failed;
	pp_buf_release(&title);
	return n;
}

void
pp_merge_notes(struct pp_answer *a, const struct pp_merge *m)
{
	const struct pp_profile *p = m->builder.profile;
	struct pp_buf names = { 0 };
	size_t i, k, n;

	/* Metrics that as many profiles have are told together. */
	for (i = 0; i < pp_metrics_shown(p); i++) {
		uint32_t having = m->metrics.at[i].having;

		for (k = 0; k < i && m->metrics.at[k].having != having; k++)
			;
		if (having >= m->profiles || k < i)
			continue;
		names.n = 0;
		n = metrics_list(m, having, &names);
		pp_answer_note(a, "metric-in-some",
		               "only %u of %zu profiles %s %s; %s from %s alone", having,
		               m->profiles, having == 1 ? "has" : "have", names.p ? names.p : "",
		               n == 1 ? "its total is" : "their totals are",
		               having == 1 ? "that one" : "those");
	}
	if (m->lost & PP_EDGES)
		pp_answer_note(
		    a, "calls-in-some",
		    "not all profiles hold individual calls; the merged one has only stacks");
	if (m->lost & PP_LINES)
		pp_answer_note(a, "lines-in-some",
		               "not all profiles hold costs per line; the merged one has none");
	if (m->joined_threads)
		pp_answer_note(a, "threads-joined", "threads beyond the first %d are combined",
		               PP_MERGE_SERIES);
	a->failed |= names.failed;
	pp_buf_release(&names);
}

/* Says that files were merged, where neither the question nor who found them in a directory does. */
void
pp_merged_note(struct pp_reply *r, const char *const *files, size_t n)
{
	const struct pp_question *q = r->asking.question;
	struct pp_buf text = { 0 };

	if (n < 2 || r->from_directory || q->makes || strcmp(q->name, "summary") == 0)
		return;
	pp_units_u64(&text, n);
	pp_buf_adds(&text, r->from_store ? " profiles, merged" : " files, merged");
	if (n == 2 && !r->from_store) {
		pp_buf_adds(&text, "; what changed between them: polyprof diff ");
		pp_suggest_word(&text, files[0]);
		pp_buf_adds(&text, " ");
		pp_suggest_word(&text, files[1]);
	}
	pp_answer_note(&r->asking.answer, "merged", "%s", pp_answer_made(&r->asking.answer, &text));
	pp_buf_release(&text);
}
