/*
 * Timelines for a viewer: what ran when, on the nodes of the cut tree.
 *
 * In a trace, what the counters gained between two events belongs to the function that ran meanwhile.
 * When there are too many moments, time is divided into equal parts, and within each the moments of
 * one node are added up, in the order in which the nodes came first: sums stay exact.
 */
#include "analysis/cover.h"
#include "analysis/digest.h"

#include <stdlib.h>

struct recorder {
	const struct pp_digest *d;
	const struct pp_profile *p;
	size_t profile;
	struct pp_moments *out;
	size_t columns; /* of a moment */
	size_t steps;   /* those that the timeline has; the others are gains */
	uint32_t *seen; /* by place: the moment in this part of time + 1, 0 = none */
	size_t part;    /* number of the first moment of this part */
	int64_t until;  /* where this part ends */
	int64_t last;   /* samples: time of the one before */
	struct pp_cover cover;
	uint32_t runs; /* samples: the moment that runs, + 1; 0 = none */
	int64_t runs_until;
	pp_status status;
};

/* Starts a new part of time when `time` is past the current one. */
static void
part_enter(struct recorder *r, int64_t time)
{
	uint64_t unit = r->out->unit;

	if (unit == 0 || time < r->until)
		return;
	for (; r->part < r->out->node.n; r->part++)
		r->seen[r->out->node.at[r->part]] = 0;
	r->until = (int64_t)((uint64_t)time - (uint64_t)(time - r->out->start) % unit + unit);
}

/* The moment to book on: a new one, or the one of the same node in this part of time. */
static size_t
moment_for(struct recorder *r, uint32_t place, uint32_t calls)
{
	struct pp_moments *out = r->out;
	size_t i = out->node.n, c;
	bool ok;

	if (out->unit && r->seen[place])
		return r->seen[place] - 1;
	if (out->trace && i && out->node.at[i - 1] == place && calls == 0)
		return i - 1;
	ok = pp_vec_push(&out->node, place) && pp_vec_push(&out->wait, 0) &&
	     pp_vec_push(&out->calls, 0) && (out->trace || pp_vec_push(&out->length, 0));
	for (c = 0; ok && c < r->columns; c++)
		ok = pp_vec_push(&out->values, 0);
	if (!ok)
		r->status = PP_E_NOMEM;
	else if (out->unit)
		r->seen[place] = (uint32_t)i + 1;
	return i;
}

static void
book(struct recorder *r, size_t moment, const int64_t *gains)
{
	size_t c;

	for (c = 0; c < r->columns; c++)
		if (!pp_cell_add(r->p->metrics.at[c].type,
		                 &r->out->values.at[moment * r->columns + c], gains[c]))
			r->status = PP_E_LIMIT;
}

static void
book_trace(struct recorder *r, uint32_t place, uint64_t length, uint32_t calls,
           const int64_t *gains)
{
	size_t i, c;
	bool nothing = length == 0 && calls == 0;

	for (c = 0; c < r->columns && nothing; c++)
		nothing = gains[c] == 0;
	if (nothing)
		return;
	i = moment_for(r, place, calls);
	if (r->status != PP_OK)
		return;
	r->out->wait.at[i] += length;
	r->out->calls.at[i] += calls;
	book(r, i, gains);
}

/* Ends the sample that runs, at the latest at a time. */
static void
sample_end(struct recorder *r, int64_t time)
{
	if (r->runs && r->runs_until > time)
		r->out->length.at[r->runs - 1] -= (uint64_t)(r->runs_until - time);
	r->runs = 0;
}

/* Books how long a sample runs if nothing comes in between. */
static void
sample_run(struct recorder *r, size_t moment, int64_t time, int64_t length)
{
	/* What nobody knows the length of lasts until the next one; the last one a moment. */
	length = length == INT64_MAX ? 0 : length < INT64_MAX / 4 ? length : INT64_MAX / 4;
	r->out->length.at[moment] += (uint64_t)length;
	r->runs = (uint32_t)moment + 1;
	r->runs_until = time + length;
}

static void
book_sample(struct recorder *r, uint32_t place, int64_t time, int64_t length,
            const int64_t *weights)
{
	size_t before = r->out->node.n, i = moment_for(r, place, 0);

	if (r->status != PP_OK)
		return;
	if (r->out->node.n > before) {
		r->out->wait.at[i] = (uint64_t)(time - r->last);
		r->last = time;
	}
	sample_run(r, i, time, length);
	book(r, i, weights);
}

/* Behind the steps of metrics, what those that fall gained with them. */
static void
gains_fill(const struct recorder *r, int64_t *steps)
{
	size_t c;

	for (c = r->steps; c < r->columns; c++) {
		const struct pp_metric *m = &r->p->metrics.at[c];

		steps[c] = pp_cell_gained(m->type, steps[m->net]);
	}
}

static void
walk_trace(struct recorder *r, struct pp_timeline_iter *it, int64_t *before, int64_t *gains)
{
	bool first = true;
	pp_node running = 0;
	uint32_t calls = 0;
	int64_t since = 0;
	size_t c;

	while (r->status == PP_OK && pp_timeline_next(it)) {
		const struct pp_event *e = &it->event;
		int64_t time = pp_time_near(e->time);

		if (first)
			r->out->start = r->until = time;
		for (c = 0; c < r->steps && !first; c++)
			gains[c] = pp_cell_gain(r->p->metrics.at[c].type, before[c], it->values[c]);
		if (!first) {
			gains_fill(r, gains);
			part_enter(r, since);
			book_trace(r, pp_digest_place(r->d, r->profile, running),
			           time > since ? (uint64_t)(time - since) : 0, calls, gains);
		}
		calls = e->kind == PP_EVENT_ENTER;
		running = e->kind == PP_EVENT_EXIT ? pp_tree_parent(&r->p->tree, e->node) : e->node;
		since = time;
		memcpy(before, it->values, r->steps * sizeof *before);
		first = false;
	}
	memset(gains, 0, r->columns * sizeof *gains);
	if (r->status == PP_OK && calls)
		book_trace(r, pp_digest_place(r->d, r->profile, running), 0, calls, gains);
}

static void
walk_samples(struct recorder *r, struct pp_timeline_iter *it, int64_t *steps)
{
	bool first = true;

	while (r->status == PP_OK && pp_timeline_next(it)) {
		int64_t time = pp_time_near(it->event.time);

		if (first)
			r->out->start = r->until = r->last = time;
		/* Samples of several buffers may come out of order; the viewer's time only moves on. */
		time = time > r->last ? time : r->last;
		sample_end(r, time);
		if (it->event.kind != PP_EVENT_SAMPLE)
			continue;
		part_enter(r, time);
		memcpy(steps, it->values, r->steps * sizeof *steps);
		gains_fill(r, steps);
		book_sample(r, pp_digest_place(r->d, r->profile, it->event.node), time,
		            pp_cover_length(&r->cover, it), steps);
		if (!r->out->unit &&
		    !pp_vec_push(&r->out->frame, pp_tree_frame(&r->p->tree, it->event.node)))
			r->status = PP_E_NOMEM;
		first = false;
	}
}

/* How long a part of time must be so that about `most` moments remain. */
static uint64_t
part_length(const struct pp_profile *p, const struct pp_timeline *t, uint64_t most)
{
	struct pp_time_span whole = t->n > most ? pp_profile_span(p) : p->time;
	int64_t from = pp_time_near(whole.start), to = pp_time_near(whole.end);
	uint64_t span = to > from ? (uint64_t)(to - from) : 0;

	if (t->n <= most || span == 0)
		return 0;
	/* A part holds several nodes; experience says a few dozen. */
	return span / (most / 32 + 1) + 1;
}

pp_status
pp_digest_moments(const struct pp_digest *d, size_t profile, size_t series, uint64_t most,
                  struct pp_moments *out)
{
	const struct pp_profile *p = d->profile[profile];
	const struct pp_timeline *t = &p->series.at[series].timeline;
	struct recorder r = { .d = d, .p = p, .profile = profile, .out = out };
	size_t shown = pp_metrics_shown(p);
	struct pp_timeline_iter it;
	int64_t *cells;

	r.steps = t->columns < shown ? t->columns : shown;
	r.columns = r.steps < shown ? r.steps : p->metrics.n;
	*out = (struct pp_moments){ .trace = t->cumulative,
		                    .columns = (uint32_t)r.columns,
		                    .unit = part_length(p, t, most) };
	r.seen = calloc(d->up.n + 1, sizeof *r.seen);
	cells = calloc(2 * r.columns + 1, sizeof *cells);
	if (r.seen && cells && pp_cover_learn(&r.cover, p, t) && pp_timeline_begin(t, &it, 0)) {
		if (out->trace)
			walk_trace(&r, &it, cells, cells + r.columns);
		else
			walk_samples(&r, &it, cells);
		pp_timeline_end(&it);
	} else {
		r.status = PP_E_NOMEM;
	}
	free(r.seen);
	free(cells);
	return r.status;
}

void
pp_moments_release(struct pp_moments *m)
{
	pp_vec_release(&m->wait);
	pp_vec_release(&m->length);
	pp_vec_release(&m->node);
	pp_vec_release(&m->frame);
	pp_vec_release(&m->calls);
	pp_vec_release(&m->values);
}
