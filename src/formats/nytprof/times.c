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
	pp_vec_release(&t->endings);
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

/* Where the calls of one level end that the statement made before those that were looked at. */
static struct pp_nyt_ending *
ending_of(struct pp_nyt_load *load, uint32_t depth, int64_t latest)
{
	struct pp_nyt_times *t = &load->calls.times;
	struct pp_nyt_ending fresh = { .depth = depth, .end = latest };

	while (t->endings.n && t->endings.at[t->endings.n - 1].depth > depth)
		t->endings.n--;
	if (t->endings.n && t->endings.at[t->endings.n - 1].depth == depth)
		return &t->endings.at[t->endings.n - 1];
	if (t->endings.n)
		fresh.end = t->endings.at[t->endings.n - 1].leave;
	if (!pp_vec_push(&t->endings, fresh)) {
		no_memory(load);
		return NULL;
	}
	return &t->endings.at[t->endings.n - 1];
}

/*
 * The statement within which calls returned has ended. Xsubs and opcodes have no statements, so all that it called
 * may lie within it: the last one ends with it, each other one where the next begins, and a callee with its caller.
 */
static void
moments_settle(struct pp_nyt_load *load, int64_t now)
{
	struct pp_nyt_times *t = &load->calls.times;
	int64_t latest = now;
	size_t i;

	t->endings.n = 0;
	for (i = t->moments.n; i-- > t->settled;) {
		const struct pp_nyt_return *r = &load->calls.buffer.at[i];
		struct pp_nyt_moment *m = &t->moments.at[i];
		struct pp_nyt_ending *ending = ending_of(load, r->depth, latest);

		if (!ending)
			return;
		m->leave = ending->leave = ending->end;
		if (m->enter == UNSETTLED || m->enter == UNKNOWN)
			m->enter = m->leave -
			           (r->incl > 0 && r->incl < 1e18 ? (int64_t)r->incl : 0);
		ending->end = m->enter < ending->end ? m->enter : ending->end;
		latest = ending->end < latest ? ending->end : latest;
	}
	t->settled = t->moments.n;
}

void
pp_nyt_times_settle(struct pp_nyt_load *load)
{
	struct pp_nyt_times *t = &load->calls.times;
	int64_t now = clock_now(load);
	uint32_t depth;

	moments_settle(load, now);
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
struct level {
	int64_t at; /* when, by the statements' clock */
	pp_node node;
	double left;    /* of its own time */
	uint64_t calls; /* that it has still to make */
};

struct layout {
	struct pp_nyt_load *load;
	struct pp_timeline *timeline;
	PP_VEC(struct open_call) open; /* [0]: outside of all subs */
	PP_VEC(struct level) levels;   /* by file */
	PP_VEC(uint32_t) order;        /* of these: as they are loaded */
	size_t loaded;                 /* of these */
	uint32_t level;                /* that runs, + 1; 0 = the script's */
	double owed;   /* time of the script's that is spent when the level of a file ends */
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

/* The level of a file that runs goes on, for as long as it has time of its own. */
static void
level_spend(struct layout *l, struct level *level, double ticks)
{
	double own = ticks < level->left ? ticks : level->left;

	if (own <= 0)
		return;
	level->left -= own;
	l->spent += own;
	l->at += own;
	l->open.at[0].mark += (int64_t)own;
}

/* Goes over to the level of a file, or the script's: a level runs under main::RUNTIME, without being called. */
static bool
level_switch(struct layout *l, uint32_t to)
{
	struct pp_nyt_moment m = { 0 };
	bool ok = true;

	if (l->level == to)
		return true;
	if (l->level) {
		struct level *from = &l->levels.at[l->level - 1];

		if (!from->calls)
			level_spend(l, from, from->left);
		m.node = from->node;
		ok = event_add(l, PP_EVENT_EXIT, &m);
		outside_spend(l, l->owed);
		l->owed = 0;
	}
	l->level = to;
	m.node = to ? l->levels.at[to - 1].node : 0;
	return ok && (!to || event_add(l, PP_EVENT_SAMPLE, &m));
}

/* Outside of all subs, until the statements' clock says `mark` and a level goes on. */
static bool
outside_until(struct layout *l, int64_t mark, uint32_t level)
{
	struct open_call *outside = &l->open.at[0];
	bool ok;

	if (l->level && mark > outside->mark)
		level_spend(l, &l->levels.at[l->level - 1], (double)mark - (double)outside->mark);
	/* What the level of a file has no time for stands behind it, not between all its calls. */
	if (l->level && l->level == level && mark > outside->mark) {
		l->owed += (double)mark - (double)outside->mark;
		outside->mark = mark;
	}
	ok = level_switch(l, mark > outside->mark ? 0 : level);
	if (ok && mark > outside->mark) {
		outside_spend(l, (double)mark - (double)outside->mark);
		outside->mark = mark;
	}
	return ok && level_switch(l, level);
}

/* The same; files are loaded on the way. */
static bool
outside_go_on(struct layout *l, int64_t mark, uint32_t level)
{
	bool ok = true;

	while (ok && l->loaded < l->order.n) {
		uint32_t number = l->order.at[l->loaded];
		const struct level *file = &l->levels.at[number];

		if (file->at > mark)
			break;
		l->loaded++;
		if (file->calls || file->left > 0)
			ok = outside_until(l, file->at, number + 1) &&
			     (file->calls || level_switch(l, 0));
	}
	return ok && outside_until(l, mark, level);
}

/* What is left of the time of all levels, at the end. */
static bool
levels_end(struct layout *l)
{
	bool ok = level_switch(l, 0);
	uint32_t i;

	for (i = 0; ok && i < l->levels.n; i++) {
		l->levels.at[i].calls = 0;
		if (l->levels.at[i].left > 0)
			ok = level_switch(l, i + 1) && level_switch(l, 0);
	}
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
		uint32_t level = c->levels.n ? c->levels.at[number] : 0;

		ok = outside_go_on(l, call.mark, level);
		if (level)
			l->levels.at[level - 1].calls--;
	}
	return ok && event_add(l, PP_EVENT_ENTER, m) && pp_vec_push(&l->open, call);
}

/*
 * The stand-in for subs that never returned has no own time, because only returns state a duration.
 * After a call that it made, its caller goes on.
 */
static bool
unknown_leave(struct layout *l, const struct pp_nyt_moment *m)
{
	const struct pp_nyt_subs *subs = &l->load->subs;
	const struct pp_profile *p = l->load->builder->profile;
	struct pp_nyt_moment up = { .node = m->node };
	bool ok = true;

	while (ok && subs->unknown && (up.node = pp_tree_parent(&p->tree, up.node)) &&
	       pp_node_func(p, up.node) == subs->rows.at[subs->unknown - 1].func)
		ok = event_add(l, PP_EVENT_EXIT, &up);
	return ok;
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
	return event_add(l, PP_EVENT_EXIT, m) && unknown_leave(l, m);
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
level_cmp(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct level *levels = ctx;

	if (levels[a].at != levels[b].at)
		return levels[a].at < levels[b].at ? -1 : 1;
	return (a > b) - (a < b);
}

/* The files that run outside of all subs, in order; what they spend is not the script's. */
static bool
levels_collect(struct layout *l)
{
	struct pp_nyt_load *load = l->load;
	const struct pp_nyt_calls *c = &load->calls;
	const struct pp_nyt_outside *o = &load->outside;
	size_t i;

	/* Where nobody knows who calls, nobody runs beside the script. */
	for (i = 0; c->levels.n && i < o->files.n; i++) {
		struct level level = { .at = load->files.rows.at[o->files.at[i].file].first_at,
			               .node = pp_nyt_outside_node(load, i),
			               .left = o->files.at[i].ticks };

		l->open.at[0].left -= level.left;
		if (!pp_builder_ok(load->builder) || !pp_vec_push(&l->levels, level) ||
		    !pp_vec_push(&l->order, (uint32_t)i))
			return false;
	}
	for (i = 0; i < c->levels.n; i++)
		if (c->levels.at[i])
			l->levels.at[c->levels.at[i] - 1].calls++;
	pp_sort(l->order.at, l->order.n, sizeof *l->order.at, level_cmp, l->levels.at);
	return true;
}

/* main::RUNTIME from the start to the end, the calls, and what is left at the end. */
static bool
process_lay_out(struct layout *l, size_t calls)
{
	struct pp_nyt_moment outside = { .node = pp_nyt_process_node(l->load, l->load->process) };

	if (!outside.node)
		return calls_lay_out(l, calls);
	return levels_collect(l) && event_add(l, PP_EVENT_SAMPLE, &outside) &&
	       calls_lay_out(l, calls) && outside_go_on(l, l->load->clock.now, 0) &&
	       levels_end(l) &&
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
	pp_vec_release(&l.levels);
	pp_vec_release(&l.order);
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
