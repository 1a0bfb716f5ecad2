/*
 * The .json of a report: one object, kept key by key in the order of the file.
 *
 * It is read in tolerant mode, since SPX writes raw control characters and stray bytes into strings, and
 * what stands before a cut is kept. Numbers stay as they are written.
 */
#include "base/num.h"
#include "formats/spx/spx.h"
#include "text/json_scan.h"

/* A .json larger than this is none of SPX's: the longest strings in it have 8 KiB. */
#define META_MOST ((size_t)64 << 20)
#define META_DEPTH 64

/* In the order of the columns. `zr` is the old name of `zgb`; mu and pmu are XHProf's. */
static const struct spx_metric metrics[] = {
	{ "wt", "ns", "wall time", PP_KIND_WALL_TIME, false },
	{ "ct", "ns", "CPU time", PP_KIND_CPU_TIME, false },
	{ "it", "ns", "idle time", PP_KIND_IDLE_TIME, false },
	{ "zm", "bytes", "Zend memory in use", PP_KIND_BYTES, true },
	{ "zmac", "count", "Zend memory allocations", PP_KIND_COUNT, false },
	{ "zmab", "bytes", "Zend memory allocated", PP_KIND_BYTES, false },
	{ "zmfc", "count", "Zend memory frees", PP_KIND_COUNT, false },
	{ "zmfb", "bytes", "Zend memory freed", PP_KIND_BYTES, false },
	{ "zgr", "count", "Zend GC runs", PP_KIND_COUNT, false },
	{ "zgb", "count", "Zend GC root buffer length", PP_KIND_COUNT, true },
	{ "zgc", "count", "Zend GC collected cycles", PP_KIND_COUNT, false },
	{ "zif", "count", "included files", PP_KIND_COUNT, false },
	{ "zil", "count", "included lines", PP_KIND_COUNT, false },
	{ "zuc", "count", "user classes", PP_KIND_COUNT, false },
	{ "zuf", "count", "user functions", PP_KIND_COUNT, false },
	{ "zuo", "count", "user opcodes", PP_KIND_COUNT, false },
	{ "zo", "count", "live objects", PP_KIND_COUNT, true },
	{ "ze", "count", "PHP errors", PP_KIND_COUNT, false },
	{ "mor", "bytes", "own RSS", PP_KIND_BYTES, true },
	{ "io", "bytes", "bytes read and written", PP_KIND_BYTES, false },
	{ "ior", "bytes", "bytes read", PP_KIND_BYTES, false },
	{ "iow", "bytes", "bytes written", PP_KIND_BYTES, false },
	{ "zr", "count", "Zend GC root buffer length", PP_KIND_COUNT, true },
	{ "mu", "bytes", "memory in use", PP_KIND_BYTES, true },
	{ "pmu", "bytes", "peak memory in use", PP_KIND_BYTES, true },
};

size_t
pp_spx_metric_rank(struct pp_slice key)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(metrics); i++)
		if (pp_slice_eq_z(key, metrics[i].key))
			break;
	return i;
}

const struct spx_metric *
pp_spx_metric(struct pp_slice key)
{
	size_t rank = pp_spx_metric_rank(key);

	return rank < PP_COUNT_OF(metrics) ? &metrics[rank] : NULL;
}

/* One reading of a .json. */
struct meta_read {
	struct pp_scan scan;
	struct pp_arena arena;
	struct pp_builder *b;
	struct spx_meta *meta;
	const unsigned char *odd; /* the first string that tolerant mode let through */
	struct {
		uint32_t handle; /* its row in the profile's meta */
		bool object;
		bool metrics; /* it is the list of metrics */
	} open[META_DEPTH + 1];
	size_t depth;
};

/* The line of a byte, for places. */
static struct pp_place
place_of(const struct meta_read *r, const unsigned char *at)
{
	uint64_t line = 1;
	const unsigned char *p, *start = r->scan.begin;

	for (p = r->scan.begin; p < at; p++)
		if (*p == '\n') {
			line++;
			start = p + 1;
		}
	return pp_at_line(line, (uint64_t)(at - start) + 1, (uint64_t)(at - r->scan.begin));
}

static struct pp_slice
text_of(struct meta_read *r, struct pp_json_str s)
{
	struct pp_slice value = pp_json_str_value(s, &r->arena);

	if (s.odd && !r->odd)
		r->odd = s.raw.p;
	if (value.n && !value.p) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		value = pp_slice_of("", 0);
	}
	return value;
}

/* What is used of a number at the top level. */
static void
take_number(struct meta_read *r, struct pp_slice key, const struct pp_json_num *num)
{
	int64_t value;

	if (!pp_json_num_i64(num, &value) || value < 0)
		return;
	if (pp_slice_eq_z(key, "exec_ts"))
		r->b->profile->recorded_at = value;
	else if (pp_slice_eq_z(key, "called_function_count"))
		r->meta->functions = value;
	else if (pp_slice_eq_z(key, "recorded_call_count") ||
	         (pp_slice_eq_z(key, "call_count") && r->meta->calls < 0))
		r->meta->calls = value;
}

/* Takes one value of any type, entering objects and arrays; false at an error. */
static bool
take_value(struct meta_read *r, struct pp_slice key)
{
	enum pp_json_type type = pp_scan_peek(&r->scan);
	uint32_t parent = r->depth ? r->open[r->depth].handle : 0;
	struct pp_slice none = pp_slice_of("", 0), text;
	struct pp_json_str s;
	struct pp_json_num num;
	bool truth;

	switch (type) {
	case PP_JSON_STRING:
		if (!pp_scan_string(&r->scan, &s))
			return false;
		text = text_of(r, s);
		(void)pp_build_meta(r->b, parent, key, PP_META_TEXT, text);
		if (r->open[r->depth].metrics && r->meta->keys.n < SPX_METRICS_MAX &&
		    !pp_vec_push(&r->meta->keys, pp_build_str(r->b, text)))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return true;
	case PP_JSON_NUMBER:
		if (!pp_scan_number(&r->scan, &num))
			return false;
		if (r->depth == 1)
			take_number(r, key, &num);
		(void)pp_build_meta(r->b, parent, key, PP_META_NUMBER, num.text);
		return true;
	case PP_JSON_BOOL:
		if (!pp_scan_bool(&r->scan, &truth))
			return false;
		(void)pp_build_meta(r->b, parent, key, PP_META_BOOL,
		                    pp_slice_z(truth ? "true" : "false"));
		return true;
	case PP_JSON_NULL:
		(void)pp_build_meta(r->b, parent, key, PP_META_NULL, none);
		return pp_scan_null(&r->scan);
	case PP_JSON_OBJECT:
	case PP_JSON_ARRAY:
		if (type == PP_JSON_OBJECT ? !pp_scan_object(&r->scan) : !pp_scan_array(&r->scan))
			return false;
		truth = r->depth == 1 && type == PP_JSON_ARRAY &&
		        pp_slice_eq_z(key, "enabled_metrics");
		r->meta->has_metrics |= truth;
		r->depth++;
		r->open[r->depth].object = type == PP_JSON_OBJECT;
		r->open[r->depth].metrics = truth;
		r->open[r->depth].handle = pp_build_meta(
		    r->b, parent, key, type == PP_JSON_OBJECT ? PP_META_OBJECT : PP_META_ARRAY,
		    none);
		return true;
	default:
		return false;
	}
}

static void
take_all(struct meta_read *r)
{
	struct pp_json_str key = { 0 };

	if (!pp_scan_object(&r->scan))
		return;
	r->depth = 1;
	r->open[1].object = true;
	while (r->depth && pp_builder_ok(r->b) && r->scan.error == PP_SCAN_OK) {
		bool object = r->open[r->depth].object;
		bool more = object ? pp_scan_key(&r->scan, &key) : pp_scan_item(&r->scan);

		if (!more)
			r->depth--;
		else if (!take_value(r, object ? text_of(r, key) : pp_slice_of("", 0)))
			break;
	}
	if (r->depth == 0)
		(void)pp_scan_end(&r->scan);
}

void
pp_spx_meta_read(struct pp_input *in, struct pp_builder *b, struct pp_diags *diags,
                 struct spx_meta *meta)
{
	struct meta_read r = { .b = b, .meta = meta };
	size_t n;

	meta->there = true;
	meta->functions = meta->calls = -1;
	while (pp_input_left(in) < META_MOST && !in->at_end)
		(void)in->more(in, pp_input_left(in) + 1);
	n = pp_input_left(in) < META_MOST ? pp_input_left(in) : META_MOST;
	pp_scan_init(&r.scan, pp_slice_of(in->cur, n), META_DEPTH, PP_SCAN_TOLERANT);
	take_all(&r);
	if (r.scan.error != PP_SCAN_OK)
		pp_diag_add(diags, &pp_spx_rules[SPX_META_BROKEN], place_of(&r, r.scan.error_at),
		            "the metadata is not JSON here: %s", pp_scan_error_text(r.scan.error));
	if (r.odd)
		pp_diag_add(diags, &pp_spx_rules[SPX_META_BYTES], place_of(&r, r.odd),
		            "the string has raw control characters or bytes that are not UTF-8");
	if (!meta->has_metrics)
		pp_diag_add(diags, &pp_spx_rules[SPX_META_METRICS], PP_NOWHERE,
		            "the metadata has no list of enabled_metrics");
	in->cur += n;
	pp_arena_release(&r.arena);
}
