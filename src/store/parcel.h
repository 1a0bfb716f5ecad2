/*
 * A parcel: the files that a profile was read from, as bytes. The first is what is read, the others stood beside it.
 *
 *     u64 size of what is packed (little endian) · zstd of:
 *     u32 number of files · for each: u32 length of its name, the name, u64 size · the bytes of all, one behind the other
 */
#ifndef PP_PARCEL_H
#define PP_PARCEL_H

#include "api/provider.h"

#define PP_PARCEL_FILES 1024

/* Appends files as a parcel; false when out of memory. */
bool pp_parcel_make(const struct pp_kept_file *files, size_t n, struct pp_buf *out);
/*
 * Unpacks bytes that anybody may have written: supply->files, n and data; drop it with pp_parcel_drop(). PP_E_INVALID when
 * they are no parcel, PP_E_NOMEM.
 */
pp_status pp_parcel_open(struct pp_slice bytes, struct pp_supply *);
/* Frees what a supply holds: a parcel, a profile. */
void pp_parcel_drop(struct pp_supply *);

#endif
