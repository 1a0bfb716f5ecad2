/*
 * Locations of Gecko: one text for all that is known of a place in code.
 *
 *     0x7f12ab34                              an address without a name
 *     name (in lib) + 12                      native code; also (in lib) (file:line), and (in lib)
 *     name (url:line[:column])[source]        JavaScript; the url is what stands behind the last " -> "
 *     url:line[:column]                       the outermost code of a script
 *     anything else                           a label
 *
 * A name may itself have brackets, so texts are taken apart from behind; each way looks at a byte a few times at most.
 */
#include "formats/firefox/firefox.h"

#define IN " (in "
#define THUNK "non-virtual thunk to "
#define ARROW " -> "

/* The last occurrence of a word that begins before `end`; NULL when there is none. */
static const unsigned char *
last_of(struct pp_slice text, const unsigned char *end, const char *word)
{
	size_t n = strlen(word);
	const unsigned char *p;

	for (p = end; p-- > text.p;)
		if ((size_t)(text.p + text.n - p) >= n && memcmp(p, word, n) == 0)
			return p;
	return NULL;
}

/* Digits before `end` and the byte `before` them; *end goes to that byte. They are 0 where they exceed 32 bits. */
static bool
digits_before(const unsigned char *begin, const unsigned char **end, unsigned char before,
              uint32_t *out)
{
	const unsigned char *p = *end;
	uint64_t v;

	while (p > begin && pp_is_digit(p[-1]))
		p--;
	if (p == *end || p == begin || p[-1] != before)
		return false;
	*out = pp_num_u64(pp_slice_between(p, *end), &v) && v < FF_LEFT_OUT ? (uint32_t)v : 0;
	*end = p - 1;
	return true;
}

static void
native_set(struct pp_slice text, const unsigned char *in, const unsigned char *close,
           struct ff_location *l)
{
	l->name = pp_slice_between(text.p, in);
	l->module = pp_slice_between(in + strlen(IN), close);
	if (l->name.n >= strlen(THUNK) && memcmp(l->name.p, THUNK, strlen(THUNK)) == 0)
		l->name = pp_slice_from(l->name, strlen(THUNK));
}

/* name (in lib) up to `end`, which is behind the bracket. */
static bool
native_until(struct pp_slice text, const unsigned char *end, struct ff_location *l)
{
	const unsigned char *in;

	if (end <= text.p || end[-1] != ')')
		return false;
	in = last_of(text, end - 1, IN);
	if (!in || memchr(in + strlen(IN), ')', (size_t)(end - 1 - in - (ptrdiff_t)strlen(IN))))
		return false;
	native_set(text, in, end - 1, l);
	return true;
}

/* name (in lib) (file:line) */
static bool
native_with_place(struct pp_slice text, struct ff_location *l)
{
	const unsigned char *end = text.p + text.n, *close = NULL, *colon = NULL, *p;

	if (text.n < 2 || end[-1] != ')')
		return false;
	for (p = end - 1; p-- > text.p;) {
		if (*p == ':' && !colon)
			colon = p;
		if (*p == ')')
			close = p;
		if (close && (size_t)(end - p) > strlen(IN) && memcmp(p, IN, strlen(IN)) == 0 &&
		    p + strlen(IN) <= close && end - close > 3 && close[1] == ' ' &&
		    close[2] == '(' && colon && colon > close + 2) {
			native_set(text, p, close, l);
			return true;
		}
	}
	return false;
}

static bool
native_parse(struct pp_slice text, struct ff_location *l)
{
	const unsigned char *end = text.p + text.n, *p = end;
	uint32_t offset;

	if (digits_before(text.p, &p, ' ', &offset) && p - text.p >= 3 && p[-1] == '+' &&
	    p[-2] == ' ' && native_until(text, p - 2, l))
		return true;
	return native_with_place(text, l) || native_until(text, end, l);
}

/* url:line[:column], whose end is known; the beginning of the url is not yet. */
static bool
place_before(const unsigned char *begin, const unsigned char **end, struct ff_location *l)
{
	const unsigned char *p = *end, *further;
	uint32_t first, second;

	if (!digits_before(begin, &p, ':', &first))
		return false;
	further = p;
	if (digits_before(begin, &further, ':', &second) && further > begin) {
		l->line = second;
		l->column = first;
		*end = further;
		return true;
	}
	l->line = first;
	l->column = 0;
	*end = p;
	return p > begin;
}

static void
file_set(struct pp_slice url, struct ff_location *l)
{
	const unsigned char *arrow = last_of(url, url.p + url.n, ARROW);

	l->file = arrow ? pp_slice_between(arrow + strlen(ARROW), url.p + url.n) : url;
}

static bool
script_parse(struct pp_slice text, struct ff_location *l)
{
	const unsigned char *end = text.p + text.n, *p, *open;

	l->source = FF_NONE;
	if (text.n && end[-1] == ']') {
		p = end - 1;
		if (digits_before(text.p, &p, '[', &l->source))
			end = p;
		else
			l->source = FF_NONE;
	}
	if (end > text.p && end[-1] == ')') {
		open = last_of(text, end - 1, " (");
		p = end - 1;
		if (open && place_before(open + 2, &p, l)) {
			l->name = pp_slice_between(text.p, open);
			file_set(pp_slice_between(open + 2, p), l);
			return true;
		}
	}
	p = end;
	if (!place_before(text.p, &p, l))
		return false;
	l->root_scope = true;
	file_set(pp_slice_between(text.p, p), l);
	return true;
}

void
ff_location_parse(struct pp_slice text, struct ff_location *l)
{
	struct pp_slice digits;

	*l = (struct ff_location){ .name = text, .source = FF_NONE };
	if (text.n > 2 && memcmp(text.p, "0x", 2) == 0) {
		digits = pp_slice_from(text, 2);
		l->is_address = pp_num_hex(digits, &l->address);
		return;
	}
	if (native_parse(text, l) || script_parse(text, l))
		return;
	*l = (struct ff_location){ .name = text, .source = FF_NONE };
}

void
ff_func_upgrade(struct ff_read *r, struct pp_func_row *func, bool has_file)
{
	struct pp_slice text = pp_text_of(r->b->profile, has_file ? func->file : func->name);
	struct ff_location l = { .source = FF_NONE };
	const unsigned char *end = text.p + text.n;
	uint32_t line;

	if (has_file) {
		if (!text.n || !digits_before(text.p, &end, ':', &line) || end == text.p)
			return;
		func->column = func->line;
		func->line = line;
		func->file = pp_build_str(r->b, pp_slice_between(text.p, end));
		return;
	}
	if (!script_parse(text, &l) || l.source != FF_NONE)
		return;
	func->file = pp_build_str(r->b, l.file);
	func->name = l.root_scope ? func->file : pp_build_str(r->b, l.name);
	func->line = l.line;
	func->column = l.column;
}
