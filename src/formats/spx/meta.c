/*
 * The .json of a report: one object, kept key by key in the order of the file.
 *
 * It is read in tolerant mode, since SPX writes raw control characters and stray bytes into strings, and
 * what stands before a cut is kept. Numbers stay as they are written.
 */
#include "base/num.h"
#include "formats/kit/meta_json.h"
#include "formats/spx/spx.h"

/* A .json larger than this is none of SPX's: the longest strings in it have 8 KiB. */
#define META_MOST ((size_t)64 << 20)
#define META_DEPTH 64

/* In the order of the columns. `zr` is the old name of `zgb`; mu and pmu are XHProf's. */
static const struct spx_metric metrics[] = {
	{ "wt", "ns", "wall time", PP_KIND_WALL_TIME, false },
	{ "ct", "ns", "CPU time", PP_KIND_CPU_TIME, false },
	{ "it", "ns", "idle time", PP_KIND_IDLE_TIME, false },
	{ "zm", "bytes", "memory in use", PP_KIND_BYTES, true },
	{ "zmac", "count", "memory allocations", PP_KIND_COUNT, false },
	{ "zmab", "bytes", "memory allocated", PP_KIND_BYTES, false },
	{ "zmfc", "count", "memory frees", PP_KIND_COUNT, false },
	{ "zmfb", "bytes", "memory freed", PP_KIND_BYTES, false },
	{ "zgr", "count", "GC runs", PP_KIND_COUNT, false },
	{ "zgb", "count", "GC root buffer length", PP_KIND_COUNT, true },
	{ "zgc", "count", "GC collected cycles", PP_KIND_COUNT, false },
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
	{ "zr", "count", "GC root buffer length", PP_KIND_COUNT, true },
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

const struct spx_metric *
pp_spx_metric_of(enum pp_metric_kind kind)
{
	size_t i;

	for (i = 0; kind != PP_KIND_COUNT && i < PP_COUNT_OF(metrics); i++)
		if (metrics[i].kind == kind)
			return &metrics[i];
	return NULL;
}

#define NOT_KNOWN "\"n\\/a\""

const struct spx_key pp_spx_keys[SPX_KEYS] = {
	{ "key", NULL },
	{ "exec_ts", "0" },
	{ "host_name", NOT_KNOWN },
	{ "process_pid", "0" },
	{ "process_tid", "0" },
	{ "process_pwd", NOT_KNOWN },
	{ "cli", "1" },
	{ "cli_command_line", NOT_KNOWN },
	{ "http_request_uri", NOT_KNOWN },
	{ "http_method", NOT_KNOWN },
	{ "http_host", NOT_KNOWN },
	{ "custom_metadata_str", "null" },
	{ "wall_time_ms", "0" },
	{ "peak_memory_usage", "0" },
	{ "called_function_count", "0" },
	{ "call_count", "0" },
	{ "recorded_call_count", "0" },
	{ "enabled_metrics", "[]" },
};

/* What is used of a number at the top level. */
static void
take_number(const struct pp_meta_row *row, struct pp_builder *b, struct spx_meta *meta)
{
	struct pp_profile *p = b->profile;
	struct pp_slice key = pp_text_of(p, row->key);
	int64_t value;

	if (row->type != PP_META_NUMBER || !pp_num_i64(pp_text_of(p, row->text), &value) ||
	    value < 0)
		return;
	if (pp_slice_eq_z(key, "exec_ts"))
		p->recorded_at = value;
	else if (pp_slice_eq_z(key, "called_function_count"))
		meta->functions = value;
	else if (pp_slice_eq_z(key, "wall_time_ms"))
		meta->wall = value;
	else if (pp_slice_eq_z(key, "recorded_call_count") ||
	         (pp_slice_eq_z(key, "call_count") && meta->calls < 0))
		meta->calls = value;
}

/* What the report says of itself, from the metadata: the list of metrics is an array of texts. */
static void
take_all(struct pp_builder *b, struct spx_meta *meta)
{
	struct pp_profile *p = b->profile;
	size_t i, list = SIZE_MAX;

	for (i = 0; i < p->meta.n && pp_builder_ok(b); i++) {
		const struct pp_meta_row *row = &p->meta.at[i];

		if (row->parent == 0) {
			take_number(row, b, meta);
			if (row->type != PP_META_ARRAY ||
			    !pp_slice_eq_z(pp_text_of(p, row->key), "enabled_metrics"))
				continue;
			meta->has_metrics = true;
			list = i + 1;
		} else if (row->parent == list && row->type == PP_META_TEXT &&
		           meta->keys.n < SPX_METRICS_MAX && !pp_vec_push(&meta->keys, row->text)) {
			pp_builder_fail(b, PP_E_NOMEM, NULL);
		}
	}
}

void
pp_spx_meta_read(struct pp_input *in, struct pp_builder *b, struct pp_diags *diags,
                 struct spx_meta *meta)
{
	const unsigned char *odd = NULL;
	struct pp_slice text;
	struct pp_scan scan;

	meta->there = true;
	meta->functions = meta->calls = meta->wall = -1;
	while (pp_input_left(in) < META_MOST && !in->at_end)
		(void)in->more(in, pp_input_left(in) + 1);
	text = pp_slice_of(in->cur, pp_input_left(in) < META_MOST ? pp_input_left(in) : META_MOST);
	pp_scan_init(&scan, text, META_DEPTH, PP_SCAN_TOLERANT);
	pp_meta_json_read(&scan, b, NULL, &odd);
	take_all(b, meta);
	if (pp_builder_ok(b) && !pp_scan_end(&scan))
		pp_diag_add(diags, &pp_spx_rules[SPX_META_BROKEN], pp_place_in(text, scan.error_at),
		            "the metadata is not JSON here: %s", pp_scan_error_text(scan.error));
	if (odd)
		pp_diag_add(diags, &pp_spx_rules[SPX_META_BYTES], pp_place_in(text, odd),
		            "the string has raw control characters or bytes that are not UTF-8");
	if (!meta->has_metrics)
		pp_diag_add(diags, &pp_spx_rules[SPX_META_METRICS], PP_NOWHERE,
		            "the metadata has no list of enabled_metrics");
	in->cur += text.n;
}
