/*
 * The command line without stores: linked to the library alone.
 */
#include <string.h>

#include "cli/stores.h"

const struct pp_provider *
pp_cli_provider(void)
{
	return NULL;
}

const char *
pp_cli_sqlite(void)
{
	return NULL;
}

int
pp_cli_store(struct pp_cli *cli)
{
	pp_cli_error(cli, "this program was built without stores");
	return PP_EXIT_OUTPUT;
}

bool
pp_cli_names_store(const char *path)
{
	size_t n = strlen(path);

	return n > 5 && strcmp(path + n - 5, ".ppdb") == 0;
}

int
pp_cli_store_convert(struct pp_cli *cli, const char *store)
{
	(void)store;
	return pp_cli_store(cli);
}
