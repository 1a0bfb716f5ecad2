/*
 * Profiles that hold calls only, costs of functions, and the schema of all tables.
 */
#include "analysis/callers.h"
#include "analysis/estimate.h"
#include "model/flat.h"
#include "model/builder.h"
#include "model/merge.h"
#include "model/schema.h"
#include "tap.h"

/* ---- calls alone ---- */

struct call {
	const char *caller, *callee; /* caller NULL = from outside */
	int64_t calls, cost;
};

static bool
start(struct pp_builder *b)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_metric time = { .type = PP_UINT, .kind = PP_KIND_WALL_TIME };

	if (!pp_builder_init(b, &limits, NULL, 7, &pp_pages_plain))
		return false;
	time.name = pp_build_strz(b, "wt");
	(void)pp_build_metric(b, &time);
	return true;
}

static pp_func
func_of(struct pp_builder *b, const char *name)
{
	struct pp_func_row row = { .name = name ? pp_build_strz(b, name) : 0 };

	return name ? pp_build_func(b, &row) : 0;
}

static void
calls_add(struct pp_builder *b, const struct call *calls, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct pp_edge_row row = { .caller = func_of(b, calls[i].caller),
			                   .callee = func_of(b, calls[i].callee) };
		int64_t *cells = pp_build_edge(b, &row);

		if (!cells)
			return;
		cells[0] += calls[i].calls;
		cells[1] += calls[i].cost;
	}
}

static struct pp_profile *
profile_of(const struct call *calls, size_t n)
{
	struct pp_builder b;
	struct pp_profile *p = NULL;

	if (start(&b)) {
		calls_add(&b, calls, n);
		ok(pp_builder_finish(&b, &p) == PP_OK, "calls alone are a profile");
	}
	pp_builder_release(&b);
	return p;
}

static size_t
row_of(const struct pp_flat *f, const char *name)
{
	size_t row;

	for (row = 0; row < f->n; row++)
		if (pp_slice_eq_z(pp_text_of(f->profile, f->profile->funcs.at[f->func[row]].name),
		                  name))
			return row;
	return f->n;
}

static void
costs_are(const struct pp_profile *p, const char *name, uint64_t calls, int64_t self, int64_t total)
{
	struct pp_flat f;
	size_t row;

	if (!ok(pp_flat_compute(p, &f) == PP_OK, "a flat profile"))
		return;
	row = row_of(&f, name);
	if (ok(row < f.n, "%s is in it", name)) {
		is_u64(f.calls[row], calls, "calls of %s", name);
		is_i64((int64_t)f.self[row].i, self, "what %s costs itself", name);
		is_i64((int64_t)f.total[row].i, total, "and with all it called");
	}
	pp_flat_release(&f);
}

static const struct call plain[] = {
	{ NULL, "main", 1, 100 }, { "main", "a", 2, 60 }, { "main", "b", 1, 30 },
	{ "a", "c", 4, 20 },      { "b", "c", 1, 10 },
};

static void
check_top(void)
{
	static const struct call recursive[] = { { NULL, "f", 1, 50 },
		                                 { "f", "f", 3, 80 },
		                                 { "f", "g", 4, 20 } };
	static const struct call rootless[] = { { "main", "a", 1, 60 }, { "a", "c", 1, 25 } };
	struct pp_profile *p = profile_of(plain, PP_COUNT_OF(plain));

	ok(pp_profile_basis(p) == PP_BASIS_CALLS && !p->calls.own && p->lines.rows.n == 0,
	   "no line is made up");
	costs_are(p, "main", 1, 10, 100);
	costs_are(p, "a", 2, 40, 60);
	costs_are(p, "b", 1, 20, 30);
	costs_are(p, "c", 5, 30, 30);
	is_i64((int64_t)pp_profile_total(p, 0).i, 100, "the whole is what came from outside");
	pp_profile_free(p);
	p = profile_of(recursive, PP_COUNT_OF(recursive));
	costs_are(p, "f", 4, 30, 50);
	costs_are(p, "g", 4, 20, 20);
	is_i64((int64_t)pp_profile_total(p, 0).i, 50, "recursion adds nothing to the whole");
	pp_profile_free(p);
	p = profile_of(rootless, PP_COUNT_OF(rootless));
	costs_are(p, "main", 0, 0, 0);
	costs_are(p, "a", 1, 35, 60);
	is_i64((int64_t)pp_profile_total(p, 0).i, 60,
	       "nobody says what main costs, its callees are all there is");
	pp_profile_free(p);
}

static void
check_callers(void)
{
	struct pp_profile *p = profile_of(plain, PP_COUNT_OF(plain));
	struct pp_calls calls;
	struct pp_flat flat = { 0 };
	pp_func c;

	for (c = 1; c < p->funcs.n && !pp_slice_eq_z(pp_text_of(p, p->funcs.at[c].name), "c");)
		c++;
	if (ok(pp_calls_compute(p, c, PP_CALLERS, 0, 1, &calls, &flat) == PP_OK, "callers of c")) {
		is_u64(calls.rows.n, 2, "are two");
		is_slice_z(pp_text_of(p, p->funcs.at[calls.rows.at[0].func].name), "a",
		           "the costliest first");
		is_u64(calls.rows.at[0].calls, 4, "with its calls");
		is_i64((int64_t)calls.total.at[0].i, 20, "and what they cost");
		pp_calls_release(&calls);
	}
	pp_flat_release(&flat);
	pp_profile_free(p);
}

static void
check_estimate(void)
{
	struct pp_profile *p = profile_of(plain, PP_COUNT_OF(plain)), *tree = NULL;
	struct pp_estimate_opts opts = { 0 };
	struct pp_estimate estimate;

	ok(pp_estimate_possible(p), "stacks can be estimated");
	if (ok(pp_estimate_stacks(p, &opts, &estimate, &tree) == PP_OK, "and are")) {
		is_u64(pp_profile_node_count(tree), 6, "main, a, b, and c below both");
		costs_are(tree, "main", 0, 10, 100);
		costs_are(tree, "a", 0, 40, 60);
		costs_are(tree, "c", 0, 30, 30);
	}
	pp_profile_free(tree);
	pp_profile_free(p);
}

/* ---- costs of functions beside calls ---- */

static void
check_costs(void)
{
	struct pp_builder b;
	struct pp_func_costs f;
	struct pp_estimate_opts opts = { 0 };
	struct pp_estimate estimate;
	struct pp_profile *p = NULL, *tree = NULL;

	if (!ok(start(&b), "a builder"))
		return;
	calls_add(&b, plain + 1, 1);
	(void)(pp_build_func_costs(&b, func_of(&b, "main"), &f) && (*f.calls = 1) &&
	       (f.own[0].i = 40, f.total[0].i = 100));
	(void)(pp_build_func_costs(&b, func_of(&b, "a"), &f) && (*f.calls = 2) &&
	       (f.own[0].i = f.total[0].i = 60));
	(void)(pp_build_func_costs(&b, 0, &f) && (f.own[0].i = f.total[0].i = 100));
	b.profile->costs.stated = b.profile->costs.measured = true;
	ok(pp_builder_finish(&b, &p) == PP_OK && pp_profile_basis(p) == PP_BASIS_COSTS,
	   "what a file states of functions comes first");
	costs_are(p, "main", 1, 40, 100);
	costs_are(p, "a", 2, 60, 60);
	if (ok(pp_estimate_stacks(p, &opts, &estimate, &tree) == PP_OK, "calls give it stacks"))
		costs_are(tree, "main", 0, 40, 100);
	pp_profile_free(tree);
	pp_profile_free(p);
	pp_builder_release(&b);
}

/* Sums of functions may pass 64 bits, in two runs of one program for instance. */
static void
check_large(void)
{
	struct pp_builder b[2];
	struct pp_profile *p[2] = { NULL, NULL }, *both = NULL;
	struct pp_func_costs f;
	size_t i;

	for (i = 0; i < 2; i++) {
		if (!ok(start(&b[i]), "a builder"))
			return;
		(void)(pp_build_func_costs(&b[i], func_of(&b[i], "f"), &f) && (*f.calls = 1) &&
		       (f.own[0].i = f.total[0].i = UINT64_MAX));
		b[i].profile->costs.stated = b[i].profile->costs.measured = true;
		ok(pp_builder_finish(&b[i], &p[i]) == PP_OK, "finished");
		pp_builder_release(&b[i]);
	}
	if (ok(pp_profile_merge(p, 2, NULL, &both) == PP_OK, "large costs are merged"))
		ok(pp_costs_own(both, 1)[0].i == 2 * (pp_i128)UINT64_MAX &&
		       both->costs.calls.at[1] == 2,
		   "and exact");
	pp_profile_free(both);
	pp_profile_free(p[0]);
	pp_profile_free(p[1]);
}

/* ---- values as whole numbers ---- */

static void
whole_is(const struct pp_metric *m, union pp_value v, uint32_t unit, int64_t want, bool inexact)
{
	int64_t whole = 0;
	bool rounded = false;

	ok(pp_value_whole(m, v, unit, &whole, &rounded), "%lld fits", (long long)want);
	is_i64(whole, want, "as a whole number");
	ok(rounded == inexact, "which is %s", inexact ? "rounded" : "exact");
}

static void
check_whole(void)
{
	static const struct pp_metric us = { .type = PP_INT, .factor_num = 1000 },
	                              tenths = { .type = PP_INT, .scale = 1 },
	                              real = { .type = PP_REAL },
	                              odd = { .type = PP_INT,
		                              .factor_den = UINT64_MAX,
		                              .scale = 18 };
	int64_t whole;
	bool rounded;

	whole_is(&us, (union pp_value){ .i = 7 }, 1000, 7, false);
	whole_is(&us, (union pp_value){ .i = -7 }, 1, -7000, false);
	whole_is(&tenths, (union pp_value){ .i = 15 }, 1, 2, true);
	whole_is(&tenths, (union pp_value){ .i = -15 }, 1, -2, true);
	whole_is(&tenths, (union pp_value){ .i = 14 }, 1, 1, true);
	whole_is(&real, (union pp_value){ .d = 2.5 }, 1, 3, true);
	whole_is(&odd, (union pp_value){ .i = UINT64_MAX }, 1000, 0, true);
	ok(!pp_value_whole(&us, (union pp_value){ .i = INT64_MAX }, 1, &whole, &rounded) &&
	       !pp_value_whole(&real, (union pp_value){ .d = 1e300 }, 1, &whole, &rounded),
	   "beyond 64 bits there is none");
}

/* ---- the schema ---- */

static void
check_schema(void)
{
	struct pp_profile *p = profile_of(plain, PP_COUNT_OF(plain));
	int64_t row[PP_COLUMNS_MAX];
	struct pp_edge_row edge;
	size_t n = pp_table_rows(p, PP_TABLE_CALLS), callee = 1, i;
	const uint32_t swapped[] = { 0, 4, 3, 2, 1 };
	const uint32_t *const maps[PP_REFERS] = { [PP_TO_FUNC] = swapped };
	enum pp_table_id id;

	for (id = PP_TABLE_PROFILE; id < PP_TABLES; id++)
		for (i = pp_schema[id].first; i < pp_table_rows(p, id); i++) {
			pp_table_get(p, id, i, row);
			if (!pp_table_fits(p, id, i, row))
				ok(false, "row %zu of table %d fits", i, (int)id);
		}
	is_u64(n, PP_COUNT_OF(plain), "a row for each call");
	is_u64(pp_table_width(p, PP_TABLE_CALLS), 8, "six columns, calls and a cost");
	pp_table_get(p, PP_TABLE_CALLS, 1, row);
	is_i64(row[6], 2, "the calls of a row");
	is_i64(row[7], 60, "its cost");
	ok(pp_table_append(p, PP_TABLE_CALLS, row) && pp_table_rows(p, PP_TABLE_CALLS) == n + 1 &&
	       p->calls.cells.at[p->calls.cells.n - 1] == 60,
	   "a row is added with its cells");
	row[callee] = (int64_t)p->funcs.n;
	ok(!pp_table_fits(p, PP_TABLE_CALLS, n, row), "a function that is not there");
	row[callee] = -1;
	ok(!pp_table_fits(p, PP_TABLE_CALLS, n, row), "a negative one");
	row[callee] = (int64_t)UINT32_MAX + 2;
	ok(!pp_table_fits(p, PP_TABLE_CALLS, n, row), "one that wraps around");
	pp_table_get(p, PP_TABLE_FUNCS, 2, row);
	row[6] = 3;
	ok(!pp_table_fits(p, PP_TABLE_FUNCS, 2, row), "the first of an identity is not behind it");
	row[6] = 0;
	ok(!pp_table_fits(p, PP_TABLE_FUNCS, 2, row), "nor is there none");
	edge = p->calls.rows.at[1];
	pp_table_translate(PP_TABLE_CALLS, &edge, maps);
	ok(edge.caller == swapped[p->calls.rows.at[1].caller] &&
	       edge.callee == swapped[p->calls.rows.at[1].callee],
	   "ids are translated");
	pp_profile_free(p);
}

int
main(void)
{
	check_top();
	check_callers();
	check_estimate();
	check_costs();
	check_large();
	check_whole();
	check_schema();
	return tap_done();
}
