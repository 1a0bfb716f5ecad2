/*
 * The cells of rows under a budget: numbers, and texts that are spelled and clipped.
 */
#include "questions/excerpt.h"

#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "text/shorten.h"

#define CLIP_SHORT 60

/* ---- texts ---- */

/* Whether a character is not shown to a model as it is: nothing hidden reaches it. */
static bool
is_spelled(uint32_t code)
{
	/* Beside those that hide text wherever it is shown. */
	static const uint32_t ranges[][2] = {
		{ 0x7f, 0x7f }, /* DEL */
		{ 0x600,
		  0x605 }, /* Arabic signs: like all below that are named signs, of category Cf */
		{ 0x6dd, 0x6dd },     /* Arabic sign */
		{ 0x70f, 0x70f },     /* Syriac sign */
		{ 0x890, 0x891 },     /* Arabic signs */
		{ 0x8e2, 0x8e2 },     /* Arabic sign */
		{ 0x180b, 0x180f },   /* Mongolian variation selectors */
		{ 0x200b, 0x200f },   /* joiners */
		{ 0x2800, 0x2800 },   /* Braille without dots */
		{ 0xe000, 0xf8ff },   /* private use */
		{ 0xfdd0, 0xfdef },   /* no characters */
		{ 0xfe00, 0xfe0f },   /* variation selectors */
		{ 0x110bd, 0x110bd }, /* Kaithi sign */
		{ 0x110cd, 0x110cd }, /* Kaithi sign */
		{ 0x13430, 0x1343f }, /* signs of hieroglyphs */
		{ 0xe0000, 0x10ffff },
	};
	size_t i;

	if (code >= 0x20 && code < 0x7f)
		return false;
	for (i = 0; i < PP_COUNT_OF(ranges) && code >= ranges[i][0]; i++)
		if (code <= ranges[i][1])
			return true;
	return code < 0x20 || (code & 0xfffe) == 0xfffe || pp_utf8_hides(code);
}

/* The spelling of one character or stray byte at p; returns how many bytes it takes there. */
static size_t
spell_one(const unsigned char *p, size_t n, char out[16], size_t *length)
{
	uint32_t code = 0;
	size_t taken = pp_utf8_decode(p, n, &code);

	if (taken && !is_spelled(code)) {
		memcpy(out, p, taken);
		*length = taken;
	} else if (taken && code >= 0x80) {
		*length = (size_t)snprintf(out, 16, "\\u{%x}", (unsigned)code);
	} else {
		*length = (size_t)snprintf(out, 16, "\\x%02x", *p);
	}
	return taken ? taken : 1;
}

/* How many bytes what is spelled takes as a string of JSON. */
static size_t
json_bytes(const char *spelled, size_t n)
{
	size_t i, bytes = n;

	for (i = 0; i < n; i++)
		bytes += spelled[i] == '"' || spelled[i] == '\\';
	return bytes;
}

/* Spells from the start while the JSON of it has no more than `room` bytes: where every byte counts. */
static size_t
spell_tight(struct pp_buf *out, struct pp_slice text, size_t room)
{
	size_t i = 0, length, taken, used = 0;
	char one[16];

	while (i < text.n) {
		taken = spell_one(text.p + i, text.n - i, one, &length);
		used += json_bytes(one, length);
		if (used > room)
			break;
		pp_buf_add(out, one, length);
		i += taken;
	}
	return i;
}

/* Spells from the start as long as there is room; returns how many bytes of the text that took. */
size_t
pp_spell(struct pp_buf *out, struct pp_slice text, size_t room)
{
	size_t i = 0, length, taken, used = 0;
	char one[16];

	while (i < text.n) {
		taken = spell_one(text.p + i, text.n - i, one, &length);
		if (used + length > room)
			break;
		pp_buf_add(out, one, length);
		used += length;
		i += taken;
	}
	return i;
}

/* The last part of a text that has no more than `room` bytes when it is spelled. */
static struct pp_slice
tail_of(struct pp_slice text, size_t room)
{
	size_t from = text.n > room ? text.n - room : 0, i = from, start[256], sizes[256], n = 0;
	size_t used = 0, length;
	char one[16];

	while (from < text.n && from > 0 && (text.p[from] & 0xc0) == 0x80 &&
	       from - (text.n - room) < 3)
		from++;
	for (i = from; i < text.n && n < 256; n++) {
		start[n] = i;
		i += spell_one(text.p + i, text.n - i, one, &length);
		sizes[n] = length;
	}
	while (n > 0 && used + sizes[n - 1] <= room)
		used += sizes[--n];
	i = used == 0 ? text.n : start[n];
	return pp_slice_of(text.p + i, text.n - i);
}

/* A text, spelled, in at most `clip` bytes: "its first bytes…its last bytes (N bytes)". */
static void
clipped_add(struct pp_buf *out, struct pp_slice text, size_t clip)
{
	size_t from = out->n, head;
	char size[32];
	int n;

	if (text.n <= clip &&
	    (clip < CLIP_SHORT ? spell_tight : pp_spell)(out, text, clip) == text.n)
		return;
	out->n = from;
	if (clip < CLIP_SHORT) {
		(void)spell_tight(out, text, clip - 3);
		pp_buf_adds(out, "…");
		return;
	}
	n = snprintf(size, sizeof size, " (%zu bytes)", text.n);
	head = (clip - 3 - (size_t)n) * 5 / 7;
	head = head < 100 ? head : 100;
	(void)pp_spell(out, text, head);
	pp_buf_adds(out, "…");
	text = tail_of(text, clip - 3 - (size_t)n - head > 40 ? 40 : clip - 3 - (size_t)n - head);
	(void)pp_spell(out, text, clip);
	pp_buf_add(out, size, (size_t)n);
}

/* ---- cells ---- */

static void
cell_begin(struct pp_row *r)
{
	if (r->cells++)
		pp_buf_adds(r->out, r->text ? "  " : ",");
}

void
pp_row_open(struct pp_row *r, char bracket)
{
	cell_begin(r);
	pp_buf_addc(r->out, bracket);
	r->cells = 0;
}

void
pp_row_close(struct pp_row *r, char bracket)
{
	pp_buf_addc(r->out, bracket);
	r->cells = 1;
}

void
pp_row_key(struct pp_row *r, const char *key)
{
	if (r->cells)
		pp_buf_adds(r->out, r->text ? ", " : ",");
	pp_buf_addf(r->out, r->text ? "%s " : "\"%s\":", key);
	r->cells = 0;
}

void
pp_row_raw(struct pp_row *r, const char *text, size_t n)
{
	cell_begin(r);
	pp_buf_add(r->out, text, n);
}

void
pp_row_null(struct pp_row *r)
{
	pp_row_raw(r, r->text ? "-" : "null", r->text ? 1 : 4);
}

void
pp_row_bool(struct pp_row *r, bool yes)
{
	const char *word = r->text ? (yes ? "yes" : "no") : yes ? "true" : "false";

	pp_row_raw(r, word, strlen(word));
}

void
pp_row_count(struct pp_row *r, uint64_t count)
{
	cell_begin(r);
	pp_buf_addf(r->out, "%llu", (unsigned long long)count);
}

void
pp_row_int(struct pp_row *r, int64_t number)
{
	cell_begin(r);
	pp_buf_addf(r->out, "%lld", (long long)number);
}

void
pp_row_real(struct pp_row *r, double number, int decimals)
{
	char text[64];
	int n;

	if (!isfinite(number) || fabs(number) > 1e30) {
		pp_row_null(r);
		return;
	}
	n = snprintf(text, sizeof text, "%.*f", decimals, number);
	while (decimals > 0 && n > 1 && text[n - 1] == '0' && memchr(text, '.', (size_t)n))
		n--;
	n -= n > 1 && text[n - 1] == '.';
	if (n == 2 && memcmp(text, "-0", 2) == 0)
		pp_row_raw(r, "0", 1);
	else
		pp_row_raw(r, text, (size_t)n);
}

void
pp_row_pct(struct pp_row *r, double part, double whole)
{
	if (whole != 0)
		pp_row_real(r, part / whole * 100, 2);
	else
		pp_row_null(r);
}

void
pp_row_value(struct pp_row *r, const struct pp_metric *m, union pp_value value)
{
	char text[PP_NUM_MAX];
	size_t n = pp_value_print(m, value, text);

	pp_row_raw(r, text, n);
}

/* A JSON string, or the same for people, of what is spelled already. */
void
pp_row_spelled(struct pp_row *r, const struct pp_buf *text)
{
	size_t i;

	cell_begin(r);
	if (r->text) {
		if (text->n)
			pp_buf_add(r->out, text->p, text->n);
		else
			pp_buf_addc(r->out, '-');
		return;
	}
	pp_buf_addc(r->out, '"');
	for (i = 0; i < text->n; i++) {
		if (text->p[i] == '"' || text->p[i] == '\\')
			pp_buf_addc(r->out, '\\');
		pp_buf_addc(r->out, text->p[i]);
	}
	pp_buf_addc(r->out, '"');
}

void
pp_row_text(struct pp_row *r, struct pp_slice text)
{
	struct pp_buf made = { 0 };

	clipped_add(&made, text, r->clip);
	pp_row_spelled(r, &made);
	r->out->failed |= made.failed;
	pp_buf_release(&made);
}

void
pp_row_word(struct pp_row *r, const char *word)
{
	struct pp_buf made = { 0 };

	(void)pp_spell(&made, pp_slice_z(word), SIZE_MAX);
	pp_row_spelled(r, &made);
	r->out->failed |= made.failed;
	pp_buf_release(&made);
}

void
pp_row_handle(struct pp_row *r, char kind, uint64_t number)
{
	char text[32];
	int n = snprintf(text, sizeof text, r->text ? "%c%llu" : "\"%c%llu\"", kind,
	                 (unsigned long long)number);

	if (number)
		pp_row_raw(r, text, (size_t)n);
	else
		pp_row_null(r);
}

/* For people, names are as short as everywhere else: what tells one from another stays. */
void
pp_row_name(struct pp_row *r, const struct pp_profile *p, pp_func func)
{
	struct pp_slice name = func ? pp_text_of(p, p->funcs.at[func].name)
	                            : pp_slice_z("(outside)");
	struct pp_buf whole = { 0 }, made = { 0 };

	if (!r->text) {
		pp_row_text(r, name);
		return;
	}
	(void)pp_spell(&whole, name, SIZE_MAX);
	(void)pp_name_shorten(&made, whole.p ? whole.p : "", whole.n, r->clip);
	pp_row_spelled(r, &made);
	r->out->failed |= whole.failed || made.failed;
	pp_buf_release(&whole);
	pp_buf_release(&made);
}

void
pp_row_place(struct pp_row *r, const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[func];
	struct pp_slice file = pp_text_of(p, f->file);
	struct pp_buf made = { 0 };

	if (!f->file) {
		pp_row_text(r, pp_text_of(p, p->modules.at[f->module].name));
		return;
	}
	clipped_add(&made, file, f->line && r->clip > 40 ? r->clip - 12 : r->clip);
	if (f->line)
		pp_buf_addf(&made, ":%u", f->line);
	pp_row_spelled(r, &made);
	r->out->failed |= made.failed;
	pp_buf_release(&made);
}

/* The last bytes of a path: they say which it is. */
void
pp_row_path(struct pp_row *r, const char *path, size_t most)
{
	struct pp_slice text = pp_slice_z(path);
	struct pp_buf made = { 0 };

	(void)pp_spell(&made, tail_of(text, most), SIZE_MAX);
	pp_row_spelled(r, &made);
	r->out->failed |= made.failed;
	pp_buf_release(&made);
}
