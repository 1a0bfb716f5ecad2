/*
 * Records of JSON that are written alike.
 */
#include "formats/kit/json_alike.h"

#include <string.h>

#include "base/slice.h"
#include "text/swar.h"

#define STRETCH 4096

/* A number of more digits may exceed 64 bits. */
#define PLAIN_DIGITS 18

/* ---- learning --------------------------------------------------------------------------- */

/* What stands before a value, or before the end. */
static void
value_add(struct pp_json_alike *a, const unsigned char *begin, const unsigned char *end,
          unsigned to, unsigned kind)
{
	size_t bytes = (size_t)(begin - a->at);

	a->learning = a->learning && a->n <= PP_ALIKE_VALUES && to <= UINT8_MAX &&
	              bytes <= (size_t)PP_ALIKE_BYTES - a->used;
	if (!a->learning)
		return;
	a->values[a->n++] = (struct pp_alike_value){ a->used, (uint16_t)bytes, (uint8_t)to,
		                                     (uint8_t)kind };
	memcpy(a->bytes + a->used, a->at, bytes);
	a->used = (uint16_t)(a->used + bytes);
	a->at = end;
}

void
pp_json_alike_number(struct pp_json_alike *a, const struct pp_json_num *num, unsigned to)
{
	value_add(a, num->text.p, num->text.p + num->text.n, to, PP_ALIKE_NUMBER);
}

void
pp_json_alike_text(struct pp_json_alike *a, const struct pp_json_str *str, unsigned to)
{
	value_add(a, str->raw.p, str->raw.p + str->raw.n, to, PP_ALIKE_TEXT);
}

void
pp_json_alike_digits(struct pp_json_alike *a, struct pp_slice digits, unsigned to)
{
	value_add(a, digits.p, digits.p + digits.n, to, PP_ALIKE_DIGITS);
}

void
pp_json_alike_any(struct pp_json_alike *a, struct pp_slice value, unsigned to)
{
	value_add(a, value.p, value.p + value.n, to, PP_ALIKE_ANY);
}

void
pp_json_alike_end(struct pp_json_alike *a, const struct pp_scan *s, bool fine)
{
	value_add(a, s->cur, s->cur, 0, PP_ALIKE_NUMBER);
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
	uint64_t word, above, n = 0;
	size_t digits;

	if (PP_LIKELY(end - p > (ptrdiff_t)sizeof word)) {
		memcpy(&word, p, sizeof word);
		word = pp_swar_digits(word);
		above = pp_swar_above9(word);
		digits = above ? pp_swar_first(above) : sizeof word;
		if (digits)
			n = pp_swar_number(word, digits);
		p += digits;
	}
	end = end - first > PLAIN_DIGITS ? first + PLAIN_DIGITS : end;
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
	uint64_t word, stop = 0;

	for (; p < end; p += sizeof word) {
		memcpy(&word, p, sizeof word);
		stop = pp_swar_equal(word, '"') | pp_swar_equal(word, '\\') |
		       pp_swar_below(word, ' ') | pp_swar_high(word);
		if (stop)
			break;
	}
	if (stop)
		p += pp_swar_first(stop);
	if (p >= end || *p != '"')
		return NULL;
	*out = pp_slice_between(first, p);
	return p;
}

/* Any value, passed over; NULL when it is none. */
static const unsigned char *
any_take(const struct pp_scan *s, const unsigned char *p, struct pp_slice *out)
{
	struct pp_scan t = *s;

	t.cur = p;
	t.after_value = false;
	return pp_scan_skip(&t, out) ? t.cur : NULL;
}

/* Where a value ends that is like the one known; NULL when it is not. */
static const unsigned char *
alike_take(const struct pp_json_alike *a, const struct pp_scan *s, const unsigned char *p,
           int64_t *numbers, struct pp_slice *texts)
{
	const unsigned char *end = s->end, *begin;
	int64_t number;
	unsigned i;

	for (i = 0; p && i < a->n; i++) {
		const struct pp_alike_value *v = &a->values[i];

		if (PP_UNLIKELY(end - p < v->bytes) || !bytes_same(p, a->bytes + v->from, v->bytes))
			return NULL;
		p += v->bytes;
		if (i + 1 == a->n)
			break;
		begin = p;
		if (v->kind == PP_ALIKE_NUMBER) {
			p = number_take(p, end, &numbers[v->to]);
		} else if (v->kind == PP_ALIKE_TEXT) {
			p = text_take(p, end, &texts[v->to]);
		} else if (v->kind == PP_ALIKE_ANY) {
			p = any_take(s, p, &texts[v->to]);
		} else {
			p = number_take(p, end, &number);
			texts[v->to] = pp_slice_between(begin, p ? p : begin);
		}
	}
	return p;
}

bool
pp_json_alike_try(const struct pp_json_alike *a, struct pp_scan *s, int64_t *numbers,
                  struct pp_slice *texts)
{
	const unsigned char *stop;

	if (!a->known)
		return false;
	stop = alike_take(a, s, pp_scan_space(s->cur, s->end), numbers, texts);
	if (PP_UNLIKELY(!stop))
		return false;
	s->cur = stop;
	s->after_value = true;
	return true;
}

void
pp_json_alike_learn(struct pp_json_alike *a, struct pp_scan *s)
{
	a->n = 0;
	a->used = 0;
	a->known = false;
	a->learning = true;
	a->at = pp_scan_space(s->cur, s->end);
}

bool
pp_json_alike_read(struct pp_json_alike *a, struct pp_scan *s, int64_t *numbers,
                   struct pp_slice *texts)
{
	if (PP_UNLIKELY(++a->read % STRETCH == 0) && pp_account_stops())
		return pp_scan_fail(s, PP_SCAN_E_END, s->cur);
	if (PP_LIKELY(pp_json_alike_try(a, s, numbers, texts)))
		return true;
	pp_json_alike_learn(a, s);
	return false;
}
