/*
 * Functions, stacks and samples are counted alike wherever they are told, over all samples: counts DIRECTORY
 *
 *   - info, the summary and top have the same number of functions, which is that of top's rows;
 *   - info and the summary have the same number of samples and of stacks.
 *
 * What answers set aside is shown: info tells of the file.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "polyprof/polyprof_experimental.h"
#include "tap.h"

/* Those of the parameters that a question has. */
static const char *const *
of_question(const char *const all[3], const char *question)
{
	static const char *const frames[] = { "all-frames", NULL };

	return strcmp(question, "top") == 0       ? all
	       : strcmp(question, "summary") == 0 ? frames
	                                          : NULL;
}

/* The answer to a question about a file as JSON, or nothing. The caller's to free. */
struct answer {
	char *json;
	size_t size;
};

static void
answer_get(struct answer *a, const char *path, const char *question)
{
	static const char *const all[] = { "all-frames", "limit=0", NULL };
	pp_answer *answer = NULL;

	if (pp_ask_files(&path, 1, question, of_question(all, question), NULL, &answer) == PP_OK)
		(void)pp_answer_render(answer, PP_RENDER_JSON, &a->json, &a->size);
	pp_answer_free(answer);
}

/* The number behind a key, or -1. */
static long long
number_of(const char *json, const char *within, const char *key)
{
	const char *at = json ? strstr(json, within) : NULL;

	at = at ? strstr(at, key) : NULL;
	return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* How many rows an answer of top has: each function has one "self". */
static long long
rows_of(const char *json)
{
	long long rows = 0;

	for (json = json ? strstr(json, "\"self\": {") : NULL; json;
	     json = strstr(json + 1, "\"self\": {"))
		rows++;
	return rows;
}

static void
check(const char *path)
{
	struct answer info = { 0 }, summary = { 0 }, top = { 0 };
	const char *counts = "\"counts\": ";
	long long functions;

	answer_get(&info, path, "info");
	answer_get(&summary, path, "summary");
	answer_get(&top, path, "top");
	functions = number_of(info.json, counts, "\"functions\": ");
	if (info.json && summary.json && top.json)
		ok(number_of(summary.json, counts, "\"functions\": ") == functions &&
		       number_of(top.json, "", "], \"count\": ") == functions &&
		       number_of(summary.json, counts, "\"samples\": ") ==
		           number_of(info.json, counts, "\"samples\": "),
		   "%s: %lld functions; %lld, %lld", path, functions,
		   number_of(summary.json, counts, "\"functions\": "),
		   number_of(top.json, "", "], \"count\": "));
	if (info.json && summary.json)
		ok(number_of(summary.json, counts, "\"stacks\": ") ==
		       number_of(info.json, counts, "\"stacks\": "),
		   "%s: %lld stacks, %lld", path, number_of(info.json, counts, "\"stacks\": "),
		   number_of(summary.json, counts, "\"stacks\": "));
	if (top.json && strstr(top.json, "\"unit\""))
		ok(rows_of(top.json) >= functions, "%s: %lld rows", path, rows_of(top.json));
	free(info.json);
	free(summary.json);
	free(top.json);
}

int
main(int argc, char **argv)
{
	char pattern[4096];
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof pattern, "%s/*/good/*", argc > 1 ? argv[1] : ".");
	if (glob(pattern, 0, NULL, &found) != 0)
		ok(false, "there are samples in %s", pattern);
	else
		for (i = 0; i < found.gl_pathc; i++)
			check(found.gl_pathv[i]);
	globfree(&found);
	return tap_done();
}
