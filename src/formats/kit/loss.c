/*
 * What is lost in writing.
 */
#include "formats/kit/loss.h"

#include <string.h>

#include "formats/format.h"

const struct pp_rule pp_loss_rules[] = {
#define TRAIT(name, id, what, explain)                                                             \
	[PP_TRAIT_##name] = { id, PP_WARNING, "not kept: " what, explain },
#include "model/trait_list.h"
#undef TRAIT
	[PP_LOSS_NAMES] = { "loss-names", PP_WARNING, "names are changed to fit",
	                    "The format cannot hold every byte in a name: separators and "
	                    "newlines are replaced, spaces at the ends are removed, an empty "
	                    "name gets one, and a name without a package gets main::." },
	[PP_LOSS_VALUES] = { "loss-values", PP_WARNING, "values are changed to fit",
	                     "The format holds whole numbers, perhaps of a certain unit or none below 0. Others were "
	                     "rounded, became 0, or stayed at the largest one." },
	[PP_LOSS_METRICS] = { "loss-metrics", PP_WARNING, "not kept: some metrics",
	                      "The format has room for a certain number or certain kinds of metrics. Of one that holds "
	                      "only one, --metric says which." },
	[PP_LOSS_UNITS] = { "loss-units", PP_WARNING, "metrics get other names or units",
	                    "The format has names and units of its own, or none. The values "
	                    "are the same except as other findings say; what they count is "
	                    "no longer recorded." },
	{ 0 },
};

const char *const pp_trait_names[PP_TRAITS] = {
#define TRAIT(name, id, what, explain) [PP_TRAIT_##name] = (what),
#include "model/trait_list.h"
#undef TRAIT
};

void
pp_loss_release(struct pp_loss *loss)
{
	pp_buf_release(&loss->renamed);
	pp_vec_release(&loss->metrics);
}

/* The variant that is asked for, or that a profile of the same format came in. */
static struct pp_slice
variant_of(const struct pp_format *format, const struct pp_profile *p, const struct pp_writer *w)
{
	struct pp_slice variant = pp_slice_z(w->opts->variant  ? w->opts->variant
	                                     : w->loss.variant ? w->loss.variant
	                                                       : "");

	return !variant.n && pp_profile_native(p) == format ? pp_text_of(p, p->variant) : variant;
}

bool
pp_variant_is(const struct pp_writer *w, const struct pp_format *format, const char *variant)
{
	return pp_slice_eq_z(variant_of(format, w->profile, w), variant);
}

/* What a format holds in the variant that was written. */
static const struct pp_holds *
holds_of(const struct pp_format *format, const struct pp_profile *p, const struct pp_writer *w)
{
	const struct pp_holds *h = format->holds;
	struct pp_slice variant = variant_of(format, p, w);

	while (h->variant && !pp_slice_eq_z(variant, h->variant))
		h++;
	return h;
}

void
pp_loss_metric(struct pp_writer *w, size_t metric, struct pp_slice name, const char *unit)
{
	const struct pp_profile *p = w->profile;
	const struct pp_metric *m = &p->metrics.at[metric];
	bool same_name = !name.n || pp_slice_eq(pp_text_of(p, m->name), name);
	bool same_unit = !unit || pp_slice_eq_z(pp_text_of(p, m->unit), unit);
	struct pp_buf *list = &w->loss.renamed;
	size_t begin;
	bool first = list->n == 0;

	if (!pp_vec_push(&w->loss.metrics, metric))
		pp_sink_fail(w->out, PP_E_NOMEM, 0);
	if (same_name && same_unit)
		return;
	pp_buf_adds(list, list->n ? ", " : "");
	begin = list->n;
	pp_metric_label(p, m, list);
	/* Where only the event became part of the name, the name alone tells the difference. */
	if (!same_name && !list->failed &&
	    pp_slice_eq(pp_slice_of(list->p + begin, list->n - begin), name)) {
		list->n = begin;
		pp_buf_add(list, pp_text_of(p, m->name).p, pp_text_of(p, m->name).n);
	}
	pp_buf_adds(list, first ? " is written" : "");
	pp_buf_adds(list, same_name ? "" : " as ");
	if (!same_name)
		pp_buf_add(list, name.p, name.n);
	if (!same_unit && !(!same_name && pp_slice_eq_z(name, unit)))
		pp_buf_addf(list, " in %s", unit);
}

/* ---- the report --------------------------------------------------------------------------- */

static void
report_trait(struct pp_writer *w, enum pp_trait trait, uint64_t n)
{
	const struct pp_rule *rule = &pp_loss_rules[trait];

	if (n == 0)
		pp_diag_add(w->diags, rule, PP_NOWHERE, "made up: %s", pp_trait_names[trait]);
	else if (n == PP_TRAIT_UNCOUNTED || trait == PP_TRAIT_INCOMPLETE ||
	         trait == PP_TRAIT_TIME || trait == PP_TRAIT_RECORDED || trait == PP_TRAIT_PRIVATE)
		pp_diag_add(w->diags, rule, PP_NOWHERE, "not written: %s", pp_trait_names[trait]);
	else
		pp_diag_add(w->diags, rule, PP_NOWHERE, "not written: %s (%llu)",
		            pp_trait_names[trait], (unsigned long long)n);
}

/* Whether a metric is among those that are written. */
static bool
is_written(const struct pp_loss *loss, size_t metric)
{
	size_t i;

	for (i = 0; i < loss->metrics.n && loss->metrics.at[i] != metric; i++)
		;
	return loss->metrics.n == 0 || i < loss->metrics.n;
}

static void
report_metrics(struct pp_writer *w, const struct pp_profile *p)
{
	struct pp_loss *loss = &w->loss;
	struct pp_buf list = { 0 };
	size_t m;

	for (m = 0; loss->metrics.n && m < p->metrics.n; m++) {
		if (is_written(loss, m))
			continue;
		pp_buf_adds(&list, list.n ? ", " : "");
		pp_metric_label(p, &p->metrics.at[m], &list);
	}
	if (list.n && !list.failed)
		pp_diag_add(w->diags, &pp_loss_rules[PP_LOSS_METRICS], PP_NOWHERE,
		            "not written: metrics (%s)", list.p);
	if (loss->renamed.n && !loss->renamed.failed)
		pp_diag_add(w->diags, &pp_loss_rules[PP_LOSS_UNITS], PP_NOWHERE, "%s",
		            loss->renamed.p);
	pp_buf_release(&list);
}

/* What had to be changed. */
static void
report_changes(struct pp_writer *w)
{
	const struct {
		uint64_t n;
		const char *what;
	} values[] = { { w->loss.rounded, "rounded" },
		       { w->loss.negative, "negative ones written as 0" },
		       { w->loss.too_large, "too large" } };
	struct pp_buf list = { 0 };
	size_t i;

	if (w->loss.names)
		pp_diag_add(w->diags, &pp_loss_rules[PP_LOSS_NAMES], PP_NOWHERE,
		            "changed to fit: names (%llu)", (unsigned long long)w->loss.names);
	for (i = 0; i < PP_COUNT_OF(values); i++)
		if (values[i].n)
			pp_buf_addf(&list, "%s%llu %s", list.n ? ", " : "",
			            (unsigned long long)values[i].n, values[i].what);
	if (list.n && !list.failed)
		pp_diag_add(w->diags, &pp_loss_rules[PP_LOSS_VALUES], PP_NOWHERE,
		            "changed to fit: values (%s)", list.p);
	pp_buf_release(&list);
}

static uint64_t
lost_of(uint64_t kept, const struct pp_loss *loss, unsigned trait, uint64_t have)
{
	uint64_t n = kept >> trait & 1 ? 0 : have;
	int64_t more = loss->more[trait];

	if (n == PP_TRAIT_UNCOUNTED || more == 0)
		return n;
	if (more < 0)
		return n > (uint64_t)-more ? n + (uint64_t)more : 0;
	return n + (uint64_t)more;
}

/* Of how many rows what was gained is not told by what is written. */
static uint64_t
gains_count(const struct pp_writer *w)
{
	const struct pp_profile *p = w->with_gains;
	uint64_t n = 0;
	size_t i;

	for (i = 0; p && i < pp_metrics_shown(p); i++)
		if (is_written(&w->loss, i))
			n += pp_gains_hidden(p, i);
	return n;
}

pp_status
pp_report_loss(struct pp_writer *w, const struct pp_profile *p, const struct pp_format *format)
{
	const struct pp_holds *h = holds_of(format, p, w);
	struct pp_loss *loss = &w->loss;
	uint64_t kept = h->keeps | (pp_profile_native(p) == format ? h->own : 0);
	uint64_t made = loss->made;
	struct pp_traits have, written;
	unsigned trait;

	if (!pp_traits_count(p, &have) ||
	    !pp_traits_homonyms(p, h->apart, &have.n[PP_TRAIT_HOMONYMS]))
		return PP_E_NOMEM;
	have.n[PP_TRAIT_GAINS] = gains_count(w);
	/* What a reader had no place for is nowhere but in the file that it read. */
	if (pp_profile_native(p) == format && p->holds & PP_EXTRAS && !loss->more[PP_TRAIT_PRIVATE])
		have.n[PP_TRAIT_PRIVATE] = PP_TRAIT_UNCOUNTED;
	/* Records that were left out on reading are not among those that were kept. */
	if (loss->verbatim)
		kept = ~PP_HAS(INCOMPLETE);
	kept &= ~loss->dropped;
	if (w->profile != p) {
		/* What estimated stacks do not have cannot have been written. */
		if (!pp_traits_count(w->profile, &written))
			return PP_E_NOMEM;
		for (trait = 0; trait < PP_TRAITS; trait++)
			kept &= ~(written.n[trait] ? 0 : (uint64_t)1 << trait);
	}
	/* Of nothing nothing is made up. */
	if (have.n[PP_TRAIT_STACKS] || have.n[PP_TRAIT_PAIRS] || have.n[PP_TRAIT_LINES] ||
	    have.n[PP_TRAIT_NO_STACK])
		made |= loss->verbatim ? 0 : h->states;
	for (trait = 0; trait < PP_TRAITS; trait++) {
		uint64_t n = lost_of(kept, loss, trait, have.n[trait]);

		if (n)
			report_trait(w, (enum pp_trait)trait, n);
		else if (made >> trait & 1 && (!have.n[trait] || loss->made >> trait & 1))
			report_trait(w, (enum pp_trait)trait, 0);
	}
	report_metrics(w, p);
	report_changes(w);
	return loss->renamed.failed ? PP_E_NOMEM : PP_OK;
}
