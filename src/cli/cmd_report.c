/*
 * polyprof report: one HTML file with every view.
 */
#include "cli/command.h"

static const struct pp_example report_examples[] = {
	{ "report app.folded -o app.html", "open app.html in a browser" },
	{ "report before.json after.json -o change.html", "what changed, in every view" },
	{ "report --max-size 2M big.folded.gz -o big.html", "small enough for a ticket" },
	{ 0 },
};

static const struct pp_mcp_tool report_tool = {
	.name = "report",
	.about = "Every view of a profile, as a new HTML file.",
	.files = "file",
	.arguments = "metric filter output",
	.must = "output",
	.writes = true,
};

const struct pp_command pp_command_report = {
	.question = "report",
	.name = "report",
	.synopsis = "FILE... -o OUT.html",
	.summary = "one self-contained HTML file with every view",
	.details =
	    "It has an overview, flame graph, timeline, callers and callees of a function, "
	    "call tree, functions and source lines, and says what the profile does not know. "
	    "Two files are compared in every view. The file needs no network and can be "
	    "attached to a ticket: open it in any browser, and press ? for the keys.\n\n"
	    "What is too light to fit --max-size is summed up as \"(n more)\"; the report "
	    "and this command say how much that was.",
	.examples = report_examples,
	.hint = PP_HINT_FILE,
	.picture = "report.html",
	.tool = &report_tool,
};
