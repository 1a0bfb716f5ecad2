/*
 * polyprof lines: what each source line costs; with the source at hand, the annotated source.
 */
#include "cli/command.h"

static const struct pp_example lines_examples[] = {
	{ "lines nytprof.out", "the 25 costliest lines" },
	{ "lines --annotate nytprof.out", "the source, each line with its cost" },
	{ "lines --source ~/app callgrind.out.1234", "the same, with the source from a directory" },
	{ "lines --focus '^parse' --json callgrind.out.1234", "the lines of some functions" },
	{ 0 },
};

static const struct pp_mcp_tool lines_tool = {
	.name = "lines",
	.about = "Cost per source line.",
	.files = "file",
	.arguments = "metric filter",
};

const struct pp_command pp_command_lines = {
	.question = "lines",
	.name = "lines",
	.synopsis = "FILE...",
	.summary = "what each source line costs, or the annotated source",
	.details =
	    "Lists the costliest lines and, if the profile counts it, how "
	    "often they ran. --annotate prints the source that the profile contains, "
	    "--source DIR the source found under a directory: whole files, each line with "
	    "its cost, above it who calls the functions that begin there, below it what it "
	    "calls. The five costliest files are shown (-n 0: all); with --min only what is "
	    "near lines of that share. --json has the same as \"files\". --source auto takes "
	    "the files that the profile names, provided they are below the current directory "
	    "or the profile's own and not hidden. Nothing outside these directories is read, "
	    "whatever a profile says and wherever links lead.\n\n"
	    "Here filters select functions: --focus and --show keep the lines of functions "
	    "that match, --ignore and --hide drop them.",
	.examples = lines_examples,
	.hint = PP_HINT_FILE,
	.tool = &lines_tool,
};
