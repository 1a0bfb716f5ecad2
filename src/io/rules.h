/*
 * What can be wrong with an input before any format sees it, or with an output.
 */
#ifndef PP_IO_RULES_H
#define PP_IO_RULES_H

#include "base/common.h"

enum pp_io_rule {
	PP_IO_OPEN_FAILED,
	PP_IO_READ_FAILED,
	PP_IO_WRITE_FAILED,
	PP_IO_GZIP_TRUNCATED,
	PP_IO_GZIP_CORRUPT,
	PP_IO_GZIP_CHECKSUM,
	PP_IO_ZLIB_TRUNCATED,
	PP_IO_ZLIB_CORRUPT,
	PP_IO_ZLIB_CHECKSUM,
	PP_IO_ZSTD_TRUNCATED,
	PP_IO_ZSTD_CORRUPT,
	PP_IO_ZSTD_CHECKSUM,
	PP_IO_TRAILING_DATA,
	PP_IO_EXPANSION_LIMIT,
	PP_IO_TOO_MANY_LAYERS,
	PP_IO_LINE_TOO_LONG,
	PP_IO_CHANGED,
	PP_IO_UNSUPPORTED_CONTAINER,
	PP_IO_UNKNOWN_FORMAT,
	PP_IO_AMBIGUOUS_FORMAT,
	PP_IO_LIMIT_REACHED,
	PP_IO_NOTHING_USABLE,
	PP_IO_RULE_COUNT
};

/* Indexed by enum pp_io_rule; ends with id NULL. */
extern const struct pp_rule pp_io_rules[];

#endif
