/*
 * Sorting by numbers that are known: digit by digit, the lowest first, without a comparison.
 */
#include "base/sort.h"

#define DIGIT_BITS 11
#define DIGIT_VALUES ((size_t)1 << DIGIT_BITS)
#define DIGITS 3

static inline size_t
digit_of(uint64_t word, unsigned digit)
{
	return (uint32_t)(word >> 32) >> digit * DIGIT_BITS & (DIGIT_VALUES - 1);
}

void
pp_sort_words(uint64_t *words, uint64_t *room, size_t n)
{
	size_t count[DIGITS][DIGIT_VALUES] = { 0 }, i;
	uint64_t *from = words, *to = room;
	unsigned digit;

	for (i = 0; i < n; i++)
		for (digit = 0; digit < DIGITS; digit++)
			count[digit][digit_of(words[i], digit)]++;
	for (digit = 0; digit < DIGITS && n; digit++) {
		size_t *next = count[digit], sum = 0;
		uint64_t *swap = from;

		/* All have the same. */
		if (next[digit_of(words[0], digit)] == n)
			continue;
		for (i = 0; i < DIGIT_VALUES; i++) {
			size_t here = next[i];

			next[i] = sum;
			sum += here;
		}
		for (i = 0; i < n; i++)
			to[next[digit_of(from[i], digit)]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != words)
		memcpy(words, from, n * sizeof *words);
}
