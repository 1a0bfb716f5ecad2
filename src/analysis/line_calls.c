/*
 * Calls by the places where they stand.
 */
#include "analysis/line_calls.h"

#include <stdlib.h>

#include "analysis/call_shares.h"
#include "base/sort.h"
#include "model/inclusive.h"

struct building {
	struct pp_line_calls *out;
	struct pp_map index; /* of rows */
	bool failed;
};

/* The row of a call at its place, made when there is none; NULL when out of memory. */
static struct pp_line_call *
row_of(struct building *b, const struct pp_line_call *call)
{
	struct pp_line_calls *out = b->out;
	uint64_t key = pp_mix((uint64_t)call->caller << 32 | call->callee,
	                      PP_HASH_K1 ^ ((uint64_t)call->file << 32 | call->line));
	uint32_t i;

	/* Keys that collide look further; there are few. */
	for (; (i = pp_map_get(&b->index, key)) != PP_MAP_NONE; key++)
		if (out->rows.at[i].caller == call->caller &&
		    out->rows.at[i].callee == call->callee && out->rows.at[i].file == call->file &&
		    out->rows.at[i].line == call->line)
			return &out->rows.at[i];
	if (out->rows.n >= UINT32_MAX - 1 || !pp_map_set(&b->index, key, (uint32_t)out->rows.n) ||
	    !pp_vec_push(&out->rows, *call)) {
		b->failed = true;
		return NULL;
	}
	return &out->rows.at[out->rows.n - 1];
}

/* Adds a call that the file states. */
static void
stated_add(struct building *b, const struct pp_call_shares *shares, size_t place)
{
	const struct pp_profile *p = b->out->profile;
	size_t metric = b->out->metric, i = shares->row[place];
	const struct pp_edge_row *e = &p->calls.rows.at[i];
	struct pp_line_call call = { .caller = p->funcs.at[e->caller].same,
		                     .callee = p->funcs.at[e->callee].same,
		                     .line = e->site_line },
	                    *row;

	if (e->site_line)
		call.file = e->site_file ? e->site_file : p->funcs.at[e->caller].file;
	row = row_of(b, &call);
	if (!row)
		return;
	pp_count_add(&row->calls, (uint64_t)pp_edge_cell(p, i, 0));
	if (metric < p->metrics.n)
		pp_value_add(&p->metrics.at[metric], &row->total,
		             pp_ledger_get(&shares->cost, place, metric));
}

static void
take_stated(struct building *b)
{
	const struct pp_profile *p = b->out->profile;
	struct pp_call_shares shares = { 0 };
	struct pp_flat flat;
	size_t i;

	b->out->counted = pp_calls_counted(p);
	b->failed = pp_flat_compute(p, &flat) != PP_OK ||
	            !pp_call_shares_init(&shares, p, &flat, PP_CALLERS, 0);
	for (i = 0; i < shares.n && !b->failed; i++)
		stated_add(b, &shares, i);
	pp_call_shares_release(&shares);
	pp_flat_release(&flat);
}

void
pp_node_site(const struct pp_profile *p, pp_node node, pp_str *file, uint32_t *line)
{
	pp_node parent = pp_tree_parent(&p->tree, node);
	const struct pp_frame_row *from = &p->frames.at[pp_tree_frame(&p->tree, parent)];
	const struct pp_frame_row *to = &p->frames.at[pp_tree_frame(&p->tree, node)];

	*file = 0;
	*line = 0;
	if (parent == 0)
		return;
	*line = to->site_line ? to->site_line : from->line;
	if (*line)
		*file = from->file ? from->file : p->funcs.at[from->func].file;
}

/* Counts calls: those of a node stand where it is called. */
static void
count_calls(struct building *b, const uint32_t *row_of_node)
{
	const struct pp_profile *p = b->out->profile;
	uint32_t r;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		b->out->counted |= s->has_calls;
		for (r = 0; s->has_calls && r < s->rows; r++)
			if (pp_series_node(s, r))
				pp_count_add(
				    &b->out->rows.at[row_of_node[pp_series_node(s, r)]].calls,
				    (uint64_t)pp_series_cells(s, r)[p->metrics.n]);
	}
}

static void
take_tree(struct building *b)
{
	const struct pp_profile *p = b->out->profile;
	size_t metric = b->out->metric;
	bool costs = metric < p->metrics.n;
	pp_func *func_of = pp_frame_funcs(p);
	uint64_t *outermost = func_of ? pp_outermost_compute(p, func_of) : NULL;
	uint32_t *rows = malloc((size_t)p->tree.n * sizeof *rows);
	struct pp_inclusive cost = { 0 };
	pp_node node;

	b->failed = !outermost || !rows || (costs && !pp_inclusive_compute(&cost, p, metric));
	for (node = 1; node < p->tree.n && !b->failed; node++) {
		pp_node parent = pp_tree_parent(&p->tree, node);
		struct pp_line_call call = { .caller =
			                         parent ? func_of[pp_tree_frame(&p->tree, parent)]
			                                : 0,
			                     .callee = func_of[pp_tree_frame(&p->tree, node)] },
		                    *row;

		pp_node_site(p, node, &call.file, &call.line);
		row = row_of(b, &call);
		if (!row)
			break;
		rows[node] = (uint32_t)(row - b->out->rows.at);
		if (costs && pp_bit(outermost, node))
			pp_value_add(&p->metrics.at[metric], &row->total,
			             pp_inclusive_of(&cost, node));
	}
	if (!b->failed)
		count_calls(b, rows);
	if (cost.metric)
		pp_inclusive_release(&cost);
	free(rows);
	free(outermost);
	free(func_of);
}

/* ---- orders ---- */

/* The costliest first, then by calls, and by who they are. */
static int
compare_weights(const struct pp_line_calls *c, const struct pp_line_call *a,
                const struct pp_line_call *b)
{
	const struct pp_profile *p = c->profile;
	int order = 0;

	if (c->metric < p->metrics.n)
		order = pp_value_cmp(&p->metrics.at[c->metric], b->total, a->total);
	if (!order)
		order = (a->calls < b->calls) - (a->calls > b->calls);
	if (!order)
		order = pp_func_cmp(p, a->callee, b->callee);
	if (!order)
		order = pp_func_cmp(p, a->caller, b->caller);
	if (!order)
		order = pp_slice_cmp(pp_text_of(p, a->file), pp_text_of(p, b->file));
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int
compare_places(const void *left, const void *right, void *calls)
{
	const struct pp_line_call *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return compare_weights(calls, a, b);
}

static int
compare_callees(const void *left, const void *right, void *calls)
{
	const struct pp_line_calls *c = calls;
	const struct pp_line_call *a = &c->rows.at[*(const uint32_t *)left];
	const struct pp_line_call *b = &c->rows.at[*(const uint32_t *)right];

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return compare_weights(c, a, b);
}

bool
pp_line_calls_compute(struct pp_line_calls *c, const struct pp_profile *p, size_t metric)
{
	struct building b = { .out = c, .index.seed = p->strs.seed };
	size_t i;

	*c = (struct pp_line_calls){ .profile = p, .metric = metric };
	if (p->calls.rows.n)
		take_stated(&b);
	else if (p->tree.n > 1)
		take_tree(&b);
	pp_map_release(&b.index);
	if (!b.failed)
		c->by_callee = malloc((c->rows.n + 1) * sizeof *c->by_callee);
	if (!c->by_callee)
		return false;
	if (c->rows.n)
		pp_sort(c->rows.at, c->rows.n, sizeof *c->rows.at, compare_places, c);
	for (i = 0; i < c->rows.n; i++)
		c->by_callee[i] = (uint32_t)i;
	if (c->rows.n)
		pp_sort(c->by_callee, c->rows.n, sizeof *c->by_callee, compare_callees, c);
	return true;
}

void
pp_line_calls_release(struct pp_line_calls *c)
{
	pp_vec_release(&c->rows);
	free(c->by_callee);
	c->by_callee = NULL;
}

size_t
pp_line_calls_at(const struct pp_line_calls *c, pp_str file, uint32_t line)
{
	size_t from = 0, to = c->rows.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct pp_line_call *row = &c->rows.at[middle];

		if (row->file < file || (row->file == file && row->line < line))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

size_t
pp_line_calls_of(const struct pp_line_calls *c, pp_func callee)
{
	size_t from = 0, to = c->rows.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (c->rows.at[c->by_callee[middle]].callee < callee)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}
