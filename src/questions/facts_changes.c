/*
 * Facts about what changed since another profile.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "questions/facts.h"

#define CHANGED_LEAST 0.05
#define SIZE_CALLS 10
#define SIZE_ROWS 3
#define SIZE_LEAST 1.2
#define EXPONENT_LEAST 1.5

struct changes {
	struct pp_facts *facts;
	const struct pp_diff *diff;
	const struct pp_handles *before;
};

/* Whether more calls or more expensive ones made the difference. */
static const char *
because_of(const struct changes *c, const struct pp_diff_row *r)
{
	double self = r->self.value[PP_AFTER] / r->self.value[PP_BEFORE];
	double calls = r->calls[PP_AFTER] / r->calls[PP_BEFORE], s;

	if (r->self.status == PP_NEW || !r->profile[PP_BEFORE])
		return "new";
	if (r->self.status == PP_GONE || !r->profile[PP_AFTER])
		return "gone";
	if (!c->diff->has_calls || !(r->calls[PP_BEFORE] > 0) || !(r->calls[PP_AFTER] > 0) ||
	    !(self > 0) || !isfinite(self) || self == 1)
		return "unknown";
	s = log(calls) / log(self);
	return s >= 0.8 ? "calls" : s <= 0.2 ? "cost-per-call" : "both";
}

static void
ids_add(struct pp_row *r, const struct changes *c, const struct pp_diff_row *d)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(d, &p);

	pp_row_key(r, "before_id");
	pp_row_handle(r, 'f',
	              d->profile[PP_BEFORE] ? pp_handles_rank(c->before, d->func[PP_BEFORE]) : 0);
	pp_row_key(r, "after_id");
	pp_row_handle(r, 'f',
	              d->profile[PP_AFTER] ? pp_handles_rank(c->facts->handles, d->func[PP_AFTER])
	                                   : 0);
	pp_row_key(r, "name");
	pp_row_name(r, p, (pp_func)(f - p->funcs.at));
}

static void
changed_say(struct pp_stating *s, const struct pp_diff_row *d, const char *because)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(d, &p);
	double delta = pp_diff_delta(&d->self);

	pp_fact_say_function(s, p, (pp_func)(f - p->funcs.at));
	if (strcmp(because, "new") == 0 || strcmp(because, "gone") == 0) {
		pp_fact_say(s, *because == 'n' ? " is new: " : " is gone: it cost ");
	} else {
		pp_fact_say(s, delta > 0 ? " itself costs more: by " : " itself costs less: by ");
	}
	pp_fact_say_value(s, fabs(delta));
	if (strcmp(because, "calls") == 0)
		pp_fact_say(s, delta > 0 ? ", since it is called more often"
		                         : ", since it is called less often");
	else if (strcmp(because, "cost-per-call") == 0)
		pp_fact_say(s, delta > 0 ? ", since each call costs more"
		                         : ", since each call costs less");
	else if (strcmp(because, "both") == 0)
		pp_fact_say(s, ", by the number of calls and by what each costs");
}

static void
changed_find(struct changes *c)
{
	const struct pp_diff *d = c->diff;
	double whole = pp_diff_size(d), delta;
	char number[PP_NUM_MAX], text[16];
	size_t i;

	for (i = 0; i < d->rows.n && whole > 0; i++) {
		const struct pp_diff_row *r = &d->rows.at[i];
		uint32_t handle = r->profile[PP_AFTER]
		                      ? pp_handles_rank(c->facts->handles, r->func[PP_AFTER])
		                      : 0;
		struct pp_stating s;

		delta = fabs(pp_diff_delta(&r->self));
		if (r->self.status == PP_SAME || r->self.status == PP_NOISE ||
		    delta < CHANGED_LEAST * whole)
			continue;
		snprintf(text, sizeof text, "f%u", handle);
		pp_fact_begin(&s, c->facts);
		ids_add(&s.row, c, r);
		pp_row_key(&s.row, "status");
		pp_row_word(&s.row, pp_diff_status_name(r->self.status));
		pp_row_key(&s.row, "delta");
		pp_row_raw(&s.row, number, pp_compare_print_delta(d, &r->self, number));
		pp_row_key(&s.row, "because");
		pp_row_word(&s.row, because_of(c, r));
		changed_say(&s, r, because_of(c, r));
		pp_fact_end(&s, "changed", delta / whole, handle, handle ? "callers" : NULL,
		            "function", text);
	}
}

static int
ratio_order(const void *left, const void *right, void *context)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* How much more there was to do: the median of how often functions were called; 0 = not known. */
static double
size_ratio(struct changes *c)
{
	const struct pp_diff *d = c->diff;
	double *ratios = calloc(d->rows.n + 1, sizeof *ratios), ratio = 0;
	size_t i, n = 0;

	c->facts->failed |= !ratios;
	for (i = 0; ratios && i < d->rows.n; i++) {
		const double *calls = d->rows.at[i].calls;

		if (calls[0] >= SIZE_CALLS && calls[1] >= SIZE_CALLS && calls[0] != calls[1])
			ratios[n++] = calls[1] / calls[0];
	}
	if (n >= SIZE_ROWS) {
		pp_sort(ratios, n, sizeof *ratios, ratio_order, NULL);
		ratio = n % 2 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2;
	}
	free(ratios);
	return ratio;
}

static void
superlinear_find(struct changes *c)
{
	const struct pp_diff *d = c->diff;
	double ratio = d->has_calls ? size_ratio(c) : 0, exponent;
	char text[16];
	size_t i;

	for (i = 0; ratio >= SIZE_LEAST && i < d->rows.n; i++) {
		const struct pp_diff_row *r = &d->rows.at[i];
		const double *self = r->self.value;
		uint32_t handle;
		struct pp_stating s;

		if (!r->profile[0] || !r->profile[1] || !(self[0] > 0) ||
		    !(self[1] >= CHANGED_LEAST * d->whole.part[1]))
			continue;
		exponent = log(self[1] / self[0]) / log(ratio);
		if (!(exponent >= EXPONENT_LEAST))
			continue;
		handle = pp_handles_rank(c->facts->handles, r->func[PP_AFTER]);
		snprintf(text, sizeof text, "f%u", handle);
		pp_fact_begin(&s, c->facts);
		pp_fact_function(&s.row, c->facts, "after_id", "name", r->func[PP_AFTER]);
		pp_row_key(&s.row, "exponent");
		pp_row_real(&s.row, exponent, 2);
		pp_row_key(&s.row, "size_ratio");
		pp_row_real(&s.row, ratio, 2);
		pp_fact_say_function(&s, c->facts->profile, r->func[PP_AFTER]);
		pp_fact_say(&s, " grows faster than the work: there was ");
		pp_fact_say_real(&s, ratio);
		pp_fact_say(&s, " times as much to do, and its cost rose with the power ");
		pp_fact_say_real(&s, exponent);
		pp_fact_say(&s, " of that");
		pp_fact_end(&s, "superlinear", self[1] / d->whole.part[1], handle, "callers",
		            "function", text);
	}
}

pp_status
pp_facts_changes(struct pp_facts *f, const struct pp_subject *subject,
                 const struct pp_compared *params)
{
	bool in_order = subject->split == 1;
	const struct pp_topic *before = &subject->topics[in_order ? 0 : 1];
	struct pp_topic topics[2] = { *before, subject->topics[in_order ? 1 : 0] };
	struct pp_subject sides = *subject;
	struct changes c = { .facts = f };
	struct pp_compare *compare;
	pp_status status;

	sides.topics = topics;
	sides.n = 2;
	sides.split = 1;
	c.before = pp_excerpt_handles(f->x, before);
	if (!c.before)
		return pp_answer_fail_status(f->x->answer, PP_E_NOMEM);
	status = pp_compare_make(f->x->answer, &sides, params, &compare);
	if (status != PP_OK)
		return status;
	c.diff = &compare->diff;
	changed_find(&c);
	superlinear_find(&c);
	return f->failed ? pp_answer_fail_status(f->x->answer, PP_E_NOMEM) : PP_OK;
}
