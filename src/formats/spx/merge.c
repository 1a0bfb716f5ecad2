/*
 * From the walks of chunks to the profile: nodes, costs, events, and at last the names.
 *
 * Chunks are merged in the order of the file, and the nodes of each in the order of their first
 * appearance, so the result does not depend on where the text was cut or on the number of threads.
 */
#include "formats/spx/read.h"

#include <stdio.h>

#include "base/num.h"

/* A hostile file may hold any number of documents; those behind share the last series. */
#define SERIES_MOST 64
/* Names of functions that no event has named yet are kept up to here. */
#define NAMES_KEPT 65536

static void
no_memory(struct spx_read *r)
{
	pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* ---- metrics ---- */

static void
metric_make(struct spx_read *r, uint32_t column, struct pp_slice key)
{
	const struct spx_metric *known = pp_spx_metric(key);
	struct pp_metric m = { .name = pp_build_str(r->b, key), .type = PP_INT };
	bool time = known && strcmp(known->unit, "ns") == 0;

	m.unit = pp_build_strz(r->b, known ? known->unit : "count");
	m.title = known ? pp_build_strz(r->b, known->title) : 0;
	m.kind = known ? known->kind : PP_KIND_OTHER;
	m.flags = !known || known->releasable ? PP_METRIC_SIGNED : 0;
	m.scale = r->layout.scale[column];
	if (time && r->micro)
		m.factor_num = 1000;
	if (time && r->time_column == r->metrics)
		r->time_column = column;
	(void)pp_build_metric(r->b, &m);
}

/* Whether the report follows the document that states microseconds and four decimals. */
static bool
is_micro(const struct spx_read *r)
{
	uint32_t j;
	size_t i;

	for (i = 0; i < r->meta->keys.n; i++) {
		struct pp_slice key = pp_text_of(r->b->profile, r->meta->keys.at[i]);

		if (pp_slice_eq_z(key, "mu") || pp_slice_eq_z(key, "pmu"))
			return true;
		if (i < r->layout.columns && r->layout.fixed[i] && pp_spx_metric(key) &&
		    strcmp(pp_spx_metric(key)->unit, "ns") == 0)
			return true;
	}
	for (j = 0; j < r->layout.columns && !r->meta->keys.n; j++)
		if (r->layout.fixed[j])
			return true;
	return false;
}

static void
metrics_check(struct spx_read *r, uint32_t columns)
{
	size_t keys = r->meta->keys.n, i;

	for (i = 0; i < keys; i++) {
		struct pp_slice key = pp_text_of(r->b->profile, r->meta->keys.at[i]);

		if (!pp_spx_metric(key))
			pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_METRIC_UNKNOWN], PP_NOWHERE,
			            "no known version of SPX has a metric '%.*s'",
			            key.n > 64 ? 64 : (int)key.n, (const char *)key.p);
	}
	if (r->meta->has_metrics && columns != keys && r->has_events) {
		pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_METRIC_COUNT], PP_NOWHERE,
		            "the metadata names %zu metrics, the first event has %u values", keys,
		            columns);
		pp_spx_lost(r);
	}
	if (r->micro)
		pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_MICROSECONDS], PP_NOWHERE,
		            "times are taken as microseconds with decimals");
}

void
pp_spx_metrics_make(struct spx_read *r, uint32_t columns)
{
	size_t keys = r->meta->keys.n;
	uint32_t j;
	char name[32];

	if (r->metrics_made)
		return;
	r->metrics_made = true;
	r->metrics = keys > columns ? (uint32_t)keys : columns;
	r->time_column = r->metrics;
	r->micro = is_micro(r);
	for (j = 0; j < r->metrics; j++) {
		snprintf(name, sizeof name, "column%u", j + 1);
		metric_make(r, j,
		            j < keys ? pp_text_of(r->b->profile, r->meta->keys.at[j])
		                     : pp_slice_z(name));
	}
	if (r->metrics && pp_builder_ok(r->b))
		r->b->profile->metrics.at[r->time_column < r->metrics ? r->time_column : 0].flags |=
		    PP_METRIC_PRIMARY;
	metrics_check(r, columns);
}

/* ---- decimals that come late ---- */

static bool
times_power10(int64_t *value, unsigned power)
{
	while (power-- > 0)
		if (__builtin_mul_overflow(*value, 10, value))
			return false;
	return true;
}

/* All recorded events again, with one column multiplied. */
static bool
timeline_rescale(struct pp_timeline *t, uint32_t column, unsigned by)
{
	struct pp_timeline scaled;
	struct pp_timeline_iter it;
	bool ok = pp_timeline_init(&scaled, t->columns, true);

	if (ok && pp_timeline_begin(t, &it, 0)) {
		while (ok && pp_timeline_next(&it)) {
			int64_t kept = it.values[column];

			ok = times_power10(&it.values[column], by) &&
			     pp_timeline_add(&scaled, &it.event, it.values);
			it.values[column] = kept;
		}
		pp_timeline_end(&it);
	}
	if (!ok) {
		pp_timeline_release(&scaled);
		return false;
	}
	pp_timeline_release(t);
	*t = scaled;
	return true;
}

/* Gives a column of the profile more decimals. */
static bool
profile_rescale(struct spx_read *r, uint32_t column, unsigned scale)
{
	struct pp_profile *p = r->b->profile;
	unsigned by = scale - r->state.scale[column];
	size_t i, row;

	for (i = 0; i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows; row++)
			if (!times_power10(&s->cells[row * s->stride + column], by))
				return false;
		if (s->timeline.n && !timeline_rescale(&s->timeline, column, by))
			return false;
	}
	if (!times_power10(&r->state.values[column], by))
		return false;
	r->state.scale[column] = scale;
	p->metrics.at[column].scale = scale;
	return true;
}

/* Brings the walk and the profile to the same decimals. */
static bool
scales_meet(struct spx_read *r, struct spx_walk *w)
{
	uint32_t j;

	for (j = 0; j < r->metrics; j++) {
		unsigned own = r->state.scale[j], other = w->state.scale[j];

		if (other > own ? !profile_rescale(r, j, other)
		                : other < own && !pp_spx_walk_rescale(w, j, own))
			return false;
	}
	return true;
}

/* ---- nodes ---- */

/* The function of an index, as a row of `used`; made when new. */
static struct spx_used *
used_of(struct spx_read *r, uint32_t index)
{
	uint32_t row = pp_map_get(&r->func_map, index);
	struct spx_used used = { index, 0 };

	if (row != PP_MAP_NONE)
		return &r->used.at[row];
	used.func = pp_build_func_later(r->b);
	row = (uint32_t)r->used.n;
	if (!pp_vec_push(&r->used, used) || !pp_map_set(&r->func_map, index, row)) {
		no_memory(r);
		return NULL;
	}
	if (index > r->max_index)
		r->max_index = index;
	return &r->used.at[row];
}

static pp_frame
frame_of(struct spx_read *r, uint64_t key)
{
	uint64_t place = key & (((uint64_t)1 << SPX_KEY_PARENT) - 1);
	uint32_t frame = pp_map_get(&r->frame_map, place);
	struct pp_frame_row row = { 0 };
	const struct spx_used *used;

	if (PP_LIKELY(frame != PP_MAP_NONE))
		return frame;
	used = used_of(r, pp_spx_key_index(key));
	if (!used)
		return 0;
	row.func = used->func;
	row.site_line = (uint32_t)(key & 0xffff);
	frame = pp_build_frame(r->b, &row);
	if (!pp_map_set(&r->frame_map, place, frame))
		no_memory(r);
	return frame;
}

/* The nodes that the floors are, and what their ends say. */
static void
merge_floors(struct spx_read *r, const struct spx_walk *w)
{
	const struct pp_profile *p = r->b->profile;
	pp_node node = r->cur;
	size_t i;

	for (i = 0; i < w->floors.n; i++) {
		const struct spx_floor *f = &w->floors.at[i];
		struct pp_place place = f->place;
		const struct spx_used *named;

		r->map[f->node] = node;
		if (f->ended == SPX_INDEX_NONE)
			break;
		place.line += r->lines;
		if (node == 0) {
			pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_END_STRAY], place,
			            "function %u ends, but no frame is open", f->ended);
			pp_spx_lost(r);
			continue;
		}
		named = used_of(r, f->ended);
		if (named && pp_frame_func(p, pp_tree_frame(&p->tree, node)) != named->func) {
			pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_END_OTHER], place,
			            "the end of function %u closes the frame of another one",
			            f->ended);
			pp_spx_lost(r);
		}
		node = pp_tree_parent(&p->tree, node);
	}
}

static bool
merge_nodes(struct spx_read *r, const struct spx_walk *w)
{
	uint32_t i;

	if (w->n > r->map_cap) {
		pp_node *grown = realloc(r->map, (size_t)w->cap * sizeof *grown);

		if (!grown) {
			no_memory(r);
			return false;
		}
		r->map = grown;
		r->map_cap = w->cap;
	}
	merge_floors(r, w);
	for (i = 0; i < w->n; i++) {
		const struct spx_node *node = &w->nodes[i];

		if (node->floor)
			continue;
		r->map[i] = pp_build_child(r->b, r->map[pp_spx_key_parent(node->key)],
		                           frame_of(r, node->key));
	}
	return pp_builder_ok(r->b);
}

/* ---- costs ---- */

static void
add_cells(struct spx_read *r, pp_node node, const int64_t *from, uint32_t n)
{
	int64_t *to = pp_build_cells(r->b, r->series, node), sum;
	uint32_t j;

	for (j = 0; to && j < n; j++) {
		if (PP_LIKELY(!__builtin_add_overflow(to[j], from[j], &sum))) {
			to[j] = sum;
			continue;
		}
		pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_VALUE_RANGE], PP_NOWHERE,
		            "the cost of a stack in column %u passes 64 bits", j + 1);
		pp_spx_lost(r);
	}
}

/* What the counters grew between the chunk before and this one. */
static void
merge_gap(struct spx_read *r, const struct spx_walk *w)
{
	int64_t grew[SPX_METRICS_MAX];
	uint32_t j;

	if (!w->has_first)
		return;
	for (j = 0; j < r->metrics; j++)
		if (__builtin_sub_overflow(w->first[j], r->state.values[j], &grew[j])) {
			pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_VALUE_RANGE], PP_NOWHERE,
			            "the difference of two values in column %u passes 64 bits",
			            j + 1);
			pp_spx_lost(r);
			grew[j] = 0;
		}
	r->back |= r->metrics && grew[0] < 0;
	if (r->cur)
		add_cells(r, r->cur, grew, r->metrics);
}

static void
merge_cells(struct spx_read *r, const struct spx_walk *w)
{
	uint32_t i;

	for (i = 0; i < w->n && pp_builder_ok(r->b); i++)
		/* What passes while no frame is open belongs to nobody. */
		if (r->map[i])
			add_cells(r, r->map[i], w->cells + (size_t)i * w->stride, w->stride);
}

/* A value of the time column in ns. */
static int64_t
time_of(const struct spx_read *r, const int64_t *values)
{
	int64_t time;
	unsigned power;

	if (r->time_column >= r->metrics)
		return r->metrics ? values[0] : 0;
	time = values[r->time_column];
	power = r->state.scale[r->time_column];
	if (r->micro && __builtin_mul_overflow(time, 1000, &time))
		return time > 0 ? INT64_MAX : INT64_MIN;
	for (; power > 0; power--)
		time /= 10;
	return time;
}

static void
merge_events(struct spx_read *r, const struct spx_walk *w)
{
	struct pp_timeline *t;
	size_t i;

	/* A section of empty lines begins no document: there is no series. */
	if (!w->events.n)
		return;
	t = &r->b->profile->series.at[r->series].timeline;
	for (i = 0; i < w->events.n; i++) {
		const struct spx_event *e = &w->events.at[i];
		const int64_t *values = r->metrics ? w->event_values.at + i * r->metrics : w->next;
		struct pp_event event = { e->start ? PP_EVENT_ENTER : PP_EVENT_EXIT,
			                  r->map[e->node], time_of(r, values), e->site };

		if (event.node && !pp_timeline_add(t, &event, values)) {
			no_memory(r);
			return;
		}
	}
}

static void
note_time(struct spx_read *r, const struct spx_walk *w)
{
	struct pp_profile *p = r->b->profile;
	int64_t end = time_of(r, w->state.values);

	if (r->time_column >= r->metrics || w->count == 0)
		return;
	if (!p->time.known || end > p->time.end)
		p->time.end = end;
	p->time.known = true;
}

void
pp_spx_merge(struct spx_read *r, struct spx_chunk *c)
{
	struct spx_walk *w = &c->walk;

	if (w->no_memory)
		no_memory(r);
	if (pp_builder_ok(r->b) && !scales_meet(r, w))
		pp_builder_fail(r->b, PP_E_LIMIT, "values with decimals pass 64 bits");
	if (!pp_builder_ok(r->b))
		return;
	pp_diags_append(r->reader->diags, &w->diags, r->lines);
	if (pp_diags_total(&w->diags, PP_WARNING))
		pp_spx_lost(r);
	if (w->short_lines + w->merged_lines && !r->short_lines && !r->merged_lines) {
		r->damage = w->first_damage;
		r->damage.line += r->lines;
	}
	r->short_lines += w->short_lines;
	r->merged_lines += w->merged_lines;
	if (merge_nodes(r, w)) {
		merge_gap(r, w);
		merge_cells(r, w);
		if (r->record)
			merge_events(r, w);
		note_time(r, w);
		r->cur = r->map[w->cur];
	}
	r->state = w->state;
	r->back |= w->back < 0;
	r->crlf |= w->crlf;
	r->garbage |= w->garbage;
	r->b->profile->events += w->count;
}

/* ---- documents ---- */

void
pp_spx_document_begin(struct spx_read *r)
{
	struct pp_series like = { .pid = -1, .tid = -1, .cpu = -1 };
	char context[48];

	r->has_events = true;
	r->documents++;
	if (r->documents > 1) {
		snprintf(context, sizeof context, "report %llu in the file",
		         (unsigned long long)r->documents);
		like.context = pp_build_strz(r->b, context);
	}
	if (r->documents <= SERIES_MOST) {
		r->series = pp_build_series(r->b, &like, r->documents == 1, true);
		if (r->record && pp_builder_ok(r->b) &&
		    !pp_timeline_init(&r->b->profile->series.at[r->series].timeline, r->metrics,
		                      true))
			no_memory(r);
	}
	r->cur = 0;
	r->garbage = false;
	r->state = (struct spx_state){ .known = true };
	memcpy(r->state.scale, r->layout.scale, sizeof r->state.scale);
}

/* Frames that are open at the end: SPX never leaves any. */
static void
close_frames(struct spx_read *r)
{
	const struct pp_tree *tree = &r->b->profile->tree;
	uint64_t open = 0;

	for (; r->cur; r->cur = pp_tree_parent(tree, r->cur))
		open++;
	if (!open)
		return;
	pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_FRAMES_OPEN], PP_NOWHERE,
	            "%llu frames are still open at the end; they end with the last event",
	            (unsigned long long)open);
	pp_spx_lost(r);
}

static struct pp_slice
name_text(const struct spx_read *r, size_t index)
{
	size_t begin = index ? r->name_ends.at[index - 1] : 0;

	return pp_slice_of(r->names.p + begin, r->name_ends.at[index] - begin);
}

static void
bind_name(struct spx_read *r, pp_func func, uint32_t index)
{
	struct pp_func_row row = { 0 };
	char number[32];

	if (index < r->name_ends.n) {
		struct spx_name name = pp_spx_name_split(name_text(r, index), r->layout.bars);

		row.name = pp_build_str(r->b, name.name);
		row.file = pp_build_str(r->b, name.file);
		row.line = name.line;
		row.flags = name.flags;
	} else {
		snprintf(number, sizeof number, "#%u", index);
		row.name = pp_build_strz(r->b, number);
		row.flags = PP_FUNC_UNKNOWN;
	}
	pp_build_func_bind(r->b, func, &row);
}

/* Says what is wrong with the list of functions as a whole. */
static void
check_names(struct spx_read *r)
{
	struct pp_diags *diags = r->reader->diags;
	uint64_t nameless = 0;
	uint32_t first = 0;
	size_t i;

	for (i = 0; i < r->used.n; i++)
		if (r->used.at[i].index >= r->name_ends.n && nameless++ == 0)
			first = r->used.at[i].index;
	if (!r->has_names && (r->used.n || r->has_events)) {
		pp_diag_add(diags, &pp_spx_rules[SPX_FUNCTIONS_MISSING], PP_NOWHERE,
		            "there is no list of functions; %zu functions have no name", r->used.n);
		pp_spx_lost(r);
	} else if (nameless) {
		pp_diag_add(
		    diags, &pp_spx_rules[SPX_FUNCTION_INDEX], PP_NOWHERE,
		    "%llu functions have no name: the list has %llu, an event names function %u",
		    (unsigned long long)nameless, (unsigned long long)r->name_lines, first);
		pp_spx_lost(r);
	}
	if (r->meta->functions >= 0 && r->documents <= 1 &&
	    r->name_lines > (uint64_t)r->meta->functions)
		pp_diag_add(
		    diags, &pp_spx_rules[SPX_FUNCTION_LINES], PP_NOWHERE,
		    "the list of functions has %llu lines, the metadata counts %lld functions",
		    (unsigned long long)r->name_lines, (long long)r->meta->functions);
	if (r->name_lines == NAMES_KEPT)
		pp_diag_add(diags, &pp_spx_rules[SPX_FUNCTION_LIMIT], PP_NOWHERE,
		            "the list has %d functions, as many as SPX can hold", NAMES_KEPT);
}

/* Without events the names alone tell the layout: all have places, or they are names only. */
static bool
names_have_places(const struct spx_read *r)
{
	size_t i;

	for (i = 0; i < r->name_ends.n; i++)
		if (pp_spx_name_split(name_text(r, i), true).name.n == name_text(r, i).n)
			return false;
	return r->name_ends.n > 0;
}

void
pp_spx_document_end(struct spx_read *r)
{
	size_t i;

	if (!r->has_events && !r->has_names)
		return;
	if (!r->has_events)
		r->layout.bars = names_have_places(r);
	if (pp_builder_ok(r->b)) {
		close_frames(r);
		/* To write the report back, functions that were never called are kept as well. */
		for (i = 0;
		     (r->b->order.facets & PP_EXTRAS) && i < r->name_ends.n && i < NAMES_KEPT; i++)
			(void)used_of(r, (uint32_t)i);
		for (i = 0; i < r->used.n; i++)
			bind_name(r, r->used.at[i].func, r->used.at[i].index);
		check_names(r);
	}
	r->used.n = r->name_ends.n = r->names.n = 0;
	r->name_lines = 0;
	r->max_index = 0;
	pp_map_release(&r->func_map);
	pp_map_release(&r->frame_map);
	r->has_events = r->has_names = false;
}
