/*
 * Packed test data: gzip, zlib and zstd made by the reference libraries, and a scratch directory.
 */
#ifndef PP_TEST_PACK_H
#define PP_TEST_PACK_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"

/* Tests have no use for going on without memory. */
static inline void *
must(void *p)
{
	if (!p) {
		printf("Bail out! out of memory\n");
		exit(EXIT_FAILURE);
	}
	return p;
}

/* Lines of text that compress like stacks do; the same for the same seed. */
static inline struct pp_buf
make_text(size_t bytes, uint32_t seed)
{
	static const char *const names[] = {
		"main", "parse_file", "Foo::bar",          "alloc",
		"x",    "run_queue",  "__libc_start_main", "std::vector<int>::push_back"
	};
	struct pp_buf b = { 0 };

	while (b.n < bytes) {
		seed = seed * 1664525u + 1013904223u;
		pp_buf_adds(&b, names[seed >> 29]);
		pp_buf_addc(&b, seed >> 20 & 3 ? ';' : '\n');
		if ((seed >> 16 & 15) == 0)
			pp_buf_addf(&b, "%u", seed);
	}
	pp_buf_add(&b, "", 0); /* never NULL */
	b.n = bytes;
	return b;
}

/* Deflate with a wrapper as zlib counts them: 31 gzip, 15 zlib, -15 none. Appends to `out`. */
static inline void
pack_deflate(struct pp_buf *out, const void *data, size_t n, int wrapper)
{
	z_stream z = { 0 };
	size_t room = n + n / 100 + 1024;

	deflateInit2(&z, 6, Z_DEFLATED, wrapper, 8, Z_DEFAULT_STRATEGY);
	z.next_out = must(pp_buf_room(out, room));
	z.avail_out = (uInt)room;
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)n;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		must(NULL);
	out->n += room - z.avail_out;
	deflateEnd(&z);
}

static inline void
pack_gzip(struct pp_buf *out, const void *data, size_t n)
{
	pack_deflate(out, data, n, 31);
}

static inline void
add_le32(struct pp_buf *out, uint32_t v)
{
	unsigned char bytes[4] = { (unsigned char)v, (unsigned char)(v >> 8),
		                   (unsigned char)(v >> 16), (unsigned char)(v >> 24) };

	pp_buf_add(out, bytes, sizeof bytes);
}

/* A gzip member with every optional field that `flags` asks for. */
static inline void
pack_gzip_fields(struct pp_buf *out, const void *data, size_t n, unsigned flags)
{
	size_t start = out->n;
	unsigned char head[10] = { 0x1f, 0x8b, 8, (unsigned char)flags, 1, 2, 3, 4, 0, 3 };

	pp_buf_add(out, head, sizeof head);
	if (flags & 4)
		pp_buf_add(out,
		           "\x05\x00"
		           "ab\x00"
		           "de",
		           7);
	if (flags & 8)
		pp_buf_add(out, "name.folded", 12);
	if (flags & 16)
		pp_buf_add(out, "a comment", 10);
	if (flags & 2) {
		uint32_t crc = (uint32_t)crc32_z(0, (const Bytef *)out->p + start, out->n - start);

		pp_buf_addc(out, (char)crc);
		pp_buf_addc(out, (char)(crc >> 8));
	}
	pack_deflate(out, data, n, -15);
	add_le32(out, (uint32_t)crc32_z(0, data, n));
	add_le32(out, (uint32_t)n);
}

/* A zstd frame with a checksum; its size is stated when `sized`. */
static inline void
pack_zstd(struct pp_buf *out, const void *data, size_t n, bool sized)
{
	ZSTD_CCtx *c = must(ZSTD_createCCtx());
	size_t room = ZSTD_compressBound(n) + 64;
	ZSTD_outBuffer to = { must(pp_buf_room(out, room)), room, 0 };
	ZSTD_inBuffer from = { data, n, 0 };

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, sized);
	if (sized)
		ZSTD_CCtx_setPledgedSrcSize(c, n);
	else
		ZSTD_compressStream2(c, &to, &from, ZSTD_e_continue);
	if (ZSTD_compressStream2(c, &to, &from, ZSTD_e_end) != 0)
		must(NULL);
	out->n += to.pos;
	ZSTD_freeCCtx(c);
}

static inline void
pack_skippable(struct pp_buf *out, uint32_t n)
{
	pp_buf_add(out, "\x53\x2a\x4d\x18", 4);
	add_le32(out, n);
	memset(must(pp_buf_room(out, n)), 'S', n);
	out->n += n;
}

/* ---- files ---- */

struct scratch {
	char directory[64];
	char path[320];
};

static inline void
scratch_init(struct scratch *s)
{
	snprintf(s->directory, sizeof s->directory, "/tmp/polyprof-test-XXXXXX");
	must(mkdtemp(s->directory));
}

/* The path of a name in the scratch directory; good until the next call. */
static inline const char *
scratch_path(struct scratch *s, const char *name)
{
	snprintf(s->path, sizeof s->path, "%s/%s", s->directory, name);
	return s->path;
}

static inline const char *
scratch_write(struct scratch *s, const char *name, const void *data, size_t n)
{
	const char *path = scratch_path(s, name);
	FILE *f = must(fopen(path, "wb"));

	if ((n && fwrite(data, 1, n, f) != n) || fclose(f) != 0)
		must(NULL);
	return path;
}

static inline struct pp_buf
scratch_read(const char *path)
{
	struct pp_buf b = { 0 };
	FILE *f = fopen(path, "rb");
	size_t n;

	while (f && (n = fread(must(pp_buf_room(&b, 65536)), 1, 65536, f)) > 0)
		b.n += n;
	if (f)
		fclose(f);
	pp_buf_add(&b, "", 0);
	return b;
}

/* Files in the scratch directory. */
static inline size_t
scratch_count(const struct scratch *s)
{
	DIR *d = must(opendir(s->directory));
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static inline void
scratch_release(struct scratch *s)
{
	DIR *d = opendir(s->directory);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' || strncmp(e->d_name, ".polyprof", 9) == 0)
			remove(scratch_path(s, e->d_name));
	if (d)
		closedir(d);
	rmdir(s->directory);
}

#endif
