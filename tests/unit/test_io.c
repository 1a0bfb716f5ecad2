/*
 * Inputs and filters: every way to the same bytes, every kind of damage.
 * Built twice: with the inflater that the library uses and with zlib's.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "base/pages.h"
#include "io/source.h"
#include "io/system.h"
#include "pack.h"
#include "tap.h"

/* What came out of an input. */
struct got {
	struct pp_buf bytes;
	pp_status status;
	struct pp_diags diags;
};

/* Bytes that are handed out in pieces. */
struct pieces {
	struct pp_slice left;
	size_t most;
	int fail_at; /* the number of the read that fails, from 1; 0 = none */
	int reads;
};

static ptrdiff_t
pieces_read(void *ctx, void *to, size_t room)
{
	struct pieces *p = ctx;
	size_t n = p->left.n < p->most ? p->left.n : p->most;

	if (++p->reads == p->fail_at) {
		errno = EIO;
		return -1;
	}
	n = n < room ? n : room;
	memcpy(to, p->left.p, n);
	p->left = pp_slice_of(p->left.p + n, p->left.n - n);
	return (ptrdiff_t)n;
}

static void
got_release(struct got *g)
{
	pp_buf_release(&g->bytes);
	pp_diags_release(&g->diags);
}

static bool
got_rule(const struct got *g, enum pp_io_rule rule)
{
	return pp_diags_of_rule(&g->diags, &pp_io_rules[rule]) > 0;
}

static bool
got_bytes(const struct got *g, const void *data, size_t n)
{
	return g->bytes.n == n && (n == 0 || memcmp(g->bytes.p, data, n) == 0);
}

/* Peels all containers and reads everything; closes. */
static void
drain_into(struct pp_io *io, struct pp_input *in, struct got *g)
{
	enum pp_container c;
	uint64_t offset = 0;
	bool good = true;

	while (in && (c = pp_container_detect(in)) != PP_CONTAINER_NONE)
		g->status = pp_input_decode(io, c, in, &in);
	while (in && pp_input_need(in, 1)) {
		size_t n = pp_input_left(in);

		good = good && pp_input_offset(in, in->cur) == offset;
		pp_buf_add(&g->bytes, in->cur, n);
		in->cur += n;
		offset += n;
	}
	if (in) {
		g->status = in->status;
		in->close(in);
	}
	pp_io_report(io);
	if (!good)
		ok(false, "offsets of the window");
}

static struct got
read_memory(const struct pp_buf *b, unsigned threads, const struct pp_limits *limits)
{
	struct got g = { 0 };
	struct pp_input *in;
	struct pp_io io;

	pp_diags_init(&g.diags);
	pp_io_init(&io, limits, threads, &g.diags);
	g.status = pp_input_memory(&io, b->p, b->n, &in);
	drain_into(&io, in, &g);
	pp_io_release(&io);
	return g;
}

static struct got
read_pieces(const struct pp_buf *b, size_t most, int fail_at, unsigned threads)
{
	struct pieces pieces = { { (const unsigned char *)b->p, b->n }, most, fail_at, 0 };
	struct got g = { 0 };
	struct pp_input *in;
	struct pp_io io;

	pp_diags_init(&g.diags);
	pp_io_init(&io, NULL, threads, &g.diags);
	io.block = most;
	g.status = pp_input_callback(&io, pieces_read, &pieces, &in);
	drain_into(&io, in, &g);
	pp_io_release(&io);
	return g;
}

static struct got
read_path(const char *path, unsigned threads, size_t block)
{
	struct got g = { 0 };
	struct pp_input *in;
	struct pp_io io;

	pp_diags_init(&g.diags);
	pp_io_init(&io, NULL, threads, &g.diags);
	io.block = block;
	g.status = pp_input_file(&io, path, &in);
	drain_into(&io, in, &g);
	pp_io_release(&io);
	return g;
}

static bool
same(const struct got *a, const struct got *b)
{
	size_t i;

	if (a->status != b->status || a->bytes.n != b->bytes.n ||
	    a->diags.list.n != b->diags.list.n ||
	    (a->bytes.n && memcmp(a->bytes.p, b->bytes.p, a->bytes.n) != 0))
		return false;
	for (i = 0; i < a->diags.list.n; i++)
		if (a->diags.list.at[i].rule != b->diags.list.at[i].rule ||
		    strcmp(a->diags.list.at[i].message, b->diags.list.at[i].message) != 0)
			return false;
	return true;
}

/* Reads packed bytes in many ways; all must give `data` and a sound end. */
static void
check_all_ways(struct scratch *s, const struct pp_buf *packed, const struct pp_buf *data,
               const char *what)
{
	const char *path = scratch_write(s, "input", packed->p, packed->n);
	static const size_t blocks[] = { 1, 7, 997, 100000 };
	struct got g;
	size_t i;
	unsigned j;

	for (j = 1; j <= 3; j++) {
		g = read_memory(packed, j, NULL);
		ok(g.status == PP_OK && got_bytes(&g, data->p, data->n) && g.diags.list.n == 0,
		   "%s from memory, %u threads", what, j);
		got_release(&g);
		g = read_path(path, j, 0);
		ok(g.status == PP_OK && got_bytes(&g, data->p, data->n) && g.diags.list.n == 0,
		   "%s from a file, %u threads", what, j);
		got_release(&g);
	}
	for (i = 0; i < PP_COUNT_OF(blocks); i++) {
		/* Handing single bytes from thread to thread shows nothing but patience. */
		if (blocks[i] == 1 && data->n > 1000000)
			continue;
		g = read_pieces(packed, blocks[i], 0, blocks[i] == 7 ? 1 : 2);
		ok(g.status == PP_OK && got_bytes(&g, data->p, data->n),
		   "%s in pieces of %zu bytes", what, blocks[i]);
		got_release(&g);
		g = read_path(path, 1, blocks[i]);
		ok(g.status == PP_OK && got_bytes(&g, data->p, data->n),
		   "%s as a stream by %zu bytes", what, blocks[i]);
		got_release(&g);
	}
}

static void
test_all_ways(struct scratch *s)
{
	static const size_t sizes[] = { 0, 1, 5000, 300000, 3000000 };
	struct pp_buf once = { 0 }, twice = { 0 };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(sizes); i++) {
		struct pp_buf text = make_text(sizes[i], 7), packed = { 0 };

		check_all_ways(s, &text, &text, "plain text");
		pack_gzip(&packed, text.p, text.n);
		check_all_ways(s, &packed, &text, "gzip");
		packed.n = 0;
		pack_zstd(&packed, text.p, text.n, true);
		check_all_ways(s, &packed, &text, "zstd");
		packed.n = 0;
		pack_zstd(&packed, text.p, text.n, false);
		check_all_ways(s, &packed, &text, "zstd of unknown size");
		once.n = twice.n = 0;
		pack_gzip(&once, text.p, text.n);
		pack_zstd(&twice, once.p, once.n, true);
		once.n = 0;
		pack_gzip(&once, twice.p, twice.n);
		check_all_ways(s, &once, &text, "gzip in zstd in gzip");
		pp_buf_release(&text);
		pp_buf_release(&packed);
	}
	pp_buf_release(&once);
	pp_buf_release(&twice);
}

static void
test_members(struct scratch *s)
{
	struct pp_buf text = make_text(200000, 3), packed = { 0 };
	unsigned flags;
	struct got g;

	for (flags = 0; flags < 32; flags++)
		pack_gzip_fields(&packed, text.p + flags * 6000, 6000, flags);
	pack_gzip(&packed, "", 0);
	pack_gzip(&packed, text.p + 192000, 8000);
	check_all_ways(s, &packed, &text, "34 gzip members with all header fields");
	memset(must(pp_buf_room(&packed, 70000)), 0, 70000);
	packed.n += 70000;
	check_all_ways(s, &packed, &text, "gzip with zero padding");
	pp_buf_adds(&packed, "garbage");
	g = read_memory(&packed, 1, NULL);
	ok(g.status == PP_OK && got_bytes(&g, text.p, text.n) && got_rule(&g, PP_IO_TRAILING_DATA),
	   "garbage behind gzip is a warning");
	got_release(&g);

	packed.n = 0;
	for (flags = 0; flags < 20; flags++) {
		pack_zstd(&packed, text.p + flags * 10000, 10000, flags & 1);
		/* One is larger than any block. */
		pack_skippable(&packed, flags == 19 ? 380000 : flags * 1000);
		pack_zstd(&packed, "", 0, flags & 2);
	}
	check_all_ways(s, &packed, &text, "40 zstd frames with skippable ones between");
	pp_buf_adds(&packed, "garbage");
	g = read_memory(&packed, 2, NULL);
	ok(g.status == PP_OK && got_bytes(&g, text.p, text.n) && got_rule(&g, PP_IO_TRAILING_DATA),
	   "garbage behind zstd is a warning");
	got_release(&g);
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* ---- damage ---- */

/* How many bytes zlib itself gets out of the first `cut` bytes of one gzip member. */
static size_t
reference_prefix(const struct pp_buf *packed, size_t cut, size_t room)
{
	z_stream z = { 0 };
	unsigned char *out = must(malloc(room + 1));

	inflateInit2(&z, 31);
	z.next_in = (Bytef *)packed->p;
	z.avail_in = (uInt)cut;
	z.next_out = out;
	z.avail_out = (uInt)room + 1;
	(void)inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	free(out);
	return room + 1 - z.avail_out;
}

static void
test_cut_gzip(void)
{
	struct pp_buf text = make_text(3000, 5), packed = { 0 }, cut;
	size_t n, bad = 0, short_ones = 0, unequal = 0;

	pack_gzip_fields(&packed, text.p, text.n, 31);
	for (n = 3; n < packed.n; n++) {
		struct got a, b;

		/* An exact copy, so that a sanitizer sees a read past its end. */
		cut = (struct pp_buf){ must(malloc(n)), n, n, false };
		memcpy(cut.p, packed.p, n);
		a = read_memory(&cut, 1, NULL);
		b = read_pieces(&cut, 7, 0, 2);
		bad += a.status != PP_E_INVALID || !got_rule(&a, PP_IO_GZIP_TRUNCATED) ||
		       a.diags.list.n != 1 || a.bytes.n > text.n ||
		       (a.bytes.n && memcmp(a.bytes.p, text.p, a.bytes.n) != 0);
		unequal += !same(&a, &b);
		/* ISA-L decodes pairs and triples of literals, so the last two may stay behind. */
		short_ones += a.bytes.n + 2 < reference_prefix(&packed, n, text.n);
		got_release(&a);
		got_release(&b);
		pp_buf_release(&cut);
	}
	is_u64(bad, 0, "gzip cut at each byte: the beginning, and one finding");
	is_u64(unequal, 0, "gzip cut at each byte: the same in pieces of 7 bytes");
	is_u64(short_ones, 0, "gzip cut at each byte: as much as zlib decodes");
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

static void
test_cut_zstd(void)
{
	struct pp_buf text = make_text(300000, 5), packed = { 0 }, cut;
	size_t n, bad = 0, unequal = 0, last = 0, shrunk = 0;

	pack_zstd(&packed, text.p, 150000, true);
	pack_zstd(&packed, text.p + 150000, 150000, false);
	for (n = 4; n < packed.n; n += n < 40 || n + 40 > packed.n ? 1 : 97) {
		struct got a, b;
		bool boundary;

		cut = (struct pp_buf){ must(malloc(n)), n, n, false };
		memcpy(cut.p, packed.p, n);
		a = read_memory(&cut, 1, NULL);
		b = read_pieces(&cut, 7, 0, 1);
		boundary = a.status == PP_OK && a.bytes.n == 150000;
		bad += (!boundary &&
		        (a.status != PP_E_INVALID || !got_rule(&a, PP_IO_ZSTD_TRUNCATED))) ||
		       (a.bytes.n && memcmp(a.bytes.p, text.p, a.bytes.n) != 0);
		unequal += !same(&a, &b);
		shrunk += a.bytes.n < last;
		last = a.bytes.n;
		got_release(&a);
		got_release(&b);
		pp_buf_release(&cut);
	}
	is_u64(bad, 0, "zstd cut at many bytes: the beginning, and a finding");
	is_u64(unequal, 0, "zstd cut at many bytes: the same in pieces of 7 bytes");
	is_u64(shrunk, 0, "zstd cut at many bytes: more bytes never give less");
	ok(last >= 280000, "zstd cut near its end keeps all whole blocks (%zu)", last);
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* Flips every bit behind the magic: other bytes must never pass for sound. */
static void
check_flips(const struct pp_buf *packed, const struct pp_buf *text, const char *what)
{
	size_t i, silent = 0, unequal = 0;
	unsigned bit;

	for (i = 4; i < packed->n; i++) {
		for (bit = 0; bit < 8; bit++) {
			struct got a, b;

			packed->p[i] = (char)(packed->p[i] ^ 1 << bit);
			a = read_memory(packed, 1, NULL);
			b = read_pieces(packed, 7, 0, 2);
			silent += a.status == PP_OK && !got_bytes(&a, text->p, text->n);
			silent += a.status != PP_OK && pp_diags_total(&a.diags, PP_ERROR) == 0 &&
			          a.status != PP_E_NOMEM;
			unequal += a.status != b.status;
			got_release(&a);
			got_release(&b);
			packed->p[i] = (char)(packed->p[i] ^ 1 << bit);
		}
	}
	is_u64(silent, 0, "%s: no flipped bit passes unseen", what);
	is_u64(unequal, 0, "%s: flipped bits are seen in pieces of 7 bytes too", what);
}

static void
test_flips(void)
{
	struct pp_buf text = make_text(700, 5), packed = { 0 };

	pack_gzip_fields(&packed, text.p, text.n, 31);
	check_flips(&packed, &text, "gzip");
	packed.n = 0;
	pack_zstd(&packed, text.p, text.n, true);
	check_flips(&packed, &text, "zstd");
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* What stands before the damage is kept, but for the longest match: 258 bytes. */
static void
test_salvage(void)
{
	struct pp_buf text = make_text(400000, 21), packed = { 0 };
	size_t at, lost = 0, wrong = 0;

	pack_gzip(&packed, text.p, text.n);
	for (at = 1000; at + 1000 < packed.n; at += packed.n / 50) {
		size_t sound = reference_prefix(&packed, at, text.n);
		struct got g;

		packed.p[at] = (char)(packed.p[at] ^ 0x55);
		g = read_memory(&packed, 1, NULL);
		lost += g.status != PP_E_INVALID || g.bytes.n + 258 + 2 < sound;
		sound = sound < g.bytes.n ? sound : g.bytes.n;
		wrong += sound && memcmp(g.bytes.p, text.p, sound) != 0;
		got_release(&g);
		packed.p[at] = (char)(packed.p[at] ^ 0x55);
	}
	is_u64(lost, 0, "a damaged gzip stream is used up to the damage");
	is_u64(wrong, 0, "and nothing before it is wrong");
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

static void
test_checksums(void)
{
	struct pp_buf text = make_text(9000, 5), packed = { 0 };
	size_t first;
	struct got g;

	pack_gzip(&packed, text.p, 3000);
	first = packed.n;
	pack_gzip(&packed, text.p + 3000, 6000);
	packed.p[first - 8] ^= 1;
	g = read_memory(&packed, 1, NULL);
	ok(g.status == PP_E_INVALID && got_bytes(&g, text.p, text.n) &&
	       got_rule(&g, PP_IO_GZIP_CHECKSUM),
	   "a wrong checksum is reported and the next member is still read");
	got_release(&g);
	packed.p[first - 8] ^= 1;
	packed.p[first - 1] ^= 1;
	g = read_memory(&packed, 1, NULL);
	ok(g.status == PP_E_INVALID && got_bytes(&g, text.p, text.n) &&
	       got_rule(&g, PP_IO_GZIP_CHECKSUM),
	   "a wrong length likewise");
	got_release(&g);
	packed.n = 0;
	for (first = 0; first < 50; first++) {
		pack_gzip(&packed, text.p, 100);
		packed.p[packed.n - 1] ^= 1;
	}
	g = read_memory(&packed, 1, NULL);
	ok(g.status == PP_E_INVALID && g.bytes.n == 5000 && g.diags.list.n == PP_IO_FINDINGS + 1 &&
	       strstr(g.diags.list.at[PP_IO_FINDINGS].message, "34 times"),
	   "of very many findings the first are told and the others counted");
	got_release(&g);
	packed.n = 0;
	pack_zstd(&packed, text.p, text.n, true);
	packed.p[packed.n - 1] ^= 1;
	g = read_memory(&packed, 2, NULL);
	ok(g.status == PP_E_INVALID && got_bytes(&g, text.p, text.n) &&
	       got_rule(&g, PP_IO_ZSTD_CHECKSUM),
	   "a wrong zstd checksum is reported, the bytes are kept");
	got_release(&g);
	packed.n = 0;
	pack_gzip(&packed, text.p, text.n);
	packed.p[3] = 0x40;
	g = read_memory(&packed, 1, NULL);
	ok(g.status == PP_E_INVALID && got_rule(&g, PP_IO_GZIP_CORRUPT),
	   "reserved gzip flags are refused");
	got_release(&g);
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

static void
test_bombs(void)
{
	size_t n = (size_t)24 << 20;
	char *zeros = must(calloc(1, n));
	struct pp_buf once = { 0 }, twice = { 0 };
	struct pp_limits limits = { .max_expansion = 200, .expansion_grace = 1 << 20 };
	unsigned j;

	pack_gzip(&once, zeros, n);
	pack_zstd(&twice, once.p, once.n, true);
	for (j = 1; j <= 2; j++) {
		struct got g = read_memory(&once, j, &limits);

		ok(g.status == PP_E_LIMIT && got_rule(&g, PP_IO_EXPANSION_LIMIT) &&
		       g.bytes.n < once.n * 200 + ((size_t)8 << 20),
		   "a gzip bomb stops at its limit, %u threads (%zu bytes)", j, g.bytes.n);
		got_release(&g);
		g = read_memory(&twice, j, &limits);
		ok(g.status == PP_E_LIMIT && got_rule(&g, PP_IO_EXPANSION_LIMIT) &&
		       g.bytes.n <= (size_t)8 << 20,
		   "nested layers count together, %u threads (%zu bytes)", j, g.bytes.n);
		got_release(&g);
	}
	limits.max_expansion = 100000;
	{
		struct got g = read_memory(&once, 2, &limits);

		ok(g.status == PP_OK && got_bytes(&g, zeros, n), "a higher limit lets it pass");
		got_release(&g);
	}
	pp_buf_release(&once);
	pp_buf_release(&twice);
	free(zeros);
}

/* ---- zlib in the middle ---- */

static struct got
read_switched(const struct pp_buf *b, size_t head, size_t block)
{
	struct pieces pieces = { { (const unsigned char *)b->p, b->n }, block, 0, 0 };
	struct got g = { 0 };
	struct pp_input *in;
	struct pp_io io;

	pp_diags_init(&g.diags);
	pp_io_init(&io, NULL, 2, &g.diags);
	io.block = block;
	if (block)
		g.status = pp_input_callback(&io, pieces_read, &pieces, &in);
	else
		g.status = pp_input_memory(&io, b->p, b->n, &in);
	if (pp_input_need(in, head)) {
		in->cur += head;
		g.status = pp_input_decode(&io, PP_CONTAINER_ZLIB, in, &in);
	}
	if (pp_input_offset(in, in->cur) != head)
		ok(false, "offsets go on behind the switch");
	while (pp_input_need(in, 1)) {
		pp_buf_add(&g.bytes, in->cur, pp_input_left(in));
		in->cur = in->end;
	}
	g.status = in->status;
	in->close(in);
	pp_io_report(&io);
	pp_io_release(&io);
	return g;
}

static void
test_zlib(void)
{
	struct pp_buf text = make_text(200000, 9), packed = { 0 };
	size_t n, bad = 0, end;
	struct got g;

	pp_buf_adds(&packed, "NYTProf 5 0\nz");
	pack_deflate(&packed, text.p, text.n, 15);
	end = packed.n;
	pp_buf_adds(&packed, "raw bytes behind the stream");
	for (n = 0; n < 2; n++) {
		g = read_switched(&packed, 13, n ? 7 : 0);
		ok(g.status == PP_OK && got_bytes(&g, text.p, text.n) && g.diags.list.n == 0,
		   "a zlib stream in the middle, the rest ignored");
		got_release(&g);
	}
	packed.p[end - 1] ^= 1;
	g = read_switched(&packed, 13, 0);
	ok(g.status == PP_E_INVALID && got_bytes(&g, text.p, text.n) &&
	       got_rule(&g, PP_IO_ZLIB_CHECKSUM),
	   "a wrong Adler-32 is reported");
	got_release(&g);
	packed.p[end - 1] ^= 1;
	for (n = 13; n < end; n += n < 40 || n + 20 > end ? 1 : 197) {
		packed.n = n;
		g = read_switched(&packed, 13, 0);
		bad += g.status != PP_E_INVALID || !got_rule(&g, PP_IO_ZLIB_TRUNCATED) ||
		       (g.bytes.n && memcmp(g.bytes.p, text.p, g.bytes.n) != 0);
		got_release(&g);
	}
	is_u64(bad, 0, "a cut zlib stream gives its beginning and a finding");
	packed.p[13] = 0x79;
	packed.n = end;
	g = read_switched(&packed, 13, 0);
	ok(g.status == PP_E_INVALID && g.bytes.n == 0 && got_rule(&g, PP_IO_ZLIB_CORRUPT),
	   "a wrong zlib header is reported");
	got_release(&g);
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* ---- reads that fail, windows that grow ---- */

static void
test_failing_reads(void)
{
	struct pp_buf text = make_text(100000, 9), packed = { 0 };
	int n;
	size_t bad = 0;

	pack_gzip(&packed, text.p, text.n);
	for (n = 1; n <= 40; n++) {
		struct got plain = read_pieces(&text, 1000, n, 1);
		struct got gzip = read_pieces(&packed, 200, n, 1);

		bad += plain.status != PP_E_IO || !got_rule(&plain, PP_IO_READ_FAILED) ||
		       plain.bytes.n != (size_t)(n - 1) * 1000;
		bad += gzip.status != PP_E_IO || !got_rule(&gzip, PP_IO_READ_FAILED) ||
		       gzip.diags.list.n != 1;
		got_release(&plain);
		got_release(&gzip);
	}
	is_u64(bad, 0, "the n-th read failing is one finding and the status of the input");
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* A text of lines of all lengths up to many blocks. */
static struct pp_buf
long_lines(void)
{
	static const size_t sizes[] = { 0,       1,      6, 7,       8,       65535,
		                        65536,   65537,  0, 1048576, 3000000, 100000,
		                        9000000, 200000, 5, 0,       70000 };
	struct pp_buf b = { 0 };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(sizes); i++) {
		memset(must(pp_buf_room(&b, sizes[i] + 1)), 'a' + (int)(i % 26), sizes[i]);
		b.n += sizes[i];
		pp_buf_addc(&b, '\n');
	}
	pp_buf_adds(&b, "no newline");
	return b;
}

static void
check_lines(struct pp_io *io, struct pp_input *in, const struct pp_buf *text, const char *what)
{
	const char *at = text->p;
	struct pp_slice line;
	bool whole, good = true;
	size_t lines = 0;

	if (pp_container_detect(in) != PP_CONTAINER_NONE)
		(void)pp_input_decode(io, pp_container_detect(in), in, &in);
	while (pp_input_line(in, UINT64_MAX, &line, &whole)) {
		const char *newline = memchr(at, '\n', (size_t)(text->p + text->n - at));
		size_t n = newline ? (size_t)(newline - at) : (size_t)(text->p + text->n - at);

		good = good && whole == (newline != NULL) && line.n == n &&
		       memcmp(line.p, at, n) == 0;
		at += n + (newline ? 1 : 0);
		lines++;
	}
	ok(good && lines == 18 && in->status == PP_OK, "%s", what);
	in->close(in);
}

static void
test_lines(void)
{
	struct pp_buf text = long_lines(), packed = { 0 };
	struct pieces pieces;
	struct pp_slice line;
	struct pp_input *in;
	struct pp_io io;
	struct pp_diags diags;
	unsigned j;
	bool whole;

	pp_diags_init(&diags);
	pack_gzip(&packed, text.p, text.n);
	for (j = 1; j <= 2; j++) {
		pp_io_init(&io, NULL, j, &diags);
		(void)pp_input_memory(&io, text.p, text.n, &in);
		check_lines(&io, in, &text, "long lines of memory");
		(void)pp_input_memory(&io, packed.p, packed.n, &in);
		check_lines(&io, in, &text, "long lines of gzip");
		pieces =
		    (struct pieces){ { (unsigned char *)text.p, text.n }, j == 1 ? 7 : 997, 0, 0 };
		(void)pp_input_callback(&io, pieces_read, &pieces, &in);
		check_lines(&io, in, &text, "long lines in small pieces");
		pieces = (struct pieces){ { (unsigned char *)text.p, text.n }, 70000, 0, 0 };
		(void)pp_input_callback(&io, pieces_read, &pieces, &in);
		check_lines(&io, in, &text, "long lines in pieces of 70000 bytes");
		pp_io_release(&io);
	}
	pp_io_init(&io, NULL, 1, &diags);
	(void)pp_input_memory(&io, "ab\nabcdef\n", 10, &in);
	ok(pp_input_line(in, 5, &line, &whole) && !pp_input_line(in, 5, &line, &whole) &&
	       in->status == PP_E_LIMIT &&
	       pp_diags_of_rule(&diags, &pp_io_rules[PP_IO_LINE_TOO_LONG]) == 1,
	   "a line past the limit is refused");
	in->close(in);
	pieces = (struct pieces){ { (unsigned char *)text.p, 10 }, 3, 0, 0 };
	(void)pp_input_callback(&io, pieces_read, &pieces, &in);
	ok(!pp_input_need(in, SIZE_MAX / 2) && pp_input_left(in) == 10 && in->status == PP_OK,
	   "asking for half of all memory gives what there is");
	in->close(in);
	pp_io_release(&io);
	pp_diags_release(&diags);
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* ---- threads ---- */

static void
test_frames(void)
{
	struct pp_buf text = make_text((size_t)20 << 20, 11), packed = { 0 };
	size_t at, frame = 0, middle = 0;
	struct got one, many;
	unsigned j;

	for (at = 0; at < text.n; at += (size_t)3 << 20) {
		size_t n = text.n - at < (size_t)3 << 20 ? text.n - at : (size_t)3 << 20;

		if (frame++ == 3)
			middle = packed.n;
		pack_zstd(&packed, text.p + at, n, frame != 6);
	}
	for (j = 1; j <= 4; j++) {
		one = read_memory(&packed, j, NULL);
		ok(one.status == PP_OK && got_bytes(&one, text.p, text.n),
		   "zstd frames on %u threads", j);
		got_release(&one);
	}
	packed.p[middle + 100000] ^= 4;
	one = read_memory(&packed, 1, NULL);
	many = read_memory(&packed, 4, NULL);
	ok(one.status == PP_E_INVALID && one.bytes.n >= (size_t)9 << 20 && same(&one, &many),
	   "a damaged frame says and gives the same with any number of threads");
	got_release(&one);
	got_release(&many);
	packed.p[middle + 100000] ^= 4;
	packed.n -= 1000;
	one = read_memory(&packed, 1, NULL);
	many = read_memory(&packed, 3, NULL);
	ok(one.status == PP_E_INVALID && same(&one, &many), "so does a cut one");
	got_release(&one);
	got_release(&many);
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* Reads a part and closes, without and with a thread. */
static void
test_early_close(void)
{
	struct pp_buf text = make_text((size_t)6 << 20, 13), packed = { 0 };
	struct pp_input *in;
	struct pp_io io;
	unsigned round;

	pack_zstd(&packed, text.p, text.n, false);
	for (round = 0; round < 2; round++) {
		pp_io_init(&io, NULL, 2, NULL);
		(void)pp_input_memory(&io, packed.p, packed.n, &in);
		(void)pp_input_decode(&io, PP_CONTAINER_ZSTD, in, &in);
		ok(pp_input_need(in, round ? (size_t)3 << 20 : 100), "a part is read");
		in->close(in);
		pp_io_release(&io);
	}
	pp_buf_release(&text);
	pp_buf_release(&packed);
}

/* Bytes for a pipe that is then left open and silent. */
struct silent {
	struct pp_buf packed;
	int fd;
};

static void *
silent_write(void *arg)
{
	struct silent *s = arg;

	(void)!write(s->fd, s->packed.p, s->packed.n);
	return NULL;
}

/* A decoder that waits for a silent pipe on its own thread: closing must not wait for the writer. */
static void
test_silent_pipe(void)
{
	size_t n = 4000000, i;
	char *noise = must(malloc(n));
	struct silent silent = { 0 };
	uint32_t seed = 1;
	struct pp_input *in;
	struct pp_io io;
	pthread_t writer;
	int fds[2], saved = dup(STDIN_FILENO);

	for (i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		noise[i] = (char)(seed >> 24);
	}
	pack_gzip(&silent.packed, noise, n);
	silent.packed.n = 3000000;
	if (pipe(fds) != 0 || dup2(fds[0], STDIN_FILENO) < 0)
		must(NULL);
	silent.fd = fds[1];
	pthread_create(&writer, NULL, silent_write, &silent);
	pp_io_init(&io, NULL, 2, NULL);
	(void)pp_input_file(&io, "-", &in);
	(void)pp_input_decode(&io, PP_CONTAINER_GZIP, in, &in);
	ok(pp_input_need(in, 1500000) && memcmp(in->cur, noise, 1500000) == 0,
	   "bytes come through a pipe and a decoder");
	in->close(in);
	ok(true, "an input over a silent pipe can be closed");
	pp_io_release(&io);
	/* Without a reader the writer ends too, wherever it stands. */
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fds[0]);
	pthread_join(writer, NULL);
	close(fds[1]);
	free(noise);
	pp_buf_release(&silent.packed);
}

/* ---- files ---- */

static void *
feed_fifo(void *arg)
{
	const struct pp_buf *b = arg;
	FILE *f = fopen(b->p + b->n + 1, "wb");

	if (f) {
		(void)fwrite(b->p, 1, b->n, f);
		fclose(f);
	}
	return NULL;
}

static void
check_refused(const char *path, const char *part, const char *what)
{
	struct got g = read_path(path, 1, 0);

	ok(g.status == PP_E_IO && g.diags.list.n == 1 && got_rule(&g, PP_IO_OPEN_FAILED) &&
	       strstr(g.diags.list.at[0].message, part),
	   "%s: %s", what, g.diags.list.n ? g.diags.list.at[0].message : "(nothing)");
	got_release(&g);
}

static void
test_files(struct scratch *s)
{
	struct pp_buf text = make_text(500000, 17), fed = { 0 };
	const char *path;
	struct pp_input *in;
	struct pp_io io;
	pthread_t writer;
	struct got g;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i, sum = 0;
	int fd, saved;

	check_refused(s->directory, "directory", "a directory");
	check_refused(scratch_path(s, "absent"), "No such file", "an absent file");
	path = scratch_write(s, "secret", "x 1\n", 4);
	chmod(path, 0);
	if (geteuid() == 0 && seteuid(65534) == 0) {
		/* The scratch directory is ours alone, so open it up for the other user. */
		if (seteuid(0) == 0)
			chmod(s->directory, 0755);
		if (seteuid(65534) == 0)
			check_refused(path, "Permission denied", "an unreadable file");
		if (seteuid(0) != 0)
			must(NULL);
	} else {
		check_refused(path, "Permission denied", "an unreadable file");
	}

	path = scratch_path(s, "fifo");
	if (mkfifo(path, 0600) != 0)
		must(NULL);
	pp_buf_add(&fed, text.p, text.n);
	pp_buf_addc(&fed, '\0');
	pp_buf_adds(&fed, path);
	fed.n = text.n;
	pthread_create(&writer, NULL, feed_fifo, &fed);
	g = read_path(path, 2, 0);
	pthread_join(writer, NULL);
	ok(g.status == PP_OK && got_bytes(&g, text.p, text.n), "a FIFO");
	got_release(&g);
	pp_buf_release(&fed);

	/* Mapped files: the padding can be read even when the file ends with its page. */
	path = scratch_write(s, "pages", text.p, text.n / page * page);
	pp_io_init(&io, NULL, 1, NULL);
	ok(pp_input_file(&io, path, &in) == PP_OK && in->stable && !in->forget,
	   "a large file is read unless it may be mapped");
	in->close(in);
	io.map = true;
	ok(pp_input_file(&io, path, &in) == PP_OK && in->stable && in->at_end && in->forget &&
	       io.file_size == text.n / page * page,
	   "a large file is mapped");
	for (i = 0; i < PP_INPUT_PAD; i++)
		sum += in->end[i];
	ok(sum == 0, "the bytes behind it can be read");
	in->forget(in, in->cur, in->end);
	ok(memcmp(in->cur, text.p, pp_input_left(in)) == 0, "what was forgotten comes back");
	ok(!pp_input_changed(in), "the file did not change");
	fd = open(path, O_WRONLY | O_APPEND);
	ok(write(fd, "x", 1) == 1 && pp_input_changed(in), "now it did");
	close(fd);
	in->close(in);

	/* Standard input that is a file, not at its beginning. */
	saved = dup(STDIN_FILENO);
	fd = open(path, O_RDONLY);
	dup2(fd, STDIN_FILENO);
	lseek(STDIN_FILENO, 5001, SEEK_SET);
	ok(pp_input_file(&io, "-", &in) == PP_OK && in->stable &&
	       memcmp(in->cur, text.p + 5001, 10000) == 0,
	   "standard input from a file is mapped from where it stands");
	in->close(in);
	ok(lseek(STDIN_FILENO, 0, SEEK_CUR) == 5001, "and stays open");
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd);
	pp_io_release(&io);
	g = read_path("/proc/self/stat", 1, 0);
	ok(g.status == PP_OK && g.bytes.n > 20, "a file that says it has no bytes and has some");
	got_release(&g);
	pp_buf_release(&text);
}

/* ---- the rest of the system ---- */

struct tally {
	_Atomic unsigned sum;
	unsigned char seen[1000];
};

static void
tally_job(void *ctx, unsigned index)
{
	struct tally *t = ctx;

	t->seen[index]++;
	atomic_fetch_add(&t->sum, index);
}

static void
test_system(void)
{
	static const size_t sizes[] = { 1, 4096, ((size_t)4 << 20) - 1, (size_t)4 << 20, 9999999 };
	struct tally tally = { 0 };
	size_t i, k, bad = 0;
	unsigned threads;

	for (threads = 1; threads <= 5; threads++) {
		memset(tally.seen, 0, sizeof tally.seen);
		tally.sum = 0;
		pp_parallel_run(threads, 1000, tally_job, &tally);
		for (i = 0; i < 1000; i++)
			bad += tally.seen[i] != 1;
		bad += tally.sum != 499500;
	}
	pp_parallel_run(4, 0, tally_job, &tally);
	is_u64(bad, 0, "each job runs once on 1 to 5 threads");
	bad = 0;
	for (i = 0; i < PP_COUNT_OF(sizes); i++) {
		unsigned char *p = pp_pages_huge.get(sizes[i]);

		for (k = 0; p && k < sizes[i]; k += 997) {
			bad += p[k] != 0;
			p[k] = 1;
		}
		bad += !p;
		pp_pages_huge.put(p, sizes[i]);
	}
	pp_pages_huge.put(NULL, 0);
	is_u64(bad, 0, "large pages are zero and writable");
	ok(pp_pages_huge.get(SIZE_MAX - 100) == NULL, "all of memory is refused");
	ok(pp_random_seed() != pp_random_seed(), "seeds differ");
	ok(pp_processors() >= 1, "there is a processor");
}

static void
test_rules(void)
{
	size_t i, bad = 0;

	for (i = 0; i < PP_IO_RULE_COUNT; i++)
		bad += !pp_io_rules[i].id || strncmp(pp_io_rules[i].id, "io-", 3) != 0 ||
		       !pp_io_rules[i].title || !pp_io_rules[i].explain;
	is_u64(bad, 0, "every rule has an id, a title and an explanation");
	ok(!pp_io_rules[PP_IO_RULE_COUNT].id, "the rules end");
}

int
main(void)
{
	struct scratch scratch;

	signal(SIGPIPE, SIG_IGN);
	scratch_init(&scratch);
	test_rules();
	test_all_ways(&scratch);
	test_members(&scratch);
	test_cut_gzip();
	test_cut_zstd();
	test_flips();
	test_salvage();
	test_checksums();
	test_bombs();
	test_zlib();
	test_failing_reads();
	test_lines();
	test_frames();
	test_early_close();
	test_silent_pipe();
	test_files(&scratch);
	test_system();
	scratch_release(&scratch);
	return tap_done();
}
