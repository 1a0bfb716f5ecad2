/*
 * What a store knows of a profile without reading it: see meta.h.
 */
#include "store/meta.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/counts.h"
#include "text/json_scan.h"

enum { METRICS, UNITS, EVENTS };

static bool
counts_events(const struct pp_profile *p)
{
	size_t m = 0;

	while (m < pp_metrics_shown(p) && !p->metrics.at[m].event)
		m++;
	return m < pp_metrics_shown(p);
}

/* An object with a member for each metric. */
static void
part_put(struct pp_json *j, const struct pp_profile *p, const union pp_value *totals, unsigned part,
         struct pp_buf *name)
{
	static const char *const keys[] = { "metrics", "units", "events" };
	char text[PP_NUM_MAX];
	size_t m;

	pp_json_put_object(j, keys[part]);
	for (m = 0; m < pp_metrics_shown(p); m++) {
		const struct pp_metric *metric = &p->metrics.at[m];

		name->n = 0;
		pp_metric_label(p, metric, name);
		pp_json_key_text(j, pp_slice_of(name->p ? name->p : "", name->n));
		if (part == METRICS)
			pp_json_raw(j, text, pp_value_print(metric, totals[m], text));
		else
			pp_json_text(j,
			             pp_text_of(p, part == UNITS ? metric->unit : metric->event));
	}
	pp_json_end_object(j);
}

bool
pp_store_meta_make(const struct pp_profile *p, struct pp_buf *buf, uint64_t *stacks)
{
	union pp_value *totals = pp_profile_totals(p);
	struct pp_sink *out = NULL;
	struct pp_counts counts;
	struct pp_buf name = { 0 };
	struct pp_json j;
	unsigned part;
	bool fine = totals && pp_counts_compute(p, &counts) && pp_sink_buffer(buf, &out) == PP_OK;

	if (fine) {
		*stacks = counts.stacks;
		pp_json_init(&j, out, PP_JSON_SPACED);
		pp_json_begin_object(&j);
		pp_json_put_u64(&j, "stacks", counts.stacks);
		for (part = METRICS; part <= EVENTS; part++)
			if (part != EVENTS || counts_events(p))
				part_put(&j, p, totals, part, &name);
		pp_json_end_object(&j);
		fine = pp_sink_commit(out) == PP_OK && !buf->failed && !name.failed;
	}
	pp_sink_close(out);
	pp_buf_release(&name);
	free(totals);
	return fine;
}

struct pp_slice
pp_store_meta_member(const char *meta, const char *member, struct pp_arena *arena)
{
	size_t n = strlen(meta);
	unsigned char *copy = pp_arena_alloc(arena, n + PP_SCAN_PAD);
	struct pp_slice found = { NULL, 0 }, raw;
	struct pp_json_str key;
	struct pp_scan scan;

	if (!copy)
		return found;
	memcpy(copy, meta, n);
	memset(copy + n, 0, PP_SCAN_PAD);
	pp_scan_init(&scan, pp_slice_of(copy, n), 16, PP_SCAN_STRICT);
	if (pp_scan_object(&scan))
		while (pp_scan_key(&scan, &key))
			if (pp_scan_skip(&scan, &raw) && pp_json_str_eq(key, member))
				found = raw;
	return pp_scan_end(&scan) ? found : (struct pp_slice){ NULL, 0 };
}

uint64_t
pp_store_meta_stacks(const char *meta)
{
	static const char begin[] = "{\"stacks\": ";

	return strncmp(meta, begin, sizeof begin - 1) == 0
	           ? strtoull(meta + sizeof begin - 1, NULL, 10)
	           : 0;
}

static const char sum_of[] = ", \"profiles\": ";

/* Quotation marks within texts have a backslash, so that no text looks like a member. */
struct pp_slice
pp_store_meta_units(struct pp_slice meta, struct pp_slice like)
{
	static const char begin[] = "}, \"units\": {", sum[] = "}, \"profiles\": ", ends[] = "}}";
	const size_t head = sizeof begin - 1, foot = sizeof ends - 1;
	const unsigned char *units, *of_sum, *end;

	if (meta.n < head + foot)
		return pp_slice_of("", 0);
	end = meta.p + meta.n - foot;
	if (meta.n >= head + like.n + foot && memcmp(end - like.n - head, begin, head) == 0 &&
	    (like.n == 0 || memcmp(end - like.n, like.p, like.n) == 0) &&
	    memcmp(end, ends, foot) == 0)
		return pp_slice_between(end - like.n, end);
	units = memmem(meta.p, meta.n, begin, head);
	if (!units)
		return pp_slice_of("", 0);
	units += head;
	of_sum = memmem(units, (size_t)(meta.p + meta.n - units), sum, sizeof sum - 1);
	end = of_sum ? of_sum : end;
	return end > units ? pp_slice_between(units, end) : pp_slice_of("", 0);
}

/* It is at the very end, where an object without it has two braces. */
uint64_t
pp_store_meta_profiles(struct pp_slice meta)
{
	const size_t key = sizeof sum_of - 1;
	size_t at = meta.n ? meta.n - 1 : 0;
	uint64_t n = 0, ten = 1;

	for (; at > 0 && meta.p[at - 1] - (unsigned)'0' < 10 && ten <= UINT64_MAX / 100; at--) {
		n += (meta.p[at - 1] - (unsigned)'0') * ten;
		ten *= 10;
	}
	return at >= key && memcmp(meta.p + at - key, sum_of, key) == 0 ? n : 0;
}
