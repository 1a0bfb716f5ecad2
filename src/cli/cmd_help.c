/*
 * polyprof help: the overview, or the page of one command.
 */
#include "cli/help.h"
#include "cli/suggest.h"

static int help_run(struct pp_cli *);

static const struct pp_option_group *const help_groups[] = { &pp_group_general, NULL };

const struct pp_command pp_command_help = {
	.name = "help",
	.synopsis = "[COMMAND]",
	.summary = "how a command is used",
	.groups = help_groups,
	.hint = PP_HINT_COMMAND,
	.run = help_run,
};

static int
help_unknown(struct pp_cli *cli, const char *word)
{
	const struct pp_command *const *command;
	struct pp_suggest suggest;
	struct pp_buf hint = { 0 };
	int code;

	pp_suggest_init(&suggest, pp_slice_z(word));
	for (command = pp_commands; *command; command++)
		if (!((*command)->flags & PP_COMMAND_HIDDEN))
			pp_suggest_offer(&suggest, pp_slice_z((*command)->name));
	pp_suggest_print(&suggest, &hint, "");
	code = pp_cli_wrong(cli, "there is no command '%s'%s", word, hint.n ? hint.p : "");
	pp_buf_release(&hint);
	return code;
}

static int
help_run(struct pp_cli *cli)
{
	const struct pp_command *command = NULL;
	int code;

	if (cli->args.words.n > 1)
		return pp_cli_usage(cli, "help takes one command");
	if (cli->args.words.n == 1) {
		command = pp_command_find(cli->args.words.at[0]);
		if (!command)
			return help_unknown(cli, cli->args.words.at[0]);
	}
	code = pp_cli_output(cli);
	if (code)
		return code;
	if (command)
		pp_help_command(command, &cli->style, cli->out);
	else
		pp_help_overview(&cli->style, cli->out);
	return PP_EXIT_OK;
}
