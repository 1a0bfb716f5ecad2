/*
 * polyprof diff: what changed between two profiles, in any format.
 */
#include "cli/command.h"

static const struct pp_example diff_examples[] = {
	{ "diff old.folded new.folded", "what changed, the largest change first" },
	{ "diff spx.json cachegrind.out.7",
	  "SPX against Xdebug: functions are matched by meaning" },
	{ "diff --normalize total monday.folded tuesday.folded", "shapes, regardless of size" },
	{ "diff --before a1 a2 a3 --after b1 b2 b3", "repeated runs, with their variance" },
	{ "diff --format markdown old.folded new.folded", "for a comment on a change" },
	{ "diff --tree old.folded new.folded", "where in the call tree things changed" },
	{ "diff old.folded new.folded -o change.diff.folded", "for a differential flame graph" },
	{ 0 },
};

static const struct pp_mcp_tool diff_tool = {
	.name = "diff",
	.about = "What changed between two profiles, in any format, with noise marked as such.",
	.files = "before after",
	.arguments = "metric normalize filter",
};

const struct pp_command pp_command_diff = {
	.question = "diff",
	.name = "diff",
	.synopsis = "BEFORE AFTER",
	.summary = "what changed between two profiles, in any format",
	.details =
	    "Each row has the cost before and after, the difference, the change relative to "
	    "the function's own cost before, the change of its share of the whole, and a "
	    "verdict: grew, shrank, new, gone, same or noise. The rule that tells noise from "
	    "change is printed. Functions are matched whichever profiler wrote their "
	    "names.\n\n"
	    "Times of one run each differ by chance: changes within 5% of the whole are noise. "
	    "Record three or more runs of each side (--before a1 a2 a3 --after b1 b2 b3): then "
	    "the variance between runs decides, for all functions together.\n\n"
	    "--normalize scales the second profile to the size of the first, by total, "
	    "samples or time. Metrics without a common meaning are refused, with a list of "
	    "what each has.\n\n"
	    "Text shows the 25 largest changes that are not noise; --json and --csv give all "
	    "rows.",
	.examples = diff_examples,
	.hint = PP_HINT_FILE,
	.tool = &diff_tool,
};
