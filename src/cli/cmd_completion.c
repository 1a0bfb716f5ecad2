/*
 * polyprof completion: scripts that complete commands, options and their values in a shell. They are
 * made from the tables that the parser uses, so they cannot be out of date.
 */
#include "cli/cli.h"

static int completion_run(struct pp_cli *);

static const struct pp_param_group *const completion_groups[] = { &pp_group_general, NULL };

static const struct pp_example completion_examples[] = {
	{ "completion bash > ~/.local/share/bash-completion/completions/polyprof", "for bash" },
	{ "completion zsh > ~/.zfunc/_polyprof", "for zsh, with ~/.zfunc in $fpath" },
	{ "completion fish > ~/.config/fish/completions/polyprof.fish", "for fish" },
	{ 0 },
};

const struct pp_command pp_command_completion = {
	.name = "completion",
	.synopsis = "bash|zsh|fish",
	.summary = "a script that completes commands and options in a shell",
	.groups = completion_groups,
	.examples = completion_examples,
	.hint = PP_HINT_SHELL,
	.run = completion_run,
};

static bool
is_listed(const struct pp_command *command)
{
	return !(command->flags & PP_COMMAND_HIDDEN);
}

/* ---- words ---- */

static void
words_commands(struct pp_sink *out)
{
	const struct pp_command *const *command;

	for (command = pp_commands; *command; command++)
		if (is_listed(*command))
			pp_sink_printf(out, "%s ", (*command)->name);
}

static void
words_formats(struct pp_sink *out)
{
	size_t i;

	for (i = 0; i < pp_format_count(); i++)
		pp_sink_printf(out, "%s ", pp_format_name(pp_format_get(i)));
}

static void
words_rules(struct pp_sink *out)
{
	pp_answer *rules = NULL;
	size_t i;

	if (pp_ask(NULL, "explain", NULL, &rules) == PP_OK)
		for (i = 0; i < pp_answer_rows(rules, 0); i++) {
			struct pp_text id = pp_answer_cell(rules, 0, i, 0).text;

			pp_sink_printf(out, "%.*s ", (int)id.size, id.data);
		}
	pp_answer_free(rules);
}

/* The words that complete a hint; none for files, which the shell knows itself. */
static void
words_hint(struct pp_sink *out, enum pp_param_hint hint)
{
	switch (hint) {
	case PP_HINT_FORMAT:
		words_formats(out);
		break;
	case PP_HINT_COMMAND:
		words_commands(out);
		break;
	case PP_HINT_RULE:
		words_rules(out);
		break;
	case PP_HINT_SHELL:
		pp_sink_puts(out, "bash zsh fish ");
		break;
	case PP_HINT_NONE:
	case PP_HINT_FILE:
		break;
	}
}

/* "a|b|c" as "a b c ". */
static void
words_choice(struct pp_sink *out, const char *choices)
{
	for (; *choices; choices++)
		pp_sink_putc(out, *choices == '|' ? ' ' : *choices);
	pp_sink_putc(out, ' ');
}

static void
words_value(struct pp_sink *out, const struct pp_param *option)
{
	if (option->kind == PP_PARAM_CHOICE)
		words_choice(out, option->value);
	else
		words_hint(out, option->hint);
}

/* ---- bash ---- */

/* One line of a `case`: which words complete the value of an option. */
static void
bash_values(struct pp_sink *out, const struct pp_command *command)
{
	const struct pp_param *option;
	struct pp_options all;

	PP_FOR_EACH_OPTION(command, all, option)
	{
		if (option->kind == PP_PARAM_FLAG)
			continue;
		pp_sink_printf(out, "\t%s:--%s", command->name, option->name);
		if (option->letter)
			pp_sink_printf(out, "|%s:-%c", command->name, option->letter);
		pp_sink_puts(out, ") ");
		if (option->kind != PP_PARAM_CHOICE && option->hint == PP_HINT_FILE) {
			pp_sink_puts(out, "_polyprof_files; return ;;\n");
			continue;
		}
		pp_sink_puts(out, "_polyprof_words \"");
		words_value(out, option);
		pp_sink_puts(out, "\"; return ;;\n");
	}
}

static void
bash_command(struct pp_sink *out, const struct pp_command *command)
{
	const struct pp_param *option;
	struct pp_options all;

	pp_sink_printf(out, "\t%s)\n\t\toptions=\"", command->name);
	PP_FOR_EACH_OPTION(command, all, option)
	pp_sink_printf(out, "--%s%s ", option->name, option->kind == PP_PARAM_FLAG ? "" : "=");
	pp_sink_puts(out, "\"\n\t\twords=\"");
	words_hint(out, command->hint);
	pp_sink_printf(out, "\"\n\t\tfiles=%d ;;\n", command->hint == PP_HINT_FILE);
}

static void
bash_print(struct pp_sink *out)
{
	const struct pp_command *const *command;

	pp_sink_puts(out, "# bash completion for polyprof; made by `polyprof completion bash`.\n"
	                  "_polyprof_words() {\n"
	                  "\tCOMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
	                  "\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
	                  "}\n\n"
	                  "_polyprof_files() {\n"
	                  "\tcompopt -o filenames 2>/dev/null\n"
	                  "\tlocal IFS=$'\\n'\n"
	                  "\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	                  "}\n\n"
	                  "_polyprof() {\n"
	                  "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	                  "\tlocal command=summary options words files i commands=\"");
	words_commands(out);
	pp_sink_puts(out, "\"\n\tCOMPREPLY=()\n"
	                  "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	                  "\t\tif [[ \" $commands \" == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
	                  "\t\t\tcommand=${COMP_WORDS[i]}\n"
	                  "\t\t\tbreak\n"
	                  "\t\tfi\n"
	                  "\tdone\n"
	                  "\t# bash makes `--name=value` three words.\n"
	                  "\tif [[ $cur == = ]]; then\n"
	                  "\t\tcur=\n"
	                  "\telif [[ $prev == = ]]; then\n"
	                  "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	                  "\tfi\n"
	                  "\tcase $command:$prev in\n");
	for (command = pp_commands; *command; command++)
		bash_values(out, *command);
	pp_sink_puts(out, "\tesac\n\tcase $command in\n");
	for (command = pp_commands; *command; command++)
		bash_command(out, *command);
	pp_sink_puts(out, "\tesac\n"
	                  "\tif [[ $cur == -* ]]; then\n"
	                  "\t\t[[ $command == summary ]] && options+=\" --version\"\n"
	                  "\t\t_polyprof_words \"$options\"\n"
	                  "\t\treturn\n"
	                  "\tfi\n"
	                  "\t((files)) && _polyprof_files\n"
	                  "\t[[ $command == summary ]] && words+=$commands\n"
	                  "\tif [[ -n $words ]]; then\n"
	                  "\t\tCOMPREPLY+=($(compgen -W \"$words\" -- \"$cur\"))\n"
	                  "\tfi\n"
	                  "}\n\n"
	                  "complete -F _polyprof polyprof\n");
}

/* ---- zsh ---- */

/* Text inside single quotes of an _arguments specification. */
static void
zsh_text(struct pp_sink *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text))
			pp_sink_putc(out, '\\');
		if (*text == '\'')
			pp_sink_puts(out, "'\\''");
		else
			pp_sink_putc(out, *text);
	}
}

/* How a value is completed: ":what:action". */
static void
zsh_action(struct pp_sink *out, const char *what, enum pp_param_hint hint, const char *choices)
{
	pp_sink_putc(out, ':');
	zsh_text(out, what);
	pp_sink_putc(out, ':');
	if (choices) {
		pp_sink_putc(out, '(');
		words_choice(out, choices);
		pp_sink_putc(out, ')');
	} else if (hint == PP_HINT_FILE) {
		pp_sink_puts(out, "_files");
	} else if (hint == PP_HINT_NONE) {
		pp_sink_putc(out, ' '); /* anything */
	} else {
		pp_sink_putc(out, '(');
		words_hint(out, hint);
		pp_sink_putc(out, ')');
	}
}

static void
zsh_option(struct pp_sink *out, const struct pp_param *option)
{
	bool flag = option->kind == PP_PARAM_FLAG;

	if (option->letter)
		pp_sink_printf(out, "\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter,
		               option->name, option->letter, flag ? "" : "+", option->name,
		               flag ? "" : "=");
	else if (strcmp(option->name, "option") == 0)
		pp_sink_printf(out, "\t\t\t'*--%s=[", option->name);
	else
		pp_sink_printf(out, "\t\t\t'--%s%s[", option->name, flag ? "" : "=");
	zsh_text(out, option->help);
	pp_sink_putc(out, ']');
	if (!flag)
		zsh_action(out, option->kind == PP_PARAM_CHOICE ? option->name : option->value,
		           option->hint, option->kind == PP_PARAM_CHOICE ? option->value : NULL);
	pp_sink_puts(out, "' \\\n");
}

static void
zsh_command(struct pp_sink *out, const struct pp_command *command)
{
	const struct pp_param *option;
	struct pp_options all;

	pp_sink_printf(out, "\t%s)\n\t\t_arguments -s -S \\\n", command->name);
	PP_FOR_EACH_OPTION(command, all, option)
	zsh_option(out, option);
	pp_sink_puts(out, "\t\t\t'*");
	zsh_action(out, command->synopsis, command->hint, NULL);
	pp_sink_puts(out, "' ;;\n");
}

static void
zsh_print(struct pp_sink *out)
{
	const struct pp_command *const *command;

	pp_sink_puts(
	    out,
	    "#compdef polyprof\n# zsh completion for polyprof; made by `polyprof completion zsh`.\n"
	    "_polyprof() {\n\tlocal -a commands=(\n");
	for (command = pp_commands; *command; command++) {
		if (!is_listed(*command))
			continue;
		pp_sink_printf(out, "\t\t'%s:", (*command)->name);
		zsh_text(out, (*command)->summary);
		pp_sink_puts(out, "'\n");
	}
	pp_sink_puts(out, "\t)\n"
	                  "\tlocal command=summary\n"
	                  "\tif ((CURRENT > 2)) && [[ -n ${commands[(r)$words[2]:*]} ]]; then\n"
	                  "\t\tcommand=$words[2]\n"
	                  "\t\tshift words\n"
	                  "\t\t((CURRENT--))\n"
	                  "\telif ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
	                  "\t\t_describe -t commands command commands\n"
	                  "\tfi\n"
	                  "\tcase $command in\n");
	for (command = pp_commands; *command; command++)
		zsh_command(out, *command);
	pp_sink_puts(out, "\tesac\n}\n\n_polyprof \"$@\"\n");
}

/* ---- fish ---- */

/* Text inside single quotes. */
static void
fish_text(struct pp_sink *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			pp_sink_putc(out, '\\');
		pp_sink_putc(out, *text);
	}
}

static void
fish_option(struct pp_sink *out, const struct pp_command *command, const struct pp_param *option)
{
	if (is_listed(command))
		pp_sink_printf(out, "complete -c polyprof -n '__fish_seen_subcommand_from %s'",
		               command->name);
	else
		pp_sink_puts(
		    out,
		    "complete -c polyprof -n 'not __fish_seen_subcommand_from $__polyprof_commands'");
	if (option->letter)
		pp_sink_printf(out, " -s %c", option->letter);
	pp_sink_printf(out, " -l %s", option->name);
	if (option->kind != PP_PARAM_FLAG && option->hint == PP_HINT_FILE) {
		pp_sink_puts(out, " -r -F");
	} else if (option->kind != PP_PARAM_FLAG) {
		pp_sink_puts(out, " -x -a '");
		words_value(out, option);
		pp_sink_putc(out, '\'');
	}
	pp_sink_puts(out, " -d '");
	fish_text(out, option->help);
	pp_sink_puts(out, "'\n");
}

static void
fish_print(struct pp_sink *out)
{
	const struct pp_command *const *command;
	const struct pp_param *option;
	struct pp_options all;

	pp_sink_puts(out, "# fish completion for polyprof; made by `polyprof completion fish`.\n"
	                  "set -g __polyprof_commands ");
	words_commands(out);
	pp_sink_puts(
	    out, "\ncomplete -c polyprof -n 'not __fish_seen_subcommand_from $__polyprof_commands' "
	         "-l version -d 'print the version'\n");
	for (command = pp_commands; *command; command++) {
		if (is_listed(*command)) {
			pp_sink_printf(out,
			               "complete -c polyprof -n 'not __fish_seen_subcommand_from "
			               "$__polyprof_commands' -a %s -d '",
			               (*command)->name);
			fish_text(out, (*command)->summary);
			pp_sink_puts(out, "'\n");
		}
		if (is_listed(*command) && (*command)->hint != PP_HINT_FILE) {
			pp_sink_printf(
			    out, "complete -c polyprof -n '__fish_seen_subcommand_from %s' -f -a '",
			    (*command)->name);
			words_hint(out, (*command)->hint);
			pp_sink_puts(out, "'\n");
		}
		PP_FOR_EACH_OPTION(*command, all, option)
		fish_option(out, *command, option);
	}
}

/* ---- running ---- */

static int
completion_run(struct pp_cli *cli)
{
	static const struct {
		const char *name;
		void (*print)(struct pp_sink *);
	} shells[] = { { "bash", bash_print }, { "zsh", zsh_print }, { "fish", fish_print } };
	struct pp_sink *out;
	struct pp_buf text;
	size_t i;

	if (cli->args.words.n != 1)
		return pp_cli_usage(cli, "name one shell: bash, zsh or fish");
	for (i = 0; i < PP_COUNT_OF(shells); i++) {
		if (strcmp(cli->args.words.at[0], shells[i].name) != 0)
			continue;
		out = pp_cli_text(&text);
		if (out)
			shells[i].print(out);
		return pp_cli_out_done(cli, out, &text);
	}
	return pp_cli_usage(cli, "no completion for '%s'; there is bash, zsh and fish",
	                    cli->args.words.at[0]);
}
