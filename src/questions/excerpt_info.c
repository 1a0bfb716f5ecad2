/*
 * What a profile is, under a budget.
 */
#include "questions/excerpt_info.h"

#include <stdlib.h>

#include "analysis/counts.h"
#include "questions/describe.h"
#include "questions/excerpt_tree.h"
#include "questions/facts.h"

/* ---- under a budget ---- */

struct excerpt {
	const struct pp_profile *profile;
	union pp_value *totals;
};

static void
excerpt_release(void *data)
{
	free(((struct excerpt *)data)->totals);
}

static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct excerpt *e = data;
	const struct pp_metric *m = &e->profile->metrics.at[row];
	struct pp_buf label = { 0 };

	pp_metric_label(e->profile, m, &label);
	pp_row_text(r, pp_slice_of(label.p ? label.p : "", label.n));
	pp_row_text(r, pp_text_of(e->profile, m->unit));
	pp_row_value(r, m, e->totals[row]);
	pp_buf_release(&label);
}

static void
counts_add(struct pp_row *r, const struct pp_profile *p, const struct pp_counts *counts)
{
	const struct {
		const char *key;
		uint64_t count;
	} all[] = { { "stacks", counts->stacks },
		    { "functions", counts->functions },
		    { "threads", counts->threads },
		    { "edges", counts->edges },
		    { "lines", counts->lines } };
	size_t i, primary = pp_profile_primary(p);

	pp_row_key(r, "counts");
	pp_row_open(r, '{');
	pp_row_key(r, "events");
	pp_row_count(r, p->events);
	pp_row_key(r, "samples");
	if (pp_samples_are_weights(p))
		pp_row_value(r, &p->metrics.at[primary], pp_profile_total(p, primary));
	else
		pp_row_count(r, p->samples);
	for (i = 0; i < PP_COUNT_OF(all); i++) {
		pp_row_key(r, all[i].key);
		pp_row_count(r, all[i].count);
	}
	pp_row_close(r, '}');
}

pp_status
pp_info_excerpt(const struct pp_subject *subject, const void *params, struct pp_excerpt *x)
{
	static const char *const columns[] = { "metric", "unit", "total" };
	const struct pp_topic *t = subject->topics;
	const struct pp_profile *p = t->profile;
	struct excerpt *e = pp_answer_own(x->answer, sizeof *e, excerpt_release);
	size_t primary = pp_profile_primary(p);
	struct pp_counts counts;

	if (e)
		*e = (struct excerpt){ p, pp_profile_totals(p) };
	if (!e || !e->totals || !pp_counts_compute(p, &counts))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	/* The primary metric, which other answers are about unless another is asked for. */
	pp_excerpt_head(x, t, primary, e->totals[primary]);
	pp_excerpt_shorten(x);
	pp_row_key(&x->head, "producer");
	pp_row_text(&x->head, pp_text_of(p, p->producer));
	counts_add(&x->head, p, &counts);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, pp_metrics_shown(p));
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = pp_metrics_shown(p);
	x->data = e;
	x->row = excerpt_row;
	return PP_OK;
}

/* ---- the summary; lives in the answer ---- */

#define FUNCTIONS_SHOWN 10
#define PATH_SHOWN 8
/* The path leaves that much for the rows. */
#define PATH_ROOM 460

struct summary {
	struct pp_facts facts;
	double whole;
	const union pp_value *totals; /* of nodes */
	union pp_value *own;          /* the same, if they had to be made */
};

static void
summary_release(void *data)
{
	struct summary *s = data;

	pp_facts_release(&s->facts);
	free(s->own);
}

static double
summary_percent(void *data, size_t row)
{
	const struct summary *s = data;
	const struct pp_flat *f = &s->facts.flat;

	if (s->whole == 0)
		return 0;
	return pp_value_double(&f->profile->metrics.at[s->facts.metric],
	                       pp_flat_gained(f, row, s->facts.metric).own) /
	       s->whole * 100;
}

static void
summary_row(void *data, size_t row, struct pp_row *r)
{
	const struct summary *s = data;
	const struct pp_flat *f = &s->facts.flat;
	const struct pp_metric *m = &f->profile->metrics.at[s->facts.metric];
	struct pp_cost_pair cost = pp_flat_gained(f, row, s->facts.metric);

	pp_row_handle(r, 'f', pp_handles_rank(s->facts.handles, f->func[row]));
	pp_row_pct(r, pp_value_double(m, cost.own), s->whole);
	pp_row_pct(r, pp_value_double(m, cost.total), s->whole);
	pp_row_name(r, f->profile, f->func[row]);
}

/* Always into the heaviest callee, while that has half of its caller and a tenth of the whole; returns how many. */
static uint32_t
path_find(const struct summary *s, const struct pp_numbering *t, uint32_t *path, uint32_t most)
{
	const struct pp_metric *m = &t->profile->metrics.at[s->facts.metric];
	uint32_t n = 0, at = 0, child, best;

	while (t->n && n < most) {
		for (child = best = at + 1; child < t->end[at]; child = t->end[child])
			if (pp_value_cmp(m, s->totals[child], s->totals[best]) > 0)
				best = child;
		if (best >= t->end[at] || pp_value_double(m, s->totals[best]) < s->whole / 10 ||
		    pp_value_double(m, s->totals[best]) < pp_value_double(m, s->totals[at]) / 2)
			break;
		path[n++] = at = best;
	}
	return n;
}

/* Of "hot_path" each [n, f, pct, name]. */
static void
path_add(struct pp_excerpt *x, const struct summary *s, const struct pp_numbering *t)
{
	const struct pp_metric *m = &t->profile->metrics.at[s->facts.metric];
	uint32_t path[256], n = path_find(s, t, path, PP_COUNT_OF(path)), i;
	struct pp_row *r = &x->head;

	for (i = n > PATH_SHOWN ? n - PATH_SHOWN : 0; i < n; i++) {
		if (x->limit && r->out->n + PATH_ROOM > x->limit)
			continue;
		pp_row_open(r, '[');
		pp_row_handle(r, 'n', pp_numbering_handle(t, path[i]));
		pp_row_handle(r, 'f', pp_handles_rank(s->facts.handles, t->func[path[i]]));
		pp_row_pct(r, pp_value_double(m, s->totals[path[i]]), s->whole);
		pp_row_name(r, t->profile, t->func[path[i]]);
		pp_row_close(r, ']');
	}
}

pp_status
pp_summary_excerpt(const struct pp_subject *subject, const void *params, struct pp_excerpt *x)
{
	static const char *const columns[] = { "id", "self_pct", "total_pct", "name" };
	const struct pp_topic *t = subject->topics;
	const struct pp_numbering *tree = pp_excerpt_numbering(x->answer, t);
	struct summary *s = pp_answer_own(x->answer, sizeof *s, summary_release);
	const struct pp_flat *f;
	union pp_value total = { 0 };
	pp_status status;
	uint64_t count;
	size_t metric;

	if (!s || !tree)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	status = pp_facts_count(&s->facts, x, t, params, &count);
	if (status != PP_OK)
		return status;
	f = &s->facts.flat;
	metric = s->facts.metric;
	if (metric < t->profile->metrics.n && f->whole) {
		total = f->whole[metric];
		s->whole = pp_value_double(&t->profile->metrics.at[metric],
		                           pp_flat_whole(f, metric));
		if (!tree->n || metric != pp_profile_primary(t->profile))
			s->own = tree->n ? pp_numbering_totals(tree, metric)
			                 : calloc(1, sizeof *s->own);
		s->totals = s->own ? s->own : tree->total;
		if (!s->totals)
			return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	}
	pp_excerpt_head(x, t, metric, total);
	pp_excerpt_shorten(x);
	pp_row_key(&x->head, "functions");
	pp_row_count(&x->head, f->n);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, f->n < FUNCTIONS_SHOWN ? f->n : FUNCTIONS_SHOWN);
	pp_row_key(&x->head, "findings");
	pp_row_count(&x->head, count);
	/* Empty where no whole stacks were recorded. */
	pp_row_key(&x->head, "hot_path");
	pp_row_open(&x->head, '[');
	if (s->totals && tree->n > 1)
		path_add(x, s, tree);
	pp_row_close(&x->head, ']');
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = s->totals ? f->n : 0;
	x->rows = x->rows < FUNCTIONS_SHOWN ? x->rows : FUNCTIONS_SHOWN;
	x->data = s;
	x->row = summary_row;
	x->percent = summary_percent;
	return PP_OK;
}
