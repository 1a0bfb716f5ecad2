/*
 * polyprof traces: each stack with what it costs itself, the costliest first.
 */
#include "cli/command.h"

static const struct pp_example traces_examples[] = {
	{ "traces app.folded", "the 25 stacks that cost most" },
	{ "traces --focus parse --json app.pb.gz", "those with `parse`, for a script" },
	{ 0 },
};

const struct pp_command pp_command_traces = {
	.question = "traces",
	.name = "traces",
	.synopsis = "FILE...",
	.summary = "each stack with its own cost, costliest first",
	.details =
	    "One row for each distinct stack, and for each set of labels that it was seen with. Text shows 25 rows, from the leaf to the root, unless -n says otherwise; --json and --csv give all, from the root to the leaf.",
	.examples = traces_examples,
	.hint = PP_HINT_FILE,
};
