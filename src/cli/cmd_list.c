/*
 * polyprof list: the profiles in a directory, by what they tell of themselves.
 *
 * Files are opened side by side, but only their first bytes and their metadata are read. Files that
 * another one claims as its companion (the body of an SPX report) are not rows of their own; since
 * companions are mostly compressed, those are opened last, so most need not be opened at all.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/ask.h"
#include "cli/load.h"
#include "base/sort.h"
#include "text/suggest.h"
#include "io/system.h"
#include "text/units.h"
#include "text/escape.h"

static int list_run(struct pp_cli *);

static const struct pp_param list_options[] = {
	{ "match", 0, PP_PARAM_TEXT, "TEXT",
	  "only those with TEXT in what was recorded or in the file's name (`*` and `?` match anything)",
	  PP_HINT_NONE, 0 },
	{ "since", 0, PP_PARAM_TEXT, "WHEN",
	  "only those recorded since: an age such as 30m, 2h or 7d, a date such as 2026-11-15, or Unix "
	  "seconds",
	  PP_HINT_NONE, 0 },
	{ "over", 0, PP_PARAM_TEXT, "TIME",
	  "only those that took at least TIME, such as 200ms or 1.5s", PP_HINT_NONE, 0 },
	{ "sort", 0, PP_PARAM_CHOICE, "time|cost|size|name",
	  "newest first (the default), or by time taken, size or name", PP_HINT_NONE, 0 },
	{ "limit", 'n', PP_PARAM_COUNT, "N", "show N rows (0 = all, the default)", PP_HINT_NONE,
	  0 },
	{ "jobs", 'j', PP_PARAM_COUNT, "N", "open N files at once (default: one per processor)",
	  PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group list_group = { "Rows", list_options };

static const struct pp_param_group *const list_groups[] = {
	&list_group,
	&pp_group_listing,
	&pp_group_general,
	NULL,
};

static const struct pp_example list_examples[] = {
	{ "list /tmp/spx", "the reports in SPX's data directory, newest first" },
	{ "list --match checkout --since 1h --over 200ms /tmp/spx",
	  "slow requests of the last hour with `checkout` in their URL" },
	{ "list --json --sort cost -n 10 profiles", "the ten that took longest, for a script" },
	{ 0 },
};

const struct pp_command pp_command_list = {
	.name = "list",
	.synopsis = "[DIR...]",
	.summary = "the profiles in a directory, newest first, from metadata alone",
	.details =
	    "Only the first and last bytes and the metadata of each file are read, so a directory of "
	    "thousands of large reports is listed at once. Files that are empty or that no format "
	    "recognises are passed over. What a file does not tell without being read to its end is "
	    "left empty. Without a directory the present one is listed.",
	.groups = list_groups,
	.examples = list_examples,
	.hint = PP_HINT_FILE,
	.run = list_run,
};

/* One file; a profile when `format` is set. */
struct row {
	char *path;
	const char *base; /* in path */
	uint64_t size;
	int64_t modified;
	bool packed;    /* named like a compressed file */
	bool companion; /* belongs to another row */
	const struct pp_format *format;
	struct pp_brief brief;
	int64_t when;
};

struct listing {
	struct pp_cli *cli;
	PP_VEC(struct row) rows;
	bool packed; /* the jobs look at packed files now */
	struct pp_vec_shown {
		const struct row **at;
		size_t n;
	} shown;
	const char *match;
	bool has_since, has_over;
	int64_t since, over;
	const char *sort;
	bool no_memory;
};

/* ---- files ---- */

static bool
row_add(struct listing *l, const char *directory, const char *name)
{
	struct row row = { 0 };
	struct pp_buf path = { 0 };
	struct stat st;
	size_t n = directory ? strlen(directory) : 0;

	if (directory)
		pp_buf_addf(&path, "%s%s", directory, n && directory[n - 1] == '/' ? "" : "/");
	pp_buf_adds(&path, name);
	if (path.failed) {
		pp_buf_release(&path);
		return false;
	}
	if (stat(path.p, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
		pp_buf_release(&path);
		return true;
	}
	row.path = path.p;
	row.base = strrchr(path.p, '/') ? strrchr(path.p, '/') + 1 : path.p;
	row.size = (uint64_t)st.st_size;
	row.modified = (int64_t)st.st_mtime;
	n = strlen(row.base);
	row.packed = (n > 3 && strcmp(row.base + n - 3, ".gz") == 0) ||
	             (n > 4 && strcmp(row.base + n - 4, ".zst") == 0);
	if (pp_vec_push(&l->rows, row))
		return true;
	pp_buf_release(&path);
	return false;
}

/* All files of a directory, or the file itself. Returns 0 or an exit code, the reason being said. */
static int
rows_of(struct listing *l, const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	int error = errno;

	if (!directory && error == ENOTDIR)
		return row_add(l, NULL, path) ? 0 : PP_EXIT_INPUT;
	if (!directory) {
		pp_cli_error(l->cli, "%s: %s", path, strerror(error));
		return PP_EXIT_INPUT;
	}
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.' && !row_add(l, path, entry->d_name))
			l->no_memory = true;
	closedir(directory);
	return 0;
}

/* ---- looking into them ---- */

static void
row_look(void *ctx, unsigned index)
{
	struct listing *l = ctx;
	struct row *row = &l->rows.at[index];
	struct pp_read_opts opts = { .want = PP_META, .threads = 1 };
	struct pp_diags diags;
	struct pp_opened opened;

	if (row->packed != l->packed || row->companion)
		return;
	pp_diags_init(&diags);
	if (pp_open(&opened, row->path, NULL, 0, &opts, &diags) == PP_OK) {
		row->format = opened.format;
		if (opened.format && opened.format->describe &&
		    opened.format->describe(&opened.reader, &row->brief) != PP_OK)
			row->format = NULL;
		pp_opened_close(&opened);
	}
	row->when = row->brief.recorded_at ? row->brief.recorded_at : row->modified;
	pp_diags_release(&diags);
}

static int
row_order_path(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->path, ((const struct row *)b)->path);
}

/* Marks the companions of those looked at so far; rows are sorted by path. */
static void
rows_pair(struct listing *l)
{
	size_t i;

	for (i = 0; i < l->rows.n; i++) {
		struct row *row = &l->rows.at[i], *other;
		struct pp_buf path = { 0 };
		struct row key;
		struct stat st;

		if (!row->format || row->brief.companion.n == 0 || row->companion)
			continue;
		pp_buf_add(&path, row->path, (size_t)(row->base - row->path));
		pp_buf_add(&path, row->brief.companion.p, row->brief.companion.n);
		key.path = path.p;
		other = path.failed
		            ? NULL
		            : bsearch(&key, l->rows.at, l->rows.n, sizeof key, row_order_path);
		if (other && other != row && !other->companion) {
			other->companion = true;
			row->size += other->size;
		} else if (!other && !path.failed && stat(path.p, &st) == 0) {
			row->size += (uint64_t)st.st_size;
		}
		row->brief.companion.n = 0; /* found */
		pp_buf_release(&path);
	}
}

static void
rows_look(struct listing *l)
{
	uint64_t jobs = pp_args_count(&l->cli->args, "jobs", 0);
	unsigned threads = jobs == 0 ? pp_processors() : jobs > 64 ? 64 : (unsigned)jobs;

	if (l->rows.n)
		qsort(l->rows.at, l->rows.n, sizeof *l->rows.at, row_order_path);
	for (l->packed = false;; l->packed = true) {
		pp_parallel_run(threads, (unsigned)l->rows.n, row_look, l);
		rows_pair(l);
		if (l->packed)
			break;
	}
}

/* ---- which are shown ---- */

/* A number with a unit; factors go with the units. */
static bool
parse_amount(const char *text, const char *const *units, const double *factors, double *out)
{
	char *end;
	size_t i;

	*out = strtod(text, &end);
	if (end == text || !(*out >= 0))
		return false;
	for (i = 0; units[i]; i++)
		if (strcmp(end, units[i]) == 0) {
			*out *= factors[i];
			return *out < 9e18;
		}
	return false;
}

static bool
parse_since(const char *text, int64_t *since)
{
	static const char *const units[] = { "s", "m", "h", "d", "w", NULL };
	static const double factors[] = { 1, 60, 3600, 86400, 7 * 86400 };
	struct tm tm = { .tm_isdst = -1 };
	double age;
	char *end;

	if (parse_amount(text, units, factors, &age)) {
		*since = (int64_t)time(NULL) - (int64_t)age;
		return true;
	}
	end = strptime(text, "%Y-%m-%d", &tm);
	if (end && (*end == 'T' || *end == ' ')) {
		const char *clock = strptime(end + 1, "%H:%M:%S", &tm);

		end = (char *)(clock ? clock : strptime(end + 1, "%H:%M", &tm));
	}
	if (end && *end == '\0') {
		*since = (int64_t)mktime(&tm);
		return true;
	}
	*since = strtoll(text, &end, 10);
	return end != text && *end == '\0';
}

static bool
parse_over(const char *text, int64_t *over)
{
	static const char *const units[] = { "ns", "us", "µs", "ms", "s", "m", "min", "h", NULL };
	static const double factors[] = { 1, 1e3, 1e3, 1e6, 1e9, 60e9, 60e9, 3600e9 };
	double ns;

	if (!parse_amount(text, units, factors, &ns))
		return false;
	*over = (int64_t)ns;
	return true;
}

static int
filters_init(struct listing *l)
{
	const struct pp_args *args = &l->cli->args;
	const char *since = pp_args_text(args, "since"), *over = pp_args_text(args, "over");

	l->match = pp_args_text(args, "match");
	l->sort = pp_args_text(args, "sort");
	l->has_since = since != NULL;
	l->has_over = over != NULL;
	if (since && !parse_since(since, &l->since))
		return pp_cli_usage(l->cli,
		                    "--since takes an age (30m, 2h, 7d), a date or Unix seconds, "
		                    "not '%s'",
		                    since);
	if (over && !parse_over(over, &l->over))
		return pp_cli_usage(l->cli, "--over takes a time (200ms, 1.5s), not '%s'", over);
	return 0;
}

/* Without wildcards the text may stand anywhere; case does not matter. */
static bool
text_matches(const char *pattern, const char *text)
{
	if (!text)
		return false;
	if (strpbrk(pattern, "*?"))
		return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
	return strcasestr(text, pattern) != NULL;
}

static bool
row_passes(const struct listing *l, const struct row *row)
{
	if (!row->format || row->companion)
		return false;
	if (l->match && !text_matches(l->match, row->brief.what.p) &&
	    !text_matches(l->match, row->base))
		return false;
	if (l->has_since && row->when < l->since)
		return false;
	return !l->has_over || (row->brief.has_wall && row->brief.wall >= l->over);
}

/* The larger first, rows that do not know last. */
static int
row_order(const void *a, const void *b, void *ctx)
{
	const struct listing *l = ctx;
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	int64_t left = x->when, right = y->when;

	if (l->sort && strcmp(l->sort, "name") == 0)
		return strcmp(x->path, y->path);
	if (l->sort && strcmp(l->sort, "cost") == 0) {
		left = x->brief.has_wall ? x->brief.wall : -1;
		right = y->brief.has_wall ? y->brief.wall : -1;
	} else if (l->sort && strcmp(l->sort, "size") == 0) {
		left = (int64_t)x->size;
		right = (int64_t)y->size;
	}
	return left != right ? (left < right ? 1 : -1) : strcmp(x->path, y->path);
}

static bool
rows_choose(struct listing *l)
{
	uint64_t limit = pp_args_count(&l->cli->args, "limit", 0);
	size_t i;

	l->shown.at = malloc((l->rows.n + 1) * sizeof *l->shown.at);
	if (!l->shown.at)
		return false;
	for (i = 0; i < l->rows.n; i++)
		if (row_passes(l, &l->rows.at[i]))
			l->shown.at[l->shown.n++] = &l->rows.at[i];
	pp_sort(l->shown.at, l->shown.n, sizeof *l->shown.at, row_order, l);
	if (limit && limit < l->shown.n)
		l->shown.n = (size_t)limit;
	return true;
}

/* ---- the table; data is a struct listing ---- */

static const struct row *
shown(const void *data, size_t row)
{
	return ((const struct listing *)data)->shown.at[row];
}

static void
when_label(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	time_t when = (time_t)shown(data, row)->when;
	struct tm tm;
	char text[64];

	if (localtime_r(&when, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		pp_buf_adds(d->made, text);
	pp_datum_made(d);
}

static void
when_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = true;
	d->whole = shown(data, row)->when;
}

static void
wall_label(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_brief *brief = &shown(data, row)->brief;

	if (brief->has_wall) {
		pp_units_time(d->made, (double)brief->wall);
	} else if (brief->has_cost) {
		pp_units_count(d->made, (double)brief->cost);
		pp_buf_addc(d->made, ' ');
		pp_escape_terminal(d->made, pp_slice_of(brief->metric.p, brief->metric.n));
	}
	pp_datum_made(d);
}

static void
wall_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = shown(data, row)->brief.has_wall;
	d->whole = shown(data, row)->brief.wall;
}

/* The total that is known without reading the file, under its metric's name. */
static void
total_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_brief *brief = &shown(data, row)->brief;

	if (!brief->metric.n || !(brief->has_wall || brief->has_cost))
		return;
	if (brief->has_wall)
		pp_buf_addf(d->made, "%lld", (long long)brief->wall);
	else
		pp_buf_addf(d->made, "%llu", (unsigned long long)brief->cost);
	pp_datum_made(d);
	d->key = pp_slice_of(brief->metric.p, brief->metric.n);
}

static void
calls_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = shown(data, row)->brief.has_calls;
	d->count = shown(data, row)->brief.calls;
}

static void
size_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_count(d, shown(data, row)->size);
}

static void
state_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_brief *brief = &shown(data, row)->brief;

	if (!brief->known_complete)
		return;
	pp_datum_text(d, pp_slice_z(brief->complete ? "complete" : "partial"));
	d->ink = brief->complete ? PP_INK_PLAIN : PP_INK_WARNING;
}

static void
complete_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = shown(data, row)->brief.known_complete;
	d->yes = shown(data, row)->brief.complete;
}

static void
format_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(shown(data, row)->format->name));
}

static void
variant_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (shown(data, row)->brief.variant)
		pp_datum_text(d, pp_slice_z(shown(data, row)->brief.variant));
}

static void
format_label(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct row *r = shown(data, row);

	pp_buf_adds(d->made, r->format->name);
	if (r->brief.variant)
		pp_buf_addf(d->made, " %s", r->brief.variant);
	pp_datum_made(d);
}

static void
what_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_buf *what = &shown(data, row)->brief.what;

	pp_datum_text(d, pp_slice_of(what->p ? what->p : "", what->n));
}

static void
file_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(shown(data, row)->path));
}

#define JSON_ONLY PP_COLUMN_NO_CSV
#define NOT_JSON PP_COLUMN_NO_JSON

static const struct pp_answer_column list_columns[] = {
	{ .key = "file", .as = PP_AS_NAME, .flags = JSON_ONLY, .get = file_get },
	{ .key = "format", .as = PP_AS_TEXT, .flags = JSON_ONLY, .get = format_get },
	{ .key = "variant", .as = PP_AS_TEXT, .flags = JSON_ONLY, .get = variant_get },
	{ .key = "time", .as = PP_AS_INT, .get = when_get },
	{ .title = "when", .as = PP_AS_LABEL, .get = when_label },
	{ .key = "what", .as = PP_AS_NAME, .flags = JSON_ONLY, .get = what_get },
	{ .key = "complete", .as = PP_AS_BOOL, .flags = JSON_ONLY, .get = complete_get },
	{ .key = "total",
	  .group = "totals",
	  .as = PP_AS_RAW,
	  .flags = JSON_ONLY | PP_COLUMN_KEEP_GROUP,
	  .get = total_get },
	{ .key = "wall", .as = PP_AS_INT, .flags = NOT_JSON, .get = wall_get },
	{ .title = "took", .as = PP_AS_LABEL, .flags = PP_COLUMN_RIGHT, .get = wall_label },
	{ .key = "calls",
	  .title = "calls",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT | NOT_JSON,
	  .drop = 2,
	  .get = calls_get },
	{ .key = "size",
	  .title = "size",
	  .as = PP_AS_BYTES,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 3,
	  .get = size_get },
	{ .key = "format",
	  .title = "format",
	  .as = PP_AS_LABEL,
	  .flags = NOT_JSON,
	  .drop = 4,
	  .get = format_label },
	{ .key = "state",
	  .title = "state",
	  .as = PP_AS_TEXT,
	  .flags = NOT_JSON,
	  .drop = 1,
	  .get = state_get },
	{ .key = "what",
	  .title = "what",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_FLEX | NOT_JSON,
	  .get = what_get },
	{ .key = "file",
	  .title = "file",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_FLEX | NOT_JSON,
	  .get = file_get },
	{ .key = "took", .as = PP_AS_INT, .flags = JSON_ONLY, .get = wall_get },
	{ .key = "calls", .as = PP_AS_COUNT, .flags = JSON_ONLY, .get = calls_get },
};

/* People who look at a terminal are told what to do with a row: of the first that is whole, else the first. */
static void
list_hint(const struct listing *l)
{
	struct pp_cli *cli = l->cli;
	struct pp_buf word = { 0 };
	size_t i, at = 0;

	if (!cli->out_terminal)
		return;
	for (i = l->shown.n; i-- > 0;)
		if (l->shown.at[i]->brief.known_complete && l->shown.at[i]->brief.complete)
			at = i;
	pp_suggest_word(&word, l->shown.at[at]->path);
	pp_sink_puts(cli->out, "\n");
	pp_ink_put(cli->out, &cli->style, PP_INK_TITLE, "Ask next");
	pp_sink_puts(cli->out, "\n  what it costs  ");
	pp_ink_put(cli->out, &cli->style, PP_INK_COMMAND, "polyprof ");
	pp_ink_text(cli->out, &cli->style, PP_INK_COMMAND, pp_slice_of(word.p, word.n));
	pp_sink_puts(cli->out, "\n  a flame graph  ");
	pp_ink_put(cli->out, &cli->style, PP_INK_COMMAND, "polyprof flame ");
	pp_ink_text(cli->out, &cli->style, PP_INK_COMMAND, pp_slice_of(word.p, word.n));
	pp_ink_put(cli->out, &cli->style, PP_INK_COMMAND, " -o flame.svg");
	pp_sink_puts(cli->out, "\n");
	pp_buf_release(&word);
}

static void
list_print(const struct listing *l, enum pp_form form)
{
	struct pp_answer_table table = { .key = "profiles",
		                         .columns = list_columns,
		                         .column_count = PP_COUNT_OF(list_columns),
		                         .data = l,
		                         .rows = l->shown.n,
		                         .flags = PP_TABLE_WHOLE };
	struct pp_answer a;

	pp_answer_init(&a);
	pp_answer_table(&a, &table);
	(void)pp_ask_render(l->cli, &a, form);
	pp_answer_release(&a);
	if (form == PP_FORM_TEXT && l->shown.n)
		list_hint(l);
	else if (form == PP_FORM_TEXT)
		pp_cli_note(l->cli, "no profiles found");
}

/* ---- the command ---- */

static int
list_rows(struct listing *l)
{
	static const char *const here[] = { "." };
	const struct pp_args *args = &l->cli->args;
	const char *const *paths = args->words.n ? args->words.at : here;
	size_t n = args->words.n ? args->words.n : 1, i;
	int code = 0;

	for (i = 0; i < n && code == 0; i++)
		code = rows_of(l, paths[i]);
	if (code)
		return code;
	rows_look(l);
	if (l->no_memory || l->rows.n > UINT32_MAX || !rows_choose(l)) {
		pp_cli_error(l->cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_INPUT;
	}
	return 0;
}

static void
listing_release(struct listing *l)
{
	size_t i;

	for (i = 0; i < l->rows.n; i++) {
		free(l->rows.at[i].path);
		pp_buf_release(&l->rows.at[i].brief.what);
		pp_buf_release(&l->rows.at[i].brief.companion);
		pp_buf_release(&l->rows.at[i].brief.metric);
	}
	pp_vec_release(&l->rows);
	free(l->shown.at);
}

static int
list_run(struct pp_cli *cli)
{
	struct listing l = { .cli = cli };
	enum pp_form form;
	int code = pp_ask_form(cli, &form) ? filters_init(&l) : PP_EXIT_USAGE;

	if (code == 0)
		code = list_rows(&l);
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0)
		list_print(&l, form);
	listing_release(&l);
	return code;
}
