/*
 * V8's samples: each lasts until the next one. Some come a little before the one that is written before them, so a few wait.
 */
#include "formats/chrome/v8.h"

#include "formats/kit/call_walk.h"

#define WAITING 64

uint32_t
pp_v8_metric_samples(struct pp_builder *b, bool primary)
{
	return pp_build_metric_z(b, "samples", "samples", PP_KIND_SAMPLES, PP_INT,
	                         primary ? PP_METRIC_PRIMARY : 0);
}

uint32_t
pp_v8_metric_time(struct pp_builder *b, const struct pp_fixed *fixed, const char *name)
{
	struct pp_metric metric = { .name = pp_build_strz(b, name),
		                    .unit = pp_build_strz(b, "ns"),
		                    .kind = PP_KIND_WALL_TIME,
		                    .flags = PP_METRIC_PRIMARY };

	pp_fixed_metric(fixed, &metric);
	return pp_build_metric(b, &metric);
}

static struct pp_builder *
builder_of(const struct v8_samples *x)
{
	return x->tree->doc->b;
}

static void
no_memory(struct v8_samples *x)
{
	pp_builder_fail(builder_of(x), PP_E_NOMEM, NULL);
}

void
pp_v8_samples_begin(struct v8_samples *x, int64_t start)
{
	struct pp_builder *b = builder_of(x);
	size_t i;

	x->keeps = x->time != PP_NO_METRIC && !x->laid_out && pp_times_kept(b);
	x->now = start;
	x->room = x->tree->nodes.n + 1;
	x->sums = b->pages->get(x->room * sizeof *x->sums);
	x->small = b->pages->get(x->room * sizeof *x->small);
	if (!x->sums || !x->small) {
		no_memory(x);
		return;
	}
	x->all_placed = true;
	for (i = 0; i < x->tree->nodes.n; i++)
		x->all_placed &= pp_v8_is_placed(x->tree, (uint32_t)i);
}

/* When a sample was, in the series. */
static void
moment_keep(struct v8_samples *x, const struct v8_sample *s, int64_t lasts)
{
	struct pp_profile *p = builder_of(x)->profile;
	struct pp_timeline *t = &p->series.at[x->series].timeline;
	struct pp_event event = { .kind = PP_EVENT_SAMPLE };
	int64_t values[PP_FEW_COLUMNS] = { 0 };

	if (!pp_v8_place(x->tree, s->node - 1, &event.node) || p->metrics.n > PP_FEW_COLUMNS)
		return;
	values[x->samples] = 1;
	if (x->time != PP_NO_METRIC)
		values[x->time] = lasts;
	if (!pp_fixed_ns(x->fixed, s->time, &event.time))
		x->far = true;
	if ((!t->last_values && !pp_timeline_init(t, (uint32_t)p->metrics.n, false)) ||
	    !pp_timeline_add(t, &event, values))
		no_memory(x);
}

/* Adds what one sample comes to. */
static inline void
sum_add(struct v8_samples *x, uint32_t node, int64_t lasts)
{
	struct v8_small_sum *small = &x->small[node];
	struct v8_sum *sum;
	int64_t time;

	if (PP_LIKELY(!__builtin_add_overflow(lasts, small->time, &time) && lasts >= 0 &&
	              time <= UINT32_MAX && small->count < UINT32_MAX)) {
		small->time = (uint32_t)time;
		small->count++;
		return;
	}
	sum = &x->sums[node];
	sum->count += (int64_t)small->count + 1;
	if (!pp_cell_add(PP_INT, &sum->time, small->time) ||
	    !pp_cell_add(PP_INT, &sum->time, lasts))
		pp_builder_overflow(builder_of(x), 0, x->time, builder_of(x)->place);
	*small = (struct v8_small_sum){ 0 };
}

/* The first of those that wait goes on; it lasts until `until`. */
static void
wait_take(struct v8_samples *x, int64_t until)
{
	struct v8_sample s = x->wait.at[x->first++];
	int64_t lasts = 0;

	if (x->time != PP_NO_METRIC && __builtin_sub_overflow(until, s.time, &lasts)) {
		lasts = 0;
		x->far = true;
	}
	x->last = s.time;
	x->any_last = true;
	if (!s.node)
		return;
	sum_add(x, s.node - 1, lasts);
	if (x->keeps)
		moment_keep(x, &s, lasts);
}

static void
sample_add(struct v8_samples *x, uint32_t node, const unsigned char *at)
{
	struct v8_sample s = { x->now, node };
	size_t i;

	if (!x->collect && x->wait.n - x->first > WAITING) {
		wait_take(x, x->wait.at[x->first + 1].time);
		if (x->first >= WAITING) {
			memmove(x->wait.at, x->wait.at + x->first,
			        (x->wait.n - x->first) * sizeof *x->wait.at);
			x->wait.n -= x->first;
			x->first = 0;
		}
	}
	/* Until it is its turn, what it adds to is here. */
	if (PP_LIKELY(node))
		__builtin_prefetch(&x->small[node - 1], 1);
	if (!pp_vec_push(&x->wait, s)) {
		no_memory(x);
		return;
	}
	if (PP_LIKELY(x->wait.n - x->first < 2 || x->wait.at[x->wait.n - 2].time <= s.time))
		return;
	x->back = x->back ? x->back : at;
	x->disorder = true;
	if (x->collect)
		return; /* they are sorted in the end */
	if (x->any_last && s.time < x->last) {
		*x->unsorted = true;
		return;
	}
	for (i = x->wait.n - 1; i > x->first && x->wait.at[i - 1].time > s.time; i--)
		x->wait.at[i] = x->wait.at[i - 1];
	x->wait.at[i] = s;
}

/* The numbers of a list that come next, as far as they are plain. */
struct ahead {
	uint64_t few[256];
	size_t n, at;
};

static inline bool
ahead_next(struct ahead *a, struct pp_scan *s, uint64_t *out)
{
	if (a->at == a->n) {
		a->n = pp_scan_plain_u64s(s, a->few, PP_COUNT_OF(a->few));
		a->at = 0;
	}
	if (a->at == a->n)
		return false;
	*out = a->few[a->at++];
	return true;
}

/* A list of times. */
struct deltas {
	struct pp_scan scan;
	struct ahead ahead;
	bool there, plain;
};

/* The next one, *fine unless it is not a number, which is told; false when there is none. */
static inline bool
delta_next(struct v8_samples *x, struct deltas *d, int64_t *delta, bool *fine)
{
	const unsigned char *at;
	struct pp_json_num num;
	uint64_t small;

	*fine = true;
	if (PP_LIKELY(d->plain && ahead_next(&d->ahead, &d->scan, &small))) {
		*delta = (int64_t)small;
		return true;
	}
	if (!d->there || !pp_scan_item(&d->scan)) {
		d->there = d->plain = false;
		return false;
	}
	at = d->scan.cur;
	*fine = pp_scan_if_number(&d->scan, &num) &&
	        (x->absolute ? pp_fixed_time(x->fixed, &num, V8_DECIMALS, delta)
	                     : pp_fixed_read(x->fixed, &num, V8_DECIMALS, delta));
	if (!*fine && d->scan.error == PP_SCAN_OK)
		pp_json_find(x->tree->doc, x->tree->rules->number, at, "a time is not a number");
	return d->scan.error == PP_SCAN_OK;
}

/* Whether the queue is kept short and in order: then plain numbers can be taken many at a time. */
static bool
is_simple(const struct v8_samples *x, const struct deltas *d)
{
	return d->plain && !x->collect && !x->keeps && !x->absolute && x->all_placed &&
	       x->time != PP_NO_METRIC && x->now < INT64_MAX / 2;
}

/* Those that waited long enough go on. */
static void
wait_drain(struct v8_samples *x)
{
	const struct v8_sample *s, *stop;
	int64_t lasts;

	if (x->wait.n - x->first <= WAITING)
		return;
	stop = x->wait.at + x->wait.n - WAITING;
	for (s = x->wait.at + x->first; s < stop; s++) {
		if (PP_UNLIKELY(!s->node))
			continue;
		if (PP_UNLIKELY(__builtin_sub_overflow(s[1].time, s->time, &lasts))) {
			lasts = 0;
			x->far = true;
		}
		sum_add(x, s->node - 1, lasts);
	}
	x->last = s[-1].time;
	x->any_last = true;
	memmove(x->wait.at, s, WAITING * sizeof *s);
	x->wait.n = WAITING;
	x->first = 0;
}

/*
 * Takes as many samples as there are plain numbers of both kinds at hand and as are in the order of time; what is left is for
 * the slow way.
 */
static void
block_take(struct v8_samples *x, struct ahead *ids, struct ahead *times)
{
	size_t n = ids->n - ids->at, more = times->n - times->at, i;
	int64_t now = x->now, before = INT64_MIN;
	struct v8_sample *to;

	n = n < more ? n : more;
	if (!n || !pp_vec_reserve(&x->wait, x->wait.n + n))
		return;
	to = x->wait.at + x->wait.n;
	if (x->wait.n > x->first)
		before = to[-1].time;
	for (i = 0; i < n; i++) {
		uint32_t node = pp_v8_find(x->tree, ids->few[ids->at + i]);
		int64_t time = now + (int64_t)times->few[times->at + i];

		if (PP_UNLIKELY(!node || time < before))
			break;
		__builtin_prefetch(&x->small[node - 1], 1);
		to[i] = (struct v8_sample){ time, node };
		now = time;
	}
	ids->at += i;
	times->at += i;
	x->now = now;
	x->n += i;
	x->wait.n += i;
	wait_drain(x);
}

static int64_t
time_after(struct v8_samples *x, int64_t delta)
{
	int64_t time;

	if (x->absolute)
		return delta;
	if (!__builtin_add_overflow(x->now, delta, &time))
		return time;
	x->far = true;
	return delta < 0 ? INT64_MIN : INT64_MAX;
}

/* The node of a sample, + 1; 0 and a finding when there is none. */
static inline uint32_t
node_of(struct v8_samples *x, bool known, uint64_t id, const unsigned char *at)
{
	uint32_t node = known ? pp_v8_find(x->tree, id) : 0;

	if (PP_LIKELY(node && (x->all_placed || pp_v8_is_placed(x->tree, node - 1))))
		return node;
	pp_json_find(x->tree->doc, x->tree->rules->sample, at, "a sample belongs to no node");
	return 0;
}

void
pp_v8_samples_read(struct v8_samples *x, const unsigned char *ids, const unsigned char *deltas)
{
	struct pp_json_doc *doc = x->tree->doc;
	struct ahead ahead = { .n = 0 };
	struct deltas d = { .there = deltas != NULL };
	struct pp_scan s = pp_json_doc_scan(doc, ids);
	bool fine = true;
	int64_t delta;
	uint64_t id;

	(void)pp_scan_array(&s);
	if (deltas) {
		d.scan = pp_json_doc_scan(doc, deltas);
		(void)pp_scan_array(&d.scan);
		d.plain = x->fixed->decimals == V8_DECIMALS && !(x->absolute && x->fixed->shifted);
	}
	while (pp_builder_goes_on(doc->b) && !x->fixed->again && !*x->unsorted) {
		const unsigned char *at = s.cur;
		bool known;

		if (PP_LIKELY(is_simple(x, &d)))
			block_take(x, &ahead, &d.ahead);
		known = ahead_next(&ahead, &s, &id);

		if (!known && !pp_scan_item(&s))
			break;
		known = known || pp_scan_if_count(&s, UINT64_MAX, &id);
		if (s.error != PP_SCAN_OK)
			break;
		if (deltas && !delta_next(x, &d, &delta, &fine))
			x->fewer++;
		else if (deltas && fine)
			x->now = time_after(x, delta);
		x->n++;
		sample_add(x, node_of(x, known, id, at), deltas && d.there ? d.scan.cur : at);
	}
	x->ends = x->now;
	while (s.error == PP_SCAN_OK && pp_builder_ok(doc->b) && d.there &&
	       delta_next(x, &d, &delta, &fine))
		if (++x->more == 1 && fine)
			x->ends = time_after(x, delta);
	pp_json_doc_scanned(doc, &s);
	if (deltas)
		pp_json_doc_scanned(doc, &d.scan);
}

static int
compare_times(const void *left, const void *right)
{
	const struct v8_sample *a = left, *b = right;

	return (a->time > b->time) - (a->time < b->time);
}

/* Stable, as samples of one time stay in their order. */
static void
wait_sort(struct v8_samples *x)
{
	struct v8_sample *at = x->wait.at, *other, *swap;
	size_t n = x->wait.n, width, i;

	other = malloc((n + 1) * sizeof *other);
	if (!other) {
		no_memory(x);
		return;
	}
	for (width = 1; width < n; width *= 2) {
		for (i = 0; i < n; i += 2 * width) {
			size_t a = i, mid = i + width < n ? i + width : n, b = mid, k = i;
			size_t end = i + 2 * width < n ? i + 2 * width : n;

			while (a < mid || b < end)
				other[k++] = b == end ||
				                     (a < mid && compare_times(&at[a], &at[b]) <= 0)
				                 ? at[a++]
				                 : at[b++];
		}
		swap = at;
		at = other;
		other = swap;
	}
	x->wait.at = at;
	x->wait.cap = n;
	free(other);
}

/* What the samples of each node come to goes into the series. */
static void
sums_build(struct v8_samples *x)
{
	struct pp_builder *b = builder_of(x);
	size_t i;

	for (i = 0; i < x->tree->nodes.n && pp_builder_ok(b); i++) {
		const struct v8_small_sum *small = &x->small[i];
		const struct v8_sum *sum = &x->sums[i];
		int64_t *cells;
		pp_node node;

		if (!(small->count || sum->count) || !pp_v8_place(x->tree, (uint32_t)i, &node))
			continue;
		cells = pp_build_cells(b, x->series, node);
		if (!cells)
			break;
		cells[x->samples] += sum->count + small->count;
		if (x->time != PP_NO_METRIC && (!pp_cell_add(PP_INT, &cells[x->time], sum->time) ||
		                                !pp_cell_add(PP_INT, &cells[x->time], small->time)))
			pp_builder_overflow(b, pp_node_func(b->profile, node), x->time, b->place);
	}
}

void
pp_v8_samples_end(struct v8_samples *x, bool has_end, int64_t end, const unsigned char *at)
{
	struct pp_builder *b = builder_of(x);
	struct pp_json_doc *doc = x->tree->doc;

	if (x->time != PP_NO_METRIC && x->disorder) {
		pp_json_find(doc, x->tree->rules->delta_negative, x->back,
		             "samples are not in chronological order");
		if (x->collect)
			wait_sort(x);
	}
	while (x->first < x->wait.n && pp_builder_ok(b)) {
		const struct v8_sample *s = &x->wait.at[x->first];
		bool last = x->first + 1 == x->wait.n;

		if (last && has_end && end < s->time && x->time != PP_NO_METRIC)
			pp_json_find(doc, x->tree->rules->end, at,
			             "the end is before the last sample");
		wait_take(x, !last ? s[1].time : has_end && end > s->time ? end : s->time);
	}
	if (x->far)
		pp_json_find(doc, x->tree->rules->far, at,
		             "samples are further apart than 64 bits can tell");
	sums_build(x);
	pp_vec_release(&x->wait);
	b->pages->put(x->sums, x->room * sizeof *x->sums);
	b->pages->put(x->small, x->room * sizeof *x->small);
	x->sums = NULL;
	x->small = NULL;
}
