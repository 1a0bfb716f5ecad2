/*
 * Names of functions by their addresses: out of a binary, the kernel's list, or what a program with a compiler of its own wrote
 * down. Which of several symbols at one address is shown, and how long one is, is decided as perf does.
 *
 * Names are as in the file, and belong to it: its bytes must outlive the symbols.
 */
#ifndef PP_SYMBOLS_H
#define PP_SYMBOLS_H

#include "base/arena.h"
#include "symbols/elf.h"

struct pp_symbol {
	uint64_t start, end;
	uint64_t reach; /* the largest end up to here: others may lie inside of one */
	struct pp_slice name;
	bool global, weak;
	bool plain; /* the name is not to be demangled */
};

struct pp_symbols {
	PP_VEC(struct pp_symbol) list; /* by start */
	struct pp_arena arena;         /* names that are in no file */
	bool failed;                   /* out of memory */
};

/*
 * Adds those of a binary: its table of symbols, or of `names` (the file of a debugger, NULL = itself), then those it
 * exports, then calls through its table of links. Addresses become offsets in the file.
 */
void pp_symbols_add_elf(struct pp_symbols *, const struct pp_elf *binary,
                        const struct pp_elf *names);
/* Adds the table of symbols of another file of that binary. */
void pp_symbols_add_table(struct pp_symbols *, const struct pp_elf *binary,
                          const struct pp_elf *names);
/* Adds lines of "ADDRESS TYPE NAME [MODULE]"; addresses are moved so that `reference`, if it is there, is at `at`. */
void pp_symbols_add_kernel(struct pp_symbols *, struct pp_slice text, struct pp_slice reference,
                           uint64_t at);
/* Adds lines of "START SIZE NAME". */
void pp_symbols_add_map(struct pp_symbols *, struct pp_slice text);
void pp_symbols_release(struct pp_symbols *);
/* The innermost symbol at an address; NULL when there is none. */
const struct pp_symbol *pp_symbols_find(const struct pp_symbols *, uint64_t address);

#endif
