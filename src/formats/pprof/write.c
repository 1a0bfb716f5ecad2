/*
 * Any profile as pprof: a sample for each stack and series that cost something. What was read from this format, and is still as it
 * was, is written from its own message (rewrite.c).
 */
#include "base/stops.h"
#include "formats/kit/sampled.h"
#include "formats/otlp/translate.h"
#include "formats/pprof/emit.h"
#include "formats/pprof/pprof.h"

/* A location is a frame, or one that is inlined into another location. */
struct out_location {
	uint32_t outer; /* 0 = none */
	pp_frame frame;
	uint32_t id; /* 0 = no sample needed it yet */
};

/* Where a module was mapped, where that is known; the first of a module has the module's number as its id. */
struct out_range {
	pp_module module;
	uint64_t start, limit, offset;
	uint32_t id;
	bool used;
};

/* What a sample type is of the profile's metrics. */
struct out_type {
	size_t metric;
	pp_str name, unit;
};

struct pprof_write {
	struct pp_writer *writer;
	const struct pp_profile *p;
	struct pprof_out out;
	struct pp_strtab strings;
	PP_VEC(struct out_type) types;
	PP_VEC(struct out_location) locations; /* from 1 on */
	struct pp_map location_of;             /* outer << 32 | frame */
	PP_VEC(uint32_t) used;                 /* locations in the order of their ids, from 1 on */
	uint32_t *location;                    /* by node: its own */
	pp_node *above;            /* by node: the innermost one of its caller's location */
	uint32_t *function_id;     /* by function */
	pp_str *file_of;           /* by function */
	PP_VEC(pp_func) functions; /* in the order of their ids, from 1 on */
	uint8_t *has;              /* by module: fields 7 to 10 as bits */
	bool *is_used;             /* by module */
	PP_VEC(struct out_range) ranges;
	PP_VEC(uint64_t) numbers; /* of a sample */
	uint64_t samples;
	bool too_large; /* a value has more than 63 bits */
	bool no_memory;
	bool native;    /* it came from this format */
	bool described; /* or from OTLP, whose metadata go by the same names */
};

static pp_str
string_id(struct pprof_write *w, struct pp_slice text)
{
	bool is_new;
	pp_str id = 0;

	if (text.n && !pp_strtab_intern(&w->strings, text.p, text.n, &id, &is_new))
		w->no_memory = true;
	return id;
}

static pp_str
string_of(struct pprof_write *w, pp_str s)
{
	return string_id(w, pp_text_of(w->p, s));
}

/* ---- types ---- */

/* The unit as others know it, and as it is read here again. */
static const char *
unit_spelled(struct pp_slice unit, const char **read_as)
{
	static const char *const words[][3] = { { "ns", "nanoseconds", "ns" },
		                                { "bytes", "bytes", "bytes" },
		                                { "samples", "count", "count" },
		                                { "count", "count", "count" },
		                                { "", "count", "count" } };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(words); i++)
		if (pp_slice_eq_z(unit, words[i][0])) {
			*read_as = words[i][2];
			return words[i][1];
		}
	return NULL;
}

static void
type_add(struct pprof_write *w, size_t metric)
{
	const struct pp_metric *m = &w->p->metrics.at[metric];
	struct pp_slice unit = pp_text_of(w->p, m->unit);
	const char *read_as = NULL,
	           *spelled = w->native && !unit.n ? NULL : unit_spelled(unit, &read_as);
	struct out_type type = { .metric = metric };
	struct pp_buf name = { 0 };

	pp_metric_label(w->p, m, &name);
	type.name = string_id(w, pp_slice_of(name.p, name.n));
	type.unit = spelled ? string_id(w, pp_slice_z(spelled)) : string_of(w, m->unit);
	pp_loss_metric(w->writer, metric, pp_slice_of(name.p, name.n), read_as);
	w->no_memory |= name.failed || !pp_vec_push(&w->types, type);
	pp_buf_release(&name);
}

/* Counts of samples first, and last what is shown first: so others have it. Of several events each keeps its own together. */
static void
types_choose(struct pprof_write *w)
{
	size_t primary = pp_profile_primary(w->p), m;
	bool as_they_are = w->native;
	int turn;

	for (m = 0; m < w->p->metrics.n; m++)
		as_they_are |= (w->p->metrics.at[m].flags & PP_METRIC_SHARED) != 0;

	for (turn = 0; turn < 3; turn++)
		for (m = 0; m < w->p->metrics.n; m++) {
			bool counts = w->p->metrics.at[m].kind == PP_KIND_SAMPLES;
			int own = as_they_are ? 1 : m == primary ? 2 : counts ? 0 : 1;

			if (own == turn)
				type_add(w, m);
		}
}

static void
types_write(struct pprof_write *w)
{
	size_t i;

	for (i = 0; i < w->types.n; i++) {
		pp_pprof_put_number(&w->out.message, VALUE_TYPE, w->types.at[i].name);
		pp_pprof_put_number(&w->out.message, VALUE_UNIT, w->types.at[i].unit);
		pp_pprof_out_message(&w->out, PROFILE_SAMPLE_TYPE);
	}
}

/* ---- locations ---- */

static uint32_t
location_find(struct pprof_write *w, uint32_t outer, pp_frame frame)
{
	uint64_t key = (uint64_t)outer << 32 | frame;
	uint32_t row = pp_map_get(&w->location_of, key);

	if (row != PP_MAP_NONE)
		return row;
	row = (uint32_t)w->locations.n;
	w->no_memory |= w->locations.n >= UINT32_MAX - 1 ||
	                !pp_vec_push(&w->locations, (struct out_location){ outer, frame, 0 }) ||
	                !pp_map_set(&w->location_of, key, row);
	return w->no_memory ? 0 : row;
}

/* Whether a frame is code that the compiler put into that of its caller. */
static bool
is_within(const struct pp_profile *p, pp_frame frame, pp_frame caller)
{
	const struct pp_frame_row *f = &p->frames.at[frame], *c = &p->frames.at[caller];

	return f->flags & PP_FRAME_INLINED && f->address == c->address &&
	       p->funcs.at[f->func].module == p->funcs.at[c->func].module;
}

/* Parents come first, so that one loop finds the location of each node. */
static bool
nodes_locate(struct pprof_write *w)
{
	const struct pp_profile *p = w->p;
	pp_node node;

	w->location = calloc((size_t)p->tree.n + 1, sizeof *w->location);
	w->above = calloc((size_t)p->tree.n + 1, sizeof *w->above);
	if (!w->location || !w->above || !pp_vec_push(&w->locations, (struct out_location){ 0 }) ||
	    !pp_vec_push(&w->used, 0) || !pp_vec_push(&w->functions, 0))
		return false;
	for (node = 1; node < p->tree.n && !w->no_memory; node++) {
		pp_node parent = pp_tree_parent(&p->tree, node);
		pp_frame frame = pp_tree_frame(&p->tree, node);
		bool within = parent && is_within(p, frame, pp_tree_frame(&p->tree, parent));

		w->location[node] = location_find(w, within ? w->location[parent] : 0, frame);
		w->above[node] = within ? w->above[parent] : parent;
		w->no_memory |= pp_account_stops_at(node);
	}
	return !w->no_memory;
}

static uint64_t
location_use(struct pprof_write *w, uint32_t row)
{
	struct out_location *l = &w->locations.at[row];

	if (!l->id) {
		l->id = (uint32_t)w->used.n;
		w->no_memory |= !pp_vec_push(&w->used, row);
	}
	return l->id;
}

static uint64_t
function_use(struct pprof_write *w, pp_func func)
{
	func = w->p->funcs.at[func].same;
	if (!w->function_id[func]) {
		w->function_id[func] = (uint32_t)w->functions.n;
		w->no_memory |= !pp_vec_push(&w->functions, func);
	}
	return w->function_id[func];
}

/* What code without a name is called when it is read again: "[libc.so.6]". */
static bool
is_placeholder(const struct pprof_write *w, const struct pp_func_row *f)
{
	struct pp_slice name = pp_text_of(w->p, f->name);
	struct pp_slice file = f->module ? pp_text_of(w->p, w->p->modules.at[f->module].name)
	                                 : pp_slice_of("", 0);

	if (file.n == 0)
		return pp_slice_eq_z(name, "<unknown>");
	return name.n > 2 && name.p[0] == '[' && name.p[name.n - 1] == ']' &&
	       file.n >= name.n - 2 &&
	       memcmp(file.p + file.n - (name.n - 2), name.p + 1, name.n - 2) == 0;
}

/* Whether a location has no lines: what stands in the profile as its name is none. */
static bool
is_nameless(const struct pprof_write *w, const struct out_location *l)
{
	const struct pp_frame_row *frame = &w->p->frames.at[l->frame];
	const struct pp_func_row *f = &w->p->funcs.at[frame->func];

	return !l->outer && f->flags & PP_FUNC_UNKNOWN &&
	       (pp_text_of(w->p, f->name).n == 0 || is_placeholder(w, f));
}

/*
 * Whether the line of a frame can be told: a line has no file of its own here, it is in that of its function. A function
 * whose file is not known is in that of its first line.
 */
static bool
line_is_in_file(struct pprof_write *w, const struct pp_frame_row *frame)
{
	pp_func func = w->p->funcs.at[frame->func].same;
	pp_str *file = &w->file_of[func];

	if (!*file)
		*file = w->p->funcs.at[func].file;
	if (!*file && frame->line && frame->file) {
		*file = frame->file;
		w->writer->loss.made |= PP_HAS(FILES);
	}
	if (!frame->line || !frame->file || frame->file == *file)
		return true;
	w->writer->loss.more[PP_TRAIT_PLACES]++;
	w->writer->loss.more[PP_TRAIT_COLUMNS] += frame->column != 0;
	return false;
}

static void
line_put(struct pprof_write *w, const struct pp_frame_row *frame, pp_module module, bool inlined)
{
	struct pp_buf *part = &w->out.part;
	bool told = line_is_in_file(w, frame);
	pp_str file = w->file_of[w->p->funcs.at[frame->func].same];

	part->n = 0;
	pp_pprof_put_number(part, LINE_FUNCTION, function_use(w, frame->func));
	pp_pprof_put_number(part, LINE_LINE, told ? frame->line : 0);
	pp_pprof_put_number(part, LINE_COLUMN, told ? frame->column : 0);
	pp_pprof_put_bytes(&w->out.message, LOCATION_LINE, part->p, part->n);
	w->has[module] |= (uint8_t)(1 | (file ? 2 : 0) | (told && frame->line ? 4 : 0) |
	                            (inlined ? 8 : 0));
}

/* ---- mappings ---- */

/* No process has as many; each address is looked for among all of them. */
#define RANGES_MOST 4096

static void
ranges_read(struct pprof_write *w)
{
	const struct pp_profile *p = w->p;
	uint32_t more = (uint32_t)p->modules.n;
	size_t i, k;

	for (i = 0; w->described && i < p->kept.extras.n && w->ranges.n < RANGES_MOST; i++) {
		const struct pp_extra_row *extra = &p->kept.extras.at[i];
		struct pp_slice text = pp_text_of(p, extra->bytes), word;
		struct out_range range = { .module = extra->row, .id = extra->row };
		uint64_t *const numbers[] = { &range.start, &range.limit, &range.offset };
		bool fine = extra->table == PP_SAMPLED_RANGE && extra->row &&
		            extra->row < p->modules.n;

		for (k = 0; fine && k < PP_COUNT_OF(numbers); k++)
			fine = pp_slice_word(&text, &word) && pp_num_hex(word, numbers[k]);
		for (k = 0; fine && k < w->ranges.n && range.id == extra->row; k++)
			if (w->ranges.at[k].module == range.module)
				range.id = more++;
		if (fine)
			w->no_memory |= !pp_vec_push(&w->ranges, range);
	}
}

/* The id of the mapping that an address of a module is in. */
static uint32_t
mapping_of(struct pprof_write *w, pp_module module, uint64_t address)
{
	size_t i;

	for (i = 0; i < w->ranges.n; i++) {
		struct out_range *range = &w->ranges.at[i];

		if (range->module != module || address < range->start || address >= range->limit)
			continue;
		range->used = true;
		return range->id;
	}
	w->is_used[module] = true;
	return module;
}

static void
locations_write(struct pprof_write *w)
{
	const struct pp_profile *p = w->p;
	size_t i;

	for (i = 1; i < w->used.n && !w->no_memory; i++) {
		const struct out_location *l = &w->locations.at[w->used.at[i]];
		const struct pp_frame_row *frame = &p->frames.at[l->frame];
		pp_module module = p->funcs.at[frame->func].module;
		bool nameless = is_nameless(w, l);

		pp_pprof_put_number(&w->out.message, LOCATION_ID, i);
		pp_pprof_put_number(&w->out.message, LOCATION_MAPPING,
		                    mapping_of(w, module, frame->address));
		pp_pprof_put_number(&w->out.message, LOCATION_ADDRESS, frame->address);
		for (; l && !nameless; l = l->outer ? &w->locations.at[l->outer] : NULL)
			line_put(w, &p->frames.at[l->frame], module, l->outer != 0);
		pp_pprof_out_message(&w->out, PROFILE_LOCATION);
	}
}

static void
mapping_write(struct pprof_write *w, uint32_t id, pp_module module, const struct out_range *range)
{
	const struct pp_module_row *m = &w->p->modules.at[module];
	unsigned bit;

	pp_pprof_put_number(&w->out.message, MAPPING_ID, id);
	if (range) {
		pp_pprof_put_number(&w->out.message, MAPPING_START, range->start);
		pp_pprof_put_number(&w->out.message, MAPPING_LIMIT, range->limit);
		pp_pprof_put_number(&w->out.message, MAPPING_OFFSET, range->offset);
	}
	pp_pprof_put_number(&w->out.message, MAPPING_FILE, string_of(w, m->name));
	pp_pprof_put_number(&w->out.message, MAPPING_BUILD_ID, string_of(w, m->build_id));
	for (bit = 0; bit < 4; bit++)
		pp_pprof_put_number(&w->out.message, MAPPING_HAS_FUNCTIONS + bit,
		                    w->has[module] >> bit & 1);
	pp_pprof_out_message(&w->out, PROFILE_MAPPING);
}

static void
mappings_write(struct pprof_write *w)
{
	pp_module module;
	size_t i;

	/* What is used of a module outside of its ranges goes with the first of them. */
	for (i = 0; i < w->ranges.n; i++) {
		struct out_range *range = &w->ranges.at[i];

		if (range->id == range->module && (range->used || w->is_used[range->module]))
			w->is_used[range->module] = range->used = true;
	}
	for (module = 1; module < w->p->modules.n; module++) {
		const struct out_range *range = NULL;

		for (i = 0; i < w->ranges.n && !range; i++)
			range = w->ranges.at[i].id == module ? &w->ranges.at[i] : NULL;
		if (w->is_used[module])
			mapping_write(w, module, module, range);
	}
	for (i = 0; i < w->ranges.n; i++)
		if (w->ranges.at[i].used && w->ranges.at[i].id != w->ranges.at[i].module)
			mapping_write(w, w->ranges.at[i].id, w->ranges.at[i].module,
			              &w->ranges.at[i]);
}

static void
functions_write(struct pprof_write *w)
{
	size_t i;

	for (i = 1; i < w->functions.n; i++) {
		const struct pp_func_row *f = &w->p->funcs.at[w->functions.at[i]];
		struct pp_slice name = pp_text_of(w->p, f->name);

		/* A function without a name is not shown by others. */
		w->writer->loss.names += name.n == 0;
		pp_pprof_put_number(&w->out.message, FUNCTION_ID, i);
		pp_pprof_put_number(&w->out.message, FUNCTION_NAME,
		                    string_id(w, name.n ? name : pp_slice_z("[no name]")));
		pp_pprof_put_number(&w->out.message, FUNCTION_FILE,
		                    string_of(w, w->file_of[w->functions.at[i]]));
		pp_pprof_put_number(&w->out.message, FUNCTION_START, f->line);
		pp_pprof_out_message(&w->out, PROFILE_FUNCTION);
	}
}

/* ---- samples ---- */

/* The values of a row. */
static void
values_put(struct pprof_write *w, const struct pp_series *s, uint32_t row)
{
	size_t i;

	w->numbers.n = 0;
	for (i = 0; i < w->types.n; i++) {
		const struct pp_metric *m = &w->p->metrics.at[w->types.at[i].metric];
		int64_t cell = pp_series_cell(s, row, w->types.at[i].metric), whole;
		bool rounded = false;

		if (!pp_value_whole(m, pp_cell_value(m, cell), 1, &whole, &rounded)) {
			w->too_large = true;
			whole = 0;
		}
		w->writer->loss.rounded += rounded;
		w->no_memory |= !pp_vec_push(&w->numbers, (uint64_t)whole);
	}
	pp_pprof_put_numbers(&w->out.message, SAMPLE_VALUE, &w->out.part, w->numbers.at,
	                     w->numbers.n);
}

/* Whether a node is what stands for no stack at all. */
static bool
is_no_stack(const struct pp_profile *p, pp_node node)
{
	const struct pp_func_row *f = &p->funcs.at[pp_frame_func(p, pp_tree_frame(&p->tree, node))];

	return node && !pp_tree_parent(&p->tree, node) && f->flags & PP_FUNC_PSEUDO &&
	       pp_slice_eq_z(pp_text_of(p, f->name), PPROF_NO_STACK);
}

static void
stack_put(struct pprof_write *w, pp_node node)
{
	node = is_no_stack(w->p, node) ? 0 : node;
	w->numbers.n = 0;
	for (; node && !w->no_memory; node = w->above[node])
		w->no_memory |= !pp_vec_push(&w->numbers, location_use(w, w->location[node]));
	if (!w->no_memory)
		pp_pprof_put_numbers(&w->out.message, SAMPLE_LOCATION, &w->out.part, w->numbers.at,
		                     w->numbers.n);
}

static void
label_put(struct pprof_write *w, struct pp_buf *labels, pp_str key, pp_str text, int64_t number,
          pp_str unit)
{
	struct pp_buf *part = &w->out.part;

	part->n = 0;
	pp_pprof_put_number(part, LABEL_KEY, key);
	pp_pprof_put_number(part, LABEL_TEXT, text);
	pp_pprof_put_number(part, LABEL_NUMBER, (uint64_t)number);
	pp_pprof_put_number(part, LABEL_UNIT, unit);
	pp_pprof_put_bytes(labels, SAMPLE_LABEL, part->p ? part->p : "", part->n);
}

/* What is known of a series, as labels of all its samples. */
static void
series_labels(struct pprof_write *w, const struct pp_series *s, struct pp_buf *labels)
{
	const struct {
		const char *key;
		pp_str text;
		int64_t number;
	} known[] = { { "comm", s->process, -1 },  { "pid", 0, s->pid },
		      { "thread", s->thread, -1 }, { "tid", 0, s->tid },
		      { "cpu", 0, s->cpu },        { "context", s->context, -1 } };
	size_t i;
	pp_labels set;

	labels->n = 0;
	for (set = s->labels; set; set = w->p->labels.at[set].rest) {
		const struct pp_label_row *l = &w->p->labels.at[set];

		/* No text at all would be read as a number. */
		if (l->type == PP_LABEL_TEXT && pp_text_of(w->p, l->text).n == 0)
			w->writer->loss.more[PP_TRAIT_LABELS]++;
		else
			label_put(w, labels, string_of(w, l->key), string_of(w, l->text), l->number,
			          string_of(w, l->unit));
	}
	for (i = 0; i < PP_COUNT_OF(known) && !w->native; i++)
		if (known[i].text || known[i].number >= 0)
			label_put(w, labels, string_id(w, pp_slice_z(known[i].key)),
			          string_of(w, known[i].text), known[i].text ? 0 : known[i].number,
			          0);
}

static void
samples_write(struct pprof_write *w)
{
	const struct pp_profile *p = w->p;
	struct pp_buf labels = { 0 };
	size_t i;
	uint32_t row;

	for (i = 0; i < p->series.n && w->types.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		series_labels(w, s, &labels);
		for (row = 0; row < s->rows && !w->no_memory && w->out.sink->status == PP_OK;
		     row++) {
			if (!pp_series_present(s, row))
				continue;
			stack_put(w, pp_series_node(s, row));
			values_put(w, s, row);
			w->samples++;
			pp_buf_add(&w->out.message, labels.p, labels.n);
			pp_pprof_out_message(&w->out, PROFILE_SAMPLE);
		}
	}
	w->no_memory |= labels.failed;
	pp_buf_release(&labels);
}

/* ---- the recording ---- */

static int64_t
meta_number(const struct pprof_write *w, const char *key)
{
	int64_t number = 0;

	return w->described && pp_num_i64(pp_profile_meta(w->p, key), &number) ? number : 0;
}

static pp_str
meta_string(struct pprof_write *w, const char *key)
{
	return w->described ? string_id(w, pp_profile_meta(w->p, key)) : 0;
}

static void
comments_find(struct pprof_write *w)
{
	const struct pp_profile *p = w->p;
	size_t i, list = 0;

	w->numbers.n = 0;
	for (i = 0; w->described && i < p->meta.n; i++) {
		const struct pp_meta_row *row = &p->meta.at[i];

		if (!row->parent && pp_slice_eq_z(pp_text_of(p, row->key), "comments"))
			list = i + 1;
		else if (list && row->parent == list)
			w->no_memory |= !pp_vec_push(&w->numbers, string_of(w, row->text));
	}
	if (p->estimated)
		w->no_memory |= !pp_vec_push(
		    &w->numbers, string_id(w, pp_slice_z("stacks are estimated from calls")));
}

/* Fields 7 to 15; their strings are numbered before the table is written. */
static void
recording_write(struct pprof_write *w, bool numbered)
{
	const struct pp_profile *p = w->p;
	size_t primary = pp_profile_primary(p), i;
	int64_t when = meta_number(w, "time_nanos");
	uint64_t f[PROFILE_FIELDS] = { 0 };
	pp_str type = meta_string(w, "period_type"), unit = meta_string(w, "period_unit");
	unsigned field;

	f[PROFILE_DROP_FRAMES] = meta_string(w, "drop_frames");
	f[PROFILE_KEEP_FRAMES] = meta_string(w, "keep_frames");
	/* A day that 64 bits of nanoseconds do not reach. */
	if (!when && p->recorded_at && !pp_profile_recorded(p, &when)) {
		when = 0;
		w->writer->loss.dropped |= PP_HAS(RECORDED);
	}
	f[PROFILE_TIME_NANOS] = (uint64_t)when;
	f[PROFILE_DURATION_NANOS] = p->time.known ? (uint64_t)(p->time.end - p->time.start) : 0;
	f[PROFILE_PERIOD] = (uint64_t)meta_number(w, "period");
	for (i = 0; i < w->types.n; i++)
		if (w->types.at[i].metric == primary && w->types.n > 1)
			f[PROFILE_DEFAULT_TYPE] = w->types.at[i].name;
	f[PROFILE_DOC_URL] = meta_string(w, "doc_url");
	comments_find(w);
	for (field = PROFILE_DROP_FRAMES; numbered && field < PROFILE_FIELDS; field++) {
		if (field == PROFILE_PERIOD_TYPE && (type || unit)) {
			pp_pprof_put_number(&w->out.message, VALUE_TYPE, type);
			pp_pprof_put_number(&w->out.message, VALUE_UNIT, unit);
			pp_pprof_out_message(&w->out, field);
		} else if (field == PROFILE_COMMENT) {
			pp_pprof_put_numbers(&w->out.block, field, &w->out.part, w->numbers.at,
			                     w->numbers.n);
		} else {
			pp_pprof_out_number(&w->out, field, f[field]);
		}
	}
}

static void
strings_write(struct pprof_write *w)
{
	size_t i;

	for (i = 0; i < w->strings.strs.n; i++) {
		struct pp_slice s = pp_strtab_get(&w->strings, (pp_str)i);

		pp_pprof_out_bytes(&w->out, PROFILE_STRING, s.n ? s.p : (const unsigned char *)"",
		                   s.n);
	}
}

/* ---- the whole ---- */

static void
profile_write(struct pprof_write *w)
{
	const struct pp_profile *p = w->p;

	w->function_id = calloc(p->funcs.n + 1, sizeof *w->function_id);
	w->file_of = calloc(p->funcs.n + 1, sizeof *w->file_of);
	w->has = calloc(p->modules.n + 1, sizeof *w->has);
	w->is_used = calloc(p->modules.n + 1, sizeof *w->is_used);
	if (!w->function_id || !w->file_of || !w->has || !w->is_used || !nodes_locate(w)) {
		w->no_memory = true;
		return;
	}
	ranges_read(w);
	types_choose(w);
	types_write(w);
	samples_write(w);
	locations_write(w);
	mappings_write(w);
	functions_write(w);
	recording_write(w, false);
	strings_write(w);
	recording_write(w, true);
}

/* What depends on the profile. */
static void
losses_note(struct pprof_write *w)
{
	const struct pp_profile *p = w->p;
	struct pp_loss *loss = &w->writer->loss;
	size_t i;

	if (w->native && p->holds & PP_EXTRAS)
		loss->more[PP_TRAIT_PRIVATE]++;
	/* Samples of one stack became one. */
	if (p->samples && p->samples == w->samples)
		loss->more[PP_TRAIT_SAMPLES] -= (int64_t)p->samples;
	/* When it began is told as a date, not on the clock of the recording. */
	if (p->time.known && p->time.start)
		loss->dropped |= PP_HAS(TIME);
	/* The kernel is known by its module. */
	for (i = 1; i < p->funcs.n; i++) {
		const struct pp_func_row *f = &p->funcs.at[i];
		bool kernel = f->module &&
		              pp_sampled_is_kernel(pp_text_of(p, p->modules.at[f->module].name));

		if (kernel != ((f->flags & PP_FUNC_KERNEL) != 0))
			loss->dropped |= PP_HAS(MARKS);
	}
	for (i = 1; i < p->frames.n; i++)
		if (p->frames.at[i].flags & PP_FRAME_KINDS)
			loss->dropped |= PP_HAS(MARKS);
}

static pp_status
model_write(struct pp_writer *writer)
{
	const struct pp_profile *p = writer->profile;
	struct pprof_write w = { .writer = writer, .p = p };
	pp_status status;

	w.native = pp_profile_native(p) == &pp_format_pprof;
	w.described = w.native || pp_profile_native(p) == &pp_format_otlp;
	w.location_of.seed = p->strs.seed;
	w.no_memory = !pp_pprof_out_init(&w.out, writer->out,
	                                 pp_option_of(writer->opts->options, "gzip")) ||
	              !pp_strtab_init(&w.strings, p->strs.seed);
	if (!w.no_memory)
		profile_write(&w);
	w.out.no_memory |= w.no_memory;
	status = pp_pprof_out_finish(&w.out);
	if (status == PP_OK && w.too_large)
		status = PP_E_LIMIT;
	losses_note(&w);
	pp_strtab_release(&w.strings);
	pp_vec_release(&w.types);
	pp_vec_release(&w.locations);
	pp_map_release(&w.location_of);
	pp_vec_release(&w.used);
	pp_vec_release(&w.functions);
	pp_vec_release(&w.ranges);
	pp_vec_release(&w.numbers);
	free(w.location);
	free(w.above);
	free(w.function_id);
	free(w.file_of);
	free(w.has);
	free(w.is_used);
	return status;
}

/* What was read from OTLP goes from message to message: mappings are more than modules. False when that cannot be. */
static bool
otlp_write(struct pp_writer *writer, pp_status *status)
{
	const struct pp_profile *p = writer->profile;
	struct pp_slice kept = pp_otlp_kept(p);
	struct pp_buf bytes = { 0 };

	*status = kept.n ? pp_otlp_to_pprof(kept, writer, &bytes) : PP_E_UNSUPPORTED;
	if (*status == PP_OK)
		*status = pp_pprof_write_bytes(pp_slice_of(bytes.p, bytes.n), writer->out,
		                               pp_option_of(writer->opts->options, "gzip"),
		                               p->strs.seed);
	pp_buf_release(&bytes);
	return *status != PP_E_UNSUPPORTED;
}

pp_status
pp_pprof_write(struct pp_writer *writer)
{
	const struct pp_profile *p = writer->profile;
	struct pp_slice kept = pp_pprof_kept(p);
	pp_status status;

	if (kept.n) {
		writer->loss.verbatim = p->complete;
		return pp_pprof_write_bytes(
		    kept, writer->out, pp_option_of(writer->opts->options, "gzip"), p->strs.seed);
	}
	if (otlp_write(writer, &status))
		return status;
	if (!(p->facets & PP_TREE) && p->metrics.n)
		return PP_E_UNSUPPORTED;
	return model_write(writer);
}
