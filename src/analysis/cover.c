/*
 * How long samples ran: the one rule for charts and reports.
 */
#include "analysis/cover.h"

#include <stdlib.h>

/* Distances between samples that are looked at. */
#define GAPS_MOST 20000u
/* What happens at an instant is drawn as a mark: one of so many that would fill the whole. */
#define MARKS 200

static int
compare_gaps(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* How far samples usually lie apart, of so many of them as tell it; INT64_MAX when nothing does. */
static bool
usual_gap(const struct pp_timeline *t, int64_t *gap)
{
	int64_t *gaps = malloc((GAPS_MOST + 1) * sizeof *gaps), last = 0;
	uint64_t every = t->n / GAPS_MOST + 1, seen = 0;
	struct pp_timeline_iter it;
	size_t n = 0;

	*gap = INT64_MAX;
	if (!gaps || !pp_timeline_begin(t, &it, 0)) {
		free(gaps);
		return false;
	}
	while (pp_timeline_next(&it)) {
		int64_t time = pp_time_near(it.event.time);

		if (it.event.kind != PP_EVENT_SAMPLE)
			continue;
		if (seen && seen % every == 0 && time > last && n < GAPS_MOST)
			gaps[n++] = time - last;
		last = time;
		seen++;
	}
	pp_timeline_end(&it);
	if (n) {
		qsort(gaps, n, sizeof *gaps, compare_gaps);
		*gap = gaps[(n - 1) / 2]; /* of two, a pause is not the usual one */
	}
	free(gaps);
	return true;
}

/* Whether what was recorded has no length: allocations and probes, as opposed to samples of what runs. */
static bool
are_instants(const struct pp_profile *p, const struct pp_timeline *t)
{
	size_t i, n = t->columns < p->metrics.n ? t->columns : p->metrics.n;

	for (i = 0; i < n; i++)
		if (p->metrics.at[i].kind != PP_KIND_BYTES &&
		    p->metrics.at[i].kind != PP_KIND_COUNT)
			return false;
	return n > 0;
}

bool
pp_cover_learn(struct pp_cover *cover, const struct pp_profile *p, const struct pp_timeline *t)
{
	int64_t gap;

	*cover = (struct pp_cover){ .p = p, .usual = INT64_MAX, .gap = INT64_MAX };
	if (t->cumulative)
		return true;
	while (cover->clock < t->columns &&
	       (cover->clock >= p->metrics.n ||
	        !pp_slice_eq_z(pp_text_of(p, p->metrics.at[cover->clock].unit), "ns")))
		cover->clock++;
	if (!usual_gap(t, &gap))
		return false;
	cover->gap = gap;
	if (gap < INT64_MAX / 3)
		cover->usual = gap + gap / 2;
	if (are_instants(p, t) && p->time.known && p->time.end > p->time.start) {
		int64_t mark = (pp_time_near(p->time.end) - pp_time_near(p->time.start)) / MARKS;

		mark = mark > 1 ? mark : 1;
		cover->usual = mark < cover->usual ? mark : cover->usual;
	}
	return true;
}

/* The period of a sample, if that is a time; 0 = it is not. */
static int64_t
period_of(const struct pp_cover *cover, const struct pp_timeline_iter *it)
{
	const struct pp_metric *m;
	double period;

	if (cover->clock >= it->timeline->columns)
		return 0;
	m = &cover->p->metrics.at[cover->clock];
	period = pp_value_double(m, pp_cell_value(m, it->values[cover->clock]));
	return period >= 1 && period < (double)(INT64_MAX / 4) ? (int64_t)period : 0;
}

int64_t
pp_cover_length(const struct pp_cover *cover, const struct pp_timeline_iter *it)
{
	int64_t period = it->event.kind == PP_EVENT_SAMPLE ? period_of(cover, it) : 0;

	return it->event.kind != PP_EVENT_SAMPLE ? 0 : period ? period : cover->usual;
}

int64_t
pp_cover_last(const struct pp_cover *cover, const struct pp_timeline_iter *it)
{
	int64_t length = pp_cover_length(cover, it);

	return length == cover->usual && cover->gap < length ? cover->gap : length;
}
