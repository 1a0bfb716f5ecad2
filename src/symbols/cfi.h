/*
 * Call frame information of a binary (.eh_frame, .debug_frame): for each address, where what called is found. Nothing is
 * trusted: what makes no sense is not there.
 */
#ifndef PP_CFI_H
#define PP_CFI_H

#include "symbols/elf.h"

/* Numbers of registers as DWARF has them, of all machines that are unwound. */
#define PP_CFI_REGISTERS 33

enum pp_cfi_how {
	PP_CFI_SAME,          /* as it is, or not told */
	PP_CFI_LOST,          /* nobody knows; of the return address: nobody called */
	PP_CFI_AT_OFFSET,     /* in memory, so far from the frame's address */
	PP_CFI_IS_OFFSET,     /* the address so far from there itself */
	PP_CFI_IN_REGISTER,   /* another register's value */
	PP_CFI_AT_EXPRESSION, /* in memory, where an expression says */
	PP_CFI_IS_EXPRESSION
};

struct pp_cfi_rule {
	enum pp_cfi_how how;
	int64_t value; /* an offset, or a register */
	struct pp_slice expression;
};

/* What holds at one address. */
struct pp_cfi_row {
	struct pp_cfi_rule frame; /* its address: an expression, or register `base` + value */
	uint32_t base;
	struct pp_cfi_rule registers[PP_CFI_REGISTERS];
	uint32_t return_register;
	bool signal;        /* a signal came in here: the caller did not call */
	bool return_signed; /* AArch64: the return address has a signature */
};

/* A function that is described. */
struct pp_cfi_range {
	uint64_t start, size;
	uint64_t at; /* of its entry in the section */
	bool plain;  /* of .debug_frame */
};

struct pp_cfi {
	const struct pp_elf *elf;
	const struct pp_elf_section *eh, *plain;
	PP_VEC(struct pp_cfi_range) ranges; /* by start */
};

/* Finds what is described; the file must outlive it. False when out of memory. */
bool pp_cfi_open(struct pp_cfi *, const struct pp_elf *);
void pp_cfi_release(struct pp_cfi *);
/* What holds at an address of the binary; false when nothing is known. */
bool pp_cfi_find(const struct pp_cfi *, uint64_t address, struct pp_cfi_row *);

#endif
