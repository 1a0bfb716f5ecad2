/*
 * A pull scanner for JSON (RFC 8259): the caller asks for what it expects and gets slices of the input.
 *
 * No loop here runs past `end` by more than one block, and none recurses: the kinds of open brackets
 * within a skipped value are bits in a fixed array.
 */
#include "text/json_scan.h"

#include "base/utf8.h"
#include "text/block.h"
#include "text/swar.h"

void
pp_scan_init(struct pp_scan *s, struct pp_slice text, uint32_t max_depth, enum pp_scan_mode mode)
{
	s->begin = s->cur = text.p;
	s->end = text.p + text.n;
	s->error_at = NULL;
	s->error = PP_SCAN_OK;
	s->mode = mode;
	s->after_value = false;
	s->depth = 0;
	s->max_depth = max_depth ? max_depth : PP_SCAN_DEPTH_MAX;
}

bool
pp_scan_fail(struct pp_scan *s, enum pp_scan_error error, const unsigned char *at)
{
	if (s->error == PP_SCAN_OK) {
		s->error = error;
		s->error_at = at;
	}
	s->cur = s->end;
	return false;
}

/* The same for a byte that does not fit: at the end of the input it is the end that is wrong. */
static bool
fail_byte(struct pp_scan *s, enum pp_scan_error error, const unsigned char *at)
{
	return pp_scan_fail(s, at < s->end ? error : PP_SCAN_E_END, at);
}

/* ---- strings ---------------------------------------------------------------------------- */

/* Length of the multi-byte character at p, 0 when it is not valid UTF-8. */
static inline size_t
multibyte(const unsigned char *p, const unsigned char *end)
{
	uint32_t code;

	if (PP_LIKELY(p[0] >= 0xc2 && p[0] < 0xe0))
		return end - p >= 2 && (p[1] & 0xc0) == 0x80 ? 2 : 0;
	return pp_utf8_decode(p, (size_t)(end - p), &code);
}

static int
hex_digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits of \uXXXX, whose backslash is at p; -1 when they are not there. */
static int32_t
escape_unit(const unsigned char *p, const unsigned char *end)
{
	int32_t unit = 0;
	int i;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (i = 2; i < 6; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/*
 * Decodes the escape whose backslash is at p; returns its length, 0 when it is not one. Half of a
 * surrogate pair decodes as itself, a code point no valid text has.
 */
static size_t
escape_decode(const unsigned char *p, const unsigned char *end, uint32_t *code)
{
	static const unsigned char plain[UINT8_MAX + 1] = {
		['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
		['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'
	};
	int32_t unit, low;

	if (end - p < 2)
		return 0;
	if (p[1] != 'u') {
		*code = plain[p[1]];
		return *code ? 2 : 0;
	}
	unit = escape_unit(p, end);
	if (unit < 0)
		return 0;
	*code = (uint32_t)unit;
	if (unit < 0xd800 || unit > 0xdbff)
		return 6;
	low = escape_unit(p + 6, end);
	if (low < 0xdc00 || low > 0xdfff)
		return 6;
	*code = 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
	return 12;
}

static bool
is_surrogate(uint32_t code)
{
	return code >= 0xd800 && code <= 0xdfff;
}

/* Notes an escape that is wrong: where it is, or that the input ends before it does. */
static void
fail_escape(struct pp_scan *s, const unsigned char *p)
{
	const unsigned char *at = p + 1;
	bool right = at < s->end && *at == 'u';

	for (at++; right && at < s->end; at++)
		right = hex_digit(*at) >= 0;
	if (p + 1 == s->end || right)
		pp_scan_fail(s, PP_SCAN_E_END, s->end);
	else
		pp_scan_fail(s, PP_SCAN_E_ESCAPE, p);
}

/* Passes the escape at p; NULL (and the error set) when it is wrong. */
static const unsigned char *
pass_escape(struct pp_scan *s, const unsigned char *p, struct pp_json_str *out)
{
	uint32_t code = 0;
	size_t n;

	out->escaped = true;
	/* Names of PHP are full of them. */
	if (PP_LIKELY(s->end - p > 1 && p[1] == '\\'))
		return p + 2;
	n = escape_decode(p, s->end, &code);
	if (!n) {
		fail_escape(s, p);
		return NULL;
	}
	if (PP_UNLIKELY(is_surrogate(code))) {
		if (s->mode == PP_SCAN_STRICT) {
			pp_scan_fail(s, PP_SCAN_E_SURROGATE, p);
			return NULL;
		}
		out->odd = true;
	}
	return p + n;
}

/* Passes the characters at p up to the next plain one; NULL (and the error set) when they are wrong. */
static const unsigned char *
pass_special(struct pp_scan *s, const unsigned char *p, struct pp_json_str *out)
{
	if (*p == '\\')
		return pass_escape(s, p, out);
	while (p < s->end && *p >= 0x80) {
		size_t n = multibyte(p, s->end);

		if (PP_UNLIKELY(!n)) {
			if (s->mode == PP_SCAN_STRICT) {
				pp_scan_fail(s, PP_SCAN_E_UTF8, p);
				return NULL;
			}
			out->odd = true;
			n = 1;
		}
		p += n;
	}
	while (PP_UNLIKELY(p < s->end && *p < 0x20)) {
		if (s->mode == PP_SCAN_STRICT) {
			pp_scan_fail(s, PP_SCAN_E_CONTROL, p);
			return NULL;
		}
		out->odd = true;
		p++;
	}
	return p;
}

/* Scans the string whose opening quote is at p; returns what follows it, NULL at an error. */
static inline const unsigned char *
scan_string(struct pp_scan *s, const unsigned char *p, struct pp_json_str *out)
{
	const unsigned char *begin = ++p;

	out->escaped = out->odd = false;
	for (;;) {
		uint32_t stop = pp_block_text_stop(p);

		if (PP_UNLIKELY(!stop)) {
			p += 16;
		} else {
			p += __builtin_ctz(stop);
			if (PP_LIKELY(*p == '"'))
				break;
			if (PP_LIKELY(p < s->end) && !(p = pass_special(s, p, out)))
				return NULL;
		}
		if (PP_UNLIKELY(p >= s->end)) {
			pp_scan_fail(s, PP_SCAN_E_END, s->end);
			return NULL;
		}
	}
	if (PP_UNLIKELY(p >= s->end)) {
		pp_scan_fail(s, PP_SCAN_E_END, s->end);
		return NULL;
	}
	out->raw = pp_slice_of(begin, (size_t)(p - begin));
	return p + 1;
}

/* ---- numbers and words ------------------------------------------------------------------ */

static inline bool
is_digit(unsigned char c)
{
	return (unsigned)c - '0' <= 9;
}

/*
 * Passes digits from p on, their value added to *value (modulo 2^64). Eight at a time without a branch
 * on how many there are: the lengths of numbers are what a branch predictor gets wrong.
 */
static inline const unsigned char *
take_digits(const unsigned char *p, const unsigned char *end, uint64_t *value)
{
	while (PP_LIKELY(end - p >= 8)) {
		uint64_t digits = pp_swar_digits(pp_load64(p));
		size_t n = pp_swar_first(pp_swar_above9(digits));

		if (n == 0)
			return p;
		*value = *value * pp_power10[n] + pp_swar_number(digits, n);
		p += n;
		if (n < 8)
			return p;
	}
	for (; p < end && is_digit(*p); p++)
		*value = *value * 10 + (*p & 15u);
	return p;
}

/* The fraction and the exponent of a number, from the byte after its integer part on. */
static const unsigned char *
scan_decimal(struct pp_scan *s, const unsigned char *p)
{
	const unsigned char *digits;
	uint64_t ignored = 0;

	if (p < s->end && *p == '.') {
		digits = p + 1;
		p = take_digits(digits, s->end, &ignored);
		if (p == digits) {
			fail_byte(s, PP_SCAN_E_NUMBER, p);
			return NULL;
		}
	}
	if (p < s->end && (*p | 32) == 'e') {
		p++;
		p += p < s->end && (*p == '+' || *p == '-');
		digits = p;
		p = take_digits(digits, s->end, &ignored);
		if (p == digits) {
			fail_byte(s, PP_SCAN_E_NUMBER, p);
			return NULL;
		}
	}
	return p;
}

/* Scans the number at p; returns what follows it, NULL at an error. */
static inline const unsigned char *
scan_number(struct pp_scan *s, const unsigned char *p, struct pp_json_num *out)
{
	const unsigned char *begin = p, *digits;
	uint64_t value = 0;

	out->negative = *p == '-';
	digits = p + out->negative;
	p = take_digits(digits, s->end, &value);
	if (PP_UNLIKELY(p == digits)) {
		fail_byte(s, PP_SCAN_E_NUMBER, p);
		return NULL;
	}
	if (PP_UNLIKELY(*digits == '0' && p - digits > 1)) {
		pp_scan_fail(s, PP_SCAN_E_NUMBER, digits);
		return NULL;
	}
	/* 19 digits always fit; 20 fit when the product did not wrap, more never do. */
	out->fits = p - digits <= 19 ||
	            (p - digits == 20 && *digits == '1' && value >= 10000000000000000000u);
	out->magnitude = value;
	out->integer = true;
	if (p < s->end && (*p == '.' || (*p | 32) == 'e')) {
		out->integer = out->fits = false;
		p = scan_decimal(s, p);
		if (PP_UNLIKELY(!p))
			return NULL;
	}
	/* Where the input ends within a list or an object, more digits may have been cut off. */
	if (PP_UNLIKELY(p == s->end) && s->depth) {
		pp_scan_fail(s, PP_SCAN_E_END, p);
		return NULL;
	}
	out->text = pp_slice_of(begin, (size_t)(p - begin));
	return p;
}

/* Passes a literal word at p; NULL at an error. */
static const unsigned char *
scan_word(struct pp_scan *s, const unsigned char *p)
{
	const char *word = *p == 't' ? "true" : *p == 'f' ? "false" : "null";
	const unsigned char *begin = p;

	for (; *word; word++, p++)
		if (p == s->end || *p != (unsigned char)*word) {
			pp_scan_fail(s, p == s->end ? PP_SCAN_E_END : PP_SCAN_E_WORD,
			             p == s->end ? p : begin);
			return NULL;
		}
	return p;
}

/* ---- the calls -------------------------------------------------------------------------- */

const unsigned char pp_json_type_of_byte[256] = {
	['{'] = PP_JSON_OBJECT, ['['] = PP_JSON_ARRAY,  ['"'] = PP_JSON_STRING,
	['-'] = PP_JSON_NUMBER, ['0'] = PP_JSON_NUMBER, ['1'] = PP_JSON_NUMBER,
	['2'] = PP_JSON_NUMBER, ['3'] = PP_JSON_NUMBER, ['4'] = PP_JSON_NUMBER,
	['5'] = PP_JSON_NUMBER, ['6'] = PP_JSON_NUMBER, ['7'] = PP_JSON_NUMBER,
	['8'] = PP_JSON_NUMBER, ['9'] = PP_JSON_NUMBER, ['t'] = PP_JSON_BOOL,
	['f'] = PP_JSON_BOOL,   ['n'] = PP_JSON_NULL,
};

enum pp_json_type
pp_scan_no_value(struct pp_scan *s)
{
	fail_byte(s, PP_SCAN_E_VALUE, s->cur);
	return PP_JSON_NOTHING;
}

/* Whether a value of that type comes next. */
static inline bool
expect(struct pp_scan *s, enum pp_json_type type)
{
	enum pp_json_type found = pp_scan_peek(s);

	if (PP_LIKELY(found == type))
		return true;
	return found == PP_JSON_NOTHING ? false : pp_scan_fail(s, PP_SCAN_E_TYPE, s->cur);
}

/* Ends a value at p, or fails when p is NULL. */
static inline bool
took(struct pp_scan *s, const unsigned char *p)
{
	if (PP_UNLIKELY(!p))
		return false;
	s->cur = p;
	s->after_value = true;
	return true;
}

static inline bool
enter(struct pp_scan *s, enum pp_json_type type)
{
	if (!expect(s, type))
		return false;
	if (PP_UNLIKELY(s->depth == s->max_depth))
		return pp_scan_fail(s, PP_SCAN_E_DEPTH, s->cur);
	s->depth++;
	s->cur++;
	s->after_value = false;
	return true;
}

bool
pp_scan_object(struct pp_scan *s)
{
	return enter(s, PP_JSON_OBJECT);
}

bool
pp_scan_array(struct pp_scan *s)
{
	return enter(s, PP_JSON_ARRAY);
}

bool
pp_scan_key_here(struct pp_scan *s, struct pp_json_str *key)
{
	const unsigned char *p = s->cur;

	if (PP_UNLIKELY(p >= s->end || *p != '"'))
		return fail_byte(s, PP_SCAN_E_KEY, p);
	p = scan_string(s, p, key);
	if (PP_UNLIKELY(!p))
		return false;
	p = pp_scan_space(p, s->end);
	if (PP_UNLIKELY(p >= s->end || *p != ':'))
		return fail_byte(s, PP_SCAN_E_COLON, p);
	s->cur = p + 1;
	return true;
}

bool
pp_scan_string(struct pp_scan *s, struct pp_json_str *out)
{
	return expect(s, PP_JSON_STRING) && took(s, scan_string(s, s->cur, out));
}

bool
pp_scan_number(struct pp_scan *s, struct pp_json_num *out)
{
	return expect(s, PP_JSON_NUMBER) && took(s, scan_number(s, s->cur, out));
}

bool
pp_scan_bool(struct pp_scan *s, bool *out)
{
	if (!expect(s, PP_JSON_BOOL))
		return false;
	*out = *s->cur == 't';
	return took(s, scan_word(s, s->cur));
}

bool
pp_scan_null(struct pp_scan *s)
{
	return expect(s, PP_JSON_NULL) && took(s, scan_word(s, s->cur));
}

bool
pp_scan_end(struct pp_scan *s)
{
	if (s->error != PP_SCAN_OK)
		return false;
	s->cur = pp_scan_space(s->cur, s->end);
	if (!s->after_value || s->depth)
		return fail_byte(s, PP_SCAN_E_VALUE, s->cur);
	return s->cur == s->end || pp_scan_fail(s, PP_SCAN_E_MORE, s->cur);
}

/* ---- skipping --------------------------------------------------------------------------- */

/* Passes a string, number or word. */
static inline bool
skip_scalar(struct pp_scan *s, enum pp_json_type type)
{
	struct pp_json_str str;
	struct pp_json_num num;

	if (PP_LIKELY(type == PP_JSON_STRING))
		return took(s, scan_string(s, s->cur, &str));
	if (type == PP_JSON_NUMBER)
		return took(s, scan_number(s, s->cur, &num));
	return type != PP_JSON_NOTHING && took(s, scan_word(s, s->cur));
}

/* Passes the plain numbers that a list begins with, unless the text ends soon. */
static void
numbers_skip(struct pp_scan *s)
{
	uint64_t some[64];

	while (s->end - s->cur > 128 &&
	       pp_scan_plain_u64s(s, some, PP_COUNT_OF(some)) == PP_COUNT_OF(some))
		;
}

bool
pp_scan_skip(struct pp_scan *s, struct pp_slice *raw)
{
	uint64_t
	    objects[PP_SCAN_DEPTH_MAX / 64]; /* bit d: the bracket open at depth d in here is '{' */
	uint32_t outside = s->depth;
	const unsigned char *begin = NULL;
	struct pp_json_str key;

	do {
		enum pp_json_type type = pp_scan_peek(s);
		bool object = type == PP_JSON_OBJECT;

		begin = begin ? begin : s->cur;
		if (object || type == PP_JSON_ARRAY) {
			uint32_t within = s->depth - outside;
			uint64_t *word = &objects[within >> 6];

			if (within == PP_SCAN_DEPTH_MAX)
				return pp_scan_fail(s, PP_SCAN_E_DEPTH, s->cur);
			if (!enter(s, type))
				return false;
			/* Entering a word from below, nothing in it is in use. */
			if ((within & 63) == 0)
				*word = 0;
			*word &= ~((uint64_t)1 << (within & 63));
			*word |= (uint64_t)object << (within & 63);
			if (!object)
				numbers_skip(s);
		} else if (!skip_scalar(s, type)) {
			return false;
		}
		/* To the next value inside, leaving the brackets that end here. */
		while (s->depth > outside) {
			uint32_t within = s->depth - outside - 1;

			object = objects[within >> 6] >> (within & 63) & 1;
			if (object ? pp_scan_key(s, &key) : pp_scan_item(s))
				break;
			if (s->error != PP_SCAN_OK)
				return false;
		}
	} while (s->depth > outside);
	if (raw)
		*raw = pp_slice_of(begin, (size_t)(s->cur - begin));
	return true;
}

/* ---- values ----------------------------------------------------------------------------- */

/* The next character of a string's value as UTF-8 in out; returns its bytes. Moves *p on. */
static size_t
next_char(const unsigned char **p, const unsigned char *end, unsigned char out[4])
{
	uint32_t code = 0;
	size_t n;

	if (**p != '\\') {
		out[0] = *(*p)++;
		return 1;
	}
	if (PP_LIKELY(end - *p > 1 && (*p)[1] == '\\')) {
		out[0] = '\\';
		*p += 2;
		return 1;
	}
	n = escape_decode(*p, end, &code);
	*p += n ? n : 1; /* n is never 0: the scanner let this string through */
	return pp_utf8_encode(is_surrogate(code) ? 0xfffd : code, out);
}

struct pp_slice
pp_json_str_value(struct pp_json_str s, struct pp_arena *arena)
{
	const unsigned char *p = s.raw.p, *end = s.raw.p + s.raw.n;
	unsigned char *value;
	size_t n = 0;

	if (!s.escaped)
		return s.raw;
	/* A character never takes more bytes than its escape, and next_char() may write four at the end. */
	value = pp_arena_alloc(arena, s.raw.n + 4);
	if (!value)
		return pp_slice_of(NULL, s.raw.n);
	while (p < end) {
		const unsigned char *escape = memchr(p, '\\', (size_t)(end - p));
		size_t plain = (size_t)((escape ? escape : end) - p);

		memcpy(value + n, p, plain);
		n += plain;
		p += plain;
		if (escape)
			n += next_char(&p, end, value + n);
	}
	return pp_slice_of(value, n);
}

int
pp_json_str_cmp(struct pp_json_str a, struct pp_json_str b)
{
	const unsigned char *p = a.raw.p, *q = b.raw.p;
	const unsigned char *p_end = p + a.raw.n, *q_end = q + b.raw.n;
	unsigned char x[4], y[4];
	size_t i = 0, j = 0, m = 0, n = 0;

	if (!a.escaped && !b.escaped)
		return pp_slice_cmp(a.raw, b.raw);
	for (;; i++, j++) {
		if (i == m) {
			i = 0;
			m = p == p_end ? 0 : next_char(&p, p_end, x);
		}
		if (j == n) {
			j = 0;
			n = q == q_end ? 0 : next_char(&q, q_end, y);
		}
		if (!m || !n)
			return (m > 0) - (n > 0);
		if (x[i] != y[j])
			return x[i] < y[j] ? -1 : 1;
	}
}

bool
pp_json_str_eq_slow(struct pp_json_str s, struct pp_slice value)
{
	/* Bytes that are no escapes: a backslash in `value` must not be taken for one. */
	const unsigned char *p = s.raw.p, *end = s.raw.p + s.raw.n;
	unsigned char c[4];
	size_t at = 0;

	while (p < end) {
		size_t n = next_char(&p, end, c);

		if (value.n - at < n || memcmp(value.p + at, c, n) != 0)
			return false;
		at += n;
	}
	return at == value.n;
}

unsigned
pp_json_names_find(struct pp_json_names *t, struct pp_json_str key)
{
	unsigned tried;

	for (tried = 0; tried < t->count; tried++) {
		unsigned at = t->next;
		bool same;

		if (PP_LIKELY(!key.escaped))
			same = key.raw.n == t->names[at].n &&
			       pp_same_bytes(key.raw.p, t->names[at].p, key.raw.n);
		else
			same = pp_json_str_eq_slow(key, t->names[at]);
		t->next = at + 1 < t->count ? at + 1 : 0;
		if (same)
			return at;
	}
	return t->count;
}

bool
pp_scan_named_key(struct pp_scan *s, struct pp_json_names *t, struct pp_json_str *key,
                  unsigned *index)
{
	const struct pp_slice *name = &t->names[t->next];
	const unsigned char *p;

	if (!pp_scan_member(s, '}'))
		return false;
	p = s->cur;
	/* The key that is expected here, in its plainest form, is recognised without scanning it. */
	if (PP_LIKELY((size_t)(s->end - p) > name->n + 2 && p[0] == '"' && p[name->n + 1] == '"' &&
	              p[name->n + 2] == ':' && pp_same_bytes(p + 1, name->p, name->n))) {
		*key = (struct pp_json_str){ .raw = { p + 1, name->n } };
		*index = t->next;
		t->next = t->next + 1 < t->count ? t->next + 1 : 0;
		s->cur = p + name->n + 3;
		return true;
	}
	if (!pp_scan_key_here(s, key))
		return false;
	*index = pp_json_names_find(t, *key);
	return true;
}

const char *
pp_scan_error_text(enum pp_scan_error error)
{
	static const char *const texts[] = {
		[PP_SCAN_OK] = "no error",
		[PP_SCAN_E_END] = "the JSON ends in the middle",
		[PP_SCAN_E_VALUE] = "a JSON value is expected here",
		[PP_SCAN_E_WORD] = "not a JSON value; the only words are true, false and null",
		[PP_SCAN_E_NUMBER] = "not a JSON number",
		[PP_SCAN_E_KEY] = "a key in double quotes is expected here",
		[PP_SCAN_E_COLON] = "a ':' is expected after the key",
		[PP_SCAN_E_COMMA] = "a ',' or the closing bracket is expected here",
		[PP_SCAN_E_TRAILING] = "a comma before the closing bracket",
		[PP_SCAN_E_CONTROL] = "a control character in a string must be escaped",
		[PP_SCAN_E_ESCAPE] = "not a JSON escape sequence",
		[PP_SCAN_E_SURROGATE] = "half of a surrogate pair",
		[PP_SCAN_E_UTF8] = "not valid UTF-8",
		[PP_SCAN_E_DEPTH] = "nested too deep",
		[PP_SCAN_E_MORE] = "something follows the JSON value",
		[PP_SCAN_E_TYPE] = "a value of another type is expected here",
	};

	return (unsigned)error < PP_COUNT_OF(texts) ? texts[error] : "unknown error";
}

/* Stands the scanner at the value of a key of the object that comes next. */
static bool
path_key(struct pp_scan *s, struct pp_slice key)
{
	struct pp_json_str found;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s))
		return false;
	while (pp_scan_key(s, &found)) {
		if (found.escaped ? pp_json_str_eq_slow(found, key) : pp_slice_eq(found.raw, key))
			return pp_scan_peek(s) != PP_JSON_NOTHING;
		(void)pp_scan_skip(s, NULL);
	}
	return false;
}

/* The same for an item of the array that comes next. */
static bool
path_item(struct pp_scan *s, uint32_t index)
{
	if (pp_scan_peek(s) != PP_JSON_ARRAY || !pp_scan_array(s))
		return false;
	while (pp_scan_item(s)) {
		if (index-- == 0)
			return pp_scan_peek(s) != PP_JSON_NOTHING;
		(void)pp_scan_skip(s, NULL);
	}
	return false;
}

bool
pp_scan_path(struct pp_scan *s, const char *path, const uint32_t *indices, const unsigned char **at)
{
	while (*path) {
		size_t n = strcspn(path, ".");

		if (*path == '#' ? !path_item(s, *indices++) : !path_key(s, pp_slice_of(path, n)))
			return false;
		if (at)
			*at = s->cur;
		path += n + (path[n] == '.');
	}
	return true;
}
