/*
 * polyprof trend: where among several profiles in order a share of the whole changed.
 */
#include "cli/command.h"

static const struct pp_example trend_examples[] = {
	{ "trend deploy-*.folded", "which deploy made which function cost more" },
	{ "trend prof.ppdb --since 7d",
	  "what got slower or faster in the last seven days, and when" },
	{ "trend prof.ppdb --function parse_json --every 1h --by version",
	  "what one function cost, hour by hour, per version" },
	{ 0 },
};

static const struct pp_mcp_tool trend_tool = {
	.name = "trend",
	.about =
	    "Three or more profiles in order: which functions' shares of the whole changed, and in which file that began.",
	.files = "files",
	.arguments = "metric",
};

const struct pp_command pp_command_trend = {
	.question = "trend",
	.name = "trend",
	.synopsis = "FILE...|STORE",
	.summary = "when a function's share of the whole changed, over several profiles",
	.details =
	    "Splits the series of each function where its share of the whole changes most. Changes of at least two percentage points and four standard errors are listed, with the first file after the change. The profiles of a store are ordered by time: shows what changed by more than noise or, with --function, what one function cost over time.",
	.examples = trend_examples,
	.hint = PP_HINT_FILE,
	.tool = &trend_tool,
};
