/*
 * Metrics that fall: what they gained, and profiles without that.
 */
#include "model/derive.h"
#include "model/schema.h"

bool
pp_profile_falls(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->metrics.n && !pp_metric_falls(&p->metrics.at[i]); i++)
		;
	return i < p->metrics.n;
}

union pp_value
pp_value_gained(const struct pp_metric *m, union pp_value net, union pp_value gained)
{
	union pp_value zero = pp_value_zero(m);

	if (!pp_metric_falls(m))
		return net;
	net = pp_value_cmp(m, net, zero) > 0 ? net : zero;
	return pp_value_cmp(m, gained, net) > 0 ? gained : net;
}

union pp_value
pp_values_gained(const struct pp_profile *p, const union pp_value *values, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	size_t known = pp_metric_gained(p, metric);

	return pp_value_gained(m, values[metric],
	                       known < p->metrics.n ? values[known] : pp_value_zero(m));
}

size_t
pp_metric_gained(const struct pp_profile *p, size_t metric)
{
	size_t i;

	for (i = pp_metrics_shown(p); i < p->metrics.n; i++)
		if (p->metrics.at[i].net == metric &&
		    !(p->metrics.at[i].flags & (PP_METRIC_UNSURE | PP_METRIC_LEAST)))
			return i;
	return p->metrics.n;
}

bool
pp_profile_has_gains(const struct pp_profile *p)
{
	size_t i, shown = pp_metrics_shown(p);

	for (i = 0; i < shown && pp_metric_gained(p, i) == p->metrics.n; i++)
		;
	return i < shown;
}

bool
pp_gains_settle(const struct pp_profile *p, struct pp_metric *m)
{
	size_t i, shown = pp_metrics_shown(p), k;

	if (!(m->flags & PP_METRIC_GAINED))
		return shown == p->metrics.n;
	for (i = 0; i < shown; i++) {
		const struct pp_metric *net = &p->metrics.at[i];

		if (net->name != m->name || net->event != m->event || net->type != m->type ||
		    !pp_metric_falls(net))
			continue;
		for (k = shown; k < p->metrics.n && p->metrics.at[k].net != i; k++)
			;
		if (k == p->metrics.n)
			break;
	}
	m->net = (uint32_t)i;
	return i < shown;
}

uint64_t
pp_gains_hidden(const struct pp_profile *p, size_t metric)
{
	size_t gained = pp_metric_gained(p, metric), i;
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value zero = pp_value_zero(m), net, all;
	uint64_t n = 0;
	uint32_t row;

	for (i = 0; gained < p->metrics.n && i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++) {
			const struct pp_series *s = &p->series.at[i];

			if (!pp_series_present(s, row))
				continue;
			net = pp_cell_value(m, pp_series_cell(s, row, (uint32_t)metric));
			all = pp_cell_value(m, pp_series_cell(s, row, (uint32_t)gained));
			net = pp_value_cmp(m, net, zero) > 0 ? net : zero;
			n += pp_value_cmp(m, all, net) != 0;
		}
	return n;
}

size_t
pp_metric_of_shares(const struct pp_profile *p, size_t metric)
{
	size_t i = pp_metric_gained(p, metric);

	if (i < p->metrics.n)
		return i;
	for (i = pp_metrics_shown(p); i < p->metrics.n; i++)
		if (p->metrics.at[i].net == metric && p->metrics.at[i].flags & PP_METRIC_LEAST)
			return i;
	return metric;
}

/* ---- where no steps are known ---- */

/* A cell of a series' block; NULL when out of memory. */
static int64_t *
block_cell(const struct pp_cell_block *b, size_t row, size_t column)
{
	return *b->wide ? pp_wide_at(*b->wide, row, (uint32_t)column)
	                : &(*b->cells)[row * b->stride + column];
}

/* Of a series that has measured totals as well: what a node gained with all below it. */
static bool
least_measure(struct pp_profile *p, size_t at, size_t metric)
{
	const struct pp_series *s = &p->series.at[at];
	const struct pp_cell_block b = pp_cell_block(p, at);
	enum pp_cell_type type = p->metrics.at[metric].type;
	int64_t *sums = calloc(p->tree.n, sizeof *sums), *cell = sums;
	uint32_t row, node;

	for (row = 0; sums && row < s->rows; row++)
		(void)pp_cell_add(type, &sums[pp_series_node(s, row)],
		                  pp_series_cell(s, row, (uint32_t)metric));
	/* Sums that do not fit stay what they were. */
	for (node = p->tree.n; sums && node-- > 1;)
		(void)pp_cell_add(type, &sums[pp_tree_parent(&p->tree, node)], sums[node]);
	for (row = 0; cell && row < s->rows; row++) {
		cell = block_cell(&b, row, b.set[1] + metric);
		if (cell)
			*cell = sums[pp_series_node(s, row)];
	}
	free(sums);
	return cell != NULL;
}

/* Fills the cells of a metric with what is left in those of another one, where that is more than nothing. */
static bool
least_fill(struct pp_profile *p, size_t from, size_t to)
{
	bool fine = true;
	size_t i;
	uint32_t row;

	for (i = 0; i < p->series.n && fine; i++) {
		const struct pp_series *s = &p->series.at[i];
		const struct pp_cell_block b = pp_cell_block(p, i);

		for (row = 0; row < s->rows && fine; row++) {
			int64_t left = pp_cell_gained(p->metrics.at[from].type,
			                              pp_series_cell(s, row, (uint32_t)from));
			int64_t *cell = left ? block_cell(&b, row, b.set[0] + to) : &left;

			fine = cell != NULL;
			if (fine)
				*cell = left;
		}
		if (fine && s->measured)
			fine = least_measure(p, i, to);
	}
	return fine;
}

pp_status
pp_gains_least(const struct pp_profile *p, size_t metric, struct pp_profile **out)
{
	const unsigned columns = PP_COLUMN_METRICS | PP_COLUMN_ROWS | PP_COLUMN_CALLS |
	                         PP_COLUMN_LINES | PP_COLUMN_COSTS | PP_COLUMN_NOT_OWN;
	struct pp_metric least;
	struct pp_derive d;
	bool fine;

	*out = NULL;
	if (metric >= p->metrics.n || p->tree.n <= 1 || !pp_metric_falls(&p->metrics.at[metric]) ||
	    pp_metric_of_shares(p, metric) != metric)
		return PP_OK;
	if (!pp_derive_init(&d, p, columns, 0))
		return PP_E_NOMEM;
	least = p->metrics.at[metric];
	least.flags &= ~(unsigned)(PP_METRIC_PRIMARY | PP_METRIC_SIGNED);
	least.flags |= PP_METRIC_GAINED | PP_METRIC_LEAST;
	least.net = (uint32_t)metric;
	fine = pp_profile_widen(d.to, &least) && least_fill(d.to, metric, d.to->metrics.n - 1);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

/* ---- without what was gained ---- */

static void
costs_narrow(struct pp_costs_facet *costs, size_t shown, size_t all)
{
	size_t i, n = 0;

	for (i = 0; i < costs->cells.n; i++)
		if (i % all < shown)
			costs->cells.at[n++] = costs->cells.at[i];
	costs->cells.n = n;
	if (costs->unfiltered.n > shown)
		costs->unfiltered.n = shown;
}

/* Drops all cells of the last metrics, which gains are. */
static bool
cells_narrow(struct pp_profile *p, size_t shown)
{
	bool *stays = calloc(p->metrics.n + 1, sizeof *stays), fine;
	uint32_t *new_of = calloc(p->metrics.n + 1, sizeof *new_of);
	size_t i;

	fine = stays && new_of;
	for (i = 0; fine && i < p->metrics.n; i++) {
		stays[i] = i < shown;
		new_of[i] = i < shown ? (uint32_t)i : PP_NO_COLUMN;
	}
	for (i = 0; fine && i < pp_cell_blocks(p); i++)
		fine = pp_cells_choose(pp_cell_block(p, i), stays, p->metrics.n, NULL);
	if (fine && p->costs.wide)
		pp_wide_rename(p->costs.wide, new_of);
	free(stays);
	free(new_of);
	return fine;
}

pp_status
pp_gains_drop(const struct pp_profile *p, struct pp_profile **out)
{
	const unsigned columns = PP_COLUMN_METRICS | PP_COLUMN_ROWS | PP_COLUMN_CALLS |
	                         PP_COLUMN_LINES | PP_COLUMN_COSTS | PP_COLUMN_NOT_OWN;
	size_t shown = pp_metrics_shown(p), gains = p->metrics.n - shown, i, n = 0;
	struct pp_derive d;

	if (!pp_derive_init(&d, p, columns, 0))
		return PP_E_NOMEM;
	if (!cells_narrow(d.to, shown))
		return pp_derive_finish(&d, PP_E_NOMEM, out);
	for (i = 0; i < d.to->series.n; i++)
		d.to->series.at[i].stride -= (uint32_t)gains << d.to->series.at[i].measured;
	costs_narrow(&d.to->costs, shown, p->metrics.n);
	for (i = 0; i < d.to->not_own.n; i++)
		if (d.to->not_own.at[i].metric < shown)
			d.to->not_own.at[n++] = d.to->not_own.at[i];
	d.to->not_own.n = n;
	d.to->metrics.n = shown;
	return pp_derive_finish(&d, PP_OK, out);
}
