/*
 * What went wrong first, for scripts: under --json, and over HTTP, an error is an object, too.
 */
#ifndef PP_PROBLEM_H
#define PP_PROBLEM_H

#include "base/buf.h"
#include "io/sink.h"
#include "polyprof/polyprof_experimental.h"

/* Exit codes; scripts rely on them. */
enum {
	PP_EXIT_OK = 0,
	PP_EXIT_FINDINGS = 1,
	PP_EXIT_USAGE = 2,
	PP_EXIT_INPUT = 3,
	PP_EXIT_OUTPUT = 4
};

/* The rule of an error that has none of its own. */
const char *pp_problem_rule(int code);
/* The exit code of a status. */
int pp_exit_of(pp_status);

struct pp_problem {
	bool json;     /* it is to be printed, unless there is an answer */
	bool answered; /* there is one */
	bool known;
	bool is_reason; /* why the question stopped, not a finding of some file */
	pp_severity severity;
	struct pp_buf rule, message, file;
	struct pp_buf candidates; /* a JSON array of what may have been meant */
	const char *asked;        /* the first file that was asked about; NULL = none */
};

/* Keeps why a question stopped: the first reason, which is worth more than any finding. `file` may be NULL. */
void pp_problem_keep(struct pp_problem *, const char *rule, const char *message, const char *file);
/* Keeps the worst finding of a file, unless a reason or a worse one of another file is known. */
void pp_problem_keep_worst(struct pp_problem *, const pp_diags *);
/* Keeps what may have been meant. */
void pp_problem_keep_candidates(struct pp_problem *, const pp_answer *);
/* As an object, with a newline. */
void pp_problem_json(const struct pp_problem *, int code, struct pp_sink *);
void pp_problem_release(struct pp_problem *);

#endif
