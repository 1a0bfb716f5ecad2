/*
 * polyprof lines: what each source line costs; with the source at hand, the annotated source.
 */
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/load.h"
#include "cli/source.h"

static int lines_run(struct pp_cli *);

static const struct pp_param_group *const lines_groups[] = {
	&pp_params_metric, &pp_params_lines,
	&pp_params_filter, &pp_params_min,
	&pp_group_listing, &pp_group_read,
	&pp_group_variant, &pp_group_strict,
	&pp_group_general, NULL,
};

static const struct pp_example lines_examples[] = {
	{ "lines nytprof.out", "the 25 costliest lines" },
	{ "lines --annotate nytprof.out", "the source, each line with what it costs" },
	{ "lines --source ~/app callgrind.out.1234", "the same, with the source from a directory" },
	{ "lines --focus '^parse' --json callgrind.out.1234", "the lines of some functions" },
	{ 0 },
};

extern const struct pp_question pp_question_lines;

const struct pp_command pp_command_lines = {
	.question = &pp_question_lines,
	.name = "lines",
	.synopsis = "FILE...",
	.summary = "what each source line costs, or the annotated source",
	.details =
	    "Lists the lines that cost most themselves, with how often they ran where the profile "
	    "counts that. --annotate prints the source that the profile holds, --source DIR the "
	    "source found under a directory, each line with its cost, as far as it is near a line "
	    "that costs something. Paths in a profile are never opened as they are.\n\n"
	    "Here filters choose functions: --focus and --show keep the lines of functions that "
	    "match, --ignore and --hide drop them.",
	.groups = lines_groups,
	.examples = lines_examples,
	.hint = PP_HINT_FILE,
	.run = lines_run,
};

/* The source comes from the directories given. */
static int
lines_run(struct pp_cli *cli)
{
	const char **dirs = pp_args_all(&cli->args, "source");
	struct pp_sources sources = { .dirs = dirs };
	int code = dirs ? pp_ask_with(cli, &sources) : PP_EXIT_INPUT;

	pp_sources_release(&sources);
	free(dirs);
	return code;
}
