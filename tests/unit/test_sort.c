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

/* Stops when it has been asked so often. */
static bool
stops(void *ctx)
{
	unsigned *left = ctx;

	if (*left)
		--*left;
	return *left == 0;
}

/* Who may stop gets the same order; who does, all elements, long before they are sorted. */
static void
check_stop(size_t n)
{
	struct pair *pairs = calloc(n, sizeof *pairs);
	unsigned char *seen = calloc(n, 1);
	unsigned asked, whole = 0;

	for (asked = 1000; pairs && seen && asked; asked = asked == 1000 ? 12 : asked / 2) {
		struct order order = { 1, 0 };
		unsigned left = asked;
		struct pp_account account = { .limit = UINT64_MAX,
			                      .stop = stops,
			                      .stop_ctx = &left };
		struct pp_account *before;
		size_t i, wrong = 0, found = 0;

		for (i = 0; i < n; i++)
			pairs[i].key = (uint32_t)(i * 7 % n);
		before = pp_account_enter(&account);
		pp_sort(pairs, n, sizeof *pairs, pair_cmp, &order);
		(void)pp_account_enter(before);
		memset(seen, 0, n);
		for (i = 0; i < n; i++) {
			wrong += pairs[i].key != i;
			found += pairs[i].key < n && !seen[pairs[i].key];
			seen[pairs[i].key] = 1;
		}
		is_u64(found, n, "all elements are there, stopped after %u", asked);
		whole = asked == 1000 ? order.comparisons : whole;
		if (asked == 1000)
			is_u64(wrong, 0, "who may stop and does not: %zu elements", n);
		else
			ok(left ? order.comparisons == whole : order.comparisons < whole,
			   "%u comparisons of %u", order.comparisons, whole);
	}
	free(pairs);
	free(seen);
}

/* Numbers of so many bits, many of them twice: what is alike stays in its order. */
static void
check_words(size_t n, unsigned bits)
{
	uint64_t *words = calloc(2 * n + 1, sizeof *words), random = 88172645463325252u;
	size_t i, wrong = 0, sum = 0;

	for (i = 0; words && i < n; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		words[i] = random >> (64 - bits) << 32 | i;
	}
	if (words)
		pp_sort_words(words, words + n, n);
	for (i = 0; words && i < n; i++) {
		sum += (uint32_t)words[i];
		wrong += i && words[i - 1] >= words[i];
	}
	ok(words && wrong == 0 && (n == 0 || sum == n * (n - 1) / 2), "%zu words of %u bits", n,
	   bits);
	free(words);
}

int
main(void)
{
	static const unsigned bits[] = { 1, 8, 11, 12, 22, 23, 32 };
	static const size_t sizes[] = { 0, 1, 2, 3, 10, 1000, 100003 };
	size_t i;

	check_stop(200003);
	check_stop(131072);
	check_stop(65537);

	for (i = 0; i < PP_COUNT_OF(sizes); i++) {
		check(sizes[i], 1, 1);
		check(sizes[i], 7, 1);
		check(sizes[i], 7, -1);
	}
	for (i = 0; i < PP_COUNT_OF(bits) * PP_COUNT_OF(sizes); i++)
		check_words(sizes[i / PP_COUNT_OF(bits)], bits[i % PP_COUNT_OF(bits)]);
	return tap_done();
}
