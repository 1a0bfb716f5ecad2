/*
 * Stack records taken apart: id, frames, context, weights.
 */
#include "formats/spaa/spaa.h"

#define NAME(z)                                                                                    \
	{                                                                                          \
		(const unsigned char *)(z), sizeof(z) - 1                                          \
	}

static void
no_memory(struct pp_spaa_parser *p)
{
	p->chunk->status = PP_E_NOMEM;
}

/* ---- weights ---------------------------------------------------------------------------- */

enum { WEIGHT_METRIC, WEIGHT_VALUE, WEIGHT_UNIT };
static const struct pp_slice weight_names[] = { NAME("metric"), NAME("value"), NAME("unit") };

static bool
weight_parse(struct pp_spaa_parser *p, struct pp_spaa_weight *w, const char *what)
{
	struct pp_spaa_object o;

	w->has_unit = false;
	if (!pp_spaa_object_begin(p, &o, weight_names, PP_COUNT_OF(weight_names), PP_SPAA_R_WEIGHTS,
	                          what))
		return false;
	while (pp_spaa_object_key(p, &o, NULL)) {
		if (o.index == WEIGHT_METRIC)
			(void)pp_spaa_text(p, &o, PP_SPAA_R_WEIGHTS, &w->metric);
		else if (o.index == WEIGHT_VALUE)
			(void)pp_spaa_number(p, &o, PP_SPAA_R_VALUE, &w->value);
		else
			w->has_unit = pp_spaa_text(p, &o, PP_SPAA_R_UNIT, &w->unit);
	}
	pp_spaa_object_need(p, &o, WEIGHT_METRIC, PP_SPAA_R_WEIGHTS);
	pp_spaa_object_need(p, &o, WEIGHT_VALUE, PP_SPAA_R_VALUE);
	return (o.taken & 3) == 3;
}

bool
pp_spaa_weights(struct pp_spaa_parser *p, const char *what, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;

	*run = (struct pp_spaa_run){ (uint32_t)c->weights.n, 0 };
	if (!pp_spaa_array_begin(p, PP_SPAA_R_WEIGHTS, what))
		return false;
	while (pp_scan_item(&p->scan)) {
		if (PP_UNLIKELY(!pp_vec_reserve(&c->weights, c->weights.n + 1))) {
			no_memory(p);
			return false;
		}
		if (PP_LIKELY(weight_parse(p, &c->weights.at[c->weights.n], what)))
			c->weights.n++;
	}
	run->n = (uint32_t)c->weights.n - run->first;
	return true;
}

/* ---- frames ----------------------------------------------------------------------------- */

static bool
frames_parse(struct pp_spaa_parser *p, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;
	struct pp_json_num num;
	uint64_t id;

	*run = (struct pp_spaa_run){ (uint32_t)c->frames.n, 0 };
	if (!pp_spaa_array_begin(p, PP_SPAA_R_FRAMES, "\"frames\""))
		return false;
	for (;;) {
		if (PP_UNLIKELY(!pp_vec_reserve(&c->frames, c->frames.n + 64))) {
			no_memory(p);
			return false;
		}
		c->frames.n += pp_scan_plain_u64s(&p->scan, c->frames.at + c->frames.n,
		                                  c->frames.cap - c->frames.n);
		if (!pp_scan_item(&p->scan))
			break;
		if (pp_scan_peek(&p->scan) != PP_JSON_NUMBER) {
			const unsigned char *at = p->scan.cur;

			(void)pp_spaa_walk(p);
			if (p->scan.error == PP_SCAN_OK)
				pp_spaa_find(p, PP_SPAA_R_FRAMES, at,
				             "a frame reference is not an integer");
			continue;
		}
		if (!pp_scan_number(&p->scan, &num))
			break;
		if (PP_UNLIKELY(!pp_json_num_u64(&num, &id)))
			pp_spaa_find(p, PP_SPAA_R_FRAMES, num.text.p,
			             "a frame reference is not an unsigned 64-bit integer");
		else if (PP_LIKELY(c->frames.n < c->frames.cap))
			c->frames.at[c->frames.n++] = id;
		else if (!pp_vec_push(&c->frames, id))
			no_memory(p);
	}
	run->n = (uint32_t)c->frames.n - run->first;
	return true;
}

/* ---- context ---------------------------------------------------------------------------- */

static const struct pp_slice context_names[] = {
	NAME("event"), NAME("pid"),      NAME("tid"), NAME("cpu"),      NAME("comm"),
	NAME("probe"), NAME("execname"), NAME("uid"), NAME("zonename"), NAME("trace_fields"),
};

static uint64_t
context_text(struct pp_spaa_parser *p, struct pp_spaa_object *o, enum pp_spaa_rule rule,
             struct pp_slice *out)
{
	*out = pp_slice_of("", 0);
	if (!pp_spaa_text(p, o, rule, out))
		return 0; /* null, as if it were not there */
	return pp_spaa_context_add(o->index, pp_spaa_hash(out->p, out->n, p->seed));
}

static uint64_t
context_uint(struct pp_spaa_parser *p, struct pp_spaa_object *o, int64_t *out)
{
	uint64_t value;

	if (!pp_spaa_uint(p, o, PP_SPAA_R_CONTEXT_FIELD, &value))
		return 0;
	*out = value <= INT64_MAX ? (int64_t)value : -1;
	return pp_spaa_context_add(o->index, pp_mix(value ^ p->seed, PP_HASH_K1));
}

/* probe and trace_fields: any object. */
static uint64_t
context_object(struct pp_spaa_parser *p, const struct pp_spaa_object *o)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);
	const unsigned char *at = p->scan.cur;
	uint64_t hash = pp_spaa_walk(p);

	if (type != PP_JSON_OBJECT && type != PP_JSON_NULL && p->scan.error == PP_SCAN_OK)
		pp_spaa_find(p, PP_SPAA_R_CONTEXT_OBJECT, at,
		             "\"%s\" of the context is not an object",
		             (const char *)o->names.names[o->index].p);
	return type == PP_JSON_NULL ? 0 : pp_spaa_context_add(o->index, hash);
}

static void
context_parse(struct pp_spaa_parser *p, struct pp_spaa_stack *s)
{
	struct pp_spaa_object o;
	struct pp_slice ignored;
	int64_t uid;

	if (!pp_spaa_object_begin(p, &o, context_names, PP_COUNT_OF(context_names),
	                          PP_SPAA_R_CONTEXT, "the context"))
		return;
	o.warn = true;
	while (pp_spaa_object_key(p, &o, &s->context))
		switch (o.index) {
		case PP_SPAA_CTX_EVENT:
			s->context += context_text(p, &o, PP_SPAA_R_CONTEXT, &s->event);
			break;
		case PP_SPAA_CTX_PID:
			s->context += context_uint(p, &o, &s->pid);
			break;
		case PP_SPAA_CTX_TID:
			s->context += context_uint(p, &o, &s->tid);
			break;
		case PP_SPAA_CTX_CPU:
			s->context += context_uint(p, &o, &s->cpu);
			break;
		case PP_SPAA_CTX_UID:
			s->context += context_uint(p, &o, &uid);
			p->chunk->extras = true;
			break;
		case PP_SPAA_CTX_COMM:
			s->context += context_text(p, &o, PP_SPAA_R_CONTEXT_FIELD, &s->comm);
			break;
		case PP_SPAA_CTX_EXECNAME:
		case PP_SPAA_CTX_ZONENAME:
			s->context += context_text(p, &o, PP_SPAA_R_CONTEXT_FIELD, &ignored);
			p->chunk->extras = true;
			break;
		default:
			s->context += context_object(p, &o);
			p->chunk->extras = true;
			break;
		}
	s->has_event = o.taken >> PP_SPAA_CTX_EVENT & 1;
	pp_spaa_object_need(p, &o, PP_SPAA_CTX_EVENT, PP_SPAA_R_CONTEXT);
}

/* ---- the record ------------------------------------------------------------------------- */

enum { EXCLUSIVE_FRAME, EXCLUSIVE_WEIGHTS };
static const struct pp_slice exclusive_names[] = { NAME("frame"), NAME("weights") };

/*
 * Nearly always the exclusive weights are those of the stack, byte for byte: then they need not be
 * taken apart again.
 */
static bool
own_is_whole(struct pp_spaa_parser *p, struct pp_spaa_stack *s)
{
	struct pp_slice text = p->weights;

	if (!text.n || pp_scan_peek(&p->scan) != PP_JSON_ARRAY ||
	    (size_t)(p->scan.end - p->scan.cur) < text.n ||
	    memcmp(p->scan.cur, text.p, text.n) != 0)
		return false;
	p->scan.cur += text.n;
	p->scan.after_value = true;
	s->own = s->weights;
	return true;
}

static void
exclusive_parse(struct pp_spaa_parser *p, struct pp_spaa_stack *s)
{
	struct pp_spaa_object o;

	if (pp_scan_peek(&p->scan) == PP_JSON_NULL) {
		(void)pp_scan_null(&p->scan);
		return;
	}
	if (!pp_spaa_object_begin(p, &o, exclusive_names, PP_COUNT_OF(exclusive_names),
	                          PP_SPAA_R_EXCLUSIVE, "\"exclusive\""))
		return;
	while (pp_spaa_object_key(p, &o, NULL)) {
		if (o.index == EXCLUSIVE_FRAME) {
			s->has_leaf = pp_spaa_uint(p, &o, PP_SPAA_R_EXCLUSIVE, &s->leaf);
		} else {
			s->has_own = own_is_whole(p, s) ||
			             pp_spaa_weights(p, "\"exclusive.weights\"", &s->own);
			o.taken |= (uint64_t)1 << EXCLUSIVE_WEIGHTS;
		}
	}
	pp_spaa_object_need(p, &o, EXCLUSIVE_FRAME, PP_SPAA_R_EXCLUSIVE);
	pp_spaa_object_need(p, &o, EXCLUSIVE_WEIGHTS, PP_SPAA_R_EXCLUSIVE);
}

static void
related_parse(struct pp_spaa_parser *p, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;
	struct pp_spaa_ref ref = { 0 };

	*run = (struct pp_spaa_run){ (uint32_t)c->refs.n, 0 };
	if (pp_scan_peek(&p->scan) == PP_JSON_NULL) {
		(void)pp_scan_null(&p->scan);
		return;
	}
	if (!pp_spaa_array_begin(p, PP_SPAA_R_RELATED, "\"related_stacks\""))
		return;
	while (pp_scan_item(&p->scan))
		if (pp_spaa_id(p, PP_SPAA_R_RELATED, "a related stack", &ref.id) &&
		    !pp_vec_push(&c->refs, ref))
			no_memory(p);
	run->n = (uint32_t)c->refs.n - run->first;
}

enum {
	STACK_TYPE,
	STACK_ID,
	STACK_FRAMES,
	STACK_STACK_TYPE,
	STACK_CONTEXT,
	STACK_WEIGHTS,
	STACK_EXCLUSIVE,
	STACK_RELATED
};
static const struct pp_slice stack_names[] = {
	NAME("type"),    NAME("id"),      NAME("frames"),    NAME("stack_type"),
	NAME("context"), NAME("weights"), NAME("exclusive"), NAME("related_stacks"),
};
static const struct pp_slice stack_type_words[] = { NAME("unified"), NAME("user"), NAME("kernel") };

/* The value of one key; o->taken notes those that must be there and were. */
static void
stack_value(struct pp_spaa_parser *p, struct pp_spaa_object *o, struct pp_spaa_stack *s)
{
	unsigned word;

	switch (o->index) {
	case STACK_ID:
		s->has_id = pp_spaa_id(p, PP_SPAA_R_STACK_ID, "the id of the stack", &s->id);
		break;
	case STACK_FRAMES:
		(void)frames_parse(p, &s->frames);
		break;
	case STACK_STACK_TYPE:
		if (pp_spaa_word(p, o, PP_SPAA_R_STACK_TYPE, stack_type_words,
		                 PP_COUNT_OF(stack_type_words), false, &word))
			s->type = (enum pp_spaa_stack_type)word;
		break;
	case STACK_CONTEXT:
		context_parse(p, s);
		break;
	case STACK_WEIGHTS:
		(void)pp_scan_peek(&p->scan);
		p->weights.p = p->scan.cur;
		if (pp_spaa_weights(p, "\"weights\"", &s->weights) && !p->rec->wrong)
			p->weights.n = (size_t)(p->scan.cur - p->weights.p);
		break;
	case STACK_EXCLUSIVE:
		exclusive_parse(p, s);
		break;
	case STACK_RELATED:
		related_parse(p, &s->related);
		break;
	default: /* the type, which is known */
		(void)pp_scan_skip(&p->scan, NULL);
		break;
	}
	o->taken |= (uint64_t)1 << o->index;
}

void
pp_spaa_parse_stack(struct pp_spaa_parser *p)
{
	struct pp_spaa_stack *s = &p->rec->u.stack;
	struct pp_spaa_object o;

	*s = (struct pp_spaa_stack){ .pid = -1, .tid = -1, .cpu = -1 };
	p->weights.n = 0;
	(void)pp_spaa_object_begin(p, &o, stack_names, PP_COUNT_OF(stack_names),
	                           PP_SPAA_R_NOT_OBJECT, "the stack");
	o.warn = true;
	while (pp_spaa_object_key(p, &o, NULL))
		stack_value(p, &o, s);
	pp_spaa_object_need(p, &o, STACK_ID, PP_SPAA_R_STACK_ID);
	pp_spaa_object_need(p, &o, STACK_FRAMES, PP_SPAA_R_FRAMES);
	pp_spaa_object_need(p, &o, STACK_CONTEXT, PP_SPAA_R_CONTEXT);
	pp_spaa_object_need(p, &o, STACK_WEIGHTS, PP_SPAA_R_WEIGHTS);
	if (s->has_id && s->id.is_text)
		s->id.is_hex = pp_spaa_is_hex(s->id.text);
}
