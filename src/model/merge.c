/*
 * Adding one profile to another: every id of `from` is translated, in order, so that the result is
 * what reading both inputs one after the other would have built.
 */
#include "model/merge.h"

/* Where each id of `from` went. */
struct id_maps {
	pp_str *str;
	pp_module *module;
	pp_func *func;
	pp_frame *frame;
	pp_node *node;
	uint32_t *metric; /* metric of `from` -> metric of `into` */
	uint32_t *series;
};

static void
maps_release(struct id_maps *maps)
{
	free(maps->str);
	free(maps->module);
	free(maps->func);
	free(maps->frame);
	free(maps->node);
	free(maps->metric);
	free(maps->series);
}

static bool
maps_init(struct id_maps *maps, const struct pp_profile *from)
{
	maps->str = calloc(from->strs.strs.n, sizeof *maps->str);
	maps->module = calloc(from->modules.n, sizeof *maps->module);
	maps->func = calloc(from->funcs.n, sizeof *maps->func);
	maps->frame = calloc(from->frames.n, sizeof *maps->frame);
	maps->node = calloc(from->tree.n, sizeof *maps->node);
	maps->metric = calloc(from->metrics.n + 1, sizeof *maps->metric);
	maps->series = calloc(from->series.n + 1, sizeof *maps->series);
	return maps->str && maps->module && maps->func && maps->frame && maps->node &&
	       maps->metric && maps->series;
}

static void
merge_names(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps)
{
	size_t i;

	for (i = 1; i < from->strs.strs.n; i++)
		maps->str[i] = pp_build_str(into, from->strs.strs.at[i]);
	for (i = 1; i < from->modules.n; i++) {
		struct pp_module_row row = from->modules.at[i];

		row.name = maps->str[row.name];
		row.build_id = maps->str[row.build_id];
		maps->module[i] = pp_build_module(into, &row);
	}
	for (i = 1; i < from->funcs.n; i++) {
		struct pp_func_row row = from->funcs.at[i];

		row.name = maps->str[row.name];
		row.file = maps->str[row.file];
		row.module = maps->module[row.module];
		maps->func[i] = pp_build_func(into, &row);
	}
	for (i = 1; i < from->frames.n; i++) {
		struct pp_frame_row row = from->frames.at[i];

		row.func = maps->func[row.func];
		row.file = maps->str[row.file];
		maps->frame[i] = pp_build_frame(into, &row);
	}
}

/* The series of `into` with the same properties, made when absent. */
static uint32_t
merge_series_of(struct pp_builder *into, const struct pp_series *from, const struct id_maps *maps)
{
	struct pp_series like = *from;
	size_t i;

	like.event = maps->str[from->event];
	like.process = maps->str[from->process];
	like.thread = maps->str[from->thread];
	like.context = maps->str[from->context];
	for (i = 0; i < into->profile->series.n; i++) {
		const struct pp_series *s = &into->profile->series.at[i];

		if (s->event == like.event && s->process == like.process &&
		    s->thread == like.thread && s->context == like.context && s->pid == like.pid &&
		    s->tid == like.tid && s->cpu == like.cpu && s->has_calls == like.has_calls)
			return (uint32_t)i;
	}
	return pp_build_series(into, &like, from->dense && into->profile->series.n == 0,
	                       from->has_calls);
}

/* Adds the cells [0, n) of metrics; false when a sum passes 64 bits. */
static bool
merge_cells(const struct pp_builder *into, const struct id_maps *maps, int64_t *to,
            const int64_t *from, size_t n)
{
	size_t m;

	for (m = 0; m < n; m++)
		if (!pp_cell_add(into->profile->metrics.at[maps->metric[m]].type,
		                 &to[maps->metric[m]], from[m]))
			return false;
	return true;
}

static bool
merge_rows(struct pp_builder *into, const struct pp_profile *from, const struct id_maps *maps)
{
	size_t i;
	uint32_t row;

	for (i = 0; i < from->series.n; i++) {
		const struct pp_series *s = &from->series.at[i];

		for (row = 0; row < s->rows; row++) {
			const int64_t *cells = pp_series_cells(s, row);
			int64_t *to;

			if (!pp_series_present(s, row))
				continue;
			to = pp_build_cells(into, maps->series[i],
			                    maps->node[pp_series_node(s, row)]);
			if (!to || !merge_cells(into, maps, to, cells, from->metrics.n))
				return false;
			if (s->has_calls && !pp_cell_add(PP_UINT, &to[into->profile->metrics.n],
			                                 cells[from->metrics.n]))
				return false;
		}
	}
	return true;
}

static bool
merge_edges(struct pp_builder *into, const struct pp_profile *from, const struct id_maps *maps)
{
	size_t i, n = from->metrics.n, stride = pp_edge_stride(from);

	for (i = 0; i < from->edges.n; i++) {
		struct pp_edge_row row = from->edges.at[i];
		const int64_t *cells = from->edge_cells.at + i * stride;
		int64_t *to;

		row.caller = maps->func[row.caller];
		row.callee = maps->func[row.callee];
		row.site_file = maps->str[row.site_file];
		row.series = from->series.n ? maps->series[row.series] : row.series;
		to = pp_build_edge(into, &row);
		if (!to || !pp_cell_add(PP_UINT, &to[0], cells[0]) ||
		    !merge_cells(into, maps, to + 1, cells + 1, n))
			return false;
		if (from->edge_own && into->profile->edge_own &&
		    !merge_cells(into, maps, to + 1 + n, cells + 1 + n, n))
			return false;
	}
	return true;
}

static bool
merge_lines(struct pp_builder *into, const struct pp_profile *from, const struct id_maps *maps)
{
	size_t i, stride = pp_line_stride(from);

	for (i = 0; i < from->lines.n; i++) {
		struct pp_line_row row = from->lines.at[i];
		const int64_t *cells = from->line_cells.at + i * stride;
		int64_t *to;

		row.func = maps->func[row.func];
		row.file = maps->str[row.file];
		row.series = from->series.n ? maps->series[row.series] : row.series;
		to = pp_build_line(into, &row);
		if (!to)
			return false;
		if (from->line_hits && into->profile->line_hits &&
		    !pp_cell_add(PP_UINT, &to[0], cells[0]))
			return false;
		if (!merge_cells(into, maps, to + into->profile->line_hits, cells + from->line_hits,
		                 from->metrics.n))
			return false;
	}
	return true;
}

/* What the reader added up per function; the whole (0) stays the whole. */
static bool
merge_funcs(struct pp_builder *into, const struct pp_profile *from, const struct id_maps *maps)
{
	size_t n = from->metrics.n, stride = pp_func_stride(from), i;

	if (from->flat_source != PP_FLAT_FUNCS || into->profile->flat_source != PP_FLAT_FUNCS) {
		if (into->profile->flat_source == PP_FLAT_FUNCS)
			into->profile->flat_source = PP_FLAT_TREE;
		return true;
	}
	for (i = 0; i < from->func_cells.n / stride; i++) {
		const int64_t *cells = from->func_cells.at + i * stride;
		int64_t *to = pp_build_func_cells(into, maps->func[i]);

		if (!to || !pp_cell_add(PP_UINT, &to[0], cells[0]) ||
		    !merge_cells(into, maps, to + 1, cells + 1, n) ||
		    !merge_cells(into, maps, to + 1 + n, cells + 1 + n, n))
			return false;
	}
	return true;
}

/* Finds each metric of `from` in `into`; false when one is missing or means something else. */
static bool
match_metrics(const struct pp_profile *into, const struct pp_profile *from, uint32_t *map)
{
	size_t i, k;

	if (into->metrics.n != from->metrics.n)
		return false;
	for (i = 0; i < from->metrics.n; i++) {
		const struct pp_metric *m = &from->metrics.at[i];

		for (k = 0; k < into->metrics.n; k++) {
			const struct pp_metric *own = &into->metrics.at[k];

			if (pp_slice_eq(pp_text_of(into, own->name), pp_text_of(from, m->name)) &&
			    pp_slice_eq(pp_text_of(into, own->event), pp_text_of(from, m->event)))
				break;
		}
		if (k == into->metrics.n || into->metrics.at[k].type != m->type ||
		    into->metrics.at[k].scale != m->scale ||
		    into->metrics.at[k].factor_num != m->factor_num ||
		    into->metrics.at[k].factor_den != m->factor_den)
			return false;
		map[i] = (uint32_t)k;
	}
	return true;
}

/* Adds a profile with the same metrics; false with the builder still fine: a sum passed 64 bits. */
static bool
merge_profile(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps)
{
	size_t i;

	merge_names(into, from, maps);
	for (i = 0; i < from->series.n; i++)
		maps->series[i] = merge_series_of(into, &from->series.at[i], maps);
	if (!pp_builder_ok(into))
		return false;
	if (!pp_tree_merge(&into->profile->tree, &from->tree, maps->frame, from->frames.n,
	                   maps->node)) {
		pp_builder_fail(into, PP_E_NOMEM, NULL);
		return false;
	}
	for (i = 0; i < from->sources.n; i++)
		pp_build_source(into, maps->str[from->sources.at[i].file], from->sources.at[i].line,
		                pp_text_of(from, from->sources.at[i].text));
	into->profile->events += from->events;
	into->profile->samples += from->samples;
	into->profile->complete = into->profile->complete && from->complete;
	into->profile->holds |= from->holds;
	return merge_rows(into, from, maps) && merge_edges(into, from, maps) &&
	       merge_lines(into, from, maps) && merge_funcs(into, from, maps);
}

bool
pp_builder_merge(struct pp_builder *into, const struct pp_builder *from)
{
	struct id_maps maps = { 0 };
	bool ok;

	if (!pp_builder_ok(into) || !maps_init(&maps, from->profile)) {
		pp_builder_fail(into, PP_E_NOMEM, NULL);
		maps_release(&maps);
		return false;
	}
	ok = match_metrics(into->profile, from->profile, maps.metric) &&
	     merge_profile(into, from->profile, &maps);
	maps_release(&maps);
	return ok;
}

/* An empty profile of the same kind as `model`. */
static void
start_like(struct pp_builder *b, const struct pp_profile *model)
{
	struct pp_profile *p = b->profile;
	size_t i;

	p->format = model->format;
	p->variant = pp_build_str(b, pp_text_of(model, model->variant));
	p->producer = pp_build_str(b, pp_text_of(model, model->producer));
	p->flat_source = model->flat_source;
	p->edge_own = model->edge_own;
	p->edge_self_repeats = model->edge_self_repeats;
	p->line_hits = model->line_hits;
	p->estimated = model->estimated;
	for (i = 0; i < model->metrics.n; i++) {
		struct pp_metric m = model->metrics.at[i];

		m.name = pp_build_str(b, pp_text_of(model, m.name));
		m.title = pp_build_str(b, pp_text_of(model, m.title));
		m.event = pp_build_str(b, pp_text_of(model, m.event));
		m.unit = pp_build_str(b, pp_text_of(model, m.unit));
		(void)pp_build_metric(b, &m);
	}
}

pp_status
pp_profile_merge(struct pp_profile *const *profiles, size_t n, const struct pp_limits *limits,
                 struct pp_profile **out)
{
	struct pp_limits complete = pp_limits_complete(limits);
	struct pp_builder b;
	pp_status status = PP_OK;
	size_t i;

	*out = NULL;
	if (n == 0)
		return PP_E_USAGE;
	if (!pp_builder_init(&b, &complete, 0, profiles[0]->strs.seed, &pp_pages_plain))
		return PP_E_NOMEM;
	start_like(&b, profiles[0]);
	for (i = 0; i < n && status == PP_OK; i++) {
		struct id_maps maps = { 0 };

		if (!maps_init(&maps, profiles[i]))
			status = PP_E_NOMEM;
		else if (!match_metrics(b.profile, profiles[i], maps.metric))
			status = PP_E_USAGE;
		else if (!merge_profile(&b, profiles[i], &maps))
			status = pp_builder_ok(&b) ? PP_E_LIMIT : b.status;
		maps_release(&maps);
	}
	if (status == PP_OK)
		status = pp_builder_finish(&b, out);
	pp_builder_release(&b);
	return status;
}
