/*
 * polyprof tags: what samples with each label cost, by key and value.
 */
#include "cli/command.h"

static const struct pp_example tags_examples[] = {
	{ "tags app.pb.gz", "all labels" },
	{ "tags --key user app.pb.gz", "by user" },
	{ 0 },
};

const struct pp_command pp_command_tags = {
	.question = "tags",
	.name = "tags",
	.synopsis = "FILE...",
	.summary = "what samples with each label cost, by key and value",
	.details = "Labels are what a file says about its samples besides their stacks: labels in "
	           "pprof, attributes in OTLP, the context in SPAA. Event, process, thread, pid, "
	           "tid and cpu are listed as well if a profile distinguishes them. A sample with "
	           "several values of one key counts for each.\n\n"
	           "--label KEY=VALUE and --by label:KEY take any of these keys in other commands.",
	.examples = tags_examples,
	.hint = PP_HINT_FILE,
};
