/* The builder: interning, late names, rows, limits, timelines, and merging what two have built. */
#include "tap.h"

#include "model/builder.h"
#include "model/merge.h"

static struct pp_slice
z(const char *text)
{
	return pp_slice_z(text);
}

static bool
start(struct pp_builder *b, const struct pp_limits *own)
{
	struct pp_limits limits = pp_limits_complete(own);

	return pp_builder_init(b, &limits, NULL, 42, &pp_pages_plain);
}

static void
check_names(void)
{
	struct pp_builder b;
	struct pp_func_row f = { 0 };
	struct pp_profile *p;
	pp_func early, late[2];

	ok(start(&b, NULL), "a builder");
	f.name = pp_build_str(&b, z("f"));
	f.file = pp_build_str(&b, z("a.php"));
	f.line = 3;
	early = pp_build_func(&b, &f);
	is_u64(pp_build_func(&b, &f), early, "equal functions are one");
	f.line = 4;
	ok(pp_build_func(&b, &f) != early, "another line is another function");
	f.line = 3;
	f.column = 7;
	ok(pp_build_func(&b, &f) != early, "another column is another function");
	f.column = 0;
	late[0] = pp_build_func_later(&b);
	late[1] = pp_build_func_later(&b);
	ok(late[0] != late[1], "functions bound later are told apart");
	pp_build_func_bind(&b, late[0], &f);
	pp_build_func_bind(&b, late[1], &f);
	is_u64(pp_build_frame_named(&b, z("x")), pp_build_frame_named(&b, z("x")),
	       "frames by name");
	ok(pp_builder_finish(&b, &p) == PP_OK, "finished");
	is_u64(p->funcs.at[late[0]].same, early, "late functions have the identity of the first");
	is_u64(p->funcs.at[late[1]].same, early, "all of them");
	pp_builder_release(&b);
	pp_profile_release(p);
}

static void
check_rows(void)
{
	struct pp_builder b;
	struct pp_profile *p;
	uint32_t dense, sparse, m;
	pp_node nodes[200];
	uint32_t i;

	ok(start(&b, NULL), "a builder");
	m = pp_build_metric_z(&b, "n", "count", PP_KIND_COUNT, PP_INT, PP_METRIC_PRIMARY);
	dense = pp_build_series_plain(&b, true, true);
	sparse = pp_build_series_plain(&b, false, false);
	for (i = 0; i < PP_COUNT_OF(nodes); i++) {
		char name[16];

		snprintf(name, sizeof name, "f%u", i);
		nodes[i] = pp_build_child(&b, i ? nodes[i - 1] : 0,
		                          pp_build_frame_named(&b, z(name)));
	}
	ok(pp_build_add(&b, dense, nodes[150], m, -7), "a negative value");
	ok(pp_build_add(&b, sparse, nodes[3], m, 5) && pp_build_add(&b, sparse, nodes[3], m, 6),
	   "added twice");
	ok(pp_build_add(&b, sparse, nodes[9], m, INT64_MAX), "the largest");
	ok(!pp_build_add(&b, sparse, nodes[9], m, 1) && pp_builder_ok(&b), "one more does not fit");
	ok(pp_builder_finish(&b, &p) == PP_OK, "finished");
	is_u64(p->series.at[dense].rows, p->tree.n, "dense series have a row per node");
	ok(pp_series_present(&p->series.at[dense], nodes[150]) &&
	       !pp_series_present(&p->series.at[dense], nodes[149]),
	   "and know which were given");
	is_u64(p->series.at[sparse].rows, 2, "sparse ones only what was given");
	is_i64(pp_series_cells(&p->series.at[sparse], 0)[m], 11, "summed");
	ok(pp_profile_total(p, m).i == (pp_i128)INT64_MAX + 11 - 7,
	   "the total is wider than 64 bits");
	is_u64(p->facets, PP_TREE, "a tree is all it has");
	pp_builder_release(&b);
	pp_profile_release(p);
}

static void
check_limits(void)
{
	static const struct pp_limits tight = { .max_string = 4, .max_nodes = 3 };
	struct pp_builder b;
	struct pp_profile *p;

	ok(start(&b, &tight), "a builder with tight limits");
	ok(pp_build_str(&b, z("abcd")) != 0 && pp_builder_ok(&b), "a name that just fits");
	is_u64(pp_build_str(&b, z("abcde")), 0, "a longer one");
	is_u64(b.status, PP_E_LIMIT, "is a limit");
	ok(pp_builder_finish(&b, &p) == PP_E_LIMIT && !p, "and there is no profile");
	pp_builder_release(&b);

	ok(start(&b, &tight), "again");
	pp_build_child(&b, pp_build_child(&b, 0, pp_build_frame_named(&b, z("a"))),
	               pp_build_frame_named(&b, z("b")));
	ok(pp_builder_ok(&b), "as many nodes as allowed");
	pp_build_child(&b, 0, pp_build_frame_named(&b, z("c")));
	is_u64(b.status, PP_E_LIMIT, "one more is a limit");
	pp_builder_release(&b);
}

static void
check_timeline(void)
{
	enum { EVENTS = PP_TIMELINE_BLOCK * 2 + 77 };
	struct pp_timeline t;
	struct pp_timeline_iter it;
	uint64_t i, wrong = 0;

	ok(pp_timeline_init(&t, 2, true), "a timeline");
	for (i = 0; i < EVENTS; i++) {
		struct pp_event e = { i % 3 ? PP_EVENT_ENTER : PP_EVENT_EXIT,
			              (pp_node)(i * 7919 % 1000), (int64_t)(i * i),
			              (uint32_t)(i % 5) };
		int64_t values[2] = { i % 2 ? INT64_MAX : INT64_MIN, -(int64_t)i };

		wrong += !pp_timeline_add(&t, &e, values);
	}
	ok(pp_timeline_begin(&t, &it, 1), "iterated from the second block on");
	for (i = PP_TIMELINE_BLOCK; pp_timeline_next(&it); i++)
		wrong += it.event.node != i * 7919 % 1000 || it.event.time != (int64_t)(i * i) ||
		         it.event.extra != i % 5 ||
		         it.values[0] != (i % 2 ? INT64_MAX : INT64_MIN) ||
		         it.values[1] != -(int64_t)i ||
		         it.event.kind != (i % 3 ? PP_EVENT_ENTER : PP_EVENT_EXIT);
	is_u64(wrong, 0, "every event reads back");
	is_u64(i, EVENTS, "to the last");
	is_u64(pp_timeline_seek(&t, (int64_t)PP_TIMELINE_BLOCK * PP_TIMELINE_BLOCK + 1), 1,
	       "a time is found in its block");
	pp_timeline_end(&it);
	pp_timeline_release(&t);
}

/* A small profile: main;NAME with a value, an edge and a line. */
static bool
fill(struct pp_builder *b, const char *name, int64_t value)
{
	uint32_t series;
	pp_node node;
	int64_t *cells;
	struct pp_edge_row edge = { 0 };
	struct pp_line_row line = { 0 };

	if (!start(b, NULL))
		return false;
	pp_build_metric_z(b, "n", "count", PP_KIND_COUNT, PP_INT, PP_METRIC_PRIMARY);
	b->profile->lines.hits = true;
	series = pp_build_series_plain(b, true, true);
	node = pp_build_child(b, 0, pp_build_frame_named(b, z("main")));
	node = pp_build_child(b, node, pp_build_frame_named(b, z(name)));
	if (!pp_build_add(b, series, node, 0, value))
		return false;
	pp_build_cells(b, series, node)[1] += 2;
	edge.caller = pp_frame_func(b->profile, pp_build_frame_named(b, z("main")));
	edge.callee = pp_frame_func(b->profile, pp_build_frame_named(b, z(name)));
	cells = pp_build_edge(b, &edge);
	cells[0] += 1;
	cells[1] += value;
	line.file = pp_build_str(b, z("x.c"));
	line.line = 7;
	cells = pp_build_line(b, &line);
	cells[0] += 3;
	cells[1] += value;
	return pp_builder_ok(b);
}

static void
check_merge(void)
{
	struct pp_builder a, b, c;
	struct pp_profile *p[2], *merged;

	ok(fill(&a, "f", 5) && fill(&b, "g", 6) && fill(&c, "f", 7), "three builders");
	ok(pp_builder_merge(&a, &b) && pp_builder_merge(&a, &c), "merged");
	ok(pp_builder_finish(&a, &p[0]) == PP_OK, "finished");
	is_u64(p[0]->tree.n, 4, "main, f and g");
	ok(pp_profile_total(p[0], 0).i == 18, "costs are added");
	is_u64(p[0]->calls.rows.n, 2, "two edges");
	is_u64(p[0]->lines.rows.n, 1, "one line");
	is_i64(p[0]->lines.cells.at[0], 9, "with all its hits");
	ok(pp_builder_finish(&b, &p[1]) == PP_OK, "the second as a profile of its own");
	ok(pp_profile_merge(p, 2, NULL, &merged) == PP_OK, "profiles merge too");
	ok(pp_profile_total(merged, 0).i == 24, "exactly");
	pp_profile_release(p[0]);
	pp_profile_release(p[1]);
	pp_profile_release(merged);
	pp_builder_release(&a);
	pp_builder_release(&b);
	pp_builder_release(&c);

	ok(fill(&a, "f", INT64_MAX) && fill(&b, "f", 1), "sums that pass 64 bits");
	ok(!pp_builder_merge(&a, &b) && pp_builder_ok(&a), "are told from failures");
	pp_builder_release(&a);
	pp_builder_release(&b);
}

static void
check_values(void)
{
	struct pp_metric ns10 = { .type = PP_INT, .factor_num = 10 };
	struct pp_metric micro = { .type = PP_INT, .scale = 4, .factor_num = 1000 };
	struct pp_metric ticks = { .type = PP_INT, .factor_num = 1000000000, .factor_den = 8 };
	struct pp_metric third = { .type = PP_INT, .factor_den = 3 };
	char text[PP_NUM_MAX];

	pp_value_print(&ns10, (union pp_value){ .i = 1234 }, text);
	is_text(text, "12340", "tens of nanoseconds");
	pp_value_print(&micro, (union pp_value){ .i = -501234 }, text);
	is_text(text, "-50123.4", "microseconds with four decimals");
	pp_value_print(&ticks, (union pp_value){ .i = 3 }, text);
	is_text(text, "375000000", "eighths of a second");
	pp_value_print(&third, (union pp_value){ .i = 1 }, text);
	is_text(text, "0.3333333333333333", "what has no finite decimal form");
}

static void
over_count(void *ctx, size_t metric)
{
	++((unsigned *)ctx)[metric];
}

/* Lines and calls of two functions, with sums that pass 64 bits. */
static void
report_rows(struct pp_builder *b, const struct pp_over *over)
{
	const int64_t most[1] = { INT64_MAX }, one[1] = { 1 };
	struct pp_line_row line = { .func = 1, .line = 10 };
	struct pp_edge_row edge = { .caller = 1, .callee = 2, .site_line = 10 };

	(void)pp_build_metric_z(b, "cost", "count", PP_KIND_COUNT, PP_INT, 0);
	(void)pp_build_func_later(b);
	(void)pp_build_func_later(b);
	(void)pp_build_line_add(b, &line, most, 1, over);
	(void)pp_build_line_add(b, &line, one, 1, over);
	line.line = 11;
	(void)pp_build_line_add(b, &line, one, 1, over);
	(void)pp_build_edge_add(b, &edge, UINT64_MAX, most, 1, over);
	(void)pp_build_edge_add(b, &edge, 1, one, 1, over);
	edge.site_line = 11;
	(void)pp_build_edge_add(b, &edge, 1, one, 1, over);
}

static void
check_order_of_rows(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_order stacks = { .facets = PP_TREE };
	unsigned told[2] = { 0, 0 };
	struct pp_over over = { over_count, told };
	struct pp_builder b;
	struct pp_profile *p;

	ok(start(&b, NULL), "a builder that keeps all");
	report_rows(&b, &over);
	is_u64(b.profile->lines.rows.n, 2, "lines are told apart");
	is_u64(b.profile->calls.rows.n, 2, "so are call sites");
	is_u64(told[0], 2, "sums of costs that do not fit are told");
	is_u64(told[1], 1, "and of calls");
	pp_builder_release(&b);

	told[0] = told[1] = 0;
	ok(pp_builder_init(&b, &limits, &stacks, 42, &pp_pages_plain), "neither is ordered");
	report_rows(&b, &over);
	is_u64(b.profile->lines.rows.n, 2, "one row per function, another when a sum does not fit");
	is_u64(b.profile->calls.rows.n, 3, "likewise for calls");
	is_u64((uint64_t)b.profile->lines.cells.at[1], 2, "further costs go to the last one");
	is_u64(b.profile->lines.rows.at[0].line, 0, "places are left out");
	is_u64(b.profile->lines.told, 3, "how many the file has is known");
	is_u64(told[0] + told[1], 5, "sums that do not fit are told here, too");
	ok(b.overflowed, "so that whoever can reads again with places");
	ok(pp_builder_finish(&b, &p) == PP_OK && !(p->facets & PP_LINES) && p->holds & PP_LINES,
	   "the profile does not claim lines, but says that the file has them");
	pp_builder_release(&b);
	pp_profile_release(p);
}

int
main(void)
{
	check_names();
	check_rows();
	check_order_of_rows();
	check_limits();
	check_timeline();
	check_merge();
	check_values();
	return tap_done();
}
