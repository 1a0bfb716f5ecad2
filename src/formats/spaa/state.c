/*
 * Findings and their places.
 */
#include "formats/spaa/spaa.h"

#include <stdarg.h>

void
pp_spaa_no_memory(struct pp_spaa_reader *r)
{
	pp_builder_fail(r->builder, PP_E_NOMEM, NULL);
}

/* ---- findings --------------------------------------------------------------------------- */

struct pp_place
pp_spaa_place(const struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
              const unsigned char *at)
{
	const unsigned char *begin = rec->text.p;
	size_t n = at >= begin && at <= begin + rec->text.n ? (size_t)(at - begin) : 0;

	return pp_at_line(r->in.lines + rec->line, n + 1,
	                  pp_input_offset(r->reader->in, begin + n));
}

static void
report(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
       const unsigned char *at, const char *fmt, va_list args)
{
	pp_diag_vadd(r->reader->diags, &pp_spaa_rules[rule], pp_spaa_place(r, rec, at), fmt, args);
	r->in.errors += pp_spaa_rules[rule].severity == PP_ERROR;
}

void
pp_spaa_report(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
               const unsigned char *at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(r, rec, rule, at, fmt, args);
	va_end(args);
}

/* Stands the scanner at the value of a key of the object that comes next. */
static bool
locate_key(struct pp_scan *s, struct pp_slice key)
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
locate_item(struct pp_scan *s, uint32_t index)
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

const unsigned char *
pp_spaa_locate(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
               const char *path, const uint32_t *indices)
{
	const struct pp_diags *diags = r->reader->diags;
	const unsigned char *at = rec->text.p;
	struct pp_scan s;

	if (pp_diags_of_rule(diags, &pp_spaa_rules[rule]) >=
	    (diags->cap_per_rule ? diags->cap_per_rule : PP_DIAG_CAP))
		return at;
	pp_scan_init(&s, rec->text, r->reader->limits.max_nesting, PP_SCAN_STRICT);
	while (*path) {
		size_t n = strcspn(path, ".");

		if (*path == '#' ? !locate_item(&s, *indices++)
		                 : !locate_key(&s, pp_slice_of((const unsigned char *)path, n)))
			break;
		at = s.cur;
		path += n + (path[n] == '.');
	}
	return at;
}

void
pp_spaa_report_in(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
                  enum pp_spaa_rule rule, const char *path, const uint32_t *indices,
                  const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(r, rec, rule, pp_spaa_locate(r, rec, rule, path, indices), fmt, args);
	va_end(args);
}
