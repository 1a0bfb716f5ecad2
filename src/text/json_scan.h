/*
 * A pull scanner for JSON (RFC 8259): the caller asks for what it expects and gets slices of the input.
 *
 *     struct pp_scan s;
 *     struct pp_json_str key;
 *
 *     pp_scan_init(&s, line, 0, PP_SCAN_STRICT);
 *     if (pp_scan_object(&s))
 *             while (pp_scan_key(&s, &key))
 *                     if (pp_json_str_eq(key, "pid") && pp_scan_peek(&s) == PP_JSON_NUMBER)
 *                             pp_scan_number(&s, &pid);
 *                     else
 *                             pp_scan_skip(&s, NULL);
 *     if (!pp_scan_end(&s))
 *             complain(s.error, pp_scan_offset(&s));
 *
 * Everything is checked, also in what is skipped: grammar, numbers, escapes, surrogate pairs, UTF-8,
 * depth. Nothing is allocated and nothing is copied. Errors are sticky: the first one is kept with the
 * offset of the byte that is wrong, and every later call returns false.
 *
 * The input must be followed by PP_SCAN_PAD readable bytes (pp_input guarantees that), whose values
 * do not matter.
 */
#ifndef PP_JSON_SCAN_H
#define PP_JSON_SCAN_H

#include "base/arena.h"
#include "base/decimal.h"
#include "base/common.h"

#define PP_SCAN_PAD 16
/* Nesting beyond this is refused unless the caller sets a limit, and always within a value that is skipped. */
#define PP_SCAN_DEPTH_MAX 4096

/* The values are pinned by tests. */
enum pp_scan_error {
	PP_SCAN_OK = 0,
	PP_SCAN_E_END = 1,        /* the input ends in the middle */
	PP_SCAN_E_VALUE = 2,      /* no value starts with this byte */
	PP_SCAN_E_WORD = 3,       /* not true, false or null */
	PP_SCAN_E_NUMBER = 4,     /* a number breaks off or has a leading zero */
	PP_SCAN_E_KEY = 5,        /* a key must be a string */
	PP_SCAN_E_COLON = 6,      /* no ':' after a key */
	PP_SCAN_E_COMMA = 7,      /* neither ',' nor the closing bracket after a value */
	PP_SCAN_E_TRAILING = 8,   /* a comma before the closing bracket */
	PP_SCAN_E_CONTROL = 9,    /* a raw control character in a string */
	PP_SCAN_E_ESCAPE = 10,    /* not an escape sequence */
	PP_SCAN_E_SURROGATE = 11, /* half of a surrogate pair */
	PP_SCAN_E_UTF8 = 12,      /* not UTF-8 */
	PP_SCAN_E_DEPTH = 13,     /* nested too deep */
	PP_SCAN_E_MORE = 14,      /* something follows the value */
	PP_SCAN_E_TYPE = 15       /* well-formed, but not of the type the caller asked for */
};

enum pp_json_type {
	PP_JSON_NOTHING, /* an error, or the end */
	PP_JSON_OBJECT,
	PP_JSON_ARRAY,
	PP_JSON_STRING,
	PP_JSON_NUMBER,
	PP_JSON_BOOL,
	PP_JSON_NULL
};

enum pp_scan_mode {
	PP_SCAN_STRICT,
	/* Control characters, stray bytes and half surrogate pairs in strings are let through and flagged. */
	PP_SCAN_TOLERANT
};

/* A string: the bytes between its quotes. Without escapes they are its value. */
struct pp_json_str {
	struct pp_slice raw;
	bool escaped; /* has escapes: see pp_json_str_value() */
	bool odd;     /* tolerant mode let something through */
};

/* A number: its text, and for integers its value. */
struct pp_json_num {
	struct pp_slice text;
	uint64_t magnitude; /* of an integer that fits */
	bool integer;       /* neither fraction nor exponent */
	bool fits;          /* an integer whose magnitude has at most 64 bits */
	bool negative;
};

struct pp_scan {
	const unsigned char *cur, *end, *begin;
	const unsigned char *error_at;
	enum pp_scan_error error;
	enum pp_scan_mode mode;
	bool after_value; /* a comma or a closing bracket comes next */
	uint32_t depth, max_depth;
};

/* `max_depth` 0 means PP_SCAN_DEPTH_MAX. */
void pp_scan_init(struct pp_scan *, struct pp_slice, uint32_t max_depth, enum pp_scan_mode);
/* The type of the value that comes next; PP_JSON_NOTHING (and the error set) when none does. */
static inline enum pp_json_type pp_scan_peek(struct pp_scan *);

/* Enters an object; then pp_scan_key() until it returns false, with one value taken after each key. */
bool pp_scan_object(struct pp_scan *);
/* The next key; false when the object has ended (its bracket is then taken) or at an error. */
static inline bool pp_scan_key(struct pp_scan *, struct pp_json_str *key);
/* Enters an array; then pp_scan_item() until it returns false, with one value taken after each. */
bool pp_scan_array(struct pp_scan *);
/* Whether another item follows; false when the array has ended or at an error. */
static inline bool pp_scan_item(struct pp_scan *);

/*
 * Within an array: takes the next items as long as they are small unsigned integers written plainly, at
 * most `cap`; returns how many. Only a faster way for long lists of ids: whatever it does not take is
 * still there for pp_scan_item().
 */
size_t pp_scan_plain_u64s(struct pp_scan *, uint64_t *out, size_t cap);

/* Scalars; PP_SCAN_E_TYPE when the value is something else. */
bool pp_scan_string(struct pp_scan *, struct pp_json_str *);
bool pp_scan_number(struct pp_scan *, struct pp_json_num *);
bool pp_scan_bool(struct pp_scan *, bool *);
bool pp_scan_null(struct pp_scan *);
/* Passes over any value, checking it all; `raw` (or NULL) gets its text. */
bool pp_scan_skip(struct pp_scan *, struct pp_slice *raw);
/*
 * Goes to a value within the one that comes next: a path of keys and, as #, of places in arrays, which are
 * taken from `indices` ("events.#.name"). *at (or NULL) moves along, and stays at what was found last when
 * the path leads no further; then the result is false.
 */
bool pp_scan_path(struct pp_scan *, const char *path, const uint32_t *indices,
                  const unsigned char **at);
/* Whether the input ends here but for whitespace, and no error occurred before. */
bool pp_scan_end(struct pp_scan *);

/* Where the error is, counted from the start of the input. */
static inline size_t
pp_scan_offset(const struct pp_scan *s)
{
	return (size_t)(s->error_at - s->begin);
}

/* A constant sentence without full stop; never NULL. */
const char *pp_scan_error_text(enum pp_scan_error);

/*
 * The value of a string: itself without escapes, else decoded into the arena (NULL data with n > 0
 * when out of memory). Half surrogate pairs, which only tolerant mode lets through, become U+FFFD.
 */
struct pp_slice pp_json_str_value(struct pp_json_str, struct pp_arena *);
/* Compares values, escapes or not, without allocating. */
bool pp_json_str_eq_slow(struct pp_json_str, struct pp_slice);
int pp_json_str_cmp(struct pp_json_str, struct pp_json_str);

static inline bool
pp_json_str_eq(struct pp_json_str s, const char *z)
{
	return PP_LIKELY(!s.escaped) ? pp_slice_eq_z(s.raw, z)
	                             : pp_json_str_eq_slow(s, pp_slice_z(z));
}

/* An integer as 64 bits; false when it is not one or does not fit. */
static inline bool
pp_json_num_u64(const struct pp_json_num *num, uint64_t *out)
{
	*out = num->magnitude;
	return num->fits && !(num->negative && num->magnitude);
}

static inline bool
pp_json_num_i64(const struct pp_json_num *num, int64_t *out)
{
	*out = (int64_t)(num->negative ? 0 - num->magnitude : num->magnitude);
	return num->fits && num->magnitude <= (uint64_t)INT64_MAX + num->negative;
}

/* Any number, exactly where that is possible; false when it is whole and past 64 bits, or not finite. */
static inline bool
pp_json_num_decimal(const struct pp_json_num *num, struct pp_decimal *out)
{
	if (!num->integer)
		return pp_decimal_parse(num->text, out);
	*out = (struct pp_decimal){ .magnitude = num->magnitude, .negative = num->negative };
	return num->fits && (!num->negative || num->magnitude <= (uint64_t)INT64_MAX + 1);
}

/*
 * Known keys. Records of one kind nearly always have their keys in the same order, so the search starts
 * behind the key found last, and the key that is expected is not even scanned. Names are plain ASCII
 * without characters that JSON would escape; there is at least one.
 */
struct pp_json_names {
	const struct pp_slice *names;
	unsigned count;
	unsigned next;
};

/* Like pp_scan_key(), with the key's index in the list, `count` when it is not there. */
bool pp_scan_named_key(struct pp_scan *, struct pp_json_names *, struct pp_json_str *key,
                       unsigned *index);
/* The index of a key in the list, `count` when it is not there. */
unsigned pp_json_names_find(struct pp_json_names *, struct pp_json_str key);
/* Notes key `index` (< 64) in a set that the caller clears for each object; false when it was there. */
static inline bool
pp_json_seen_once(uint64_t *set, unsigned index)
{
	uint64_t bit = (uint64_t)1 << index;
	bool once = !(*set & bit);

	*set |= bit;
	return once;
}

/* ---- the hot part, inline so that a reader's loop over an object or array needs few calls ---- */

/* The type of value that each byte starts. */
extern const unsigned char pp_json_type_of_byte[256];

/* Notes the first error, at a byte; always false. From then on the scanner is at its end. */
bool pp_scan_fail(struct pp_scan *, enum pp_scan_error, const unsigned char *at);
enum pp_json_type pp_scan_no_value(struct pp_scan *);
/* The key at the cursor and its colon. */
bool pp_scan_key_here(struct pp_scan *, struct pp_json_str *key);

/* The next byte that is not whitespace, or the end. */
static inline const unsigned char *
pp_scan_space(const unsigned char *p, const unsigned char *end)
{
	while (PP_UNLIKELY(p < end && *p <= ' ') &&
	       (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

static inline enum pp_json_type
pp_scan_peek(struct pp_scan *s)
{
	s->cur = pp_scan_space(s->cur, s->end);
	if (PP_LIKELY(s->cur < s->end && pp_json_type_of_byte[*s->cur] != PP_JSON_NOTHING))
		return (enum pp_json_type)pp_json_type_of_byte[*s->cur];
	return pp_scan_no_value(s);
}

/*
 * Passes the comma before the next member of an object or array. False when there is none: the closing
 * bracket was taken, or there was an error.
 */
static inline bool
pp_scan_member(struct pp_scan *s, unsigned char bracket)
{
	const unsigned char *p = pp_scan_space(s->cur, s->end);
	const unsigned char *comma = p;

	if (PP_UNLIKELY(p >= s->end))
		return pp_scan_fail(s, PP_SCAN_E_END, p);
	if (*p == bracket) {
		s->depth--;
		s->cur = p + 1;
		s->after_value = true;
		return false;
	}
	if (s->after_value) {
		if (PP_UNLIKELY(*p != ','))
			return pp_scan_fail(s, PP_SCAN_E_COMMA, p);
		p = pp_scan_space(p + 1, s->end);
		if (PP_UNLIKELY(p < s->end && *p == bracket))
			return pp_scan_fail(s, PP_SCAN_E_TRAILING, comma);
	}
	s->cur = p;
	s->after_value = false;
	return true;
}

static inline bool
pp_scan_key(struct pp_scan *s, struct pp_json_str *key)
{
	return pp_scan_member(s, '}') && pp_scan_key_here(s, key);
}

static inline bool
pp_scan_item(struct pp_scan *s)
{
	return pp_scan_member(s, ']');
}

#endif
