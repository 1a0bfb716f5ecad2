/*
 * A message as its tables stand in the file, and its samples one by one. Nothing can be resolved before the end, since the dictionary
 * mostly comes last; so the first pass gathers all but the samples, which are decoded when they are asked for.
 */
#include "formats/otlp/otlp.h"

#include <stdio.h>

#include "base/utf8.h"

void
pp_otlp_report(struct otlp_doc *d, int rule, const unsigned char *at, const char *fmt, ...)
{
	va_list args;

	if (!d->diags)
		return;
	va_start(args, fmt);
	pp_diag_vadd(d->diags, &pp_otlp_rules[rule],
	             at ? pp_at_offset(pp_otlp_offset(d->from, at)) : PP_NOWHERE, fmt, args);
	va_end(args);
}

void
pp_otlp_wire_report(struct otlp_doc *d, const struct pp_wire *w)
{
	static const int rules[] = {
		[PP_WIRE_VARINT_CUT] = OTLP_BAD_VARINT, [PP_WIRE_VARINT_LONG] = OTLP_BAD_VARINT,
		[PP_WIRE_CUT] = OTLP_BAD_CUT,           [PP_WIRE_NUMBER] = OTLP_BAD_WIRE,
		[PP_WIRE_TYPE] = OTLP_BAD_WIRE,         [PP_WIRE_UNGROUPED] = OTLP_BAD_WIRE,
		[PP_WIRE_DEEP] = OTLP_BAD_WIRE
	};

	if (w->overflow_at)
		pp_otlp_report(d, OTLP_BAD_VARINT_OVERFLOW, w->overflow_at,
		               "a varint has more than 64 bits");
	if (w->error == PP_WIRE_OK)
		return;
	/* Where the end lacks, all that it is in is cut: that is told once. */
	if (!d->cut || w->end != d->bytes.p + d->bytes.n)
		pp_otlp_report(d, rules[w->error], w->error_at, "%s", pp_wire_error_text(w->error));
	d->cut |= w->error == PP_WIRE_CUT || w->error == PP_WIRE_VARINT_CUT;
}

void
pp_otlp_field_odd(struct otlp_doc *d, const struct pp_wire_field *f, enum otlp_type type)
{
	const struct otlp_message *m = &pp_otlp_messages[type];

	if (f->type == PP_WIRE_GROUP)
		pp_otlp_report(d, OTLP_BAD_WIRE_GROUP, f->begin,
		               "%s has a group, which is left out", m->name);
	else if (f->number <= m->count)
		pp_otlp_report(
		    d, OTLP_BAD_WIRE_TYPE, f->begin,
		    "%s.%.*s has wire type %u: other versions of the format have other fields there",
		    m->name, PP_SHOWN(m->keys[f->number - 1]), (unsigned)f->type);
	else
		pp_otlp_report(d, OTLP_BAD_UNKNOWN_FIELD, f->begin, "%s has field %llu", m->name,
		               (unsigned long long)f->number);
}

/* The next field of a message that holds others: where it is cut, what is left of it counts. */
static bool
part_next(struct otlp_doc *d, struct pp_wire *w, struct pp_wire_field *f)
{
	struct pp_wire again;
	uint64_t skipped;

	if (pp_wire_next(w, f))
		return true;
	if (w->error || w->overflow_at)
		pp_otlp_wire_report(d, w);
	if (w->error != PP_WIRE_CUT || f->type != PP_WIRE_BYTES || w->error_at != f->begin)
		return false;
	pp_wire_init(&again, pp_slice_between(f->begin, w->end));
	if (!pp_wire_varint(&again, &skipped) || !pp_wire_varint(&again, &skipped))
		return false;
	f->bytes = pp_slice_between(again.cur, again.end);
	w->error = PP_WIRE_OK;
	return true;
}

static struct pp_slice
text_read(struct otlp_doc *d, const struct pp_wire_field *f)
{
	if (d->diags && !pp_utf8_valid(f->bytes))
		pp_otlp_report(d, OTLP_BAD_UTF8, f->begin, "a text is not UTF-8");
	return f->bytes;
}

/* The numbers of a list, one or several in a piece. */
static void
indices_read(struct otlp_doc *d, const struct pp_wire_field *f)
{
	struct pp_wire w;
	uint64_t value;

	if (f->type == PP_WIRE_VARINT) {
		d->no_memory |= !pp_vec_push(&d->numbers, pp_otlp_index(f->value));
		return;
	}
	pp_wire_init(&w, f->bytes);
	if (!pp_vec_reserve(&d->numbers, d->numbers.n + f->bytes.n)) {
		d->no_memory = true;
		return;
	}
	while (pp_wire_varint(&w, &value))
		d->numbers.at[d->numbers.n++] = pp_otlp_index(value);
	if (w.error || w.overflow_at)
		pp_otlp_wire_report(d, &w);
}

static struct otlp_span
numbers_since(const struct otlp_doc *d, size_t first)
{
	return (struct otlp_span){ (uint32_t)first, (uint32_t)(d->numbers.n - first) };
}

/* ---- tables ---- */

static void
line_read(struct otlp_doc *d, struct pp_slice message)
{
	struct otlp_line line = { 0 };
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f))
		if (f.type != PP_WIRE_VARINT || f.number > OTLP_LINE_COLUMN)
			pp_otlp_field_odd(d, &f, OTLP_LINE);
		else if (f.number == OTLP_LINE_FUNCTION)
			line.function = (uint32_t)f.value;
		else if (f.number == OTLP_LINE_LINE)
			line.line = (int64_t)f.value;
		else
			line.column = (int64_t)f.value;
	if (w.error || w.overflow_at)
		pp_otlp_wire_report(d, &w);
	d->no_memory |= !pp_vec_push(&d->lines, line);
}

/* An element of a table. One that is damaged stays, as others go by their numbers. */
static struct otlp_row
row_read(struct otlp_doc *d, enum otlp_type type, struct pp_slice message)
{
	const struct otlp_message *m = &pp_otlp_messages[type];
	size_t numbers = d->numbers.n, lines = d->lines.n;
	struct otlp_row row = { .at = message.p };
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f)) {
		const struct otlp_field *field = f.number <= m->count ? &m->fields[f.number - 1]
		                                                      : NULL;

		if (!field)
			pp_otlp_field_odd(d, &f, type);
		else if (field->kind == OTLP_INT32 && field->many &&
		         (f.type == PP_WIRE_VARINT || f.type == PP_WIRE_BYTES))
			indices_read(d, &f);
		else if (f.type != pp_otlp_wire_type(field->kind))
			pp_otlp_field_odd(d, &f, type);
		else if (f.type == PP_WIRE_VARINT)
			row.f[f.number] = f.value;
		else if (field->type == OTLP_LINE)
			line_read(d, f.bytes);
		else
			row.bytes[type == OTLP_LINK ? f.number - 1 : 0] = f.bytes;
	}
	if (w.error || w.overflow_at)
		pp_otlp_wire_report(d, &w);
	row.list = numbers_since(d, numbers);
	row.lines = (struct otlp_span){ (uint32_t)lines, (uint32_t)(d->lines.n - lines) };
	d->no_memory |= d->numbers.n >= UINT32_MAX || d->lines.n >= UINT32_MAX;
	return row;
}

static void
dictionary_read(struct otlp_doc *d, struct pp_slice message)
{
	const struct otlp_message *m = &pp_otlp_messages[OTLP_DICTIONARY];
	struct pp_wire_field f;
	struct pp_wire w;

	d->has_dictionary = true;
	pp_wire_init(&w, message);
	while (!d->no_memory && part_next(d, &w, &f)) {
		if (f.number > m->count || f.type != PP_WIRE_BYTES) {
			pp_otlp_field_odd(d, &f, OTLP_DICTIONARY);
		} else if (f.number == OTLP_TABLE_STRINGS) {
			d->no_memory |= !pp_vec_push(&d->strings, text_read(d, &f));
		} else if (f.number == OTLP_TABLE_STACKS) {
			struct otlp_span list = row_read(d, OTLP_STACK, f.bytes).list;

			d->no_memory |= !pp_vec_push(&d->stacks, list);
		} else {
			struct otlp_row row = row_read(d, m->fields[f.number - 1].type, f.bytes);

			d->no_memory |= !pp_vec_push(&d->tables[f.number], row);
		}
	}
}

/* ---- profiles ---- */

static void
value_type_read(struct otlp_doc *d, struct pp_slice message, uint32_t type[2])
{
	struct otlp_row row = row_read(d, OTLP_VALUE_TYPE, message);

	type[0] = (uint32_t)row.f[OTLP_TYPE_NAME];
	type[1] = (uint32_t)row.f[OTLP_TYPE_UNIT];
}

static void
profile_field(struct otlp_doc *d, struct otlp_profile *p, const struct pp_wire_field *f)
{
	switch (f->number) {
	case OTLP_PROFILE_TYPE:
		value_type_read(d, f->bytes, p->type);
		break;
	case OTLP_PROFILE_PERIOD_TYPE:
		value_type_read(d, f->bytes, p->period_type);
		break;
	case OTLP_PROFILE_ID:
		p->id = f->bytes;
		break;
	case OTLP_PROFILE_FORMAT:
		p->format = text_read(d, f);
		break;
	case OTLP_PROFILE_PAYLOAD:
		p->payload = f->bytes;
		break;
	default:
		p->f[f->number] = f->value;
	}
}

static void
profile_read(struct otlp_doc *d, struct pp_slice message)
{
	const struct otlp_message *m = &pp_otlp_messages[OTLP_PROFILE];
	struct otlp_profile p = { .message = message,
		                  .resource = (uint32_t)d->resources.n - 1,
		                  .scope = (uint32_t)d->scopes.n - 1,
		                  .number = d->profiles.n };
	size_t first = d->numbers.n;
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	while (!d->no_memory && part_next(d, &w, &f)) {
		bool known = f.number <= m->count;

		if (PP_LIKELY(f.number == OTLP_PROFILE_SAMPLES && f.type == PP_WIRE_BYTES)) {
			p.f[OTLP_PROFILE_SAMPLES]++;
			continue;
		}
		if (known && f.number == OTLP_PROFILE_ATTRIBUTES &&
		    (f.type == PP_WIRE_VARINT || f.type == PP_WIRE_BYTES))
			indices_read(d, &f);
		else if (known && f.type == pp_otlp_wire_type(m->fields[f.number - 1].kind))
			profile_field(d, &p, &f);
		else
			pp_otlp_field_odd(d, &f, OTLP_PROFILE);
	}
	p.list = numbers_since(d, first);
	d->no_memory |= !pp_vec_push(&d->profiles, p);
}

/* A resource or a scope: its attributes. */
static void
origin_read(struct otlp_doc *d, enum otlp_type type, struct pp_slice message,
            struct otlp_origin *origin)
{
	const struct otlp_message *m = &pp_otlp_messages[type];
	struct pp_wire_field f;
	struct pp_wire w;

	origin->at = message.p;
	origin->pairs = (struct otlp_span){ (uint32_t)d->pairs.n, 0 };
	pp_wire_init(&w, message);
	while (!d->no_memory && part_next(d, &w, &f)) {
		if (f.number > m->count ||
		    f.type != pp_otlp_wire_type(m->fields[f.number - 1].kind)) {
			pp_otlp_field_odd(d, &f, type);
		} else if (m->fields[f.number - 1].type == OTLP_KEY_VALUE) {
			d->no_memory |= !pp_vec_push(&d->pairs, f.bytes);
			origin->pairs.n++;
		} else if (type == OTLP_SCOPE && f.number == OTLP_SCOPE_NAME) {
			origin->name = text_read(d, &f);
		} else if (type == OTLP_SCOPE && f.number == OTLP_SCOPE_VERSION) {
			origin->version = text_read(d, &f);
		}
	}
}

/* ResourceProfiles and ScopeProfiles, which are made alike: 1 who, 2 what of it, 3 a URL. */
static void
group_read(struct otlp_doc *d, struct pp_slice message, bool scope)
{
	enum otlp_type type = scope ? OTLP_SCOPE_PROFILES : OTLP_RESOURCE_PROFILES;
	struct otlp_origin origin = { .at = message.p };
	size_t row = scope ? d->scopes.n : d->resources.n;
	struct pp_wire_field f;
	struct pp_wire w;

	d->no_memory |= scope ? !pp_vec_push(&d->scopes, origin)
	                      : !pp_vec_push(&d->resources, origin);
	pp_wire_init(&w, message);
	while (!d->no_memory && part_next(d, &w, &f))
		if (f.number > OTLP_RESOURCES_SCHEMA || f.type != PP_WIRE_BYTES)
			pp_otlp_field_odd(d, &f, type);
		else if (f.number == OTLP_RESOURCES_RESOURCE)
			origin_read(d, scope ? OTLP_SCOPE : OTLP_RESOURCE, f.bytes, &origin);
		else if (f.number == OTLP_RESOURCES_SCHEMA)
			origin.schema = text_read(d, &f);
		else if (scope)
			profile_read(d, f.bytes);
		else
			group_read(d, f.bytes, true);
	if (!d->no_memory && scope)
		d->scopes.at[row] = origin;
	else if (!d->no_memory)
		d->resources.at[row] = origin;
}

bool
pp_otlp_parse(struct otlp_doc *d)
{
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, d->bytes);
	while (!d->no_memory && part_next(d, &w, &f)) {
		if (f.type != PP_WIRE_BYTES || f.number > OTLP_DATA_DICTIONARY)
			pp_otlp_field_odd(d, &f, OTLP_DATA);
		else if (f.number == OTLP_DATA_RESOURCES)
			group_read(d, f.bytes, false);
		else
			dictionary_read(d, f.bytes);
	}
	return !d->no_memory;
}

void
pp_otlp_release(struct otlp_doc *d)
{
	unsigned i;

	for (i = 0; i < OTLP_TABLES; i++)
		pp_vec_release(&d->tables[i]);
	pp_vec_release(&d->strings);
	pp_vec_release(&d->stacks);
	pp_vec_release(&d->numbers);
	pp_vec_release(&d->lines);
	pp_vec_release(&d->resources);
	pp_vec_release(&d->scopes);
	pp_vec_release(&d->pairs);
	pp_vec_release(&d->profiles);
}

/* ---- samples ---- */

void
pp_otlp_samples_init(struct otlp_samples *s, struct otlp_doc *d, const struct otlp_profile *p,
                     bool report)
{
	*s = (struct otlp_samples){ .doc = d, .profile = p, .report = report };
	pp_wire_init(&s->wire, p->message);
}

void
pp_otlp_samples_release(struct otlp_samples *s)
{
	pp_vec_release(&s->attributes);
	pp_vec_release(&s->last);
	pp_vec_release(&s->values);
	pp_buf_release(&s->times_gathered);
}

static void
times_read(struct otlp_samples *s, const struct pp_wire_field *f)
{
	/* Mostly they are in one piece, which is used where it is. */
	if (s->times.n == 0 && f->type == PP_WIRE_BYTES) {
		s->times = f->bytes;
		return;
	}
	if (s->times_gathered.n == 0)
		pp_buf_add(&s->times_gathered, s->times.p, s->times.n);
	pp_buf_add(&s->times_gathered, f->bytes.p, f->bytes.n);
	s->times = pp_slice_of(s->times_gathered.p, s->times_gathered.n);
	s->doc->no_memory |= s->times_gathered.failed;
}

/* A list of varints: attributes or values. */
static bool
varints_read(struct otlp_samples *s, const struct pp_wire_field *f)
{
	struct pp_slice one = f->bytes;
	struct pp_wire w;
	uint64_t value = f->value;
	size_t most = f->type == PP_WIRE_BYTES ? one.n : 1;

	if (!pp_vec_reserve(&s->values, s->values.n + most) ||
	    !pp_vec_reserve(&s->attributes, s->attributes.n + most)) {
		s->doc->no_memory = true;
		return false;
	}
	pp_wire_init(&w, f->type == PP_WIRE_BYTES ? one : pp_slice_of(NULL, 0));
	while (f->type == PP_WIRE_VARINT || pp_wire_varint(&w, &value)) {
		if (f->number == OTLP_SAMPLE_VALUES)
			s->values.at[s->values.n++] = (int64_t)value;
		else
			s->attributes.at[s->attributes.n++] = pp_otlp_index(value);
		if (f->type == PP_WIRE_VARINT)
			break;
	}
	if (PP_UNLIKELY(w.error || w.overflow_at) && s->report)
		pp_otlp_wire_report(s->doc, &w);
	return w.error == PP_WIRE_OK;
}

static bool
sample_field(struct otlp_samples *s, const struct pp_wire_field *f)
{
	bool list = f->type == PP_WIRE_VARINT || f->type == PP_WIRE_BYTES;

	switch (f->number) {
	case OTLP_SAMPLE_STACK:
		s->stack = pp_otlp_index(f->value);
		if (f->type == PP_WIRE_VARINT)
			return true;
		break;
	case OTLP_SAMPLE_LINK:
		s->link = pp_otlp_index(f->value);
		if (f->type == PP_WIRE_VARINT)
			return true;
		break;
	case OTLP_SAMPLE_ATTRIBUTES:
	case OTLP_SAMPLE_VALUES:
		if (list)
			return varints_read(s, f);
		break;
	case OTLP_SAMPLE_TIMES:
		if (f->type == PP_WIRE_FIXED64 || f->type == PP_WIRE_BYTES) {
			times_read(s, f);
			return true;
		}
	}
	if (s->report)
		pp_otlp_field_odd(s->doc, f, OTLP_SAMPLE);
	return f->number > OTLP_SAMPLE_TIMES || f->type == PP_WIRE_GROUP;
}

static bool
sample_read(struct otlp_samples *s, struct pp_slice message)
{
	struct pp_wire_field f;
	struct pp_wire w;
	bool fine = true;

	s->at = message.p;
	s->stack = s->link = 0;
	s->attributes.n = s->values.n = s->times_gathered.n = 0;
	s->times = pp_slice_of(NULL, 0);
	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f))
		fine &= sample_field(s, &f);
	if (PP_UNLIKELY(w.error || w.overflow_at) && s->report)
		pp_otlp_wire_report(s->doc, &w);
	if (PP_UNLIKELY(s->times.n % 8)) {
		if (s->report)
			pp_otlp_report(s->doc, OTLP_BAD_CUT, s->times.p, "a timestamp is cut");
		return false;
	}
	return fine && w.error == PP_WIRE_OK;
}

static void
times_check(struct otlp_samples *s)
{
	uint64_t start = s->profile->f[OTLP_PROFILE_TIME];
	uint64_t duration = s->profile->f[OTLP_PROFILE_DURATION];
	size_t i, n = s->times.n / 8;

	if (!start || !duration)
		return;
	for (i = 0; i < n; i++) {
		uint64_t time = pp_otlp_time(s->times, i);

		if (time < start || time - start >= duration) {
			pp_otlp_report(s->doc, OTLP_BAD_TIME, s->times.p + 8 * i,
			               "timestamp %llu of sample %llu is outside of its profile",
			               (unsigned long long)time, (unsigned long long)s->number - 1);
			return;
		}
	}
}

static void
references_check(struct otlp_samples *s)
{
	struct otlp_doc *d = s->doc;
	bool exist = (size_t)s->link < pp_otlp_count(d, OTLP_TABLE_LINKS) &&
	             (size_t)s->stack < pp_otlp_count(d, OTLP_TABLE_STACKS);
	size_t size = s->attributes.n * sizeof *s->attributes.at;
	bool alike = s->attributes.n == s->last.n &&
	             (size == 0 || memcmp(s->attributes.at, s->last.at, size) == 0);
	char what[64];

	if (PP_LIKELY(exist && alike))
		return;
	(void)snprintf(what, sizeof what, "sample %llu of profile %llu",
	               (unsigned long long)s->number - 1, (unsigned long long)s->profile->number);
	(void)pp_otlp_has(d, OTLP_TABLE_LINKS, s->link, what, s->at);
	(void)pp_otlp_has(d, OTLP_TABLE_STACKS, s->stack, what, s->at);
	if (alike)
		return;
	pp_otlp_attributes_check(d, s->attributes.at, s->attributes.n, what, s->at);
	s->last.n = 0;
	d->no_memory |= !pp_vec_reserve(&s->last, s->attributes.n);
	if (!d->no_memory && size)
		memcpy(s->last.at, s->attributes.at, size);
	s->last.n = d->no_memory ? 0 : s->attributes.n;
}

/* Whether the sample counts; what is wrong with it is told. */
static bool
sample_check(struct otlp_samples *s)
{
	struct otlp_doc *d = s->doc;
	size_t values = s->values.n, times = s->times.n / 8;
	unsigned long long number = s->number - 1;

	if (s->report)
		references_check(s);
	if (values == 0 && times == 0) {
		if (s->report)
			pp_otlp_report(d, OTLP_BAD_SAMPLE_EMPTY, s->at,
			               "sample %llu has neither values nor timestamps", number);
		return false;
	}
	if (values && times && values != times) {
		if (s->report)
			pp_otlp_report(d, OTLP_BAD_SAMPLE_COUNT, s->at,
			               "sample %llu has %zu values and %zu timestamps", number,
			               values, times);
		return false;
	}
	if (s->report && values > 1 && !times)
		pp_otlp_report(d, OTLP_BAD_SAMPLE_VALUES, s->at,
		               "sample %llu has %zu values and no timestamps", number, values);
	if (s->report && times)
		times_check(s);
	s->shapes |= 1u << ((values > 0) + 2 * (times > 0));
	return s->stack >= 0 && (size_t)s->stack < pp_otlp_count(d, OTLP_TABLE_STACKS);
}

bool
pp_otlp_samples_next(struct otlp_samples *s)
{
	struct pp_wire_field f;

	while (!s->doc->no_memory && pp_wire_next(&s->wire, &f)) {
		if (f.number != OTLP_PROFILE_SAMPLES || f.type != PP_WIRE_BYTES)
			continue;
		s->number++;
		if (sample_read(s, f.bytes) && sample_check(s))
			return !s->doc->no_memory;
	}
	if (s->report && s->shapes & (s->shapes - 1))
		pp_otlp_report(s->doc, OTLP_BAD_SAMPLE_SHAPES, s->profile->message.p,
		               "samples of profile %llu are of several shapes",
		               (unsigned long long)s->profile->number);
	return false;
}
