/* Costs of functions by series: merged with labels each is told from the others, and without them they are one. */
#include "tap.h"

#include "model/builder.h"
#include "model/divide.h"
#include "model/ledger.h"
#include "model/merge.h"

static struct pp_slice
z(const char *text)
{
	return pp_slice_z(text);
}

/* A profile that states what functions cost: `cost` of f, which all of them have, 1 of a function of its own. */
static struct pp_profile *
make(const char *value, const char *own, int64_t cost, size_t metrics)
{
	const struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_builder b;
	struct pp_profile *p = NULL;
	char name[16];
	pp_func funcs[2];
	size_t i, m;

	ok(pp_builder_init(&b, &limits, NULL, 42, &pp_pages_plain), "a builder");
	for (m = 0; m < metrics; m++) {
		(void)snprintf(name, sizeof name, "m%zu", m);
		pp_build_metric_z(&b, name, "ns", PP_KIND_OTHER, PP_INT, m ? 0 : PP_METRIC_PRIMARY);
	}
	funcs[0] = pp_frame_func(b.profile, pp_build_frame_named(&b, z("f")));
	funcs[1] = pp_frame_func(b.profile, pp_build_frame_named(&b, z(own)));
	b.profile->costs.stated = b.profile->costs.measured = true;
	for (i = 0; i < 2; i++) {
		union pp_value v = { .i = i ? 1 : cost };

		pp_build_func_cost(&b, funcs[i], 0, (struct pp_cost_pair){ v, v });
		pp_build_func_cost(&b, 0, 0, (struct pp_cost_pair){ v, v });
	}
	ok(pp_builder_finish(&b, &p) == PP_OK && pp_profile_label(p, z("v"), z(value)), "finished");
	pp_builder_release(&b);
	is_u64(p->series.n, 1, "a label needs a series");
	return p;
}

static struct pp_profile *
merged(struct pp_profile **from, size_t n)
{
	const struct pp_slice keys[] = { pp_slice_z("v") };
	struct pp_buf problem = { 0 };
	struct pp_profile *p = NULL;
	struct pp_merge m;
	size_t i;

	ok(pp_merge_init(&m, NULL, 42), "a merge");
	m.label_keys = keys;
	m.label_key_count = 1;
	for (i = 0; i < n; i++)
		ok(pp_merge_see(&m, from[i]) && pp_merge_add(&m, from[i], &problem) == PP_OK,
		   "added");
	ok(pp_merge_finish(&m, &p) == PP_OK, "merged");
	pp_merge_release(&m);
	pp_buf_release(&problem);
	return p;
}

/* What functions themselves cost in a series together. */
static int64_t
own_of(const struct pp_profile *p, size_t series)
{
	struct pp_ledger own;
	int64_t sum = 0;
	size_t i;

	if (!pp_profile_own(p, series, false, &own))
		return -1;
	for (i = 0; i < p->funcs.n; i++)
		sum += (int64_t)pp_ledger_get(&own, i, 0).i;
	pp_ledger_release(&own);
	return sum;
}

static void
divided(size_t metrics)
{
	struct pp_profile *from[] = { make("1", "a", 10, metrics), make("2", "b", 20, metrics),
		                      make("1", "c", 40, metrics) };
	struct pp_profile *p = merged(from, 3), *one = NULL, *united = NULL;
	size_t i;

	is_u64(p->series.n, 2, "a series for each value, %zu metrics", metrics);
	is_u64((uint64_t)pp_profile_total(p, 0).i, 73, "the whole of all");
	is_u64((uint64_t)pp_costs_whole(p, 0).total.i, 73, "as it is stated");
	is_u64((uint64_t)own_of(p, 0), 52, "functions of the first value");
	is_u64((uint64_t)own_of(p, 1), 21, "functions of the second");
	is_u64((uint64_t)own_of(p, PP_ALL_SERIES), 73, "of both");
	ok(pp_series_alone(p, 1, &one) == PP_OK, "one series");
	is_u64((uint64_t)pp_profile_total(one, 0).i, 21, "its whole");
	is_u64((uint64_t)own_of(one, 0), 21, "its functions");
	ok(pp_costs_united(p, &united) == PP_OK && united, "united");
	for (i = 0; i < united->costs.funcs.n && united->costs.funcs.at[i] == i; i++)
		;
	is_u64(i, united->costs.funcs.n, "a row for each function");
	is_u64((uint64_t)pp_profile_total(united, 0).i, 73, "of which the first is the whole");
	is_u64((uint64_t)own_of(united, PP_ALL_SERIES), 73, "and nothing is lost");
	pp_profile_release(united);
	pp_profile_release(one);
	pp_profile_release(p);
	for (i = 0; i < 3; i++)
		pp_profile_release(from[i]);
}

int
main(void)
{
	divided(1);
	/* More than a row has room for. */
	divided(PP_FEW_COLUMNS + 8);
	return tap_done();
}
