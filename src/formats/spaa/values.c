/*
 * Values out of JSON, by the tables of the grammar, with their findings.
 *
 * null counts as absent but where the grammar says otherwise. What is wrong is reported and passed, so
 * that one run tells all.
 */
#include "formats/spaa/record.h"

static void
no_memory(struct pp_spaa_parser *p)
{
	p->chunk->status = PP_E_NOMEM;
}

/* ---- objects ---------------------------------------------------------------------------- */

static bool
object_begin(struct pp_spaa_parser *p, struct pp_spaa_object *o, enum pp_spaa_rule rule)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);

	o->names = (struct pp_json_names){ o->shape->keys, o->shape->count, 0 };
	o->seen = o->taken = o->wrong = 0;
	o->start = p->scan.cur;
	o->keys = p->keys.n;
	o->serial = ++p->serial;
	if (PP_LIKELY(type == PP_JSON_OBJECT))
		return pp_scan_object(&p->scan);
	if (type != PP_JSON_NOTHING)
		pp_spaa_find(p, rule, p->scan.cur, "%s is not an object", o->what);
	(void)pp_spaa_walk(p);
	return false;
}

static PP_NOINLINE void
object_unknown(struct pp_spaa_parser *p, struct pp_spaa_object *o)
{
	struct pp_slice key = pp_spaa_text_of(p, o->key);
	uint64_t key_hash = pp_spaa_hash(key.p, key.n, p->seed), value;

	if (!pp_spaa_key_once(p, o->keys, o->serial, key_hash))
		pp_spaa_find_twice(p, o->key);
	else if (o->shape->warn && !(key.n >= 2 && key.p[0] == 'x' && key.p[1] == '_'))
		pp_spaa_find(p, PP_SPAA_R_KEY_UNKNOWN, o->key.raw.p - 1,
		             "unknown key \"%.*s\" in %s; it is kept", PP_SPAA_SHOWN(o->key.raw),
		             o->what);
	p->chunk->extras = true;
	value = pp_spaa_walk(p);
	if (o->hash)
		*o->hash += pp_mix(key_hash ^ PP_HASH_K1, value ^ PP_HASH_K2);
}

/* The next known key, in o->key and o->index; false at the end. */
static inline bool
object_key(struct pp_spaa_parser *p, struct pp_spaa_object *o)
{
	while (pp_scan_named_key(&p->scan, &o->names, &o->key, &o->index)) {
		if (PP_UNLIKELY(o->index == o->names.count)) {
			object_unknown(p, o);
			continue;
		}
		if (PP_LIKELY(pp_json_seen_once(&o->seen, o->index)))
			return true;
		pp_spaa_find_twice(p, o->key);
		(void)pp_spaa_walk(p);
	}
	p->keys.n = o->keys;
	return false;
}

static inline const struct pp_spaa_field *
object_field(const struct pp_spaa_object *o)
{
	return &o->shape->fields[o->index];
}

static inline const char *
object_name(const struct pp_spaa_object *o)
{
	return (const char *)o->shape->keys[o->index].p;
}

static bool
value_bad(struct pp_spaa_object *o)
{
	o->wrong |= (uint64_t)1 << o->index;
	return false;
}

/* Passes a value that is absent (null), or else not a `wanted`, which is reported. Always false. */
static PP_NOINLINE bool
value_wrong(struct pp_spaa_parser *p, struct pp_spaa_object *o, const char *wanted)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);

	if (type == PP_JSON_NULL)
		return pp_scan_null(&p->scan) && false;
	if (type != PP_JSON_NOTHING)
		pp_spaa_find(p, object_field(o)->wrong, p->scan.cur, "\"%s\" of %s is not %s",
		             object_name(o), o->what, wanted);
	(void)pp_spaa_walk(p);
	return value_bad(o);
}

/* ---- scalars ---------------------------------------------------------------------------- */

static bool
value_uint(struct pp_spaa_parser *p, struct pp_spaa_object *o, uint64_t *out)
{
	struct pp_json_num num;
	bool large;

	if (PP_UNLIKELY(pp_scan_peek(&p->scan) != PP_JSON_NUMBER))
		return value_wrong(p, o, "an unsigned integer");
	if (!pp_scan_number(&p->scan, &num))
		return false;
	if (PP_LIKELY(pp_json_num_u64(&num, out)))
		return true;
	large = num.integer && !num.negative;
	pp_spaa_find(p, large ? PP_SPAA_R_TOO_LARGE : object_field(o)->wrong, num.text.p,
	             large ? "\"%s\" of %s is larger than 18446744073709551615"
	                   : "\"%s\" of %s is not an unsigned integer",
	             object_name(o), o->what);
	return value_bad(o);
}

static bool
value_number(struct pp_spaa_parser *p, struct pp_spaa_object *o, struct pp_decimal *out)
{
	struct pp_json_num num;

	if (PP_UNLIKELY(pp_scan_peek(&p->scan) != PP_JSON_NUMBER))
		return value_wrong(p, o, "a number");
	if (!pp_scan_number(&p->scan, &num))
		return false;
	if (PP_LIKELY(num.fits && !num.negative)) {
		*out = (struct pp_decimal){ .magnitude = num.magnitude };
		return true;
	}
	if (PP_LIKELY(pp_json_num_decimal(&num, out)))
		return true;
	if (num.integer)
		pp_spaa_find(p, PP_SPAA_R_TOO_LARGE, num.text.p, "%s does not fit 64 bits",
		             object_name(o));
	else
		pp_spaa_find(p, PP_SPAA_R_VALUE, num.text.p, "%s is not a finite number",
		             object_name(o));
	return value_bad(o);
}

static bool
value_text(struct pp_spaa_parser *p, struct pp_spaa_object *o, struct pp_slice *out)
{
	struct pp_json_str str;

	if (PP_UNLIKELY(pp_scan_peek(&p->scan) != PP_JSON_STRING))
		return value_wrong(p, o, "a string");
	if (!pp_scan_string(&p->scan, &str))
		return false;
	*out = PP_LIKELY(!str.escaped) ? str.raw : pp_spaa_text_of(p, str);
	return true;
}

static bool
value_bool(struct pp_spaa_parser *p, struct pp_spaa_object *o, bool *out)
{
	if (PP_UNLIKELY(pp_scan_peek(&p->scan) != PP_JSON_BOOL))
		return value_wrong(p, o, "true or false");
	return pp_scan_bool(&p->scan, out);
}

static bool
value_word(struct pp_spaa_parser *p, struct pp_spaa_object *o, uint32_t *out)
{
	const struct pp_spaa_words *words = object_field(o)->more;
	enum pp_json_type type = pp_scan_peek(&p->scan);
	const unsigned char *at = p->scan.cur;
	struct pp_json_str str;
	struct pp_slice word;
	unsigned i;

	if (type == PP_JSON_NULL && object_field(o)->kind == PP_SPAA_V_WORD)
		return pp_scan_null(&p->scan) && false;
	if (type == PP_JSON_STRING) {
		if (!pp_scan_string(&p->scan, &str))
			return false;
		word = pp_spaa_text_of(p, str);
		for (i = 0; i < words->count; i++)
			if (pp_slice_eq(word, words->words[i])) {
				*out = i;
				return true;
			}
	} else {
		(void)pp_spaa_walk(p);
	}
	if (p->scan.error == PP_SCAN_OK)
		pp_spaa_find(
		    p, object_field(o)->wrong, at, "\"%s\" of %s is %s", object_name(o), o->what,
		    type == PP_JSON_STRING ? "not one of the allowed words" : "not a string");
	return value_bad(o);
}

static bool
value_id(struct pp_spaa_parser *p, enum pp_spaa_rule rule, const char *what, struct pp_spaa_id *id)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);
	const unsigned char *at = p->scan.cur;
	struct pp_json_str str;
	struct pp_json_num num;
	bool fine = false;
	uint64_t value;

	*id = (struct pp_spaa_id){ .at = at, .is_text = type == PP_JSON_STRING };
	if (PP_LIKELY(id->is_text)) {
		if (!pp_scan_string(&p->scan, &str))
			return false;
		id->text = PP_LIKELY(!str.escaped) ? str.raw : pp_spaa_text_of(p, str);
		fine = id->text.n > 0;
	} else if (type == PP_JSON_NUMBER) {
		if (!pp_scan_number(&p->scan, &num))
			return false;
		id->text = num.text;
		fine = pp_json_num_u64(&num, &value);
		if (fine && num.negative) /* -0 */
			id->text = pp_slice_of("0", 1);
	} else {
		(void)pp_spaa_walk(p);
	}
	id->hash = fine ? pp_spaa_hash(id->text.p, id->text.n, p->seed) : 0;
	if (!fine && p->scan.error == PP_SCAN_OK)
		pp_spaa_find(p, rule, at,
		             "%s is neither a non-empty string nor an unsigned 64-bit integer",
		             what);
	return fine;
}

/* Any object; its hash, or 0 when it is null. */
static bool
value_object(struct pp_spaa_parser *p, struct pp_spaa_object *o, uint64_t *hash)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);
	const unsigned char *at = p->scan.cur;

	*hash = pp_spaa_walk(p);
	p->chunk->extras |= p->scan.cur > at + 2 && type == PP_JSON_OBJECT;
	if (type == PP_JSON_OBJECT || type == PP_JSON_NULL || p->scan.error != PP_SCAN_OK)
		return type != PP_JSON_NULL;
	if (o->hash)
		pp_spaa_find(p, object_field(o)->wrong, at, "\"%s\" of %s is not an object",
		             object_name(o), o->what);
	else
		pp_spaa_find(p, object_field(o)->wrong, at, "the %s is not an object",
		             object_name(o));
	return true;
}

/* ---- lists ------------------------------------------------------------------------------ */

static bool
array_begin(struct pp_spaa_parser *p, enum pp_spaa_rule rule, const char *what)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);

	if (PP_LIKELY(type == PP_JSON_ARRAY))
		return pp_scan_array(&p->scan);
	if (type != PP_JSON_NOTHING)
		pp_spaa_find(p, rule, p->scan.cur, "%s is not an array", what);
	(void)pp_spaa_walk(p);
	return false;
}

static bool
frames_read(struct pp_spaa_parser *p, const struct pp_spaa_field *f, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;
	struct pp_json_num num = { 0 };
	uint64_t id;

	run->first = (uint32_t)c->frames.n;
	if (!array_begin(p, f->wrong, f->more))
		return false;
	for (;;) {
		const unsigned char *at;
		bool number;

		if (PP_UNLIKELY(!pp_vec_reserve(&c->frames, c->frames.n + 64))) {
			no_memory(p);
			return false;
		}
		c->frames.n += pp_scan_plain_u64s(&p->scan, c->frames.at + c->frames.n,
		                                  c->frames.cap - c->frames.n - 1);
		if (!pp_scan_item(&p->scan))
			break;
		number = pp_scan_peek(&p->scan) == PP_JSON_NUMBER;
		at = p->scan.cur;
		if (number)
			(void)pp_scan_number(&p->scan, &num);
		else
			(void)pp_spaa_walk(p);
		if (p->scan.error != PP_SCAN_OK)
			break;
		if (PP_LIKELY(number && pp_json_num_u64(&num, &id)))
			c->frames.at[c->frames.n++] = id;
		else
			pp_spaa_find(p, f->wrong, at,
			             number ? "a frame reference is not an unsigned 64-bit integer"
			                    : "a frame reference is not an integer");
	}
	run->n = (uint32_t)c->frames.n - run->first;
	return true;
}

static bool
weights_read(struct pp_spaa_parser *p, const struct pp_spaa_field *f, struct pp_spaa_run *run)
{
	const uint32_t both = 1u << PP_SPAA_K_WEIGHT_METRIC | 1u << PP_SPAA_K_WEIGHT_VALUE;
	struct pp_spaa_chunk *c = p->chunk;

	run->first = (uint32_t)c->weights.n;
	if (!array_begin(p, f->wrong, f->more))
		return false;
	while (pp_scan_item(&p->scan)) {
		struct pp_spaa_weight *w;

		if (PP_UNLIKELY(!pp_vec_reserve(&c->weights, c->weights.n + 1))) {
			no_memory(p);
			return false;
		}
		w = &c->weights.at[c->weights.n];
		if (PP_LIKELY(pp_spaa_object_read(p, &pp_spaa_shapes[PP_SPAA_O_WEIGHT], f->wrong,
		                                  f->more, w) &&
		              (w->has & both) == both))
			c->weights.n++;
	}
	run->n = (uint32_t)c->weights.n - run->first;
	return true;
}

/* The weights of a stack; where they are right, their text is kept for the exclusive ones. */
static bool
stack_weights_read(struct pp_spaa_parser *p, const struct pp_spaa_field *f, struct pp_spaa_run *run)
{
	struct pp_slice text = { p->scan.cur, 0 };

	if (!weights_read(p, f, run))
		return false;
	text.n = p->rec->wrong ? 0 : (size_t)(p->scan.cur - text.p);
	p->weights = text;
	p->weights_run = *run;
	return true;
}

/*
 * Nearly always the exclusive weights are those of the stack, byte for byte: then they need not be
 * taken apart again.
 */
static bool
own_weights_read(struct pp_spaa_parser *p, const struct pp_spaa_field *f, struct pp_spaa_run *run)
{
	struct pp_slice text = p->weights;

	if (!text.n || pp_scan_peek(&p->scan) != PP_JSON_ARRAY ||
	    (size_t)(p->scan.end - p->scan.cur) < text.n ||
	    memcmp(p->scan.cur, text.p, text.n) != 0)
		return weights_read(p, f, run);
	p->scan.cur += text.n;
	p->scan.after_value = true;
	*run = p->weights_run;
	return true;
}

/* Stacks named by a stack, or by a window with what they weigh in it. */
static bool
refs_read(struct pp_spaa_parser *p, const struct pp_spaa_field *f, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;
	bool related = f->kind == PP_SPAA_V_RELATED;

	run->first = (uint32_t)c->refs.n;
	if (!array_begin(p, f->wrong, f->more))
		return false;
	while (pp_scan_item(&p->scan)) {
		struct pp_spaa_ref ref = { 0 };

		if (related ? !value_id(p, f->wrong, "a related stack", &ref.id)
		            : !pp_spaa_object_read(p, &pp_spaa_shapes[PP_SPAA_O_REF], f->wrong,
		                                   NULL, &ref))
			continue;
		if (!pp_vec_push(&c->refs, ref))
			no_memory(p);
	}
	run->n = (uint32_t)c->refs.n - run->first;
	return true;
}

/* Always true: a header whose events are of no use is still a header. */
static bool
events_read(struct pp_spaa_parser *p, const struct pp_spaa_field *f)
{
	const unsigned char *at = p->scan.cur;
	bool wrong = p->rec->wrong;

	if (!array_begin(p, f->wrong, "\"events\""))
		return true;
	while (pp_scan_item(&p->scan)) {
		struct pp_spaa_declared event = { 0 };

		p->rec->wrong = false;
		event.wrong = !pp_spaa_object_read(p, &pp_spaa_shapes[PP_SPAA_O_EVENT], f->wrong,
		                                   NULL, &event) ||
		              p->rec->wrong;
		wrong |= event.wrong;
		if (!pp_vec_push(&p->chunk->events, event))
			no_memory(p);
	}
	p->rec->wrong = wrong;
	if (!p->chunk->events.n && p->scan.error == PP_SCAN_OK)
		pp_spaa_find(p, PP_SPAA_R_EVENTS_EMPTY, at, "the header lists no events");
	return true;
}

/* ---- any value -------------------------------------------------------------------------- */

/* A part of the context of a stack, and of its hash. Absent like null is what leaves the hash alone. */
static bool
context_read(struct pp_spaa_parser *p, struct pp_spaa_object *o, void *to)
{
	enum pp_spaa_value kind = object_field(o)->kind;
	bool kept = kind != PP_SPAA_V_CONTEXT_TEXT && kind != PP_SPAA_V_CONTEXT_SMALL;
	struct pp_slice text;
	uint64_t number;

	p->chunk->extras |= kept;
	if (kind == PP_SPAA_V_CONTEXT_TEXT || kind == PP_SPAA_V_KEPT_TEXT) {
		if (!value_text(p, o, &text))
			return false;
		if (!kept)
			*(struct pp_slice *)to = text;
		number = pp_spaa_hash(text.p, text.n, p->seed);
	} else if (kind == PP_SPAA_V_KEPT_OBJECT) {
		if (!value_object(p, o, &number))
			return false;
	} else {
		if (!value_uint(p, o, &number))
			return false;
		if (!kept)
			*(int64_t *)to = number <= INT64_MAX ? (int64_t)number : -1;
		number = pp_mix(number ^ p->seed, PP_HASH_K1);
	}
	*o->hash += pp_spaa_context_add(o->index, number);
	return true;
}

/* A value of another kind than scalars have: true when it is there and right. */
static PP_NOINLINE bool
compound_read(struct pp_spaa_parser *p, struct pp_spaa_object *o, void *out)
{
	const struct pp_spaa_field *f = object_field(o);
	void *to = (char *)out + f->to;
	bool fine;

	if (pp_scan_peek(&p->scan) == PP_JSON_NULL &&
	    (f->kind == PP_SPAA_V_OBJECT || f->kind == PP_SPAA_V_RELATED))
		return pp_scan_null(&p->scan) && false;
	switch (f->kind) {
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
	case PP_SPAA_V_BY_STACK:
		fine = refs_read(p, f, to);
		break;
	case PP_SPAA_V_EVENTS:
		fine = events_read(p, f);
		break;
	default:
		fine = pp_spaa_object_read(p, f->more, f->wrong, NULL, out);
		break;
	}
	return fine || value_bad(o);
}

static bool
field_read(struct pp_spaa_parser *p, struct pp_spaa_object *o, void *out)
{
	const struct pp_spaa_field *f = object_field(o);
	void *to = (char *)out + f->to;
	uint64_t number;

	switch (f->kind) {
	case PP_SPAA_V_UINT:
		return value_uint(p, o, to);
	case PP_SPAA_V_SMALL:
		if (!value_uint(p, o, &number))
			return false;
		*(int64_t *)to = number <= INT64_MAX ? (int64_t)number : -1;
		return true;
	case PP_SPAA_V_NUMBER:
		return value_number(p, o, to);
	case PP_SPAA_V_TEXT:
		return value_text(p, o, to);
	case PP_SPAA_V_BOOL:
		return value_bool(p, o, to);
	case PP_SPAA_V_WORD:
	case PP_SPAA_V_STRICT_WORD:
		return value_word(p, o, to);
	case PP_SPAA_V_CONTEXT_TEXT:
	case PP_SPAA_V_CONTEXT_SMALL:
	case PP_SPAA_V_KEPT_TEXT:
	case PP_SPAA_V_KEPT_SMALL:
	case PP_SPAA_V_KEPT_OBJECT:
		return context_read(p, o, to);
	case PP_SPAA_V_ANY_OBJECT:
		return value_object(p, o, &number);
	case PP_SPAA_V_OUR_TEXT:
	case PP_SPAA_V_OUR_UINT:
		p->chunk->extras = true;
		/* fall through */
	case PP_SPAA_V_TYPE:
	case PP_SPAA_V_ANY:
		(void)pp_spaa_walk(p);
		return true;
	default:
		return compound_read(p, o, out);
	}
}

bool
pp_spaa_object_read(struct pp_spaa_parser *p, const struct pp_spaa_shape *shape,
                    enum pp_spaa_rule rule, const char *what, void *out)
{
	struct pp_spaa_object o;
	unsigned i;

	o.shape = shape;
	o.what = what ? what : shape->what;
	o.hash = shape == &pp_spaa_shapes[PP_SPAA_O_CONTEXT]
	             ? &((struct pp_spaa_stack *)out)->context
	             : NULL;
	*(uint32_t *)((char *)out + shape->has) = 0;
	if (!object_begin(p, &o, rule))
		return false;
	while (object_key(p, &o)) {
		(void)pp_scan_peek(&p->scan);
		o.at[o.index] = p->scan.cur;
		if (field_read(p, &o, out))
			o.taken |= (uint64_t)1 << o.index;
	}
	for (i = 0; i < shape->count && p->scan.error == PP_SCAN_OK; i++)
		if (PP_UNLIKELY(!((o.taken | o.wrong) >> i & 1) &&
		                shape->fields[i].missing != PP_SPAA_R_OPTIONAL))
			pp_spaa_find(p, shape->fields[i].missing, o.start, "%s lacks \"%s\"",
			             o.what, (const char *)shape->keys[i].p);
	*(uint32_t *)((char *)out + shape->has) = (uint32_t)o.taken;
	if (shape->judge && p->scan.error == PP_SCAN_OK)
		shape->judge(p, &o, out);
	return true;
}
