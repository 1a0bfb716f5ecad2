/* Costs added up stack by stack: recursion counts once, columns come and change, 64 bits are passed. */
#include "tap.h"

#include "model/sums.h"

static union pp_value
integer(pp_i128 i)
{
	return (union pp_value){ .i = i };
}

static void
test_stacks(void)
{
	static const pp_frame once[] = { 1, 2, 3 }, again[] = { 1, 2, 2, 1 };
	union pp_value five = integer(5), two = integer(2);
	struct pp_sums s = { 0 };

	ok(pp_sums_widen(&s) && pp_sums_reserve(&s, 4), "room");
	pp_sums_add(&s, once, 3, &five, &five);
	pp_sums_add(&s, again, 4, &two, &two);
	pp_sums_add(&s, NULL, 0, &two, &two);
	ok(pp_sums_total(&s, 0)->i == 9, "the whole");
	ok(pp_sums_total(&s, 1)->i == 7 && pp_sums_own(&s, 1)->i == 2, "recursion counts once");
	ok(pp_sums_total(&s, 2)->i == 7 && pp_sums_own(&s, 2)->i == 0, "a frame in the middle");
	ok(pp_sums_total(&s, 3)->i == 5 && pp_sums_own(&s, 3)->i == 5, "a leaf");
	ok(s.seen[3] == 1 && s.seen[2] == 2, "which stacks");
	pp_sums_release(&s);
}

static void
test_columns(void)
{
	static const pp_frame stack[] = { 1, 700 };
	union pp_value row[3] = { integer(UINT64_MAX), integer(3), integer(0) }, own[3];
	struct pp_sums s = { 0 };
	int i;

	ok(pp_sums_widen(&s) && pp_sums_widen(&s) && pp_sums_reserve(&s, 2), "two columns");
	ok(pp_sums_reserve(&s, 701), "more frames");
	for (i = 0; i < 4; i++)
		pp_sums_add(&s, stack, 2, row, row);
	ok(pp_sums_total(&s, 700)[0].i == (pp_i128)UINT64_MAX * 4, "sums pass 64 bits");
	ok(pp_sums_widen(&s), "one more column");
	ok(pp_sums_total(&s, 1)[0].i == (pp_i128)UINT64_MAX * 4 &&
	       pp_sums_total(&s, 1)[1].i == 12 && pp_sums_own(&s, 700)[1].i == 12 &&
	       pp_sums_total(&s, 1)[2].i == 0,
	   "the others stay");
	ok(pp_sums_scale(&s, 1, 1000) && pp_sums_own(&s, 700)[1].i == 12000, "more decimals");
	ok(!pp_sums_scale(&s, 0, UINT64_MAX) &&
	       pp_sums_own(&s, 700)[0].i == (pp_i128)UINT64_MAX * 4,
	   "no room for them");
	pp_sums_to_real(&s, 1, 1000.0);
	row[1].d = 0.5;
	memcpy(own, row, sizeof own);
	own[1].d = 0.25;
	pp_sums_add(&s, stack, 2, own, row);
	ok(pp_sums_total(&s, 700)[1].d == 12.5 && pp_sums_own(&s, 700)[1].d == 12.25, "doubles");
	ok(pp_sums_total(&s, 1)[0].i == (pp_i128)UINT64_MAX * 5, "beside integers");
	pp_sums_release(&s);
}

int
main(void)
{
	test_stacks();
	test_columns();
	return tap_done();
}
