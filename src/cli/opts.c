/*
 * The option parser, and the groups of options that several commands share.
 */
#include "cli/opts.h"

#include "base/num.h"
#include "cli/suggest.h"

/* ---- shared groups ---- */

static const struct pp_option read_options[] = {
	{ "from", 0, PP_ARG_TEXT, "FORMAT", "read as this format instead of recognising it",
	  PP_HINT_FORMAT },
	{ "option", 0, PP_ARG_TEXT, "KEY=VALUE",
	  "set an option of a format, as `polyprof formats NAME` lists them; may be repeated",
	  PP_HINT_NONE },
	{ "jobs", 'j', PP_ARG_COUNT, "N", "use N threads (default: one per processor)",
	  PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_read = { "Input", read_options };

static const struct pp_option variant_options[] = {
	{ "variant", 0, PP_ARG_TEXT, "VARIANT", "read as this variant of the format",
	  PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_variant = { "Input", variant_options };

static const struct pp_option strict_options[] = {
	{ "strict", 0, PP_ARG_FLAG, NULL,
	  "refuse damaged input instead of using what is whole (exit 3)", PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_strict = { "Input", strict_options };

static const struct pp_option rank_options[] = {
	{ "metric", 'm', PP_ARG_TEXT, "NAME",
	  "the metric to show and sort by (default: the primary one)", PP_HINT_NONE },
	{ "sort", 0, PP_ARG_CHOICE, "self|total|calls|name",
	  "the order of the rows (default: self)", PP_HINT_NONE },
	{ "limit", 'n', PP_ARG_COUNT, "N", "show N rows (0 = all)", PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_rank = { "Rows", rank_options };

static const struct pp_option listing_options[] = {
	{ "json", 0, PP_ARG_FLAG, NULL, "print one JSON object, exact values", PP_HINT_NONE },
	{ "csv", 0, PP_ARG_FLAG, NULL, "print CSV with a header row, exact values", PP_HINT_NONE },
	{ "output", 'o', PP_ARG_TEXT, "FILE",
	  "write to FILE (`-` = standard output; .gz and .zst compress)", PP_HINT_FILE },
	{ 0 },
};
const struct pp_option_group pp_group_listing = { "Output", listing_options };

static const struct pp_option object_options[] = {
	{ "json", 0, PP_ARG_FLAG, NULL, "print one JSON object, exact values", PP_HINT_NONE },
	{ "output", 'o', PP_ARG_TEXT, "FILE",
	  "write to FILE (`-` = standard output; .gz and .zst compress)", PP_HINT_FILE },
	{ 0 },
};
const struct pp_option_group pp_group_object = { "Output", object_options };

static const struct pp_option filter_options[] = {
	{ "focus", 0, PP_ARG_TEXT, "RE", "keep only stacks in which a function matches",
	  PP_HINT_NONE },
	{ "ignore", 0, PP_ARG_TEXT, "RE", "drop stacks in which a function matches", PP_HINT_NONE },
	{ "hide", 0, PP_ARG_TEXT, "RE",
	  "drop frames that match; what they cost goes to their callers", PP_HINT_NONE },
	{ "show", 0, PP_ARG_TEXT, "RE", "keep only frames that match", PP_HINT_NONE },
	{ "show-from", 0, PP_ARG_TEXT, "RE", "cut stacks above their first match", PP_HINT_NONE },
	{ "event", 0, PP_ARG_TEXT, "NAME", "keep only this event", PP_HINT_NONE },
	{ "thread", 0, PP_ARG_TEXT, "ID|NAME", "keep only this thread", PP_HINT_NONE },
	{ "time", 0, PP_ARG_TEXT, "FROM..TO",
	  "keep only this stretch of time, like 1.5s..2s or ..20%", PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_filter = { "Filters", filter_options };

static const struct pp_option min_options[] = {
	{ "min", 0, PP_ARG_TEXT, "PCT", "leave out what is less than PCT percent of the whole",
	  PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_min = { "Filters", min_options };

static const struct pp_option depth_options[] = {
	{ "depth", 0, PP_ARG_COUNT, "N", "go no deeper than N frames", PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_depth = { "Filters", depth_options };

static const struct pp_option by_options[] = {
	{ "by", 0, PP_ARG_CHOICE, "function|file|module|line|thread",
	  "what the rows are (default: function)", PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_by = { "Rows", by_options };

static const struct pp_option metric_options[] = {
	{ "metric", 'm', PP_ARG_TEXT, "NAME",
	  "the metric to show and sort by (default: the primary one)", PP_HINT_NONE },
	{ "limit", 'n', PP_ARG_COUNT, "N", "show N rows (0 = all)", PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_metric = { "Rows", metric_options };

static const struct pp_option general_options[] = {
	{ "color", 0, PP_ARG_CHOICE, "auto|always|never",
	  "colour: on a terminal, always or never (NO_COLOR is heeded)", PP_HINT_NONE },
	{ "quiet", 'q', PP_ARG_FLAG, NULL, "print no warnings, notes or progress", PP_HINT_NONE },
	{ "verbose", 'v', PP_ARG_FLAG, NULL, "print every diagnostic and how long reading took",
	  PP_HINT_NONE },
	{ "help", 'h', PP_ARG_FLAG, NULL, "print this help", PP_HINT_NONE },
	{ 0 },
};
const struct pp_option_group pp_group_general = { "General", general_options };

/* ---- looking options up ---- */

const struct pp_option *
pp_option_find(const struct pp_command *command, const char *name, size_t n)
{
	const struct pp_option_group *const *group;
	const struct pp_option *option;

	for (group = command->groups; group && *group; group++)
		for (option = (*group)->options; option->name; option++)
			if (strlen(option->name) == n && memcmp(option->name, name, n) == 0)
				return option;
	return NULL;
}

const struct pp_option *
pp_option_letter(const struct pp_command *command, char letter)
{
	const struct pp_option_group *const *group;
	const struct pp_option *option;

	for (group = command->groups; group && *group; group++)
		for (option = (*group)->options; option->name; option++)
			if (option->letter == letter)
				return option;
	return NULL;
}

const struct pp_command *
pp_command_find(const char *name)
{
	const struct pp_command *const *command;

	for (command = pp_commands; *command; command++)
		if (!((*command)->flags & PP_COMMAND_HIDDEN) && strcmp((*command)->name, name) == 0)
			return *command;
	return NULL;
}

/* ---- parsing ---- */

struct parse {
	struct pp_args *args;
	const struct pp_command *command;
	int argc;
	char *const *argv;
	int next; /* the argument to look at */
	struct pp_buf *problem;
};

static bool
choice_has(const char *choices, const char *text)
{
	size_t n = strlen(text);
	const char *end;

	for (;; choices = end + 1) {
		end = strchrnul(choices, '|');
		if ((size_t)(end - choices) == n && memcmp(choices, text, n) == 0)
			return true;
		if (!*end)
			return false;
	}
}

/* Adds " (did you mean 'x'?)" for the nearest choice. */
static void
choice_suggest(struct pp_buf *problem, const char *choices, const char *text)
{
	struct pp_suggest suggest;
	const char *end;

	pp_suggest_init(&suggest, pp_slice_z(text));
	for (;; choices = end + 1) {
		end = strchrnul(choices, '|');
		pp_suggest_offer(&suggest, pp_slice_of(choices, (size_t)(end - choices)));
		if (!*end)
			break;
	}
	pp_suggest_print(&suggest, problem, "");
}

static bool
given_add(struct parse *p, const struct pp_option *option, const char *text)
{
	struct pp_given given = { .option = option, .text = text, .words = p->args->words.n };

	if (option->kind == PP_ARG_COUNT && !pp_num_u64(pp_slice_z(text), &given.number)) {
		pp_buf_addf(p->problem, "--%s needs a whole number, not '%s'", option->name, text);
		return false;
	}
	if (option->kind == PP_ARG_CHOICE && !choice_has(option->value, text)) {
		pp_buf_addf(p->problem, "--%s is one of %s, not '%s'", option->name, option->value,
		            text);
		choice_suggest(p->problem, option->value, text);
		return false;
	}
	if (!pp_vec_push(&p->args->given, given)) {
		pp_buf_adds(p->problem, "out of memory");
		return false;
	}
	return true;
}

/* The value of an option: what is attached to it, else the next argument. */
static bool
given_add_value(struct parse *p, const struct pp_option *option, const char *attached)
{
	if (attached)
		return given_add(p, option, attached);
	if (p->next >= p->argc) {
		pp_buf_addf(p->problem, "--%s needs a value (%s)", option->name, option->value);
		return false;
	}
	return given_add(p, option, p->argv[p->next++]);
}

static void
option_suggest(struct parse *p, const char *name, size_t n)
{
	const struct pp_option_group *const *group;
	const struct pp_option *option;
	struct pp_suggest suggest;

	pp_suggest_init(&suggest, pp_slice_of(name, n));
	for (group = p->command->groups; group && *group; group++)
		for (option = (*group)->options; option->name; option++)
			pp_suggest_offer(&suggest, pp_slice_z(option->name));
	pp_suggest_print(&suggest, p->problem, "--");
}

static bool
parse_long(struct parse *p, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	const struct pp_option *option = pp_option_find(p->command, text, n);

	if (!option) {
		pp_buf_addf(p->problem, "unknown option '--%.*s'", (int)(n < 200 ? n : 200), text);
		option_suggest(p, text, n);
		return false;
	}
	if (option->kind != PP_ARG_FLAG)
		return given_add_value(p, option, equals ? equals + 1 : NULL);
	if (equals) {
		pp_buf_addf(p->problem, "--%s takes no value", option->name);
		return false;
	}
	return given_add(p, option, NULL);
}

static bool
parse_letters(struct parse *p, const char *letters)
{
	for (; *letters; letters++) {
		const struct pp_option *option = pp_option_letter(p->command, *letters);

		if (!option) {
			pp_buf_addf(p->problem, "unknown option '-%c'", *letters);
			return false;
		}
		if (option->kind != PP_ARG_FLAG)
			return given_add_value(p, option, letters[1] ? letters + 1 : NULL);
		if (!given_add(p, option, NULL))
			return false;
	}
	return true;
}

bool
pp_args_parse(struct pp_args *args, const struct pp_command *command, int argc, char *const *argv,
              struct pp_buf *problem)
{
	struct parse p = { args, command, argc, argv, 0, problem };
	bool only_words = false;

	*args = (struct pp_args){ 0 };
	while (p.next < argc) {
		const char *arg = argv[p.next++];
		bool fine = true;

		if (only_words || arg[0] != '-' || !arg[1])
			fine = pp_vec_push(&args->words, arg);
		else if (strcmp(arg, "--") == 0)
			only_words = true;
		else
			fine = arg[1] == '-' ? parse_long(&p, arg + 2) : parse_letters(&p, arg + 1);
		if (!fine)
			return false;
	}
	return true;
}

void
pp_args_release(struct pp_args *args)
{
	pp_vec_release(&args->given);
	pp_vec_release(&args->words);
}

/* ---- answers ---- */

static const struct pp_given *
args_last(const struct pp_args *args, const char *name)
{
	size_t i;

	for (i = args->given.n; i > 0; i--)
		if (strcmp(args->given.at[i - 1].option->name, name) == 0)
			return &args->given.at[i - 1];
	return NULL;
}

bool
pp_args_flag(const struct pp_args *args, const char *name)
{
	return args_last(args, name) != NULL;
}

const char *
pp_args_text(const struct pp_args *args, const char *name)
{
	const struct pp_given *given = args_last(args, name);

	return given ? given->text : NULL;
}

uint64_t
pp_args_count(const struct pp_args *args, const char *name, uint64_t otherwise)
{
	const struct pp_given *given = args_last(args, name);

	return given ? given->number : otherwise;
}

const char **
pp_args_all(const struct pp_args *args, const char *name)
{
	const char **all = calloc(args->given.n + 1, sizeof *all);
	size_t i, n = 0;

	for (i = 0; all && i < args->given.n; i++)
		if (strcmp(args->given.at[i].option->name, name) == 0)
			all[n++] = args->given.at[i].text;
	return all;
}

/* ---- before the command is known ---- */

/* Whether an argument that is an option takes the argument behind it as its value. */
static bool
takes_next(const char *arg)
{
	const struct pp_command *const *command;
	const struct pp_option *option;

	for (command = pp_commands; *command; command++) {
		const char *letter = arg + 1;

		if (arg[1] == '-') {
			option = pp_option_find(*command, arg + 2, strlen(arg + 2));
			if (option && option->kind != PP_ARG_FLAG)
				return true;
			continue;
		}
		for (; *letter; letter++) {
			option = pp_option_letter(*command, *letter);
			if (!option || option->kind != PP_ARG_FLAG)
				break;
		}
		if (*letter && option && !letter[1])
			return true;
	}
	return false;
}

int
pp_args_first_word(int argc, char *const *argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			return i;
		if (strcmp(argv[i], "--") == 0)
			return i + 1;
		if (takes_next(argv[i]))
			i++;
	}
	return argc;
}
