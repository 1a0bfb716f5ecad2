/*
 * A file's own bytes, kept beside the profile that was read from them, so that writing the same format loses nothing.
 */
#ifndef PP_KIT_KEPT_BYTES_H
#define PP_KIT_KEPT_BYTES_H

#include "base/buf.h"
#include "model/profile.h"

/* Keeps a copy for its owner, a format; a JSON scanner may look beyond its end. False when out of memory. */
bool pp_kept_bytes_set(struct pp_kept_facet *, const struct pp_format *owner, struct pp_slice);
/* What that format kept; empty where it kept nothing. */
struct pp_slice pp_kept_bytes(const struct pp_profile *, const struct pp_format *owner);
/* Appends it, for pp_format.carry_save; false when out of memory. */
bool pp_kept_bytes_save(const struct pp_profile *, const struct pp_format *owner,
                        struct pp_buf *out);

#endif
