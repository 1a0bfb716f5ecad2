/*
 * A growable byte string for building text.
 */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

char *
pp_buf_room(struct pp_buf *b, size_t n)
{
	size_t need, cap;
	char *moved;

	if (b->failed)
		return NULL;
	if (b->p && n < b->cap - b->n)
		return b->p + b->n;
	if (!pp_size_add(b->n, n, &need) || !pp_size_add(need, 1, &need)) {
		b->failed = true;
		return NULL;
	}
	cap = b->cap + b->cap / 2 + 64;
	if (cap < need)
		cap = need;
	moved = realloc(b->p, cap);
	if (!moved) {
		b->failed = true;
		return NULL;
	}
	b->p = moved;
	b->cap = cap;
	b->p[b->n] = '\0';
	return b->p + b->n;
}

void
pp_buf_add(struct pp_buf *b, const void *bytes, size_t n)
{
	char *to = pp_buf_room(b, n);

	if (!to)
		return;
	if (n)
		memcpy(to, bytes, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void
pp_buf_adds(struct pp_buf *b, const char *z)
{
	pp_buf_add(b, z, strlen(z));
}

void
pp_buf_addc(struct pp_buf *b, char c)
{
	pp_buf_add(b, &c, 1);
}

void
pp_buf_vaddf(struct pp_buf *b, const char *fmt, va_list args)
{
	va_list again;
	char *to;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	to = n < 0 ? NULL : pp_buf_room(b, (size_t)n);
	if (to) {
		vsnprintf(to, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	} else {
		b->failed = true;
	}
	va_end(again);
}

void
pp_buf_addf(struct pp_buf *b, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	pp_buf_vaddf(b, fmt, args);
	va_end(args);
}

void
pp_buf_release(struct pp_buf *b)
{
	free(b->p);
	*b = (struct pp_buf){ 0 };
}
