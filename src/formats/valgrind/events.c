/*
 * Events: the columns of a part as metrics of the profile, those derived from others, and what they count.
 *
 *     event: NAME [= FORMULA] [: TITLE]        titles and derived events
 *     events: NAME...                          the columns
 *
 * What is counted is told by the name, and by who wrote it:
 *
 *     Time_(10ns), Memory_(bytes), cpu(ms)     the name says it
 *     Time        creator xdebug 2.x           microseconds
 *     Time        version 0.9.6 + Memory       100 ns (2.0.0 beta 1 .. RC 3)
 *     Time        version 0.9.6 alone          microseconds (RC 4 .. 2.1.0), or 100 ns: not to be known
 *     Ir Dr Dw I1mr ...                        counts
 */
#include "formats/valgrind/family.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/units.h"

#define MOST_EVENTS 512
/* Each event that comes when there are rows already moves all of them. */
#define MOST_LATE_EVENTS ((size_t)32)
/* Reading Xdebug files adds to cells of all metrics, which there are for PP_FEW_COLUMNS: each event may have one of what it gained. */
#define MOST_LATE_XDEBUG ((size_t)PP_FEW_COLUMNS / 2 - PP_CG_XDEBUG_EVENTS)

/* ---- units ------------------------------------------------------------------------------ */

/* Events of Valgrind's tools that are not plain counts. */
static const struct {
	const char *name, *unit;
	enum pp_metric_kind kind;
} known_events[] = {
	{ "curB", "bytes", PP_KIND_BYTES },   { "totB", "bytes", PP_KIND_BYTES },
	{ "totFdB", "bytes", PP_KIND_BYTES }, { "MemorySize", "bytes", PP_KIND_BYTES },
	{ "Memory", "bytes", PP_KIND_BYTES },
};

uint64_t
pp_cg_time_unit(struct pp_slice text)
{
	const struct pp_unit *unit = pp_unit_find(PP_UNIT_TIME, text);

	/* Beyond seconds, "(min)" is a minimum. */
	return unit && unit->factor <= 1000000000 ? unit->factor : 0;
}

static void
set_unit(struct pp_cg_parser *p, struct pp_metric *m, const char *unit, enum pp_metric_kind kind,
         uint64_t factor)
{
	m->unit = pp_build_strz(p->builder, unit);
	m->kind = kind;
	m->factor_num = factor;
	m->factor_den = 1;
}

/* The unit in parentheses at the end of a name or title; empty when there is none. */
static struct pp_slice
unit_in(struct pp_slice text)
{
	size_t i = text.n;

	if (text.n < 3 || text.p[text.n - 1] != ')')
		return pp_slice_of("", 0);
	while (i > 0 && text.p[i - 1] != '(')
		i--;
	return i ? pp_slice_of(text.p + i, text.n - 1 - i) : pp_slice_of("", 0);
}

/* "ns", "bytes" or, as in titles, "elapsed ns" and "system cpu ns"; NULL for what is no unit. */
static const struct pp_unit *
unit_of_words(struct pp_slice text)
{
	const struct pp_unit *time;

	while (pp_slice_find(text, ' '))
		text = pp_slice_from(text, 1);
	time = pp_unit_find(PP_UNIT_TIME, text);
	return time && pp_cg_time_unit(text) ? time : pp_unit_find(PP_UNIT_BYTES, text);
}

const struct pp_unit *
pp_cg_unit_in(struct pp_slice name, size_t *before)
{
	struct pp_slice text = unit_in(name);

	*before = text.n ? name.n - text.n - 2 : name.n;
	return text.n ? unit_of_words(text) : NULL;
}

static bool
unit_by_words(struct pp_cg_parser *p, struct pp_slice text, struct pp_metric *m)
{
	const struct pp_unit *unit = unit_of_words(text);

	if (!unit)
		return false;
	if (unit->of == PP_UNIT_BYTES)
		set_unit(p, m, "bytes", PP_KIND_BYTES, unit->factor);
	else
		set_unit(p, m, "ns",
		         memmem(text.p, text.n, "cpu", 3) ? PP_KIND_CPU_TIME : PP_KIND_WALL_TIME,
		         unit->factor);
	return true;
}

/* Whether the `events:` line that is read now names Memory too. */
static bool
line_names_memory(const struct pp_cg_parser *p)
{
	return memmem(p->head.events_text.p, p->head.events_text.n, "Memory", 6) != NULL;
}

/* Xdebug's `Time` without a unit: by version. */
static void
xdebug_time(struct pp_cg_parser *p, struct pp_metric *m)
{
	const struct pp_profile *profile = p->builder->profile;
	struct pp_slice creator = pp_text_of(profile, pp_cg_part(p)->creator);
	struct pp_slice version = pp_text_of(profile, pp_cg_part(p)->version);

	if (!pp_slice_starts(creator, "xdebug") && pp_slice_starts(version, "0.9.6")) {
		if (line_names_memory(p)) {
			set_unit(p, m, "ns", PP_KIND_WALL_TIME, 100);
			return;
		}
		pp_diag_add(
		    p->reader->diags, &pp_xdebug_rules[PP_XD_UNIT_ASSUMED],
		    pp_at_line(p->at.line, 1, p->at.offset),
		    "the unit of Time is taken for microseconds; Xdebug 2.0.0 beta 5 to RC 3 "
		    "wrote 100 ns");
	}
	set_unit(p, m, "ns", PP_KIND_WALL_TIME, 1000);
}

/* What the user says beats what the file says. */
static bool
unit_by_option(struct pp_cg_parser *p, struct pp_metric *m)
{
	const char *text = pp_reader_option(p->reader, "time-unit");
	uint64_t factor = text ? pp_cg_time_unit(pp_slice_z(text)) : 0;

	if (factor)
		set_unit(p, m, "ns", PP_KIND_WALL_TIME, factor);
	return factor != 0;
}

static void
metric_unit(struct pp_cg_parser *p, struct pp_slice name, struct pp_slice title,
            struct pp_metric *m)
{
	bool is_time = pp_slice_starts(name, "Time");
	size_t i;

	if (is_time && unit_by_option(p, m))
		return;
	if (p->family == PP_CG_XDEBUG && pp_slice_eq_z(name, "Time")) {
		xdebug_time(p, m);
		return;
	}
	if (!unit_by_words(p, unit_in(name), m) && title.n)
		(void)unit_by_words(p, unit_in(title), m);
	for (i = 0; !m->unit && i < PP_COUNT_OF(known_events); i++) {
		if (pp_slice_eq_z(name, known_events[i].name)) {
			set_unit(p, m, known_events[i].unit, known_events[i].kind, 1);
			break;
		}
	}
	if (p->family == PP_CG_XDEBUG && m->kind == PP_KIND_BYTES)
		m->flags |= PP_METRIC_SIGNED;
	if (!m->unit)
		set_unit(p, m, "count", PP_KIND_COUNT, 1);
}

const char *
pp_cg_unit_by_name(struct pp_slice name)
{
	size_t i, before;

	if (pp_cg_unit_in(name, &before))
		return NULL;
	for (i = 0; i < PP_COUNT_OF(known_events); i++)
		if (pp_slice_eq_z(name, known_events[i].name))
			return known_events[i].unit;
	return "count";
}

/* ---- metrics ---------------------------------------------------------------------------- */

/* The metric of that name, or metrics.n. */
static size_t
metric_find(const struct pp_cg_parser *p, struct pp_slice name)
{
	const struct pp_profile *profile = p->builder->profile;
	pp_str id;
	size_t i = 0;

	if (!pp_strtab_find(&profile->strs, name.p, name.n, &id))
		return profile->metrics.n;
	while (i < profile->metrics.n && profile->metrics.at[i].name != id)
		i++;
	return i;
}

static size_t
late_most(const struct pp_cg_parser *p)
{
	return p->family == PP_CG_XDEBUG ? MOST_LATE_XDEBUG : MOST_LATE_EVENTS;
}

/* A new event behind the first part, and there are too many of them. */
static bool
is_too_late(const struct pp_cg_parser *p, struct pp_slice name)
{
	return p->head.late_events >= late_most(p) &&
	       metric_find(p, name) == p->builder->profile->metrics.n;
}

static uint32_t
metric_need(struct pp_cg_parser *p, struct pp_slice name)
{
	size_t i = metric_find(p, name);
	struct pp_metric metric = { .name = pp_build_str(p->builder, name),
		                    .type = p->family == PP_CG_XDEBUG ? PP_INT : PP_UINT };

	if (i < p->builder->profile->metrics.n || !pp_builder_ok(p->builder))
		return (uint32_t)i;
	metric_unit(p, name, pp_slice_of("", 0), &metric);
	if (i == 0)
		metric.flags |= PP_METRIC_PRIMARY;
	p->head.late_events += p->head.part > 1;
	/* A later part may bring new events. */
	if (!pp_build_metric_late(p->builder, &metric))
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	return (uint32_t)i;
}

/* Room for the costs of a line and for the sums of the part. */
static void
fit_metrics(struct pp_cg_parser *p)
{
	struct pp_cg_part *part = pp_cg_part(p);
	size_t n = p->builder->profile->metrics.n;
	uint64_t *grown;

	if (!pp_builder_ok(p->builder))
		return;
	if (n > p->costs_cap) {
		size_t before = p->costs_cap;

		if (!pp_vec_grow((void **)&p->costs, &p->costs_cap, sizeof *p->costs, n)) {
			pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
			return;
		}
		memset(p->costs + before, 0, (p->costs_cap - before) * sizeof *p->costs);
	}
	if (n <= part->sums_n)
		return;
	grown = realloc(part->sums, n * sizeof *grown);
	if (!grown) {
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		return;
	}
	memset(grown + part->sums_n, 0, (n - part->sums_n) * sizeof *grown);
	part->sums = grown;
	part->sums_n = n;
}

bool
pp_cg_fits_signed(const struct pp_profile *p, uint32_t metric)
{
	size_t i, k, row;

	for (i = 0; i < p->lines.rows.n; i++)
		if (pp_line_cell(p, i, p->lines.hits + metric) < 0)
			return false;
	for (i = 0; i < p->calls.rows.n; i++)
		if (pp_edge_cell(p, i, 1 + metric) < 0)
			return false;
	for (k = 0; k < p->series.n; k++)
		for (row = 0; row < p->series.at[k].rows; row++)
			if (pp_series_cell(&p->series.at[k], (uint32_t)row, metric) < 0)
				return false;
	return true;
}

/* ---- derived events --------------------------------------------------------------------- */

/* Sums that KCachegrind knows by name. */
static const struct {
	const char *name, *formula;
} known_sums[] = {
	{ "L1m", "I1mr + D1mr + D1mw" },
	{ "L2m", "I2mr + D2mr + D2mw" },
	{ "LLm", "ILmr + DLmr + DLmw" },
	{ "Bm", "Bim + Bcm" },
	{ "CEst",
	  "Ir + 10 Bim + 10 Bcm + 10 I1mr + 10 D1mr + 10 D1mw + 20 Ge + 100 I2mr + 100 D2mr + "
	  "100 D2mw + 100 ILmr + 100 DLmr + 100 DLmw" },
};

static bool terms_parse(struct pp_cg_parser *, struct pp_cg_derived *, struct pp_slice formula,
                        int64_t factor, bool known);

/* Adds factor * name; columns that the file lacks count as 0 inside a known sum only. */
static bool
term_add(struct pp_cg_parser *p, struct pp_cg_derived *d, struct pp_slice name, int64_t factor,
         bool known)
{
	size_t metric = metric_find(p, name), i, k;

	for (i = 0; i < p->head.derived.n; i++) {
		if (p->head.derived.at[i].metric != metric)
			continue;
		for (k = 0; k < p->head.derived.at[i].terms.n; k++) {
			struct pp_cg_term term = p->head.derived.at[i].terms.at[k];

			if (__builtin_mul_overflow(term.factor, factor, &term.factor) ||
			    d->terms.n > MOST_EVENTS || !pp_vec_push(&d->terms, term))
				return false;
		}
		return true;
	}
	if (metric < p->builder->profile->metrics.n)
		return d->terms.n <= MOST_EVENTS &&
		       pp_vec_push(&d->terms, (struct pp_cg_term){ (uint32_t)metric, factor });
	for (i = 0; !known && i < PP_COUNT_OF(known_sums); i++)
		if (pp_slice_eq_z(name, known_sums[i].name))
			return terms_parse(p, d, pp_slice_z(known_sums[i].formula), factor, true);
	return known;
}

/* `[k][*] name + ...` */
static bool
terms_parse(struct pp_cg_parser *p, struct pp_cg_derived *d, struct pp_slice formula,
            int64_t factor, bool known)
{
	bool more = true;

	while (formula.n) {
		struct pp_slice name = pp_slice_trim(pp_slice_cut(&formula, '+', &more));
		size_t digits = 0;
		uint64_t k = 1;
		int64_t product;

		while (digits < name.n && pp_is_digit(name.p[digits]))
			digits++;
		if (digits && !pp_num_u64(pp_slice_of(name.p, digits), &k))
			return false;
		name = pp_slice_trim(pp_slice_from(name, digits));
		if (pp_slice_take(&name, "*"))
			name = pp_slice_trim(name);
		if (name.n == 0 || k > INT64_MAX ||
		    __builtin_mul_overflow((int64_t)k, factor, &product) ||
		    !term_add(p, d, name, product, known))
			return false;
	}
	return true;
}

void
pp_cg_derive(struct pp_cg_parser *p, int64_t *costs)
{
	size_t i, k;

	for (i = 0; i < p->head.derived.n; i++) {
		const struct pp_cg_derived *d = &p->head.derived.at[i];
		const struct pp_metric *m = p->builder->profile->metrics.at;
		union pp_value sum = { .i = 0 };
		pp_i128 product;
		bool over = false;

		for (k = 0; k < d->terms.n; k++) {
			const struct pp_cg_term *term = &d->terms.at[k];

			over |= __builtin_mul_overflow(
			    pp_cell_value(&m[term->metric], costs[term->metric]).i,
			    (pp_i128)term->factor, &product);
			over |= __builtin_add_overflow(sum.i, product, &sum.i);
		}
		if (sum.i < 0 && pp_cg_fits_signed(p->builder->profile, d->metric))
			p->builder->profile->metrics.at[d->metric].type = PP_INT;
		over |= !pp_value_cell(&m[d->metric], sum, &costs[d->metric]);
		if (over)
			pp_cg_report(p, PP_CG_BAD_EVENT, NULL, "a derived cost exceeds %d bits",
			             m[d->metric].type == PP_UINT ? 64 : 63);
		costs[d->metric] = over ? 0 : costs[d->metric];
	}
}

/* `NAME [= FORMULA] [: TITLE]`, once the columns of the part are known. `at` is where it stands in the line, if it does. */
static void
event_define(struct pp_cg_parser *p, struct pp_slice value, const unsigned char *at)
{
	bool has_title, equal;
	struct pp_slice title = value, formula = pp_slice_cut(&title, ':', &has_title);
	struct pp_slice name = pp_slice_trim(pp_slice_cut(&formula, '=', &equal));
	struct pp_profile *profile = p->builder->profile;
	size_t metric = metric_find(p, name);
	struct pp_cg_derived derived = { 0 };

	title = pp_slice_trim(title);
	if (metric < profile->metrics.n) {
		struct pp_metric *m = &profile->metrics.at[metric];

		if (title.n && !m->title) {
			m->title = pp_build_str(p->builder, title);
			metric_unit(p, name, title, m);
		}
		return;
	}
	if (!equal || p->family == PP_CG_XDEBUG)
		return; /* a title for an event that this part does not count */
	if (name.n == 0 || p->head.derived.n >= MOST_EVENTS || is_too_late(p, name) ||
	    !terms_parse(p, &derived, formula, 1, false)) {
		pp_cg_report(p, PP_CG_BAD_EVENT, at, "the formula of %.*s cannot be computed",
		             (int)(name.n < 80 ? name.n : 80), (const char *)name.p);
		pp_vec_release(&derived.terms);
		return;
	}
	derived.formula = pp_build_str(p->builder, pp_slice_trim(formula));
	derived.metric = metric_need(p, name);
	if (pp_builder_ok(p->builder) && title.n)
		profile->metrics.at[derived.metric].title = pp_build_str(p->builder, title);
	pp_build_extra(p->builder, PP_CG_EXTRA_METRIC, derived.metric, "formula",
	               pp_text_of(profile, derived.formula));
	if (!pp_vec_push(&p->head.derived, derived)) {
		pp_vec_release(&derived.terms);
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	}
}

/* ---- lines of the header ---------------------------------------------------------------- */

void
pp_cg_events(struct pp_cg_parser *p, struct pp_slice value)
{
	struct pp_cg_part *part = pp_cg_part(p);
	struct pp_slice name;
	uint32_t *events = NULL;
	size_t n = 0, cap = 0, most = p->family == PP_CG_XDEBUG ? PP_CG_XDEBUG_EVENTS : MOST_EVENTS,
	       i;

	p->head.events_text = value;
	while (pp_slice_word(&value, &name)) {
		if (n == most || is_too_late(p, name)) {
			pp_cg_report(p, PP_CG_BAD_EVENT, name.p, "there are more than %zu %s",
			             n == most ? most : late_most(p),
			             n == most ? "events" : "events that only later parts have");
			break;
		}
		if (n == cap && !pp_vec_grow((void **)&events, &cap, sizeof *events, n + 1))
			pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		if (!pp_builder_ok(p->builder))
			break;
		events[n] = metric_need(p, name);
		for (i = 0; i < n && events[i] != events[n]; i++)
			;
		if (i < n++)
			pp_cg_report(p, PP_CG_BAD_EVENT, name.p,
			             "this event has a column already; the last one counts");
	}
	free(part->events);
	part->events = events;
	part->event_count = (uint32_t)n;
	for (i = 0; i < n && events[i] == i; i++)
		;
	part->in_order = i == n;
	part->has_events = n > 0;
	for (i = part->first_header; i < p->head.lines.n && pp_builder_ok(p->builder); i++) {
		const struct pp_cg_header *h = &p->head.lines.at[i];

		if (pp_slice_eq_z(pp_text_of(p->builder->profile, h->key), "event"))
			event_define(p, pp_text_of(p->builder->profile, h->value), NULL);
	}
	fit_metrics(p);
}

void
pp_cg_event(struct pp_cg_parser *p, struct pp_slice value)
{
	if (pp_cg_part(p)->has_events) {
		event_define(p, value, value.p);
		fit_metrics(p);
	}
}
