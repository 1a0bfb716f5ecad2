/* Whole stacks into the builder: what each order makes of them, limits, and sums that are too large. */
#include "tap.h"

#include "api/api.h"
#include "model/builder.h"

enum { MAIN, RUN, PARSE, LEXER, NAMES };

struct world {
	struct pp_builder b;
	struct pp_diags diags;
	pp_frame frame[NAMES];
	struct pp_profile *p;
};

/* A builder with one metric, one series and the four functions. */
static void
start(struct world *w, const struct pp_order *order, const struct pp_limits *own)
{
	static const char *const names[] = { "main", "run", "parse", "lexer" };
	struct pp_limits limits = pp_limits_complete(own);
	size_t i;

	*w = (struct world){ 0 };
	pp_diags_init(&w->diags);
	if (!pp_builder_init(&w->b, &limits, order, 42, &pp_pages_plain))
		abort();
	w->b.diags = &w->diags;
	pp_build_metric_z(&w->b, "samples", "samples", PP_KIND_SAMPLES, PP_UINT, PP_METRIC_PRIMARY);
	pp_build_series_plain(&w->b, true, false);
	for (i = 0; i < NAMES; i++)
		w->frame[i] = pp_build_frame_named(&w->b, pp_slice_z(names[i]));
}

/* Reports a stack written as digits, each a function. */
static bool
report(struct world *w, const char *stack, int64_t value, pp_stack *where)
{
	struct pp_sample s = { .values = &value, .where = where };
	pp_frame frames[16];
	size_t n;

	for (n = 0; stack[n]; n++)
		frames[n] = w->frame[stack[n] - '0'];
	return pp_build_sample(&w->b, &s, frames, n);
}

static void
finish(struct world *w)
{
	ok(pp_builder_finish(&w->b, &w->p) == PP_OK && w->p, "finished");
}

static void
stop(struct world *w)
{
	pp_builder_release(&w->b);
	pp_profile_release(w->p);
	pp_diags_release(&w->diags);
}

/* Own and total cost of a function by its costs alone; false when it has none. */
static bool
costs_of(const struct pp_profile *p, const char *name, int64_t *own, int64_t *total)
{
	size_t i;

	for (i = 0; i < p->costs.funcs.n; i++)
		if (pp_slice_eq_z(pp_text_of(p, p->funcs.at[p->costs.funcs.at[i]].name), name)) {
			*own = (int64_t)p->costs.cells.at[2 * i].i;
			*total = (int64_t)p->costs.cells.at[2 * i + 1].i;
			return true;
		}
	return false;
}

static void
check_tree(void)
{
	struct world w;
	int64_t three = 3;
	pp_stack where = 0;

	start(&w, &(struct pp_order){ .facets = PP_TREE }, NULL);
	ok(report(&w, "012", 5, &where) && report(&w, "01", 2, NULL) && report(&w, "0121", 1, NULL),
	   "stacks are taken");
	is_u64(where, 0, "they wait");
	ok(pp_build_flush(&w.b) && where != 0, "where it went is told by a flush");
	ok(pp_build_again(&w.b, &(struct pp_sample){ .values = &three }, where), "once more");
	ok(report(&w, "", 4, NULL), "cost without a stack");
	finish(&w);
	is_u64(w.p->tree.n, 5, "a node for each prefix");
	is_u64((uint64_t)pp_profile_total(w.p, 0).i, 15, "all of it");
	is_u64((uint64_t)pp_series_cells(&w.p->series.at[0], where - 1)[0], 8, "added at its node");
	ok(w.p->tree.recursive && w.p->tree.recursive[0] >> 4 & 1, "recursion is marked");
	ok(!w.p->costs.stated, "no other costs");
	stop(&w);
}

static void
check_costs(void)
{
	struct world w;
	int64_t own = 0, total = 0;

	start(&w, &(struct pp_order){ .facets = PP_COSTS }, NULL);
	ok(report(&w, "012", 5, NULL) && report(&w, "0101", 2, NULL) && report(&w, "", 1, NULL),
	   "stacks are taken");
	finish(&w);
	is_u64(w.p->tree.n, 1, "costs alone need no tree");
	ok(w.p->costs.stated && !w.p->costs.filtered, "costs are stated");
	ok(costs_of(w.p, "run", &own, &total) && own == 2 && total == 7, "recursion counts once");
	ok(costs_of(w.p, "main", &own, &total) && own == 0 && total == 7, "the caller");
	ok(!costs_of(w.p, "lexer", &own, &total), "only functions that occur");
	is_u64((uint64_t)pp_profile_total(w.p, 0).i, 8, "all of it");
	stop(&w);
	start(&w, &(struct pp_order){ .facets = PP_COSTS | PP_TREE }, NULL);
	ok(report(&w, "012", 5, NULL), "costs and stacks are ordered");
	finish(&w);
	is_u64(w.p->tree.n, 4, "what is ordered is there");
	stop(&w);
}

static void
check_filter(void)
{
	struct pp_filter filter = { 0 };
	struct pp_buf problem = { 0 };
	struct world w;
	int64_t own = 0, total = 0;

	ok(pp_filter_add(&filter, PP_FILTER_FOCUS, pp_slice_z("parse"), &problem) &&
	       pp_filter_add(&filter, PP_FILTER_HIDE, pp_slice_z("run"), &problem),
	   "a filter");
	start(&w, &(struct pp_order){ .facets = PP_TREE, .filter = &filter }, NULL);
	ok(report(&w, "012", 5, NULL) && report(&w, "013", 2, NULL) && report(&w, "021", 1, NULL),
	   "stacks are taken");
	finish(&w);
	ok(w.p->costs.filtered && w.p->costs.unfiltered.at[0].i == 8, "filtered as they came");
	is_u64((uint64_t)pp_profile_total(w.p, 0).i, 6, "what is left");
	ok(costs_of(w.p, "parse", &own, &total) && own == 6 && total == 6,
	   "what is hidden goes to the caller");
	ok(!costs_of(w.p, "run", &own, &total) && !costs_of(w.p, "lexer", &own, &total),
	   "the rest is gone");
	stop(&w);
	pp_filter_release(&filter);
	pp_buf_release(&problem);
}

static bool
is_parse(void *ctx, const char *name, size_t n)
{
	(void)ctx;
	return n == 5 && memcmp(name, "parse", 5) == 0;
}

static void
check_keep(void)
{
	struct pp_keep keep = { is_parse, NULL };
	struct world w;

	start(&w, &(struct pp_order){ .facets = PP_TREE, .keep = &keep }, NULL);
	ok(report(&w, "012", 5, NULL) && report(&w, "013", 2, NULL), "stacks are taken");
	finish(&w);
	is_u64(w.p->tree.n, 4, "stacks without the name leave no node");
	is_u64((uint64_t)pp_series_cells(&w.p->series.at[0], 0)[0], 2, "but their cost");
	stop(&w);
}

static void
check_overflow(void)
{
	static const struct pp_rule own_rule = { "x-sum", PP_ERROR, "x", "x" };
	struct world w;

	start(&w, &(struct pp_order){ .facets = PP_TREE }, NULL);
	pp_builder_at(&w.b, pp_at_line(7, 1, PP_NO_OFFSET));
	ok(report(&w, "01", -2, NULL), "nearly all that fits");
	pp_builder_at(&w.b, pp_at_line(8, 1, PP_NO_OFFSET));
	ok(report(&w, "01", 2, NULL), "too much, which is no failure");
	pp_builder_at(&w.b, pp_at_line(9, 1, PP_NO_OFFSET));
	ok(report(&w, "01", 1, NULL), "and the last that fits");
	finish(&w);
	is_u64(pp_diags_of_rule(&w.diags, pp_rule_find("sum-overflow")), 1,
	       "sum-overflow is found");
	is_u64(pp_diags_get(&w.diags, 0)->line, 8, "at the place of the report");
	ok(strstr(pp_diags_get(&w.diags, 0)->message, "samples of run") != NULL, "it says whose");
	ok(pp_profile_total(w.p, 0).i == UINT64_MAX && !w.p->complete, "it alone is left out");
	stop(&w);
	start(&w, &(struct pp_order){ .facets = PP_TREE }, NULL);
	w.b.sum_rule = &own_rule;
	w.b.sum_message = "too much";
	ok(report(&w, "0", -1, NULL) && report(&w, "0", 1, NULL), "again");
	finish(&w);
	is_u64(pp_diags_of_rule(&w.diags, &own_rule), 1, "a format's own rule is cited");
	stop(&w);
}

/* Metrics that are known at the end, samples in time, and pruning. */
static void
check_late(void)
{
	struct pp_series like = { .pid = -1, .tid = 7, .cpu = -1 };
	struct world w;
	int64_t values[2] = { 30, 1 };
	struct pp_sample sample = { .values = values, .timed = true, .time = 9 };
	struct pp_timeline_iter it;

	start(&w, &(struct pp_order){ .facets = PP_TREE | PP_TIMELINE }, NULL);
	sample.series = pp_build_series_late(&w.b, &like, 2);
	ok(pp_build_sample(&w.b, &sample, w.frame, 2), "a sample");
	sample.time = 4;
	ok(pp_build_sample(&w.b, &sample, w.frame, 2), "an earlier one");
	ok(pp_build_flush(&w.b), "both are in");
	is_u64(pp_build_metric_z(&w.b, "period", "events", PP_KIND_EVENTS, PP_UINT, 0), 1,
	       "a metric that comes late");
	pp_build_series_settle(&w.b, sample.series, (uint32_t[]){ 1, PP_NO_METRIC }, true);
	/* The series that was there first has no rows, only too few columns. */
	w.b.profile->series.at[0].stride = 2;
	finish(&w);
	is_u64(w.p->series.at[sample.series].stride, 2, "columns are those of the profile");
	is_u64((uint64_t)w.p->series.at[sample.series].cells[1], 60, "each in its place");
	is_u64((uint64_t)w.p->series.at[sample.series].cells[0], 0, "others are 0");
	ok(pp_timeline_begin(&w.p->series.at[sample.series].timeline, &it, 0) &&
	       pp_timeline_next(&it) && it.event.time == 4 && it.values[1] == 30,
	   "samples are in the order of time");
	pp_timeline_end(&it);
	stop(&w);
}

static void
check_prune(void)
{
	struct world w;

	start(&w, &(struct pp_order){ .facets = PP_TREE | PP_FUNCTIONS, .min_share = 0.1 }, NULL);
	ok(report(&w, "01", 90, NULL) && report(&w, "02", 4, NULL) && report(&w, "0313", 5, NULL) &&
	       report(&w, "3", 1, NULL),
	   "stacks are taken");
	finish(&w);
	is_u64(w.p->tree.n, 5, "two that are wide, and a sum beside each");
	is_u64((uint64_t)pp_profile_total(w.p, 0).i, 100, "nothing is lost");
	ok(pp_slice_eq_z(pp_text_of(w.p, w.p->funcs.at[pp_node_func(w.p, 4)].name), "(2 more)"),
	   "thin siblings are one");
	is_u64(w.p->frames.at[pp_tree_frame(&w.p->tree, 4)].more, 2, "which says of how many");
	stop(&w);
}

/* ---- limits, through the readers ---- */

static void
check_depth(const char *format, const struct pp_buf *text)
{
	struct pp_limits limits = { .max_depth = 100 };
	struct pp_read_opts opts = { .from = format, .threads = 1, .limits = &limits };
	pp_profile *p = NULL;

	ok(pp_read_memory(text->p, text->n, "x", &opts, NULL, &p) == PP_E_LIMIT && !p,
	   "%s: a stack of 1000 frames exceeds 100", format);
	limits.max_depth = 1000;
	ok(pp_read_memory(text->p, text->n, "x", &opts, NULL, &p) == PP_OK && p, "%s: but not 1000",
	   format);
	pp_profile_free(p);
}

/* Bits that are no facet do not make a profile without the facets asked for. */
static void
check_public(const struct pp_buf *text)
{
	unsigned bit;

	for (bit = 0; bit < 16; bit++) {
		struct pp_read_opts opts = { .want = PP_TREE | 1u << bit, .threads = 1 };
		pp_profile *p = NULL;
		struct pp_sink *sink = NULL;
		struct pp_buf out = { 0 };
		struct pp_diags *diags = pp_diags_new();

		ok(pp_read_memory(text->p, text->n, "x.spaa", &opts, NULL, &p) == PP_OK &&
		       pp_sink_buffer(&out, &sink) == PP_OK &&
		       pp_write_sink(p, sink, pp_format_find("folded"),
		                     &(struct pp_write_opts){ 0 }, diags) == PP_OK &&
		       pp_sink_commit(sink) == PP_OK && out.n > 1000,
		   "stacks were wanted and are written, with bit %u", bit);
		pp_sink_close(sink);
		pp_buf_release(&out);
		pp_diags_free(diags);
		pp_profile_free(p);
	}
}

static void
check_depths(void)
{
	struct pp_buf folded = { 0 }, perf = { 0 }, spaa = { 0 }, spx = { 0 };
	int i;

	pp_buf_adds(&perf, "prog 1 1.000000: 7 cycles: \n");
	pp_buf_adds(&spaa,
	            "{\"type\":\"header\",\"format\":\"spaa\",\"version\":\"1.0\","
	            "\"source_tool\":\"x\",\"frame_order\":\"leaf_to_root\",\"events\":"
	            "[{\"name\":\"e\",\"kind\":\"software\",\"sampling\":{\"mode\":\"period\","
	            "\"primary_metric\":\"period\"}}],\"stack_id_mode\":\"local\"}\n"
	            "{\"type\":\"dso\",\"id\":1,\"name\":\"x\",\"is_kernel\":false}\n"
	            "{\"type\":\"frame\",\"id\":1,\"func\":\"f\",\"dso\":1}\n"
	            "{\"type\":\"stack\",\"id\":1,\"frames\":[");
	pp_buf_adds(&spx, "[events]\n");
	for (i = 0; i < 1000; i++) {
		pp_buf_adds(&folded, i ? ";f" : "f");
		pp_buf_addf(&perf, "\t%16x f (/bin/x)\n", 0x1000 + i);
		pp_buf_adds(&spaa, i ? ",1" : "1");
		pp_buf_addf(&spx, "0 1 %d %d\n", i, i);
	}
	for (i = 1000; i-- > 0;)
		pp_buf_addf(&spx, "0 0 %d %d\n", 3000 - i, i);
	pp_buf_adds(&folded, " 1\n");
	pp_buf_adds(&perf, "\n");
	pp_buf_adds(&spaa, "],\"context\":{\"event\":\"e\"},\"weights\":[{\"metric\":\"period\","
	                   "\"value\":1}]}\n");
	pp_buf_adds(&spx, "[functions]\nf\n");
	check_depth("folded", &folded);
	check_depth("perf-script", &perf);
	check_depth("spaa", &spaa);
	check_depth("spx", &spx);
	check_public(&spaa);
	pp_buf_release(&folded);
	pp_buf_release(&perf);
	pp_buf_release(&spaa);
	pp_buf_release(&spx);
}

int
main(void)
{
	check_tree();
	check_costs();
	check_filter();
	check_keep();
	check_overflow();
	check_late();
	check_prune();
	check_depths();
	return tap_done();
}
