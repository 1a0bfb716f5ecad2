/*
 * The outline of a JSON document.
 */
#include "formats/kit/json_outline.h"

#include "base/slice.h"
#include "formats/kit/json_pass.h"

/* Items of a list that are kept, levels that are looked into, bytes of a text, and bytes of one member of the outermost object. */
#define ITEMS_KEPT 4
#define MEMBERS_KEPT 100
#define LEVELS 6
#define TEXT_KEPT 256
#define MEMBER_BYTES 6000

struct outline {
	const unsigned char *p, *end;
	struct pp_buf *out;
	size_t full; /* when the buffer has as much, the rest of a member is passed over */
};

static bool value_copy(struct outline *, unsigned level);

static void
blanks_pass(struct outline *o)
{
	while (o->p < o->end && (*o->p == ' ' || *o->p == '\t' || *o->p == '\n' || *o->p == '\r'))
		o->p++;
}

/* Takes a character that must come next. */
static bool
take(struct outline *o, char c)
{
	blanks_pass(o);
	if (o->p >= o->end || *o->p != (unsigned char)c)
		return false;
	o->p++;
	return true;
}

/* What follows a character of a text. */
static const unsigned char *
character_pass(const unsigned char *p, const unsigned char *end)
{
	unsigned digits = 0;

	if (*p++ != '\\' || p >= end || *p++ != 'u')
		return p;
	while (digits++ < 4 && p < end && *p != '"')
		p++;
	return p;
}

static bool
text_copy(struct outline *o)
{
	const unsigned char *begin = o->p, *kept = o->p + 1, *p = o->p + 1;

	/* A character is kept as a whole, or not at all. */
	for (; p < o->end && *p != '"'; p = character_pass(p, o->end))
		if (p - begin < TEXT_KEPT && *p < 0x80)
			kept = p;
	if (p >= o->end) {
		o->p = NULL;
		return false;
	}
	if (p - begin <= TEXT_KEPT)
		kept = p;
	pp_buf_add(o->out, begin, (size_t)(kept - begin));
	pp_buf_addc(o->out, '"');
	o->p = p + 1;
	return true;
}

/* A number or a word. */
static bool
scalar_copy(struct outline *o)
{
	const unsigned char *begin = o->p;

	while (o->p<o->end && * o->p> ' ' && *o->p != ',' && *o->p != ']' && *o->p != '}')
		o->p++;
	if (o->p == begin || o->p - begin > TEXT_KEPT)
		return false;
	pp_buf_add(o->out, begin, (size_t)(o->p - begin));
	return true;
}

static bool
members_copy(struct outline *o, unsigned level, bool keyed)
{
	char close = keyed ? '}' : ']';
	size_t n;

	for (n = 0; !take(o, close); n++) {
		if (n && !take(o, ','))
			return false;
		if (level == 0)
			o->full = o->out->n + MEMBER_BYTES;
		if (o->out->n >= (level ? o->full : PP_OUTLINE_BYTES) ||
		    (level && n >= (keyed ? MEMBERS_KEPT : ITEMS_KEPT))) {
			o->p = pp_json_pass_rest(o->p, o->end);
			break;
		}
		pp_buf_adds(o->out, n ? "," : "");
		blanks_pass(o);
		if (keyed && (o->p >= o->end || *o->p != '"' || !text_copy(o) || !take(o, ':')))
			return false;
		pp_buf_adds(o->out, keyed ? ":" : "");
		if (!value_copy(o, level + 1))
			return false;
	}
	if (!o->p)
		return false;
	pp_buf_addc(o->out, close);
	return true;
}

static bool
value_copy(struct outline *o, unsigned level)
{
	bool keyed;

	blanks_pass(o);
	if (o->p >= o->end)
		return false;
	if (*o->p == '"')
		return text_copy(o);
	if (*o->p != '{' && *o->p != '[')
		return scalar_copy(o);
	keyed = *o->p == '{';
	if (level >= LEVELS) {
		pp_buf_adds(o->out, keyed ? "{}" : "[]");
		o->p = pp_json_pass(o->p, o->end);
		return o->p != NULL;
	}
	pp_buf_addc(o->out, (char)*o->p++);
	return members_copy(o, level, keyed);
}

enum pp_outline
pp_json_outline(struct pp_slice text, struct pp_buf *out)
{
	struct outline o = { text.p, text.p + text.n, out, 0 };

	if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		o.p += 3;
	if (!value_copy(&o, 0))
		return !o.p || o.p >= o.end ? PP_OUTLINE_CUT : PP_OUTLINE_WRONG;
	blanks_pass(&o);
	return o.p == o.end ? PP_OUTLINE_WHOLE : PP_OUTLINE_MORE;
}
