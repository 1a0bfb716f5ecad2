/*
 * polyprof store add: files, directories and what comes into them.
 */
#include "cli/store_add.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/utf8.h"
#include "store/label_set.h"
#include "text/json_emit.h"
#include "text/regex.h"
#include "text/units.h"

/* A commit waits for the disk, so many profiles share one. */
#define GROUP_ITEMS 256
#define GROUP_BYTES ((size_t)16 << 20)
/* --watch: a file is taken when it did not change for so long; and how often is looked. */
#define SETTLED_NS INT64_C(2000000000)
#define LOOK_MS 500

struct refused {
	char *file, *message;
	char rule[64];
};

/* A file that --watch has dealt with, as it was then. */
struct seen {
	char *path;
	int64_t modified;
	int64_t size;
};

struct adding {
	struct pp_cli *cli;
	struct pp_store *store;
	struct pp_regex *from_path;
	PP_VEC(struct pp_store_label) labels; /* given with --label */
	PP_VEC(struct pp_store_prepared *) group;
	PP_VEC(struct seen) seen;
	size_t group_bytes;
	uint64_t added, known;
	PP_VEC(struct refused) refused;
	bool watches;
	int code; /* what ended it: 0 or an exit code */
};

static int64_t
now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int
pp_store_failure(const struct pp_cli *cli, pp_status status, const struct pp_buf *problem)
{
	const char *text = problem->n ? problem->p : pp_status_text(status);

	if (status == PP_E_USAGE)
		return pp_cli_wrong(cli, "%s", text);
	pp_cli_error_of(cli, "store", NULL, text);
	return status == PP_E_OUTPUT ? PP_EXIT_OUTPUT : PP_EXIT_INPUT;
}

/* ---- labels ---- */

/* Whether a pattern names what it matches: "(?<name>", "(?P<name>", "(?'name'". */
static bool
has_names(const char *pattern)
{
	const char *at;

	for (at = strstr(pattern, "(?"); at; at = strstr(at + 2, "(?"))
		if (at[2] == '\'' || (at[2] == 'P' && at[3] == '<') ||
		    (at[2] == '<' && at[3] != '=' && at[3] != '!'))
			return true;
	return false;
}

/* --label and --label-from-path: an exit code. */
static int
labels_read(struct adding *a)
{
	const struct pp_args *args = &a->cli->args;
	struct pp_buf problem = { 0 };
	int code = 0;
	size_t i;

	for (i = 0; i < args->given.n && code == 0; i++) {
		const struct pp_given *given = &args->given.at[i];
		struct pp_store_label label;

		if (strcmp(given->option->name, "label") == 0) {
			if (!pp_label_split(pp_slice_z(given->text), &label))
				code = pp_cli_wrong(a->cli, "--label takes KEY=VALUE, not '%s'",
				                    given->text);
			else if (!pp_vec_push(&a->labels, label))
				code = pp_store_failure(a->cli, PP_E_NOMEM, &problem);
		} else if (strcmp(given->option->name, "label-from-path") == 0 && !a->from_path) {
			a->from_path = pp_regex_new(pp_slice_z(given->text), &problem);
			if (!a->from_path)
				code = pp_cli_wrong(a->cli, "--label-from-path: %s",
				                    problem.p ? problem.p : "out of memory");
			else if (!has_names(given->text))
				code = pp_cli_wrong(a->cli,
				                    "--label-from-path: '%s' names no group, as in "
				                    "'(?<host>[^/]+)/[^/]*$'",
				                    given->text);
		}
	}
	pp_buf_release(&problem);
	return code;
}

struct named {
	PP_VEC(struct pp_store_label) labels;
	bool failed;
};

static void
group_take(void *ctx, const char *name, struct pp_slice value)
{
	struct named *n = ctx;
	size_t i;

	for (i = 0; i < n->labels.n; i++)
		if (pp_slice_eq_z(n->labels.at[i].key, name))
			return; /* what was given by hand comes first */
	n->failed |= !pp_vec_push(&n->labels, (struct pp_store_label){ pp_slice_z(name), value });
}

/* The labels of a file as canonical text; false, with *problem, when they make none. */
static bool
labels_of(struct adding *a, const char *path, struct pp_buf *json, struct pp_buf *problem)
{
	struct named n = { .failed = false };
	struct pp_buf clean = { 0 };
	bool fine;
	size_t i;

	for (i = 0; i < a->labels.n; i++)
		n.failed |= !pp_vec_push(&n.labels, a->labels.at[i]);
	/* No pattern matches across bytes that are no text, wherever in the path these are. */
	pp_utf8_scrub(&clean, pp_slice_z(path));
	n.failed |= clean.failed;
	if (a->from_path && !n.failed)
		(void)pp_regex_groups(a->from_path, pp_slice_of(clean.p ? clean.p : "", clean.n),
		                      group_take, &n);
	fine = !n.failed && pp_labels_canonical(n.labels.at, n.labels.n, json, problem) == PP_OK &&
	       !json->failed;
	pp_buf_release(&clean);
	pp_vec_release(&n.labels);
	return fine;
}

/* ---- one file ---- */

static void
refused_add(struct adding *a, const char *path, const char *rule, const struct pp_buf *why)
{
	struct refused r = { strdup(path), strdup(why->n ? why->p : "refused"), "" };

	(void)snprintf(r.rule, sizeof r.rule, "%s", rule);
	pp_cli_error_of(a->cli, r.rule, NULL, r.message ? r.message : "refused");
	if (!r.file || !r.message || !pp_vec_push(&a->refused, r)) {
		free(r.file);
		free(r.message);
		a->code = PP_EXIT_INPUT;
	}
}

/* A file that was refused, but has changed since. */
static void
refused_forget(struct adding *a, const char *path)
{
	size_t i, n = 0;

	for (i = 0; i < a->refused.n; i++) {
		if (strcmp(a->refused.at[i].file, path) != 0) {
			a->refused.at[n++] = a->refused.at[i];
			continue;
		}
		free(a->refused.at[i].file);
		free(a->refused.at[i].message);
	}
	a->refused.n = n;
}

/* Commits what was prepared. */
static void
group_commit(struct adding *a)
{
	struct pp_store_item *items = calloc(a->group.n + 1, sizeof *items);
	enum pp_store_added *added = calloc(a->group.n + 1, sizeof *added);
	struct pp_buf problem = { 0 };
	pp_status status = items && added ? PP_OK : PP_E_NOMEM;
	size_t i;

	for (i = 0; i < a->group.n && status == PP_OK; i++)
		items[i] = *pp_store_prepared_item(a->group.at[i]);
	if (status == PP_OK && a->group.n)
		status = a->store->engine->add(a->store, items, a->group.n, added, &problem);
	for (i = 0; i < a->group.n && status == PP_OK; i++) {
		a->added += added[i] == PP_STORE_NEW;
		a->known += added[i] == PP_STORE_KNOWN;
	}
	if (status != PP_OK)
		a->code = pp_store_failure(a->cli, status, &problem);
	while (a->group.n > 0)
		pp_store_prepared_free(a->group.at[--a->group.n]);
	a->group_bytes = 0;
	pp_buf_release(&problem);
	free(items);
	free(added);
}

static void
file_add(struct adding *a, const char *path)
{
	struct pp_buf json = { 0 }, problem = { 0 };
	struct pp_store_prepared *p = NULL;
	struct pp_store_result result = { .added = PP_STORE_NEW };
	struct pp_store_how how = { .keep = pp_args_flag(&a->cli->args, "keep"),
		                    .extracts = a->store->engine->extracts,
		                    .from = pp_args_text(&a->cli->args, "from"),
		                    .now = now_ns() };
	pp_status status;

	if (!labels_of(a, path, &json, &problem)) {
		a->code = problem.n ? pp_cli_wrong(a->cli, "%s", problem.p)
		                    : pp_store_failure(a->cli, PP_E_NOMEM, &problem);
	} else {
		how.labels = json.p;
		status = pp_store_prepare_file(path, &how, &p, &result, &problem);
		/* What is still being written is taken when it is complete. */
		if (a->watches &&
		    (status == PP_OK ? !pp_store_prepared_item(p)->complete
		                     : strcmp(result.rule, "spx-body-missing") == 0)) {
			pp_cli_note(a->cli, "%s is not complete, and is left until it changes",
			            path);
			pp_store_prepared_free(p);
		} else if (status == PP_OK && pp_vec_push(&a->group, p)) {
			status = pp_store_prepared_take(p, a->store, &a->group_bytes);
			if (status != PP_OK && status != PP_E_LIMIT)
				a->code = pp_store_failure(a->cli, status, &problem);
			else if (status == PP_E_LIMIT || a->group.n >= GROUP_ITEMS ||
			         a->group_bytes >= GROUP_BYTES)
				group_commit(a);
		} else if (result.rule[0] && status != PP_OK) {
			refused_add(a, path, result.rule, &problem);
		} else {
			pp_store_prepared_free(p);
			a->code = pp_store_failure(a->cli, PP_E_NOMEM, &problem);
		}
	}
	pp_buf_release(&json);
	pp_buf_release(&problem);
}

/* ---- directories ---- */

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Hands the profiles in and below a directory to a function. */
static void
directory_each(struct adding *a, const char *path, void (*each)(struct adding *, const char *))
{
	static const char *const params[] = { "recursive=", "limit=0", "sort=name", NULL };
	struct pp_ask_opts opts = { .size = sizeof opts,
		                    .form = PP_RENDER_JSON,
		                    .quiet = true,
		                    .provider = pp_cli_provider() };
	pp_answer *answer = NULL;
	pp_status status = pp_ask_files(&path, 1, "list", params, &opts, &answer);
	size_t row, column, rows = status == PP_OK ? pp_answer_rows(answer, 0) : 0;

	for (column = 0; rows && column < pp_answer_columns(answer, 0); column++)
		if (strcmp(pp_answer_column_name(answer, 0, column).data, "file") == 0)
			break;
	for (row = 0; row < rows && a->code == 0; row++) {
		struct pp_cell cell = pp_answer_cell(answer, 0, row, column);
		char *file = cell.kind == PP_CELL_TEXT ? strndup(cell.text.data, cell.text.size)
		                                       : NULL;

		if (file)
			each(a, file);
		free(file);
	}
	if (status != PP_OK) {
		struct pp_buf why = { 0 };

		pp_buf_addf(&why, "%s: %s", path,
		            answer && pp_answer_note_count(answer) ? pp_answer_note_text(answer, 0)
		                                                   : pp_status_text(status));
		refused_add(a, path, "no-directory", &why);
		pp_buf_release(&why);
	}
	pp_answer_free(answer);
}

/* ---- watching ---- */

static volatile sig_atomic_t stopped;

static void
on_stop(int signal_number)
{
	(void)signal_number;
	stopped = 1;
}

/* Notes when a file changed last, and how large it is, beside what is noted; false when it is not there. */
static bool
state_add(const char *path, int64_t *modified, int64_t *size)
{
	struct stat st;
	int64_t at;

	if (stat(path, &st) != 0)
		return false;
	at = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	*modified = at > *modified ? at : *modified;
	*size += (int64_t)st.st_size;
	return true;
}

/* The same of a file and the body that SPX writes beside it: either may be there first. */
static bool
state_read(const char *path, int64_t *modified, int64_t *size)
{
	static const char *const bodies[] = { ".txt.gz", ".txt.zst", ".txt" };
	size_t n = strlen(path), i;

	*modified = *size = 0;
	if (!state_add(path, modified, size))
		return false;
	for (i = 0; i < PP_COUNT_OF(bodies) && n > 5 && strcmp(path + n - 5, ".json") == 0; i++) {
		struct pp_buf body = { 0 };

		pp_buf_addf(&body, "%.*s%s", (int)(n - 5), path, bodies[i]);
		if (body.p)
			(void)state_add(body.p, modified, size);
		pp_buf_release(&body);
	}
	return true;
}

/* Takes a file that is new, or another than it was, and has settled. */
static void
watched_add(struct adding *a, const char *path)
{
	int64_t modified, size;
	size_t i;

	if (stopped || !state_read(path, &modified, &size))
		return;
	if (modified > now_ns() - SETTLED_NS)
		return;
	for (i = 0; i < a->seen.n && strcmp(a->seen.at[i].path, path) != 0; i++)
		continue;
	if (i < a->seen.n && a->seen.at[i].modified == modified && a->seen.at[i].size == size)
		return;
	if (i == a->seen.n) {
		char *copy = strdup(path);

		if (!copy || !pp_vec_push(&a->seen, (struct seen){ copy, 0, 0 })) {
			free(copy);
			return;
		}
	}
	a->seen.at[i].modified = modified;
	a->seen.at[i].size = size;
	refused_forget(a, path);
	file_add(a, path);
}

static void
watch(struct adding *a, const char *const *paths, size_t n)
{
	struct sigaction stop = { .sa_handler = on_stop };
	size_t i;

	(void)sigemptyset(&stop.sa_mask);
	(void)sigaction(SIGINT, &stop, NULL);
	(void)sigaction(SIGTERM, &stop, NULL);
	(void)sigaction(SIGHUP, &stop, NULL);
	while (!stopped && a->code == 0) {
		for (i = 0; i < n && a->code == 0 && !stopped; i++)
			if (is_directory(paths[i]))
				directory_each(a, paths[i], watched_add);
			else
				watched_add(a, paths[i]);
		if (a->group.n)
			group_commit(a);
		if (!stopped && a->code == 0)
			(void)poll(NULL, 0, LOOK_MS);
	}
}

/* ---- the whole ---- */

static void
result_json(const struct adding *a, struct pp_sink *out)
{
	struct pp_json j;
	size_t i;

	pp_json_init(&j, out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	pp_json_put_u64(&j, "added", a->added);
	pp_json_put_u64(&j, "known", a->known);
	pp_json_put_array(&j, "refused");
	for (i = 0; i < a->refused.n; i++) {
		pp_json_begin_object(&j);
		pp_json_put_name(&j, "file", pp_slice_z(a->refused.at[i].file));
		pp_json_put_textz(&j, "rule", a->refused.at[i].rule);
		pp_json_put_name(&j, "message", pp_slice_z(a->refused.at[i].message));
		pp_json_end_object(&j);
	}
	pp_json_end_array(&j);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}

static int
result_print(struct adding *a)
{
	struct pp_buf buf = { 0 };
	struct pp_sink *out = pp_cli_text(&buf);
	int code;

	if (out && pp_args_flag(&a->cli->args, "json"))
		result_json(a, out);
	else if (out && !a->cli->quiet)
		pp_sink_printf(out, "added %llu, known %llu, refused %zu\n",
		               (unsigned long long)a->added, (unsigned long long)a->known,
		               a->refused.n);
	code = pp_cli_out_done(a->cli, out, &buf);
	code = a->code ? a->code : code ? code : a->refused.n ? PP_EXIT_INPUT : PP_EXIT_OK;
	return pp_cli_keep(a->cli, code);
}

static void
adding_release(struct adding *a)
{
	while (a->group.n > 0)
		pp_store_prepared_free(a->group.at[--a->group.n]);
	while (a->refused.n > 0) {
		free(a->refused.at[--a->refused.n].file);
		free(a->refused.at[a->refused.n].message);
	}
	while (a->seen.n > 0)
		free(a->seen.at[--a->seen.n].path);
	pp_vec_release(&a->group);
	pp_vec_release(&a->refused);
	pp_vec_release(&a->seen);
	pp_vec_release(&a->labels);
	pp_regex_free(a->from_path);
	if (a->store && a->store->engine->tidy)
		(void)a->store->engine->tidy(a->store, true);
	pp_store_close(a->store);
}

int
pp_store_add(struct pp_cli *cli, const char *store, const char *const *paths, size_t n)
{
	struct adding a = { .cli = cli, .watches = pp_args_flag(&cli->args, "watch") };
	struct pp_buf by_hand = { 0 }, problem = { 0 };
	pp_status status;
	size_t i;
	int code;

	if (n == 0)
		return pp_cli_usage(cli, "name what is to be added");
	code = labels_read(&a);
	/* Labels that are given by hand are wrong for all files, or for none. */
	if (code == 0 && !labels_of(&a, "", &by_hand, &problem))
		code = pp_cli_wrong(cli, "%s", problem.n ? problem.p : "out of memory");
	pp_buf_release(&by_hand);
	if (code == 0) {
		status = pp_store_open(store, PP_STORE_ADD, &a.store, &problem);
		code = status == PP_OK ? 0 : pp_store_failure(cli, status, &problem);
	}
	pp_buf_release(&problem);
	if (code == 0 && a.watches)
		watch(&a, paths, n);
	for (i = 0; i < n && code == 0 && a.code == 0 && !a.watches; i++)
		if (is_directory(paths[i]))
			directory_each(&a, paths[i], file_add);
		else
			file_add(&a, paths[i]);
	if (code == 0 && a.code == 0)
		group_commit(&a);
	if (code == 0)
		code = result_print(&a);
	adding_release(&a);
	return code;
}
