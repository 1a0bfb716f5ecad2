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
	    "Six or more profiles in order: which functions' shares of the whole changed by more than the variance between profiles, and in which file that began.",
	.files = "files",
	.arguments = "metric",
};

const struct pp_command pp_command_trend = {
	.question = "trend",
	.name = "trend",
	.synopsis = "FILE...|STORE",
	.summary = "when a function's share of the whole changed, over several profiles",
	.details =
	    "Finds the profiles from which a function's share of the whole is another one: by variance between profiles, so three are needed before a step and three after it. Steps are listed with the first file after them. The profiles of a store are ordered by time; --function shows what one function cost over time.",
	.examples = trend_examples,
	.hint = PP_HINT_FILE,
	.tool = &trend_tool,
};
