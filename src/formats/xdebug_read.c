/*
 * Reading Xdebug files: the fast way where it can, the thorough way where it must.
 */
#include "formats/xdebug_calls.h"

#include "base/num.h"

extern const struct pp_format pp_format_xdebug;

unsigned
pp_xd_version(struct pp_slice creator)
{
	static const char start[] = "xdebug ";
	unsigned part[2] = { 0, 0 }, k = 0;
	size_t i = sizeof start - 1;

	if (!pp_cg_starts(creator, start))
		return 0;
	for (; i < creator.n && k < 2; i++) {
		unsigned d = (unsigned)creator.p[i] - '0';

		if (d < 10 && part[k] < 1000)
			part[k] = part[k] * 10 + d;
		else if (creator.p[i] == '.')
			k++;
		else
			break;
	}
	return part[0] * 100 + part[1];
}

static void
warn(struct pp_cg_parser *p, enum pp_xdebug_rule rule, size_t part, const char *text)
{
	if (p->parts.n > 1)
		pp_diag_add(p->reader->diags, &pp_xdebug_rules[rule], PP_NOWHERE,
		            "%s (profile %zu)", text, part + 1);
	else
		pp_diag_add(p->reader->diags, &pp_xdebug_rules[rule], PP_NOWHERE, "%s", text);
	p->builder->profile->complete = false;
}

/* From 2.8 on the summary is the profiler's life time and the peak of memory. */
static void
meta_summary(struct pp_cg_parser *p, const struct pp_cg_part *part)
{
	struct pp_profile *profile = p->builder->profile;
	struct pp_slice text = pp_text_of(profile, part->summary);
	const unsigned char *blank = memchr(text.p, ' ', text.n);
	struct pp_slice time = pp_slice_of(text.p, blank ? (size_t)(blank - text.p) : text.n);
	char number[PP_NUM_MAX];
	uint64_t value;
	size_t n;

	if (!pp_num_u64(time, &value) || part->event_count == 0)
		return;
	n = pp_value_print(&profile->metrics.at[part->events[0]],
	                   (union pp_value){ .i = (pp_i128)value }, number);
	pp_build_meta_z(p->builder, "lifetime_ns", PP_META_NUMBER, pp_slice_of(number, n));
	if (blank)
		pp_build_meta_z(p->builder, "peak_memory", PP_META_NUMBER,
		                pp_cg_trim(pp_slice_of(blank, text.n - time.n)));
}

void
pp_xd_finish(struct pp_cg_parser *p, bool cut)
{
	struct pp_profile *profile = p->builder->profile;
	bool aggregate = profile->flat_source == PP_FLAT_EDGES;
	size_t i;

	profile->format = &pp_format_xdebug;
	if (cut) {
		pp_diag_add(p->reader->diags, &pp_xdebug_rules[PP_XD_CUT],
		            pp_at_line(p->line, 1, p->offset), "the file ends inside a record");
		profile->complete = false;
	}
	for (i = 0; i < p->parts.n; i++) {
		const struct pp_cg_part *part = &p->parts.at[i];
		unsigned version = pp_xd_version(pp_text_of(profile, part->creator));

		if (!part->has_main && !aggregate && p->undefined)
			warn(p, PP_XD_SECOND_FILE, i,
			     "ids are used that only another file defines");
		else if (!part->has_main && !aggregate)
			warn(p, PP_XD_NO_MAIN, i, "{main} never ended");
		else if (!part->has_summary && version >= 208)
			warn(p, PP_XD_NO_SUMMARY, i,
			     "the profile is not closed by a summary: line");
	}
	pp_cg_finish(p);
	if ((p->reader->want & PP_META) && p->parts.n == 1 && p->parts.at[0].has_summary &&
	    pp_xd_version(pp_text_of(profile, p->parts.at[0].creator)) >= 208)
		meta_summary(p, &p->parts.at[0]);
}

pp_status
pp_xdebug_read(struct pp_reader *reader, struct pp_builder *builder)
{
	const char *unit = pp_reader_option(reader, "time-unit");
	uint64_t num, den;

	if (unit && !pp_cg_time_unit(pp_slice_z(unit), &num, &den))
		return PP_E_USAGE;
	return pp_xd_records(reader, builder);
}
