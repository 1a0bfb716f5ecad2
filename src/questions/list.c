/*
 * list: the profiles in directories, by what they tell of themselves.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/sort.h"
#include "formats/format.h"
#include "questions/excerpt.h"
#include "questions/list_groups.h"
#include "text/escape.h"
#include "text/suggest.h"
#include "text/units.h"

/* On a terminal. */
#define ROWS_SHOWN 40

enum { SORT_TIME, SORT_COST, SORT_SIZE, SORT_NAME };

struct list_params {
	struct pp_asked asked;
	struct pp_texts directories; /* for who reads them */
	const char *match, *since, *over;
	unsigned sort;
	unsigned by; /* enum pp_list_by */
	bool recursive, watch;
};

static pp_status list_ready(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status list_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status list_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param directory_params[] = {
	{ "directory", 0, PP_PARAM_TEXTS, "DIR", "where to look", PP_HINT_FILE,
	  offsetof(struct list_params, directories) },
	{ 0 },
};
static const struct pp_param_group directory_group = { "Directories", directory_params };

static const struct pp_param list_params[] = {
	{ "match", 0, PP_PARAM_TEXT, "TEXT",
	  "only those with TEXT in what was recorded or in the file name (`*` and `?` are "
	  "wildcards)",
	  PP_HINT_NONE, offsetof(struct list_params, match) },
	{ "since", 0, PP_PARAM_TEXT, "WHEN",
	  "only those recorded since: an age such as 30m, 2h or 7d, a date such as 2026-11-15, or Unix "
	  "seconds",
	  PP_HINT_NONE, offsetof(struct list_params, since) },
	{ "over", 0, PP_PARAM_TEXT, "TIME",
	  "only those that took at least TIME, such as 200ms or 1.5s", PP_HINT_NONE,
	  offsetof(struct list_params, over) },
	{ "sort", 0, PP_PARAM_CHOICE, "time|cost|size|name",
	  "newest first (the default), or by time taken, size or name", PP_HINT_NONE,
	  offsetof(struct list_params, sort) },
	{ "by", 0, PP_PARAM_CHOICE, "profile|url|path|command",
	  "one row per profile (the default), or per URL, URL without its query, or command: "
	  "runs, median, 95th percentile and slowest",
	  PP_HINT_NONE, offsetof(struct list_params, by) },
	{ "recursive", 0, PP_PARAM_FLAG, NULL, "also look into the directories below", PP_HINT_NONE,
	  offsetof(struct list_params, recursive) },
	{ "watch", 0, PP_PARAM_FLAG, NULL,
	  "keep running and show new profiles as they arrive, until interrupted", PP_HINT_NONE,
	  offsetof(struct list_params, watch) },
	{ "limit", 'n', PP_PARAM_COUNT, "N",
	  "show N rows (0 = all; the default is all, or 40 on a terminal)", PP_HINT_NONE,
	  offsetof(struct list_params, asked.budget.rows) },
	{ "jobs", 'j', PP_PARAM_COUNT, "N", "open N files at once (default: one per processor)",
	  PP_HINT_NONE, offsetof(struct list_params, asked.reading.jobs) },
	{ 0 },
};
static const struct pp_param_group list_group = { "Rows", list_params };

static const struct pp_param_use list_uses[] = { { &list_group, 0, PP_GROUP_FIRST },
	                                         { &directory_group, 0, PP_GROUP_FIRST },
	                                         { 0 } };

const struct pp_question pp_question_list = {
	.name = "list",
	.summary = "the profiles in a directory, newest first, from metadata alone",
	.params = list_uses,
	.params_size = sizeof(struct list_params),
	.word = directory_params,
	.asks = PP_ASKS_FOLDERS,
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.ready = list_ready,
	.excerpt = list_excerpt,
	.run = list_run,
};

/* Lives in the answer. */
struct listing {
	const struct pp_listed **shown;
	size_t n;
	unsigned sort;
	const struct pp_subject *subject;
};

struct limits {
	bool since_given, over_given;
	int64_t since, over;
};

/* ---- which are shown ---- */

/* "200ms", "1.5s" in ns; false when it is no time. */
static bool
parse_over(const char *text, int64_t *over)
{
	static const char *const units[] = { "ns", "us", "µs", "ms", "s", "m", "min", "h" };
	static const double factors[] = { 1, 1e3, 1e3, 1e6, 1e9, 60e9, 60e9, 3600e9 };
	char *end;
	double ns = strtod(text, &end);
	size_t i;

	for (i = 0; end != text && i < PP_COUNT_OF(units); i++)
		if (strcmp(end, units[i]) == 0 && ns >= 0 && ns * factors[i] < 9e18) {
			*over = (int64_t)(ns * factors[i]);
			return true;
		}
	return false;
}

static pp_status
limits_parse(const struct pp_subject *subject, const struct list_params *params, struct limits *l,
             struct pp_answer *a)
{
	l->since_given = params->since != NULL;
	l->over_given = params->over != NULL;
	if (params->since && !subject->date_parse(params->since, &l->since))
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "--since takes an age (30m, 2h, 7d), a date or Unix seconds, "
		                      "not '%s'",
		                      params->since);
	if (params->over && !parse_over(params->over, &l->over))
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "--over takes a time (200ms, 1.5s), not '%s'", params->over);
	return PP_OK;
}

static pp_status
list_ready(const struct pp_subject *subject, const void *params, struct pp_answer *a)
{
	const struct list_params *p = params;
	struct limits l;

	if (p->watch && p->by != PP_LIST_PROFILES)
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "--watch shows profiles one by one, so --by cannot be given");
	return limits_parse(subject, params, &l, a);
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether the whole text matches, `*` and `?` standing for anything; case does not matter. */
static bool
glob_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			from = text;
		} else if (*pattern == '?' || (*pattern && lower(*pattern) == lower(*text))) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

/* Without wildcards the pattern may stand anywhere. */
static bool
text_matches(const char *pattern, const char *text)
{
	size_t n = strlen(pattern), i;

	if (!text)
		return false;
	if (strpbrk(pattern, "*?"))
		return glob_matches(pattern, text);
	for (;; text++) {
		for (i = 0; i < n && lower(pattern[i]) == lower(text[i]); i++)
			continue;
		if (i == n)
			return true;
		if (!*text)
			return false;
	}
}

static bool
row_passes(const struct pp_listed *row, const struct list_params *params, const struct limits *l)
{
	if (params->match && !text_matches(params->match, row->brief->what.p) &&
	    !text_matches(params->match, row->base))
		return false;
	if (l->since_given && row->when < l->since)
		return false;
	return !l->over_given || (row->brief->has_wall && row->brief->wall >= l->over);
}

/* The larger first, rows that do not know last. */
static int
row_order(const void *a, const void *b, void *ctx)
{
	const struct listing *l = ctx;
	const struct pp_listed *x = *(const struct pp_listed *const *)a;
	const struct pp_listed *y = *(const struct pp_listed *const *)b;
	int64_t left = x->when, right = y->when;

	if (l->sort == SORT_COST) {
		left = x->brief->has_wall ? x->brief->wall : -1;
		right = y->brief->has_wall ? y->brief->wall : -1;
	} else if (l->sort == SORT_SIZE) {
		left = (int64_t)x->size;
		right = (int64_t)y->size;
	}
	if (l->sort == SORT_NAME || left == right)
		return strcmp(x->path, y->path);
	return left < right ? 1 : -1;
}

/* ---- the table; data is a struct listing ---- */

static const struct pp_listed *
shown(const void *data, size_t row)
{
	return ((const struct listing *)data)->shown[row];
}

static void
when_label(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	((const struct listing *)data)->subject->date_print(shown(data, row)->when, d->made);
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
	const struct pp_brief *brief = shown(data, row)->brief;

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
	d->known = shown(data, row)->brief->has_wall;
	d->whole = shown(data, row)->brief->wall;
}

/* The total that is known without reading the file, under its metric's name. */
static void
total_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_brief *brief = shown(data, row)->brief;

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
	d->known = shown(data, row)->brief->has_calls;
	d->count = shown(data, row)->brief->calls;
}

static void
size_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_count(d, shown(data, row)->size);
}

static void
state_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_brief *brief = shown(data, row)->brief;

	if (!brief->known_complete)
		return;
	pp_datum_text(d, pp_slice_z(brief->complete ? "complete" : "partial"));
	d->ink = brief->complete ? PP_INK_PLAIN : PP_INK_WARNING;
}

static void
complete_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = shown(data, row)->brief->known_complete;
	d->yes = shown(data, row)->brief->complete;
}

static void
format_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(shown(data, row)->format->name));
}

static void
variant_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (shown(data, row)->brief->variant)
		pp_datum_text(d, pp_slice_z(shown(data, row)->brief->variant));
}

static void
format_label(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_listed *r = shown(data, row);

	pp_buf_adds(d->made, r->format->name);
	if (r->brief->variant)
		pp_buf_addf(d->made, " %s", r->brief->variant);
	pp_datum_made(d);
}

static void
what_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_buf *what = &shown(data, row)->brief->what;

	pp_datum_text(d, pp_slice_of(what->p ? what->p : "", what->n));
}

static void
name_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(shown(data, row)->name));
}

static void
host_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_buf *host = &shown(data, row)->brief->host;

	if (host->n)
		pp_datum_text(d, pp_slice_of(host->p, host->n));
}

/* What was recorded once more, under what it is. */
static void
kind_get(const void *data, size_t row, size_t request, struct pp_datum *d)
{
	const struct pp_brief *brief = shown(data, row)->brief;

	if (brief->what.n && brief->is_request == (request == 1))
		pp_datum_text(d, pp_slice_of(brief->what.p, brief->what.n));
}

static void
file_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(shown(data, row)->path));
}

static const struct pp_answer_column list_columns[] = {
	{ .key = "file", .as = PP_AS_NAME, .flags = PP_COLUMN_NO_CSV, .get = file_get },
	{ .key = "format", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_CSV, .get = format_get },
	{ .key = "variant", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_CSV, .get = variant_get },
	{ .key = "time", .as = PP_AS_INT, .get = when_get },
	{ .title = "when", .as = PP_AS_LABEL, .get = when_label },
	{ .key = "what", .as = PP_AS_NAME, .flags = PP_COLUMN_NO_CSV, .get = what_get },
	{ .key = "complete", .as = PP_AS_BOOL, .flags = PP_COLUMN_NO_CSV, .get = complete_get },
	{ .key = "total",
	  .group = "totals",
	  .as = PP_AS_RAW,
	  .flags = PP_COLUMN_NO_CSV | PP_COLUMN_KEEP_GROUP,
	  .get = total_get },
	{ .key = "wall", .as = PP_AS_INT, .flags = PP_COLUMN_NO_JSON, .get = wall_get },
	{ .title = "took", .as = PP_AS_LABEL, .flags = PP_COLUMN_RIGHT, .get = wall_label },
	{ .key = "calls",
	  .title = "calls",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_NO_JSON,
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
	  .flags = PP_COLUMN_NO_JSON,
	  .drop = 4,
	  .get = format_label },
	{ .key = "state",
	  .title = "state",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_NO_JSON,
	  .drop = 1,
	  .get = state_get },
	{ .key = "what",
	  .title = "what",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_FLEX | PP_COLUMN_NO_JSON,
	  .get = what_get },
	{ .key = "file", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_JSON, .get = file_get },
	{ .title = "file", .as = PP_AS_TEXT, .flags = PP_COLUMN_FLEX, .get = name_get },
	{ .key = "took", .as = PP_AS_INT, .flags = PP_COLUMN_NO_CSV, .get = wall_get },
	{ .key = "calls", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_CSV, .get = calls_get },
	{ .key = "url", .as = PP_AS_NAME, .flags = PP_COLUMN_NO_CSV, .arg = 1, .get = kind_get },
	{ .key = "command", .as = PP_AS_NAME, .flags = PP_COLUMN_NO_CSV, .get = kind_get },
	{ .key = "host", .as = PP_AS_NAME, .flags = PP_COLUMN_NO_CSV, .get = host_get },
	{ .key = "name", .as = PP_AS_NAME, .flags = PP_COLUMN_NO_CSV, .get = name_get },
};

/* While more rows are awaited, columns have room for what may come. */
static const struct {
	const char *title;
	size_t columns;
} watched[] = { { "took", 9 },    { "calls", 9 }, { "size", 8 },
	        { "format", 12 }, { "state", 8 }, { "what", 24 } };

static const struct pp_answer_column *
columns_of(struct pp_answer *a, bool watch)
{
	struct pp_answer_column *columns;
	size_t c, i;

	if (!watch)
		return list_columns;
	columns = pp_answer_alloc(a, sizeof list_columns);
	if (columns)
		memcpy(columns, list_columns, sizeof list_columns);
	for (c = 0; columns && c < PP_COUNT_OF(list_columns); c++)
		for (i = 0; columns[c].title && i < PP_COUNT_OF(watched); i++)
			if (strcmp(columns[c].title, watched[i].title) == 0)
				columns[c].least = watched[i].columns;
	return columns;
}

/* What to do with a row: the first that is whole, else the first. */
static void
hints_add(struct pp_answer *a, const struct listing *l)
{
	size_t i, at = 0;

	for (i = l->n; i-- > 0;)
		if (l->shown[i]->brief->known_complete && l->shown[i]->brief->complete)
			at = i;
	pp_answer_hint(a, "what it costs", "", "");
	pp_answer_hint(a, "a flame graph", "flame", " -o flame.svg");
	for (i = 0; i < a->hints.n; i++)
		a->hints.at[i].file = l->shown[at]->path;
}

/* ---- running ---- */

/* Those that are shown, in order; NULL with a status whose reason is said. */
static struct listing *
listing_make(const struct pp_subject *subject, const struct list_params *params,
             struct pp_answer *a, pp_status *status)
{
	struct listing *l = pp_answer_alloc(a, sizeof *l);
	struct limits limits;
	size_t i;

	*status = limits_parse(subject, params, &limits, a);
	if (*status != PP_OK)
		return NULL;
	if (l)
		l->shown = pp_answer_alloc(a, (subject->listed_count + 1) * sizeof *l->shown);
	if (!l || !l->shown) {
		*status = pp_answer_fail_status(a, PP_E_NOMEM);
		return NULL;
	}
	l->sort = params->sort;
	l->subject = subject;
	for (i = 0; i < subject->listed_count; i++)
		if (row_passes(&subject->listed[i], params, &limits))
			l->shown[l->n++] = &subject->listed[i];
	pp_sort(l->shown, l->n, sizeof *l->shown, row_order, l);
	return l;
}

static pp_status
list_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct list_params *params = data;
	pp_status status;
	struct listing *l = listing_make(subject, params, a, &status);
	size_t usual = params->asked.terminal && !params->asked.follows ? ROWS_SHOWN : 0;

	if (!l)
		return status;
	if (params->by != PP_LIST_PROFILES)
		return pp_list_groups(a, l->shown, l->n, (enum pp_list_by)params->by, usual);
	pp_answer_table(a, &(struct pp_answer_table){
	                       .key = "profiles",
	                       .one = "profile",
	                       .many = "profiles",
	                       .columns = columns_of(a, params->watch),
	                       .column_count = PP_COUNT_OF(list_columns),
	                       .data = l,
	                       .rows = l->n,
	                       .usual = usual,
	                       .flags = params->asked.follows ? PP_TABLE_NO_HEADER : 0 });
	if (params->watch)
		return PP_OK;
	if (l->n)
		hints_add(a, l);
	else if (!params->asked.exact)
		pp_answer_note(a, "no-profiles", "no profiles found%s",
		               params->recursive ? "" : "; --recursive looks further down");
	return PP_OK;
}

/* ---- under a budget ---- */

static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct pp_listed *l = shown(data, row);
	const char *path = l->path;
	size_t clip = r->clip;

	while (strncmp(path, "./", 2) == 0)
		path += 2;
	/* A path that is cut short leads nowhere. */
	r->clip = SIZE_MAX;
	pp_row_text(r, pp_slice_z(path));
	r->clip = clip < 80 ? clip : 80;
	pp_row_word(r, l->format->name);
	pp_row_int(r, l->when);
	pp_row_count(r, l->size);
	if (l->brief->known_complete)
		pp_row_bool(r, l->brief->complete);
	else
		pp_row_null(r);
	pp_row_text(r, pp_slice_of(l->brief->what.p ? l->brief->what.p : "", l->brief->what.n));
}

static pp_status
list_excerpt(const struct pp_subject *subject, const void *data, struct pp_excerpt *x)
{
	static const char *const columns[] = {
		"file", "format", "time", "size", "complete", "what"
	};
	pp_status status;
	struct listing *l = listing_make(subject, data, x->answer, &status);

	if (!l)
		return status;
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, l->n);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = l->n;
	x->data = l;
	x->row = excerpt_row;
	return PP_OK;
}
