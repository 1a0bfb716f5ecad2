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

/* ---- what bytes are of ---- */

/* Bytes are of memory only where the name says so: input and output are counted in them, too. */
enum { NO_MEMORY, ALLOCATED, LIVE, FREED, SOME_MEMORY };

static const struct {
	const char *name;
	unsigned char is;
} memory_names[] = {
	/* heap profilers and SPAA, pprof */
	{ "alloc_bytes", ALLOCATED },
	{ "alloc_space", ALLOCATED },
	{ "allocated_bytes", ALLOCATED },
	{ "allocated", ALLOCATED },
	{ "sampled_alloc_bytes", ALLOCATED },
	{ "live_bytes", LIVE },
	{ "inuse_space", LIVE },
	{ "inuse_bytes", LIVE },
	{ "live", LIVE },
	{ "sampled_live_bytes", LIVE },
	{ "free_bytes", FREED },
	{ "freed_bytes", FREED },
	{ "freed", FREED },
	/* SPX */
	{ "zmab", ALLOCATED },
	{ "zmfb", FREED },
	{ "zm", SOME_MEMORY },
	{ "mor", SOME_MEMORY },
	/* DHAT, Valgrind's --xtree-memory */
	{ "tb", ALLOCATED },
	{ "eb", LIVE },
	{ "totB", ALLOCATED },
	{ "curB", LIVE },
	{ "totFdB", FREED },
	/* XHProf, Xdebug, Austin, Massif */
	{ "mem.aa", SOME_MEMORY },
	{ "mu", SOME_MEMORY },
	{ "Memory", SOME_MEMORY },
	{ "Memory_(bytes)", SOME_MEMORY },
	{ "MemorySize", SOME_MEMORY },
	{ "memory", SOME_MEMORY },
	{ "mem_heap_B", SOME_MEMORY },
	/* browsers and V8 */
	{ "jsAllocations", SOME_MEMORY },
	{ "nativeAllocations", SOME_MEMORY },
	{ "selfSize", SOME_MEMORY },
	{ "self_size", SOME_MEMORY },
	/* profilers that send pprof */
	{ "space", SOME_MEMORY },
	{ "alloc-size", SOME_MEMORY },
	{ "heap-live-size", SOME_MEMORY },
	{ "heap-space", SOME_MEMORY },
	{ "alloc_in_new_tlab_bytes", SOME_MEMORY },
	{ "alloc_outside_tlab_bytes", SOME_MEMORY },
	{ "alloc_in_new_tlab_space", SOME_MEMORY },
};

static unsigned
memory_of(const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	size_t i;

	for (i = 0; m->kind == PP_KIND_BYTES && i < PP_COUNT_OF(memory_names); i++)
		if (pp_slice_eq_z(pp_text_of(p, m->name), memory_names[i].name))
			return memory_names[i].is;
	return NO_MEMORY;
}

/* ---- churn ---- */

/* The first metric that is so; metrics.n when there is none. */
static size_t
memory_find(const struct pp_profile *p, unsigned is)
{
	size_t i;

	for (i = 0; i < pp_metrics_shown(p) && memory_of(p, i) != is;)
		i++;
	return i < pp_metrics_shown(p) ? i : p->metrics.n;
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
	const struct pp_profile *p = f->profile;
	size_t metric = memory_find(p, ALLOCATED), live = memory_find(p, LIVE);
	size_t freed = memory_find(p, FREED), i;
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

/* Time, or samples that were taken as it passed: those of a heap profile count allocations. */
static bool
is_time(const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];

	if (m->kind == PP_KIND_WALL_TIME || m->kind == PP_KIND_CPU_TIME)
		return true;
	if (m->kind != PP_KIND_SAMPLES && m->kind != PP_KIND_EVENTS)
		return false;
	return m->flags & PP_METRIC_TIME_OK || pp_metric_preference(p, m) >= PP_PREFERS_CYCLES ||
	       (m->kind == PP_KIND_SAMPLES && !m->event && metric == pp_profile_primary(p));
}

/* Memory that was allocated or is in use. */
static bool
is_memory(const struct pp_profile *p, size_t metric)
{
	unsigned is = memory_of(p, metric);

	return is != NO_MEMORY && is != FREED;
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

		if (metric < shown && (time ? is_time(p, metric) : is_memory(p, metric)) &&
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
		time |= is_time(p, i);
		bytes |= is_memory(p, i);
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
