/*
 * polyprof trend: where among several profiles in order a share of the whole changed.
 */
#include "cli/command.h"

static const struct pp_example trend_examples[] = {
	{ "trend deploy-*.folded", "which deploy made which function cost more" },
	{ "trend prof.ppdb --since 7d", "what cost more or less from some time of the week on" },
	{ "trend prof.ppdb --function parse_json --every 1h --by version",
	  "what one function cost, hour by hour, per version" },
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
	.synopsis = "FILE...|STORE",
	.summary = "from which of several profiles on a share of the whole changed",
	.details =
	    "For each function, the series is divided where its share of the whole changes most; changes of at least two points and four standard errors are listed with the first file after them. The profiles of a store are taken by their times instead: what changed by more than noise, or with --function what that one cost over time.",
	.examples = trend_examples,
	.hint = PP_HINT_FILE,
	.tool = &trend_tool,
};
