/*
 * What a command is: one const struct per cmd_*.c, found by the table that meson generates from its
 * list of words. The same struct drives argument parsing, --help, the man page's options and shell
 * completion.
 */
#ifndef PP_COMMAND_H
#define PP_COMMAND_H

#include "base/common.h"

struct pp_cli; /* one run of the program; see cli/cli.h */

enum pp_arg_kind {
	PP_ARG_FLAG,
	PP_ARG_TEXT,
	PP_ARG_COUNT, /* a whole number, not negative */
	PP_ARG_CHOICE
};

/* What completes a value in a shell. */
enum pp_arg_hint {
	PP_HINT_NONE,
	PP_HINT_FILE,
	PP_HINT_FORMAT,
	PP_HINT_COMMAND,
	PP_HINT_RULE,
	PP_HINT_SHELL
};

struct pp_option {
	const char *name; /* long name without dashes */
	char letter;      /* short name, 0 = none */
	enum pp_arg_kind kind;
	const char *value; /* how the value is called in --help; for choices: "a|b|c" */
	const char *help;
	enum pp_arg_hint hint;
};

/* Options that belong together; one group may serve many commands. */
struct pp_option_group {
	const char *title;
	const struct pp_option *options; /* ended by name NULL */
};

struct pp_example {
	const char *words; /* what follows "polyprof " */
	const char *does;
};

enum {
	PP_COMMAND_HIDDEN = 1 << 0,      /* run by default, not by name */
	PP_COMMAND_OWN_DEPTH = 1 << 1,   /* --depth is the command's own affair, no filter */
	PP_COMMAND_BY_FUNCTION = 1 << 2, /* filters choose functions, not stacks */
	PP_COMMAND_TIME = 1 << 3 /* draws what happened when: filters leave it where they can */
};

struct pp_command {
	const char *name;
	const char *synopsis; /* "FILE..." */
	const char *summary;  /* one line */
	const char *details;  /* paragraphs for --help and the man page; may be NULL */
	const struct pp_option_group *const *groups; /* NULL-terminated; or NULL */
	const struct pp_example *examples;           /* ended by words NULL; or NULL */
	enum pp_arg_hint hint;                       /* what its words are */
	unsigned flags;
	/* Does the work; returns the exit code. */
	int (*run)(struct pp_cli *);
};

/* Generated from the list in meson.build: all commands, NULL at the end. */
extern const struct pp_command *const pp_commands[];

/* The command of that name, hidden ones excepted; NULL when there is none. */
const struct pp_command *pp_command_find(const char *name);

#endif
