/*
 * A profile of this format as the same once more: everything that was right in the file, unknown fields included, in the order
 * in which it is mostly written, numbers as short as they can be, lists in one piece. Ids and strings stay what they are.
 */
#include "formats/pprof/emit.h"
#include "formats/pprof/pprof.h"

/* Appends the fields of a message that nobody knows; those below `count` are known. */
static void
unknown_put(struct pp_buf *b, struct pp_slice message, unsigned count)
{
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f))
		if (f.number >= count || f.type == PP_WIRE_GROUP) {
			struct pp_slice bytes = pp_wire_field_bytes(&w, &f);

			pp_buf_add(b, bytes.p, bytes.n);
		}
}

/* Numbers of a message by field, those of strings held against the table. */
static void
fields_put(const struct pprof_doc *d, struct pp_buf *b, const uint64_t *f, unsigned count,
           unsigned strings)
{
	unsigned i;

	for (i = 1; i < count; i++)
		pp_pprof_put_number(b, i, strings >> i & 1 && f[i] >= d->strings.n ? 0 : f[i]);
}

#define BIT(field) (1u << (field))

static void
value_type_put(const struct pprof_doc *d, struct pp_buf *b, const struct pprof_value_type *t)
{
	fields_put(d, b, t->f, VALUE_FIELDS, BIT(VALUE_TYPE) | BIT(VALUE_UNIT));
	unknown_put(b, t->message, VALUE_FIELDS);
}

static void
sample_put(struct pprof_out *o, struct pprof_samples *s, uint64_t *ids)
{
	const struct pprof_doc *d = s->doc;
	size_t i;

	for (i = 0; i < s->stack.n; i++)
		ids[i] = d->locations.at[s->stack.at[i]].f[LOCATION_ID];
	pp_pprof_put_numbers(&o->message, SAMPLE_LOCATION, &o->part, ids, s->stack.n);
	pp_pprof_put_numbers(&o->message, SAMPLE_VALUE, &o->part, (const uint64_t *)s->values.at,
	                     s->values.n);
	for (i = 0; i < s->labels.n; i++) {
		struct pprof_label label;

		if (!pp_pprof_label_read(s->doc, s->labels.at[i], &label))
			continue;
		o->part.n = 0;
		fields_put(d, &o->part, label.f, LABEL_FIELDS,
		           BIT(LABEL_KEY) | BIT(LABEL_TEXT) | BIT(LABEL_UNIT));
		unknown_put(&o->part, s->labels.at[i], LABEL_FIELDS);
		pp_pprof_put_bytes(&o->message, SAMPLE_LABEL, o->part.p ? o->part.p : "",
		                   o->part.n);
	}
	if (s->has_unknown)
		unknown_put(&o->message, s->message, SAMPLE_LABEL + 1);
	pp_pprof_out_message(o, PROFILE_SAMPLE);
}

static void
samples_put(struct pprof_out *o, struct pprof_doc *d, bool report)
{
	PP_VEC(uint64_t) ids = { 0 };
	struct pprof_labels labels;
	struct pprof_samples s;

	o->no_memory |= !pp_pprof_labels_init(&labels, d, 0);
	pp_pprof_samples_init(&s, d, report);
	while (d->types.n && o->sink->status == PP_OK && pp_pprof_samples_next(&s)) {
		if (!pp_vec_reserve(&ids, s.stack.n + 1)) {
			o->no_memory = true;
			break;
		}
		if (s.labels.n && report)
			pp_pprof_labels_check(&labels, &s);
		sample_put(o, &s, ids.at);
	}
	o->no_memory |= d->no_memory;
	pp_vec_release(&ids);
	pp_pprof_samples_release(&s);
	pp_pprof_labels_release(&labels);
}

static void
location_put(struct pprof_out *o, const struct pprof_doc *d, const struct pprof_location *l)
{
	uint32_t i;

	fields_put(d, &o->message, l->f, LOCATION_LINE, 0);
	for (i = l->line; i < l->line + l->lines; i++) {
		const struct pprof_line *line = &d->lines.at[i];

		if (line->function == PPROF_NONE)
			continue;
		o->part.n = 0;
		fields_put(d, &o->part, line->f, LINE_FIELDS, 0);
		unknown_put(&o->part, line->message, LINE_FIELDS);
		pp_pprof_put_bytes(&o->message, LOCATION_LINE, o->part.p ? o->part.p : "",
		                   o->part.n);
	}
	pp_pprof_put_number(&o->message, LOCATION_FOLDED, l->f[LOCATION_FOLDED] != 0);
	unknown_put(&o->message, l->message, LOCATION_FIELDS);
	pp_pprof_out_message(o, PROFILE_LOCATION);
}

static void
mapping_put(struct pprof_out *o, const struct pprof_doc *d, const struct pprof_mapping *m)
{
	uint64_t f[MAPPING_FIELDS];
	unsigned i;

	memcpy(f, m->f, sizeof f);
	for (i = MAPPING_HAS_FUNCTIONS; i < MAPPING_FIELDS; i++)
		f[i] = f[i] != 0;
	fields_put(d, &o->message, f, MAPPING_FIELDS, BIT(MAPPING_FILE) | BIT(MAPPING_BUILD_ID));
	unknown_put(&o->message, m->message, MAPPING_FIELDS);
	pp_pprof_out_message(o, PROFILE_MAPPING);
}

static void
function_put(struct pprof_out *o, const struct pprof_doc *d, const struct pprof_function *f)
{
	fields_put(d, &o->message, f->f, FUNCTION_FIELDS,
	           BIT(FUNCTION_NAME) | BIT(FUNCTION_SYSTEM) | BIT(FUNCTION_FILE));
	unknown_put(&o->message, f->message, FUNCTION_FIELDS);
	pp_pprof_out_message(o, PROFILE_FUNCTION);
}

/* What comes behind the tables. */
static void
scalars_put(struct pprof_out *o, const struct pprof_doc *d)
{
	const unsigned strings = BIT(PROFILE_DROP_FRAMES) | BIT(PROFILE_KEEP_FRAMES) |
	                         BIT(PROFILE_DEFAULT_TYPE) | BIT(PROFILE_DOC_URL);
	size_t i, n;
	unsigned field;

	for (field = PROFILE_DROP_FRAMES; field < PROFILE_FIELDS; field++) {
		uint64_t value = (uint64_t)d->f[field];

		if (field == PROFILE_PERIOD_TYPE && d->period_type.message.p) {
			value_type_put(d, &o->message, &d->period_type);
			pp_pprof_out_message(o, field);
		} else if (field == PROFILE_COMMENT) {
			for (i = n = 0; i < d->comments.n; i++)
				if (d->comments.at[i] < d->strings.n)
					d->comments.at[n++] = d->comments.at[i];
			pp_pprof_put_numbers(&o->block, field, &o->part, d->comments.at, n);
		} else if (!(strings & BIT(field)) || value < d->strings.n) {
			pp_pprof_out_number(o, field, value);
		}
	}
	for (i = 0; i < d->unknown.n; i++)
		pp_pprof_out_raw(o, d->unknown.at[i].p, d->unknown.at[i].n);
}

/* All of it; what is wrong with samples is told or not. */
static void
doc_put(struct pprof_out *o, struct pprof_doc *d, bool report)
{
	size_t i;

	for (i = 0; i < d->types.n; i++) {
		value_type_put(d, &o->message, &d->types.at[i]);
		pp_pprof_out_message(o, PROFILE_SAMPLE_TYPE);
	}
	samples_put(o, d, report);
	for (i = 0; i < d->mappings.n; i++)
		mapping_put(o, d, &d->mappings.at[i]);
	for (i = 0; i < d->locations.n; i++)
		location_put(o, d, &d->locations.at[i]);
	for (i = 0; i < d->functions.n; i++)
		function_put(o, d, &d->functions.at[i]);
	for (i = 0; i < d->strings.n; i++)
		pp_pprof_out_bytes(o, PROFILE_STRING,
		                   d->strings.at[i].n ? d->strings.at[i].p
		                                      : (const unsigned char *)"",
		                   d->strings.at[i].n);
	if (d->strings.n == 0)
		pp_pprof_out_bytes(o, PROFILE_STRING, "", 0);
	scalars_put(o, d);
}

pp_status
pp_pprof_write_bytes(struct pp_slice bytes, struct pp_sink *sink, const char *how, uint64_t seed)
{
	struct pprof_doc d = { .bytes = bytes };
	struct pprof_out o;
	bool fine = pp_pprof_out_init(&o, sink, how);
	pp_status status;

	d.mapping_of.large.seed = d.function_of.large.seed = d.location_of.large.seed = seed;
	if (fine && pp_pprof_parse(&d))
		doc_put(&o, &d, false);
	else
		o.no_memory = true;
	status = pp_pprof_out_finish(&o);
	pp_pprof_release(&d);
	return status;
}

pp_status
pp_pprof_rewrite(struct pp_reader *reader, struct pp_sink *sink)
{
	struct pprof_doc d = { .diags = reader->diags };
	struct pp_whole whole = { 0 };
	struct pprof_out o;
	size_t first = reader->diags->list.n;
	pp_status status;

	if (pp_pprof_is_legacy(reader->in))
		return PP_E_UNSUPPORTED;
	status = pp_whole_open(&whole, reader);
	d.mapping_of.large.seed = d.function_of.large.seed = d.location_of.large.seed =
	    reader->seed;
	if (status == PP_OK) {
		d.bytes = pp_slice_between(reader->in->cur, reader->in->end);
		d.offset = pp_input_offset(reader->in, reader->in->cur);
		status = d.bytes.n ? PP_OK : PP_E_UNSUPPORTED;
	}
	if (status == PP_OK) {
		bool fine = pp_pprof_out_init(&o, sink, pp_reader_option(reader, "gzip")) &&
		            pp_pprof_parse(&d);

		if (fine) {
			pp_pprof_check(&d);
			free(pp_pprof_cuts(&d));
			doc_put(&o, &d, true);
		}
		o.no_memory |= !fine;
		status = pp_pprof_out_finish(&o);
		pp_diags_sort(reader->diags, first);
		if (!d.complete || reader->in->status == PP_E_INVALID)
			pp_diag_add(reader->diags, &pp_loss_rules[PP_TRAIT_INCOMPLETE], PP_NOWHERE,
			            "not written: that the profile is incomplete");
	}
	pp_pprof_release(&d);
	pp_whole_close(&whole, reader);
	return status;
}
