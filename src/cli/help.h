/*
 * Help from the command table: the overview, one command's page, the short form after a mistake.
 */
#ifndef PP_HELP_H
#define PP_HELP_H

#include "cli/cli.h"

/* All commands. */
void pp_help_overview(const struct pp_style *, struct pp_sink *);
/* One command: synopsis, details, options, examples. */
void pp_help_command(const struct pp_command *, const struct pp_style *, struct pp_sink *);
/* Text in lines that fit, from the column where the cursor stands, indented. Newlines are kept. */
void pp_help_wrap(struct pp_sink *, const struct pp_style *, const char *text, size_t column,
                  size_t indent);
/* How the command is used, on standard error, for one who gave it no file. */
void pp_help_usage(const struct pp_cli *);
/*
 * Considers all commands, or all formats with an ability (PP_CAN_READ ...; 0 = any), and appends the
 * nearest as pp_suggest_print() does.
 */
void pp_suggest_command(const char *word, struct pp_buf *);
void pp_suggest_format(const char *word, unsigned can, struct pp_buf *);

#endif
