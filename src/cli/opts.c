/*
 * The option parser, and the groups of options that several commands share.
 */
#include "cli/opts.h"

#include <ctype.h>
#include <string.h>

#include "base/slice.h"
#include "text/suggest.h"

/* ---- shared groups ---- */

static const struct pp_param listing_options[] = {
	{ "json", 0, PP_PARAM_FLAG, NULL, "print one JSON object, exact values", PP_HINT_NONE, 0 },
	{ "csv", 0, PP_PARAM_FLAG, NULL, "print CSV with a header row, exact values", PP_HINT_NONE,
	  0 },
	{ "output", 'o', PP_PARAM_TEXT, "FILE",
	  "write to FILE (`-` = standard output; .gz and .zst compress)", PP_HINT_FILE, 0 },
	{ 0 },
};
static const struct pp_param_group group_listing = { "Output", listing_options };

static const struct pp_param object_options[] = {
	{ "json", 0, PP_PARAM_FLAG, NULL, "print one JSON object, exact values", PP_HINT_NONE, 0 },
	{ "output", 'o', PP_PARAM_TEXT, "FILE",
	  "write to FILE (`-` = standard output; .gz and .zst compress)", PP_HINT_FILE, 0 },
	{ 0 },
};
const struct pp_param_group pp_group_object = { "Output", object_options };

static const struct pp_param general_options[] = {
	{ "color", 0, PP_PARAM_CHOICE, "auto|always|never",
	  "colour: on a terminal, always or never (NO_COLOR is respected)", PP_HINT_NONE, 0 },
	{ "names", 0, PP_PARAM_CHOICE, "fit|short|full",
	  "function names: shortened to fit, always short, or in full (default: fit)", PP_HINT_NONE,
	  0 },
	{ "quiet", 'q', PP_PARAM_FLAG, NULL, "print no warnings, notes or progress", PP_HINT_NONE,
	  0 },
	{ "verbose", 'v', PP_PARAM_FLAG, NULL, "print every diagnostic and how long reading took",
	  PP_HINT_NONE, 0 },
	{ "max-memory", 0, PP_PARAM_SIZE, "SIZE",
	  "give up rather than use more memory (default: three quarters of the machine's)",
	  PP_HINT_NONE, 0 },
	{ "max-output", 0, PP_PARAM_SIZE, "SIZE",
	  "give up rather than write more (default: 64 times the input, at least 256M; 0 = "
	  "no limit)",
	  PP_HINT_NONE, 0 },
	{ "no-fsync", 0, PP_PARAM_FLAG, NULL,
	  "do not wait until a file is on disk: a power failure may leave it empty", PP_HINT_NONE,
	  0 },
	{ "help", 'h', PP_PARAM_FLAG, NULL, "print this help", PP_HINT_NONE, 0 },
	{ 0 },
};
const struct pp_param_group pp_group_general = { "General", general_options };

/* ---- the groups of a command ---- */

const struct pp_param_group *const *
pp_command_groups(const struct pp_command *command,
                  const struct pp_param_group *groups[PP_GROUPS_MAX])
{
	unsigned gives = command->question ? pp_question_gives(command->question) : 0;
	const struct pp_param_group *group;
	bool printed = false;
	pp_group_place place;
	size_t i, n = 0;

	groups[0] = NULL;
	if (!command->question)
		return command->groups ? command->groups : groups;
	for (i = 0; n + 3 < PP_GROUPS_MAX; i++) {
		group = pp_question_group(command->question, i, &place);
		if (!printed && (!group || place != PP_GROUP_FIRST)) {
			if (gives & PP_GIVES_CSV)
				groups[n++] = &group_listing;
			else if (gives & PP_GIVES_JSON)
				groups[n++] = &pp_group_object;
			printed = true;
		}
		if (!group)
			break;
		groups[n++] = group;
	}
	groups[n++] = &pp_group_general;
	groups[n] = NULL;
	return groups;
}

bool
pp_option_asks(const struct pp_param *option)
{
	const struct pp_param *own[] = { listing_options, object_options, general_options }, *p;
	size_t i;

	for (i = 0; i < sizeof own / sizeof *own; i++)
		for (p = own[i]; p->name; p++)
			if (p == option)
				return strcmp(p->name, "output") == 0 ||
				       strcmp(p->name, "names") == 0 || p->kind == PP_PARAM_SIZE;
	return true;
}

/* ---- looking options up ---- */

const struct pp_param *
pp_option_find(const struct pp_command *command, const char *name, size_t n)
{
	const struct pp_param *option;
	struct pp_options all;

	PP_FOR_EACH_OPTION(command, all, option)
	{
		if (strlen(option->name) == n && memcmp(option->name, name, n) == 0)
			return option;
	}
	return NULL;
}

const struct pp_param *
pp_option_letter(const struct pp_command *command, char letter)
{
	const struct pp_param *option;
	struct pp_options all;

	PP_FOR_EACH_OPTION(command, all, option)
	{
		if (option->letter == letter)
			return option;
	}
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
given_add(struct parse *p, const struct pp_param *option, const char *text)
{
	struct pp_given given = { .option = option, .text = text, .words = p->args->words.n };
	char *problem;

	if (pp_param_problem(option, text, "--", &problem)) {
		pp_buf_adds(p->problem, problem ? problem : "out of memory");
		pp_free(problem);
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
given_add_value(struct parse *p, const struct pp_param *option, const char *attached)
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
	const struct pp_param *option;
	struct pp_suggest suggest;
	struct pp_options all;

	pp_suggest_init(&suggest, pp_slice_of(name, n));
	PP_FOR_EACH_OPTION(p->command, all, option)
	{
		pp_suggest_offer(&suggest, pp_slice_z(option->name));
	}
	pp_suggest_print(&suggest, p->problem, "--");
}

/* "[AGE]": the value may be missing; one that follows begins with a digit. */
static bool
may_lack_value(const struct pp_param *option)
{
	size_t n = option->value ? strlen(option->value) : 0;

	return n > 1 && option->value[0] == '[' && option->value[n - 1] == ']';
}

static bool
parse_long(struct parse *p, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	const struct pp_param *option = pp_option_find(p->command, text, n);

	if (!option) {
		pp_buf_addf(p->problem, "unknown option '--%.*s'", (int)(n < 200 ? n : 200), text);
		option_suggest(p, text, n);
		return false;
	}
	if (!equals && may_lack_value(option) &&
	    (p->next >= p->argc || !isdigit((unsigned char)p->argv[p->next][0])))
		return given_add(p, option, "");
	if (option->kind != PP_PARAM_FLAG)
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
		const struct pp_param *option = pp_option_letter(p->command, *letters);

		if (!option) {
			pp_buf_addf(p->problem, "unknown option '-%c'", *letters);
			return false;
		}
		if (option->kind != PP_PARAM_FLAG)
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

/* ---- before the command is known ---- */

/* Whether an argument that is an option takes the argument behind it as its value. */
static bool
takes_next(const char *arg)
{
	const struct pp_command *const *command;
	const struct pp_param *option;

	for (command = pp_commands; *command; command++) {
		const char *letter = arg + 1;

		if (arg[1] == '-') {
			option = pp_option_find(*command, arg + 2, strlen(arg + 2));
			if (option && option->kind != PP_PARAM_FLAG)
				return true;
			continue;
		}
		for (; *letter; letter++) {
			option = pp_option_letter(*command, *letter);
			if (!option || option->kind != PP_PARAM_FLAG)
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
