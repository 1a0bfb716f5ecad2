/*
 * Raw samples and time windows: taken apart, judged, kept for the timeline.
 */
#include "formats/spaa/spaa.h"

#define NAME(z)                                                                                    \
	{                                                                                          \
		(const unsigned char *)(z), sizeof(z) - 1                                          \
	}

/* ---- samples taken apart ---------------------------------------------------------------- */

enum {
	SAMPLE_TYPE,
	SAMPLE_TIMESTAMP,
	SAMPLE_PID,
	SAMPLE_TID,
	SAMPLE_CPU,
	SAMPLE_EVENT,
	SAMPLE_PERIOD,
	SAMPLE_STACK,
	SAMPLE_CONTEXT
};
static const struct pp_slice sample_names[] = {
	NAME("type"),  NAME("timestamp"), NAME("pid"),      NAME("tid"),     NAME("cpu"),
	NAME("event"), NAME("period"),    NAME("stack_id"), NAME("context"),
};

static void
sample_uint(struct pp_spaa_parser *p, struct pp_spaa_object *o, int64_t *out)
{
	uint64_t value;

	if (pp_spaa_uint(p, o, PP_SPAA_R_SAMPLE_FIELD, &value))
		*out = value <= INT64_MAX ? (int64_t)value : -1;
}

static void
sample_value(struct pp_spaa_parser *p, struct pp_spaa_object *o, struct pp_spaa_sample *s)
{
	const unsigned char *at;
	enum pp_json_type type;

	switch (o->index) {
	case SAMPLE_TIMESTAMP:
		(void)pp_spaa_number(p, o, PP_SPAA_R_TIMESTAMP, &s->time);
		break;
	case SAMPLE_PID:
		sample_uint(p, o, &s->pid);
		break;
	case SAMPLE_TID:
		sample_uint(p, o, &s->tid);
		break;
	case SAMPLE_CPU:
		sample_uint(p, o, &s->cpu);
		break;
	case SAMPLE_EVENT:
		(void)pp_spaa_text(p, o, PP_SPAA_R_SAMPLE_EVENT, &s->event);
		break;
	case SAMPLE_PERIOD:
		at = pp_spaa_here(p);
		s->has_period = pp_spaa_uint(p, o, PP_SPAA_R_SAMPLE_FIELD, &s->period);
		if (s->has_period && s->period == 0)
			pp_spaa_find(p, PP_SPAA_R_VALUE_ZERO, at, "the period of the sample is 0");
		break;
	case SAMPLE_STACK:
		(void)pp_spaa_id(p, PP_SPAA_R_SAMPLE_STACK, "stack_id", &s->id);
		o->taken |= (uint64_t)1 << SAMPLE_STACK;
		break;
	case SAMPLE_CONTEXT:
		type = pp_scan_peek(&p->scan);
		at = p->scan.cur;
		(void)pp_spaa_walk(p);
		p->chunk->extras |= p->scan.cur > at + 2 && type == PP_JSON_OBJECT;
		if (type != PP_JSON_OBJECT && type != PP_JSON_NULL && p->scan.error == PP_SCAN_OK)
			pp_spaa_find(p, PP_SPAA_R_SAMPLE_CONTEXT, at,
			             "the context is not an object");
		break;
	default: /* the type, which is known */
		(void)pp_scan_skip(&p->scan, NULL);
		break;
	}
}

void
pp_spaa_parse_sample(struct pp_spaa_parser *p)
{
	struct pp_spaa_sample *s = &p->rec->u.sample;
	struct pp_spaa_object o;

	*s = (struct pp_spaa_sample){ .pid = -1, .tid = -1, .cpu = -1 };
	(void)pp_spaa_object_begin(p, &o, sample_names, PP_COUNT_OF(sample_names),
	                           PP_SPAA_R_NOT_OBJECT, "the sample");
	o.warn = true;
	while (pp_spaa_object_key(p, &o, NULL))
		sample_value(p, &o, s);
	pp_spaa_object_need(p, &o, SAMPLE_TIMESTAMP, PP_SPAA_R_TIMESTAMP);
	pp_spaa_object_need(p, &o, SAMPLE_EVENT, PP_SPAA_R_SAMPLE_EVENT);
	pp_spaa_object_need(p, &o, SAMPLE_STACK, PP_SPAA_R_SAMPLE_STACK);
}

/* ---- windows taken apart ---------------------------------------------------------------- */

enum { BY_STACK_ID, BY_STACK_WEIGHTS };
static const struct pp_slice by_stack_names[] = { NAME("stack_id"), NAME("weights") };

static void
by_stack_parse(struct pp_spaa_parser *p, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;
	struct pp_spaa_object o;

	*run = (struct pp_spaa_run){ (uint32_t)c->refs.n, 0 };
	if (!pp_spaa_array_begin(p, PP_SPAA_R_WINDOW, "\"by_stack\""))
		return;
	while (pp_scan_item(&p->scan)) {
		struct pp_spaa_ref ref = { 0 };

		if (!pp_spaa_object_begin(p, &o, by_stack_names, PP_COUNT_OF(by_stack_names),
		                          PP_SPAA_R_WINDOW, "an entry of by_stack"))
			continue;
		while (pp_spaa_object_key(p, &o, NULL)) {
			o.taken |= (uint64_t)1 << o.index;
			if (o.index == BY_STACK_ID)
				(void)pp_spaa_id(p, PP_SPAA_R_WINDOW_STACK, "stack_id", &ref.id);
			else
				(void)pp_spaa_weights(p, "\"by_stack.weights\"", &ref.weights);
		}
		pp_spaa_object_need(p, &o, BY_STACK_ID, PP_SPAA_R_WINDOW);
		pp_spaa_object_need(p, &o, BY_STACK_WEIGHTS, PP_SPAA_R_WEIGHTS);
		if (!pp_vec_push(&c->refs, ref))
			c->status = PP_E_NOMEM;
	}
	run->n = (uint32_t)c->refs.n - run->first;
}

enum { WINDOW_TYPE, WINDOW_ID, WINDOW_START, WINDOW_END, WINDOW_UNIT, WINDOW_BY_STACK };
static const struct pp_slice window_names[] = { NAME("type"), NAME("id"),   NAME("start"),
	                                        NAME("end"),  NAME("unit"), NAME("by_stack") };

void
pp_spaa_parse_window(struct pp_spaa_parser *p)
{
	struct pp_spaa_window *w = &p->rec->u.window;
	const unsigned char *start_at = NULL, *unit_at = NULL;
	struct pp_spaa_object o;
	struct pp_spaa_id id;
	bool odd;

	*w = (struct pp_spaa_window){ 0 };
	(void)pp_spaa_object_begin(p, &o, window_names, PP_COUNT_OF(window_names),
	                           PP_SPAA_R_NOT_OBJECT, "the window");
	o.warn = true;
	while (pp_spaa_object_key(p, &o, NULL))
		switch (o.index) {
		case WINDOW_ID:
			(void)pp_spaa_id(p, PP_SPAA_R_WINDOW, "the id of the window", &id);
			o.taken |= (uint64_t)1 << WINDOW_ID;
			break;
		case WINDOW_START:
			start_at = pp_spaa_here(p);
			(void)pp_spaa_number(p, &o, PP_SPAA_R_WINDOW, &w->start);
			break;
		case WINDOW_END:
			(void)pp_spaa_number(p, &o, PP_SPAA_R_WINDOW, &w->end);
			break;
		case WINDOW_UNIT:
			unit_at = pp_spaa_here(p);
			(void)pp_spaa_text(p, &o, PP_SPAA_R_WINDOW, &w->unit);
			break;
		case WINDOW_BY_STACK:
			by_stack_parse(p, &w->by_stack);
			o.taken |= (uint64_t)1 << WINDOW_BY_STACK;
			break;
		default:
			(void)pp_spaa_walk(p);
			break;
		}
	pp_spaa_object_need(p, &o, WINDOW_ID, PP_SPAA_R_WINDOW);
	pp_spaa_object_need(p, &o, WINDOW_START, PP_SPAA_R_WINDOW);
	pp_spaa_object_need(p, &o, WINDOW_END, PP_SPAA_R_WINDOW);
	pp_spaa_object_need(p, &o, WINDOW_UNIT, PP_SPAA_R_WINDOW);
	pp_spaa_object_need(p, &o, WINDOW_BY_STACK, PP_SPAA_R_WINDOW);
	if ((o.taken >> WINDOW_START & 3) == 3 && pp_spaa_num_cmp(&w->start, &w->end) > 0)
		pp_spaa_find(p, PP_SPAA_R_WINDOW_REVERSED, start_at,
		             "the window ends before it starts");
	if (o.taken >> WINDOW_UNIT & 1 && (pp_spaa_time_unit(w->unit, &odd) == 0 || odd))
		pp_spaa_find(p, PP_SPAA_R_WINDOW_UNIT, unit_at,
		             "\"%.*s\" is not a unit of time known here",
		             (int)(w->unit.n < 40 ? w->unit.n : 40), (const char *)w->unit.p);
}

/* ---- judging ---------------------------------------------------------------------------- */

/*
 * References are judged at the end, because stacks may come later. They are kept once for each stack and
 * event, so that memory grows with stacks and not with samples.
 */
static void
pend(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, const struct pp_spaa_pending *like,
     const unsigned char *at)
{
	uint64_t key = (uint64_t)like->id << 32 | (like->event + 1) << 1 |
	               (like->rule == PP_SPAA_R_WINDOW_STACK);
	uint32_t found = pp_map_get(&r->pending_of, key);

	if (found != PP_MAP_NONE) {
		r->pending.at[found].times++;
		return;
	}
	if (!pp_vec_push(&r->pending, *like) ||
	    !pp_map_set(&r->pending_of, key, (uint32_t)(r->pending.n - 1))) {
		pp_spaa_no_memory(r);
		return;
	}
	r->pending.at[r->pending.n - 1].times = 1;
	r->pending.at[r->pending.n - 1].place = pp_spaa_place(r, rec, at);
}

void
pp_spaa_refer(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
              const struct pp_spaa_id *id, uint32_t event, enum pp_spaa_rule rule, uint32_t *out)
{
	struct pp_spaa_pending like = { .event = event, .rule = rule };
	uint32_t row = pp_spaa_id_row(r, id);

	*out = row;
	if (PP_UNLIKELY(row == UINT32_MAX))
		return;
	/* Defined already, and by a record of the same event: all is well. */
	if (PP_LIKELY(r->ids.at[row].record &&
	              (event == PP_SPAA_NO_EVENT || r->ids.at[row].event == event)))
		return;
	like.id = row;
	pend(r, rec, &like, id->at);
}

bool
pp_spaa_apply_sample(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_sample *s = &rec->u.sample;
	const struct pp_spaa_header *h = &r->header;
	struct pp_spaa_moment moment = { 0 };
	uint32_t event, id;

	if (rec->wrong)
		return true;
	if (!pp_spaa_event_find(r, s->event, &event)) {
		pp_spaa_report(r, rec, PP_SPAA_R_SAMPLE_EVENT,
		               pp_spaa_locate(r, rec, PP_SPAA_R_SAMPLE_EVENT, "event", NULL),
		               "the header declares no event \"%.*s\"",
		               (int)(s->event.n < 80 ? s->event.n : 80), (const char *)s->event.p);
		return true;
	}
	if (PP_UNLIKELY(!h->has_range))
		pp_spaa_report(
		    r, rec, PP_SPAA_R_TIMESTAMP_NO_RANGE,
		    pp_spaa_locate(r, rec, PP_SPAA_R_TIMESTAMP_NO_RANGE, "timestamp", NULL),
		    "the header has no time_range that gives this timestamp a unit");
	else if (PP_UNLIKELY(pp_spaa_num_cmp(&s->time, &h->start) < 0 ||
	                     pp_spaa_num_cmp(&s->time, &h->end) > 0))
		pp_spaa_report(r, rec, PP_SPAA_R_TIMESTAMP_RANGE,
		               pp_spaa_locate(r, rec, PP_SPAA_R_TIMESTAMP_RANGE, "timestamp", NULL),
		               "the timestamp lies outside time_range");
	pp_spaa_refer(r, rec, &s->id, event, PP_SPAA_R_STACK_UNDEFINED, &id);
	r->samples++;
	if (!r->want_time || id == UINT32_MAX || !h->unit ||
	    !pp_spaa_num_scaled(&s->time, h->unit, &moment.time))
		return true;
	moment.period = s->period;
	moment.has_period = s->has_period;
	moment.tid = s->tid;
	moment.cpu = s->cpu >= 0 && s->cpu < UINT32_MAX - 1 ? (uint32_t)s->cpu + 1 : 0;
	moment.id = id;
	moment.event = event;
	if (!pp_vec_push(&r->moments, moment))
		pp_spaa_no_memory(r);
	return true;
}

/* Whether a window and the range of the header have nothing in common. */
static bool
window_is_outside(const struct pp_spaa_header *h, const struct pp_spaa_window *w)
{
	bool odd;
	int64_t unit = pp_spaa_time_unit(w->unit, &odd), start, end, from, to;

	if (!h->has_range || !h->unit || h->unit_odd || !unit || odd)
		return false;
	if (unit == h->unit)
		return pp_spaa_num_cmp(&w->end, &h->start) < 0 ||
		       pp_spaa_num_cmp(&w->start, &h->end) > 0;
	if (!pp_spaa_num_scaled(&w->start, unit, &start) ||
	    !pp_spaa_num_scaled(&w->end, unit, &end) ||
	    !pp_spaa_num_scaled(&h->start, h->unit, &from) ||
	    !pp_spaa_num_scaled(&h->end, h->unit, &to)) {
		/* Centuries away in ns. */
		double ratio = (double)unit / (double)h->unit;

		return pp_spaa_num_double(&w->end) * ratio < pp_spaa_num_double(&h->start) ||
		       pp_spaa_num_double(&w->start) * ratio > pp_spaa_num_double(&h->end);
	}
	return end < from || start > to;
}

/*
 * The time of a window, in ns from the epoch of the range. One that lies outside, but not if its times are
 * relative, is taken for that.
 */
static bool
window_time(const struct pp_spaa_header *h, const struct pp_spaa_window *w, bool outside,
            int64_t *time)
{
	bool odd;
	int64_t unit = pp_spaa_time_unit(w->unit, &odd), end, from, to;

	if (!unit || !pp_spaa_num_scaled(&w->start, unit, time))
		return false;
	if (outside && *time >= 0 && pp_spaa_num_scaled(&w->end, unit, &end) &&
	    pp_spaa_num_scaled(&h->start, h->unit, &from) &&
	    pp_spaa_num_scaled(&h->end, h->unit, &to) && from >= 0 && end <= to - from)
		*time += from;
	return true;
}

/* One entry of a window: what a stack cost in it. `time` NULL when that is not asked for. */
static void
window_entry(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t entry,
             const int64_t *time)
{
	const struct pp_spaa_ref *ref = &r->chunk->refs.at[rec->u.window.by_stack.first + entry];
	struct pp_spaa_moment moment = { .tid = -1, .event = PP_SPAA_NO_EVENT };
	struct pp_spaa_list list = { ref->weights, UINT32_MAX, "by_stack.#.weights.#", entry };
	uint32_t *metric_at, i;
	bool fine;

	pp_spaa_refer(r, rec, &ref->id, PP_SPAA_NO_EVENT, PP_SPAA_R_WINDOW_STACK, &moment.id);
	if (moment.id != UINT32_MAX && r->ids.at[moment.id].record &&
	    r->ids.at[moment.id].record != PP_SPAA_REFUSED)
		list.event = r->ids.at[moment.id].event;
	fine = pp_spaa_metrics_resolve(r, rec, &list, &metric_at);
	if (!fine || !time || moment.id == UINT32_MAX)
		return;
	moment.time = *time;
	moment.weights = (struct pp_spaa_run){ (uint32_t)r->window_weights.n, ref->weights.n };
	for (i = 0; i < ref->weights.n; i++) {
		struct pp_spaa_window_weight weight = {
			metric_at[i], r->chunk->weights.at[ref->weights.first + i].value
		};

		if (!pp_vec_push(&r->window_weights, weight)) {
			pp_spaa_no_memory(r);
			return;
		}
	}
	if (!pp_vec_push(&r->windows, moment))
		pp_spaa_no_memory(r);
}

bool
pp_spaa_apply_window(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_window *w = &rec->u.window;
	bool outside, timed;
	int64_t time;
	uint32_t i;

	if (rec->wrong)
		return true;
	outside = window_is_outside(&r->header, w);
	if (outside)
		pp_spaa_report(r, rec, PP_SPAA_R_WINDOW_OUTSIDE,
		               pp_spaa_locate(r, rec, PP_SPAA_R_WINDOW_OUTSIDE, "start", NULL),
		               "the window lies outside time_range; are its times relative?");
	timed = r->want_time && window_time(&r->header, w, outside, &time);
	for (i = 0; i < w->by_stack.n; i++)
		window_entry(r, rec, i, timed ? &time : NULL);
	r->has_windows = r->has_extras = true;
	return true;
}
