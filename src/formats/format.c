/*
 * What all formats share.
 */
#include "formats/format.h"

/* ASCII letters without regard to case: endings are plain words. */
static bool
same_word(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++) {
		unsigned x = (unsigned char)*a, y = (unsigned char)*b;

		x += x - 'A' <= 'Z' - 'A' ? 'a' - 'A' : 0;
		y += y - 'A' <= 'Z' - 'A' ? 'a' - 'A' : 0;
		if (x != y)
			return false;
	}
	return true;
}

bool
pp_name_ends(const char *name, const char *ext)
{
	static const char *const packed[] = { ".gz", ".zst", ".zstd" };
	size_t n = strlen(name), e = strlen(ext), i;

	for (i = 0; i < PP_COUNT_OF(packed); i++) {
		size_t k = strlen(packed[i]);

		if (n > k && same_word(name + n - k, packed[i], k)) {
			n -= k;
			i = (size_t)-1; /* look for another ending */
		}
	}
	return n > e && name[n - e - 1] == '.' && same_word(name + n - e, ext, e);
}
