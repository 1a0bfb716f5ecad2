/*
 * polyprof store: what is there, and what becomes of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/store_add.h"
#include "io/sink.h"
#include "store/hash.h"
#include "store/list_json.h"
#include "store/when.h"
#include "text/escape.h"
#include "text/json_emit.h"
#include "text/units.h"

/* Rows that people are shown at once. */
#define ROWS_SHOWN 40

static int64_t
now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * PP_SECOND + t.tv_nsec;
}

/* Opens what is selected: 0, or an exit code. */
static int
selected_open(struct pp_cli *cli, const char *source, const char *where, struct pp_selected **out)
{
	struct pp_provider_texts texts = pp_store_texts(cli);
	struct pp_buf problem = { 0 };
	pp_status status;
	int code;

	texts.side = where;
	status = pp_store_select(source, &texts, out, &problem);
	code = status == PP_OK ? 0 : pp_store_failure(cli, status, &problem);
	pp_buf_release(&problem);
	return code;
}

/* Whether some of its profiles are meant, not all. */
static bool
selects(struct pp_cli *cli, const char *source)
{
	struct pp_provider_texts texts = pp_store_texts(cli);

	return texts.where || texts.since || texts.until || texts.between ||
	       pp_store_source_where(source);
}

/* Says that a store has sums of polyprof 0.1, and what they are good for. */
static void
sums_note(const struct pp_cli *cli, uint64_t sums, uint64_t profiles)
{
	if (sums)
		pp_cli_note(
		    cli,
		    "%" PRIu64 " of the stored profiles %s of %" PRIu64
		    " profiles, made by polyprof 0.1 (compact --older-than): diff, gate and "
		    "trend refuse such sums, other commands count every profile in them once",
		    sums, sums == 1 ? "is a sum" : "are sums", profiles);
}

static void
list_sums_note(const struct pp_cli *cli, const struct pp_store_list *list)
{
	uint64_t sums = 0, profiles = 0;
	size_t i;

	for (i = 0; i < list->entries.n; i++)
		if (list->entries.at[i].level == PP_STORE_SUM) {
			sums++;
			profiles += list->entries.at[i].profiles;
		}
	sums_note(cli, sums, profiles);
}

/* ---- list ---- */

static void
entry_text(struct pp_sink *out, const struct pp_store_entry *e, size_t width)
{
	char hex[2 * PP_DIGEST + 1], end[64] = "\n";
	struct pp_buf text = { 0 }, size = { 0 }, head = { 0 };
	size_t taken;

	if (e->level == PP_STORE_SUM)
		(void)snprintf(end, sizeof end, "  (sum of %" PRIu64 " profiles)\n", e->profiles);
	else if (!e->complete)
		(void)snprintf(end, sizeof end, "  (incomplete)\n");
	pp_digest_hex(e->hash, hex);
	pp_when_print(&text, e->t0 - e->t0 % PP_SECOND);
	pp_units_bytes(&size, (double)e->bytes);
	pp_buf_addf(&head, "%.12s  %s  %-12s %10s  ", hex, text.p ? text.p : "", e->format,
	            size.p ? size.p : "");
	pp_sink_write(out, head.p ? head.p : "", head.n);
	text.n = 0;
	taken = head.n + strlen(end) - 1;
	if (width > taken)
		(void)pp_text_shorten(&text, e->labels, strlen(e->labels), width - taken);
	else
		pp_escape_terminal(&text, pp_slice_z(e->labels));
	pp_sink_write(out, text.p ? text.p : "", text.n);
	pp_sink_puts(out, end);
	pp_buf_release(&head);
	pp_buf_release(&text);
	pp_buf_release(&size);
}

/* Newest first. */
static void
list_print(struct pp_cli *cli, const struct pp_store_list *list, struct pp_sink *out, bool json)
{
	const char *limit = pp_args_text(&cli->args, "limit"),
	           *page = pp_args_text(&cli->args, "page");
	size_t most = limit ? (size_t)strtoull(limit, NULL, 10) : json ? 0 : ROWS_SHOWN;
	size_t skip = page ? (size_t)strtoull(page, NULL, 10) : 0, n = list->entries.n, i,
	       shown = 0;

	if (json) {
		pp_store_list_json(list, skip, most, out);
		return;
	}
	for (i = n > skip ? n - skip : 0; i > 0 && (most == 0 || shown < most); i--, shown++)
		entry_text(out, &list->entries.at[i - 1], cli->style.width);
	if (i > 0) {
		struct pp_buf more = { 0 };

		pp_units_u64(&more, i);
		pp_sink_printf(out, "%s more (-n 0 shows all)\n", more.p ? more.p : "");
		pp_buf_release(&more);
	} else if (n == 0)
		pp_sink_puts(out, "no profiles\n");
}

int
pp_store_run_list(struct pp_cli *cli, const char *source, const char *const *words, size_t n)
{
	struct pp_selected *selected;
	struct pp_buf buf = { 0 };
	struct pp_sink *out;
	int code = selected_open(cli, source, NULL, &selected);

	(void)words;
	(void)n;
	if (code)
		return code;
	out = pp_cli_text(&buf);
	if (out)
		list_print(cli, pp_selected_list(selected), out, pp_args_flag(&cli->args, "json"));
	code = pp_cli_out_done(cli, out, &buf);
	list_sums_note(cli, pp_selected_list(selected));
	pp_store_provider.close(selected);
	return code;
}

/* ---- info ---- */

static void
info_print(const char *source, struct pp_selected *selected, struct pp_sink *out, bool json)
{
	const struct pp_store_list *list = pp_selected_list(selected);
	struct pp_store *store = pp_selected_store(selected);
	uint64_t size = store->engine->size ? store->engine->size(store) : 0, stacks = 0,
	         profiles = 0;
	int64_t end = list->entries.n ? list->entries.at[0].t1 : 0;
	uint64_t levels[3] = { 0 };
	struct pp_buf text = { 0 };
	struct pp_json j;
	size_t i;

	for (i = 0; i < list->entries.n; i++) {
		stacks += list->entries.at[i].stacks;
		profiles += list->entries.at[i].profiles;
		levels[list->entries.at[i].has_extract ? PP_STORE_PACKED
		                                       : list->entries.at[i].level]++;
		end = list->entries.at[i].t1 > end ? list->entries.at[i].t1 : end;
	}
	pp_json_init(&j, out, PP_JSON_SPACED);
	if (json) {
		pp_json_begin_object(&j);
		pp_json_put_name(&j, "source", pp_slice_z(source));
		pp_json_put_textz(&j, "engine", store->engine->name);
		pp_json_put_u64(&j, "profiles", profiles);
		pp_json_put_u64(&j, "series", list->series);
		pp_json_put_u64(&j, "samples", stacks);
		pp_json_put_u64(&j, "bytes", size);
		pp_json_put_object(&j, "levels");
		pp_json_put_u64(&j, "fresh", levels[PP_STORE_FRESH]);
		pp_json_put_u64(&j, "packed", levels[PP_STORE_PACKED]);
		pp_json_put_u64(&j, "rolled", levels[PP_STORE_SUM]);
		pp_json_end_object(&j);
		if (list->entries.n) {
			pp_json_put_object(&j, "time");
			pp_json_put_i64(&j, "start", list->entries.at[0].t0);
			pp_json_put_i64(&j, "end", end);
			pp_json_end_object(&j);
		}
		pp_json_end_object(&j);
		pp_json_end_line(&j);
		return;
	}
	pp_escape_terminal(&text, pp_slice_z(source));
	pp_sink_printf(out, "%s: %s, ", text.p ? text.p : "", store->engine->name);
	text.n = 0;
	pp_units_bytes(&text, (double)size);
	pp_sink_printf(out, "%s\n", text.p ? text.p : "");
	pp_sink_printf(out, "profiles  %" PRIu64 " of %" PRIu64 " label sets, %" PRIu64 " stacks\n",
	               profiles, list->series, stacks);
	pp_sink_printf(out, "levels    %" PRIu64 " fresh, %" PRIu64 " packed",
	               levels[PP_STORE_FRESH], levels[PP_STORE_PACKED]);
	if (levels[PP_STORE_SUM])
		pp_sink_printf(out, ", %" PRIu64 " sums", levels[PP_STORE_SUM]);
	pp_sink_puts(out, "\n");
	if (list->entries.n) {
		text.n = 0;
		pp_when_print(&text, list->entries.at[0].t0);
		pp_buf_adds(&text, " .. ");
		pp_when_print(&text, end);
		pp_sink_printf(out, "time      %s\n", text.p ? text.p : "");
	}
	pp_buf_release(&text);
}

int
pp_store_run_info(struct pp_cli *cli, const char *source, const char *const *words, size_t n)
{
	const struct pp_store_engine *engine = pp_store_engine_of(source);
	struct pp_selected *selected = NULL;
	struct pp_buf buf = { 0 }, sql = { 0 };
	struct pp_sink *out;
	bool prints_sql = pp_args_flag(&cli->args, "sql");
	int code = prints_sql ? 0 : selected_open(cli, source, NULL, &selected);

	(void)words;
	(void)n;
	if (code)
		return code;
	if (selected && pp_selected_list(selected)->entries.n == 0 && selects(cli, source)) {
		pp_buf_addf(&buf, "%s: no profile of it is selected", source);
		code = pp_store_failure(cli, PP_E_INVALID, &buf);
		pp_buf_release(&buf);
		pp_store_provider.close(selected);
		return code;
	}
	out = pp_cli_text(&buf);
	if (out && prints_sql) {
		engine = engine ? engine : &pp_store_sqlite;
		if (engine->sql)
			engine->sql(source, &sql);
		pp_sink_write(out, sql.p ? sql.p : "", sql.n);
		pp_buf_release(&sql);
	} else if (out) {
		info_print(source, selected, out, pp_args_flag(&cli->args, "json"));
	}
	code = pp_cli_out_done(cli, out, &buf);
	if (selected)
		list_sums_note(cli, pp_selected_list(selected));
	pp_store_provider.close(selected);
	return code;
}

/* ---- remove ---- */

/* "profile=ID" of all that are named; empty when none is. */
static void
ids_condition(const char *const *words, size_t n, struct pp_buf *out)
{
	size_t i;

	for (i = 0; i < n; i++)
		pp_buf_addf(out, "%sprofile=%s", i ? " or " : "", words[i]);
}

/* Whether an id is one: hexadecimal digits. */
static bool
is_id(const char *text)
{
	return *text && strspn(text, "0123456789abcdef") == strlen(text) &&
	       strlen(text) <= (size_t)2 * PP_DIGEST;
}

static int
ids_check(struct pp_cli *cli, const char *const *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!is_id(words[i]))
			return pp_cli_wrong(
			    cli, "'%s' is not the id of a profile; `store list` shows them",
			    words[i]);
	return 0;
}

/* Whether each id that is named is that of a selected profile. */
static pp_status
words_check(const char *source, const struct pp_store_list *list, const char *const *words,
            size_t n, struct pp_buf *problem)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < list->entries.n; k++) {
			char hex[2 * PP_DIGEST + 1];

			pp_digest_hex(list->entries.at[k].hash, hex);
			if (strncmp(hex, words[i], strlen(words[i])) == 0)
				break;
		}
		if (k < list->entries.n)
			continue;
		pp_buf_addf(problem, "%s: no selected profile has the id %s; none was removed",
		            source, words[i]);
		return PP_E_INVALID;
	}
	return PP_OK;
}

/* "removed": N and the like, as JSON or as a sentence. */
static int
counts_print(struct pp_cli *cli, const char *const *names, const uint64_t *counts, size_t n)
{
	struct pp_buf buf = { 0 };
	struct pp_sink *out = pp_cli_text(&buf);
	bool json = pp_args_flag(&cli->args, "json");
	struct pp_json j;
	size_t i;

	if (out && json) {
		pp_json_init(&j, out, PP_JSON_SPACED);
		pp_json_begin_object(&j);
		for (i = 0; i < n; i++)
			pp_json_put_u64(&j, names[i], counts[i]);
		pp_json_end_object(&j);
		pp_json_end_line(&j);
	} else if (out && !cli->quiet) {
		for (i = 0; i < n; i++)
			pp_sink_printf(out, "%s%s %" PRIu64, i ? ", " : "", names[i], counts[i]);
		pp_sink_putc(out, '\n');
	}
	return pp_cli_out_done(cli, out, &buf);
}

int
pp_store_run_remove(struct pp_cli *cli, const char *source, const char *const *words, size_t n)
{
	static const char *const names[] = { "removed" };
	struct pp_buf ids = { 0 }, problem = { 0 };
	struct pp_selected *selected = NULL;
	struct pp_store *store = NULL;
	pp_status status;
	uint64_t removed;
	int code = ids_check(cli, words, n);

	if (code)
		return code;
	if (n == 0 && !selects(cli, source))
		return pp_cli_usage(cli, "say which profiles: by ID, --where, --since or --until");
	ids_condition(words, n, &ids);
	code = selected_open(cli, source, n ? ids.p : NULL, &selected);
	pp_buf_release(&ids);
	if (code)
		return code;
	pp_selected_detach(selected);
	removed = pp_selected_list(selected)->entries.n;
	status = words_check(source, pp_selected_list(selected), words, n, &problem);
	if (status == PP_OK && removed == 0) {
		pp_buf_addf(&problem, "%s: no profile of it is selected", source);
		status = PP_E_INVALID;
	} else if (status == PP_OK) {
		status = pp_args_flag(&cli->args, "dry-run")
		             ? PP_OK
		             : pp_store_open(source, PP_STORE_CHANGE, &store, &problem);
	}
	if (status == PP_OK && store)
		status = store->engine->remove(store, pp_selected_list(selected), &problem);
	code = status == PP_OK ? counts_print(cli, names, &removed, 1)
	                       : pp_store_failure(cli, status, &problem);
	pp_store_close(store);
	pp_store_provider.close(selected);
	pp_buf_release(&problem);
	return code;
}

/* ---- get ---- */

/* Writes bytes as they are, whatever the name ends in. */
static int
bytes_write(struct pp_cli *cli, const char *path, const struct pp_kept_file *file)
{
	bool syncs = !pp_args_flag(&cli->args, "no-fsync");
	struct pp_sink *out = NULL;
	int error = 0;
	pp_status status = pp_sink_file(path, syncs ? 0 : PP_SINK_NO_SYNC, &out, &error);

	if (status == PP_OK) {
		pp_sink_write(out, file->data, file->size);
		status = pp_sink_commit(out);
		error = out->error;
	}
	pp_sink_close(out);
	if (status != PP_OK)
		pp_cli_error(cli, "%s: %s", path,
		             error ? pp_sink_reason(error) : pp_status_text(status));
	return status == PP_OK ? 0 : PP_EXIT_OUTPUT;
}

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * How much of two names is their stem: up to where an ending begins in the one, and begins or would begin in the other. 0 where
 * they are not two endings of one name, as those of recordings in a directory.
 */
static size_t
stem_length(const char *input, const char *companion)
{
	size_t i, stem = 0;

	for (i = 0; input[i]; i++) {
		if (input[i] == '.' && (companion[i] == '.' || companion[i] == '\0'))
			stem = i;
		if (input[i] != companion[i])
			break;
	}
	return stem;
}

/* Where a companion goes: beside the output, with its ending where the two shared a name. Whether they did. */
static bool
companion_path(const char *output, const char *input, const char *companion, struct pp_buf *path)
{
	size_t stem = stem_length(base_of(input), companion), n = strlen(base_of(output)), ending;

	pp_buf_add(path, output, (size_t)(base_of(output) - output));
	if (stem) {
		ending = strlen(base_of(input) + stem);
		/* Under a name without that ending all of it is the stem: so it is looked for. */
		if (n > ending && strcmp(base_of(output) + n - ending, base_of(input) + stem) == 0)
			n -= ending;
		pp_buf_add(path, base_of(output), n);
	}
	pp_buf_adds(path, companion + stem);
	return stem > 0;
}

/* Whether a companion may be written there: over what belongs to the output, and over no other file. */
static int
companion_check(struct pp_cli *cli, const struct pp_supply *supply, const char *path, bool shares)
{
	if (strcmp(path, cli->path) == 0) {
		pp_cli_error(cli,
		             "%s: the file and its companion would have one name; give it the "
		             "ending that it had (%s)",
		             path, base_of(supply->files[0].name));
		return PP_EXIT_OUTPUT;
	}
	if (!shares && strcmp(base_of(cli->path), base_of(supply->files[0].name)) != 0 &&
	    access(path, F_OK) == 0) {
		pp_cli_error(cli,
		             "%s: it is there, and belongs beside %s; choose another directory",
		             path, cli->path);
		return PP_EXIT_OUTPUT;
	}
	return 0;
}

/* Writes the companions of a kept input, or looks whether they may be. */
static int
companions_write(struct pp_cli *cli, const struct pp_supply *supply, bool checks)
{
	int code = 0;
	size_t i;

	for (i = 1; i < supply->n && code == 0; i++) {
		struct pp_buf path = { 0 };
		bool shares;

		/* A name with a directory in it is none of ours. */
		if (strchr(supply->files[i].name, '/'))
			continue;
		shares = companion_path(cli->path, supply->files[0].name, supply->files[i].name,
		                        &path);
		if (path.failed)
			code = PP_EXIT_OUTPUT;
		else if (checks)
			code = companion_check(cli, supply, path.p, shares);
		else
			code = bytes_write(cli, path.p, &supply->files[i]);
		pp_buf_release(&path);
	}
	return code;
}

/* Writes a kept input, and its companions beside it. */
static int
original_write(struct pp_cli *cli, const struct pp_supply *supply)
{
	bool alone = strcmp(cli->path, "-") == 0;
	int code = alone ? 0 : companions_write(cli, supply, true);

	if (code == 0)
		code = bytes_write(cli, cli->path, &supply->files[0]);
	if (code == 0 && !alone)
		code = companions_write(cli, supply, false);
	return code;
}

/* Writes a profile in another format, by the question that does. */
static int
converted_write(struct pp_cli *cli, const char *source, const char *id)
{
	const char *to = pp_args_text(&cli->args, "to"), *where = pp_store_source_where(source);
	struct pp_buf file = { 0 }, target = { 0 }, output = { 0 };
	const char *params[3] = { NULL };
	const char *files[1];
	size_t n = 0;
	int code;

	pp_buf_add(&file, source, where ? (size_t)(where - source) : strlen(source));
	pp_buf_addf(&file, "%swhere=profile=%s", strchr(file.p ? file.p : "", '?') ? "&" : "?", id);
	pp_buf_addf(&target, "to=%s", to ? to : "");
	pp_buf_addf(&output, "output=%s", cli->path);
	if (to)
		params[n++] = target.p;
	params[n++] = output.p;
	files[0] = file.p;
	if (file.failed || target.failed || output.failed)
		code = pp_store_failure(cli, PP_E_NOMEM, &(struct pp_buf){ 0 });
	else
		code = pp_cli_ask_files(cli, "convert", files, 1, params, PP_RENDER_FILE);
	pp_buf_release(&file);
	pp_buf_release(&target);
	pp_buf_release(&output);
	return code;
}

int
pp_store_run_get(struct pp_cli *cli, const char *source, const char *const *words, size_t n)
{
	struct pp_buf ids = { 0 }, problem = { 0 };
	struct pp_selected *selected = NULL;
	const struct pp_store_entry *e;
	struct pp_supply supply = { 0 };
	char hex[2 * PP_DIGEST + 1];
	pp_status status;
	int code;

	if (n > 1 || (n == 0 && !selects(cli, source)))
		return pp_cli_usage(cli, "name one profile: store get STORE ID -o FILE");
	code = ids_check(cli, words, n);
	if (code == 0) {
		ids_condition(words, n, &ids);
		code = selected_open(cli, source, n ? ids.p : NULL, &selected);
		pp_buf_release(&ids);
	}
	if (code)
		return code;
	if (pp_selected_list(selected)->entries.n != 1) {
		pp_buf_addf(&problem, "%s: %s profile %s%s", source,
		            pp_selected_list(selected)->entries.n ? "more than one" : "no",
		            n ? "begins with " : "is selected", n ? words[0] : "");
		code = pp_store_failure(cli, PP_E_INVALID, &problem);
	} else {
		e = &pp_selected_list(selected)->entries.at[0];
		pp_digest_hex(e->hash, hex);
		if (!e->kept || pp_args_text(&cli->args, "to")) {
			pp_store_provider.close(selected);
			return converted_write(cli, source, hex);
		}
		status = pp_store_provider.load(selected, 0, NULL, &supply, &problem);
		code = status == PP_OK ? original_write(cli, &supply)
		                       : pp_store_failure(cli, status, &problem);
		pp_store_provider.drop(&supply);
	}
	pp_store_provider.close(selected);
	pp_buf_release(&problem);
	return code;
}

/* ---- upkeep ---- */

/* A span or an age out of an option; an exit code. */
static int
span_read(struct pp_cli *cli, const char *option, int64_t *ns)
{
	const char *text = pp_args_text(&cli->args, option);
	struct pp_buf why = { 0 };
	int code = 0;

	if (!text || !pp_span_parse(pp_slice_z(text), ns, &why))
		code = pp_cli_wrong(cli, "--%s: %s", option,
		                    why.n ? why.p : "takes a span of time, such as 30d");
	pp_buf_release(&why);
	return code;
}

/* Opens a store for upkeep and does it; an exit code. */
static int
upkeep_run(struct pp_cli *cli, const char *source, struct pp_store_upkeep *how, bool gc)
{
	static const char *const names[] = { "removed", "packed", "left", "bytes_before",
		                             "bytes_after" };
	struct pp_store_outcome out = { 0 };
	struct pp_buf problem = { 0 };
	struct pp_store *store = NULL;
	pp_status status = pp_store_open(source, PP_STORE_CHANGE, &store, &problem);
	pp_status (*work)(struct pp_store *, const struct pp_store_upkeep *,
	                  struct pp_store_outcome *, struct pp_buf *) = NULL;
	int code;

	how->dry = pp_args_flag(&cli->args, "dry-run");
	if (status == PP_OK)
		work = gc ? store->engine->gc : store->engine->compact;
	if (status == PP_OK && work)
		status = work(store, how, &out, &problem);
	if (status == PP_OK) {
		const uint64_t counts[] = { out.removed, out.packed, out.left, out.bytes_before,
			                    out.bytes_after };

		code = counts_print(cli, names, counts, PP_COUNT_OF(counts));
	} else {
		code = pp_store_failure(cli, status, &problem);
	}
	pp_store_outcome_release(&out);
	pp_store_close(store);
	pp_buf_release(&problem);
	return code;
}

int
pp_store_run_gc(struct pp_cli *cli, const char *source, const char *const *words, size_t n)
{
	struct pp_store_upkeep how = { .has_keep = pp_args_text(&cli->args, "keep") != NULL };
	struct pp_selected *selected = NULL;
	int64_t age = 0;
	int code = how.has_keep ? span_read(cli, "keep", &age) : 0;

	(void)words;
	(void)n;
	if (code == 0)
		code = selected_open(cli, source, NULL, &selected);
	if (code)
		return code;
	pp_selected_detach(selected);
	how.keep_from = now_ns() - age;
	how.selection = pp_selected_conditions(selected);
	code = upkeep_run(cli, source, &how, true);
	pp_store_provider.close(selected);
	return code;
}

int
pp_store_run_compact(struct pp_cli *cli, const char *source, const char *const *words, size_t n)
{
	struct pp_store_upkeep how = { 0 };

	(void)words;
	(void)n;
	return upkeep_run(cli, source, &how, false);
}

int
pp_store_run_check(struct pp_cli *cli, const char *source, const char *const *words, size_t n)
{
	struct pp_store_outcome found = { 0 };
	struct pp_buf problem = { 0 }, buf = { 0 };
	struct pp_store *store = NULL;
	pp_status status = pp_store_open(source, PP_STORE_READ, &store, &problem);
	struct pp_sink *out;
	struct pp_json j;
	size_t i;
	int code;

	(void)words;
	(void)n;
	if (status == PP_OK && store->engine->check)
		status = store->engine->check(store, &found, &problem);
	if (status != PP_OK) {
		code = pp_store_failure(cli, status, &problem);
	} else {
		out = pp_cli_text(&buf);
		if (out && pp_args_flag(&cli->args, "json")) {
			pp_json_init(&j, out, PP_JSON_SPACED);
			pp_json_begin_object(&j);
			pp_json_put_u64(&j, "checked", found.checked);
			pp_json_put_array(&j, "problems");
			for (i = 0; i < found.problems.n; i++)
				pp_json_textz(&j, found.problems.at[i]);
			pp_json_end_array(&j);
			pp_json_end_object(&j);
			pp_json_end_line(&j);
		} else if (out && !cli->quiet) {
			pp_sink_printf(out, "checked %" PRIu64 ", problems %zu\n", found.checked,
			               found.problems.n);
		}
		code = pp_cli_out_done(cli, out, &buf);
		sums_note(cli, found.sums, found.in_sums);
		for (i = 0; i < found.problems.n; i++)
			pp_cli_error_of(cli, "damaged-store", NULL, found.problems.at[i]);
		code = code ? code : found.problems.n ? PP_EXIT_INPUT : 0;
	}
	pp_store_outcome_release(&found);
	pp_store_close(store);
	pp_buf_release(&problem);
	return status == PP_OK ? pp_cli_keep(cli, code) : code;
}
