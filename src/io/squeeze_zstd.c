/*
 * Compression with zstd, level 3, with content checksums.
 */
#include "io/squeeze.h"

#include <stdlib.h>
#include <zstd.h>

struct zstd_squeeze {
	struct pp_squeeze squeeze;
	ZSTD_CCtx *context;
};

static bool
zstd_step(struct pp_squeeze *s, struct pp_slice *in, bool last, unsigned char *out, size_t room,
          size_t *made, bool *done)
{
	struct zstd_squeeze *z = (struct zstd_squeeze *)s;
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer to = { out, room, 0 };
	size_t left = ZSTD_compressStream2(z->context, &to, &from,
	                                   last ? ZSTD_e_end : ZSTD_e_continue);

	*made = to.pos;
	*in = pp_slice_of(in->p + from.pos, in->n - from.pos);
	*done = last && left == 0;
	return !ZSTD_isError(left);
}

static void
zstd_free(struct pp_squeeze *s)
{
	struct zstd_squeeze *z = (struct zstd_squeeze *)s;

	ZSTD_freeCCtx(z->context);
	free(z);
}

struct pp_squeeze *
pp_squeeze_zstd(void)
{
	struct zstd_squeeze *z = calloc(1, sizeof *z);

	if (!z)
		return NULL;
	z->squeeze = (struct pp_squeeze){ zstd_step, zstd_free };
	z->context = ZSTD_createCCtx();
	if (!z->context ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z->context, ZSTD_c_compressionLevel, 3)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z->context, ZSTD_c_checksumFlag, 1))) {
		zstd_free(&z->squeeze);
		return NULL;
	}
	return &z->squeeze;
}

struct pp_squeeze *
pp_squeeze_zstd_of(uint64_t size)
{
	struct pp_squeeze *s = pp_squeeze_zstd();

	if (s &&
	    ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(((struct zstd_squeeze *)s)->context, size))) {
		zstd_free(s);
		s = NULL;
	}
	return s;
}
