/*
 * Two call trees as one.
 */
#include "analysis/diff.h"
#include "model/builder.h"

struct uniting {
	const struct pp_diff *d;
	struct pp_builder b;
	pp_frame *frame_of_group;
	uint32_t series;
	bool real; /* values are scaled, so doubles */
};

/* The frame of a group: named like the function after, or before when it is gone. */
static void
frame_make(struct uniting *u, uint32_t group, const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[p->funcs.at[func].same];
	struct pp_module_row module = p->modules.at[f->module];
	struct pp_func_row row = { .line = f->line, .flags = f->flags };
	struct pp_frame_row frame = { 0 };

	row.name = pp_build_str(&u->b, pp_text_of(p, f->name));
	row.file = pp_build_str(&u->b, pp_text_of(p, f->file));
	if (f->module) {
		module.name = pp_build_str(&u->b, pp_text_of(p, module.name));
		module.build_id = pp_build_str(&u->b, pp_text_of(p, module.build_id));
		row.module = pp_build_module(&u->b, &module);
	}
	frame.func = pp_build_func(&u->b, &row);
	u->frame_of_group[group] = pp_build_frame(&u->b, &frame);
}

static void
frames_make(struct uniting *u)
{
	size_t side, i;

	/* After first: its spelling is the one people have at hand. */
	for (side = 2; side-- > 0;) {
		const struct pp_profile *p = u->d->input[side][0].profile;
		const uint32_t *key = u->d->keys[side][0];

		for (i = 1; i < p->frames.n && pp_builder_ok(&u->b); i++) {
			pp_func func = p->frames.at[i].func;

			if (!u->frame_of_group[key[func]])
				frame_make(u, key[func], p, func);
		}
	}
}

static int64_t
cell_of(const struct uniting *u, size_t side, const struct pp_metric *m, int64_t mul, int64_t cell)
{
	double value = pp_value_double(m, pp_cell_value(m, cell));

	if (u->real)
		return pp_cell_real(side == PP_AFTER ? value * u->d->scale : value);
	return (int64_t)pp_value_convert(m, &u->d->metric, mul, pp_cell_value(m, cell)).i;
}

/* Adds one side's stacks and own costs; false when a sum passes 64 bits or on failure. */
static bool
side_add(struct uniting *u, size_t side, int64_t mul)
{
	const struct pp_profile *p = u->d->input[side][0].profile;
	size_t metric = u->d->input[side][0].metric, i;
	const uint32_t *key = u->d->keys[side][0];
	pp_node *to = calloc(p->tree.n, sizeof *to);
	bool fine = to != NULL;
	pp_node node;
	uint32_t row;

	for (node = 1; fine && node < p->tree.n; node++) {
		pp_func func = p->frames.at[pp_tree_frame(&p->tree, node)].func;

		to[node] = pp_build_child(&u->b, to[pp_tree_parent(&p->tree, node)],
		                          u->frame_of_group[key[func]]);
		fine = pp_builder_ok(&u->b);
	}
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; fine && row < s->rows; row++)
			if (pp_series_present(s, row))
				fine = pp_build_add(&u->b, u->series, to[pp_series_node(s, row)],
				                    (uint32_t)side,
				                    cell_of(u, side, &p->metrics.at[metric], mul,
				                            pp_series_cells(s, row)[metric]));
	}
	free(to);
	return fine;
}

/* Metric 2 of each node: how far its own cost moved. */
static void
changes_fill(struct uniting *u)
{
	const struct pp_metric *m = &u->b.profile->metrics.at[0];
	struct pp_series *s = &u->b.profile->series.at[u->series];
	uint32_t row;

	for (row = 0; row < s->rows; row++) {
		int64_t *cells = s->cells + (size_t)row * s->stride;

		if (m->type == PP_REAL) {
			double a, b;

			memcpy(&b, &cells[0], sizeof b);
			memcpy(&a, &cells[1], sizeof a);
			cells[2] = pp_cell_real(a > b ? a - b : b - a);
		} else {
			uint64_t a = (uint64_t)cells[1], b = (uint64_t)cells[0];
			bool up = m->type == PP_UINT ? a > b : cells[1] > cells[0];

			cells[2] = (int64_t)(up ? a - b : b - a);
		}
	}
}

static void
metrics_make(struct uniting *u, bool with_change)
{
	static const char *const names[] = { "before", "after", "change" };
	const struct pp_profile *p = u->d->input[PP_BEFORE][0].profile;
	size_t i;

	for (i = 0; i < (with_change ? 3u : 2u); i++) {
		struct pp_metric m = u->d->metric;

		m.name = pp_build_strz(&u->b, names[i]);
		m.title = m.event = 0;
		m.unit = pp_build_str(&u->b, pp_text_of(p, u->d->metric.unit));
		m.flags &= ~(unsigned)PP_METRIC_PRIMARY;
		m.flags |= i == PP_AFTER ? PP_METRIC_PRIMARY : 0u;
		if (u->real) {
			m.type = PP_REAL;
			m.scale = 0;
			m.factor_num = m.factor_den = 0;
		}
		(void)pp_build_metric(&u->b, &m);
	}
}

pp_status
pp_diff_union(const struct pp_diff *d, bool with_change, struct pp_profile **out)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	const struct pp_profile *before = d->input[PP_BEFORE][0].profile;
	const struct pp_profile *after = d->input[PP_AFTER][0].profile;
	struct uniting u = { .d = d, .real = d->scale != 1.0 || d->metric.type == PP_REAL };
	struct pp_metric_join join;
	pp_status status;
	bool fine;

	*out = NULL;
	if (d->runs[0] > 1 || d->runs[1] > 1 ||
	    !pp_metric_join(&before->metrics.at[d->input[PP_BEFORE][0].metric],
	                    &after->metrics.at[d->input[PP_AFTER][0].metric], &join) ||
	    ((before->tree.n <= 1 || after->tree.n <= 1) &&
	     before->lines.rows.n + before->calls.rows.n + after->lines.rows.n +
	             after->calls.rows.n >
	         0))
		return PP_E_UNSUPPORTED;
	if (!pp_builder_init(&u.b, &limits, NULL, before->strs.seed, &pp_pages_plain))
		return PP_E_NOMEM;
	u.frame_of_group = calloc(d->identity.groups.n + 1, sizeof *u.frame_of_group);
	if (!u.frame_of_group)
		pp_builder_fail(&u.b, PP_E_NOMEM, NULL);
	u.b.profile->format = after->format;
	u.b.profile->facets = PP_TREE; /* though it may be empty */
	u.b.profile->complete = before->complete && after->complete;
	u.b.profile->estimated = before->estimated || after->estimated;
	metrics_make(&u, with_change);
	u.series = pp_build_series_plain(&u.b, true, false);
	if (pp_builder_ok(&u.b))
		frames_make(&u);
	fine = pp_builder_ok(&u.b) && side_add(&u, PP_BEFORE, join.mul_a) &&
	       side_add(&u, PP_AFTER, join.mul_b);
	if (fine && with_change)
		changes_fill(&u);
	status = fine ? pp_builder_finish(&u.b, out)
	              : (pp_builder_ok(&u.b) ? PP_E_LIMIT : u.b.status);
	free(u.frame_of_group);
	pp_builder_release(&u.b);
	return status;
}
