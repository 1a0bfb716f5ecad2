/*
 * Taking bytes apart: what every text format needs and none should write again. All of it is inline;
 * common.h has the slice itself, its order and its equality.
 */
#ifndef PP_SLICE_H
#define PP_SLICE_H

#include "base/common.h"

/* ---- bytes ---- */

static inline bool
pp_is_digit(unsigned char c)
{
	return (unsigned)c - '0' <= 9;
}

/* A blank within a line. */
static inline bool
pp_is_blank(unsigned char c)
{
	return c == ' ' || c == '\t';
}

/* What isspace() says of ASCII, whatever the locale. */
static inline bool
pp_is_space(unsigned char c)
{
	return c == ' ' || (unsigned)c - '\t' <= '\r' - '\t';
}

/* ---- parts of a slice ---- */

/* Without its first n bytes, of which there are as many. */
static inline struct pp_slice
pp_slice_from(struct pp_slice s, size_t n)
{
	return pp_slice_of(n ? s.p + n : s.p, s.n - n);
}

/* What lies between two bytes of the same text. */
static inline struct pp_slice
pp_slice_between(const unsigned char *begin, const unsigned char *end)
{
	return pp_slice_of(begin, (size_t)(end - begin));
}

static inline bool
pp_slice_starts(struct pp_slice s, const char *z)
{
	size_t n = strlen(z);

	return s.n >= n && memcmp(s.p, z, n) == 0;
}

static inline bool
pp_slice_ends(struct pp_slice s, const char *z)
{
	size_t n = strlen(z);

	return s.n >= n && memcmp(s.p + s.n - n, z, n) == 0;
}

static inline bool
pp_slice_holds(struct pp_slice s, const char *z)
{
	return s.n && memmem(s.p, s.n, z, strlen(z)) != NULL;
}

/* Takes a word off the front; false when the slice does not start with it. */
static inline bool
pp_slice_take(struct pp_slice *s, const char *z)
{
	if (!pp_slice_starts(*s, z))
		return false;
	*s = pp_slice_from(*s, strlen(z));
	return true;
}

/* The first byte of that value, or NULL. */
static inline const unsigned char *
pp_slice_find(struct pp_slice s, unsigned char c)
{
	return s.n ? memchr(s.p, c, s.n) : NULL;
}

static inline size_t
pp_slice_count(struct pp_slice s, unsigned char c)
{
	size_t n = 0, i;

	for (i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* Without blanks and carriage returns at its ends. */
static inline struct pp_slice
pp_slice_trim(struct pp_slice s)
{
	while (s.n && (pp_is_blank(s.p[0]) || s.p[0] == '\r'))
		s = pp_slice_from(s, 1);
	while (s.n && (pp_is_blank(s.p[s.n - 1]) || s.p[s.n - 1] == '\r'))
		s.n--;
	return s;
}

/* Without the carriage return at its end. */
static inline struct pp_slice
pp_slice_chomp(struct pp_slice line)
{
	line.n -= line.n && line.p[line.n - 1] == '\r';
	return line;
}

/* ---- one after the other ---- */

/*
 * Takes what stands before the next `separator`, and that, off the front; all of it when there is none
 * (*found is then false).
 */
static inline struct pp_slice
pp_slice_cut(struct pp_slice *rest, unsigned char separator, bool *found)
{
	const unsigned char *at = pp_slice_find(*rest, separator);
	struct pp_slice head = pp_slice_of(rest->p, at ? (size_t)(at - rest->p) : rest->n);

	*found = at != NULL;
	*rest = pp_slice_from(*rest, head.n + *found);
	return head;
}

/* The next line, without its newline; false when nothing is left. The last may lack the newline. */
static inline bool
pp_slice_line(struct pp_slice *rest, struct pp_slice *line)
{
	bool ended, any = rest->n > 0;

	*line = pp_slice_cut(rest, '\n', &ended);
	return any;
}

/* The next field; false when the last one was taken. An empty slice is one empty field: *more is true at first. */
static inline bool
pp_slice_field(struct pp_slice *rest, unsigned char separator, bool *more, struct pp_slice *field)
{
	if (!*more)
		return false;
	*field = pp_slice_cut(rest, separator, more);
	return true;
}

/* The next word between blanks; false when there is none. */
static inline bool
pp_slice_word(struct pp_slice *rest, struct pp_slice *word)
{
	size_t n = 0;

	*rest = pp_slice_trim(*rest);
	while (n < rest->n && !pp_is_blank(rest->p[n]))
		n++;
	*word = pp_slice_of(rest->p, n);
	*rest = pp_slice_from(*rest, n);
	return n > 0;
}

/* ---- lines in a text ---- */

/* The end of the line that p is in, newline included; `end` when it has none. A record end for pp_parts_cut(). */
static inline const unsigned char *
pp_line_end(const unsigned char *p, const unsigned char *end)
{
	const unsigned char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return newline ? newline + 1 : end;
}

/* The end of the last whole line of [from, to), or `from`. */
static inline const unsigned char *
pp_last_line_end(const unsigned char *from, const unsigned char *to)
{
	while (to > from && to[-1] != '\n')
		to--;
	return to;
}

/* ---- in messages ---- */

/* A slice for "%.*s" in a finding: at most `most` bytes of it. */
#define PP_CLIP(slice, most) (int)((slice).n < (most) ? (slice).n : (most)), (const char *)(slice).p
#define PP_SHOWN(slice) PP_CLIP(slice, 80)

#endif
