/*
 * Timelines, packed as zig-zag varints of differences in blocks that stand alone.
 *
 * One event: varint(zigzag(node - last node) << 2 | kind), varint(zigzag(time - last time)),
 * varint(extra), then per column varint(zigzag(value - last value)) for counter states or
 * varint(zigzag(value)) for weights. At a block's start everything "last" is zero.
 */
#include "model/timeline.h"

/* Longest varint of 64 bits. */
#define VARINT_MAX 10

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

static inline uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t
unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static inline unsigned char *
put_varint(unsigned char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (unsigned char)v;
	return p;
}

static inline const unsigned char *
get_varint(const unsigned char *p, uint64_t *v)
{
	unsigned shift = 0;
	uint64_t value = 0;

	do {
		value |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
	} while (*p++ & 0x80);
	*v = value;
	return p;
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

	begin = (unsigned char *)pp_buf_room(&t->bytes, ((size_t)t->columns + 3) * VARINT_MAX);
	if (!begin)
		return false;
	if (t->n % PP_TIMELINE_BLOCK == 0) {
		struct pp_timeline_block block = { t->bytes.n, t->n, event->time };

		if (!pp_vec_push(&t->blocks, block))
			return false;
		t->last = (struct pp_event){ 0 };
		memset(t->last_values, 0, t->columns * sizeof *t->last_values);
	}
	p = put_varint(begin, zigzag((int64_t)event->node - (int64_t)t->last.node) << 2 |
	                          (uint64_t)event->kind);
	p = put_varint(p, zigzag(wrap_sub(event->time, t->last.time)));
	p = put_varint(p, event->extra);
	for (i = 0; i < t->columns; i++) {
		p = put_varint(p, zigzag(wrap_sub(values[i], t->last_values[i])));
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
	it->p = get_varint(it->p, &v);
	it->event.kind = (enum pp_event_kind)(v & 3);
	it->event.node = (pp_node)((int64_t)it->event.node + unzigzag(v >> 2));
	it->p = get_varint(it->p, &v);
	it->event.time = wrap_add(it->event.time, unzigzag(v));
	it->p = get_varint(it->p, &v);
	it->event.extra = (uint32_t)v;
	for (i = 0; i < t->columns; i++) {
		it->p = get_varint(it->p, &v);
		it->values[i] = wrap_add(t->cumulative ? it->values[i] : 0, unzigzag(v));
	}
	it->next++;
	return true;
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
