/*
 * polyprof graph: the call graph, as Graphviz draws it.
 */
#include "cli/command.h"

static const struct pp_example graph_examples[] = {
	{ "graph callgrind.out.1234 -o calls.svg", "open calls.svg in a browser" },
	{ "graph --function parse --depth 2 app.folded -o parse.svg",
	  "one function with its callers and callees" },
	{ "graph --min 0 -n 0 app.folded -o - | dot -Tpdf -o calls.pdf",
	  "all of it, as any other kind of picture that Graphviz draws" },
	{ 0 },
};

const struct pp_command pp_command_graph = {
	.question = "graph",
	.name = "graph",
	.synopsis = "FILE... -o OUT.svg|OUT.dot",
	.summary = "the call graph, as Graphviz draws it",
	.details =
	    "Functions are boxes with their self and total cost, calls are arrows with their "
	    "share of the whole and their number, and thicker arrows cost more; colours are "
	    "by module, as in flame graphs. Light parts are left out, and the picture and a "
	    "note say so. Graphviz lays out the SVG, so its program `dot` must be installed; "
	    "its input (.dot) can always be written.\n\n"
	    "In that text nodes carry the attributes function, file, line, calls, self and "
	    "total, edges calls and total: exact numbers, in the units of JSON, one edge for "
	    "each caller and callee.\n\n"
	    "--function NAME keeps a function with everything that leads to it and "
	    "everything it leads to, --depth N up to N calls away; --min is then a share of "
	    "what it costs. --focus RE keeps the stacks in which a function matches, as in "
	    "every command.",
	.examples = graph_examples,
	.hint = PP_HINT_FILE,
};
