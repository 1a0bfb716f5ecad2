/*
 * polyprof peek: who calls a function and whom it calls, in one answer.
 */
#include "cli/command.h"

static const struct pp_example peek_examples[] = {
	{ "peek parse app.folded", "who calls `parse`, and what it calls" },
	{ "peek /::hydrate$/ --json app.json", "by regular expression, for a script" },
	{ 0 },
};

const struct pp_command pp_command_peek = {
	.question = "peek",
	.name = "peek",
	.synopsis = "NAME FILE...",
	.summary = "who calls a function and what it calls, in one answer",
	.details =
	    "NAME is a function's whole name, a part that only one function has, FILE:NAME, "
	    "or /REGEX/. Shows what `callers` and `callees` say, in one answer; --depth goes "
	    "further in both directions.",
	.examples = peek_examples,
	.hint = PP_HINT_FILE,
};
