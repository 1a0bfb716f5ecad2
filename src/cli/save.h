/*
 * Writing a profile in the format that --to or the name of -o says.
 */
#ifndef PP_SAVE_H
#define PP_SAVE_H

#include "cli/cli.h"
#include "model/profile.h"

/* Finds the format to write (cli->target) and checks --variant; 0, or an exit code with the reason said. */
int pp_save_target(struct pp_cli *);
/* Writes to where the answer goes, and says what the format could not hold. Returns an exit code. */
int pp_save_profile(struct pp_cli *, const struct pp_profile *);

#endif
