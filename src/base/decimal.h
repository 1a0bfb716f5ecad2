/*
 * Numbers as files write them: whole ones to 64 bits, decimals exactly, doubles where neither fits.
 */
#ifndef PP_DECIMAL_H
#define PP_DECIMAL_H

#include "base/common.h"

/* A number: exactly magnitude * 10^-scale, or a double when that does not fit. */
struct pp_decimal {
	uint64_t magnitude;
	double real;
	bool is_real;
	bool negative;
	uint8_t scale;
};

#define PP_DECIMAL_SCALE_MAX 18
/* 10^i */
extern const uint64_t pp_decimal_powers[PP_DECIMAL_SCALE_MAX + 1];

/* All of a text as a number, in the syntax of JSON; false when it is none, not finite, or whole and past 64 bits. */
bool pp_decimal_parse(struct pp_slice, struct pp_decimal *);
/* What is no double in units of 10^-18: 64 bits and 18 digits are less than 127 bits. */
pp_i128 pp_decimal_widest(const struct pp_decimal *);
/* Orders two numbers: -1, 0, 1. */
int pp_decimal_cmp(const struct pp_decimal *, const struct pp_decimal *);
double pp_decimal_double(const struct pp_decimal *);
/* number * num, rounded to a whole; false when that exceeds 64 bits. */
bool pp_decimal_scaled(const struct pp_decimal *, int64_t num, int64_t *out);
static inline bool
pp_decimal_is_zero(const struct pp_decimal *n)
{
	return n->is_real ? n->real == 0.0 : n->magnitude == 0;
}

static inline bool
pp_decimal_is_negative(const struct pp_decimal *n)
{
	return n->is_real ? n->real < 0.0 : n->negative && n->magnitude;
}

#endif
