/*
 * polyprof flame: a flame graph as an interactive SVG.
 */
#include "cli/command.h"

static const struct pp_example flame_examples[] = {
	{ "flame app.folded -o app.svg", "open app.svg in a browser" },
	{ "flame before.folded after.folded -o change.svg",
	  "orange grew, blue shrank, what vanished is still drawn" },
	{ "flame --flamechart spx-full-1.json -o time.svg", "what happened when" },
	{ "flame --focus '^render' --hide ^php:: app.json -o render.svg", "a part of it" },
	{ "flame --icicle --reverse app.folded -o callers.svg", "from the leaves up" },
	{ 0 },
};

static const struct pp_mcp_tool flame_tool = {
	.name = "flame",
	.about = "A flame graph, as a new SVG file.",
	.files = "file",
	.arguments = "metric filter output",
	.must = "output",
	.writes = true,
};

const struct pp_command pp_command_flame = {
	.question = "flame",
	.name = "flame",
	.synopsis = "FILE... -o OUT.svg",
	.summary = "a flame graph as an interactive SVG",
	.details =
	    "Each frame is a function on a stack; its width is what it and everything it "
	    "called cost. Click to zoom, / to search, Escape to go back; arrow keys, Enter "
	    "and n move around; the URL remembers all of it. Without scripts the picture and "
	    "the titles of its frames remain.\n\n"
	    "Two files are compared: widths show the larger of the two, orange frames have a "
	    "higher self cost than before, blue ones a lower one. Frames too thin to draw are "
	    "combined into one grey block, so widths always add up. Stacks are distinguished "
	    "by the names in them.\n\n"
	    "With --flamechart, boxes show when and for how long functions ran; that needs a "
	    "profile that knows time. What happens at an instant, such as an allocation, is "
	    "a narrow mark. Each thread has a lane of its own on a common time axis; "
	    "--thread selects one.",
	.examples = flame_examples,
	.hint = PP_HINT_FILE,
	.picture = "flame.svg",
	.tool = &flame_tool,
};
