/*
 * Names that fit. The viewer has the same rules in web/viewer/text.ts.
 */
#include "text/shorten.h"

#include <string.h>

#include "text/escape.h"
#include "text/shorten_brackets.h"
#include "text/shorten_chain.h"
#include "text/signature.h"

#define ELLIPSIS "\xe2\x80\xa6"
/* Columns in which there is no room for two ellipses. */
#define END_ONLY 8
/* What stays of a class before its method, with an ellipsis. */
#define HEAD_LEAST 6
/* "::" and "->". */
#define SEPARATOR_COLUMNS 2
/* What tells two names apart gets at least so much, and so does what stands behind it. */
#define APART_LEAST 12

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

/* The same without what divides it from the others. */
static size_t
own_begin(const char *name, size_t n)
{
	size_t last = last_part(name, n);
	bool path;

	return last > 0 ? last + separator_at(name, n, last, &path) : 0;
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

/* ---- what compilers and profilers put behind a name ---- */

/* A name in parts: the function, " [clone .isra.0]", "'2'main". */
struct tailed {
	size_t core;  /* where the name itself ends */
	size_t clone; /* where its clones end, and the level of recursion and callers begin */
};

static struct tailed
tail_of(const char *name, size_t n)
{
	struct tailed t = { n, n };

	t.clone = pp_signature_contexts(pp_slice_of(name, n));
	t.core = pp_signature_clones(pp_slice_of(name, t.clone));
	return t;
}

/* " [clone .isra.0] [clone .cold]" as " [isra cold]", or with numbers as " [isra.0 cold]". */
static void
clones_add(struct pp_buf *out, const char *name, size_t n, bool numbers)
{
	static const char word[] = "[clone .";
	bool first = true;
	size_t i, end;

	for (i = 0; i + sizeof word - 1 < n; i++) {
		if (memcmp(name + i, word, sizeof word - 1) != 0)
			continue;
		i += sizeof word - 1;
		for (end = i; end < n && name[end] != ']' && (numbers || name[end] != '.'); end++)
			;
		pp_buf_adds(out, first ? " [" : " ");
		pp_buf_add(out, name + i, end - i);
		first = false;
	}
	pp_buf_adds(out, first ? "" : "]");
}

/* Appends a name without its return type, with its clones as a short mark. */
static void
core_add(struct pp_buf *out, const char *name, struct tailed t, bool type)
{
	struct pp_signature s = pp_signature_of(pp_slice_of(name, t.core));
	size_t from = type ? (size_t)((const char *)s.name.p - name) : 0;

	/* A function that returns a function is inside of its type. */
	if (s.type.n && s.rest.n && s.rest.p[0] == '(')
		from = 0;
	pp_buf_add(out, name + from, t.core - from);
	clones_add(out, name + t.core, t.clone - t.core, false);
}

/* Appends one caller, "'" included, without its type and without what stands in brackets. */
static void
caller_add(struct pp_buf *out, const char *name, size_t n)
{
	size_t core_n = 1 + pp_signature_clones(pp_slice_of(name + 1, n - 1));
	struct pp_buf core = { 0 };

	core_add(&core, name + 1, (struct tailed){ core_n - 1, core_n - 1 }, true);
	pp_buf_adds(out, "'");
	pp_name_drop_brackets(out, core.p ? core.p : "", core.n, true);
	clones_add(out, name + core_n, n - core_n, false);
	out->failed |= core.failed;
	pp_buf_release(&core);
}

/* The length of the caller that "'2'main" begins with. */
static size_t
caller_length(const char *name, size_t n)
{
	return 1 + pp_signature_caller(pp_slice_of(name + 1, n - 1));
}

/* Appends "'2'main" in as few words as show all callers. */
static void
callers_add(struct pp_buf *out, const char *name, size_t n)
{
	size_t at, length;

	for (at = 0; at < n; at += length) {
		length = caller_length(name + at, n - at);
		caller_add(out, name + at, length);
	}
}

/* How much of "'2'main" is kept. */
enum callers { CALLERS_FULL, CALLERS_SHORT, CALLERS_NONE };

/* Appends a name with its clones as a short mark, without its return type, and with as much of its callers. */
static void
tail_drop(struct pp_buf *out, const char *name, size_t n, bool type, enum callers callers)
{
	struct tailed t = tail_of(name, n);

	core_add(out, name, t, type);
	if (callers == CALLERS_FULL)
		pp_buf_add(out, name + t.clone, n - t.clone);
	else if (callers == CALLERS_SHORT)
		callers_add(out, name + t.clone, n - t.clone);
}

/* The columns that the last part of a name takes without its brackets. */
static size_t
own_columns(const char *name, size_t n)
{
	struct pp_slice s = pp_signature_of(pp_slice_of(name, tail_of(name, n).core)).name;
	struct pp_buf plain = { 0 };
	size_t wide, last;

	pp_name_drop_brackets(&plain, (const char *)s.p, s.n, true);
	last = own_begin(plain.p ? plain.p : "", plain.n);
	wide = pp_text_columns(plain.p ? plain.p + last : "", plain.n - last);
	pp_buf_release(&plain);
	return wide;
}

static size_t one_shorten(struct pp_buf *, const char *name, size_t n, size_t columns,
                          unsigned layers);

/* Shortens a name and keeps its tail, unless the name's last part would be cut. */
static size_t
shorten_tailed(struct pp_buf *out, const char *name, size_t n, const struct pp_buf *tail,
               size_t columns, unsigned layers)
{
	size_t wide = pp_text_columns(tail->p ? tail->p : "", tail->n);

	size_t room = columns > wide ? columns - wide : 0, all = pp_text_columns(name, n);
	bool has_tail = room > own_columns(name, n);

	room = has_tail ? room : columns;
	if (all <= room)
		pp_buf_add(out, name, n);
	else
		all = one_shorten(out, name, n, room, layers);
	if (has_tail)
		pp_buf_add(out, tail->p, tail->n);
	return all + (has_tail ? wide : 0);
}

/*
 * A name that is too wide, with what compilers and callgrind put around names: its clones become a mark, then its type,
 * the level of recursion and callers go, before anything of the name itself does. False when it has nothing of that.
 */
static bool
shorten_around(struct pp_buf *out, const char *name, size_t n, size_t columns, size_t *wide)
{
	struct tailed t = tail_of(name, n);
	struct pp_buf plain = { 0 }, mark = { 0 };
	unsigned step;

	for (step = 0; step < 4; step++) {
		plain.n = 0;
		tail_drop(&plain, name, n, step > 0,
		          step < 2    ? CALLERS_FULL
		          : step == 2 ? CALLERS_SHORT
		                      : CALLERS_NONE);
		*wide = pp_text_columns(plain.p ? plain.p : "", plain.n);
		if (*wide <= columns)
			break;
	}
	if (plain.failed || plain.n >= n) {
		out->failed |= plain.failed;
		pp_buf_release(&plain);
		return false;
	}
	if (step < 4) {
		pp_buf_add(out, plain.p, plain.n);
	} else {
		clones_add(&mark, name + t.core, t.clone - t.core, false);
		*wide = shorten_tailed(out, plain.p, plain.n - mark.n, &mark, columns, 0);
		out->failed |= mark.failed;
	}
	pp_buf_release(&plain);
	pp_buf_release(&mark);
	return true;
}

/* Returns where a remark such as " (recursive)" or " <cycle 2>" begins, or n. */
static size_t
own_remark(const char *name, size_t n)
{
	size_t at = pp_name_remark(name, n);
	struct pp_slice remark = pp_slice_of(name + at, n - at);

	return pp_slice_eq_z(remark, " (recursive)") || pp_slice_starts(remark, " (cycle ") ||
	               pp_slice_starts(remark, " <cycle ")
	           ? at
	           : n;
}

/* Without template arguments, then without parameters, as little as will do: an anonymous namespace may stay. */
static size_t
shorten_brackets(struct pp_buf *plain, const char *name, size_t n, size_t columns)
{
	size_t whole = n, wide;

	n = pp_name_remark(name, whole);
	if (pp_name_drop_inside(plain, name, n, '<', '>', false)) {
		pp_buf_add(plain, name + n, whole - n);
		wide = pp_text_columns(plain->p ? plain->p : "", plain->n);
		if (wide <= columns)
			return wide;
	}
	plain->n = 0;
	pp_name_drop_brackets(plain, name, whole, true);
	wide = pp_text_columns(plain->p ? plain->p : "", plain->n);
	if (wide <= columns)
		return wide;
	plain->n = 0;
	pp_name_drop_brackets(plain, name, whole, false);
	return pp_text_columns(plain->p ? plain->p : "", plain->n);
}

/* Takes "(…) const" and "<…>" off a name whose last part is too wide with them. */
static void
drop_empty_brackets(struct pp_buf *plain, size_t columns)
{
	static const char angles[] = "<" ELLIPSIS ">";
	const char *name = plain->p ? plain->p : "";
	struct pp_signature s = pp_signature_of(pp_slice_of(name, plain->n));
	size_t core = s.params.n && s.type.n == 0 ? s.name.n : plain->n, n = sizeof angles - 1;
	size_t last = own_begin(name, core);

	if (pp_text_columns(name + last, plain->n - last) < columns)
		return;
	plain->n = core;
	if (pp_text_columns(name + last, core - last) >= columns && core > last + n &&
	    memcmp(name + core - n, angles, n) == 0)
		plain->n -= n;
}

/*
 * Shortens one name, which is no chain and too wide. `layers` bounds the recursion for hostile names: 2 = with a remark of
 * a tree behind it, 1 = with the additions of compilers around it, 0 = the bare name.
 */
static size_t
one_shorten(struct pp_buf *out, const char *name, size_t n, size_t columns, unsigned layers)
{
	struct pp_buf plain = { 0 };
	size_t whole = n, wide = pp_text_columns(name, n), place;

	/* The name comes before its place. */
	n = pp_name_place(name, whole);
	place = pp_text_columns(name + n, whole - n);
	if (wide - place <= columns) {
		pp_buf_add(out, name, n);
		return wide - place;
	}
	if (layers > 1 && own_remark(name, n) < n) {
		size_t at = own_remark(name, n);
		struct pp_buf remark = { 0 };

		pp_buf_add(&remark, name + at, n - at);
		wide = shorten_tailed(out, name, at, &remark, columns, 1);
		out->failed |= remark.failed;
		pp_buf_release(&remark);
		return wide;
	}
	if (layers > 0 && shorten_around(out, name, n, columns, &wide))
		return wide;
	wide = shorten_brackets(&plain, name, n, columns);
	if (wide > columns) {
		drop_empty_brackets(&plain, columns);
		wide = pp_text_columns(plain.p ? plain.p : "", plain.n);
	}
	out->failed |= plain.failed;
	if (wide <= columns) {
		pp_buf_add(out, plain.p, plain.n);
		if (wide + place <= columns) {
			pp_buf_add(out, name + n, whole - n);
			wide += place;
		}
	} else {
		/* Its own name fits, but not with an ellipsis before it. */
		size_t own = own_begin(plain.p ? plain.p : "", plain.n);
		bool alone = own > 0 && pp_text_columns(plain.p + own, plain.n - own) == columns;

		wide = alone ? columns : drop_front(out, plain.p ? plain.p : "", plain.n, columns);
		if (alone)
			pp_buf_add(out, plain.p + own, plain.n - own);
	}
	pp_buf_release(&plain);
	return wide;
}

size_t
pp_name_shorten(struct pp_buf *out, const char *name, size_t n, size_t columns)
{
	size_t wide = pp_text_columns(name, n), last;

	if (wide <= columns) {
		pp_buf_add(out, name, n);
		return wide;
	}
	if (pp_chain_leads_back(name, n))
		return pp_chain_shorten_back(out, name, n, columns);
	last = pp_chain_last(name, n);
	if (last > 0)
		return columns > PP_CHAIN_LEAST
		           ? pp_chain_shorten(out, name, last, n, columns)
		           : pp_name_shorten(out, name + last, n - last, columns);
	return one_shorten(out, name, n, columns, 2);
}

size_t
pp_name_fit(struct pp_buf *out, const char *name, size_t n, size_t columns, enum pp_names how,
            bool cut)
{
	struct pp_buf plain = { 0 }, core = { 0 };
	size_t wide;

	if (how == PP_NAMES_FIT)
		return pp_name_shorten(out, name, n, columns);
	if (how == PP_NAMES_SHORT) {
		struct tailed t = tail_of(name, n);

		core_add(&core, name, (struct tailed){ t.core, t.core }, true);
		pp_name_drop_brackets(&plain, core.p ? core.p : "", core.n, true);
		clones_add(&plain, name + t.core, t.clone - t.core, false);
		callers_add(&plain, name + t.clone, n - t.clone);
		columns = columns < PP_NAMES_SHORT_MOST ? columns : PP_NAMES_SHORT_MOST;
		wide = pp_name_shorten(out, plain.p ? plain.p : "", plain.n, columns);
		out->failed |= plain.failed || core.failed;
		pp_buf_release(&plain);
		pp_buf_release(&core);
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
		    !(c == '<' && pp_name_is_operator(name, i))) {
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

/* Appends all callers if they fit, else the one in which names differ, with an ellipsis for those before it. */
static void
callers_fit(struct pp_buf *out, const char *name, size_t n, size_t differs, size_t columns)
{
	struct pp_buf text = { 0 };
	size_t at = 0, length = n ? caller_length(name, n) : 0;

	callers_add(&text, name, n);
	if (pp_text_columns(text.p ? text.p : "", text.n) <= columns) {
		pp_buf_add(out, text.p, text.n);
	} else if (columns > APART_LEAST) {
		while (differs >= at + length && at + length < n) {
			at += length;
			length = caller_length(name + at, n - at);
		}
		pp_buf_adds(out, at > 0 ? "'" ELLIPSIS "'" : "'");
		text.n = 0;
		caller_add(&text, name + at, length);
		(void)pp_name_shorten(out, text.p ? text.p + 1 : "", text.n - (text.n > 0),
		                      columns - (at > 0 ? 3 : 1));
	}
	out->failed |= text.failed;
	pp_buf_release(&text);
}

/* Shortens a name that differs from others in its tail: the tail stays, the name gives way. */
static bool
shorten_tail_apart(struct pp_buf *out, const char *name, size_t n, size_t columns, size_t differs)
{
	struct tailed t = tail_of(name, n);
	struct pp_buf core = { 0 }, tail = { 0 };
	size_t before = out->n, own;

	core_add(&core, name, (struct tailed){ t.core, t.core }, true);
	clones_add(&tail, name + t.core, t.clone - t.core, true);
	own = own_columns(core.p ? core.p : "", core.n) + 1 +
	      pp_text_columns(tail.p ? tail.p : "", tail.n);
	callers_fit(&tail, name + t.clone, n - t.clone, differs > t.clone ? differs - t.clone : 0,
	            columns > own ? columns - own : 0);
	(void)shorten_tailed(out, core.p ? core.p : "", core.n, &tail, columns, 1);
	out->failed |= core.failed || tail.failed;
	pp_buf_release(&core);
	pp_buf_release(&tail);
	return out->n > before;
}

void
pp_name_shorten_middle(struct pp_buf *out, const char *name, size_t n, size_t columns)
{
	struct tailed t = tail_of(name, n);
	struct pp_slice s = pp_signature_of(pp_slice_of(name, t.core)).name;
	struct pp_buf plain = { 0 };
	size_t last, wide;

	pp_name_drop_brackets(&plain, (const char *)s.p, s.n, true);
	last = own_begin(plain.p ? plain.p : "", plain.n);
	wide = pp_text_columns(plain.p ? plain.p + last : "", plain.n - last);
	/* The front is either visible already or gone. */
	if (last == 0 || wide + 3 > columns || pp_text_columns(plain.p, last) + wide <= columns) {
		(void)pp_name_shorten(out, name, n, columns);
	} else {
		(void)cut_end(out, (const char *)s.p, s.n, columns - wide);
		pp_buf_add(out, plain.p + last, plain.n - last);
	}
	out->failed |= plain.failed;
	pp_buf_release(&plain);
}

/* Adds what stands behind the brackets that differ, "::method<…>(…)"; false if the method's name would be cut. */
static bool
tail_fit(struct pp_buf *out, const struct pp_buf *tail, size_t columns)
{
	const char *p = tail->p ? tail->p : "";
	size_t from = tail->n > 2 && memcmp(p, "::", 2) == 0 ? 2 : 0;

	if (pp_text_columns(p, tail->n) <= columns) {
		pp_buf_add(out, p, tail->n);
		return true;
	}
	if (columns < from || own_columns(p + from, tail->n - from) > columns - from)
		return false;
	pp_buf_add(out, p, from);
	(void)pp_name_shorten(out, p + from, tail->n - from, columns - from);
	return true;
}

bool
pp_name_shorten_apart(struct pp_buf *out, const char *name, size_t n, size_t columns,
                      size_t differs)
{
	struct pp_buf head = { 0 }, tail = { 0 }, inside = { 0 };
	size_t open = 0, close = 0, from = differs, to, used, room, before;

	if (differs >= tail_of(name, n).core && differs > 0 && tail_of(name, n).core < n)
		return shorten_tail_apart(out, name, n, columns, differs);
	/* Names that differ before that are told apart without it. */
	n = tail_of(name, n).clone;
	if (differs >= n || !brackets_around(name, n, differs, &open, &close))
		return false;
	while (from > open + 1 && is_word(name[from - 1]))
		from--;
	pp_name_drop_brackets(&head, name, open, false);
	pp_name_drop_brackets(&tail, name + close + 1, n - close - 1, false);
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
		if (!tail_fit(out, &tail, behind))
			out->n = before;
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
