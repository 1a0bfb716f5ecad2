/*
 * Header lines, parts and events.
 *
 * A file has one or several parts (dumps, threads, appended profiles); each has a header and a body and
 * names its own events, perhaps in another order, so columns are mapped to the profile's metrics by name.
 *
 *     version: creator: cmd: pid: thread: part: desc:      about the run
 *     positions: instr bb line                             which positions start each cost line
 *     event: NAME [= FORMULA] [: TITLE]                    titles and derived events
 *     events: NAME...                                      the columns; required
 *     summary: COST...   totals: COST...                   sums as the writer knew them
 */
#include "formats/valgrind/family.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

#define MOST_EVENTS 512
/* Each event that comes when there are rows already moves all of them. */
#define MOST_LATE_EVENTS 32

/* ---- parts ------------------------------------------------------------------------------ */

void
pp_cg_part_end(struct pp_cg_parser *p)
{
	p->head.fresh = p->head.part == 0 || pp_cg_part(p)->has_body || pp_cg_part(p)->has_events;
}

static bool
part_begin(struct pp_cg_parser *p)
{
	struct pp_cg_part part = { .first_header = p->head.lines.n,
		                   .pid = -1,
		                   .thread = -1,
		                   .number = -1,
		                   .positions = PP_CG_LINE };

	if (p->head.part) {
		part.pid = pp_cg_part(p)->pid;
		part.creator = pp_cg_part(p)->creator;
		part.version = pp_cg_part(p)->version;
		part.positions = pp_cg_part(p)->positions;
	}
	if (p->head.parts.n >= UINT32_MAX - 1 || !pp_vec_push(&p->head.parts, part)) {
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		return false;
	}
	p->head.part = (uint32_t)p->head.parts.n;
	p->head.fresh = false;
	p->place.object = p->next.object = 0;
	p->place.file = p->place.current_file = p->place.function = p->next.file =
	    p->next.function = 0;
	p->place.has_function = p->next.has_object = p->next.has_file = p->next.has_function =
	    false;
	p->place.func = 0;
	p->base = (struct pp_cg_pos){ { 0, 0, 0 } };
	return true;
}

bool
pp_cg_part_need(struct pp_cg_parser *p)
{
	return p->head.part != 0 || part_begin(p);
}

void
pp_cg_series(struct pp_cg_parser *p, bool has_calls, bool measured)
{
	struct pp_cg_part *part = pp_cg_part(p);
	struct pp_series like = {
		.pid = part->pid, .tid = part->thread, .cpu = -1, .measured = measured
	};
	char text[40];

	if (p->head.part > 1) {
		int64_t number = part->number > 1 ? part->number : (int64_t)p->head.part;

		snprintf(text, sizeof text, "part %lld", (long long)number);
		like.context = pp_build_strz(p->builder, text);
	}
	part->series = pp_build_series(p->builder, &like, p->builder->profile->series.n == 0,
	                               has_calls);
}

/* ---- metrics ---------------------------------------------------------------------------- */

/* The metric of that name, or metrics.n. */
static size_t
metric_find(const struct pp_cg_parser *p, struct pp_slice name)
{
	const struct pp_profile *profile = p->builder->profile;
	size_t i;

	for (i = 0; i < profile->metrics.n; i++)
		if (pp_slice_eq(pp_text_of(profile, profile->metrics.at[i].name), name))
			break;
	return i;
}

/* A new event behind the first part, and there are too many of them. */
static bool
is_too_late(const struct pp_cg_parser *p, struct pp_slice name)
{
	return p->head.late_events >= MOST_LATE_EVENTS &&
	       metric_find(p, name) == p->builder->profile->metrics.n;
}

static uint32_t
metric_need(struct pp_cg_parser *p, struct pp_slice name)
{
	size_t i = metric_find(p, name);
	struct pp_metric metric = { .name = pp_build_str(p->builder, name), .type = PP_INT };

	if (i < p->builder->profile->metrics.n || !pp_builder_ok(p->builder))
		return (uint32_t)i;
	pp_cg_metric_unit(p, name, pp_slice_of("", 0), &metric);
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
	int64_t *grown;

	if (!pp_builder_ok(p->builder))
		return;
	if (n > p->costs_cap &&
	    !pp_vec_grow((void **)&p->costs, &p->costs_cap, sizeof *p->costs, n)) {
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		return;
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
		int64_t sum = 0, product;
		bool over = false;

		for (k = 0; k < d->terms.n; k++) {
			over |= __builtin_mul_overflow(costs[d->terms.at[k].metric],
			                               d->terms.at[k].factor, &product);
			over |= __builtin_add_overflow(sum, product, &sum);
		}
		if (over)
			pp_cg_report(p, PP_CG_BAD_EVENT, NULL, "a derived cost passes 63 bits");
		costs[d->metric] = over ? 0 : sum;
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
			pp_cg_metric_unit(p, name, title, m);
		}
		return;
	}
	if (!equal)
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

/* ---- header lines ----------------------------------------------------------------------- */

static void
header_events(struct pp_cg_parser *p, struct pp_slice value)
{
	struct pp_cg_part *part = pp_cg_part(p);
	struct pp_slice name;
	uint32_t *events = NULL;
	size_t n = 0, cap = 0, i;

	p->head.events_text = value;
	while (pp_slice_word(&value, &name)) {
		if (n == MOST_EVENTS || is_too_late(p, name)) {
			pp_cg_report(p, PP_CG_BAD_EVENT, name.p, "there are more than %d %s",
			             n == MOST_EVENTS ? MOST_EVENTS : MOST_LATE_EVENTS,
			             n == MOST_EVENTS ? "events"
			                              : "events that only later parts have");
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
	part->has_events = n > 0;
	for (i = part->first_header; i < p->head.lines.n && pp_builder_ok(p->builder); i++) {
		const struct pp_cg_header *h = &p->head.lines.at[i];

		if (pp_slice_eq_z(pp_text_of(p->builder->profile, h->key), "event"))
			event_define(p, pp_text_of(p->builder->profile, h->value), NULL);
	}
	fit_metrics(p);
}

static void
header_positions(struct pp_cg_parser *p, struct pp_slice value)
{
	struct pp_cg_part *part = pp_cg_part(p);
	struct pp_slice word;

	part->positions = 0;
	while (pp_slice_word(&value, &word)) {
		if (pp_slice_eq_z(word, "instr") || pp_slice_eq_z(word, "addr"))
			part->positions |= PP_CG_INSTR;
		else if (pp_slice_eq_z(word, "bb"))
			part->positions |= PP_CG_BB;
		else if (pp_slice_eq_z(word, "line"))
			part->positions |= PP_CG_LINE;
		else
			pp_cg_report(p, PP_CG_BAD_POSITIONS, word.p, "unknown kind of position");
	}
	if (part->positions == 0)
		part->positions = PP_CG_LINE;
}

static int64_t
header_number(struct pp_slice value)
{
	int64_t number;

	return pp_num_i64(value, &number) ? number : -1;
}

static void
header_version(struct pp_cg_parser *p, struct pp_slice value)
{
	unsigned major = value.n && pp_is_digit(value.p[0]) ? value.p[0] - '0' : 0;

	pp_cg_part(p)->version = pp_build_str(p->builder, value);
	if (major >= 2 || (value.n > 1 && pp_is_digit(value.p[1])))
		pp_cg_report(p, PP_CG_VERSION, value.p, "only version 1 is known");
}

/* Keeps a header line for meta data and for writing it back. */
static void
header_keep(struct pp_cg_parser *p, struct pp_slice key, struct pp_slice value)
{
	struct pp_cg_header h = { p->head.part, pp_build_str(p->builder, key),
		                  pp_build_str(p->builder, value) };

	if (pp_builder_ok(p->builder) && !pp_vec_push(&p->head.lines, h))
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
}

static void
header_sum(struct pp_cg_parser *p, struct pp_slice value, bool totals)
{
	struct pp_cg_part *part = pp_cg_part(p);
	pp_str text = pp_build_str(p->builder, value);

	if (totals) {
		part->has_totals = true;
		part->totals = text;
		part->totals_line = p->at.line;
	} else {
		part->has_summary = true;
		part->summary = text;
		part->summary_line = p->at.line;
	}
}

/* Acts on a header line that belongs to the current part. */
static void
header_take(struct pp_cg_parser *p, struct pp_slice key, struct pp_slice value)
{
	struct pp_cg_part *part = pp_cg_part(p);

	if (pp_slice_eq_z(key, "events")) {
		header_events(p, value);
	} else if (pp_slice_eq_z(key, "positions")) {
		header_positions(p, value);
	} else if (pp_slice_eq_z(key, "event")) {
		if (part->has_events) {
			event_define(p, value, value.p);
			fit_metrics(p);
		}
	} else if (pp_slice_eq_z(key, "creator")) {
		part->creator = pp_build_str(p->builder, value);
		p->self_base = pp_slice_starts(value, "callgrind");
	} else if (pp_slice_eq_z(key, "version")) {
		header_version(p, value);
	} else if (pp_slice_eq_z(key, "cmd")) {
		part->cmd = pp_build_str(p->builder, value);
	} else if (pp_slice_eq_z(key, "pid")) {
		part->pid = header_number(value);
	} else if (pp_slice_eq_z(key, "thread")) {
		part->thread = header_number(value);
	} else if (pp_slice_eq_z(key, "part")) {
		part->number = header_number(value);
	}
}

/* Keys that start a new part when they come after a body. */
static bool
starts_part(struct pp_slice key)
{
	static const char *const keys[] = { "version", "creator",   "pid",    "thread", "part",
		                            "cmd",     "positions", "events", "event",  "desc" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(keys); i++)
		if (pp_slice_eq_z(key, keys[i]))
			return true;
	return false;
}

static bool
is_key_byte(unsigned char c)
{
	return (unsigned)(c | 32) - 'a' < 26 || pp_is_digit(c) || c == '_' || c == ' ' ||
	       c == '(' || c == ')';
}

bool
pp_cg_header(struct pp_cg_parser *p, struct pp_slice line)
{
	struct pp_slice key, value;
	size_t n = 0;
	bool totals;

	while (n < line.n && is_key_byte(line.p[n]))
		n++;
	if (n == 0 || n == line.n || line.p[n] != ':' || (unsigned)(line.p[0] | 32) - 'a' >= 26)
		return false;
	key = pp_slice_of(line.p, n);
	value = pp_slice_trim(pp_slice_of(line.p + n + 1, line.n - n - 1));
	totals = pp_slice_eq_z(key, "totals");
	if (totals || pp_slice_eq_z(key, "summary")) {
		if (p->head.part == 0 || p->head.fresh)
			return false;
		header_sum(p, value, totals);
		return true;
	}
	if (p->head.part == 0 || p->head.fresh || (pp_cg_part(p)->has_body && starts_part(key)))
		if (!part_begin(p))
			return true;
	header_keep(p, key, value);
	header_take(p, key, value);
	return true;
}
