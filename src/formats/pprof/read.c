/*
 * From the tables and samples of the file into the profile.
 */
#include "formats/kit/kept_bytes.h"
#include "formats/pprof/pprof.h"

#include <stdio.h>

#include "formats/kit/sampled.h"
#include "formats/kit/native.h"
#include "formats/kit/resolve.h"
#include "model/traits.h"

/* What is kept to be written again: so much at most, as whoever carries it has to write it as text. */
#define KEPT_MOST ((size_t)16 << 20)

#define TYPES_MOST 10000

struct pprof_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pprof_doc doc;
	struct pprof_cut *cuts; /* by location; NULL = nothing is dropped */
	PP_VEC(pp_module) modules;
	PP_VEC(struct pprof_span) spans;    /* by location */
	PP_VEC(pp_frame) frames;            /* of all of them */
	pp_frame no_stack;                  /* what stands for samples without locations */
	PP_VEC(pp_frame) stack;             /* of a sample, root first at its end */
	PP_VEC(struct pp_label_row) labels; /* of a sample */
	struct pp_strtab label_sets;        /* labels of samples as they stand in the file */
	PP_VEC(uint32_t) set_series;        /* by those: their series */
	bool late;                          /* sums may need more than 64 bits */
	bool has_labels;
	bool *falls;            /* by type: some value is below 0, a difference that was saved */
	bool found_fall;        /* that of a type became known only now */
	PP_VEC(int64_t) values; /* of a sample with what was gained */
	uint64_t samples;
	struct pprof_labels checks; /* what was seen of labels */
	bool reports;               /* what is wrong with samples is told */
};

/* ---- metrics ---- */

static void
type_build(struct pprof_read *r, size_t at, bool primary)
{
	const struct pprof_doc *d = &r->doc;
	const struct pprof_value_type *t = &d->types.at[at];
	struct pp_slice name = pp_pprof_text(d, t->f[VALUE_TYPE]);
	struct pp_slice spelled = pp_pprof_text(d, t->f[VALUE_UNIT]);
	const struct pp_sampled_unit *unit = pp_sampled_unit_find(spelled);
	struct pp_metric metric = { .type = PP_INT, .kind = pp_sampled_kind(name, unit, spelled) };
	size_t again = at < PPROF_TYPES_COMPARED ? pp_pprof_type_again(d, at) : at;

	if (name.n == 0)
		metric.name = pp_build_strf(r->b, "column%zu", at + 1);
	else if (again)
		metric.name = pp_build_strf(r->b, "%.*s#%zu", (int)name.n, (const char *)name.p,
		                            again + 1);
	else
		metric.name = pp_build_str(r->b, name);
	metric.unit = unit ? pp_build_strz(r->b, unit->unit) : pp_build_str(r->b, spelled);
	metric.factor_num = unit ? unit->factor : 1;
	metric.factor_den = 1;
	metric.flags = (primary ? PP_METRIC_PRIMARY : 0u) | (r->falls[at] ? PP_METRIC_SIGNED : 0u) |
	               (metric.kind == PP_KIND_SAMPLES ? PP_METRIC_SAMPLED : 0u);
	(void)pp_build_metric(r->b, &metric);
}

static void
metrics_build(struct pprof_read *r)
{
	size_t i, primary = pp_pprof_primary(&r->doc);

	if (r->doc.types.n > TYPES_MOST)
		pp_builder_fail(r->b, PP_E_LIMIT, "there are too many sample types");
	for (i = 0; i < r->doc.types.n && pp_builder_ok(r->b); i++)
		type_build(r, i, i == primary);
	if (!r->late)
		(void)pp_build_gains(r->b);
}

/* ---- what is known of the recording ---- */

static void
meta_text(struct pprof_read *r, const char *key, uint64_t index)
{
	struct pp_slice text = pp_pprof_text(&r->doc, index);

	if (text.n)
		pp_build_meta_z(r->b, key, PP_META_TEXT, text);
}

static void
meta_number(struct pprof_read *r, const char *key, int64_t number)
{
	char text[PP_NUM_MAX];
	int n = snprintf(text, sizeof text, "%lld", (long long)number);

	if (number)
		pp_build_meta_z(r->b, key, PP_META_NUMBER, pp_slice_of(text, (size_t)n));
}

static void
meta_build(struct pprof_read *r)
{
	struct pprof_doc *d = &r->doc;
	int64_t duration = d->f[PROFILE_DURATION_NANOS], when = d->f[PROFILE_TIME_NANOS];
	uint32_t comments;
	size_t i;

	if (when > 0)
		pp_profile_record_at(r->b->profile, (uint64_t)when);
	if (duration > 0)
		r->b->profile->time = (struct pp_time_span){ true, 0, duration };
	meta_number(r, "time_nanos", when);
	meta_number(r, "duration_nanos", duration);
	meta_text(r, "period_type", d->period_type.f[VALUE_TYPE]);
	meta_text(r, "period_unit", d->period_type.f[VALUE_UNIT]);
	meta_number(r, "period", d->f[PROFILE_PERIOD]);
	comments = d->comments.n ? pp_build_meta(r->b, 0, pp_slice_z("comments"), PP_META_ARRAY,
	                                         pp_slice_of("", 0))
	                         : 0;
	for (i = 0; i < d->comments.n && pp_builder_ok(r->b); i++)
		(void)pp_build_meta(r->b, comments, pp_slice_of("", 0), PP_META_TEXT,
		                    pp_pprof_text(d, d->comments.at[i]));
	meta_text(r, "default_sample_type", (uint64_t)d->f[PROFILE_DEFAULT_TYPE]);
	meta_text(r, "doc_url", (uint64_t)d->f[PROFILE_DOC_URL]);
	meta_text(r, "drop_frames", (uint64_t)d->f[PROFILE_DROP_FRAMES]);
	meta_text(r, "keep_frames", (uint64_t)d->f[PROFILE_KEEP_FRAMES]);
}

/* ---- frames ---- */

static bool
modules_build(struct pprof_read *r)
{
	struct pprof_doc *d = &r->doc;
	size_t i;

	for (i = 0; i < d->mappings.n; i++) {
		const struct pprof_mapping *m = &d->mappings.at[i];
		struct pp_slice file = pp_pprof_text(d, m->f[MAPPING_FILE]);
		struct pp_slice build_id = pp_pprof_text(d, m->f[MAPPING_BUILD_ID]);
		struct pp_module_row row = { .name = pp_build_str(r->b, file),
			                     .build_id = pp_build_str(r->b, build_id),
			                     .kind = pp_sampled_is_kernel(file)
			                                 ? PP_MODULE_KERNEL
			                                 : PP_MODULE_BINARY };
		pp_module module = file.n || build_id.n ? pp_build_module(r->b, &row) : 0;

		if (!pp_vec_push(&r->modules, module))
			return false;
		if (pp_reader_option(r->reader, "symbolize"))
			pp_sampled_range_keep(r->b, module, m->f[MAPPING_START],
			                      m->f[MAPPING_LIMIT], m->f[MAPPING_OFFSET]);
	}
	return true;
}

/* A line of a location, or the location itself when it has none. */
static pp_frame
frame_build(struct pprof_read *r, const struct pprof_location *l, const struct pprof_line *line,
            uint32_t outside)
{
	const struct pprof_doc *d = &r->doc;
	struct pp_sampled_line frame = { .address = l->f[LOCATION_ADDRESS], .outside = outside };

	if (l->mapping != PPROF_NONE)
		frame.module = r->modules.at[l->mapping];
	if (line) {
		frame.line = line->f[LINE_LINE];
		frame.column = line->f[LINE_COLUMN];
	}
	if (line && line->function != PPROF_NONE) {
		const struct pprof_function *f = &d->functions.at[line->function];

		frame.name = pp_pprof_text(d, f->f[FUNCTION_NAME]);
		frame.file = pp_pprof_text(d, f->f[FUNCTION_FILE]);
		frame.first = f->f[FUNCTION_START];
	}
	return pp_sampled_frame(r->b, &frame);
}

/* The frames of a location without lines: what its binary says, where names are wanted, else one without a name. */
static void
nameless_build(struct pprof_read *r, const struct pprof_location *l, struct pprof_span *span)
{
	const struct pprof_mapping *m = l->mapping != PPROF_NONE ? &r->doc.mappings.at[l->mapping]
	                                                         : NULL;
	struct pp_resolve_at at = { .address = l->f[LOCATION_ADDRESS] };

	if (m) {
		at.module = r->modules.at[l->mapping];
		at.kernel = r->b->profile->modules.at[at.module].kind == PP_MODULE_KERNEL;
		at.start = m->f[MAPPING_START];
		at.limit = m->f[MAPPING_LIMIT];
		at.offset = m->f[MAPPING_OFFSET];
	}
	span->n = (uint32_t)pp_resolve_frames(r->reader, r->b, &at, r->frames.at + r->frames.n,
	                                      PP_NATIVE_FRAMES);
	if (span->n == 0)
		r->frames.at[r->frames.n + span->n++] = frame_build(r, l, NULL, 0);
	r->frames.n += span->n;
}

static bool
frames_build(struct pprof_read *r)
{
	struct pprof_doc *d = &r->doc;
	size_t i;

	for (i = 0; i < d->locations.n && pp_builder_ok(r->b); i++) {
		const struct pprof_location *l = &d->locations.at[i];
		uint32_t stay = r->cuts ? r->cuts[i].stay : l->lines, k;
		struct pprof_span span = { (uint32_t)r->frames.n, stay ? stay : 1 };

		if (!pp_vec_reserve(&r->frames, r->frames.n + span.n + PP_NATIVE_FRAMES))
			return false;
		if (l->lines == 0)
			nameless_build(r, l, &span);
		else if (stay == 0)
			r->frames.at[r->frames.n++] = frame_build(r, l, NULL, 0);
		if (!pp_vec_push(&r->spans, span))
			return false;
		for (k = stay; k-- > 0;)
			r->frames.at[r->frames.n++] = frame_build(
			    r, l, &d->lines.at[l->line + l->lines - 1 - k], k);
	}
	return pp_builder_ok(r->b);
}

/* ---- samples ---- */

/* The frames of a stack of locations, root first; where they begin. NULL when out of memory. */
static pp_frame *
stack_expand(struct pprof_read *r, const uint32_t *locations, size_t n, size_t *depth)
{
	size_t need = 0, i;
	pp_frame *at;
	uint32_t k;

	for (i = 0; i < n; i++)
		need += r->spans.at[locations[i]].n;
	/* A location may have very many lines, and a stack the same one very often. */
	if (need > r->b->limits.max_depth) {
		pp_builder_fail(r->b, PP_E_LIMIT, PP_TOO_DEEP);
		return NULL;
	}
	if (!pp_vec_reserve(&r->stack, need + 1)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return NULL;
	}
	at = r->stack.at + need;
	for (i = 0; i < n; i++) {
		struct pprof_span span = r->spans.at[locations[i]];

		for (k = 0; k < span.n; k++)
			*--at = r->frames.at[span.first + k];
	}
	*depth = need;
	if (n == 0) {
		*at = r->no_stack;
		*depth = 1;
	}
	return at;
}

/* What is known of threads by labels of these keys, in the words of several tools. */
static void
series_name(struct pprof_read *r, struct pp_series *s)
{
	static const struct {
		const char *key;
		char what;
	} known[] = {
		{ "thread", 'n' },    { "thread name", 'n' }, { "thread_name", 'n' },
		{ "thread_id", 't' }, { "thread id", 't' },   { "threadid", 't' },
		{ "tid", 't' },       { "pid", 'p' },         { "process_id", 'p' },
		{ "comm", 'c' },      { "context", 'x' },     { "thread.name", 'n' },
		{ "thread.id", 't' }, { "process.pid", 'p' }, { "process.executable.name", 'c' }
	};
	const struct pp_profile *p = r->b->profile;
	pp_labels set;
	size_t k;

	for (set = s->labels; set; set = p->labels.at[set].rest) {
		const struct pp_label_row *l = &p->labels.at[set];
		int64_t number = l->number;
		bool is_number = l->type == PP_LABEL_NUMBER ||
		                 pp_num_i64(pp_text_of(p, l->text), &number);

		for (k = 0; k < PP_COUNT_OF(known); k++) {
			if (!pp_slice_eq_z(pp_text_of(p, l->key), known[k].key))
				continue;
			if (known[k].what == 'n' && l->type == PP_LABEL_TEXT)
				s->thread = l->text;
			else if (known[k].what == 'c' && l->type == PP_LABEL_TEXT)
				s->process = l->text;
			else if (known[k].what == 'x' && l->type == PP_LABEL_TEXT)
				s->context = l->text;
			else if (known[k].what == 't' && is_number && number >= 0)
				s->tid = number;
			else if (known[k].what == 'p' && is_number && number >= 0)
				s->pid = number;
		}
	}
}

static bool
label_is_ordered(const struct pprof_read *r, struct pp_slice key)
{
	const struct pp_order *order = &r->b->order;

	return pp_order_has_label(order, key) ||
	       (order->facets & PP_THREADS &&
	        (pp_slice_holds(key, "thread") || pp_slice_eq_z(key, "tid") ||
	         pp_slice_eq_z(key, "pid") || pp_slice_starts(key, "process.") ||
	         pp_slice_eq_z(key, "process_id") || pp_slice_eq_z(key, "comm") ||
	         pp_slice_eq_z(key, "context")));
}

/* The series of a set of labels that is new. */
static uint32_t
labels_build(struct pprof_read *r, const struct pprof_samples *s)
{
	struct pprof_doc *d = &r->doc;
	struct pprof_label label;
	struct pp_label_row row;
	size_t i, before;
	uint32_t series;

	r->labels.n = 0;
	for (i = 0; i < s->labels.n; i++) {
		if (!pp_pprof_label_read(d, s->labels.at[i], &label) ||
		    !label_is_ordered(r, label.key))
			continue;
		row = (struct pp_label_row){ .key = pp_build_str(r->b, label.key) };
		if (label.f[LABEL_TEXT]) {
			row.text = pp_build_str(r->b, pp_pprof_text(d, label.f[LABEL_TEXT]));
		} else {
			row.type = PP_LABEL_NUMBER;
			row.number = (int64_t)label.f[LABEL_NUMBER];
			row.unit = pp_build_str(r->b, pp_pprof_text(d, label.f[LABEL_UNIT]));
		}
		if (!pp_vec_push(&r->labels, row))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	before = r->b->profile->series.n;
	series = pp_build_series_labelled(r->b, 0,
	                                  pp_build_labels(r->b, r->labels.at, r->labels.n));
	if (pp_builder_ok(r->b) && r->b->profile->series.n > before)
		series_name(r, &r->b->profile->series.at[series]);
	return series;
}

/* The series of a sample. Labels that stand in the file alike, mostly those of samples next to each other, are taken apart once. */
static uint32_t
series_of(struct pprof_read *r, const struct pprof_samples *s)
{
	struct pp_slice first = s->labels.at[0], last = s->labels.at[s->labels.n - 1];
	bool is_new = false;
	pp_str set = 0;

	/* All that stands from the first label to the last, which may be more than labels. */
	if (!pp_strtab_intern(&r->label_sets, first.p, (size_t)(last.p + last.n - first.p), &set,
	                      &is_new))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	while (pp_builder_ok(r->b) && r->set_series.n <= set)
		if (!pp_vec_push(&r->set_series, 0))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	if (!pp_builder_ok(r->b))
		return 0;
	if (is_new)
		r->set_series.at[set] = labels_build(r, s);
	return r->set_series.at[set];
}

/* The function that samples without locations belong to, where there are any. */
static void
no_stack_build(struct pprof_read *r)
{
	struct pp_func_row func = { .name = pp_build_strz(r->b, PPROF_NO_STACK),
		                    .flags = PP_FUNC_PSEUDO };

	r->no_stack = pp_build_frame(r->b,
	                             &(struct pp_frame_row){ .func = pp_build_func(r->b, &func) });
}

/* What a sample costs, and what that gained where a type falls; NULL when out of memory. */
static const int64_t *
values_of(struct pprof_read *r, const int64_t *values)
{
	const struct pp_profile *p = r->b->profile;
	size_t n = r->doc.types.n, i;

	for (i = 0; i < n; i++)
		if (PP_UNLIKELY(values[i] < 0 && !r->falls[i]))
			r->falls[i] = r->found_fall = true;
	if (PP_LIKELY(r->late || p->metrics.n == n))
		return values;
	if (!pp_vec_reserve(&r->values, p->metrics.n)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return NULL;
	}
	memcpy(r->values.at, values, n * sizeof *r->values.at);
	for (i = n; i < p->metrics.n; i++)
		r->values.at[i] = pp_cell_gained(PP_INT, values[p->metrics.at[i].net]);
	return r->values.at;
}

/* Gives a stack to the builder; `message` is where its sample stands. */
static bool
sample_use(struct pprof_read *r, uint32_t series, const unsigned char *message,
           const pp_frame *frames, size_t depth, const int64_t *values)
{
	const struct pprof_doc *d = &r->doc;

	pp_builder_at(r->b, pp_at_offset(d->offset + (uint64_t)(message - d->bytes.p)));
	values = d->types.n ? values_of(r, values) : NULL;
	if (values)
		pp_build_stack(r->b, series, frames, depth, values);
	r->samples++;
	return pp_builder_ok(r->b);
}

/* Samples one by one. */
static void
samples_use(struct pprof_read *r, struct pprof_samples *s)
{
	bool with_labels = pp_order_has_labels(&r->b->order) || r->b->order.facets & PP_THREADS;
	uint64_t until = r->samples;

	while (pp_builder_ok(r->b) && pp_pprof_samples_next(s)) {
		uint32_t *locations = s->stack.at;
		size_t n = s->stack.n, depth;
		const pp_frame *frames;

		if (s->labels.n && s->report)
			pp_pprof_labels_check(&r->checks, s);
		if (r->cuts)
			pp_pprof_cut_stack(r->cuts, &locations, &n);
		if (PP_UNLIKELY(n == 0 && !r->no_stack))
			no_stack_build(r);
		frames = stack_expand(r, locations, n, &depth);
		r->has_labels |= s->labels.n > 0;
		if (frames)
			(void)sample_use(r, with_labels && s->labels.n ? series_of(r, s) : 0,
			                 s->message.p, frames, depth, s->values.at);
		if (r->samples >= until) {
			until = r->samples + 65536;
			if (r->reader->progress && r->reader->progress(r->reader))
				pp_builder_fail(r->b, PP_E_IO, NULL);
		}
	}
	pp_pprof_samples_release(s);
}

/* What threads ahead give: a sample that is plain, and those that are not. */
static bool
ahead_sample(void *ctx, const unsigned char *message, const pp_frame *frames, size_t depth,
             const int64_t *values)
{
	struct pprof_read *r = ctx;

	if (PP_UNLIKELY(depth == 0)) {
		if (!r->no_stack)
			no_stack_build(r);
		frames = &r->no_stack;
		depth = 1;
	}
	return sample_use(r, 0, message, frames, depth, values);
}

static bool
ahead_odd(void *ctx, struct pp_slice part)
{
	struct pprof_read *r = ctx;
	struct pprof_samples s;

	pp_pprof_samples_of(&s, &r->doc, part, r->reports);
	samples_use(r, &s);
	return pp_builder_ok(r->b) && !r->doc.no_memory;
}

static void
samples_read(struct pprof_read *r, bool report)
{
	struct pprof_doc *d = &r->doc;
	struct pprof_samples s;
	pp_status status = PP_OK;

	r->reports = report;
	d->no_memory |= !pp_strtab_init(&r->label_sets, r->reader->seed);
	d->no_memory |= !pp_pprof_labels_init(&r->checks, d, r->reader->seed);
	if (pp_pprof_may_go_ahead(r->reader, d) && pp_builder_ok(r->b) && !d->no_memory) {
		const struct pprof_ahead with = { .doc = d,
			                          .cuts = r->cuts,
			                          .spans = r->spans.at,
			                          .frames = r->frames.at,
			                          .max_depth = r->b->limits.max_depth,
			                          .ctx = r,
			                          .sample = ahead_sample,
			                          .odd = ahead_odd };

		status = pp_pprof_go_ahead(r->reader, &with);
	} else {
		pp_pprof_samples_init(&s, d, report);
		samples_use(r, &s);
	}
	if (d->no_memory || status != PP_OK)
		pp_builder_fail(r->b, d->no_memory ? PP_E_NOMEM : status, NULL);
	pp_pprof_labels_release(&r->checks);
}

static void
tables_forget(struct pprof_read *r)
{
	pp_vec_release(&r->modules);
	pp_vec_release(&r->spans);
	pp_vec_release(&r->frames);
	pp_vec_release(&r->labels);
	pp_vec_release(&r->set_series);
	pp_strtab_release(&r->label_sets);
	r->samples = 0;
	r->no_stack = 0;
}

/* All of the profile; `again` without telling what is wrong a second time. */
static void
profile_build(struct pprof_read *r, bool again)
{
	struct pprof_doc *d = &r->doc;
	struct pp_diags *diags = d->diags;
	size_t i;

	if (again)
		d->diags = NULL;
	for (i = 0; r->late && i < d->types.n; i++)
		(void)pp_build_column(r->b);
	if (!r->late)
		metrics_build(r);
	meta_build(r);
	(void)pp_build_series_plain(r->b, false, false);
	if (!modules_build(r) || !frames_build(r))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	samples_read(r, !again);
	if (r->late)
		metrics_build(r);
	if (r->has_labels && !pp_order_has_labels(&r->b->order))
		r->b->profile->unread |= PP_HAS(LABELS);
	r->b->profile->samples = d->types.n ? r->samples : 0;
	r->b->profile->complete &= d->complete;
	d->diags = diags;
}

/* Starts over, with what is known by now. */
static bool
profile_restart(struct pprof_read *r)
{
	tables_forget(r);
	pp_resolve_forget(r->reader);
	if (pp_builder_restart(r->b))
		return true;
	pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return false;
}

/* Sums that do not fit: once more, with as many cells as it takes. */
static void
profile_build_wide(struct pprof_read *r)
{
	struct pp_profile *p;
	uint32_t *column_of, *moved;
	size_t i;

	r->late = true;
	if (!profile_restart(r))
		return;
	profile_build(r, true);
	/* What waits may make series of its own. */
	if (!pp_build_flush(r->b))
		return;
	p = r->b->profile;
	column_of = calloc(p->metrics.n + 1, sizeof *column_of);
	moved = calloc(p->series.n + 1, sizeof *moved);
	for (i = 0; column_of && i < p->metrics.n; i++)
		column_of[i] = (uint32_t)i;
	if (column_of && moved && pp_builder_ok(r->b))
		pp_build_columns_settle(r->b, column_of, moved);
	else
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	free(column_of);
	free(moved);
}

static void
doc_read(struct pprof_read *r)
{
	struct pp_order *order = &r->b->order;
	struct pp_diags *diags = r->b->diags;
	size_t first = r->reader->diags->list.n;

	if (!pp_pprof_parse(&r->doc)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return;
	}
	pp_pprof_check(&r->doc);
	r->cuts = pp_pprof_cuts(&r->doc);
	if (!(order->facets & PP_DROPS)) {
		free(r->cuts);
		r->cuts = NULL;
	}
	r->falls = calloc(r->doc.types.n + 1, sizeof *r->falls);
	if (!r->falls) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return;
	}
	/* A sum that does not fit is no finding as long as there is another way. */
	r->b->diags = NULL;
	r->b->may_hold = true;
	profile_build(r, false);
	if (r->found_fall && pp_builder_ok(r->b) && profile_restart(r))
		profile_build(r, true);
	if (pp_build_flush(r->b) && r->b->overflowed && pp_builder_remembers(r->b))
		profile_build_wide(r);
	r->b->diags = diags;
	pp_diags_sort(r->reader->diags, first);
}

/* ---- the message itself ---- */

struct pp_slice
pp_pprof_kept(const struct pp_profile *p)
{
	return pp_kept_bytes(p, &pp_format_pprof);
}

bool
pp_pprof_carry_save(const struct pp_profile *p, struct pp_buf *out)
{
	return pp_kept_bytes_save(p, &pp_format_pprof, out);
}

pp_status
pp_pprof_carry_load(struct pp_kept_facet *kept, struct pp_slice bytes)
{
	return pp_kept_bytes_set(kept, &pp_format_pprof, bytes) ? PP_OK : PP_E_NOMEM;
}

static void
message_keep(struct pprof_read *r)
{
	struct pp_profile *p = r->b->profile;

	if (!(r->b->order.facets & PP_EXTRAS) || r->doc.bytes.n > KEPT_MOST)
		p->holds |= PP_EXTRAS;
	else if (!pp_kept_bytes_set(&p->kept, &pp_format_pprof, r->doc.bytes))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

pp_status
pp_pprof_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct pprof_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	pp_status status;

	if (pp_pprof_is_legacy(reader->in))
		return pp_pprof_legacy_read(reader, b);
	status = pp_whole_open(&whole, reader);
	if (status == PP_OK) {
		r.doc.bytes = pp_slice_between(reader->in->cur, reader->in->end);
		r.doc.offset = pp_input_offset(reader->in, reader->in->cur);
		r.doc.diags = reader->diags;
		r.doc.mapping_of.large.seed = r.doc.function_of.large.seed = reader->seed;
		r.doc.location_of.large.seed = reader->seed;
		if (r.doc.bytes.n)
			doc_read(&r);
		else
			pp_pprof_report(&r.doc, PPROF_EMPTY, NULL, "there is nothing in the file");
		if (r.doc.bytes.n && pp_builder_ok(b))
			message_keep(&r);
	}
	tables_forget(&r);
	pp_vec_release(&r.stack);
	pp_vec_release(&r.values);
	free(r.cuts);
	free(r.falls);
	pp_pprof_release(&r.doc);
	pp_whole_close(&whole, reader);
	return status == PP_OK ? b->status : status;
}
