/*
 * What a compiler of the program itself wrote of its code (jit-PID.dump, as perf defines it): when it put which function where,
 * and from which source lines. Nothing is trusted: what does not fit is not there.
 */
#ifndef PP_JITDUMP_H
#define PP_JITDUMP_H

#include "symbols/dwarf.h"
#include "symbols/symbols.h"

/* From a time on, so many bytes of code are at an address; `at` is where they stand in the file. */
struct pp_jit_load {
	uint64_t time;
	uint64_t address, size;
	uint64_t at;
	uint64_t number; /* of the function */
};

/* From a place in the file on. */
struct pp_jit_line {
	uint64_t at;
	uint32_t line;
	const char *file;
};

struct pp_jitdump {
	bool clocked;                     /* times are those of the monotonic clock */
	PP_VEC(struct pp_jit_load) loads; /* as they are in the file, moves included */
	PP_VEC(struct pp_jit_line) lines; /* by place */
};

/* Reads a dump, which must outlive it, and adds its names to symbols, by places in the file. False when out of memory. */
bool pp_jitdump_open(struct pp_jitdump *, struct pp_slice file, uint64_t seed, struct pp_symbols *);
void pp_jitdump_release(struct pp_jitdump *);
/* The source line at a place in the file, which must be in a function; false when it is not known. */
bool pp_jitdump_line(const struct pp_jitdump *, uint64_t at, struct pp_dwarf_place *);

#endif
