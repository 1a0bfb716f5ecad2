/* The arena, the growable text and the growable array, up to sizes that cannot be had. */
#include "tap.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

static void
check_arena(void)
{
	struct pp_arena a = { 0 };
	unsigned char *pieces[2000];
	unsigned wrong = 0;
	size_t i, k;

	for (i = 0; i < PP_COUNT_OF(pieces); i++) {
		pieces[i] = pp_arena_alloc(&a, i);
		wrong += !pieces[i] || (uintptr_t)pieces[i] % 16;
		memset(pieces[i], (int)(i & 255), i);
	}
	for (i = 0; i < PP_COUNT_OF(pieces); i++)
		for (k = 0; k < i; k++)
			wrong += pieces[i][k] != (i & 255);
	is_u64(wrong, 0, "pieces are aligned and do not overlap");
	is_text(pp_arena_copy(&a, "abc", 3), "abc", "a copy ends in NUL");
	ok(pp_arena_alloc(&a, SIZE_MAX) == NULL && pp_arena_alloc(&a, SIZE_MAX - 16) == NULL,
	   "impossible sizes are refused");
	ok(pp_arena_copy(&a, "", SIZE_MAX) == NULL, "impossible copies too");
	ok(pp_arena_alloc(&a, 5 << 20) != NULL, "a piece larger than a block");
	pp_arena_release(&a);
}

static void
check_buf(void)
{
	struct pp_buf b = { 0 };
	size_t i;

	pp_buf_add(&b, NULL, 0);
	for (i = 0; i < 1000; i++)
		pp_buf_addf(&b, "%zu,", i);
	pp_buf_addc(&b, '!');
	ok(!b.failed && b.n == strlen(b.p) && strncmp(b.p, "0,1,2,", 6) == 0, "text grows");
	is_text(b.p + b.n - 5, "999,!", "to its end");
	ok(pp_buf_room(&b, SIZE_MAX) == NULL && b.failed, "impossible sizes fail");
	i = b.n;
	pp_buf_adds(&b, "more");
	ok(b.n == i && b.failed, "and failure stays");
	pp_buf_release(&b);
	ok(b.p == NULL && !b.failed, "until it is released");
}

static void
check_vec(void)
{
	PP_VEC(uint64_t) v = { 0 };
	unsigned wrong = 0;
	size_t i;

	for (i = 0; i < 10000; i++)
		wrong += !pp_vec_push(&v, i * i);
	for (i = 0; i < v.n; i++)
		wrong += v.at[i] != i * i;
	is_u64(wrong, 0, "an array grows");
	ok(!pp_vec_reserve(&v, SIZE_MAX / 4) && v.n == 10000 && v.at[9999] == (uint64_t)9999 * 9999,
	   "an impossible size is refused and nothing is lost");
	pp_vec_release(&v);
}

int
main(void)
{
	check_arena();
	check_buf();
	check_vec();
	return tap_done();
}
