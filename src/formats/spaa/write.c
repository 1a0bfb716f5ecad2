/*
 * Writing SPAA: own costs become stack records, timelines of samples become sample records.
 *
 * A file that was read as SPAA is written back record by record, unless options ask for another form.
 * Everything else is written from the tree: one record for each event and stack, the heaviest of an event
 * first, with ids that hash names. Weights must be positive to be above suspicion, so what is not goes to
 * side events, named after the metric: a stack without any primary cost, and negative values (memory
 * given back) as a metric of its own, NAME_freed.
 */
#include "formats/spaa/write.h"
#include "model/held.h"

#include <stdio.h>

/* ---- events ----------------------------------------------------------------------------- */

bool
pp_spaa_out_has(const struct pp_spaa_out *o, const struct pp_spaa_out_event *e, size_t metric)
{
	return !e->event || o->p->metrics.at[metric].event == e->event;
}

static bool
event_push(struct pp_spaa_out *o, struct pp_slice name, pp_str event, size_t primary, bool freed)
{
	struct pp_spaa_out_event e = { .event = event,
		                       .primary = (uint32_t)primary,
		                       .freed = freed };
	size_t i;
	bool taken;

	pp_buf_add(&e.own_name, name.p, name.n);
	if (freed)
		pp_buf_adds(&e.own_name, "_freed");
	do {
		e.name = pp_slice_of(e.own_name.p ? e.own_name.p : "", e.own_name.n);
		for (i = 0, taken = e.name.n == 0; i < o->events.n; i++)
			taken |= pp_slice_eq(o->events.at[i].name, e.name);
		if (taken)
			pp_buf_adds(&e.own_name, "'");
	} while (taken && !e.own_name.failed);
	if (e.own_name.failed || !pp_vec_push(&o->events, e)) {
		pp_buf_release(&e.own_name);
		return false;
	}
	return true;
}

/* The primary metric of an event: the profile's, if it is of that event, else its first. */
static size_t
event_primary(const struct pp_profile *p, pp_str event)
{
	size_t i, main = pp_profile_primary(p);

	if (main < p->metrics.n && (!event || p->metrics.at[main].event == event))
		return main;
	for (i = 0; i < p->metrics.n && p->metrics.at[i].event != event; i++)
		;
	return i;
}

/* One event for each that the metrics name; a profile without events has one named after its format. */
static bool
events_collect(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	size_t i, k;

	for (i = 0; i < p->metrics.n; i++) {
		pp_str event = p->metrics.at[i].event;

		for (k = 0; k < o->events.n && o->events.at[k].event != event; k++)
			;
		if (k == o->events.n && !event_push(o,
		                                    event ? pp_text_of(p, event)
		                                          : pp_slice_z(pp_profile_native(p)->name),
		                                    event, event_primary(p, event), false))
			return false;
	}
	o->main_events = o->events.n;
	o->side = calloc(2 * p->metrics.n + 2, sizeof *o->side);
	o->weights = calloc(2 * p->metrics.n + 2, sizeof *o->weights);
	return o->side && o->weights;
}

/* The side event of a metric, made when absent. */
static struct pp_spaa_out_event *
event_side(struct pp_spaa_out *o, size_t metric, bool freed)
{
	uint32_t *side = &o->side[2 * metric + freed];

	if (!*side) {
		if (!event_push(o, pp_text_of(o->p, o->p->metrics.at[metric].name),
		                o->p->metrics.at[metric].event, metric, freed)) {
			o->failed = true;
			return NULL;
		}
		*side = (uint32_t)o->events.n;
	}
	return &o->events.at[*side - 1];
}

/* ---- stacks ----------------------------------------------------------------------------- */

uint64_t
pp_spaa_out_id(const struct pp_spaa_out *o, const struct pp_spaa_out_stack *s)
{
	uint64_t h = o->hash[s->node];
	char text[96];
	int n;

	h = pp_fnv_add(h, s->event->name.p, s->event->name.n);
	h = pp_spaa_fnv_byte(h, 2);
	if (o->split) {
		const struct pp_series *series = &o->p->series.at[s->series];

		n = snprintf(text, sizeof text, "%lld/%lld/%lld", (long long)series->pid,
		             (long long)series->tid, (long long)series->cpu);
		h = pp_fnv_add(h, text, (size_t)n);
		h = pp_fnv_add(h, pp_text_of(o->p, series->thread).p,
		               pp_text_of(o->p, series->thread).n);
		h = pp_fnv_add(h, pp_text_of(o->p, series->context).p,
		               pp_text_of(o->p, series->context).n);
	}
	if (s->part) {
		n = snprintf(text, sizeof text, "part %u", s->part);
		h = pp_fnv_add(h, text, (size_t)n);
	}
	return h;
}

static void
context_print(struct pp_spaa_out *o, const struct pp_spaa_out_stack *s, struct pp_json *j)
{
	const struct pp_profile *p = o->p;

	pp_json_begin_object(j);
	pp_json_put_text(j, "event", s->event->name);
	if (o->split) {
		const struct pp_series *series = &p->series.at[s->series];

		if (series->pid >= 0)
			pp_json_put_i64(j, "pid", series->pid);
		if (series->tid >= 0)
			pp_json_put_i64(j, "tid", series->tid);
		if (series->cpu >= 0)
			pp_json_put_i64(j, "cpu", series->cpu);
		if (series->thread)
			pp_json_put_text(j, "comm", pp_text_of(p, series->thread));
		if (series->context)
			pp_json_put_text(j, "x_context", pp_text_of(p, series->context));
	}
	pp_json_end_object(j);
}

/* The context of a stack as text, mostly that of the one before. */
static struct pp_slice
context_of(struct pp_spaa_out *o, const struct pp_spaa_out_stack *s)
{
	uint32_t event = (uint32_t)(s->event - o->events.at), series = o->split ? s->series : 0;
	struct pp_sink *sink;
	struct pp_json j;

	if (o->context.n && o->context_event == event && o->context_series == series)
		return pp_slice_of(o->context.p, o->context.n);
	o->context.n = 0;
	o->context_event = event;
	o->context_series = series;
	if (pp_sink_buffer(&o->context, &sink) != PP_OK) {
		o->failed = true;
		return pp_slice_of("", 0);
	}
	pp_json_init(&j, sink, PP_JSON_COMPACT);
	context_print(o, s, &j);
	o->failed |= pp_sink_commit(sink) != PP_OK;
	pp_sink_close(sink);
	return pp_slice_of(o->context.p ? o->context.p : "", o->context.n);
}

/* Whether cells are whole numbers of the metric's own unit. */
static inline bool
is_whole(const struct pp_metric *m)
{
	return m->type != PP_REAL && !m->scale && m->factor_num <= 1 && m->factor_den <= 1;
}

static inline char *
text_put(char *to, const void *text, size_t n)
{
	/* Without memory there may be no text. */
	if (n)
		memcpy(to, text, n);
	return to + n;
}
#define TEXT_PUT(to, text) text_put(to, text, sizeof(text) - 1)

/* What stands around the value of a metric in a list of weights; made once. */
static struct pp_spaa_out_weight *
weight_frame(struct pp_spaa_out *o, size_t metric, bool freed)
{
	struct pp_spaa_out_weight *w = &o->weights[2 * metric + freed];
	const struct pp_metric *m = &o->p->metrics.at[metric];
	struct pp_slice unit = pp_text_of(o->p, m->unit), own = pp_text_of(o->p, m->name);
	struct pp_buf name = { 0 };
	struct pp_sink *sink;
	struct pp_json j;

	if (w->head.n)
		return w;
	if (pp_sink_buffer(&w->head, &sink) != PP_OK) {
		o->failed = true;
		return w;
	}
	pp_buf_add(&name, own.p, own.n);
	if (freed)
		pp_buf_adds(&name, "_freed");
	pp_json_init(&j, sink, PP_JSON_COMPACT);
	pp_json_begin_object(&j);
	pp_json_put_text(&j, "metric", pp_slice_of(name.p ? name.p : "", name.n));
	pp_json_key(&j, "value");
	o->failed |= pp_sink_commit(sink) != PP_OK || name.failed;
	pp_sink_close(sink);
	pp_buf_release(&name);
	if (pp_sink_buffer(&w->tail, &sink) != PP_OK) {
		o->failed = true;
		return w;
	}
	pp_json_init(&j, sink, PP_JSON_COMPACT);
	if (unit.n && !o->terse) {
		pp_sink_putc(sink, ',');
		pp_json_put_text(&j, "unit", unit);
	}
	pp_sink_putc(sink, '}');
	o->failed |= pp_sink_commit(sink) != PP_OK;
	pp_sink_close(sink);
	return w;
}

/* One entry of a list of weights as text, so that it can be written twice; adds to the record's mark. */
static void
weight_print(struct pp_spaa_out *o, struct pp_buf *out, size_t metric, bool freed, union pp_value v,
             uint64_t *mark)
{
	const struct pp_spaa_out_weight *w = weight_frame(o, metric, freed);
	struct pp_decimal num = { 0 };
	char text[PP_NUM_MAX], *to;
	size_t n;

	if (PP_LIKELY(is_whole(&o->p->metrics.at[metric]) && v.i >= 0 && v.i <= INT64_MAX)) {
		num.magnitude = (uint64_t)v.i;
		n = pp_num_print(text, v.i, 0);
	} else {
		n = pp_value_print(&o->p->metrics.at[metric], v, text);
		o->failed |= !pp_decimal_parse(pp_slice_of(text, n), &num);
	}
	*mark += pp_spaa_mark_value(*mark, &num);
	to = pp_buf_room(out, 1 + w->head.n + n + w->tail.n);
	if (!to)
		return;
	*to = ',';
	to = text_put(to + (out->n > 0), w->head.p, w->head.n);
	to = text_put(text_put(to, text, n), w->tail.p, w->tail.n);
	out->n = (size_t)(to - out->p);
}

/*
 * Two paths may hash alike, functions of one name do: the later one moves on. Where the last of them came to is
 * remembered, so that many do not each go all the way again.
 */
static uint64_t
id_claim(struct pp_spaa_out *o, uint64_t id)
{
	uint32_t moved = pp_map_get(&o->ids, id), next = moved;
	uint64_t from = id;

	while (next != PP_MAP_NONE) {
		id = pp_spaa_fnv_byte(next ? o->moved.at[next - 1] : id, 3);
		next = pp_map_get(&o->ids, id);
	}
	o->failed |= !pp_map_set(&o->ids, id, 0);
	if (moved == PP_MAP_NONE)
		return id;
	if (moved)
		o->moved.at[moved - 1] = id;
	else
		o->failed |= !pp_vec_push(&o->moved, id) ||
		             !pp_map_set(&o->ids, from, (uint32_t)o->moved.n);
	return id;
}

/* Keys beyond are few, and so are files that have them. */
#define DIGITS_MOST ((size_t)1000000)

/* The texts of keys, which stand in stack after stack. */
static bool
digits_make(struct pp_spaa_out *o)
{
	size_t keys = o->by_func ? o->p->funcs.n : o->p->frames.n, i;
	char text[PP_NUM_MAX];

	o->digits_n = keys < DIGITS_MOST ? keys : DIGITS_MOST;
	o->digits = malloc((o->digits_n + 1) * sizeof *o->digits);
	for (i = 0; o->digits && i < o->digits_n; i++) {
		size_t n = pp_num_print(text, (pp_i128)i, 0);

		text[n++] = ',';
		memcpy(o->digits[i].text, text, n);
		o->digits[i].n = (uint8_t)n;
	}
	return o->digits != NULL;
}

static char *
key_put(char *to, uint32_t key)
{
	char text[PP_NUM_MAX];

	return text_put(to, text, pp_num_print(text, (pp_i128)key, 0));
}

/* Appends the keys of the path to a line that has room for them. */
static char *
path_print(const struct pp_spaa_out *o, char *to)
{
	size_t i;

	for (i = 0; i < o->path.n; i++) {
		uint32_t key = o->path.at[i];

		if (PP_LIKELY(key < o->digits_n)) {
			/* All of it at once; what is too much is written over. */
			memcpy(to, &o->digits[key], sizeof *o->digits);
			to += o->digits[key].n;
		} else {
			to = key_put(to, key);
			*to++ = ',';
		}
	}
	return to - (i > 0);
}

/* The most that a number of 32 bits and a comma take, and all that is the same in each record. */
#define KEY_MOST 11
#define RECORD_MOST 256

/*
 * Ids are given in the order of the tree, so that they do not depend on weights. Stacks of one event whose paths hash
 * otherwise have ids that differ, because what is hashed besides is the same.
 */
void
pp_spaa_ids_claim(struct pp_spaa_out *o)
{
	size_t i;

	for (i = 0; o->may_clash && !o->failed && i < o->records.n; i++)
		o->records.at[i].id = id_claim(o, o->records.at[i].id);
}

/* Room for a line of so many bytes: in the output itself where it has it. NULL when out of memory. */
static char *
line_begin(struct pp_spaa_out *o, size_t most)
{
	struct pp_sink *out = o->w->out;

	o->line.n = 0;
	o->in_place = (size_t)(out->end - out->cur) >= most;
	return o->in_place ? (char *)out->cur : pp_buf_room(&o->line, most);
}

static void
line_end(struct pp_spaa_out *o, char *end)
{
	if (o->in_place)
		o->w->out->cur = (unsigned char *)end;
	else
		pp_sink_write(o->w->out, o->line.p, (size_t)(end - o->line.p));
}

/* Writes one record; `weights` and `own` are the texts of its lists without brackets. */
static void
stack_write(struct pp_spaa_out *o, const struct pp_spaa_out_stack *s, const struct pp_buf *weights,
            const struct pp_buf *own, uint64_t mark)
{
	uint64_t id = s->part ? id_claim(o, pp_spaa_out_id(o, s)) : s->id;
	struct pp_slice context = context_of(o, s);
	char text[2 + PP_HEX_MAX] = "0x", *to;
	size_t n;

	if (!pp_spaa_out_path(o, s->node) || (!s->node && !pp_vec_push(&o->path, 0)))
		o->failed = true;
	to = line_begin(o, o->path.n * KEY_MOST + context.n + weights->n + own->n + RECORD_MOST);
	if (o->failed || !to || weights->failed || own->failed) {
		o->failed = true;
		return;
	}
	n = 2 + pp_num_print_hex(text + 2, id, 16);
	to = TEXT_PUT(to, "{\"type\":\"stack\",\"id\":\"");
	to = text_put(to, text, n);
	to = path_print(o, TEXT_PUT(to, "\",\"frames\":["));
	to = text_put(TEXT_PUT(to, "],\"context\":"), context.p, context.n);
	to = text_put(TEXT_PUT(to, ",\"weights\":["), weights->p, weights->n);
	*to++ = ']';
	if (!o->terse || own != weights) {
		to = TEXT_PUT(to, ",\"exclusive\":{\"frame\":");
		to = key_put(to, o->path.at[0]);
		to = text_put(TEXT_PUT(to, ",\"weights\":["), own->p, own->n);
		to = TEXT_PUT(to, "]}");
	}
	to = TEXT_PUT(to, "}\n");
	line_end(o, to);
	if (o->from.record_of && !o->from.record_of[s->node])
		o->from.record_of[s->node] = (uint32_t)o->stacks + 1;
	o->stacks++;
	o->sum += (pp_spaa_mark_id(pp_slice_of(text, n)) + mark) * PP_FNV_PRIME;
}

/* What of a value one record can hold: 64 bits once it is in the unit of the metric. */
static union pp_value
value_part(const struct pp_metric *m, union pp_value v)
{
	uint64_t num = m->factor_num ? m->factor_num : 1, den = m->factor_den ? m->factor_den : 1;
	pp_i128 most, least;

	if (PP_LIKELY(is_whole(m) && v.i >= INT64_MIN && v.i <= UINT64_MAX))
		return v;
	most = (pp_i128)((pp_u128)UINT64_MAX * den / num);
	least = -(pp_i128)(((pp_u128)1 << 63) * den / num);
	/* The digits of decimals are exact to 63 bits. */
	if (m->scale) {
		most = (pp_i128)((pp_u128)INT64_MAX * den / num);
		least = -most;
	}

	if (m->type == PP_REAL || most == 0)
		return v;
	if (v.i > most)
		v.i = most;
	else if (v.i < least)
		v.i = least;
	return v;
}

static int
value_sign(const struct pp_metric *m, union pp_value v)
{
	if (m->type == PP_REAL)
		return v.d - v.d == 0.0 ? (v.d > 0) - (v.d < 0) : 0; /* no NaN, no infinity */
	return (v.i > 0) - (v.i < 0);
}

static union pp_value
value_negated(const struct pp_metric *m, union pp_value v)
{
	if (m->type == PP_REAL)
		v.d = -v.d;
	else
		v.i = -v.i;
	return v;
}

/* The weights of a stack as text, and of it what is the leaf's own where `less` says that it is not all. */
struct lists {
	struct pp_buf *weights, *own;
	bool apart;
	uint64_t mark;
};

static void
lists_add(struct pp_spaa_out *o, struct lists *l, size_t metric, union pp_value part,
          union pp_value less)
{
	const struct pp_metric *m = &o->p->metrics.at[metric];
	union pp_value own;
	uint64_t ignored = 0;

	weight_print(o, l->weights, metric, false, part, &l->mark);
	if (!o->from.less_n)
		return;
	l->apart |= value_sign(m, less) != 0;
	pp_value_sub(m, &part, less);
	own = value_part(m, part);
	/* Parts below 0 may make the own of several records pass what one can say. */
	o->w->loss.too_large += pp_value_cmp(m, own, part) != 0;
	weight_print(o, l->own, metric, false, own, &ignored);
}

/* What of a part is not the leaf's own; where there is more than the part, the rest belongs to further records. */
static union pp_value
less_part(const struct pp_metric *m, union pp_value part, union pp_value less, union pp_value more)
{
	return m->type != PP_REAL && more.i > 0 && less.i > part.i ? part : less;
}

/* The metrics of an event that are positive (of SPAA itself: all that are not 0), the primary one first. */
static void
group_main(struct pp_spaa_out *o, size_t event, struct pp_spaa_out_stack *s,
           struct pp_spaa_sums *sums, bool write)
{
	const struct pp_spaa_out_event *e = &o->events.at[event];
	const struct pp_metric *metrics = o->p->metrics.at;
	struct lists l = { .weights = &o->weights_text, .own = &o->own_text };
	size_t k, m;

	l.weights->n = l.own->n = 0;
	for (k = 0; k <= sums->n; k++) {
		union pp_value part, less;
		int sign;

		m = k ? sums->used[k - 1] : e->primary;
		sign = value_sign(&metrics[m], sums->all[m]);
		if (k && (m == e->primary || !pp_spaa_out_has(o, e, m) ||
		          (o->native ? sign == 0 : sign <= 0)))
			continue;
		part = value_part(&metrics[m], sums->all[m]);
		pp_value_sub(&metrics[m], &sums->all[m], part);
		less = less_part(&metrics[m], part, sums->less[m], sums->all[m]);
		if (write)
			lists_add(o, &l, m, part, less);
		pp_value_sub(&metrics[m], &sums->less[m], less);
	}
	o->events.at[event].used = true;
	s->event = &o->events.at[event];
	if (write)
		stack_write(o, s, l.weights, l.apart ? l.own : l.weights, l.mark);
}

/* One value in a record of its own. */
static void
group_side(struct pp_spaa_out *o, struct pp_spaa_out_stack *s, size_t metric,
           struct pp_spaa_sums *sums, bool write)
{
	const struct pp_metric *m = &o->p->metrics.at[metric];
	bool freed = value_sign(m, sums->all[metric]) < 0;
	union pp_value part = value_part(m, freed ? value_negated(m, sums->all[metric])
	                                          : sums->all[metric]);
	uint64_t mark = 0;

	s->event = event_side(o, metric, freed);
	if (!s->event)
		return;
	o->events.at[o->side[2 * metric + freed] - 1].used = true;
	if (write) {
		o->weights_text.n = 0;
		weight_print(o, &o->weights_text, metric, freed, part, &mark);
		stack_write(o, s, &o->weights_text, &o->weights_text, mark);
	}
	pp_value_sub(m, &sums->all[metric], freed ? value_negated(m, part) : part);
}

static bool
any_left(const struct pp_spaa_out *o, size_t event, const struct pp_spaa_sums *sums)
{
	size_t k;

	for (k = 0; k < sums->n; k++)
		if (pp_spaa_out_has(o, &o->events.at[event], sums->used[k]) &&
		    value_sign(&o->p->metrics.at[sums->used[k]], sums->all[sums->used[k]]))
			return true;
	return false;
}

/*
 * Notes that there will be a record, its id, and how heavy it is; values that one record cannot hold count as the most.
 */
static void
record_note(struct pp_spaa_out *o, struct pp_spaa_out_record record, struct pp_spaa_out_stack stack,
            size_t metric, union pp_value weight)
{
	const struct pp_metric *m = &o->p->metrics.at[metric];
	uint64_t sign = (uint64_t)1 << 63;

	if (m->type == PP_REAL) {
		memcpy(&record.weight, &weight.d, sizeof record.weight);
		record.weight = record.weight & sign ? ~record.weight : record.weight | sign;
	} else {
		pp_i128 most = INT64_MAX, least = INT64_MIN;
		pp_i128 value = weight.i > most ? most : weight.i < least ? least : weight.i;

		record.weight = (uint64_t)(int64_t)value ^ sign;
	}
	stack.event = &o->events.at[record.rank];
	record.id = pp_spaa_out_id(o, &stack);
	o->may_clash |= record.what != 0;
	o->failed |= !pp_vec_push(&o->records, record);
}

void
pp_spaa_group_write(struct pp_spaa_out *o, struct pp_spaa_out_record group,
                    struct pp_spaa_sums *sums, bool write)
{
	const struct pp_spaa_out_row *row = &o->from.rows.at[group.first];
	struct pp_spaa_out_stack s = { NULL, row->node, row->series, 0, group.id };
	const struct pp_metric *metrics = o->p->metrics.at;
	uint32_t primary = o->events.at[group.event].primary, only = group.what;
	bool main = write && only == 0;
	size_t k;

	if (o->native || value_sign(&metrics[primary], sums->all[primary]) > 0) {
		group.what = 0;
		group.rank = group.event;
		if (!write)
			record_note(o, group, s, primary, sums->all[primary]);
		group_main(o, group.event, &s, sums, main);
	}
	/* In SPAA itself what exceeds 64 bits goes on in further records of the event. */
	for (s.part = 1; o->native && !o->failed && any_left(o, group.event, sums); s.part++) {
		o->may_clash = true;
		group_main(o, group.event, &s, sums, main);
	}
	for (k = 0; !main && k < sums->n; k++) {
		size_t m = sums->used[k];
		int sign = value_sign(&metrics[m], sums->all[m]);

		if (!pp_spaa_out_has(o, &o->events.at[group.event], m) || !sign ||
		    (write && only != m + 1))
			continue;
		group.what = (uint32_t)m + 1;
		s.part = 0;
		if (!write && event_side(o, m, sign < 0)) {
			group.rank = o->side[2 * m + (sign < 0)] - 1;
			record_note(o, group, s, m,
			            sign < 0 ? value_negated(&metrics[m], sums->all[m])
			                     : sums->all[m]);
		}
		for (s.part = 0; !o->failed && value_sign(&metrics[m], sums->all[m]); s.part++)
			group_side(o, &s, m, sums, write);
	}
}

/* Hashes of all paths, root to leaf, so that each node adds one frame to its parent's. */
static bool
hashes_compute(struct pp_spaa_out *o)
{
	static const char none[] = "[unknown]\0[no stack]\0\0\0\1";
	size_t keys = o->by_func ? o->p->funcs.n : o->p->frames.n, i;
	pp_node node;

	o->keys = calloc(keys + 1, sizeof *o->keys);
	if (!o->keys || !digits_make(o))
		return false;
	for (i = 1; o->from.list && i < keys && i < o->from.list->used.n; i++)
		o->keys[i] = o->from.list->used.at[i];
	for (node = 1; !o->from.list && node < o->from.tree->n; node++)
		o->keys[pp_tree_frame(o->from.tree, node)] = 1;
	for (i = 1; i < keys; i++)
		if (o->keys[i])
			o->keys[i] = pp_spaa_frame_key(o, (uint32_t)i);
	if (o->from.list)
		return pp_spaa_list_hashes(o);
	o->hash = malloc(o->from.tree->n * sizeof *o->hash);
	if (!o->hash)
		return false;
	o->hash[0] = PP_FNV_BASIS;
	for (node = 1; node < o->from.tree->n; node++)
		o->hash[node] = pp_spaa_path_add(o->hash[pp_tree_parent(o->from.tree, node)],
		                                 o->keys[pp_tree_frame(o->from.tree, node)]);
	o->hash[0] = pp_spaa_path_add(PP_FNV_BASIS,
	                              pp_fnv_add(PP_FNV_BASIS, none, sizeof none - 1));
	return true;
}

/* ---- the whole -------------------------------------------------------------------------- */

/* True for `yes`, false for `no` or nothing; anything else is wrong. Notes whether it was given. */
static bool
option_word(struct pp_writer *w, const char *key, const char *yes, const char *no, bool *out,
            bool *given)
{
	const char *value = pp_option_of(w->opts->options, key);

	*given |= value != NULL;
	if (value)
		*out = strcmp(value, yes) == 0;
	return !value || *out || strcmp(value, no) == 0;
}

static void
out_release(struct pp_spaa_out *o)
{
	size_t i;

	for (i = 0; i < o->events.n; i++)
		pp_buf_release(&o->events.at[i].own_name);
	for (i = 0; o->weights && i < 2 * o->p->metrics.n; i++) {
		pp_buf_release(&o->weights[i].head);
		pp_buf_release(&o->weights[i].tail);
	}
	free(o->weights);
	if (o->from.own_tree.key)
		pp_tree_release(&o->from.own_tree);
	free(o->from.map);
	free(o->own);
	free(o->side);
	free(o->from.kinds);
	free(o->hash);
	free(o->from.less);
	free(o->from.node_of);
	free(o->from.record_of);
	free(o->digits);
	pp_vec_release(&o->path);
	pp_buf_release(&o->weights_text);
	pp_buf_release(&o->own_text);
	pp_buf_release(&o->line);
	pp_buf_release(&o->context);
	free(o->keys);
	free(o->dso_of);
	pp_map_release(&o->ids);
	pp_vec_release(&o->moved);
	pp_vec_release(&o->records);
	free(o->order);
	pp_vec_release(&o->from.rows);
	pp_vec_release(&o->events);
}

/* What the options leave out. A profile of another format is carried whole beside the stacks. */
static void
note_losses(const struct pp_spaa_out *o)
{
	struct pp_loss *loss = &o->w->loss;

	if (!o->native)
		return;
	if (o->by_func)
		loss->dropped |= PP_HAS(PLACES) | PP_HAS(COLUMNS) | PP_HAS(ADDRESSES) |
		                 PP_HAS(OFFSETS) | PP_HAS(INLINED);
	if (!o->split && o->p->series.n > 1)
		loss->dropped |= PP_HAS(THREADS) | PP_HAS(CPUS);
	if (!o->samples && o->p->samples)
		loss->dropped |= PP_HAS(TIMELINE) | PP_HAS(SAMPLES);
	/* Keys without a meaning here, windows and records of other types. */
	loss->more[PP_TRAIT_PRIVATE] += (o->p->holds & PP_EXTRAS) != 0;
}

static pp_status
write_anew(struct pp_spaa_out *o)
{
	if (!pp_spaa_out_rows(o) || !events_collect(o) || !hashes_compute(o))
		return PP_E_NOMEM;
	o->may_clash |= !o->from.list || o->main_events > 1;
	pp_spaa_find_records(o);
	if (!o->failed) {
		pp_spaa_write_header(o);
		pp_spaa_write_dicts(o);
		pp_spaa_write_stacks(o);
	}
	if (!o->failed && o->samples)
		pp_spaa_write_samples(o);
	if (!o->failed && !o->native)
		pp_spaa_carry_write(o);
	return o->failed ? PP_E_NOMEM : PP_OK;
}

pp_status
pp_spaa_write(struct pp_writer *w)
{
	const struct pp_spaa_kept *kept = pp_spaa_kept_of(w->profile);
	struct pp_spaa_out o = { .w = w, .p = w->profile, .samples = true };
	bool changed = false;
	pp_status status;

	o.native = o.own_meta = strcmp(pp_profile_native(o.p)->name, "spaa") == 0;
	if (!option_word(w, "threads", "split", "merge", &o.split, &changed) ||
	    !option_word(w, "frames", "function", "place", &o.by_func, &changed) ||
	    !option_word(w, "samples", "yes", "no", &o.samples, &changed) ||
	    !option_word(w, "terse", "yes", "no", &o.terse, &changed))
		return PP_E_USAGE;
	if (kept && !changed) {
		w->loss.verbatim = true;
		w->loss.more[PP_TRAIT_INCOMPLETE] -= kept->incomplete;
		pp_sink_write(w->out, kept->lines.p, kept->lines.n);
		return PP_OK;
	}
	o.split = o.split && o.p->series.n > 0;
	o.ids.seed = o.p->strs.seed;
	pp_json_init(&o.json, w->out, PP_JSON_COMPACT);
	note_losses(&o);
	status = write_anew(&o);
	out_release(&o);
	return status;
}
