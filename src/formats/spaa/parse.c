/*
 * Taking lines apart: chunks of lines into records, and values out of JSON with their findings.
 *
 * A line with a syntax error has that one finding and no other. Whatever else is wrong is reported and
 * passed, so that one run tells all.
 */
#include "formats/spaa/spaa.h"

#include <stdarg.h>

#include "base/utf8.h"

/* Unknown keys of one object up to which a list is searched; beyond, a map. */
#define FEW_KEYS 16

static const struct pp_slice type_words[] = {
	{ (const unsigned char *)"header", 6 }, { (const unsigned char *)"dso", 3 },
	{ (const unsigned char *)"frame", 5 },  { (const unsigned char *)"thread", 6 },
	{ (const unsigned char *)"stack", 5 },  { (const unsigned char *)"sample", 6 },
	{ (const unsigned char *)"window", 6 },
};

enum pp_spaa_type
pp_spaa_type_of(struct pp_slice word)
{
	unsigned i;

	for (i = 0; i < PP_COUNT_OF(type_words); i++)
		if (pp_slice_eq(word, type_words[i]))
			return (enum pp_spaa_type)i;
	return PP_SPAA_OTHER;
}

bool
pp_spaa_parser_init(struct pp_spaa_parser *p, uint64_t seed, uint32_t max_nesting)
{
	*p = (struct pp_spaa_parser){ .seed = seed,
		                      .max_nesting = max_nesting,
		                      .many = { .seed = seed } };
	return pp_vec_reserve(&p->keys, 64) && pp_vec_reserve(&p->levels, 16);
}

void
pp_spaa_parser_release(struct pp_spaa_parser *p)
{
	pp_vec_release(&p->keys);
	pp_vec_release(&p->levels);
	pp_map_release(&p->many);
}

void
pp_spaa_chunk_release(struct pp_spaa_chunk *c)
{
	pp_vec_release(&c->records);
	pp_vec_release(&c->frames);
	pp_vec_release(&c->weights);
	pp_vec_release(&c->refs);
	pp_vec_release(&c->findings);
	pp_arena_release(&c->arena);
}

static void
no_memory(struct pp_spaa_parser *p)
{
	p->chunk->status = PP_E_NOMEM;
}

void
pp_spaa_find(struct pp_spaa_parser *p, enum pp_spaa_rule rule, const unsigned char *at,
             const char *fmt, ...)
{
	struct pp_spaa_finding f = { rule, p->rec->line, p->rec->text.p, at, NULL };
	struct pp_buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	pp_buf_vaddf(&text, fmt, args);
	va_end(args);
	if (!text.failed)
		f.message = pp_arena_copy(&p->chunk->arena, text.p ? text.p : "", text.n);
	pp_buf_release(&text);
	if (!f.message || !pp_vec_push(&p->chunk->findings, f))
		no_memory(p);
	if (pp_spaa_rules[rule].severity == PP_ERROR)
		p->rec->wrong = true;
}

/* ---- values ----------------------------------------------------------------------------- */

/* The value of a string, unescaped in the chunk's arena where it must be. */
static struct pp_slice
text_of(struct pp_spaa_parser *p, struct pp_json_str s)
{
	struct pp_slice value = pp_json_str_value(s, &p->chunk->arena);

	if (PP_UNLIKELY(!value.p && value.n)) {
		no_memory(p);
		return pp_slice_of("", 0);
	}
	return value;
}

static uint64_t
text_hash(const struct pp_spaa_parser *p, struct pp_slice s)
{
	return pp_spaa_hash(s.p, s.n, p->seed);
}

/* A number by its value: 1 and 1.0 are not the same, 1.0 and 1e0 are. */
static uint64_t
number_hash(const struct pp_spaa_parser *p, const struct pp_json_num *n)
{
	double d = 0;

	if (n->fits)
		return pp_mix(n->magnitude ^ p->seed, PP_HASH_K1 + (n->negative && n->magnitude));
	if (n->integer || !pp_num_double(n->text, &d))
		return text_hash(p, n->text);
	return pp_mix((uint64_t)pp_cell_real(d) ^ p->seed, PP_HASH_K2 ^ 3);
}

static uint64_t
scalar_hash(struct pp_spaa_parser *p, enum pp_json_type type)
{
	struct pp_json_str str;
	struct pp_json_num num;
	bool truth;

	switch (type) {
	case PP_JSON_STRING:
		return pp_scan_string(&p->scan, &str) ? text_hash(p, text_of(p, str)) ^ 5 : 0;
	case PP_JSON_NUMBER:
		return pp_scan_number(&p->scan, &num) ? number_hash(p, &num) : 0;
	case PP_JSON_BOOL:
		return pp_scan_bool(&p->scan, &truth) ? pp_mix(p->seed ^ 11, PP_HASH_K1 + truth)
		                                      : 0;
	default:
		(void)pp_scan_null(&p->scan);
		return pp_mix(p->seed ^ 13, PP_HASH_K1);
	}
}

/* Notes an unknown key of an object; false when it had it already. */
static bool
key_once(struct pp_spaa_parser *p, size_t first, uint64_t serial, uint64_t hash)
{
	size_t i;

	for (i = first; i < p->keys.n && i < first + FEW_KEYS; i++)
		if (p->keys.at[i] == hash)
			return false;
	if (i >= first + FEW_KEYS) {
		uint64_t key = pp_mix(hash ^ serial, PP_HASH_K2);

		if (pp_map_get(&p->many, key) != PP_MAP_NONE)
			return false;
		if (!pp_map_set(&p->many, key, 1))
			no_memory(p);
	} else if (!pp_vec_push(&p->keys, hash)) {
		no_memory(p);
	}
	return true;
}

static void
find_twice(struct pp_spaa_parser *p, struct pp_json_str key)
{
	int n = key.raw.n < 80 ? (int)key.raw.n : 80;

	pp_spaa_find(p, PP_SPAA_R_KEY_TWICE, key.raw.p - 1, "the key \"%.*s\" occurs twice", n,
	             (const char *)key.raw.p);
}

/* Enters a nested object or array. */
static bool
walk_enter(struct pp_spaa_parser *p, enum pp_json_type type)
{
	struct pp_spaa_level level = { .keys = p->keys.n,
		                       .object = type == PP_JSON_OBJECT,
		                       .serial = ++p->serial };

	level.hash = pp_mix(p->seed ^ 17, PP_HASH_K2 + level.object);
	if (!pp_vec_push(&p->levels, level)) {
		no_memory(p);
		return false;
	}
	return level.object ? pp_scan_object(&p->scan) : pp_scan_array(&p->scan);
}

/* To the next member of the innermost level; false when that has ended. */
static bool
walk_next(struct pp_spaa_parser *p)
{
	struct pp_spaa_level *level = &p->levels.at[p->levels.n - 1];
	struct pp_json_str key;

	if (!level->object)
		return pp_scan_item(&p->scan);
	if (!pp_scan_key(&p->scan, &key))
		return false;
	level->key = text_hash(p, text_of(p, key));
	if (!key_once(p, level->keys, level->serial, level->key))
		find_twice(p, key);
	return true;
}

static void
walk_add(struct pp_spaa_level *level, uint64_t hash)
{
	/* Members of objects in any order, items of arrays in theirs. */
	if (level->object)
		level->hash += pp_mix(level->key ^ PP_HASH_K1, hash ^ PP_HASH_K2);
	else
		level->hash = pp_mix(level->hash ^ hash, PP_HASH_K1);
}

uint64_t
pp_spaa_walk(struct pp_spaa_parser *p)
{
	size_t outside = p->levels.n;
	uint64_t hash = 0;

	for (;;) {
		enum pp_json_type type = pp_scan_peek(&p->scan);

		if (type == PP_JSON_OBJECT || type == PP_JSON_ARRAY) {
			if (!walk_enter(p, type))
				break;
		} else {
			hash = type == PP_JSON_NOTHING ? 0 : scalar_hash(p, type);
			if (p->levels.n > outside)
				walk_add(&p->levels.at[p->levels.n - 1], hash);
		}
		while (p->levels.n > outside && p->scan.error == PP_SCAN_OK && !walk_next(p)) {
			hash = p->levels.at[p->levels.n - 1].hash;
			p->keys.n = p->levels.at[--p->levels.n].keys;
			if (p->levels.n > outside)
				walk_add(&p->levels.at[p->levels.n - 1], hash);
		}
		if (p->levels.n == outside || p->scan.error != PP_SCAN_OK ||
		    p->chunk->status != PP_OK)
			break;
	}
	p->levels.n = outside;
	return hash;
}

/* Forgets the keys of the line before. */
static void
keys_forget(struct pp_spaa_parser *p)
{
	p->serial = 0;
	p->keys.n = 0;
	if (p->many.n)
		pp_map_release(&p->many);
}

bool
pp_spaa_walk_plain(struct pp_spaa_parser *p, const unsigned char **at, uint64_t *hash)
{
	size_t findings = p->chunk->findings.n;
	const unsigned char *end = p->rec->text.p + p->rec->text.n;

	pp_scan_init(&p->scan, pp_slice_of(*at, (size_t)(end - *at)), p->max_nesting,
	             PP_SCAN_STRICT);
	p->scan.depth = 2; /* in the context of the record */
	keys_forget(p);
	*hash = pp_spaa_walk(p);
	if (p->scan.error == PP_SCAN_OK && p->chunk->findings.n == findings) {
		*at = p->scan.cur;
		return true;
	}
	p->chunk->findings.n = findings;
	p->rec->wrong = false;
	return false;
}

/* ---- objects ---------------------------------------------------------------------------- */

bool
pp_spaa_object_begin(struct pp_spaa_parser *p, struct pp_spaa_object *o,
                     const struct pp_slice *names, unsigned count, enum pp_spaa_rule rule,
                     const char *what)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);

	*o = (struct pp_spaa_object){ .names = { names, count, 0 },
		                      .at = p->scan.cur,
		                      .what = what,
		                      .keys = p->keys.n,
		                      .serial = ++p->serial };
	if (PP_LIKELY(type == PP_JSON_OBJECT))
		return pp_scan_object(&p->scan);
	if (type != PP_JSON_NOTHING)
		pp_spaa_find(p, rule, p->scan.cur, "%s is not an object", what);
	(void)pp_spaa_walk(p);
	return false;
}

static PP_NOINLINE void
object_unknown(struct pp_spaa_parser *p, struct pp_spaa_object *o, uint64_t *hash)
{
	struct pp_slice key = text_of(p, o->key);
	uint64_t key_hash = text_hash(p, key), value;

	if (!key_once(p, o->keys, o->serial, key_hash))
		find_twice(p, o->key);
	else if (o->warn && !(key.n >= 2 && key.p[0] == 'x' && key.p[1] == '_'))
		pp_spaa_find(p, PP_SPAA_R_KEY_UNKNOWN, o->key.raw.p - 1,
		             "unknown key \"%.*s\" in %s; it is kept",
		             (int)(o->key.raw.n < 80 ? o->key.raw.n : 80),
		             (const char *)o->key.raw.p, o->what);
	p->chunk->extras = true;
	value = pp_spaa_walk(p);
	if (hash)
		*hash += pp_mix(key_hash ^ PP_HASH_K1, value ^ PP_HASH_K2);
}

bool
pp_spaa_object_key(struct pp_spaa_parser *p, struct pp_spaa_object *o, uint64_t *hash)
{
	while (pp_scan_named_key(&p->scan, &o->names, &o->key, &o->index)) {
		if (PP_UNLIKELY(o->index == o->names.count)) {
			object_unknown(p, o, hash);
			continue;
		}
		if (PP_LIKELY(pp_json_seen_once(&o->seen, o->index)))
			return true;
		find_twice(p, o->key);
		(void)pp_spaa_walk(p);
	}
	p->keys.n = o->keys;
	return false;
}

static inline uint64_t
key_bit(const struct pp_spaa_object *o)
{
	return (uint64_t)1 << o->index;
}

void
pp_spaa_object_need(struct pp_spaa_parser *p, const struct pp_spaa_object *o, unsigned key,
                    enum pp_spaa_rule rule)
{
	if (PP_LIKELY((o->taken | o->wrong) >> key & 1) || p->scan.error != PP_SCAN_OK)
		return;
	pp_spaa_find(p, rule, o->at, "%s lacks \"%s\"", o->what,
	             (const char *)o->names.names[key].p);
}

/* Whether the value is absent (null), else reports that it is not a `wanted`; passes it. */
static PP_NOINLINE bool
value_wrong(struct pp_spaa_parser *p, struct pp_spaa_object *o, enum pp_spaa_rule rule,
            const char *wanted)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);

	if (type == PP_JSON_NULL) {
		(void)pp_scan_null(&p->scan);
		return false;
	}
	if (type != PP_JSON_NOTHING)
		pp_spaa_find(p, rule, p->scan.cur, "\"%s\" of %s is not %s",
		             (const char *)o->names.names[o->index].p, o->what, wanted);
	(void)pp_spaa_walk(p);
	o->wrong |= key_bit(o);
	return false;
}

bool
pp_spaa_uint(struct pp_spaa_parser *p, struct pp_spaa_object *o, enum pp_spaa_rule rule,
             uint64_t *out)
{
	struct pp_json_num num;

	if (PP_UNLIKELY(pp_scan_peek(&p->scan) != PP_JSON_NUMBER))
		return value_wrong(p, o, rule, "an unsigned integer");
	if (!pp_scan_number(&p->scan, &num))
		return false;
	if (PP_UNLIKELY(!pp_json_num_u64(&num, out))) {
		bool large = num.integer && !num.negative;

		o->wrong |= key_bit(o);
		pp_spaa_find(p, large ? PP_SPAA_R_TOO_LARGE : rule, num.text.p,
		             large ? "\"%s\" of %s is larger than 18446744073709551615"
		                   : "\"%s\" of %s is not an unsigned integer",
		             (const char *)o->names.names[o->index].p, o->what);
		return false;
	}
	o->taken |= key_bit(o);
	return true;
}

/* A decimal, exactly when its digits fit 63 bits. False when it is not finite. */
static bool
decimal_of(const struct pp_json_num *num, struct pp_spaa_num *out)
{
	int64_t mantissa;
	int exponent;

	if (pp_num_decimal(num->text, &mantissa, &exponent)) {
		uint64_t magnitude = mantissa < 0 ? 0 - (uint64_t)mantissa : (uint64_t)mantissa;

		for (; magnitude && magnitude % 10 == 0 && exponent < 0; exponent++)
			magnitude /= 10;
		for (; exponent > 0 && magnitude && magnitude <= UINT64_MAX / 10; exponent--)
			magnitude *= 10;
		if (magnitude == 0)
			exponent = 0;
		if (exponent <= 0 && exponent >= -PP_SPAA_SCALE_MAX &&
		    (!num->negative || magnitude <= INT64_MAX)) {
			*out = (struct pp_spaa_num){ .magnitude = magnitude,
				                     .negative = num->negative,
				                     .scale = (uint8_t)-exponent };
			return true;
		}
	}
	*out = (struct pp_spaa_num){ .is_real = true, .negative = num->negative };
	return pp_num_double(num->text, &out->real) && out->real - out->real == 0.0;
}

bool
pp_spaa_num_parse(struct pp_slice text, struct pp_spaa_num *out)
{
	unsigned char padded[PP_NUM_MAX + PP_SCAN_PAD] = { 0 };
	struct pp_json_num num;
	struct pp_scan s;

	if (text.n > PP_NUM_MAX)
		return false;
	memcpy(padded, text.p, text.n);
	pp_scan_init(&s, pp_slice_of(padded, text.n), 0, PP_SCAN_STRICT);
	if (!pp_scan_number(&s, &num) || !pp_scan_end(&s))
		return false;
	*out = (struct pp_spaa_num){ .magnitude = num.magnitude, .negative = num.negative };
	return num.integer ? num.fits : decimal_of(&num, out);
}

/* False, with a finding, when a number is out of range. */
static bool
number_of(struct pp_spaa_parser *p, const struct pp_json_num *num, const char *what,
          struct pp_spaa_num *out)
{
	if (PP_LIKELY(num->fits && !num->negative)) {
		*out = (struct pp_spaa_num){ .magnitude = num->magnitude };
		return true;
	}
	if (num->integer) {
		*out = (struct pp_spaa_num){ .magnitude = num->magnitude,
			                     .negative = num->negative };
		if (num->fits && num->magnitude <= (uint64_t)INT64_MAX + 1)
			return true;
		pp_spaa_find(p, PP_SPAA_R_TOO_LARGE, num->text.p, "%s does not fit 64 bits", what);
		return false;
	}
	if (decimal_of(num, out))
		return true;
	pp_spaa_find(p, PP_SPAA_R_VALUE, num->text.p, "%s is not a finite number", what);
	return false;
}

bool
pp_spaa_number(struct pp_spaa_parser *p, struct pp_spaa_object *o, enum pp_spaa_rule rule,
               struct pp_spaa_num *out)
{
	struct pp_json_num num;

	if (PP_UNLIKELY(pp_scan_peek(&p->scan) != PP_JSON_NUMBER))
		return value_wrong(p, o, rule, "a number");
	if (!pp_scan_number(&p->scan, &num))
		return false;
	if (PP_UNLIKELY(!number_of(p, &num, (const char *)o->names.names[o->index].p, out))) {
		o->wrong |= key_bit(o);
		return false;
	}
	o->taken |= key_bit(o);
	return true;
}

bool
pp_spaa_text(struct pp_spaa_parser *p, struct pp_spaa_object *o, enum pp_spaa_rule rule,
             struct pp_slice *out)
{
	struct pp_json_str str;

	if (PP_UNLIKELY(pp_scan_peek(&p->scan) != PP_JSON_STRING))
		return value_wrong(p, o, rule, "a string");
	if (!pp_scan_string(&p->scan, &str))
		return false;
	*out = PP_LIKELY(!str.escaped) ? str.raw : text_of(p, str);
	o->taken |= key_bit(o);
	return true;
}

bool
pp_spaa_bool(struct pp_spaa_parser *p, struct pp_spaa_object *o, enum pp_spaa_rule rule, bool *out)
{
	if (PP_UNLIKELY(pp_scan_peek(&p->scan) != PP_JSON_BOOL))
		return value_wrong(p, o, rule, "true or false");
	if (!pp_scan_bool(&p->scan, out))
		return false;
	o->taken |= key_bit(o);
	return true;
}

bool
pp_spaa_word(struct pp_spaa_parser *p, struct pp_spaa_object *o, enum pp_spaa_rule rule,
             const struct pp_slice *words, unsigned count, bool null_is_absent, unsigned *out)
{
	const unsigned char *at;
	struct pp_json_str str;
	struct pp_slice word;
	enum pp_json_type type = pp_scan_peek(&p->scan);
	unsigned i;

	if (type == PP_JSON_NULL && null_is_absent)
		return pp_scan_null(&p->scan) && false;
	at = p->scan.cur;
	if (type == PP_JSON_STRING) {
		if (!pp_scan_string(&p->scan, &str))
			return false;
		word = text_of(p, str);
		for (i = 0; i < count; i++)
			if (pp_slice_eq(word, words[i])) {
				*out = i;
				o->taken |= key_bit(o);
				return true;
			}
	} else {
		(void)pp_spaa_walk(p);
	}
	o->wrong |= key_bit(o);
	if (p->scan.error == PP_SCAN_OK)
		pp_spaa_find(p, rule, at, "\"%s\" of %s is %s",
		             (const char *)o->names.names[o->index].p, o->what,
		             type == PP_JSON_STRING ? "not one of the allowed words"
		                                    : "not a string");
	return false;
}

bool
pp_spaa_id(struct pp_spaa_parser *p, enum pp_spaa_rule rule, const char *what,
           struct pp_spaa_id *id)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);
	const unsigned char *at = p->scan.cur;
	struct pp_json_str str;
	struct pp_json_num num;
	uint64_t value;

	if (PP_LIKELY(type == PP_JSON_STRING)) {
		if (!pp_scan_string(&p->scan, &str))
			return false;
		id->text = PP_LIKELY(!str.escaped) ? str.raw : text_of(p, str);
		id->is_text = true;
		id->at = at;
		id->hash = text_hash(p, id->text);
		if (PP_LIKELY(id->text.n))
			return true;
	} else if (type == PP_JSON_NUMBER) {
		if (!pp_scan_number(&p->scan, &num))
			return false;
		id->text = num.text;
		id->is_text = id->is_hex = false;
		id->at = at;
		if (pp_json_num_u64(&num, &value)) {
			if (num.negative) /* -0 */
				id->text = pp_slice_of("0", 1);
			id->hash = text_hash(p, id->text);
			return true;
		}
	} else {
		(void)pp_spaa_walk(p);
	}
	if (p->scan.error == PP_SCAN_OK)
		pp_spaa_find(p, rule, at,
		             "%s is neither a non-empty string nor an unsigned 64-bit integer",
		             what);
	return false;
}

bool
pp_spaa_array_begin(struct pp_spaa_parser *p, enum pp_spaa_rule rule, const char *what)
{
	enum pp_json_type type = pp_scan_peek(&p->scan);

	if (PP_LIKELY(type == PP_JSON_ARRAY))
		return pp_scan_array(&p->scan);
	if (type != PP_JSON_NOTHING)
		pp_spaa_find(p, rule, p->scan.cur, "%s is not an array", what);
	(void)pp_spaa_walk(p);
	return false;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* Replaces what was found in the line by its syntax error. */
static void
line_broken(struct pp_spaa_parser *p, size_t findings)
{
	p->chunk->findings.n = findings;
	p->rec->type = PP_SPAA_NONE;
	pp_spaa_scan_error(p);
}

/* Whether NaN or infinity stands where the scanner stopped, as some programs write them. */
static bool
is_not_finite(const struct pp_scan *s)
{
	const unsigned char *at = s->error_at;

	if (s->end - at < 3 || (s->error != PP_SCAN_E_VALUE && s->error != PP_SCAN_E_NUMBER &&
	                        s->error != PP_SCAN_E_WORD))
		return false;
	return ((at[0] | 32) == 'n' && (at[1] | 32) == 'a' && (at[2] | 32) == 'n') ||
	       ((at[0] | 32) == 'i' && (at[1] | 32) == 'n' && (at[2] | 32) == 'f');
}

void
pp_spaa_scan_error(struct pp_spaa_parser *p)
{
	const struct pp_scan *s = &p->scan;
	const unsigned char *at = s->error_at;
	const char *text = pp_scan_error_text(s->error);
	enum pp_spaa_rule rule = PP_SPAA_R_JSON;
	uint32_t code;

	if (s->error == PP_SCAN_E_UTF8 ||
	    (at < s->end && !pp_utf8_decode(at, (size_t)(s->end - at), &code))) {
		rule = PP_SPAA_R_UTF8;
		text = pp_scan_error_text(PP_SCAN_E_UTF8);
	} else if (s->error == PP_SCAN_E_SURROGATE) {
		rule = PP_SPAA_R_SURROGATE;
	} else if (is_not_finite(s)) {
		rule = PP_SPAA_R_VALUE;
		text = "JSON has neither NaN nor infinity";
		at -= s->error == PP_SCAN_E_NUMBER; /* the minus */
	}
	pp_spaa_find(p, rule, at, "%s", text);
}

/* The type of the record, its keys in any order; the scanner stands at its start again. */
static enum pp_spaa_type
line_type(struct pp_spaa_parser *p)
{
	const unsigned char *at = pp_spaa_here(p), *type_at = NULL;
	struct pp_slice text = p->rec->text;
	enum pp_spaa_type type = PP_SPAA_NONE;
	enum pp_json_type found = PP_JSON_NOTHING;
	struct pp_json_str key, word;

	if (pp_scan_peek(&p->scan) != PP_JSON_OBJECT) {
		const unsigned char *value = p->scan.cur;

		(void)pp_scan_skip(&p->scan, NULL);
		if (pp_scan_end(&p->scan))
			pp_spaa_find(p, PP_SPAA_R_NOT_OBJECT, value,
			             "the line is not a JSON object");
		return PP_SPAA_NONE;
	}
	(void)pp_scan_object(&p->scan);
	while (pp_scan_key(&p->scan, &key)) {
		bool is_type = pp_json_str_eq(key, "type");

		if (is_type) {
			found = pp_scan_peek(&p->scan);
			type_at = p->scan.cur;
		}
		if (is_type && found == PP_JSON_STRING && pp_scan_string(&p->scan, &word)) {
			p->rec->u.name = text_of(p, word);
			type = pp_spaa_type_of(p->rec->u.name);
			p->type_at = type_at;
			break; /* the rest is checked when the record is read */
		}
		(void)pp_scan_skip(&p->scan, NULL);
	}
	if (p->scan.error == PP_SCAN_OK && type == PP_SPAA_NONE && pp_scan_end(&p->scan))
		pp_spaa_find(p, PP_SPAA_R_TYPE_MISSING, type_at ? type_at : at,
		             found == PP_JSON_NOTHING ? "the record has no \"type\""
		                                      : "\"type\" is not a string");
	if (p->scan.error == PP_SCAN_OK && type != PP_SPAA_NONE)
		pp_scan_init(&p->scan, text, p->max_nesting, PP_SCAN_STRICT);
	return type;
}

/* The commonest lines start with their type. */
static inline enum pp_spaa_type
line_type_fast(const unsigned char *p, size_t n)
{
	if (PP_UNLIKELY(n < 32 || memcmp(p, "{\"type\":\"s", 10) != 0))
		return PP_SPAA_NONE;
	if (memcmp(p + 10, "ample\",", 7) == 0)
		return PP_SPAA_SAMPLE;
	return memcmp(p + 10, "tack\",", 6) == 0 ? PP_SPAA_STACK : PP_SPAA_NONE;
}

static void
line_other(struct pp_spaa_parser *p)
{
	struct pp_slice name = p->rec->u.name;

	if (!(name.n >= 2 && name.p[0] == 'x' && name.p[1] == '_'))
		pp_spaa_find(p, PP_SPAA_R_TYPE_UNKNOWN, p->type_at,
		             "records of type \"%.*s\" are not known; they are kept",
		             (int)(name.n < 80 ? name.n : 80), (const char *)name.p);
	p->chunk->extras = true;
	(void)pp_spaa_walk(p);
}

static void
line_parse(struct pp_spaa_parser *p)
{
	static void (*const parsers[])(struct pp_spaa_parser *) = {
		[PP_SPAA_DSO] = pp_spaa_parse_dso,
		[PP_SPAA_FRAME] = pp_spaa_parse_frame,
		[PP_SPAA_THREAD] = pp_spaa_parse_thread,
		[PP_SPAA_STACK] = pp_spaa_parse_stack,
		[PP_SPAA_SAMPLE] = pp_spaa_parse_sample,
		[PP_SPAA_WINDOW] = pp_spaa_parse_window,
		[PP_SPAA_OTHER] = line_other,
	};
	struct pp_spaa_record *rec = p->rec;
	size_t findings = p->chunk->findings.n;

	rec->type = line_type_fast(rec->text.p, rec->text.n);
	if ((rec->type == PP_SPAA_SAMPLE && pp_spaa_quick_sample(p)) ||
	    (rec->type == PP_SPAA_STACK && pp_spaa_quick_stack(p)))
		return;
	pp_scan_init(&p->scan, rec->text, p->max_nesting, PP_SCAN_STRICT);
	if (PP_UNLIKELY(rec->type == PP_SPAA_NONE))
		rec->type = line_type(p);
	if (rec->type == PP_SPAA_NONE) {
		rec->wrong = true;
		if (p->scan.error != PP_SCAN_OK) {
			line_broken(p, findings);
			return;
		}
		/* Keys that occur twice are said, too. */
		pp_scan_init(&p->scan, rec->text, p->max_nesting, PP_SCAN_STRICT);
		keys_forget(p);
		(void)pp_spaa_walk(p);
		return;
	}
	if (rec->type == PP_SPAA_HEADER)
		return; /* read when its turn comes: there is one */
	keys_forget(p);
	parsers[rec->type](p);
	if (PP_UNLIKELY(!pp_scan_end(&p->scan)))
		line_broken(p, findings);
}

static bool
line_is_blank(const unsigned char *p, const unsigned char *end)
{
	for (; p < end; p++)
		if (*p != ' ' && *p != '\t' && *p != '\r')
			return false;
	return true;
}

void
pp_spaa_chunk_parse(struct pp_spaa_chunk *c, struct pp_spaa_parser *p)
{
	const unsigned char *at = c->begin;

	c->records.n = c->frames.n = c->weights.n = c->refs.n = c->findings.n = 0;
	c->lines = 0;
	c->status = PP_OK;
	c->extras = false;
	pp_arena_release(&c->arena);
	p->chunk = c;
	memset(p->known, 0, sizeof p->known);
	/* Pools are never NULL, so that empty runs in them are places, too. */
	if (!pp_vec_reserve(&c->frames, 256) || !pp_vec_reserve(&c->weights, 64) ||
	    !pp_vec_reserve(&c->refs, 4))
		c->status = PP_E_NOMEM;
	while (at < c->end && c->status == PP_OK) {
		const unsigned char *stop = memchr(at, '\n', (size_t)(c->end - at));

		stop = stop ? stop : c->end;
		c->lines++;
		if (PP_LIKELY(*at == '{') || !line_is_blank(at, stop)) {
			if (PP_UNLIKELY(!pp_vec_reserve(&c->records, c->records.n + 1))) {
				c->status = PP_E_NOMEM;
				break;
			}
			p->rec = &c->records.at[c->records.n++];
			p->rec->wrong = false;
			p->rec->line = c->lines;
			p->rec->text = pp_slice_of(at, (size_t)(stop - at));
			line_parse(p);
		}
		at = stop + 1;
	}
}
