/*
 * Stores on the command line. A program without them (stores_none.c) says so.
 */
#ifndef PP_CLI_STORES_H
#define PP_CLI_STORES_H

#include "cli/cli.h"

/* What knows stores as sources: pp_ask_opts.provider; NULL = there is none. */
const struct pp_provider *pp_cli_provider(void);
/* The version of SQLite that keeps stores; NULL where there are none in files. */
const char *pp_cli_sqlite(void);
/* polyprof store: an exit code. */
int pp_cli_store(struct pp_cli *);
/* Whether something is a store, or one that can be made: by its name. */
bool pp_cli_names_store(const char *path);
/* polyprof convert FILE... -o STORE: adds the files; an exit code. */
int pp_cli_store_convert(struct pp_cli *, const char *store);

#endif
