/*
 * Views of a profile that has everything: places, modules, calls, two metrics of which one goes down,
 * time, nested metadata. Folded stacks have none of that, and the views must not wait for a format
 * that does.
 */
#include "base/limits.h"
#include "formats/format.h"
#include "model/builder.h"
#include "output/render.h"
#include "questions/describe.h"
#include "questions/question.h"
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
	struct pp_answer a;
	struct pp_render_opts opts = { .form = PP_FORM_JSON };

	begin();
	ok(pp_counts_compute(p, &counts), "counts");
	pp_answer_init(&a);
	pp_answer_profile(&a, p, &counts);
	pp_answer_meta(&a, "meta", p);
	ok(pp_render(&a, &opts, sink, NULL) == PP_OK, "rendered");
	pp_answer_release(&a);
	expect(
	    "{\"format\": \"folded\", \"compression\": [], \"producer\": \"maker\", \"complete\": true, "
	    "\"facets\": [\"tree\"], \"primary\": \"wt\", \"metrics\": [{\"name\": \"wt\", \"unit\": \"ns\", "
	    "\"total\": 200789.5, \"key\": \"wt\", \"title\": \"wall time\"}, {\"name\": \"zm\", \"unit\": \"bytes\", \"total\": -1024, \"key\": \"zm\", \"title\": \"memory in use\", \"falls\": true}], \"counts\": "
	    "{\"events\": 4, \"samples\": 0, \"stacks\": 2, \"functions\": 2, \"threads\": 1, \"edges\": 0, "
	    "\"lines\": 0}, \"time\": {\"start\": 0, \"end\": 200789, \"unit\": \"ns\"}, \"meta\": "
	    "{\"host\": \"a\\\"b\", \"env\": {\"cli\": true, \"list\": [1.50, \"0x10\"]}, \"none\": null}}\n",
	    "info as JSON");
}

/* Asks for functions, and prints the answer. */
static void
top(const struct pp_profile *p, const char *metric, const char *sort, enum pp_form form)
{
	struct pp_render_opts opts = { .form = form };
	struct pp_topic topic = { .file = "-", .profile = p };
	struct pp_subject subject = { .topics = &topic, .n = 1, .split = 1 };
	struct pp_buf problem = { 0 };
	struct pp_asking asking;

	begin();
	ok(pp_asking_init(&asking, pp_question_find("top")) &&
	       pp_asking_set(&asking, "metric", metric, &problem) &&
	       pp_asking_set(&asking, "sort", sort, &problem),
	   "a question");
	ok(pp_asking_run(&asking, &subject) == PP_OK, "an answer");
	ok(pp_render(&asking.answer, &opts, sink, NULL) == PP_OK, "printed");
	pp_asking_release(&asking);
	pp_buf_release(&problem);
}

static void
test_top(const struct pp_profile *p)
{
	top(p, "wt", "total", PP_FORM_JSON);
	expect(
	    "{\"format\": \"folded\", \"complete\": true, \"metric\": \"wt\", \"unit\": \"ns\", \"units\": {\"wt\": \"ns\", \"zm\": \"bytes\"}, \"total\": "
	    "200789.5, \"estimated\": false, \"functions\": [{\"name\": \"main\", \"file\": \"/app/a.php\", "
	    "\"line\": 1, \"calls\": 1, \"self\": {\"wt\": 125456.5, \"zm\": 3072}, \"total\": {\"wt\": "
	    "200789.5, \"zm\": -1024}}, {\"name\": \"free\", \"module\": \"libc\", \"calls\": 3, \"self\": "
	    "{\"wt\": 75333, \"zm\": -4096}, \"total\": {\"wt\": 75333, \"zm\": -4096}}], "
	    "\"count\": 2}\n",
	    "top as JSON");
}

/* A metric whose sum is negative: values keep their sign, shares are of what is left of those that have some. */
static void
test_negative(const struct pp_profile *p)
{
	top(p, "zm", "self", PP_FORM_TEXT);
	expect(
	    "memory in use: -1.00 KiB in 2 functions\n\n"
	    "        net   self%                net total  total%  calls  self wall time  function  "
	    "place\n"
	    "   3.00 KiB  100.0%  ████████████  -1.00 KiB    0.0%      1          125 µs  main      "
	    "/app/a.php:1\n"
	    "  -4.00 KiB    0.0%                -4.00 KiB    0.0%      3         75.3 µs  free      "
	    "libc\n",
	    "a table of negative values");
}

int
main(void)
{
	struct pp_profile *profile = profile_make();

	test_info(profile);
	test_top(profile);
	test_negative(profile);
	pp_profile_free(profile);
	return tap_done();
}
