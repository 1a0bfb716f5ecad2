/*
 * What an event counts, by its name: units, kinds, and Xdebug's changing unit of time.
 *
 *     Time_(10ns), Memory_(bytes), cpu(ms)     the name says it
 *     Time        creator xdebug 2.x           microseconds
 *     Time        version 0.9.6 + Memory       100 ns (2.0.0 beta 1 .. RC 3)
 *     Time        version 0.9.6 alone          microseconds (RC 4 .. 2.1.0), or 100 ns: not to be known
 *     Ir Dr Dw I1mr ...                        counts
 */
#include "formats/valgrind/family.h"

#include "base/units.h"

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

/* "ns", "bytes" or, as in titles, "elapsed ns" and "system cpu ns". */
static bool
unit_by_word(struct pp_cg_parser *p, struct pp_slice text, struct pp_metric *m)
{
	const struct pp_unit *bytes;
	struct pp_slice word = text;
	uint64_t time;

	while (pp_slice_find(word, ' '))
		word = pp_slice_from(word, 1);
	bytes = pp_unit_find(PP_UNIT_BYTES, word);
	time = pp_cg_time_unit(word);
	if (time)
		set_unit(p, m, "ns",
		         memmem(text.p, text.n, "cpu", 3) ? PP_KIND_CPU_TIME : PP_KIND_WALL_TIME,
		         time);
	else if (bytes)
		set_unit(p, m, "bytes", PP_KIND_BYTES, bytes->factor);
	else
		return false;
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

void
pp_cg_metric_unit(struct pp_cg_parser *p, struct pp_slice name, struct pp_slice title,
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
	if (!unit_by_word(p, unit_in(name), m) && title.n)
		(void)unit_by_word(p, unit_in(title), m);
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
