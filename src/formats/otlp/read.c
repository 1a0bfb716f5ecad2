/*
 * From messages into the profile. What each message costs is added up by series and stack first, since stacks are shared by many
 * samples, and reported when the message ends; what happened when, where that is ordered, one by one.
 */
#include <stdio.h>

#include "formats/kit/kept_bytes.h"
#include "formats/kit/sampled.h"
#include "formats/otlp/read.h"
#include "formats/otlp/translate.h"
#include "model/traits.h"

/* What is kept to be written again: so much at most, as whoever carries it has to write it as text. */
#define KEPT_MOST ((size_t)16 << 20)
#define TYPES_MOST 10000

/* ---- messages ---- */

/* Makes a message the one that is open; false when out of memory. */
static bool
message_open(struct otlp_read *r, size_t i, struct pp_diags *diags)
{
	if (r->open == i + 1) {
		r->doc.diags = diags;
		return true;
	}
	pp_otlp_release(&r->doc);
	r->doc = (struct otlp_doc){ .from = &r->messages,
		                    .bytes = r->messages.list.at[i],
		                    .diags = diags,
		                    /* JSON that breaks off does so in the last one. */
		                    .cut = r->messages.json && !r->messages.complete &&
		                           i + 1 == r->messages.list.n };
	r->open = i + 1;
	return pp_otlp_parse(&r->doc);
}

/* The type of a profile, made when it is new. */
static uint32_t
type_find(struct otlp_read *r, const struct otlp_profile *p)
{
	struct otlp_doc *d = &r->doc;
	struct otlp_type_read type = { .name = pp_otlp_text(d, p->type[0]),
		                       .unit = pp_otlp_text(d, p->type[1]) };
	bool told = false;
	size_t i;

	type.known = pp_sampled_unit_find(type.unit);
	type.factor = type.known ? type.known->factor : 1;
	for (i = 0; i < r->types.n; i++) {
		struct otlp_type_read *t = &r->types.at[i];

		if (!pp_slice_eq(t->name, type.name))
			continue;
		if (!pp_slice_eq(t->unit, type.unit) && !told) {
			told = true;
			pp_otlp_report(d, OTLP_BAD_SAMPLE_TYPE_UNITS, p->message.p,
			               "%.*s comes in %.*s and in %.*s", PP_SHOWN(type.name),
			               PP_SHOWN(t->unit), PP_SHOWN(type.unit));
		}
		if (type.known && t->known ? type.known->unit == t->known->unit ||
		                                 strcmp(type.known->unit, t->known->unit) == 0
		                           : pp_slice_eq(t->unit, type.unit)) {
			uint64_t less = t->factor < type.factor ? t->factor : type.factor;

			t->factor = t->factor % less || type.factor % less ? 1 : less;
			return (uint32_t)i;
		}
		type.again++;
	}
	if (!pp_vec_push(&r->types, type))
		pp_otlp_no_memory(r);
	return (uint32_t)i;
}

static void
resource_compare(struct otlp_read *r, const struct otlp_profile *p)
{
	struct pp_slice all = pp_otlp_origin_bytes(&r->doc, &r->doc.resources.at[p->resource]);

	if (!r->resource.p)
		r->resource = all;
	r->resources_differ |= !pp_slice_eq(r->resource, all);
}

/* Puts types where they stood in the pprof that they come from, if that is told. */
static void
types_order(struct otlp_read *r, const struct otlp_value *order)
{
	struct otlp_type_read *moved = calloc(r->types.n + 1, sizeof *moved);
	uint32_t *to = calloc(r->types.n + 1, sizeof *to);
	struct pp_wire_field f;
	struct pp_wire w;
	size_t i, n = 0;
	bool fine = moved && to;

	if (!fine)
		pp_otlp_no_memory(r);
	pp_wire_init(&w, order->text);
	while (fine && pp_wire_next(&w, &f) && f.type == PP_WIRE_BYTES) {
		struct otlp_value item = pp_otlp_value(&r->doc, f.bytes);
		uint64_t at = item.number;

		fine = n < r->types.n && at < r->types.n && !moved[at].placed;
		if (!fine)
			break;
		moved[at] = r->types.at[n];
		moved[at].placed = true;
		to[n++] = (uint32_t)at;
	}
	if (fine && n == r->types.n) {
		memcpy(r->types.at, moved, n * sizeof *moved);
		for (i = 0; i < r->type_of.n; i++)
			r->type_of.at[i] = to[r->type_of.at[i]];
		r->primary = n ? to[0] : 0;
	}
	free(moved);
	free(to);
}

/* Looks for that order in the scope of the first profile of the open message. */
static void
order_find(struct otlp_read *r)
{
	const struct otlp_doc *d = &r->doc;
	const struct otlp_origin *scope;
	struct otlp_value value;
	uint32_t i;

	if (d->profiles.n != r->types.n || r->messages.list.n != 1)
		return;
	scope = d->profiles.n ? &d->scopes.at[d->profiles.at[0].scope] : NULL;
	for (i = 0; scope && i < scope->pairs.n; i++) {
		struct pp_slice key = pp_otlp_pair(d, d->pairs.at[scope->pairs.first + i], &value);

		if (pp_slice_eq_z(key, "pprof.scope.sample_type_order") &&
		    value.field == OTLP_ANY_ARRAY) {
			types_order(r, &value);
			return;
		}
	}
}

/* Looks at all messages for what has to be known before the first sample. */
static void
messages_check(struct otlp_read *r)
{
	bool duplicates = (r->b->order.facets & PP_FINDINGS) != 0;
	size_t i, k;

	for (i = 0; i < r->messages.list.n && pp_builder_ok(r->b); i++) {
		struct otlp_doc *d = &r->doc;

		if (message_open(r, i, r->reader->diags))
			pp_otlp_check(d, duplicates, r->reader->seed);
		r->messages.complete &= !d->cut;
		for (k = 0; k < d->profiles.n && !d->no_memory; k++) {
			const struct otlp_profile *p = &d->profiles.at[k];
			uint64_t start = p->f[OTLP_PROFILE_TIME], end;

			if (!pp_vec_push(&r->type_of, type_find(r, p)))
				pp_otlp_no_memory(r);
			resource_compare(r, p);
			if (p->payload.n && p->format.n && !pp_vec_push(&r->payloads, p->format))
				pp_otlp_no_memory(r);
			if (!start && p->f[OTLP_PROFILE_DURATION] > r->duration)
				r->duration = p->f[OTLP_PROFILE_DURATION];
			if (!start)
				continue;
			end = start + p->f[OTLP_PROFILE_DURATION];
			r->start = r->start && r->start < start ? r->start : start;
			r->end = end > r->end ? end : r->end;
		}
		if (d->no_memory)
			pp_otlp_no_memory(r);
	}
	if (pp_builder_ok(r->b))
		order_find(r);
}

/* ---- metrics ---- */

static void
metrics_build(struct otlp_read *r)
{
	size_t i;

	if (r->types.n > TYPES_MOST)
		pp_builder_fail(r->b, PP_E_LIMIT, "there are too many sample types");
	for (i = 0; i < r->types.n && pp_builder_ok(r->b); i++) {
		const struct otlp_type_read *t = &r->types.at[i];
		struct pp_metric metric = { .type = PP_INT,
			                    .kind = pp_sampled_kind(t->name, t->known, t->unit),
			                    .factor_num = t->factor,
			                    .factor_den = 1 };

		metric.name = t->name.n == 0 ? pp_build_strf(r->b, "column%zu", i + 1)
		              : t->again     ? pp_build_strf(r->b, "%.*s#%zu", (int)t->name.n,
		                                             (const char *)t->name.p, t->again + 1)
		                             : pp_build_str(r->b, t->name);
		metric.unit = t->known ? pp_build_strz(r->b, t->known->unit)
		                       : pp_build_str(r->b, t->unit);
		metric.flags = (i == r->primary ? PP_METRIC_PRIMARY : 0u) |
		               (t->falls ? PP_METRIC_SIGNED : 0u) |
		               (metric.kind == PP_KIND_SAMPLES ? PP_METRIC_SAMPLED : 0u);
		(void)pp_build_metric(r->b, &metric);
	}
	if (!r->late)
		(void)pp_build_gains(r->b);
}

static void
times_build(struct otlp_read *r)
{
	struct pp_profile *p = r->b->profile;

	pp_profile_record_at(p, r->start);
	if (r->end > r->start && r->end - r->start <= INT64_MAX)
		p->time = (struct pp_time_span){ true, 0, (int64_t)(r->end - r->start) };
}

/* ---- sums ---- */

/* Reports what a stack costs, and starts over with 0. */
static void
sum_flush(struct otlp_read *r, size_t row)
{
	const struct otlp_sum *sum = &r->sums.at[row];
	int64_t *cells = r->cells.at + row * r->values.n;
	const pp_frame *frames;
	size_t depth;

	frames = pp_otlp_stack_expand(r, sum->stack, &depth);
	pp_builder_at(r->b, pp_at_offset(pp_otlp_offset(&r->messages, sum->at)));
	if (frames)
		(void)pp_build_stack(r->b, sum->series, frames, depth, cells);
	memset(cells, 0, r->values.n * sizeof *cells);
}

static size_t
sum_find(struct otlp_read *r, uint32_t series, int32_t stack, const unsigned char *at)
{
	uint64_t key = (uint64_t)series << 32 | (uint32_t)stack;
	size_t row = r->sums.n;
	uint32_t found = series ? pp_map_get(&r->sum_others, key) : r->sum_of.at[stack] - 1;

	if (found != (series ? PP_MAP_NONE : UINT32_MAX))
		return found;
	if (row >= UINT32_MAX - 1 ||
	    !pp_vec_push(&r->sums, (struct otlp_sum){ series, stack, at }) ||
	    !pp_vec_reserve(&r->cells, (row + 1) * r->values.n) ||
	    (series && !pp_map_set(&r->sum_others, key, (uint32_t)row))) {
		pp_otlp_no_memory(r);
		return 0;
	}
	memset(r->cells.at + row * r->values.n, 0, r->values.n * sizeof *r->cells.at);
	if (!series)
		r->sum_of.at[stack] = (uint32_t)row + 1;
	return row;
}

/* Adds to what a sample's stack costs. */
static void
value_add(struct otlp_read *r, size_t row, size_t column, int64_t value)
{
	const struct pp_profile *p = r->b->profile;
	int64_t *cells = r->cells.at + row * r->values.n, sum;
	size_t i;

	if (PP_UNLIKELY(value < 0 && !r->types.at[column].falls))
		r->types.at[column].falls = r->found_fall = true;
	if (PP_UNLIKELY(__builtin_add_overflow(cells[column], value, &sum))) {
		sum_flush(r, row);
		sum = value;
	}
	cells[column] = sum;
	for (i = r->types.n; i < r->values.n; i++)
		if (p->metrics.at[i].net == column &&
		    __builtin_add_overflow(cells[i], pp_cell_gained(PP_INT, value), &cells[i])) {
			/* More was gained than a cell holds: all is read again, with room for it. */
			cells[i] = INT64_MAX;
			r->b->overflowed = true;
		}
}

/* A value in the unit of its metric; 0, and told, when that has no room for it. */
static int64_t
value_scale(struct otlp_read *r, const struct otlp_samples *s, int64_t value)
{
	int64_t scaled;

	if (PP_LIKELY(r->scale == 1))
		return value;
	if (!__builtin_mul_overflow(value, r->scale, &scaled))
		return scaled;
	if (s->report)
		pp_otlp_report(&r->doc, OTLP_BAD_SAMPLE_TYPE_UNITS, s->at,
		               "%lld does not fit into the smaller unit and is left out",
		               (long long)value);
	r->messages.complete = false;
	return 0;
}

/* ---- samples ---- */

/* Each timestamp by itself. */
static void
times_add(struct otlp_read *r, const struct otlp_samples *s, uint32_t series, uint32_t column,
          const int64_t *values)
{
	size_t depth = 0, i, n = s->times.n / 8, m = r->b->profile->metrics.n;
	const pp_frame *frames = pp_otlp_stack_expand(r, s->stack, &depth);
	struct pp_sample sample = { .series = series, .values = r->values.at, .timed = true };

	for (i = 0; frames && i < n && pp_builder_ok(r->b); i++) {
		size_t k;

		memset(r->values.at, 0, r->values.n * sizeof *r->values.at);
		r->values.at[column] = value_scale(r, s, values ? values[i] : 1);
		if (r->values.at[column] < 0 && !r->types.at[column].falls)
			r->types.at[column].falls = r->found_fall = true;
		for (k = r->types.n; !r->late && k < m; k++)
			if (r->b->profile->metrics.at[k].net == column)
				r->values.at[k] = pp_cell_gained(PP_INT, r->values.at[column]);
		sample.time = (int64_t)(pp_otlp_time(s->times, i) - r->start);
		(void)pp_build_sample(r->b, &sample, frames, depth);
	}
}

static void
sample_add(struct otlp_read *r, struct otlp_samples *s, uint32_t column, bool with_labels)
{
	size_t times = s->times.n / 8, i, row;
	bool has_labels = s->attributes.n || s->link || r->resources_differ;
	uint32_t series = with_labels && has_labels ? pp_otlp_series_of(r, s) : 0;

	r->has_labels |= has_labels;
	r->samples++;
	r->types.at[column].samples++;
	r->has_times |= times > 0;
	r->has_untimed |= times == 0;
	if (times && r->b->order.facets & PP_TIMELINE && !r->untimed) {
		times_add(r, s, series, column, s->values.n ? s->values.at : NULL);
		return;
	}
	row = sum_find(r, series, s->stack, s->at);
	for (i = 0; i < s->values.n && pp_builder_ok(r->b); i++)
		value_add(r, row, column, value_scale(r, s, s->values.at[i]));
	if (s->values.n == 0 && pp_builder_ok(r->b))
		value_add(r, row, column, value_scale(r, s, (int64_t)times));
}

static void
profile_samples(struct otlp_read *r, const struct otlp_profile *p, uint32_t column, bool report)
{
	bool with_labels = pp_order_has_labels(&r->b->order) || r->b->order.facets & PP_THREADS;
	const struct pp_sampled_unit *unit = pp_sampled_unit_find(
	    pp_otlp_text(&r->doc, p->type[1]));
	struct otlp_samples s;
	uint64_t until = 0;

	r->scale = (int64_t)((unit ? unit->factor : 1) / r->types.at[column].factor);
	pp_otlp_samples_init(&s, &r->doc, p, report);
	while (pp_builder_ok(r->b) && pp_otlp_samples_next(&s)) {
		sample_add(r, &s, column, with_labels);
		if (r->samples < until)
			continue;
		until = r->samples + 65536;
		if (r->reader->progress && r->reader->progress(r->reader))
			pp_builder_fail(r->b, PP_E_IO, NULL);
	}
	if (r->doc.no_memory)
		pp_otlp_no_memory(r);
	pp_otlp_samples_release(&s);
}

/* Forgets what is of one message. */
static void
tables_forget(struct otlp_read *r)
{
	pp_strtab_release(&r->sets);
	pp_map_release(&r->sum_others);
	r->sum_others.seed = r->reader->seed;
	r->set_series.n = r->sums.n = r->cells.n = r->sum_of.n = 0;
}

static void
message_build(struct otlp_read *r, const uint32_t *type_of, bool report)
{
	struct otlp_doc *d = &r->doc;
	size_t stacks = pp_otlp_count(d, OTLP_TABLE_STACKS), i;

	tables_forget(r);
	if (!pp_strtab_init(&r->sets, r->reader->seed) || !pp_vec_reserve(&r->sum_of, stacks) ||
	    !pp_otlp_modules_build(r) || !pp_otlp_frames_build(r)) {
		pp_otlp_no_memory(r);
		return;
	}
	memset(r->sum_of.at, 0, stacks * sizeof *r->sum_of.at);
	for (i = 0; i < d->profiles.n && pp_builder_ok(r->b); i++)
		profile_samples(r, &d->profiles.at[i], type_of[i], report);
	for (i = 0; i < r->sums.n && pp_builder_ok(r->b); i++)
		sum_flush(r, i);
}

/* ---- the profile ---- */

/* The series of all that has no labels: it is the process that was recorded, if that is one. */
static void
series_build(struct otlp_read *r)
{
	struct pp_series like = { .pid = -1, .tid = -1, .cpu = -1 };
	int64_t pid;

	if (!r->resources_differ && pp_num_i64(pp_profile_meta(r->b->profile, "process.pid"), &pid))
		like.pid = pid;
	(void)pp_build_series(r->b, &like, false, false);
}

/* What happened at one moment; those that are looked at are few, so that a stranger's many take no longer. */
#define MOMENT_MOST 64

struct moment {
	struct pp_event events[MOMENT_MOST];
	int64_t *values; /* of each */
	size_t n;
};

static bool
moment_flush(struct pp_timeline *to, struct moment *m)
{
	bool fine = true;
	size_t i;

	for (i = 0; i < m->n && fine; i++)
		fine = pp_timeline_add(to, &m->events[i], m->values + i * to->columns);
	m->n = 0;
	return fine;
}

/* Adds what happened to the event of the same stack that says nothing of the same types, or as another. */
static bool
moment_add(struct pp_timeline *to, struct moment *m, const struct pp_timeline_iter *it)
{
	size_t columns = to->columns, i, k;

	if (m->n && (m->events[0].time != it->event.time || m->n == MOMENT_MOST) &&
	    !moment_flush(to, m))
		return false;
	for (i = 0; i < m->n; i++) {
		int64_t *values = m->values + i * columns;

		if (m->events[i].node != it->event.node)
			continue;
		for (k = 0; k < columns && (!values[k] || !it->values[k]);)
			k++;
		if (k < columns)
			continue;
		for (k = 0; k < columns; k++)
			values[k] += it->values[k];
		return true;
	}
	m->events[m->n] = it->event;
	memcpy(m->values + m->n++ * columns, it->values, columns * sizeof *m->values);
	return true;
}

/* What several types say of one moment is one event. */
static bool
timeline_join(struct pp_timeline *t)
{
	struct pp_timeline joined;
	struct moment m = { .values = malloc(MOMENT_MOST * (t->columns + 1) * sizeof *m.values) };
	struct pp_timeline_iter it;
	bool fine = pp_timeline_init(&joined, t->columns, t->cumulative) && m.values;

	if (fine && pp_timeline_begin(t, &it, 0)) {
		while (fine && pp_timeline_next(&it))
			fine = moment_add(&joined, &m, &it);
		pp_timeline_end(&it);
		fine = fine && moment_flush(&joined, &m);
	} else {
		fine = false;
	}
	free(m.values);
	if (fine)
		pp_timeline_seal(&joined);
	pp_timeline_release(fine ? t : &joined);
	if (fine)
		*t = joined;
	return fine;
}

/* No profile says when it was: its clock starts at 0 and runs as long as it says, or goes by what happened. */
static void
times_guess(struct otlp_read *r)
{
	struct pp_profile *p = r->b->profile;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_timeline *t = &p->series.at[i].timeline;

		if (!t->n)
			continue;
		if (!p->time.known || t->blocks.at[0].time < p->time.start)
			p->time.start = t->blocks.at[0].time;
		if (!p->time.known || t->last.time > p->time.end)
			p->time.end = t->last.time;
		p->time.known = true;
	}
	if (p->time.known && p->time.start >= 0 && (uint64_t)p->time.end <= r->duration &&
	    r->duration <= INT64_MAX)
		p->time = (struct pp_time_span){ true, 0, (int64_t)r->duration };
}

/* Puts what happened into the order of time, as samples are not. */
static void
timelines_settle(struct otlp_read *r)
{
	struct pp_profile *p = r->b->profile;
	uint32_t *to = calloc(p->metrics.n + 1, sizeof *to);
	size_t i;

	for (i = 0; to && i < p->metrics.n; i++)
		to[i] = (uint32_t)i;
	if (!to || !pp_build_flush(r->b))
		pp_otlp_no_memory(r);
	for (i = 0; to && i < p->series.n && pp_builder_ok(r->b); i++)
		if (p->series.at[i].timeline.n &&
		    (!pp_timeline_settle(&p->series.at[i].timeline, to, (uint32_t)p->metrics.n,
		                         true) ||
		     (r->types.n > 1 && !timeline_join(&p->series.at[i].timeline))))
			pp_otlp_no_memory(r);
	free(to);
	if (!r->start)
		times_guess(r);
}

/* All of the profile; `again` without telling what is wrong a second time. */
static void
profile_build(struct otlp_read *r, bool again)
{
	size_t i, profiles = 0;

	for (i = 0; r->late && i < r->types.n; i++)
		(void)pp_build_column(r->b);
	if (!r->late)
		metrics_build(r);
	r->values.n = r->late ? r->types.n : r->b->profile->metrics.n;
	if (!pp_vec_reserve(&r->values, r->values.n + 1))
		pp_otlp_no_memory(r);
	times_build(r);
	for (i = 0; i < r->messages.list.n && pp_builder_ok(r->b); i++) {
		if (!message_open(r, i, NULL)) {
			pp_otlp_no_memory(r);
			return;
		}
		r->doc.diags = again ? NULL : r->reader->diags;
		if (r->doc.profiles.n == 0)
			continue;
		if (profiles == 0) {
			pp_otlp_meta_build(r);
			series_build(r);
		}
		if (pp_builder_ok(r->b))
			message_build(r, r->type_of.at + profiles, !again);
		profiles += r->doc.profiles.n;
	}
	/* Only where all samples are told in time the parts of it are all that there is. */
	if (r->has_times && !r->has_untimed)
		r->b->profile->holds |= PP_TIMELINE;
	if (r->has_times && !r->untimed && !r->late)
		timelines_settle(r);
	if (r->late)
		metrics_build(r);
	if (r->has_labels && !pp_order_has_labels(&r->b->order))
		r->b->profile->unread |= PP_HAS(LABELS);
	/* What several types count are the same samples. */
	for (i = 0; i < r->types.n; i++)
		if (r->types.at[i].samples > r->b->profile->samples)
			r->b->profile->samples = r->types.at[i].samples;
	r->b->profile->complete &= r->messages.complete;
}

/* Starts over, with what is known by now. */
static bool
profile_restart(struct otlp_read *r)
{
	size_t i;

	for (i = 0; i < r->types.n; i++)
		r->types.at[i].samples = 0;
	r->samples = 0;
	r->untimed |= r->has_untimed;
	r->has_times = r->has_untimed = false;
	if (pp_builder_restart(r->b))
		return true;
	pp_otlp_no_memory(r);
	return false;
}

/* Sums that do not fit: once more, with as many cells as it takes. */
static void
profile_build_wide(struct otlp_read *r)
{
	struct pp_profile *p;
	uint32_t *column_of, *moved;
	size_t i;

	r->late = true;
	if (!profile_restart(r))
		return;
	profile_build(r, true);
	if (!pp_build_flush(r->b))
		return;
	p = r->b->profile;
	column_of = calloc(p->metrics.n + 1, sizeof *column_of);
	moved = calloc(p->series.n + 1, sizeof *moved);
	for (i = 0; column_of && i < p->metrics.n; i++)
		column_of[i] = (uint32_t)i;
	if (column_of && moved && pp_builder_ok(r->b))
		pp_build_columns_settle(r->b, column_of, moved);
	else
		pp_otlp_no_memory(r);
	free(column_of);
	free(moved);
}

/* Lines and columns of findings in a text. */
static void
findings_place(struct otlp_read *r, size_t first)
{
	struct pp_diags *diags = r->reader->diags;
	struct pp_places places = { .text = r->messages.input };
	size_t i;

	pp_diags_sort(diags, first);
	for (i = first; r->messages.json && i < diags->list.n; i++) {
		struct pp_diag *diag = &diags->list.at[i];
		struct pp_place place;

		if (diag->offset == PP_NO_OFFSET || diag->offset < r->messages.offset ||
		    diag->offset - r->messages.offset > r->messages.input.n)
			continue;
		place = pp_places_next(&places,
		                       r->messages.input.p + (diag->offset - r->messages.offset));
		diag->line = place.line;
		diag->column = place.column;
	}
}

static void
input_read(struct otlp_read *r)
{
	struct pp_diags *diags = r->b->diags;
	size_t first = r->reader->diags->list.n;

	pp_otlp_messages_open(&r->messages,
	                      pp_slice_between(r->reader->in->cur, r->reader->in->end),
	                      pp_input_offset(r->reader->in, r->reader->in->cur), r->reader->diags);
	if (r->messages.no_memory) {
		pp_otlp_no_memory(r);
		return;
	}
	if (r->messages.list.n == 0 && r->messages.complete)
		pp_diag_add(r->reader->diags, &pp_otlp_rules[OTLP_BAD_EMPTY], PP_NOWHERE,
		            "there is nothing in the file");
	messages_check(r);
	/* A sum that does not fit is no finding as long as there is another way. */
	r->b->diags = NULL;
	if (pp_builder_ok(r->b))
		profile_build(r, false);
	if ((r->found_fall ||
	     (r->b->order.facets & PP_TIMELINE && r->has_times && r->has_untimed)) &&
	    pp_builder_ok(r->b) && profile_restart(r))
		profile_build(r, true);
	if (pp_build_flush(r->b) && r->b->overflowed && pp_builder_remembers(r->b))
		profile_build_wide(r);
	r->b->diags = diags;
	findings_place(r, first);
	r->b->profile->variant = pp_build_strz(
	    r->b, r->messages.json       ? (r->messages.list.n > 1 ? "jsonl" : "json")
	          : r->messages.prefixed ? "length-prefixed"
	                                 : "protobuf");
}

/* ---- the messages themselves ---- */

struct pp_slice
pp_otlp_kept(const struct pp_profile *p)
{
	return pp_kept_bytes(p, &pp_format_otlp);
}

bool
pp_otlp_carry_save(const struct pp_profile *p, struct pp_buf *out)
{
	return pp_kept_bytes_save(p, &pp_format_otlp, out);
}

pp_status
pp_otlp_carry_load(struct pp_kept_facet *kept, struct pp_slice bytes)
{
	return pp_kept_bytes_set(kept, &pp_format_otlp, bytes) ? PP_OK : PP_E_NOMEM;
}

/* What was read is kept as it is, JSON too: so its keys that nobody knows stay as long as it is written as JSON. */
static void
messages_keep(struct otlp_read *r)
{
	struct pp_profile *p = r->b->profile;

	if (!(r->b->order.facets & PP_EXTRAS) || r->messages.input.n > KEPT_MOST)
		p->holds |= PP_EXTRAS;
	else if (!pp_kept_bytes_set(&p->kept, &pp_format_otlp, r->messages.input))
		pp_otlp_no_memory(r);
}

/* Reads the original instead, if the user wants that and it can be; false when not. */
static bool
payload_read(struct pp_reader *reader, struct pp_builder *b, struct pp_whole *whole,
             pp_status *status)
{
	const char *how = pp_reader_option(reader, "payload");
	const struct pp_format *format;
	struct pp_buf text = { 0 };

	if (!how || strcmp(how, "use") != 0)
		return false;
	format = pp_otlp_payload(reader, &text);
	if (text.failed)
		*status = PP_E_NOMEM;
	else if (format)
		*status = pp_whole_replace(whole, reader, &text);
	if (format && *status == PP_OK) {
		*status = format->read(reader, b);
		b->profile->native = format;
	}
	pp_buf_release(&text);
	return format || *status != PP_OK;
}

pp_status
pp_otlp_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct otlp_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);

	if (status == PP_OK && payload_read(reader, b, &whole, &status)) {
		pp_whole_close(&whole, reader);
		return status;
	}
	if (status == PP_OK) {
		input_read(&r);
		if (pp_builder_ok(b) && r.messages.list.n)
			messages_keep(&r);
		tables_forget(&r);
	}
	pp_vec_release(&r.types);
	pp_vec_release(&r.type_of);
	pp_vec_release(&r.payloads);
	pp_vec_release(&r.modules);
	pp_vec_release(&r.spans);
	pp_vec_release(&r.frames);
	pp_vec_release(&r.stack);
	pp_vec_release(&r.labels);
	pp_vec_release(&r.set_series);
	pp_vec_release(&r.sums);
	pp_vec_release(&r.cells);
	pp_vec_release(&r.sum_of);
	pp_vec_release(&r.values);
	pp_buf_release(&r.set);
	pp_otlp_release(&r.doc);
	pp_otlp_messages_release(&r.messages);
	pp_whole_close(&whole, reader);
	return status == PP_OK ? b->status : status;
}
