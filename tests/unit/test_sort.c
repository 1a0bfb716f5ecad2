/* Sorting with a context: the system's way and our own give the same order. */
#include "tap.h"

#include "base/sort.h"

struct pair {
	uint32_t key;
	char filler[7]; /* a size that is no power of two */
};

struct order {
	int sign;
	unsigned comparisons;
};

static int
pair_cmp(const void *a, const void *b, void *ctx)
{
	const struct pair *x = a, *y = b;
	struct order *order = ctx;

	order->comparisons++;
	return order->sign * ((x->key > y->key) - (x->key < y->key));
}

/* n different keys, scrambled by a step that shares no factor with n. */
static void
check(size_t n, size_t step, int sign)
{
	struct pair *pairs = calloc(n + 1, sizeof *pairs);
	struct order order = { sign, 0 };
	size_t i, wrong = 0;

	if (!pairs) {
		ok(false, "memory");
		return;
	}
	for (i = 0; i < n; i++) {
		pairs[i].key = (uint32_t)(i * step % n);
		pairs[i].filler[6] = (char)pairs[i].key;
	}
	pp_sort(pairs, n, sizeof *pairs, pair_cmp, &order);
	for (i = 0; i < n; i++)
		wrong += pairs[i].key != (sign > 0 ? i : n - 1 - i) ||
		         pairs[i].filler[6] != (char)pairs[i].key;
	is_u64(wrong, 0, "%zu elements in steps of %zu, direction %d", n, step, sign);
	ok(order.comparisons <= 40 * n + 1, "with %u comparisons", order.comparisons);
	free(pairs);
}

int
main(void)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 10, 1000, 100003 };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(sizes); i++) {
		check(sizes[i], 1, 1);
		check(sizes[i], 7, 1);
		check(sizes[i], 7, -1);
	}
	return tap_done();
}
