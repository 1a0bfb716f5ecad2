/*
 * What the formats of heap profilers share: their metrics and their event.
 */
#ifndef PP_HEAP_H
#define PP_HEAP_H

#include "formats/author.h"

#define PP_HEAP_EVENT "malloc"

enum pp_heap_metric {
	PP_HEAP_ALLOC_BYTES,
	PP_HEAP_ALLOC_COUNT,
	PP_HEAP_TEMPORARY,
	PP_HEAP_LIVE_BYTES,
	PP_HEAP_LIVE_COUNT,
	PP_HEAP_PEAK_BYTES,
	PP_HEAP_SAMPLED_ALLOC_BYTES, /* as they were sampled, where the others are estimates */
	PP_HEAP_SAMPLED_ALLOC_COUNT,
	PP_HEAP_SAMPLED_LIVE_BYTES,
	PP_HEAP_SAMPLED_LIVE_COUNT,
	PP_HEAP_METRICS
};

/* A set of them. */
#define PP_HEAP_HAS(metric) (1u << PP_HEAP_##metric)

/* Makes those metrics, in that order; those of `real` have doubles. */
void pp_heap_metrics_build(struct pp_builder *, unsigned set, unsigned real,
                           enum pp_heap_metric primary);
/* Says in the metadata what the event is; `period` bytes between two samples, 0 = each allocation was recorded. */
void pp_heap_event_build(struct pp_builder *, enum pp_heap_metric primary, uint64_t period);
/* A number, or a text, of the metadata. */
void pp_heap_meta_number(struct pp_builder *, const char *key, uint64_t);
void pp_heap_meta_text(struct pp_builder *, const char *key, struct pp_slice);

#endif
