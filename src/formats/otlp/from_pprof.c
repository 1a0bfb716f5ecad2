/*
 * pprof's message as one of OTLP: a profile for each sample type, the one that is shown first in front; labels, and what else has no
 * field of its own, as attributes by OpenTelemetry's names. Elements of a table are known by their bytes, so that none is
 * there twice, and each is numbered when it is needed first; no bytes at all are element 0.
 */
#include "base/utf8.h"
#include "formats/otlp/moments.h"
#include "formats/otlp/otlp.h"
#include "formats/otlp/translate.h"
#include "formats/pprof/emit.h"
#include "formats/pprof/pprof.h"

#define LABELS_MOST 64

struct from_pprof {
	struct pprof_doc doc;
	struct pp_writer *writer;
	struct pp_strtab tables[OTLP_TABLES];
	struct pp_buf element, part, value, numbers; /* scratch */
	struct pp_buf *samples;                      /* by type */
	uint32_t *mappings, *functions, *locations;  /* by row of the doc, + 1 */
	PP_VEC(uint64_t) list, many;
	struct otlp_moments moments;
	size_t sample; /* number of the sample in work */
	bool renames;  /* labels of series are this library's own */
	bool no_memory;
};

static struct pp_slice
slice_of(const struct pp_buf *b)
{
	return pp_slice_of(b->p ? b->p : "", b->n);
}

/* The number of an element. */
static uint32_t
intern(struct from_pprof *o, unsigned table, struct pp_slice bytes)
{
	bool is_new;
	pp_str id = 0;

	if (bytes.n && !pp_strtab_intern(&o->tables[table], bytes.p, bytes.n, &id, &is_new))
		o->no_memory = true;
	return id;
}

static uint32_t
string_id(struct from_pprof *o, struct pp_slice text)
{
	struct pp_buf clean = { 0 };
	uint32_t id;

	/* No collector takes a message with other texts. */
	if (pp_utf8_valid(text))
		return intern(o, OTLP_TABLE_STRINGS, text);
	pp_utf8_scrub(&clean, text);
	o->no_memory |= clean.failed;
	id = intern(o, OTLP_TABLE_STRINGS, slice_of(&clean));
	o->writer->loss.names++;
	pp_buf_release(&clean);
	return id;
}

static uint32_t
string_of(struct from_pprof *o, uint64_t index)
{
	return string_id(o, pp_pprof_text(&o->doc, index));
}

/* Takes what was put together as an element. */
static uint32_t
element_take(struct from_pprof *o, unsigned table)
{
	uint32_t id = intern(o, table, slice_of(&o->element));

	o->no_memory |= o->element.failed;
	o->element.n = 0;
	return id;
}

/* ---- attributes ---- */

/* An attribute whose value is in o->value, which is emptied. */
static uint32_t
attribute(struct from_pprof *o, struct pp_slice key, uint32_t unit)
{
	o->element.n = 0;
	pp_pprof_put_number(&o->element, OTLP_ATTRIBUTE_KEY, string_id(o, key));
	pp_pprof_put_bytes(&o->element, OTLP_ATTRIBUTE_VALUE, slice_of(&o->value).p, o->value.n);
	pp_pprof_put_number(&o->element, OTLP_ATTRIBUTE_UNIT, unit);
	o->no_memory |= o->value.failed;
	o->value.n = 0;
	return element_take(o, OTLP_TABLE_ATTRIBUTES);
}

static void
value_text(struct pp_buf *b, struct pp_slice text)
{
	struct pp_buf clean = { 0 };

	if (!pp_utf8_valid(text)) {
		pp_utf8_scrub(&clean, text);
		b->failed |= clean.failed;
		text = slice_of(&clean);
	}
	pp_pprof_put_bytes(b, OTLP_ANY_STRING, text.n ? text.p : (const unsigned char *)"", text.n);
	pp_buf_release(&clean);
}

/* A number, which is there even when it is 0. */
static void
value_number(struct pp_buf *b, unsigned field, uint64_t number)
{
	if (number) {
		pp_pprof_put_number(b, field, number);
	} else {
		pp_buf_addc(b, (char)(field << 3));
		pp_buf_addc(b, 0);
	}
}

static void
list_add(struct from_pprof *o, uint64_t number)
{
	o->no_memory |= !pp_vec_push(&o->list, number);
}

static void
list_text(struct from_pprof *o, const char *key, struct pp_slice text)
{
	if (text.n == 0)
		return;
	value_text(&o->value, text);
	list_add(o, attribute(o, pp_slice_z(key), 0));
}

static uint32_t
attribute_true(struct from_pprof *o, const char *key)
{
	value_number(&o->value, OTLP_ANY_BOOL, 1);
	return attribute(o, pp_slice_z(key), 0);
}

/* Puts the list into a message as a field. */
static void
list_put(struct from_pprof *o, struct pp_buf *message, unsigned field)
{
	pp_pprof_put_numbers(message, field, &o->numbers, o->list.at, o->list.n);
	o->no_memory |= o->numbers.failed;
	o->list.n = 0;
}

/* ---- tables ---- */

static uint32_t
mapping_id(struct from_pprof *o, uint32_t row)
{
	static const char *const flags[] = { "pprof.mapping.has_functions",
		                             "pprof.mapping.has_filenames",
		                             "pprof.mapping.has_line_numbers",
		                             "pprof.mapping.has_inline_frames" };
	const struct pprof_mapping *m = &o->doc.mappings.at[row];
	unsigned i;

	if (o->mappings[row])
		return o->mappings[row] - 1;
	o->list.n = 0;
	list_text(o, "process.executable.build_id.gnu",
	          pp_pprof_text(&o->doc, m->f[MAPPING_BUILD_ID]));
	for (i = 0; i < PP_COUNT_OF(flags); i++)
		if (m->f[MAPPING_HAS_FUNCTIONS + i])
			list_add(o, attribute_true(o, flags[i]));
	o->element.n = 0;
	pp_pprof_put_number(&o->element, OTLP_MAPPING_START, m->f[MAPPING_START]);
	pp_pprof_put_number(&o->element, OTLP_MAPPING_LIMIT, m->f[MAPPING_LIMIT]);
	pp_pprof_put_number(&o->element, OTLP_MAPPING_OFFSET, m->f[MAPPING_OFFSET]);
	pp_pprof_put_number(&o->element, OTLP_MAPPING_FILE, string_of(o, m->f[MAPPING_FILE]));
	list_put(o, &o->element, OTLP_MAPPING_ATTRIBUTES);
	o->mappings[row] = element_take(o, OTLP_TABLE_MAPPINGS) + 1;
	return o->mappings[row] - 1;
}

static uint32_t
function_id(struct from_pprof *o, uint32_t row)
{
	const struct pprof_function *f;

	if (row == PPROF_NONE)
		return 0;
	if (o->functions[row])
		return o->functions[row] - 1;
	f = &o->doc.functions.at[row];
	o->element.n = 0;
	pp_pprof_put_number(&o->element, OTLP_FUNCTION_NAME, string_of(o, f->f[FUNCTION_NAME]));
	pp_pprof_put_number(&o->element, OTLP_FUNCTION_SYSTEM, string_of(o, f->f[FUNCTION_SYSTEM]));
	pp_pprof_put_number(&o->element, OTLP_FUNCTION_FILE, string_of(o, f->f[FUNCTION_FILE]));
	/* Without any name it is none, whatever its line. */
	if (o->element.n)
		pp_pprof_put_number(&o->element, OTLP_FUNCTION_START, f->f[FUNCTION_START]);
	o->functions[row] = element_take(o, OTLP_TABLE_FUNCTIONS) + 1;
	return o->functions[row] - 1;
}

static uint32_t
location_id(struct from_pprof *o, uint32_t row)
{
	const struct pprof_location *l = &o->doc.locations.at[row];
	uint32_t mapping, folded = 0, i;

	if (o->locations[row])
		return o->locations[row] - 1;
	if (l->f[LOCATION_FOLDED])
		folded = attribute_true(o, "pprof.location.is_folded");
	mapping = l->mapping != PPROF_NONE ? mapping_id(o, l->mapping) : 0;
	o->list.n = 0;
	for (i = 0; i < l->lines; i++)
		list_add(o, function_id(o, o->doc.lines.at[l->line + i].function));
	o->element.n = 0;
	pp_pprof_put_number(&o->element, OTLP_LOCATION_MAPPING, mapping);
	pp_pprof_put_number(&o->element, OTLP_LOCATION_ADDRESS, l->f[LOCATION_ADDRESS]);
	for (i = 0; i < l->lines && !o->no_memory; i++) {
		const struct pprof_line *line = &o->doc.lines.at[l->line + i];

		o->part.n = 0;
		pp_pprof_put_number(&o->part, OTLP_LINE_FUNCTION, o->list.at[i]);
		pp_pprof_put_number(&o->part, OTLP_LINE_LINE, line->f[LINE_LINE]);
		pp_pprof_put_number(&o->part, OTLP_LINE_COLUMN, line->f[LINE_COLUMN]);
		pp_pprof_put_bytes(&o->element, OTLP_LOCATION_LINES, slice_of(&o->part).p,
		                   o->part.n);
	}
	o->list.n = 0;
	if (folded)
		list_add(o, folded);
	list_put(o, &o->element, OTLP_LOCATION_ATTRIBUTES);
	/* Code of which nothing is known is still a frame, and element 0 is none. */
	if (o->element.n == 0)
		pp_pprof_put_bytes(&o->element, OTLP_LOCATION_LINES, "", 0);
	o->locations[row] = element_take(o, OTLP_TABLE_LOCATIONS) + 1;
	return o->locations[row] - 1;
}

/* ---- numbers of fixed size ---- */

static void
fixed_add(struct pp_buf *b, uint64_t value)
{
	unsigned i;

	for (i = 0; i < 8; i++)
		pp_buf_addc(b, (char)(value >> (8 * i)));
}

static void
fixed_put(struct pp_buf *b, unsigned field, uint64_t value)
{
	if (!value)
		return;
	pp_buf_addc(b, (char)(field << 3 | PP_WIRE_FIXED64));
	fixed_add(b, value);
}

/* ---- samples ---- */

/* What this library calls what it knows of a series, as OpenTelemetry does. */
static struct pp_slice
key_of(const struct from_pprof *o, struct pp_slice key)
{
	static const char *const names[][2] = { { "thread", "thread.name" },
		                                { "tid", "thread.id" },
		                                { "pid", "process.pid" },
		                                { "cpu", "cpu.logical_number" },
		                                { "comm", "process.executable.name" } };
	size_t i;

	for (i = 0; o->renames && i < PP_COUNT_OF(names); i++)
		if (pp_slice_eq_z(key, names[i][0]))
			return pp_slice_z(names[i][1]);
	return key;
}

static void
label_value(struct from_pprof *o, const struct pprof_label *l, struct pp_buf *b)
{
	if (l->f[LABEL_TEXT])
		value_text(b, pp_pprof_text(&o->doc, l->f[LABEL_TEXT]));
	else
		value_number(b, OTLP_ANY_INT, l->f[LABEL_NUMBER]);
}

/* Adds a value to a list of them, o->part. */
static void
array_add(struct from_pprof *o, const struct pprof_label *l)
{
	o->value.n = 0;
	label_value(o, l, &o->value);
	pp_pprof_put_bytes(&o->part, 1, slice_of(&o->value).p, o->value.n);
	o->no_memory |= o->part.failed || o->value.failed;
}

/* Whether a label says what one before it does, which says it in other words. */
static bool
is_told(const struct pprof_label *a, const struct pprof_label *b)
{
	return a->f[LABEL_TEXT] == b->f[LABEL_TEXT] && a->f[LABEL_NUMBER] == b->f[LABEL_NUMBER] &&
	       a->f[LABEL_UNIT] == b->f[LABEL_UNIT];
}

/* The bytes of an id, if a label is one of that key and length; else NULL. */
static bool
id_put(const struct from_pprof *o, const struct pprof_label *l, const char *key, size_t bytes,
       struct pp_buf *out)
{
	struct pp_slice text = pp_pprof_text(&o->doc, l->f[LABEL_TEXT]);
	size_t i;

	out->n = 0;
	if (!pp_slice_eq_z(l->key, key) || text.n != 2 * bytes)
		return false;
	for (i = 0; i < bytes; i++) {
		uint64_t byte;

		if (!pp_num_hex(pp_slice_of(text.p + 2 * i, 2), &byte))
			return false;
		pp_buf_addc(out, (char)byte);
	}
	return true;
}

/* The link that two labels are, which are then none any more; 0 when they are not there. */
static uint32_t
link_id(struct from_pprof *o, struct pprof_label *labels, size_t n)
{
	size_t trace, span;

	for (trace = 0; trace < n && !id_put(o, &labels[trace], "trace_id", 16, &o->part);)
		trace++;
	for (span = 0; span < n && !id_put(o, &labels[span], "span_id", 8, &o->value);)
		span++;
	if (trace == n || span == n || o->part.failed || o->value.failed)
		return 0;
	o->element.n = 0;
	pp_pprof_put_bytes(&o->element, OTLP_LINK_TRACE, o->part.p, o->part.n);
	pp_pprof_put_bytes(&o->element, OTLP_LINK_SPAN, o->value.p, o->value.n);
	labels[trace].key.n = labels[span].key.n = 0;
	return element_take(o, OTLP_TABLE_LINKS);
}

/* The labels of a sample as a list of attributes, where those of one key are one, and as a link, which is returned. */
static uint32_t
labels_list(struct from_pprof *o, const struct pprof_samples *s)
{
	struct pprof_label labels[LABELS_MOST];
	size_t i, k, n = 0;
	uint32_t link;

	o->list.n = 0;
	for (i = 0; i < s->labels.n && n < LABELS_MOST; i++)
		if (pp_pprof_label_read(&o->doc, s->labels.at[i], &labels[n]) && labels[n].key.n) {
			labels[n].key = key_of(o, labels[n].key);
			n++;
		}
	o->writer->loss.more[PP_TRAIT_LABELS] += (int64_t)(s->labels.n - n);
	link = link_id(o, labels, n);
	for (i = 0; i < n; i++) {
		uint64_t unit = labels[i].f[LABEL_TEXT] ? 0 : labels[i].f[LABEL_UNIT];
		struct pp_slice key = labels[i].key;
		size_t more = 0;

		if (key.n == 0)
			continue;
		o->part.n = 0;
		array_add(o, &labels[i]);
		for (k = i + 1; k < n; k++) {
			if (!pp_slice_eq(labels[k].key, key))
				continue;
			if (!o->renames || !is_told(&labels[i], &labels[k])) {
				array_add(o, &labels[k]);
				more++;
			}
			labels[k].key.n = 0;
		}
		o->value.n = 0;
		if (more)
			pp_pprof_put_bytes(&o->value, OTLP_ANY_ARRAY, o->part.p, o->part.n);
		else
			label_value(o, &labels[i], &o->value);
		list_add(o, attribute(o, key, unit ? string_of(o, unit) : 0));
	}
	return link;
}

static uint32_t
stack_id(struct from_pprof *o, const struct pprof_samples *s)
{
	PP_VEC(uint64_t) ids = { 0 };
	uint32_t id;
	size_t i;

	for (i = 0; i < s->stack.n && !o->no_memory; i++)
		o->no_memory |= !pp_vec_push(&ids, location_id(o, s->stack.at[i]));
	o->element.n = 0;
	pp_pprof_put_numbers(&o->element, OTLP_STACK_LOCATIONS, &o->numbers, ids.at, ids.n);
	id = element_take(o, OTLP_TABLE_STACKS);
	pp_vec_release(&ids);
	return id;
}

/* What a sample is worth, or each of its moments, and when those were. */
static void
values_put(struct from_pprof *o, struct pp_buf *m, const struct pprof_samples *s, size_t type)
{
	const struct otlp_moments *moments = &o->moments;
	uint64_t value = (uint64_t)s->values.at[type];
	size_t first, n, i;

	if (!moments->known || o->sample >= moments->samples) {
		pp_pprof_put_numbers(m, OTLP_SAMPLE_VALUES, &o->numbers, &value, 1);
		return;
	}
	first = moments->first[o->sample];
	n = moments->first[o->sample + 1] - first;
	o->many.n = 0;
	for (i = 0; i < n; i++)
		o->no_memory |= !pp_vec_push(
		    &o->many, (uint64_t)moments->values[(first + i) * moments->types + type]);
	if (o->no_memory)
		return;
	pp_pprof_put_numbers(m, OTLP_SAMPLE_VALUES, &o->numbers, o->many.at, n);
	o->part.n = 0;
	for (i = 0; i < n; i++)
		fixed_add(&o->part, moments->times[first + i]);
	pp_pprof_put_bytes(m, OTLP_SAMPLE_TIMES, slice_of(&o->part).p, o->part.n);
	o->no_memory |= o->part.failed;
}

/* A sample of each type, of value 0, too: so each has all of them. */
static void
sample_put(struct from_pprof *o, const struct pprof_samples *s)
{
	uint32_t stack = stack_id(o, s), link;
	struct pp_buf *m = &o->element;
	size_t i;

	link = labels_list(o, s);
	for (i = 0; i < s->values.n && !o->no_memory; i++) {
		m->n = 0;
		pp_pprof_put_number(m, OTLP_SAMPLE_STACK, stack);
		pp_pprof_put_numbers(m, OTLP_SAMPLE_ATTRIBUTES, &o->numbers, o->list.at, o->list.n);
		pp_pprof_put_number(m, OTLP_SAMPLE_LINK, link);
		values_put(o, m, s, i);
		pp_pprof_put_bytes(&o->samples[i], OTLP_PROFILE_SAMPLES, m->p, m->n);
		o->no_memory |= m->failed || o->samples[i].failed || o->numbers.failed;
	}
	m->n = 0;
	o->sample++;
}

/* ---- profiles ---- */

static void
type_put(struct from_pprof *o, struct pp_buf *b, unsigned field, const struct pprof_value_type *t)
{
	o->part.n = 0;
	pp_pprof_put_number(&o->part, OTLP_TYPE_NAME, string_of(o, t->f[VALUE_TYPE]));
	pp_pprof_put_number(&o->part, OTLP_TYPE_UNIT, string_of(o, t->f[VALUE_UNIT]));
	if (o->part.n || field == OTLP_PROFILE_TYPE)
		pp_pprof_put_bytes(b, field, slice_of(&o->part).p, o->part.n);
}

static void
profile_attributes(struct from_pprof *o)
{
	const struct pprof_doc *d = &o->doc;
	size_t i;

	o->list.n = 0;
	o->part.n = 0;
	for (i = 0; i < d->comments.n; i++) {
		o->value.n = 0;
		value_text(&o->value, pp_pprof_text(d, d->comments.at[i]));
		pp_pprof_put_bytes(&o->part, 1, o->value.p, o->value.n);
	}
	o->value.n = 0;
	if (d->comments.n) {
		pp_pprof_put_bytes(&o->value, OTLP_ANY_ARRAY, o->part.p, o->part.n);
		list_add(o, attribute(o, pp_slice_z("pprof.profile.comment"), 0));
	}
	list_text(o, "pprof.profile.doc_url", pp_pprof_text(d, (uint64_t)d->f[PROFILE_DOC_URL]));
	list_text(o, "pprof.profile.drop_frames",
	          pp_pprof_text(d, (uint64_t)d->f[PROFILE_DROP_FRAMES]));
	list_text(o, "pprof.profile.keep_frames",
	          pp_pprof_text(d, (uint64_t)d->f[PROFILE_KEEP_FRAMES]));
}

/* Times before 1970 have no place. */
static uint64_t
not_negative(struct from_pprof *o, int64_t value)
{
	if (value >= 0)
		return (uint64_t)value;
	o->writer->loss.dropped |= PP_HAS(TIME);
	return 0;
}

/* How long it took: all that happened is before the end. */
static uint64_t
duration_of(struct from_pprof *o, uint64_t start)
{
	uint64_t duration = not_negative(o, o->doc.f[PROFILE_DURATION_NANOS]);

	if (!start || !duration || !o->moments.known || o->moments.end - start <= duration)
		return duration;
	o->writer->loss.dropped |= PP_HAS(TIME);
	return o->moments.end - start;
}

static void
profile_put(struct from_pprof *o, size_t type, struct pp_buf *out)
{
	const struct pprof_doc *d = &o->doc;
	uint64_t start = not_negative(o, d->f[PROFILE_TIME_NANOS]);
	struct pp_buf p = { 0 };

	type_put(o, &p, OTLP_PROFILE_TYPE, &d->types.at[type]);
	pp_buf_add(&p, o->samples[type].p, o->samples[type].n);
	pp_buf_release(&o->samples[type]);
	fixed_put(&p, OTLP_PROFILE_TIME, start);
	pp_pprof_put_number(&p, OTLP_PROFILE_DURATION, duration_of(o, start));
	type_put(o, &p, OTLP_PROFILE_PERIOD_TYPE, &d->period_type);
	pp_pprof_put_number(&p, OTLP_PROFILE_PERIOD, (uint64_t)d->f[PROFILE_PERIOD]);
	profile_attributes(o);
	list_put(o, &p, OTLP_PROFILE_ATTRIBUTES);
	pp_pprof_put_bytes(out, OTLP_SCOPES_PROFILES, slice_of(&p).p, p.n);
	o->no_memory |= p.failed;
	pp_buf_release(&p);
}

static void
pair_put(struct from_pprof *o, struct pp_buf *out, unsigned field, struct pp_slice key)
{
	o->part.n = 0;
	pp_pprof_put_bytes(&o->part, OTLP_KEY_VALUE_KEY, key.p, key.n);
	pp_pprof_put_bytes(&o->part, OTLP_KEY_VALUE_VALUE, slice_of(&o->value).p, o->value.n);
	pp_pprof_put_bytes(out, field, o->part.p, o->part.n);
	o->value.n = 0;
}

/* Where a type stands in the profile, which is elsewhere in pprof's order unless it comes from there. */
static size_t
type_place(const struct from_pprof *o, size_t type)
{
	const struct pp_profile *p = o->writer->profile;
	struct pp_slice name = pp_pprof_text(&o->doc, o->doc.types.at[type].f[VALUE_TYPE]);
	size_t i;

	for (i = 0; o->renames && i < p->metrics.n; i++) {
		struct pp_buf label = { 0 };
		bool found;

		pp_metric_label(p, &p->metrics.at[i], &label);
		found = pp_slice_eq(name, slice_of(&label));
		pp_buf_release(&label);
		if (found)
			return i;
	}
	return type;
}

/* Without a date the clock of the recording starts at 0, or with what happened first. */
static void
clock_note(struct from_pprof *o)
{
	const struct pp_time_span *t = &o->writer->profile->time;
	uint64_t last = o->moments.end - 1;
	bool by_duration = last <= (uint64_t)o->doc.f[PROFILE_DURATION_NANOS];

	o->writer->loss.dropped &= ~PP_HAS(TIME);
	if (t->known &&
	    (by_duration ? t->start != 0
	                 : (uint64_t)t->start != o->moments.begin || (uint64_t)t->end != last))
		o->writer->loss.dropped |= PP_HAS(TIME);
}

/* When samples happened, where the profile knows that of all of them; else that is lost. */
static void
moments_find(struct from_pprof *o)
{
	const struct pp_profile *p = o->writer->profile;
	size_t n = o->doc.types.n, *metrics = calloc(n + 1, sizeof *metrics), i;

	for (i = 0; metrics && i < n; i++)
		metrics[i] = type_place(o, i);
	o->moments.types = n;
	if (metrics && o->renames && n && o->doc.f[PROFILE_TIME_NANOS] >= 0)
		pp_otlp_moments_find(&o->moments, p, metrics,
		                     (uint64_t)o->doc.f[PROFILE_TIME_NANOS]);
	o->no_memory |= !metrics || o->moments.no_memory;
	for (i = 0; !o->moments.known && i < p->series.n; i++)
		if (p->series.at[i].timeline.n)
			o->writer->loss.dropped |= PP_HAS(TIMELINE);
	if (o->moments.known && !o->doc.f[PROFILE_TIME_NANOS])
		clock_note(o);
	free(metrics);
}

/* Which position each profile had as a sample type, and which of them is the one to be shown. */
static void
scope_put(struct from_pprof *o, const size_t *order, struct pp_buf *out)
{
	struct pp_slice shown = pp_pprof_text(&o->doc, (uint64_t)o->doc.f[PROFILE_DEFAULT_TYPE]);
	struct pp_buf scope = { 0 }, list = { 0 };
	size_t i;

	if (shown.n) {
		value_text(&o->value, shown);
		pair_put(o, &scope, OTLP_SCOPE_ATTRIBUTES,
		         pp_slice_z("pprof.scope.default_sample_type"));
	}
	for (i = 0; i < o->doc.types.n; i++) {
		o->value.n = 0;
		value_number(&o->value, OTLP_ANY_INT, type_place(o, order[i]));
		pp_pprof_put_bytes(&list, 1, o->value.p, o->value.n);
	}
	o->value.n = 0;
	pp_pprof_put_bytes(&o->value, OTLP_ANY_ARRAY, slice_of(&list).p, list.n);
	if (o->doc.types.n > 1)
		pair_put(o, &scope, OTLP_SCOPE_ATTRIBUTES,
		         pp_slice_z("pprof.scope.sample_type_order"));
	o->value.n = 0;
	pp_pprof_put_bytes(out, OTLP_SCOPES_SCOPE, slice_of(&scope).p, scope.n);
	o->no_memory |= scope.failed || list.failed;
	pp_buf_release(&scope);
	pp_buf_release(&list);
}

/* What a profile of this very format knew of its process, when it is no longer as it was read. */
static void
resource_put(struct from_pprof *o, struct pp_buf *out)
{
	static const char *const others[] = {
		"scope",          "scope_version",      "schema_url",  "time_nanos",
		"duration_nanos", "period_type",        "period_unit", "period",
		"profile_id",     "comments",           "doc_url",     "drop_frames",
		"keep_frames",    "default_sample_type"
	};
	const struct pp_profile *p = o->writer->profile;
	struct pp_buf resource = { 0 };
	size_t i, k;

	for (i = 0; pp_profile_native(p) == &pp_format_otlp && i < p->meta.n; i++) {
		const struct pp_meta_row *row = &p->meta.at[i];
		struct pp_slice key = pp_text_of(p, row->key), text = pp_text_of(p, row->text);
		int64_t number;

		for (k = 0; k < PP_COUNT_OF(others) && !pp_slice_eq_z(key, others[k]);)
			k++;
		if (row->parent || k < PP_COUNT_OF(others) || pp_slice_starts(key, "pprof.") ||
		    pp_slice_starts(key, "original_payload"))
			continue;
		if (row->type == PP_META_NUMBER && pp_num_i64(text, &number))
			value_number(&o->value, OTLP_ANY_INT, (uint64_t)number);
		else if (row->type == PP_META_BOOL)
			value_number(&o->value, OTLP_ANY_BOOL, pp_slice_eq_z(text, "true"));
		else
			value_text(&o->value, text);
		pair_put(o, &resource, OTLP_RESOURCE_ATTRIBUTES, key);
	}
	pp_pprof_put_bytes(out, OTLP_RESOURCES_RESOURCE, slice_of(&resource).p, resource.n);
	o->no_memory |= resource.failed;
	pp_buf_release(&resource);
}

static void
dictionary_put(struct from_pprof *o, struct pp_buf *out)
{
	static const unsigned char no_link[] = { 0x0a, 16, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0,
		                                 0,    0,  0, 0, 0x12, 8, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct pp_buf all = { 0 };
	unsigned table;
	size_t i;

	for (table = 1; table < OTLP_TABLES; table++)
		for (i = 0; i < o->tables[table].strs.n; i++) {
			struct pp_slice e = pp_strtab_get(&o->tables[table], (pp_str)i);

			if (table == OTLP_TABLE_LINKS && i == 0)
				e = pp_slice_of(no_link, sizeof no_link);
			pp_pprof_put_bytes(&all, table, e.n ? e.p : (const unsigned char *)"", e.n);
		}
	pp_pprof_put_bytes(out, OTLP_DATA_DICTIONARY, all.p, all.n);
	o->no_memory |= all.failed;
	pp_buf_release(&all);
}

static void
message_put(struct from_pprof *o, struct pp_buf *out)
{
	struct pprof_doc *d = &o->doc;
	size_t primary = pp_pprof_primary(d), *order = calloc(d->types.n + 1, sizeof *order), i,
	       n = 0;
	struct pp_buf scope = { 0 }, resource = { 0 };
	struct pprof_samples s;

	o->no_memory |= !order;
	/* The first one is the program: so others have it. */
	for (i = 0; i < d->mappings.n && !o->no_memory; i++)
		(void)mapping_id(o, (uint32_t)i);
	moments_find(o);
	pp_pprof_samples_init(&s, d, false);
	while (!o->no_memory && d->types.n && pp_pprof_samples_next(&s))
		sample_put(o, &s);
	pp_pprof_samples_release(&s);
	if (!o->no_memory) {
		resource_put(o, &resource);
		for (i = 0; i <= d->types.n; i++)
			if (i == 0 ? d->types.n > 0 : i - 1 != primary)
				order[n++] = i == 0 ? primary : i - 1;
		scope_put(o, order, &scope);
		for (i = 0; i < n; i++)
			profile_put(o, order[i], &scope);
		pp_pprof_put_bytes(&resource, OTLP_RESOURCES_SCOPES, scope.p, scope.n);
		pp_pprof_put_bytes(out, OTLP_DATA_RESOURCES, resource.p, resource.n);
		dictionary_put(o, out);
	}
	o->no_memory |= out->failed || scope.failed || resource.failed || d->no_memory;
	free(order);
	pp_buf_release(&scope);
	pp_buf_release(&resource);
}

pp_status
pp_otlp_from_pprof(struct pp_slice message, struct pp_writer *writer, struct pp_buf *out)
{
	struct from_pprof o = { .doc = { .bytes = message }, .writer = writer };
	uint64_t seed = writer->profile->strs.seed;
	unsigned i;
	size_t k;

	o.renames = pp_profile_native(writer->profile) != &pp_format_pprof;
	o.doc.mapping_of.large.seed = o.doc.function_of.large.seed = seed;
	o.doc.location_of.large.seed = seed;
	for (i = 1; i < OTLP_TABLES; i++)
		o.no_memory |= !pp_strtab_init(&o.tables[i], seed);
	o.no_memory |= !pp_pprof_parse(&o.doc);
	o.samples = calloc(o.doc.types.n + 1, sizeof *o.samples);
	o.mappings = calloc(o.doc.mappings.n + 1, sizeof *o.mappings);
	o.functions = calloc(o.doc.functions.n + 1, sizeof *o.functions);
	o.locations = calloc(o.doc.locations.n + 1, sizeof *o.locations);
	o.no_memory |= !o.samples || !o.mappings || !o.functions || !o.locations;
	if (!o.no_memory)
		message_put(&o, out);
	/* What nobody knows, and numbers that elements had, are pprof's own. */
	writer->loss.more[PP_TRAIT_PRIVATE] += o.doc.unknown.n > 0;
	for (k = 0; o.samples && k < o.doc.types.n; k++)
		pp_buf_release(&o.samples[k]);
	for (i = 1; i < OTLP_TABLES; i++)
		pp_strtab_release(&o.tables[i]);
	pp_buf_release(&o.element);
	pp_buf_release(&o.part);
	pp_buf_release(&o.value);
	pp_buf_release(&o.numbers);
	pp_vec_release(&o.list);
	pp_vec_release(&o.many);
	pp_otlp_moments_release(&o.moments);
	free(o.samples);
	free(o.mappings);
	free(o.functions);
	free(o.locations);
	pp_pprof_release(&o.doc);
	return o.no_memory ? PP_E_NOMEM : PP_OK;
}
