/*
 * Timelines, packed as zig-zag varints of differences in blocks that stand alone.
 *
 * One event: varint(pp_zigzag(node - last node) << 2 | kind), varint(pp_zigzag(time - last time)),
 * varint(extra), then per column varint(pp_zigzag(value - last value)) for counter states or
 * varint(pp_zigzag(value)) for weights. At a block's start everything "last" is zero.
 */
#include "model/timeline.h"

#include "base/varint.h"

bool
pp_timeline_init(struct pp_timeline *t, uint32_t columns, bool cumulative)
{
	*t = (struct pp_timeline){ .columns = columns, .cumulative = cumulative };
	t->last_values = calloc(columns ? columns : 1, sizeof *t->last_values);
	return t->last_values != NULL;
}

void
pp_timeline_release(struct pp_timeline *t)
{
	pp_buf_release(&t->bytes);
	pp_vec_release(&t->blocks);
	free(t->last_values);
	*t = (struct pp_timeline){ 0 };
}

void
pp_timeline_seal(struct pp_timeline *t)
{
	free(t->last_values);
	t->last_values = NULL;
}

/* Differences may wrap: they are undone by the same wrapping addition. */
static inline int64_t
wrap_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t
wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

bool
pp_timeline_add(struct pp_timeline *t, const struct pp_event *event, const int64_t *values)
{
	unsigned char *begin, *p;
	uint32_t i;

	begin = (unsigned char *)pp_buf_room(&t->bytes, ((size_t)t->columns + 3) * PP_VARINT_MAX);
	if (!begin)
		return false;
	if (t->n % PP_TIMELINE_BLOCK == 0) {
		struct pp_timeline_block block = { t->bytes.n, t->n, event->time };

		if (!pp_vec_push(&t->blocks, block))
			return false;
		t->last = (struct pp_event){ 0 };
		memset(t->last_values, 0, t->columns * sizeof *t->last_values);
	}
	p = pp_varint_put(begin, pp_zigzag((int64_t)event->node - (int64_t)t->last.node) << 2 |
	                             (uint64_t)event->kind);
	p = pp_varint_put(p, pp_zigzag(wrap_sub(event->time, t->last.time)));
	p = pp_varint_put(p, event->extra);
	for (i = 0; i < t->columns; i++) {
		p = pp_varint_put(p, pp_zigzag(wrap_sub(values[i], t->last_values[i])));
		if (t->cumulative)
			t->last_values[i] = values[i];
	}
	t->last = *event;
	t->bytes.n += (size_t)(p - begin);
	t->n++;
	return true;
}

bool
pp_timeline_begin(const struct pp_timeline *t, struct pp_timeline_iter *it, size_t block)
{
	*it = (struct pp_timeline_iter){ .timeline = t };
	it->values = calloc(t->columns ? t->columns : 1, sizeof *it->values);
	if (!it->values)
		return false;
	if (block < t->blocks.n) {
		it->p = (const unsigned char *)t->bytes.p + t->blocks.at[block].at;
		it->next = t->blocks.at[block].first;
	} else {
		it->next = t->n;
	}
	return true;
}

bool
pp_timeline_next(struct pp_timeline_iter *it)
{
	const struct pp_timeline *t = it->timeline;
	uint64_t v;
	uint32_t i;

	if (it->next >= t->n)
		return false;
	if (it->next % PP_TIMELINE_BLOCK == 0) {
		it->event = (struct pp_event){ 0 };
		memset(it->values, 0, t->columns * sizeof *it->values);
	}
	it->p = pp_varint_get(it->p, &v);
	it->event.kind = (enum pp_event_kind)(v & 3);
	it->event.node = (pp_node)((int64_t)it->event.node + pp_unzigzag(v >> 2));
	it->p = pp_varint_get(it->p, &v);
	it->event.time = wrap_add(it->event.time, pp_unzigzag(v));
	it->p = pp_varint_get(it->p, &v);
	it->event.extra = (uint32_t)v;
	for (i = 0; i < t->columns; i++) {
		it->p = pp_varint_get(it->p, &v);
		it->values[i] = wrap_add(t->cumulative ? it->values[i] : 0, pp_unzigzag(v));
	}
	it->next++;
	return true;
}

/* Where an event ends; NULL when it is not whole. */
static const unsigned char *
event_end(const unsigned char *p, const unsigned char *end, uint32_t columns)
{
	uint32_t i;

	for (i = 0; p && i < columns + 3; i++)
		p = pp_varint_skip(p, end);
	return p;
}

bool
pp_timeline_load(struct pp_timeline *t, struct pp_buf *bytes, uint64_t n, uint32_t nodes,
                 bool *no_memory)
{
	struct pp_timeline_iter it;
	const unsigned char *end;
	bool fine = true;

	t->bytes = *bytes;
	*bytes = (struct pp_buf){ 0 };
	t->n = n;
	*no_memory = !pp_timeline_begin(t, &it, 0);
	it.p = (const unsigned char *)(t->bytes.p ? t->bytes.p : "");
	it.next = 0;
	end = it.p + t->bytes.n;
	while (fine && !*no_memory && it.next < n) {
		struct pp_timeline_block block = {
			(size_t)(it.p - (const unsigned char *)t->bytes.p), it.next, 0
		};

		fine = event_end(it.p, end, t->columns) && pp_timeline_next(&it) &&
		       it.event.kind <= PP_EVENT_SAMPLE && it.event.node < nodes;
		block.time = it.event.time;
		if (fine && block.first % PP_TIMELINE_BLOCK == 0)
			*no_memory = !pp_vec_push(&t->blocks, block);
	}
	fine = fine && !*no_memory && it.p == end;
	pp_timeline_end(&it);
	return fine;
}

void
pp_timeline_end(struct pp_timeline_iter *it)
{
	free(it->values);
	it->values = NULL;
}

size_t
pp_timeline_seek(const struct pp_timeline *t, int64_t time)
{
	size_t low = 0, high = t->blocks.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->blocks.at[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

/* ---- columns and order ------------------------------------------------------------------ */

struct moment {
	struct pp_event event;
	size_t number;
};

static int
moment_compare(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	if (a->event.time != b->event.time)
		return a->event.time < b->event.time ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* All events, and behind them their values. */
static bool
moments_read(const struct pp_timeline *t, struct moment *events, int64_t *values)
{
	struct pp_timeline_iter it;
	size_t n;

	if (!events || !values || !pp_timeline_begin(t, &it, 0))
		return false;
	for (n = 0; pp_timeline_next(&it); n++) {
		events[n] = (struct moment){ it.event, n };
		memcpy(values + n * t->columns, it.values, t->columns * sizeof *values);
	}
	pp_timeline_end(&it);
	return true;
}

bool
pp_timeline_settle(struct pp_timeline *t, const uint32_t *to, uint32_t wide, bool unordered)
{
	bool fine = !unordered && wide == t->columns;
	struct pp_timeline settled = { 0 };
	struct moment *events;
	int64_t *values, *row;
	size_t i, k;

	for (k = 0; fine && k < wide; k++)
		fine = to[k] == k;
	if (!t->n || fine)
		return true;
	events = calloc(t->n, sizeof *events);
	values = calloc(t->n * t->columns + 1, sizeof *values);
	row = calloc((size_t)wide + 1, sizeof *row);
	fine = moments_read(t, events, values) && row &&
	       pp_timeline_init(&settled, wide, t->cumulative);
	if (fine && unordered)
		qsort(events, t->n, sizeof *events, moment_compare);
	for (i = 0; fine && i < t->n; i++) {
		for (k = 0; k < t->columns; k++)
			if (to[k] != UINT32_MAX)
				row[to[k]] = values[events[i].number * t->columns + k];
		fine = pp_timeline_add(&settled, &events[i].event, row);
	}
	free(events);
	free(values);
	free(row);
	pp_timeline_release(fine ? t : &settled);
	if (fine)
		*t = settled;
	return fine;
}

bool
pp_timeline_span(const struct pp_timeline *t, int64_t *first, int64_t *last)
{
	struct pp_timeline_iter it;

	if (!t->n || !pp_timeline_begin(t, &it, t->blocks.n - 1))
		return false;
	*first = *last = t->blocks.at[0].time;
	while (pp_timeline_next(&it))
		*last = it.event.time > *last ? it.event.time : *last;
	pp_timeline_end(&it);
	return true;
}
