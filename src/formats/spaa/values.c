/*
 * Values out of JSON, by the tables of the grammar, with their findings.
 *
 * null counts as absent but where the grammar says otherwise. What is wrong is reported and passed, so
 * that one run tells all.
 */
#include "formats/spaa/record.h"

static bool
value_id(struct pp_spaa_parser *p, enum pp_spaa_rule rule, const char *what, struct pp_spaa_id *id)
{
	enum pp_json_type type = pp_scan_peek(&p->json.scan);
	const unsigned char *at = p->json.scan.cur;
	struct pp_json_str str;
	struct pp_json_num num;
	bool fine = false;
	uint64_t value;

	*id = (struct pp_spaa_id){ .at = at, .is_text = type == PP_JSON_STRING };
	if (PP_LIKELY(id->is_text)) {
		if (!pp_scan_string(&p->json.scan, &str))
			return false;
		id->text = PP_LIKELY(!str.escaped) ? str.raw : pp_json_text_of(&p->json, str);
		fine = id->text.n > 0;
	} else if (type == PP_JSON_NUMBER) {
		if (!pp_scan_number(&p->json.scan, &num))
			return false;
		id->text = num.text;
		fine = pp_json_num_u64(&num, &value);
		if (fine && num.negative) /* -0 */
			id->text = pp_slice_of("0", 1);
	} else {
		(void)pp_json_walk(&p->json);
	}
	id->hash = fine ? pp_hash_text(id->text.p, id->text.n, p->json.seed) : 0;
	if (!fine && p->json.scan.error == PP_SCAN_OK)
		pp_spaa_find(&p->json, rule, at,
		             "%s is neither a non-empty string nor an unsigned 64-bit integer",
		             what);
	return fine;
}

/* Any object; its hash, or 0 when it is null. */
static bool
value_object(struct pp_spaa_parser *p, struct pp_json_object *o, uint64_t *hash)
{
	enum pp_json_type type = pp_scan_peek(&p->json.scan);
	const unsigned char *at = p->json.scan.cur;

	*hash = pp_json_walk(&p->json);
	p->json.extras |= p->json.scan.cur > at + 2 && type == PP_JSON_OBJECT;
	if (type == PP_JSON_OBJECT || type == PP_JSON_NULL || p->json.scan.error != PP_SCAN_OK)
		return type != PP_JSON_NULL;
	if (o->hash)
		pp_spaa_find(&p->json, pp_json_object_field(o)->wrong, at,
		             "\"%s\" of %s is not an object", pp_json_object_name(o), o->what);
	else
		pp_spaa_find(&p->json, pp_json_object_field(o)->wrong, at,
		             "the %s is not an object", pp_json_object_name(o));
	return true;
}

/* ---- lists ------------------------------------------------------------------------------ */

static bool
frames_read(struct pp_spaa_parser *p, const struct pp_json_field *f, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;
	struct pp_json_num num = { 0 };
	uint64_t id;

	run->first = (uint32_t)c->frames.n;
	if (!pp_json_array_begin(&p->json, f->wrong, f->more))
		return false;
	for (;;) {
		const unsigned char *at;
		bool number;

		if (PP_UNLIKELY(!pp_vec_reserve(&c->frames, c->frames.n + 64))) {
			p->json.failed = true;
			return false;
		}
		c->frames.n += pp_scan_plain_u64s(&p->json.scan, c->frames.at + c->frames.n,
		                                  c->frames.cap - c->frames.n - 1);
		if (!pp_scan_item(&p->json.scan))
			break;
		number = pp_scan_peek(&p->json.scan) == PP_JSON_NUMBER;
		at = p->json.scan.cur;
		if (number)
			(void)pp_scan_number(&p->json.scan, &num);
		else
			(void)pp_json_walk(&p->json);
		if (p->json.scan.error != PP_SCAN_OK)
			break;
		if (PP_LIKELY(number && pp_json_num_u64(&num, &id)))
			c->frames.at[c->frames.n++] = id;
		else
			pp_spaa_find(&p->json, f->wrong, at,
			             number ? "a frame reference is not an unsigned 64-bit integer"
			                    : "a frame reference is not an integer");
	}
	run->n = (uint32_t)c->frames.n - run->first;
	return true;
}

static bool
weights_read(struct pp_spaa_parser *p, const struct pp_json_field *f, struct pp_spaa_run *run)
{
	const uint32_t both = 1u << PP_SPAA_K_WEIGHT_METRIC | 1u << PP_SPAA_K_WEIGHT_VALUE;
	struct pp_spaa_chunk *c = p->chunk;

	run->first = (uint32_t)c->weights.n;
	if (!pp_json_array_begin(&p->json, f->wrong, f->more))
		return false;
	while (pp_scan_item(&p->json.scan)) {
		struct pp_spaa_weight *w;

		if (PP_UNLIKELY(!pp_vec_reserve(&c->weights, c->weights.n + 1))) {
			p->json.failed = true;
			return false;
		}
		w = &c->weights.at[c->weights.n];
		if (PP_LIKELY(pp_json_object_read(&p->json, &pp_spaa_shapes[PP_SPAA_O_WEIGHT],
		                                  f->wrong, f->more, w) &&
		              (w->has & both) == both))
			c->weights.n++;
	}
	run->n = (uint32_t)c->weights.n - run->first;
	return true;
}

/* The weights of a stack; where they are right, their text is kept for the exclusive ones. */
static bool
stack_weights_read(struct pp_spaa_parser *p, const struct pp_json_field *f, struct pp_spaa_run *run)
{
	struct pp_slice text = { p->json.scan.cur, 0 };

	if (!weights_read(p, f, run))
		return false;
	text.n = p->rec->wrong ? 0 : (size_t)(p->json.scan.cur - text.p);
	p->weights = text;
	p->weights_run = *run;
	return true;
}

/*
 * Nearly always the exclusive weights are those of the stack, byte for byte: then they need not be
 * taken apart again.
 */
static bool
own_weights_read(struct pp_spaa_parser *p, const struct pp_json_field *f, struct pp_spaa_run *run)
{
	struct pp_slice text = p->weights;

	if (!text.n || pp_scan_peek(&p->json.scan) != PP_JSON_ARRAY ||
	    (size_t)(p->json.scan.end - p->json.scan.cur) < text.n ||
	    memcmp(p->json.scan.cur, text.p, text.n) != 0)
		return weights_read(p, f, run);
	p->json.scan.cur += text.n;
	p->json.scan.after_value = true;
	*run = p->weights_run;
	return true;
}

/* Stacks named by a stack, or by a window with what they weigh in it. */
static bool
refs_read(struct pp_spaa_parser *p, const struct pp_json_field *f, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;
	bool related = f->kind == PP_SPAA_V_RELATED;

	run->first = (uint32_t)c->refs.n;
	if (!pp_json_array_begin(&p->json, f->wrong, f->more))
		return false;
	while (pp_scan_item(&p->json.scan)) {
		struct pp_spaa_ref ref = { 0 };

		if (related ? !value_id(p, f->wrong, "a related stack", &ref.id)
		            : !pp_json_object_read(&p->json, &pp_spaa_shapes[PP_SPAA_O_REF],
		                                   f->wrong, NULL, &ref))
			continue;
		if (!pp_vec_push(&c->refs, ref))
			p->json.failed = true;
	}
	run->n = (uint32_t)c->refs.n - run->first;
	return true;
}

/* Always true: a header whose events are of no use is still a header. */
static bool
events_read(struct pp_spaa_parser *p, const struct pp_json_field *f)
{
	const unsigned char *at = p->json.scan.cur;
	bool wrong = p->rec->wrong;

	if (!pp_json_array_begin(&p->json, f->wrong, "\"events\""))
		return true;
	while (pp_scan_item(&p->json.scan)) {
		struct pp_spaa_declared event = { 0 };

		p->rec->wrong = false;
		event.wrong = !pp_json_object_read(&p->json, &pp_spaa_shapes[PP_SPAA_O_EVENT],
		                                   f->wrong, NULL, &event) ||
		              p->rec->wrong;
		wrong |= event.wrong;
		if (!pp_vec_push(&p->chunk->events, event))
			p->json.failed = true;
	}
	p->rec->wrong = wrong;
	if (!p->chunk->events.n && p->json.scan.error == PP_SCAN_OK)
		pp_spaa_find(&p->json, PP_SPAA_R_EVENTS_EMPTY, at, "the header lists no events");
	return true;
}

/* ---- any value -------------------------------------------------------------------------- */

/* A part of the context of a stack, and of its hash. Absent like null is what leaves the hash alone. */
static bool
context_read(struct pp_spaa_parser *p, struct pp_json_object *o, void *to)
{
	enum pp_spaa_value kind = pp_json_object_field(o)->kind;
	bool kept = kind != PP_SPAA_V_CONTEXT_TEXT && kind != PP_SPAA_V_CONTEXT_SMALL;
	struct pp_slice text;
	uint64_t number;

	p->json.extras |= kept;
	if (kind == PP_SPAA_V_CONTEXT_TEXT || kind == PP_SPAA_V_KEPT_TEXT) {
		if (!pp_json_value_text(&p->json, o, &text))
			return false;
		if (!kept)
			*(struct pp_slice *)to = text;
		number = pp_hash_text(text.p, text.n, p->json.seed);
	} else if (kind == PP_SPAA_V_KEPT_OBJECT) {
		if (!value_object(p, o, &number))
			return false;
	} else {
		if (!pp_json_value_uint(&p->json, o, &number))
			return false;
		if (!kept)
			*(int64_t *)to = number <= INT64_MAX ? (int64_t)number : -1;
		number = pp_mix(number ^ p->json.seed, PP_HASH_K1);
	}
	*o->hash += pp_spaa_context_add(o->index, number);
	return true;
}

bool
pp_spaa_value_read(struct pp_json_reader *json, struct pp_json_object *o, void *out)
{
	struct pp_spaa_parser *p = (struct pp_spaa_parser *)json;
	const struct pp_json_field *f = pp_json_object_field(o);
	void *to = (char *)out + f->to;
	bool fine = true;
	uint64_t ignored;

	switch ((enum pp_spaa_value)f->kind) {
	case PP_SPAA_V_ID:
		fine = value_id(p, f->wrong, f->more, to);
		break;
	case PP_SPAA_V_FRAMES:
		fine = frames_read(p, f, to);
		break;
	case PP_SPAA_V_WEIGHTS:
		fine = stack_weights_read(p, f, to);
		break;
	case PP_SPAA_V_OWN_WEIGHTS:
		fine = own_weights_read(p, f, to);
		break;
	case PP_SPAA_V_RELATED:
		if (pp_scan_peek(&json->scan) == PP_JSON_NULL)
			return pp_scan_null(&json->scan) && false;
		/* fall through */
	case PP_SPAA_V_BY_STACK:
		fine = refs_read(p, f, to);
		break;
	case PP_SPAA_V_EVENTS:
		return events_read(p, f);
	case PP_SPAA_V_STRICT_OBJECT:
		fine = pp_json_object_read(json, f->more, f->wrong, NULL, out);
		break;
	case PP_SPAA_V_CONTEXT_TEXT:
	case PP_SPAA_V_CONTEXT_SMALL:
	case PP_SPAA_V_KEPT_TEXT:
	case PP_SPAA_V_KEPT_SMALL:
	case PP_SPAA_V_KEPT_OBJECT:
		return context_read(p, o, to);
	case PP_SPAA_V_ANY_OBJECT:
		return value_object(p, o, &ignored);
	case PP_SPAA_V_OUR_TEXT:
	case PP_SPAA_V_OUR_UINT:
		json->extras = true;
		/* fall through */
	default:
		(void)pp_json_walk(json);
		break;
	}
	return fine || pp_json_value_bad(o);
}
