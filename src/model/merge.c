/*
 * Adding one profile to another: every id of `from` is translated, in order, so that the result is
 * what reading both inputs one after the other would have built.
 */
#include "model/merge.h"

#include "model/derive.h"

#include "model/flat.h"
#include "model/schema.h"
#include "model/series_find.h"

/* Where each id of `from` went. */
struct id_maps {
	uint32_t *id[PP_REFERS]; /* by what refers; series are NULL where there are none */
	struct pp_metric_way *metric;
	/* What was being added last, to tell where a sum passed 64 bits: of `from`, metrics.n = calls. */
	pp_func at_func;
	size_t at_metric;
	bool joined; /* a series went to that of another thread, as there are too many */
};

static void
maps_release(struct id_maps *maps)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(maps->id); i++)
		free(maps->id[i]);
	free(maps->metric);
}

static bool
maps_init(struct id_maps *maps, const struct pp_profile *from)
{
	const size_t sizes[PP_REFERS] = {
		[PP_TO_STR] = from->strs.strs.n,     [PP_TO_MODULE] = from->modules.n,
		[PP_TO_FUNC] = from->funcs.n,        [PP_TO_FRAME] = from->frames.n,
		[PP_TO_NODE] = from->tree.n,         [PP_TO_SERIES] = from->series.n,
		[PP_TO_LABELS] = from->labels.n + 1,
	};
	bool ok = true;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(sizes); i++)
		if (sizes[i])
			ok = (maps->id[i] = calloc(sizes[i], sizeof *maps->id[i])) && ok;
	maps->metric = calloc(from->metrics.n + 1, sizeof *maps->metric);
	return ok && maps->metric;
}

/* A row of a table with all that it refers to translated. */
static void
translate(const struct id_maps *maps, enum pp_table_id table, void *row)
{
	pp_table_translate(table, row, (const uint32_t *const *)maps->id);
}

static void
merge_names(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps)
{
	size_t i;

	for (i = 1; i < from->strs.strs.n; i++)
		maps->id[PP_TO_STR][i] = pp_build_str(into, from->strs.strs.at[i]);
	for (i = 1; i < from->modules.n; i++) {
		struct pp_module_row row = from->modules.at[i];

		translate(maps, PP_TABLE_MODULES, &row);
		maps->id[PP_TO_MODULE][i] = pp_build_module(into, &row);
	}
	for (i = 1; i < from->funcs.n; i++) {
		struct pp_func_row row = from->funcs.at[i];

		translate(maps, PP_TABLE_FUNCS, &row);
		maps->id[PP_TO_FUNC][i] = pp_build_func(into, &row);
	}
	for (i = 1; i < from->frames.n; i++) {
		struct pp_frame_row row = from->frames.at[i];

		translate(maps, PP_TABLE_FRAMES, &row);
		maps->id[PP_TO_FRAME][i] = pp_build_frame(into, &row);
	}
}

/* The series of `into` with the same properties, made when absent and there are not too many. */
static uint32_t
merge_series_of(struct pp_builder *into, const struct pp_series *from, struct id_maps *maps,
                struct pp_series_finder *finder, size_t most)
{
	struct pp_series like = *from;
	uint32_t found;
	size_t i;

	translate(maps, PP_TABLE_SERIES, &like);
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
	return pp_build_series(into, &like, from->dense && into->profile->series.n == 0,
	                       from->has_calls);
}

/* Adds the cells [0, n) of metrics; false when a sum exceeds 64 bits. */
static bool
merge_cells(const struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps,
            int64_t *to, const int64_t *cells)
{
	size_t m;

	for (m = 0; m < from->metrics.n; m++) {
		const struct pp_metric_way *way = &maps->metric[m];
		const struct pp_metric *metric = &into->profile->metrics.at[way->to];
		int64_t cell = cells[m];

		maps->at_metric = m;
		if (way->converts &&
		    !pp_cell_convert(&from->metrics.at[m], metric, way->mul, &cell))
			return false;
		if (!pp_cell_add(metric->type, &to[way->to], cell))
			return false;
	}
	return true;
}

/* Adds a number of calls or hits; false when the sum exceeds 64 bits. */
static bool
merge_calls(const struct pp_profile *from, struct id_maps *maps, int64_t *to, int64_t calls)
{
	maps->at_metric = from->metrics.n;
	return pp_cell_add(PP_UINT, to, calls);
}

/* Adds a row to another; false when a sum exceeds 64 bits (what was added before that stays added). */
static bool
merge_row(const struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps,
          const struct pp_series *s, uint32_t row, int64_t *to)
{
	const int64_t *cells = pp_series_cells(s, row);

	maps->at_func = pp_node_func(from, pp_series_node(s, row));
	return merge_cells(into, from, maps, to, cells) &&
	       (!s->measured ||
	        merge_cells(into, from, maps, to + into->profile->metrics.n + s->has_calls,
	                    pp_series_measured(from, s, row))) &&
	       (!s->has_calls ||
	        merge_calls(from, maps, &to[into->profile->metrics.n], cells[from->metrics.n]));
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
	return pp_build_series(into, &like, false, like.has_calls);
}

/*
 * Adds a row of `from` to its node, keeping what was there in `before`. With `spill`, a sum that passes 64
 * bits goes on in the next series like it: totals are 128 bits wide.
 */
static bool
merge_row_at(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps,
             size_t series, uint32_t row, int64_t *before, bool spill)
{
	const struct pp_series *s = &from->series.at[series];
	uint32_t at = maps->id[PP_TO_SERIES][series];
	size_t known = into->profile->series.n;

	for (;; at = series_like(into, at)) {
		int64_t *to = pp_build_cells(into, at,
		                             maps->id[PP_TO_NODE][pp_series_node(s, row)]);
		const struct pp_series *t = &into->profile->series.at[at];

		if (!to)
			return false;
		memcpy(before, to, t->stride * sizeof *to);
		if (merge_row(into, from, maps, s, row, to))
			return true;
		/* What an empty row cannot hold, none can. */
		if (!spill || at >= known)
			return false;
		memcpy(to, before, t->stride * sizeof *to);
	}
}

static bool
merge_rows(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps, bool spill)
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
static bool
merge_not_own(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps)
{
	size_t i;

	for (i = 0; i < from->not_own.n; i++) {
		struct pp_not_own_row row = from->not_own.at[i];
		const struct pp_metric_way *way = &maps->metric[row.metric];

		if (way->converts &&
		    !pp_cell_convert(&from->metrics.at[row.metric],
		                     &into->profile->metrics.at[way->to], way->mul, &row.cell))
			return false;
		translate(maps, PP_TABLE_NOT_OWN, &row);
		row.metric = way->to;
		if (!pp_vec_push(&into->profile->not_own, row)) {
			pp_builder_fail(into, PP_E_NOMEM, NULL);
			return false;
		}
	}
	return true;
}

/* What the other states of functions; a cost that does not fit is none. */
static bool
merge_facts(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps)
{
	size_t i;

	for (i = 0; i < from->calls.facts.n && pp_builder_ok(into); i++) {
		struct pp_fact_row row = from->calls.facts.at[i];
		const struct pp_metric_way *way = &maps->metric[row.metric];
		const struct pp_metric *was = &from->metrics.at[row.metric];

		translate(maps, PP_TABLE_FACTS, &row);
		row.metric = way->to;
		if (way->converts && !pp_cell_convert(was, &into->profile->metrics.at[way->to],
		                                      way->mul, &row.recursive))
			row.recursive = 0;
		if (!pp_vec_push(&into->profile->calls.facts, row))
			pp_builder_fail(into, PP_E_NOMEM, NULL);
	}
	return pp_builder_ok(into);
}

static bool
merge_edges(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps)
{
	size_t i, n = from->metrics.n, wide = into->profile->metrics.n;
	const int64_t *cells = from->calls.cells.at;
	bool own = from->calls.own && into->profile->calls.own;

	for (i = 0; i < from->calls.rows.n; i++, cells += pp_edge_stride(from)) {
		struct pp_edge_row row = from->calls.rows.at[i];
		int64_t *to;

		maps->at_func = row.callee;
		translate(maps, PP_TABLE_CALLS, &row);
		to = pp_build_edge(into, &row);
		if (!to || !merge_calls(from, maps, to, cells[0]) ||
		    !merge_cells(into, from, maps, to + 1, cells + 1) ||
		    (own && !merge_cells(into, from, maps, to + 1 + wide, cells + 1 + n)))
			return false;
	}
	return true;
}

static bool
merge_lines(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps)
{
	size_t i, hits = into->profile->lines.hits;
	const int64_t *cells = from->lines.cells.at;

	for (i = 0; i < from->lines.rows.n; i++, cells += pp_line_stride(from)) {
		struct pp_line_row row = from->lines.rows.at[i];
		int64_t *to;

		maps->at_func = row.func;
		translate(maps, PP_TABLE_LINES, &row);
		to = pp_build_line(into, &row);
		if (!to || (hits && from->lines.hits && !merge_calls(from, maps, to, cells[0])) ||
		    !merge_cells(into, from, maps, to + hits, cells + from->lines.hits))
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

#define WHOLE SIZE_MAX

/* Adds a row to the costs of its function, or the whole to those of the whole. */
static bool
merge_costs(struct pp_builder *into, const struct pp_flat *flat, struct id_maps *maps, size_t row)
{
	const struct pp_profile *from = flat->profile;
	pp_func func = row == WHOLE ? 0 : flat->func[row];
	uint64_t calls = row == WHOLE ? 0 : flat->calls[row];
	struct pp_func_costs to;
	size_t m;

	maps->at_func = func;
	if (!pp_build_func_costs(into, maps->id[PP_TO_FUNC][func], &to) ||
	    !merge_calls(from, maps, (int64_t *)to.calls, (int64_t)calls))
		return false;
	for (m = 0; m < from->metrics.n; m++) {
		const struct pp_metric_way *way = &maps->metric[m];
		const struct pp_metric *metric = &into->profile->metrics.at[way->to];

		struct pp_cost_pair cost = { 0 };

		if (row == WHOLE)
			cost.total = flat->whole[m];
		else
			cost = pp_flat_get(flat, row, m);
		if (row != WHOLE)
			pp_value_add(metric, &to.own[way->to],
			             merge_value(from, m, metric, way, cost.own));
		pp_value_add(metric, &to.total[way->to],
		             merge_value(from, m, metric, way, cost.total));
	}
	return true;
}

/* The costs of functions, as whatever they are known by tells them, and of the whole. */
static bool
costs_of(const struct pp_profile *p, struct pp_flat *flat)
{
	if (pp_flat_compute(p, flat) != PP_OK)
		return false;
	free(flat->whole);
	flat->whole = pp_profile_totals(p);
	if (!flat->whole)
		pp_flat_release(flat);
	return flat->whole != NULL;
}

/* Adds them; the whole (0) stays the whole. Frees `flat`. */
static bool
merge_flat(struct pp_builder *into, struct pp_flat *flat, struct id_maps *maps)
{
	bool ok = merge_costs(into, flat, maps, WHOLE);
	size_t i;

	for (i = 0; ok && i < flat->n; i++)
		ok = merge_costs(into, flat, maps, i);
	pp_flat_release(flat);
	return ok;
}

static bool
merge_funcs(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps)
{
	struct pp_flat flat;

	if (!into->profile->costs.stated)
		return true;
	if (costs_of(from, &flat))
		return merge_flat(into, &flat, maps);
	pp_builder_fail(into, PP_E_NOMEM, NULL);
	return false;
}

/* Names, series and nodes of a profile; false on failure. */
static bool
merge_shape(struct pp_builder *into, const struct pp_profile *from, struct id_maps *maps,
            const struct pp_merge *m)
{
	size_t most_series = m ? PP_MERGE_SERIES : SIZE_MAX;
	struct pp_series_finder finder = { .index = { .seed = into->seed } };
	size_t i;

	merge_names(into, from, maps);
	pp_labels_merge(into, from, maps->id[PP_TO_STR], m ? m->label_keys : NULL,
	                m ? m->label_key_count : 0, maps->id[PP_TO_LABELS]);
	for (i = 0; i < from->series.n; i++)
		maps->id[PP_TO_SERIES][i] = merge_series_of(into, &from->series.at[i], maps,
		                                            &finder, most_series);
	pp_series_finder_release(&finder);
	if (!pp_builder_ok(into))
		return false;
	if (!pp_tree_merge(&into->profile->tree, &from->tree, maps->id[PP_TO_FRAME], from->frames.n,
	                   maps->id[PP_TO_NODE])) {
		bool full = (size_t)into->profile->tree.n + from->tree.n >
		            into->profile->tree.max_nodes;

		pp_builder_fail(into, full ? PP_E_LIMIT : PP_E_NOMEM,
		                full ? "the call tree has too many nodes" : NULL);
		return false;
	}
	into->profile->events += from->events;
	into->profile->samples += from->samples;
	into->profile->complete = into->profile->complete && from->complete;
	into->profile->holds |= from->holds;
	into->profile->unread |= from->unread;
	return true;
}

/* ---- what several threads built --------------------------------------------------------- */

/* Whether both have the same metrics, stored the same way, in any order. */
static bool
match_metrics(const struct pp_profile *into, const struct pp_profile *from,
              struct pp_metric_way *map)
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
		map[i].to = (uint32_t)k;
	}
	return true;
}

bool
pp_builder_merge(struct pp_builder *into, const struct pp_builder *from)
{
	const struct pp_profile *p = from->profile;
	struct id_maps maps = { 0 };
	bool ok;
	size_t i;

	if (!pp_builder_ok(into) || !maps_init(&maps, p)) {
		pp_builder_fail(into, PP_E_NOMEM, NULL);
		maps_release(&maps);
		return false;
	}
	ok = match_metrics(into->profile, p, maps.metric) && merge_shape(into, p, &maps, NULL);
	for (i = 0; ok && i < p->sources.n; i++)
		pp_build_source(into, maps.id[PP_TO_STR][p->sources.at[i].file],
		                p->sources.at[i].line, pp_text_of(p, p->sources.at[i].text));
	ok = ok && merge_rows(into, p, &maps, false) && merge_not_own(into, p, &maps) &&
	     merge_edges(into, p, &maps) && merge_lines(into, p, &maps) &&
	     merge_funcs(into, p, &maps) && pp_stacks_merge(into, from, maps.id[PP_TO_FRAME]);
	maps_release(&maps);
	return ok;
}

/* ---- any number of profiles ------------------------------------------------------------- */

bool
pp_merge_init(struct pp_merge *m, const struct pp_limits *limits, uint64_t seed)
{
	struct pp_limits complete = pp_limits_complete(limits);

	*m = (struct pp_merge){ .source_from = { .seed = seed } };
	if (!pp_strtab_init(&m->texts, seed))
		return false;
	if (pp_builder_init(&m->builder, &complete, NULL, seed, &pp_pages_plain))
		return true;
	pp_strtab_release(&m->texts);
	return false;
}

void
pp_merge_release(struct pp_merge *m)
{
	pp_builder_release(&m->builder);
	pp_vec_release(&m->metrics);
	pp_vec_release(&m->kinds);
	pp_strtab_release(&m->texts);
	pp_map_release(&m->source_from);
}

/* The first profile says what kind of profile it becomes. */
static void
start_like(struct pp_builder *b, const struct pp_profile *model)
{
	struct pp_profile *p = b->profile;

	p->format = model->format;
	p->variant = pp_build_str(b, pp_text_of(model, model->variant));
	p->producer = pp_build_str(b, pp_text_of(model, model->producer));
	p->costs.stated = model->costs.stated;
	p->costs.measured = model->costs.measured;
	p->calls.adds_up = model->calls.adds_up;
	p->lines.adds_up = model->lines.adds_up;
	p->calls.own = model->calls.own;
	p->calls.self_repeats = model->calls.self_repeats;
	p->lines.hits = model->lines.hits;
	p->estimated = model->estimated;
}

static void
forget_edges(struct pp_builder *b)
{
	b->profile->calls.rows.n = b->profile->calls.cells.n = 0;
	pp_slots_release(&b->edge_index.slots);
}

static void
forget_lines(struct pp_builder *b)
{
	b->profile->lines.rows.n = b->profile->lines.cells.n = 0;
	pp_slots_release(&b->line_index.slots);
}

/* By which facet the costs of functions and of the whole are known. Where calls have no cost, lines tell the whole. */
static unsigned
told_by(const struct pp_profile *p)
{
	static const unsigned facets[] = { [PP_BASIS_TREE] = PP_TREE,
		                           [PP_BASIS_LINES] = PP_LINES,
		                           [PP_BASIS_CALLS] = PP_EDGES,
		                           [PP_BASIS_COSTS] = PP_COSTS };
	unsigned facet = facets[pp_profile_basis(p)];
	size_t metric = pp_profile_primary(p);
	struct pp_profile calls = *p;

	if (facet != PP_EDGES || !p->lines.rows.n || metric == p->metrics.n)
		return facet;
	calls.lines.rows.n = 0;
	return pp_value_is_zero(&p->metrics.at[metric], pp_profile_total(&calls, metric))
	           ? PP_EDGES | PP_LINES
	           : PP_EDGES;
}

/* Whether they can be merged: stacks and single calls cannot. */
static pp_status
facets_agree(const struct pp_merge *m, const struct pp_profile *from, struct pp_buf *problem)
{
	bool tree = m->builder.profile->tree.n > 1;

	if (from->costs.stated && !from->costs.measured) {
		pp_buf_adds(problem, "only its costs per function were read");
		return PP_E_USAGE;
	}
	if (m->profiles == 0 ||
	    (tree == (from->tree.n > 1) && (tree || m->first_basis == pp_profile_basis(from))))
		return PP_OK;
	pp_buf_addf(problem, "it knows %s, the others %s",
	            from->tree.n > 1 ? "whole stacks" : "single calls only",
	            tree ? "whole stacks" : "single calls only");
	return PP_E_USAGE;
}

/* Lets the costs of functions so far be stated as such, whatever they were known by. */
static bool
state_costs(struct pp_builder *b)
{
	struct pp_profile *p = b->profile;
	struct id_maps same = { 0 };
	struct pp_flat flat;
	bool fine = maps_init(&same, p);
	size_t i;

	for (i = 0; fine && i < p->funcs.n; i++)
		same.id[PP_TO_FUNC][i] = (uint32_t)i;
	for (i = 0; fine && i < p->metrics.n; i++)
		same.metric[i].to = (uint32_t)i;
	fine = fine && costs_of(p, &flat);
	if (fine) {
		pp_profile_forget_stated(p);
		p->costs.stated = p->costs.measured = true;
		fine = merge_flat(b, &flat, &same);
	}
	maps_release(&same);
	return fine;
}

static bool
is_signed(const struct pp_profile *p)
{
	size_t m;

	for (m = 0; m < p->metrics.n && p->metrics.at[m].type == PP_UINT; m++)
		;
	return m < p->metrics.n;
}

/* Where calls are all, own costs are differences, which end at 0 in the one and not in the other. */
static bool
differ_below_zero(const struct pp_profile *a, const struct pp_profile *b)
{
	return pp_calls_are_all(a) && pp_calls_are_all(b) && is_signed(a) != is_signed(b);
}

/*
 * Which facets the result can have with this profile in it. Stacks answer everything they can: calls and
 * lines that not all profiles have would answer for a part only, and are left out. Where one tells the costs of
 * functions in another way than those before, they are kept as such.
 */
static bool
settle_facets(struct pp_merge *m, const struct pp_profile *from)
{
	struct pp_profile *into = m->builder.profile;
	unsigned told = told_by(into);
	bool fine = true;

	m->lost |= from->facets & PP_TIMELINE;
	if (m->profiles == 0)
		return true;
	if ((into->tree.n > 1 && (into->calls.rows.n > 0) != (from->calls.rows.n > 0)) ||
	    into->calls.own != from->calls.own || differ_below_zero(into, from))
		m->lost |= PP_EDGES;
	if (into->tree.n > 1 && ((into->lines.rows.n > 0) != (from->lines.rows.n > 0) ||
	                         into->lines.hits != from->lines.hits))
		m->lost |= PP_LINES;
	if (told != PP_COSTS && (told != told_by(from) || told & m->lost))
		fine = state_costs(&m->builder);
	if (m->lost & PP_EDGES)
		forget_edges(&m->builder);
	if (m->lost & PP_LINES)
		forget_lines(&m->builder);
	return fine;
}

/* Source comes from the first profile that has it. */
static bool
merge_sources(struct pp_merge *m, const struct pp_profile *from, const struct id_maps *maps)
{
	size_t i;

	for (i = 0; i < from->sources.n; i++) {
		const struct pp_source_row *row = &from->sources.at[i];
		pp_str file = maps->id[PP_TO_STR][row->file];
		uint32_t giver = pp_map_get(&m->source_from, file);

		if (giver == PP_MAP_NONE) {
			giver = (uint32_t)m->profiles;
			if (!pp_map_set(&m->source_from, file, giver))
				return false;
		}
		if (giver == m->profiles)
			pp_build_source(&m->builder, file, row->line, pp_text_of(from, row->text));
	}
	return true;
}

static pp_status
add(struct pp_merge *m, const struct pp_profile *from, struct id_maps *maps, struct pp_buf *problem)
{
	struct pp_builder *b = &m->builder;
	pp_status status = pp_merge_metrics_agree(m, from, problem);

	if (status == PP_OK)
		status = facets_agree(m, from, problem);
	/* Before metrics become those of both: what is stated so far counts as it did. */
	if (status == PP_OK && !settle_facets(m, from))
		status = pp_builder_ok(b) ? PP_E_NOMEM : b->status;
	if (status == PP_OK)
		status = pp_merge_metrics(m, from, maps->metric, problem);
	if (status != PP_OK)
		return status;
	if (!merge_shape(b, from, maps, m) || !merge_sources(m, from, maps))
		return pp_builder_ok(b) ? PP_E_NOMEM : b->status;
	m->joined_threads |= maps->joined;
	if (!merge_rows(b, from, maps, true) || !merge_not_own(b, from, maps) ||
	    (!(m->lost & PP_EDGES) &&
	     !(merge_edges(b, from, maps) && merge_facts(b, from, maps))) ||
	    (!(m->lost & PP_LINES) && !merge_lines(b, from, maps)) || !merge_funcs(b, from, maps))
		return pp_builder_ok(b) ? PP_E_LIMIT : b->status;
	return PP_OK;
}

/* Forgets an empty profile that came first, whatever it would have counted. */
static bool
start_over(struct pp_merge *m)
{
	struct pp_limits limits = m->builder.limits;
	uint64_t seed = m->builder.seed;
	bool complete = m->builder.profile->complete;

	pp_builder_release(&m->builder);
	m->metrics.n = 0;
	m->has_events = false;
	if (!pp_builder_init(&m->builder, &limits, NULL, seed, &pp_pages_plain))
		return false;
	m->builder.profile->complete = complete;
	return true;
}

/* Which limit was reached: one of the builder's, or that of a sum. */
static void
limit_say(const struct pp_merge *m, const struct pp_profile *from, const struct id_maps *maps,
          struct pp_buf *problem)
{
	if (m->builder.limit)
		pp_buf_adds(problem, m->builder.limit);
	else
		pp_profile_sum_problem(from, maps->at_func, maps->at_metric, problem);
}

static pp_status
merge_dense(struct pp_merge *m, const struct pp_profile *from, struct pp_buf *problem)
{
	bool empty = pp_merge_is_empty(from), started = m->builder.profile->format != NULL;
	struct id_maps maps = { 0 };
	pp_status status = PP_E_NOMEM;

	/* What is empty is like everything, but an only profile keeps its metrics. */
	if (empty && started) {
		m->builder.profile->complete &= from->complete;
		return PP_OK;
	}
	if (started && m->profiles == 0 && !start_over(m))
		return PP_E_NOMEM;
	if (m->profiles == 0) {
		start_like(&m->builder, from);
		m->first_basis = pp_profile_basis(from);
	}
	if (maps_init(&maps, from))
		status = add(m, from, &maps, problem);
	if (status == PP_OK)
		m->profiles += !empty;
	if (status == PP_E_LIMIT && problem->n == 0)
		limit_say(m, from, &maps, problem);
	maps_release(&maps);
	return status;
}

pp_status
pp_merge_add(struct pp_merge *m, const struct pp_profile *from, struct pp_buf *problem)
{
	struct pp_profile *dense;
	pp_status status = pp_derive_dense(from, &dense);

	if (status == PP_OK)
		status = merge_dense(m, dense ? dense : from, problem);
	pp_profile_release(dense);
	return status;
}

pp_status
pp_merge_finish(struct pp_merge *m, struct pp_profile **out)
{
	pp_merge_primary(m);
	return pp_builder_finish(&m->builder, out);
}
