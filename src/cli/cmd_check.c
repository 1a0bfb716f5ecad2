/*
 * polyprof check: does a file keep the rules of its format?
 */
#include "cli/command.h"

static const struct pp_example check_examples[] = {
	{ "check app.folded", "every finding with its place and rule" },
	{ "check --strict *.folded", "fail on warnings too, as a test should" },
	{ "explain folded-count-missing", "what a rule means and how to fix it" },
	{ 0 },
};

static const struct pp_mcp_tool check_tool = {
	.name = "check",
	.about = "Does the file keep the rules of its format? Verdict and diagnostics.",
	.files = "file",
	.arguments = "",
};

const struct pp_command pp_command_check = {
	.question = "check",
	.name = "check",
	.synopsis = "FILE...",
	.summary = "validate files against the rules of their format",
	.details =
	    "Each finding is printed as `file:line:column: severity: message [rule]`; binary files have "
	    "`file@0xOFFSET` instead. A file with errors is rejected, one with warnings is accepted with "
	    "a warning.\n\n"
	    "Exit 0 when no file was rejected, 1 when one was (with --strict also for warnings), 3 when one "
	    "could not be read or recognised.",
	.examples = check_examples,
	.hint = PP_HINT_FILE,
	.tool = &check_tool,
};
