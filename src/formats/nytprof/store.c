/*
 * The records of a stream as they were read, so that they can be written back byte for byte.
 */
#include "formats/nytprof/store.h"

#include <stdlib.h>

#include "base/vec.h"

#define BLOCK_BYTES ((size_t)1 << 20)

struct pp_nyt_store {
	PP_VEC(struct store_block {
		unsigned char *p;
		size_t n;
	})
	blocks;
	uint64_t n;
	uint64_t deflate_at; /* bytes up to and with the 'z'; 0 = not deflated */
	bool failed;
};

struct pp_nyt_store *
pp_nyt_store_new(void)
{
	return calloc(1, sizeof(struct pp_nyt_store));
}

void
pp_nyt_store_free(void *ctx)
{
	struct pp_nyt_store *s = ctx;
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->blocks.n; i++)
		free(s->blocks.at[i].p);
	pp_vec_release(&s->blocks);
	free(s);
}

void
pp_nyt_store_add(void *ctx, const unsigned char *p, size_t n)
{
	struct pp_nyt_store *s = ctx;

	while (n && !s->failed) {
		struct store_block *b = s->blocks.n ? &s->blocks.at[s->blocks.n - 1] : NULL;
		size_t room = b ? BLOCK_BYTES - b->n : 0, take = n < room ? n : room;

		if (room == 0) {
			struct store_block fresh = { malloc(BLOCK_BYTES), 0 };

			if (!fresh.p || !pp_vec_push(&s->blocks, fresh)) {
				free(fresh.p);
				s->failed = true;
			}
			continue;
		}
		memcpy(b->p + b->n, p, take);
		b->n += take;
		s->n += take;
		p += take;
		n -= take;
	}
}

void
pp_nyt_store_deflate(struct pp_nyt_store *s)
{
	if (!s->deflate_at)
		s->deflate_at = s->n;
}

bool
pp_nyt_store_failed(const struct pp_nyt_store *s)
{
	return s->failed;
}

void
pp_nyt_store_walk(const struct pp_nyt_store *s, bool deflated,
                  void (*take)(void *ctx, const unsigned char *p, size_t n), void *ctx)
{
	uint64_t at = 0;
	uint64_t from = deflated ? s->deflate_at : 0;
	uint64_t to = deflated || !s->deflate_at ? s->n : s->deflate_at;
	size_t i;

	if (deflated && !s->deflate_at)
		return;
	for (i = 0; i < s->blocks.n; i++) {
		uint64_t begin = at, end = at + s->blocks.at[i].n;

		at = end;
		if (begin < from)
			begin = from;
		if (end > to)
			end = to;
		if (begin < end)
			take(ctx, s->blocks.at[i].p + (begin - (at - s->blocks.at[i].n)),
			     (size_t)(end - begin));
	}
}

bool
pp_nyt_store_deflated(const struct pp_nyt_store *s)
{
	return s->deflate_at != 0;
}

/* ---- carried by another format: where the 'z' is, 8 bytes with the low one first, then all bytes ---- */

static void
take_carried(void *ctx, const unsigned char *p, size_t n)
{
	pp_buf_add(ctx, p, n);
}

bool
pp_nyt_carry_save(const struct pp_profile *p, struct pp_buf *out)
{
	const struct pp_nyt_store *s = p->kept.data;
	unsigned i;

	if (!s || p->kept.free != pp_nyt_store_free)
		return true;
	for (i = 0; i < 8; i++)
		pp_buf_addc(out, (char)(s->deflate_at >> 8 * i & 0xff));
	pp_nyt_store_walk(s, false, take_carried, out);
	pp_nyt_store_walk(s, true, take_carried, out);
	return !out->failed;
}

pp_status
pp_nyt_carry_load(struct pp_profile *p, struct pp_slice bytes)
{
	struct pp_nyt_store *s;
	uint64_t at = 0;
	unsigned i;

	if (bytes.n < 8)
		return PP_E_INVALID;
	for (i = 0; i < 8; i++)
		at |= (uint64_t)bytes.p[i] << 8 * i;
	bytes = pp_slice_of(bytes.p + 8, bytes.n - 8);
	if (at > bytes.n)
		return PP_E_INVALID;
	s = pp_nyt_store_new();
	if (!s)
		return PP_E_NOMEM;
	pp_nyt_store_add(s, bytes.p, (size_t)at);
	if (at)
		pp_nyt_store_deflate(s);
	pp_nyt_store_add(s, bytes.p + at, bytes.n - (size_t)at);
	if (s->failed) {
		pp_nyt_store_free(s);
		return PP_E_NOMEM;
	}
	p->kept.data = s;
	p->kept.free = pp_nyt_store_free;
	return PP_OK;
}
