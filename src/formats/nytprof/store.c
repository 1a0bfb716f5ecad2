/*
 * The records of a stream as they were read. Carried by another format: where the 'z' is, 8 bytes with the low
 * one first, then all bytes.
 */
#include "formats/nytprof/store.h"

#include <stdlib.h>

#include "base/slice.h"

struct pp_nyt_store *
pp_nyt_store_new(void)
{
	return calloc(1, sizeof(struct pp_nyt_store));
}

void
pp_nyt_store_free(void *ctx)
{
	struct pp_nyt_store *s = ctx;

	if (s)
		pp_buf_release(&s->bytes);
	free(s);
}

void
pp_nyt_store_add(void *ctx, const unsigned char *p, size_t n)
{
	struct pp_nyt_store *s = ctx;

	pp_buf_add(&s->bytes, p, n);
}

void
pp_nyt_store_deflate(struct pp_nyt_store *s)
{
	if (!s->deflate_at)
		s->deflate_at = s->bytes.n;
}

const struct pp_nyt_store *
pp_nyt_store_of(const struct pp_profile *p)
{
	return p->kept.free == pp_nyt_store_free ? p->kept.data : NULL;
}

bool
pp_nyt_carry_save(const struct pp_profile *p, struct pp_buf *out)
{
	const struct pp_nyt_store *s = pp_nyt_store_of(p);
	unsigned i;

	if (!s)
		return true;
	for (i = 0; i < 8; i++)
		pp_buf_addc(out, (char)((uint64_t)s->deflate_at >> 8 * i & 0xff));
	pp_buf_add(out, s->bytes.p, s->bytes.n);
	return !out->failed;
}

pp_status
pp_nyt_carry_load(struct pp_kept_facet *kept, struct pp_slice bytes)
{
	struct pp_nyt_store *s;
	uint64_t at = 0;
	unsigned i;

	if (bytes.n < 8)
		return PP_E_INVALID;
	for (i = 0; i < 8; i++)
		at |= (uint64_t)bytes.p[i] << 8 * i;
	bytes = pp_slice_from(bytes, 8);
	if (at > bytes.n)
		return PP_E_INVALID;
	s = pp_nyt_store_new();
	if (s) {
		s->deflate_at = (size_t)at;
		pp_buf_add(&s->bytes, bytes.p, bytes.n);
	}
	if (!s || s->bytes.failed) {
		pp_nyt_store_free(s);
		return PP_E_NOMEM;
	}
	kept->data = s;
	kept->free = pp_nyt_store_free;
	return PP_OK;
}
