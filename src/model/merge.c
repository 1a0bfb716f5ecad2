/*
 * Adding one profile to another: every id of `from` is translated, in order, so that the result is
 * what reading both inputs one after the other would have built.
 */
#include "model/merge.h"

#include "model/derive.h"

#include "model/flat.h"
#include "model/divide.h"
#include "model/schema.h"
#include "model/series_find.h"

static void
maps_release(struct pp_merge_maps *maps)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(maps->id); i++)
		free(maps->id[i]);
	free(maps->metric);
}

static bool
maps_init(struct pp_merge_maps *maps, const struct pp_profile *from)
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
		if (sizes[i] || i == PP_TO_SERIES)
			ok = (maps->id[i] = calloc(sizes[i] + 1, sizeof *maps->id[i])) && ok;
	maps->metric = calloc(from->metrics.n + 1, sizeof *maps->metric);
	return ok && maps->metric;
}

/* A row of a table with all that it refers to translated. */
void
pp_merge_translate(const struct pp_merge_maps *maps, enum pp_table_id table, void *row)
{
	pp_table_translate(table, row, (const uint32_t *const *)maps->id);
}

static void
merge_names(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps)
{
	size_t i;

	for (i = 1; i < from->strs.strs.n; i++)
		maps->id[PP_TO_STR][i] = pp_build_str(into, from->strs.strs.at[i]);
	for (i = 1; i < from->modules.n; i++) {
		struct pp_module_row row = from->modules.at[i];

		pp_merge_translate(maps, PP_TABLE_MODULES, &row);
		maps->id[PP_TO_MODULE][i] = pp_build_module(into, &row);
	}
	for (i = 1; i < from->funcs.n; i++) {
		struct pp_func_row row = from->funcs.at[i];

		pp_merge_translate(maps, PP_TABLE_FUNCS, &row);
		maps->id[PP_TO_FUNC][i] = pp_build_func(into, &row);
	}
	for (i = 1; i < from->frames.n; i++) {
		struct pp_frame_row row = from->frames.at[i];

		pp_merge_translate(maps, PP_TABLE_FRAMES, &row);
		maps->id[PP_TO_FRAME][i] = pp_build_frame(into, &row);
	}
}

/* Names, series and nodes of a profile; false on failure. */
static bool
merge_shape(struct pp_builder *into, const struct pp_profile *from, struct pp_merge_maps *maps,
            const struct pp_merge *m)
{
	size_t most_series = m ? PP_MERGE_SERIES : SIZE_MAX;
	struct pp_series_finder finder = { .index = { .seed = into->seed } };
	size_t i;

	merge_names(into, from, maps);
	pp_labels_merge(into, from, maps->id[PP_TO_STR], m ? m->label_keys : NULL,
	                m ? m->label_key_count : 0, maps->id[PP_TO_LABELS]);
	for (i = 0; i < from->series.n; i++)
		maps->id[PP_TO_SERIES][i] = pp_merge_series_of(into, &from->series.at[i], maps,
		                                               &finder, most_series);
	/* Calls, lines and functions have labels by their series. */
	if (m && m->label_key_count && i == 0)
		maps->id[PP_TO_SERIES][0] = pp_merge_series_of(into, &PP_SERIES_PLAIN, maps,
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
	into->profile->markers += from->markers;
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

static void
merge_source_maps(struct pp_builder *into, const struct pp_profile *from,
                  const struct pp_merge_maps *maps)
{
	size_t i;

	for (i = 0; i < from->source_maps.n; i++)
		pp_build_source_map(into, maps->id[PP_TO_STR][from->source_maps.at[i].script],
		                    pp_text_of(from, from->source_maps.at[i].text));
}

bool
pp_builder_merge(struct pp_builder *into, const struct pp_builder *from)
{
	const struct pp_profile *p = from->profile;
	struct pp_merge_maps maps = { 0 };
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
	if (ok)
		merge_source_maps(into, p, &maps);
	ok = ok && pp_merge_rows(into, p, &maps, false) && pp_merge_not_own(into, p, &maps) &&
	     pp_merge_edges(into, p, &maps) && pp_merge_lines(into, p, &maps) &&
	     pp_merge_funcs(into, p, &maps) && pp_stacks_merge(into, from, maps.id[PP_TO_FRAME]);
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
	p->calls.outermost = model->calls.outermost;
	p->lines.hits = model->lines.hits;
	p->estimated = model->estimated;
}

static void
forget_edges(struct pp_builder *b)
{
	b->profile->calls.rows.n = b->profile->calls.cells.n = 0;
	if (b->profile->calls.wide)
		pp_wide_clear(b->profile->calls.wide);
	pp_slots_release(&b->edge_index.slots);
}

static void
forget_lines(struct pp_builder *b)
{
	b->profile->lines.rows.n = b->profile->lines.cells.n = 0;
	if (b->profile->lines.wide)
		pp_wide_clear(b->profile->lines.wide);
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
	struct pp_merge_maps same = { 0 };
	struct pp_merge_flats flats = { 0 };
	bool fine = maps_init(&same, p);
	size_t i;

	for (i = 0; fine && i < p->funcs.n; i++)
		same.id[PP_TO_FUNC][i] = (uint32_t)i;
	for (i = 0; fine && i < p->series.n; i++)
		same.id[PP_TO_SERIES][i] = (uint32_t)i;
	for (i = 0; fine && i < p->metrics.n; i++)
		same.metric[i].to = (uint32_t)i;
	fine = fine && pp_merge_flats_find(b, p, &flats);
	if (fine) {
		pp_profile_forget_stated(p);
		if (p->costs.wide)
			pp_wide_clear(p->costs.wide);
		p->costs.stated = p->costs.measured = true;
		fine = pp_merge_flats_add(b, &flats, &same);
	}
	pp_merge_flats_release(&flats);
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
merge_sources(struct pp_merge *m, const struct pp_profile *from, const struct pp_merge_maps *maps)
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
	merge_source_maps(&m->builder, from, maps);
	return true;
}

static pp_status
add(struct pp_merge *m, const struct pp_profile *from, struct pp_merge_maps *maps,
    struct pp_buf *problem)
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
	if (!pp_merge_rows(b, from, maps, true) || !pp_merge_not_own(b, from, maps) ||
	    (!(m->lost & PP_EDGES) &&
	     !(pp_merge_edges(b, from, maps) && pp_merge_facts(b, from, maps))) ||
	    (!(m->lost & PP_LINES) && !pp_merge_lines(b, from, maps)) ||
	    !pp_merge_funcs(b, from, maps))
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
limit_say(const struct pp_merge *m, const struct pp_profile *from, const struct pp_merge_maps *maps,
          struct pp_buf *problem)
{
	if (m->builder.limit)
		pp_buf_adds(problem, m->builder.limit);
	else
		pp_profile_sum_problem(from, maps->at_func, maps->at_metric, problem);
}

pp_status
pp_merge_add(struct pp_merge *m, const struct pp_profile *from, struct pp_buf *problem)
{
	bool empty = pp_merge_is_empty(from), started = m->builder.profile->format != NULL;
	struct pp_merge_maps maps = { 0 };
	pp_status status = PP_E_NOMEM;

	/* What is empty is like everything, but an only profile keeps its metrics. */
	if (empty && started) {
		m->builder.profile->complete &= from->complete;
		return PP_OK;
	}
	if (started && m->profiles == 0 && !start_over(m))
		return PP_E_NOMEM;
	m->builder.divides_costs = m->label_key_count > 0;
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
pp_merge_finish(struct pp_merge *m, struct pp_profile **out)
{
	pp_merge_primary(m);
	return pp_builder_finish(&m->builder, out);
}
