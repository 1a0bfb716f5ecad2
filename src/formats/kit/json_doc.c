/*
 * A format that is one JSON document.
 */
#include "formats/kit/json_doc.h"

#include <stdarg.h>

#define BOM "\xef\xbb\xbf"
/* The depth of stacks limits nesting where a format nests by it; each level takes two brackets. */
#define NESTING_MOST (UINT32_MAX / 2)

pp_status
pp_json_doc_open(struct pp_json_doc *d, struct pp_reader *reader, struct pp_builder *b,
                 const struct pp_rule *rules)
{
	pp_status status;

	*d = (struct pp_json_doc){ .reader = reader, .b = b, .rules = rules };
	pp_diags_init(&d->diags);
	b->diags = &d->diags;
	status = pp_whole_open(&d->whole, reader);
	if (status != PP_OK)
		return status;
	d->text = pp_slice_between(reader->in->cur, reader->in->end);
	d->bom = d->text.n >= 3 && memcmp(d->text.p, BOM, 3) == 0;
	if (d->bom)
		d->text = pp_slice_of(d->text.p + 3, d->text.n - 3);
	return PP_OK;
}

bool
pp_json_doc_restart(struct pp_json_doc *d)
{
	pp_diags_release(&d->diags);
	pp_diags_init(&d->diags);
	pp_arena_release(&d->arena);
	d->broken_at = NULL;
	d->broken = PP_SCAN_OK;
	if (pp_builder_restart(d->b))
		return true;
	pp_builder_fail(d->b, PP_E_NOMEM, NULL);
	return false;
}

void
pp_json_find(struct pp_json_doc *d, unsigned rule, const unsigned char *at, const char *fmt, ...)
{
	va_list args;

	if (d->rules[rule].severity == PP_ERROR)
		d->b->profile->complete = false;
	va_start(args, fmt);
	pp_diag_vadd(&d->diags, &d->rules[rule],
	             at ? pp_at_offset((uint64_t)(at - d->text.p)) : PP_NOWHERE, fmt, args);
	va_end(args);
}

/* Offsets become lines and columns, counted once. */
static void
places_settle(struct pp_json_doc *d)
{
	size_t shift = d->bom ? 3 : 0, i;
	struct pp_places places = { .text = pp_slice_of(d->text.p - shift, d->text.n + shift) };

	pp_diags_sort(&d->diags, 0);
	for (i = 0; i < d->diags.list.n; i++) {
		struct pp_diag *found = &d->diags.list.at[i];
		struct pp_place place;

		if (found->offset == PP_NO_OFFSET || found->offset > d->text.n || found->line)
			continue;
		place = pp_places_next(&places, d->text.p + found->offset);
		found->line = place.line;
		found->column = place.column;
		found->offset = place.offset;
	}
}

void
pp_json_doc_close(struct pp_json_doc *d, unsigned cut, unsigned json)
{
	if (d->broken != PP_SCAN_OK)
		pp_json_find(d, d->broken == PP_SCAN_E_END ? cut : json, d->broken_at, "%s",
		             pp_scan_error_text(d->broken));
	if (d->text.p)
		places_settle(d);
	pp_diags_append(d->reader->diags, &d->diags, 0);
	d->b->diags = d->reader->diags;
	pp_diags_release(&d->diags);
	pp_arena_release(&d->arena);
	pp_whole_close(&d->whole, d->reader);
}

struct pp_scan
pp_json_doc_scan(const struct pp_json_doc *d, const unsigned char *from)
{
	struct pp_scan s;

	pp_scan_init(&s, pp_slice_between(from, d->text.p + d->text.n), NESTING_MOST,
	             PP_SCAN_TOLERANT);
	return s;
}

void
pp_json_doc_scanned(struct pp_json_doc *d, const struct pp_scan *s)
{
	if (s->error == PP_SCAN_OK || (d->broken != PP_SCAN_OK && d->broken_at <= s->error_at))
		return;
	d->broken = s->error;
	d->broken_at = s->error_at;
}

pp_str
pp_json_doc_str(struct pp_json_doc *d, struct pp_json_str s)
{
	pp_str id = pp_build_str(d->b, pp_build_json_text(d->b, s, &d->arena));

	if (d->arena.bytes > 1 << 20)
		pp_arena_release(&d->arena);
	return id;
}

bool
pp_scan_if_number(struct pp_scan *s, struct pp_json_num *num)
{
	if (pp_scan_peek(s) == PP_JSON_NUMBER)
		return pp_scan_number(s, num);
	(void)pp_scan_skip(s, NULL);
	return false;
}

bool
pp_scan_if_string(struct pp_scan *s, struct pp_json_str *str)
{
	if (pp_scan_peek(s) == PP_JSON_STRING)
		return pp_scan_string(s, str);
	(void)pp_scan_skip(s, NULL);
	return false;
}

bool
pp_scan_if_count(struct pp_scan *s, uint64_t most, uint64_t *n)
{
	struct pp_json_num num;

	return pp_scan_if_number(s, &num) && pp_json_num_u64(&num, n) && *n <= most;
}
