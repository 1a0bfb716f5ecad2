/*
 * Bytes as DWARF writes numbers. A reader past its end is bad from then on, and reads zeros.
 */
#ifndef PP_DWARF_BYTES_H
#define PP_DWARF_BYTES_H

#include "symbols/elf.h"

struct pp_dwarf_bytes {
	const struct pp_elf *elf;
	const unsigned char *p, *end;
	bool bad;
};

static inline struct pp_dwarf_bytes
pp_dwarf_bytes_of(const struct pp_elf *e, struct pp_slice s)
{
	return (struct pp_dwarf_bytes){ e, s.p, s.p + s.n, false };
}

/* So many bytes, or NULL. */
static inline const unsigned char *
pp_dwarf_take(struct pp_dwarf_bytes *b, uint64_t n)
{
	const unsigned char *at = b->p;

	if (b->bad || n > (uint64_t)(b->end - b->p)) {
		b->bad = true;
		return NULL;
	}
	b->p += n;
	return at;
}

/* A number of 1, 2, 4 or 8 bytes. */
static inline uint64_t
pp_dwarf_fixed(struct pp_dwarf_bytes *b, unsigned size)
{
	const unsigned char *at = pp_dwarf_take(b, size);

	if (!at)
		return 0;
	return size == 1   ? *at
	       : size == 2 ? pp_elf_u16(b->elf, at)
	       : size == 4 ? pp_elf_u32(b->elf, at)
	                   : pp_elf_u64(b->elf, at);
}

/* One with a sign. */
static inline int64_t
pp_dwarf_fixed_signed(struct pp_dwarf_bytes *b, unsigned size)
{
	uint64_t v = pp_dwarf_fixed(b, size);

	return size == 1 ? (int8_t)v : size == 2 ? (int16_t)v : size == 4 ? (int32_t)v : (int64_t)v;
}

/* Seven bits a byte, the lowest first; what `signs` gets stands above them in a number that is signed. */
static inline uint64_t
pp_dwarf_leb(struct pp_dwarf_bytes *b, uint64_t *signs)
{
	uint64_t v = 0;
	unsigned shift = 0;
	const unsigned char *at;

	*signs = 0;
	do {
		at = pp_dwarf_take(b, 1);
		if (!at)
			return 0;
		v |= shift < 64 ? (uint64_t)(*at & 127) << shift : 0;
		shift += 7;
	} while (*at & 128);
	if (shift < 64 && *at & 64)
		*signs = ~(uint64_t)0 << shift;
	return v;
}

static inline uint64_t
pp_dwarf_uleb(struct pp_dwarf_bytes *b)
{
	uint64_t signs;

	return pp_dwarf_leb(b, &signs);
}

static inline int64_t
pp_dwarf_sleb(struct pp_dwarf_bytes *b)
{
	uint64_t signs, v = pp_dwarf_leb(b, &signs);

	return (int64_t)(v | signs);
}

/* A length and that many bytes. */
static inline struct pp_slice
pp_dwarf_block(struct pp_dwarf_bytes *b)
{
	uint64_t n = pp_dwarf_uleb(b);
	const unsigned char *at = pp_dwarf_take(b, n);

	return pp_slice_of(at ? at : (const unsigned char *)"", at ? (size_t)n : 0);
}

#endif
