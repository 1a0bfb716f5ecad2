/*
 * From '>' and '<' records to a timeline.
 *
 * How long a call took, and how much of that was its own, its return says exactly. Where in between it called
 * others, only the statements tell, roughly: their clock leaves out what the calls' clock counts and the other
 * way round. So the statements say in which order and how far apart things happened, and the returns how long
 * they took: a call spends of its own time before each call that it makes what the statements say, as long as
 * it has some, and the rest before it returns. The sums of the timeline are thus those of the returns.
 *
 * What statements take beyond the calls that they make is spent outside of all subs.
 */
#include "formats/nytprof/load.h"

#include <math.h>

#include "base/sort.h"

/* Depths beyond this are not remembered one by one; real stacks stay far below. */
#define DEEPEST ((uint32_t)1 << 24)
#define UNKNOWN INT64_MIN
/* Until the statement ends that runs: its ticks come with the next record of one. */
#define UNSETTLED INT64_MAX

void
pp_nyt_times_release(struct pp_nyt_times *t)
{
	pp_vec_release(&t->moments);
	pp_vec_release(&t->entered);
}

static void
no_memory(struct pp_nyt_load *load)
{
	pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
}

/* The clock of the process: its statements if it has any, else the own times of what returned. */
static int64_t
clock_now(const struct pp_nyt_load *load)
{
	double own = load->calls.times.own;

	if (load->clock.now)
		return load->clock.now;
	return own > 0 && own < 1e18 ? (int64_t)own : 0;
}

void
pp_nyt_times_enter(struct pp_nyt_load *load, uint32_t line)
{
	struct pp_nyt_times *t = &load->calls.times;
	uint32_t depth = load->calls.depth;

	if (depth > DEEPEST)
		return;
	if (!pp_vec_reserve(&t->entered, (size_t)depth + 1)) {
		no_memory(load);
		return;
	}
	while (t->entered.n <= depth)
		t->entered.at[t->entered.n++] = (struct pp_nyt_entry){ .at = UNKNOWN };
	t->entered.at[depth] = (struct pp_nyt_entry){ UNSETTLED, line };
	t->unsettled = true;
	t->settled_depth = depth - 1 < t->settled_depth ? depth - 1 : t->settled_depth;
}

void
pp_nyt_times_leave(struct pp_nyt_load *load, uint32_t depth)
{
	struct pp_nyt_times *t = &load->calls.times;
	struct pp_nyt_moment m = { .enter = UNKNOWN, .leave = UNSETTLED };

	if (depth < t->entered.n) {
		m.enter = t->entered.at[depth].at;
		m.site_line = t->entered.at[depth].line;
		t->entered.at[depth].at = UNKNOWN;
	}
	t->unsettled = true;
	if (!pp_vec_push(&t->moments, m))
		no_memory(load);
}

void
pp_nyt_times_settle(struct pp_nyt_load *load)
{
	struct pp_nyt_times *t = &load->calls.times;
	int64_t now = clock_now(load);
	uint32_t depth;

	for (; t->settled < t->moments.n; t->settled++) {
		struct pp_nyt_moment *m = &t->moments.at[t->settled];

		m->leave = now;
		m->enter = m->enter == UNSETTLED ? now : m->enter;
	}
	for (depth = t->settled_depth + 1; depth < t->entered.n && depth <= load->calls.depth;
	     depth++)
		if (t->entered.at[depth].at == UNSETTLED)
			t->entered.at[depth].at = now;
	t->settled_depth = load->calls.depth;
	t->unsettled = false;
}

/* ---- laying out ------------------------------------------------------------------------------ */

/* A call that has not ended. */
struct open_call {
	double left;  /* of its own time, in ticks */
	int64_t mark; /* what the statements' clock said when it last went on */
	int64_t end;  /* what it will say at the end, by the time that the call took */
};

/* The level of a file that is loaded outside of all subs. */
struct loading {
	int64_t at; /* by the statements' clock */
	pp_node node;
	double ticks;
};

struct layout {
	struct pp_nyt_load *load;
	struct pp_timeline *timeline;
	PP_VEC(struct open_call) open; /* [0]: outside of all subs */
	PP_VEC(struct loading) loadings;
	size_t loaded; /* of these */
	double at;     /* ticks from `start` on; never goes back */
	double spent;  /* in subs, and outside where that is known */
	int64_t start; /* ns */
};

static bool
event_add(struct layout *l, enum pp_event_kind kind, const struct pp_nyt_moment *m)
{
	struct pp_event event = { .kind = kind, .node = m->node };
	double ns = (double)l->start + l->at * 1e9 / (double)l->load->clock.base_rate;
	int64_t value = pp_cell_real(l->spent);

	if (kind == PP_EVENT_ENTER)
		event.extra = m->site_line;
	event.time = ns < 9e18 ? (int64_t)ns : INT64_MAX;
	return pp_timeline_add(l->timeline, &event, &value);
}

/* Goes on outside of all subs, for so long. */
static void
outside_spend(struct layout *l, double ticks)
{
	struct open_call *outside = &l->open.at[0];
	double own = ticks > outside->left ? outside->left : ticks;

	outside->left -= own;
	l->spent += own;
	l->at += ticks > 0 ? ticks : 0;
}

/* A file is loaded: its level runs under main::RUNTIME, without being called. */
static bool
file_load(struct layout *l, const struct loading *file)
{
	struct pp_nyt_moment m = { .node = file->node };

	if (!event_add(l, PP_EVENT_SAMPLE, &m))
		return false;
	l->spent += file->ticks;
	l->at += file->ticks;
	l->open.at[0].mark += (int64_t)file->ticks;
	return event_add(l, PP_EVENT_EXIT, &m);
}

/* Outside of all subs, until the statements' clock says `mark`. */
static bool
outside_go_on(struct layout *l, int64_t mark)
{
	struct open_call *outside = &l->open.at[0];
	bool ok = true;

	while (ok && l->loaded < l->loadings.n && l->loadings.at[l->loaded].at <= mark) {
		const struct loading *file = &l->loadings.at[l->loaded++];

		if (file->at > outside->mark) {
			outside_spend(l, (double)(file->at - outside->mark));
			outside->mark = file->at;
		}
		ok = file_load(l, file);
	}
	if (mark > outside->mark)
		outside_spend(l, (double)mark - (double)outside->mark);
	return ok;
}

static bool
call_enter(struct layout *l, size_t number)
{
	const struct pp_nyt_calls *c = &l->load->calls;
	const struct pp_nyt_moment *m = &c->times.moments.at[number];
	const struct pp_nyt_return *r = &c->buffer.at[number];
	struct open_call *caller = &l->open.at[l->open.n - 1];
	int64_t incl = r->incl > 0 && r->incl < 1e18 ? (int64_t)r->incl : 0;
	struct open_call call = { .left = r->excl, .mark = m->enter };
	bool ok = true;

	if (m->enter == UNKNOWN)
		call.mark = m->leave - incl;
	if (call.mark < caller->mark)
		call.mark = caller->mark;
	call.end = call.mark + incl;
	if (l->open.n > 1) {
		double before = (double)call.mark - (double)caller->mark;

		before = before > caller->left ? caller->left : before;
		before = before > 0 ? before : 0;
		caller->left -= before;
		l->spent += before;
		l->at += before;
	} else {
		ok = outside_go_on(l, call.mark);
	}
	return ok && event_add(l, PP_EVENT_ENTER, m) && pp_vec_push(&l->open, call);
}

static bool
call_leave(struct layout *l, size_t number)
{
	const struct pp_nyt_moment *m = &l->load->calls.times.moments.at[number];
	struct open_call call = l->open.at[--l->open.n];
	struct open_call *caller = &l->open.at[l->open.n - 1];
	/* What statements took beyond a call is spent by whom it returns to, outside of all subs. */
	int64_t mark = l->load->outside.node && l->open.n == 1 ? call.end : m->leave;

	l->spent += call.left;
	l->at += call.left > 0 ? call.left : 0;
	caller->mark = mark > caller->mark ? mark : caller->mark;
	return event_add(l, PP_EVENT_EXIT, m);
}

/* first[i]: where the run of returns starts that ends with i and is its subtree. */
static void
runs_find(const struct pp_nyt_calls *c, size_t n, uint32_t *first, uint32_t *stack)
{
	size_t i, open = 0;

	for (i = 0; i < n; i++) {
		first[i] = (uint32_t)i;
		while (open && c->buffer.at[stack[open - 1]].depth > c->buffer.at[i].depth)
			first[i] = first[stack[--open]];
		stack[open++] = (uint32_t)i;
	}
}

/*
 * Enters and leaves in order. The returns are a tree in post-order, so the subtree of each is a run
 * that ends with it, and all whose runs start at one place are entered there, the outermost first.
 */
static bool
calls_lay_out(struct layout *l, size_t n)
{
	uint32_t *chain = calloc(n + 1, sizeof *chain); /* first[], then the next inner one + 1 */
	uint32_t *start = calloc(n + 1, sizeof *start); /* the outermost that starts here, + 1 */
	bool ok = start && chain && n < UINT32_MAX;
	size_t i;

	if (ok) {
		runs_find(&l->load->calls, n, chain, start);
		memset(start, 0, (n + 1) * sizeof *start);
	}
	for (i = 0; ok && i < n; i++) {
		uint32_t first = chain[i];

		chain[i] = start[first];
		start[first] = (uint32_t)i + 1;
	}
	for (i = 0; ok && i < n; i++) {
		uint32_t k;

		for (k = start[i]; ok && k; k = chain[k - 1])
			ok = call_enter(l, k - 1);
		ok = ok && call_leave(l, i);
	}
	free(chain);
	free(start);
	return ok;
}

/* When the process at hand began, in ns since the first one of the file did. */
static int64_t
process_start(const struct pp_nyt_load *load)
{
	double seconds = load->process ? load->processes.at[load->process - 1].start -
	                                     load->processes.at[0].start
	                               : 0.0;

	return seconds > 0 && seconds < 9e9 ? (int64_t)(seconds * 1e9) : 0;
}

static int
loading_cmp(const void *x, const void *y, void *ctx)
{
	const struct loading *a = x, *b = y;

	(void)ctx;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* The files that run outside of all subs, in order; what they spend is not the script's. */
static bool
loadings_collect(struct layout *l)
{
	struct pp_nyt_load *load = l->load;
	const struct pp_nyt_outside *o = &load->outside;
	size_t i;

	for (i = 0; i < o->files.n; i++) {
		struct loading file = { .at = load->files.rows.at[o->files.at[i].file].first_at,
			                .node = pp_nyt_outside_node(load, i),
			                .ticks = o->files.at[i].ticks };

		l->open.at[0].left -= file.ticks;
		if (!pp_builder_ok(load->builder) || !pp_vec_push(&l->loadings, file))
			return false;
	}
	pp_sort(l->loadings.at, l->loadings.n, sizeof *l->loadings.at, loading_cmp, NULL);
	return true;
}

/* main::RUNTIME from the start to the end, the calls, and what is left at the end. */
static bool
process_lay_out(struct layout *l, size_t calls)
{
	struct pp_nyt_moment outside = { .node = l->load->outside.node };

	if (!outside.node)
		return calls_lay_out(l, calls);
	return loadings_collect(l) && event_add(l, PP_EVENT_SAMPLE, &outside) &&
	       calls_lay_out(l, calls) && outside_go_on(l, l->load->clock.now) &&
	       (outside_spend(l, l->open.at[0].left), event_add(l, PP_EVENT_EXIT, &outside));
}

void
pp_nyt_times_store(struct pp_nyt_load *load, struct pp_timeline *t, double outside)
{
	struct layout l = { .load = load, .timeline = t, .start = process_start(load) };
	struct open_call top = { .left = outside };
	bool ok = t->last_values || pp_timeline_init(t, 1, true);

	pp_nyt_times_settle(load);
	/* A process may go on after another one has come in between. */
	if (ok && t->n) {
		l.start = t->last.time;
		memcpy(&l.spent, t->last_values, sizeof l.spent);
	}
	if (!ok || !pp_vec_push(&l.open, top) || !process_lay_out(&l, load->calls.times.moments.n))
		no_memory(load);
	pp_vec_release(&l.open);
	pp_vec_release(&l.loadings);
}

/* ---- finer ticks ------------------------------------------------------------------------------ */

static bool
timeline_refine(struct pp_timeline *t, double factor)
{
	struct pp_timeline finer = { 0 };
	struct pp_timeline_iter it;
	bool ok = pp_timeline_init(&finer, 1, true) && pp_timeline_begin(t, &it, 0);

	while (ok && pp_timeline_next(&it)) {
		double spent;
		int64_t value;

		memcpy(&spent, it.values, sizeof spent);
		value = pp_cell_real(spent * factor);
		ok = pp_timeline_add(&finer, &it.event, &value);
	}
	pp_timeline_end(&it);
	pp_timeline_release(ok ? t : &finer);
	if (ok)
		*t = finer;
	return ok;
}

static int64_t
refined(int64_t ticks, double factor)
{
	double finer = (double)ticks * factor;

	return ticks == UNKNOWN || ticks == UNSETTLED ? ticks
	       : fabs(finer) < 1e18                   ? (int64_t)finer
	                                              : ticks;
}

void
pp_nyt_times_refine(struct pp_nyt_load *load, double factor)
{
	struct pp_nyt_times *t = &load->calls.times;
	struct pp_profile *p = load->builder->profile;
	size_t i;

	t->own *= factor;
	for (i = 0; i < t->moments.n; i++) {
		t->moments.at[i].enter = refined(t->moments.at[i].enter, factor);
		t->moments.at[i].leave = refined(t->moments.at[i].leave, factor);
	}
	for (i = 0; i < t->entered.n; i++)
		t->entered.at[i].at = refined(t->entered.at[i].at, factor);
	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].timeline.n &&
		    !timeline_refine(&p->series.at[i].timeline, factor))
			no_memory(load);
}
