/*
 * Profiles of one URL or command as runs of the same.
 */
#include "questions/list_groups.h"

#include "base/sort.h"
#include "formats/format.h"
#include "text/escape.h"
#include "text/suggest.h"
#include "text/units.h"

/* Groups whose slowest run is offered for comparison. */
#define COMPARED_MOST 3
/* Of the URL or command, where it is said for what. */
#define KEY_COLUMNS 32

/* What a run took: time or, where that is not known, what else the file states. */
struct run {
	const struct pp_listed *listed;
	struct pp_slice key;
	struct pp_slice metric; /* empty: time, or nothing known */
	bool known;
	int64_t value;
};

/* The runs [first, first + n), sorted by value; those that are not known come first. */
struct group {
	size_t first, n, known;
};

struct groups {
	struct run *runs;
	struct group *groups;
	size_t n, count;
};

/* ---- sorting ---- */

static int
run_order(const void *a, const void *b, void *ctx)
{
	const struct run *x = a, *y = b;
	int order = pp_slice_cmp(x->key, y->key);

	order = order ? order : pp_slice_cmp(x->metric, y->metric);
	order = order ? order : x->known - y->known;
	if (order == 0)
		order = x->value < y->value ? -1 : x->value > y->value;
	return order ? order : strcmp(x->listed->path, y->listed->path);
}

static const struct run *
run_at(const struct groups *g, size_t group, size_t nth_known)
{
	const struct group *at = &g->groups[group];

	return &g->runs[at->first + at->n - at->known + nth_known];
}

/* The one with the slowest run first; those without any time last. */
static int
group_order(const void *a, const void *b, void *ctx)
{
	const struct groups *g = ctx;
	const struct group *x = a, *y = b;
	const struct run *p = &g->runs[x->first + x->n - 1], *q = &g->runs[y->first + y->n - 1];

	if ((p->known && p->metric.n == 0) != (q->known && q->metric.n == 0))
		return p->known && p->metric.n == 0 ? -1 : 1;
	if (p->known != q->known)
		return p->known ? -1 : 1;
	if (p->known && p->value != q->value)
		return p->value > q->value ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

/* A profile as a run; false when it is none of these. */
static bool
run_make(const struct pp_listed *listed, enum pp_list_by by, struct run *run)
{
	const struct pp_brief *brief = listed->brief;
	const unsigned char *query;

	if (brief->what.n == 0 || brief->is_request == (by == PP_LIST_BY_COMMAND))
		return false;
	*run = (struct run){ .listed = listed, .key = pp_slice_of(brief->what.p, brief->what.n) };
	query = by == PP_LIST_BY_PATH ? memchr(run->key.p, '?', run->key.n) : NULL;
	if (query)
		run->key.n = (size_t)(query - run->key.p);
	run->known = brief->has_wall || (brief->has_cost && brief->cost <= INT64_MAX);
	if (brief->has_wall) {
		run->value = brief->wall;
	} else if (run->known) {
		run->value = (int64_t)brief->cost;
		run->metric = pp_slice_of(brief->metric.p ? brief->metric.p : "", brief->metric.n);
	}
	return true;
}

static void
groups_make(struct groups *g)
{
	size_t i;

	pp_sort(g->runs, g->count, sizeof *g->runs, run_order, NULL);
	for (i = 0; i < g->count; i++) {
		const struct run *run = &g->runs[i];

		if (i == 0 || pp_slice_cmp(run->key, run[-1].key) != 0 ||
		    (run->metric.n && run[-1].known &&
		     pp_slice_cmp(run->metric, run[-1].metric) != 0))
			g->groups[g->n++] = (struct group){ .first = i };
		g->groups[g->n - 1].n++;
		g->groups[g->n - 1].known += run->known;
	}
	pp_sort(g->groups, g->n, sizeof *g->groups, group_order, g);
}

/* ---- the table ---- */

enum { MEDIAN, P95, SLOWEST };

/* The run that stands for a figure: of an even number the lower one of the middle. */
static size_t
nth_of(size_t known, size_t figure)
{
	return figure == MEDIAN ? (known - 1) / 2
	       : figure == P95  ? (known * 95 + 99) / 100 - 1
	                        : known - 1;
}

static bool
figure_of(const struct groups *g, size_t row, size_t figure, int64_t *value)
{
	size_t known = g->groups[row].known;

	if (known == 0)
		return false;
	*value = run_at(g, row, nth_of(known, figure))->value;
	if (figure == MEDIAN && known % 2 == 0)
		*value += (run_at(g, row, known / 2)->value - *value) / 2;
	return true;
}

static void
key_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct groups *g = data;

	pp_datum_text(d, g->runs[g->groups[row].first].key);
}

static void
runs_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_count(d, ((const struct groups *)data)->groups[row].n);
}

static void
metric_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct groups *g = data;
	const struct run *run = &g->runs[g->groups[row].first + g->groups[row].n - 1];
	const struct pp_buf *metric = &run->listed->brief->metric;

	if (run->known && metric->n)
		pp_datum_text(d, pp_slice_of(metric->p, metric->n));
}

static void
figure_get(const void *data, size_t row, size_t figure, struct pp_datum *d)
{
	d->known = figure_of(data, row, figure, &d->whole);
}

static void
figure_label(const void *data, size_t row, size_t figure, struct pp_datum *d)
{
	const struct groups *g = data;
	int64_t value;

	if (!figure_of(g, row, figure, &value))
		return;
	if (run_at(g, row, 0)->metric.n == 0) {
		pp_units_time(d->made, (double)value);
	} else {
		pp_units_count(d->made, (double)value);
		pp_buf_addc(d->made, ' ');
		pp_escape_terminal(d->made, run_at(g, row, 0)->metric);
	}
	pp_datum_made(d);
}

static void
file_get(const void *data, size_t row, size_t figure, struct pp_datum *d)
{
	const struct groups *g = data;
	size_t known = g->groups[row].known;

	if (known)
		pp_datum_text(d, pp_slice_z(run_at(g, row, nth_of(known, figure))->listed->path));
}

static void
name_get(const void *data, size_t row, size_t figure, struct pp_datum *d)
{
	const struct groups *g = data;
	size_t known = g->groups[row].known;

	if (known)
		pp_datum_text(d, pp_slice_z(run_at(g, row, nth_of(known, figure))->listed->name));
}

#define FIGURE(name, which)                                                                        \
	{ .key = (name), .as = PP_AS_INT, .arg = (which), .get = figure_get },                     \
	{                                                                                          \
		.title = (name), .as = PP_AS_LABEL, .flags = PP_COLUMN_RIGHT, .arg = (which),      \
		.get = figure_label                                                                \
	}

static const struct pp_answer_column group_columns[] = {
	/* The first is named after what the rows are. */
	{ .as = PP_AS_NAME, .get = key_get },
	{ .key = "runs",
	  .title = "runs",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .get = runs_get },
	{ .key = "metric", .as = PP_AS_TEXT, .get = metric_get },
	FIGURE("median", MEDIAN),
	FIGURE("p95", P95),
	FIGURE("slowest", SLOWEST),
	{ .key = "median_file", .as = PP_AS_NAME, .arg = MEDIAN, .get = file_get },
	{ .key = "slowest_file", .as = PP_AS_NAME, .arg = SLOWEST, .get = file_get },
	{ .as = PP_AS_TEXT, .flags = PP_COLUMN_FLEX, .get = key_get },
	{ .title = "slowest in",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_FLEX,
	  .drop = 1,
	  .arg = SLOWEST,
	  .get = name_get },
};
#define GROUP_COLUMNS PP_COUNT_OF(group_columns)

/* ---- what to do next ---- */

/* The slowest run beside the usual one: what made the difference. */
static void
hints_add(struct pp_answer *a, const struct groups *g)
{
	struct pp_buf command = { 0 }, does = { 0 }, safe = { 0 };
	size_t i, told = 0;

	for (i = 0; i < g->n && told < COMPARED_MOST; i++) {
		size_t known = g->groups[i].known;

		if (known < 2 || run_at(g, i, nth_of(known, MEDIAN))->value ==
		                     run_at(g, i, nth_of(known, SLOWEST))->value)
			continue;
		command.n = does.n = 0;
		pp_buf_adds(&command, "diff ");
		pp_suggest_word(&command, run_at(g, i, nth_of(known, MEDIAN))->listed->path);
		pp_buf_addc(&command, ' ');
		pp_suggest_word(&command, run_at(g, i, nth_of(known, SLOWEST))->listed->path);
		pp_buf_adds(&does, "why it was slow: ");
		safe.n = 0;
		pp_escape_terminal(&safe, g->runs[g->groups[i].first].key);
		(void)pp_text_shorten(&does, safe.p ? safe.p : "", safe.n, KEY_COLUMNS);
		if (command.p && does.p && !command.failed && !does.failed)
			pp_answer_hint(a, does.p, command.p, "");
		told++;
	}
	if (told == 0 && g->n > 0 && g->groups[0].known > 0) {
		pp_answer_hint(a, "what it costs", "", "");
		a->hints.at[a->hints.n - 1].file =
		    run_at(g, 0, nth_of(g->groups[0].known, SLOWEST))->listed->path;
	}
	a->failed |= command.failed || does.failed || safe.failed;
	pp_buf_release(&command);
	pp_buf_release(&does);
	pp_buf_release(&safe);
}

/* ---- running ---- */

pp_status
pp_list_groups(struct pp_answer *a, const struct pp_listed *const *listed, size_t n,
               enum pp_list_by by, size_t usual)
{
	static const char *const names[] = { [PP_LIST_BY_URL] = "url",
		                             [PP_LIST_BY_PATH] = "path",
		                             [PP_LIST_BY_COMMAND] = "command" };
	struct groups *g = pp_answer_alloc(a, sizeof *g);
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof group_columns);
	size_t i;

	if (g) {
		g->runs = pp_answer_alloc(a, (n + 1) * sizeof *g->runs);
		g->groups = pp_answer_alloc(a, (n + 1) * sizeof *g->groups);
	}
	if (!g || !columns || !g->runs || !g->groups)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	for (i = 0; i < n; i++)
		g->count += run_make(listed[i], by, &g->runs[g->count]);
	groups_make(g);
	memcpy(columns, group_columns, sizeof group_columns);
	columns[0].key = columns[GROUP_COLUMNS - 2].title = names[by];
	pp_answer_textz(a, "by", names[by]);
	pp_answer_table(
	    a, &(struct pp_answer_table){ .key = "groups",
	                                  .one = by == PP_LIST_BY_COMMAND ? "command" : "URL",
	                                  .many = by == PP_LIST_BY_COMMAND ? "commands" : "URLs",
	                                  .columns = columns,
	                                  .column_count = GROUP_COLUMNS,
	                                  .data = g,
	                                  .rows = g->n,
	                                  .usual = usual });
	if (g->count < n)
		pp_answer_note(a, "not-grouped", "%zu %s no %s", n - g->count,
		               pp_plural(n - g->count, "profile names", "profiles name"),
		               by == PP_LIST_BY_COMMAND ? "command" : "URL");
	if (g->n == 0)
		pp_answer_note(a, "no-profiles", "no profiles found");
	hints_add(a, g);
	return PP_OK;
}
