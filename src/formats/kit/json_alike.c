/*
 * Records of JSON that are written alike.
 */
#include "formats/kit/json_alike.h"

#include <string.h>

#include "base/slice.h"

#define STRETCH 4096

/* A number of more digits may exceed 64 bits. */
#define PLAIN_DIGITS 18

/* ---- learning --------------------------------------------------------------------------- */

/* What stands before a value, or before the end. */
static void
value_add(struct pp_json_alike *a, const unsigned char *begin, const unsigned char *end,
          unsigned to, bool text)
{
	size_t bytes = (size_t)(begin - a->at);

	a->learning = a->learning && a->n <= PP_ALIKE_VALUES && to <= UINT8_MAX &&
	              bytes <= (size_t)PP_ALIKE_BYTES - a->used;
	if (!a->learning)
		return;
	a->values[a->n++] = (struct pp_alike_value){ a->used, (uint16_t)bytes, (uint8_t)to, text };
	memcpy(a->bytes + a->used, a->at, bytes);
	a->used = (uint16_t)(a->used + bytes);
	a->at = end;
}

void
pp_json_alike_number(struct pp_json_alike *a, const struct pp_json_num *num, unsigned to)
{
	value_add(a, num->text.p, num->text.p + num->text.n, to, false);
}

void
pp_json_alike_text(struct pp_json_alike *a, const struct pp_json_str *str, unsigned to)
{
	value_add(a, str->raw.p, str->raw.p + str->raw.n, to, true);
}

void
pp_json_alike_end(struct pp_json_alike *a, const struct pp_scan *s, bool fine)
{
	value_add(a, s->cur, s->cur, 0, false);
	/* Something must follow each value: that is what tells where it ends. */
	a->known = fine && a->learning && s->error == PP_SCAN_OK && a->values[a->n - 1].bytes > 0;
	a->learning = false;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Whether two texts begin with the same bytes; eight of each can be read, as the input is followed by some. */
static inline bool
bytes_same(const unsigned char *p, const unsigned char *q, size_t n)
{
	uint64_t a, b;

	if (n > sizeof a)
		return memcmp(p, q, n) == 0;
	memcpy(&a, p, sizeof a);
	memcpy(&b, q, sizeof b);
	return n == 0 || ((a ^ b) << 8 * (sizeof a - n)) == 0;
}

/* A whole number that surely fits; NULL when it is something else. */
static inline const unsigned char *
number_take(const unsigned char *p, const unsigned char *end, int64_t *out)
{
	bool negative = *p == '-';
	const unsigned char *first = p += negative;
	uint64_t n = 0;

	end = end - p > PLAIN_DIGITS ? p + PLAIN_DIGITS : end;
	while (p < end && pp_is_digit(*p))
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (PP_UNLIKELY(p == first || (*first == '0' && p - first > 1)))
		return NULL;
	*out = negative ? -(int64_t)n : (int64_t)n;
	return p;
}

/* Plain characters up to a quote; NULL when there are others. */
static inline const unsigned char *
text_take(const unsigned char *p, const unsigned char *end, struct pp_slice *out)
{
	const unsigned char *first = p;

	while (p < end && *p != '"') {
		if (*p < ' ' || *p == '\\' || *p >= 0x7f)
			return NULL;
		p++;
	}
	*out = pp_slice_between(first, p);
	return p;
}

/* Where a value ends that is like the one known; NULL when it is not. */
static const unsigned char *
alike_take(const struct pp_json_alike *a, const unsigned char *p, const unsigned char *end,
           int64_t *numbers, struct pp_slice *texts)
{
	unsigned i;

	for (i = 0; p && i < a->n; i++) {
		const struct pp_alike_value *v = &a->values[i];

		if (PP_UNLIKELY(end - p < v->bytes) || !bytes_same(p, a->bytes + v->from, v->bytes))
			return NULL;
		p += v->bytes;
		if (i + 1 < a->n)
			p = v->text ? text_take(p, end, &texts[v->to])
			            : number_take(p, end, &numbers[v->to]);
	}
	return p;
}

bool
pp_json_alike_read(struct pp_json_alike *a, struct pp_scan *s, int64_t *numbers,
                   struct pp_slice *texts)
{
	const unsigned char *p = pp_scan_space(s->cur, s->end);
	const unsigned char *stop;

	if (PP_UNLIKELY(++a->read % STRETCH == 0) && pp_account_stops())
		return pp_scan_fail(s, PP_SCAN_E_END, p);
	stop = a->known ? alike_take(a, p, s->end, numbers, texts) : NULL;
	if (PP_LIKELY(stop != NULL)) {
		s->cur = stop;
		s->after_value = true;
		return true;
	}
	a->n = 0;
	a->used = 0;
	a->known = false;
	a->learning = true;
	a->at = p;
	return false;
}
