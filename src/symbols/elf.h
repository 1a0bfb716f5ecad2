/*
 * An ELF file in memory: what finding the names of functions takes. Either size and byte order. Nothing is trusted: what does
 * not fit is not there.
 */
#ifndef PP_ELF_H
#define PP_ELF_H

#include "base/common.h"
#include "base/vec.h"

enum { PP_ELF_SYMTAB = 2, PP_ELF_NOTE = 7, PP_ELF_NOBITS = 8, PP_ELF_DYNSYM = 11 };
enum { PP_ELF_ALLOC = 2 };
enum { PP_ELF_ARM = 40, PP_ELF_AARCH64 = 183 };

struct pp_elf_section {
	struct pp_slice name;
	uint32_t type, link;
	uint64_t flags, address, offset, entry;
	struct pp_slice bytes; /* empty for PP_ELF_NOBITS */
};

/* A piece of the file that is loaded. */
struct pp_elf_load {
	uint64_t offset, address, size; /* in memory */
};

struct pp_elf {
	struct pp_slice file;
	bool wide, big;
	uint16_t machine;
	PP_VEC(struct pp_elf_section) sections;
	PP_VEC(struct pp_elf_load) loads;
	struct pp_slice build_id; /* empty = none */
};

/* Takes a file apart; false when it is none, or out of memory. Release it in both cases. */
bool pp_elf_open(struct pp_elf *, struct pp_slice file);
void pp_elf_release(struct pp_elf *);
/* The section of that name or type; NULL when there is none. */
const struct pp_elf_section *pp_elf_named(const struct pp_elf *, const char *name);
const struct pp_elf_section *pp_elf_typed(const struct pp_elf *, uint32_t type);
/* Integers of the file's byte order; the bytes must be there. */
uint16_t pp_elf_u16(const struct pp_elf *, const unsigned char *);
uint32_t pp_elf_u32(const struct pp_elf *, const unsigned char *);
uint64_t pp_elf_u64(const struct pp_elf *, const unsigned char *);
/* One of 64 bits in wide files, else of 32. */
uint64_t pp_elf_word(const struct pp_elf *, const unsigned char *);
/* Text up to its NUL at a place of a table of strings. */
struct pp_slice pp_elf_text(struct pp_slice table, uint64_t at);
/* Where in the file an address is; the address itself when nothing is loaded there. */
uint64_t pp_elf_offset(const struct pp_elf *, uint64_t address);
/* The other way round. */
uint64_t pp_elf_address(const struct pp_elf *, uint64_t offset);

#endif
