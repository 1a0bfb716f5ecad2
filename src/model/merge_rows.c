/*
 * Rows on their way from one profile to another: what nodes, calls, lines and functions cost.
 */
#include "model/derive.h"
#include "model/divide.h"
#include "model/flat.h"
#include "model/merge.h"
#include "model/schema.h"
#include "model/series_find.h"

/* One more series, whose rows have only cells that are not 0 where there are many metrics. */
static uint32_t
series_make(struct pp_builder *into, const struct pp_series *like, bool dense)
{
	bool many = into->profile->metrics.n > PP_FEW_COLUMNS && !like->has_calls &&
	            !like->measured;
	uint32_t series = pp_build_series(into, like, dense && !many, like->has_calls);

	if (many && pp_builder_ok(into) &&
	    !(into->profile->series.at[series].wide = pp_wide_new(sizeof(int64_t), 0)))
		pp_builder_fail(into, PP_E_NOMEM, NULL);
	return series;
}

uint32_t
pp_merge_series_of(struct pp_builder *into, const struct pp_series *from,
                   struct pp_merge_maps *maps, struct pp_series_finder *finder, size_t most)
{
	struct pp_series like = *from;
	uint32_t found;
	size_t i;

	pp_merge_translate(maps, PP_TABLE_SERIES, &like);
	found = pp_series_find(into, finder, &like);
	if (found != PP_MAP_NONE)
		return found;
	/* Labels are never given up. */
	i = into->profile->series.n >= most && !like.labels ? into->profile->series.n : 0;
	while (i-- > 0)
		if (pp_series_same_kind(&into->profile->series.at[i], &like)) {
			maps->joined = true;
			return (uint32_t)i;
		}
	return series_make(into, &like, from->dense && into->profile->series.n == 0);
}

/* A cell as one of the metric that its metric became, which is noted; false when it does not fit. */
static inline bool
merge_cell(const struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps,
           size_t m, int64_t *cell, const struct pp_metric **metric)
{
	const struct pp_metric_way *way = &maps->metric[m];

	*metric = &into->profile->metrics.at[way->to];
	maps->at_metric = m;
	return !way->converts || pp_cell_convert(&from->metrics.at[m], *metric, way->mul, cell);
}

/* Adds cells of metrics; false when a sum exceeds 64 bits. */
static bool
merge_cells(const struct pp_builder *into, const struct pp_profile *from,
            struct pp_merge_maps *maps, int64_t *to, struct pp_cells cells)
{
	const struct pp_metric *metric;
	size_t i;

	for (i = 0; i < cells.n; i++) {
		int64_t cell = cells.at[i];
		size_t m = pp_cells_column(&cells, i);

		if (!merge_cell(into, from, maps, m, &cell, &metric) ||
		    !pp_cell_add(metric->type, &to[maps->metric[m].to], cell))
			return false;
	}
	return true;
}

/* Adds a number of calls or hits; false when the sum exceeds 64 bits. */
static bool
merge_calls(const struct pp_profile *from, struct pp_merge_maps *maps, int64_t *to, int64_t calls)
{
	maps->at_metric = from->metrics.n;
	return pp_cell_add(PP_UINT, to, calls);
}

/* Adds a row to another; false when a sum exceeds 64 bits (what was added before that stays added). */
static bool
merge_row(const struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps,
          const struct pp_series *s, uint32_t row, int64_t *to)
{
	maps->at_func = pp_node_func(from, pp_series_node(s, row));
	return merge_cells(into, from, maps, to, pp_series_costs(from, s, row)) &&
	       (!s->measured ||
	        merge_cells(into, from, maps, to + into->profile->metrics.n + s->has_calls,
	                    (struct pp_cells){ .at = pp_series_measured(from, s, row),
	                                       .n = from->metrics.n })) &&
	       (!s->has_calls || merge_calls(from, maps, &to[into->profile->metrics.n],
	                                     pp_series_cells(s, row)[from->metrics.n]));
}

/* The same where rows have only cells that are not 0: all of them are added, or none. */
static bool
merge_row_wide(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps,
               const struct pp_series *s, uint32_t row, struct pp_series *t, pp_node node)
{
	struct pp_cells cells = pp_series_costs(from, s, row);
	bool fits = true, room = pp_series_wide_row(t, node);
	const struct pp_metric *metric;
	unsigned pass;
	size_t i;

	maps->at_func = pp_node_func(from, pp_series_node(s, row));
	for (pass = 0; pass < 2; pass++)
		for (i = 0; room && fits && i < cells.n; i++) {
			int64_t cell = cells.at[i], *sum, tried;

			if (!cell)
				continue;
			fits = merge_cell(into, from, maps, pp_cells_column(&cells, i), &cell,
			                  &metric);
			sum = pp_series_wide_at(t, node, maps->metric[maps->at_metric].to);
			room = sum != NULL;
			tried = sum ? *sum : 0;
			fits = fits && room && pp_cell_add(metric->type, &tried, cell);
			if (fits && pass)
				*sum = tried;
		}
	if (!room)
		pp_builder_fail(into, PP_E_NOMEM, NULL);
	return fits && room;
}

/* The next series behind one that has the same properties, made when there is none. */
static uint32_t
series_like(struct pp_builder *into, uint32_t series)
{
	struct pp_series like = into->profile->series.at[series];

	while (++series < into->profile->series.n) {
		const struct pp_series *s = &into->profile->series.at[series];

		if (pp_series_same_kind(s, &like) && pp_series_same_thread(s, &like))
			return series;
	}
	return series_make(into, &like, false);
}

/*
 * Adds a row of `from` to its node, keeping what was there in `before`. With `spill`, a sum that passes 64
 * bits goes on in the next series like it: totals are 128 bits wide.
 */
static bool
merge_row_at(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps,
             size_t series, uint32_t row, int64_t *before, bool spill)
{
	const struct pp_series *s = &from->series.at[series];
	uint32_t at = maps->id[PP_TO_SERIES][series];
	size_t known = into->profile->series.n;

	for (;; at = series_like(into, at)) {
		pp_node node = maps->id[PP_TO_NODE][pp_series_node(s, row)];
		bool many = into->profile->series.at[at].wide != NULL;
		int64_t *to = many ? NULL : pp_build_cells(into, at, node);
		struct pp_series *t = &into->profile->series.at[at];

		if (many && merge_row_wide(into, from, maps, s, row, t, node))
			return true;
		if (!pp_builder_ok(into) || (many && (!spill || at >= known)))
			return false;
		if (many)
			continue;
		memcpy(before, to, t->stride * sizeof *to);
		if (merge_row(into, from, maps, s, row, to))
			return true;
		/* What an empty row cannot hold, none can. */
		if (!spill || at >= known)
			return false;
		memcpy(to, before, t->stride * sizeof *to);
	}
}

bool
pp_merge_rows(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps,
              bool spill)
{
	int64_t *before = malloc((2 * into->profile->metrics.n + 1) * sizeof *before);
	bool ok = before != NULL;
	size_t i;
	uint32_t row;

	if (!before)
		pp_builder_fail(into, PP_E_NOMEM, NULL);
	for (i = 0; ok && i < from->series.n; i++)
		for (row = 0; ok && row < from->series.at[i].rows; row++)
			ok = !pp_series_present(&from->series.at[i], row) ||
			     merge_row_at(into, from, maps, i, row, before, spill);
	free(before);
	return ok;
}

/* What is not a node's own in the other is not its own here. */
bool
pp_merge_not_own(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps)
{
	size_t i;

	for (i = 0; i < from->not_own.n; i++) {
		struct pp_not_own_row row = from->not_own.at[i];
		const struct pp_metric_way *way = &maps->metric[row.metric];

		if (way->converts &&
		    !pp_cell_convert(&from->metrics.at[row.metric],
		                     &into->profile->metrics.at[way->to], way->mul, &row.cell))
			return false;
		pp_merge_translate(maps, PP_TABLE_NOT_OWN, &row);
		row.metric = way->to;
		if (!pp_vec_push(&into->profile->not_own, row)) {
			pp_builder_fail(into, PP_E_NOMEM, NULL);
			return false;
		}
	}
	return true;
}

/* What the other states of functions; a cost that does not fit is none. */
bool
pp_merge_facts(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps)
{
	size_t i;

	for (i = 0; i < from->calls.facts.n && pp_builder_ok(into); i++) {
		struct pp_fact_row row = from->calls.facts.at[i];
		const struct pp_metric_way *way = &maps->metric[row.metric];
		const struct pp_metric *was = &from->metrics.at[row.metric];

		pp_merge_translate(maps, PP_TABLE_FACTS, &row);
		row.metric = way->to;
		if (way->converts && !pp_cell_convert(was, &into->profile->metrics.at[way->to],
		                                      way->mul, &row.recursive))
			row.recursive = 0;
		if (!pp_vec_push(&into->profile->calls.facts, row))
			pp_builder_fail(into, PP_E_NOMEM, NULL);
	}
	return pp_builder_ok(into);
}

/* Cells of a row that costs are added to. */
struct target {
	int64_t *(*of)(struct pp_builder *, uint32_t row, size_t cell);
	uint32_t row;
	size_t base;
};

/* Adds what a row costs; false when a sum exceeds 64 bits or on failure. */
static bool
merge_costs_to(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps,
               const struct target *to, struct pp_cells cells)
{
	size_t i;

	for (i = 0; i < cells.n; i++) {
		int64_t cell = cells.at[i], *sum;
		const struct pp_metric *metric;

		if (!cell)
			continue;
		if (!merge_cell(into, from, maps, pp_cells_column(&cells, i), &cell, &metric))
			return false;
		sum = to->of(into, to->row, to->base + maps->metric[maps->at_metric].to);
		if (!sum || !pp_cell_add(metric->type, sum, cell))
			return false;
	}
	return true;
}

bool
pp_merge_edges(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps)
{
	bool own = from->calls.own && into->profile->calls.own;
	size_t i;

	for (i = 0; i < from->calls.rows.n; i++) {
		struct pp_edge_row row = from->calls.rows.at[i];
		struct target to = { .of = pp_build_edge_cell, .base = 1 };
		int64_t *calls;

		maps->at_func = row.callee;
		pp_merge_translate(maps, PP_TABLE_CALLS, &row);
		to.row = pp_build_edge_row(into, &row);
		calls = pp_build_edge_cell(into, to.row, 0);
		if (!calls || !merge_calls(from, maps, calls, pp_edge_cell(from, i, 0)) ||
		    !merge_costs_to(into, from, maps, &to, pp_edge_costs(from, i)))
			return false;
		to.base += into->profile->metrics.n;
		if (own && !merge_costs_to(into, from, maps, &to, pp_edge_own(from, i)))
			return false;
	}
	return true;
}

bool
pp_merge_lines(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps)
{
	bool hits = into->profile->lines.hits;
	size_t i;

	for (i = 0; i < from->lines.rows.n; i++) {
		struct pp_line_row row = from->lines.rows.at[i];
		struct target to = { .of = pp_build_line_cell, .base = hits };
		int64_t *hit = NULL;

		maps->at_func = row.func;
		pp_merge_translate(maps, PP_TABLE_LINES, &row);
		to.row = pp_build_line_row(into, &row);
		if (hits && from->lines.hits)
			hit = pp_build_line_cell(into, to.row, 0);
		if (!pp_builder_ok(into) ||
		    (hit && !merge_calls(from, maps, hit, pp_line_cell(from, i, 0))) ||
		    !merge_costs_to(into, from, maps, &to, pp_line_costs(from, i)))
			return false;
	}
	return true;
}

static union pp_value
merge_value(const struct pp_profile *from, size_t m, const struct pp_metric *metric,
            const struct pp_metric_way *way, union pp_value v)
{
	return way->converts ? pp_value_convert(&from->metrics.at[m], metric, way->mul, v) : v;
}

/* Adds what a metric costs to that of the function `to`. */
static void
merge_cost(struct pp_builder *into, const struct pp_merge_maps *maps, const struct pp_flat *flat,
           pp_func to, size_t m, struct pp_cost_pair cost)
{
	const struct pp_metric_way *way = &maps->metric[m];
	const struct pp_metric *metric = &into->profile->metrics.at[way->to];

	cost.own = merge_value(flat->profile, m, metric, way, cost.own);
	cost.total = merge_value(flat->profile, m, metric, way, cost.total);
	pp_build_func_cost(into, to, way->to, cost);
}

#define WHOLE SIZE_MAX

/* Adds a row to the costs of its function, or the whole to those of the whole. */
static bool
merge_costs(struct pp_builder *into, const struct pp_flat *flat, struct pp_merge_maps *maps,
            size_t row)
{
	const struct pp_profile *from = flat->profile;
	pp_func func = row == WHOLE ? 0 : flat->func[row];
	uint64_t calls = row == WHOLE ? 0 : flat->calls[row];
	pp_func to = maps->id[PP_TO_FUNC][func];
	struct pp_func_costs costs;
	size_t m, k;
	struct pp_span s = { 0 };

	maps->at_func = func;
	if (!pp_build_func_costs(into, to, &costs) ||
	    !merge_calls(from, maps, (int64_t *)costs.calls, (int64_t)calls))
		return false;
	for (m = 0; row == WHOLE && m < from->metrics.n; m++)
		merge_cost(into, maps, flat, to, m,
		           (struct pp_cost_pair){ .total = flat->whole[m] });
	for (m = 0; row != WHOLE && !flat->wide && m < from->metrics.n; m++)
		merge_cost(into, maps, flat, to, m, pp_flat_get(flat, row, m));
	if (row != WHOLE && flat->wide)
		s = flat->wide->rows.at[flat->place[row]];
	for (k = s.first; k < (size_t)s.first + s.n; k++)
		merge_cost(into, maps, flat, to, flat->wide->column[k],
		           ((const struct pp_cost_pair *)(const void *)flat->wide->cells)[k]);
	return pp_builder_ok(into);
}

/* The costs of functions, as whatever they are known by tells them, and of the whole. */
static bool
costs_find(const struct pp_profile *p, struct pp_flat *flat)
{
	if (pp_flat_compute(p, flat) != PP_OK)
		return false;
	free(flat->whole);
	flat->whole = pp_profile_totals(p);
	if (!flat->whole)
		pp_flat_release(flat);
	return flat->whole != NULL;
}

bool
pp_merge_flats_find(const struct pp_builder *into, const struct pp_profile *from,
                    struct pp_merge_flats *f)
{
	/* Costs that the file states for all series together cannot be divided. */
	bool divides = into->divides_costs && from->series.n > 1 &&
	               !(from->costs.stated && !from->costs.series.n);
	bool ok;

	*f = (struct pp_merge_flats){ 0 };
	f->at = calloc(from->series.n + 2, sizeof *f->at);
	f->of = calloc(from->series.n + 2, sizeof *f->of);
	ok = f->at && f->of;
	if (ok && !divides)
		ok = costs_find(from, &f->at[f->n++]);
	for (; ok && divides && f->n < from->series.n; f->n++)
		ok = pp_series_alone(from, (uint32_t)f->n, &f->of[f->n]) == PP_OK &&
		     costs_find(f->of[f->n], &f->at[f->n]);
	return ok;
}

/* Adds them; the whole (0) stays the whole. */
bool
pp_merge_flats_add(struct pp_builder *into, struct pp_merge_flats *f, struct pp_merge_maps *maps)
{
	bool ok = true;
	size_t i, k;

	for (k = 0; ok && k < f->n; k++) {
		into->costs_series = maps->id[PP_TO_SERIES][k];
		ok = merge_costs(into, &f->at[k], maps, WHOLE);
		for (i = 0; ok && i < f->at[k].n; i++)
			ok = merge_costs(into, &f->at[k], maps, i);
	}
	return ok;
}

void
pp_merge_flats_release(struct pp_merge_flats *f)
{
	size_t i;

	/* The last one may have failed. */
	for (i = 0; f->at && f->of && i <= f->n; i++) {
		pp_flat_release(&f->at[i]);
		pp_profile_release(f->of[i]);
	}
	free(f->at);
	free(f->of);
}

bool
pp_merge_funcs(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps)
{
	struct pp_merge_flats flats;
	bool found, ok;

	if (!into->profile->costs.stated)
		return true;
	found = pp_merge_flats_find(into, from, &flats);
	if (!found)
		pp_builder_fail(into, PP_E_NOMEM, NULL);
	ok = found && pp_merge_flats_add(into, &flats, maps);
	pp_merge_flats_release(&flats);
	return ok;
}
