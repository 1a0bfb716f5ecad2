/*
 * Names that fit. The viewer has the same rules in web/viewer/text.ts.
 */
#include "text/shorten.h"

#include <string.h>

#include "text/escape.h"

#define ELLIPSIS "\xe2\x80\xa6"
/* Columns in which there is no room for two ellipses. */
#define END_ONLY 8
/* What stays of a class before its method, with an ellipsis. */
#define HEAD_LEAST 6
/* What a name before the last of a chain takes at most, the least that is worth its room, and what a chain needs to be one. */
#define CHAINED_MOST 32
#define CHAINED_LEAST 16
#define CHAIN_LEAST 24
/* "::" and "->". */
#define SEPARATOR_COLUMNS 2
/* The longest remark behind a name, in brackets. */
#define REMARK_MOST 14
/* What tells two names apart gets at least so much, and so does what stands behind it. */
#define APART_LEAST 12

/* Whether a '<' is the operator of that name. */
static bool
names_operator(const char *before, size_t n)
{
	while (n > 0 && before[n - 1] == '<')
		n--;
	return n >= 8 && memcmp(before + n - 8, "operator", 8) == 0;
}

/* Brackets that hold no arguments but are a namespace without a name. */
#define ANONYMOUS "(anonymous namespace)"

/* Whether one pair of brackets holds all of a name, which is its name then: "(garbage collector)", "<lambda>". */
static bool
is_bracketed(const char *name, size_t n, char open, char close)
{
	size_t depth = 0, i;

	if (n < 3 || name[0] != open || name[n - 1] != close)
		return false;
	for (i = 0; i + 1 < n; i++) {
		depth += name[i] == open;
		if (name[i] == close && --depth == 0)
			return false;
	}
	return depth == 1;
}

/* Replaces what stands in brackets of one kind by an ellipsis; false when they do not match up. */
static bool
drop_inside(struct pp_buf *out, const char *name, size_t n, char open, char close, bool anonymous)
{
	size_t depth = 0, i;

	if (is_bracketed(name, n, open, close)) {
		pp_buf_add(out, name, n);
		return true;
	}
	for (i = 0; i < n; i++) {
		bool arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';

		if (anonymous && depth == 0 && name[i] == '(' && n - i >= sizeof ANONYMOUS - 1 &&
		    memcmp(name + i, ANONYMOUS, sizeof ANONYMOUS - 1) == 0) {
			pp_buf_adds(out, ANONYMOUS);
			i += sizeof ANONYMOUS - 2;
		} else if (name[i] == open &&
		           !(open == '<' && depth == 0 && names_operator(out->p, out->n))) {
			if (depth++ == 0)
				pp_buf_addf(
				    out, i + 1 < n && name[i + 1] == close ? "%c" : "%c" ELLIPSIS,
				    open);
		} else if (name[i] == close && depth > 0 && !arrow) {
			if (--depth == 0)
				pp_buf_add(out, &close, 1);
		} else if (depth == 0) {
			pp_buf_add(out, name + i, 1);
		}
	}
	return depth == 0;
}

/* The length of what divides a name at a place, 0 when nothing does; *path = a directory or namespace ends. */
static size_t
separator_at(const char *name, size_t n, size_t at, bool *path)
{
	*path = name[at] == '\\' || name[at] == '/';
	if (*path)
		return 1;
	if (at + 1 >= n)
		return 0;
	if (memcmp(name + at, "::", 2) == 0 || memcmp(name + at, "->", 2) == 0)
		return 2;
	return name[at] == '.' && name[at + 1] != '.' ? 1 : 0;
}

/* Whether a name is divided again from a place on: a class stays with its method, a file with its ending. */
static bool
divided_from(const char *name, size_t n, size_t at)
{
	bool path;

	for (; at + 1 < n; at++)
		if (separator_at(name, n, at, &path))
			return true;
	return false;
}

/* An ellipsis and as much of the end as there is room for. */
static size_t
keep_end(struct pp_buf *out, const char *name, size_t n, size_t columns)
{
	size_t from = n, at, wide = 0, more;

	if (columns == 0)
		return 0;
	for (at = n; at > 0;) {
		at--;
		if (((unsigned char)name[at] & 0xc0) == 0x80)
			continue;
		more = pp_text_columns(name + at, from - at);
		if (wide + more + 1 > columns)
			break;
		wide += more;
		from = at;
	}
	pp_buf_adds(out, ELLIPSIS);
	pp_buf_add(out, name + from, n - from);
	return wide + 1;
}

/* As much of the start as there is room for. */
static size_t
cut_end(struct pp_buf *out, const char *name, size_t n, size_t columns)
{
	size_t at = 0, wide = 0, step, more;

	if (columns == 0)
		return 0;
	for (; at < n; at += step, wide += more) {
		for (step = 1; at + step < n && ((unsigned char)name[at + step] & 0xc0) == 0x80;)
			step++;
		more = pp_text_columns(name + at, step);
		if (wide + more + 1 > columns)
			break;
	}
	pp_buf_add(out, name, at);
	pp_buf_adds(out, ELLIPSIS);
	return wide + 1;
}

/* Where the name begins behind what it returns, as in "bool std::less<…>::operator()(…) const"; 0 when it says nothing of that. */
static size_t
behind_type(const char *name, size_t n)
{
	const char *open = memchr(name, '(', n), *word;
	size_t at = open ? (size_t)(open - name) : 0;

	/* Spaces within "operator new" belong to the name. */
	word = memmem(name, at, "operator", 8);
	for (at = word ? (size_t)(word - name) : at; at > 0 && name[at - 1] != ' ';)
		at--;
	return at > 1 && at + 1 < n && name[at] != '(' &&
	               memchr(name + n - 8 * (n >= 8), ')', 8 * (n >= 8))
	           ? at
	           : 0;
}

/* Where the last part of a name begins, what divides it from the others included. */
static size_t
last_part(const char *name, size_t n)
{
	size_t at, last = 0;
	bool path;

	for (at = 1; at + 1 < n; at++)
		if (separator_at(name, n, at, &path) && name[at - 1] != ':')
			last = at;
	return last;
}

/* Leaves out what leads to the name, as little as will do; of the last part the middle when nothing will. */
static size_t
drop_front(struct pp_buf *out, const char *name, size_t n, size_t columns)
{
	size_t at, last = behind_type(name, n), length, wide, method;
	struct pp_buf tail = { 0 };
	bool path;

	wide = pp_text_columns(name + last, n - last);
	if (last > 0 && wide + 1 <= columns) {
		pp_buf_adds(out, ELLIPSIS);
		pp_buf_add(out, name + last, n - last);
		return wide + 1;
	}
	for (at = last; at < n; at += length ? length : 1) {
		size_t from = last;

		length = separator_at(name, n, at, &path);
		if (!length || at + length >= n || name[at] == '-' ||
		    (!path && !divided_from(name, n, at + length)))
			continue;
		last = at + (path ? 0 : length);
		/* What is passed by is measured once: a name may be all separators. */
		wide -= pp_text_columns(name + from, last - from);
		if (wide + 1 > columns)
			continue;
		pp_buf_adds(out, ELLIPSIS);
		pp_buf_add(out, name + last, n - last);
		return wide + 1;
	}
	if (last > 0 && columns < END_ONLY)
		return keep_end(out, name, n, columns);
	if (last > 0)
		pp_buf_adds(&tail, ELLIPSIS);
	method = tail.n + last_part(name + last, n - last);
	pp_buf_add(&tail, name + last, n - last);
	if (tail.failed) {
		out->failed = true;
		pp_buf_release(&tail);
		return 0;
	}
	wide = tail.p ? pp_text_columns(tail.p + method, tail.n - method) : 0;
	if (method > 0 && wide + 1 <= columns) {
		size_t room = columns - wide;

		wide += cut_end(out, tail.p ? tail.p : "", method, room < HEAD_LEAST ? 1 : room);
		pp_buf_add(out, tail.p + method, tail.n - method);
	} else if (method > 0 && wide - SEPARATOR_COLUMNS < columns &&
	           (tail.p[method] == ':' || tail.p[method] == '-')) {
		wide = 1 + wide - SEPARATOR_COLUMNS;
		pp_buf_adds(out, ELLIPSIS);
		pp_buf_add(out, tail.p + method + SEPARATOR_COLUMNS,
		           tail.n - method - SEPARATOR_COLUMNS);
	} else {
		wide = pp_text_shorten(out, tail.p ? tail.p : "", tail.n, columns);
	}
	pp_buf_release(&tail);
	return wide;
}

/* Where a word in brackets begins that belongs to no name, as in "fib (recursive)"; n when there is none. */
static size_t
remark_of(const char *name, size_t n)
{
	size_t i = n;

	if (n == 0 || (name[n - 1] != ')' && name[n - 1] != '>'))
		return n;
	while (i > 0 && n - i < REMARK_MOST && name[i - 1] != '(' && name[i - 1] != '<')
		i--;
	if (i == 0 || (name[i - 1] != '(' && name[i - 1] != '<') || memchr(name + i, ',', n - i))
		return n;
	return i == 1 ? 0 : name[i - 2] == ' ' ? i - 2 : n;
}

/* Appends a name without what stands in brackets; namespaces without a name may stay. */
static void
drop_brackets(struct pp_buf *out, const char *name, size_t whole, bool anonymous)
{
	struct pp_buf angles = { 0 };
	size_t from = out->n, n = remark_of(name, whole);

	if (!drop_inside(&angles, name, n, '<', '>', false)) {
		angles.n = 0;
		pp_buf_add(&angles, name, n);
	}
	if (!drop_inside(out, angles.p ? angles.p : "", angles.n, '(', ')', anonymous)) {
		out->n = from;
		pp_buf_add(out, angles.p, angles.n);
	}
	pp_buf_add(out, name + n, whole - n);
	out->failed |= angles.failed;
	pp_buf_release(&angles);
}

/* Where a file in brackets behind a name begins, as in "main (app.c)"; n when there is none. */
static size_t
place_of(const char *name, size_t n)
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

/* ---- chains ---- */

#define ARROW_COLUMNS 3

/* Where the last of the names begins that such arrows stand between. */
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

static bool
leads_back(const char *chain, size_t n)
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

/* Where the first name of a chain ends. */
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
	size_t end = last + place_of(chain + last, n - last), least, left;

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

/*
 * The last name, the first, which tells this line from those beside it, and as many of those before the last as there is
 * room for, each with its class at most.
 */
static size_t
chain_shorten(struct pp_buf *out, const char *chain, size_t last, size_t n, size_t columns)
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

/* The same of a chain that leads back. */
static size_t
chain_shorten_back(struct pp_buf *out, const char *chain, size_t n, size_t columns)
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

/* Without brackets, as little as will do: an anonymous namespace may stay. The columns that are taken. */
static size_t
shorten_brackets(struct pp_buf *plain, const char *name, size_t n, size_t columns)
{
	size_t wide;

	drop_brackets(plain, name, n, true);
	wide = pp_text_columns(plain->p ? plain->p : "", plain->n);
	if (wide <= columns)
		return wide;
	plain->n = 0;
	drop_brackets(plain, name, n, false);
	return pp_text_columns(plain->p ? plain->p : "", plain->n);
}

size_t
pp_name_shorten(struct pp_buf *out, const char *name, size_t n, size_t columns)
{
	struct pp_buf plain = { 0 };
	size_t wide = pp_text_columns(name, n), last, whole = n, place;

	if (wide <= columns) {
		pp_buf_add(out, name, n);
		return wide;
	}
	if (leads_back(name, n))
		return chain_shorten_back(out, name, n, columns);
	last = pp_chain_last(name, n);
	if (last > 0)
		return columns > CHAIN_LEAST ? chain_shorten(out, name, last, n, columns)
		                             : pp_name_shorten(out, name + last, n - last, columns);
	/* The name comes before its place. */
	n = place_of(name, whole);
	place = pp_text_columns(name + n, whole - n);
	if (n < whole && wide - place <= columns) {
		pp_buf_add(out, name, n);
		return wide - place;
	}
	wide = shorten_brackets(&plain, name, n, columns);
	out->failed |= plain.failed;
	if (wide <= columns) {
		pp_buf_add(out, plain.p, plain.n);
		if (wide + place <= columns) {
			pp_buf_add(out, name + n, whole - n);
			wide += place;
		}
	} else {
		wide = drop_front(out, plain.p ? plain.p : "", plain.n, columns);
	}
	pp_buf_release(&plain);
	return wide;
}

size_t
pp_name_fit(struct pp_buf *out, const char *name, size_t n, size_t columns, enum pp_names how,
            bool cut)
{
	struct pp_buf plain = { 0 };
	size_t wide;

	if (how == PP_NAMES_FIT)
		return pp_name_shorten(out, name, n, columns);
	if (how == PP_NAMES_SHORT) {
		drop_brackets(&plain, name, n, true);
		wide = pp_name_shorten(out, plain.p ? plain.p : "", plain.n,
		                       columns < PP_NAMES_SHORT_MOST ? columns
		                                                     : PP_NAMES_SHORT_MOST);
		out->failed |= plain.failed;
		pp_buf_release(&plain);
		return wide;
	}
	wide = pp_text_columns(name, n);
	if (cut && wide > columns)
		return cut_end(out, name, n, columns);
	pp_buf_add(out, name, n);
	return wide;
}

/* ---- apart from another ---- */

/* The outermost brackets around a byte: where they open and close; false when it stands in none. */
static bool
brackets_around(const char *name, size_t n, size_t at, size_t *open, size_t *close)
{
	size_t depth = 0, i;
	char opens = 0, closes = 0;
	bool found = false;

	for (i = 0; i < n && !found; i++) {
		char c = name[i];

		if (depth == 0 && (c == '(' || c == '<') &&
		    !(c == '<' && names_operator(name, i))) {
			opens = c;
			closes = c == '<' ? '>' : ')';
			*open = i;
			depth = 1;
		} else if (depth > 0 && c == opens) {
			depth++;
		} else if (depth > 0 && c == closes && name[i - 1] != '-' && --depth == 0) {
			*close = i;
			found = *open < at && at <= i;
		}
	}
	return found;
}

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Whole words from `from` on, as many as there is room for, the first one in any case: where they end. */
static size_t
words_end(const char *name, size_t from, size_t differs, size_t close, size_t room)
{
	size_t to = from;

	while (to < close) {
		size_t word = to + 1;

		while (word < close && is_word(name[word]) && is_word(name[word - 1]))
			word++;
		if (to > differs && pp_text_columns(name + from, word - from) > room)
			break;
		to = word;
	}
	return to;
}

/* Where a part of what brackets hold ends if all of its own brackets match up; `to` if it would not show byte `differs` then. */
static size_t
balanced_end(const char *name, size_t from, size_t differs, size_t to)
{
	size_t depth = 0, opened = to, i;

	for (i = from; i < to; i++) {
		char c = name[i];

		if (strchr("(<{[", c) && c) {
			opened = depth++ == 0 ? i : opened;
		} else if (strchr(")>}]", c) && c &&
		           !(c == '>' && i > from && name[i - 1] == '-')) {
			if (depth == 0)
				break;
			depth--;
		}
	}
	i = depth > 0 ? opened : i;
	while (i < to && i > differs + 1 && !is_word(name[i - 1]))
		i--;
	return i > differs ? i : to;
}

/* What stands before the brackets, or only that it is left out. */
static void
head_add(struct pp_buf *out, const struct pp_buf *head, size_t room)
{
	struct pp_buf front = { 0 };

	if (pp_text_columns(head->p ? head->p : "", head->n) <= room) {
		pp_buf_add(out, head->p, head->n);
		return;
	}
	if (drop_front(&front, head->p, head->n, room) <= room && front.n > 0 && room > APART_LEAST)
		pp_buf_add(out, front.p, front.n);
	else
		pp_buf_adds(out, ELLIPSIS);
	out->failed |= front.failed;
	pp_buf_release(&front);
}

bool
pp_name_shorten_apart(struct pp_buf *out, const char *name, size_t n, size_t columns,
                      size_t differs)
{
	struct pp_buf head = { 0 }, tail = { 0 }, inside = { 0 };
	size_t open = 0, close = 0, from = differs, to, used, room, before;

	if (differs >= n || !brackets_around(name, n, differs, &open, &close))
		return false;
	while (from > open + 1 && is_word(name[from - 1]))
		from--;
	drop_brackets(&head, name, open, false);
	drop_brackets(&tail, name + close + 1, n - close - 1, false);
	used = pp_text_columns(head.p ? head.p : "", head.n) +
	       pp_text_columns(tail.p ? tail.p : "", tail.n) + 4;
	to = words_end(name, from, differs, close, columns > used ? columns - used : 0);
	to = balanced_end(name, from, differs, to);
	pp_buf_addf(&inside, "%c%s", name[open], from > open + 1 ? ELLIPSIS : "");
	pp_buf_add(&inside, name + from, to - from);
	pp_buf_addf(&inside, "%s%c", to < close ? ELLIPSIS : "", name[close]);
	used = pp_text_columns(inside.p ? inside.p : "", inside.n);
	room = columns > used + 1 ? columns - used - 1 : 0;
	before = out->n;
	if (room >= APART_LEAST || tail.n == 0) {
		size_t behind = pp_text_columns(tail.p ? tail.p : "", tail.n);

		behind = behind < room ? behind : room;
		head_add(out, &head, room + 1 - behind);
		pp_buf_add(out, inside.p, inside.n);
		(void)pp_text_shorten(out, tail.p ? tail.p : "", tail.n, behind);
	}
	out->failed |= head.failed || tail.failed || inside.failed;
	pp_buf_release(&head);
	pp_buf_release(&tail);
	pp_buf_release(&inside);
	if (out->n > before && out->p &&
	    pp_text_columns(out->p + before, out->n - before) > columns)
		out->n = before;
	return out->n > before;
}
