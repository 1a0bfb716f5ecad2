/*
 * polyprof store: profiles of many runs in one place, asked about like files.
 */
#include <string.h>

#include "cli/stores.h"

static const struct pp_param add_params[] = {
	{ "label", 0, PP_PARAM_TEXTS, "KEY=VALUE",
	  "add: a label for the profiles, such as service=shop; may be repeated", PP_HINT_NONE, 0 },
	{ "label-from-path", 0, PP_PARAM_TEXT, "RE",
	  "add: take labels from each path: with (?<host>[^/]+)/[^/]*$ the directory is the host",
	  PP_HINT_NONE, 0 },
	{ "watch", 0, PP_PARAM_FLAG, NULL,
	  "add: keep running and add new profiles as they arrive, until interrupted", PP_HINT_NONE,
	  0 },
	{ "keep", 0, PP_PARAM_TEXT, "[AGE]",
	  "add: never compact these profiles; gc: remove profiles older than AGE (30d)",
	  PP_HINT_NONE, 0 },
	{ "from", 0, PP_PARAM_TEXT, "FORMAT", "add: read as this format instead of recognising it",
	  PP_HINT_FORMAT, 0 },
	{ "to", 't', PP_PARAM_TEXT, "FORMAT", "get: the format to write", PP_HINT_FORMAT, 0 },
	{ "dry-run", 0, PP_PARAM_FLAG, NULL, "gc, compact, remove: only say what would be done",
	  PP_HINT_NONE, 0 },
	{ "sql", 0, PP_PARAM_FLAG, NULL, "info: print the tables and the SQL instead", PP_HINT_NONE,
	  0 },
	{ 0 },
};
static const struct pp_param_group add_group = { "Store", add_params };

static const struct pp_param select_params[] = {
	{ "where", 0, PP_PARAM_TEXT, "EXPR",
	  "only profiles whose labels match: 'service=web and host~\"^a\"'", PP_HINT_NONE, 0 },
	{ "since", 0, PP_PARAM_TEXT, "TIME",
	  "only what was recorded since then: an age (90s 30m 1h 1d 2w), @SECONDS or "
	  "2026-11-15T20:00:00Z",
	  PP_HINT_NONE, 0 },
	{ "until", 0, PP_PARAM_TEXT, "TIME", "only what was recorded before then", PP_HINT_NONE,
	  0 },
	{ "between", 0, PP_PARAM_TEXT, "TIME..TIME", "the same as --since and --until together",
	  PP_HINT_NONE, 0 },
	{ "limit", 'n', PP_PARAM_COUNT, "N", "list: show N profiles (0 = all)", PP_HINT_NONE, 0 },
	{ "page", 0, PP_PARAM_COUNT, "N", "list: skip the first N", PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group select_group = { "Selection", select_params };

static const struct pp_param_group *const store_groups[] = { &add_group, &select_group,
	                                                     &pp_group_object, &pp_group_general,
	                                                     NULL };

static const struct pp_example store_examples[] = {
	{ "store add prof.ppdb spx/ --label service=shop --label version=2.1",
	  "every profile in and below a directory, each only once" },
	{ "top prof.ppdb --where version=2.1 --since 1d", "every command takes a store" },
	{ "diff prof.ppdb --before version=2.0 --after version=2.1",
	  "two releases, with verdicts" },
	{ "store gc prof.ppdb --keep 30d", "remove what is older than 30 days" },
	{ 0 },
};

const struct pp_command pp_command_store = {
	.name = "store",
	.synopsis = "init|add|list|info|check|get|remove|gc|compact STORE [FILE|DIR|ID...]",
	.summary = "keep profiles of many runs in one place",
	.details =
	    "STORE is a file (prof.ppdb, made by the first add) or clickhouse://HOST[:PORT]/DB. A profile is "
	    "stored completely or not at all, and only once however often it is added; any number of "
	    "programs may add and read at the same time. Every command takes a store in place of files, "
	    "with --where, --since, --until and --between to select from it, and answers as it would for "
	    "those files. add takes directories and files of any format; list shows what is there, newest "
	    "first; get writes one profile to -o FILE (ID is the start of an id that list shows); remove "
	    "deletes profiles, and gc --keep AGE those that are older; compact makes questions "
	    "faster; check reads every byte of it. docs/store.md says more.",
	.groups = store_groups,
	.examples = store_examples,
	.hint = PP_HINT_FILE,
	.run = pp_cli_store,
};
