/*
 * Two call trees as one.
 */
#include "analysis/diff.h"
#include "analysis/reshape.h"
#include "model/builder.h"

struct uniting {
	const struct pp_diff *d;
	struct pp_builder b;
	pp_frame *frame_of_group;
};

/* The frame of a group: named like the function after, or before when it is gone. */
static void
frame_make(struct uniting *u, uint32_t group, const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[p->funcs.at[func].same];
	struct pp_module_row module = p->modules.at[f->module];
	struct pp_func_row row = { .line = f->line, .column = f->column, .flags = f->flags };
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

/* Adds one side's stacks and own costs; false when a sum exceeds 64 bits or on failure. */
static bool
side_add(struct uniting *u, size_t side, const struct pp_taking *as)
{
	const struct pp_profile *p = u->d->input[side][0].profile;
	pp_frame *frames = calloc(p->frames.n, sizeof *frames);
	bool fine;
	size_t i;

	for (i = 1; frames && i < p->frames.n; i++)
		frames[i] = u->frame_of_group[u->d->keys[side][0][p->frames.at[i].func]];
	fine = pp_taking_add(&u->b, (uint32_t)side, as, frames);
	free(frames);
	return fine;
}

/* Metric 2 of each node: how far its own cost moved. */
static void
changes_fill(struct uniting *u)
{
	const struct pp_metric *m = &u->b.profile->metrics.at[0];
	struct pp_series *s = &u->b.profile->series.at[0];
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

pp_status
pp_diff_union(const struct pp_diff *d, bool with_change, struct pp_profile **out)
{
	const struct pp_profile *before = d->input[PP_BEFORE][0].profile;
	const struct pp_profile *after = d->input[PP_AFTER][0].profile;
	struct pp_taking as[] = {
		{ .profile = before, .metric = d->input[PP_BEFORE][0].metric, .factor = 1 },
		{ .profile = after, .metric = d->input[PP_AFTER][0].metric, .factor = d->scale }
	};
	struct uniting u = { .d = d };
	struct pp_metric_join join;
	bool fine;

	*out = NULL;
	if (d->runs[0] > 1 || d->runs[1] > 1 ||
	    !pp_metric_join(&before->metrics.at[as[0].metric], &after->metrics.at[as[1].metric],
	                    &join) ||
	    ((before->tree.n <= 1 || after->tree.n <= 1) &&
	     before->lines.rows.n + before->calls.rows.n + after->lines.rows.n +
	             after->calls.rows.n >
	         0))
		return PP_E_UNSUPPORTED;
	/* What is scaled are doubles. */
	as[0].real = as[1].real = d->scale != 1.0 || d->metric.type == PP_REAL;
	as[0].to = as[1].to = &d->metric;
	as[0].mul = join.mul_a;
	as[1].mul = join.mul_b;
	if (!pp_taking_start(&u.b, as, 2))
		return PP_E_NOMEM;
	u.frame_of_group = calloc(d->identity.groups.n + 1, sizeof *u.frame_of_group);
	if (!u.frame_of_group)
		pp_builder_fail(&u.b, PP_E_NOMEM, NULL);
	pp_taking_metric(&u.b, &as[0], "before", 0);
	pp_taking_metric(&u.b, &as[0], "after", PP_METRIC_PRIMARY);
	if (with_change)
		pp_taking_metric(&u.b, &as[0], "change", 0);
	(void)pp_build_series_plain(&u.b, true, false);
	if (pp_builder_ok(&u.b))
		frames_make(&u);
	fine = pp_builder_ok(&u.b) && side_add(&u, PP_BEFORE, &as[0]) &&
	       side_add(&u, PP_AFTER, &as[1]);
	if (fine && with_change)
		changes_fill(&u);
	free(u.frame_of_group);
	return pp_taking_finish(&u.b, fine, out);
}
