/* Costs added up stack by stack: recursion counts once, columns come and change, 64 bits are passed. */
#include "tap.h"

#include "model/sums.h"

static union pp_value
integer(pp_i128 i)
{
	return (union pp_value){ .i = i };
}

/* Adds a stack whose costs are known by column. */
static bool
add(struct pp_sums *s, const pp_frame *stack, size_t depth, const union pp_value *own,
    const union pp_value *total)
{
	return pp_sums_add(s, stack, depth, (struct pp_stack_cost){ own, total, NULL, 0 });
}

static pp_i128
own_of(const struct pp_sums *s, size_t row, size_t column)
{
	return pp_sums_get(s, row, column).own.i;
}

static pp_i128
total_of(const struct pp_sums *s, size_t row, size_t column)
{
	return pp_sums_get(s, row, column).total.i;
}

static void
test_stacks(void)
{
	static const pp_frame once[] = { 1, 2, 3 }, again[] = { 1, 2, 2, 1 };
	union pp_value five = integer(5), two = integer(2);
	struct pp_sums s = { 0 };

	ok(pp_sums_widen(&s) && pp_sums_reserve(&s, 4), "room");
	add(&s, once, 3, &five, &five);
	add(&s, again, 4, &two, &two);
	add(&s, NULL, 0, &two, &two);
	ok(total_of(&s, 0, 0) == 9, "the whole");
	ok(total_of(&s, 1, 0) == 7 && own_of(&s, 1, 0) == 2, "recursion counts once");
	ok(total_of(&s, 2, 0) == 7 && own_of(&s, 2, 0) == 0, "a frame in the middle");
	ok(total_of(&s, 3, 0) == 5 && own_of(&s, 3, 0) == 5, "a leaf");
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
		add(&s, stack, 2, row, row);
	ok(total_of(&s, 700, 0) == (pp_i128)UINT64_MAX * 4, "sums pass 64 bits");
	ok(pp_sums_widen(&s), "one more column");
	ok(total_of(&s, 1, 0) == (pp_i128)UINT64_MAX * 4 && total_of(&s, 1, 1) == 12 &&
	       own_of(&s, 700, 1) == 12 && total_of(&s, 1, 2) == 0,
	   "the others stay");
	ok(pp_sums_scale(&s, 1, 1000) && own_of(&s, 700, 1) == 12000, "more decimals");
	ok(!pp_sums_scale(&s, 0, UINT64_MAX) && own_of(&s, 700, 0) == (pp_i128)UINT64_MAX * 4,
	   "no room for them");
	pp_sums_to_real(&s, 1, 1000.0);
	row[1].d = 0.5;
	memcpy(own, row, sizeof own);
	own[1].d = 0.25;
	add(&s, stack, 2, own, row);
	ok(pp_sums_get(&s, 700, 1).total.d == 12.5 && pp_sums_get(&s, 700, 1).own.d == 12.25,
	   "doubles");
	ok(total_of(&s, 1, 0) == (pp_i128)UINT64_MAX * 5, "beside integers");
	pp_sums_release(&s);
}

/* The same with so many columns that only what is not 0 is kept. */
static void
test_many_columns(void)
{
	static const pp_frame stack[] = { 1, 2, 1 };
	static const uint32_t some[] = { 1, 900 };
	union pp_value row[1024] = { 0 };
	struct pp_sums s = { 0 };
	size_t i;
	bool fine;

	row[0] = integer(5);
	ok(pp_sums_reserve(&s, 3) && pp_sums_widen(&s) && add(&s, stack, 3, row, row), "one");
	for (i = 1, fine = true; i < 1000; i++)
		fine = fine && pp_sums_widen(&s);
	ok(fine && s.is_sparse && pp_sums_reserve(&s, 100000), "a thousand");
	ok(own_of(&s, 1, 0) == 5 && total_of(&s, 2, 0) == 5 && own_of(&s, 2, 0) == 0 &&
	       own_of(&s, 0, 0) == 5 && total_of(&s, 0, 0) == 5,
	   "what was there stays");
	row[0] = integer(0);
	row[1] = integer(7);
	row[900] = integer(-3);
	ok(pp_sums_add(&s, stack, 3, (struct pp_stack_cost){ row, row, some, 2 }) &&
	       add(&s, stack, 2, row, row),
	   "columns that are listed, and found");
	ok(own_of(&s, 1, 1) == 7 && total_of(&s, 1, 1) == 14 && own_of(&s, 2, 900) == -3 &&
	       total_of(&s, 2, 900) == -6 && total_of(&s, 0, 1) == 14,
	   "recursion counts once");
	ok(pp_sums_pass(&s, (struct pp_stack_cost){ row, row, some, 2 }) &&
	       own_of(&s, 0, 900) == -9 && total_of(&s, 0, 900) == -6,
	   "what a filter leaves out");
	ok(pp_sums_scale(&s, 1, 10) && total_of(&s, 1, 1) == 140 && total_of(&s, 1, 900) == -6,
	   "more decimals");
	pp_sums_to_real(&s, 900, 2.0);
	ok(pp_sums_get(&s, 2, 900).total.d == -3.0 && total_of(&s, 2, 1) == 140, "doubles");
	ok(s.sparse.keys.n == 9, "nothing else takes room");
	pp_sums_release(&s);
}

int
main(void)
{
	test_stacks();
	test_columns();
	test_many_columns();
	return tap_done();
}
