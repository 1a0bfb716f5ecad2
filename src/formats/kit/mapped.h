/*
 * Addresses of one process as frames: what was mapped where, and the names of functions there (symbols/locate.h). For
 * formats that record bare addresses and tell once what was mapped: gperftools, jemalloc, raw heaptrack.
 */
#ifndef PP_KIT_MAPPED_H
#define PP_KIT_MAPPED_H

#include "formats/kit/native.h"

/* The options that all of them have, for pp_format.options. */
#define PP_MAPPED_OPTIONS                                                                          \
	{ "symfs", "DIR", "look for binaries and their symbols below DIR, and nowhere else" },     \
	    { "symbols", "yes|no", "names of functions (default), or addresses only" },            \
	    { "inline", "no|yes",                                                                  \
	      "frames of functions that the compiler put into others (default no)" },              \
	{                                                                                          \
		"demangle", "name|full|no",                                                        \
		    "C++ names without parameters (default), with them, or as they are"            \
	}

/* What their frames may have, for pp_holds.keeps. */
#define PP_MAPPED_HOLDS                                                                            \
	(PP_HAS(MODULES) | PP_HAS(BUILD_IDS) | PP_HAS(FILES) | PP_HAS(FIRST_LINES) |               \
	 PP_HAS(PLACES) | PP_HAS(COLUMNS) | PP_HAS(INLINED) | PP_HAS(ADDRESSES) | PP_HAS(OFFSETS))

struct pp_mapped_file {
	struct pp_slice name; /* in the arena */
	pp_module row;
	bool tried; /* its symbols were looked for */
	struct pp_binary binary;
};

struct pp_mapped_range {
	uint64_t start, end; /* the last address + 1 */
	uint64_t moved;      /* address - moved is an offset in the file, or an address in it */
	uint32_t file;
	bool address; /* the latter */
};

/* Zero is nothing; to be released. */
struct pp_mapped {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_arena arena;
	struct pp_locator locator;
	struct pp_strtab names;
	PP_VEC(struct pp_mapped_file) files; /* by name */
	PP_VEC(struct pp_mapped_range) ranges;
	struct pp_map runs[2];   /* address -> run, of leaves and of callers */
	PP_VEC(pp_frame) frames; /* of runs: how many, and each; [0] is none */
	struct pp_native native;
	struct pp_map named; /* address -> name, where the profile brings it */
	bool begun, sorted;
};

bool pp_mapped_init(struct pp_mapped *, struct pp_reader *, struct pp_builder *);
void pp_mapped_release(struct pp_mapped *);

/* [start, end) holds a file from an offset on. */
void pp_mapped_add(struct pp_mapped *, struct pp_slice name, uint64_t start, uint64_t end,
                   uint64_t offset);
/* [start, end) is a part of a file whose address 0 is at `base`. */
void pp_mapped_add_part(struct pp_mapped *, struct pp_slice name, uint64_t start, uint64_t end,
                        uint64_t base);
/* Forgets all ranges: something else is mapped from now on. Names that were found stay. */
void pp_mapped_clear(struct pp_mapped *);
/* Lines of /proc/PID/maps, or of its short form "START-END: FILE (@OFFSET)"; others are passed over. */
void pp_mapped_read(struct pp_mapped *, struct pp_slice text);
/* The name of what is at an address, where the profile itself tells. */
void pp_mapped_name(struct pp_mapped *, uint64_t address, struct pp_slice name);

/*
 * The frames of an address: those of one number, 0 on failure. Names are looked for `back` bytes before it: 1 for where a call
 * returns to.
 */
uint32_t pp_mapped_run(struct pp_mapped *, uint64_t address, unsigned back);
/* They themselves, the innermost first, until the next run is made. */
const pp_frame *pp_mapped_frames(const struct pp_mapped *, uint32_t run, size_t *n);
/* Says which files have no names, and why, as a finding of that rule; and of all in the metadata, where that is ordered. */
void pp_mapped_report(struct pp_mapped *, const struct pp_rule *);

#endif
