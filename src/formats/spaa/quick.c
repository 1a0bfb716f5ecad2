/*
 * The shapes that nearly all lines of a large file have, taken apart in one go.
 *
 * Programs write the keys of samples and stacks in one order, without blanks, and their names without
 * escapes. For such lines the grammar (grammar.h) is made straight code: a literal for each key, in the
 * order of the grammar, and a function for each kind of value. The first byte that is otherwise sends
 * the whole line the general way (values.c), which makes the same record of it, and so does everything
 * that deserves a finding: none is made here.
 *
 * No load goes further past the end of the line than the PP_SCAN_PAD bytes that follow every input, and
 * no literal or digit is a line end, so nothing is taken from the next line.
 */
#include "formats/spaa/carry.h"
#include "formats/spaa/record.h"
#include "text/block.h"
#include "text/swar.h"

struct quick {
	const unsigned char *p, *end;
};

/* Passes a literal that stands here. Always inline, so that those that are constants are compared as numbers. */
static inline __attribute__((always_inline)) bool
literal(struct quick *q, const char *z, size_t n)
{
	if ((size_t)(q->end - q->p) < n || memcmp(q->p, z, n) != 0)
		return false;
	q->p += n;
	return true;
}
#define LITERAL(q, z) literal(q, z, sizeof(z) - 1)

/*
 * One field of the grammar: its key, and where that is there its value, by a macro of its kind that gets
 * the place of the key, where the value goes, and what else the grammar says of it. The type of a
 * record, with which it starts, was passed before; the first key of other objects follows their bracket.
 * At the end of the object nothing else needs to be looked for.
 */
#define QUICK(object, name, key, kind, member, wrong, missing, more)                               \
	if (PP_SPAA_V_##kind == PP_SPAA_V_TYPE) {                                                  \
		has |= 1u << PP_SPAA_K_##object##_##name;                                          \
	} else if (PP_SPAA_K_##object##_##name == 0 ? LITERAL(q, "{\"" key "\":")                  \
	                                            : LITERAL(q, ",\"" key "\":")) {               \
		if (!QUICK_##kind(PP_SPAA_K_##object##_##name, &out->member, more))                \
			return false;                                                              \
		has |= 1u << PP_SPAA_K_##object##_##name;                                          \
	} else if (*q->p == '}') {                                                                 \
		goto end;                                                                          \
	}

/* The keys that must be there, as bits. */
#define NEEDED(object, name, key, kind, member, wrong, missing, more)                              \
	| (PP_SPAA_R_##missing != PP_SPAA_R_OPTIONAL ? 1u << PP_SPAA_K_##object##_##name : 0)

/* Reads an object up to its bracket; which keys it has is noted in `mask`. */
#define OBJECT(fields, mask)                                                                       \
	fields(QUICK) end : out->mask = has;                                                       \
	if ((has & (0u fields(NEEDED))) != (0u fields(NEEDED)) || !LITERAL(q, "}"))                \
	return false

#define QUICK_TYPE(key, to, more) true
#define QUICK_UINT(key, to, more) whole(q, to)
#define QUICK_SMALL(key, to, more) small(q, to)
#define QUICK_NUMBER(key, to, more) decimal(q, to)
#define QUICK_TEXT(key, to, more) text(q, to)
#define QUICK_STRICT_WORD(key, to, more) word(q, more, to)
#define QUICK_ID(key, to, more) stack_id(q, p->json.seed, to)
#define QUICK_ANY_OBJECT(key, to, more) false
#define QUICK_CONTEXT_TEXT(key, to, more) context_text(q, p, out, key, to)
#define QUICK_CONTEXT_SMALL(key, to, more) context_small(q, p, out, key, to)
#define QUICK_KEPT_TEXT(key, to, more) context_text(q, p, out, key, NULL)
#define QUICK_KEPT_SMALL(key, to, more) context_small(q, p, out, key, NULL)
#define QUICK_KEPT_OBJECT(key, to, more) context_object(q, p, out, key)
#define QUICK_STRICT_OBJECT(key, to, more) context(q, p, out)
#define QUICK_OBJECT(key, to, more) exclusive(q, p, out)
#define QUICK_FRAMES(key, to, more) frames(q, p->chunk, to)
#define QUICK_WEIGHTS(key, to, more) weights(q, p, to)
#define QUICK_OWN_WEIGHTS(key, to, more) own_weights(q, p, to)
#define QUICK_RELATED(key, to, more) related(q, p, to)

/* ---- values ----------------------------------------------------------------------------- */

/* Digits without a sign, at most 15 of them. */
static inline bool
digits(struct quick *q, uint64_t *value, size_t *count)
{
	uint64_t word = pp_swar_digits(pp_load64(q->p));
	size_t n = pp_swar_first(pp_swar_above9(word)), more;

	if (PP_UNLIKELY(n == 0))
		return false;
	*value = pp_swar_number(word, n);
	if (PP_UNLIKELY(n == 8)) {
		word = pp_swar_digits(pp_load64(q->p + 8));
		more = pp_swar_first(pp_swar_above9(word));
		if (more == 8)
			return false;
		if (more)
			*value = *value * pp_power10[more] + pp_swar_number(word, more);
		n += more;
	}
	*count = n;
	q->p += n;
	return q->p <= q->end;
}

static inline bool
whole(struct quick *q, uint64_t *value)
{
	const unsigned char *begin = q->p;
	size_t n;

	return digits(q, value, &n) && (*begin != '0' || n == 1);
}

static inline bool
small(struct quick *q, int64_t *out)
{
	uint64_t value;

	if (!whole(q, &value))
		return false;
	*out = (int64_t)value;
	return true;
}

/* A number with decimals or without. */
static inline bool
decimal(struct quick *q, struct pp_decimal *out)
{
	const unsigned char *begin = q->p;
	uint64_t value, fraction;
	size_t scale = 0;

	if (!whole(q, &value))
		return false;
	if (*q->p == '.') {
		q->p++;
		/* What has 18 digits and a point fits 63 bits. */
		if (!digits(q, &fraction, &scale) || q->p - begin > 19)
			return false;
		value = value * pp_decimal_powers[scale] + fraction;
		for (; scale && value % 10 == 0 && value; scale--)
			value /= 10;
		scale = value ? scale : 0;
	}
	*out = (struct pp_decimal){ .magnitude = value, .scale = (uint8_t)scale };
	return *q->p != 'e' && *q->p != 'E';
}

/* A string without anything that must be decoded. */
static inline bool
text(struct quick *q, struct pp_slice *out)
{
	const unsigned char *begin = q->p + 1;

	if (PP_UNLIKELY(*q->p++ != '"'))
		return false;
	for (;;) {
		uint32_t stop = pp_block_text_stop(q->p);

		if (stop) {
			q->p += __builtin_ctz(stop);
			break;
		}
		q->p += 16;
		if (q->p >= q->end)
			return false;
	}
	if (q->p >= q->end || *q->p != '"')
		return false;
	*out = pp_slice_of(begin, (size_t)(q->p++ - begin));
	return true;
}

static inline bool
word(struct quick *q, const struct pp_json_words *words, uint32_t *out)
{
	struct pp_slice name;

	if (!text(q, &name))
		return false;
	for (*out = 0; *out < words->count; ++*out)
		if (pp_slice_eq(name, words->words[*out]))
			return true;
	return false;
}

/* An id: a string, or the digits of an unsigned 64-bit number. */
static inline bool
stack_id(struct quick *q, uint64_t seed, struct pp_spaa_id *id)
{
	static const char most[] = "18446744073709551615";
	size_t n;

	id->at = q->p;
	id->is_text = *q->p == '"';
	if (id->is_text) {
		if (!text(q, &id->text) || id->text.n == 0)
			return false;
	} else {
		n = pp_swar_first(pp_swar_above9(pp_swar_digits(pp_load64(q->p))));
		while (n % 8 == 0 && n > 0 && n < sizeof most - 1) {
			size_t more = pp_swar_first(
			    pp_swar_above9(pp_swar_digits(pp_load64(q->p + n))));

			n += more;
			if (more == 0)
				break;
		}
		if (n == 0 || n > sizeof most - 1 || (*q->p == '0' && n > 1) ||
		    (n == sizeof most - 1 && memcmp(q->p, most, n) > 0))
			return false;
		id->text = pp_slice_of(q->p, n);
		q->p += n;
	}
	id->hash = pp_hash_text(id->text.p, id->text.n, seed);
	return q->p <= q->end;
}

/* ---- contexts --------------------------------------------------------------------------- */

/* Parts of the context without a place to go mean nothing here and are kept only as text. */
static inline bool
context_text(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *out, unsigned key,
             struct pp_slice *to)
{
	struct pp_slice value;

	if (!text(q, &value))
		return false;
	if (to)
		*to = value;
	else
		p->json.extras = true;
	out->context += pp_spaa_context_add(key, pp_hash_text(value.p, value.n, p->json.seed));
	return true;
}

static inline bool
context_small(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *out, unsigned key,
              int64_t *to)
{
	uint64_t value;

	if (!whole(q, &value))
		return false;
	if (to)
		*to = (int64_t)value;
	else
		p->json.extras = true;
	out->context += pp_spaa_context_add(key, pp_mix(value ^ p->json.seed, PP_HASH_K1));
	return true;
}

/* An object of the context: nearly always one that was there a few lines ago, byte for byte. */
static bool
context_object(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *out, unsigned key)
{
	const unsigned char *begin = q->p;
	struct pp_spaa_known *known;
	uint64_t hash;
	size_t i;

	p->json.extras = true;
	for (i = 0; i < PP_COUNT_OF(p->known) && p->known[i].text.n; i++)
		if (literal(q, (const char *)p->known[i].text.p, p->known[i].text.n)) {
			out->context += pp_spaa_context_add(key, p->known[i].hash);
			return true;
		}
	if (*begin != '{' || !pp_spaa_walk_plain(p, &q->p, &hash))
		return false;
	known = &p->known[p->known_next++ % PP_COUNT_OF(p->known)];
	*known = (struct pp_spaa_known){ pp_slice_of(begin, (size_t)(q->p - begin)), hash };
	out->context += pp_spaa_context_add(key, hash);
	return true;
}

static bool
context(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *out)
{
	uint32_t has = 0;

	OBJECT(PP_SPAA_CONTEXT_FIELDS, context_has);
	return true;
}

/* ---- lists ------------------------------------------------------------------------------ */

static bool
frames(struct quick *q, struct pp_spaa_chunk *c, struct pp_spaa_run *run)
{
	size_t n = c->frames.n;

	run->first = (uint32_t)n;
	/* An item takes at least two bytes of the line. */
	if (!LITERAL(q, "[") || !pp_vec_reserve(&c->frames, n + (size_t)(q->end - q->p) / 2 + 1))
		return false;
	do {
		uint64_t word = pp_swar_digits(pp_load64(q->p));
		size_t count = pp_swar_first(pp_swar_above9(word));

		if (PP_UNLIKELY(count == 0 || count == 8 || (*q->p == '0' && count > 1)))
			return false;
		c->frames.at[n++] = pp_swar_number(word, count);
		q->p += count;
	} while (q->p < q->end && *q->p++ == ',');
	run->n = (uint32_t)(n - c->frames.n);
	c->frames.n = n;
	return q->p <= q->end && q->p[-1] == ']';
}

static inline bool
weight(struct quick *q, struct pp_spaa_weight *out)
{
	uint32_t has = 0;

	OBJECT(PP_SPAA_WEIGHT_FIELDS, has);
	return true;
}

static bool
weights(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_run *run)
{
	struct pp_spaa_chunk *c = p->chunk;
	const unsigned char *begin = q->p;
	size_t n = c->weights.n;

	run->first = (uint32_t)n;
	if (!LITERAL(q, "["))
		return false;
	do {
		if (!pp_vec_reserve(&c->weights, n + 1) || !weight(q, &c->weights.at[n++]))
			return false;
	} while (q->p < q->end && *q->p++ == ',');
	run->n = (uint32_t)(n - c->weights.n);
	c->weights.n = n;
	p->weights = pp_slice_of(begin, (size_t)(q->p - begin));
	p->weights_run = *run;
	return q->p[-1] == ']';
}

/* Exclusive weights that are those of the stack, byte for byte. */
static inline bool
own_weights(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_run *run)
{
	*run = p->weights_run;
	return literal(q, (const char *)p->weights.p, p->weights.n);
}

static bool
related(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_run *run)
{
	struct pp_spaa_ref ref = { 0 };

	run->first = (uint32_t)p->chunk->refs.n;
	if (!LITERAL(q, "["))
		return false;
	do {
		if (!stack_id(q, p->json.seed, &ref.id) || !pp_vec_push(&p->chunk->refs, ref))
			return false;
		run->n++;
	} while (q->p < q->end && *q->p++ == ',');
	return q->p[-1] == ']';
}

/* ---- records ---------------------------------------------------------------------------- */

bool
pp_spaa_quick_sample(struct pp_spaa_parser *p)
{
	struct quick line = { p->rec->text.p, p->rec->text.p + p->rec->text.n }, *q = &line;
	struct pp_spaa_sample *out = &p->rec->u.sample;
	uint32_t has = 0;

	*out = (struct pp_spaa_sample){ .pid = -1, .tid = -1, .cpu = -1 };
	if (!LITERAL(q, "{\"type\":\"sample\""))
		return false;
	OBJECT(PP_SPAA_SAMPLE_FIELDS, has);
	return q->p == q->end && (out->period || !PP_SPAA_HAS(out, has, SAMPLE_PERIOD));
}

/* Whole numbers of either sign, up to the bracket. */
static bool
numbers(struct quick *q)
{
	uint64_t value;

	do {
		q->p += *q->p == '-';
		if (!whole(q, &value))
			return false;
	} while (*q->p++ == ',');
	return q->p[-1] == ']' && q->p < q->end;
}

bool
pp_spaa_quick_table(struct pp_spaa_parser *p)
{
	struct quick line = { p->rec->text.p, p->rec->text.p + p->rec->text.n }, *q = &line;
	struct pp_slice name;
	int64_t series;

	if (!LITERAL(q, "{\"type\":\"" PP_SPAA_CARRY_PREFIX))
		return false;
	q->p = p->rec->text.p + sizeof "{\"type\":" - 1;
	if (!text(q, &name) || (LITERAL(q, ",\"series\":") && !small(q, &series)) ||
	    !LITERAL(q, ",\"n\":[") || !numbers(q) || !LITERAL(q, "}") || q->p != q->end)
		return false;
	p->rec->u.name = name;
	return true;
}

static inline bool
exclusive(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *out)
{
	uint32_t has = 0;

	OBJECT(PP_SPAA_EXCLUSIVE_FIELDS, own_has);
	return true;
}

static bool
stack(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *out)
{
	uint32_t has = 0;

	if (!LITERAL(q, "{\"type\":\"stack\""))
		return false;
	OBJECT(PP_SPAA_STACK_FIELDS, has);
	out->id.is_hex = out->id.is_text && pp_spaa_is_hex(out->id.text);
	return q->p == q->end;
}

bool
pp_spaa_quick_stack(struct pp_spaa_parser *p)
{
	struct quick q = { p->rec->text.p, p->rec->text.p + p->rec->text.n };
	struct pp_spaa_stack *s = &p->rec->u.stack;
	struct pp_spaa_chunk *c = p->chunk;
	size_t frames_n = c->frames.n, weights_n = c->weights.n, refs_n = c->refs.n;

	*s = (struct pp_spaa_stack){ .pid = -1, .tid = -1, .cpu = -1 };
	if (PP_LIKELY(stack(&q, p, s)))
		return true;
	c->frames.n = frames_n;
	c->weights.n = weights_n;
	c->refs.n = refs_n;
	return false;
}
