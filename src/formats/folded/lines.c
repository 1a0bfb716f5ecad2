/*
 * The grammar of a line of folded stacks, taken apart from its end: the counts are the last tokens,
 * whatever stands before them is the stack, blanks and numbers included.
 */
#include "formats/folded/lines.h"

#include "base/hash.h"
#include "base/num.h"

const struct pp_rule pp_folded_rules[] = {
	[PP_FOLDED_COUNT_MISSING] = { "folded-count-missing", PP_ERROR,
	                              "a line does not end in a space and a count",
	                              "Each line is a stack, a space, and a count. This one "
	                              "ends in something else, so there is no telling what "
	                              "it weighs. The line is left out of all totals; the "
	                              "rest of the file is used. Often a line was cut off, "
	                              "or belongs to another format." },
	[PP_FOLDED_COUNT_INVALID] = { "folded-count-invalid", PP_ERROR,
	                              "a count is not a plain non-negative whole number",
	                              "Counts are ASCII digits only: no sign, no fraction, no exponent, no grouping. The line "
	                              "is left out of all totals. Some collapsers write fractions such as 20.0: read such files "
	                              "with --option fractions=round, or fractions=scale:1000 to keep three decimals." },
	[PP_FOLDED_COUNT_TOO_LARGE] = { "folded-count-too-large", PP_ERROR,
	                                "a count is larger than 18446744073709551615",
	                                "Counts are exact up to 2^64-1. A larger one is not rounded or wrapped: the line is left "
	                                "out of all totals." },
	[PP_FOLDED_SUM_TOO_LARGE] = { "folded-sum-too-large", PP_ERROR,
	                              "the counts of one stack add up to more than 2^64-1",
	                              "Equal stacks are added. With this line the sum of its "
	                              "stack would exceed 2^64-1, so the line is left out; "
	                              "what was added before stays." },
	[PP_FOLDED_STACK_MISSING] = { "folded-stack-missing", PP_ERROR,
	                              "a line has a count but no stack",
	                              "A stack has at least one name. The line is left out of all totals. Writers that have "
	                              "samples without frames should give them a name, such as [no stack]." },
	[PP_FOLDED_UTF16] = { "folded-utf16", PP_NOTE, "the file is UTF-16; it was read as such",
	                      "The file starts with a UTF-16 byte order mark, as files do that were redirected in "
	                      "PowerShell. It was decoded; converting it writes UTF-8." },
	[PP_FOLDED_UTF16_DAMAGED] = { "folded-utf16-damaged", PP_WARNING,
	                              "the UTF-16 text is damaged",
	                              "The file starts with a UTF-16 byte order mark, but half a character or half a surrogate "
	                              "pair occurs in it. Each was replaced by U+FFFD." },
	{ 0 },
};

/* Characters that numbers of other notations are made of. */
static bool
is_numberish(unsigned char c)
{
	return pp_is_digit(c) || c == '+' || c == '-' || c == '.' || c == ',' || c == 'e' ||
	       c == 'E' || c == 'x' || c == '_';
}

static enum pp_folded_verdict
bad(struct pp_folded_line *out, enum pp_folded_rule rule, const unsigned char *where)
{
	out->broken = &pp_folded_rules[rule];
	out->where = where;
	return PP_FOLDED_BAD;
}

/* Which rule the last token [p, end) breaks, given that it is not a count. */
static enum pp_folded_verdict
bad_count(struct pp_folded_line *out, const unsigned char *p, const unsigned char *end)
{
	const unsigned char *c;
	bool digits = false;

	for (c = p; c < end; c++) {
		if (!is_numberish(*c))
			return bad(out, PP_FOLDED_COUNT_MISSING, p);
		digits |= pp_is_digit(*c);
	}
	return bad(out, digits ? PP_FOLDED_COUNT_INVALID : PP_FOLDED_COUNT_MISSING, p);
}

/* A count with a fraction, taken as the options say; false when it is none. */
static bool
fractional_count(const struct pp_folded_grammar *g, struct pp_slice token, uint64_t *count)
{
	double value;

	if (g->fractions == PP_FRACTIONS_REJECT || !pp_is_digit(token.p[0]) ||
	    !pp_num_double(token, &value))
		return false;
	if (g->fractions == PP_FRACTIONS_SCALE)
		value *= (double)g->fraction_scale;
	if (!(value >= 0) || value >= 18446744073709551615.0)
		return false;
	*count = (uint64_t)(value + 0.5);
	return true;
}

/*
 * Takes the count that ends at *end off the text [begin, *end), with the blanks before it. The text ends
 * in a non-blank byte, and does again afterwards unless it is empty.
 */
static inline __attribute__((always_inline)) enum pp_folded_verdict
take_count(const struct pp_folded_grammar *g, const unsigned char *begin, const unsigned char **end,
           uint64_t *count, struct pp_folded_line *out)
{
	const unsigned char *last = *end, *p = last;
	uint64_t value = 0, power = 1;

	for (; p > begin && pp_is_digit(p[-1]); p--) {
		/* 19 digits fit in any case; longer numbers are checked below. */
		value += (uint64_t)(p[-1] - '0') * power;
		power *= 10;
	}
	if (PP_UNLIKELY(p == last || (p > begin && !pp_is_space(p[-1])))) {
		for (; p > begin && !pp_is_space(p[-1]); p--)
			;
		if (!fractional_count(g, pp_slice_of(p, (size_t)(last - p)), &value))
			return bad_count(out, p, last);
	} else {
		if (last - p > 19 && !pp_num_u64(pp_slice_of(p, (size_t)(last - p)), &value))
			return bad(out, PP_FOLDED_COUNT_TOO_LARGE, p);
		if (g->fractions == PP_FRACTIONS_SCALE &&
		    __builtin_mul_overflow(value, g->fraction_scale, &value))
			return bad(out, PP_FOLDED_COUNT_TOO_LARGE, p);
	}
	*count = value;
	while (p > begin && pp_is_space(p[-1]))
		p--;
	*end = p;
	return PP_FOLDED_RECORD;
}

enum pp_folded_verdict
pp_folded_parse(const struct pp_folded_grammar *g, struct pp_slice line, struct pp_folded_line *out)
{
	const unsigned char *p = line.p, *end = line.p + line.n;
	enum pp_folded_verdict verdict;
	unsigned i;

	while (end > p && pp_is_space(end[-1]))
		end--;
	while (p < end && pp_is_space(*p))
		p++;
	if (p == end || (g->comments && *p == '#'))
		return PP_FOLDED_BLANK;
	for (i = g->counts; i-- > 0;) {
		if (end == p)
			return bad(out, PP_FOLDED_STACK_MISSING, p);
		verdict = take_count(g, p, &end, &out->count[i], out);
		if (verdict == PP_FOLDED_BAD) {
			if (i == 0 && g->counts == PP_FOLDED_DIFF &&
			    out->broken == &pp_folded_rules[PP_FOLDED_COUNT_MISSING])
				out->broken = &pp_diff_folded_rules[PP_DIFF_FOLDED_COUNT_MISSING];
			return verdict;
		}
	}
	if (end == p)
		return bad(out, PP_FOLDED_STACK_MISSING, p);
	out->stack = pp_slice_of(p, (size_t)(end - p));
	return PP_FOLDED_RECORD;
}

bool
pp_folded_passes_limit(const struct pp_limits *limits, const struct pp_folded_line *line,
                       size_t length)
{
	struct pp_slice stack = line->stack;
	uint64_t names = 1;
	size_t i;

	if (length > limits->max_line || length >= UINT32_MAX)
		return true;
	/* Whoever has so few bytes is not too deep. */
	for (i = 0; stack.n >= limits->max_depth && i < stack.n; i++)
		names += stack.p[i] == ';';
	return names > limits->max_depth;
}

void
pp_folded_report(struct pp_diags *diags, const struct pp_input *in,
                 const struct pp_folded_line *line, const unsigned char *begin, uint64_t number)
{
	pp_diag_add(diags, line->broken,
	            pp_at_line(number, (uint64_t)(line->where - begin) + 1,
	                       pp_input_offset(in, line->where)),
	            "%s", line->broken->title);
}

static bool
names_stacks(const char *name)
{
	static const char *const endings[] = { "folded", "collapsed", "stacks", "foldedstacks" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(endings); i++)
		if (pp_name_ends(name, endings[i]))
			return true;
	return false;
}

/* UTF-16 is looked at as the lines that it will be; of a letter beyond ASCII only that it is one matters. */
static int
utf16_bid(const struct pp_peek *peek, bool big_endian)
{
	unsigned char text[4096];
	struct pp_peek plain = { .name = peek->name, .head = pp_slice_of(text, 0) };
	size_t i;

	for (i = 2; i + 1 < peek->head.n && plain.head.n < sizeof text; i += 2) {
		unsigned high = peek->head.p[i + !big_endian], low = peek->head.p[i + big_endian];

		text[plain.head.n++] = (unsigned char)(high || low > 127 ? 0xbf : low);
	}
	plain.whole = peek->whole && i + 1 >= peek->head.n;
	return pp_folded_bid(&plain, PP_FOLDED_PLAIN);
}

int
pp_folded_bid(const struct pp_peek *peek, unsigned counts)
{
	static const int bits_per_line = 2, most_bits = 20;
	struct pp_folded_grammar grammar = { .counts = counts };
	const unsigned char *p = peek->head.p, *end = p + peek->head.n;
	size_t good = 0, broken = 0;
	struct pp_folded_line line;
	bool stacks = false; /* of more than one frame */

	if (peek->head.n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)))
		return counts == PP_FOLDED_PLAIN ? utf16_bid(peek, p[0] == 0xfe) : 0;
	if (peek->head.n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	/* Words and a number are any text: without one real stack the name must say what it is. */
	if (p == end || (!memchr(p, ';', (size_t)(end - p)) && !names_stacks(peek->name)))
		return 0;
	while (p < end && !(broken && counts == PP_FOLDED_DIFF)) {
		const unsigned char *stop = memchr(p, '\n', (size_t)(end - p));
		enum pp_folded_verdict verdict;

		if (!stop && !peek->whole && (good || broken))
			break;
		stop = stop ? stop : end;
		verdict = pp_folded_parse(&grammar, pp_slice_of(p, (size_t)(stop - p)), &line);
		good += verdict == PP_FOLDED_RECORD;
		stacks |= verdict == PP_FOLDED_RECORD && memchr(line.stack.p, ';', line.stack.n);
		broken += verdict == PP_FOLDED_BAD;
		p = stop + 1;
	}
	if (good == 0 || broken > good)
		return 0;
	if (!stacks && !names_stacks(peek->name))
		return 0;
	if (counts == PP_FOLDED_DIFF && broken)
		return 0;
	good *= (size_t)bits_per_line;
	return good < (size_t)most_bits ? (int)good : most_bits;
}

void
pp_folded_write_mark(struct pp_sink *out, struct pp_slice first)
{
	/* UTF-8, UTF-16 both ways, gzip, zstd and its skippable frames (any low half of the first byte). */
	static const struct {
		unsigned char bytes[4];
		unsigned char length, first_mask;
	} starts[] = { { { 0xef, 0xbb, 0xbf }, 3, 0xff },
		       { { 0xff, 0xfe }, 2, 0xff },
		       { { 0xfe, 0xff }, 2, 0xff },
		       { { 0x1f, 0x8b }, 2, 0xff },
		       { { 0x28, 0xb5, 0x2f, 0xfd }, 4, 0xff },
		       { { 0x50, 0x2a, 0x4d, 0x18 }, 4, 0xf0 } };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(starts); i++) {
		size_t n = starts[i].length;

		if (first.n >= n && (first.p[0] & starts[i].first_mask) == starts[i].bytes[0] &&
		    memcmp(first.p + 1, starts[i].bytes + 1, n - 1) == 0) {
			pp_sink_write(out, "\xef\xbb\xbf", 3);
			return;
		}
	}
}
