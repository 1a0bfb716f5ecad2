/*
 * SPX inside: names taken apart, and what writing does to values that do not fit.
 */
#include "tap.h"

#include "api/api.h"
#include "formats/spx/spx.h"

static void
check_split(const char *text, const char *file, uint32_t line, const char *name)
{
	struct spx_name got = pp_spx_name_split(pp_slice_z(text), true);

	ok(pp_slice_eq_z(got.file, file) && got.line == line && pp_slice_eq_z(got.name, name), "%s",
	   text);
}

static void
test_split(void)
{
	check_split("/a/x.php:3:f", "/a/x.php", 3, "f");
	check_split("/a/x.php:1:/a/x.php", "/a/x.php", 1, "/a/x.php");
	check_split(":0:strlen", "", 0, "strlen");
	check_split(":0:::zend_compile_file", "", 0, "::zend_compile_file");
	check_split("phar:///a/b.phar/x.php:7:C::m", "phar:///a/b.phar/x.php", 7, "C::m");
	check_split("C:\\x.php:7:C::m", "C:\\x.php", 7, "C::m");
	check_split("/a/o:12:d.php:4:C::{closure}", "/a/o:12:d.php", 4, "C::{closure}");
	check_split("/a/o:12:d.php:1:/a/o:12:d.php", "/a/o:12:d.php", 1, "/a/o:12:d.php");
	check_split("/a/o:12:34:f", "/a/o:12", 34, "f");
	check_split("eval():1:/a/x.php(3) : eval()'d code", "eval()", 1,
	            "/a/x.php(3) : eval()'d code");
	check_split("/a/x.php(3) : eval()'d code:1:f", "/a/x.php(3) : eval()'d code", 1, "f");
	check_split("/a/x.php:4294967296:f", "/a/x.php", 0, "f");
	check_split("no place", "", 0, "no place");
	check_split("a:1:", "", 0, "a:1:");
	check_split(":::", "", 0, ":::");
	check_split(":", "", 0, ":");
	check_split("", "", 0, "");
	ok(pp_slice_eq_z(pp_spx_name_split(pp_slice_z("/a:1:b"), false).name, "/a:1:b"),
	   "the 0.4 layout has names only");
}

static struct pp_profile *
profile_of_reals(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_builder b;
	struct pp_profile *p = NULL;
	int64_t *cells;
	uint32_t series;

	if (!pp_builder_init(&b, &limits, NULL, 1, &pp_pages_plain))
		return NULL;
	(void)pp_build_metric_z(&b, "seconds", "ns", PP_KIND_WALL_TIME, PP_REAL, 0);
	series = pp_build_series_plain(&b, true, false);
	cells = pp_build_cells(&b, series,
	                       pp_build_child(&b, 0, pp_build_frame_named(&b, pp_slice_z("f"))));
	if (cells)
		cells[0] = pp_cell_real(2.5);
	(void)pp_builder_finish(&b, &p);
	pp_builder_release(&b);
	return p;
}

static void
test_rounding(void)
{
	struct pp_profile *p = profile_of_reals();
	struct pp_buf text = { 0 };
	struct pp_sink *sink = NULL;
	struct pp_diags diags;
	const struct pp_rule *rule = pp_rule_find("loss-values");

	pp_diags_init(&diags);
	ok(p && pp_sink_buffer(&text, &sink) == PP_OK, "a profile of real values");
	ok(pp_write_sink(p, sink, pp_format_find("spx"), NULL, &diags) == PP_OK &&
	       pp_sink_commit(sink) == PP_OK,
	   "is written");
	ok(text.p && strcmp(text.p, "[events]\n0 1 0\n0 0 3\n[functions]\nf\n") == 0,
	   "as whole numbers");
	ok(rule && pp_diags_of_rule(&diags, rule) == 1, "which loss-values says");
	pp_sink_close(sink);
	pp_buf_release(&text);
	pp_diags_release(&diags);
	pp_profile_free(p);
}

int
main(void)
{
	test_split();
	test_rounding();
	return tap_done();
}
