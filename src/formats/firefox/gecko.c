/*
 * Profiles as Firefox itself writes them ("gecko"):
 *
 *     {"meta":      {"version": 34, "startTime": 1700000000000, "sampleUnits": {"threadCPUDelta": "ns"}, ...},
 *      "libs":      [{"name": "libxul.so", "start": 1048576, "end": 2097152, "offset": 0, "breakpadId": "...", ...}],
 *      "sources":   TABLE of filename, ...
 *      "threads":   [{"name": "GeckoMain", "pid": 1, "tid": 1, "stringTable": [...], "frameTable": TABLE of location, line,
 *                     column, ..., "stackTable": TABLE of prefix, frame, "samples": TABLE of stack, time, threadCPUDelta, ...,
 *                     "markers": TABLE of name, startTime, endTime, phase, category, data}],
 *      "processes": [a profile each]}
 *
 * where a TABLE is {"schema": {"stack": 0, "time": 1, ...}, "data": [[3, 1.5], ...]}: the schema says at which place of a row
 * a property stands, and rows may be shorter. A location is one text for function and file (location.c). Times are ms since
 * the start of the process. Allocations are markers. Old files hold threads and libs as text that is JSON, and what the
 * developer tools saved stands under "profile".
 */
#include "formats/firefox/firefox.h"

#define VERSION_LEAST 3
#define VERSION_MOST 36

enum { GK_VERSION_OLD = FF_RULES };

static const struct pp_rule gecko_rules[] = {
	[FF_JSON] = { "gecko-json", PP_ERROR, "the JSON is broken",
	              "The file is not JSON from the place named on, or text within it that should be is not. Everything before it was read." },
	[FF_CUT] = { "gecko-cut", PP_ERROR, "the file breaks off",
	             "The JSON document does not end. What is there was read, as far as it can be used." },
	[FF_INDEX] = { "gecko-index", PP_ERROR, "a row is named that does not exist",
	               "A table or a sample names a string, frame or stack that does not exist, or a table is none. "
	               "Of a table, the thread is left out; of a sample, that sample." },
	[FF_STACK_ORDER] = { "gecko-stack-order", PP_ERROR, "a stack comes before its parent",
	                     "The parent of a stack must be a row before it. Samples of such stacks, and of those "
	                     "that stand on them, are left out." },
	[FF_VERSION] = { "gecko-version", PP_WARNING, "the version is newer than what is known",
	                 "The file has a version beyond 36. It was read as if it had that one." },
	[FF_DIGITS] = { "gecko-digits", PP_WARNING, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[FF_DIGITS_FINE] = { "gecko-digits", PP_NOTE, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[GK_VERSION_OLD] = { "gecko-version", PP_ERROR, "the version is too old, or there is none",
	                     "Files before version 3 (2015) have another layout, which is not read." },
	{ 0 },
};

/* ---- recognition ------------------------------------------------------------------------ */

static int
gecko_bid(const struct pp_peek *peek)
{
	if (!ff_head(peek) || ff_head_has(peek, "\"preprocessedProfileVersion\"") ||
	    ff_head_layout(peek) == FF_COLUMNS)
		return 0;
	if (ff_head_has(peek, "\"schema\"") &&
	    (ff_head_has(peek, "\"stackTable\"") || ff_head_has(peek, "\"frameTable\"") ||
	     ff_head_has(peek, "\"stackwalk\"") || ff_head_has(peek, "\"markerSchema\"")))
		return 8 * 20;
	/* Binaries may be all that the head has; here they say where they were loaded. */
	if (ff_head_has(peek, "\"breakpadId\"") && ff_head_has(peek, "\"start\""))
		return 8 * 18;
	/* So may be names; what was recorded is told first. */
	return ff_head_has(peek, "\"meta\"") && ff_head_has(peek, "\"interval\"") &&
	               ff_head_has(peek, "\"startTime\"") && ff_head_has(peek, "\"processType\"")
	           ? 8 * 12
	           : 0;
}

/* ---- tables ----------------------------------------------------------------------------- */

#define CELLS_MOST 8

/* A table: which of the wanted properties stand at which place of a row. */
struct gk_table {
	const unsigned char *data;
	uint32_t place[CELLS_MOST];
	unsigned n;
	bool (*row)(struct ff_read *, size_t row, const unsigned char *const *cells, void *ctx);
	void *ctx;
	bool fine;
};

/* A row, which the scan is before: where its wanted cells stand, NULL = null or not there. False when nothing more is read. */
static bool
row_read(struct ff_read *r, struct pp_scan *s, size_t i, struct gk_table *t)
{
	const unsigned char *cells[CELLS_MOST] = { 0 };
	unsigned k;
	uint32_t place;

	if (pp_scan_peek(s) != PP_JSON_ARRAY || !pp_scan_array(s)) {
		t->fine = s->error != PP_SCAN_OK;
		return false;
	}
	for (place = 0; pp_scan_item(s); place++) {
		enum pp_json_type type = pp_scan_peek(s);

		for (k = 0; k < t->n; k++)
			if (t->place[k] == place && type != PP_JSON_NULL && type != PP_JSON_NOTHING)
				cells[k] = s->cur;
		if (!(type == PP_JSON_ARRAY || type == PP_JSON_OBJECT ? pp_scan_pass(s)
		                                                      : pp_scan_skip(s, NULL)))
			break;
	}
	if (s->error == PP_SCAN_OK)
		t->fine = t->row(r, i, cells, t->ctx);
	return t->fine && s->error == PP_SCAN_OK;
}

/* Goes over the rows of a table; the first `needed` properties must be in its schema. False when it is none. */
static bool
table_read(struct ff_read *r, const unsigned char *at, const struct pp_slice *keys, unsigned n,
           unsigned needed, struct gk_table *t)
{
	static const struct pp_slice parts[] = { PP_KEY("schema"), PP_KEY("data") };
	const unsigned char *v[2], *place[CELLS_MOST];
	struct pp_scan s;
	unsigned k;
	size_t i;

	t->n = n;
	t->fine = true;
	if (!ff_outline(r, at, parts, 2, v) || !ff_outline(r, v[0], keys, n, place))
		return false;
	for (k = 0; k < n; k++) {
		t->place[k] = ff_index_at(r, place[k]);
		if (k < needed && t->place[k] >= FF_LEFT_OUT)
			return false;
	}
	if (!v[1])
		return false;
	s = ff_scan(r, v[1]);
	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return false;
	for (i = 0; pp_builder_ok(r->b) && pp_scan_item(&s) && row_read(r, &s, i, t); i++)
		;
	ff_scanned(r, &s);
	return t->fine && pp_builder_ok(r->b);
}

/* ---- a thread --------------------------------------------------------------------------- */

enum {
	H_NAME,
	H_PID,
	H_TID,
	H_PROCESS,
	H_STRINGS,
	H_FRAMES,
	H_STACKS,
	H_SAMPLES,
	H_MARKERS,
	H_KEYS
};
static const struct pp_slice thread_keys[H_KEYS] = { PP_KEY("name"),        PP_KEY("pid"),
	                                             PP_KEY("tid"),         PP_KEY("processName"),
	                                             PP_KEY("stringTable"), PP_KEY("frameTable"),
	                                             PP_KEY("stackTable"),  PP_KEY("samples"),
	                                             PP_KEY("markers") };

/* A frame as the file has it, and as it is here once it was needed. */
struct gk_frame {
	uint32_t location, line, column;
	pp_frame made;
};

struct gk_read {
	struct ff_read read;
	bool make;
	PP_VEC(const unsigned char *) strings;
	PP_VEC(struct gk_frame) frames;
	PP_VEC(pp_str) sources;
	struct ff_samples samples, js, native;
	pp_i128 shift; /* ps from the start of the first process to that of this one */
	pp_i128 start;
	bool started, has_cpu;
};

static struct gk_read *
gecko(struct ff_read *r)
{
	return r->own;
}

static bool
string_take(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	if (!pp_vec_push(&gecko(r)->strings, at))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return true;
}

static bool
string_raw(struct ff_read *r, uint32_t row, struct pp_slice *text)
{
	struct pp_json_str string = { 0 };
	struct pp_scan s;

	if (row >= gecko(r)->strings.n)
		return false;
	s = ff_scan(r, gecko(r)->strings.at[row]);
	if (pp_scan_peek(&s) == PP_JSON_STRING)
		(void)pp_scan_string(&s, &string);
	*text = string.raw;
	return true;
}

static bool
frame_take(struct ff_read *r, size_t row, const unsigned char *const *cells, void *ctx)
{
	struct gk_frame frame = { .location = ff_index_at(r, cells[0]) };
	uint32_t line = ff_index_at(r, cells[1]), column = ff_index_at(r, cells[2]);

	frame.line = line < FF_LEFT_OUT ? line : 0;
	frame.column = column < FF_LEFT_OUT ? column : 0;
	if (!pp_vec_push(&gecko(r)->frames, frame))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return frame.location < gecko(r)->strings.n;
}

static bool
stack_take(struct ff_read *r, size_t row, const unsigned char *const *cells, void *ctx)
{
	uint32_t parent = ff_index_at(r, cells[0]), frame = ff_index_at(r, cells[1]);

	if (!pp_vec_push(&r->stacks.parent, parent) || !pp_vec_push(&r->stacks.frame, frame))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return frame < gecko(r)->frames.n;
}

static pp_func
func_make(struct ff_read *r, struct pp_slice text, struct pp_frame_row *frame)
{
	struct gk_read *g = gecko(r);
	struct pp_func_row func = { 0 };
	struct ff_location l;
	const struct ff_lib *lib;
	struct pp_buf name = { 0 };

	ff_location_parse(text, &l);
	func.line = l.line;
	func.column = l.column;
	if (l.file.n)
		func.file = l.source < g->sources.n ? g->sources.at[l.source]
		                                    : pp_build_str(r->b, l.file);
	if (l.module.n)
		func.module = ff_module(r, pp_build_str(r->b, l.module), FF_NONE);
	if (l.is_address) {
		lib = ff_lib_at(&r->libs, l.address);
		func.flags = PP_FUNC_UNKNOWN;
		func.module = lib ? ff_module(r, lib->name, lib->row) : 0;
		frame->address = lib ? l.address - lib->start + lib->offset : l.address;
	}
	if (l.root_scope) {
		pp_buf_adds(&name, "(root scope) ");
		pp_buf_add(&name, l.file.p, l.file.n);
		func.flags = PP_FUNC_SCRIPT;
		func.name = pp_build_buf(r->b, &name);
	} else {
		func.name = pp_build_str(r->b, l.name);
	}
	return pp_build_func(r->b, &func);
}

static pp_frame
frame_make(struct ff_read *r, uint32_t row)
{
	struct gk_frame *f = &gecko(r)->frames.at[row];
	struct pp_frame_row frame = { 0 };
	struct pp_slice text = { 0 };

	if (f->made)
		return f->made;
	(void)ff_text_at(r, gecko(r)->strings.at[f->location], &text);
	frame.func = func_make(r, text, &frame);
	frame.line = f->line;
	frame.column = f->column;
	if (pp_order_is_by_function(r->doc.reader->order))
		frame = (struct pp_frame_row){ .func = frame.func };
	f->made = pp_build_frame(r->b, &frame);
	return f->made;
}

/* ---- samples ---------------------------------------------------------------------------- */

/* A time of this process on the clock of the first one, in ns. */
static int64_t
time_at(struct ff_read *r, const unsigned char *at)
{
	struct ff_clock clock = { .sum = gecko(r)->shift };
	struct pp_json_num num;
	int64_t time = ff_clock_take(&clock, ff_number_at(r, at, &num) ? &num : NULL, true);

	if (clock.far)
		ff_find(r, FF_DIGITS, at, "a time is beyond 64 bits of ns");
	return time;
}

/* A stack that a sample or marker names; one that is not there is a finding. */
static uint32_t
stack_of(struct ff_read *r, const unsigned char *at)
{
	uint32_t stack = ff_index_at(r, at);

	if (stack == FF_NONE || ff_stack_usable(&r->stacks, stack))
		return stack;
	if (gecko(r)->make)
		ff_find(r, FF_INDEX, at, "a stack is named that is not there");
	return FF_LEFT_OUT;
}

/* Takes a number into cells of a metric: 0 where it is none. */
static int64_t
cell_of(struct ff_read *r, const unsigned char *at, enum ff_metric m)
{
	struct pp_json_num num;
	int64_t cell = 0;

	if (!ff_number_at(r, at, &num))
		return 0;
	if (!pp_fixed_read(&r->fixed[m], &num, m == FF_CPU ? r->cpu_unit : 0, &cell)) {
		ff_find(r, FF_DIGITS, at, "a number is beyond 64 bits: it counts as 0");
		return 0;
	}
	return cell;
}

static bool
sample_take(struct ff_read *r, size_t row, const unsigned char *const *cells, void *ctx)
{
	struct gk_read *g = gecko(r);
	struct ff_samples *s = &g->samples;

	if (!g->make) {
		g->has_cpu |= cells[2] != NULL;
		return true;
	}
	if (!pp_vec_push(&s->stack, stack_of(r, cells[0])) ||
	    !pp_vec_push(&s->time, time_at(r, cells[1])) ||
	    (g->has_cpu && !pp_vec_push(&s->cpu, row ? cell_of(r, cells[2], FF_CPU) : 0)))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	s->n = s->stack.n;
	return true;
}

/* The stack of a marker: the first sample of the table that it brings. */
static bool
first_take(struct ff_read *r, size_t row, const unsigned char *const *cells, void *ctx)
{
	*(const unsigned char **)ctx = cells[0];
	return false;
}

static const unsigned char *
marker_stack(struct ff_read *r, const unsigned char *at)
{
	static const struct pp_slice keys[] = { PP_KEY("samples") }, stack[] = { PP_KEY("stack") };
	const unsigned char *samples, *found = NULL;
	struct gk_table table = { .row = first_take, .ctx = &found };

	if (ff_outline(r, at, keys, 1, &samples))
		(void)table_read(r, samples, stack, 1, 0, &table);
	return found;
}

/* One that is no allocation. */
static bool
marker_other(struct ff_read *r, const unsigned char *const *cells)
{
	struct gk_read *g = gecko(r);
	struct ff_marker marker = { .data = cells[0],
		                    .start = cells[1],
		                    .end = cells[3],
		                    .phase = cells[4],
		                    .category = cells[5],
		                    .moved = g->shift != 0 };

	if (!g->make || !string_raw(r, ff_index_at(r, cells[2]), &marker.name))
		return true;
	if (marker.moved) {
		marker.start_ns = time_at(r, marker.start);
		marker.end_ns = time_at(r, marker.end);
	}
	ff_marker_take(r, g->samples.series, &marker);
	return true;
}

static bool
marker_take(struct ff_read *r, size_t row, const unsigned char *const *cells, void *ctx)
{
	static const struct pp_slice keys[] = { PP_KEY("type"), PP_KEY("size"), PP_KEY("stack") };
	struct gk_read *g = gecko(r);
	const unsigned char *v[3];
	struct ff_samples *s;
	struct pp_json_num num;
	struct pp_slice type;

	if (!ff_outline(r, cells[0], keys, 3, v) || !ff_text_at(r, v[0], &type) ||
	    !ff_number_at(r, v[1], &num))
		return marker_other(r, cells);
	if (pp_slice_eq_z(type, "JS allocation"))
		s = &g->js;
	else if (pp_slice_eq_z(type, "Native allocation"))
		s = &g->native;
	else
		return marker_other(r, cells);
	if (!g->make) {
		ff_metric_see(r, s == &g->js ? FF_JS : FF_NATIVE);
		return true;
	}
	if (!pp_vec_push(&s->stack, stack_of(r, marker_stack(r, v[2]))) ||
	    !pp_vec_push(&s->time, time_at(r, cells[1])) ||
	    !pp_vec_push(&s->value, cell_of(r, v[1], s == &g->js ? FF_JS : FF_NATIVE)))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	s->n = s->stack.n;
	return true;
}

static void
samples_clear(struct ff_samples *s, enum ff_metric m, uint32_t series)
{
	s->stack.n = s->value.n = s->cpu.n = s->time.n = s->n = 0;
	s->metric = m;
	s->series = series;
}

/* Samples are told apart from what markers add: those are not counted. */
static void
allocations_feed(struct ff_read *r, struct ff_samples *s)
{
	uint64_t samples = r->b->profile->samples;

	if (s->n)
		ff_samples_feed(r, s);
	r->b->profile->samples = samples;
}

/* ---- threads ---------------------------------------------------------------------------- */

static bool
tables_load(struct ff_read *r, const unsigned char *const *v)
{
	static const struct pp_slice frame[] = { PP_KEY("location"), PP_KEY("line"),
		                                 PP_KEY("column") };
	static const struct pp_slice stack[] = { PP_KEY("prefix"), PP_KEY("frame") };
	struct gk_table frames = { .row = frame_take }, stacks = { .row = stack_take };

	gecko(r)->strings.n = gecko(r)->frames.n = 0;
	ff_stacks_clear(&r->stacks);
	(void)ff_each(r, v[H_STRINGS], string_take, NULL);
	if (!table_read(r, v[H_FRAMES], frame, 3, 1, &frames) ||
	    !table_read(r, v[H_STACKS], stack, 2, 2, &stacks))
		return false;
	ff_stacks_check(r);
	return pp_builder_ok(r->b);
}

static bool
thread_tables(struct ff_read *r, const unsigned char *const *v)
{
	static const struct pp_slice sample[] = { PP_KEY("stack"), PP_KEY("time"),
		                                  PP_KEY("threadCPUDelta") };
	static const struct pp_slice marker[] = { PP_KEY("data"),  PP_KEY("startTime"),
		                                  PP_KEY("name"),  PP_KEY("endTime"),
		                                  PP_KEY("phase"), PP_KEY("category") };
	struct gk_table samples = { .row = sample_take }, markers = { .row = marker_take };
	struct gk_read *g = gecko(r);

	g->has_cpu = g->make ? g->has_cpu : false;
	if (!table_read(r, v[H_SAMPLES], sample, 3, 0, &samples))
		return false;
	if (!g->make) {
		ff_metric_see(r, FF_SAMPLES);
		if (g->has_cpu && r->cpu_unit)
			ff_metric_see(r, FF_CPU);
	}
	(void)table_read(r, v[H_MARKERS], marker, 6, 0, &markers);
	return true;
}

static void
thread_object(struct ff_read *r, const unsigned char *at)
{
	struct gk_read *g = gecko(r);
	const unsigned char *v[H_KEYS];
	bool fine = ff_outline(r, at, thread_keys, H_KEYS, v) && tables_load(r, v);
	uint32_t series;

	if (!fine) {
		if (g->make && pp_builder_ok(r->b))
			ff_find(
			    r, FF_INDEX, at,
			    "a table of the thread names a row that is not there: the thread is left out");
		return;
	}
	if (!g->make) {
		(void)thread_tables(r, v);
		return;
	}
	ff_stacks_tell(r, v[H_STACKS]);
	series = ff_series(r, v[H_PID], v[H_TID], v[H_NAME], v[H_PROCESS]);
	samples_clear(&g->samples, FF_SAMPLES, series);
	samples_clear(&g->js, FF_JS, series);
	samples_clear(&g->native, FF_NATIVE, series);
	g->has_cpu = r->metric[FF_CPU] != PP_NO_METRIC && r->cpu_unit;
	/* What was looked at in vain has no metric. */
	if (!thread_tables(r, v)) {
		if (pp_builder_ok(r->b))
			ff_find(r, FF_INDEX, at, "the samples of a thread are not a table");
		return;
	}
	ff_samples_feed(r, &g->samples);
	allocations_feed(r, &g->js);
	allocations_feed(r, &g->native);
}

/* What may be a value, or text that is one in JSON; `read` gets the value. */
static void
value_or_text(struct ff_read *r, const unsigned char *at,
              void (*read)(struct ff_read *, const unsigned char *))
{
	const unsigned char *end = r->end;
	struct pp_slice text;

	if (!ff_text_at(r, at, &text)) {
		read(r, at);
		return;
	}
	if (!text.n)
		return;
	r->end = text.p + text.n;
	read(r, text.p);
	r->end = end;
}

/* Before version 4, what stands in the list of threads may be the whole profile of another process, as text. */
static bool
is_process(struct ff_read *r, const unsigned char *at)
{
	static const struct pp_slice keys[] = { PP_KEY("threads") };
	const unsigned char *threads;

	return ff_outline(r, at, keys, 1, &threads) && threads;
}

static void
thread_read(struct ff_read *r, const unsigned char *at)
{
	if (!is_process(r, at))
		thread_object(r, at);
}

static bool
thread_take(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	value_or_text(r, at, thread_read);
	return pp_builder_ok(r->b);
}

/* ---- the document ----------------------------------------------------------------------- */

enum {
	D_META,
	D_LIBS,
	D_SOURCES,
	D_THREADS,
	D_PROCESSES,
	D_PROFILE,
	D_UNREAD,
	D_KEYS = D_UNREAD + FF_UNREAD
};
static const struct pp_slice document_keys[D_KEYS] = { PP_KEY("meta"),      PP_KEY("libs"),
	                                               PP_KEY("sources"),   PP_KEY("threads"),
	                                               PP_KEY("processes"), PP_KEY("profile"),
	                                               FF_UNREAD_KEYS };

static bool
source_take(struct ff_read *r, size_t row, const unsigned char *const *cells, void *ctx)
{
	pp_str file = ff_str_at(r, cells[0]);
	struct pp_slice map;

	if (!pp_vec_push(&gecko(r)->sources, file))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	if (r->doc.reader->order->maps && ff_text_at(r, cells[1], &map))
		pp_build_source_map(r->b, file, map);
	return true;
}

/* Where this process's clock stands on that of the first. */
static void
clock_set(struct ff_read *r, const unsigned char *meta)
{
	static const struct pp_slice keys[] = { PP_KEY("startTime") };
	struct gk_read *g = gecko(r);
	const unsigned char *at;
	struct pp_json_num num;
	struct ff_clock clock = { 0 };

	g->shift = 0;
	if (!ff_outline(r, meta, keys, 1, &at) || !ff_number_at(r, at, &num))
		return;
	(void)ff_clock_take(&clock, &num, false);
	if (!g->started)
		g->start = clock.sum;
	g->started = true;
	g->shift = clock.sum - g->start;
}

static void
process_read(struct ff_read *r, const unsigned char *const *v)
{
	static const struct pp_slice keys[] = { PP_KEY("filename"), PP_KEY("sourceMapURL") };
	struct gk_table sources = { .row = source_take };
	struct gk_read *g = gecko(r);

	ff_meta_read(r, v[D_META]);
	ff_unread_see(r, v + D_UNREAD);
	clock_set(r, v[D_META]);
	g->sources.n = 0;
	(void)table_read(r, v[D_SOURCES], keys, 2, 0, &sources);
	value_or_text(r, v[D_LIBS] ? v[D_LIBS] : v[D_META], ff_libs_read);
	(void)ff_each(r, v[D_THREADS], thread_take, NULL);
}

/* One of the processes, whose own ones are not looked at. */
static void
inner_read(struct ff_read *r, const unsigned char *at)
{
	const unsigned char *v[D_KEYS];

	if (ff_outline(r, at, document_keys, D_KEYS, v))
		process_read(r, v);
}

static bool
inner_take(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	value_or_text(r, at, inner_read);
	return pp_builder_ok(r->b);
}

static void
inner_thread_read(struct ff_read *r, const unsigned char *at)
{
	if (is_process(r, at))
		inner_read(r, at);
}

static bool
inner_thread_take(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	value_or_text(r, at, inner_thread_read);
	return pp_builder_ok(r->b);
}

/* False when it is of a version that is not read. */
static bool
version_read(struct ff_read *r, const unsigned char *meta)
{
	static const struct pp_slice keys[] = { PP_KEY("version") };
	const unsigned char *at = NULL;
	uint64_t version = 0;

	if (!ff_outline(r, meta, keys, 1, &at) || !ff_u64_at(r, at, &version) ||
	    version < VERSION_LEAST) {
		ff_find(r, GK_VERSION_OLD, at ? at : meta, "the version is not 3 or later");
		if (at)
			r->b->profile->variant = pp_build_strf(r->b, "%llu",
			                                       (unsigned long long)version);
		return false;
	}
	if (version > VERSION_MOST)
		ff_find(r, FF_VERSION, at, "the version is newer than 36");
	r->b->profile->variant = pp_build_strf(r->b, "%llu", (unsigned long long)version);
	return true;
}

static void
document_pass(struct ff_read *r, const unsigned char *const *v, bool make)
{
	struct gk_read *g = gecko(r);

	g->make = make;
	g->started = false;
	process_read(r, v);
	(void)ff_each(r, v[D_PROCESSES], inner_take, NULL);
	(void)ff_each(r, v[D_THREADS], inner_thread_take, NULL);
}

static void
document_read(struct ff_read *r)
{
	const unsigned char *v[D_KEYS], *inner;

	if (!ff_begin(r))
		return;
	(void)ff_outline(r, r->doc.text.p, document_keys, D_KEYS, v);
	inner = v[D_PROFILE];
	if (!v[D_META] && inner)
		(void)ff_outline(r, inner, document_keys, D_KEYS, v);
	if (!version_read(r, v[D_META]))
		return;
	document_pass(r, v, false);
	ff_metrics_make(r);
	document_pass(r, v, true);
}

static pp_status
gecko_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct gk_read g = { .read = { .b = b } };
	pp_status status = pp_json_doc_open(&g.read.doc, reader, b, gecko_rules);

	g.read.own = &g;
	g.read.stacks.frame_of = frame_make;
	g.read.string_raw = string_raw;
	if (status == PP_OK) {
		do
			document_read(&g.read);
		while (ff_retry(&g.read));
	}
	pp_json_doc_close(&g.read.doc, FF_CUT, FF_JSON);
	pp_vec_release(&g.strings);
	pp_vec_release(&g.frames);
	pp_vec_release(&g.sources);
	ff_samples_release(&g.samples);
	ff_samples_release(&g.js);
	ff_samples_release(&g.native);
	ff_release(&g.read);
	return status == PP_OK ? b->status : status;
}

const struct pp_format pp_format_gecko = {
	.name = "gecko",
	.title = "Gecko profile (Firefox)",
	.extensions = "gecko.json",
	.can = PP_CAN_READ | PP_TREE | PP_TIMELINE | PP_META,
	.bid = gecko_bid,
	.read = gecko_read,
	.rules = gecko_rules,
};
