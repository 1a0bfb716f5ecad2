/*
 * An ELF file in memory.
 */
#include "symbols/elf.h"

#include "base/slice.h"

#define LOADED 1
#define NOTES 4
#define NOTE_BUILD_ID 3
/* Binaries have a handful; beyond this it is no binary. */
#define LOADS_MOST 4096

uint16_t
pp_elf_u16(const struct pp_elf *e, const unsigned char *p)
{
	return (uint16_t)(e->big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

uint32_t
pp_elf_u32(const struct pp_elf *e, const unsigned char *p)
{
	uint32_t low = pp_elf_u16(e, e->big ? p + 2 : p), high = pp_elf_u16(e, e->big ? p : p + 2);

	return high << 16 | low;
}

uint64_t
pp_elf_u64(const struct pp_elf *e, const unsigned char *p)
{
	uint64_t low = pp_elf_u32(e, e->big ? p + 4 : p), high = pp_elf_u32(e, e->big ? p : p + 4);

	return high << 32 | low;
}

uint64_t
pp_elf_word(const struct pp_elf *e, const unsigned char *p)
{
	return e->wide ? pp_elf_u64(e, p) : pp_elf_u32(e, p);
}

/* So many bytes of the file, or nothing. */
static struct pp_slice
bytes_at(const struct pp_elf *e, uint64_t offset, uint64_t n)
{
	if (offset > e->file.n || n > e->file.n - offset)
		return pp_slice_of(e->file.p, 0);
	return pp_slice_of(e->file.p + offset, (size_t)n);
}

struct pp_slice
pp_elf_text(struct pp_slice table, uint64_t at)
{
	const unsigned char *nul;

	if (at >= table.n)
		return pp_slice_of("", 0);
	table = pp_slice_from(table, (size_t)at);
	nul = memchr(table.p, 0, table.n);
	return nul ? pp_slice_between(table.p, nul) : pp_slice_of("", 0);
}

/* Notes are a name and a description, each padded to four bytes. */
static void
notes_read(struct pp_elf *e, struct pp_slice notes)
{
	while (notes.n >= 12 && !e->build_id.n) {
		uint64_t name = pp_elf_u32(e, notes.p), n = pp_elf_u32(e, notes.p + 4);
		uint64_t at = 12 + ((name + 3) & ~(uint64_t)3), end = at + ((n + 3) & ~(uint64_t)3);

		if (at + n > notes.n)
			return;
		if (pp_elf_u32(e, notes.p + 8) == NOTE_BUILD_ID && name == 4 && n <= 64 &&
		    memcmp(notes.p + 12, "GNU", 4) == 0)
			e->build_id = pp_slice_of(notes.p + at, (size_t)n);
		notes = pp_slice_from(notes, end < notes.n ? (size_t)end : notes.n);
	}
}

/* What is loaded; false when out of memory. */
static bool
segments_read(struct pp_elf *e)
{
	const unsigned char *h = e->file.p;
	uint64_t at = pp_elf_word(e, h + (e->wide ? 32 : 28));
	size_t size = pp_elf_u16(e, h + (e->wide ? 54 : 42)),
	       n = pp_elf_u16(e, h + (e->wide ? 56 : 44)), i;
	struct pp_slice table = bytes_at(e, at, (uint64_t)size * n);

	if (size < (e->wide ? 56u : 32u))
		return true;
	for (i = 0; i < n && table.n && i < LOADS_MOST; i++) {
		const unsigned char *p = table.p + i * size;
		uint32_t type = pp_elf_u32(e, p);
		struct pp_elf_load load = { pp_elf_word(e, p + (e->wide ? 8 : 4)),
			                    pp_elf_word(e, p + (e->wide ? 16 : 8)),
			                    pp_elf_word(e, p + (e->wide ? 40 : 20)) };

		if (type == LOADED && !pp_vec_push(&e->loads, load))
			return false;
		if (type == NOTES)
			notes_read(
			    e, bytes_at(e, load.offset, pp_elf_word(e, p + (e->wide ? 32 : 16))));
	}
	return true;
}

static bool
sections_read(struct pp_elf *e)
{
	const unsigned char *h = e->file.p;
	uint64_t at = pp_elf_word(e, h + (e->wide ? 40 : 32));
	size_t size = pp_elf_u16(e, h + (e->wide ? 58 : 46)),
	       n = pp_elf_u16(e, h + (e->wide ? 60 : 48)), i;
	size_t names = pp_elf_u16(e, h + (e->wide ? 62 : 50));
	struct pp_slice table = bytes_at(e, at, (uint64_t)size * n), texts = { 0 };

	if (size < (e->wide ? 64u : 40u))
		return true;
	for (i = 0; i < n && table.n; i++) {
		const unsigned char *p = table.p + i * size;
		struct pp_elf_section s = { .type = pp_elf_u32(e, p + 4),
			                    .flags = pp_elf_word(e, p + 8),
			                    .address = pp_elf_word(e, p + (e->wide ? 16 : 12)),
			                    .offset = pp_elf_word(e, p + (e->wide ? 24 : 16)),
			                    .link = pp_elf_u32(e, p + (e->wide ? 40 : 24)),
			                    .entry = pp_elf_word(e, p + (e->wide ? 56 : 36)) };

		if (s.type != PP_ELF_NOBITS)
			s.bytes = bytes_at(e, s.offset, pp_elf_word(e, p + (e->wide ? 32 : 20)));
		if (!pp_vec_push(&e->sections, s))
			return false;
	}
	if (names < e->sections.n)
		texts = e->sections.at[names].bytes;
	for (i = 0; i < e->sections.n; i++) {
		struct pp_elf_section *s = &e->sections.at[i];

		s->name = pp_elf_text(texts, pp_elf_u32(e, table.p + i * size));
		if (s->type == PP_ELF_NOTE)
			notes_read(e, s->bytes);
	}
	return true;
}

bool
pp_elf_open(struct pp_elf *e, struct pp_slice file)
{
	*e = (struct pp_elf){ .file = file };
	if (file.n < 52 || memcmp(file.p,
	                          "\x7f"
	                          "ELF",
	                          4) != 0)
		return false;
	e->wide = file.p[4] == 2;
	e->big = file.p[5] == 2;
	if (e->wide && file.n < 64)
		return false;
	e->machine = pp_elf_u16(e, file.p + 18);
	return segments_read(e) && sections_read(e);
}

void
pp_elf_release(struct pp_elf *e)
{
	pp_vec_release(&e->sections);
	pp_vec_release(&e->loads);
}

const struct pp_elf_section *
pp_elf_named(const struct pp_elf *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->sections.n; i++)
		if (pp_slice_eq_z(e->sections.at[i].name, name))
			return &e->sections.at[i];
	return NULL;
}

const struct pp_elf_section *
pp_elf_typed(const struct pp_elf *e, uint32_t type)
{
	size_t i;

	for (i = 0; i < e->sections.n; i++)
		if (e->sections.at[i].type == type)
			return &e->sections.at[i];
	return NULL;
}

uint64_t
pp_elf_offset(const struct pp_elf *e, uint64_t address)
{
	size_t i;

	for (i = 0; i < e->loads.n; i++) {
		const struct pp_elf_load *load = &e->loads.at[i];

		if (address >= load->address && address - load->address < load->size)
			return address - load->address + load->offset;
	}
	return address;
}

uint64_t
pp_elf_address(const struct pp_elf *e, uint64_t offset)
{
	size_t i;

	for (i = 0; i < e->loads.n; i++) {
		const struct pp_elf_load *load = &e->loads.at[i];

		if (offset >= load->offset && offset - load->offset < load->size)
			return offset - load->offset + load->address;
	}
	return offset;
}
