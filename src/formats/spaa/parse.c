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

bool
pp_spaa_parser_init(struct pp_spaa_parser *p, uint64_t seed, const struct pp_limits *limits)
{
	*p = (struct pp_spaa_parser){ .limits = limits,
		                      .json = { .find = pp_spaa_find,
		                                .own = pp_spaa_value_read,
		                                .key_twice = PP_SPAA_R_KEY_TWICE,
		                                .key_unknown = PP_SPAA_R_KEY_UNKNOWN,
		                                .too_large = PP_SPAA_R_TOO_LARGE,
		                                .not_finite = PP_SPAA_R_VALUE } };
	return pp_json_reader_init(&p->json, seed);
}

void
pp_spaa_parser_release(struct pp_spaa_parser *p)
{
	pp_json_reader_release(&p->json);
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

void
pp_spaa_find(struct pp_json_reader *json, unsigned rule, const unsigned char *at, const char *fmt,
             ...)
{
	struct pp_spaa_parser *p = (struct pp_spaa_parser *)json;
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
		json->failed = true;
	if (pp_spaa_rules[rule].severity == PP_ERROR)
		p->rec->wrong = true;
}

/* What is found and unescaped goes to the chunk. */
static void
parser_use(struct pp_spaa_parser *p, struct pp_spaa_chunk *c)
{
	p->chunk = c;
	p->json.arena = &c->arena;
	p->json.extras = p->json.failed = false;
}

bool
pp_spaa_walk_plain(struct pp_spaa_parser *p, const unsigned char **at, uint64_t *hash)
{
	size_t findings = p->chunk->findings.n;
	const unsigned char *end = p->rec->text.p + p->rec->text.n;

	pp_scan_init(&p->json.scan, pp_slice_of(*at, (size_t)(end - *at)), p->limits->max_nesting,
	             PP_SCAN_STRICT);
	p->json.scan.depth = 2; /* in the context of the record */
	pp_json_keys_forget(&p->json);
	*hash = pp_json_walk(&p->json);
	if (p->json.scan.error == PP_SCAN_OK && p->chunk->findings.n == findings) {
		*at = p->json.scan.cur;
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
	const struct pp_scan *s = &p->json.scan;
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
	pp_spaa_find(&p->json, rule, at, "%s", text);
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

	found = pp_scan_peek(&p->json.scan);
	at = p->json.scan.cur;
	if (found != PP_JSON_OBJECT) {
		(void)pp_scan_skip(&p->json.scan, NULL);
		if (pp_scan_end(&p->json.scan))
			pp_spaa_find(&p->json, PP_SPAA_R_NOT_OBJECT, at,
			             "the line is not a JSON object");
		return PP_SPAA_O_NONE;
	}
	(void)pp_scan_object(&p->json.scan);
	found = PP_JSON_NOTHING;
	while (pp_scan_key(&p->json.scan, &key)) {
		bool is_type = pp_json_str_eq(key, "type");

		if (is_type) {
			found = pp_scan_peek(&p->json.scan);
			type_at = p->json.scan.cur;
		}
		if (is_type && found == PP_JSON_STRING && pp_scan_string(&p->json.scan, &word)) {
			p->rec->u.name = pp_json_text_of(&p->json, word);
			type = pp_spaa_type_of(p->rec->u.name);
			p->type_at = type_at;
			break; /* the rest is checked when the record is read */
		}
		(void)pp_scan_skip(&p->json.scan, NULL);
	}
	if (p->json.scan.error == PP_SCAN_OK && type == PP_SPAA_O_NONE &&
	    pp_scan_end(&p->json.scan))
		pp_spaa_find(&p->json, PP_SPAA_R_TYPE_MISSING, type_at ? type_at : at,
		             found == PP_JSON_NOTHING ? "the record has no \"type\""
		                                      : "\"type\" is not a string");
	if (p->json.scan.error == PP_SCAN_OK && type != PP_SPAA_O_NONE)
		pp_scan_init(&p->json.scan, text, p->limits->max_nesting, PP_SCAN_STRICT);
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
		pp_spaa_find(&p->json, PP_SPAA_R_TYPE_UNKNOWN, p->type_at,
		             "records of type \"%.*s\" are not known; they are kept",
		             PP_SHOWN(name));
	p->json.extras = true;
	(void)pp_json_walk(&p->json);
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
	if (rec->type == PP_SPAA_O_NONE && pp_spaa_quick_table(p)) {
		rec->type = PP_SPAA_O_OTHER;
		p->json.extras = true;
		return;
	}
	pp_scan_init(&p->json.scan, rec->text, p->limits->max_nesting, PP_SCAN_STRICT);
	if (PP_UNLIKELY(rec->type == PP_SPAA_O_NONE))
		rec->type = line_type(p);
	if (rec->type == PP_SPAA_O_NONE) {
		rec->wrong = true;
		if (p->json.scan.error != PP_SCAN_OK) {
			line_broken(p, findings);
			return;
		}
		/* Keys that occur twice are said, too. */
		pp_scan_init(&p->json.scan, rec->text, p->limits->max_nesting, PP_SCAN_STRICT);
		pp_json_keys_forget(&p->json);
		(void)pp_json_walk(&p->json);
		return;
	}
	if (rec->type == PP_SPAA_O_HEADER)
		return; /* read when its turn comes: there is one */
	pp_json_keys_forget(&p->json);
	p->weights.n = 0;
	if (rec->type == PP_SPAA_O_OTHER) {
		line_other(p);
	} else {
		record_blank(rec);
		(void)pp_json_object_read(&p->json, &pp_spaa_shapes[rec->type],
		                          PP_SPAA_R_NOT_OBJECT, NULL, &rec->u);
	}
	if (PP_UNLIKELY(!pp_scan_end(&p->json.scan)))
		line_broken(p, findings);
}

bool
pp_spaa_header_parse(struct pp_spaa_parser *p, struct pp_spaa_chunk *chunk,
                     struct pp_spaa_record *rec, struct pp_spaa_header *out)
{
	parser_use(p, chunk);
	p->rec = rec;
	pp_json_keys_forget(&p->json);
	pp_scan_init(&p->json.scan, rec->text, p->limits->max_nesting, PP_SCAN_STRICT);
	(void)pp_json_object_read(&p->json, &pp_spaa_shapes[PP_SPAA_O_HEADER], PP_SPAA_R_NOT_OBJECT,
	                          NULL, out);
	if (!pp_scan_end(&p->json.scan))
		line_broken(p, 0);
	if (p->json.failed)
		chunk->status = PP_E_NOMEM;
	return p->json.scan.error == PP_SCAN_OK;
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
	pp_arena_release(&c->arena);
	parser_use(p, c);
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
			if (p->json.failed)
				c->status = PP_E_NOMEM;
		}
		at = stop + 1;
	}
	c->extras = p->json.extras;
}
