/*
 * Files packed by xz, as a whole. Where the library was built without liblzma (unxz_none.c) none can be unpacked.
 */
#ifndef PP_UNXZ_H
#define PP_UNXZ_H

#include "base/buf.h"

bool pp_unxz_is_built(void);
/* Appends what is packed; false when it is damaged, has more than `most` bytes, or takes too much memory. */
bool pp_unxz(struct pp_slice packed, size_t most, struct pp_buf *out);

#endif
