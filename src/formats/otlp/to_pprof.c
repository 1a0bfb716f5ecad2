/*
 * An input of OTLP as pprof's message: profiles of all messages become sample types, samples of one stack, with the same attributes and
 * the same link, one sample with a value for each; timestamps are counted or their values added up; links and attributes are labels.
 */
#include "formats/otlp/otlp.h"
#include "formats/otlp/translate.h"
#include "formats/pprof/emit.h"
#include "formats/pprof/pprof.h"
#include "model/traits.h"

enum { STRINGS, MAPPINGS, FUNCTIONS, LOCATIONS, STACKS, SAMPLES, KINDS };

struct to_pprof {
	struct otlp_messages messages;
	struct otlp_doc doc;
	struct pp_strtab
	    known[KINDS]; /* elements by their bytes behind one more, so that ids begin with 1 */
	struct pp_buf element, part, labels, numbers, text;
	PP_VEC(struct pprof_value_type) types; /* numbers of strings */
	PP_VEC(int64_t) values;                /* by sample and type */
	uint32_t *locations;                   /* of a message, + 1 */
	uint32_t *stacks;                      /* likewise */
	PP_VEC(uint64_t) stack;
	PP_VEC(uint64_t) comments;
	PP_VEC(int64_t) order; /* where types stood in the pprof that this was made of */
	uint64_t f[PROFILE_FIELDS];
	uint64_t period_type[2];
	struct pp_loss *loss;
	bool resources_differ, no_memory;
	bool unfit; /* it takes a profile to add up what is there */
};

static uint32_t
intern(struct to_pprof *o, unsigned kind, struct pp_slice bytes)
{
	bool is_new;
	pp_str id = 0;

	if (bytes.n && !pp_strtab_intern(&o->known[kind], bytes.p, bytes.n, &id, &is_new))
		o->no_memory = true;
	return id;
}

static uint32_t
string_id(struct to_pprof *o, struct pp_slice text)
{
	return intern(o, STRINGS, text);
}

static uint32_t
string_of(struct to_pprof *o, uint64_t index)
{
	return string_id(o, pp_otlp_text(&o->doc, (uint32_t)index));
}

static void
element_begin(struct to_pprof *o)
{
	o->element.n = 0;
	pp_buf_addc(&o->element, ' ');
}

static uint32_t
element_take(struct to_pprof *o, unsigned kind)
{
	o->no_memory |= o->element.failed || o->part.failed;
	return o->no_memory ? 0 : intern(o, kind, pp_slice_of(o->element.p, o->element.n));
}

/* A value as a string. */
static uint32_t
value_string(struct to_pprof *o, const struct otlp_value *value)
{
	o->text.n = 0;
	pp_otlp_value_print(&o->doc, value, &o->text);
	o->no_memory |= o->text.failed;
	return string_id(o, pp_slice_of(o->text.p, o->text.n));
}

/* ---- tables ---- */

static uint32_t
mapping_id(struct to_pprof *o, uint64_t index)
{
	static const char *const flags[] = { "has_functions", "has_filenames", "has_line_numbers",
		                             "has_inline_frames" };
	const struct otlp_doc *d = &o->doc;
	const struct otlp_row *m;
	uint64_t f[MAPPING_FIELDS] = { 0 };
	uint32_t i;
	unsigned k;

	if (index == 0 || index >= d->tables[OTLP_TABLE_MAPPINGS].n)
		return 0;
	m = &d->tables[OTLP_TABLE_MAPPINGS].at[index];
	f[MAPPING_START] = m->f[OTLP_MAPPING_START];
	f[MAPPING_LIMIT] = m->f[OTLP_MAPPING_LIMIT];
	f[MAPPING_OFFSET] = m->f[OTLP_MAPPING_OFFSET];
	f[MAPPING_FILE] = string_of(o, m->f[OTLP_MAPPING_FILE]);
	for (i = 0; i < m->list.n; i++) {
		struct otlp_value value;
		struct pp_slice unit,
		    key = pp_otlp_attribute(d, d->numbers.at[m->list.first + i], &value, &unit);

		if (pp_slice_take(&key, "process.executable.build_id.") &&
		    (!f[MAPPING_BUILD_ID] || pp_slice_eq_z(key, "gnu")))
			f[MAPPING_BUILD_ID] = value_string(o, &value);
		else if (pp_slice_take(&key, "pprof.mapping."))
			for (k = 0; k < PP_COUNT_OF(flags); k++)
				if (pp_slice_eq_z(key, flags[k]))
					f[MAPPING_HAS_FUNCTIONS + k] = value.number != 0;
	}
	element_begin(o);
	for (k = MAPPING_START; k < MAPPING_FIELDS; k++)
		pp_pprof_put_number(&o->element, k, f[k]);
	return element_take(o, MAPPINGS);
}

static uint32_t
function_id(struct to_pprof *o, uint32_t index)
{
	const struct otlp_doc *d = &o->doc;
	uint64_t f[FUNCTION_FIELDS] = { 0 };
	unsigned k;

	if (index && index < d->tables[OTLP_TABLE_FUNCTIONS].n) {
		const struct otlp_row *row = &d->tables[OTLP_TABLE_FUNCTIONS].at[index];

		f[FUNCTION_NAME] = string_of(o, row->f[OTLP_FUNCTION_NAME]);
		f[FUNCTION_SYSTEM] = string_of(o, row->f[OTLP_FUNCTION_SYSTEM]);
		f[FUNCTION_FILE] = string_of(o, row->f[OTLP_FUNCTION_FILE]);
		f[FUNCTION_START] = row->f[OTLP_FUNCTION_START];
		if (!f[FUNCTION_NAME])
			f[FUNCTION_NAME] = f[FUNCTION_SYSTEM];
	}
	element_begin(o);
	for (k = FUNCTION_NAME; k < FUNCTION_FIELDS; k++)
		pp_pprof_put_number(&o->element, k, f[k]);
	return element_take(o, FUNCTIONS);
}

/* Whether a location is marked as folded; other attributes have no place. */
static bool
is_folded(struct to_pprof *o, const struct otlp_row *l)
{
	const struct otlp_doc *d = &o->doc;
	bool folded = false;
	uint32_t i;

	for (i = 0; i < l->list.n; i++) {
		struct otlp_value value;
		struct pp_slice unit,
		    key = pp_otlp_attribute(d, d->numbers.at[l->list.first + i], &value, &unit);

		if (pp_slice_eq_z(key, "pprof.location.is_folded"))
			folded = value.number != 0;
		else
			o->loss->dropped |= PP_HAS(MARKS);
	}
	return folded;
}

static uint32_t
location_id(struct to_pprof *o, int32_t index)
{
	static const struct otlp_row none = { .at = NULL };
	const struct otlp_doc *d = &o->doc;
	bool exists = index >= 0 && (size_t)index < d->tables[OTLP_TABLE_LOCATIONS].n;
	const struct otlp_row *l = exists ? &d->tables[OTLP_TABLE_LOCATIONS].at[index] : &none;
	struct pp_buf lines = { 0 };
	uint32_t i, id, mapping;

	if (exists && o->locations[index])
		return o->locations[index] - 1;
	mapping = mapping_id(o, l->f[OTLP_LOCATION_MAPPING]);
	for (i = 0; i < l->lines.n; i++) {
		const struct otlp_line *line = &d->lines.at[l->lines.first + i];

		/* One that is not known is no line, unless others are around it. */
		if (!line->function && !line->line && l->lines.n == 1)
			continue;
		o->part.n = 0;
		pp_pprof_put_number(&o->part, LINE_FUNCTION, function_id(o, line->function));
		pp_pprof_put_number(&o->part, LINE_LINE, (uint64_t)line->line);
		pp_pprof_put_number(&o->part, LINE_COLUMN, (uint64_t)line->column);
		pp_pprof_put_bytes(&lines, LOCATION_LINE, o->part.p, o->part.n);
	}
	element_begin(o);
	pp_pprof_put_number(&o->element, LOCATION_MAPPING, mapping);
	pp_pprof_put_number(&o->element, LOCATION_ADDRESS, l->f[OTLP_LOCATION_ADDRESS]);
	pp_buf_add(&o->element, lines.p, lines.n);
	pp_pprof_put_number(&o->element, LOCATION_FOLDED, is_folded(o, l));
	o->no_memory |= lines.failed;
	pp_buf_release(&lines);
	id = element_take(o, LOCATIONS);
	if (exists)
		o->locations[index] = id + 1;
	return id;
}

/* ---- labels ---- */

static void
label_put(struct to_pprof *o, struct pp_slice key, const struct otlp_value *value,
          struct pp_slice unit)
{
	struct pp_wire_field f;
	struct pp_wire w;

	/* Several of one key are a list there. */
	if (value->field == OTLP_ANY_ARRAY) {
		pp_wire_init(&w, value->text);
		while (pp_wire_next(&w, &f)) {
			struct otlp_value one = pp_otlp_value(&o->doc, f.bytes);

			if (f.type == PP_WIRE_BYTES && one.field != OTLP_ANY_ARRAY)
				label_put(o, key, &one, unit);
		}
		return;
	}
	o->part.n = 0;
	pp_pprof_put_number(&o->part, LABEL_KEY, string_id(o, key));
	if (value->field == OTLP_ANY_INT) {
		pp_pprof_put_number(&o->part, LABEL_NUMBER, value->number);
		pp_pprof_put_number(&o->part, LABEL_UNIT, string_id(o, unit));
	} else {
		pp_pprof_put_number(&o->part, LABEL_TEXT, value_string(o, value));
	}
	pp_pprof_put_bytes(&o->labels, SAMPLE_LABEL, o->part.p ? o->part.p : "", o->part.n);
}

static void
link_put(struct to_pprof *o, const char *key, struct pp_slice id)
{
	struct otlp_value value = { .field = OTLP_ANY_STRING };
	struct pp_buf hex = { 0 };

	pp_otlp_hex(id, &hex);
	value.text = pp_slice_of(hex.p, hex.n);
	label_put(o, pp_slice_z(key), &value, pp_slice_of("", 0));
	o->no_memory |= hex.failed;
	pp_buf_release(&hex);
}

static void
labels_put(struct to_pprof *o, const struct otlp_samples *s)
{
	const struct otlp_doc *d = &o->doc;
	const struct otlp_origin *r = &d->resources.at[s->profile->resource];
	struct pp_slice key, unit = pp_slice_of("", 0);
	struct otlp_value value;
	size_t i;

	o->labels.n = 0;
	for (i = 0; i < s->attributes.n; i++) {
		key = pp_otlp_attribute(d, s->attributes.at[i], &value, &unit);
		if (key.n)
			label_put(o, key, &value, unit);
	}
	if (s->link > 0 && (size_t)s->link < d->tables[OTLP_TABLE_LINKS].n) {
		link_put(o, "trace_id", d->tables[OTLP_TABLE_LINKS].at[s->link].bytes[0]);
		link_put(o, "span_id", d->tables[OTLP_TABLE_LINKS].at[s->link].bytes[1]);
	}
	for (i = 0; i < r->pairs.n; i++) {
		key = pp_otlp_pair(d, d->pairs.at[r->pairs.first + i], &value);
		if ((o->resources_differ && pp_slice_eq_z(key, "service.name")) ||
		    pp_slice_eq_z(key, "process.pid"))
			label_put(o, key, &value, pp_slice_of("", 0));
	}
}

/* ---- samples ---- */

/* A stack as a number: many samples may share a long one. */
static uint32_t
stack_id(struct to_pprof *o, int32_t index)
{
	const struct otlp_doc *d = &o->doc;
	struct otlp_span list = (size_t)index < d->stacks.n ? d->stacks.at[index]
	                                                    : (struct otlp_span){ 0, 0 };
	uint32_t i;

	if (o->stacks[index])
		return o->stacks[index] - 1;
	o->stack.n = 0;
	for (i = 0; i < list.n && !o->no_memory; i++)
		o->no_memory |= !pp_vec_push(&o->stack,
		                             location_id(o, d->numbers.at[list.first + i]));
	element_begin(o);
	pp_pprof_put_numbers(&o->element, SAMPLE_LOCATION, &o->numbers, o->stack.at, o->stack.n);
	o->no_memory |= o->numbers.failed;
	o->stacks[index] = element_take(o, STACKS) + 1;
	return o->stacks[index] - 1;
}

/* A sample without its values, as a number: the number of its stack, then labels. */
static uint32_t
sample_id(struct to_pprof *o, const struct otlp_samples *s)
{
	uint32_t stack = stack_id(o, s->stack);

	labels_put(o, s);
	element_begin(o);
	pp_buf_add(&o->element, &stack, sizeof stack);
	pp_buf_add(&o->element, o->labels.p, o->labels.n);
	o->no_memory |= o->labels.failed;
	return element_take(o, SAMPLES);
}

static void
sample_add(struct to_pprof *o, const struct otlp_samples *s, size_t column)
{
	size_t row = sample_id(o, s), need = (row + 1) * o->types.n, i;
	int64_t *sum;

	if (!pp_vec_reserve(&o->values, need))
		o->no_memory = true;
	if (o->no_memory)
		return;
	while (o->values.n < need)
		o->values.at[o->values.n++] = 0;
	sum = &o->values.at[row * o->types.n + column];
	for (i = 0; i < s->values.n; i++)
		o->unfit |= __builtin_add_overflow(*sum, s->values.at[i], sum);
	if (s->values.n == 0)
		o->unfit |= __builtin_add_overflow(*sum, (int64_t)(s->times.n / 8), sum);
}

/* ---- what is known of the recording ---- */

/* The type of a profile; one in two units takes more than this. */
static size_t
type_find(struct to_pprof *o, const struct otlp_profile *p)
{
	struct pprof_value_type t = { .f = { [VALUE_TYPE] = string_of(o, p->type[0]),
		                             [VALUE_UNIT] = string_of(o, p->type[1]) } };
	size_t i;

	for (i = 0; i < o->types.n; i++)
		if (o->types.at[i].f[VALUE_TYPE] == t.f[VALUE_TYPE]) {
			o->unfit |= o->types.at[i].f[VALUE_UNIT] != t.f[VALUE_UNIT];
			return i;
		}
	o->unfit |= !t.f[VALUE_TYPE];
	o->no_memory |= !pp_vec_push(&o->types, t);
	return i;
}

static void
comment_add(struct to_pprof *o, struct pp_slice key, const struct otlp_value *value)
{
	struct pp_buf text = { 0 };

	if (key.n) {
		pp_buf_add(&text, key.p, key.n);
		pp_buf_addc(&text, '=');
	}
	pp_otlp_value_print(&o->doc, value, &text);
	o->no_memory |= text.failed ||
	                !pp_vec_push(&o->comments, string_id(o, pp_slice_of(text.p, text.n)));
	pp_buf_release(&text);
}

/* The values of a list, which its caller takes one by one: its next one, false at the end. */
static bool
list_next(struct to_pprof *o, struct pp_wire *w, struct otlp_value *value)
{
	struct pp_wire_field f;

	if (!pp_wire_next(w, &f))
		return false;
	*value = pp_otlp_value(&o->doc, f.type == PP_WIRE_BYTES ? f.bytes : pp_slice_of("", 0));
	return true;
}

static void
profile_meta(struct to_pprof *o, const struct otlp_profile *p)
{
	const struct otlp_doc *d = &o->doc;
	struct otlp_value value, item;
	struct pp_slice key, unit;
	struct pp_wire w;
	uint32_t i;

	o->f[PROFILE_TIME_NANOS] = p->f[OTLP_PROFILE_TIME];
	o->f[PROFILE_DURATION_NANOS] = p->f[OTLP_PROFILE_DURATION];
	o->f[PROFILE_PERIOD] = p->f[OTLP_PROFILE_PERIOD];
	o->period_type[0] = string_of(o, p->period_type[0]);
	o->period_type[1] = string_of(o, p->period_type[1]);
	for (i = 0; i < p->list.n; i++) {
		key = pp_otlp_attribute(d, d->numbers.at[p->list.first + i], &value, &unit);
		pp_wire_init(&w, value.text);
		if (pp_slice_eq_z(key, "pprof.profile.comment") && value.field == OTLP_ANY_ARRAY)
			while (list_next(o, &w, &item))
				comment_add(o, pp_slice_of("", 0), &item);
		else if (pp_slice_eq_z(key, "pprof.profile.comment"))
			comment_add(o, pp_slice_of("", 0), &value);
		else if (pp_slice_eq_z(key, "pprof.profile.doc_url"))
			o->f[PROFILE_DOC_URL] = value_string(o, &value);
		else if (pp_slice_eq_z(key, "pprof.profile.drop_frames"))
			o->f[PROFILE_DROP_FRAMES] = value_string(o, &value);
		else if (pp_slice_eq_z(key, "pprof.profile.keep_frames"))
			o->f[PROFILE_KEEP_FRAMES] = value_string(o, &value);
		else if (key.n)
			comment_add(o, key, &value);
	}
}

/* Of scope and resource what pprof has a place for. */
static void
origin_meta(struct to_pprof *o, const struct otlp_profile *p)
{
	const struct otlp_doc *d = &o->doc;
	const struct otlp_origin *scope = &d->scopes.at[p->scope];
	const struct otlp_origin *resource = &d->resources.at[p->resource];
	struct otlp_value value, item;
	struct pp_slice key;
	struct pp_wire w;
	uint32_t i;

	for (i = 0; i < scope->pairs.n; i++) {
		key = pp_otlp_pair(d, d->pairs.at[scope->pairs.first + i], &value);
		pp_wire_init(&w, value.text);
		if (pp_slice_eq_z(key, "pprof.scope.default_sample_type"))
			o->f[PROFILE_DEFAULT_TYPE] = value_string(o, &value);
		else if (pp_slice_eq_z(key, "pprof.scope.sample_type_order") &&
		         value.field == OTLP_ANY_ARRAY)
			while (list_next(o, &w, &item))
				o->no_memory |= !pp_vec_push(&o->order, (int64_t)item.number);
	}
	o->loss->more[PP_TRAIT_METADATA] += (scope->name.n > 0) + (scope->version.n > 0) +
	                                    (scope->schema.n || resource->schema.n) +
	                                    (p->id.n > 0) + (p->payload.n > 0);
	for (i = 0; i < resource->pairs.n && !o->resources_differ; i++) {
		key = pp_otlp_pair(d, d->pairs.at[resource->pairs.first + i], &value);
		comment_add(o, key, &value);
	}
}

/* ---- the message ---- */

/* Which type stands where, when pprof's own order is known; else the first is the one to be shown. */
static void
order_settle(struct to_pprof *o)
{
	size_t n = o->types.n, i, k;
	bool fine = o->order.n == n && n > 1;

	for (i = 0; i < n && fine; i++) {
		fine &= o->order.at[i] >= 0 && (size_t)o->order.at[i] < n;
		for (k = 0; k < i && fine; k++)
			fine &= o->order.at[i] != o->order.at[k];
	}
	if (fine)
		return;
	o->order.n = 0;
	for (i = 0; i < n; i++)
		o->no_memory |= !pp_vec_push(&o->order, (int64_t)i);
	if (n > 1 && !o->f[PROFILE_DEFAULT_TYPE])
		o->f[PROFILE_DEFAULT_TYPE] = o->types.at[0].f[VALUE_TYPE];
}

/* The type at a place. */
static size_t
type_at(const struct to_pprof *o, size_t place)
{
	size_t i;

	for (i = 0; i + 1 < o->types.n && (size_t)o->order.at[i] != place;)
		i++;
	return i;
}

static void
samples_put(struct to_pprof *o, struct pp_buf *out)
{
	PP_VEC(uint64_t) row = { 0 };
	size_t i, k;

	for (i = 1; i < o->known[SAMPLES].strs.n && !o->no_memory; i++) {
		struct pp_slice e = pp_slice_from(pp_strtab_get(&o->known[SAMPLES], (pp_str)i), 1);
		struct pp_slice stack;
		uint32_t id;

		memcpy(&id, e.p, sizeof id);
		stack = pp_slice_from(pp_strtab_get(&o->known[STACKS], id), 1);
		e = pp_slice_from(e, sizeof id);
		row.n = 0;
		for (k = 0; k < o->types.n && !o->no_memory; k++)
			o->no_memory |= !pp_vec_push(
			    &row, (uint64_t)o->values.at[i * o->types.n + type_at(o, k)]);
		o->element.n = 0;
		pp_pprof_put_numbers(&o->element, SAMPLE_VALUE, &o->numbers, row.at, row.n);
		pp_buf_add(&o->element, stack.p, stack.n);
		pp_buf_add(&o->element, e.p, e.n);
		pp_pprof_put_bytes(out, PROFILE_SAMPLE, o->element.p, o->element.n);
	}
	pp_vec_release(&row);
}

static void
table_put(struct to_pprof *o, unsigned kind, unsigned field, struct pp_buf *out)
{
	size_t i;

	for (i = 1; i < o->known[kind].strs.n; i++) {
		struct pp_slice e = pp_slice_from(pp_strtab_get(&o->known[kind], (pp_str)i), 1);

		/* In all three the id comes first. */
		o->element.n = 0;
		pp_pprof_put_number(&o->element, MAPPING_ID, i);
		pp_buf_add(&o->element, e.p, e.n);
		pp_pprof_put_bytes(out, field, o->element.p, o->element.n);
	}
}

static void
type_put(struct to_pprof *o, unsigned field, uint64_t type, uint64_t unit, struct pp_buf *out)
{
	o->element.n = 0;
	pp_pprof_put_number(&o->element, VALUE_TYPE, type);
	pp_pprof_put_number(&o->element, VALUE_UNIT, unit);
	if (o->element.n)
		pp_pprof_put_bytes(out, field, o->element.p, o->element.n);
}

static void
message_put(struct to_pprof *o, struct pp_buf *out)
{
	size_t i;
	unsigned field;

	order_settle(o);
	for (i = 0; i < o->types.n && !o->no_memory; i++) {
		const struct pprof_value_type *t = &o->types.at[type_at(o, i)];

		type_put(o, PROFILE_SAMPLE_TYPE, t->f[VALUE_TYPE], t->f[VALUE_UNIT], out);
	}
	samples_put(o, out);
	table_put(o, MAPPINGS, PROFILE_MAPPING, out);
	table_put(o, LOCATIONS, PROFILE_LOCATION, out);
	table_put(o, FUNCTIONS, PROFILE_FUNCTION, out);
	for (i = 0; i < o->known[STRINGS].strs.n; i++) {
		struct pp_slice text = pp_strtab_get(&o->known[STRINGS], (pp_str)i);

		pp_pprof_put_bytes(out, PROFILE_STRING, text.n ? text.p : (const unsigned char *)"",
		                   text.n);
	}
	for (field = PROFILE_DROP_FRAMES; field < PROFILE_FIELDS; field++)
		if (field == PROFILE_PERIOD_TYPE)
			type_put(o, field, o->period_type[0], o->period_type[1], out);
		else if (field == PROFILE_COMMENT)
			pp_pprof_put_numbers(out, field, &o->numbers, o->comments.at,
			                     o->comments.n);
		else
			pp_pprof_put_number(out, field, o->f[field]);
	o->no_memory |= out->failed || o->element.failed || o->numbers.failed;
}

/* Goes over all messages: once for types and resources, then for samples. */
static void
messages_read(struct to_pprof *o, bool samples)
{
	struct pp_slice first = pp_slice_of(NULL, 0), all;
	bool any = false;
	size_t i, k;

	for (i = 0; i < o->messages.list.n && !o->no_memory && !o->unfit; i++) {
		struct otlp_doc *d = &o->doc;

		pp_otlp_release(d);
		*d = (struct otlp_doc){ .from = &o->messages, .bytes = o->messages.list.at[i] };
		free(o->locations);
		free(o->stacks);
		o->locations = o->stacks = NULL;
		if (pp_otlp_parse(d))
			o->locations = calloc(pp_otlp_count(d, OTLP_TABLE_LOCATIONS),
			                      sizeof *o->locations);
		if (o->locations)
			o->stacks = calloc(pp_otlp_count(d, OTLP_TABLE_STACKS), sizeof *o->stacks);
		o->no_memory |= !o->stacks;
		for (k = 1; k < pp_otlp_count(d, OTLP_TABLE_MAPPINGS) && !o->no_memory; k++)
			(void)mapping_id(o, k);
		for (k = 0; k < d->profiles.n && !o->no_memory && !o->unfit; k++) {
			const struct otlp_profile *p = &d->profiles.at[k];
			size_t type = type_find(o, p);
			struct otlp_samples s;

			all = pp_otlp_origin_bytes(d, &d->resources.at[p->resource]);
			first = any ? first : all;
			o->resources_differ |= !pp_slice_eq(first, all);
			if (samples && !any) {
				profile_meta(o, p);
				origin_meta(o, p);
			}
			any = true;
			pp_otlp_samples_init(&s, d, p, false);
			while (samples && !o->no_memory && pp_otlp_samples_next(&s))
				sample_add(o, &s, type);
			pp_otlp_samples_release(&s);
		}
		o->no_memory |= d->no_memory;
	}
}

pp_status
pp_otlp_to_pprof(struct pp_slice input, struct pp_writer *writer, struct pp_buf *out)
{
	struct to_pprof o = { .loss = &writer->loss };
	struct pp_diags diags;
	unsigned i;

	pp_diags_init(&diags);
	pp_otlp_messages_open(&o.messages, input, 0, &diags);
	o.no_memory = o.messages.no_memory;
	for (i = 0; i < KINDS; i++)
		o.no_memory |= !pp_strtab_init(&o.known[i], writer->profile->strs.seed);
	messages_read(&o, false);
	messages_read(&o, true);
	if (!o.no_memory && !o.unfit) {
		message_put(&o, out);
		/* What is not told here is there again. */
		writer->loss.verbatim = true;
		writer->loss.dropped |= PP_HAS(TIMELINE);
		if (writer->profile->samples != o.known[SAMPLES].strs.n - 1)
			writer->loss.dropped |= PP_HAS(SAMPLES);
	}
	for (i = 0; i < KINDS; i++)
		pp_strtab_release(&o.known[i]);
	pp_buf_release(&o.element);
	pp_buf_release(&o.part);
	pp_buf_release(&o.labels);
	pp_buf_release(&o.numbers);
	pp_buf_release(&o.text);
	pp_vec_release(&o.types);
	pp_vec_release(&o.values);
	pp_vec_release(&o.stack);
	pp_vec_release(&o.comments);
	pp_vec_release(&o.order);
	free(o.locations);
	free(o.stacks);
	pp_otlp_release(&o.doc);
	pp_otlp_messages_release(&o.messages);
	pp_diags_release(&diags);
	return o.no_memory ? PP_E_NOMEM : o.unfit ? PP_E_UNSUPPORTED : PP_OK;
}
