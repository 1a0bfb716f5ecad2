/*
 * Decoding NYTProf records, table-driven: a version is a list of operands for each tag.
 */
#include "formats/nytprof/stream.h"

#include <math.h>

#include "base/slice.h"
#include "base/utf8.h"

/* Bytes of a comment that are looked at; the rest is skipped without being kept. */
#define COMMENT_KEPT ((size_t)64 << 10)

/* ---- layouts ---------------------------------------------------------------------------- */

static void
layout_common(struct pp_nyt_layout *l)
{
	l->operands[':'] = l->operands['!'] = l->operands['#'] = "l";
	l->operands['z'] = l->operands['-'] = "";
	l->operands['P'] = "uun";
	l->operands['p'] = "un";
	l->operands['@'] = "uuuuuut";
	l->operands['+'] = "uuu";
	l->operands['*'] = "uuuuu";
	l->operands['>'] = "uu";
	l->operands['<'] = "unnt";
	l->operands['S'] = "uut";
	l->operands['s'] = "utuu";
	l->operands['c'] = "uutunnnut";
}

/* What versions before 5 did differently, newest first; each adds to the ones above. */
static void
layout_age(struct pp_nyt_layout *l)
{
	if (l->major >= 4)
		return;
	l->has_cpu = true;
	l->operands['s'] = "utuux";
	l->operands['c'] = "uutunnnnnut";
	if (l->major == 3)
		return;
	l->has_caller = false;
	l->operands['s'] = "uuut";
	l->operands['c'] = "uuunnnnnut";
	if (l->major == 2 && l->minor >= 1)
		return;
	l->has_recursion = false;
	l->operands['P'] = "uu";
	l->operands['p'] = "u";
	l->operands['c'] = "uuunnnnt";
	if (l->major == 2)
		return;
	l->plain_strings = true;
	if (l->minor >= 2)
		return;
	l->has_cpu = false;
	l->operands['c'] = "uuut";
	if (l->minor == 0)
		l->operands['@'] = "uuut";
}

bool
pp_nyt_layout_init(struct pp_nyt_layout *l, unsigned major, unsigned minor)
{
	*l = (struct pp_nyt_layout){ .major = major,
		                     .minor = minor,
		                     .has_caller = true,
		                     .has_recursion = true,
		                     .number_size = 8 };
	if (major < 1 || major > 5)
		return false;
	layout_common(l);
	layout_age(l);
	return true;
}

static bool
digits_take(struct pp_slice *s, unsigned *out)
{
	size_t i = 0;

	for (*out = 0; i < s->n && i < 6 && pp_is_digit(s->p[i]); i++)
		*out = *out * 10 + (unsigned)(s->p[i] - '0');
	*s = pp_slice_from(*s, i);
	return i > 0;
}

bool
pp_nyt_version_parse(struct pp_slice line, unsigned *major, unsigned *minor)
{
	/* Anything may follow the two numbers. */
	return pp_slice_take(&line, "NYTProf ") && digits_take(&line, major) &&
	       pp_slice_take(&line, " ") && digits_take(&line, minor) &&
	       (line.n == 0 || line.p[0] == ' ' || line.p[0] == '\r');
}

/* ---- numbers ---------------------------------------------------------------------------- */

static uint64_t
swap64(uint64_t v)
{
	return __builtin_bswap64(v);
}

static double
from_bits(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof d);
	return d;
}

/* 64-bit mantissa with its leading one, 15-bit exponent, sign. */
static double
from_x87(const unsigned char *p)
{
	uint64_t mantissa = pp_load64(p);
	unsigned top = (unsigned)p[8] | (unsigned)p[9] << 8;
	int exponent = (int)(top & 0x7fff);
	double d;

	if (exponent == 0x7fff)
		d = mantissa << 1 ? (double)NAN : (double)INFINITY;
	else
		d = ldexp((double)mantissa, exponent - 16383 - 63);
	return top & 0x8000 ? -d : d;
}

/* 112-bit fraction, 15-bit exponent, sign; `high` holds the upper half. */
static double
from_quad(uint64_t high, uint64_t low)
{
	int exponent = (int)(high >> 48 & 0x7fff);
	uint64_t top = high & 0xffffffffffffu;
	double d;

	if (exponent == 0x7fff)
		d = top | low ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		d = 0.0;
	else
		d = ldexp(1.0 + ldexp((double)top, -48) + ldexp((double)low, -112),
		          exponent - 16383);
	return high >> 63 ? -d : d;
}

double
pp_nyt_number_load(const struct pp_nyt_layout *l, const unsigned char *p)
{
	float f;

	switch (l->number) {
	case PP_NYT_DOUBLE:
		return from_bits(pp_load64(p));
	case PP_NYT_DOUBLE_SWAPPED:
		return from_bits(swap64(pp_load64(p)));
	case PP_NYT_FLOAT:
		memcpy(&f, p, sizeof f);
		return (double)f;
	case PP_NYT_X87:
		return from_x87(p);
	case PP_NYT_QUAD:
		return from_quad(pp_load64(p + 8), pp_load64(p));
	case PP_NYT_QUAD_SWAPPED:
		return from_quad(swap64(pp_load64(p)), swap64(pp_load64(p + 8)));
	}
	return 0.0;
}

bool
pp_nyt_number_guess(struct pp_nyt_layout *l, unsigned size, const unsigned char *time)
{
	static const enum pp_nyt_number of_8[] = { PP_NYT_DOUBLE, PP_NYT_DOUBLE_SWAPPED };
	static const enum pp_nyt_number of_12[] = { PP_NYT_X87 };
	static const enum pp_nyt_number of_16[] = { PP_NYT_X87, PP_NYT_QUAD, PP_NYT_QUAD_SWAPPED };
	static const enum pp_nyt_number of_4[] = { PP_NYT_FLOAT };
	const enum pp_nyt_number *choices = size == 8    ? of_8
	                                    : size == 12 ? of_12
	                                    : size == 16 ? of_16
	                                    : size == 4  ? of_4
	                                                 : NULL;
	size_t n = size == 8 ? 2 : size == 16 ? 3 : 1, i;

	if (!choices)
		return false;
	l->number_size = size;
	l->number = choices[0];
	for (i = 0; time && i < n; i++) {
		double d;

		l->number = choices[i];
		d = pp_nyt_number_load(l, time);
		if (d >= 1e6 && d <= 1e11) {
			l->number_known = true;
			return true;
		}
	}
	l->number = choices[0];
	return true;
}

size_t
pp_nyt_uint_store(unsigned char out[5], uint32_t v)
{
	size_t n = v < 0x80 ? 1 : v < 0x4000 ? 2 : v < 0x200000 ? 3 : v < 0x10000000 ? 4 : 5;
	static const unsigned char lead[] = { 0, 0, 0x80, 0xc0, 0xe0, 0xff };
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = (unsigned char)(n - 1 - i < 4 ? v >> 8 * (n - 1 - i) : 0);
	out[0] |= lead[n];
	return n;
}

/* ---- records ---------------------------------------------------------------------------- */

/* Where decoding stands. `short_by` is set when the bytes end too early. */
struct decoder {
	const unsigned char *p, *end;
	size_t short_by;
	bool bad;
};

static uint32_t
take_uint(struct decoder *d)
{
	size_t left = (size_t)(d->end - d->p), size = left ? pp_nyt_uint_size(*d->p) : 1;
	uint32_t v;

	if (left < size) {
		d->short_by = size - left;
		return 0;
	}
	d->p = pp_nyt_uint_load(d->p, &v);
	return v;
}

static double
take_number(struct decoder *d, const struct pp_nyt_layout *l)
{
	size_t left = (size_t)(d->end - d->p);
	double v;

	if (left < l->number_size) {
		d->short_by = l->number_size - left;
		return 0.0;
	}
	v = pp_nyt_number_load(l, d->p);
	d->p += l->number_size;
	return v;
}

static struct pp_slice
take_line(struct decoder *d)
{
	struct pp_slice rest = pp_slice_between(d->p, d->end), line;
	bool ended;

	line = pp_slice_cut(&rest, '\n', &ended);
	if (ended)
		d->p = rest.p;
	else
		d->short_by = 1;
	return line;
}

static struct pp_nyt_string
take_string(struct decoder *d, const struct pp_nyt_layout *l)
{
	struct pp_nyt_string s = { .bytes = { d->p, 0 } };
	uint32_t n;

	if (l->plain_strings) {
		s.bytes = take_line(d);
		return s;
	}
	if (d->p == d->end) {
		d->short_by = 2;
		return s;
	}
	if (*d->p != '\'' && *d->p != '"') {
		d->bad = true;
		return s;
	}
	s.utf8 = *d->p++ == '"';
	n = take_uint(d);
	if (d->short_by)
		return s;
	if (n > (size_t)(d->end - d->p)) {
		d->short_by = n - (size_t)(d->end - d->p);
		return s;
	}
	s.bytes = pp_slice_of(d->p, n);
	d->p += n;
	return s;
}

/* Skips the extra varints of version 3's sub records. */
static void
skip_extras(struct decoder *d)
{
	uint32_t n = take_uint(d);

	while (n-- && !d->short_by)
		(void)take_uint(d);
}

ptrdiff_t
pp_nyt_decode(const struct pp_nyt_layout *l, const unsigned char *p, const unsigned char *end,
              struct pp_nyt_record *r, size_t *need)
{
	struct decoder d = { p, end, 0, false };
	const char *operand;

	if (p == end) {
		*need = 1;
		return PP_NYT_MORE;
	}
	r->tag = *d.p++;
	operand = r->tag < 128 ? l->operands[r->tag] : NULL;
	if (!operand)
		return PP_NYT_BAD;
	r->uints = r->numbers = r->strings = 0;
	for (; *operand && !d.short_by && !d.bad; operand++) {
		if (*operand == 'u')
			r->u[r->uints++] = take_uint(&d);
		else if (*operand == 'n')
			r->n[r->numbers++] = take_number(&d, l);
		else if (*operand == 't')
			r->text[r->strings++] = take_string(&d, l);
		else if (*operand == 'l')
			r->text[r->strings++].bytes = take_line(&d);
		else
			skip_extras(&d);
	}
	if (d.bad)
		return PP_NYT_BAD;
	if (d.short_by) {
		*need = (size_t)(end - p) + d.short_by;
		return PP_NYT_MORE;
	}
	return d.p - p;
}

void
pp_nyt_call_of(const struct pp_nyt_layout *l, const struct pp_nyt_record *r, struct pp_nyt_call *c)
{
	unsigned reci = l->has_cpu ? 4 : 2;

	*c = (struct pp_nyt_call){ .fid = r->u[0], .line = r->u[1], .count = r->u[2] };
	c->incl = r->numbers > 0 ? r->n[0] : 0.0;
	c->excl = r->numbers > 1 ? r->n[1] : 0.0;
	if (l->has_recursion) {
		c->reci = r->n[reci];
		c->depth = r->u[3];
	}
	if (l->has_caller)
		c->caller = r->text[0];
	c->called = r->text[r->strings - 1];
}

void
pp_nyt_file_of(const struct pp_nyt_record *r, struct pp_nyt_file *f)
{
	*f = (struct pp_nyt_file){ r->u[0], r->u[1], r->u[2], r->uints > 3 ? r->u[3] : 0,
		                   r->text[0] };
}

void
pp_nyt_sub_of(const struct pp_nyt_record *r, struct pp_nyt_sub *s)
{
	*s = (struct pp_nyt_sub){ r->u[0], r->u[1], r->u[2], r->text[0] };
}

/* ---- names ------------------------------------------------------------------------------ */

void
pp_nyt_text_decode(struct pp_buf *out, struct pp_slice s)
{
	size_t i;

	if (pp_utf8_valid(s)) {
		pp_buf_add(out, s.p, s.n);
		return;
	}
	for (i = 0; i < s.n; i++) {
		unsigned char utf8[4];

		pp_buf_add(out, utf8, pp_utf8_encode(s.p[i], utf8));
	}
}

void
pp_nyt_name_decode(struct pp_buf *out, struct pp_slice name)
{
	size_t from = 0, i;

	for (i = 0; i + 1 < name.n; i++) {
		if (name.p[i] != ':' || name.p[i + 1] != ':')
			continue;
		pp_nyt_text_decode(out, pp_slice_of(name.p + from, i - from));
		pp_buf_adds(out, "::");
		from = i + 2;
		i++;
	}
	pp_nyt_text_decode(out, pp_slice_of(name.p + from, name.n - from));
}

/* ---- iterating -------------------------------------------------------------------------- */

bool
pp_nyt_stream_begin(struct pp_nyt_stream *s, struct pp_reader *reader, unsigned *major,
                    unsigned *minor)
{
	struct pp_input *in = reader->in;
	struct pp_slice rest, line;
	bool ended;

	s->reader = reader;
	(void)pp_input_need(in, 256);
	rest = pp_slice_between(in->cur, in->end);
	line = pp_slice_cut(&rest, '\n', &ended);
	if (!ended || !pp_nyt_version_parse(line, major, minor))
		return false;
	if (s->tap)
		s->tap(s->tap_ctx, in->cur, line.n + 1);
	in->cur = rest.p;
	return true;
}

/* Skips the rest of a comment that is too long to be worth keeping. */
static enum pp_nyt_step
skip_comment(struct pp_nyt_stream *s)
{
	for (;;) {
		struct pp_input *in = s->reader->in;
		const unsigned char *end = pp_line_end(in->cur, in->end);
		bool ended = end > in->cur && end[-1] == '\n';

		if (s->tap)
			s->tap(s->tap_ctx, in->cur, (size_t)(end - in->cur));
		in->cur = end;
		if (ended)
			return PP_NYT_RECORD;
		if (!pp_input_need(in, 1))
			return PP_NYT_CUT;
	}
}

enum pp_nyt_step
pp_nyt_stream_next(struct pp_nyt_stream *s)
{
	const size_t most = s->reader->limits.max_line < SIZE_MAX - 1
	                        ? (size_t)s->reader->limits.max_line
	                        : SIZE_MAX - 1;

	for (;;) {
		struct pp_input *in = s->reader->in;
		size_t need = 0, left = pp_input_left(in);
		ptrdiff_t n = pp_nyt_decode(&s->layout, in->cur, in->end, &s->record, &need);

		s->offset = pp_input_offset(in, in->cur);
		s->bytes = in->cur;
		if (PP_UNLIKELY(n > 0 && (uint64_t)n > most))
			return PP_NYT_TOO_LONG;
		if (PP_LIKELY(n > 0)) {
			in->cur += n;
			if (s->tap)
				s->tap(s->tap_ctx, s->bytes, (size_t)n);
			return PP_NYT_RECORD;
		}
		if (n == PP_NYT_BAD)
			return PP_NYT_DAMAGED;
		if (left > most && need > most && *in->cur != '#')
			return PP_NYT_TOO_LONG;
		if (left >= COMMENT_KEPT && *in->cur == '#') {
			s->record.text[0].bytes.n = 0;
			return skip_comment(s);
		}
		/* Lines have no length: look for their end in growing steps. */
		if (need == left + 1 && left > 64)
			need = left + left / 2;
		/*
		 * A claimed length is not trusted with memory: bytes come in steps, as they really exist, and
		 * no more than a record may have.
		 */
		if (pp_input_need(in, need < most ? need : most + 1) ||
		    pp_input_left(s->reader->in) > left)
			continue;
		return left == 0 ? PP_NYT_END : PP_NYT_CUT;
	}
}

pp_status
pp_nyt_stream_inflate(struct pp_nyt_stream *s)
{
	s->deflated = true;
	return s->reader->push_zlib(s->reader);
}
