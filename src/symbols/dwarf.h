/*
 * Source lines and inlined functions out of a binary's debug information. By libdw, where the library was built with it
 * (dwarf_libdw.c); else nothing is known (dwarf_none.c).
 */
#ifndef PP_DWARF_H
#define PP_DWARF_H

#include "symbols/elf.h"

struct pp_dwarf;

/* A function at an address, and where in it. Texts belong to the file, and hold until the next look-up. */
struct pp_dwarf_place {
	const char *name; /* as linkers know it, or as it is written; NULL = not known */
	const char *file; /* NULL = not known */
	uint32_t line, column;
};

/* Whether there can be anything. */
bool pp_dwarf_is_built(void);
/*
 * The debug information of a file in memory, which must outlive it; `shared` is what it has in common with others, NULL for
 * nothing. NULL when there is none, or out of memory.
 */
struct pp_dwarf *pp_dwarf_open(const struct pp_elf *file, const struct pp_elf *shared);
void pp_dwarf_close(struct pp_dwarf *);
/*
 * What is at an address of the file: the innermost inlined function first, the one that they were inlined into last. Returns
 * how many there are, at most `most`; 0 when nothing is known.
 */
size_t pp_dwarf_find(struct pp_dwarf *, uint64_t address, struct pp_dwarf_place *, size_t most);

#endif
