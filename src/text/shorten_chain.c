/*
 * Names that share a line, each of which calls the next.
 */
#include "text/shorten_chain.h"

#include <string.h>

#include "text/escape.h"
#include "text/shorten.h"

#define ELLIPSIS "\xe2\x80\xa6"
/* The most columns of a name before the last, and the fewest that are worth showing. */
#define CHAINED_MOST 32
#define CHAINED_LEAST 16

size_t
pp_name_place(const char *name, size_t n)
{
	size_t i = n;

	if (n < 5 || name[n - 1] != ')')
		return n;
	while (i > 0 && name[i - 1] != '(' && name[i - 1] != ' ' && name[i - 1] != ',')
		i--;
	if (i < 3 || name[i - 1] != '(' || name[i - 2] != ' ')
		return n;
	return memchr(name + i, '.', n - i) || memchr(name + i, '/', n - i) ||
	               (n - i > 3 && memcmp(name + i, "???", 3) == 0)
	           ? i - 2
	           : n;
}

#define ARROW_COLUMNS 3

/* Returns where the last name of a chain begins. */
static size_t
last_behind(const char *chain, size_t n, const char *arrow)
{
	size_t length = strlen(arrow);

	for (; n >= length; n--)
		if (memcmp(chain + n - length, arrow, length) == 0)
			return n;
	return 0;
}

size_t
pp_chain_last(const char *chain, size_t n)
{
	return last_behind(chain, n, PP_CHAIN_ARROW);
}

bool
pp_chain_leads_back(const char *chain, size_t n)
{
	return n && memmem(chain, n, PP_CHAIN_BACK, sizeof PP_CHAIN_BACK - 1);
}

struct pp_slice
pp_chain_name(const char *chain, size_t n)
{
	const char *back = n ? memmem(chain, n, PP_CHAIN_BACK, sizeof PP_CHAIN_BACK - 1) : NULL;
	size_t last = back ? 0 : pp_chain_last(chain, n);

	return pp_slice_of(chain + last, (back ? (size_t)(back - chain) : n) - last);
}

/* Appends the names of a chain in the other direction. */
static void
chain_turn(struct pp_buf *out, const char *chain, size_t n, const char *arrow, const char *other)
{
	size_t length = strlen(arrow), from;

	for (;; n = from - length) {
		from = last_behind(chain, n, arrow);
		pp_buf_add(out, chain + from, n - from);
		if (from == 0)
			return;
		pp_buf_adds(out, other);
	}
}

/* Returns where the first name of a chain ends. */
static size_t
chain_first(const char *chain, size_t n)
{
	const char *arrow = memmem(chain, n, PP_CHAIN_ARROW, sizeof PP_CHAIN_ARROW - 1);

	return arrow ? (size_t)(arrow - chain) : n;
}

/* Puts a name of a chain before those behind it. */
static void
chain_join(struct pp_buf *behind, const struct pp_buf *name)
{
	struct pp_buf joined = { .failed = behind->failed };

	pp_buf_add(&joined, name->p, name->n);
	pp_buf_adds(&joined, PP_CHAIN_ARROW);
	pp_buf_add(&joined, behind->p, behind->n);
	pp_buf_release(behind);
	*behind = joined;
}

/*
 * The last name of a chain and, where there is room, the first, which ends at `begun`: it comes before the place of the
 * last. Returns the columns that are left.
 */
static size_t
chain_ends(struct pp_buf *first, struct pp_buf *shown, const char *chain, size_t begun, size_t last,
           size_t n, size_t columns)
{
	size_t end = last + pp_name_place(chain + last, n - last), least, left;

	least = pp_text_columns(chain, begun);
	least = (least < CHAINED_LEAST ? least : CHAINED_LEAST) + ARROW_COLUMNS;
	left = columns - pp_name_shorten(shown, chain + last, n - last, columns);
	if (left < least && end < n) {
		shown->n = 0;
		left = columns - pp_name_shorten(shown, chain + last, end - last, columns);
	}
	if (left < least)
		return left;
	left -= ARROW_COLUMNS;
	return left -
	       pp_name_shorten(first, chain, begun, left < CHAINED_MOST ? left : CHAINED_MOST);
}

size_t
pp_chain_shorten(struct pp_buf *out, const char *chain, size_t last, size_t n, size_t columns)
{
	struct pp_buf shown = { 0 }, before = { 0 }, first = { 0 };
	size_t arrow = sizeof PP_CHAIN_ARROW - 1, begun = chain_first(chain, last) + arrow;
	size_t left, end = last, from, wide;
	bool has_first;

	left = chain_ends(&first, &shown, chain, begun - arrow, last, n,
	                  columns > ARROW_COLUMNS + 1 ? columns - ARROW_COLUMNS - 1 : 0);
	has_first = first.n > 0;
	while (end > begun && left > 2 * ARROW_COLUMNS) {
		from = pp_chain_last(chain, end - arrow);
		/* Names that were counted already, "… 5 more …", are among those that are left out. */
		if (memcmp(chain + from, ELLIPSIS, sizeof ELLIPSIS - 1) == 0 &&
		    pp_text_columns(chain + begun, end - begun) > left)
			break;
		before.n = 0;
		wide = pp_name_shorten(&before, chain + from, end - arrow - from, CHAINED_MOST) +
		       ARROW_COLUMNS;
		if (wide > left)
			break;
		left -= wide;
		chain_join(&shown, &before);
		end = from;
	}
	wide = out->n;
	if (has_first) {
		pp_buf_add(out, first.p, first.n);
		pp_buf_adds(out, PP_CHAIN_ARROW);
	}
	if (end > begun || !has_first)
		pp_buf_adds(out, ELLIPSIS PP_CHAIN_ARROW);
	pp_buf_add(out, shown.p, shown.n);
	wide = out->p ? pp_text_columns(out->p + wide, out->n - wide) : 0;
	out->failed |= shown.failed || before.failed || first.failed;
	pp_buf_release(&shown);
	pp_buf_release(&before);
	pp_buf_release(&first);
	return wide;
}

size_t
pp_chain_shorten_back(struct pp_buf *out, const char *chain, size_t n, size_t columns)
{
	struct pp_buf turned = { 0 }, shown = { 0 };
	size_t wide;

	chain_turn(&turned, chain, n, PP_CHAIN_BACK, PP_CHAIN_ARROW);
	wide = pp_name_shorten(&shown, turned.p ? turned.p : "", turned.n, columns);
	chain_turn(out, shown.p ? shown.p : "", shown.n, PP_CHAIN_ARROW, PP_CHAIN_BACK);
	out->failed |= turned.failed || shown.failed;
	pp_buf_release(&turned);
	pp_buf_release(&shown);
	return wide;
}
