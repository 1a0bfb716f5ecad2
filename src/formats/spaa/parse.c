/*
 * Taking lines apart: chunks of lines into records, and values out of JSON with their findings.
 *
 * A line with a syntax error has that one finding and no other. Whatever else is wrong is reported and
 * passed, so that one run tells all.
 */
#include "formats/spaa/record.h"

#include <stdarg.h>

#include "base/utf8.h"
#include "model/metric.h"

/* Unknown keys of one object up to which a list is searched; beyond, a map. */
#define FEW_KEYS 16

bool
pp_spaa_parser_init(struct pp_spaa_parser *p, uint64_t seed, const struct pp_limits *limits)
{
	*p = (struct pp_spaa_parser){ .seed = seed, .limits = limits, .many = { .seed = seed } };
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
	pp_vec_release(&c->events);
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

struct pp_slice
pp_spaa_text_of(struct pp_spaa_parser *p, struct pp_json_str s)
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
		return pp_scan_string(&p->scan, &str) ? text_hash(p, pp_spaa_text_of(p, str)) ^ 5
		                                      : 0;
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

bool
pp_spaa_key_once(struct pp_spaa_parser *p, size_t first, uint64_t serial, uint64_t hash)
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

void
pp_spaa_find_twice(struct pp_spaa_parser *p, struct pp_json_str key)
{
	pp_spaa_find(p, PP_SPAA_R_KEY_TWICE, key.raw.p - 1, "the key \"%.*s\" occurs twice",
	             PP_SPAA_SHOWN(key.raw));
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
	level->key = text_hash(p, pp_spaa_text_of(p, key));
	if (!pp_spaa_key_once(p, level->keys, level->serial, level->key))
		pp_spaa_find_twice(p, key);
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

	pp_scan_init(&p->scan, pp_slice_of(*at, (size_t)(end - *at)), p->limits->max_nesting,
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

/* ---- lines ------------------------------------------------------------------------------ */

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

static void
scan_error(struct pp_spaa_parser *p)
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

/* Replaces what was found in the line by its syntax error. */
static void
line_broken(struct pp_spaa_parser *p, size_t findings)
{
	p->chunk->findings.n = findings;
	p->rec->type = PP_SPAA_O_NONE;
	scan_error(p);
}

/* The type of the record, its keys in any order; the scanner stands at its start again. */
static enum pp_spaa_type
line_type(struct pp_spaa_parser *p)
{
	const unsigned char *at, *type_at = NULL;
	struct pp_slice text = p->rec->text;
	enum pp_spaa_type type = PP_SPAA_O_NONE;
	enum pp_json_type found;
	struct pp_json_str key, word;

	found = pp_scan_peek(&p->scan);
	at = p->scan.cur;
	if (found != PP_JSON_OBJECT) {
		(void)pp_scan_skip(&p->scan, NULL);
		if (pp_scan_end(&p->scan))
			pp_spaa_find(p, PP_SPAA_R_NOT_OBJECT, at, "the line is not a JSON object");
		return PP_SPAA_O_NONE;
	}
	(void)pp_scan_object(&p->scan);
	found = PP_JSON_NOTHING;
	while (pp_scan_key(&p->scan, &key)) {
		bool is_type = pp_json_str_eq(key, "type");

		if (is_type) {
			found = pp_scan_peek(&p->scan);
			type_at = p->scan.cur;
		}
		if (is_type && found == PP_JSON_STRING && pp_scan_string(&p->scan, &word)) {
			p->rec->u.name = pp_spaa_text_of(p, word);
			type = pp_spaa_type_of(p->rec->u.name);
			p->type_at = type_at;
			break; /* the rest is checked when the record is read */
		}
		(void)pp_scan_skip(&p->scan, NULL);
	}
	if (p->scan.error == PP_SCAN_OK && type == PP_SPAA_O_NONE && pp_scan_end(&p->scan))
		pp_spaa_find(p, PP_SPAA_R_TYPE_MISSING, type_at ? type_at : at,
		             found == PP_JSON_NOTHING ? "the record has no \"type\""
		                                      : "\"type\" is not a string");
	if (p->scan.error == PP_SCAN_OK && type != PP_SPAA_O_NONE)
		pp_scan_init(&p->scan, text, p->limits->max_nesting, PP_SCAN_STRICT);
	return type;
}

/* The commonest lines start with their type. */
static inline enum pp_spaa_type
line_type_fast(const unsigned char *p, size_t n)
{
	if (PP_UNLIKELY(n < 32 || memcmp(p, "{\"type\":\"s", 10) != 0))
		return PP_SPAA_O_NONE;
	if (memcmp(p + 10, "ample\",", 7) == 0)
		return PP_SPAA_O_SAMPLE;
	return memcmp(p + 10, "tack\",", 6) == 0 ? PP_SPAA_O_STACK : PP_SPAA_O_NONE;
}

static void
line_other(struct pp_spaa_parser *p)
{
	struct pp_slice name = p->rec->u.name;

	if (!(name.n >= 2 && name.p[0] == 'x' && name.p[1] == '_'))
		pp_spaa_find(p, PP_SPAA_R_TYPE_UNKNOWN, p->type_at,
		             "records of type \"%.*s\" are not known; they are kept",
		             PP_SPAA_SHOWN(name));
	p->chunk->extras = true;
	(void)pp_spaa_walk(p);
}

/* What the record is when none of its keys is there. */
static void
record_blank(struct pp_spaa_record *rec)
{
	memset(&rec->u, 0, sizeof rec->u);
	if (rec->type == PP_SPAA_O_FRAME) {
		rec->u.frame.kind = PP_SPAA_UNKNOWN;
		rec->u.frame.func_resolved = rec->u.frame.srcline_resolved = true;
	} else if (rec->type == PP_SPAA_O_STACK) {
		rec->u.stack.pid = rec->u.stack.tid = rec->u.stack.cpu = -1;
	} else if (rec->type == PP_SPAA_O_SAMPLE) {
		rec->u.sample.pid = rec->u.sample.tid = rec->u.sample.cpu = -1;
	}
}

static void
line_parse(struct pp_spaa_parser *p)
{
	struct pp_spaa_record *rec = p->rec;
	size_t findings = p->chunk->findings.n;

	rec->type = line_type_fast(rec->text.p, rec->text.n);
	if ((rec->type == PP_SPAA_O_SAMPLE && pp_spaa_quick_sample(p)) ||
	    (rec->type == PP_SPAA_O_STACK && pp_spaa_quick_stack(p)))
		return;
	pp_scan_init(&p->scan, rec->text, p->limits->max_nesting, PP_SCAN_STRICT);
	if (PP_UNLIKELY(rec->type == PP_SPAA_O_NONE))
		rec->type = line_type(p);
	if (rec->type == PP_SPAA_O_NONE) {
		rec->wrong = true;
		if (p->scan.error != PP_SCAN_OK) {
			line_broken(p, findings);
			return;
		}
		/* Keys that occur twice are said, too. */
		pp_scan_init(&p->scan, rec->text, p->limits->max_nesting, PP_SCAN_STRICT);
		keys_forget(p);
		(void)pp_spaa_walk(p);
		return;
	}
	if (rec->type == PP_SPAA_O_HEADER)
		return; /* read when its turn comes: there is one */
	keys_forget(p);
	p->weights.n = 0;
	if (rec->type == PP_SPAA_O_OTHER) {
		line_other(p);
	} else {
		record_blank(rec);
		(void)pp_spaa_object_read(p, &pp_spaa_shapes[rec->type], PP_SPAA_R_NOT_OBJECT, NULL,
		                          &rec->u);
	}
	if (PP_UNLIKELY(!pp_scan_end(&p->scan)))
		line_broken(p, findings);
}

bool
pp_spaa_header_parse(struct pp_spaa_parser *p, struct pp_spaa_chunk *chunk,
                     struct pp_spaa_record *rec, struct pp_spaa_header *out)
{
	p->chunk = chunk;
	p->rec = rec;
	keys_forget(p);
	pp_scan_init(&p->scan, rec->text, p->limits->max_nesting, PP_SCAN_STRICT);
	(void)pp_spaa_object_read(p, &pp_spaa_shapes[PP_SPAA_O_HEADER], PP_SPAA_R_NOT_OBJECT, NULL,
	                          out);
	if (pp_scan_end(&p->scan))
		return true;
	line_broken(p, 0);
	return false;
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
		if (PP_UNLIKELY((uint64_t)(stop - at) > p->limits->max_line)) {
			c->status = PP_E_LIMIT;
			break;
		}
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
