/*
 * polyprof gate: diff for continuous integration. Exit 1 when a limit is exceeded.
 */
#include "cli/command.h"

static const struct pp_example gate_examples[] = {
	{ "gate old.folded new.folded --fail-if 'total > +5%'", "no more than 5% slower overall" },
	{ "gate a.json b.json --fail-if 'self(/Repository/) > 2ms' --fail-if 'calls(PDO::query) > "
	  "+0%'",
	  "two limits at once" },
	{ "gate old.out new.out --fail-if 'self(*) > +10%' --format junit -o gate.xml",
	  "for a build server" },
	{ "gate old.out new.out --fail-if 'total > +5%' --format github",
	  "annotations in a GitHub workflow" },
	{ 0 },
};

const struct pp_command pp_command_gate = {
	.question = "gate",
	.name = "gate",
	.synopsis = "BEFORE AFTER --fail-if EXPR",
	.summary = "fails when a limit is exceeded: diff for continuous integration",
	.details =
	    "EXPR is SUBJECT OP LIMIT. SUBJECT is total (the whole), or self(F), total(F) or "
	    "calls(F) for each function that F names: a name, /REGEX/, or * for all. OP is "
	    "one of > >= < <=. LIMIT is a number with a unit or %. With a sign it limits the "
	    "change (+5% of the value before, +2ms), without it the value after (2ms, 5% of "
	    "the whole).\n\n"
	    "A change that is noise exceeds no limit of a change; a new function exceeds all of "
	    "them. Limits of the value after hold for every function, with repeated runs for "
	    "their mean. Record three or more runs of each side (--before a1 a2 a3 --after b1 "
	    "b2 b3).\n\n"
	    "The exit code is 1 when a limit is exceeded; the rows that exceed it are "
	    "printed.\n\n"
	    "--format markdown is for comments, junit for test reports (each limit is a "
	    "test), github for workflow annotations, sarif for code scanning. Files below "
	    "the current directory are named relative to it.",
	.examples = gate_examples,
	.hint = PP_HINT_FILE,
};
