/*
 * Which files stand for before and after.
 */
#include "cli/compare.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cli/load.h"
#include "questions/compare.h"

/* The profiles of both sides, those before first. */
struct sides {
	struct pp_load_order order;
	struct pp_topic *topics;
	struct pp_profile **loaded;
	size_t n, split;
};

static void
sides_release(struct sides *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		pp_profile_free(s->loaded[i]);
	free(s->loaded);
	free(s->topics);
	s->loaded = NULL;
	s->topics = NULL;
	s->n = s->split = 0;
}

/* The files of one side: the values of its option, and the words that follow each. */
static const char **
side_files(const struct pp_cli *cli, const char *name, size_t *n)
{
	const struct pp_args *args = &cli->args;
	const char **files = calloc(args->given.n + args->words.n + 1, sizeof *files);
	size_t i, k, w;

	*n = 0;
	for (i = 0; files && i < args->given.n; i++) {
		const struct pp_given *given = &args->given.at[i];
		size_t end = args->words.n;

		if (strcmp(given->option->name, name) != 0)
			continue;
		files[(*n)++] = given->text;
		for (k = i + 1; k < args->given.n; k++)
			if (strcmp(args->given.at[k].option->name, "before") == 0 ||
			    strcmp(args->given.at[k].option->name, "after") == 0) {
				end = args->given.at[k].words;
				break;
			}
		for (w = given->words; w < end; w++)
			files[(*n)++] = args->words.at[w];
	}
	return files;
}

/* Adds the files of one side. */
static int
side_load(struct pp_cli *cli, struct sides *s, const char *const *files, size_t n)
{
	size_t i;
	int code = 0;

	for (i = 0; i < n && code == 0; i++) {
		code = pp_load_profile(cli, files + i, 1, &s->order, &s->loaded[s->n]);
		s->topics[s->n] = (struct pp_topic){ .file = files[i], .profile = s->loaded[s->n] };
		s->n++;
	}
	return code;
}

/* Two files, repeated runs, or one differential profile. */
static int
sides_load(struct pp_cli *cli, struct sides *s)
{
	const struct pp_args *args = &cli->args;
	const char **files[2];
	size_t n[2], side, first = args->words.n;
	int code = 0;

	files[PP_BEFORE] = side_files(cli, "before", &n[PP_BEFORE]);
	files[PP_AFTER] = side_files(cli, "after", &n[PP_AFTER]);
	for (side = 0; side < args->given.n; side++)
		if (strcmp(args->given.at[side].option->name, "before") == 0 ||
		    strcmp(args->given.at[side].option->name, "after") == 0)
			first = first < args->given.at[side].words ? first
			                                           : args->given.at[side].words;
	if (!files[0] || !files[1]) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	} else if (n[PP_BEFORE] == 0 && n[PP_AFTER] == 0) {
		if (args->words.n == 1 || args->words.n == 2)
			code = side_load(cli, s, args->words.at, 1);
		else
			code = pp_cli_usage(cli,
			                    "name two files, or repeated runs with --before and "
			                    "--after");
		s->split = s->n;
		if (code == 0 && args->words.n == 2)
			code = side_load(cli, s, args->words.at + 1, 1);
	} else if (n[PP_BEFORE] == 0 || n[PP_AFTER] == 0 || first > 0) {
		code = pp_cli_usage(cli, "--before and --after need files each, and no others");
	} else {
		code = side_load(cli, s, files[PP_BEFORE], n[PP_BEFORE]);
		s->split = s->n;
		if (code == 0)
			code = side_load(cli, s, files[PP_AFTER], n[PP_AFTER]);
	}
	free(files[0]);
	free(files[1]);
	return code;
}

/* Whether every file can be read twice. */
static bool
files_stay(const struct pp_cli *cli)
{
	const struct pp_args *args = &cli->args;
	struct stat st;
	size_t i;

	for (i = 0; i < args->words.n; i++)
		if (stat(args->words.at[i], &st) != 0 || !S_ISREG(st.st_mode))
			return false;
	for (i = 0; i < args->given.n; i++)
		if ((strcmp(args->given.at[i].option->name, "before") == 0 ||
		     strcmp(args->given.at[i].option->name, "after") == 0) &&
		    (stat(args->given.at[i].text, &st) != 0 || !S_ISREG(st.st_mode)))
			return false;
	return true;
}

/* Loads and asks once. */
static int
compare_once(struct pp_cli *cli, struct pp_asking *asking, enum pp_form form, struct sides *s,
             pp_compare_ask *ask)
{
	size_t most = cli->args.given.n + cli->args.words.n + 1;
	struct pp_subject subject;
	int code = PP_EXIT_INPUT;

	s->topics = calloc(most, sizeof *s->topics);
	s->loaded = calloc(most, sizeof *s->loaded);
	if (s->topics && s->loaded)
		code = sides_load(cli, s);
	else
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
	subject = (struct pp_subject){ .topics = s->topics, .n = s->n, .split = s->split };
	return code ? code : ask(cli, asking, &subject, form);
}

int
pp_compare_run(struct pp_cli *cli, enum pp_form form, bool stacks, pp_compare_ask *ask)
{
	struct pp_asking asking = { .question = cli->command->question };
	struct sides s = { .n = 0 };
	bool again = false;
	int code;

	do {
		code = pp_ask_init(cli, &asking, form);
		s.order = (struct pp_load_order){ .again = again };
		if (code == 0) {
			s.order.want = pp_asking_want(&asking);
			s.order.want.stacks |= stacks;
			s.order.scope = pp_asking_scope(&asking);
			s.order.metric = asking.params->metric;
			/* Costs per function are read faster, and suffice unless several become one. */
			if (!s.order.want.stacks && !again && files_stay(cli))
				s.order.want.facets = (s.order.want.facets & ~(unsigned)PP_FACETS) |
				                      PP_COSTS;
			code = compare_once(cli, &asking, form, &s, ask);
		}
		again = !again && asking.answer.needs_stacks;
		pp_asking_release(&asking);
		sides_release(&s);
	} while (again);
	return code;
}
