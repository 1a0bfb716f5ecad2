/*
 * Stacks for profiles that know calls only: estimated, with a note that says how much is certain.
 */
#include "analysis/estimate.h"
#include "questions/scope.h"
#include "text/units.h"

size_t
pp_scope_metric(const struct pp_profile *p, const char *name)
{
	size_t metric = name ? pp_profile_metric_find(p, pp_slice_z(name)) : p->metrics.n;

	/* The first of several decides. */
	if (name && metric == p->metrics.n)
		metric = pp_profile_metric_find(p, pp_slice_of(name, strcspn(name, ",")));
	return metric < p->metrics.n ? metric : pp_profile_primary(p);
}

static void
estimate_note(struct pp_answer *a, const struct pp_estimate *e)
{
	struct pp_buf text = { 0 };

	pp_buf_adds(&text,
	            "this profile knows which function called which, but not whole stacks, so they "
	            "are estimated: at least ");
	pp_units_share(&text, e->exact, 1);
	pp_buf_adds(&text, " of the cost is on stacks that are certain");
	if (e->cycles)
		pp_buf_addf(&text, "; %u %s of calls %s taken as one", e->cycles,
		            pp_plural(e->cycles, "cycle", "cycles"),
		            pp_plural(e->cycles, "is", "are each"));
	if (e->pruned > 0) {
		pp_buf_adds(&text, "; ");
		pp_units_share(&text, e->pruned, 1);
		pp_buf_adds(&text, " is on too many rare ones and summed up under [pruned]");
	}
	pp_answer_note(a, "estimated", "%s", pp_answer_made(a, &text));
	pp_buf_release(&text);
}

pp_status
pp_scope_estimate(const struct pp_scope *s, struct pp_view *view, const struct pp_seen_for *seen,
                  struct pp_answer *a)
{
	const struct pp_profile *p = view->shown;
	struct pp_estimate_opts opts = { .max_nodes = pp_estimate_nodes_for(p),
		                         .metric = pp_scope_metric(p, seen->metric),
		                         .min_share = pp_scope_given(s) ? 0 : seen->min_share };
	pp_status status = pp_view_estimate(view, &opts);

	if (status == PP_E_LIMIT)
		return pp_answer_fail(
		    a, status, "too-many-stacks",
		    "%zu threads with %zu functions are too many to estimate stacks for; "
		    "choose some with --thread",
		    p->series.n, p->funcs.n);
	if (status != PP_OK)
		return pp_answer_fail_status(a, status);
	estimate_note(a, &view->estimate);
	return PP_OK;
}
