/*
 * Stores on the command line: which verb, and what a store is where files are named.
 */
#include "cli/stores.h"

#include <string.h>

#include "cli/store_add.h"
#include "text/suggest.h"

const struct pp_provider *
pp_cli_provider(void)
{
	return &pp_store_provider;
}

const char *
pp_cli_sqlite(void)
{
	return pp_store_sqlite.library ? pp_store_sqlite.library() : NULL;
}

bool
pp_cli_names_store(const char *path)
{
	size_t n = strlen(path);

	return (n > 5 && strcmp(path + n - 5, ".ppdb") == 0) || pp_store_engine_of(path) != NULL;
}

/* The first option given that files which are added as they are cannot heed; NULL when there is none. */
static const char *
unheeded_option(const struct pp_args *args)
{
	static const char *const heeded[] = {
		"output", "names", "from", "label", "jobs", "lossless"
	};
	size_t i, k;

	for (i = 0; i < args->given.n; i++) {
		const struct pp_param *option = args->given.at[i].option;

		if (!pp_option_asks(option) || option->kind == PP_PARAM_SIZE)
			continue;
		for (k = 0; k < PP_COUNT_OF(heeded) && strcmp(heeded[k], option->name) != 0; k++)
			;
		if (k == PP_COUNT_OF(heeded))
			return option->name;
	}
	return NULL;
}

int
pp_cli_store_convert(struct pp_cli *cli, const char *store)
{
	const char *unheeded = unheeded_option(&cli->args);

	if (unheeded)
		return pp_cli_wrong(
		    cli,
		    "--%s cannot be used where -o names a store: files are added to it as they are",
		    unheeded);
	/* The answer is how many were added, which goes to the terminal. */
	cli->path = "-";
	return pp_store_add(cli, store, cli->args.words.at, cli->args.words.n);
}

struct pp_provider_texts
pp_store_texts(const struct pp_cli *cli)
{
	return (struct pp_provider_texts){ .where = pp_args_text(&cli->args, "where"),
		                           .since = pp_args_text(&cli->args, "since"),
		                           .until = pp_args_text(&cli->args, "until"),
		                           .between = pp_args_text(&cli->args, "between"),
		                           .weighs = true };
}

static int
init_run(struct pp_cli *cli, const char *source, const char *const *words, size_t n)
{
	struct pp_buf problem = { 0 };
	struct pp_store *store = NULL;
	pp_status status = pp_store_open(source, PP_STORE_CREATE, &store, &problem);
	int code = status == PP_OK ? 0 : pp_store_failure(cli, status, &problem);

	(void)words;
	(void)n;
	pp_store_close(store);
	pp_buf_release(&problem);
	return code;
}

static const struct verb {
	const char *name;
	int (*run)(struct pp_cli *, const char *store, const char *const *words, size_t n);
	bool takes_words;
} verbs[] = {
	{ "init", init_run, false },
	{ "add", pp_store_add, true },
	{ "list", pp_store_run_list, false },
	{ "info", pp_store_run_info, false },
	{ "check", pp_store_run_check, false },
	{ "get", pp_store_run_get, true },
	{ "remove", pp_store_run_remove, true },
	{ "gc", pp_store_run_gc, false },
	{ "compact", pp_store_run_compact, false },
};

int
pp_cli_store(struct pp_cli *cli)
{
	const struct pp_args *args = &cli->args;
	struct pp_suggest suggest;
	struct pp_buf hint = { 0 };
	size_t i;
	int code;

	cli->problem->json = pp_args_flag(args, "json");
	if (args->words.n == 0)
		return pp_cli_usage(cli,
		                    "say what to do with which store: store add STORE FILE...");
	pp_suggest_init(&suggest, pp_slice_z(args->words.at[0]));
	for (i = 0; i < PP_COUNT_OF(verbs); i++) {
		pp_suggest_offer(&suggest, pp_slice_z(verbs[i].name));
		if (strcmp(verbs[i].name, args->words.at[0]) == 0)
			break;
	}
	if (i == PP_COUNT_OF(verbs)) {
		pp_suggest_print(&suggest, &hint, "");
		code = pp_cli_usage(cli, "store has no verb '%s'%s", args->words.at[0],
		                    hint.n ? hint.p : "");
		pp_buf_release(&hint);
		return code;
	}
	if (args->words.n < 2 || !*args->words.at[1])
		return pp_cli_usage(cli, "name a store");
	if (!verbs[i].takes_words && args->words.n > 2)
		return pp_cli_usage(cli, "store %s takes one store, and '%s' is one too many",
		                    verbs[i].name, args->words.at[2]);
	cli->problem->asked = args->words.at[1];
	return verbs[i].run(cli, args->words.at[1], args->words.at + 2, args->words.n - 2);
}
