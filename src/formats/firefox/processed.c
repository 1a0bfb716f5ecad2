/*
 * Profiles of Firefox as its profiler keeps them ("processed"), which many tools write:
 *
 *     {"meta":    {"preprocessedProfileVersion": 60, "interval": 1, "startTime": 1700000000000, "sampleUnits": {...}, ...},
 *      "libs":    [{"name": "libxul.so", "breakpadId": "...", "codeId": "...", ...}],
 *      "shared":  {"stringArray": [...], "stackTable": {...}, "frameTable": {...}, "funcTable": {...}, ...},
 *      "threads": [{"name": "GeckoMain", "pid": "1", "tid": 1, "samples": {...}, "markers": {...}, ...}]}
 *
 * A table has its length and a column for each property, an array of that length. A stack is a parent (null, or the row of
 * a stack before it; from version 66 on how many rows before it, 0 = none) and a frame; a frame is a place in a function; a
 * function has a name, a file and the resource it comes from. Strings are rows of stringArray, files from version 58
 * on rows of sources. Before version 60 each thread has these tables, before 56 strings too. What is there decides, not
 * the version: only before version 18, when places of scripts stood within strings, it is asked for.
 *
 * Samples have a stack (or null), a time in ms (or steps from one to the next), and perhaps a weight: how many, ms, or
 * bytes. threadCPUDelta is CPU time since the sample before. jsAllocations and nativeAllocations are samples of bytes.
 */
#include "formats/firefox/firefox.h"

#define VERSION_MOST 70
#define SCRIPT_PLACES                                                                              \
	18 /* the version from which on functions have a column and places are no text */
#define RESOURCE_LIBRARY 1

enum { PF_SHAPE = FF_RULES, PF_LENGTHS, PF_TIME, PF_NUMBER, PF_TIME_ORDER, PF_WEIGHT_TYPE };

static const struct pp_rule firefox_rules[] = {
	[FF_JSON] = { "firefox-json", PP_ERROR, "the JSON is broken",
	              "From this place on, the file is not JSON. Everything before it was read." },
	[FF_CUT] = { "firefox-cut", PP_ERROR, "the file breaks off",
	             "The JSON document does not end. What is there was read, as far as it can be used." },
	[FF_INDEX] = { "firefox-index", PP_ERROR, "a row is named that does not exist",
	               "A table or a sample names a string, function, frame or stack that does not exist, or a "
	               "column is not a list. Of a table, the thread is left out; of a sample, that sample. Columns "
	               "that are objects come from a copy of the user interface's memory: save the profile from the "
	               "user interface instead." },
	[FF_STACK_ORDER] = { "firefox-stack-order", PP_ERROR, "a stack comes before its parent",
	                     "The parent of a stack must be a row before it. Samples of such stacks, and of those "
	                     "that stand on them, are left out." },
	[FF_VERSION] = { "firefox-version", PP_WARNING, "the version is newer than what is known",
	                 "The file has a version beyond 70. It was read as if it had that one." },
	[FF_DIGITS] = { "firefox-digits", PP_WARNING, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[FF_DIGITS_FINE] = { "firefox-digits", PP_NOTE, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[PF_SHAPE] = { "firefox-shape", PP_ERROR, "a value is missing or of the wrong type",
	               "A profile has a list of threads, each with a table of samples. Anything else is left out." },
	[PF_LENGTHS] = { "firefox-lengths", PP_ERROR, "columns of a table differ in length",
	                 "All columns of a table have as many entries as its length says. Rows up to the shortest "
	                 "were read." },
	[PF_TIME] = { "firefox-time", PP_ERROR, "samples have no times",
	              "Samples need a column time or timeDeltas. What they cost was read, when they were taken is "
	              "not known." },
	[PF_NUMBER] = { "firefox-number", PP_ERROR, "a weight is not a number",
	                "The weight of a sample is not a number that 64 bits can hold. The sample is left out." },
	[PF_TIME_ORDER] = { "firefox-time-order", PP_WARNING, "times go backwards",
	                    "A sample was taken before the one that stands before it. They were put in order." },
	[PF_WEIGHT_TYPE] = { "firefox-weight-type", PP_WARNING, "an unknown kind of weight",
	                     "The weights of samples are of a kind other than samples, tracing-ms and bytes. They "
	                     "were read as numbers of samples." },
	{ 0 },
};

/* ---- recognition ------------------------------------------------------------------------ */

static int
firefox_bid(const struct pp_peek *peek)
{
	if (!ff_head(peek))
		return 0;
	if (ff_head_has(peek, "\"preprocessedProfileVersion\""))
		return 8 * 28;
	/* Before version 1 nothing in the meta data says what it is. */
	if (ff_head_layout(peek) == FF_COLUMNS)
		return 8 * 22;
	return ff_head_has(peek, "\"stringArray\"") && !ff_head_has(peek, "\"schema\"") ? 8 * 20
	                                                                                : 0;
}

/* ---- tables ----------------------------------------------------------------------------- */

enum {
	T_STACKS,
	T_FRAMES,
	T_FUNCS,
	T_RESOURCES,
	T_STRINGS,
	T_SOURCES,
	T_OLD_STRINGS,
	T_LOCATIONS,
	T_TABLES
};
static const struct pp_slice table_keys[T_TABLES] = {
	PP_KEY("stackTable"),    PP_KEY("frameTable"),         PP_KEY("funcTable"),
	PP_KEY("resourceTable"), PP_KEY("stringArray"),        PP_KEY("sources"),
	PP_KEY("stringTable"),   PP_KEY("sourceLocationTable")
};

enum { H_NAME, H_PID, H_TID, H_PROCESS, H_SAMPLES, H_JS, H_NATIVE, H_LIBS, H_MARKERS, H_KEYS };
static const struct pp_slice thread_keys[H_KEYS] = { PP_KEY("name"),
	                                             PP_KEY("pid"),
	                                             PP_KEY("tid"),
	                                             PP_KEY("processName"),
	                                             PP_KEY("samples"),
	                                             PP_KEY("jsAllocations"),
	                                             PP_KEY("nativeAllocations"),
	                                             PP_KEY("libs"),
	                                             PP_KEY("markers") };

/* A string, and what it is here once it was needed. */
struct pf_string {
	struct pp_json_str text;
	pp_str id;
	bool known;
};

struct pf_tables {
	const unsigned char *at[T_TABLES]; /* those that are loaded */
	bool loaded, fine;
	PP_VEC(struct pf_string) strings;
	ff_column source_file;
	ff_column resource_name, resource_type, resource_lib;
	ff_column func_name, func_file, func_source, func_line, func_column, func_resource;
	ff_column frame_func, frame_line, frame_column, frame_depth;
	PP_VEC(uint64_t) frame_address; /* 0 = not known */
	PP_VEC(pp_frame) frames;        /* those that were made; 0 = not yet */
	PP_VEC(pp_func) funcs;
};

struct pf_read {
	struct ff_read read;
	struct pf_tables tables;
	const unsigned char *shared[T_TABLES];
	uint64_t version;
	bool make; /* what is read goes to the builder; else it is only looked at */
};

static struct pf_read *
processed(struct ff_read *r)
{
	return r->own;
}

static bool
string_take(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	struct pf_string string = { 0 };
	struct pp_scan s = ff_scan(r, at);

	if (pp_scan_peek(&s) == PP_JSON_STRING)
		(void)pp_scan_string(&s, &string.text);
	if (!pp_vec_push(&processed(r)->tables.strings, string))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return true;
}

static void
strings_load(struct ff_read *r)
{
	static const struct pp_slice array[] = { PP_KEY("_array") };
	struct pf_tables *t = &processed(r)->tables;
	const unsigned char *list = t->at[T_STRINGS], *inner;

	t->strings.n = 0;
	if (!list)
		list = ff_outline(r, t->at[T_OLD_STRINGS], array, 1, &inner) ? inner
		                                                             : t->at[T_OLD_STRINGS];
	(void)ff_each(r, list, string_take, NULL);
}

static bool
string_raw(struct ff_read *r, uint32_t row, struct pp_slice *text)
{
	const struct pf_tables *t = &processed(r)->tables;

	if (row >= t->strings.n)
		return false;
	*text = t->strings.at[row].text.raw;
	return true;
}

/* A string by its row, 0 for none. */
static pp_str
string_at(struct ff_read *r, uint32_t row)
{
	struct pf_tables *t = &processed(r)->tables;
	struct pf_string *s;

	if (row >= t->strings.n)
		return 0;
	s = &t->strings.at[row];
	if (!s->known) {
		s->id = pp_build_str(r->b, pp_build_json_text(r->b, s->text, &r->doc.arena));
		s->known = true;
	}
	return s->id;
}

/* Whether all that a column names is there; a column that is there must be long enough. */
static bool
names_rows(const ff_column *column, size_t n, size_t rows, bool needed)
{
	size_t i;

	if (!column->n && !needed)
		return true;
	if (column->n < n)
		return false;
	for (i = 0; i < n; i++)
		if (column->at[i] >= rows && (needed || column->at[i] != FF_NONE))
			return false;
	return true;
}

static bool
addresses_load(struct ff_read *r, const unsigned char *at)
{
	struct pf_tables *t = &processed(r)->tables;
	struct pp_json_num num;
	struct pp_scan s;
	uint64_t v;

	t->frame_address.n = 0;
	if (!at || pp_order_is_by_function(r->doc.reader->order))
		return true;
	s = ff_scan(r, at);
	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return false;
	while (pp_builder_ok(r->b) && pp_scan_item(&s)) {
		bool known = pp_scan_if_number(&s, &num) && pp_json_num_u64(&num, &v);

		if (!pp_vec_push(&t->frame_address, known ? v : 0))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	return true;
}

/* A column of a table, by its place. */
struct pf_column {
	const unsigned char *at;
	ff_column *to;
};

static bool
columns_load(struct ff_read *r, const struct pf_column *columns, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!ff_column_read(r, columns[i].at, columns[i].to))
			return false;
	return pp_builder_ok(r->b);
}

static bool
funcs_load(struct ff_read *r)
{
	static const struct pp_slice keys[] = { PP_KEY("name"),         PP_KEY("fileName"),
		                                PP_KEY("source"),       PP_KEY("lineNumber"),
		                                PP_KEY("columnNumber"), PP_KEY("resource") };
	static const struct pp_slice resource_keys[] = { PP_KEY("name"), PP_KEY("type"),
		                                         PP_KEY("lib") };
	static const struct pp_slice source_keys[] = { PP_KEY("filename") };
	struct pf_tables *t = &processed(r)->tables;
	const unsigned char *v[PP_COUNT_OF(keys)], *resource[3], *source[1];
	size_t n;

	(void)ff_outline(r, t->at[T_FUNCS], keys, PP_COUNT_OF(keys), v);
	(void)ff_outline(r, t->at[T_RESOURCES], resource_keys, 3, resource);
	(void)ff_outline(r, t->at[T_SOURCES], source_keys, 1, source);
	if (!columns_load(r,
	                  (struct pf_column[]){ { v[0], &t->func_name },
	                                        { v[1], &t->func_file },
	                                        { v[2], &t->func_source },
	                                        { v[3], &t->func_line },
	                                        { v[4], &t->func_column },
	                                        { v[5], &t->func_resource },
	                                        { resource[0], &t->resource_name },
	                                        { resource[1], &t->resource_type },
	                                        { resource[2], &t->resource_lib },
	                                        { source[0], &t->source_file } },
	                  10))
		return false;
	n = t->func_name.n;
	if (!t->source_file.n)
		t->func_source.n = 0;
	if ((t->func_line.n && t->func_line.n < n) || (t->func_column.n && t->func_column.n < n))
		return false;
	return names_rows(&t->func_name, n, t->strings.n, true) &&
	       names_rows(&t->func_file, n, t->strings.n, false) &&
	       names_rows(&t->func_source, n, t->source_file.n, false) &&
	       names_rows(&t->source_file, t->source_file.n, t->strings.n, true) &&
	       names_rows(&t->func_resource, n, t->resource_type.n ? t->resource_type.n : FF_BAD,
	                  false) &&
	       names_rows(&t->resource_name, t->resource_type.n, t->strings.n, false);
}

static bool
frames_load(struct ff_read *r)
{
	static const struct pp_slice keys[] = { PP_KEY("func"), PP_KEY("line"), PP_KEY("column"),
		                                PP_KEY("inlineDepth"), PP_KEY("address") };
	struct pf_tables *t = &processed(r)->tables;
	const unsigned char *v[PP_COUNT_OF(keys)];

	(void)ff_outline(r, t->at[T_FRAMES], keys, PP_COUNT_OF(keys), v);
	return columns_load(r,
	                    (struct pf_column[]){ { v[0], &t->frame_func },
	                                          { v[1], &t->frame_line },
	                                          { v[2], &t->frame_column },
	                                          { v[3], &t->frame_depth } },
	                    4) &&
	       addresses_load(r, v[4]) &&
	       names_rows(&t->frame_func, t->frame_func.n, t->func_name.n, true);
}

/* Steps back to the parent, 0 = none, become rows. */
static void
offsets_turn(ff_column *parent)
{
	size_t i;

	for (i = 0; i < parent->n; i++)
		if (parent->at[i] == 0)
			parent->at[i] = FF_NONE;
		else if (parent->at[i] != FF_NONE)
			parent->at[i] = parent->at[i] <= i ? (uint32_t)i - parent->at[i] : FF_BAD;
}

static bool
stacks_load(struct ff_read *r)
{
	static const struct pp_slice keys[] = { PP_KEY("frame"), PP_KEY("prefix"),
		                                PP_KEY("prefixOffset") };
	struct pf_tables *t = &processed(r)->tables;
	const unsigned char *v[PP_COUNT_OF(keys)];

	ff_stacks_clear(&r->stacks);
	(void)ff_outline(r, t->at[T_STACKS], keys, PP_COUNT_OF(keys), v);
	if (!ff_column_read(r, v[0], &r->stacks.frame) ||
	    !ff_column_read(r, v[1] ? v[1] : v[2], &r->stacks.parent) || !pp_builder_ok(r->b))
		return false;
	if (!v[1])
		offsets_turn(&r->stacks.parent);
	if (r->stacks.parent.n < r->stacks.frame.n ||
	    !names_rows(&r->stacks.frame, r->stacks.frame.n, t->frame_func.n, true))
		return false;
	ff_stacks_check(r);
	return pp_builder_ok(r->b);
}

static void
originals_load(struct ff_read *r)
{
	struct pf_tables *t = &processed(r)->tables;
	const struct ff_originals o = { .funcs = t->at[T_FUNCS],
		                        .frames = t->at[T_FRAMES],
		                        .sources = t->at[T_SOURCES],
		                        .locations = t->at[T_LOCATIONS],
		                        .source_file = &t->source_file,
		                        .func_script = &t->func_source,
		                        .func_line = &t->func_line,
		                        .func_column = &t->func_column,
		                        .frame_func = &t->frame_func,
		                        .frame_line = &t->frame_line,
		                        .frame_column = &t->frame_column,
		                        .string = string_at };

	ff_originals_load(r, &o);
}

static void
made_clear(struct ff_read *r)
{
	struct pf_tables *t = &processed(r)->tables;
	size_t frames = t->frame_func.n, funcs = t->func_name.n;

	if (!pp_vec_reserve(&t->frames, frames + 1) || !pp_vec_reserve(&t->funcs, funcs + 1)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return;
	}
	memset(t->frames.at, 0, (frames + 1) * sizeof *t->frames.at);
	memset(t->funcs.at, 0, (funcs + 1) * sizeof *t->funcs.at);
}

/* Loads the tables of a thread, unless they are those of the one before; false when they cannot be used. */
static bool
tables_load(struct ff_read *r, const unsigned char *const *own)
{
	struct pf_read *p = processed(r);
	struct pf_tables *t = &p->tables;
	const unsigned char *at[T_TABLES];
	size_t i;

	for (i = 0; i < T_TABLES; i++)
		at[i] = p->shared[i] ? p->shared[i] : own[i];
	if (t->loaded && memcmp(at, t->at, sizeof at) == 0)
		return t->fine;
	memcpy(t->at, at, sizeof at);
	t->loaded = true;
	strings_load(r);
	t->fine = funcs_load(r) && frames_load(r) && stacks_load(r);
	if (t->fine && r->doc.reader->order->maps)
		originals_load(r);
	made_clear(r);
	return t->fine && pp_builder_ok(r->b);
}

/* ---- frames ----------------------------------------------------------------------------- */

static pp_func
func_make(struct ff_read *r, uint32_t row)
{
	struct pf_tables *t = &processed(r)->tables;
	uint32_t resource = ff_cell_at(&t->func_resource, row),
	         source = ff_cell_at(&t->func_source, row);
	struct pp_func_row func = { .name = string_at(r, t->func_name.at[row]),
		                    .line = ff_place_at(&t->func_line, row),
		                    .column = ff_place_at(&t->func_column, row) };
	struct pp_slice name;

	if (t->funcs.at[row])
		return t->funcs.at[row];
	func.file = string_at(r, t->func_source.n ? ff_cell_at(&t->source_file, source)
	                                          : ff_cell_at(&t->func_file, row));
	if (ff_cell_at(&t->resource_type, resource) == RESOURCE_LIBRARY)
		func.module = ff_module(r, string_at(r, ff_cell_at(&t->resource_name, resource)),
		                        ff_cell_at(&t->resource_lib, resource));
	else if (resource != FF_NONE && processed(r)->version < SCRIPT_PLACES)
		ff_func_upgrade(r, &func, t->func_file.n > 0);
	name = pp_text_of(r->b->profile, func.name);
	if (func.module && name.n > 2 && memcmp(name.p, "0x", 2) == 0)
		func.flags = PP_FUNC_UNKNOWN;
	t->funcs.at[row] = pp_build_func(r->b, &func);
	return t->funcs.at[row];
}

static pp_frame
frame_make(struct ff_read *r, uint32_t row)
{
	struct pf_tables *t = &processed(r)->tables;
	struct pp_frame_row frame = { 0 };
	uint32_t depth;

	if (t->frames.at[row])
		return t->frames.at[row];
	frame.func = func_make(r, t->frame_func.at[row]);
	if (!pp_order_is_by_function(r->doc.reader->order)) {
		depth = ff_place_at(&t->frame_depth, row);
		frame.line = ff_place_at(&t->frame_line, row);
		frame.column = ff_place_at(&t->frame_column, row);
		frame.inline_depth = depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX;
		frame.flags = depth ? PP_FRAME_INLINED : 0;
		if (row < t->frame_address.n)
			frame.address = t->frame_address.at[row];
	}
	t->frames.at[row] = pp_build_frame(r->b, &frame);
	return t->frames.at[row];
}

/* ---- samples ---------------------------------------------------------------------------- */

enum { S_STACK, S_TIME, S_STEPS, S_WEIGHT, S_TYPE, S_CPU, S_LENGTH, S_DURATION, S_KEYS };
static const struct pp_slice sample_keys[S_KEYS] = { PP_KEY("stack"),      PP_KEY("time"),
	                                             PP_KEY("timeDeltas"), PP_KEY("weight"),
	                                             PP_KEY("weightType"), PP_KEY("threadCPUDelta"),
	                                             PP_KEY("length"),     PP_KEY("duration") };

/* What the weights of samples are. */
static enum ff_metric
metric_of(struct ff_read *r, const unsigned char *type)
{
	struct pp_slice word;

	if (!ff_text_at(r, type, &word))
		return FF_SAMPLES;
	if (pp_slice_eq_z(word, "tracing-ms"))
		return FF_TIME;
	if (pp_slice_eq_z(word, "bytes"))
		return FF_BYTES;
	if (!pp_slice_eq_z(word, "samples") && processed(r)->make)
		ff_find(r, PF_WEIGHT_TYPE, type, "the weights of samples are of an unknown kind");
	return FF_SAMPLES;
}

/* The unit of a metric's numbers: 10^-n of what it counts. */
static int
digits_of(const struct ff_read *r, enum ff_metric m)
{
	return m == FF_TIME ? 3 : m == FF_CPU ? r->cpu_unit : 0;
}

/* A column of numbers. One that is none is 0 and, where it must be one, a finding that leaves the sample out. */
static void
numbers_read(struct ff_read *r, const unsigned char *at, enum ff_metric m, bool needed,
             struct ff_samples *s)
{
	struct pp_scan scan = ff_scan(r, at);
	size_t i;

	if (pp_scan_peek(&scan) != PP_JSON_ARRAY || !pp_scan_array(&scan))
		return;
	for (i = 0; pp_builder_ok(r->b) && pp_scan_item(&scan); i++) {
		const unsigned char *item = scan.cur;
		struct pp_json_num num;
		int64_t cell = 0;
		bool number = pp_scan_if_number(&scan, &num);
		bool fine = number && pp_fixed_read(&r->fixed[m], &num, digits_of(r, m), &cell);

		if (scan.error != PP_SCAN_OK)
			break;
		if (!fine && number && !needed)
			ff_find(r, FF_DIGITS, item, "CPU time beyond 64 bits counts as 0");
		if (!fine && needed && i < s->stack.n && s->stack.at[i] != FF_BAD) {
			ff_find(r, PF_NUMBER, item, "the weight of a sample is not a number");
			s->stack.at[i] = FF_LEFT_OUT;
		}
		/* What came before the first sample is nobody's. */
		if (m == FF_CPU ? !pp_vec_push(&s->cpu, i ? cell : 0)
		                : !pp_vec_push(&s->value, cell))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	ff_scanned(r, &scan);
}

static void
times_read(struct ff_read *r, const unsigned char *at, bool steps, struct ff_samples *s)
{
	struct pp_scan scan = ff_scan(r, at);
	struct ff_clock clock = { 0 };
	int64_t last = INT64_MIN;
	bool back = false;

	if (pp_scan_peek(&scan) != PP_JSON_ARRAY || !pp_scan_array(&scan))
		return;
	while (pp_builder_ok(r->b) && pp_scan_item(&scan)) {
		const unsigned char *item = scan.cur;
		struct pp_json_num num;
		bool is_number = pp_scan_if_number(&scan, &num);
		int64_t time = ff_clock_take(&clock, is_number ? &num : NULL, steps);

		if (scan.error != PP_SCAN_OK)
			break;
		if (time < last && !back) {
			ff_find(r, PF_TIME_ORDER, item,
			        "a sample is earlier than the one before it");
			back = true;
		}
		last = time;
		if (!pp_vec_push(&s->time, time))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	if (clock.far)
		ff_find(r, FF_DIGITS, at, "a time is beyond 64 bits of ns");
	ff_scanned(r, &scan);
}

/* All columns are as long as the table says; of those that are not the shortest counts. */
static void
lengths_check(struct ff_read *r, const unsigned char *const *v, bool has_weights, bool has_cpu,
              bool has_time, struct ff_samples *s, const unsigned char *at)
{
	size_t lengths[4] = { s->stack.n, has_weights ? s->value.n : s->stack.n,
		              has_cpu ? s->cpu.n : s->stack.n, has_time ? s->time.n : s->stack.n };
	uint64_t told = s->stack.n;
	bool differ = false;
	size_t i;

	(void)ff_u64_at(r, v[S_LENGTH], &told);
	s->n = told < s->stack.n ? (size_t)told : s->stack.n;
	for (i = 0; i < PP_COUNT_OF(lengths); i++) {
		differ |= lengths[i] != told;
		s->n = lengths[i] < s->n ? lengths[i] : s->n;
	}
	if (differ)
		ff_find(r, PF_LENGTHS, at, "columns of the samples differ in length");
}

/* Samples that name stacks which cannot be are left out. */
static void
stacks_of_samples(struct ff_read *r, const unsigned char *at, struct ff_samples *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->stack.at[i] < FF_LEFT_OUT ? !ff_stack_usable(&r->stacks, s->stack.at[i])
		                                 : s->stack.at[i] == FF_BAD) {
			/* Finding the place of each of very many would take long. */
			ff_find(r, FF_INDEX, r->doc.diags.list.n < 32 ? ff_item_at(r, at, i) : at,
			        "a sample names a stack that is not there");
			s->stack.at[i] = FF_LEFT_OUT;
		}
}

/* Samples without weights count one each, which is more than one cell where other weights have fractions. */
static void
ones_push(struct ff_read *r, struct ff_samples *s)
{
	int64_t one = 0;

	(void)pp_fixed_slow(&r->fixed[s->metric], pp_slice_of("1", 1), digits_of(r, s->metric),
	                    &one);
	while (s->value.n < s->n && pp_builder_ok(r->b))
		if (!pp_vec_push(&s->value, one))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

static void
samples_read(struct ff_read *r, const unsigned char *at, enum ff_metric known, uint32_t series)
{
	const unsigned char *v[S_KEYS];
	struct ff_samples s = { .series = series };
	bool has_cpu;

	if (!ff_outline(r, at, sample_keys, S_KEYS, v) || !v[S_STACK]) {
		ff_find(r, PF_SHAPE, at, "samples have no stacks");
		return;
	}
	s.metric = known == FF_METRICS ? metric_of(r, v[S_TYPE]) : known;
	if (!v[S_WEIGHT] && known != FF_METRICS)
		v[S_WEIGHT] = v[S_DURATION];
	has_cpu = v[S_CPU] && r->metric[FF_CPU] != PP_NO_METRIC && known != FF_JS;
	if (!ff_column_read(r, v[S_STACK], &s.stack))
		ff_find(r, FF_INDEX, v[S_STACK], "a column is not a list");
	if (v[S_WEIGHT])
		numbers_read(r, v[S_WEIGHT], s.metric, true, &s);
	if (has_cpu)
		numbers_read(r, v[S_CPU], FF_CPU, false, &s);
	if (v[S_TIME] || v[S_STEPS])
		times_read(r, v[S_TIME] ? v[S_TIME] : v[S_STEPS], !v[S_TIME], &s);
	else
		ff_find(r, PF_TIME, at, "samples have neither time nor timeDeltas");
	lengths_check(r, v, v[S_WEIGHT] != NULL, has_cpu, v[S_TIME] || v[S_STEPS], &s, at);
	stacks_of_samples(r, v[S_STACK], &s);
	if (!s.value.n && r->fixed[s.metric].decimals)
		ones_push(r, &s);
	ff_samples_feed(r, &s);
	ff_samples_release(&s);
}

/* ---- threads ---------------------------------------------------------------------------- */

/* What a thread counts, if its tables can be used. */
static void
thread_look(struct ff_read *r, const unsigned char *const *v)
{
	const unsigned char *s[S_KEYS];

	if (ff_outline(r, v[H_SAMPLES], sample_keys, S_KEYS, s) && s[S_STACK]) {
		ff_metric_see(r, metric_of(r, s[S_TYPE]));
		if (s[S_CPU] && r->cpu_unit)
			ff_metric_see(r, FF_CPU);
	}
	if (ff_outline(r, v[H_JS], sample_keys, S_KEYS, s) && s[S_STACK])
		ff_metric_see(r, FF_JS);
	if (ff_outline(r, v[H_NATIVE], sample_keys, S_KEYS, s) && s[S_STACK])
		ff_metric_see(r, FF_NATIVE);
}

static void
thread_make(struct ff_read *r, const unsigned char *at, const unsigned char *const *v)
{
	uint32_t series;

	if (v[H_LIBS])
		ff_libs_read(r, v[H_LIBS]);
	series = ff_series(r, v[H_PID], v[H_TID], v[H_NAME], v[H_PROCESS]);
	ff_markers_read(r, v[H_MARKERS], series);
	if (v[H_SAMPLES])
		samples_read(r, v[H_SAMPLES], FF_METRICS, series);
	else
		ff_find(r, PF_SHAPE, at, "a thread has no samples");
	if (v[H_JS])
		samples_read(r, v[H_JS], FF_JS, series);
	if (v[H_NATIVE])
		samples_read(r, v[H_NATIVE], FF_NATIVE, series);
}

static bool
thread_read(struct ff_read *r, const unsigned char *at, size_t i, void *ctx)
{
	struct pf_read *p = processed(r);
	const unsigned char *tables[T_TABLES], *v[H_KEYS];
	bool fine;

	if (!ff_outline(r, at, table_keys, T_TABLES, tables)) {
		if (p->make)
			ff_find(r, PF_SHAPE, at, "a thread is not an object");
		return true;
	}
	(void)ff_outline(r, at, thread_keys, H_KEYS, v);
	fine = tables_load(r, tables);
	if (!fine && p->make && pp_builder_ok(r->b))
		ff_find(
		    r, FF_INDEX, at,
		    "a table of the thread names a row that is not there: the thread is left out");
	if (fine && p->make) {
		ff_stacks_tell(r, p->tables.at[T_STACKS]);
		thread_make(r, at, v);
	}
	if (fine && !p->make)
		thread_look(r, v);
	return pp_builder_ok(r->b);
}

/* ---- the document ----------------------------------------------------------------------- */

enum { D_META, D_LIBS, D_SHARED, D_THREADS, D_UNREAD, D_KEYS = D_UNREAD + FF_UNREAD };
static const struct pp_slice document_keys[D_KEYS] = { PP_KEY("meta"), PP_KEY("libs"),
	                                               PP_KEY("shared"), PP_KEY("threads"),
	                                               FF_UNREAD_KEYS };

static void
tables_release(struct pf_tables *t)
{
	ff_column *const columns[] = { &t->source_file,   &t->resource_name, &t->resource_type,
		                       &t->resource_lib,  &t->func_name,     &t->func_file,
		                       &t->func_source,   &t->func_line,     &t->func_column,
		                       &t->func_resource, &t->frame_func,    &t->frame_line,
		                       &t->frame_column,  &t->frame_depth };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(columns); i++)
		pp_vec_release(columns[i]);
	pp_vec_release(&t->strings);
	pp_vec_release(&t->frame_address);
	pp_vec_release(&t->frames);
	pp_vec_release(&t->funcs);
}

static void
version_read(struct ff_read *r, const unsigned char *meta)
{
	static const struct pp_slice keys[] = { PP_KEY("preprocessedProfileVersion") };
	const unsigned char *at;
	uint64_t version = 0;

	if (ff_outline(r, meta, keys, 1, &at))
		(void)ff_u64_at(r, at, &version);
	if (version > VERSION_MOST)
		ff_find(r, FF_VERSION, at, "the version is newer than 70");
	processed(r)->version = version;
	r->b->profile->variant = pp_build_strf(r->b, "%llu", (unsigned long long)version);
}

static void
document_read(struct ff_read *r)
{
	struct pf_read *p = processed(r);
	const unsigned char *v[D_KEYS];

	if (!ff_begin(r))
		return;
	(void)ff_outline(r, r->doc.text.p, document_keys, D_KEYS, v);
	version_read(r, v[D_META]);
	ff_meta_read(r, v[D_META]);
	ff_unread_see(r, v + D_UNREAD);
	ff_libs_read(r, v[D_LIBS]);
	(void)ff_outline(r, v[D_SHARED], table_keys, T_TABLES, p->shared);
	p->tables.loaded = false;
	p->make = false;
	(void)ff_each(r, v[D_THREADS], thread_read, NULL);
	ff_metrics_make(r);
	p->make = true;
	(void)ff_each(r, v[D_THREADS], thread_read, NULL);
	if (!v[D_THREADS] || *v[D_THREADS] != '[')
		ff_find(r, PF_SHAPE, v[D_THREADS], "there is no list of threads");
}

static pp_status
firefox_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct pf_read p = { .read = { .b = b } };
	pp_status status = pp_json_doc_open(&p.read.doc, reader, b, firefox_rules);

	p.read.own = &p;
	p.read.stacks.frame_of = frame_make;
	p.read.string_raw = string_raw;
	if (status == PP_OK)
		do
			document_read(&p.read);
		while (ff_retry(&p.read));
	pp_json_doc_close(&p.read.doc, FF_CUT, FF_JSON);
	tables_release(&p.tables);
	ff_release(&p.read);
	return status == PP_OK ? b->status : status;
}

const struct pp_format pp_format_firefox = {
	.name = "firefox",
	.title = "Firefox Profiler profile",
	.extensions = "firefox.json",
	.variants = "47 60",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_TIMELINE | PP_META,
	.writes = PP_WRITES_JSON,
	.bid = firefox_bid,
	.read = firefox_read,
	.write = pp_firefox_write,
	.holds = pp_firefox_holds,
	.rules = firefox_rules,
};
