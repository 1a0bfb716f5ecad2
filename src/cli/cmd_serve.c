/*
 * polyprof serve: questions, pushes and the web app over HTTP.
 */
#include "serve/serve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/opts.h"
#include "io/system.h"
#include "text/escape.h"

static int serve_run(struct pp_cli *);

static const struct pp_param serve_params[] = {
	{ "store", 0, PP_PARAM_TEXT, "STORE",
	  "accept pushed profiles, keep them in STORE, and serve it", PP_HINT_FILE, 0 },
	{ "listen", 0, PP_PARAM_TEXT, "HOST:PORT",
	  "where to listen, or the port alone (default: 127.0.0.1:" PP_SERVE_PORT
	  "); a HOST that others can reach needs --token-file",
	  PP_HINT_NONE, 0 },
	{ "token-file", 0, PP_PARAM_TEXT, "FILE",
	  "every request must carry the token in FILE (Authorization: Bearer, X-API-Key)",
	  PP_HINT_FILE, 0 },
	{ 0 },
};
static const struct pp_param_group serve_group = { "Serving", serve_params };

static const struct pp_param limit_params[] = {
	{ "max-body", 0, PP_PARAM_COUNT, "MB",
	  "refuse larger requests, or those 8 times as large when unpacked (default: 32)",
	  PP_HINT_NONE, 0 },
	{ "memory", 0, PP_PARAM_SIZE, "SIZE",
	  "memory for all questions together (default: 2G, at most a quarter of the machine's)",
	  PP_HINT_NONE, 0 },
	{ "timeout", 0, PP_PARAM_COUNT, "SECONDS",
	  "give up on a question after this time (default: 120)", PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group limit_group = { "Limits", limit_params };

static const struct pp_param_group *const serve_groups[] = { &serve_group, &limit_group,
	                                                     &pp_group_general, NULL };

static const struct pp_example serve_examples[] = {
	{ "serve /srv/profiles", "look at a directory of profiles in a browser" },
	{ "serve --store prof.ppdb", "collect what profilers push, and show it" },
	{ "serve --store prof.ppdb --listen 0.0.0.0:4040 --token-file token",
	  "for other machines" },
	{ 0 },
};

const struct pp_command pp_command_serve = {
	.name = "serve",
	.synopsis = "[FILE|DIR|STORE...]",
	.summary = "serve profiles to browsers, scripts and agents over HTTP",
	.details =
	    "Shows profiles at http://127.0.0.1:4040/ and answers every question at /api/v1/COMMAND as "
	    "--json does: /api/v1/top?file=NAME&limit=10. Files are asked for by the names given here, those "
	    "in directories by their paths below them; nothing else on the machine can be read. Agents ask at "
	    "/mcp, monitoring at /healthz and /metrics.\n\n"
	    "With --store, profiles can be pushed: by Pyroscope's SDKs, OpenTelemetry collectors, Grafana "
	    "Alloy, Coroot, Parca, or curl; docs/serve.md says how. Whatever was acknowledged is in the store.\n\n"
	    "SIGTERM stops it after it has answered the requests under way.",
	.groups = serve_groups,
	.examples = serve_examples,
	.hint = PP_HINT_FILE,
	.run = serve_run,
};

static void
said(void *ctx, const char *text)
{
	pp_cli_note(ctx, "%s", text);
}

/* A number of an option; `usual` where it is not given or makes no sense. */
static uint64_t
number_of(const struct pp_cli *cli, const char *option, uint64_t usual, uint64_t most)
{
	const char *text = pp_args_text(&cli->args, option);
	uint64_t value = text ? strtoull(text, NULL, 10) : usual;

	return value ? value < most ? value : most : usual;
}

/*
 * What keeps a word from being served; NULL if nothing does. Pipes and devices are read once and may let an open() wait for
 * ever, which no server can afford.
 */
static const char *
source_problem(const char *name)
{
	struct stat st;

	if (strstr(name, ":"))
		return NULL;
	if (stat(name, &st) != 0)
		return ": no such file or directory";
	return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? NULL
	                                                  : ": neither a file nor a directory";
}

/* What is served: the words, and the store. An exit code. */
static int
sources_collect(struct pp_cli *cli, const char *store, const char ***out, size_t *n)
{
	size_t count = cli->args.words.n, i;

	*out = calloc(count + 2, sizeof **out);
	if (!*out)
		return PP_EXIT_INPUT;
	for (i = 0; i < count; i++) {
		const char *name = cli->args.words.at[i], *problem = source_problem(name);

		if (problem) {
			struct pp_buf text = { 0 };

			pp_escape_terminal(&text, pp_slice_z(name));
			pp_buf_adds(&text, problem);
			pp_cli_error_of(cli, "unreadable", name, text.p ? text.p : name);
			pp_buf_release(&text);
			return PP_EXIT_INPUT;
		}
		(*out)[(*n)++] = name;
	}
	for (i = 0; store && i < count; i++)
		if (strcmp((*out)[i], store) == 0)
			store = NULL;
	if (store)
		(*out)[(*n)++] = store;
	return *n ? 0 : pp_cli_usage(cli, "name files, directories or a store to serve");
}

/* What is kept between questions comes on top of it, and all that has to fit into the machine (docs/serve.md). */
static uint64_t
memory_default(void)
{
	uint64_t quarter = pp_memory_share() / 3, most = (uint64_t)2 << 30;

	return quarter < most ? quarter : most;
}

static int
serve_run(struct pp_cli *cli)
{
	const char *memory = pp_args_text(&cli->args, "memory"), **sources = NULL;
	struct pp_serve_options options = { .store = pp_args_text(&cli->args, "store"),
		                            .listen = pp_args_text(&cli->args, "listen"),
		                            .token_file = pp_args_text(&cli->args, "token-file"),
		                            .max_body = number_of(cli, "max-body", 32, 4096) << 20,
		                            .memory = memory_default(),
		                            .timeout = number_of(cli, "timeout", 120, 1000000),
		                            .say = said,
		                            .ctx = cli };
	struct pp_mcp_tool *tools = pp_cli_tools();
	struct pp_buf problem = { 0 };
	int code = sources_collect(cli, options.store, &sources, &options.source_count);

	if (memory)
		options.memory = pp_cli_size(memory);
	options.sources = sources;
	options.tools = tools;
	if (code == 0 && tools) {
		code = pp_serve_run(&options, &problem);
		if (code == PP_EXIT_USAGE)
			(void)pp_cli_usage(cli, "%s", problem.p ? problem.p : "");
		else if (code)
			pp_cli_error(cli, "%s", problem.p ? problem.p : "it failed");
	}
	pp_buf_release(&problem);
	free(tools);
	free(sources);
	return code;
}
