/*
 * What a command is: one const struct per cmd_*.c, found by the table that meson generates from its
 * list of words. The same struct drives argument parsing, --help, the man page's synopsis and shell
 * completion.
 */
#ifndef PP_COMMAND_H
#define PP_COMMAND_H

#include "base/common.h"

struct pp_args; /* parsed arguments; see cli/opts.h */

enum pp_arg_kind { PP_ARG_FLAG, PP_ARG_TEXT, PP_ARG_NUMBER, PP_ARG_CHOICE };

struct pp_option {
	const char *name;    /* long name without dashes */
	char letter;         /* short name, 0 = none */
	enum pp_arg_kind kind;
	const char *value;   /* how the value is called in --help; for choices: "a|b|c" */
	const char *help;
};

enum {
	PP_COMMAND_HIDDEN = 1 << 0 /* run by name or by default, but not listed */
};

struct pp_command {
	const char *name;
	const char *synopsis; /* "FILE..." */
	const char *summary;  /* one line */
	const char *details;  /* paragraphs for --help and the man page; may be NULL */
	const struct pp_option *const *options; /* groups, each ended by name NULL; NULL-terminated */
	unsigned flags;
	int (*run)(const struct pp_args *);
};

/* Generated from the list in meson.build: all commands, NULL at the end. */
extern const struct pp_command *const pp_commands[];

#endif
