/*
 * Names and source lines of frames that have addresses only, whichever format recorded them: for a profile that was just read.
 */
#ifndef PP_KIT_RESOLVE_H
#define PP_KIT_RESOLVE_H

#include "formats/reader.h"
#include "model/builder.h"

extern const struct pp_rule pp_resolve_rules[];

/*
 * Looks up what has no name or no line, in the files of its modules. Options of the reader: `symfs`, `debug-dir`, `kallsyms`,
 * `demangle`, and `binary`: a file to be used for the module of its name, or for all others that are not found.
 */
void pp_resolve(struct pp_reader *, struct pp_builder *);

#endif
