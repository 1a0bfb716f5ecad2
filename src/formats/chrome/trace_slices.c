/*
 * Slices of a thread: first each B gets its E, then all of them nest by time, whatever their order. No slice is cut or stretched.
 */
#include "formats/chrome/trace.h"
#include "text/units.h"

/* A slice that is open, in two lists: of all, and of those of its name. */
struct opened {
	uint32_t slice;
	uint32_t before, behind; /* + 1; 0 = none */
	uint32_t outer;          /* + 1; of the same name */
};

struct pairing {
	struct trace_read *r;
	struct trace_thread *t;
	PP_VEC(struct opened) opened;
	uint32_t innermost; /* + 1 */
	struct pp_map of_name;
	PP_VEC(uint32_t) waits; /* ends whose beginning may follow at the same time */
	size_t kept;            /* slices that are intervals, from the start */
	uint64_t lost;
	int64_t last;
};

/* Overlapping slices that have to be entered again; more would take forever. */
#define MOVES_MOST 100000000u

/* ---- in order ------------------------------------------------------------------------------ */

typedef bool goes_first(const struct trace_slice *, const struct trace_slice *);

static bool
by_begin(const struct trace_slice *a, const struct trace_slice *b)
{
	return a->begin <= b->begin;
}

/* The longer one is outside. */
static bool
by_length(const struct trace_slice *a, const struct trace_slice *b)
{
	return a->begin < b->begin || (a->begin == b->begin && a->end >= b->end);
}

/* Merges runs that are in order already, two and two; stable. */
static bool
slices_sort(struct trace_slice *at, size_t n, goes_first *first)
{
	struct trace_slice *other, *from = at, *to;
	PP_VEC(size_t) runs = { 0 };
	size_t i, k;
	bool fine = pp_vec_push(&runs, 0);

	for (i = 1; fine && i < n; i++)
		if (!first(&at[i - 1], &at[i]))
			fine = pp_vec_push(&runs, i);
	if (!fine || runs.n == 1 || n == 0) {
		pp_vec_release(&runs);
		return fine;
	}
	fine = pp_vec_push(&runs, n);
	other = fine ? malloc(n * sizeof *other) : NULL;
	to = other;
	while (other && runs.n > 2) {
		for (i = 0, k = 0; i + 1 < runs.n; i += 2) {
			size_t a = runs.at[i], mid = runs.at[i + 1], b = mid, out = a;
			size_t end = i + 2 < runs.n ? runs.at[i + 2] : mid;

			while (a < mid || b < end)
				to[out++] = b == end || (a < mid && first(&from[a], &from[b]))
				                ? from[a++]
				                : from[b++];
			runs.at[k++] = runs.at[i];
		}
		runs.at[k++] = n;
		runs.n = k;
		from = to;
		to = from == at ? other : at;
	}
	if (other && from != at)
		memcpy(at, from, n * sizeof *at);
	pp_vec_release(&runs);
	fine = other != NULL;
	free(other);
	return fine;
}

/* ---- beginnings and ends ------------------------------------------------------------------- */

static void
no_memory(struct pairing *x)
{
	pp_builder_fail(x->r->b, PP_E_NOMEM, NULL);
}

static void
slice_open(struct pairing *x, uint32_t slice)
{
	uint32_t name = x->t->slices.at[slice].name, at = (uint32_t)x->opened.n + 1;
	uint32_t outer = pp_map_get(&x->of_name, name);
	struct opened opened = { slice, x->innermost, 0, outer == PP_MAP_NONE ? 0 : outer };

	if (x->innermost)
		x->opened.at[x->innermost - 1].behind = at;
	x->innermost = at;
	if (!pp_vec_push(&x->opened, opened) || !pp_map_set(&x->of_name, name, at))
		no_memory(x);
}

/* Ends the innermost slice of a name (0 = of any) that began at `since` or later; false when none is open. */
static bool
slice_close(struct pairing *x, uint32_t name, int64_t since, int64_t time)
{
	uint32_t at = x->innermost;
	struct opened *o;
	struct trace_slice *slice;

	if (name) {
		at = pp_map_get(&x->of_name, name);
		at = at == PP_MAP_NONE ? 0 : at;
	}
	if (!at)
		return false;
	o = &x->opened.at[at - 1];
	slice = &x->t->slices.at[o->slice];
	if (slice->begin < since)
		return false;
	slice->end = time;
	slice->kind = TRACE_X;
	if (o->behind)
		x->opened.at[o->behind - 1].before = o->before;
	else
		x->innermost = o->before;
	if (o->before)
		x->opened.at[o->before - 1].behind = o->behind;
	if (!pp_map_set(&x->of_name, slice->name, o->outer))
		no_memory(x);
	return true;
}

/* Those whose beginning did not come at the same time have none. */
static void
waits_settle(struct pairing *x, int64_t time)
{
	size_t i;

	for (i = 0; i < x->waits.n; i++)
		x->lost += !slice_close(x, x->waits.at[i], time, time);
	x->waits.n = 0;
}

/* Makes intervals of the events, which are in the order of time; ends are taken out. */
static void
events_pair(struct pairing *x)
{
	struct trace_slice *at = x->t->slices.at;
	size_t n = x->t->slices.n, i;
	int64_t now = n ? at[0].begin : 0;

	x->last = now;
	for (i = 0; i < n && pp_builder_ok(x->r->b); i++) {
		struct trace_slice slice = at[i];
		int64_t latest = slice.kind == TRACE_X ? slice.end : slice.begin;

		if (slice.begin != now && x->waits.n)
			waits_settle(x, now);
		now = slice.begin;
		x->last = latest > x->last ? latest : x->last;
		if (slice.kind == TRACE_E) {
			if (!slice_close(x, slice.name, INT64_MIN, now) &&
			    !pp_vec_push(&x->waits, slice.name))
				no_memory(x);
			continue;
		}
		at[x->kept] = slice;
		if (slice.kind == TRACE_B)
			slice_open(x, (uint32_t)x->kept);
		x->kept++;
	}
	waits_settle(x, now);
	x->t->slices.n = x->kept;
}

/* ---- nesting ------------------------------------------------------------------------------- */

struct nesting {
	struct trace_read *r;
	struct pp_call_walk walk;
	PP_VEC(struct trace_slice) open;
	PP_VEC(uint32_t) charged; /* of each open one: the series, if details are labels */
	size_t disorder;          /* how many end later than the one around them */
	bool overlap;
	uint64_t moves;
};

/* Charges what follows to the series with the detail of the innermost slice that has one; `from` = the first open one that is another. */
static void
details_follow(struct nesting *x, size_t from)
{
	size_t i;

	if (!x->r->labels)
		return;
	x->charged.n = from < x->charged.n ? from : x->charged.n;
	for (i = x->charged.n; i < x->open.n && pp_builder_ok(x->r->b); i++) {
		uint32_t around = i ? x->charged.at[i - 1] : x->walk.series;

		if (!pp_vec_push(&x->charged, pp_trace_clang_series(x->r, x->walk.series, around,
		                                                    x->open.at[i].frame)))
			pp_builder_fail(x->r->b, PP_E_NOMEM, NULL);
	}
	x->walk.charged = x->charged.n ? x->charged.at[x->charged.n - 1] : x->walk.series;
}

/* Which of the open ones ends first, the outermost of equals. */
static size_t
first_end(const struct nesting *x)
{
	size_t i, at = x->open.n - 1;

	for (i = x->disorder ? x->open.n - 1 : 0; i-- > 0;)
		if (x->open.at[i].end <= x->open.at[at].end)
			at = i;
	return at;
}

static void
disorder_count(struct nesting *x)
{
	size_t i;

	x->disorder = 0;
	for (i = 1; i < x->open.n; i++)
		x->disorder += x->open.at[i].end > x->open.at[i - 1].end;
}

/* Ends one of the open slices; those within it go on without it. */
static void
slice_end(struct nesting *x, size_t at)
{
	size_t i, above = x->open.n - at - 1;

	for (i = 0; i <= above; i++)
		pp_call_walk_leave(&x->walk);
	memmove(x->open.at + at, x->open.at + at + 1, above * sizeof *x->open.at);
	x->open.n--;
	details_follow(x, at);
	for (i = at; i < x->open.n; i++)
		pp_call_walk_resume(&x->walk, x->open.at[i].frame);
	x->moves += above;
	if (x->moves > MOVES_MOST)
		pp_builder_fail(x->r->b, PP_E_LIMIT, "too many slices overlap");
	if (x->disorder)
		disorder_count(x);
}

/* Time goes on: slices end. */
static void
time_pass(struct nesting *x, int64_t until)
{
	while (x->open.n && pp_builder_ok(x->r->b)) {
		size_t at = first_end(x);
		int64_t end = x->open.at[at].end;

		if (end > until)
			break;
		pp_call_walk_until(&x->walk, end);
		slice_end(x, at);
	}
	pp_call_walk_until(&x->walk, until);
}

static void
slice_begin(struct nesting *x, const struct trace_slice *slice)
{
	bool outlives;

	time_pass(x, slice->begin);
	outlives = x->open.n && slice->end > x->open.at[first_end(x)].end;
	x->overlap |= outlives;
	if (!pp_vec_push(&x->open, *slice)) {
		pp_builder_fail(x->r->b, PP_E_NOMEM, NULL);
		return;
	}
	details_follow(x, x->open.n - 1);
	pp_call_walk_enter(&x->walk, slice->frame);
	if (slice->end == slice->begin) {
		pp_call_walk_leave(&x->walk);
		x->open.n--;
		details_follow(x, x->open.n);
	} else if (x->open.n > 1)
		x->disorder += slice->end > x->open.at[x->open.n - 2].end;
}

static void
thread_nest(struct trace_read *r, struct trace_thread *t, uint32_t series)
{
	struct nesting x = { .r = r,
		             .walk = { .b = r->b,
		                       .series = series,
		                       .metric = r->dur,
		                       .fixed = &r->fixed,
		                       .ns = true,
		                       .alone = !r->has_samples } };
	size_t i;

	pp_call_walk_begin(&x.walk);
	for (i = 0; i < t->slices.n && pp_builder_ok(r->b); i++)
		slice_begin(&x, &t->slices.at[i]);
	time_pass(&x, INT64_MAX);
	pp_call_walk_end(&x.walk);
	if (x.overlap)
		pp_json_find(&r->doc, TRACE_OVERLAP, t->at, "slices of thread %.*s overlap",
		             (int)pp_strtab_get(&r->strings, t->tid).n,
		             (const char *)pp_strtab_get(&r->strings, t->tid).p);
	pp_vec_release(&x.open);
	pp_vec_release(&x.charged);
}

static void
thread_build(struct trace_read *r, uint32_t thread)
{
	struct trace_thread *t = &r->threads.at[thread];
	struct pairing x = { .r = r, .t = t, .of_name.seed = r->doc.reader->seed };
	uint64_t left = 0;
	size_t i;

	if (!t->sorted && !slices_sort(t->slices.at, t->slices.n, by_begin))
		no_memory(&x);
	events_pair(&x);
	for (i = 0; i < t->slices.n; i++)
		if (t->slices.at[i].kind == TRACE_B) {
			t->slices.at[i].end = x.last;
			left++;
		}
	if (left) {
		pp_json_find(&r->doc, TRACE_OPEN, t->at, "%llu %s open at the end",
		             (unsigned long long)left, pp_plural(left, "slice is", "slices are"));
		r->b->profile->complete = false;
	}
	if (x.lost)
		pp_json_find(&r->doc, TRACE_END, t->at, "%llu %s no beginning",
		             (unsigned long long)x.lost, pp_plural(x.lost, "end has", "ends have"));
	pp_vec_release(&x.opened);
	pp_vec_release(&x.waits);
	pp_map_release(&x.of_name);
	if (!slices_sort(t->slices.at, t->slices.n, by_length))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	if (pp_builder_ok(r->b))
		thread_nest(r, t, pp_trace_series(r, thread, true));
}

void
pp_trace_slices_build(struct trace_read *r)
{
	uint32_t i;

	for (i = 0; i < r->threads.n && pp_builder_ok(r->b); i++)
		if (r->threads.at[i].slices.n)
			thread_build(r, i);
}
