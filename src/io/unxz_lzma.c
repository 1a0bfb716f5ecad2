/*
 * Files packed by xz, by liblzma. It is loaded when the first one is met, as libdw is and for the same reason.
 */
#include "io/unxz.h"

#include <lzma.h>

#include "io/library.h"

/* Of the decoder; what xz -9 makes takes 65 MB. */
#define MEMORY_MOST ((uint64_t)128 << 20)

/* Its memory counts like ours. */
static void *
lzma_take(void *unused, size_t n, size_t size)
{
	return calloc(n, size);
}

static void
lzma_give(void *unused, void *memory)
{
	free(memory);
}

static struct {
	__typeof__(lzma_stream_decoder) *decoder;
	__typeof__(lzma_code) *code;
	__typeof__(lzma_end) *end;
} lzma;

bool
pp_unxz_is_built(void)
{
	static const struct pp_library_call calls[] = { { "lzma_stream_decoder", &lzma.decoder },
		                                        { "lzma_code", &lzma.code },
		                                        { "lzma_end", &lzma.end } };
	static struct pp_library liblzma = { "liblzma.so.5", calls, PP_COUNT_OF(calls), 0 };

	return pp_library_has(&liblzma);
}

bool
pp_unxz(struct pp_slice packed, size_t most, struct pp_buf *out)
{
	const lzma_allocator allocator = { lzma_take, lzma_give, NULL };
	lzma_stream stream = LZMA_STREAM_INIT;
	unsigned char piece[16384];
	lzma_ret ret;

	if (!pp_unxz_is_built())
		return false;
	stream.allocator = &allocator;
	stream.next_in = packed.p;
	stream.avail_in = packed.n;
	ret = lzma.decoder(&stream, MEMORY_MOST, 0);
	while (ret == LZMA_OK) {
		stream.next_out = piece;
		stream.avail_out = sizeof piece;
		ret = lzma.code(&stream, LZMA_FINISH);
		if (out->n + (sizeof piece - stream.avail_out) > most)
			ret = LZMA_MEMLIMIT_ERROR;
		else
			pp_buf_add(out, piece, sizeof piece - stream.avail_out);
		if (out->failed)
			ret = LZMA_MEM_ERROR;
	}
	lzma.end(&stream);
	return ret == LZMA_STREAM_END;
}
