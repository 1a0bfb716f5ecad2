/*
 * Metadata that is a JSON object: into the profile's tree of keys and values, in the order of the file, and
 * from there as JSON again.
 */
#ifndef PP_KIT_META_JSON_H
#define PP_KIT_META_JSON_H

#include "model/builder.h"
#include "text/json_emit.h"
#include "text/json_scan.h"

/* The value of a string, decoded into the arena if need be. Out of memory is the builder's status. */
struct pp_slice pp_build_json_text(struct pp_builder *, struct pp_json_str, struct pp_arena *);

/*
 * Takes one object from the scanner, which its owner set up, and adds its members to the builder's metadata;
 * numbers stay as they are written. A top-level key `leave_out` (or NULL) is checked and left out. What
 * stands before an error is kept (scan->error). *odd (or NULL) is the first string that tolerant mode let
 * through; it is left alone when there is none. Out of memory is the builder's status.
 */
void pp_meta_json_read(struct pp_scan *, struct pp_builder *, const char *leave_out,
                       const unsigned char **odd);

/* Takes one value of any type from the scanner as a key of the metadata below a row (0 = top level). Likewise. */
void pp_meta_json_member(struct pp_scan *, struct pp_builder *, uint32_t parent,
                         struct pp_slice key);

/* Writes a row of the metadata with all that is below it; `keyed` with its key before it. */
void pp_meta_json_write(struct pp_json *, const struct pp_profile *, size_t row, bool keyed);

#endif
