/*
 * What a command is: one const struct per cmd_*.c, found by the table that meson generates from its
 * list of words. The same struct drives argument parsing, --help, the man page's options and shell
 * completion; the options of a question are those that the library lists for it.
 */
#ifndef PP_COMMAND_H
#define PP_COMMAND_H

#include "mcp/mcp.h"
#include "polyprof/polyprof_experimental.h"

struct pp_cli; /* one run of the program; see cli/cli.h */

struct pp_example {
	const char *words; /* what follows "polyprof " */
	const char *does;
};

enum {
	PP_COMMAND_HIDDEN = 1 << 0 /* run by default, not by name */
};

struct pp_command {
	const char *question; /* that it asks; NULL: it does something else */
	const char *name;
	const char *synopsis; /* "FILE..." */
	const char *summary;  /* one line */
	const char *details;  /* paragraphs for --help and the man page; may be NULL */
	const struct pp_param_group *const *groups; /* of its own, NULL-terminated; or NULL */
	const struct pp_example *examples;          /* ended by words NULL; or NULL */
	enum pp_param_hint hint;                    /* what its words are */
	unsigned flags;
	const char *picture; /* it makes something for a browser: how that may be called */
	const struct pp_mcp_tool *tool; /* as it is offered by `polyprof mcp`; or NULL */
	/* Does the work; returns the exit code. NULL: asking the question is all. */
	int (*run)(struct pp_cli *);
};

/* Generated from the list in meson.build: all commands, NULL at the end. */
extern const struct pp_command *const pp_commands[];

/* The command of that name, hidden ones excepted; NULL when there is none. */
const struct pp_command *pp_command_find(const char *name);

#endif
