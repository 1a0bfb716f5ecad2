/*
 * Metrics and the event of heap profiles.
 */
#include "formats/heap/heap.h"

#include <stdio.h>

static const struct {
	const char *name;
	bool bytes;
} metrics[PP_HEAP_METRICS] = {
	[PP_HEAP_ALLOC_BYTES] = { "alloc_bytes", true },
	[PP_HEAP_ALLOC_COUNT] = { "alloc_count", false },
	[PP_HEAP_TEMPORARY] = { "temporary_count", false },
	[PP_HEAP_LIVE_BYTES] = { "live_bytes", true },
	[PP_HEAP_LIVE_COUNT] = { "live_count", false },
	[PP_HEAP_PEAK_BYTES] = { "peak_bytes", true },
	[PP_HEAP_SAMPLED_ALLOC_BYTES] = { "sampled_alloc_bytes", true },
	[PP_HEAP_SAMPLED_ALLOC_COUNT] = { "sampled_alloc_count", false },
	[PP_HEAP_SAMPLED_LIVE_BYTES] = { "sampled_live_bytes", true },
	[PP_HEAP_SAMPLED_LIVE_COUNT] = { "sampled_live_count", false },
};

void
pp_heap_metrics_build(struct pp_builder *b, unsigned set, unsigned real,
                      enum pp_heap_metric primary)
{
	unsigned i;

	for (i = 0; i < PP_HEAP_METRICS; i++) {
		if (!(set >> i & 1))
			continue;
		(void)pp_build_metric(
		    b, &(struct pp_metric){
		           .name = pp_build_strz(b, metrics[i].name),
		           .event = pp_build_strz(b, PP_HEAP_EVENT),
		           .unit = pp_build_strz(b, metrics[i].bytes ? "bytes" : "count"),
		           .kind = metrics[i].bytes ? PP_KIND_BYTES : PP_KIND_COUNT,
		           .type = real >> i & 1 ? PP_REAL : PP_INT,
		           .flags = (i == primary ? PP_METRIC_PRIMARY : 0u) |
		                    (real ? PP_METRIC_SAMPLED : 0u) });
	}
}

void
pp_heap_meta_text(struct pp_builder *b, const char *key, struct pp_slice text)
{
	if (text.n)
		pp_build_meta_z(b, key, PP_META_TEXT, text);
}

void
pp_heap_meta_number(struct pp_builder *b, const char *key, uint64_t number)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%llu", (unsigned long long)number);

	pp_build_meta_z(b, key, PP_META_NUMBER, pp_slice_of(text, (size_t)n));
}

static void
put(struct pp_builder *b, uint32_t row, const char *key, enum pp_meta_type type, const char *text)
{
	(void)pp_build_meta(b, row, pp_slice_z(key), type, pp_slice_z(text));
}

void
pp_heap_event_build(struct pp_builder *b, enum pp_heap_metric primary, uint64_t period)
{
	const struct pp_slice nothing = pp_slice_of("", 0);
	uint32_t list = pp_build_meta(b, 0, pp_slice_z("events"), PP_META_ARRAY, nothing),
	         row = pp_build_meta(b, list, nothing, PP_META_OBJECT, nothing), sampling;
	char number[24];

	put(b, row, "name", PP_META_TEXT, PP_HEAP_EVENT);
	put(b, row, "kind", PP_META_TEXT, "allocation");
	sampling = pp_build_meta(b, row, pp_slice_z("sampling"), PP_META_OBJECT, nothing);
	put(b, sampling, "mode", PP_META_TEXT, period ? "period" : "event");
	put(b, sampling, "primary_metric", PP_META_TEXT, metrics[primary].name);
	if (period) {
		(void)snprintf(number, sizeof number, "%llu", (unsigned long long)period);
		put(b, sampling, "sample_period", PP_META_NUMBER, number);
	}
}
