/*
 * polyprof formats: what can be read and written.
 */
#include "cli/command.h"

static const struct pp_example formats_examples[] = {
	{ "formats", "what can be read and written" },
	{ "formats folded", "one format: its extensions, variants and options" },
	{ 0 },
};

const struct pp_command pp_command_formats = {
	.question = "formats",
	.name = "formats",
	.synopsis = "[NAME...]",
	.summary = "the formats that can be read and written, and their options",
	.details =
	    "Facets are what a format can hold: timeline (what happened when), tree (whole stacks), "
	    "edges (callers and callees), lines (cost per source line).",
	.examples = formats_examples,
	.hint = PP_HINT_FORMAT,
};
