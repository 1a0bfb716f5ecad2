/*
 * Views: one derived profile after the other.
 */
#include "analysis/view.h"

#include "model/builder.h"
#include "model/derive.h"
#include "model/divide.h"

void
pp_view_init(struct pp_view *v, const struct pp_profile *base)
{
	*v = (struct pp_view){ .base = base, .shown = base };
}

void
pp_view_init_owned(struct pp_view *v, struct pp_profile *base)
{
	*v = (struct pp_view){ .shown = base, .own = base };
}

void
pp_view_release(struct pp_view *v)
{
	pp_profile_release(v->own);
	*v = (struct pp_view){ 0 };
}

struct pp_profile *
pp_view_take(struct pp_view *v)
{
	struct pp_profile *own = v->own;

	v->own = NULL;
	pp_view_release(v);
	return own;
}

/* Shows a derived profile, NULL when nothing changed, instead of the one before. */
static pp_status
step(struct pp_view *v, pp_status status, struct pp_profile **made)
{
	struct pp_profile *derived = *made;

	if (status != PP_OK || !derived)
		return status;
	if (v->own)
		pp_profile_adopt(derived, v->own);
	v->own = derived;
	v->shown = derived;
	return PP_OK;
}

pp_status
pp_view_filter(struct pp_view *v, const struct pp_filter *f, struct pp_buf *problem)
{
	struct pp_profile *derived = NULL;
	pp_status status = step(v, pp_filter_derive(v->shown, f, &derived, problem), &derived);

	v->filtered |= status == PP_OK;
	return status;
}

pp_status
pp_view_group(struct pp_view *v, enum pp_group_by by, struct pp_slice label, struct pp_buf *problem)
{
	struct pp_profile *derived = NULL;

	return step(v, pp_group_derive(v->shown, by, label, &derived, problem), &derived);
}

pp_status
pp_view_root(struct pp_view *v, enum pp_group_by by, struct pp_slice label)
{
	struct pp_profile *derived = NULL;

	return step(v, pp_root_derive(v->shown, by, label, &derived), &derived);
}

pp_status
pp_view_divide(struct pp_view *v)
{
	struct pp_profile *derived = NULL;

	return step(v, pp_series_ensured(v->shown, &derived), &derived);
}

pp_status
pp_view_unite(struct pp_view *v)
{
	struct pp_profile *derived = NULL;

	return step(v, pp_costs_united(v->shown, &derived), &derived);
}

pp_status
pp_view_demangle(struct pp_view *v, bool for_people_only, struct pp_demangled *shared)
{
	struct pp_profile *derived = NULL;

	return step(v, pp_demangle_derive(v->shown, for_people_only, shared, &derived), &derived);
}

pp_status
pp_view_set_aside(struct pp_view *v)
{
	struct pp_profile *derived = NULL;

	/* If only calls are known, the file's own costs of functions apply. */
	if (v->estimated)
		return PP_OK;
	return step(v, pp_set_aside_derive(v->shown, &derived), &derived);
}

pp_status
pp_view_estimate(struct pp_view *v, const struct pp_estimate_opts *opts)
{
	struct pp_profile *derived = NULL;
	struct pp_estimate how;
	pp_status status = step(v, pp_estimate_derive(v->shown, opts, &how, &derived), &derived);

	if (status == PP_OK) {
		v->estimated = true;
		v->estimate = how;
	}
	return status;
}

union pp_value
pp_view_whole(const struct pp_view *v, size_t metric)
{
	const struct pp_metric *m = &v->shown->metrics.at[metric], *of;
	size_t i;

	for (i = 0; v->base && i < v->base->metrics.n; i++) {
		of = &v->base->metrics.at[i];
		if (of->name == m->name && of->event == m->event)
			return pp_profile_total(v->base, i);
	}
	return pp_profile_total(v->shown, metric);
}
