/*
 * From the walks of chunks to the profile: nodes, costs, events, and at last the names.
 *
 * Chunks are merged in the order of the file, and the nodes of each in the order of their first
 * appearance, so the result does not depend on where the text was cut or on the number of threads.
 */
#include "formats/spx/read.h"

#include <stdio.h>

#include "base/num.h"
#include "text/units.h"

/* A hostile file may hold any number of documents; those behind share the last series. */
#define SERIES_MOST 64

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
	m.scale = r->doc.layout.scale[column];
	if (time && r->columns.micro)
		m.factor_num = 1000;
	if (time && r->columns.time == r->columns.n)
		r->columns.time = column;
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
		if (i < r->doc.layout.columns && r->doc.layout.fixed[i] && pp_spx_metric(key) &&
		    strcmp(pp_spx_metric(key)->unit, "ns") == 0)
			return true;
	}
	for (j = 0; j < r->doc.layout.columns && !r->meta->keys.n; j++)
		if (r->doc.layout.fixed[j])
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
	if (r->meta->has_metrics && columns != keys && r->doc.has_events)
		pp_spx_find_lost(
		    r, SPX_METRIC_COUNT, PP_NOWHERE,
		    "metrics that the metadata names: %zu, values of the first event: %u", keys,
		    columns);
	if (r->columns.micro)
		pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_MICROSECONDS], PP_NOWHERE,
		            "times are taken as microseconds with decimals");
}

void
pp_spx_metrics_make(struct spx_read *r, uint32_t columns)
{
	size_t keys = r->meta->keys.n;
	uint32_t j;
	char name[32];

	if (r->columns.made)
		return;
	r->columns.made = true;
	r->columns.n = keys > columns ? (uint32_t)keys : columns;
	r->columns.time = r->columns.n;
	r->columns.micro = is_micro(r);
	for (j = 0; j < r->columns.n; j++) {
		snprintf(name, sizeof name, "column%u", j + 1);
		metric_make(r, j,
		            j < keys ? pp_text_of(r->b->profile, r->meta->keys.at[j])
		                     : pp_slice_z(name));
	}
	if (r->columns.n && pp_builder_ok(r->b))
		r->b->profile->metrics.at[r->columns.time < r->columns.n ? r->columns.time : 0]
		    .flags |= PP_METRIC_PRIMARY;
	/* Nobody says what the first column is: a time, in all that SPX writes. */
	if (keys == 0 && r->columns.n && pp_builder_ok(r->b))
		r->b->profile->metrics.at[0].flags &= ~(unsigned)PP_METRIC_SIGNED;
	r->columns.gains = pp_build_gains(r->b);
	metrics_check(r, columns);
}

/* ---- decimals that come late ---- */

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

			ok = pp_num_times_power10(&it.values[column], by) &&
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
	unsigned by = scale - r->doc.state.scale[column];
	size_t i, row, gained = pp_metric_gained(p, column);

	for (i = 0; i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows; row++)
			if (!pp_num_times_power10(&s->cells[row * s->stride + column], by) ||
			    (gained < p->metrics.n &&
			     !pp_num_times_power10(&s->cells[row * s->stride + gained], by)))
				return false;
		if (s->timeline.n && !timeline_rescale(&s->timeline, column, by))
			return false;
	}
	if (!pp_num_times_power10(&r->doc.state.values[column], by))
		return false;
	r->doc.state.scale[column] = scale;
	p->metrics.at[column].scale = scale;
	if (gained < p->metrics.n)
		p->metrics.at[gained].scale = scale;
	return true;
}

/* Brings the walk and the profile to the same decimals. */
static bool
scales_meet(struct spx_read *r, struct spx_walk *w)
{
	uint32_t j;

	for (j = 0; j < r->columns.n; j++) {
		unsigned own = r->doc.state.scale[j], other = w->state.scale[j];

		if (other > own ? !profile_rescale(r, j, other)
		                : other < own && !pp_spx_walk_rescale(w, j, own))
			return false;
	}
	return true;
}

/* ---- nodes ---- */

static pp_frame
frame_of(struct spx_read *r, uint64_t key)
{
	uint64_t place = key & (((uint64_t)1 << SPX_KEY_PARENT) - 1);
	uint32_t frame = pp_map_get(&r->funcs.frame_map, place);
	struct pp_frame_row row = { 0 };
	const struct spx_used *used;

	if (PP_LIKELY(frame != PP_MAP_NONE))
		return frame;
	used = pp_spx_used(r, pp_spx_key_index(key));
	if (!used)
		return 0;
	row.func = used->func;
	row.site_line = (uint32_t)(key & 0xffff);
	frame = pp_build_frame(r->b, &row);
	if (!pp_map_set(&r->funcs.frame_map, place, frame))
		no_memory(r);
	return frame;
}

/* The nodes that the floors are, and what their ends say. */
static void
merge_floors(struct spx_read *r, const struct spx_walk *w)
{
	const struct pp_profile *p = r->b->profile;
	pp_node node = r->doc.cur;
	size_t i;

	for (i = 0; i < w->tree.floors.n; i++) {
		const struct spx_floor *f = &w->tree.floors.at[i];
		struct pp_place place = f->place;
		const struct spx_used *named;

		r->map.at[f->node] = node;
		if (f->ended == SPX_INDEX_NONE)
			break;
		place.line += r->found.lines;
		if (node == 0) {
			pp_spx_find_lost(r, SPX_END_STRAY, place,
			                 "function %u ends, but no frame is open", f->ended);
			continue;
		}
		named = pp_spx_used(r, f->ended);
		if (named && pp_frame_func(p, pp_tree_frame(&p->tree, node)) != named->func)
			pp_spx_find_lost(r, SPX_END_OTHER, place,
			                 "the end of function %u closes the frame of another one",
			                 f->ended);
		node = pp_tree_parent(&p->tree, node);
	}
}

static bool
merge_nodes(struct spx_read *r, const struct spx_walk *w)
{
	uint32_t i;

	if (!pp_vec_reserve(&r->map, w->tree.n)) {
		no_memory(r);
		return false;
	}
	merge_floors(r, w);
	for (i = 0; i < w->tree.n; i++) {
		const struct spx_node *node = &w->tree.nodes[i];

		if (!node->floor)
			r->map.at[i] = pp_build_child(r->b, r->map.at[pp_spx_key_parent(node->key)],
			                              frame_of(r, node->key));
	}
	return pp_builder_ok(r->b);
}

/* ---- costs ---- */

static void
add_cells(struct spx_read *r, pp_node node, const int64_t *from, uint32_t n)
{
	int64_t *to = pp_build_cells(r->b, r->doc.series, node), sum;
	uint32_t j;

	for (j = 0; to && j < n; j++) {
		if (PP_LIKELY(!__builtin_add_overflow(to[j], from[j], &sum))) {
			to[j] = sum;
			continue;
		}
		pp_spx_find_lost(r, SPX_VALUE_RANGE, PP_NOWHERE,
		                 "the cost of a stack in column %u exceeds 64 bits", j + 1);
	}
}

/* What the counters grew between the chunk before and this one. */
static void
merge_gap(struct spx_read *r, const struct spx_walk *w)
{
	int64_t grew[2 * SPX_METRICS_MAX];
	uint32_t j;

	if (!w->has_first)
		return;
	for (j = 0; j < r->columns.n; j++)
		if (__builtin_sub_overflow(w->first[j], r->doc.state.values[j], &grew[j])) {
			pp_spx_find_lost(
			    r, SPX_VALUE_RANGE, PP_NOWHERE,
			    "the difference of two values in column %u exceeds 64 bits", j + 1);
			grew[j] = 0;
		}
	if (r->columns.n)
		r->found.back |= grew[0];
	for (j = 0; j < r->columns.gains; j++)
		grew[r->columns.n + j] = pp_cell_gained(PP_INT, grew[r->doc.layout.gain_of[j]]);
	if (r->doc.cur)
		add_cells(r, r->doc.cur, grew, r->columns.n + r->columns.gains);
}

static void
merge_cells(struct spx_read *r, const struct spx_walk *w)
{
	uint32_t i;

	for (i = 0; i < w->tree.n && pp_builder_ok(r->b); i++)
		/* What passes while no frame is open belongs to nobody. */
		if (r->map.at[i])
			add_cells(r, r->map.at[i], w->tree.cells + (size_t)i * w->tree.stride,
			          w->tree.stride);
}

/* A value of the time column in ns. */
static int64_t
time_of(const struct spx_read *r, const int64_t *values)
{
	int64_t time;
	unsigned power;

	if (r->columns.time >= r->columns.n)
		return r->columns.n ? values[0] : 0;
	time = values[r->columns.time];
	power = r->doc.state.scale[r->columns.time];
	if (r->columns.micro && __builtin_mul_overflow(time, 1000, &time))
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
	t = &r->b->profile->series.at[r->doc.series].timeline;
	for (i = 0; i < w->events.n; i++) {
		const struct spx_event *e = &w->events.at[i];
		const int64_t *values = r->columns.n ? w->event_values.at + i * r->columns.n
		                                     : w->next;
		struct pp_event event = { e->start ? PP_EVENT_ENTER : PP_EVENT_EXIT,
			                  r->map.at[e->node], time_of(r, values), e->site };

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

	if (r->columns.time >= r->columns.n || w->count == 0)
		return;
	if (!p->time.known || end > p->time.end)
		p->time.end = end;
	p->time.known = true;
}

/* Adds what was noticed in a chunk to what was noticed before. */
static void
found_add(struct spx_found *to, const struct spx_found *from)
{
	if (from->short_lines + from->merged_lines && !to->short_lines && !to->merged_lines) {
		to->damage = from->damage;
		to->damage.line += to->lines;
	}
	to->short_lines += from->short_lines;
	to->merged_lines += from->merged_lines;
	to->back |= from->back;
	to->crlf |= from->crlf;
	to->lines += from->lines;
}

void
pp_spx_merge(struct spx_read *r, struct spx_walk *w)
{
	if (w->no_memory)
		no_memory(r);
	if (pp_builder_ok(r->b) && !scales_meet(r, w))
		pp_builder_fail(r->b, PP_E_LIMIT, "values with decimals exceed 64 bits");
	if (!pp_builder_ok(r->b))
		return;
	pp_diags_append(r->reader->diags, &w->diags, r->found.lines);
	if (pp_diags_total(&w->diags, PP_WARNING))
		pp_spx_lost(r);
	if (merge_nodes(r, w)) {
		merge_gap(r, w);
		merge_cells(r, w);
		if (r->record)
			merge_events(r, w);
		note_time(r, w);
		r->doc.cur = r->map.at[w->tree.cur];
	}
	r->doc.state = w->state;
	r->doc.garbage |= w->found.garbage;
	found_add(&r->found, &w->found);
	r->b->profile->events += w->count;
}

/* ---- documents ---- */

void
pp_spx_document_begin(struct spx_read *r)
{
	struct pp_series like = { .pid = -1, .tid = -1, .cpu = -1 };

	r->doc.has_events = true;
	r->documents++;
	if (r->documents > 1)
		like.context = pp_build_strf(r->b, "report %llu in the file",
		                             (unsigned long long)r->documents);
	if (r->documents <= SERIES_MOST) {
		r->doc.series = pp_build_series(r->b, &like, r->documents == 1, true);
		if (r->record && pp_builder_ok(r->b) &&
		    !pp_timeline_init(&r->b->profile->series.at[r->doc.series].timeline,
		                      r->columns.n, true))
			no_memory(r);
	}
	r->doc.cur = 0;
	r->doc.garbage = false;
	r->doc.state = (struct spx_state){ .known = true };
	memcpy(r->doc.state.scale, r->doc.layout.scale, sizeof r->doc.state.scale);
}

/* Frames that are open at the end: SPX never leaves any. */
static void
close_frames(struct spx_read *r)
{
	const struct pp_tree *tree = &r->b->profile->tree;
	uint64_t open = 0;

	for (; r->doc.cur; r->doc.cur = pp_tree_parent(tree, r->doc.cur))
		open++;
	if (open)
		pp_spx_find_lost(r, SPX_FRAMES_OPEN, PP_NOWHERE,
		                 "%llu %s still open at the end; %s with the last event",
		                 (unsigned long long)open,
		                 pp_plural(open, "frame is", "frames are"),
		                 pp_plural(open, "it ends", "they end"));
}

void
pp_spx_document_end(struct spx_read *r)
{
	if (!r->doc.has_events && !r->doc.has_names)
		return;
	if (pp_builder_ok(r->b)) {
		close_frames(r);
		pp_spx_names_bind(r);
	}
	pp_spx_names_forget(&r->funcs);
	r->doc.has_events = r->doc.has_names = false;
}
