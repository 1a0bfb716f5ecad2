/*
 * Whether anything in an input could be used. A file without any sample is a profile; one of which nothing is left, or that
 * holds nothing of the format that --from names, is none.
 */
#include "api/usable.h"

#include "text/units.h"

/* Bits of a bid that is worth a suggestion. */
#define LIKELY_LEAST 24

/* Skips blanks and line ends at the beginning of a text. */
static struct pp_slice
text_begin(struct pp_slice text)
{
	while (text.n && pp_is_space(text.p[0]))
		text = pp_slice_from(text, 1);
	return text;
}

static bool
is_json(struct pp_slice head)
{
	if (head.p[0] == '{')
		return true;
	head = head.p[0] == '[' ? text_begin(pp_slice_from(head, 1)) : pp_slice_of(NULL, 0);
	return head.n && strchr("{[]\"-0123456789", head.p[0]);
}

void
pp_usable_peek(struct pp_opened *o, const struct pp_peek *peek)
{
	struct pp_opening *opening = o->reader.impl;
	struct pp_slice head = text_begin(peek->head);
	const struct pp_format *asked = o->format;
	size_t i;

	opening->unfit = false;
	opening->likely = NULL;
	if (!opening->opts.from || !asked || !head.n)
		return;
	/* Keys of a long JSON document may stand behind what was looked at. */
	if (!peek->whole && is_json(head))
		return;
	for (i = 0; i < o->bid_count; i++)
		if (o->bids[i].format == asked)
			opening->unfit = o->bids[i].bits <= 0;
	if (o->bid_count && o->bids[0].bits >= LIKELY_LEAST)
		opening->likely = o->bids[0].format;
}

/* Whether a profile has a function, a cost or an event. Filters leave functions, whose names they look at. */
static bool
has_content(const struct pp_profile *p)
{
	union pp_value *totals;
	bool any = p->funcs.n > 1 || p->markers > 0 || p->samples > 0;
	size_t i;

	if (any || !p->metrics.n)
		return any;
	totals = pp_profile_totals(p);
	for (i = 0; totals && i < p->metrics.n; i++)
		any |= !pp_value_is_zero(&p->metrics.at[i], totals[i]);
	free(totals);
	return any;
}

/* Lines refused for each function that cost nothing, so that these are chance. */
#define ERRORS_EACH 8

/* Whether a profile made of another format's lines has no function, or only a few that cost nothing. */
static bool
is_worthless(const struct pp_profile *p, const struct pp_order *order, uint64_t errors)
{
	union pp_value *totals;
	bool zero;
	size_t i;

	if (p->funcs.n <= 1)
		return true;
	totals = order->filter || errors / ERRORS_EACH < p->funcs.n ? NULL : pp_profile_totals(p);
	zero = totals != NULL;
	for (i = 0; zero && i < p->metrics.n; i++)
		zero = pp_value_is_zero(&p->metrics.at[i], totals[i]);
	free(totals);
	return zero;
}

/* Says what --from names instead of what the input is. */
static void
unfit_note(struct pp_opened *o)
{
	struct pp_opening *opening = o->reader.impl;

	if (opening->likely)
		pp_io_note(&opening->io, PP_IO_NOTHING_USABLE, PP_NO_OFFSET,
		           "nothing in it can be read as %s; it looks like %s: leave --from out",
		           o->format->name, opening->likely->name);
	else
		pp_io_note(
		    &opening->io, PP_IO_NOTHING_USABLE, PP_NO_OFFSET,
		    "nothing in it can be read as %s; leave --from out, or name another format "
		    "(`polyprof formats` lists them)",
		    o->format->name);
}

static void
damage_note(struct pp_opened *o, uint64_t errors)
{
	struct pp_opening *opening = o->reader.impl;
	struct pp_buf count = { 0 };

	if (errors)
		pp_buf_addf(&count, "%llu %s, and ", (unsigned long long)errors,
		            pp_plural(errors, "error", "errors"));
	pp_io_note(&opening->io, PP_IO_NOTHING_USABLE, PP_NO_OFFSET,
	           "nothing in it can be used: %sno function or cost of %s; record it again, or "
	           "get an intact copy",
	           count.p ? count.p : "", o->format->name);
	pp_buf_release(&count);
}

pp_status
pp_usable_check(struct pp_opened *o, const struct pp_profile *p, uint64_t errors, pp_status status)
{
	struct pp_opening *opening = o->reader.impl;
	const struct pp_order *order = o->order;
	bool empty = p && !has_content(p);

	if (status != PP_OK && status != PP_E_INVALID)
		return status;
	if (opening->unfit && (!p || empty || (errors && is_worthless(p, order, errors)))) {
		unfit_note(o);
		return PP_E_INVALID;
	}
	if (status == PP_E_INVALID && !errors)
		damage_note(o, errors);
	/* A check may skip everything that no rule needs. */
	if (status == PP_OK && empty && errors && !(order->facets & PP_FINDINGS)) {
		damage_note(o, errors);
		return PP_E_INVALID;
	}
	return status;
}

pp_status
pp_usable_rewritten(struct pp_opened *o, uint64_t errors, pp_status status)
{
	if (status != PP_OK || !errors)
		return status;
	damage_note(o, errors);
	return PP_E_INVALID;
}
