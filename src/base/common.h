/*
 * What every file may use: slices, checked sizes, wide integers, compiler hints.
 */
#ifndef PP_COMMON_H
#define PP_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/account.h"
#include "polyprof/polyprof.h"

typedef uint32_t pp_str;    /* interned string; 0 is the empty string */
typedef uint32_t pp_module; /* 0 = none */
typedef uint32_t pp_func;   /* 0 = none */
typedef uint32_t pp_frame;  /* 0 = none */
typedef uint32_t pp_node;   /* 0 = the root */

__extension__ typedef __int128 pp_i128;
__extension__ typedef unsigned __int128 pp_u128;

#define PP_LIKELY(x) __builtin_expect(!!(x), 1)
#define PP_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PP_NOINLINE __attribute__((noinline))
#define PP_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define PP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Bytes that belong to someone else: any byte may occur and nothing terminates them. */
struct pp_slice {
	const unsigned char *p;
	size_t n;
};

static inline struct pp_slice
pp_slice_of(const void *p, size_t n)
{
	return (struct pp_slice){ (const unsigned char *)p, n };
}

/* A slice of a C string. */
static inline struct pp_slice
pp_slice_z(const char *z)
{
	return (struct pp_slice){ (const unsigned char *)z, strlen(z) };
}

static inline bool
pp_slice_eq(struct pp_slice a, struct pp_slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool
pp_slice_eq_z(struct pp_slice a, const char *z)
{
	return pp_slice_eq(a, pp_slice_z(z));
}

/* Order by bytes, the shorter first when one is a prefix of the other. */
static inline int
pp_slice_cmp(struct pp_slice a, struct pp_slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

/* Checked size arithmetic: false when the result does not fit. */
static inline bool
pp_size_mul(size_t a, size_t b, size_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

static inline bool
pp_size_add(size_t a, size_t b, size_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

/* Unaligned little-endian loads. */
static inline uint64_t
pp_load64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint32_t
pp_load32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/*
 * Whether a[0..n-1] and b[0..n-1] are equal: names are short, so a call of memcmp would cost more than
 * the comparison.
 */
static inline bool
pp_same_bytes(const unsigned char *a, const unsigned char *b, size_t n)
{
	if (n >= 8) {
		size_t i;

		for (i = 0; i + 8 < n; i += 8)
			if (pp_load64(a + i) != pp_load64(b + i))
				return false;
		return pp_load64(a + n - 8) == pp_load64(b + n - 8);
	}
	if (n >= 4)
		return pp_load32(a) == pp_load32(b) && pp_load32(a + n - 4) == pp_load32(b + n - 4);
	for (; n; n--)
		if (a[n - 1] != b[n - 1])
			return false;
	return true;
}

#endif
