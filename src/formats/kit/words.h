/*
 * Machine words of the program that was profiled: of 32 or 64 bits, in either byte order. gperftools and what came from it begin
 * with the words 0, how many follow, a version, the period in microseconds, and 0.
 */
#ifndef PP_WORDS_H
#define PP_WORDS_H

#include "base/slice.h"

struct pp_words {
	struct pp_slice bytes;
	bool wide, big;
};

static inline uint64_t
pp_word_at(const struct pp_words *w, size_t index)
{
	size_t size = w->wide ? 8 : 4, i;
	const unsigned char *p = w->bytes.p + index * size;
	uint64_t value = 0;

	for (i = 0; i < size; i++)
		value |= (uint64_t)p[w->big ? size - 1 - i : i] << 8 * i;
	return value;
}

static inline size_t
pp_words_count(const struct pp_words *w)
{
	return w->bytes.n / (w->wide ? 8 : 4);
}

/* The bits of a header of that version that were verified, and which words these are; 0 when they are no profile. */
static inline int
pp_words_find(struct pp_slice bytes, uint64_t version, struct pp_words *w)
{
	int layout;

	for (layout = 0; layout < 4; layout++) {
		*w = (struct pp_words){ bytes, layout & 1, layout & 2 };
		if (pp_words_count(w) >= 5 && pp_word_at(w, 0) == 0 && pp_word_at(w, 1) >= 3 &&
		    pp_word_at(w, 1) <= 64 && pp_word_at(w, 2) == version && pp_word_at(w, 3) > 0 &&
		    pp_word_at(w, 3) <= UINT32_MAX && pp_word_at(w, 4) == 0)
			return w->wide ? 256 : 128;
	}
	return 0;
}

#endif
