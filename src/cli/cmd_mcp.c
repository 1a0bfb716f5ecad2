/*
 * polyprof mcp: serves questions to agents by the Model Context Protocol.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/opts.h"

static int mcp_run(struct pp_cli *);

static const struct pp_param mcp_params[] = {
	{ "memory", 0, PP_PARAM_SIZE, "SIZE", "memory for open profiles (default: 1G)",
	  PP_HINT_NONE, 0 },
	{ "timeout", 0, PP_PARAM_COUNT, "SECONDS",
	  "give up on a call after this time (default: 120)", PP_HINT_NONE, 0 },
	{ "allow-write", 0, PP_PARAM_TEXT, "DIR",
	  "offer convert, merge, flame and report, which write new files into DIR", PP_HINT_FILE,
	  0 },
	{ 0 },
};
static const struct pp_param_group mcp_group = { "Limits", mcp_params };

static const struct pp_param_group *const mcp_groups[] = { &mcp_group, &pp_group_general, NULL };

static const struct pp_example mcp_examples[] = {
	{ "mcp", "serve the profiles in and below the current directory" },
	{ "mcp --memory 2G /srv/profiles /tmp/spx", "serve two directories" },
	{ 0 },
};

const struct pp_command pp_command_mcp = {
	.name = "mcp",
	.synopsis = "[DIR...]",
	.summary = "serve questions to agents (Model Context Protocol)",
	.details =
	    "Speaks the Model Context Protocol over standard input and output, in its versions of 2025 and "
	    "2026; agents start it themselves, and docs/agents.md says how to register it. Only files below "
	    "the given directories are read (default: the current one), wherever links lead; nothing is "
	    "written unless --allow-write says where, and no other program is run. Profiles stay open between "
	    "questions, up to --memory.",
	.groups = mcp_groups,
	.examples = mcp_examples,
	.hint = PP_HINT_FILE,
	.run = mcp_run,
};

/* All commands that are tools, those that write only where they may. */
static struct pp_mcp_tool *
tools_make(bool writes)
{
	const struct pp_command *const *command;
	struct pp_mcp_tool *tools;
	size_t n = 0;

	for (command = pp_commands; *command; command++)
		n += (*command)->tool != NULL;
	tools = calloc(n + 1, sizeof *tools);
	n = 0;
	for (command = pp_commands; tools && *command; command++)
		if ((*command)->tool && (writes || !(*command)->tool->writes))
			tools[n++] = *(*command)->tool;
	return tools;
}

struct pp_mcp_tool *
pp_cli_tools(void)
{
	return tools_make(false);
}

uint64_t
pp_cli_size(const char *text)
{
	char *end;
	double size = strtod(text, &end);

	size *= *end == 'K' || *end == 'k'   ? 1 << 10
	        : *end == 'M' || *end == 'm' ? 1 << 20
	        : *end == 'G' || *end == 'g' ? 1 << 30
	                                     : 1;
	return size > 0 && size < 1e18 ? (uint64_t)size : 0;
}

static int
mcp_run(struct pp_cli *cli)
{
	static const char *const here[] = { "." };
	const char *memory = pp_args_text(&cli->args, "memory");
	const char *timeout = pp_args_text(&cli->args, "timeout");
	struct pp_mcp_options options = { .directories = here,
		                          .directory_count = 1,
		                          .memory = (uint64_t)1 << 30,
		                          .timeout = 120,
		                          .in = STDIN_FILENO,
		                          .out = STDOUT_FILENO };
	const char *write = pp_args_text(&cli->args, "allow-write");
	struct pp_mcp_tool *tools = tools_make(write != NULL);
	int code;

	if (!tools)
		return PP_EXIT_INPUT;
	if (cli->args.words.n) {
		options.directories = (const char *const *)cli->args.words.at;
		options.directory_count = cli->args.words.n;
	}
	if (memory)
		options.memory = pp_cli_size(memory);
	if (timeout)
		options.timeout = strtoull(timeout, NULL, 10);
	options.timeout = options.timeout && options.timeout < 1000000 ? options.timeout : 120;
	options.tools = tools;
	options.write = write;
	code = pp_mcp_serve(&options);
	if (code == PP_EXIT_USAGE)
		(void)pp_cli_usage(cli, "a directory that was named cannot be read");
	free(tools);
	return code;
}
