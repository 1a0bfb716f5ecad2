/*
 * Cost per source line.
 */
#include "analysis/linecost.h"

/* The row of a file and line, made when absent; PP_MAP_NONE when out of memory. */
static uint32_t
row_of(struct pp_linecost *l, struct pp_map *map, pp_str file, uint32_t line)
{
	uint64_t key = (uint64_t)file << 32 | line;
	uint32_t row = pp_map_get(map, key);
	size_t m;

	if (row != PP_MAP_NONE)
		return row;
	row = (uint32_t)l->rows.n;
	if (!pp_vec_push(&l->rows, (struct pp_line_cost){ .file = file, .line = line }) ||
	    !pp_map_set(map, key, row))
		return PP_MAP_NONE;
	for (m = 0; m < l->metrics; m++)
		if (!pp_vec_push(&l->cost, pp_value_zero(&l->profile->metrics.at[m])))
			return PP_MAP_NONE;
	return row;
}

static void
cells_add(struct pp_linecost *l, uint32_t row, const int64_t *cells)
{
	size_t m;

	for (m = 0; m < l->metrics; m++) {
		const struct pp_metric *metric = &l->profile->metrics.at[m];
		union pp_value v = pp_cell_value(metric, cells[m]);

		pp_value_add(metric, &l->cost.at[row * l->metrics + m], v);
		pp_value_add(metric, &l->whole[m], v);
	}
}

static bool
from_lines(struct pp_linecost *l, struct pp_map *map)
{
	const struct pp_profile *p = l->profile;
	size_t i, stride = pp_line_stride(p);

	l->has_hits = p->line_hits;
	for (i = 0; i < p->lines.n; i++) {
		const struct pp_line_row *line = &p->lines.at[i];
		pp_str file = line->file ? line->file : p->funcs.at[line->func].file;
		uint32_t row = row_of(l, map, file, line->line);
		const int64_t *cells = p->line_cells.at + i * stride;

		if (row == PP_MAP_NONE)
			return false;
		if (p->line_hits)
			l->rows.at[row].hits += (uint64_t)cells[0];
		cells_add(l, row, cells + p->line_hits);
	}
	return true;
}

/* The own cost of a node belongs to the line of its frame. */
static bool
from_frames(struct pp_linecost *l, struct pp_map *map)
{
	const struct pp_profile *p = l->profile;
	uint32_t r;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (r = 0; r < s->rows; r++) {
			pp_node node = pp_series_node(s, r);
			const struct pp_frame_row *frame =
			    &p->frames.at[pp_tree_frame(&p->tree, node)];
			uint32_t row;

			if (node == 0 || !frame->line || !pp_series_present(s, r))
				continue;
			row = row_of(l, map,
			             frame->file ? frame->file : p->funcs.at[frame->func].file,
			             frame->line);
			if (row == PP_MAP_NONE)
				return false;
			cells_add(l, row, pp_series_cells(s, r));
		}
	}
	return true;
}

static bool
frames_have_lines(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->frames.n; i++)
		if (p->frames.at[i].line)
			return true;
	return false;
}

pp_status
pp_linecost_compute(const struct pp_profile *p, struct pp_linecost *l)
{
	struct pp_map map = { .seed = p->strs.seed };
	bool fine;
	size_t m;

	*l = (struct pp_linecost){ .profile = p, .metrics = p->metrics.n };
	if (p->lines.n == 0 && !frames_have_lines(p))
		return PP_E_UNSUPPORTED;
	l->whole = calloc(l->metrics + 1, sizeof *l->whole);
	for (m = 0; l->whole && m < l->metrics; m++)
		l->whole[m] = pp_value_zero(&p->metrics.at[m]);
	fine = l->whole && (p->lines.n ? from_lines(l, &map) : from_frames(l, &map));
	pp_map_release(&map);
	if (!fine)
		pp_linecost_release(l);
	return fine ? PP_OK : PP_E_NOMEM;
}

void
pp_linecost_release(struct pp_linecost *l)
{
	pp_vec_release(&l->rows);
	pp_vec_release(&l->cost);
	free(l->whole);
	*l = (struct pp_linecost){ 0 };
}

/* ---- sorting ---------------------------------------------------------------------------- */

struct order {
	const struct pp_linecost *lines;
	enum pp_line_order by;
	size_t metric;
};

static int
compare_rows(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const struct pp_linecost *l = order->lines;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct pp_line_cost *x = &l->rows.at[a], *y = &l->rows.at[b];
	int c = 0;

	if (order->by == PP_LINES_BY_COST && order->metric < l->metrics)
		c = pp_value_cmp(&l->profile->metrics.at[order->metric],
		                 l->cost.at[b * l->metrics + order->metric],
		                 l->cost.at[a * l->metrics + order->metric]);
	else if (order->by == PP_LINES_BY_HITS)
		c = (x->hits < y->hits) - (x->hits > y->hits);
	if (!c)
		c = pp_slice_cmp(pp_text_of(l->profile, x->file), pp_text_of(l->profile, y->file));
	return c ? c : (x->line > y->line) - (x->line < y->line);
}

bool
pp_linecost_sort(struct pp_linecost *l, enum pp_line_order by, size_t metric)
{
	struct order order = { l, by, metric };
	struct pp_line_cost *rows;
	union pp_value *cost;
	uint32_t *index;
	bool fine;
	size_t i, m;

	if (l->rows.n == 0)
		return true;
	index = malloc(l->rows.n * sizeof *index);
	rows = malloc(l->rows.n * sizeof *rows);
	cost = malloc((l->cost.n + 1) * sizeof *cost);
	fine = index && rows && cost;

	if (fine) {
		for (i = 0; i < l->rows.n; i++)
			index[i] = (uint32_t)i;
		qsort_r(index, l->rows.n, sizeof *index, compare_rows, &order);
		for (i = 0; i < l->rows.n; i++) {
			rows[i] = l->rows.at[index[i]];
			for (m = 0; m < l->metrics; m++)
				cost[i * l->metrics + m] = l->cost.at[index[i] * l->metrics + m];
		}
		memcpy(l->rows.at, rows, l->rows.n * sizeof *rows);
		for (i = 0; i < l->cost.n; i++)
			l->cost.at[i] = cost[i];
	}
	free(index);
	free(rows);
	free(cost);
	return fine;
}
