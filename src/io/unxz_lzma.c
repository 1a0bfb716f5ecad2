/*
 * Files packed by xz, by liblzma.
 */
#include "io/unxz.h"

#include <lzma.h>

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

bool
pp_unxz_is_built(void)
{
	return true;
}

bool
pp_unxz(struct pp_slice packed, size_t most, struct pp_buf *out)
{
	const lzma_allocator allocator = { lzma_take, lzma_give, NULL };
	lzma_stream stream = LZMA_STREAM_INIT;
	unsigned char piece[16384];
	lzma_ret ret;

	stream.allocator = &allocator;
	stream.next_in = packed.p;
	stream.avail_in = packed.n;
	ret = lzma_stream_decoder(&stream, MEMORY_MOST, 0);
	while (ret == LZMA_OK) {
		stream.next_out = piece;
		stream.avail_out = sizeof piece;
		ret = lzma_code(&stream, LZMA_FINISH);
		if (out->n + (sizeof piece - stream.avail_out) > most)
			ret = LZMA_MEMLIMIT_ERROR;
		else
			pp_buf_add(out, piece, sizeof piece - stream.avail_out);
		if (out->failed)
			ret = LZMA_MEM_ERROR;
	}
	lzma_end(&stream);
	return ret == LZMA_STREAM_END;
}
