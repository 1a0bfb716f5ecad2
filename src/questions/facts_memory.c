/*
 * Facts about memory: what was allocated and given back, and who is costly both in time and in memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "questions/facts.h"
#include "text/units.h"

#define CHURN_LEAST (1 << 20)
#define CHURN_TIMES 10
#define BOTH_LEAST 0.05

/* ---- churn ---- */

static size_t
metric_among(const struct pp_profile *p, const char *const *names)
{
	size_t i;

	for (i = 0; i < pp_metrics_shown(p); i++) {
		const char *const *name;

		for (name = names; *name; name++)
			if (p->metrics.at[i].kind == PP_KIND_BYTES &&
			    pp_slice_eq_z(pp_text_of(p, p->metrics.at[i].name), *name))
				return i;
	}
	return p->metrics.n;
}

struct by_cost {
	double cost;
	size_t row;
};

static int
cost_order(const void *left, const void *right, void *context)
{
	const struct by_cost *a = left, *b = right;

	return a->cost != b->cost ? (a->cost < b->cost ? 1 : -1)
	                          : (a->row > b->row) - (a->row < b->row);
}

/* The functions that allocate most, by a metric or by what another gained. */
static void
allocators_add(struct pp_stating *s, struct pp_facts *f, size_t metric)
{
	struct pp_row *r = &s->row;
	struct by_cost *list = calloc(f->flat.n + 1, sizeof *list);
	size_t row;

	f->failed |= !list;
	pp_row_key(r, "ids");
	pp_row_open(r, '[');
	for (row = 0; list && row < f->flat.n; row++)
		list[row] =
		    (struct by_cost){ pp_value_double(&f->profile->metrics.at[metric],
			                              pp_flat_gained(&f->flat, row, metric).own),
			              row };
	if (list && f->flat.n > 1)
		pp_sort(list, f->flat.n, sizeof *list, cost_order, NULL);
	for (row = 0; list && row < f->flat.n && row < PP_FACT_IDS && list[row].cost > 0; row++) {
		pp_row_handle(r, 'f', pp_handles_rank(f->handles, f->flat.func[list[row].row]));
		pp_fact_say(s, row ? ", " : "; most of it by ");
		pp_fact_say_function(s, f->profile, f->flat.func[list[row].row]);
	}
	pp_row_close(r, ']');
	free(list);
}

static void
churn_find(struct pp_facts *f)
{
	static const char *const allocated_names[] = { "alloc_bytes",         "alloc_space",
		                                       "allocated_bytes",     "allocated",
		                                       "sampled_alloc_bytes", NULL };
	static const char *const live_names[] = { "live_bytes", "inuse_space",        "inuse_bytes",
		                                  "live",       "sampled_live_bytes", NULL };
	static const char *const freed_names[] = { "free_bytes", "freed_bytes", "freed", NULL };
	const struct pp_profile *p = f->profile;
	size_t metric = metric_among(p, allocated_names), live = metric_among(p, live_names);
	size_t freed = metric_among(p, freed_names), i;
	double allocated, left;
	struct pp_stating s;

	/* Memory in use whose steps are known says the same: what was gained, and what is left. */
	for (i = 0; metric == p->metrics.n && i < pp_metrics_shown(p); i++)
		if (p->metrics.at[i].kind == PP_KIND_BYTES && pp_metric_falls(&p->metrics.at[i]) &&
		    pp_metric_gained(p, i) < p->metrics.n)
			metric = live = i;
	if (metric == p->metrics.n || (live == p->metrics.n && freed == p->metrics.n))
		return;
	allocated = pp_value_double(&p->metrics.at[metric], pp_flat_whole(&f->flat, metric));
	left = live < p->metrics.n
	           ? pp_value_double(&p->metrics.at[live], f->flat.whole[live])
	           : allocated - pp_value_double(&p->metrics.at[freed], f->flat.whole[freed]);
	if (allocated < CHURN_LEAST || allocated < CHURN_TIMES * left)
		return;
	pp_fact_begin(&s, f);
	pp_row_key(&s.row, "allocated");
	pp_row_real(&s.row, allocated, 0);
	pp_row_key(&s.row, "live");
	pp_row_real(&s.row, left, 0);
	pp_units_bytes(&s.said, allocated);
	pp_fact_say(&s, " allocated, only ");
	pp_units_bytes(&s.said, fmax(0, left));
	pp_fact_say(&s, " of it still in use");
	allocators_add(&s, f, metric);
	pp_fact_end(&s, "churn", 1 - fmax(0, left) / allocated, 0, NULL, NULL, NULL);
}

/* ---- time and memory at once ---- */

static bool
is_time(const struct pp_metric *m)
{
	return m->kind == PP_KIND_WALL_TIME || m->kind == PP_KIND_CPU_TIME ||
	       m->kind == PP_KIND_SAMPLES || m->kind == PP_KIND_EVENTS;
}

static double
share_of(const struct pp_facts *f, size_t row, size_t metric)
{
	const struct pp_metric *m = &f->profile->metrics.at[metric];
	double whole = pp_value_double(m, pp_flat_whole(&f->flat, metric));

	return whole > 0 ? pp_value_double(m, pp_flat_gained(&f->flat, row, metric).own) / whole
	                 : 0;
}

/* The first metric of time or of memory that a function has a share of; metrics.n when there is none. */
static size_t
metric_hot(const struct pp_facts *f, size_t row, bool time)
{
	const struct pp_profile *p = f->profile;
	size_t i, shown = pp_metrics_shown(p);

	for (i = 0; i <= shown; i++) {
		/* The one that was asked for comes first. */
		size_t metric = i ? i - 1 : f->metric;

		if (metric < shown &&
		    (time ? is_time(&p->metrics.at[metric])
		          : p->metrics.at[metric].kind == PP_KIND_BYTES) &&
		    share_of(f, row, metric) >= BOTH_LEAST)
			return metric;
	}
	return p->metrics.n;
}

static void
both_state(struct pp_facts *f, size_t row, const size_t metrics[2])
{
	const struct pp_profile *p = f->profile;
	double shares[2] = { share_of(f, row, metrics[0]), share_of(f, row, metrics[1]) };
	uint32_t handle = pp_handles_rank(f->handles, f->flat.func[row]);
	struct pp_stating s;
	char text[16];
	size_t i;

	snprintf(text, sizeof text, "f%u", handle);
	pp_fact_begin(&s, f);
	pp_fact_function(&s.row, f, "id", "name", f->flat.func[row]);
	pp_fact_say_function(&s, p, f->flat.func[row]);
	pp_fact_say(&s, " is costly in time and in memory (");
	pp_fact_say_real(&s, shares[0] * 100);
	pp_fact_say(&s, " % and ");
	pp_fact_say_real(&s, shares[1] * 100);
	pp_fact_say(&s, " %)");
	pp_row_key(&s.row, "shares");
	pp_row_open(&s.row, '[');
	for (i = 0; i < 2; i++) {
		pp_row_open(&s.row, '[');
		pp_row_text(&s.row, pp_text_of(p, p->metrics.at[metrics[i]].name));
		pp_row_real(&s.row, shares[i], 4);
		pp_row_close(&s.row, ']');
	}
	pp_row_close(&s.row, ']');
	pp_fact_end(&s, "both-hot", fmin(shares[0], shares[1]), handle, "callers", "function",
	            text);
}

static void
both_find(struct pp_facts *f)
{
	const struct pp_profile *p = f->profile;
	bool time = false, bytes = false;
	size_t i, row;

	for (i = 0; i < pp_metrics_shown(p); i++) {
		time |= is_time(&p->metrics.at[i]);
		bytes |= p->metrics.at[i].kind == PP_KIND_BYTES;
	}
	for (row = 0; time && bytes && row < f->flat.n; row++) {
		size_t metrics[2] = { metric_hot(f, row, true), p->metrics.n };

		if (metrics[0] < p->metrics.n)
			metrics[1] = metric_hot(f, row, false);
		if (metrics[1] < p->metrics.n)
			both_state(f, row, metrics);
	}
}

void
pp_facts_memory(struct pp_facts *f)
{
	churn_find(f);
	both_find(f);
}
