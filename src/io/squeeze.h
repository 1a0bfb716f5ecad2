/*
 * Compression of output, behind one small interface.
 */
#ifndef PP_SQUEEZE_H
#define PP_SQUEEZE_H

#include "base/common.h"

struct pp_squeeze {
	/*
	 * Takes bytes from the front of *in and writes up to `room` compressed ones; *made says how
	 * many. With `last`, *in is all that will come, and *done is set when nothing is left to write.
	 * False when the compressor fails (out of memory).
	 */
	bool (*step)(struct pp_squeeze *, struct pp_slice *in, bool last, unsigned char *out,
	             size_t room, size_t *made, bool *done);
	void (*free)(struct pp_squeeze *);
};

/* NULL when out of memory. */
struct pp_squeeze *pp_squeeze_gzip(void);
struct pp_squeeze *pp_squeeze_zlib(void); /* RFC 1950, for formats that hold such a stream */
struct pp_squeeze *pp_squeeze_zstd(void);
/* The same for exactly so many bytes: its tables are no larger than these need. */
struct pp_squeeze *pp_squeeze_zstd_of(uint64_t size);

#endif
