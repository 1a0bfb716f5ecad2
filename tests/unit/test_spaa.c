/* SPAA as a carrier: what a format keeps to itself is said when it cannot travel. */
#include "tap.h"

#include "api/api.h"

extern const struct pp_format pp_format_folded, pp_format_spaa;

static void
nothing_to_free(void *data)
{
	(void)data;
}

int
main(void)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_write_opts opts = { 0 };
	struct pp_diags *diags = pp_diags_new();
	struct pp_buf buf = { 0 };
	struct pp_sink *sink = NULL;
	struct pp_profile *p = NULL;
	struct pp_builder b;
	pp_node node;

	ok(diags && pp_builder_init(&b, &limits, 0, 7, &pp_pages_plain), "a builder");
	pp_build_metric_z(&b, "samples", "samples", PP_KIND_SAMPLES, PP_UINT, PP_METRIC_PRIMARY);
	pp_build_series_plain(&b, true, false);
	node = pp_build_child(&b, 0, pp_build_frame_named(&b, pp_slice_z("main")));
	ok(pp_build_add(&b, 0, node, 0, 5) && pp_builder_finish(&b, &p) == PP_OK, "a profile");
	/* A format without the hooks to carry it. */
	p->format = &pp_format_folded;
	p->private_data = diags;
	p->private_free = nothing_to_free;
	ok(pp_sink_buffer(&buf, &sink) == PP_OK &&
	       pp_write_sink(p, sink, &pp_format_spaa, &opts, diags) == PP_OK &&
	       pp_sink_commit(sink) == PP_OK,
	   "written");
	is_u64(pp_diags_of_rule(diags, pp_rule_find("spaa-write-private")), 1, "and said");
	pp_sink_close(sink);
	pp_buf_release(&buf);
	pp_profile_release(p);
	pp_builder_release(&b);
	pp_diags_free(diags);
	return tap_done();
}
