/*
 * The flat profile as the file itself states it: in its own table of functions, or in its calls.
 */
#include "base/sort.h"
#include "base/stops.h"
#include "model/divide.h"
#include "model/flat_sources.h"
#include "model/ledger.h"

/* ---- the table of functions ------------------------------------------------------------- */

/* Whether a row of the costs of functions is that of one that occurs. */
static bool
costs_occur(const struct pp_profile *p, size_t row)
{
	const struct pp_costs_facet *c = &p->costs;
	bool occurs = !c->calls.n || c->calls.at[row];
	size_t m;

	/* Of functions in some files calls are not known, but costs are. */
	if (c->wide)
		return occurs || c->wide->rows.at[row].n;
	for (m = 0; m < p->metrics.n && !occurs; m++)
		occurs = !pp_value_is_zero(&p->metrics.at[m],
		                           pp_costs_own(p, row)[p->metrics.n + m]);
	return occurs;
}

static bool
costs_mark(const struct pp_profile *p, uint32_t *row_of)
{
	size_t i;

	for (i = 1; i < p->costs.funcs.n; i++)
		if (p->costs.funcs.at[i] && costs_occur(p, i))
			row_of[p->funcs.at[p->costs.funcs.at[i]].same] = 1;
	return true;
}

/* Adds a row of the costs of many metrics. */
static bool
costs_add_wide(struct pp_flat *f, size_t row, const struct pp_wide *costs, size_t from)
{
	const struct pp_cost_pair *pairs = (const void *)costs->cells;
	struct pp_span s = costs->rows.at[from];
	bool fine = true;
	uint32_t k;

	for (k = s.first; fine && k < s.first + s.n; k++)
		fine = pp_flat_add(f, row, costs->column[k], pairs[k].own, pairs[k].total);
	return fine;
}

/* Adds a row of costs. */
static bool
costs_add(struct pp_flat *f, size_t row, const struct pp_profile *p, size_t from)
{
	bool fine = true;
	size_t m;

	if (p->costs.wide)
		return costs_add_wide(f, row, p->costs.wide, from);
	if (!pp_flat_is_sparse(f)) {
		pp_values_add(p, pp_flat_self_of(f, row), pp_costs_own(p, from));
		pp_values_add(p, pp_flat_total_of(f, row), pp_costs_own(p, from) + f->metrics);
		return true;
	}
	for (m = 0; fine && m < f->metrics; m++) {
		struct pp_cost_pair pair = pp_costs_get(p, from, m);

		fine = pp_flat_add(f, row, m, pair.own, pair.total);
	}
	return fine;
}

/* Adds up the cost of calls of functions from inside or outside of their group. */
static bool
group_calls_add(const struct pp_profile *p, bool inside, struct pp_ledger *sums)
{
	size_t i;

	if (!pp_ledger_init(sums, p, p->funcs.n))
		return false;
	for (i = 0; i < p->calls.rows.n && !pp_account_stops_at(i); i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];
		pp_func caller = pp_func_alone(p, e->caller), callee = pp_func_alone(p, e->callee);
		bool same = e->caller && p->funcs.at[e->caller].same == p->funcs.at[e->callee].same;

		if (same == inside && caller != callee)
			pp_ledger_add_cells(sums, callee, pp_edge_costs(p, i));
	}
	return !sums->failed && !pp_account_stops();
}

/* The part of a function's total that is no part of another one's of its group. */
static union pp_value
group_part(const struct pp_metric *m, union pp_value total, union pp_value inside,
           union pp_value outside)
{
	union pp_value rest = total;

	if (m->flags & PP_METRIC_SIGNED)
		return total;
	pp_value_sub(m, &rest, inside);
	outside = pp_value_cmp(m, outside, total) > 0 ? total : outside;
	return pp_value_cmp(m, rest, outside) > 0 ? rest : outside;
}

/*
 * Functions of a group call each other: what one costs is in the total of another. Their totals are replaced by what calls
 * from elsewhere cost, and never more than the whole.
 */
static bool
groups_settle(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	const struct pp_costs_facet *c = &p->costs;
	struct pp_ledger inside, outside = { 0 };
	bool fine = group_calls_add(p, true, &inside) && group_calls_add(p, false, &outside);
	size_t i, m, row;

	for (i = 1; fine && i < c->funcs.n; i++) {
		pp_func alone = pp_func_alone(p, c->funcs.at[i]);

		row = row_of[p->funcs.at[c->funcs.at[i]].same] - (size_t)1;
		for (m = 0; fine && costs_occur(p, i) && m < f->metrics; m++) {
			const struct pp_metric *metric = &p->metrics.at[m];
			union pp_value total = pp_costs_get(p, i, m).total;
			union pp_value part = group_part(metric, total,
			                                 pp_ledger_get(&inside, alone, m),
			                                 pp_ledger_get(&outside, alone, m));

			pp_value_sub(metric, &part, total);
			fine = pp_flat_add(f, row, m, pp_value_zero(metric), part);
		}
	}
	fine = fine && pp_flat_limit(f, row_of);
	pp_ledger_release(&inside);
	pp_ledger_release(&outside);
	return fine;
}

/* The row of a function, if rows are sorted by it. */
static size_t
row_search(const struct pp_flat *f, pp_func func)
{
	size_t low = 0, high = f->n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (f->func[middle] <= func)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Adds up all costs; without row_of, rows are searched. */
static bool
costs_rows(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	const struct pp_costs_facet *c = &p->costs;
	bool fine = true;
	size_t i, m;

	f->has_calls = c->calls.n > 0;
	for (i = 1; fine && i < c->funcs.n; i++) {
		pp_func func = p->funcs.at[c->funcs.at[i]].same;
		size_t row;

		if (!c->funcs.at[i] || !costs_occur(p, i))
			continue;
		row = row_of ? row_of[func] - (size_t)1 : row_search(f, func);
		if (f->has_calls)
			pp_count_add(&f->calls[row], c->calls.at[i]);
		fine = costs_add(f, row, p, i);
	}
	for (m = 0; c->funcs.n && m < f->metrics; m++)
		f->whole[m] = pp_costs_whole(p, m).total;
	return fine;
}

static bool
costs_fill(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	return costs_rows(f, p, row_of) &&
	       (!p->derived.alone.n || !p->calls.rows.n || groups_settle(f, p, row_of));
}

static int
func_order(const void *left, const void *right, void *context)
{
	pp_func a = *(const pp_func *)left, b = *(const pp_func *)right;

	return (a > b) - (a < b);
}

bool
pp_flat_listed(struct pp_flat *f, const struct pp_profile *p)
{
	size_t i, n = 0, rows = 0;

	if (!pp_flat_alloc(f, p, p->costs.funcs.n))
		return false;
	for (i = 1; i < p->costs.funcs.n; i++)
		if (p->costs.funcs.at[i] && costs_occur(p, i))
			f->func[n++] = p->funcs.at[p->costs.funcs.at[i]].same;
	if (n > 1)
		pp_sort(f->func, n, sizeof *f->func, func_order, NULL);
	for (i = 0; i < n; i++)
		if (i == 0 || f->func[i] != f->func[i - 1])
			f->func[rows++] = f->func[i];
	f->n = rows;
	return costs_rows(f, p, NULL);
}

const struct pp_flat_source pp_flat_by_costs = { costs_mark, costs_fill };

/* ---- calls ------------------------------------------------------------------------------ */

/* A row for each function that was called or that the file lists. */
static bool
calls_mark(const struct pp_profile *p, uint32_t *row_of)
{
	size_t i;

	for (i = 0; i < p->calls.rows.n; i++)
		row_of[p->funcs.at[p->calls.rows.at[i].callee].same] = 1;
	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].flags & PP_FUNC_DECLARED)
			row_of[p->funcs.at[i].same] = 1;
	return true;
}

/* No less than any function, where it is raised at all. */
static void
whole_raise(struct pp_flat *f, const bool *raised, size_t m, union pp_value total)
{
	if (raised[m] && pp_value_cmp(&f->profile->metrics.at[m], total, f->whole[m]) > 0)
		f->whole[m] = total;
}

/*
 * What all functions cost. Files may state totals without own costs; where there are own costs, the whole is
 * their sum, even if a recorder counted some time twice in a total (closures of one name that call each other).
 */
static bool
calls_whole(struct pp_flat *f, const struct pp_profile *p)
{
	union pp_value *whole = pp_profile_totals(p);
	bool *raised = calloc(f->metrics + 1, sizeof *raised), fine = whole && raised;
	size_t row, m, k;

	for (m = 0; fine && m < f->metrics; m++)
		raised[m] = !p->calls.own || pp_value_is_zero(&p->metrics.at[m], whole[m]);
	if (fine) {
		free(f->whole);
		f->whole = whole;
	} else {
		free(whole);
	}
	for (k = 0; fine && k < f->adding.keys.n; k++)
		whole_raise(
		    f, raised, f->adding.keys.at[k].column,
		    ((const struct pp_cost_pair *)pp_gather_cell(&f->adding, (uint32_t)k + 1))
		        ->total);
	for (m = 0; fine && !pp_flat_is_sparse(f) && m < f->metrics; m++)
		for (row = 0; row < f->n; row++)
			whole_raise(f, raised, m, f->total[row * f->metrics + m]);
	free(raised);
	return fine;
}

/* Where all have cells of all metrics. */
static void
calls_fill_few(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	size_t stride = pp_edge_stride(p), n = p->metrics.n, i, m;
	const int64_t *cells = p->calls.cells.at;

	for (i = 0; i < p->calls.rows.n; i++, cells += stride) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];
		pp_func callee = p->funcs.at[e->callee].same;
		size_t row = row_of[callee] - 1;
		bool repeats = p->calls.self_repeats && callee == p->funcs.at[e->caller].same;

		pp_count_add(&f->calls[row], (uint64_t)cells[0]);
		for (m = 0; m < n; m++) {
			const struct pp_metric *metric = &p->metrics.at[m];

			if (!repeats)
				pp_value_add(metric, &pp_flat_total_of(f, row)[m],
				             pp_cell_value(metric, cells[1 + m]));
			if (p->calls.own)
				pp_value_add(metric, &pp_flat_self_of(f, row)[m],
				             pp_cell_value(metric, cells[1 + n + m]));
		}
	}
}

/*
 * A function costs what its calls cost. Recursion needs no care where the file counts outermost calls only. Where an
 * edge from a function to itself repeats time that the outer call has, it is left out.
 */
static bool
calls_fill(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	bool fine = true;
	size_t i;

	f->has_calls = true;
	if (!p->calls.wide && !pp_flat_is_sparse(f))
		calls_fill_few(f, p, row_of);
	for (i = 0; fine && (p->calls.wide || pp_flat_is_sparse(f)) && i < p->calls.rows.n; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];
		pp_func callee = p->funcs.at[e->callee].same;
		size_t row = row_of[callee] - 1;

		pp_count_add(&f->calls[row], (uint64_t)pp_edge_cell(p, i, 0));
		if (!p->calls.self_repeats || callee != p->funcs.at[e->caller].same)
			fine = pp_flat_add_total(f, row, pp_edge_costs(p, i));
		if (fine && p->calls.own)
			fine = pp_flat_add_self(f, row, pp_edge_own(p, i));
	}
	return fine && calls_whole(f, p) && (!p->derived.alone.n || pp_flat_limit(f, row_of));
}

const struct pp_flat_source pp_flat_by_calls = { calls_mark, calls_fill };
