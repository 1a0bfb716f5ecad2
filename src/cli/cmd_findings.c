/*
 * polyprof findings: what the numbers say by themselves: facts with evidence.
 */
#include "cli/command.h"

static const struct pp_example findings_examples[] = {
	{ "findings app.json", "hot functions, N+1 calls, recursion, locks, churn" },
	{ "findings after.json --before before.json",
	  "and what changed, by more calls or by more expensive ones" },
	{ "findings --json --budget 1000 app.json", "for an agent" },
	{ 0 },
};

static const struct pp_mcp_tool findings_tool = {
	.name = "findings",
	.about =
	    "Facts that the numbers state by themselves (hot functions, N+1 calls, recursion, locks, churn, changes since `before`), the weightiest first, each with evidence and what to ask next.",
	.files = "file",
	.arguments = "metric before",
};

const struct pp_command pp_command_findings = {
	.question = "findings",
	.name = "findings",
	.synopsis = "FILE",
	.summary = "what the numbers show on their own: facts with evidence",
	.details =
	    "Each finding has a kind, a weight (the share of the whole it is about), evidence and a next question; the weightiest come first. They are facts that follow from the numbers, not advice: docs/findings.md says when each one holds.",
	.examples = findings_examples,
	.hint = PP_HINT_FILE,
	.tool = &findings_tool,
};
