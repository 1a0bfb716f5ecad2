/*
 * The lines of the family, taken apart: numbers, positions, costs, ids. What lines mean in any order is in
 * parse.c; xdebug_scan.c takes them in the one order that Xdebug writes.
 *
 * All of these read from p on and rely on a newline that ends the text, and on eight bytes behind it that can
 * be read. They return where they stopped, or NULL when it is not what it should be.
 */
#ifndef PP_CALLGRIND_LINES_H
#define PP_CALLGRIND_LINES_H

#include "base/slice.h"

/* Bytes of the text as a number, to be compared at once. */
#define PP_CG_WORD(a, b, c, d)                                                                     \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

static inline bool
pp_cg_is_line_end(const unsigned char *p)
{
	return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

static inline const unsigned char *
pp_cg_skip_blanks(const unsigned char *p)
{
	while (pp_is_blank(*p))
		p++;
	return p;
}

/* Goes to the next word; false at the end of the line. */
static inline bool
pp_cg_next_word(const unsigned char **p)
{
	*p += **p == ' ';
	if (PP_LIKELY(**p > ' '))
		return true;
	*p = pp_cg_skip_blanks(*p);
	return !pp_cg_is_line_end(*p);
}

/* Where the word ends that p is in. */
static inline const unsigned char *
pp_cg_word_end(const unsigned char *p)
{
	while (!pp_is_blank(*p) && !pp_cg_is_line_end(p))
		p++;
	return p;
}

/* In registers, so that the short way need not go through memory either. */
struct pp_cg_digits {
	const unsigned char *end; /* NULL when there are none or they pass `most` */
	uint64_t value;
};

static PP_NOINLINE __attribute__((unused)) struct pp_cg_digits
pp_cg_long_number(const unsigned char *p, uint64_t most)
{
	struct pp_cg_digits digits = { p, 0 };

	for (; pp_is_digit(*digits.end); digits.end++)
		if (__builtin_mul_overflow(digits.value, (uint64_t)10, &digits.value) ||
		    __builtin_add_overflow(digits.value, (uint64_t)(*digits.end - '0'),
		                           &digits.value) ||
		    digits.value > most)
			return (struct pp_cg_digits){ NULL, 0 };
	digits.end = digits.end > p ? digits.end : NULL;
	return digits;
}

/*
 * A number of at most `most`, which is at least 9999999. Up to seven digits are taken without a branch on how
 * many there are: finds the first other byte of eight, moves the digits to the upper end and adds them up in pairs.
 */
static inline const unsigned char *
pp_cg_number(const unsigned char *p, uint64_t most, uint64_t *out)
{
	uint64_t x = pp_load64(p) ^ 0x3030303030303030u;
	uint64_t other = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
	unsigned n = other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;

	if (PP_UNLIKELY(n - 1 >= 7)) {
		struct pp_cg_digits digits = pp_cg_long_number(p, most);

		*out = digits.value;
		return digits.end;
	}
	x = x << (8 * (8 - n)) & 0x0f0f0f0f0f0f0f0fu;
	x = (x * 2561) >> 8 & 0x00ff00ff00ff00ffu;
	x = (x * 6553601) >> 16 & 0x0000ffff0000ffffu;
	*out = (x * 42949672960001u) >> 32;
	return p + n;
}

/* A cost: decimal, of at most `most`, or negative. */
static inline const unsigned char *
pp_cg_cost(const unsigned char *p, uint64_t most, int64_t *out)
{
	bool minus = *p == '-';
	uint64_t v;

	p = pp_cg_number(p + minus, minus ? INT64_MAX : most, &v);
	if (PP_UNLIKELY(!p))
		return NULL;
	*out = (int64_t)v;
	if (PP_UNLIKELY(minus))
		*out = -*out;
	return p;
}

/* Digits, decimal or hexadecimal behind `0x`. */
static inline const unsigned char *
pp_cg_any_number(const unsigned char *p, uint64_t *out)
{
	const unsigned char *start = p + 2;
	uint64_t v = 0;

	if (PP_LIKELY(*p != '0' || (p[1] | 32) != 'x'))
		return pp_cg_number(p, UINT64_MAX, out);
	for (p = start;; p++) {
		unsigned c = *p | 32u, d = c - '0' < 10 ? c - '0' : c - 'a' + 10;

		if (d > 15 || (c - '0' >= 10 && c - 'a' >= 6))
			break;
		if (v >> 60)
			return NULL;
		v = v << 4 | d;
	}
	*out = v;
	return p > start ? p : NULL;
}

/* The id of `(N)`, from the parenthesis on. */
static inline const unsigned char *
pp_cg_id(const unsigned char *p, uint64_t *id)
{
	p = pp_cg_number(p + 1, UINT64_MAX, id);
	return p && *p == ')' ? p + 1 : NULL;
}

#endif
