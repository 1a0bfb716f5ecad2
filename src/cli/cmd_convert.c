/*
 * polyprof convert: writes a profile in another format, and says what that cannot hold.
 */
#include "cli/stores.h"

static int convert_run(struct pp_cli *);

static const struct pp_example convert_examples[] = {
	{ "convert app.folded.gz -o clean.folded",
	  "merged, sorted, canonical: two such files compare with cmp" },
	{ "convert a.folded b.folded -o all.folded.zst", "several profiles into one, compressed" },
	{ "convert --to folded profile.out | less", "to standard output" },
	{ 0 },
};

static const struct pp_mcp_tool convert_tool = {
	.name = "convert",
	.about = "Write a profile in another format, as a new file.",
	.files = "file",
	.arguments = "to variant metric filter budget output",
	.must = "output",
	.writes = true,
};

const struct pp_command pp_command_convert = {
	.question = "convert",
	.name = "convert",
	.synopsis = "FILE... -o OUT [--to FORMAT]",
	.summary = "write a profile in another format, losing nothing silently",
	.details =
	    "What the target format cannot hold is reported on standard error; with "
	    "--lossless that is an error and nothing is written. OUT appears whole or not at "
	    "all: a failure leaves an existing file as it was. Where OUT is a store (prof.ppdb), the files are "
	    "added to it.",
	.examples = convert_examples,
	.hint = PP_HINT_FILE,
	.tool = &convert_tool,
	.run = convert_run,
};

/* What is written into a store is added to it. */
static int
convert_run(struct pp_cli *cli)
{
	const char *out = pp_args_text(&cli->args, "output");

	return out && pp_cli_names_store(out) ? pp_cli_store_convert(cli, out) : pp_cli_ask(cli);
}
