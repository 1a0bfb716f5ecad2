/*
 * Long lists of small numbers in JSON.
 */
#include "text/block.h"
#include "text/json_scan.h"
#include "text/swar.h"

/* The longest number is one of 15 digits, and the byte after it. */
#define LONG 16

/* Takes what follows the first eight digits of a number; how many digits that are, 8 when they are too many. */
static inline size_t
long_take(const unsigned char *p, uint64_t *number)
{
	uint64_t digits = pp_swar_digits(pp_load64(p));
	size_t n = pp_swar_first(pp_swar_above9(digits));

	if (n > 0 && n < 8)
		*number = *number * pp_power10[n] + pp_swar_number(digits, n);
	return n;
}

/* One number after the other, also with a space after each comma. */
static size_t
few_take(struct pp_scan *s, uint64_t *out, size_t cap)
{
	const unsigned char *p = s->cur;
	bool comma = s->after_value;
	size_t count = 0;

	/* ", 1234567" and the byte after it are always there; where more are looked at, that is asked for. */
	while (count < cap && s->end - p > 10) {
		uint64_t digits, number;
		size_t n;

		if (comma) {
			if (*p != ',')
				break;
			p += 1 + (p[1] == ' ');
		}
		digits = pp_swar_digits(pp_load64(p));
		n = pp_swar_first(pp_swar_above9(digits));
		if (n == 0 || (*p == '0' && n > 1))
			break;
		number = pp_swar_number(digits, n);
		if (PP_UNLIKELY(n == 8)) {
			size_t more = s->end - p > LONG ? long_take(p + 8, &number) : 8;

			if (more == 8)
				break;
			n += more;
		}
		if (p[n] != ',' && p[n] != ']')
			break;
		out[count++] = number;
		s->cur = p += n;
		comma = true;
	}
	s->after_value = s->after_value || count;
	return count;
}

/* Of 64 bytes that begin with a number, the commas behind numbers, as far as all is plain. */
static inline uint64_t
block_commas(const unsigned char *p)
{
	uint64_t commas = 0, digits = 0, zeros = 0, first, run, odd;
	unsigned i;

	for (i = 0; i < 64; i += 16) {
		commas |= (uint64_t)pp_block_like(p + i, 0, ',') << i;
		zeros |= (uint64_t)pp_block_like(p + i, 0, '0') << i;
		digits |= (uint64_t)pp_block_digits(p + i) << i;
	}
	first = commas << 1 | 1;
	run = digits & digits >> 1;
	run &= run >> 2;
	run &= run >> 4;
	/* Neither a digit nor a comma, a number without digits, with a leading zero, with more than eight digits. */
	odd = ~(commas | digits) | (first & commas) | (first & zeros & digits >> 1) |
	      (run & digits >> 8);
	return odd ? commas & ((odd & -odd) - 1) : commas;
}

/* Numbers between commas, 64 bytes at a time: where one ends does not have to be known to find the end of the next. */
static size_t
blocks_take(struct pp_scan *s, uint64_t *out, size_t cap)
{
	const unsigned char *p = s->cur + 1;
	size_t count = 0;

	/* Each number is taken as the last of the eight bytes before its comma. */
	if (!s->after_value || s->cur >= s->end || *s->cur != ',' || p - s->begin < 8)
		return 0;
	while (count < cap && s->end - p >= 64) {
		uint64_t commas = block_commas(p);
		unsigned from = 0;

		if (!commas)
			break;
		while (commas && count < cap) {
			unsigned end = (unsigned)__builtin_ctzll(commas);
			uint64_t digits = pp_swar_digits(pp_load64(p + end - 8));

			out[count++] = pp_swar_number_last(digits, end - from);
			from = end + 1;
			commas &= commas - 1;
		}
		p += from;
	}
	s->cur = p - 1;
	return count;
}

size_t
pp_scan_plain_u64s(struct pp_scan *s, uint64_t *out, size_t cap)
{
	/* A list that is short is at its end before a block pays. */
	size_t few = PP_BLOCK_WIDE && cap > 4 ? 4 : cap;
	size_t count = few_take(s, out, few);

	if (count < few || count == cap)
		return count;
	count += blocks_take(s, out + count, cap - count);
	return count + few_take(s, out + count, cap - count);
}
