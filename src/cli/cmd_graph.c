/*
 * polyprof graph: the call graph, as Graphviz draws it.
 */
#include "cli/command.h"

static const struct pp_example graph_examples[] = {
	{ "graph callgrind.out.1234 -o calls.svg", "open calls.svg in a browser" },
	{ "graph --function parse --depth 2 app.folded -o parse.svg",
	  "one function with its callers and callees" },
	{ "graph --min 0 -n 0 app.folded -o - | dot -Tpdf -o calls.pdf",
	  "all of it, as any other picture that Graphviz draws" },
	{ 0 },
};

const struct pp_command pp_command_graph = {
	.question = "graph",
	.name = "graph",
	.synopsis = "FILE... -o OUT.svg|OUT.dot",
	.summary = "the call graph, as Graphviz draws it",
	.details =
	    "Functions are boxes with what they cost themselves and in total, calls are arrows with "
	    "their share of the whole and how many there were, the thicker the costlier; colours are "
	    "by module, as in flame graphs. What is light is left out, which the picture and a note "
	    "say. Graphviz lays out SVG, so its program `dot` must be installed; the text for it "
	    "(.dot) can always be written.\n\n"
	    "In that text nodes carry the attributes function, file, line, calls, self and total, "
	    "edges calls and total: exact numbers, in the units of JSON, one edge for each caller "
	    "and callee.\n\n"
	    "--function NAME keeps a function with all that lead to it and all that it leads to, "
	    "--depth N as far as N calls; shares of --min are then of what it costs. --focus RE "
	    "keeps the stacks in which a function matches, as everywhere.",
	.examples = graph_examples,
	.hint = PP_HINT_FILE,
};
