/*
 * polyprof merge: several profiles into one, whatever their formats.
 */
#include "cli/command.h"

static const struct pp_example merge_examples[] = {
	{ "merge worker-*.folded -o all.folded.gz", "the samples of all workers together" },
	{ "merge /tmp/spx/*.json -o week.folded",
	  "a week of SPX reports, whole stacks by wall time" },
	{ "merge --skip /tmp/spx/*.json -o week.folded",
	  "the same without those that are damaged beyond reading" },
	{ "merge a.json cachegrind.out.7 --to folded",
	  "SPX and Xdebug: both count wall time in ns" },
	{ 0 },
};

static const struct pp_mcp_tool merge_tool = {
	.name = "merge",
	.about = "Several profiles as one, as a new file.",
	.files = "files",
	.arguments = "to filter output",
	.must = "output",
	.writes = true,
};

const struct pp_command pp_command_merge = {
	.question = "merge",
	.name = "merge",
	.synopsis = "FILE... -o OUT [--to FORMAT]",
	.summary = "several profiles into one",
	.details = "Adds up any number of profiles in any format whose metrics agree by meaning "
	           "and unit. Sums are exact. Files are read and released one after the other, so "
	           "thousands of them need little more memory than the result. What only some of "
	           "the files have, and what cannot be kept, is reported. A file that cannot be "
	           "read at all or measures other things stops the merge, and nothing is written; "
	           "with --skip it is named and left out, and the result is marked incomplete.",
	.examples = merge_examples,
	.hint = PP_HINT_FILE,
	.tool = &merge_tool,
};
