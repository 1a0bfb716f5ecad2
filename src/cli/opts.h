/*
 * The option parser, and the groups of options that several commands share.
 *
 * Long options (--name, --name=value, --name value), letters alone or together (-qn5, -qn 5), and `--`
 * before words that look like options. An option that takes a value takes the next argument whatever
 * it looks like, so negative numbers need no care.
 */
#ifndef PP_OPTS_H
#define PP_OPTS_H

#include "base/buf.h"
#include "base/vec.h"
#include "cli/command.h"

/* One option as given. */
struct pp_given {
	const struct pp_param *option;
	const char *text; /* NULL for flags */
	size_t words;     /* how many words stood before it */
};

struct pp_args {
	PP_VEC(struct pp_given) given; /* in order */
	PP_VEC(const char *) words;    /* what is not an option */
};

/*
 * Parses argv[0 .. argc-1] (no program or command name among them) by the command's groups. False when
 * something is wrong; *problem then says what, in a sentence without a full stop.
 */
bool pp_args_parse(struct pp_args *, const struct pp_command *, int argc, char *const *argv,
                   struct pp_buf *problem);
void pp_args_release(struct pp_args *);

/* True when a flag was given. */
bool pp_args_flag(const struct pp_args *, const char *name);
/* The value given last, or NULL. */
const char *pp_args_text(const struct pp_args *, const char *name);
/* The option of a command by long name (n bytes) or by letter; NULL when there is none. */
const struct pp_param *pp_option_find(const struct pp_command *, const char *name, size_t n);
const struct pp_param *pp_option_letter(const struct pp_command *, char letter);

/*
 * Finds the first word of a whole command line, when options may stand before it: its index in argv,
 * argc when there is none. Options are looked up among those of all commands.
 */
int pp_args_first_word(int argc, char *const *argv);

/* ---- the groups ---- */
extern const struct pp_param_group pp_group_object;  /* --json, -o */
extern const struct pp_param_group pp_group_general; /* --color, -q, -v, --help */

#define PP_GROUPS_MAX 24
/* All groups of a command in the order in which help shows them, NULL-terminated. */
const struct pp_param_group *const *
pp_command_groups(const struct pp_command *, const struct pp_param_group *groups[PP_GROUPS_MAX]);
/* Whether an option is a parameter of the question, not of the program. */
bool pp_option_asks(const struct pp_param *);

/* A walk over the options of a command. */
struct pp_options {
	const struct pp_param_group *groups[PP_GROUPS_MAX];
	const struct pp_param_group *const *at;
};
#define PP_FOR_EACH_OPTION(command, all, option)                                                   \
	for ((all).at = pp_command_groups((command), (all).groups); *(all).at; (all).at++)         \
		for ((option) = (*(all).at)->params; (option)->name; (option)++)

#endif
