/*
 * What all formats share.
 */
#include "formats/format.h"

#include <strings.h>

bool
pp_name_ends(const char *name, const char *ext)
{
	static const char *const packed[] = { ".gz", ".zst", ".zstd" };
	size_t n = strlen(name), e = strlen(ext), i;

	for (i = 0; i < PP_COUNT_OF(packed); i++) {
		size_t k = strlen(packed[i]);

		if (n > k && strncasecmp(name + n - k, packed[i], k) == 0) {
			n -= k;
			i = (size_t)-1; /* look for another ending */
		}
	}
	return n > e && name[n - e - 1] == '.' && strncasecmp(name + n - e, ext, e) == 0;
}
