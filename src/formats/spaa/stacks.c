/*
 * Stacks by their ids: which records an id has, and references to stacks, which may come later.
 */
#include "formats/spaa/spaa.h"

#include <stdio.h>

/* ---- stack ids -------------------------------------------------------------------------- */

static inline const unsigned char *
id_text(const struct pp_spaa_id_row *row)
{
	return row->n <= sizeof row->u.text ? row->u.text : row->u.longer;
}

static bool
id_add(struct pp_spaa_reader *r, const struct pp_spaa_id *id)
{
	struct pp_spaa_id_row row = { .n = (uint32_t)id->text.n };

	if (id->text.n > UINT32_MAX - 1 || r->stacks.ids.n >= UINT32_MAX - 2)
		return false;
	if (id->text.n <= sizeof row.u.text)
		memcpy(row.u.text, id->text.p, id->text.n);
	else
		row.u.longer = (const unsigned char *)pp_arena_copy(&r->stacks.id_texts, id->text.p,
		                                                    id->text.n);
	return (id->text.n <= sizeof row.u.text || row.u.longer) &&
	       pp_vec_push(&r->stacks.ids, row) && pp_vec_push(&r->stacks.id_frames, 0);
}

uint32_t
pp_spaa_id_row(struct pp_spaa_reader *r, const struct pp_spaa_id *id)
{
	struct pp_spaa_stacks *s = &r->stacks;
	uint32_t tag = (uint32_t)(id->hash >> 32), found;
	size_t at;

	for (at = pp_slots_begin(&s->slots, tag); (found = pp_slots_next(&s->slots, tag, &at));) {
		const struct pp_spaa_id_row *row = &s->ids.at[found - 1];

		if (PP_LIKELY(row->n == id->text.n &&
		              memcmp(id_text(row), id->text.p, row->n) == 0))
			return found - 1;
	}
	if (!pp_slots_reserve(&s->slots, 1) || !id_add(r, id)) {
		pp_spaa_no_memory(r);
		return UINT32_MAX;
	}
	pp_slots_put(&s->slots, tag, (uint32_t)s->ids.n);
	return (uint32_t)s->ids.n - 1;
}

/* ---- records of an id --------------------------------------------------------------------------- */

static uint64_t
context_key(uint32_t id, uint64_t context)
{
	return pp_mix(context ^ PP_HASH_K1, (uint64_t)id ^ PP_HASH_K2);
}

/* Stands for a record of an event as its context does for one of a context. */
static uint64_t
event_mark(uint32_t event)
{
	return ~(uint64_t)event;
}

static bool
context_note(struct pp_spaa_reader *r, uint32_t record)
{
	const struct pp_spaa_stack_row *s = &r->stacks.records.at[record];

	return pp_map_set(&r->stacks.contexts, context_key(s->id, s->context), record) &&
	       pp_map_set(&r->stacks.contexts, context_key(s->id, event_mark(s->event)), record);
}

uint32_t
pp_spaa_context_find(const struct pp_spaa_reader *r, uint32_t id, uint64_t context)
{
	uint32_t record = r->stacks.ids.at[id].record;
	const struct pp_spaa_stack_row *s;

	if (record == 0 || record == PP_SPAA_REFUSED)
		return PP_MAP_NONE;
	s = &r->stacks.records.at[--record];
	if (s->context == context || event_mark(s->event) == context)
		return record;
	return s->next ? pp_map_get(&r->stacks.contexts, context_key(id, context)) : PP_MAP_NONE;
}

void
pp_spaa_stack_judge(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t id,
                    uint32_t event, uint64_t frames)
{
	const struct pp_spaa_stack *s = &rec->u.stack;

	if (!r->stacks.ids.at[id].record || r->stacks.ids.at[id].record == PP_SPAA_REFUSED)
		return;
	if (r->header.local_ids)
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_ID_LOCAL, s->id.at,
		               "the local id \"%.*s\" is used twice", PP_SHOWN(s->id.text));
	else if (r->stacks.id_frames.at[id] != frames)
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_ID_CLASH, s->id.at,
		               "the id \"%.*s\" also stands for other frames",
		               PP_SHOWN(s->id.text));
	else if (pp_spaa_context_find(r, id, s->context) != PP_MAP_NONE)
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_REPEATED, s->id.at,
		               "stack \"%.*s\" is repeated with the same context",
		               PP_SHOWN(s->id.text));
	else if (pp_spaa_context_find(r, id, event_mark(event)) != PP_MAP_NONE)
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_CONTEXTS, s->id.at,
		               "the id \"%.*s\" is shared by several contexts",
		               PP_SHOWN(s->id.text));
	else
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_EVENTS, s->id.at,
		               "the id \"%.*s\" is shared by several events", PP_SHOWN(s->id.text));
}

static void
links_add(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t id)
{
	struct pp_spaa_run run = rec->u.stack.related;
	uint32_t i;

	for (i = 0; i < run.n; i++) {
		const struct pp_spaa_id *to = &r->in.chunk->refs.at[run.first + i].id;
		struct pp_spaa_link link = { .from = id,
			                     .to = pp_spaa_id_row(r, to),
			                     .record = (uint32_t)r->stacks.records.n - 1,
			                     .place = pp_spaa_place(r, rec, to->at) };

		if (link.to == UINT32_MAX || !pp_vec_push(&r->stacks.links, link))
			pp_spaa_no_memory(r);
	}
}

bool
pp_spaa_stack_add(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t id,
                  uint32_t event, uint64_t frames, uint32_t series)
{
	struct pp_spaa_stacks *s = &r->stacks;
	struct pp_spaa_stack_row new = { .context = rec->u.stack.context,
		                         .event = event,
		                         .series = series,
		                         .id = id,
		                         .type = rec->u.stack.type };
	uint32_t before = s->ids.at[id].record, record = (uint32_t)s->records.n;

	new.next = before == PP_SPAA_REFUSED ? 0 : before;
	/* The builder knows where records are that wait to be told where they went. */
	if (s->records.n == s->records.cap && r->want_time)
		(void)pp_build_flush(r->builder);
	if (!pp_vec_push(&s->records, new)) {
		pp_spaa_no_memory(r);
		return false;
	}
	if (!new.next) /* the first that is right speaks for the id */
		s->id_frames.at[id] = frames;
	else if (PP_UNLIKELY(!context_note(r, record) ||
	                     (!s->records.at[new.next - 1].next && !context_note(r, new.next - 1))))
		pp_spaa_no_memory(r);
	s->ids.at[id].record = record + 1;
	s->ids.at[id].event = event;
	if (rec->u.stack.related.n)
		links_add(r, rec, id);
	return true;
}

/* ---- references --------------------------------------------------------------------------- */

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
	uint32_t found = pp_map_get(&r->stacks.pending_of, key);

	if (found != PP_MAP_NONE) {
		r->stacks.pending.at[found].times++;
		return;
	}
	if (!pp_vec_push(&r->stacks.pending, *like) ||
	    !pp_map_set(&r->stacks.pending_of, key, (uint32_t)(r->stacks.pending.n - 1))) {
		pp_spaa_no_memory(r);
		return;
	}
	r->stacks.pending.at[r->stacks.pending.n - 1].times = 1;
	r->stacks.pending.at[r->stacks.pending.n - 1].place = pp_spaa_place(r, rec, at);
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
	if (PP_LIKELY(r->stacks.ids.at[row].record &&
	              (event == PP_SPAA_NO_EVENT || r->stacks.ids.at[row].event == event)))
		return;
	like.id = row;
	pend(r, rec, &like, id->at);
}

static bool
id_has_event(const struct pp_spaa_reader *r, uint32_t id, uint32_t event)
{
	uint32_t record;

	if (r->stacks.ids.at[id].record == PP_SPAA_REFUSED)
		return true;
	for (record = r->stacks.ids.at[id].record; record;
	     record = r->stacks.records.at[record - 1].next)
		if (r->stacks.records.at[record - 1].event == event)
			return true;
	return false;
}

static void
end_report(struct pp_spaa_reader *r, enum pp_spaa_rule rule, struct pp_place place,
           const char *what, uint32_t id, uint64_t times)
{
	const struct pp_spaa_id_row *row = &r->stacks.ids.at[id];
	int n = row->n < 80 ? (int)row->n : 80;
	char more[64] = "";

	if (times > 1)
		snprintf(more, sizeof more, " (%llu times in all)", (unsigned long long)times);
	pp_diag_add(r->reader->diags, &pp_spaa_rules[rule], place, "%s \"%.*s\"%s", what, n,
	            (const char *)id_text(row), more);
	r->in.errors += pp_spaa_rules[rule].severity == PP_ERROR;
}

/* Links as pairs of ids, so that the way back can be looked up. */
static bool
links_index(const struct pp_spaa_reader *r, struct pp_map *pairs)
{
	size_t i;

	for (i = 0; i < r->stacks.links.n; i++)
		if (!pp_map_set(
		        pairs,
		        (uint64_t)r->stacks.links.at[i].from << 32 | r->stacks.links.at[i].to, 0))
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
	for (i = 0; i < r->stacks.links.n && pp_builder_ok(r->builder); i++) {
		const struct pp_spaa_link *l = &r->stacks.links.at[i];

		if (!r->stacks.ids.at[l->to].record)
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

	for (i = 0; i < r->stacks.pending.n; i++) {
		const struct pp_spaa_pending *p = &r->stacks.pending.at[i];

		if (!r->stacks.ids.at[p->id].record)
			end_report(r, p->rule, p->place, "there is no stack", p->id, p->times);
		else if (p->event != PP_SPAA_NO_EVENT && !id_has_event(r, p->id, p->event))
			end_report(r, PP_SPAA_R_SAMPLE_EVENT_DIFFERS, p->place,
			           "the sample has another event than its stack", p->id, p->times);
	}
	links_judge(r);
}

void
pp_spaa_stacks_release(struct pp_spaa_stacks *s)
{
	pp_slots_release(&s->slots);
	pp_vec_release(&s->ids);
	pp_vec_release(&s->id_frames);
	pp_arena_release(&s->id_texts);
	pp_vec_release(&s->records);
	pp_map_release(&s->contexts);
	pp_vec_release(&s->pending);
	pp_map_release(&s->pending_of);
	pp_vec_release(&s->links);
}
