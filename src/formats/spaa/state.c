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
	(void)pp_scan_path(&s, path, indices, &at);
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
