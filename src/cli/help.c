/*
 * Help from the command table.
 */
#include "cli/help.h"

#include "text/suggest.h"
#include "text/units.h"

/* Options are described from this column on. */
#define HELP_COLUMN 26

static void
title_print(struct pp_sink *out, const struct pp_style *style, const char *title)
{
	pp_sink_putc(out, '\n');
	pp_ink_put(out, style, PP_INK_TITLE, title);
	pp_sink_putc(out, '\n');
}

/* A summary, which stands in lists as it is, as a sentence of its own. */
static void
sentence_print(struct pp_sink *out, const struct pp_style *style, const char *summary)
{
	struct pp_buf text = { 0 };

	pp_buf_addf(&text, "%c%s.", summary[0] & ~0x20, summary + 1);
	if (text.p)
		pp_text_wrap(out, style, text.p, 0, 0);
	pp_buf_release(&text);
}

static void
option_print(const struct pp_param *option, const struct pp_style *style, struct pp_sink *out)
{
	struct pp_buf text = { 0 };
	size_t column;

	if (option->letter)
		pp_buf_addf(&text, "  -%c, --%s", option->letter, option->name);
	else
		pp_buf_addf(&text, "      --%s", option->name);
	if (option->value)
		pp_buf_addf(&text, "=%s", option->value);
	column = text.n;
	if (text.p)
		pp_ink_put(out, style, PP_INK_COMMAND, text.p);
	pp_buf_release(&text);
	if (column + 2 > HELP_COLUMN) {
		pp_sink_putc(out, '\n');
		column = 0;
	}
	pp_text_wrap(out, style, option->help, column, HELP_COLUMN);
}

void
pp_help_command(const struct pp_command *command, const struct pp_style *style, struct pp_sink *out)
{
	const struct pp_param_group *groups[PP_GROUPS_MAX];
	const struct pp_param_group *const *all = pp_command_groups(command, groups), *const *
	                                                                                  group;
	const struct pp_param *option;
	const struct pp_example *example;
	bool named = !(command->flags & PP_COMMAND_HIDDEN);

	pp_sink_puts(out, "Usage: ");
	pp_ink_putf(out, style, PP_INK_TITLE, "polyprof%s%s", named ? " " : "",
	            named ? command->name : "");
	pp_sink_printf(out, "%s %s\n\n", *all ? " [OPTIONS]" : "", command->synopsis);
	sentence_print(out, style, command->summary);
	if (command->details) {
		pp_sink_putc(out, '\n');
		pp_text_wrap(out, style, command->details, 0, 0);
	}
	for (group = all; *group; group++) {
		/* Groups of one title that follow each other are one to the reader. */
		if (group == all || strcmp(group[-1]->title, (*group)->title) != 0)
			title_print(out, style, (*group)->title);
		for (option = (*group)->params; option->name; option++)
			option_print(option, style, out);
	}
	if (command->examples)
		title_print(out, style, "Examples");
	for (example = command->examples; example && example->words; example++) {
		pp_sink_puts(out, "  ");
		pp_ink_putf(out, style, PP_INK_COMMAND, "polyprof %s", example->words);
		pp_sink_putc(out, '\n');
		pp_text_wrap(out, style, example->does, 0, 6);
	}
}

static const char overview_intro[] =
    "polyprof reads profiles from many profilers: it recognises the format, checks the file, "
    "answers questions about it and converts it.";

void
pp_help_overview(const struct pp_style *style, struct pp_sink *out)
{
	const struct pp_command *const *command;

	pp_sink_puts(out, "Usage: ");
	pp_ink_put(out, style, PP_INK_TITLE, "polyprof FILE");
	pp_sink_puts(out, "\n       ");
	pp_ink_put(out, style, PP_INK_TITLE, "polyprof COMMAND");
	pp_sink_puts(out, " [OPTIONS] ...\n\n");
	pp_text_wrap(out, style, overview_intro, 0, 0);
	title_print(out, style, "Commands");
	for (command = pp_commands; *command; command++) {
		bool hidden = (*command)->flags & PP_COMMAND_HIDDEN;
		const char *name = hidden ? "FILE" : (*command)->name;

		pp_sink_puts(out, "  ");
		pp_ink_put(out, style, PP_INK_COMMAND, name);
		pp_text_wrap(out, style, (*command)->summary, 2 + strlen(name), 16);
	}
	title_print(out, style, "More");
	pp_sink_puts(out, "  polyprof FILE --help     the options of the summary\n"
	                  "  polyprof COMMAND --help  the options of a command\n"
	                  "  polyprof --version       the version, the commit, the libraries\n"
	                  "  FILE may be - for standard input; .gz and .zst are unpacked.\n");
}

void
pp_help_usage(const struct pp_cli *cli)
{
	struct pp_buf buf;
	struct pp_sink *err = pp_cli_text(&buf);

	if (err && (cli->command->flags & PP_COMMAND_HIDDEN)) {
		pp_help_overview(&cli->errors, err);
	} else if (err) {
		pp_sink_printf(err, "Usage: polyprof %s [OPTIONS] %s\n", cli->command->name,
		               cli->command->synopsis);
		sentence_print(err, &cli->errors, cli->command->summary);
		pp_sink_printf(err, "Try `polyprof %s --help`.\n", cli->command->name);
	}
	pp_cli_err_done(err, &buf);
}

void
pp_suggest_command(const char *word, struct pp_buf *out)
{
	const struct pp_command *const *command;
	struct pp_suggest suggest;

	pp_suggest_init(&suggest, pp_slice_z(word));
	for (command = pp_commands; *command; command++)
		if (!((*command)->flags & PP_COMMAND_HIDDEN))
			pp_suggest_offer(&suggest, pp_slice_z((*command)->name));
	pp_suggest_print(&suggest, out, "");
}
