/*
 * The output of `go tool pprof -raw`.
 *
 *     PeriodType: cpu nanoseconds
 *     Samples:
 *     samples/count cpu/nanoseconds[dflt]
 *              1   10000000: 1 2
 *     Locations
 *          1: 0x58b265 M=1 scanblock /src/mgc.go:12:3 s=0
 *                      drain /src/mgc.go:20:9 s=0
 *          2: 0x599530 M=1 GC /src/gc.go:7:1 s=0
 *
 * Each type of sample is a metric. The primary one is the one marked "[dflt]", or the last, as in pprof. A location lists the functions that
 * were inlined into each other, the innermost first. Locations follow the samples, so samples are read at the end.
 */
#include "formats/dump/dump.h"

#include "formats/kit/no_stack.h"
#include "formats/kit/sampled.h"

enum { RAW_HEAD, RAW_TYPES, RAW_SAMPLES, RAW_LOCATIONS, RAW_MAPPINGS };

/* pprof itself writes up to four; one bit each in pp_dump.falls. */
#define TYPES_MOST 64

static int
raw_bid(struct pp_slice line)
{
	return pp_slice_starts(line, "PeriodType: ")             ? 32
	       : pp_slice_eq_z(line, "Samples:")                 ? 16
	       : pp_slice_eq_z(pp_slice_trim(line), "Locations") ? 24
	                                                         : 0;
}

/* ---- types of samples ---- */

/* Reads the type at the start of a list, such as "alloc_space/bytes[dflt]"; false at its end. */
static bool
type_take(struct pp_slice *list, struct pp_slice *type, bool *primary)
{
	if (!pp_slice_word(list, type))
		return false;
	*primary = pp_slice_ends(*type, "[dflt]");
	if (*primary)
		type->n -= strlen("[dflt]");
	return true;
}

/* "cpu/nanoseconds" */
static void
metric_build(struct pp_dump *d, struct pp_slice type, unsigned flags)
{
	const unsigned char *slash = pp_dump_find_last(type, "/");
	struct pp_slice name = slash ? pp_slice_between(type.p, slash) : type;
	struct pp_slice spelled = pp_slice_between(slash ? slash + 1 : type.p + type.n,
	                                           type.p + type.n);
	const struct pp_sampled_unit *unit = pp_sampled_unit_find(spelled);
	struct pp_metric metric = { .name = pp_build_str(d->builder, name),
		                    .type = PP_INT,
		                    .kind = pp_sampled_kind(name, unit, spelled),
		                    .factor_num = unit ? unit->factor : 1,
		                    .factor_den = 1 };

	metric.unit = unit ? pp_build_strz(d->builder, unit->unit)
	                   : pp_build_str(d->builder, spelled);
	metric.flags = flags | (metric.kind == PP_KIND_SAMPLES ? PP_METRIC_SAMPLED : 0u);
	(void)pp_build_metric(d->builder, &metric);
}

/* Builds a metric for each type; returns how many. */
static size_t
metrics_build(struct pp_dump *d)
{
	struct pp_slice list = pp_slice_of(d->types.p ? d->types.p : "", d->types.n), type;
	struct pp_slice rest = list;
	size_t n = 0, primary = SIZE_MAX, i;
	bool marked;

	for (; n < TYPES_MOST && type_take(&rest, &type, &marked); n++)
		if (marked && primary == SIZE_MAX)
			primary = n;
	if (primary == SIZE_MAX)
		primary = n - 1;
	for (i = 0; i < n && type_take(&list, &type, &marked); i++)
		metric_build(d, type,
		             (i == primary ? PP_METRIC_PRIMARY : 0u) |
		                 (d->falls >> i & 1 ? PP_METRIC_SIGNED : 0u));
	if (n == 0) {
		metric_build(d, pp_slice_z("samples/count"), PP_METRIC_PRIMARY);
		n = 1;
	}
	(void)pp_build_gains(d->builder);
	return n;
}

/* ---- samples and locations ---- */

/* Keeps "1   10000000: 1 2"; labels of a sample are on lines of their own, and left out. */
static void
sample_keep(struct pp_dump *d, struct pp_slice text)
{
	struct pp_slice rest = text, values, word;
	int64_t value;
	size_t n = 0;
	bool found;

	values = pp_slice_cut(&rest, ':', &found);
	while (found && pp_slice_word(&values, &word)) {
		if (!pp_num_i64(word, &value))
			return;
		if (n < TYPES_MOST && value < 0)
			d->falls |= (uint64_t)1 << n;
		n++;
	}
	if (n == 0)
		return;
	pp_buf_add(&d->thread, text.p, text.n);
	pp_buf_addc(&d->thread, '\n');
}

/* Adds a line to the location that was read last: windows move, and samples are taken at the end. */
static void
raw_keep(struct pp_dump *d, struct pp_slice text)
{
	struct pp_dump_place *place = &d->kept.at[d->kept.n - 1];

	pp_buf_add(&d->places, text.p, text.n);
	pp_buf_addc(&d->places, '\n');
	place->n = d->places.n - place->begin;
}

/* Begins a location; the number may be any. */
static bool
raw_begin(struct pp_dump *d, uint64_t id)
{
	struct pp_dump_place place = { .begin = d->places.n };

	d->kept_at.seed = d->builder->profile->strs.seed;
	if (d->kept.n < PP_MAP_NONE && pp_map_set(&d->kept_at, id, (uint32_t)d->kept.n) &&
	    pp_vec_push(&d->kept, place))
		return true;
	pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
	return false;
}

/* "     1: 0x58b265 M=1 scanblock /src/x.go:12:3 s=0": name and place of a location, or of a line that goes on. */
static void
raw_location(struct pp_slice text, struct pp_slice *name, struct pp_slice *place)
{
	struct pp_slice word, all[64];
	size_t n = 0;

	while (n < PP_COUNT_OF(all) && pp_slice_word(&text, &word)) {
		if (n == 0 && (pp_slice_starts(word, "0x") || pp_slice_starts(word, "M=") ||
		               pp_slice_eq_z(word, "[F]")))
			continue;
		if (!pp_slice_starts(word, "s=") || pp_slice_trim(text).n)
			all[n++] = word;
	}
	*place = n > 1 ? all[n - 1] : pp_slice_of(NULL, 0);
	*name = n > 1 ? pp_slice_between(all[0].p, all[n - 2].p + all[n - 2].n)
	        : n   ? all[0]
	              : pp_slice_of(NULL, 0);
	/* "file.go:12:3": the column is not kept. */
	if (place->n && pp_slice_count(*place, ':') > 1) {
		const unsigned char *colon = pp_dump_find_last(*place, ":");

		*place = pp_slice_between(place->p, colon);
	}
	if (pp_slice_starts(*place, ":"))
		place->n = 0;
}

/* Adds a location, or a function that the one before was inlined into. */
static bool
location_take(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice text = line, number;
	uint64_t id;
	bool found;

	number = pp_slice_cut(&text, ':', &found);
	/* Lines without a number are of the functions that the one before was inlined into. */
	if (found && pp_num_u64(number, &id)) {
		d->open = raw_begin(d, id);
		if (!d->open)
			return false;
	} else {
		text = line;
	}
	if (d->open)
		raw_keep(d, text);
	return true;
}

/* Adds the frames of a location, the innermost first; one that is not listed is unknown. */
static void
raw_frames(struct pp_dump *d, uint32_t at)
{
	struct pp_slice text = { 0 }, line, name, place;
	bool found;

	if (at != PP_MAP_NONE)
		text = pp_slice_of(d->places.p + d->kept.at[at].begin, d->kept.at[at].n);
	d->unlisted += at == PP_MAP_NONE;
	do {
		line = pp_slice_cut(&text, '\n', &found);
		raw_location(line, &name, &place);
		pp_dump_frame_add(d, name.n ? name : pp_slice_z("[unknown]"), pp_slice_of(NULL, 0),
		                  place);
	} while (text.n);
}

/* Adds a sample, whose locations are listed from the innermost on. */
static void
raw_sample(struct pp_dump *d, struct pp_slice text, size_t types)
{
	struct pp_slice values, word;
	int64_t cells[2 * TYPES_MOST] = { 0 };
	size_t n = d->builder->profile->metrics.n, i;
	uint64_t id;
	bool found;

	values = pp_slice_cut(&text, ':', &found);
	for (i = 0; i < types && pp_slice_word(&values, &word); i++)
		(void)pp_num_i64(word, &cells[i]);
	for (i = types; i < n; i++)
		cells[i] = pp_cell_gained(PP_INT, cells[d->builder->profile->metrics.at[i].net]);
	while (pp_slice_word(&text, &word))
		if (pp_num_u64(word, &id))
			raw_frames(d, pp_map_get(&d->kept_at, id));
	if (!d->frames.n && !pp_vec_push(&d->frames, pp_no_stack_frame(d->builder)))
		pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
	pp_dump_stack_values(d, cells, false);
}

static void
raw_end(struct pp_dump *d)
{
	struct pp_slice rest = pp_slice_of(d->thread.p ? d->thread.p : "", d->thread.n), line;
	size_t types;
	bool found;

	if (d->thread.failed || d->places.failed || d->types.failed)
		pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
	types = metrics_build(d);
	while (rest.n && pp_builder_ok(d->builder)) {
		line = pp_slice_cut(&rest, '\n', &found);
		raw_sample(d, line, types);
	}
	if (!d->unlisted)
		return;
	pp_diag_add(d->reader->diags, &pp_dump_rules[DUMP_LINE], PP_NOWHERE,
	            "locations of samples are not listed: %llu frames are [unknown]",
	            (unsigned long long)d->unlisted);
	d->builder->profile->complete = false;
}

static bool
raw_line(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice text = pp_slice_trim(line);

	if (pp_slice_eq_z(text, "Samples:"))
		d->section = RAW_TYPES;
	else if (pp_slice_eq_z(text, "Locations"))
		d->section = RAW_LOCATIONS;
	else if (pp_slice_eq_z(text, "Mappings"))
		d->section = RAW_MAPPINGS;
	else if (d->section == RAW_TYPES && text.n) {
		d->section = RAW_SAMPLES;
		d->types.n = 0;
		pp_buf_add(&d->types, text.p, text.n);
	} else if (d->section == RAW_SAMPLES)
		sample_keep(d, text);
	else if (d->section == RAW_LOCATIONS && text.n)
		return location_take(d, text);
	return true;
}

const struct pp_dump_kind pp_dump_go_raw = {
	"go-raw", raw_bid, raw_line,        raw_end,
	NULL,     NULL,    PP_KIND_SAMPLES, { "PeriodType: ", "Period: " }
};
