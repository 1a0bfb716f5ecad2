/*
 * Python's marshal into rows.
 */
#include "formats/small/marshal.h"

#include <math.h>

#define REF_FLAG 0x80
#define LONG_DIGIT 15
#define PLAIN_MAX 4

static bool
fail(struct pp_marshal *m, const char *problem)
{
	m->problem = m->problem ? m->problem : problem;
	return false;
}

static bool
no_memory(struct pp_marshal *m)
{
	m->no_memory = true;
	return fail(m, "out of memory");
}

/* ---- bytes -------------------------------------------------------------------------------- */

static bool
bytes_take(struct pp_marshal *m, size_t n, const unsigned char **at)
{
	if ((size_t)(m->end - m->cur) < n)
		return fail(m, "it ends in the middle");
	*at = m->cur;
	m->cur += n;
	return true;
}

/* An unsigned number of n bytes, the lowest first. */
static inline uint64_t
number_at(const unsigned char *at, unsigned n)
{
	uint64_t number = 0;

	while (n-- > 0)
		number = number << 8 | at[n];
	return number;
}

static bool
number_take(struct pp_marshal *m, unsigned n, uint64_t *out)
{
	const unsigned char *at;

	if (!bytes_take(m, n, &at))
		return false;
	*out = number_at(at, n);
	return true;
}

/* A count of things that take a byte each at least. */
static bool
count_take(struct pp_marshal *m, unsigned bytes, uint32_t *out)
{
	uint64_t n;

	if (!number_take(m, bytes, &n))
		return false;
	*out = (uint32_t)n;
	return n <= (uint64_t)(m->end - m->cur) || fail(m, "it claims more than there is");
}

/* ---- scalars ------------------------------------------------------------------------------ */

static bool
text_take(struct pp_marshal *m, unsigned count_bytes, struct pp_py_row *row)
{
	uint32_t n;

	row->type = PP_PY_TEXT;
	row->size = (uint8_t)count_bytes;
	return count_take(m, count_bytes, &n) && bytes_take(m, n, &row->at);
}

static bool
int_take(struct pp_marshal *m, unsigned bytes, struct pp_py_row *row)
{
	uint64_t n;

	if (!number_take(m, bytes, &n))
		return false;
	row->type = PP_PY_INT;
	row->whole = bytes == 4 ? (int32_t)n : (int64_t)n;
	return true;
}

/* Digits of 15 bits; what exceeds 64 bits is no number of use. */
static bool
long_take(struct pp_marshal *m, struct pp_py_row *row)
{
	uint64_t count, digit, value = 0, digits, i;
	bool fits = true;

	if (!number_take(m, 4, &count))
		return false;
	digits = (int32_t)count < 0 ? (uint64_t)(-(int64_t)(int32_t)count) : count;
	for (i = 0; i < digits; i++) {
		if (!number_take(m, 2, &digit))
			return false;
		fits &= digit < 1 << LONG_DIGIT && (i < 4 || (i == 4 && digit < 8) || digit == 0);
		value |= i < 5 ? digit << i * LONG_DIGIT : 0;
	}
	row->type = fits && value <= INT64_MAX ? PP_PY_INT : PP_PY_NONE;
	row->whole = (int32_t)count < 0 ? -(int64_t)(value & INT64_MAX)
	                                : (int64_t)(value & INT64_MAX);
	return true;
}

static bool
real_take(struct pp_marshal *m, bool binary, struct pp_py_row *row)
{
	uint64_t bits;
	uint32_t n;
	const unsigned char *at;

	row->type = PP_PY_FLOAT;
	if (binary) {
		if (!number_take(m, 8, &bits))
			return false;
		memcpy(&row->real, &bits, sizeof bits);
		return true;
	}
	if (!count_take(m, 1, &n) || !bytes_take(m, n, &at))
		return false;
	if (!pp_num_double(pp_slice_of(at, n), &row->real))
		row->type = PP_PY_NONE;
	return true;
}

/* ---- objects ------------------------------------------------------------------------------ */

/* What another object of that number is; one that is not read to its end holds itself. */
static bool
same_take(struct pp_marshal *m, struct pp_py_row *row, bool interned)
{
	uint64_t n;
	const struct pp_py_row *as;

	if (!number_take(m, 4, &n))
		return false;
	if (n >= (interned ? m->interned.n : m->refs.n))
		return fail(m, "it names an object that is not there");
	row->type = PP_PY_SAME;
	row->as = interned ? m->interned.at[n] : m->refs.at[n];
	as = &m->rows.at[row->as];
	if (as->open)
		return fail(m, "an object holds itself");
	if (as->type == PP_PY_SAME)
		row->as = as->as;
	return true;
}

/*
 * Code begins with four to six numbers, by the version of Python; a text of bytes follows them, and by then it is known how
 * many they were.
 */
static bool
code_take(struct pp_marshal *m, struct pp_py_row *row)
{
	size_t left = (size_t)(m->end - m->cur), n;

	for (n = 16; n <= 24 && n < left; n += 4)
		if ((m->cur[n] & ~REF_FLAG) == 's' || (m->cur[n] & ~REF_FLAG) == 'r') {
			row->type = PP_PY_CODE;
			row->open = true;
			m->cur += n;
			return true;
		}
	return fail(m, "it holds code of no Python that is known");
}

/* The number that stands at a place, or the one that is named there; false when there is none. */
static inline bool
plain_at(const struct pp_marshal *m, const unsigned char *at, struct pp_py_row *out)
{
	uint64_t bits = number_at(at + 1, 4);

	out->type = PP_PY_INT;
	if (*at == 'i') {
		out->whole = (int32_t)bits;
	} else if (*at == 'g') {
		bits = number_at(at + 1, 8);
		out->type = PP_PY_FLOAT;
		memcpy(&out->real, &bits, sizeof bits);
	} else {
		if (*at != 'r' || bits >= m->refs.n)
			return false;
		*out = m->rows.at[m->refs.at[bits]];
	}
	return out->type == PP_PY_INT || out->type == PP_PY_FLOAT;
}

static inline size_t
plain_size(unsigned char code)
{
	return code == 'g' ? 9 : 5;
}

/* Takes a tuple of a few numbers at once, as most are; false when it is none, or one of them is named later on. */
static bool
plain_tuple_take(struct pp_marshal *m, uint32_t n, struct pp_py_row *row)
{
	const unsigned char *at = m->cur;
	struct pp_py_row number;
	uint32_t i;

	if (n == 0 || n > PLAIN_MAX || (size_t)(m->end - at) < 9 * (size_t)n)
		return false;
	for (i = 0; i < n; i++) {
		if (!plain_at(m, at, &number))
			return false;
		at += plain_size(*at);
	}
	*row = (struct pp_py_row){ .type = PP_PY_PLAIN, .size = (uint8_t)n, .at = m->cur };
	m->cur = at;
	return true;
}

/* A tuple, list or dict begins; `left` is how many follow in it, and nothing is known of a dict. */
static bool
container_take(struct pp_marshal *m, unsigned char code, struct pp_py_row *row, uint32_t *left)
{
	row->type = code == '{' ? PP_PY_DICT : PP_PY_TUPLE;
	row->open = true;
	if (code == '{')
		return true;
	if (!count_take(m, code == ')' ? 1 : 4, left))
		return false;
	(void)plain_tuple_take(m, *left, row);
	return true;
}

static bool
body_take(struct pp_marshal *m, unsigned char code, struct pp_py_row *row, uint32_t *left)
{
	const unsigned char *skipped;

	switch (code) {
	case 'N':
	case 'T':
	case 'F':
	case 'S':
	case '.':
		return true;
	case 'i':
	case 'I':
		return int_take(m, code == 'i' ? 4 : 8, row);
	case 'l':
		return long_take(m, row);
	case 'g':
	case 'f':
		return real_take(m, code == 'g', row);
	case 'y':
		return bytes_take(m, 16, &skipped);
	case 's':
	case 't':
	case 'u':
	case 'a':
	case 'A':
		return text_take(m, 4, row);
	case 'z':
	case 'Z':
		return text_take(m, 1, row);
	case 'r':
	case 'R':
		return same_take(m, row, code == 'R');
	case '(':
	case ')':
	case '[':
	case '<':
	case '>':
	case '{':
		return container_take(m, code, row, left);
	case 'c':
		return code_take(m, row);
	default:
		m->cur--;
		return fail(m, "it holds something else than plain data");
	}
}

/* Hangs a row on the innermost one that is open. */
static void
row_hang(struct pp_marshal *m, uint32_t row)
{
	struct pp_py_open *in;

	if (!m->open.n)
		return;
	in = &m->open.at[m->open.n - 1];
	if (in->last)
		m->rows.at[in->last].next = row;
	else
		m->rows.at[in->row].first = row;
	in->last = row;
	in->left -= in->left > 0;
	m->rows.at[in->row].n++;
}

static bool
row_take(struct pp_marshal *m, unsigned char code)
{
	struct pp_py_row row = { 0 };
	uint32_t at = (uint32_t)m->rows.n, left = 0;
	unsigned char plain = code & (unsigned char)~REF_FLAG;

	if (!body_take(m, plain, &row, &left))
		return false;
	if (at >= UINT32_MAX - 1 || !pp_vec_push(&m->rows, row) ||
	    (code & REF_FLAG && plain != 'r' && !pp_vec_push(&m->refs, at)) ||
	    (plain == 't' && !pp_vec_push(&m->interned, at)))
		return no_memory(m);
	row_hang(m, at);
	if (!row.open)
		return true;
	if (m->open.n >= PP_MARSHAL_DEPTH)
		return fail(m, "it is nested too deep");
	return pp_vec_push(&m->open, (struct pp_py_open){ .row = at, .left = left }) ||
	       no_memory(m);
}

/* The parts of code that are read: those of 3.11 and later have a text of bytes at the fifth place, before that it is a tuple. */
enum {
	CODE_MARK = 5,
	CODE_OLD_FILE = 7,
	CODE_FILE = 6,
	CODE_LINE_BEHIND = 8,
	CODE_OLD_PARTS = 9,
	CODE_PARTS = 10
};

/* Part number `n` of code, from 1; 0 when there is none. */
static uint32_t
code_part(const struct pp_marshal *m, const struct pp_py_row *code, unsigned n)
{
	uint32_t part = code->first;

	while (part && --n > 0)
		part = m->rows.at[part].next;
	return part;
}

static bool
code_is_new(const struct pp_marshal *m, const struct pp_py_row *code)
{
	return pp_py_at(m, code_part(m, code, CODE_MARK))->type == PP_PY_TEXT;
}

/* Whether code is at its end; its first line is no object and stands between its parts. */
static bool
code_ends(struct pp_marshal *m, struct pp_py_open *in)
{
	const struct pp_py_row *code = &m->rows.at[in->row];
	uint64_t line;

	if (code->n == CODE_LINE_BEHIND && number_take(m, 4, &line))
		in->line = (uint32_t)line;
	return code->n >= CODE_OLD_PARTS &&
	       code->n >= (code_is_new(m, code) ? CODE_PARTS : CODE_OLD_PARTS);
}

/* Closes what has come to its end: tuples that are full, and the dict that a null ends. */
static bool
ends_take(struct pp_marshal *m, bool null)
{
	while (m->open.n) {
		struct pp_py_open *in = &m->open.at[m->open.n - 1];
		struct pp_py_row *row = &m->rows.at[in->row];
		bool dict = row->type == PP_PY_DICT;

		if (row->type == PP_PY_CODE ? null || !code_ends(m, in)
		    : dict                  ? !null
		                            : in->left > 0)
			break;
		if (dict && row->n % 2)
			return fail(m, "a key has no value");
		null = null && !dict;
		row->open = false;
		if (row->type == PP_PY_CODE)
			row->n = in->line;
		m->open.n--;
	}
	return (!null && !m->problem) || fail(m, "a null stands where no dict ends");
}

/* What most of it is, numbers and objects that were there before, one after the other within a tuple; whatever else comes is not looked at. */
static bool
plain_take(struct pp_marshal *m)
{
	struct pp_py_open *in = m->open.n ? &m->open.at[m->open.n - 1] : NULL;

	while (in && in->left && m->end - m->cur > 8) {
		unsigned char code = *m->cur & (unsigned char)~REF_FLAG;
		struct pp_py_row row = { .type = PP_PY_INT };
		uint32_t at = (uint32_t)m->rows.n;
		uint64_t bits;

		if ((code != 'i' && code != 'g' && *m->cur != 'r') || at >= UINT32_MAX - 1)
			break;
		bits = code == 'g' ? number_at(m->cur + 1, 8) : number_at(m->cur + 1, 4);
		if (code == 'i') {
			row.whole = (int32_t)bits;
		} else if (code == 'g') {
			row.type = PP_PY_FLOAT;
			memcpy(&row.real, &bits, sizeof bits);
		} else {
			if (bits >= m->refs.n || m->rows.at[m->refs.at[bits]].open ||
			    m->rows.at[m->refs.at[bits]].type == PP_PY_SAME)
				break;
			row.type = PP_PY_SAME;
			row.as = m->refs.at[bits];
		}
		if (!pp_vec_push(&m->rows, row) ||
		    (*m->cur & REF_FLAG && !pp_vec_push(&m->refs, at)))
			return no_memory(m);
		*(in->last ? &m->rows.at[in->last].next : &m->rows.at[in->row].first) = at;
		m->rows.at[in->row].n++;
		in->last = at;
		m->cur += code == 'g' ? 9 : 5;
		if (--in->left == 0)
			return ends_take(m, false);
	}
	return true;
}

/* Whether what is open may be at its end without a null. */
static inline bool
may_end(const struct pp_marshal *m)
{
	const struct pp_py_open *in = m->open.n ? &m->open.at[m->open.n - 1] : NULL;

	return in && !in->left && m->rows.at[in->row].type != PP_PY_DICT;
}

bool
pp_marshal_read(struct pp_marshal *m, struct pp_slice bytes)
{
	m->cur = bytes.p;
	m->end = bytes.p + bytes.n;
	if (!pp_vec_push(&m->rows, (struct pp_py_row){ 0 }))
		return no_memory(m);
	do {
		unsigned char code;

		if (m->cur == m->end)
			return fail(m, "it ends in the middle");
		code = *m->cur++;
		if (code == '0' ? !ends_take(m, true)
		                : !row_take(m, code) || (may_end(m) && !ends_take(m, false)) ||
		                      !plain_take(m))
			return false;
	} while (m->open.n);
	return true;
}

void
pp_marshal_release(struct pp_marshal *m)
{
	pp_vec_release(&m->rows);
	pp_vec_release(&m->refs);
	pp_vec_release(&m->interned);
	pp_vec_release(&m->open);
}

/* ---- what is in them ---------------------------------------------------------------------- */

bool
pp_py_tuple(const struct pp_marshal *m, uint32_t row, uint32_t *out, unsigned n)
{
	const struct pp_py_row *tuple = pp_py_at(m, row);
	uint32_t item;
	unsigned i;

	if (tuple->type != PP_PY_TUPLE || tuple->n != n)
		return false;
	for (i = 0, item = tuple->first; i < n; i++, item = m->rows.at[item].next)
		out[i] = item;
	return true;
}

bool
pp_py_items(const struct pp_marshal *m, uint32_t row, struct pp_py_row *out, unsigned n)
{
	const struct pp_py_row *tuple = pp_py_at(m, row);
	const unsigned char *at;
	uint32_t item;
	unsigned i;

	if (tuple->type == PP_PY_PLAIN) {
		if (tuple->size != n)
			return false;
		for (i = 0, at = tuple->at; i < n; i++, at += plain_size(*at))
			(void)plain_at(m, at, &out[i]);
		return true;
	}
	if (tuple->type != PP_PY_TUPLE || tuple->n != n)
		return false;
	for (i = 0, item = tuple->first; i < n; i++, item = m->rows.at[item].next)
		out[i] = *pp_py_at(m, item);
	return true;
}

bool
pp_py_real(const struct pp_py_row *r, double *out)
{
	*out = r->type == PP_PY_FLOAT ? r->real : (double)r->whole;
	return (r->type == PP_PY_FLOAT && isfinite(r->real)) || r->type == PP_PY_INT;
}

bool
pp_py_whole(const struct pp_py_row *r, int64_t *out)
{
	*out = r->whole;
	return r->type == PP_PY_INT;
}

bool
pp_py_text(const struct pp_marshal *m, uint32_t row, struct pp_slice *out)
{
	const struct pp_py_row *r = pp_py_at(m, row);

	if (r->type != PP_PY_TEXT)
		return false;
	*out = pp_slice_of(r->at, (size_t)number_at(r->at - r->size, r->size));
	return true;
}

bool
pp_py_code(const struct pp_marshal *m, uint32_t row, struct pp_slice *name, struct pp_slice *file,
           int32_t *line)
{
	const struct pp_py_row *code = pp_py_at(m, row);
	unsigned at;

	if (code->type != PP_PY_CODE)
		return false;
	at = code_is_new(m, code) ? CODE_FILE : CODE_OLD_FILE;
	*line = (int32_t)code->n;
	return pp_py_text(m, code_part(m, code, at), file) &&
	       pp_py_text(m, code_part(m, code, at + 1), name);
}
