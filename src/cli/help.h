/*
 * Help from the command table: the overview, one command's page, the short form after a mistake.
 */
#ifndef PP_HELP_H
#define PP_HELP_H

#include "cli/cli.h"

/* All commands. */
/* The version, the commit and the features, a line each. */
void pp_cli_version(struct pp_sink *);
void pp_help_overview(const struct pp_style *, struct pp_sink *);
/* One command: synopsis, details, options, examples. */
void pp_help_command(const struct pp_command *, const struct pp_style *, struct pp_sink *);
/* How the command is used, on standard error, for one who gave it no file. */
void pp_help_usage(const struct pp_cli *);
/* Considers all commands, and appends the nearest as pp_suggest_print() does. */
void pp_suggest_command(const char *word, struct pp_buf *);

#endif
