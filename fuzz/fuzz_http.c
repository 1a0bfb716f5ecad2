/*
 * libFuzzer target of HTTP requests: however the bytes come in pieces, they must be understood in the same way, and nothing that is
 * found may lie outside of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/http_message.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define MOST 4096

static void
require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static bool
within(struct pp_slice part, struct pp_slice whole)
{
	return part.n == 0 || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void
head_check(const struct pp_http_head *h, struct pp_slice bytes)
{
	size_t i;

	require(within(h->method, bytes) && h->method.n > 0, "a request has a method");
	require(within(h->path, bytes) && h->path.n > 0 && h->path.p[0] == '/',
	        "a request has a path");
	require(within(h->query, bytes) && h->field_count <= PP_HTTP_FIELDS_MAX,
	        "the rest lies in it");
	require(!h->chunked || h->length == 0, "a length is said in one way");
	for (i = 0; i < h->field_count; i++) {
		require(within(h->fields[i].name, bytes) && within(h->fields[i].value, bytes),
		        "fields lie in it");
		require(!memchr(h->fields[i].value.p, '\r', h->fields[i].value.n) &&
		            !memchr(h->fields[i].value.p, '\n', h->fields[i].value.n),
		        "a value is one line");
	}
}

/* A body in chunks, taken in pieces: what became of it. */
static int
chunks_take(struct pp_slice bytes, size_t piece, struct pp_buf *body, size_t *left)
{
	struct pp_http_chunks chunks = { 0 };
	int end = PP_CHUNKS_MORE;

	while (bytes.n && end == PP_CHUNKS_MORE) {
		struct pp_slice part = pp_slice_of(bytes.p, bytes.n < piece ? bytes.n : piece);
		size_t n = part.n;

		end = pp_http_chunks_take(&chunks, &part, body, MOST);
		require(end != PP_CHUNKS_MORE || part.n == 0, "what is not the end is used up");
		bytes = pp_slice_of(bytes.p + (n - part.n), bytes.n - (n - part.n));
	}
	require(body->n <= MOST, "a body has a limit");
	*left = bytes.n;
	return end;
}

static void
chunks_check(struct pp_slice bytes, size_t piece)
{
	struct pp_buf once = { 0 }, pieces = { 0 };
	size_t left_once, left_pieces;
	int end = chunks_take(bytes, SIZE_MAX, &once, &left_once);

	require(chunks_take(bytes, piece, &pieces, &left_pieces) == end, "pieces end alike");
	/* How much of a bad body was taken depends on the pieces. */
	if (end == PP_CHUNKS_MORE || end == PP_CHUNKS_END)
		require(left_once == left_pieces && once.n == pieces.n &&
		            (once.n == 0 || memcmp(once.p, pieces.p, once.n) == 0),
		        "pieces are the same body");
	pp_buf_release(&once);
	pp_buf_release(&pieces);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	size_t piece = size ? 1 + data[0] % 64 : 1, seen = 0, seen_once = 0, end = 0, once, n;
	struct pp_slice bytes = pp_slice_of(size ? data + 1 : data, size ? size - 1 : 0);
	bool bad = false, bad_once = false;
	static struct pp_http_head head;

	once = pp_http_head_end(bytes, &seen_once, &bad_once);
	for (n = 0; n < bytes.n && !end && !bad;) {
		n = bytes.n - n < piece ? bytes.n : n + piece;
		end = pp_http_head_end(pp_slice_of(bytes.p, n), &seen, &bad);
	}
	require(end == once && (bad == bad_once || bytes.n > PP_HTTP_HEAD_MAX),
	        "a head ends where it ends");
	if (!once || once > PP_HTTP_HEAD_MAX)
		return 0;
	if (pp_http_head_parse(&head, pp_slice_of(bytes.p, once)) == 0)
		head_check(&head, pp_slice_of(bytes.p, once));
	if (head.chunked)
		chunks_check(pp_slice_of(bytes.p + once, bytes.n - once), piece);
	return 0;
}
