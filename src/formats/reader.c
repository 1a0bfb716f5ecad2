/*
 * What every reader may ask about its orders.
 */
#include "formats/reader.h"

const char *
pp_option_of(const char *const *options, const char *key)
{
	size_t n = strlen(key);

	for (; options && *options; options++)
		if (strncmp(*options, key, n) == 0 && (*options)[n] == '=')
			return *options + n + 1;
	return NULL;
}

const char *
pp_reader_option(const struct pp_reader *r, const char *key)
{
	return pp_option_of(r->options, key);
}
