/*
 * "Did you mean": the optimal string alignment distance (insert, delete, change, swap neighbours),
 * without regard to case in ASCII.
 */
#include "text/suggest.h"

#include <limits.h>

#include "text/escape.h"

/* Longer words are not mistyped, they are wrong; this bounds the work for each candidate. */
#define WORD_MAX 80

static unsigned
min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

static unsigned char
fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') : c;
}

static unsigned
distance(struct pp_slice a, struct pp_slice b)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2], *spare;
	size_t i, k;

	for (k = 0; k <= b.n; k++)
		last[k] = (unsigned)k;
	for (i = 1; i <= a.n; i++) {
		now[0] = (unsigned)i;
		for (k = 1; k <= b.n; k++) {
			unsigned char x = fold(a.p[i - 1]), y = fold(b.p[k - 1]);

			now[k] = min3(last[k] + 1, now[k - 1] + 1, last[k - 1] + (x != y));
			if (i > 1 && k > 1 && x == fold(b.p[k - 2]) && y == fold(a.p[i - 2]))
				now[k] = now[k] < before[k - 2] + 1 ? now[k] : before[k - 2] + 1;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[b.n];
}

void
pp_suggest_init(struct pp_suggest *s, struct pp_slice word)
{
	*s = (struct pp_suggest){ .word = word, .distance = UINT_MAX };
}

void
pp_suggest_offer(struct pp_suggest *s, struct pp_slice candidate)
{
	unsigned d;

	if (s->word.n == 0 || s->word.n > WORD_MAX || candidate.n == 0 || candidate.n > WORD_MAX)
		return;
	d = distance(s->word, candidate);
	/* A word typed in part counts as near: "comp" for "completion". */
	if (s->word.n >= 3 && candidate.n > s->word.n &&
	    memcmp(candidate.p, s->word.p, s->word.n) == 0)
		d = 1;
	if (d < s->distance) {
		s->distance = d;
		s->best = candidate;
	}
}

bool
pp_suggest_found(const struct pp_suggest *s)
{
	return s->distance != UINT_MAX && s->distance <= 1 + s->word.n / 4 &&
	       s->distance < s->word.n;
}

void
pp_suggest_print(const struct pp_suggest *s, struct pp_buf *out, const char *prefix)
{
	if (!pp_suggest_found(s))
		return;
	pp_buf_addf(out, "; did you mean '%s", prefix);
	pp_escape_terminal(out, s->best);
	pp_buf_adds(out, "'?");
}

void
pp_suggest_word(struct pp_buf *out, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";

	if (word[strspn(word, plain)] == '\0') {
		pp_buf_adds(out, word);
		return;
	}
	pp_buf_addc(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			pp_buf_adds(out, "'\\''");
		else
			pp_buf_addc(out, *word);
	pp_buf_addc(out, '\'');
}
