/*
 * The end of a JSON array or object.
 */
#include "formats/kit/json_pass.h"

#include "text/block.h"

#define BLOCK 64
/* After so many bytes it asks whether anybody still wants to know. */
#define STRETCH ((size_t)4 << 20)

struct pass {
	uint64_t depth;
	bool in_string, escaped;
};

/* One byte after the other; what follows the last bracket, or NULL when that is not among them. */
static const unsigned char *
bytes_pass(struct pass *s, const unsigned char *p, const unsigned char *stop)
{
	for (; p < stop; p++) {
		if (s->in_string) {
			if (s->escaped)
				s->escaped = false;
			else if (*p == '\\')
				s->escaped = true;
			else
				s->in_string = *p != '"';
		} else if (*p == '"') {
			s->in_string = true;
		} else if (*p == '[' || *p == '{') {
			s->depth++;
		} else if ((*p == ']' || *p == '}') && --s->depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}

/* Of 64 bytes, those that are c when the bits of `with` are set. */
static inline uint64_t
bytes_like(const unsigned char *p, unsigned char with, unsigned char c)
{
	return (uint64_t)pp_block_like(p, with, c) |
	       (uint64_t)pp_block_like(p + 16, with, c) << 16 |
	       (uint64_t)pp_block_like(p + 32, with, c) << 32 |
	       (uint64_t)pp_block_like(p + 48, with, c) << 48;
}

/* Bit i: whether an odd number of bits is set up to there. */
static inline uint64_t
parities(uint64_t bits)
{
	bits ^= bits << 1;
	bits ^= bits << 2;
	bits ^= bits << 4;
	bits ^= bits << 8;
	bits ^= bits << 16;
	return bits ^ bits << 32;
}

/* How many bits are set. The compiler's own is a call where processors may lack the instruction. */
static inline uint64_t
bits_count(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555u;
	bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return bits * 0x0101010101010101u >> 56;
}

/* The same for whole blocks, which takes less. */
static const unsigned char *
blocks_pass(struct pass *state, const unsigned char *p, const unsigned char *stop)
{
	const unsigned char *found = NULL;
	struct pass s = *state;

	for (; p < stop && !found; p += BLOCK) {
		uint64_t within = parities(bytes_like(p, 0, '"')) ^
		                  (s.in_string ? ~(uint64_t)0 : 0);
		/* With that bit [ is {, and ] is }. */
		uint64_t opening = bytes_like(p, 0x20, '{') & ~within;
		uint64_t closing = bytes_like(p, 0x20, '}') & ~within;
		uint64_t closed = closing ? bits_count(closing) : 0;

		if (PP_UNLIKELY(s.depth <= closed || s.escaped || bytes_like(p, 0, '\\'))) {
			found = bytes_pass(&s, p, p + BLOCK);
			continue;
		}
		s.depth += (opening ? bits_count(opening) : 0) - closed;
		s.in_string = within >> 63;
	}
	*state = s;
	return found;
}

static const unsigned char *
pass_from(struct pass s, const unsigned char *p, const unsigned char *end)
{
	const unsigned char *found = NULL;

	while (end - p >= BLOCK && !found) {
		size_t n = (size_t)(end - p) < STRETCH ? (size_t)(end - p) / BLOCK * BLOCK
		                                       : STRETCH;

		if (n == STRETCH && pp_account_stops())
			return NULL;
		found = blocks_pass(&s, p, p + n);
		p += n;
	}
	return found ? found : bytes_pass(&s, p, end);
}

const unsigned char *
pp_json_pass(const unsigned char *p, const unsigned char *end)
{
	return pass_from((struct pass){ 0 }, p, end);
}

const unsigned char *
pp_json_pass_rest(const unsigned char *p, const unsigned char *end)
{
	return pass_from((struct pass){ .depth = 1 }, p, end);
}

bool
pp_scan_pass(struct pp_scan *s)
{
	enum pp_json_type type = pp_scan_peek(s);
	const unsigned char *behind;

	if (type != PP_JSON_ARRAY && type != PP_JSON_OBJECT)
		return pp_scan_skip(s, NULL);
	behind = pp_json_pass(s->cur, s->end);
	if (!behind)
		return pp_scan_fail(s, PP_SCAN_E_END, s->end);
	s->cur = behind;
	s->after_value = true;
	return true;
}
