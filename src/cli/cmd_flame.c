/*
 * polyprof flame: a flame graph as an interactive SVG.
 */
#include "cli/command.h"

static const struct pp_example flame_examples[] = {
	{ "flame app.folded -o app.svg", "open app.svg in a browser" },
	{ "flame before.folded after.folded -o change.svg",
	  "orange grew, blue shrank, what vanished is still there" },
	{ "flame --flamechart spx-full-1.json -o time.svg", "what happened when" },
	{ "flame --focus '^render' --hide ^php:: app.json -o render.svg", "a part of it" },
	{ "flame --icicle --reverse app.folded -o callers.svg", "from the leaves up" },
	{ 0 },
};

const struct pp_command pp_command_flame = {
	.question = "flame",
	.name = "flame",
	.synopsis = "FILE... -o OUT.svg",
	.summary = "a flame graph as an interactive SVG",
	.details =
	    "Each frame is a function on a stack; its width is what it costs with all it called. "
	    "Click to zoom, / to search, Escape to go back; arrows, Enter and n move about; the URL "
	    "keeps it all. Without scripts the picture and the titles of its frames remain.\n\n"
	    "Two files are compared: widths show the larger of both, orange frames cost more "
	    "themselves than before, blue ones less. Frames too thin to draw stand together as one "
	    "grey block, so widths always add up. Stacks are told apart by the names in them.\n\n"
	    "With --flamechart, boxes stand where and as long as the profile says that functions "
	    "ran; that needs a profile that knows time. Each of several threads has a lane, all on "
	    "one axis of time; --thread chooses one.",
	.examples = flame_examples,
	.hint = PP_HINT_FILE,
	.picture = "flame.svg",
};
