/*
 * polyprof top: functions by their own cost or with all they called.
 */
#include "cli/command.h"

static const struct pp_example top_examples[] = {
	{ "top app.folded", "the 25 functions with the highest self cost" },
	{ "top --sort total -n 50 app.folded", "the 50 with the highest total cost" },
	{ "top --json -n 0 app.folded", "every function, every metric, exact, for a script" },
	{ "top *.folded.gz", "several profiles, merged" },
	{ 0 },
};

static const struct pp_mcp_tool top_tool = {
	.name = "top",
	.about = "Functions by self or total cost.",
	.files = "file",
	.arguments = "metric sort by filter",
};

const struct pp_command pp_command_top = {
	.question = "top",
	.name = "top",
	.synopsis = "FILE...",
	.summary = "functions by self or total cost",
	.details = "Self is a function's own cost; total includes everything it called, "
	           "counted once for each outermost activation, so that recursion never shows more "
	           "than 100%. Calls are shown if the profile knows them.\n\n"
	           "Text shows 25 rows unless -n says otherwise; --json and --csv give all.",
	.examples = top_examples,
	.hint = PP_HINT_FILE,
	.tool = &top_tool,
};
