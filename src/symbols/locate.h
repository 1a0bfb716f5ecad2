/*
 * Where the symbols of a binary are: beside it, in the directories of debuggers, in perf's cache. What was recorded decides: a
 * file of another build is never used.
 */
#ifndef PP_LOCATE_H
#define PP_LOCATE_H

#include "base/buf.h"
#include "io/input.h"
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
};

enum pp_located { PP_LOCATED_NOT, PP_LOCATED, PP_LOCATED_OTHER_BUILD, PP_LOCATED_NOTHING_IN_IT };

/* A file that symbols come from, whole in memory. */
struct pp_symbol_file {
	struct pp_input *in; /* or NULL */
	struct pp_buf copy;  /* where it could not stay where it was */
	struct pp_slice bytes;
	struct pp_elf elf;
};

struct pp_binary {
	enum pp_located state;
	struct pp_symbols symbols;
	struct pp_symbol_file runtime, names;
};

/* The symbols of a binary by its path and build id (empty = not known). False when out of memory. */
bool pp_locate_binary(const struct pp_locator *, struct pp_slice path, struct pp_slice build_id,
                      struct pp_binary *);
/* Those of the virtual library of the kernel, of the kernel itself, and of a program that compiles. */
bool pp_locate_vdso(const struct pp_locator *, struct pp_slice build_id, struct pp_binary *);
bool pp_locate_kernel(const struct pp_locator *, struct pp_slice build_id,
                      struct pp_slice reference, uint64_t at, struct pp_binary *);
bool pp_locate_map(const struct pp_locator *, struct pp_slice path, struct pp_binary *);
void pp_binary_release(struct pp_binary *);

#endif
