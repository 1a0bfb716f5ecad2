/*
 * What `callers` and `callees` share: both are the same question, asked in two directions.
 */
#ifndef PP_CLI_CALLS_H
#define PP_CLI_CALLS_H

#include "analysis/callers.h"
#include "cli/cli.h"

extern const struct pp_option_group *const pp_calls_groups[];

/* Runs the command: NAME FILE... */
int pp_calls_run(struct pp_cli *, enum pp_calls_side);

#endif
