/*
 * polyprof list: the profiles in a directory, by what they tell of themselves.
 */
#include "cli/command.h"

static const struct pp_example list_examples[] = {
	{ "list /tmp/spx", "the reports in SPX's data directory, newest first" },
	{ "list --match checkout --since 1h --over 200ms /tmp/spx",
	  "slow requests of the last hour with `checkout` in their URL" },
	{ "list --by url --recursive /tmp/spx",
	  "each URL with its median and slowest run, and how to compare them" },
	{ "list --watch /tmp/spx", "requests as they are recorded" },
	{ "list --json --sort cost -n 10 profiles", "the ten that took longest, for a script" },
	{ 0 },
};

static const struct pp_mcp_tool list_tool = {
	.name = "list",
	.about = "The profiles in a directory, newest first.",
	.files = "dir",
	.arguments = "match since over sort",
};

const struct pp_command pp_command_list = {
	.question = "list",
	.name = "list",
	.synopsis = "[DIR...]",
	.summary = "the profiles in a directory, newest first, from metadata alone",
	.details =
	    "Only the first and last bytes and the metadata of each file are read, so a "
	    "directory of thousands of large reports is listed at once. Files that are empty "
	    "or that no format recognises are left out. What a file does not reveal without "
	    "being read to its end is left empty. Without a directory, the current one is "
	    "listed.",
	.examples = list_examples,
	.hint = PP_HINT_FILE,
	.tool = &list_tool,
};
