/*
 * Names that fit. The viewer has the same rules in web/viewer/text.ts.
 */
#include "text/shorten.h"

#include <string.h>

#include "text/escape.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* Whether a '<' is the operator of that name. */
static bool
names_operator(const struct pp_buf *before)
{
	size_t n = before->n;

	while (n > 0 && before->p[n - 1] == '<')
		n--;
	return n >= 8 && memcmp(before->p + n - 8, "operator", 8) == 0;
}

/* Replaces what stands in brackets of one kind by an ellipsis; false when they do not match up. */
static bool
drop_inside(struct pp_buf *out, const char *name, size_t n, char open, char close)
{
	size_t depth = 0, i;

	for (i = 0; i < n; i++) {
		bool arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';

		if (name[i] == open && !(open == '<' && depth == 0 && names_operator(out))) {
			if (depth++ == 0)
				pp_buf_addf(out, "%c" ELLIPSIS, open);
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

/* Leaves out what leads to the name, as little as will do; the last part when nothing will. */
static size_t
drop_front(struct pp_buf *out, const char *name, size_t n, size_t columns)
{
	size_t at = 0, last = 0, length, wide;
	struct pp_buf tail = { 0 };
	bool path;

	for (at = 0; at < n; at += length ? length : 1) {
		length = separator_at(name, n, at, &path);
		if (!length || at + length >= n || name[at] == '-' ||
		    (!path && !divided_from(name, n, at + length)))
			continue;
		last = at + (path ? 0 : length);
		wide = pp_text_columns(name + last, n - last);
		if (wide + 1 > columns)
			continue;
		pp_buf_adds(out, ELLIPSIS);
		pp_buf_add(out, name + last, n - last);
		return wide + 1;
	}
	if (last > 0)
		pp_buf_adds(&tail, ELLIPSIS);
	pp_buf_add(&tail, name + last, n - last);
	wide = pp_text_shorten(out, tail.p ? tail.p : "", tail.n, columns);
	out->failed |= tail.failed;
	pp_buf_release(&tail);
	return wide;
}

size_t
pp_name_shorten(struct pp_buf *out, const char *name, size_t n, size_t columns)
{
	struct pp_buf angles = { 0 }, plain = { 0 };
	size_t wide = pp_text_columns(name, n);

	if (wide <= columns) {
		pp_buf_add(out, name, n);
		return wide;
	}
	if (!drop_inside(&angles, name, n, '<', '>')) {
		angles.n = 0;
		pp_buf_add(&angles, name, n);
	}
	if (!drop_inside(&plain, angles.p ? angles.p : "", angles.n, '(', ')')) {
		plain.n = 0;
		pp_buf_add(&plain, angles.p, angles.n);
	}
	out->failed |= angles.failed || plain.failed;
	wide = pp_text_columns(plain.p ? plain.p : "", plain.n);
	if (wide <= columns)
		pp_buf_add(out, plain.p, plain.n);
	else
		wide = drop_front(out, plain.p ? plain.p : "", plain.n, columns);
	pp_buf_release(&angles);
	pp_buf_release(&plain);
	return wide;
}
