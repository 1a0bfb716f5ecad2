/*
 * Questions on the command line: from options to parameters, from files to a subject, from an answer to the output.
 */
#ifndef PP_ASK_H
#define PP_ASK_H

#include "cli/cli.h"
#include "output/render.h"

/* The form that --json, --csv or none of them ask for; false (said) when they exclude each other. */
bool pp_ask_form(struct pp_cli *, enum pp_form *);
/*
 * Fills the parameters of the command's question from the options and from the words that it needs. Returns 0, or
 * an exit code after saying why. Release it in both cases.
 */
int pp_ask_init(struct pp_cli *, struct pp_asking *, enum pp_form);
/* Asks, and prints the notes. Returns 0, or an exit code after saying why. */
int pp_ask_run(struct pp_cli *, struct pp_asking *, const struct pp_subject *);
/* Prints an answer to the output, which is open. A failure that is not the output's is returned, and said. */
int pp_ask_render(struct pp_cli *, const struct pp_answer *, enum pp_form);
/* Opens the output and prints the answer. Returns an exit code. */
int pp_ask_print(struct pp_cli *, const struct pp_asking *, enum pp_form);
/* All of it, for a command that asks its question about one profile. */
int pp_cli_ask(struct pp_cli *);
/* The same with source text from directories. */
struct pp_sources;
int pp_ask_with(struct pp_cli *, struct pp_sources *);

#endif
