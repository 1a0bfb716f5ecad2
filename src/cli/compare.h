/*
 * Which files stand for before and after, in `diff` and `gate`.
 */
#ifndef PP_CLI_COMPARE_H
#define PP_CLI_COMPARE_H

#include "cli/ask.h"

/* Asks about what was loaded, and prints the answer. Returns an exit code. */
typedef int pp_compare_ask(struct pp_cli *, struct pp_asking *, const struct pp_subject *,
                           enum pp_form);

/*
 * Loads both sides for the command's question, with whole `stacks` if they are needed, and asks; once more with all
 * that was read when the answer needs it. Returns an exit code.
 */
int pp_compare_run(struct pp_cli *, enum pp_form, bool stacks, pp_compare_ask *);

#endif
