/*
 * The end of a file of the family: what its sums say, what its header becomes.
 */
#include "formats/valgrind/family.h"

#include <stdio.h>

#include "base/num.h"

/* ---- sums ------------------------------------------------------------------------------- */

/* The next number of a cost vector, as a cell; false at its end or when it is none. */
static bool
next_cost(struct pp_slice *text, int64_t *value)
{
	struct pp_slice word;

	return pp_slice_word(text, &word) &&
	       (pp_num_u64(word, (uint64_t *)value) || pp_num_i64(word, value));
}

/* The first column where the vector differs from the sums, counted from 1; 0 when none does. */
static uint32_t
differing_column(const struct pp_cg_part *part, const struct pp_metric *metrics,
                 struct pp_slice text, bool low_only, int64_t *value)
{
	uint32_t k;

	for (k = 0; k < part->event_count && next_cost(&text, value); k++) {
		const struct pp_metric *m = &metrics[part->events[k]];
		int64_t own = (int64_t)part->sums[part->events[k]];

		if (low_only ? pp_cell_value(m, *value).i < pp_cell_value(m, own).i : *value != own)
			return k + 1;
	}
	return 0;
}

bool
pp_cg_sums_agree(const struct pp_cg_parser *p, const struct pp_cg_part *part, pp_str vector)
{
	struct pp_slice text = pp_text_of(p->builder->profile, vector);
	uint32_t k;

	for (k = 0; k < part->event_count; k++) {
		int64_t value = 0;

		/* Zeros at the end may be left out. */
		(void)next_cost(&text, &value);
		if (value != (int64_t)(part->sums ? part->sums[part->events[k]] : 0))
			return false;
	}
	return true;
}

/* Whether the vector is what the own costs say; else a finding. */
static bool
check_vector(struct pp_cg_parser *p, const struct pp_cg_part *part, const struct pp_rule *rule,
             pp_str text, uint64_t line, bool low_only)
{
	const struct pp_profile *profile = p->builder->profile;
	int64_t value = 0;
	uint32_t k = differing_column(part, profile->metrics.at, pp_text_of(profile, text),
	                              low_only, &value);
	const struct pp_metric *m;
	char here[PP_NUM_MAX], own[PP_NUM_MAX];
	struct pp_slice name;

	if (k == 0)
		return true;
	m = &profile->metrics.at[part->events[k - 1]];
	name = pp_text_of(profile, m->name);
	here[pp_num_print(here, pp_cell_value(m, value).i, 0)] = '\0';
	own[pp_num_print(own, pp_cell_value(m, (int64_t)part->sums[part->events[k - 1]]).i, 0)] =
	    '\0';
	pp_diag_add(p->reader->diags, rule, pp_at_line(line, 1, PP_NO_OFFSET),
	            "%.*s is %s here, the own costs add up to %s", (int)(name.n < 80 ? name.n : 80),
	            (const char *)name.p, here, own);
	return false;
}

/*
 * Totals are the sum of the own costs, and so is cachegrind's summary. Callgrind's is larger, or less by a little for
 * each signal that the program handled: it tells something only where there are no totals to go by.
 */
static void
check_sums(struct pp_cg_parser *p, const struct pp_cg_part *part)
{
	bool cachegrind = p->family == PP_CG_CACHEGRIND;

	if (!part->has_body || p->family == PP_CG_XDEBUG)
		return;
	if (part->has_totals && check_vector(p, part, &pp_callgrind_rules[PP_CG_TOTALS_DIFFER],
	                                     part->totals, part->totals_line, false))
		return;
	if (part->has_summary)
		check_vector(p, part,
		             cachegrind ? &pp_cachegrind_rules[PP_CACHEGRIND_SUMMARY]
		                        : &pp_callgrind_rules[PP_CG_SUMMARY_LOW],
		             part->summary, part->summary_line, !cachegrind);
}

/* ---- meta data -------------------------------------------------------------------------- */

static bool
is_list_key(struct pp_slice key)
{
	return pp_slice_eq_z(key, "desc") || pp_slice_eq_z(key, "event");
}

static bool
is_number_key(struct pp_slice key, struct pp_slice value)
{
	uint64_t number;

	return (pp_slice_eq_z(key, "pid") || pp_slice_eq_z(key, "part") ||
	        pp_slice_eq_z(key, "thread")) &&
	       pp_num_u64(value, &number);
}

/* All header lines of a part under `parent`, `desc:` and `event:` lines as lists. */
static void
meta_part(struct pp_cg_parser *p, uint32_t part, uint32_t parent)
{
	static const char *const lists[] = { "desc", "event" };
	struct pp_builder *b = p->builder;
	const struct pp_cg_part *row = &p->head.parts.at[part - 1];
	size_t end = part < p->head.parts.n ? p->head.parts.at[part].first_header : p->head.lines.n,
	       i, k;

	for (i = row->first_header; i < end; i++) {
		const struct pp_cg_header *h = &p->head.lines.at[i];
		struct pp_slice key = pp_text_of(b->profile, h->key);
		struct pp_slice value = pp_text_of(b->profile, h->value);

		if (!is_list_key(key))
			(void)pp_build_meta(
			    b, parent, key,
			    is_number_key(key, value) ? PP_META_NUMBER : PP_META_TEXT, value);
	}
	for (k = 0; k < PP_COUNT_OF(lists); k++) {
		uint32_t list = 0;

		for (i = row->first_header; i < end; i++) {
			const struct pp_cg_header *h = &p->head.lines.at[i];

			if (!pp_slice_eq_z(pp_text_of(b->profile, h->key), lists[k]))
				continue;
			if (!list)
				list = pp_build_meta(b, parent, pp_slice_z(lists[k]), PP_META_ARRAY,
				                     pp_slice_of("", 0));
			(void)pp_build_meta(b, list, pp_slice_of("", 0), PP_META_TEXT,
			                    pp_text_of(b->profile, h->value));
		}
	}
	if (row->has_summary)
		(void)pp_build_meta(b, parent, pp_slice_z("summary"), PP_META_TEXT,
		                    pp_text_of(b->profile, row->summary));
	if (row->has_totals)
		(void)pp_build_meta(b, parent, pp_slice_z("totals"), PP_META_TEXT,
		                    pp_text_of(b->profile, row->totals));
}

static void
meta_all(struct pp_cg_parser *p)
{
	uint32_t list, k;

	meta_part(p, 1, 0);
	if (p->head.parts.n < 2)
		return;
	list = pp_build_meta(p->builder, 0, pp_slice_z("parts"), PP_META_ARRAY, pp_slice_of("", 0));
	for (k = 1; k <= p->head.parts.n && pp_builder_ok(p->builder); k++)
		meta_part(p, k,
		          pp_build_meta(p->builder, list, pp_slice_of("", 0), PP_META_OBJECT,
		                        pp_slice_of("", 0)));
}

void
pp_cg_finish(struct pp_cg_parser *p)
{
	struct pp_profile *profile = p->builder->profile;
	size_t i;

	for (i = 0; i < p->head.parts.n; i++)
		check_sums(p, &p->head.parts.at[i]);
	if (p->head.parts.n == 0)
		return;
	profile->producer = p->head.parts.at[0].creator;
	if (p->reader->order->facets & PP_META)
		meta_all(p);
}
