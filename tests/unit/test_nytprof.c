/*
 * Limits of NYTProf streams: the length of a record and the depth of a stack, from memory that is all there and from
 * input that comes in pieces, on the fast path and on the careful one.
 */
#include "tap.h"

#include <string.h>

#include "api/api.h"
#include "base/buf.h"

static void
number_add(struct pp_buf *out, double d)
{
	pp_buf_add(out, &d, sizeof d);
}

/* A return at a depth, of a sub whose name has so many bytes. */
static void
return_add(struct pp_buf *out, unsigned depth, unsigned name)
{
	const unsigned char head[] = { '<', (unsigned char)(0x80 | depth >> 8),
		                       (unsigned char)depth };
	const unsigned char length[] = { '\'', (unsigned char)(0x80 | name >> 8),
		                         (unsigned char)name };

	pp_buf_add(out, head, sizeof head);
	number_add(out, 10);
	number_add(out, 10);
	pp_buf_add(out, length, sizeof length);
	while (name--)
		pp_buf_addc(out, 'n');
}

static void
profile_make(struct pp_buf *out, unsigned depth, unsigned name)
{
	unsigned i;

	pp_buf_adds(out, "NYTProf 5 0\n:ticks_per_sec=10000000\n");
	pp_buf_add(out, "P\1\1", 3);
	number_add(out, 1.7e9);
	pp_buf_add(out, "@\1\0\0\2\0\0'\1f", 10);
	for (i = depth; i; i--)
		return_add(out, i, name);
	/* Statements, so that the window ends far behind the returns. */
	for (i = 0; i < 100; i++)
		pp_buf_add(out, "+\1\1\1", 4);
	pp_buf_add(out, "p\1", 2);
	number_add(out, 1.8e9);
}

/* Gives a byte at a time. */
struct drip {
	const char *p;
	size_t left;
};

static ptrdiff_t
drip_read(void *ctx, void *into, size_t n)
{
	struct drip *d = ctx;

	if (d->left == 0 || n == 0)
		return 0;
	*(char *)into = *d->p++;
	d->left--;
	return 1;
}

static pp_status
read_with(const struct pp_buf *bytes, const struct pp_limits *limits, bool pieces)
{
	struct pp_read_opts opts = {
		.size = sizeof opts, .threads = 1, .limits = limits, .want = PP_TREE | PP_TIMELINE
	};
	struct drip drip = { bytes->p, bytes->n };
	struct pp_diags diags;
	pp_profile *p = NULL;
	pp_status status;

	pp_diags_init(&diags);
	status = pieces ? pp_read_callback(drip_read, &drip, "x.out", &opts, &diags, &p)
	                : pp_read_memory(bytes->p, bytes->n, "x.out", &opts, &diags, &p);
	pp_profile_free(p);
	pp_diags_release(&diags);
	return status;
}

int
main(void)
{
	struct pp_buf deep = { 0 }, wide = { 0 };
	unsigned pieces;

	profile_make(&deep, 1000, 1);
	profile_make(&wide, 3, 3000);
	for (pieces = 0; pieces < 2; pieces++) {
		const char *how = pieces ? "in pieces" : "whole";

		/* main::RUNTIME is below them. */
		ok(read_with(&deep, &(struct pp_limits){ .max_depth = 1001 }, pieces) == PP_OK,
		   "a stack of 1000 frames, %s", how);
		ok(read_with(&deep, &(struct pp_limits){ .max_depth = 999 }, pieces) == PP_E_LIMIT,
		   "a stack of 1000 frames is too deep, %s", how);
		ok(read_with(&wide, &(struct pp_limits){ .max_line = 3022 }, pieces) == PP_OK,
		   "a record of 3022 bytes, %s", how);
		ok(read_with(&wide, &(struct pp_limits){ .max_line = 3021 }, pieces) == PP_E_LIMIT,
		   "a record of 3022 bytes is too long, %s", how);
	}
	pp_buf_release(&deep);
	pp_buf_release(&wide);
	return tap_done();
}
