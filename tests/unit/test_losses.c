/* Losses that no sample can show, because no reader makes such a profile: they are said all the same. */
#include "tap.h"

#include "api/api.h"
#include "model/traits.h"

extern const struct pp_format pp_format_folded, pp_format_nytprof, pp_format_spaa;

static void
nothing_to_free(void *data)
{
	(void)data;
}

/* A profile with one stack and one line; its metric counts tenths of a nanosecond. */
static struct pp_profile *
profile_make(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_metric tenths = {
		.type = PP_INT, .kind = PP_KIND_WALL_TIME, .scale = 1, .flags = PP_METRIC_PRIMARY
	};
	struct pp_line_row line = { .line = 3 };
	struct pp_profile *p = NULL;
	struct pp_builder b;
	pp_node node;
	int64_t *cells;

	if (!pp_builder_init(&b, &limits, NULL, 7, &pp_pages_plain))
		return NULL;
	tenths.name = pp_build_strz(&b, "time");
	tenths.unit = pp_build_strz(&b, "ns");
	pp_build_metric(&b, &tenths);
	pp_build_series_plain(&b, true, false);
	node = pp_build_child(&b, 0, pp_build_frame_named(&b, pp_slice_z("main")));
	pp_build_add(&b, 0, node, 0, 5);
	line.file = pp_build_strz(&b, "a.pl");
	cells = pp_build_line(&b, &line);
	if (cells)
		cells[0] = 5;
	(void)pp_builder_finish(&b, &p);
	pp_builder_release(&b);
	return p;
}

/* Writes a profile and looks for a rule among the losses. */
static void
loses(const struct pp_profile *p, const struct pp_format *format, const char *rule)
{
	struct pp_write_opts opts = { 0 };
	struct pp_diags *diags = pp_diags_new();
	struct pp_buf buf = { 0 };
	struct pp_sink *sink = NULL;

	ok(p && diags && pp_sink_buffer(&buf, &sink) == PP_OK &&
	       pp_write_sink(p, sink, format, &opts, diags) == PP_OK &&
	       pp_sink_commit(sink) == PP_OK,
	   "written as %s", pp_format_name(format));
	is_u64(pp_diags_of_rule(diags, pp_rule_find(rule)), 1, "%s is said", rule);
	pp_sink_close(sink);
	pp_buf_release(&buf);
	pp_diags_free(diags);
}

/* Stacks of which some are only on the way to others: those have no calls to lose, however the rows lie in memory. */
static void
calls_counted(bool dense)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_metric time = { .type = PP_INT, .flags = PP_METRIC_PRIMARY };
	struct pp_profile *p = NULL;
	struct pp_traits traits;
	struct pp_builder b;
	pp_node way;
	int i;

	if (!pp_builder_init(&b, &limits, NULL, 7, &pp_pages_plain))
		return;
	time.name = pp_build_strz(&b, "time");
	pp_build_metric(&b, &time);
	pp_build_series_plain(&b, dense, true);
	way = pp_build_child(&b, 0, pp_build_frame_named(&b, pp_slice_z("main")));
	for (i = 0; i < 2; i++) {
		pp_node leaf = pp_build_child(&b, way,
		                              pp_build_frame_named(&b, pp_slice_z(i ? "b" : "a")));

		pp_build_add(&b, 0, leaf, 0, 5);
		pp_build_add(&b, 0, leaf, 1, i);
	}
	ok(pp_builder_finish(&b, &p) == PP_OK && pp_traits_count(p, &traits), "calls");
	is_u64(traits.n[PP_TRAIT_CALLS], 2, "of two stacks, dense %d", dense);
	pp_builder_release(&b);
	pp_profile_release(p);
}

int
main(void)
{
	struct pp_profile *p = profile_make();
	int private_data = 0;

	ok(p != NULL, "a profile");
	/* A tick is a nanosecond at the finest. */
	loses(p, &pp_format_nytprof, "loss-values");
	p->funcs.at[1].column = 12;
	loses(p, &pp_format_folded, "loss-first-columns");
	p->funcs.at[1].column = 0;
	/* Private data of a format without the hooks to carry it. */
	p->format = &pp_format_folded;
	p->kept.data = &private_data;
	p->kept.free = nothing_to_free;
	loses(p, &pp_format_spaa, "loss-private");
	pp_profile_release(p);
	calls_counted(false);
	calls_counted(true);
	return tap_done();
}
