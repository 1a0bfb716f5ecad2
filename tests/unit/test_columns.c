/*
 * Columns whose meaning is known at the end only: they grow while stacks are reported, and become metrics.
 */
#include "tap.h"

#include "model/builder.h"

#define WHOLE 100 /* what the first column is multiplied by */

static uint32_t
series_add(struct pp_builder *b, const char *event)
{
	struct pp_series like = {
		.event = pp_build_strz(b, event), .pid = -1, .tid = -1, .cpu = -1
	};

	return pp_build_series(b, &like, false, false);
}

static void
metric_add(struct pp_builder *b, const char *event, enum pp_cell_type type)
{
	struct pp_metric metric = { .name = pp_build_strz(b, "m"),
		                    .event = pp_build_strz(b, event),
		                    .type = type };

	(void)pp_build_metric(b, &metric);
}

/* The values of a stack of one frame; `own` may be NULL. */
static void
report(struct pp_builder *b, uint32_t series, const char *name, const int64_t *values,
       const int64_t *own)
{
	pp_frame frame = pp_build_frame_named(b, pp_slice_z(name));
	struct pp_sample sample = { .series = series, .values = values, .own = own };

	ok(pp_build_sample(b, &sample, &frame, 1), "a stack of %s", name);
}

static struct pp_profile *
build(const struct pp_order *order)
{
	static const uint32_t column_of[] = { 1, 0, 0 };
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_profile *p = NULL;
	struct pp_builder b;
	uint32_t a, z, moved[8] = { 0 };

	if (!pp_builder_init(&b, &limits, order, 1, &pp_pages_plain))
		abort();
	ok(pp_build_column(&b) == 0, "the first column");
	z = series_add(&b, "z");
	report(&b, z, "f", (const int64_t[]){ 1, 0 }, NULL);
	ok(pp_build_column(&b) == 1, "the second column comes later");
	a = series_add(&b, "a");
	report(&b, a, "f", (const int64_t[]){ 0, 7 }, (const int64_t[]){ 0, 5 });
	ok(pp_build_column_scale(&b, 0, WHOLE), "the first column gets decimals");
	if (order->facets & PP_TREE) /* sums are wider */
		ok(!pp_build_column_scale(&b, 0, INT64_MAX), "but not more than there is room for");
	report(&b, z, "f", (const int64_t[]){ 25, 0 }, NULL);
	pp_build_column_real(&b, 1, 2.0);
	report(&b, z, "g", (const int64_t[]){ INT64_MAX, 0 }, NULL);
	report(&b, z, "g", (const int64_t[]){ 3, 0 }, NULL);
	metric_add(&b, "a", PP_REAL);
	metric_add(&b, "z", PP_UINT);
	metric_add(&b, "z", PP_UINT);
	pp_build_columns_settle(&b, column_of, moved);
	ok(moved[a] == 0 && moved[z] == 1, "series are in the order of the metrics' events");
	ok(pp_builder_finish(&b, &p) == PP_OK, "all is well");
	pp_builder_release(&b);
	return p;
}

/* The cell of the n-th row of a series. */
static int64_t
cell(const struct pp_profile *p, uint32_t series, uint32_t row, uint32_t metric)
{
	return p->series.at[series].cells[row * p->series.at[series].stride + metric];
}

static void
test_tree(void)
{
	const struct pp_order order = { .facets = PP_TREE };
	struct pp_profile *p = build(&order);

	ok(p->series.n == 3, "a sum that does not fit goes on in one more series");
	ok(cell(p, 0, 0, 0) == pp_cell_real(3.5), "a column of doubles, divided");
	ok(cell(p, 1, 0, 1) == WHOLE + 25, "a column with decimals");
	ok(cell(p, 1, 0, 2) == cell(p, 1, 0, 1), "a column may be two metrics");
	ok(cell(p, 1, 1, 1) == INT64_MAX && cell(p, 2, 0, 1) == 3, "both parts of a sum");
	ok(p->not_own.n == 1 && p->not_own.at[0].series == 0 && p->not_own.at[0].metric == 0 &&
	       p->not_own.at[0].cell == pp_cell_real(1.0),
	   "what is not the leaf's own");
	pp_profile_release(p);
}

static void
test_sums(void)
{
	const struct pp_order order = { .facets = PP_COSTS };
	struct pp_profile *p = build(&order);
	const union pp_value *own = p->costs.cells.at + 2 * 3, *total = own + 3;

	ok(p->costs.stated && p->costs.funcs.n == 3 && p->tree.n == 1, "sums, and no tree");
	ok(own[0].d == 2.5 && total[0].d == 3.5, "own and total of a function");
	ok(total[1].i == WHOLE + 25 && total[2].i == total[1].i, "decimals");
	ok(own[2 * 3 + 1].i == (pp_i128)INT64_MAX + 3, "sums need no second series");
	pp_profile_release(p);
}

/* ---- stacks like the one before ---- */

#define NAMES 7
#define DEPTH 9
#define STACKS 400

static uint32_t
number(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

/* Reports a stack whole, or only as far as it differs from the one before. */
static void
walk_give(struct pp_builder *b, bool walks, uint32_t column, size_t keep, const pp_frame *stack,
          size_t n, uint64_t value)
{
	uint32_t columns[] = { column, column + 1 };
	int64_t values[32] = { 0 };
	pp_frame turned[DEPTH];
	size_t i;

	if (!walks) {
		values[column] = (int64_t)value;
		values[column + 1] = 1;
		if (!pp_build_sample(b,
		                     &(struct pp_sample){
		                         .values = values, .columns = columns, .column_count = 2 },
		                     stack, n))
			abort();
		return;
	}
	for (i = keep; i < n; i++)
		turned[n - 1 - i] = stack[i];
	if (!pp_build_walk(b, column, keep, turned, n - keep, (const uint64_t[]){ value, 1 }))
		abort();
}

static struct pp_profile *
walk_build(bool walks, uint32_t events)
{
	const struct pp_order order = { .facets = PP_COSTS };
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_profile *p = NULL;
	struct pp_builder b;
	uint32_t state = 7, column_of[32], moved[2] = { 0 }, i, k;
	pp_frame stack[DEPTH];
	size_t n = 0;

	if (!pp_builder_init(&b, &limits, &order, 1, &pp_pages_plain))
		abort();
	(void)series_add(&b, "e");
	for (i = 0; i < 2 * events; i++)
		column_of[i] = pp_build_column(&b);
	for (i = 0; i < STACKS; i++) {
		size_t keep = number(&state, (uint32_t)n + 1), depth = number(&state, DEPTH + 1);
		/* The event changes now and then, with or without another stack. */
		uint32_t event = i / 5 % events;

		keep = keep < depth ? keep : depth;
		for (k = (uint32_t)keep; k < depth; k++) {
			char name[2] = { (char)('a' + number(&state, NAMES)), 0 };

			stack[k] = pp_build_frame_named(&b, pp_slice_z(name));
		}
		n = depth;
		walk_give(&b, walks, 2 * event, keep, stack, n, number(&state, 1000));
		if (i == STACKS / 2 && !pp_build_flush(&b))
			abort();
	}
	for (i = 0; i < 2 * events; i++)
		metric_add(&b, "e", PP_UINT);
	pp_build_columns_settle(&b, column_of, moved);
	if (pp_builder_finish(&b, &p) != PP_OK)
		abort();
	pp_builder_release(&b);
	return p;
}

static void
test_walk(uint32_t events)
{
	struct pp_profile *whole = walk_build(false, events), *walked = walk_build(true, events);
	size_t i, m, wrong = 0, some = 0;

	ok(whole->costs.funcs.n == NAMES + 1 && walked->costs.funcs.n == NAMES + 1,
	   "all functions, %u events", events);
	for (i = 0; i <= NAMES; i++)
		for (m = 0; m < 2 * events; m++) {
			struct pp_cost_pair a = pp_costs_get(whole, i, m),
			                    z = pp_costs_get(walked, i, m);

			wrong += a.own.i != z.own.i || a.total.i != z.total.i;
			some += a.own.i != a.total.i;
		}
	ok(wrong == 0 && some > 0, "the same costs, %u events", events);
	pp_profile_release(whole);
	pp_profile_release(walked);
}

int
main(void)
{
	test_tree();
	test_sums();
	test_walk(1);
	test_walk(3);
	test_walk(12);
	return tap_done();
}
