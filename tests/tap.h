/*
 * Tests in the Test Anything Protocol, for `meson test`.
 *
 *     int main(void)
 *     {
 *             ok(1 + 1 == 2, "addition of %d", 1);
 *             is_u64(answer(), 42, "the answer");
 *             is_text(name, "main", "the name");
 *             return tap_done();
 *     }
 *
 * A failed check says where it stands, what came and what was expected. tap_done() prints the plan, so
 * a test that dies half way counts as failed.
 */
#ifndef PP_TAP_H
#define PP_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/common.h"

static struct tap_state {
	unsigned run;
	unsigned failed;
} tap;

static inline bool
tap_vreport(bool passed, const char *file, int line, const char *fmt, va_list args)
{
	char what[400], *c;

	/* One line for each check, whatever is in its name. */
	vsnprintf(what, sizeof what, fmt, args);
	for (c = what; *c; c++)
		*c = (unsigned char)*c < ' ' ? ' ' : *c;
	printf("%s %u - %s\n", passed ? "ok" : "not ok", ++tap.run, what);
	if (!passed) {
		tap.failed++;
		printf("# at %s:%d\n", file, line);
	}
	fflush(stdout);
	return passed;
}

static inline bool PP_PRINTF(4, 5)
    tap_report(bool passed, const char *file, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tap_vreport(passed, file, line, fmt, args);
	va_end(args);
	return passed;
}

/* Prints bytes on one diagnostic line, whatever they are. */
static inline void
tap_show(const char *label, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t i;

	printf("# %s: ", label);
	for (i = 0; i < n && i < 2000; i++)
		printf(p[i] >= 0x20 && p[i] < 0x7f && p[i] != '\\' ? "%c" : "\\x%02x", p[i]);
	printf(i < n ? "... (%zu bytes)\n" : "\n", n);
	fflush(stdout);
}

static inline bool PP_PRINTF(5, 6)
    tap_is_u64(uint64_t got, uint64_t expected, const char *file, int line, const char *what, ...)
{
	va_list args;

	va_start(args, what);
	tap_vreport(got == expected, file, line, what, args);
	va_end(args);
	if (got != expected)
		printf("# got %" PRIu64 ", expected %" PRIu64 "\n", got, expected);
	return got == expected;
}

static inline bool PP_PRINTF(5, 6)
    tap_is_i64(int64_t got, int64_t expected, const char *file, int line, const char *what, ...)
{
	va_list args;

	va_start(args, what);
	tap_vreport(got == expected, file, line, what, args);
	va_end(args);
	if (got != expected)
		printf("# got %" PRId64 ", expected %" PRId64 "\n", got, expected);
	return got == expected;
}

static inline bool PP_PRINTF(5, 6) tap_is_slice(struct pp_slice got, struct pp_slice expected,
                                                const char *file, int line, const char *what, ...)
{
	bool same = pp_slice_eq(got, expected);
	va_list args;

	va_start(args, what);
	tap_vreport(same, file, line, what, args);
	va_end(args);
	if (!same) {
		tap_show("     got", got.p, got.n);
		tap_show("expected", expected.p, expected.n);
	}
	return same;
}

#define ok(condition, ...) tap_report((condition), __FILE__, __LINE__, __VA_ARGS__)
#define is_u64(got, expected, ...) tap_is_u64((got), (expected), __FILE__, __LINE__, __VA_ARGS__)
#define is_i64(got, expected, ...) tap_is_i64((got), (expected), __FILE__, __LINE__, __VA_ARGS__)
/* Slices of bytes. */
#define is_slice(got, expected, ...)                                                               \
	tap_is_slice((got), (expected), __FILE__, __LINE__, __VA_ARGS__)
/* A slice and a C string. */
#define is_slice_z(got, expected, ...)                                                             \
	tap_is_slice((got), pp_slice_z(expected), __FILE__, __LINE__, __VA_ARGS__)
/* Two C strings. */
#define is_text(got, expected, ...)                                                                \
	tap_is_slice(pp_slice_z(got), pp_slice_z(expected), __FILE__, __LINE__, __VA_ARGS__)

static inline void
tap_skip(const char *what, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++tap.run, what, why);
}

/* Prints the plan; what main() returns. */
static inline int
tap_done(void)
{
	printf("1..%u\n", tap.run);
	return tap.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
