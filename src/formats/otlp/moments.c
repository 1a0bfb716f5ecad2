/*
 * When samples happened: the events of timelines, put to the rows that they are part of. Samples are told in time all of
 * them or none, since a reader must not take a part for the whole.
 */
#include "formats/otlp/moments.h"

struct finder {
	struct otlp_moments *m;
	const struct pp_profile *p;
	const size_t *metrics;
	uint64_t start;
	uint32_t *sample_of; /* by node of the series in work, + 1 */
	size_t *next;        /* by sample: where its next moment goes */
};

/* Numbers the samples of a series behind so many others; none when they are to be forgotten. */
static void
series_number(struct finder *f, const struct pp_series *s, size_t begin, bool known)
{
	uint32_t row;

	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row)) {
			begin++;
			f->sample_of[pp_series_node(s, row)] = known ? (uint32_t)begin : 0;
		}
}

static size_t
series_samples(const struct pp_series *s)
{
	size_t n = 0;
	uint32_t row;

	for (row = 0; row < s->rows; row++)
		n += pp_series_present(s, row);
	return n;
}

/* How many moments each sample has; false when what happened is no sample of a row. */
static bool
moments_count(struct finder *f, const struct pp_series *s)
{
	struct pp_timeline_iter it;
	bool fine = true;

	if (s->timeline.cumulative)
		return false;
	if (!pp_timeline_begin(&s->timeline, &it, 0)) {
		f->m->no_memory = true;
		return false;
	}
	while (fine && pp_timeline_next(&it)) {
		uint32_t sample = f->sample_of[it.event.node];

		fine = it.event.kind == PP_EVENT_SAMPLE && sample;
		if (fine)
			f->m->first[sample]++;
	}
	pp_timeline_end(&it);
	return fine;
}

/* A value as it is written; false when it is no whole number. */
static bool
value_of(const struct finder *f, size_t type, int64_t cell, int64_t *whole)
{
	const struct pp_metric *m = &f->p->metrics.at[f->metrics[type]];
	bool rounded = false;

	return pp_value_whole(m, pp_cell_value(m, cell), 1, whole, &rounded) && !rounded;
}

/* The time of an event, counted from 1970 where that is known. */
static bool
time_of(const struct finder *f, int64_t time, uint64_t *out)
{
	int64_t origin = f->start && f->p->time.known ? f->p->time.start : 0;

	if (time < origin ||
	    __builtin_add_overflow((uint64_t)time - (uint64_t)origin, f->start, out) ||
	    *out == UINT64_MAX)
		return false;
	f->m->begin = *out < f->m->begin || !f->m->end ? *out : f->m->begin;
	f->m->end = *out >= f->m->end ? *out + 1 : f->m->end;
	return true;
}

static bool
moments_take(struct finder *f, const struct pp_series *s)
{
	struct pp_timeline_iter it;
	bool fine = true;

	if (!pp_timeline_begin(&s->timeline, &it, 0)) {
		f->m->no_memory = true;
		return false;
	}
	while (fine && pp_timeline_next(&it)) {
		size_t at = f->next[f->sample_of[it.event.node] - 1]++, type;

		fine = time_of(f, it.event.time, &f->m->times[at]);
		for (type = 0; type < f->m->types && fine; type++) {
			size_t metric = f->metrics[type];
			int64_t cell = metric < s->timeline.columns ? it.values[metric] : 0;

			fine = value_of(f, type, cell, &f->m->values[at * f->m->types + type]);
		}
	}
	pp_timeline_end(&it);
	return fine;
}

/* Whether the moments of each row, of which there are any, are all that it costs. */
static bool
rows_add_up(struct finder *f, const struct pp_series *s)
{
	const struct otlp_moments *m = f->m;
	uint32_t row;

	for (row = 0; row < s->rows; row++) {
		size_t sample, i, type;

		if (!pp_series_present(s, row))
			continue;
		sample = f->sample_of[pp_series_node(s, row)] - 1;
		if (m->first[sample] == m->first[sample + 1])
			return false;
		for (type = 0; type < m->types; type++) {
			int64_t sum = 0, whole;

			for (i = m->first[sample]; i < m->first[sample + 1]; i++)
				if (__builtin_add_overflow(sum, m->values[i * m->types + type],
				                           &sum))
					return false;
			if (!value_of(f, type, pp_series_cell(s, row, f->metrics[type]), &whole) ||
			    whole != sum)
				return false;
		}
	}
	return true;
}

/* Goes through the series in the order in which samples are written. */
static bool
series_each(struct finder *f, bool (*step)(struct finder *, const struct pp_series *))
{
	size_t i, begin = 0;

	for (i = 0; i < f->p->series.n; i++) {
		const struct pp_series *s = &f->p->series.at[i];
		size_t n = series_samples(s);

		if (!n && !s->timeline.n)
			continue;
		if (!s->timeline.n)
			return false;
		series_number(f, s, begin, true);
		if (!step(f, s))
			return false;
		series_number(f, s, begin, false);
		begin += n;
	}
	return true;
}

static bool
moments_find(struct finder *f)
{
	struct otlp_moments *m = f->m;
	size_t i;

	if (!series_each(f, moments_count))
		return false;
	for (i = 0; i < m->samples; i++)
		m->first[i + 1] += m->first[i];
	memcpy(f->next, m->first, m->samples * sizeof *f->next);
	m->times = malloc((m->first[m->samples] + 1) * sizeof *m->times);
	m->values = malloc((m->first[m->samples] + 1) * (m->types + 1) * sizeof *m->values);
	if (!m->times || !m->values) {
		m->no_memory = true;
		return false;
	}
	return series_each(f, moments_take) && series_each(f, rows_add_up);
}

void
pp_otlp_moments_find(struct otlp_moments *m, const struct pp_profile *p, const size_t *metrics,
                     uint64_t start)
{
	struct finder f = { .m = m, .p = p, .metrics = metrics, .start = start };
	bool any = false;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		any |= p->series.at[i].timeline.n > 0;
		m->samples += series_samples(&p->series.at[i]);
	}
	if (!any || m->samples >= UINT32_MAX)
		return;
	m->first = calloc(m->samples + 1, sizeof *m->first);
	f.next = malloc((m->samples + 1) * sizeof *f.next);
	f.sample_of = calloc(p->tree.n + 1, sizeof *f.sample_of);
	m->no_memory |= !m->first || !f.next || !f.sample_of;
	m->known = !m->no_memory && moments_find(&f);
	free(f.next);
	free(f.sample_of);
}

void
pp_otlp_moments_release(struct otlp_moments *m)
{
	free(m->times);
	free(m->values);
	free(m->first);
	*m = (struct otlp_moments){ 0 };
}
