/*
 * Stack dumps: text that debuggers and run-time systems print of stacks, and trees of them that profilers do.
 *
 *     gdb        Thread 2 (Thread 0x7f (LWP 212)):           each stack counts once; dumps that were taken one after the
 *                #0  0x0000 in f (a=1) at f.c:12             other are a profile (`poor man's profiler`)
 *     jstack     "worker-12" #273 prio=5 ...                 threads, below their names without numbers
 *                   java.lang.Thread.State: RUNNABLE
 *                	at com.acme.Hash.mix(Hash.java:12)
 *     goroutine  goroutine 7 [running]:                      each goroutine counts once
 *                main.work(0x1, 0x2)
 *                	/src/main.go:12 +0x1d
 *     go-raw     Samples: ... Locations ...                  go tool pprof -raw
 *     sample     Call graph:                                 macOS's sample: counts by column
 *     pmcstat    60.00%  [60]  spin_lock @ /boot/kernel      FreeBSD's pmcstat -G: callers below, one blank deeper
 *     vtune      Function Stack,CPU Time:Self,Module         Intel VTune's CSV: callees below, one blank deeper
 *
 * All of them are read only. Which one it is, is the variant.
 */
#include "formats/dump/dump.h"

#include "model/labels.h"

/* Lines that recognition looks at. */
#define LINES_MOST 400
/* Lines with content of which one may name the kind. */
#define NAMED_WITHIN 3
/* Where a dump says what it is. */
#define MARKS_WITHIN 4096

static const struct pp_dump_kind *const kinds[] = { &pp_dump_gdb,       &pp_dump_jstack,
	                                            &pp_dump_goroutine, &pp_dump_go_raw,
	                                            &pp_dump_sample,    &pp_dump_pmcstat,
	                                            &pp_dump_vtune };

const struct pp_rule pp_dump_rules[] = {
	[DUMP_LINE] = { "dump-line", PP_ERROR, "a line is not what such a dump has",
	                "A line within a stack or tree cannot be parsed, or samples of `go tool pprof -raw` name "
	                "locations that no line lists. The line is left out; such a location is [unknown]." },
	[DUMP_COUNT] = { "dump-count", PP_ERROR, "counts do not add up",
	                 "What is below a line of a tree adds up to more than the line "
	                 "itself. The difference belongs to no function." },
	[DUMP_IDLE] = { "dump-idle", PP_NOTE, "idle threads of the JVM itself are left out",
	                "A dump of Java threads has all of them. Those of the JVM itself that wait for work (references, "
	                "cleaners, the common pool) end in a frame (idle): answers leave them out unless --all-frames is "
	                "given. Threads of the program are kept, whatever they wait for." },
	{ 0 },
};

static int dump_bid(const struct pp_peek *);
static pp_status dump_read(struct pp_reader *, struct pp_builder *);

static const struct pp_holds dump_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(MODULES) | PP_HAS(FILES) | PP_HAS(PLACES) },
};

const struct pp_format pp_format_dump = {
	.name = "dump",
	.title = "stack dumps (gdb, jstack, Go, sample, pmcstat, VTune)",
	.extensions = "dump",
	.variants = "gdb jstack goroutine go-raw sample pmcstat vtune",
	.can = PP_CAN_READ | PP_TREE,
	.bid = dump_bid,
	.read = dump_read,
	.holds = dump_holds,
	.rules = pp_dump_rules,
};

/* ---- recognition ------------------------------------------------------------------------ */

/* Whether one of the first lines names the kind; jstack prints the date before. */
static bool
kind_is_named(const struct pp_dump_kind *kind, struct pp_slice head)
{
	struct pp_slice line;
	size_t lines = 0, i;

	while (lines < NAMED_WITHIN && pp_slice_line(&head, &line)) {
		lines += pp_slice_trim(line).n > 0;
		for (i = 0; i < PP_DUMP_NAMES && kind->named[i]; i++)
			if (pp_slice_starts(line, kind->named[i]))
				return true;
	}
	return false;
}

/* The kind that a text seems to be, and how many bits say so. */
static const struct pp_dump_kind *
kind_find(struct pp_slice head, bool whole, int *most)
{
	const struct pp_dump_kind *found = NULL;
	int bits[PP_COUNT_OF(kinds)] = { 0 };
	struct pp_slice rest = head, line;
	size_t i, n;
	bool ended;

	*most = 0;
	for (n = 0; rest.n && n < LINES_MOST; n++) {
		line = pp_slice_cut(&rest, '\n', &ended);
		if (!ended && !whole)
			break;
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		for (i = 0; i < PP_COUNT_OF(kinds); i++) {
			int worth = bits[i] >= 0 ? kinds[i]->bid(line) : 0;

			bits[i] = worth < 0 ? -1 : bits[i] + worth;
		}
	}
	for (i = 0; i < PP_COUNT_OF(kinds); i++) {
		bits[i] = pp_bid_lines(bits[i], true);
		if (bits[i] > 0 && kind_is_named(kinds[i], head))
			bits[i] = PP_BID_NAMED;
		if (bits[i] > *most) {
			*most = bits[i];
			found = kinds[i];
		}
	}
	/* A word or two may be chance. */
	return *most >= 24 ? found : NULL;
}

static int
dump_bid(const struct pp_peek *peek)
{
	int bits;

	static const char *const marks[] = { "#0 ",         "java.lang.Thread.State: ",
		                             " java.base/", "goroutine ",
		                             "\nSamples:",  "Call graph:",
		                             "%  [",        "Function Stack," };
	struct pp_slice first = pp_slice_of(
	    peek->head.p, peek->head.n < MARKS_WITHIN ? peek->head.n : MARKS_WITHIN);
	bool any = false;
	size_t i;

	/* Most files are told by what they lack. */
	for (i = 0; i < PP_COUNT_OF(marks) && !any; i++)
		any = pp_slice_holds(first, marks[i]);
	return any && !pp_slice_find(peek->head, '\0') && kind_find(peek->head, peek->whole, &bits)
	           ? bits
	           : 0;
}

/* ---- what kinds call -------------------------------------------------------------------- */

pp_frame
pp_dump_frame(struct pp_dump *d, struct pp_slice name, struct pp_slice module, struct pp_slice file,
              uint32_t line)
{
	struct pp_module_row row = { .name = pp_build_str(d->builder, module) };
	struct pp_func_row func = { .name = pp_build_str(d->builder, name),
		                    .file = pp_build_str(d->builder, file) };
	struct pp_frame_row frame = { .line = line };

	func.module = module.n ? pp_build_module(d->builder, &row) : 0;
	frame.func = pp_build_func(d->builder, &func);
	return pp_build_frame(d->builder, &frame);
}

void
pp_dump_stack(struct pp_dump *d, uint64_t count, bool outermost_first)
{
	int64_t value = (int64_t)count;

	if (count)
		pp_dump_stack_values(d, &value, outermost_first);
	d->frames.n = 0;
}

void
pp_dump_stack_values(struct pp_dump *d, const int64_t *values, bool outermost_first)
{
	size_t i, n = d->frames.n;

	for (i = 0; !outermost_first && i < n / 2; i++) {
		pp_frame swap = d->frames.at[i];

		d->frames.at[i] = d->frames.at[n - 1 - i];
		d->frames.at[n - 1 - i] = swap;
	}
	if (n && d->series == PP_NO_METRIC)
		d->series = pp_build_series_plain(d->builder, true, false);
	if (n && pp_builder_ok(d->builder))
		(void)pp_build_stack(d->builder, d->series, d->frames.at, n, values);
	d->frames.n = 0;
}

/* Adds a label to a row of them, if it is asked for. */
static size_t
label_add(struct pp_dump *d, struct pp_label_row *rows, size_t n, const char *key,
          const struct pp_buf *text)
{
	if (!text->n)
		return n;
	if (!pp_order_has_label(d->reader->order, pp_slice_z(key))) {
		d->builder->profile->unread |= PP_HAS(LABELS);
		return n;
	}
	rows[n] = (struct pp_label_row){
		.key = pp_build_strz(d->builder, key),
		.type = PP_LABEL_TEXT,
		.text = pp_build_str(d->builder, pp_slice_of(text->p, text->n)),
	};
	return n + 1;
}

void
pp_dump_series(struct pp_dump *d, const struct pp_owner *owner)
{
	struct pp_label_row rows[3];
	size_t n = 0;

	if (d->state.failed || d->lock.failed || d->lock_id.failed)
		pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
	d->series = pp_owner_series(&d->owners, d->builder, owner);
	n = label_add(d, rows, n, "state", &d->state);
	n = label_add(d, rows, n, "lock", &d->lock);
	n = label_add(d, rows, n, "lock_id", &d->lock_id);
	if (n && pp_builder_ok(d->builder))
		d->series = pp_build_series_labelled(d->builder, d->series,
		                                     pp_build_labels(d->builder, rows, n));
}

/* ---- reading ---------------------------------------------------------------------------- */

static const struct pp_dump_kind *
kind_named(const char *name)
{
	size_t i;

	for (i = 0; name && i < PP_COUNT_OF(kinds); i++)
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	return NULL;
}

static pp_status
lines_read(struct pp_dump *d)
{
	struct pp_reader *reader = d->reader;
	struct pp_runs runs = { .reader = reader };
	struct pp_slice run, line;
	uint64_t number = 0;
	pp_status status;
	bool ended;

	while ((status = pp_runs_next(&runs, &run)) == PP_OK && run.n) {
		const unsigned char *end = run.p + run.n;

		while (run.n && pp_builder_ok(d->builder)) {
			line = pp_slice_cut(&run, '\n', &ended);
			number++;
			if (line.n > reader->limits.max_line)
				pp_builder_fail(d->builder, PP_E_LIMIT, "a line is too long");
			if (line.n && line.p[line.n - 1] == '\r')
				line.n--;
			pp_builder_at(d->builder,
			              pp_at_line(number, 1, pp_input_offset(reader->in, line.p)));
			if (!d->kind->line(d, line)) {
				pp_diag_add(reader->diags, &pp_dump_rules[DUMP_LINE],
				            d->builder->place, "%s",
				            pp_dump_rules[DUMP_LINE].title);
				d->builder->profile->complete = false;
			}
		}
		if (!pp_builder_ok(d->builder))
			return d->builder->status;
		reader->in->cur = end;
	}
	if (status == PP_E_LIMIT)
		pp_builder_fail(d->builder, PP_E_LIMIT, "a line is too long");
	d->kind->end(d);
	return status;
}

/* Says how many threads of the JVM do nothing; conversions and --all-frames leave none out. */
static void
idle_note(struct pp_dump *d)
{
	bool one = d->idles == 1, shown = !(d->reader->order->facets & PP_ASIDE);

	pp_diag_add(d->reader->diags, &pp_dump_rules[DUMP_IDLE], PP_NOWHERE,
	            "%llu idle %s of the JVM itself %s%s%s", (unsigned long long)d->idles,
	            one ? "thread" : "threads", one ? "is " : "are ",
	            shown ? "marked as (idle)" : "left out (--all-frames shows ",
	            shown ? ""
	            : one ? "it)"
	                  : "them)");
}

static pp_status
dump_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct pp_dump d = { .reader = reader, .builder = b, .series = PP_NO_METRIC };
	struct pp_input *in = reader->in;
	pp_status status;
	int bits;

	(void)pp_input_need(in, 4096);
	d.kind = kind_named(reader->variant);
	if (!d.kind)
		d.kind = kind_find(pp_slice_of(in->cur, pp_input_left(in)), in->at_end, &bits);
	if (!d.kind)
		return PP_E_INVALID;
	b->profile->variant = pp_build_strz(b, d.kind->name);
	if (d.kind->metric)
		(void)pp_build_metric_z(b, d.kind->metric, d.kind->unit, d.kind->counts, PP_UINT,
		                        PP_METRIC_SAMPLED | PP_METRIC_PRIMARY);
	b->profile->facets |= PP_TREE;
	status = lines_read(&d);
	if (pp_builder_ok(b) && !b->profile->series.n)
		(void)pp_build_series_plain(b, true, false);
	if (d.idles)
		idle_note(&d);
	pp_buf_release(&d.thread);
	pp_buf_release(&d.state);
	pp_buf_release(&d.lock);
	pp_buf_release(&d.lock_id);
	pp_owners_release(&d.owners);
	pp_vec_release(&d.frames);
	pp_vec_release(&d.levels);
	pp_vec_release(&d.kept);
	pp_map_release(&d.kept_at);
	pp_buf_release(&d.places);
	pp_buf_release(&d.types);
	return pp_builder_ok(b) ? status : b->status;
}
