/*
 * Writing a profile in the format that --to or the name of -o says.
 */
#ifndef PP_SAVE_H
#define PP_SAVE_H

#include "cli/cli.h"
#include "formats/format.h"

/* Finds the format to write and checks --variant; 0, or an exit code with the reason said. */
int pp_save_target(struct pp_cli *, const struct pp_format **);
/* Writes to where the answer goes, and says what the format could not hold. Returns an exit code. */
int pp_save_profile(struct pp_cli *, const struct pp_format *, const struct pp_profile *);

#endif
