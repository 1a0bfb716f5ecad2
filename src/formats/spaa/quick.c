/*
 * The shapes that nearly all lines of a large file have, taken apart in one go.
 *
 * Programs write the keys of samples and stacks in one order, without blanks, and their names without
 * escapes. Such lines are read here by comparing literals and numbers. The first byte that is otherwise
 * sends the whole line the general way (spaa_sample.c, spaa_stack.c), which makes the same record of
 * it, and so does everything that deserves a finding: none is made here.
 *
 * No load goes further past the end of the line than the PP_SCAN_PAD bytes that follow every input, and
 * no literal or digit is a line end, so nothing is taken from the next line.
 */
#include "formats/spaa/spaa.h"
#include "text/block.h"
#include "text/swar.h"

struct quick {
	const unsigned char *p, *end;
};

/* Passes a literal that stands here. */
static inline bool
literal(struct quick *q, const char *z, size_t n)
{
	if ((size_t)(q->end - q->p) < n || memcmp(q->p, z, n) != 0)
		return false;
	q->p += n;
	return true;
}
#define LITERAL(q, z) literal(q, z, sizeof(z) - 1)

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

/* A number with decimals or without, as pp_spaa_number() takes it. */
static inline bool
decimal(struct quick *q, struct pp_spaa_num *out)
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
		value = value * pp_spaa_powers[scale] + fraction;
		for (; scale && value % 10 == 0 && value; scale--)
			value /= 10;
		scale = value ? scale : 0;
	}
	*out = (struct pp_spaa_num){ .magnitude = value, .scale = (uint8_t)scale };
	return *q->p != 'e' && *q->p != 'E';
}

/* A string without anything that must be decoded, its opening quote passed already. */
static inline bool
text(struct quick *q, struct pp_slice *out)
{
	const unsigned char *begin = q->p;

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

/* An id: a string, or the digits of an unsigned 64-bit number. */
static inline bool
stack_id(struct quick *q, uint64_t seed, struct pp_spaa_id *id)
{
	static const char most[] = "18446744073709551615";
	size_t n;

	id->at = q->p;
	id->is_text = LITERAL(q, "\"");
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
	id->hash = pp_spaa_hash(id->text.p, id->text.n, seed);
	return q->p <= q->end;
}

/* ---- samples ---------------------------------------------------------------------------- */

bool
pp_spaa_quick_sample(struct pp_spaa_parser *p)
{
	struct quick q = { p->rec->text.p, p->rec->text.p + p->rec->text.n };
	struct pp_spaa_sample *s = &p->rec->u.sample;
	uint64_t value;

	*s = (struct pp_spaa_sample){ .pid = -1, .tid = -1, .cpu = -1 };
	if (!LITERAL(&q, "{\"type\":\"sample\",\"timestamp\":") || !decimal(&q, &s->time))
		return false;
	if (LITERAL(&q, ",\"pid\":")) {
		if (!whole(&q, &value))
			return false;
		s->pid = (int64_t)value;
	}
	if (LITERAL(&q, ",\"tid\":")) {
		if (!whole(&q, &value))
			return false;
		s->tid = (int64_t)value;
	}
	if (LITERAL(&q, ",\"cpu\":")) {
		if (!whole(&q, &value))
			return false;
		s->cpu = (int64_t)value;
	}
	if (!LITERAL(&q, ",\"event\":\"") || !text(&q, &s->event))
		return false;
	if (LITERAL(&q, ",\"period\":")) {
		if (!whole(&q, &s->period) || s->period == 0)
			return false;
		s->has_period = true;
	}
	return LITERAL(&q, ",\"stack_id\":") && stack_id(&q, p->seed, &s->id) && LITERAL(&q, "}") &&
	       q.p == q.end;
}

/* ---- stacks ----------------------------------------------------------------------------- */

static bool
frames(struct quick *q, struct pp_spaa_chunk *c, struct pp_spaa_run *run)
{
	size_t n = c->frames.n;

	run->first = (uint32_t)n;
	/* An item takes at least two bytes of the line. */
	if (!pp_vec_reserve(&c->frames, n + (size_t)(q->end - q->p) / 2 + 1))
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

/* A number of the context, its key passed already. */
static inline bool
context_number(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *s, unsigned key,
               int64_t *out)
{
	uint64_t value;

	if (!whole(q, &value))
		return false;
	*out = (int64_t)value;
	s->context += pp_spaa_context_add(key, pp_mix(value ^ p->seed, PP_HASH_K1));
	return true;
}

static inline bool
context_text(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *s, unsigned key,
             struct pp_slice *out)
{
	if (!text(q, out))
		return false;
	s->context += pp_spaa_context_add(key, pp_spaa_hash(out->p, out->n, p->seed));
	return true;
}

/* An object of the context: nearly always one that was there a few lines ago, byte for byte. */
static bool
context_object(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *s, unsigned key)
{
	const unsigned char *begin = q->p;
	struct pp_spaa_known *known;
	uint64_t hash;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(p->known) && p->known[i].text.n; i++)
		if (literal(q, (const char *)p->known[i].text.p, p->known[i].text.n)) {
			s->context += pp_spaa_context_add(key, p->known[i].hash);
			return true;
		}
	if (*begin != '{' || !pp_spaa_walk_plain(p, &q->p, &hash))
		return false;
	known = &p->known[p->known_next++ % PP_COUNT_OF(p->known)];
	*known = (struct pp_spaa_known){ pp_slice_of(begin, (size_t)(q->p - begin)), hash };
	s->context += pp_spaa_context_add(key, hash);
	return true;
}

/* What a context may have besides event, process and thread: nothing but text to everybody here. */
static bool
context_more(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *s)
{
	struct pp_slice ignored;
	int64_t uid;

	if (LITERAL(q, ",\"execname\":\"") &&
	    !context_text(q, p, s, PP_SPAA_CTX_EXECNAME, &ignored))
		return false;
	if (LITERAL(q, ",\"probe\":") && !context_object(q, p, s, PP_SPAA_CTX_PROBE))
		return false;
	if (LITERAL(q, ",\"uid\":") && !context_number(q, p, s, PP_SPAA_CTX_UID, &uid))
		return false;
	if (LITERAL(q, ",\"zonename\":\"") &&
	    !context_text(q, p, s, PP_SPAA_CTX_ZONENAME, &ignored))
		return false;
	if (LITERAL(q, ",\"trace_fields\":") && !context_object(q, p, s, PP_SPAA_CTX_TRACE_FIELDS))
		return false;
	if (!LITERAL(q, "}"))
		return false;
	p->chunk->extras = true;
	return true;
}

static bool
context(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *s)
{
	if (!LITERAL(q, ",\"context\":{\"event\":\"") ||
	    !context_text(q, p, s, PP_SPAA_CTX_EVENT, &s->event))
		return false;
	s->has_event = true;
	if (LITERAL(q, ",\"pid\":") && !context_number(q, p, s, PP_SPAA_CTX_PID, &s->pid))
		return false;
	if (LITERAL(q, ",\"tid\":") && !context_number(q, p, s, PP_SPAA_CTX_TID, &s->tid))
		return false;
	if (LITERAL(q, ",\"cpu\":") && !context_number(q, p, s, PP_SPAA_CTX_CPU, &s->cpu))
		return false;
	if (LITERAL(q, ",\"comm\":\"") && !context_text(q, p, s, PP_SPAA_CTX_COMM, &s->comm))
		return false;
	return LITERAL(q, "}") || context_more(q, p, s);
}

static bool
weights(struct quick *q, struct pp_spaa_chunk *c, struct pp_spaa_run *run)
{
	size_t n = c->weights.n;

	run->first = (uint32_t)n;
	do {
		struct pp_spaa_weight *w;

		if (!pp_vec_reserve(&c->weights, n + 1))
			return false;
		w = &c->weights.at[n++];
		if (!LITERAL(q, "{\"metric\":\"") || !text(q, &w->metric) ||
		    !LITERAL(q, ",\"value\":"))
			return false;
		w->value = (struct pp_spaa_num){ 0 };
		if (!whole(q, &w->value.magnitude))
			return false;
		w->has_unit = LITERAL(q, ",\"unit\":\"");
		if ((w->has_unit && !text(q, &w->unit)) || !LITERAL(q, "}"))
			return false;
	} while (q->p < q->end && *q->p++ == ',');
	run->n = (uint32_t)(n - c->weights.n);
	c->weights.n = n;
	return q->p[-1] == ']';
}

static bool
stack_type(struct quick *q, enum pp_spaa_stack_type *type)
{
	if (!LITERAL(q, ",\"stack_type\":\""))
		return true;
	if (LITERAL(q, "user\"")) {
		*type = PP_SPAA_USER_STACK;
		return true;
	}
	*type = PP_SPAA_KERNEL_STACK;
	return LITERAL(q, "kernel\"");
}

/* Exclusive weights that are those of the stack, byte for byte. */
static bool
exclusive(struct quick *q, struct pp_spaa_stack *s, struct pp_slice same)
{
	if (!LITERAL(q, ",\"exclusive\":{\"frame\":"))
		return true;
	if (!whole(q, &s->leaf) || !LITERAL(q, ",\"weights\":") ||
	    !literal(q, (const char *)same.p, same.n) || !LITERAL(q, "}"))
		return false;
	s->own = s->weights;
	s->has_leaf = s->has_own = true;
	return true;
}

static bool
related(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_run *run)
{
	struct pp_spaa_ref ref = { 0 };

	run->first = (uint32_t)p->chunk->refs.n;
	if (!LITERAL(q, ",\"related_stacks\":["))
		return true;
	do {
		if (!stack_id(q, p->seed, &ref.id) || !pp_vec_push(&p->chunk->refs, ref))
			return false;
		run->n++;
	} while (q->p < q->end && *q->p++ == ',');
	return q->p[-1] == ']';
}

static bool
stack(struct quick *q, struct pp_spaa_parser *p, struct pp_spaa_stack *s)
{
	struct pp_slice same;

	if (!LITERAL(q, "{\"type\":\"stack\",\"id\":") || !stack_id(q, p->seed, &s->id) ||
	    !LITERAL(q, ",\"frames\":[") || !frames(q, p->chunk, &s->frames) ||
	    !stack_type(q, &s->type) || !context(q, p, s) || !LITERAL(q, ",\"weights\":["))
		return false;
	same.p = q->p - 1;
	if (!weights(q, p->chunk, &s->weights))
		return false;
	same.n = (size_t)(q->p - same.p);
	s->has_id = true;
	s->id.is_hex = s->id.is_text && pp_spaa_is_hex(s->id.text);
	return exclusive(q, s, same) && related(q, p, &s->related) && LITERAL(q, "}") &&
	       q->p == q->end;
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
