/*
 * Questions to a profile that need no analysis.
 */
#include "model/profile.h"

#include "base/slice.h"

size_t
pp_profile_primary(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].flags & PP_METRIC_PRIMARY)
			return i;
	return 0;
}

unsigned
pp_metric_preference(const struct pp_profile *p, const struct pp_metric *m)
{
	struct pp_slice event = pp_text_of(p, m->event ? m->event : m->name);

	if (m->kind == PP_KIND_WALL_TIME || m->kind == PP_KIND_CPU_TIME ||
	    pp_slice_starts(event, "cpu-clock") || pp_slice_starts(event, "task-clock"))
		return PP_PREFERS_TIME;
	if (pp_slice_holds(event, "cycles"))
		return PP_PREFERS_CYCLES;
	return pp_slice_holds(event, "instructions") ? PP_PREFERS_INSTRUCTIONS : 0;
}

void
pp_metrics_settle_primary(struct pp_profile *p)
{
	struct pp_metric *best = NULL;
	size_t i;

	for (i = 0; i < p->metrics.n; i++) {
		struct pp_metric *m = &p->metrics.at[i];

		if (!(m->flags & PP_METRIC_PRIMARY))
			continue;
		if (!best || pp_metric_preference(p, m) > pp_metric_preference(p, best)) {
			if (best)
				best->flags &= ~(unsigned)PP_METRIC_PRIMARY;
			best = m;
		} else {
			m->flags &= ~(unsigned)PP_METRIC_PRIMARY;
		}
	}
}

void
pp_metric_label(const struct pp_profile *p, const struct pp_metric *m, struct pp_buf *out)
{
	struct pp_slice name = pp_text_of(p, m->name), event = pp_text_of(p, m->event);

	if (m->event && m->flags & PP_METRIC_SHARED) {
		pp_buf_add(out, event.p, event.n);
		pp_buf_addc(out, '/');
	}
	pp_buf_add(out, name.p, name.n);
}

bool
pp_metric_is_named(const struct pp_profile *p, const struct pp_metric *m, struct pp_slice name)
{
	struct pp_slice own = pp_text_of(p, m->name), event = pp_text_of(p, m->event);

	return pp_slice_eq(own, name) ||
	       (event.n && name.n == event.n + 1 + own.n && name.p[event.n] == '/' &&
	        pp_slice_eq(pp_slice_of(name.p, event.n), event) &&
	        pp_slice_eq(pp_slice_of(name.p + event.n + 1, own.n), own));
}

static bool
same_text(const struct pp_profile *p, pp_str a, const struct pp_profile *q, pp_str b)
{
	return pp_slice_eq(pp_text_of(p, a), pp_text_of(q, b));
}

bool
pp_metric_same_kind(const struct pp_profile *p, const struct pp_metric *a,
                    const struct pp_profile *q, const struct pp_metric *b)
{
	/* Samples are samples, whatever the word for one is (pprof says count). */
	return a->kind == b->kind && !((a->flags ^ b->flags) & PP_METRIC_GAINED) &&
	       (a->kind == PP_KIND_SAMPLES || same_text(p, a->unit, q, b->unit));
}

static bool
metric_same(const struct pp_profile *p, size_t metric, const struct pp_profile *other,
            const struct pp_metric *m)
{
	const struct pp_metric *own = &p->metrics.at[metric];

	return same_text(p, own->name, other, m->name) &&
	       same_text(p, own->event, other, m->event) && pp_metric_same_kind(p, own, other, m);
}

size_t
pp_profile_metric_same(const struct pp_profile *p, const struct pp_profile *other,
                       const struct pp_metric *m)
{
	size_t i = (size_t)(m - other->metrics.at);

	/* Files of one kind mostly have it at the same place. */
	if (i < p->metrics.n && metric_same(p, i, other, m))
		return i;
	for (i = 0; i < p->metrics.n && !metric_same(p, i, other, m);)
		i++;
	return i;
}

size_t
pp_profile_metric_sole(const struct pp_profile *p, const struct pp_profile *other,
                       const struct pp_metric *m)
{
	size_t i, n = 0, last = p->metrics.n;

	for (i = 0; i < p->metrics.n && n < 2; i++)
		if (pp_metric_same_kind(p, &p->metrics.at[i], other, m)) {
			last = i;
			n++;
		}
	return n == 1 && m->kind != PP_KIND_OTHER ? last : p->metrics.n;
}

size_t
pp_profile_metric_like(const struct pp_profile *p, const struct pp_profile *other, size_t metric)
{
	const struct pp_metric *m = &other->metrics.at[metric];
	size_t same = pp_profile_metric_same(p, other, m);

	if (same < p->metrics.n || pp_profile_metric_sole(other, other, m) != metric)
		return same;
	return pp_profile_metric_sole(p, other, m);
}

int
pp_func_row_cmp(const struct pp_profile *p, const struct pp_func_row *a, const struct pp_profile *q,
                const struct pp_func_row *b)
{
	int c = pp_slice_cmp(pp_text_of(p, a->name), pp_text_of(q, b->name));

	if (!c)
		c = pp_slice_cmp(pp_text_of(p, a->file), pp_text_of(q, b->file));
	if (!c)
		c = (a->line > b->line) - (a->line < b->line);
	return c ? c : (a->column > b->column) - (a->column < b->column);
}

int
pp_func_cmp(const struct pp_profile *p, pp_func a, pp_func b)
{
	const struct pp_func_row *fa = &p->funcs.at[a], *fb = &p->funcs.at[b];
	int c = pp_func_row_cmp(p, fa, p, fb);

	if (!c)
		c = pp_slice_cmp(pp_text_of(p, p->modules.at[fa->module].name),
		                 pp_text_of(p, p->modules.at[fb->module].name));
	return c ? c : (a > b) - (a < b);
}

struct pp_slice
pp_profile_meta(const struct pp_profile *p, const char *key)
{
	size_t i;

	for (i = 0; i < p->meta.n; i++)
		if (p->meta.at[i].parent == 0 &&
		    pp_slice_eq_z(pp_text_of(p, p->meta.at[i].key), key))
			return pp_text_of(p, p->meta.at[i].text);
	return pp_slice_of("", 0);
}

#define NAME_SHOWN 200

void
pp_profile_sum_problem(const struct pp_profile *p, pp_func func, size_t metric, struct pp_buf *out)
{
	struct pp_slice name = pp_text_of(p, p->funcs.at[func].name);

	pp_buf_adds(out, "the sum of ");
	if (metric < p->metrics.n)
		pp_metric_label(p, &p->metrics.at[metric], out);
	else
		pp_buf_adds(out, "calls");
	if (func) {
		pp_buf_adds(out, " of ");
		pp_buf_add(out, name.p, name.n < NAME_SHOWN ? name.n : NAME_SHOWN);
		pp_buf_adds(out, name.n < NAME_SHOWN ? "" : "...");
	}
	pp_buf_adds(out, " exceeds 64 bits");
}

struct pp_time_span
pp_profile_span(const struct pp_profile *p)
{
	struct pp_time_span events = { 0 };
	bool traced = true;
	int64_t first, last;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_timeline *t = &p->series.at[i].timeline;

		if (!pp_timeline_span(t, &first, &last))
			continue;
		traced = traced && t->cumulative;
		events.start = !events.known || first < events.start ? first : events.start;
		events.end = !events.known || last > events.end ? last : events.end;
		events.known = true;
	}
	return p->time.known && !(traced && events.known) ? p->time : events;
}
