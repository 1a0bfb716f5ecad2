/*
 * What every reader may ask about its orders.
 */
#include "formats/reader.h"

const char *
pp_reader_option(const struct pp_reader *r, const char *key)
{
	size_t n = strlen(key), i;

	for (i = 0; r->options && r->options[i]; i++)
		if (strncmp(r->options[i], key, n) == 0 && r->options[i][n] == '=')
			return r->options[i] + n + 1;
	return NULL;
}
