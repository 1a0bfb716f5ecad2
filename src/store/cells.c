/*
 * What stacks cost, as bytes.
 */
#include "store/cells.h"

#include <stdlib.h>

#include "base/pages.h"
#include "base/slice.h"
#include "base/varint.h"

/* What a cell adds to the total that guards a blob. */
static inline pp_i128
cell_weight(enum pp_cell_type type, int64_t cell)
{
	return type == PP_INT ? (pp_i128)cell : (pp_i128)(uint64_t)cell;
}

void
pp_cells_put(struct pp_buf *out, enum pp_cell_type type, uint32_t *last, uint32_t id, int64_t cell,
             struct pp_cell_sum *sum)
{
	unsigned char *room = (unsigned char *)pp_buf_room(out, 2 * PP_VARINT_MAX), *p = room;

	if (!room)
		return;
	p = pp_varint_put(p, id - *last);
	if (type == PP_REAL) {
		memcpy(p, &cell, sizeof cell);
		p += sizeof cell;
	} else {
		p = pp_varint_put(p, pp_zigzag(cell));
	}
	out->n += (size_t)(p - room);
	*last = id;
	sum->n++;
	sum->total += cell_weight(type, cell);
}

/* A number of which the first byte alone was too short; NULL when it is not whole. */
static PP_NOINLINE const unsigned char *
number_long(const unsigned char *p, const unsigned char *end, uint64_t *value)
{
	unsigned shift;

	*value = 0;
	for (shift = 0; p < end && shift < 64; shift += 7) {
		unsigned char byte = *p++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return p;
	}
	return NULL;
}

/* Most numbers have one or two bytes. */
static inline const unsigned char *
number_get(const unsigned char *p, const unsigned char *end, uint64_t *value)
{
	if (PP_UNLIKELY(end - p < 2))
		return number_long(p, end, value);
	if (!(p[0] & 0x80)) {
		*value = p[0];
		return p + 1;
	}
	if (!(p[1] & 0x80)) {
		*value = (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	return number_long(p, end, value);
}

bool
pp_cells_next(struct pp_cell_reader *r)
{
	const unsigned char *p = r->rest.p, *end = p + r->rest.n;
	uint64_t step, bits;

	if (r->rest.n == 0 || r->damaged)
		return false;
	r->damaged = true;
	p = number_get(p, end, &step);
	if (!p || step == 0 || step > UINT32_MAX - (uint64_t)r->id)
		return false;
	if (r->type == PP_REAL) {
		if (end - p < (ptrdiff_t)sizeof r->cell)
			return false;
		memcpy(&r->cell, p, sizeof r->cell);
		p += sizeof r->cell;
	} else {
		p = number_get(p, end, &bits);
		if (!p)
			return false;
		r->cell = pp_unzigzag(bits);
	}
	r->damaged = false;
	r->id += (uint32_t)step;
	r->rest = pp_slice_between(p, end);
	r->sum.n++;
	r->sum.total += cell_weight(r->type, r->cell);
	return true;
}

static void
met_zero(struct pp_cell_sums *s, uint64_t id)
{
	s->zero[id >> 6] |= (uint64_t)1 << (id & 63);
	s->negative = true;
}

static bool
sum_reals(struct pp_cell_sums *s, struct pp_slice data, const struct pp_cell_sum *expected)
{
	const unsigned char *p = data.p, *end = data.p + data.n;
	uint64_t id = 0, step, n = 0;
	pp_i128 total = 0;

	for (; p < end; n++) {
		int64_t cell;

		p = number_get(p, end, &step);
		if (!p || step == 0 || step >= s->ids - id || end - p < (ptrdiff_t)sizeof cell)
			return false;
		id += step;
		memcpy(&cell, p, sizeof cell);
		p += sizeof cell;
		total += (pp_i128)(uint64_t)cell;
		(void)pp_cell_add(PP_REAL, &s->sum[id], cell);
		met_zero(s, id);
	}
	return n == expected->n && total == expected->total;
}

/* Bytes that two numbers take at most: as long as there are more, their end need not be looked for. */
#define PAIR_MAX (2 * PP_VARINT_MAX)

/* The same where there are enough bytes. */
static inline const unsigned char *
number_get_here(const unsigned char *p, const unsigned char *end, uint64_t *value)
{
	uint64_t v = p[0];

	if (v < 0x80) {
		*value = v;
		return p + 1;
	}
	v = (v & 0x7f) | (uint64_t)p[1] << 7;
	if (PP_LIKELY(p[1] < 0x80)) {
		*value = v;
		return p + 2;
	}
	v = (v & 0x3fff) | (uint64_t)p[2] << 14;
	if (PP_LIKELY(p[2] < 0x80)) {
		*value = v;
		return p + 3;
	}
	return number_long(p, end, value);
}

/* A step and its cell, where there are enough bytes for any: most have two bytes and one, or one and one. */
static inline const unsigned char *
pair_get_here(const unsigned char *p, const unsigned char *end, uint64_t *step, uint64_t *bits)
{
	const uint32_t w = pp_load32(p);

	if (PP_LIKELY((w & 0x808080) == 0x80)) {
		*step = (w & 0x7f) | (w >> 1 & 0x3f80);
		*bits = w >> 16 & 0x7f;
		return p + 3;
	}
	if ((w & 0x8080) == 0) {
		*step = w & 0x7f;
		*bits = w >> 8 & 0x7f;
		return p + 2;
	}
	p = number_get_here(p, end, step);
	return p ? number_get(p, end, bits) : NULL;
}

/* A blob on its way. */
struct cells {
	const unsigned char *p, *near, *end;
	uint64_t id, ids; /* of the last cell; and the largest that there may be */
};

static struct cells
cells_of(const struct pp_cell_sums *s, struct pp_slice data)
{
	const unsigned char *p = data.p, *end = p + data.n;

	return (struct cells){ p, data.n > PAIR_MAX ? end - PAIR_MAX : p, end, 0, s->ids - 1 };
}

/* The next cell; false where it is damaged. There is so little to do for each that the processor fetches the sums of many at once. */
static inline bool
cells_take(struct cells *c, bool room, int64_t *cell)
{
	uint64_t step = 0, bits = 0;

	if (room) {
		c->p = pair_get_here(c->p, c->end, &step, &bits);
	} else {
		c->p = number_get(c->p, c->end, &step);
		c->p = c->p ? number_get(c->p, c->end, &bits) : NULL;
	}
	/* No step is too small as well as too large. */
	if (PP_UNLIKELY(!c->p || step - 1 >= c->ids - c->id))
		return false;
	c->id += step;
	*cell = pp_unzigzag(bits);
	return true;
}

/*
 * Signed or not is one loop each, as it is the one that everything waits for. What it notes is kept at hand until the
 * end: the sums could be anywhere, also where that is kept.
 */

/* A blob on its way where all that is added comes to less than 64 bits hold, and nothing is below 0: no sum can be too large. */
struct small {
	struct cells c;
	uint64_t n;
	pp_u128 total;
	bool zero;
};

/* Adds cells up to a place; whether there is room to look beyond each is known when this is compiled. */
static inline bool
small_run(struct pp_cell_sums *s, struct small *to, const unsigned char *until, bool room)
{
	int64_t *const sums = s->sum, cell;
	struct small x = *to;

	for (; x.c.p < until; x.n++) {
		if (!cells_take(&x.c, room, &cell))
			return false;
		x.total += (uint64_t)cell;
		sums[x.c.id] = (int64_t)((uint64_t)sums[x.c.id] + (uint64_t)cell);
		if (PP_UNLIKELY(cell == 0)) {
			x.zero = true;
			if (sums[x.c.id] == 0)
				met_zero(s, x.c.id);
		}
	}
	*to = x;
	return true;
}

static bool
sum_small(struct pp_cell_sums *s, struct pp_slice data, const struct pp_cell_sum *expected)
{
	struct small x = { .c = cells_of(s, data) };

	if (!small_run(s, &x, x.c.near, true) || !small_run(s, &x, x.c.end, false))
		return false;
	s->negative |= x.zero;
	s->absolute += x.total;
	return x.n == expected->n && (pp_i128)x.total == expected->total;
}

#define SUM_INTEGERS(name, type)                                                                   \
	static bool name(struct pp_cell_sums *s, struct pp_slice data,                             \
	                 const struct pp_cell_sum *expected)                                       \
	{                                                                                          \
		struct cells c = cells_of(s, data);                                                \
		bool overflowed = false, negative = false;                                         \
		int64_t *const sums = s->sum, bits;                                                \
		pp_i128 total = 0;                                                                 \
		uint64_t n = 0;                                                                    \
                                                                                                   \
		for (; c.p < c.end; n++) {                                                         \
			type cell, sum;                                                            \
                                                                                                   \
			if (!cells_take(&c, c.p < c.near, &bits))                                  \
				return false;                                                      \
			cell = (type)bits;                                                         \
			total += cell;                                                             \
			overflowed |= __builtin_add_overflow((type)sums[c.id], cell, &sum);        \
			sums[c.id] = (int64_t)sum;                                                 \
			negative |= cell < (type)1;                                                \
			if (PP_UNLIKELY(sum == 0))                                                 \
				met_zero(s, c.id);                                                 \
		}                                                                                  \
		s->overflowed |= overflowed;                                                       \
		s->negative |= negative;                                                           \
		s->absolute += (pp_u128)total;                                                     \
		return n == expected->n && total == expected->total;                               \
	}

SUM_INTEGERS(sum_signed, int64_t)
SUM_INTEGERS(sum_unsigned, uint64_t)

void
pp_cell_sums_free(struct pp_cell_sums *sums, size_t columns)
{
	size_t i;

	for (i = 0; sums && i < columns; i++) {
		pp_pages_huge.put(sums[i].sum, sums[i].ids * sizeof *sums[i].sum);
		free(sums[i].zero);
	}
	free(sums);
}

struct pp_cell_sums *
pp_cell_sums_new(size_t columns, uint32_t ids)
{
	struct pp_cell_sums *sums = calloc(columns, sizeof *sums);
	size_t i;

	for (i = 0; sums && i < columns; i++) {
		sums[i].ids = ids;
		sums[i].sum = pp_pages_huge.get(ids * sizeof *sums[i].sum);
		sums[i].zero = calloc(ids / 64 + 1, sizeof *sums[i].zero);
		if (!sums[i].sum || !sums[i].zero) {
			pp_cell_sums_free(sums, columns);
			return NULL;
		}
	}
	return sums;
}

bool
pp_cells_sum(struct pp_cell_sums *s, enum pp_cell_type type, struct pp_slice data,
             const struct pp_cell_sum *expected)
{
	bool small = type == PP_UINT && expected->total >= 0 &&
	             s->absolute + (pp_u128)expected->total <= UINT64_MAX;

	return small             ? sum_small(s, data, expected)
	       : type == PP_INT  ? sum_signed(s, data, expected)
	       : type == PP_UINT ? sum_unsigned(s, data, expected)
	                         : sum_reals(s, data, expected);
}

void
pp_cell_total_print(struct pp_buf *out, pp_i128 total)
{
	char text[PP_NUM_MAX];

	pp_buf_add(out, text, pp_num_print(text, total, 0));
}

bool
pp_cell_total_parse(struct pp_slice text, pp_i128 *total)
{
	bool negative = text.n && text.p[0] == '-';
	pp_i128 value = 0;
	size_t i;

	if (text.n == negative || text.n > 38)
		return false;
	for (i = negative; i < text.n; i++) {
		if (!pp_is_digit(text.p[i]))
			return false;
		value = value * 10 + (text.p[i] - '0');
	}
	*total = negative ? -value : value;
	return true;
}
