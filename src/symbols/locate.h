/*
 * Where the symbols of a binary are: beside it, in the directories of debuggers, in perf's cache. What was recorded decides: a
 * file of another build is never used.
 */
#ifndef PP_LOCATE_H
#define PP_LOCATE_H

#include "base/buf.h"
#include "io/input.h"
#include "symbols/cfi.h"
#include "symbols/dwarf.h"
#include "symbols/jitdump.h"
#include "symbols/symbols.h"

/* How files are found. */
struct pp_locator {
	/* Opens a file below the root; false when it is not there. */
	bool (*open)(void *ctx, const char *path, const char *root, struct pp_input **);
	void *ctx;
	const char *root;     /* before every path; nothing outside is read. NULL = none */
	const char *cache;    /* the directory that holds .build-id; NULL = none */
	bool cache_outside;   /* it need not be below the root */
	const char *kallsyms; /* the kernel's list, wherever it is; NULL = look for it */
	/* Host and release of the kernel recorded, by which it is known again where no build id tells. */
	struct pp_slice host, release;
	bool frames;   /* what unwinding takes is wanted, too, */
	bool lines;    /* and what tells source lines */
	uint64_t seed; /* for hash tables */
};

enum pp_located { PP_LOCATED_NOT, PP_LOCATED, PP_LOCATED_OTHER_BUILD, PP_LOCATED_NOTHING_IN_IT };

/* A file that symbols come from, whole in memory. */
struct pp_symbol_file {
	struct pp_input *in; /* or NULL */
	struct pp_buf copy;  /* where it could not stay where it was */
	struct pp_slice bytes;
	struct pp_elf elf;
	struct pp_buf path;
};

/* What a file is good for; one may be all of them. */
enum pp_symbol_role {
	PP_ROLE_RUNTIME, /* what it exports */
	PP_ROLE_NAMES,   /* all of its symbols */
	PP_ROLE_FRAMES,  /* how to unwind */
	PP_ROLE_LINES,   /* source lines */
	PP_ROLE_SHARED,  /* what several files' lines have in common (dwz) */
	PP_ROLE_PACKED,  /* symbols in a packed file within (.gnu_debugdata) */
	PP_ROLES
};

struct pp_binary {
	enum pp_located state;
	struct pp_symbols symbols;
	struct pp_cfi cfi;
	bool has_cfi;
	struct pp_dwarf *dwarf;
	bool has_dwarf;                         /* or it was tried */
	struct pp_symbol_file *roles[PP_ROLES]; /* NULL = none; some may be the same */
	struct pp_symbol_file text;             /* of the kernel's list, or of a JIT map */
	struct pp_symbol_file unpacked;         /* what was packed */
	struct pp_jitdump jit;
	struct pp_buf tried; /* the last file that was not to be used */
};

/* The symbols of a binary by its path and build id (empty = not known). False when out of memory. */
bool pp_locate_binary(const struct pp_locator *, struct pp_slice path, struct pp_slice build_id,
                      struct pp_binary *);
/* The symbols in a file that is known, and in its debug file by build id. */
bool pp_locate_exact(const struct pp_locator *, const char *path, struct pp_slice build_id,
                     struct pp_binary *);
/* Those of the virtual library of the kernel, of the kernel itself, and of a program that compiles. */
bool pp_locate_vdso(const struct pp_locator *, struct pp_slice build_id, struct pp_binary *);
bool pp_locate_kernel(const struct pp_locator *, struct pp_slice build_id,
                      struct pp_slice reference, uint64_t at, struct pp_binary *);
bool pp_locate_map(const struct pp_locator *, struct pp_slice path, struct pp_binary *);
/* What such a program wrote down of each function; addresses are places in the dump. */
bool pp_locate_jitdump(const struct pp_locator *, struct pp_slice path, struct pp_binary *);
void pp_binary_release(struct pp_binary *);
/* How to unwind what is in it; NULL when nothing tells, or out of memory. */
const struct pp_cfi *pp_binary_cfi(struct pp_binary *);
/* Its debug information; NULL when there is none, or it was not wanted. */
struct pp_dwarf *pp_binary_dwarf(struct pp_binary *);
/* What is known of a place in it, by its offset in the file, as pp_dwarf_find() tells. */
size_t pp_binary_places(struct pp_binary *, uint64_t offset, struct pp_dwarf_place *, size_t most);
/* In a word or a few, what came of looking for its symbols; the file that gave them, or was not to be used (or ""). */
const char *pp_binary_verdict(const struct pp_binary *);
const char *pp_binary_file(const struct pp_binary *);
/* The file whose segments tell addresses from offsets; NULL when there is none. */
const struct pp_elf *pp_binary_code(const struct pp_binary *);

#endif
