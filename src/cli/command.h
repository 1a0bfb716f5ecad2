/*
 * What a command is: one const struct per cmd_*.c, found by the table that meson generates from its
 * list of words. The same struct drives argument parsing, --help, the man page's options and shell
 * completion.
 */
#ifndef PP_COMMAND_H
#define PP_COMMAND_H

#include "questions/question.h"

struct pp_cli; /* one run of the program; see cli/cli.h */

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
	const struct pp_question *question; /* that it asks; NULL: it does something else */
	const char *name;
	const char *synopsis; /* "FILE..." */
	const char *summary;  /* one line */
	const char *details;  /* paragraphs for --help and the man page; may be NULL */
	const struct pp_param_group *const *groups; /* NULL-terminated; or NULL */
	const struct pp_example *examples;          /* ended by words NULL; or NULL */
	enum pp_param_hint hint;                    /* what its words are */
	unsigned flags;
	/* Does the work; returns the exit code. NULL: asking the question is all. */
	int (*run)(struct pp_cli *);
};

/* Generated from the list in meson.build: all commands, NULL at the end. */
extern const struct pp_command *const pp_commands[];

/* The command of that name, hidden ones excepted; NULL when there is none. */
const struct pp_command *pp_command_find(const char *name);

#endif
