/*
 * Canonical names, common units, and stretches of time.
 */
#include "analysis/filter.h"
#include "analysis/identity.h"
#include "model/builder.h"
#include "model/merge.h"
#include "tap.h"

static struct pp_slice
z(const char *text)
{
	return pp_slice_z(text);
}

/* ---- names ---- */

static void
canonical_is(const char *name, const char *file, uint32_t line, const char *want,
             const char *want_file, uint32_t want_line)
{
	struct pp_buf out = { 0 };
	struct pp_slice place;
	uint32_t at;

	pp_canonical_name(z(name), z(file), line, &out, &place, &at);
	ok(pp_slice_eq(pp_slice_of(out.p, out.n), z(want)) && pp_slice_eq(place, z(want_file)) &&
	       at == want_line,
	   "%s is %s at %s:%u", name, want, want_file, want_line);
	pp_buf_release(&out);
}

static void
check_canonical(void)
{
	canonical_is("A\\B->c", "/x/a.php", 3, "A\\B::c", "/x/a.php", 3);
	canonical_is("A\\B::c", "", 0, "A\\B::c", "", 0);
	canonical_is("php::strlen", "php:internal", 0, "strlen", "", 0);
	canonical_is("\\strlen", "", 0, "strlen", "", 0);
	canonical_is("{main}", "/x/a.php", 1, "{script}", "/x/a.php", 0);
	canonical_is("/x/a.php", "/x/a.php", 1, "{script}", "/x/a.php", 0);
	canonical_is("/x/a.php", "", 0, "{script}", "/x/a.php", 0);
	canonical_is("require_once::/x/b.php", "/x/b.php", 1, "{script}", "/x/b.php", 0);
	canonical_is("eval", "/x/a.php(12) : eval()'d code", 1, "{eval}",
	             "/x/a.php(12) : eval()'d code", 0);
	canonical_is("N\\{closure:/x/a.php:6-8}", "/y", 1, "N\\{closure}", "/x/a.php", 6);
	canonical_is("N\\{closure}", "/x/a.php", 6, "N\\{closure}", "/x/a.php", 6);
	canonical_is("{anonymous-class:/x/a.php:13-15}->hi", "", 0, "class@anonymous::hi",
	             "/x/a.php", 13);
	canonical_is("class@anonymous::hi", "/x/a.php", 13, "class@anonymous::hi", "/x/a.php", 13);
	canonical_is("Base\\Shape@anonymous::hi", "/x/a.php", 13, "class@anonymous::hi", "/x/a.php",
	             13);
	canonical_is("fib'2", "f.c", 0, "fib", "f.c", 0);
	canonical_is("sort.part.0'2", "", 0, "sort", "", 0);
	canonical_is("exp@@GLIBC_2.29", "", 0, "exp", "", 0);
	canonical_is("memcpy@GLIBC_2.14'2", "", 0, "memcpy", "", 0);
	canonical_is("@GLIBC", "", 0, "@GLIBC", "", 0);
	canonical_is("f'2'g", "", 0, "f'g", "", 0);
	canonical_is("f'g", "", 0, "f'g", "", 0);
	canonical_is("main+0x1f", "", 0, "main", "", 0);
	canonical_is("f [clone .isra.0]", "", 0, "f", "", 0);
	canonical_is("f.constprop.0.isra.3", "", 0, "f", "", 0);
	canonical_is("f.cold", "", 0, "f", "", 0);
	canonical_is(".cold", "", 0, ".cold", "", 0);
	canonical_is("do_syscall_64_[k]", "", 0, "do_syscall_64", "", 0);
	canonical_is("libc.so.6`malloc", "", 0, "malloc", "", 0);
	canonical_is("operator->", "", 0, "operator->", "", 0);
	canonical_is("X::operator->()", "", 0, "X::operator->()", "", 0);
	canonical_is("(below main)", "", 0, "(below main)", "", 0);
	canonical_is("{closure:", "", 0, "{closure}", "", 0);
	canonical_is("", "", 0, "", "", 0);
}

static void
loose_is(const char *name, const char *want)
{
	struct pp_buf out = { 0 };

	pp_loose_name(z(name), &out);
	ok(pp_slice_eq(pp_slice_of(out.p, out.n), z(want)), "%s is loosely %s", name, want);
	pp_buf_release(&out);
}

static void
check_loose(void)
{
	loose_is("_ZN3foo3barEi", "foo::bar");
	loose_is("foo::bar(int)", "foo::bar");
	loose_is("_Z4mainv", "main");
	loose_is("_ZN3FooC2Ev", "Foo::Foo");
	loose_is("_ZN3FooD1Ev", "Foo::~Foo");
	loose_is("_ZNK3foo3bar3bazEv", "foo::bar::baz");
	loose_is("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	loose_is("core::fmt::write::h0123456789abcdef", "core::fmt::write");
	loose_is("std::map<int, (lambda)>::find(int)", "std::map<int, (lambda)>::find");
	loose_is("operator()(int)", "operator()");
	loose_is("(below main)", "(below main)");
	loose_is("_ZN", "_ZN");
	loose_is("_ZN9", "_ZN9");
	loose_is("_ZNSt6vectorIiE4pushEv", "_ZNSt6vectorIiE4pushEv");
	loose_is("", "");
}

static void
check_paths(void)
{
	is_u64(pp_path_score(z("/a/b/c.php"), z("/x/b/c.php")), 2, "two components agree");
	is_u64(pp_path_score(z("c.php"), z("/x/b/c.php")), 1, "the base name agrees");
	is_u64(pp_path_score(z("/x/d.php"), z("/x/c.php")), 0, "base names differ");
	is_u64(pp_path_score(z("xc.php"), z("c.php")), 0, "an ending is no component");
	is_u64(pp_path_score(z(""), z("c.php")), 0, "no path agrees with none");
	ok(pp_path_score(z("/a/c.php"), z("/a/c.php")) > 1000, "the same path is best");
}

/* ---- units ---- */

static void
check_join(void)
{
	struct pp_metric ns = { .type = PP_INT }, steps = { .type = PP_INT, .factor_num = 10 };
	struct pp_metric ticks = { .type = PP_INT, .factor_num = 1000, .factor_den = 24 };
	struct pp_metric milli = { .type = PP_UINT, .scale = 3 }, real = { .type = PP_REAL };
	struct pp_metric huge = { .type = PP_INT, .factor_num = UINT64_MAX };
	struct pp_metric fine = { .type = PP_INT, .factor_den = UINT64_MAX - 1 };
	struct pp_metric_join join;
	int64_t cell = 3;

	ok(pp_metric_join(&ns, &steps, &join) && join.mul_a == 1 && join.mul_b == 10,
	   "nanoseconds and steps of ten");
	ok(pp_metric_join(&steps, &ns, &join) && join.mul_a == 10 && join.mul_b == 1,
	   "the other way");
	ok(pp_metric_join(&ticks, &steps, &join) && join.mul_a == 25 && join.mul_b == 6 &&
	       join.to.factor_num == 5 && join.to.factor_den == 3,
	   "ticks of 24 MHz: 125/3 and 10 ns meet at 5/3 ns");
	ok(pp_metric_join(&ns, &milli, &join) && join.mul_a == 1000 && join.mul_b == 1 &&
	       join.to.type == PP_INT,
	   "thousandths, signed because one side is");
	ok(pp_metric_join(&steps, &real, &join) && join.to.type == PP_REAL, "doubles win");
	ok(pp_cell_convert(&steps, &join.to, 1, &cell) && cell == pp_cell_real(30.0),
	   "in the canonical unit");
	ok(!pp_metric_join(&huge, &fine, &join), "what has no common measure is refused");
	cell = INT64_MAX;
	ok(pp_metric_join(&steps, &ns, &join) && !pp_cell_convert(&steps, &join.to, 10, &cell),
	   "a cell that does not fit is told");
}

/* ---- time ---- */

/* main from 0 to 100 calls f from 10 to 40: one counter that runs with the time, one every 7 ns. */
static struct pp_profile *
traced(void)
{
	static const struct {
		enum pp_event_kind kind;
		size_t node;
		int64_t time, count;
	} events[] = { { PP_EVENT_ENTER, 0, 0, 0 },
		       { PP_EVENT_ENTER, 1, 10, 1 },
		       { PP_EVENT_EXIT, 1, 40, 5 },
		       { PP_EVENT_EXIT, 0, 100, 14 } };
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_profile *p = NULL;
	struct pp_builder b;
	pp_node node[2];
	size_t i;

	if (!pp_builder_init(&b, &limits, NULL, 7, &pp_pages_plain))
		return NULL;
	pp_build_metric_z(&b, "wt", "ns", PP_KIND_WALL_TIME, PP_INT, PP_METRIC_PRIMARY);
	pp_build_metric_z(&b, "n", "count", PP_KIND_COUNT, PP_INT, 0);
	pp_build_series_plain(&b, true, true);
	node[0] = pp_build_child(&b, 0, pp_build_frame_named(&b, z("main")));
	node[1] = pp_build_child(&b, node[0], pp_build_frame_named(&b, z("f")));
	pp_build_add(&b, 0, node[0], 0, 70);
	pp_build_add(&b, 0, node[1], 0, 30);
	pp_build_add(&b, 0, node[0], 1, 10);
	pp_build_add(&b, 0, node[1], 1, 4);
	if (pp_timeline_init(&b.profile->series.at[0].timeline, 2, true))
		for (i = 0; i < PP_COUNT_OF(events); i++) {
			struct pp_event event = { .kind = events[i].kind,
				                  .node = node[events[i].node],
				                  .time = events[i].time };
			int64_t values[2] = { events[i].time, events[i].count };

			pp_timeline_add(&b.profile->series.at[0].timeline, &event, values);
		}
	b.profile->time.known = true;
	b.profile->time.end = 100;
	pp_builder_finish(&b, &p);
	pp_builder_release(&b);
	return p;
}

/* What is left of both metrics in a stretch of time; false when the filter failed. */
static bool
stretch(const char *text, int64_t *wt, int64_t *n)
{
	struct pp_profile *p = traced(), *left = NULL;
	struct pp_filter f = { 0 };
	struct pp_buf problem = { 0 };
	bool fine = p && pp_filter_set_time(&f, z(text), &problem) &&
	            pp_filter_derive(p, &f, &left, &problem) == PP_OK;

	if (fine) {
		*wt = (int64_t)pp_profile_total(left, 0).i;
		*n = (int64_t)pp_profile_total(left, 1).i;
	}
	pp_filter_release(&f);
	pp_buf_release(&problem);
	pp_profile_release(left);
	pp_profile_release(p);
	return fine;
}

static void
check_time(void)
{
	int64_t wt = 0, n = 0, sum_wt = 0, sum_n = 0;
	char text[32];
	int i;

	ok(stretch("..100%", &wt, &n) && wt == 100 && n == 14, "all of it is all of it");
	ok(stretch("15..35", &wt, &n) && wt == 20, "inside one function");
	ok(stretch("5..", &wt, &n) && wt == 95, "open to the end");
	for (i = 0; i < 100; i += 9) {
		snprintf(text, sizeof text, "%d..%d", i, i + 9);
		if (!stretch(text, &wt, &n))
			break;
		sum_wt += wt;
		sum_n += n;
	}
	ok(sum_wt == 100 && sum_n == 14, "stretches side by side add up to the whole");
	ok(stretch("200..300", &wt, &n) && wt == 0 && n == 0, "after the end there is nothing");
	ok(!stretch("1..2x", &wt, &n) && !stretch("1", &wt, &n) && !stretch("..", &wt, &n) &&
	       !stretch("101%..", &wt, &n),
	   "what is no stretch is refused");
}

int
main(void)
{
	check_canonical();
	check_loose();
	check_paths();
	check_join();
	check_time();
	return tap_done();
}
