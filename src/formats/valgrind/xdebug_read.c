/*
 * Reading Xdebug files: the fast way where it can, the thorough way where it must.
 */
#include "formats/valgrind/xdebug.h"

#include "base/num.h"
#include "formats/kit/whole.h"

extern const struct pp_format pp_format_xdebug;

unsigned
pp_xd_version(struct pp_slice creator)
{
	static const char start[] = "xdebug ";
	unsigned part[2] = { 0, 0 }, k = 0;
	size_t i = sizeof start - 1;

	if (!pp_slice_starts(creator, start))
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
	if (p->head.parts.n > 1)
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
		                pp_slice_trim(pp_slice_of(blank, text.n - time.n)));
}

void
pp_xd_finish(struct pp_cg_parser *p, bool cut)
{
	struct pp_profile *profile = p->builder->profile;
	bool aggregate = profile->lines.adds_up;
	size_t i;

	profile->format = &pp_format_xdebug;
	if (cut) {
		pp_diag_add(p->reader->diags, &pp_xdebug_rules[PP_XD_CUT],
		            pp_at_line(p->at.line, 1, p->at.offset),
		            "the file ends inside a record");
		profile->complete = false;
	}
	for (i = 0; i < p->head.parts.n; i++) {
		const struct pp_cg_part *part = &p->head.parts.at[i];
		unsigned version = pp_xd_version(pp_text_of(profile, part->creator));

		if (!part->has_main && !aggregate && p->names.undefined)
			warn(p, PP_XD_SECOND_FILE, i,
			     "ids are used that only another file defines");
		else if (!part->has_main && !aggregate)
			warn(p, PP_XD_NO_MAIN, i, "{main} never ended");
		else if (!part->has_summary && version >= 208)
			warn(p, PP_XD_NO_SUMMARY, i,
			     "the profile is not closed by a summary: line");
	}
	pp_cg_finish(p);
	if ((p->reader->order->facets & PP_META) && p->head.parts.n == 1 &&
	    p->head.parts.at[0].has_summary &&
	    pp_xd_version(pp_text_of(profile, p->head.parts.at[0].creator)) >= 208)
		meta_summary(p, &p->head.parts.at[0]);
}

/* ---- first lines of functions ----------------------------------------------------------- */

void
pp_xd_lines_note(struct pp_xd_lines *lines, struct pp_builder *b, pp_func func, uint32_t line)
{
	size_t old = lines->of.n;

	if (func >= old) {
		if (!pp_vec_reserve(&lines->of, (size_t)func + 1)) {
			pp_builder_fail(b, PP_E_NOMEM, NULL);
			return;
		}
		memset(lines->of.at + old, 0, (func + 1 - old) * sizeof *lines->of.at);
		lines->of.n = (size_t)func + 1;
	}
	lines->of.at[func] = lines->of.at[func] && lines->of.at[func] != line ? PP_XD_LINES : line;
}

void
pp_xd_lines_settle(struct pp_xd_lines *lines, struct pp_builder *b)
{
	struct pp_map first = { .seed = b->seed };
	struct pp_profile *profile = b->profile;
	size_t i, pass;

	/* The same function may have an id for each profile: forth to compare, back to agree. */
	for (pass = 0; pass < 2; pass++) {
		for (i = 1; i < lines->of.n && pp_builder_ok(b); i++) {
			const struct pp_func_row *row = &profile->funcs.at[i];
			uint64_t key = (uint64_t)row->name << 32 | row->file;
			uint32_t id = pp_map_get(&first, key);

			if (id == PP_MAP_NONE && !pp_map_set(&first, key, id = (uint32_t)i))
				pp_builder_fail(b, PP_E_NOMEM, NULL);
			if (lines->of.at[i] != lines->of.at[id])
				lines->of.at[i] = lines->of.at[id] = PP_XD_LINES;
		}
	}
	for (i = 1; i < lines->of.n; i++)
		if (lines->of.at[i] != PP_XD_LINES)
			profile->funcs.at[i].line = lines->of.at[i];
	pp_map_release(&first);
	pp_vec_release(&lines->of);
}

/* ---- choosing the way ------------------------------------------------------------------- */

#define SEPARATOR "==== NEW PROFILING FILE"

/* A window on part of an input that stays. */
static struct pp_input
window_of(const struct pp_input *in, const unsigned char *begin, const unsigned char *end)
{
	struct pp_input window = { .cur = begin,
		                   .end = end,
		                   .begin = begin,
		                   .at_end = true,
		                   .stable = true,
		                   .status = PP_OK };

	window.begin_offset = pp_input_offset(in, begin);
	return window;
}

/* Where the profile that starts at p ends: at the next separator line. */
static const unsigned char *
profile_end(const unsigned char *p, const unsigned char *end, bool appended)
{
	const unsigned char *next;

	if (!appended)
		return end;
	next = memmem(p, (size_t)(end - p), "\n" SEPARATOR, sizeof SEPARATOR);
	return next ? next + 1 : end;
}

/* Whether the records start with ids, as from 2.3 on. */
static bool
has_ids(const unsigned char *records, const unsigned char *end)
{
	return (size_t)(end - records) > 5 && memcmp(records, "fl=(", 4) == 0 &&
	       pp_is_digit(records[4]);
}

/* Reads the header in front of the records; false when it is unusual. */
static bool
fast_header(struct pp_cg_parser *p, struct pp_input *in, const unsigned char *begin,
            const unsigned char *records)
{
	struct pp_input window = window_of(in, begin, records), *outer = p->reader->in;
	size_t metrics = p->head.part ? p->builder->profile->metrics.n : 0;
	pp_status status;

	p->reader->in = &window;
	status = pp_cg_parse(p);
	p->reader->in = outer;
	/* Rows exist by now: a later profile must count the same. */
	if (metrics && p->builder->profile->metrics.n != metrics)
		return false;
	if (!metrics)
		(void)pp_build_gains(p->builder);
	return status == PP_OK && p->head.part && pp_cg_part(p)->has_events && !p->head.fresh &&
	       pp_cg_part(p)->event_count <= 2 && pp_cg_part(p)->positions == PP_CG_LINE &&
	       pp_diags_total(p->reader->diags, PP_NOTE) == 0;
}

/* Reads all profiles of the file; see pp_xd_fast_part(). */
static enum pp_xd_fast
fast_all(struct pp_cg_parser *p, struct pp_input *in, struct pp_xd_lines *lines, bool *cut)
{
	static const struct pp_cg_visitor nothing = { 0 };
	const unsigned char *begin = in->cur, *end = in->end;
	enum pp_xd_fast result = PP_XD_FAST_ODD;
	bool appended;

	while (begin < end && *begin == '\n')
		begin++;
	appended = pp_slice_starts(pp_slice_of(begin, (size_t)(end - begin)), SEPARATOR);
	p->visitor = &nothing;
	while (begin < end) {
		const unsigned char *stop = profile_end(begin, end, appended);
		const unsigned char *records = memmem(begin, (size_t)(stop - begin), "\nfl=", 4);

		if (!records || !has_ids(records + 1, stop) ||
		    !fast_header(p, in, begin, records + 1))
			return PP_XD_FAST_ODD;
		if (pp_slice_eq_z(pp_text_of(p->builder->profile, pp_cg_part(p)->cmd), "Aggregate"))
			return PP_XD_FAST_ODD;
		result = pp_xd_fast_part(p, in, records + 1, stop, lines, cut);
		if (result != PP_XD_FAST_DONE)
			return result;
		begin = stop;
	}
	return result;
}

/* Tries the fast way; *again is set when the slow way must be gone from the start. */
static pp_status
read_fast(struct pp_reader *reader, struct pp_builder *builder, bool *again)
{
	struct pp_diags *outer = reader->diags, own;
	struct pp_cg_parser p = { .reader = reader, .builder = builder, .family = PP_CG_XDEBUG };
	struct pp_profile *profile = builder->profile;
	struct pp_input *in = reader->in;
	struct pp_xd_lines lines = { 0 };
	bool cut = false;
	enum pp_xd_fast result;

	/* What a cut container gave last may be half a line. */
	while (in->status != PP_OK && in->end > in->cur && in->end[-1] != '\n')
		in->end--;
	pp_diags_init(&own);
	pp_diags_set_file(&own, outer->file ? outer->file : "");
	reader->diags = &own;
	result = fast_all(&p, in, &lines, &cut);
	reader->diags = outer;
	if (result == PP_XD_FAST_DONE) {
		profile->costs.stated = profile->costs.measured = true;
		profile->facets |= pp_order_is_costs(reader->order) ? 0 : PP_TREE;
		pp_xd_lines_settle(&lines, builder);
		p.at.line = 0;
		pp_xd_finish(&p, cut || in->status != PP_OK);
	}
	*again = result == PP_XD_FAST_ODD;
	if (*again && !pp_builder_restart(builder))
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
	pp_vec_release(&lines.of);
	pp_diags_release(&own);
	pp_cg_parser_release(&p);
	return builder->status;
}

pp_status
pp_xdebug_read(struct pp_reader *reader, struct pp_builder *builder)
{
	const char *unit = pp_reader_option(reader, "time-unit");
	struct pp_whole whole = { 0 };
	pp_status status;
	bool again = true;

	if (unit && !pp_cg_time_unit(pp_slice_z(unit)))
		return PP_E_USAGE;
	status = pp_whole_open(&whole, reader);
	/* What a damaged container still gave is worth reading. */
	if (status == PP_OK && reader->in->status != PP_E_INVALID)
		status = reader->in->status;
	if (status == PP_OK) {
		const unsigned char *end = reader->in->end;

		status = read_fast(reader, builder, &again);
		reader->in->end = end;
		if (status == PP_OK && again)
			status = pp_xd_records(reader, builder);
		else
			reader->in->cur = end;
	}
	pp_whole_close(&whole, reader);
	return status;
}
