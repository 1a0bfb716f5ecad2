/*
 * Names and source lines of frames that have addresses only, whichever format recorded them: for a profile that was just read.
 */
#ifndef PP_KIT_RESOLVE_H
#define PP_KIT_RESOLVE_H

#include "formats/reader.h"
#include "model/builder.h"

extern const struct pp_rule pp_resolve_rules[];

/* What is in a file at an address of the program, which was mapped from `start` to `limit`; 0, 0 = that is not known. */
struct pp_resolve_at {
	pp_module module;
	bool kernel;
	uint64_t address, start, limit, offset;
};

/*
 * For formats that know more of an address than a frame can tell: the frames of code without a name, the innermost first, with those that
 * were inlined. Returns how many; 0 when nothing is found, or nobody wants names.
 */
size_t pp_resolve_frames(struct pp_reader *, struct pp_builder *, const struct pp_resolve_at *,
                         pp_frame *frames, size_t most);

/*
 * Looks up what has no name or no line, in the files of its modules, unless the format did, and tells what was not found. Options of the reader: `symfs`, `debug-dir`, `kallsyms`,
 * `demangle`, and `binary`: a file to be used for the module of its name, or for all others that are not found.
 */
void pp_resolve(struct pp_reader *, struct pp_builder *);
/* Frees what was opened for that, without a word: the profile is thrown away. */
void pp_resolve_forget(struct pp_reader *);

#endif
