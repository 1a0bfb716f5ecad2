/*
 * Records of JSON by a table.
 */
#include "formats/kit/json_record.h"

#include "base/num.h"
#include "base/slice.h"

/* Unknown keys of one object up to which a list is searched; beyond, a map. */
#define FEW_KEYS 16

bool
pp_json_reader_init(struct pp_json_reader *r, uint64_t seed)
{
	r->seed = r->many.seed = seed;
	return pp_vec_reserve(&r->keys, 64) && pp_vec_reserve(&r->levels, 16);
}

void
pp_json_reader_release(struct pp_json_reader *r)
{
	pp_vec_release(&r->keys);
	pp_vec_release(&r->levels);
	pp_map_release(&r->many);
}

void
pp_json_keys_forget(struct pp_json_reader *r)
{
	r->serial = 0;
	r->keys.n = 0;
	if (r->many.n)
		pp_map_release(&r->many);
}

/* ---- any value -------------------------------------------------------------------------- */

struct pp_slice
pp_json_text_of(struct pp_json_reader *r, struct pp_json_str s)
{
	struct pp_slice value = pp_json_str_value(s, r->arena);

	if (PP_UNLIKELY(!value.p && value.n)) {
		r->failed = true;
		return pp_slice_of("", 0);
	}
	return value;
}

static uint64_t
text_hash(const struct pp_json_reader *r, struct pp_slice s)
{
	return pp_hash_text(s.p, s.n, r->seed);
}

/* A number by its value: 1 and 1.0 are not the same, 1.0 and 1e0 are. */
static uint64_t
number_hash(const struct pp_json_reader *r, const struct pp_json_num *n)
{
	uint64_t bits;
	double d = 0;

	if (n->fits)
		return pp_mix(n->magnitude ^ r->seed, PP_HASH_K1 + (n->negative && n->magnitude));
	if (n->integer || !pp_num_double(n->text, &d))
		return text_hash(r, n->text);
	memcpy(&bits, &d, sizeof bits);
	return pp_mix(bits ^ r->seed, PP_HASH_K2 ^ 3);
}

static uint64_t
scalar_hash(struct pp_json_reader *r, enum pp_json_type type)
{
	struct pp_json_str str;
	struct pp_json_num num;
	bool truth;

	switch (type) {
	case PP_JSON_STRING:
		return pp_scan_string(&r->scan, &str) ? text_hash(r, pp_json_text_of(r, str)) ^ 5
		                                      : 0;
	case PP_JSON_NUMBER:
		return pp_scan_number(&r->scan, &num) ? number_hash(r, &num) : 0;
	case PP_JSON_BOOL:
		return pp_scan_bool(&r->scan, &truth) ? pp_mix(r->seed ^ 11, PP_HASH_K1 + truth)
		                                      : 0;
	default:
		(void)pp_scan_null(&r->scan);
		return pp_mix(r->seed ^ 13, PP_HASH_K1);
	}
}

static bool
key_once(struct pp_json_reader *r, size_t first, uint64_t serial, uint64_t hash)
{
	size_t i;

	for (i = first; i < r->keys.n && i < first + FEW_KEYS; i++)
		if (r->keys.at[i] == hash)
			return false;
	if (i >= first + FEW_KEYS) {
		uint64_t key = pp_mix(hash ^ serial, PP_HASH_K2);

		if (pp_map_get(&r->many, key) != PP_MAP_NONE)
			return false;
		if (!pp_map_set(&r->many, key, 1))
			r->failed = true;
	} else if (!pp_vec_push(&r->keys, hash)) {
		r->failed = true;
	}
	return true;
}

static void
key_twice(struct pp_json_reader *r, struct pp_json_str key)
{
	r->find(r, r->key_twice, key.raw.p - 1, "the key \"%.*s\" occurs twice", PP_SHOWN(key.raw));
}

/* Enters a nested object or array. */
static bool
walk_enter(struct pp_json_reader *r, enum pp_json_type type)
{
	struct pp_json_level level = { .keys = r->keys.n,
		                       .object = type == PP_JSON_OBJECT,
		                       .serial = ++r->serial };

	level.hash = pp_mix(r->seed ^ 17, PP_HASH_K2 + level.object);
	if (!pp_vec_push(&r->levels, level)) {
		r->failed = true;
		return false;
	}
	return level.object ? pp_scan_object(&r->scan) : pp_scan_array(&r->scan);
}

/* To the next member of the innermost level; false when that has ended. */
static bool
walk_next(struct pp_json_reader *r)
{
	struct pp_json_level *level = &r->levels.at[r->levels.n - 1];
	struct pp_json_str key;

	if (!level->object)
		return pp_scan_item(&r->scan);
	if (!pp_scan_key(&r->scan, &key))
		return false;
	level->key = text_hash(r, pp_json_text_of(r, key));
	if (!key_once(r, level->keys, level->serial, level->key))
		key_twice(r, key);
	return true;
}

static void
walk_add(struct pp_json_level *level, uint64_t hash)
{
	/* Members of objects in any order, items of arrays in theirs. */
	if (level->object)
		level->hash += pp_mix(level->key ^ PP_HASH_K1, hash ^ PP_HASH_K2);
	else
		level->hash = pp_mix(level->hash ^ hash, PP_HASH_K1);
}

uint64_t
pp_json_walk(struct pp_json_reader *r)
{
	size_t outside = r->levels.n;
	uint64_t hash = 0;

	for (;;) {
		enum pp_json_type type = pp_scan_peek(&r->scan);

		if (type == PP_JSON_OBJECT || type == PP_JSON_ARRAY) {
			if (!walk_enter(r, type))
				break;
		} else {
			hash = type == PP_JSON_NOTHING ? 0 : scalar_hash(r, type);
			if (r->levels.n > outside)
				walk_add(&r->levels.at[r->levels.n - 1], hash);
		}
		while (r->levels.n > outside && r->scan.error == PP_SCAN_OK && !walk_next(r)) {
			hash = r->levels.at[r->levels.n - 1].hash;
			r->keys.n = r->levels.at[--r->levels.n].keys;
			if (r->levels.n > outside)
				walk_add(&r->levels.at[r->levels.n - 1], hash);
		}
		if (r->levels.n == outside || r->scan.error != PP_SCAN_OK || r->failed)
			break;
	}
	r->levels.n = outside;
	return hash;
}

/* ---- objects ---------------------------------------------------------------------------- */

static bool
object_begin(struct pp_json_reader *r, struct pp_json_object *o, unsigned rule)
{
	enum pp_json_type type = pp_scan_peek(&r->scan);

	o->names = (struct pp_json_names){ o->shape->keys, o->shape->count, 0 };
	o->seen = o->taken = o->wrong = 0;
	o->start = r->scan.cur;
	o->keys = r->keys.n;
	o->serial = ++r->serial;
	if (PP_LIKELY(type == PP_JSON_OBJECT))
		return pp_scan_object(&r->scan);
	if (type != PP_JSON_NOTHING)
		r->find(r, rule, r->scan.cur, "%s is not an object", o->what);
	(void)pp_json_walk(r);
	return false;
}

static PP_NOINLINE void
object_unknown(struct pp_json_reader *r, struct pp_json_object *o)
{
	struct pp_slice key = pp_json_text_of(r, o->key);
	uint64_t key_hash = pp_hash_text(key.p, key.n, r->seed), value;

	if (!key_once(r, o->keys, o->serial, key_hash))
		key_twice(r, o->key);
	else if (o->shape->warn && !(key.n >= 2 && key.p[0] == 'x' && key.p[1] == '_'))
		r->find(r, r->key_unknown, o->key.raw.p - 1,
		        "unknown key \"%.*s\" in %s; it is kept", PP_SHOWN(o->key.raw), o->what);
	r->extras = true;
	value = pp_json_walk(r);
	if (o->hash)
		*o->hash += pp_mix(key_hash ^ PP_HASH_K1, value ^ PP_HASH_K2);
}

/* The next known key, in o->key and o->index; false at the end. */
static inline bool
object_key(struct pp_json_reader *r, struct pp_json_object *o)
{
	while (pp_scan_named_key(&r->scan, &o->names, &o->key, &o->index)) {
		if (PP_UNLIKELY(o->index == o->names.count)) {
			object_unknown(r, o);
			continue;
		}
		if (PP_LIKELY(pp_json_seen_once(&o->seen, o->index)))
			return true;
		key_twice(r, o->key);
		(void)pp_json_walk(r);
	}
	r->keys.n = o->keys;
	return false;
}

bool
pp_json_value_bad(struct pp_json_object *o)
{
	o->wrong |= (uint64_t)1 << o->index;
	return false;
}

/* Passes a value that is absent (null), or else not a `wanted`, which is reported. Always false. */
static PP_NOINLINE bool
value_wrong(struct pp_json_reader *r, struct pp_json_object *o, const char *wanted)
{
	enum pp_json_type type = pp_scan_peek(&r->scan);

	if (type == PP_JSON_NULL)
		return pp_scan_null(&r->scan) && false;
	if (type != PP_JSON_NOTHING)
		r->find(r, pp_json_object_field(o)->wrong, r->scan.cur, "\"%s\" of %s is not %s",
		        pp_json_object_name(o), o->what, wanted);
	(void)pp_json_walk(r);
	return pp_json_value_bad(o);
}

/* ---- scalars ---------------------------------------------------------------------------- */

bool
pp_json_value_uint(struct pp_json_reader *r, struct pp_json_object *o, uint64_t *out)
{
	struct pp_json_num num;
	bool large;

	if (PP_UNLIKELY(pp_scan_peek(&r->scan) != PP_JSON_NUMBER))
		return value_wrong(r, o, "an unsigned integer");
	if (!pp_scan_number(&r->scan, &num))
		return false;
	if (PP_LIKELY(pp_json_num_u64(&num, out)))
		return true;
	large = num.integer && !num.negative;
	r->find(r, large ? r->too_large : pp_json_object_field(o)->wrong, num.text.p,
	        large ? "\"%s\" of %s is larger than 18446744073709551615"
	              : "\"%s\" of %s is not an unsigned integer",
	        pp_json_object_name(o), o->what);
	return pp_json_value_bad(o);
}

static bool
value_number(struct pp_json_reader *r, struct pp_json_object *o, struct pp_decimal *out)
{
	struct pp_json_num num;

	if (PP_UNLIKELY(pp_scan_peek(&r->scan) != PP_JSON_NUMBER))
		return value_wrong(r, o, "a number");
	if (!pp_scan_number(&r->scan, &num))
		return false;
	if (PP_LIKELY(num.fits && !num.negative)) {
		*out = (struct pp_decimal){ .magnitude = num.magnitude };
		return true;
	}
	if (PP_LIKELY(pp_json_num_decimal(&num, out)))
		return true;
	if (num.integer)
		r->find(r, r->too_large, num.text.p, "%s does not fit 64 bits",
		        pp_json_object_name(o));
	else
		r->find(r, r->not_finite, num.text.p, "%s is not a finite number",
		        pp_json_object_name(o));
	return pp_json_value_bad(o);
}

bool
pp_json_value_text(struct pp_json_reader *r, struct pp_json_object *o, struct pp_slice *out)
{
	struct pp_json_str str;

	if (PP_UNLIKELY(pp_scan_peek(&r->scan) != PP_JSON_STRING))
		return value_wrong(r, o, "a string");
	if (!pp_scan_string(&r->scan, &str))
		return false;
	*out = PP_LIKELY(!str.escaped) ? str.raw : pp_json_text_of(r, str);
	return true;
}

static bool
value_bool(struct pp_json_reader *r, struct pp_json_object *o, bool *out)
{
	if (PP_UNLIKELY(pp_scan_peek(&r->scan) != PP_JSON_BOOL))
		return value_wrong(r, o, "true or false");
	return pp_scan_bool(&r->scan, out);
}

static bool
value_word(struct pp_json_reader *r, struct pp_json_object *o, uint32_t *out)
{
	const struct pp_json_words *words = pp_json_object_field(o)->more;
	enum pp_json_type type = pp_scan_peek(&r->scan);
	const unsigned char *at = r->scan.cur;
	struct pp_json_str str;
	struct pp_slice word;
	unsigned i;

	if (type == PP_JSON_NULL && pp_json_object_field(o)->kind == PP_JSON_WORD)
		return pp_scan_null(&r->scan) && false;
	if (type == PP_JSON_STRING) {
		if (!pp_scan_string(&r->scan, &str))
			return false;
		word = pp_json_text_of(r, str);
		for (i = 0; i < words->count; i++)
			if (pp_slice_eq(word, words->words[i])) {
				*out = i;
				return true;
			}
	} else {
		(void)pp_json_walk(r);
	}
	if (r->scan.error == PP_SCAN_OK)
		r->find(r, pp_json_object_field(o)->wrong, at, "\"%s\" of %s is %s",
		        pp_json_object_name(o), o->what,
		        type == PP_JSON_STRING ? "not one of the allowed words" : "not a string");
	return pp_json_value_bad(o);
}

bool
pp_json_array_begin(struct pp_json_reader *r, unsigned rule, const char *what)
{
	enum pp_json_type type = pp_scan_peek(&r->scan);

	if (PP_LIKELY(type == PP_JSON_ARRAY))
		return pp_scan_array(&r->scan);
	if (type != PP_JSON_NOTHING)
		r->find(r, rule, r->scan.cur, "%s is not an array", what);
	(void)pp_json_walk(r);
	return false;
}

static bool
field_read(struct pp_json_reader *r, struct pp_json_object *o, void *out)
{
	const struct pp_json_field *f = pp_json_object_field(o);
	void *to = (char *)out + f->to;
	uint64_t number;

	switch ((enum pp_json_kind)f->kind) {
	case PP_JSON_UINT:
		return pp_json_value_uint(r, o, to);
	case PP_JSON_SMALL:
		if (!pp_json_value_uint(r, o, &number))
			return false;
		*(int64_t *)to = number <= INT64_MAX ? (int64_t)number : -1;
		return true;
	case PP_JSON_DECIMAL:
		return value_number(r, o, to);
	case PP_JSON_TEXT:
		return pp_json_value_text(r, o, to);
	case PP_JSON_TRUTH:
		return value_bool(r, o, to);
	case PP_JSON_WORD:
	case PP_JSON_STRICT_WORD:
		return value_word(r, o, to);
	case PP_JSON_MEMBERS:
		if (pp_scan_peek(&r->scan) == PP_JSON_NULL)
			return pp_scan_null(&r->scan) && false;
		return pp_json_object_read(r, f->more, f->wrong, NULL, out) || pp_json_value_bad(o);
	case PP_JSON_ANY:
		(void)pp_json_walk(r);
		return true;
	case PP_JSON_OWN:
		break;
	}
	return r->own(r, o, out);
}

bool
pp_json_object_read(struct pp_json_reader *r, const struct pp_json_shape *shape, unsigned rule,
                    const char *what, void *out)
{
	struct pp_json_object o;
	unsigned i;

	o.shape = shape;
	o.what = what ? what : shape->what;
	o.hash = shape->hash ? (uint64_t *)((char *)out + shape->hash) : NULL;
	*(uint32_t *)((char *)out + shape->has) = 0;
	if (!object_begin(r, &o, rule))
		return false;
	while (object_key(r, &o)) {
		(void)pp_scan_peek(&r->scan);
		o.at[o.index] = r->scan.cur;
		if (field_read(r, &o, out))
			o.taken |= (uint64_t)1 << o.index;
	}
	for (i = 0; i < shape->count && r->scan.error == PP_SCAN_OK; i++)
		if (PP_UNLIKELY(!((o.taken | o.wrong) >> i & 1) &&
		                shape->fields[i].missing != PP_JSON_OPTIONAL))
			r->find(r, shape->fields[i].missing, o.start, "%s lacks \"%s\"", o.what,
			        (const char *)shape->keys[i].p);
	*(uint32_t *)((char *)out + shape->has) = (uint32_t)o.taken;
	if (shape->judge && r->scan.error == PP_SCAN_OK)
		shape->judge(r, &o, out);
	return true;
}
