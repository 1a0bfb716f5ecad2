/*
 * The listing of functions that `top` and the summary share.
 */
#include "questions/describe.h"
#include "questions/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/group.h"
#include "model/leaf_kind.h"
#include "questions/handles.h"
#include "text/escape.h"
#include "text/suggest.h"

/* Metrics shown beside the chosen one unless they are asked for. */
#define OTHERS_USUAL 4
#define OTHERS_MOST 16

/* ---- computing ---- */

static void
ranking_release(void *data)
{
	struct pp_ranking *r = data;

	pp_flat_release(&r->flat);
	free(r->whole);
}

/* What of a row's own or total cost its share of the whole is: what it gained, where the metric falls. */
static double
share_cost(const struct pp_flat *f, bool total, size_t row, size_t metric)
{
	struct pp_cost_pair gained = pp_flat_gained(f, row, metric);

	return pp_value_double(&f->profile->metrics.at[metric], total ? gained.total : gained.own);
}

/* How large a row's total is: what it gained, or what is left of that, which may be far below 0. */
static double
total_size(const struct pp_flat *f, size_t row, size_t metric)
{
	return fmax(fabs(share_cost(f, true, row, metric)),
	            fabs(pp_value_double(&f->profile->metrics.at[metric],
	                                 pp_flat_get(f, row, metric).total)));
}

/* Leaves out the rows that cost less than a share of the whole with all they called; false when out of memory. */
static bool
rows_drop(struct pp_ranking *r, double min)
{
	struct pp_flat *f = &r->flat;
	size_t row;
	bool *stays;

	if (!(min > 0) || r->metric >= f->metrics || !(r->whole[r->metric] > 0))
		return true;
	stays = malloc((f->n + 1) * sizeof *stays);
	for (row = 0; stays && row < f->n; row++)
		stays[row] = total_size(f, row, r->metric) >= min * r->whole[r->metric];
	if (stays)
		pp_flat_keep(f, stays);
	free(stays);
	return stays != NULL;
}

/* Returns whether a row has calls, if sorted by them, or costs in another metric asked for. */
static bool
row_matters(const struct pp_ranking *r, size_t row)
{
	const struct pp_flat *f = &r->flat;
	size_t i;

	for (i = 0; r->beside.given && i < r->beside.n; i++) {
		const struct pp_metric *m = &f->profile->metrics.at[r->beside.metric[i]];
		struct pp_cost_pair cost = pp_flat_get(f, row, r->beside.metric[i]);

		if (!pp_value_is_zero(m, cost.own) || !pp_value_is_zero(m, cost.total))
			return true;
	}
	return r->sort == PP_SORT_CALLS && f->calls[row];
}

/* Whether a row has any cost of the chosen metric, or has had. */
static bool
row_costs(const struct pp_ranking *r, size_t row)
{
	const struct pp_flat *f = &r->flat;
	const struct pp_metric *m = &f->profile->metrics.at[r->metric];

	struct pp_cost_pair cost = pp_flat_get(f, row, r->metric);

	return !pp_value_is_zero(m, cost.own) || !pp_value_is_zero(m, cost.total) ||
	       (pp_metric_falls(m) && total_size(f, row, r->metric) > 0);
}

/* Leaves out the rows that cost nothing, unless there are no others. False when out of memory. */
static bool
rows_drop_empty(struct pp_ranking *r)
{
	struct pp_flat *f = &r->flat;
	bool *stays = malloc((f->n + 1) * sizeof *stays);
	/* Most rows are told by their total. */
	bool quick = !f->wide && f->profile->metrics.at[r->metric].type != PP_REAL;
	const union pp_value *total = quick ? f->total + r->metric : NULL;
	size_t row, n = 0;

	for (row = 0; stays && row < f->n; row++) {
		stays[row] = (quick && total[row * f->metrics].i) || row_costs(r, row) ||
		             row_matters(r, row);
		n += stays[row];
	}
	if (stays && n && n < f->n) {
		r->empty = f->n - n;
		pp_flat_keep(f, stays);
	}
	free(stays);
	return stays != NULL;
}

static const char *const row_names[][2] = {
	[PP_BY_FUNCTION] = { "function", "functions" }, [PP_BY_FILE] = { "file", "files" },
	[PP_BY_MODULE] = { "module", "modules" },       [PP_BY_LINE] = { "line", "lines" },
	[PP_BY_THREAD] = { "thread", "threads" },       [PP_BY_NAME] = { "name", "names" },
	[PP_BY_ADDRESS] = { "address", "addresses" },   [PP_BY_LABEL] = { "value", "values" },
	[PP_BY_FILE_NAME] = { "name", "names" },        [PP_BY_NAME_LINE] = { "line", "lines" },
};

void
pp_calls_note(struct pp_answer *a, const struct pp_flat *flat)
{
	size_t most = 0, row;

	for (row = 0; flat->has_calls && row < flat->n; row++)
		most += flat->calls[row] == UINT64_MAX;
	if (most)
		pp_answer_note(a, "calls-overflow",
		               "the calls of %zu %s are 2^64-1 or more, and shown as that", most,
		               most == 1 ? "function" : "functions");
}

void
pp_aside_note(struct pp_answer *a, const struct pp_profile *p, pp_func func)
{
	if (pp_leaf_kind_of(p, func) == PP_LEAF_IDLE)
		pp_answer_note(a, "set-aside", "idle time is left out; --all-frames shows it");
	else
		pp_answer_note(a, "set-aside",
		               "this is an allocator; --all-frames shows its calls and cost");
}

/* Whether no row has any cost of a metric. */
static bool
metric_is_zero(const struct pp_ranking *r, size_t metric)
{
	const struct pp_metric *m = &r->flat.profile->metrics.at[metric];
	bool zero = r->whole[metric] == 0;
	size_t row;

	for (row = 0; zero && row < r->flat.n; row++) {
		struct pp_cost_pair cost = pp_flat_get(&r->flat, row, metric);

		zero = pp_value_is_zero(m, cost.own) && pp_value_is_zero(m, cost.total);
	}
	return zero;
}

/* Rows of zeros puzzle those who did not choose the metric: another one may have costs. */
static void
zero_note(struct pp_answer *a, const struct pp_ranking *r)
{
	const struct pp_profile *p = r->flat.profile;
	size_t shown = pp_metrics_shown(p), other = 0;
	struct pp_buf text = { 0 }, key = { 0 };

	if (r->metric >= shown || !metric_is_zero(r, r->metric))
		return;
	while (other < shown && (other == r->metric || r->whole[other] == 0))
		other++;
	if (other == shown)
		return;
	pp_metric_title(p, &p->metrics.at[r->metric], &text);
	pp_buf_adds(&text, " is 0 everywhere; try -m ");
	pp_metric_label(p, &p->metrics.at[other], &key);
	pp_suggest_word(&text, pp_answer_copy(a, pp_slice_of(key.p ? key.p : "", key.n)));
	pp_answer_note(a, "metric-zero", "%s", pp_answer_made(a, &text));
	pp_buf_release(&text);
	pp_buf_release(&key);
}

pp_status
pp_ranking_make(struct pp_answer *a, const struct pp_profile *p, const struct pp_ranked *asked,
                unsigned by, double min, struct pp_ranking **out)
{
	struct pp_ranking *r = pp_answer_own(a, sizeof *r, ranking_release);
	pp_status status;
	size_t m;

	*out = r;
	if (!r)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	r->sort = asked->sort == PP_SORT_FLAT  ? PP_SORT_SELF
	          : asked->sort == PP_SORT_CUM ? PP_SORT_TOTAL
	                                       : asked->sort;
	r->by = by;
	r->one = by == PP_BY_FUNCTION ? pp_function_said(p, false) : row_names[by][0];
	r->many = by == PP_BY_FUNCTION ? pp_function_said(p, true) : row_names[by][1];
	status = pp_asked_metrics(&asked->asked, p, a, &r->metric, &r->beside);
	if (status != PP_OK)
		return status;
	status = pp_flat_compute(p, &r->flat);
	if (status == PP_OK && r->sort == PP_SORT_CALLS && !r->flat.has_calls)
		return pp_answer_fail(a, PP_E_UNSUPPORTED, "no-calls",
		                      "this profile does not know how often functions were called");
	if (status == PP_OK) {
		r->whole = calloc(p->metrics.n + 1, sizeof *r->whole);
		status = r->whole ? PP_OK : PP_E_NOMEM;
	}
	if (status != PP_OK)
		return pp_answer_fail_status(a, status);
	pp_calls_note(a, &r->flat);
	for (m = 0; m < p->metrics.n; m++)
		r->whole[m] = pp_value_double(&p->metrics.at[m], pp_flat_whole(&r->flat, m));
	/* For people, functions without own cost are sorted by their total. */
	if (!rows_drop(r, min) ||
	    (!asked->asked.exact && r->metric < p->metrics.n && !rows_drop_empty(r)) ||
	    !pp_flat_sort(&r->flat,
	                  r->sort == PP_SORT_SELF && !asked->asked.exact ? PP_SORT_SHOWN
	                                                                 : (enum pp_sort)r->sort,
	                  r->metric))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	if (!asked->asked.metric)
		zero_note(a, r);
	return PP_OK;
}

/* ---- a row of a flat profile, exact; data is a struct pp_flat ---- */

static pp_func
func_of(const void *data, size_t row, const struct pp_profile **p)
{
	const struct pp_flat *flat = data;

	*p = flat->profile;
	return flat->func[row];
}

static void
calls_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_flat *flat = data;

	if (pp_flat_calls_known(flat, row))
		pp_datum_count(d, flat->calls[row]);
}

static void
self_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_flat *flat = data;

	pp_datum_value(d, flat->profile, metric, pp_flat_get(flat, row, metric).own);
}

static void
total_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_flat *flat = data;

	pp_datum_value(d, flat->profile, metric, pp_flat_get(flat, row, metric).total);
}

static void
gained_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_flat *flat = data;

	pp_datum_value(d, flat->profile, metric, pp_flat_gained(flat, row, metric).own);
}

static void
given_back_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_flat *flat = data;
	union pp_value given_back = pp_flat_gained(flat, row, metric).own;

	pp_value_sub(&flat->profile->metrics.at[metric], &given_back,
	             pp_flat_get(flat, row, metric).own);
	pp_datum_value(d, flat->profile, metric, given_back);
}

static void
cycle_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_flat *flat = data;

	if (flat->cycle && flat->cycle[row])
		pp_datum_count(d, flat->cycle[row]);
}

/* What the file states of a function beyond its costs; NULL when nothing. */
static const struct pp_fact_row *
fact_of(const struct pp_flat *flat, size_t row)
{
	return flat->fact && flat->fact[row].func ? &flat->fact[row] : NULL;
}

static void
recursion_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_flat *flat = data;
	const struct pp_fact_row *fact = fact_of(flat, row);
	unsigned flags = flat->profile->funcs.at[flat->func[row]].flags;

	/* What was never called does not recurse. */
	if (flat->fact && !(flags & (PP_FUNC_SCRIPT | PP_FUNC_PSEUDO)))
		pp_datum_count(d, fact ? fact->recursion : 0);
}

static void
recursive_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_flat *flat = data;
	const struct pp_fact_row *fact = fact_of(flat, row);

	if (fact && fact->recursion && fact->metric == metric)
		pp_datum_value(d, flat->profile, metric,
		               pp_cell_value(&flat->profile->metrics.at[metric], fact->recursive));
}

static void
places_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_fact_row *fact = fact_of(data, row);

	if (fact)
		pp_datum_count(d, fact->places);
}

static void
files_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_fact_row *fact = fact_of(data, row);

	if (fact)
		pp_datum_count(d, fact->files);
}

const char *
pp_flat_kind(const struct pp_flat *flat, size_t row)
{
	const struct pp_func_row *func = &flat->profile->funcs.at[flat->func[row]];
	struct pp_slice name = pp_text_of(flat->profile, func->name);

	if (!flat->fact || !(func->flags & PP_FUNC_INTERNAL))
		return NULL;
	return memmem(name.p, name.n, "::CORE:", 7) ||
	               (name.n > 6 && memcmp(name.p, "CORE::", 6) == 0)
	           ? "opcode"
	           : "xsub";
}

static void
kind_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const char *kind = pp_flat_kind(data, row);

	if (kind)
		pp_datum_text(d, pp_slice_z(kind));
}

static const struct pp_answer_column place_columns[] = { PP_FUNC_COLUMNS, PP_MODULE_COLUMN(0) };
static const struct pp_answer_column calls_column = { .key = "calls",
	                                              .title = "calls",
	                                              .as = PP_AS_COUNT,
	                                              .flags = PP_COLUMN_RIGHT,
	                                              .drop = 1,
	                                              .get = calls_get };
/* What it costs, exact; `each` is to be set. */
static const struct pp_answer_column cost_columns[] = {
	{ .key = "self", .as = PP_AS_VALUE, .get = self_get },
	{ .key = "total", .as = PP_AS_VALUE, .get = total_get },
	{ .key = "gained", .as = PP_AS_VALUE, .flags = PP_COLUMN_FALLS, .get = gained_get },
	{ .key = "given_back", .as = PP_AS_VALUE, .flags = PP_COLUMN_FALLS, .get = given_back_get },
	{ .key = "cycle", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_CSV, .get = cycle_get },
	{ .key = "recursion_depth",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_NO_CSV,
	  .get = recursion_get },
	{ .group = "recursive_total",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_NO_CSV,
	  .get = recursive_get },
	{ .key = "places", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_CSV, .get = places_get },
	{ .key = "files", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_CSV, .get = files_get },
	{ .key = "kind", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_CSV, .get = kind_get },
};
#define PLACES PP_COUNT_OF(place_columns)
#define COSTS PP_COUNT_OF(cost_columns)
#define FACTS 5 /* columns that are facts */

/* The columns of costs; those of facts are last, and only where there are any. Returns how many. */
static size_t
costs_add(struct pp_answer *a, struct pp_answer_column *columns, const struct pp_flat *flat)
{
	const struct pp_profile *p = flat->profile;
	struct pp_buf label = { 0 };
	size_t n = 0, i;

	for (i = 0; i < COSTS - (flat->fact ? 0 : FACTS); i++) {
		const struct pp_answer_column *c = &cost_columns[i];

		if (c->flags & PP_COLUMN_FALLS && !pp_profile_has_gains(p))
			continue;
		columns[n] = *c;
		columns[n].each = c->as == PP_AS_VALUE && c->key ? p : NULL;
		if (c->get == recursive_get) {
			columns[n].arg = p->calls.facts.at[0].metric;
			pp_metric_label(p, &p->metrics.at[columns[n].arg], &label);
			columns[n].key = pp_answer_copy(a, pp_slice_z(pp_answer_made(a, &label)));
		}
		n++;
	}
	pp_buf_release(&label);
	return n;
}

/* A table of the one row: the flat profile's arrays from there on. */
void
pp_flat_object(struct pp_answer *a, const char *key, const struct pp_flat *flat, size_t row)
{
	struct pp_flat *one = pp_answer_alloc(a, sizeof *one);
	struct pp_answer_column *columns = pp_answer_alloc(a,
	                                                   (PLACES + 1 + COSTS) * sizeof *columns);
	size_t costs;

	if (!one || !columns)
		return;
	*one = *flat;
	one->n = 1;
	one->func += row;
	one->calls += row;
	if (flat->wide) {
		one->place += row;
	} else {
		one->self += row * flat->metrics;
		one->total += row * flat->metrics;
	}
	one->cycle = flat->cycle ? flat->cycle + row : NULL;
	one->fact = flat->fact ? flat->fact + row : NULL;
	memcpy(columns, place_columns, sizeof place_columns);
	columns[PLACES] = calls_column;
	costs = costs_add(a, columns + PLACES + 1, flat);
	pp_answer_table(a, &(struct pp_answer_table){ .key = key,
	                                              .columns = columns,
	                                              .column_count = PLACES + 1 + costs,
	                                              .data = one,
	                                              .func = func_of,
	                                              .rows = 1,
	                                              .flags = PP_TABLE_OBJECT | PP_TABLE_NO_CSV |
	                                                       PP_TABLE_NO_TEXT | PP_TABLE_WHOLE });
}

/* ---- columns for people; data is a struct pp_ranking, which begins with the flat profile ---- */

/* The cost that the listing is about. */
static double
main_cost(const struct pp_ranking *r, size_t row)
{
	return share_cost(&r->flat, r->sort == PP_SORT_TOTAL, row, r->metric);
}

static enum pp_ink
main_ink(const struct pp_ranking *r, size_t row)
{
	return pp_ink_of_share(main_cost(r, row), r->whole[r->metric]);
}

static void
label_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_ranking *r = data;
	const struct pp_fact_row *fact = fact_of(&r->flat, row);
	const char *kind = pp_flat_kind(&r->flat, row);

	pp_func_text(d->made, r->flat.profile, r->flat.func[row]);
	if (r->flat.cycle && r->flat.cycle[row])
		pp_buf_addf(d->made, " <cycle %u>", r->flat.cycle[row]);
	if (fact && fact->recursion)
		pp_buf_addf(d->made, " (recursion %u)", fact->recursion);
	if (fact && kind && strcmp(kind, "xsub") == 0)
		pp_buf_adds(d->made, " (xsub)");
	pp_datum_made(d);
	d->ink = main_ink(r, row);
}

static void
self_share_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_ranking *r = data;

	pp_datum_part(d, share_cost(&r->flat, false, row, metric), r->whole[metric]);
	d->ink = r->sort == PP_SORT_TOTAL ? PP_INK_FAINT : main_ink(r, row);
}

static void
total_share_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_ranking *r = data;

	pp_datum_share(d, share_cost(&r->flat, true, row, metric), r->whole[metric]);
	d->ink = r->sort == PP_SORT_TOTAL ? main_ink(r, row) : PP_INK_FAINT;
}

static void
bar_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_ranking *r = data;

	if (r->bar_unit > 0)
		pp_datum_part(d, main_cost(r, row), r->bar_unit);
}

/* The largest cost among the rows fills the bar: shares are printed beside it anyway. */
static double
bar_unit(const struct pp_ranking *r, struct pp_window window)
{
	double most = 0;
	size_t i;

	if (!(r->whole[r->metric] > 0))
		return 0;
	for (i = 0; i < window.n; i++)
		most = fmax(most, main_cost(r, window.first + i));
	return most;
}

static const struct pp_answer_column
    self_column = { .title = "self", .as = PP_AS_VALUE, .flags = PP_COLUMN_RIGHT, .get = self_get },
    self_share_column = { .title = "self%",
	                  .as = PP_AS_SHARE,
	                  .flags = PP_COLUMN_RIGHT,
	                  .get = self_share_get },
    gained_column = { .title = "gained",
	              .as = PP_AS_VALUE,
	              .flags = PP_COLUMN_RIGHT,
	              .get = gained_get },
    given_back_column = { .title = "given back",
	                  .as = PP_AS_VALUE,
	                  .flags = PP_COLUMN_RIGHT,
	                  .get = given_back_get },
    bar_column = { .title = "", .as = PP_AS_BAR, .drop = 3, .ink = PP_INK_BAR, .get = bar_get },
    total_column = { .title = "total",
	             .as = PP_AS_VALUE,
	             .flags = PP_COLUMN_RIGHT,
	             .get = total_get },
    total_share_column = { .title = "total%",
	                   .as = PP_AS_SHARE,
	                   .flags = PP_COLUMN_RIGHT,
	                   .drop = 2,
	                   .get = total_share_get },
    label_column = { .as = PP_AS_LABEL,
	             .flags = PP_COLUMN_FLEX | PP_COLUMN_NAMES,
	             .get = label_get },
    place_column = { .title = "place",
	             .as = PP_AS_LABEL,
	             .flags = PP_COLUMN_FLEX,
	             .drop = 4,
	             .ink = PP_INK_FAINT,
	             .part = PP_PART_PLACE };

/* What else the file states, where there is room for it. */
static const struct pp_answer_column fact_columns[] = {
	{ .title = "places",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 6,
	  .ink = PP_INK_FAINT,
	  .get = places_get },
	{ .title = "files",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 6,
	  .ink = PP_INK_FAINT,
	  .get = files_get },
};

/* The costs of the metric that the listing is about. In one by total the shares of own cost go first. */
static size_t
main_columns(const struct pp_ranking *r, struct pp_answer_column *columns)
{
	bool by_total = r->sort == PP_SORT_TOTAL;
	bool falls = pp_metric_falls(&r->flat.profile->metrics.at[r->metric]);
	bool known = pp_metric_gained(r->flat.profile, r->metric) < r->flat.profile->metrics.n;
	size_t n = 0, i;

	columns[n++] = known ? gained_column : self_column;
	columns[n++] = self_share_column;
	if (known)
		columns[1].title = "gained%";
	else if (falls)
		columns[0].title = "net";
	if (!by_total)
		columns[n++] = bar_column;
	if (known) {
		columns[n++] = given_back_column;
		columns[n] = self_column;
		columns[n++].title = "net";
	}
	columns[n] = total_column;
	if (falls) {
		columns[n].title = "net total";
		columns[n].drop = by_total ? 0 : total_share_column.drop;
	}
	n++;
	columns[n++] = total_share_column;
	if (by_total) {
		columns[1].drop = total_share_column.drop;
		columns[n - 1].drop = 1;
		columns[n++] = bar_column;
	}
	for (i = 0; i < n; i++)
		columns[i].arg = r->metric;
	return n;
}

/* A column of another metric: own cost, or the total when sorted by that. */
static void
other_column(struct pp_answer *a, const struct pp_ranking *r, size_t metric,
             struct pp_answer_column *column)
{
	const struct pp_profile *p = r->flat.profile;
	bool by_total = r->sort == PP_SORT_TOTAL;
	struct pp_buf name = { 0 }, title = { 0 };

	pp_metric_title(p, &p->metrics.at[metric], &name);
	pp_buf_adds(&title, by_total ? "total " : "self ");
	pp_escape_terminal(&title, pp_slice_of(name.p ? name.p : "", name.n));
	a->failed |= name.failed;
	*column = by_total ? total_column : self_column;
	column->title = pp_answer_copy(a, pp_slice_z(pp_answer_made(a, &title)));
	column->flags |= PP_COLUMN_METRIC;
	column->drop = 5;
	column->ink = PP_INK_FAINT;
	column->arg = metric;
	pp_buf_release(&name);
	pp_buf_release(&title);
}

/* Other metrics as far as there is room: those asked for, else the first few. */
static size_t
other_columns(struct pp_answer *a, const struct pp_ranking *r, struct pp_answer_column *columns)
{
	size_t n = 0, m;

	for (m = 0; r->beside.given && m < r->beside.n && n < OTHERS_MOST; m++) {
		other_column(a, r, r->beside.metric[m], &columns[n]);
		columns[n++].drop = 1; /* they were asked for */
	}
	for (m = 0; !r->beside.given && m < pp_metrics_shown(r->flat.profile) && n < OTHERS_USUAL;
	     m++)
		if (m != r->metric)
			other_column(a, r, m, &columns[n++]);
	return n;
}

static void
handle_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_ranking *r = data;
	uint32_t handle = pp_handles_rank(r->handles, r->flat.func[row]);

	if (handle)
		pp_buf_addf(d->made, "f%u", handle);
	pp_datum_made(d);
}

void
pp_ranking_table(struct pp_answer *a, struct pp_ranking *r, size_t usual, bool to_all)
{
	const size_t most = PLACES + 8 + 1 + PP_COUNT_OF(fact_columns) + OTHERS_MOST + 2 + COSTS;
	struct pp_answer_column *columns = pp_answer_alloc(a, most * sizeof *columns);
	struct pp_answer_table table = { .key = "functions",
		                         .one = r->one,
		                         .many = r->many,
		                         .columns = columns,
		                         .data = r,
		                         .func = func_of,
		                         .rows = r->flat.n,
		                         .usual = usual,
		                         .flags = to_all ? PP_TABLE_USUAL : 0 };
	size_t n = PLACES, others;

	if (!columns)
		return;
	memcpy(columns, place_columns, sizeof place_columns);
	if (r->handles)
		columns[n++] = (struct pp_answer_column){ .title = "id",
			                                  .as = PP_AS_LABEL,
			                                  .get = handle_get };
	if (r->metric < r->flat.metrics) {
		r->bar_unit = bar_unit(r, pp_budget_window(&a->budget, r->flat.n, usual));
		n += main_columns(r, columns + n);
	}
	columns[n++] = calls_column;
	if (r->flat.fact) {
		memcpy(columns + n, fact_columns, sizeof fact_columns);
		n += PP_COUNT_OF(fact_columns);
	}
	if (r->metric < r->flat.metrics) {
		others = other_columns(a, r, columns + n);
		n += others;
		table.metrics_left = r->beside.given
		                         ? 0
		                         : pp_metrics_shown(r->flat.profile) - 1 - others;
		columns[n] = label_column;
		columns[n++].title = r->one;
		if (r->by == PP_BY_FUNCTION)
			columns[n++] = place_column;
	} else {
		table.flags |= PP_TABLE_NO_TEXT;
	}
	table.column_count = n + costs_add(a, columns + n, &r->flat);
	table.empty = r->empty;
	pp_answer_table(a, &table);
}
