/*
 * Questions to a profile that need no analysis.
 */
#include "model/profile.h"

size_t
pp_profile_primary(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].flags & PP_METRIC_PRIMARY)
			return i;
	return 0;
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

size_t
pp_profile_metric_find(const struct pp_profile *p, struct pp_slice name)
{
	size_t i;

	for (i = 0; i < p->metrics.n && !pp_metric_is_named(p, &p->metrics.at[i], name); i++)
		;
	return i;
}

static bool
same_text(const struct pp_profile *p, pp_str a, const struct pp_profile *q, pp_str b)
{
	return pp_slice_eq(pp_text_of(p, a), pp_text_of(q, b));
}

/* How many metrics of a kind and unit there are; *last is the last of them. */
static size_t
metrics_of_kind(const struct pp_profile *p, const struct pp_profile *q, const struct pp_metric *m,
                size_t *last)
{
	size_t i, n = 0;

	for (i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].kind == m->kind &&
		    same_text(p, p->metrics.at[i].unit, q, m->unit)) {
			*last = i;
			n++;
		}
	return n;
}

size_t
pp_profile_metric_like(const struct pp_profile *p, const struct pp_profile *other, size_t metric)
{
	const struct pp_metric *m = &other->metrics.at[metric];
	size_t i, last = 0;

	for (i = 0; i < p->metrics.n; i++) {
		const struct pp_metric *own = &p->metrics.at[i];

		if (same_text(p, own->name, other, m->name) &&
		    same_text(p, own->event, other, m->event) &&
		    same_text(p, own->unit, other, m->unit) && own->kind == m->kind)
			return i;
	}
	if (m->kind == PP_KIND_OTHER || metrics_of_kind(other, other, m, &last) != 1 ||
	    metrics_of_kind(p, other, m, &last) != 1)
		return p->metrics.n;
	return last;
}

int
pp_func_cmp(const struct pp_profile *p, pp_func a, pp_func b)
{
	const struct pp_func_row *fa = &p->funcs.at[a], *fb = &p->funcs.at[b];
	int c = pp_slice_cmp(pp_text_of(p, fa->name), pp_text_of(p, fb->name));

	if (!c)
		c = pp_slice_cmp(pp_text_of(p, fa->file), pp_text_of(p, fb->file));
	if (!c)
		c = (fa->line > fb->line) - (fa->line < fb->line);
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
	pp_buf_adds(out, " passes 64 bits");
}
