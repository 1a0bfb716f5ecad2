/*
 * The records of a stream as they were read. Carried by another format: 8 bytes with all bits set, then those of the
 * file. Other 8 bytes, the low one first, come from earlier versions: where the 'z' is in records that are not deflated.
 */
#include "formats/nytprof/store.h"

#include <stdlib.h>

#include "base/slice.h"

#define AS_IN_FILE UINT64_MAX

struct pp_nyt_store *
pp_nyt_store_new(void)
{
	struct pp_nyt_store *s = calloc(1, sizeof *s);

	if (s && pp_sink_buffer(&s->bytes, &s->sink) != PP_OK) {
		free(s);
		s = NULL;
	}
	if (s)
		pp_nyt_out_init(&s->out, s->sink);
	return s;
}

bool
pp_nyt_store_finish(struct pp_nyt_store *s)
{
	bool fine = pp_nyt_out_finish(&s->out) == PP_OK && pp_sink_commit(s->sink) == PP_OK;

	pp_sink_close(s->sink);
	s->sink = NULL;
	return fine && !s->bytes.failed;
}

void
pp_nyt_store_free(void *ctx)
{
	struct pp_nyt_store *s = ctx;

	if (s && s->sink)
		(void)pp_nyt_store_finish(s);
	if (s)
		pp_buf_release(&s->bytes);
	free(s);
}

void
pp_nyt_store_add(void *ctx, const unsigned char *p, size_t n)
{
	struct pp_nyt_store *s = ctx;

	pp_nyt_out_bytes(&s->out, p, n);
}

void
pp_nyt_store_deflate(struct pp_nyt_store *s)
{
	pp_nyt_out_deflate(&s->out);
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
	const uint64_t as_in_file = AS_IN_FILE;

	if (!s)
		return true;
	pp_buf_add(out, &as_in_file, sizeof as_in_file);
	pp_buf_add(out, s->bytes.p, s->bytes.n);
	return !out->failed;
}

pp_status
pp_nyt_carry_load(struct pp_kept_facet *kept, struct pp_slice bytes)
{
	uint64_t at = bytes.n >= 8 ? pp_load64(bytes.p) : 0;
	bool deflate = at && at != AS_IN_FILE;
	struct pp_nyt_store *s;

	if (bytes.n < 8 || (deflate && at > bytes.n - 8))
		return PP_E_INVALID;
	bytes = pp_slice_from(bytes, 8);
	s = pp_nyt_store_new();
	if (!s)
		return PP_E_NOMEM;
	if (deflate) {
		pp_nyt_store_add(s, bytes.p, (size_t)at);
		pp_nyt_store_deflate(s);
		bytes = pp_slice_from(bytes, (size_t)at);
	}
	pp_nyt_store_add(s, bytes.p, bytes.n);
	if (!pp_nyt_store_finish(s)) {
		pp_nyt_store_free(s);
		return PP_E_NOMEM;
	}
	kept->data = s;
	kept->free = pp_nyt_store_free;
	return PP_OK;
}
