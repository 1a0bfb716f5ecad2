/*
 * One run of the program: what was asked, where the answer goes, how it ends.
 */
#ifndef PP_CLI_H
#define PP_CLI_H

#include "cli/command.h"
#include "cli/opts.h"
#include "io/sink.h"
#include "serve/problem.h"
#include "text/colour.h"

struct pp_cli {
	const struct pp_command *command;
	struct pp_args args;
	const char *path;       /* where the answer goes: -o, else "-" */
	pp_output *out;         /* the answer; opened by pp_cli_output() */
	struct pp_style style;  /* of the answer */
	struct pp_style errors; /* of standard error */
	bool out_terminal;      /* the answer goes to a terminal */
	bool quiet, verbose;
	struct pp_problem *problem; /* what went wrong first; never NULL */
};

/* Sets up from parsed arguments. */
void pp_cli_init(struct pp_cli *);
/*
 * Opens where the answer goes, unless that is done. Late, so that a failure before leaves the
 * old file alone. On failure says so and returns PP_EXIT_OUTPUT, else 0.
 */
int pp_cli_output(struct pp_cli *);
/*
 * Ends the answer: flushes and renames, or leaves the old file alone when the code tells of a failure.
 * Returns `code`, or PP_EXIT_OUTPUT when writing failed.
 */
int pp_cli_finish(struct pp_cli *, int code);

/* The same with an answer that is worth keeping whatever the code tells. */
int pp_cli_keep(struct pp_cli *, int code);

/* Says "polyprof: error: ..." on standard error. */
void pp_cli_error(const struct pp_cli *, const char *fmt, ...) PP_PRINTF(2, 3);
/* The same with a rule for scripts, and the file that it is about (NULL = none). */
void pp_cli_error_of(const struct pp_cli *, const char *rule, const char *file, const char *text);
/* Says "polyprof: ..." on standard error unless -q is given. */
void pp_cli_note(const struct pp_cli *, const char *fmt, ...) PP_PRINTF(2, 3);
/* An error with a hint at --help; returns PP_EXIT_USAGE. */
int pp_cli_usage(const struct pp_cli *, const char *fmt, ...) PP_PRINTF(2, 3);
/* An error in what was asked, which --help would not mend; returns PP_EXIT_USAGE. */
int pp_cli_wrong(const struct pp_cli *, const char *fmt, ...) PP_PRINTF(2, 3);
/*
 * PP_EXIT_USAGE, said, when the name of the output ends like something that is not written: `endings` are
 * those that fit, the best first ("html htm"). What ends in none, or like nothing known, may hold anything.
 */
int pp_cli_ending(const struct pp_cli *, const char *endings);
/* Prints findings on standard error, as -q and -v say. */
void pp_cli_diags(const struct pp_cli *, const pp_diags *);

/* A sink for text of our own; NULL when out of memory. It goes to standard error, */
struct pp_sink *pp_cli_text(struct pp_buf *);
void pp_cli_err_done(struct pp_sink *, struct pp_buf *);
/* to standard output, wherever the answer goes: */
void pp_cli_stdout_done(struct pp_sink *, struct pp_buf *);
/* or to the answer; an exit code. */
int pp_cli_out_done(struct pp_cli *, struct pp_sink *, struct pp_buf *);

/* The commands that are tools for agents, in the order of the list, to be freed; NULL when out of memory. */
struct pp_mcp_tool *pp_cli_tools(void);
/* A size that the parser of options has let through, in bytes. */
uint64_t pp_cli_size(const char *text);

/* Asks the command's question and prints the answer; an exit code. */
int pp_cli_ask(struct pp_cli *);
/* Asks any question about files; parameters as "name=value", ended by NULL. */
int pp_cli_ask_files(struct pp_cli *, const char *question, const char *const *files, size_t n,
                     const char *const *params, pp_rendering_form);

#endif
