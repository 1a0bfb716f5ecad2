/*
 * polyprof trend: where among several profiles in order a share of the whole changed.
 */
#include "cli/command.h"

static const struct pp_example trend_examples[] = {
	{ "trend deploy-*.folded", "which deploy made which function cost more" },
	{ 0 },
};

static const struct pp_mcp_tool trend_tool = {
	.name = "trend",
	.about =
	    "Three or more profiles in order: which functions took another share of the whole, and from which file on.",
	.files = "files",
	.arguments = "metric",
};

const struct pp_command pp_command_trend = {
	.question = "trend",
	.name = "trend",
	.synopsis = "FILE...",
	.summary = "from which of several profiles on a share of the whole changed",
	.details =
	    "For each function, the series is divided where its share of the whole changes most; changes of at least two points and four standard errors are listed with the first file after them.",
	.examples = trend_examples,
	.hint = PP_HINT_FILE,
	.tool = &trend_tool,
};
