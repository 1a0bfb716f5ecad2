/*
 * The state of a read: findings and their places, events, stack ids, metrics.
 */
#include "formats/spaa/spaa.h"

#include <stdarg.h>
#include <stdio.h>

#define FIRST_ID_BITS 10u

void
pp_spaa_no_memory(struct pp_spaa_reader *r)
{
	pp_builder_fail(r->builder, PP_E_NOMEM, NULL);
}

/* ---- findings --------------------------------------------------------------------------- */

struct pp_place
pp_spaa_place(const struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
              const unsigned char *at)
{
	const unsigned char *begin = rec->text.p;
	size_t n = at >= begin && at <= begin + rec->text.n ? (size_t)(at - begin) : 0;

	return pp_at_line(r->lines + rec->line, n + 1, pp_input_offset(r->reader->in, begin + n));
}

static void
report(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
       const unsigned char *at, const char *fmt, va_list args)
{
	pp_diag_vadd(r->reader->diags, &pp_spaa_rules[rule], pp_spaa_place(r, rec, at), fmt, args);
	r->errors += pp_spaa_rules[rule].severity == PP_ERROR;
}

void
pp_spaa_report(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
               const unsigned char *at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(r, rec, rule, at, fmt, args);
	va_end(args);
}

/* Stands the scanner at the value of a key of the object that comes next. */
static bool
locate_key(struct pp_scan *s, struct pp_slice key)
{
	struct pp_json_str found;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s))
		return false;
	while (pp_scan_key(s, &found)) {
		if (found.escaped ? pp_json_str_eq_slow(found, key) : pp_slice_eq(found.raw, key))
			return pp_scan_peek(s) != PP_JSON_NOTHING;
		(void)pp_scan_skip(s, NULL);
	}
	return false;
}

/* The same for an item of the array that comes next. */
static bool
locate_item(struct pp_scan *s, uint32_t index)
{
	if (pp_scan_peek(s) != PP_JSON_ARRAY || !pp_scan_array(s))
		return false;
	while (pp_scan_item(s)) {
		if (index-- == 0)
			return pp_scan_peek(s) != PP_JSON_NOTHING;
		(void)pp_scan_skip(s, NULL);
	}
	return false;
}

/*
 * Where a value stands in a record, for a finding of the rule: a path of keys and, as # (at most two), of
 * `indices` ("weights.#.value"). What of it is not there is left out. No more is looked for once so many
 * findings of the rule are known that another would not be kept.
 */
static const unsigned char *
locate(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
       const char *path, const uint32_t *indices)
{
	const struct pp_diags *diags = r->reader->diags;
	const unsigned char *at = rec->text.p;
	struct pp_scan s;

	if (pp_diags_of_rule(diags, &pp_spaa_rules[rule]) >=
	    (diags->cap_per_rule ? diags->cap_per_rule : PP_DIAG_CAP))
		return at;
	pp_scan_init(&s, rec->text, r->reader->limits.max_nesting, PP_SCAN_STRICT);
	while (*path) {
		size_t n = strcspn(path, ".");

		if (*path == '#' ? !locate_item(&s, *indices++)
		                 : !locate_key(&s, pp_slice_of((const unsigned char *)path, n)))
			break;
		at = s.cur;
		path += n + (path[n] == '.');
	}
	return at;
}

void
pp_spaa_report_in(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
                  enum pp_spaa_rule rule, const char *path, const uint32_t *indices,
                  const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(r, rec, rule, locate(r, rec, rule, path, indices), fmt, args);
	va_end(args);
}

/* ---- events ----------------------------------------------------------------------------- */

bool
pp_spaa_event_find(struct pp_spaa_reader *r, struct pp_slice name, uint32_t *event)
{
	pp_str str;

	*event = r->last_event;
	if (PP_LIKELY(r->last_event < r->events.n &&
	              pp_slice_eq(r->events.at[r->last_event].said.name, name)))
		return true;
	if (!pp_strtab_find(&r->builder->profile->strs, name.p, name.n, &str))
		return false;
	*event = pp_map_get(&r->event_of, str);
	if (*event == PP_MAP_NONE)
		return false;
	r->last_event = *event;
	return true;
}

/* ---- stack ids -------------------------------------------------------------------------- */

static inline const unsigned char *
id_text(const struct pp_spaa_id_row *row)
{
	return row->n <= sizeof row->u.text ? row->u.text : row->u.longer;
}

/*
 * A slot's place are the upper bits of its tag, so the table doubles from its own slots, in order, and
 * no id is looked at again.
 */
static bool
ids_double(struct pp_spaa_reader *r)
{
	const struct pp_pages *pages = r->builder->pages;
	unsigned bits = r->id_slots ? r->id_bits + 1 : FIRST_ID_BITS;
	size_t slots = (size_t)1 << bits, old = r->id_slots ? slots / 2 : 0, i;
	struct pp_spaa_id_slot *larger = bits <= 32 ? pages->get(slots * sizeof *larger) : NULL;

	if (!larger)
		return false;
	for (i = 0; i < old; i++) {
		struct pp_spaa_id_slot slot = r->id_slots[i];
		size_t at = slot.tag >> (32 - bits);

		if (!slot.id)
			continue;
		while (larger[at].id)
			at = (at + 1) & (slots - 1);
		larger[at] = slot;
	}
	if (old)
		pages->put(r->id_slots, old * sizeof *r->id_slots);
	r->id_slots = larger;
	r->id_bits = bits;
	return true;
}

static bool
id_add(struct pp_spaa_reader *r, const struct pp_spaa_id *id)
{
	struct pp_spaa_id_row row = { .n = (uint32_t)id->text.n };

	if (id->text.n > UINT32_MAX - 1 || r->ids.n >= UINT32_MAX - 2)
		return false;
	if (id->text.n <= sizeof row.u.text)
		memcpy(row.u.text, id->text.p, id->text.n);
	else
		row.u.longer = (const unsigned char *)pp_arena_copy(&r->id_texts, id->text.p,
		                                                    id->text.n);
	return (id->text.n <= sizeof row.u.text || row.u.longer) && pp_vec_push(&r->ids, row) &&
	       pp_vec_push(&r->id_frames, 0);
}

uint32_t
pp_spaa_id_row(struct pp_spaa_reader *r, const struct pp_spaa_id *id)
{
	uint32_t tag = (uint32_t)(id->hash >> 32);
	size_t at, mask;

	if (PP_UNLIKELY(!r->id_slots || (r->ids.n + 1) * 3 > (size_t)2 << r->id_bits) &&
	    !ids_double(r)) {
		pp_spaa_no_memory(r);
		return UINT32_MAX;
	}
	mask = ((size_t)1 << r->id_bits) - 1;
	for (at = tag >> (32 - r->id_bits); r->id_slots[at].id; at = (at + 1) & mask) {
		const struct pp_spaa_id_row *row;

		if (r->id_slots[at].tag != tag)
			continue;
		row = &r->ids.at[r->id_slots[at].id - 1];
		if (row->n == id->text.n && memcmp(id_text(row), id->text.p, row->n) == 0)
			return r->id_slots[at].id - 1;
	}
	if (!id_add(r, id)) {
		pp_spaa_no_memory(r);
		return UINT32_MAX;
	}
	r->id_slots[at] = (struct pp_spaa_id_slot){ tag, (uint32_t)r->ids.n };
	return (uint32_t)(r->ids.n - 1);
}

/* ---- metrics ---------------------------------------------------------------------------- */

static enum pp_spaa_special
special_of(struct pp_slice name)
{
	static const char *const names[PP_SPAA_SPECIALS] = {
		[PP_SPAA_M_PERIOD] = "period",
		[PP_SPAA_M_SAMPLES] = "samples",
		[PP_SPAA_M_COUNT] = "count",
		[PP_SPAA_M_CPU_TIME] = "cpu_time_ns",
		[PP_SPAA_M_ALLOC_BYTES] = "alloc_bytes",
		[PP_SPAA_M_FREE_BYTES] = "free_bytes",
		[PP_SPAA_M_LIVE_BYTES] = "live_bytes",
		[PP_SPAA_M_ALLOC_COUNT] = "alloc_count",
		[PP_SPAA_M_FREE_COUNT] = "free_count",
		[PP_SPAA_M_LIVE_COUNT] = "live_count",
		[PP_SPAA_M_PEAK_BYTES] = "peak_bytes",
	};
	int i;

	for (i = PP_SPAA_PLAIN + 1; i < PP_SPAA_SPECIALS; i++)
		if (pp_slice_eq_z(name, names[i]))
			return (enum pp_spaa_special)i;
	return PP_SPAA_PLAIN;
}

uint32_t
pp_spaa_metric_row(struct pp_spaa_reader *r, struct pp_slice name)
{
	pp_str str = pp_build_str(r->builder, name);
	struct pp_spaa_metric metric = { 0 };
	uint32_t row = pp_map_get(&r->metric_of, str);

	if (row != PP_MAP_NONE || !pp_builder_ok(r->builder))
		return row;
	metric.name = pp_text_of(r->builder->profile, str);
	metric.special = special_of(name);
	if (!pp_vec_push(&r->metrics, metric) ||
	    !pp_map_set(&r->metric_of, str, (uint32_t)(r->metrics.n - 1))) {
		pp_spaa_no_memory(r);
		return UINT32_MAX;
	}
	return (uint32_t)(r->metrics.n - 1);
}

bool
pp_spaa_metric_count(struct pp_spaa_reader *r, uint32_t event, uint32_t metric)
{
	struct pp_spaa_metric *m = &r->metrics.at[metric];
	uint64_t key = (uint64_t)event << 32 | metric;

	if (PP_LIKELY(event < 64 && m->events >> event & 1) ||
	    (event >= 64 && pp_map_get(&r->counted, key) != PP_MAP_NONE))
		return true;
	if (r->counts == PP_SPAA_METRICS_MAX)
		return false;
	r->counts++;
	if (event < 64)
		m->events |= (uint64_t)1 << event;
	else if (!pp_map_set(&r->counted, key, 0))
		pp_spaa_no_memory(r);
	return true;
}

/* The metric of a name that most likely is the one that followed `guess` before. */
static inline uint32_t
metric_guess(struct pp_spaa_reader *r, struct pp_slice name, uint32_t guess)
{
	if (PP_LIKELY(guess < r->metrics.n && pp_slice_eq(r->metrics.at[guess].name, name)))
		return guess;
	return pp_spaa_metric_row(r, name);
}

/* Where a key of an entry of a list of weights stands. */
static const unsigned char *
list_locate(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
            const struct pp_spaa_list *list, uint32_t index, const char *key)
{
	const uint32_t both[] = { list->entry, index };
	bool nested = strchr(list->path, '#') != strrchr(list->path, '#');
	char path[64];

	snprintf(path, sizeof path, "%s.%s", list->path, key);
	return locate(r, rec, rule, path, nested ? both : both + 1);
}

/*
 * Units belong to a metric of an event: the period of a clock is in ns, that of page faults is not. Where
 * the event is not known (UINT32_MAX), there is nothing to compare with.
 */
static PP_NOINLINE void
unit_check(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
           const struct pp_spaa_list *list, uint32_t row, uint32_t index)
{
	struct pp_slice own = r->chunk->weights.at[list->run.first + index].unit, unit;
	struct pp_spaa_metric *m = &r->metrics.at[row];
	uint64_t key = (uint64_t)list->event << 32 | row;
	uint32_t known = pp_map_get(&r->unit_of, key);

	if (list->event == UINT32_MAX)
		return;
	if (known == PP_MAP_NONE) {
		known = pp_build_str(r->builder, own);
		if (!pp_map_set(&r->unit_of, key, known))
			pp_spaa_no_memory(r);
	}
	unit = pp_text_of(r->builder->profile, known);
	/* The next one is most likely of the same event. */
	m->unit = unit;
	m->unit_event = list->event;
	m->has_unit = true;
	if (pp_slice_eq(unit, own))
		return;
	r->odd_units = r->stamp;
	pp_spaa_report(r, rec, PP_SPAA_R_UNIT_DIFFERS,
	               list_locate(r, rec, PP_SPAA_R_UNIT_DIFFERS, list, index, "unit"),
	               "metric \"%.*s\" was in \"%.*s\" before, here it is in \"%.*s\"",
	               PP_SPAA_SHOWN(m->name), PP_SPAA_CLIP(unit, 40), PP_SPAA_CLIP(own, 40));
}

struct pp_slice
pp_spaa_unit_of(const struct pp_spaa_reader *r, uint32_t event, uint32_t metric, bool *has_unit)
{
	uint32_t known = pp_map_get(&r->unit_of, (uint64_t)event << 32 | metric);

	*has_unit = known != PP_MAP_NONE;
	return pp_text_of(r->builder->profile, *has_unit ? known : 0);
}

bool
pp_spaa_metrics_resolve(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
                        const struct pp_spaa_list *list, uint32_t **metric_at)
{
	const struct pp_spaa_weight *w = r->chunk->weights.at + list->run.first;
	uint32_t i, guess = 0;
	bool fine = true;

	r->stamp++;
	if (!pp_vec_reserve(&r->resolved, (size_t)list->run.n + 1)) {
		pp_spaa_no_memory(r);
		return false;
	}
	for (i = 0; i < list->run.n; i++) {
		uint32_t row = metric_guess(r, w[i].metric, guess);
		struct pp_spaa_metric *m;

		if (PP_UNLIKELY(row == UINT32_MAX))
			return false;
		m = &r->metrics.at[row];
		if (PP_UNLIKELY(m->stamp == r->stamp)) {
			pp_spaa_report(
			    r, rec, PP_SPAA_R_METRIC_TWICE,
			    list_locate(r, rec, PP_SPAA_R_METRIC_TWICE, list, i, "metric"),
			    "metric \"%.*s\" occurs twice in one list", PP_SPAA_SHOWN(m->name));
			fine = false;
		}
		if (PP_SPAA_HAS(&w[i], has, WEIGHT_UNIT) &&
		    PP_UNLIKELY(!m->has_unit || m->unit_event != list->event ||
		                !pp_slice_eq(m->unit, w[i].unit)))
			unit_check(r, rec, list, row, i);
		m->stamp = r->stamp;
		r->resolved.at[i] = row;
		guess = row + 1;
	}
	if (metric_at)
		*metric_at = r->resolved.at;
	return fine;
}

/* ---- what could not be judged before the end -------------------------------------------- */

static bool
id_has_event(const struct pp_spaa_reader *r, uint32_t id, uint32_t event)
{
	uint32_t record;

	if (r->ids.at[id].record == PP_SPAA_REFUSED)
		return true;
	for (record = r->ids.at[id].record; record; record = r->stacks.at[record - 1].next)
		if (r->stacks.at[record - 1].event == event)
			return true;
	return false;
}

static void
end_report(struct pp_spaa_reader *r, enum pp_spaa_rule rule, struct pp_place place,
           const char *what, uint32_t id, uint64_t times)
{
	const struct pp_spaa_id_row *row = &r->ids.at[id];
	int n = row->n < 80 ? (int)row->n : 80;
	char more[64] = "";

	if (times > 1)
		snprintf(more, sizeof more, " (%llu times in all)", (unsigned long long)times);
	pp_diag_add(r->reader->diags, &pp_spaa_rules[rule], place, "%s \"%.*s\"%s", what, n,
	            (const char *)id_text(row), more);
	r->errors += pp_spaa_rules[rule].severity == PP_ERROR;
}

/* Links as pairs of ids, so that the way back can be looked up. */
static bool
links_index(const struct pp_spaa_reader *r, struct pp_map *pairs)
{
	size_t i;

	for (i = 0; i < r->links.n; i++)
		if (!pp_map_set(pairs, (uint64_t)r->links.at[i].from << 32 | r->links.at[i].to, 0))
			return false;
	return true;
}

static void
links_judge(struct pp_spaa_reader *r)
{
	struct pp_map pairs = { .seed = r->reader->seed };
	size_t i;

	if (!links_index(r, &pairs))
		pp_spaa_no_memory(r);
	for (i = 0; i < r->links.n && pp_builder_ok(r->builder); i++) {
		const struct pp_spaa_link *l = &r->links.at[i];

		if (!r->ids.at[l->to].record)
			end_report(r, PP_SPAA_R_RELATED_UNDEFINED, l->place,
			           "there is no related stack", l->to, 1);
		else if (pp_map_get(&pairs, (uint64_t)l->to << 32 | l->from) == PP_MAP_NONE)
			end_report(r, PP_SPAA_R_RELATED_ONE_WAY, l->place,
			           "the link is not returned by the related stack", l->to, 1);
	}
	pp_map_release(&pairs);
}

void
pp_spaa_apply_end(struct pp_spaa_reader *r)
{
	size_t i;

	for (i = 0; i < r->pending.n; i++) {
		const struct pp_spaa_pending *p = &r->pending.at[i];

		if (!r->ids.at[p->id].record)
			end_report(r, p->rule, p->place, "there is no stack", p->id, p->times);
		else if (p->event != PP_SPAA_NO_EVENT && !id_has_event(r, p->id, p->event))
			end_report(r, PP_SPAA_R_SAMPLE_EVENT_DIFFERS, p->place,
			           "the sample has another event than its stack", p->id, p->times);
	}
	links_judge(r);
}
