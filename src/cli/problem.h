/*
 * What went wrong first, for scripts: under --json an error is an object on standard output, too.
 */
#ifndef PP_CLI_PROBLEM_H
#define PP_CLI_PROBLEM_H

#include "base/buf.h"
#include "polyprof/polyprof_experimental.h"

struct pp_problem {
	bool json;     /* it is to be printed, unless there is an answer */
	bool answered; /* there is one */
	bool known;
	pp_severity severity;
	struct pp_buf rule, message, file;
	struct pp_buf candidates; /* a JSON array of what may have been meant */
	const char *asked;        /* the first file that was asked about; NULL = none */
};

/* Keeps it unless one at least as bad is known; `file` may be NULL. */
void pp_problem_keep(struct pp_problem *, pp_severity, const char *rule, const char *message,
                     const char *file);
/* Keeps the worst of some findings, the first of those. */
void pp_problem_keep_worst(struct pp_problem *, const pp_diags *);
/* Keeps what may have been meant. */
void pp_problem_keep_candidates(struct pp_problem *, const pp_answer *);
/* Whether arguments that could not be parsed ask for JSON. */
bool pp_problem_is_json(int argc, char *const *argv);
/* Prints it where that is wanted and a code tells of a failure. */
void pp_problem_print(const struct pp_problem *, int code);
void pp_problem_release(struct pp_problem *);

#endif
