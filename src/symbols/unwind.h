/*
 * Who called whom, out of the registers and a copy of the stack that were recorded with a sample.
 *
 * Registers and stack are a stranger's: whatever they hold, at most so many steps are made, and nothing is read but the copy.
 */
#ifndef PP_UNWIND_H
#define PP_UNWIND_H

#include "symbols/cfi.h"

enum pp_unwind_machine { PP_UNWIND_NONE, PP_UNWIND_X86, PP_UNWIND_X86_64, PP_UNWIND_AARCH64 };

/* The address of a frame that is not there: the copy of the stack ends before it. */
#define PP_UNWIND_CUT UINT64_MAX

/* What is known of the code at an address. */
struct pp_unwind_code {
	const struct pp_cfi
	    *cfi;       /* NULL = a file without any, or code of no file: go by frame pointers */
	uint64_t shift; /* what to add to get the address that its file knows */
};

struct pp_unwind {
	enum pp_unwind_machine machine;
	bool big;
	uint64_t mask;              /* which registers there are, as perf counts them */
	const unsigned char *words; /* their values, 64 bits each */
	struct pp_slice stack;      /* from where the stack pointer points to */
	/* The code at an address; false when there is nothing, or what there is was not found. */
	bool (*code)(void *ctx, uint64_t address, struct pp_unwind_code *);
	void *ctx;
};

/*
 * Addresses from the leaf on, at most so many; returns how many. Those of callers are within the call, so one below where
 * it returns to. The last may be PP_UNWIND_CUT.
 */
size_t pp_unwind(const struct pp_unwind *, uint64_t *addresses, size_t most);

#endif
