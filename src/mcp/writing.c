/*
 * Tools that write files: only where the user allowed it, only new files, only right in that directory.
 */
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/slice.h"
#include "mcp/mcp.h"

#define LOSSES_MOST 64

const char *
pp_mcp_output(const struct pp_mcp_options *o, struct pp_arena *arena, const char *name,
              struct pp_buf *problem)
{
	struct pp_buf path = { 0 };
	const char *kept = NULL;
	struct stat st;
	size_t i;

	if (!name[0] || name[0] == '.' || strchr(name, '/') || strlen(name) > NAME_MAX) {
		pp_buf_adds(problem, "output is the name of a file, without a directory; anything "
		                     "else would be outside of where files may be written");
		return NULL;
	}
	for (i = 0; name[i]; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f) {
			pp_buf_adds(problem, "output has a character that no name should have");
			return NULL;
		}
	pp_buf_addf(&path, "%s/%s", o->write, name);
	if (path.failed)
		pp_buf_adds(problem, "out of memory");
	else if (lstat(path.p, &st) == 0)
		pp_buf_adds(problem, "there is a file of that name already; choose another");
	else
		kept = pp_arena_copy(arena, path.p, path.n);
	pp_buf_release(&path);
	return kept;
}

/* ---- what is lost ---- */

struct losses {
	const char *rules[LOSSES_MOST];
	size_t n;
	const struct pp_ask_opts *opts; /* of who asks */
};

static void
losses_take(void *ctx, const pp_diags *diags)
{
	struct losses *l = ctx;
	size_t i, k;

	for (i = 0; i < pp_diags_count(diags) && l->n < LOSSES_MOST; i++) {
		const char *rule = pp_diags_get(diags, i)->rule->id;

		for (k = 0; k < l->n && strcmp(l->rules[k], rule) != 0;)
			k++;
		if (k == l->n && strncmp(rule, "loss-", 5) == 0)
			l->rules[l->n++] = rule;
	}
}

static bool
asks_to_stop(void *ctx)
{
	const struct losses *l = ctx;

	return l->opts->stop && l->opts->stop(l->opts->ctx);
}

static void
progress_tell(void *ctx, const struct pp_progress_at *at)
{
	const struct losses *l = ctx;

	if (l->opts->progress)
		l->opts->progress(l->opts->ctx, at);
}

/* ---- writing ---- */

/* {"tool", "output", "bytes", "losses"}. */
static bool
object_make(const struct pp_mcp_call *call, const struct losses *l, struct pp_buf *object)
{
	const char *name = strrchr(call->output, '/');
	struct pp_sink *out;
	struct pp_json j;
	struct stat st;
	bool fine;
	size_t i;

	if (stat(call->output, &st) != 0 || pp_sink_buffer(object, &out) != PP_OK)
		return false;
	pp_json_init(&j, out, PP_JSON_COMPACT);
	j.spelled = true;
	pp_json_begin_object(&j);
	pp_json_put_textz(&j, "tool", call->tool->name);
	pp_json_put_textz(&j, "output", name ? name + 1 : call->output);
	pp_json_put_u64(&j, "bytes", (uint64_t)st.st_size);
	pp_json_put_array(&j, "losses");
	for (i = 0; i < l->n; i++)
		pp_json_textz(&j, l->rules[i]);
	pp_json_end_array(&j);
	pp_json_end_object(&j);
	fine = pp_sink_commit(out) == PP_OK;
	pp_sink_close(out);
	return fine;
}

bool
pp_mcp_write(const struct pp_mcp_call *call, const struct pp_ask_opts *given, struct pp_buf *object,
             struct pp_buf *problem)
{
	struct losses losses = { .opts = given };
	struct pp_ask_opts opts = *given;
	struct pp_print_opts print = { .size = sizeof print, .form = PP_RENDER_FILE };
	pp_answer *answer = NULL;
	pp_output *out = NULL;
	pp_status status;

	opts.form = PP_RENDER_FILE;
	opts.quiet = false;
	opts.shelf = NULL;
	opts.ctx = &losses;
	opts.findings = losses_take;
	opts.stop = asks_to_stop;
	opts.progress = progress_tell;
	status = pp_ask_files(call->files.at, call->files.n, call->tool->name, call->params.at,
	                      &opts, &answer);
	if (status == PP_OK)
		status = pp_output_open(call->output, false, NULL, &out, NULL);
	if (status == PP_OK)
		status = pp_answer_print(answer, &print, out);
	if (status == PP_OK)
		status = pp_output_commit(out, call->output, NULL, NULL);
	pp_output_free(out);
	if (status == PP_OK && !object_make(call, &losses, object))
		status = PP_E_OUTPUT;
	if (status != PP_OK) {
		bool said = answer && status != PP_E_NOMEM && pp_answer_note_count(answer) > 0;

		pp_buf_adds(problem,
		            said ? pp_answer_note_text(answer, pp_answer_note_count(answer) - 1)
		                 : pp_status_text(status));
	}
	pp_answer_free(answer);
	return status == PP_OK;
}

/* ---- links ---- */

static bool
is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || pp_is_digit(c) ||
	       strchr("/-._~", c) != NULL;
}

/* What kind of file a name says it is. */
static const char *
type_of(const char *name)
{
	static const char *const types[][2] = { { ".svg", "image/svg+xml" },
		                                { ".html", "text/html" },
		                                { ".json", "application/json" },
		                                { ".gz", "application/gzip" },
		                                { ".zst", "application/zstd" } };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(types); i++)
		if (pp_slice_ends(pp_slice_z(name), types[i][0]))
			return types[i][1];
	return NULL;
}

void
pp_mcp_link_put(struct pp_json *j, const char *path)
{
	const char *name = strrchr(path, '/');
	struct pp_buf uri = { 0 };
	struct stat st;
	const char *at;

	name = name ? name + 1 : path;
	pp_buf_adds(&uri, "file://");
	for (at = path; *at; at++)
		if (is_plain((unsigned char)*at))
			pp_buf_addc(&uri, *at);
		else
			pp_buf_addf(&uri, "%%%02X", (unsigned)(unsigned char)*at);
	pp_json_begin_object(j);
	pp_json_put_textz(j, "type", "resource_link");
	pp_json_put_textz(j, "uri", uri.failed ? "" : uri.p);
	pp_json_put_textz(j, "name", name);
	if (type_of(name))
		pp_json_put_textz(j, "mimeType", type_of(name));
	if (stat(path, &st) == 0)
		pp_json_put_u64(j, "size", (uint64_t)st.st_size);
	pp_json_end_object(j);
	pp_buf_release(&uri);
}
