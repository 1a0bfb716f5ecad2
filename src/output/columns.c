/*
 * Columns of bytes for a viewer.
 */
#include "output/columns.h"

#include <stdio.h>

#include "base/varint.h"
#include "io/squeeze.h"

void
pp_columns_release(struct pp_columns *c)
{
	pp_buf_release(&c->bytes);
}

static void
put_varint(struct pp_columns *c, uint64_t v)
{
	unsigned char bytes[PP_VARINT_MAX];

	pp_buf_add(&c->bytes, bytes, (size_t)(pp_varint_put(bytes, v) - bytes));
	c->count++;
}

static void
put_le(char *to, uint64_t v, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		to[i] = (char)(unsigned char)(v >> (8 * i));
}

static void
column_begin(struct pp_columns *c, char kind, const char *name, va_list args)
{
	char text[96];
	int n = vsnprintf(text, sizeof text, name, args);

	if (n < 0 || (size_t)n >= sizeof text)
		c->bytes.failed = true;
	pp_buf_addc(&c->bytes, (char)n);
	pp_buf_adds(&c->bytes, text);
	pp_buf_addc(&c->bytes, kind);
	c->head = c->bytes.n;
	pp_buf_add(&c->bytes, "\0\0\0\0\0\0\0", 8);
	c->body = c->bytes.n;
	c->count = 0;
	c->last = 0;
}

void
pp_column_begin(struct pp_columns *c, char kind, const char *name, ...)
{
	va_list args;

	va_start(args, name);
	column_begin(c, kind, name, args);
	va_end(args);
}

void
pp_column_u(struct pp_columns *c, uint64_t v)
{
	put_varint(c, v);
}

void
pp_column_d(struct pp_columns *c, uint32_t v)
{
	put_varint(c, pp_zigzag((int64_t)v - (int64_t)c->last));
	c->last = v;
}

void
pp_column_z(struct pp_columns *c, int64_t v)
{
	put_varint(c, pp_zigzag(v));
}

void
pp_column_f(struct pp_columns *c, double v)
{
	uint64_t bits;
	char bytes[8];

	memcpy(&bits, &v, sizeof bits);
	put_le(bytes, bits, sizeof bytes);
	pp_buf_add(&c->bytes, bytes, sizeof bytes);
	c->count++;
}

void
pp_column_end(struct pp_columns *c)
{
	size_t n = c->bytes.n - c->body;

	if (c->bytes.failed)
		return;
	c->too_large = c->too_large || n > UINT32_MAX || c->count > UINT32_MAX;
	put_le(c->bytes.p + c->head, c->count, 4);
	put_le(c->bytes.p + c->head + 4, n, 4);
}

void
pp_column_u32(struct pp_columns *c, char kind, const uint32_t *v, size_t n, const char *name, ...)
{
	va_list args;
	size_t i;

	va_start(args, name);
	column_begin(c, kind, name, args);
	va_end(args);
	for (i = 0; i < n; i++)
		if (kind == 'd')
			pp_column_d(c, v[i]);
		else
			pp_column_u(c, v[i]);
	pp_column_end(c);
}

void
pp_column_bytes(struct pp_columns *c, const char *name, const void *bytes, size_t n)
{
	pp_column_begin(c, 'b', "%s", name);
	pp_buf_add(&c->bytes, bytes, n);
	c->count = n;
	pp_column_end(c);
}

void
pp_column_values(struct pp_columns *c, const char *name, const struct pp_metric *m,
                 const union pp_value *v, size_t n, size_t stride)
{
	bool narrow = m->type != PP_REAL;
	size_t i;

	for (i = 0; narrow && i < n; i++)
		narrow = v[i * stride].i >= INT64_MIN && v[i * stride].i <= INT64_MAX;
	pp_column_begin(c, narrow ? 'z' : 'f', "%s", name);
	for (i = 0; i < n; i++) {
		if (narrow)
			pp_column_z(c, (int64_t)v[i * stride].i);
		else if (m->type == PP_REAL)
			pp_column_f(c, v[i * stride].d);
		else
			pp_column_f(c, (double)v[i * stride].i);
	}
	pp_column_end(c);
}

pp_status
pp_columns_pack(struct pp_slice in, struct pp_buf *out)
{
	struct pp_squeeze *squeeze = pp_squeeze_gzip();
	bool done = false, ok = squeeze != NULL;

	out->n = 0;
	while (ok && !done) {
		char *room = pp_buf_room(out, 65536);
		size_t made = 0;

		ok = room &&
		     squeeze->step(squeeze, &in, true, (unsigned char *)room, 65536, &made, &done);
		out->n += made;
	}
	if (squeeze)
		squeeze->free(squeeze);
	return ok ? PP_OK : PP_E_NOMEM;
}
