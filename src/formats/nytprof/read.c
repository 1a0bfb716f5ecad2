/*
 * Reading a NYTProf stream, whole or damaged.
 *
 * Nine records of ten are statements ('+', '-'), so they and returns are decoded in one tight loop over
 * the window; all others go through the table-driven decoder. Where no record can stand, reading goes on
 * at the next place from which several decode in a row and name known files.
 */
#include "formats/nytprof/read.h"

#include <math.h>

#include "base/num.h"
#include "formats/nytprof/load.h"
#include "text/units.h"

/* Records that must decode before a place counts as found again. */
#define RESYNC_RECORDS 8
/* The longest '+' or '-', and '<' without its name. */
#define FAST_BYTES 48
/* Bytes after which the careful decoder is asked, progress told and memory given back. */
#define FAST_STEP ((size_t)4 << 20)

/* Beyond this, in seconds or ticks, nothing is a time. Sums of it stay finite. */
#define MOST_TIME 1e30

/* ---- statements and returns: the fast path ------------------------------------------------ */

static inline const unsigned char *
fast_statement(struct pp_nyt_load *load, const unsigned char *p)
{
	uint32_t ticks, fid, line;
	uint32_t row;
	struct pp_nyt_file_row *f;

	p = pp_nyt_uint_load(p + 1, &ticks);
	p = pp_nyt_uint_load(p, &fid);
	p = pp_nyt_uint_load(p, &line);
	row = PP_LIKELY(fid < load->files.of_fid.n) ? load->files.of_fid.at[fid] : 0;
	if (PP_UNLIKELY(row == 0 || (int32_t)ticks < 0))
		return NULL;
	f = &load->files.rows.at[row];
	if (PP_UNLIKELY(line >= f->cap))
		return NULL;
	f->cells[line].ticks += ticks;
	f->cells[line].hits = (f->cells[line].hits + (load->statements.discount ? 0 : 2)) | 1;
	load->statements.discount = false;
	load->clock.now += ticks;
	load->statements.n++;
	return p;
}

static inline const unsigned char *
fast_return(struct pp_nyt_load *load, const unsigned char *p, const unsigned char *end)
{
	uint32_t depth, n, sub;
	double incl, excl;

	p = pp_nyt_uint_load(p + 1, &depth);
	memcpy(&incl, p, sizeof incl);
	memcpy(&excl, p + 8, sizeof excl);
	p += 16;
	if (*p != '\'' && *p != '"')
		return NULL;
	p = pp_nyt_uint_load(p + 1, &n);
	if (PP_UNLIKELY(n > (size_t)(end - p) ||
	                n + (uint64_t)FAST_BYTES > load->reader->limits.max_line || depth == 0 ||
	                !(fabs(incl) <= MOST_TIME) || !(fabs(excl) <= MOST_TIME)))
		return NULL;
	sub = pp_nyt_sub_use(load, pp_slice_of(p, n));
	if (PP_UNLIKELY(sub == PP_NYT_NO_SUB))
		return NULL;
	pp_nyt_calls_return(load, depth, sub, incl, excl);
	return p + n;
}

/*
 * Takes as many plain records as the window holds whole. Stops before anything unusual: the careful
 * decoder handles that one and comes back.
 */
static void
fast_run(struct pp_nyt_load *load)
{
	struct pp_input *in = load->reader->in;
	const unsigned char *p = in->cur, *next;
	const unsigned char *end = pp_input_left(in) > FAST_STEP ? p + FAST_STEP : in->end;
	bool calls = load->want_calls && load->stream.layout.number == PP_NYT_DOUBLE &&
	             load->stream.layout.number_known && load->stream.layout.operands['<'];
	uint64_t statements = load->statements.n;

	/* After a call or return the next statement is looked at more closely, for its time. */
	if (load->clock.multiplier != 1 || load->calls.times.unsettled)
		return;
	load->stream.offset = pp_input_offset(in, p);
	while ((size_t)(end - p) >= FAST_BYTES) {
		if (PP_LIKELY(*p == '+')) {
			next = fast_statement(load, p);
		} else if (*p == '-' && !load->statements.discount) {
			load->statements.discount = true;
			next = p + 1;
		} else if (*p == '<' && calls) {
			load->stream.offset = pp_input_offset(in, p);
			next = fast_return(load, p, end);
			if (load->calls.times.unsettled && next)
				end = next;
		} else {
			break;
		}
		if (PP_UNLIKELY(!next))
			break;
		p = next;
	}
	load->clock.used |= load->statements.n != statements || load->calls.returns != 0;
	if (load->stream.tap && p != in->cur)
		load->stream.tap(load->stream.tap_ctx, in->cur, (size_t)(p - in->cur));
	in->cur = p;
}

/* ---- statements, carefully ------------------------------------------------------------------ */

static void
clock_add(struct pp_nyt_load *load, pp_i128 ticks)
{
	const int64_t most = INT64_MAX / 4;
	pp_i128 now = load->clock.now + ticks;

	load->clock.now = (int64_t)(now > most ? most : now < -most ? -most : now);
}

static void
take_statement(struct pp_nyt_load *load, const struct pp_nyt_record *r)
{
	int32_t ticks = (int32_t)r->u[0];
	uint32_t file = pp_nyt_file_use(load, r->u[1]);

	if (ticks < 0 && load->statements.negative++ == 0)
		load->statements.negative_at = load->stream.offset;
	if (file)
		pp_nyt_line_add(load, file, r->u[2], ticks, !load->statements.discount);
	load->statements.discount = false;
	clock_add(load, (pp_i128)ticks * load->clock.multiplier);
	load->statements.n++;
	if (load->calls.times.unsettled)
		pp_nyt_times_settle(load);
}

static void
take_discount(struct pp_nyt_load *load)
{
	if (load->statements.discount)
		PP_NYT_FIND(load, PP_NYT_DISCOUNT_REPEATED, pp_nyt_here(load),
		            "two discounts in a row; they count as one");
	load->statements.discount = true;
}

/* ---- subs ------------------------------------------------------------------------------------ */

/* A number that can be added up; others are counted as zero. */
static double
finite_or_zero(struct pp_nyt_load *load, double d, const char *what)
{
	if (fabs(d) <= MOST_TIME)
		return d;
	PP_NYT_FIND(load, PP_NYT_NUMBER_NOT_FINITE, pp_nyt_here(load), "%s is %s; counted as 0",
	            what, isnan(d) ? "not a number" : "larger than any time");
	return 0.0;
}

static void
take_return(struct pp_nyt_load *load, const struct pp_nyt_record *r)
{
	double multiplier = (double)load->clock.multiplier;
	double incl = finite_or_zero(load, r->n[0], "the inclusive time of a return") * multiplier;
	double excl = finite_or_zero(load, r->n[1], "the own time of a return") * multiplier;
	uint32_t sub;

	if (r->u[0] == 0)
		PP_NYT_FIND(load, PP_NYT_DEPTH_ZERO, pp_nyt_here(load),
		            "a sub returns at depth 0; taken as 1");
	if (!load->want_calls)
		return;
	sub = pp_nyt_sub_use(load, r->text[0].bytes);
	load->clock.used = true;
	if (sub != PP_NYT_NO_SUB)
		pp_nyt_calls_return(load, r->u[0], sub, incl, excl);
}

static void
take_callers(struct pp_nyt_load *load)
{
	struct pp_nyt_call call;
	struct pp_nyt_call_row row = { .caller = PP_NYT_NO_SUB };

	pp_nyt_call_of(&load->stream.layout, &load->stream.record, &call);
	row.called = pp_nyt_sub_use(load, call.called.bytes);
	if (row.called == PP_NYT_NO_SUB)
		return;
	if (call.fid)
		row.file = pp_nyt_file_use(load, call.fid);
	else
		load->subs.rows.at[row.called].internal = true;
	if (call.caller.bytes.n)
		row.caller = pp_nyt_sub_use(load, call.caller.bytes);
	row.line = call.line;
	row.count = call.count;
	row.incl = pp_nyt_seconds_ticks(load, finite_or_zero(load, call.incl, "inclusive time"));
	row.excl = pp_nyt_seconds_ticks(load, finite_or_zero(load, call.excl, "exclusive time"));
	row.reci = pp_nyt_seconds_ticks(load, finite_or_zero(load, call.reci, "recursive time"));
	row.depth = call.depth;
	load->caller_count += call.count;
	load->clock.used = true;
	/* The mark of a sub that is not in Perl is no call. */
	if (!call.fid && row.caller == PP_NYT_NO_SUB && !call.count && row.incl == 0 &&
	    row.excl == 0)
		return;
	if (!pp_vec_push(&load->callers, row))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
}

static void
take_source(struct pp_nyt_load *load, const struct pp_nyt_record *r)
{
	uint32_t file = pp_nyt_file_use(load, r->u[0]);

	if (file)
		pp_nyt_package_look(load, file, r->text[0].bytes);
	if (file && load->want_source)
		pp_build_source(load->builder, load->files.rows.at[file].name, r->u[1],
		                r->text[0].bytes);
}

/* ---- text lines -------------------------------------------------------------------------------- */

static struct pp_slice
without_cr(struct pp_nyt_load *load, struct pp_slice text)
{
	struct pp_slice s = pp_slice_chomp(text);

	if (s.n != text.n && !load->crlf)
		PP_NYT_FIND(load, PP_NYT_TEXT_CRLF, pp_nyt_here(load),
		            "text lines end in CR LF; the CR is left out");
	load->crlf |= s.n != text.n;
	return s;
}

/* What the reader itself needs to know. */
static void
heed_attribute(struct pp_nyt_load *load, struct pp_slice key, struct pp_slice value)
{
	uint64_t v = 0;
	bool number = pp_num_u64(value, &v);

	if (pp_slice_eq_z(key, "ticks_per_sec")) {
		if (!number || v == 0 || v > 1000000000000u) {
			PP_NYT_FIND(
			    load, PP_NYT_RATE_INVALID, pp_nyt_here(load),
			    "ticks_per_sec is not a number that can be divided by; %llu is used",
			    (unsigned long long)load->clock.rate);
			return;
		}
		pp_nyt_rate_set(load, v);
		load->clock.given = true;
	} else if (pp_slice_eq_z(key, "nv_size")) {
		if (!number || v > 16 ||
		    !pp_nyt_number_guess(&load->stream.layout, (unsigned)v, NULL))
			PP_NYT_FIND(load, PP_NYT_NUMBER_SIZE, pp_nyt_here(load),
			            "floating-point numbers of this size are not known");
	}
}

static void
take_setting(struct pp_nyt_load *load, struct pp_slice line, bool option)
{
	struct pp_nyt_setting s = { .option = option };

	if (!pp_nyt_setting_split(line, &s)) {
		PP_NYT_FIND(load, PP_NYT_TEXT_MALFORMED, pp_nyt_here(load), "%s without '='",
		            option ? "an option" : "an attribute");
		return;
	}
	s.value = without_cr(load, s.value);
	if (!option)
		heed_attribute(load, s.key, s.value);
	if (!pp_nyt_setting_set(&load->settings, s, true))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* A discount belongs to a statement of its own process; one that is left over means nothing. */
static void
discount_drop(struct pp_nyt_load *load)
{
	load->statements.dropped = load->statements.dropped || load->statements.discount;
	load->statements.discount = false;
}

static void
take_process_start(struct pp_nyt_load *load, const struct pp_nyt_record *r)
{
	struct pp_nyt_process process = { .pid = r->u[0],
		                          .ppid = r->u[1],
		                          .open = true,
		                          .statements = load->statements.n,
		                          .offset = load->stream.offset };

	discount_drop(load);
	if (load->process)
		PP_NYT_FIND(load, PP_NYT_PROCESS_NESTED, pp_nyt_here(load),
		            "process %u starts before process %u has ended", r->u[0],
		            load->processes.at[load->process - 1].pid);
	if (load->statements.dropped)
		PP_NYT_FIND(load, PP_NYT_DISCOUNT_DANGLING, pp_nyt_here(load),
		            "the last discount of the process before is not carried over");
	load->statements.dropped = false;
	process.start = r->numbers ? finite_or_zero(load, r->n[0], "the start time") : 0.0;
	process.end = process.start;
	pp_nyt_calls_end(load);
	if (!pp_vec_push(&load->processes, process)) {
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
		return;
	}
	load->process = load->processes.n;
	pp_nyt_scripts_begin(load);
}

static void
take_process_end(struct pp_nyt_load *load, const struct pp_nyt_record *r)
{
	size_t i = load->processes.n;

	pp_nyt_calls_end(load);
	discount_drop(load);
	while (i && (load->processes.at[i - 1].pid != r->u[0] || !load->processes.at[i - 1].open))
		i--;
	if (i == 0) {
		PP_NYT_FIND(load, PP_NYT_PROCESS_UNKNOWN, pp_nyt_here(load),
		            "process %u ends, but it never started", r->u[0]);
		return;
	}
	load->processes.at[i - 1].open = false;
	if (r->numbers)
		load->processes.at[i - 1].end = finite_or_zero(load, r->n[0], "the end time");
	/* Back to the one that was interrupted, if any. */
	for (i = load->processes.n; i && !load->processes.at[i - 1].open; i--)
		;
	load->process = i;
}

/* ---- one record ------------------------------------------------------------------------------ */

/* All numbers of a record make sense as seconds, ticks (of a nanosecond, for years) or dates. */
static bool
numbers_plausible(const struct pp_nyt_record *r)
{
	unsigned i;

	for (i = 0; i < r->numbers; i++) {
		double d = fabs(r->n[i]);

		if (d != 0.0 && !(d > 1e-12 && d < 1e18))
			return false;
	}
	return true;
}

/* The first record with numbers tells how they are stored. */
static void
settle_numbers(struct pp_nyt_load *load)
{
	struct pp_nyt_stream *s = &load->stream;
	struct pp_nyt_layout *l = &s->layout;
	const unsigned char *end = load->reader->in->cur;
	static const enum pp_nyt_number all[] = { PP_NYT_DOUBLE, PP_NYT_DOUBLE_SWAPPED, PP_NYT_X87,
		                                  PP_NYT_QUAD, PP_NYT_QUAD_SWAPPED };
	struct pp_nyt_layout trial = *l;
	size_t i, need;

	if (s->record.tag == 'P' &&
	    pp_nyt_number_guess(&trial, l->number_size, end - l->number_size) &&
	    trial.number_known) {
		l->number = trial.number;
		l->number_known = true;
	}
	for (i = 0; !l->number_known && i < PP_COUNT_OF(all); i++) {
		unsigned size = all[i] <= PP_NYT_DOUBLE_SWAPPED ? 8
		                : all[i] == PP_NYT_X87          ? 12
		                                                : 16;

		if (l->number_size < size || (size == 8) != (l->number_size == 8))
			continue;
		trial.number = all[i];
		(void)pp_nyt_decode(&trial, s->bytes, end, &s->record, &need);
		if (!numbers_plausible(&s->record))
			continue;
		l->number = all[i];
		/* A start time that is no date does not settle it. */
		l->number_known = s->record.tag != 'P';
		break;
	}
	(void)pp_nyt_decode(l, s->bytes, end, &s->record, &need);
	if (l->number == PP_NYT_DOUBLE_SWAPPED || l->number == PP_NYT_QUAD_SWAPPED)
		PP_NYT_FIND(
		    load, PP_NYT_NUMBER_ORDER, pp_nyt_here(load),
		    "numbers are big-endian: the profile comes from another kind of machine");
}

static void
take_deflate(struct pp_nyt_load *load)
{
	if (load->stream.deflated) {
		PP_NYT_FIND(load, PP_NYT_DEFLATE_NESTED, pp_nyt_here(load),
		            "a second start of compression; ignored");
		load->damaged = true;
		return;
	}
	if (load->store)
		pp_nyt_store_deflate(load->store);
	/* What is wrong with the zlib stream, the input itself reports. */
	if (pp_nyt_stream_inflate(&load->stream) != PP_OK)
		load->damaged = true;
}

static void
take_record(struct pp_nyt_load *load)
{
	const struct pp_nyt_record *r = &load->stream.record;
	struct pp_nyt_file file;
	struct pp_nyt_sub sub;

	if (PP_UNLIKELY(r->numbers && !load->stream.layout.number_known))
		settle_numbers(load);
	switch (r->tag) {
	case '+':
	case '*':
		take_statement(load, r);
		break;
	case '-':
		take_discount(load);
		break;
	case '<':
		take_return(load, r);
		break;
	case '>':
		if (load->want_calls)
			pp_nyt_calls_enter(load, r->u[1]);
		break;
	case '@':
		pp_nyt_file_of(r, &file);
		pp_nyt_file_define(load, &file);
		break;
	case 'S':
		take_source(load, r);
		break;
	case 's':
		pp_nyt_sub_of(r, &sub);
		pp_nyt_sub_describe(load, &sub);
		break;
	case 'c':
		take_callers(load);
		break;
	case 'P':
		take_process_start(load, r);
		break;
	case 'p':
		take_process_end(load, r);
		break;
	case ':':
	case '!':
		take_setting(load, r->text[0].bytes, r->tag == '!');
		break;
	case 'z':
		take_deflate(load);
		break;
	default: /* '#' */
		break;
	}
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Whether a record may be believed: its files are known, its numbers small. */
static bool
record_plausible(const struct pp_nyt_load *load, const struct pp_nyt_record *r)
{
	const uint32_t lines = 1u << 24;

	switch (r->tag) {
	case '+':
	case '*':
		return pp_nyt_file_known(load, r->u[1]) && r->u[2] < lines;
	case '>':
	case 'S':
		return pp_nyt_file_known(load, r->u[0]) && r->u[1] < lines;
	case 's':
		return pp_nyt_file_known(load, r->u[0]) && r->u[1] < lines &&
		       r->text[0].bytes.n > 0;
	case 'c':
		return (r->u[0] == 0 || pp_nyt_file_known(load, r->u[0])) && r->u[1] < lines &&
		       numbers_plausible(r);
	case '<':
		return r->u[0] > 0 && r->u[0] < lines && numbers_plausible(r) &&
		       r->text[0].bytes.n > 0;
	case 'P':
	case 'p':
		return numbers_plausible(r);
	case '@':
		return r->u[0] < lines && r->text[0].bytes.n > 0;
	case ':':
	case '!':
		return r->text[0].bytes.n < 4096 &&
		       memchr(r->text[0].bytes.p, '=', r->text[0].bytes.n);
	case '#':
		return r->text[0].bytes.n < 4096;
	default:
		return true;
	}
}

/* Whether a run of believable records starts at `p`, or one that ends with the input and says so. */
static bool
run_starts(const struct pp_nyt_load *load, const unsigned char *p, const unsigned char *end,
           bool last)
{
	struct pp_nyt_record r;
	unsigned n;

	for (n = 0; n < RESYNC_RECORDS; n++) {
		size_t need;
		ptrdiff_t size = pp_nyt_decode(&load->stream.layout, p, end, &r, &need);

		if (size == PP_NYT_MORE && p == end && last)
			return n >= 1 && r.tag == 'p';
		if (size <= 0 || !record_plausible(load, &r) || r.tag == 'z')
			return false;
		p += size;
	}
	return true;
}

/* Looks for the next place from which records can be read; false when there is none. */
static bool
resynchronise(struct pp_nyt_load *load)
{
	uint64_t from = load->stream.offset;
	size_t done = 1;

	for (;;) {
		struct pp_input *in = load->reader->in;
		bool last = !pp_input_need(in, done + 65536);
		const unsigned char *p = in->cur +
		                         (done < pp_input_left(in) ? done : pp_input_left(in));
		const unsigned char *stop = last ? in->end : in->end - 32768;

		for (; p < stop; p++) {
			if (*p >= 128 || !load->stream.layout.operands[*p] ||
			    !run_starts(load, p, in->end, last))
				continue;
			PP_NYT_FIND(
			    load, PP_NYT_RESYNCHRONISED, pp_at_offset(pp_input_offset(in, p)),
			    "reading goes on here; %llu %s skipped",
			    (unsigned long long)(pp_input_offset(in, p) - from),
			    pp_plural(pp_input_offset(in, p) - from, "byte is", "bytes are"));
			in->cur = p;
			return true;
		}
		if (last)
			return false;
		/* Keep little of what was searched, so that memory stays bounded. */
		in->cur = p - 1;
		done = 1;
	}
}

/* Another profile stands right behind this one. */
static bool
take_joined(struct pp_nyt_load *load)
{
	struct pp_input *in = load->reader->in;
	unsigned major, minor;

	if (!pp_input_need(in, 12) || memcmp(in->cur, "NYTProf ", 8) != 0)
		return false;
	load->stream.tap = NULL;
	if (!pp_nyt_stream_begin(&load->stream, load->reader, &major, &minor) ||
	    !pp_nyt_layout_init(&load->stream.layout, major, minor))
		return false;
	PP_NYT_FIND(load, PP_NYT_JOINED, pp_nyt_here(load),
	            "another profile follows in the same file; it is added to the first");
	pp_nyt_calls_end(load);
	discount_drop(load);
	load->process = 0;
	load->store_whole = false;
	pp_nyt_files_restart(load);
	return true;
}

/* The stream is broken at `offset`; true when reading can go on. */
static bool
recover(struct pp_nyt_load *load, enum pp_nyt_step step)
{
	const unsigned char *p = load->reader->in->cur;

	if (step == PP_NYT_DAMAGED && *p == 'N' && take_joined(load))
		return true;
	load->damaged = true;
	load->store_whole = false;
	load->stream.tap = NULL;
	if (step == PP_NYT_CUT)
		PP_NYT_FIND(load, PP_NYT_RECORD_CUT, pp_nyt_here(load),
		            "the input ends within a record (tag 0x%02x)", *p);
	else
		PP_NYT_FIND(load, PP_NYT_TAG_UNKNOWN, pp_nyt_here(load),
		            "no record can start like this (0x%02x)", *p);
	if (load->files.rows.n < 2)
		return false;
	return resynchronise(load);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void
read_records(struct pp_nyt_load *load)
{
	for (;;) {
		struct pp_input *in = load->reader->in;
		enum pp_nyt_step step;

		fast_run(load);
		pp_input_behind(in, &load->behind, in->begin, in->cur);
		step = pp_nyt_stream_next(&load->stream);
		if (step == PP_NYT_RECORD) {
			load->records++;
			take_record(load);
			if ((load->records & 63) == 0 && load->reader->progress(load->reader))
				pp_builder_fail(load->builder, PP_E_IO, NULL);
		} else if (step == PP_NYT_TOO_LONG) {
			pp_builder_fail(load->builder, PP_E_LIMIT, "a record is too long");
		} else if (step == PP_NYT_END || !recover(load, step)) {
			return;
		}
		if (!pp_builder_ok(load->builder))
			return;
	}
}

static bool
load_init(struct pp_nyt_load *load, struct pp_reader *reader, struct pp_builder *builder)
{
	struct pp_metric time = { .kind = PP_KIND_WALL_TIME,
		                  .type = PP_REAL,
		                  .flags = PP_METRIC_PRIMARY };

	*load =
	    (struct pp_nyt_load){ .reader = reader, .builder = builder, .diags = reader->diags };
	load->errors = pp_diags_total(reader->diags, PP_ERROR);
	load->clock.rate = load->clock.base_rate = PP_NYT_RATE;
	load->clock.multiplier = 1;
	load->want_calls = pp_order_needs(reader->order, PP_TREE | PP_EDGES | PP_TIMELINE);
	load->want_timeline = reader->order->facets & PP_TIMELINE;
	load->want_source = reader->order->facets & PP_LINES;
	if (!pp_nyt_tables_init(load))
		return false;
	time.name = pp_build_strz(builder, "time");
	time.unit = pp_build_strz(builder, "ns");
	(void)pp_build_metric(builder, &time);
	builder->profile->calls.own = true;
	builder->profile->lines.hits = true;
	builder->profile->calls.adds_up = true;
	if (reader->order->facets & PP_EXTRAS) {
		load->store = pp_nyt_store_new();
		load->store_whole = true;
		load->stream.tap = pp_nyt_store_add;
		load->stream.tap_ctx = load->store;
	}
	return pp_builder_ok(builder) && (load->store || !(reader->order->facets & PP_EXTRAS));
}

/* The version line; false when nothing can be read behind it. */
static bool
read_version(struct pp_nyt_load *load)
{
	unsigned major, minor;

	if (!pp_nyt_stream_begin(&load->stream, load->reader, &major, &minor)) {
		PP_NYT_FIND(load, PP_NYT_VERSION_UNKNOWN, pp_at_offset(0),
		            "the file does not start with \"NYTProf MAJOR MINOR\"");
		return false;
	}
	if (!pp_nyt_layout_init(&load->stream.layout, major, minor)) {
		PP_NYT_FIND(load, PP_NYT_VERSION_UNKNOWN, pp_at_offset(8),
		            "version %u.%u is not known; 1.0 to 5.0 are", major, minor);
		return false;
	}
	if (major == 5 && minor > 0)
		PP_NYT_FIND(load, PP_NYT_VERSION_NEWER, pp_at_offset(8),
		            "version %u.%u is newer than 5.0; read as 5.0", major, minor);
	return true;
}

pp_status
pp_nyt_read(struct pp_reader *reader, struct pp_builder *builder)
{
	struct pp_nyt_load load;
	pp_status status = PP_OK;

	if (!load_init(&load, reader, builder)) {
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
		status = PP_E_NOMEM;
	} else if (!read_version(&load)) {
		status = PP_E_INVALID;
	} else {
		read_records(&load);
		pp_nyt_calls_end(&load);
		if (load.records == 0 && load.statements.n == 0) {
			PP_NYT_FIND(&load, PP_NYT_EMPTY, PP_NOWHERE, "there are no records");
			status = PP_E_INVALID;
		} else {
			pp_nyt_finish(&load);
		}
	}
	pp_nyt_store_free(load.store);
	pp_nyt_calls_release(&load.calls);
	pp_nyt_tables_release(&load);
	return status;
}
