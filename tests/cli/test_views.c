/*
 * Views of a profile that has everything: places, modules, calls, two metrics of which one goes down,
 * time, nested metadata. Folded stacks have none of that, and the views must not wait for a format
 * that does.
 */
#include "model/flat.h"
#include "base/limits.h"
#include "formats/format.h"
#include "model/builder.h"
#include "output/field.h"
#include "output/json_view.h"
#include "output/table.h"
#include "tap.h"

static pp_frame
frame_make(struct pp_builder *b, const char *name, const char *file, uint32_t line,
           const char *module)
{
	struct pp_func_row func = { .name = pp_build_strz(b, name),
		                    .file = pp_build_strz(b, file),
		                    .line = line };
	struct pp_module_row row = { .name = pp_build_strz(b, module) };
	struct pp_frame_row frame;

	if (*module)
		func.module = pp_build_module(b, &row);
	frame = (struct pp_frame_row){ .func = pp_build_func(b, &func) };
	return pp_build_frame(b, &frame);
}

static void
meta_make(struct pp_builder *b)
{
	uint32_t env, list;

	pp_build_meta_z(b, "host", PP_META_TEXT, pp_slice_z("a\"b"));
	env = pp_build_meta(b, 0, pp_slice_z("env"), PP_META_OBJECT, pp_slice_z(""));
	pp_build_meta(b, env, pp_slice_z("cli"), PP_META_BOOL, pp_slice_z("true"));
	list = pp_build_meta(b, env, pp_slice_z("list"), PP_META_ARRAY, pp_slice_z(""));
	pp_build_meta(b, list, pp_slice_z(""), PP_META_NUMBER, pp_slice_z("1.50"));
	pp_build_meta(b, list, pp_slice_z(""), PP_META_NUMBER, pp_slice_z("0x10"));
	pp_build_meta(b, 0, pp_slice_z("none"), PP_META_NULL, pp_slice_z(""));
}

static struct pp_profile *
profile_make(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_metric time = { .kind = PP_KIND_WALL_TIME,
		                  .flags = PP_METRIC_PRIMARY,
		                  .scale = 1 };
	struct pp_series series = { .pid = 7, .tid = 8, .cpu = -1 };
	struct pp_profile *profile = NULL;
	struct pp_builder b;
	pp_node main_node, leaf;
	int64_t *cells;
	uint32_t s;

	ok(pp_builder_init(&b, &limits, NULL, 1, &pp_pages_plain), "a builder");
	time.name = pp_build_strz(&b, "wt");
	time.unit = pp_build_strz(&b, "ns");
	(void)pp_build_metric(&b, &time);
	(void)pp_build_metric_z(&b, "zm", "bytes", PP_KIND_BYTES, PP_INT, PP_METRIC_SIGNED);
	s = pp_build_series(&b, &series, true, true);
	main_node = pp_build_child(&b, 0, frame_make(&b, "main", "/app/a.php", 1, ""));
	leaf = pp_build_child(&b, main_node, frame_make(&b, "free", "", 0, "libc"));
	cells = pp_build_cells(&b, s, main_node);
	cells[0] = 1254565; /* tenths of a nanosecond: the scale is 1 */
	cells[1] = 3072;
	cells[2] = 1;
	cells = pp_build_cells(&b, s, leaf);
	cells[0] = 753330;
	cells[1] = -4096;
	cells[2] = 3;
	meta_make(&b);
	b.profile->format = pp_formats[0];
	b.profile->producer = pp_build_strz(&b, "maker");
	b.profile->complete = true;
	b.profile->events = 4;
	b.profile->time.known = true;
	b.profile->time.end = 200789;
	ok(pp_builder_finish(&b, &profile) == PP_OK, "a profile");
	pp_builder_release(&b);
	return profile;
}

/* ---- what is printed ---- */

static struct pp_buf buf;
static struct pp_sink *sink;

static void
begin(void)
{
	buf = (struct pp_buf){ 0 };
	ok(pp_sink_buffer(&buf, &sink) == PP_OK, "a sink");
}

static void
expect(const char *expected, const char *what)
{
	ok(pp_sink_commit(sink) == PP_OK, "committed");
	if (!ok(buf.p && strcmp(buf.p, expected) == 0, "%s", what)) {
		tap_show("got", buf.p ? buf.p : "", buf.n);
		tap_show("expected", expected, strlen(expected));
	}
	pp_sink_close(sink);
	pp_buf_release(&buf);
}

static void
test_info(const struct pp_profile *p)
{
	struct pp_counts counts;
	struct pp_json j;

	begin();
	ok(pp_counts_compute(p, &counts), "counts");
	pp_json_init(&j, sink, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	pp_json_put_profile(&j, p, &counts);
	pp_json_put_meta(&j, p);
	pp_json_end_object(&j);
	expect(
	    "{\"format\": \"folded\", \"compression\": [], \"producer\": \"maker\", \"complete\": true, "
	    "\"facets\": [\"tree\"], \"primary\": \"wt\", \"metrics\": [{\"name\": \"wt\", \"unit\": \"ns\", "
	    "\"total\": 200789.5}, {\"name\": \"zm\", \"unit\": \"bytes\", \"total\": -1024}], \"counts\": "
	    "{\"events\": 4, \"samples\": 0, \"stacks\": 2, \"functions\": 2, \"threads\": 1, \"edges\": 0, "
	    "\"lines\": 0}, \"time\": {\"start\": 0, \"end\": 200789, \"unit\": \"ns\"}, \"meta\": "
	    "{\"host\": \"a\\\"b\", \"env\": {\"cli\": true, \"list\": [1.50, \"0x10\"]}, \"none\": null}}",
	    "info as JSON");
}

static void
test_top(struct pp_flat *flat)
{
	struct pp_json j;

	begin();
	ok(pp_flat_sort(flat, PP_SORT_TOTAL, 0), "sorted");
	pp_json_init(&j, sink, PP_JSON_SPACED);
	pp_json_flat(&j, flat, 0, flat->n);
	expect(
	    "{\"format\": \"folded\", \"complete\": true, \"metric\": \"wt\", \"unit\": \"ns\", \"total\": "
	    "200789.5, \"estimated\": false, \"functions\": [{\"name\": \"main\", \"file\": \"/app/a.php\", "
	    "\"line\": 1, \"calls\": 1, \"self\": {\"wt\": 125456.5, \"zm\": 3072}, \"total\": {\"wt\": "
	    "200789.5, \"zm\": -1024}}, {\"name\": \"free\", \"module\": \"libc\", \"calls\": 3, \"self\": "
	    "{\"wt\": 75333, \"zm\": -4096}, \"total\": {\"wt\": 75333, \"zm\": -4096}}], \"count\": 2}\n",
	    "top as JSON");
}

/* A metric whose sum is negative: values keep their sign, shares and bars are left out. */
static void
test_negative(struct pp_flat *flat)
{
	static const struct pp_column columns[] = {
		{ .field = &pp_field_self, .arg = 1 },  { .field = &pp_field_self_share, .arg = 1 },
		{ .field = &pp_field_bar, .arg = 1 },   { .field = &pp_field_total, .arg = 1 },
		{ .field = &pp_field_calls, .arg = 1 }, { .field = &pp_field_name, .arg = 1 },
		{ .field = &pp_field_place, .arg = 1 },
	};
	const double whole[] = { 200789.5, -1024 };
	struct pp_flat_view view = { .flat = flat, .whole = whole };
	struct pp_table table = { columns, PP_COUNT_OF(columns), &view, flat->n };
	struct pp_style style = { false, 0 };

	begin();
	ok(pp_flat_sort(flat, PP_SORT_SELF, 1), "sorted");
	pp_table_print(&table, &style, sink);
	expect("       self      total  calls  function  place\n"
	       "   3.00 KiB  -1.00 KiB      1  main      /app/a.php:1\n"
	       "  -4.00 KiB  -4.00 KiB      3  free      libc\n",
	       "a table of negative values");
}

int
main(void)
{
	struct pp_profile *profile = profile_make();
	struct pp_flat flat = { 0 };

	test_info(profile);
	ok(pp_flat_compute(profile, &flat) == PP_OK, "a flat profile");
	test_top(&flat);
	test_negative(&flat);
	pp_flat_release(&flat);
	pp_profile_free(profile);
	return tap_done();
}
