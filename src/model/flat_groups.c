/*
 * Totals of groups of functions in a call graph: f and f'2, which are one function; all functions of a file.
 *
 * The calls between groups tell too little where groups call each other: even and odd, once even'2 and
 * odd'2 are one with them, look like a cycle in which nobody knows who caused what. The file does know:
 * what even'2 costs lies below the call of even. So a group's total is that of its outermost members, those
 * that no other member reaches; and for its other members what the calls cost that come from functions no
 * member reaches. None of these activations has another of the group around it.
 *
 * A caller that members reach may have been called by others, too; what it then costs is missing. As both
 * ways can only tell too little, the larger total stands.
 */
#include <stdlib.h>

#include "model/flat_sources.h"

#define LANES 64u /* groups looked at together, a bit for each */
/* A made-up file could have a million groups all over its graph: then the last ones stay as they were. */
#define STEPS_MOST ((uint64_t)1 << 31)

/* Numbers sorted by a key: those of key k are at[first[k]] .. at[first[k + 1] - 1]. */
struct index {
	size_t *first;
	uint32_t *at;
};

/* A row with several members, and the components that they lie between. */
struct group {
	uint32_t row, highest, lowest;
};

struct grouping {
	const struct pp_profile *p;
	struct pp_flat *f;
	struct pp_call_graph g; /* of functions as the file tells them apart */
	uint32_t *row;          /* by function: the row of its group + 1, 0 = it does not occur */
	pp_func *caller;        /* by edge */
	struct index members, components, calls_into; /* by row + 1, component, callee */
	struct pp_ledger total, sum;                  /* by function; by row */
	struct group *groups;
	size_t n;
	/* By component, a bit for each group of a batch: one of its members is in it; or reaches it from above. */
	uint64_t *holds, *below;
	uint64_t steps;
};

/* Sorts the numbers from `from` up to n by their keys, which are less than `keys`; false when out of memory. */
static bool
index_make(struct index *x, const uint32_t *key, size_t from, size_t n, size_t keys)
{
	size_t i;

	x->first = calloc(keys + 3, sizeof *x->first);
	x->at = calloc(n + 1, sizeof *x->at);
	if (!x->first || !x->at)
		return false;
	for (i = from; i < n; i++)
		x->first[key[i] + 2]++;
	for (i = 2; i < keys + 3; i++)
		x->first[i] += x->first[i - 1];
	for (i = from; i < n; i++)
		x->at[x->first[key[i] + 1]++] = (uint32_t)i;
	return true;
}

static void
index_release(struct index *x)
{
	free(x->first);
	free(x->at);
}

static void
grouping_release(struct grouping *x)
{
	pp_call_graph_release(&x->g);
	free(x->row);
	free(x->caller);
	index_release(&x->members);
	index_release(&x->components);
	index_release(&x->calls_into);
	pp_ledger_release(&x->total);
	pp_ledger_release(&x->sum);
	free(x->groups);
	free(x->holds);
	free(x->below);
}

/* ---- functions as the file tells them apart --------------------------------------------- */

/* Marks the functions that occur with their groups' rows. */
static void
rows_find(struct grouping *x, const uint32_t *row_of)
{
	const struct pp_profile *p = x->p;
	size_t i;

	for (i = 0; i < p->lines.rows.n; i++) {
		pp_func func = p->lines.rows.at[i].func;

		x->row[pp_func_alone(p, func)] = row_of[p->funcs.at[func].same];
	}
	for (i = 0; i < p->calls.rows.n; i++) {
		pp_func caller = p->calls.rows.at[i].caller, callee = p->calls.rows.at[i].callee;

		x->row[pp_func_alone(p, caller)] = row_of[p->funcs.at[caller].same];
		x->row[pp_func_alone(p, callee)] = row_of[p->funcs.at[callee].same];
	}
	x->row[0] = 0;
}

/* Totals by the rule for functions: own cost, and calls that leave the cycle. */
static void
totals_find(struct grouping *x)
{
	uint32_t caller;
	size_t e;

	for (caller = 1; caller < x->g.n; caller++)
		for (e = x->g.first[caller]; e < x->g.first[caller + 1]; e++) {
			x->caller[e] = caller;
			if (x->g.component[caller] != x->g.component[x->g.to[e]])
				pp_ledger_add_values(&x->total, caller,
				                     pp_call_graph_cost(&x->g, e));
		}
}

static bool
grouping_init(struct grouping *x, const uint32_t *row_of)
{
	size_t n = x->p->funcs.n, rows = x->f->n, edges;

	if (!pp_call_graph_init_alone(&x->g, x->p))
		return false;
	edges = x->g.first[x->g.n];
	x->row = calloc(n + 1, sizeof *x->row);
	x->caller = calloc(edges + 1, sizeof *x->caller);
	x->groups = calloc(rows + 1, sizeof *x->groups);
	x->holds = calloc((size_t)x->g.components + 1, sizeof *x->holds);
	x->below = calloc((size_t)x->g.components + 1, sizeof *x->below);
	if (!x->row || !x->caller || !x->groups || !x->holds || !x->below ||
	    !pp_profile_own(x->p, PP_ALL_SERIES, true, &x->total) ||
	    !pp_ledger_init(&x->sum, x->p, rows + 1))
		return false;
	rows_find(x, row_of);
	totals_find(x);
	return index_make(&x->members, x->row, 1, n, rows + 1) &&
	       index_make(&x->components, x->g.component, 1, n, x->g.components) &&
	       index_make(&x->calls_into, x->g.to, 0, edges, n);
}

/* ---- batches of groups ------------------------------------------------------------------ */

static int
group_cmp(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->highest != b->highest)
		return a->highest > b->highest ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Lists the groups of several, those high up first; what is alone has its own total. */
static void
groups_find(struct grouping *x)
{
	uint32_t row;
	size_t i;

	for (row = 0; row < x->f->n; row++) {
		size_t first = x->members.first[row + 1], end = x->members.first[row + 2];
		struct group *group = &x->groups[x->n];

		if (end - first == 1)
			pp_ledger_add_values(&x->sum, row,
			                     pp_ledger_row(&x->total, x->members.at[first]));
		if (end - first < 2)
			continue;
		*group = (struct group){ .row = row, .lowest = UINT32_MAX };
		for (i = first; i < end; i++) {
			uint32_t component = x->g.component[x->members.at[i]];

			if (component > group->highest)
				group->highest = component;
			if (component < group->lowest)
				group->lowest = component;
		}
		x->n++;
	}
	qsort(x->groups, x->n, sizeof *x->groups, group_cmp);
}

/* Whom the members of each group reach; components come after those that reach them when counted down. */
static void
batch_reach(struct grouping *x, const struct group *batch, size_t n)
{
	uint32_t highest = batch[0].highest, lowest = UINT32_MAX, c;
	size_t i, k, e;

	for (i = 0; i < n; i++)
		lowest = batch[i].lowest < lowest ? batch[i].lowest : lowest;
	for (c = lowest; c <= highest; c++)
		x->holds[c] = x->below[c] = 0;
	x->steps += highest - lowest;
	for (i = 0; i < n; i++)
		for (k = x->members.first[batch[i].row + 1]; k < x->members.first[batch[i].row + 2];
		     k++)
			x->holds[x->g.component[x->members.at[k]]] |= (uint64_t)1 << i;
	for (c = highest; c > lowest; c--) {
		uint64_t reach = x->holds[c] | x->below[c];

		for (k = x->components.first[c]; reach && k < x->components.first[c + 1]; k++) {
			uint32_t func = x->components.at[k];

			x->steps += x->g.first[func + 1] - x->g.first[func];
			for (e = x->g.first[func]; e < x->g.first[func + 1]; e++) {
				uint32_t to = x->g.component[x->g.to[e]];

				if (to != c && to >= lowest)
					x->below[to] |= reach;
			}
		}
	}
}

/* Adds what the calls to a member cost that no member of its group is around. */
static void
outer_calls_add(struct grouping *x, const struct group *group, uint64_t bit, uint32_t member)
{
	const uint32_t *component = x->g.component;
	size_t i;

	for (i = x->calls_into.first[member]; i < x->calls_into.first[member + 1]; i++) {
		size_t e = x->calls_into.at[i];
		uint32_t caller = x->caller[e];
		/* Above all members nobody is below one. */
		bool inside = component[caller] <= group->highest &&
		              (x->below[component[caller]] & bit);

		if (!inside && x->row[caller] != x->row[member])
			pp_ledger_add_values(&x->sum, group->row, pp_call_graph_cost(&x->g, e));
	}
}

static void
batch_add(struct grouping *x, const struct group *batch, size_t n)
{
	size_t i, k;

	batch_reach(x, batch, n);
	for (i = 0; i < n; i++) {
		const struct group *group = &batch[i];
		uint64_t bit = (uint64_t)1 << i;

		for (k = x->members.first[group->row + 1]; k < x->members.first[group->row + 2];
		     k++) {
			uint32_t member = x->members.at[k];

			if (x->below[x->g.component[member]] & bit)
				outer_calls_add(x, group, bit, member);
			else
				pp_ledger_add_values(&x->sum, group->row,
				                     pp_ledger_row(&x->total, member));
		}
	}
}

/* The larger one stands. */
static bool
total_raise(struct pp_flat *f, size_t row, size_t m, union pp_value sum)
{
	const struct pp_metric *metric = &f->profile->metrics.at[m];
	union pp_value *total = pp_flat_total_at(f, row, m);

	/* What may be negative has no larger and smaller. */
	if (total && ((metric->flags & PP_METRIC_SIGNED) || pp_value_cmp(metric, sum, *total) > 0))
		*total = sum;
	return total != NULL;
}

/* What groups from `at` on have so far is what they keep. */
static bool
totals_keep(struct grouping *x, size_t at)
{
	struct pp_flat *f = x->f;
	bool *keeps = calloc(f->n + 1, sizeof *keeps);
	size_t k, m;

	for (k = at; keeps && k < x->n; k++) {
		uint32_t row = x->groups[k].row;

		keeps[row] = true;
		for (m = 0; !pp_flat_is_sparse(f) && m < f->metrics; m++)
			pp_ledger_add(&x->sum, row, m, f->total[row * f->metrics + m]);
	}
	for (k = 0; keeps && k < f->adding.keys.n; k++) {
		const struct pp_cost_pair *pair = pp_gather_cell(&f->adding, (uint32_t)k + 1);

		if (keeps[f->adding.keys.at[k].row])
			pp_ledger_add(&x->sum, f->adding.keys.at[k].row,
			              f->adding.keys.at[k].column, pair->total);
	}
	free(keeps);
	return keeps && !x->sum.failed;
}

/* Totals become what the groups add up to: where there is one, and where there was one. */
static bool
totals_raise(struct grouping *x)
{
	struct pp_flat *f = x->f;
	size_t cells = f->adding.keys.n, i, k;
	bool ok = !x->sum.failed && !x->total.failed;

	for (k = 0; ok && k < cells; k++) {
		struct pp_gather_key key = f->adding.keys.at[k];

		ok = total_raise(f, key.row, key.column,
		                 pp_ledger_get(&x->sum, key.row, key.column));
	}
	for (i = 0; ok && i < f->n; i++) {
		struct pp_values sums = pp_ledger_row(&x->sum, i);

		for (k = 0; ok && k < sums.n; k++)
			ok = total_raise(f, i, pp_values_metric(&sums, k), sums.at[k]);
	}
	return ok;
}

bool
pp_flat_groups(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	struct grouping x = { .p = p, .f = f };
	size_t at = 0;
	bool ok = grouping_init(&x, row_of);

	if (ok) {
		groups_find(&x);
		for (; at < x.n && x.steps < STEPS_MOST; at += LANES)
			batch_add(&x, x.groups + at, x.n - at < LANES ? x.n - at : LANES);
	}
	ok = ok && totals_keep(&x, at) && totals_raise(&x);
	ok = ok && pp_flat_cycles(f, &x.g, x.row);
	grouping_release(&x);
	return ok;
}
