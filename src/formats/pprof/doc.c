/*
 * The tables of a profile as they stand in the file, and its samples one by one. Nothing can be resolved before the end, since
 * strings may come last and ids go both ways; so the first pass gathers all but the samples, which most of the bytes are, and
 * they are decoded when they are asked for.
 */
#include "formats/pprof/pprof.h"

#include "base/utf8.h"
#include "text/units.h"

void
pp_pprof_report(struct pprof_doc *d, int rule, const unsigned char *at, const char *fmt, ...)
{
	struct pp_place place = at ? pp_at_offset(d->offset + (uint64_t)(at - d->bytes.p))
	                           : PP_NOWHERE;
	va_list args;

	if (!d->diags)
		return;
	va_start(args, fmt);
	pp_diag_vadd(d->diags, &pp_pprof_rules[rule], place, fmt, args);
	va_end(args);
}

void
pp_pprof_wire_report(struct pprof_doc *d, const struct pp_wire *w, struct pp_slice message)
{
	static const int rules[] = {
		[PP_WIRE_VARINT_CUT] = PPROF_VARINT, [PP_WIRE_VARINT_LONG] = PPROF_VARINT,
		[PP_WIRE_CUT] = PPROF_CUT,           [PP_WIRE_NUMBER] = PPROF_WIRE,
		[PP_WIRE_TYPE] = PPROF_WIRE,         [PP_WIRE_UNGROUPED] = PPROF_WIRE,
		[PP_WIRE_DEEP] = PPROF_WIRE
	};

	if (w->overflow_at)
		pp_pprof_report(d, PPROF_VARINT_OVERFLOW, w->overflow_at,
		                "a varint has more than 64 bits");
	if (w->error == PP_WIRE_OK)
		return;
	pp_pprof_report(d, rules[w->error], w->error_at, "%s", pp_wire_error_text(w->error));
	d->complete &= message.p + message.n != d->bytes.p + d->bytes.n;
	d->complete &= w->error != PP_WIRE_VARINT_CUT || message.p != d->bytes.p;
}

/* Of a field that is not used: why. False when its message cannot be used either. */
static bool
field_odd(struct pprof_doc *d, const struct pp_wire_field *f, const char *what, bool known)
{
	if (f->type == PP_WIRE_GROUP)
		pp_pprof_report(d, PPROF_WIRE_GROUP, f->begin, "%s has a group, which is left out",
		                what);
	else if (known)
		pp_pprof_report(d, PPROF_WIRE_TYPE, f->begin, "field %u of %s has wire type %u",
		                (unsigned)f->number, what, (unsigned)f->type);
	else
		pp_pprof_report(d, PPROF_UNKNOWN_FIELD, f->begin, "%s has field %llu", what,
		                (unsigned long long)f->number);
	return f->type == PP_WIRE_GROUP || !known;
}

bool
pp_pprof_fields(struct pprof_doc *d, struct pp_slice message, const char *what, uint64_t *values,
                unsigned count)
{
	struct pp_wire_field f;
	struct pp_wire w;
	bool fine = true;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f)) {
		bool known = f.number < count;

		if (PP_LIKELY(known && f.type == PP_WIRE_VARINT))
			values[f.number] = f.value;
		else
			fine &= field_odd(d, &f, what, known);
	}
	if (PP_UNLIKELY(w.error || w.overflow_at))
		pp_pprof_wire_report(d, &w, message);
	return fine && w.error == PP_WIRE_OK;
}

struct pp_slice
pp_pprof_string(struct pprof_doc *d, uint64_t index, const char *what, const unsigned char *at)
{
	if (PP_LIKELY(index < d->strings.n))
		return d->strings.at[index];
	if (d->strings.n)
		pp_pprof_report(d, PPROF_STRING_INDEX, at, "%s refers to string %lld of %zu", what,
		                (long long)index, d->strings.n);
	return pp_slice_of("", 0);
}

/* ---- tables ---- */

static void
type_read(struct pprof_doc *d, struct pp_slice message)
{
	struct pprof_value_type t = { .message = message };

	if (pp_pprof_fields(d, message, "a sample type", t.f, VALUE_FIELDS))
		d->no_memory |= !pp_vec_push(&d->types, t);
}

static void
period_type_read(struct pprof_doc *d, struct pp_slice message, const unsigned char *at)
{
	struct pprof_value_type t = { .message = message };

	if (d->period_type.message.p)
		pp_pprof_report(d, PPROF_FIELD_TWICE, at, "period_type is there twice");
	if (pp_pprof_fields(d, message, "the period type", t.f, VALUE_FIELDS))
		d->period_type = t;
}

/* Whether an id can be used; it is then that of the row. */
static bool
id_take(struct pprof_doc *d, struct pp_id_table *table, uint64_t id, size_t row, int rule,
        const char *what, const unsigned char *at)
{
	uint32_t other;

	if (id && !pp_id_table_get(table, id, &other)) {
		d->no_memory |= row >= PPROF_NONE || !pp_id_table_set(table, id, (uint32_t)row);
		return !d->no_memory;
	}
	if (id)
		pp_pprof_report(d, rule, at, "two %ss have id %llu", what, (unsigned long long)id);
	else
		pp_pprof_report(d, rule, at, "a %s has id 0", what);
	return false;
}

static void
mapping_read(struct pprof_doc *d, struct pp_slice message)
{
	struct pprof_mapping m = { .message = message };

	if (pp_pprof_fields(d, message, "a mapping", m.f, MAPPING_FIELDS) &&
	    id_take(d, &d->mapping_of, m.f[MAPPING_ID], d->mappings.n, PPROF_MAPPING_ID, "mapping",
	            message.p))
		d->no_memory |= !pp_vec_push(&d->mappings, m);
}

static void
function_read(struct pprof_doc *d, struct pp_slice message)
{
	struct pprof_function f = { .message = message };

	if (pp_pprof_fields(d, message, "a function", f.f, FUNCTION_FIELDS) &&
	    id_take(d, &d->function_of, f.f[FUNCTION_ID], d->functions.n, PPROF_FUNCTION_ID,
	            "function", message.p))
		d->no_memory |= !pp_vec_push(&d->functions, f);
}

static void
location_read(struct pprof_doc *d, struct pp_slice message)
{
	struct pprof_location l = { .message = message, .mapping = PPROF_NONE };
	size_t first = d->lines.n;
	struct pp_wire_field f;
	struct pp_wire w;
	bool fine = true;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f)) {
		if (f.number == LOCATION_LINE && f.type == PP_WIRE_BYTES) {
			struct pprof_line line = { .message = f.bytes, .function = PPROF_NONE };

			fine &= pp_pprof_fields(d, f.bytes, "a line", line.f, LINE_FIELDS);
			d->no_memory |= !pp_vec_push(&d->lines, line);
		} else if (f.number < LOCATION_FIELDS && f.number != LOCATION_LINE &&
		           f.type == PP_WIRE_VARINT) {
			l.f[f.number] = f.value;
		} else {
			fine &= field_odd(d, &f, "a location", f.number < LOCATION_FIELDS);
		}
	}
	if (PP_UNLIKELY(w.error || w.overflow_at))
		pp_pprof_wire_report(d, &w, message);
	l.line = (uint32_t)first;
	l.lines = (uint32_t)(d->lines.n - first);
	if (fine && w.error == PP_WIRE_OK && d->lines.n < PPROF_NONE &&
	    id_take(d, &d->location_of, l.f[LOCATION_ID], d->locations.n, PPROF_LOCATION_ID,
	            "location", message.p))
		d->no_memory |= !pp_vec_push(&d->locations, l);
	else
		d->lines.n = first;
}

/* ---- the first pass ---- */

static void
comments_read(struct pprof_doc *d, const struct pp_wire_field *f)
{
	struct pp_wire w;
	uint64_t index;

	if (f->type == PP_WIRE_VARINT) {
		d->no_memory |= !pp_vec_push(&d->comments, f->value);
		return;
	}
	pp_wire_init(&w, f->bytes);
	while (!d->no_memory && pp_wire_varint(&w, &index))
		d->no_memory |= !pp_vec_push(&d->comments, index);
	if (w.error || w.overflow_at)
		pp_pprof_wire_report(d, &w, f->bytes);
}

static void
message_read(struct pprof_doc *d, const struct pp_wire_field *f)
{
	switch (f->number) {
	case PROFILE_SAMPLE_TYPE:
		/* After the time, which comes late, nothing but another profile begins with types. */
		if (d->f[PROFILE_TIME_NANOS] && !d->next)
			d->next = f->begin;
		type_read(d, f->bytes);
		break;
	case PROFILE_MAPPING:
		mapping_read(d, f->bytes);
		break;
	case PROFILE_LOCATION:
		location_read(d, f->bytes);
		break;
	case PROFILE_FUNCTION:
		function_read(d, f->bytes);
		break;
	case PROFILE_STRING:
		d->no_memory |= !pp_vec_push(&d->strings, f->bytes);
		break;
	case PROFILE_PERIOD_TYPE:
		period_type_read(d, f->bytes, f->begin);
		break;
	default:
		comments_read(d, f);
	}
}

/* Whether a field of the profile is one of messages, strings or, packed, of comments. */
static bool
is_bytes(uint64_t number)
{
	return number <= PROFILE_STRING || number == PROFILE_PERIOD_TYPE;
}

/* False when nothing behind it is to be read. */
static bool
scalar_read(struct pprof_doc *d, const struct pp_wire_field *f)
{
	if (f->number == PROFILE_TIME_NANOS && d->f[PROFILE_TIME_NANOS]) {
		d->concatenated = true;
		pp_pprof_report(d, PPROF_CONCATENATED, f->begin,
		                "time_nanos is there a second time: these are several profiles");
		return false;
	}
	d->f[f->number] = (int64_t)f->value;
	return true;
}

static void
tables_read(struct pprof_doc *d)
{
	struct pp_wire_field f;
	struct pp_wire w;
	bool goes_on = true;

	pp_wire_init(&w, d->bytes);
	while (goes_on && !d->no_memory && pp_wire_next(&w, &f)) {
		bool known = f.number < PROFILE_FIELDS;

		if (PP_LIKELY(f.number == PROFILE_SAMPLE && f.type == PP_WIRE_BYTES)) {
			if (!d->sample_count++)
				d->samples = f.begin;
			d->samples_end = w.cur;
		} else if (known && f.type == PP_WIRE_BYTES &&
		           (is_bytes(f.number) || f.number == PROFILE_COMMENT)) {
			message_read(d, &f);
		} else if (known && f.type == PP_WIRE_VARINT && f.number == PROFILE_COMMENT) {
			comments_read(d, &f);
		} else if (known && f.type == PP_WIRE_VARINT && !is_bytes(f.number)) {
			goes_on = scalar_read(d, &f);
		} else {
			(void)field_odd(d, &f, "the profile", known);
			if (f.type == PP_WIRE_GROUP || !known)
				d->no_memory |= !pp_vec_push(&d->unknown,
				                             pp_wire_field_bytes(&w, &f));
		}
	}
	if (w.error || w.overflow_at)
		pp_pprof_wire_report(d, &w, d->bytes);
	d->stopped = w.error != PP_WIRE_OK;
	d->complete &= goes_on && !d->stopped;
}

/* ---- what refers to what ---- */

static void
strings_check(struct pprof_doc *d)
{
	bool empty = false, odd = false;
	size_t i;

	if (d->strings.n == 0) {
		pp_pprof_report(d, PPROF_STRING_TABLE, NULL, "there is no string table");
		return;
	}
	if (d->strings.at[0].n)
		pp_pprof_report(d, PPROF_STRING_ZERO, d->strings.at[0].p, "string 0 is not empty");
	for (i = 1; d->diags && i < d->strings.n; i++) {
		struct pp_slice s = d->strings.at[i];

		if (s.n == 0 && !empty)
			pp_pprof_report(d, PPROF_STRING_EMPTY, s.p, "string %zu is also empty", i);
		empty |= s.n == 0;
		if (odd || pp_utf8_valid(s))
			continue;
		odd = true;
		pp_pprof_report(d, PPROF_UTF8, s.p, "string %zu is not UTF-8", i);
	}
}

/* Whether a number of a line makes sense. */
static bool
is_line(uint64_t number)
{
	return number <= UINT32_MAX;
}

static void
mappings_check(struct pprof_doc *d)
{
	size_t i;

	for (i = 0; i < d->mappings.n; i++) {
		const struct pprof_mapping *m = &d->mappings.at[i];

		(void)pp_pprof_string(d, m->f[MAPPING_FILE], "a mapping", m->message.p);
		(void)pp_pprof_string(d, m->f[MAPPING_BUILD_ID], "a mapping", m->message.p);
		if (m->f[MAPPING_LIMIT] && m->f[MAPPING_START] > m->f[MAPPING_LIMIT])
			pp_pprof_report(d, PPROF_MAPPING_RANGE, m->message.p,
			                "mapping %llu ends before it starts",
			                (unsigned long long)m->f[MAPPING_ID]);
	}
}

static void
functions_check(struct pprof_doc *d)
{
	size_t i;

	for (i = 0; i < d->functions.n; i++) {
		const struct pprof_function *f = &d->functions.at[i];
		struct pp_slice name = pp_pprof_string(d, f->f[FUNCTION_NAME], "a function",
		                                       f->message.p);

		(void)pp_pprof_string(d, f->f[FUNCTION_SYSTEM], "a function", f->message.p);
		(void)pp_pprof_string(d, f->f[FUNCTION_FILE], "a function", f->message.p);
		if (name.n == 0)
			pp_pprof_report(d, PPROF_FUNCTION_NAME, f->message.p,
			                "function %llu has no name",
			                (unsigned long long)f->f[FUNCTION_ID]);
		if (!is_line(f->f[FUNCTION_START]))
			pp_pprof_report(
			    d, PPROF_LINE_NUMBER, f->message.p, "function %llu starts at line %lld",
			    (unsigned long long)f->f[FUNCTION_ID], (long long)f->f[FUNCTION_START]);
	}
}

static void
lines_resolve(struct pprof_doc *d, const struct pprof_location *l)
{
	uint32_t i;

	for (i = l->line; i < l->line + l->lines; i++) {
		struct pprof_line *line = &d->lines.at[i];

		if (!pp_id_table_get(&d->function_of, line->f[LINE_FUNCTION], &line->function)) {
			line->function = PPROF_NONE;
			pp_pprof_report(d, PPROF_FUNCTION_UNKNOWN, line->message.p,
			                "location %llu refers to function %llu",
			                (unsigned long long)l->f[LOCATION_ID],
			                (unsigned long long)line->f[LINE_FUNCTION]);
		}
		if (!is_line(line->f[LINE_LINE]) || !is_line(line->f[LINE_COLUMN]))
			pp_pprof_report(d, PPROF_LINE_NUMBER, line->message.p,
			                "location %llu has line %lld, column %lld",
			                (unsigned long long)l->f[LOCATION_ID],
			                (long long)line->f[LINE_LINE],
			                (long long)line->f[LINE_COLUMN]);
	}
}

static void
locations_resolve(struct pprof_doc *d)
{
	size_t i;

	for (i = 0; i < d->locations.n; i++) {
		struct pprof_location *l = &d->locations.at[i];
		uint64_t id = l->f[LOCATION_ID], mapping = l->f[LOCATION_MAPPING];
		const struct pprof_mapping *m;

		lines_resolve(d, l);
		if (!mapping)
			continue;
		if (!pp_id_table_get(&d->mapping_of, mapping, &l->mapping)) {
			l->mapping = PPROF_NONE;
			pp_pprof_report(d, PPROF_MAPPING_UNKNOWN, l->message.p,
			                "location %llu refers to mapping %llu",
			                (unsigned long long)id, (unsigned long long)mapping);
			continue;
		}
		m = &d->mappings.at[l->mapping];
		if (l->f[LOCATION_ADDRESS] && m->f[MAPPING_LIMIT] &&
		    (l->f[LOCATION_ADDRESS] < m->f[MAPPING_START] ||
		     l->f[LOCATION_ADDRESS] > m->f[MAPPING_LIMIT]))
			pp_pprof_report(d, PPROF_ADDRESS_RANGE, l->message.p,
			                "location %llu is outside its mapping",
			                (unsigned long long)id);
	}
}

static void
tables_clear(struct pprof_doc *d)
{
	pp_vec_release(&d->strings);
	pp_vec_release(&d->types);
	pp_vec_release(&d->mappings);
	pp_vec_release(&d->functions);
	pp_vec_release(&d->locations);
	pp_vec_release(&d->lines);
	pp_vec_release(&d->comments);
	pp_vec_release(&d->unknown);
	pp_id_table_release(&d->mapping_of);
	pp_id_table_release(&d->function_of);
	pp_id_table_release(&d->location_of);
}

/* Starts over with the first of several profiles: their tables are mixed by now. */
static void
first_read(struct pprof_doc *d)
{
	struct pprof_doc first = { .bytes = d->bytes, .offset = d->offset, .diags = d->diags };

	first.bytes.n = (size_t)(d->next - d->bytes.p);
	first.mapping_of.large.seed = d->mapping_of.large.seed;
	first.function_of.large.seed = first.location_of.large.seed = d->mapping_of.large.seed;
	tables_clear(d);
	*d = first;
	tables_read(d);
	d->complete = false;
}

bool
pp_pprof_parse(struct pprof_doc *d)
{
	struct pp_diags *diags = d->diags, own;

	/* What is wrong with tables that are thrown away again is not told. */
	pp_diags_init(&own);
	d->complete = true;
	d->diags = diags ? &own : NULL;
	tables_read(d);
	if (d->concatenated && d->next && !d->no_memory) {
		const struct pp_diag *last = own.list.n ? &own.list.at[own.list.n - 1] : NULL;
		uint64_t at = last ? last->offset : 0;

		d->diags = diags;
		first_read(d);
		pp_pprof_report(
		    d, PPROF_CONCATENATED, d->bytes.p + (at - d->offset),
		    "time_nanos is there a second time: only the first profile is used");
	} else if (diags) {
		pp_diags_append(diags, &own, 0);
	}
	pp_diags_release(&own);
	d->diags = diags;
	if (d->no_memory)
		return false;
	strings_check(d);
	mappings_check(d);
	functions_check(d);
	locations_resolve(d);
	return true;
}

void
pp_pprof_release(struct pprof_doc *d)
{
	tables_clear(d);
}

/* ---- samples ---- */

void
pp_pprof_samples_init(struct pprof_samples *s, struct pprof_doc *d, bool report)
{
	pp_pprof_samples_of(s, d,
	                    d->sample_count ? pp_slice_between(d->samples, d->samples_end)
	                                    : pp_slice_of(NULL, 0),
	                    report);
}

void
pp_pprof_samples_of(struct pprof_samples *s, struct pprof_doc *d, struct pp_slice part, bool report)
{
	*s = (struct pprof_samples){ .doc = d, .report = report };
	pp_wire_init(&s->wire, part);
}

void
pp_pprof_samples_release(struct pprof_samples *s)
{
	pp_vec_release(&s->stack);
	pp_vec_release(&s->values);
	pp_vec_release(&s->labels);
}

/* A location by its id; PPROF_NONE when there is none. */
static inline uint32_t
location_find(const struct pprof_doc *d, uint64_t id)
{
	uint32_t row;

	if (PP_LIKELY(id < d->location_of.small_n && d->location_of.small[id]))
		return d->location_of.small[id] - 1;
	return pp_id_table_get(&d->location_of, id, &row) ? row : PPROF_NONE;
}

/* A location that no row has: the sample is left out. */
static bool
location_add(struct pprof_samples *s, uint64_t id)
{
	uint32_t row = location_find(s->doc, id);

	if (PP_UNLIKELY(row == PPROF_NONE)) {
		s->odd = true;
		if (s->report)
			pp_pprof_report(s->doc, PPROF_LOCATION_UNKNOWN, s->message.p,
			                "a sample refers to location %llu", (unsigned long long)id);
		return false;
	}
	s->stack.at[s->stack.n++] = row;
	return true;
}

static bool
locations_add(struct pprof_samples *s, struct pp_slice list, struct pp_wire *bad)
{
	const unsigned char *p = list.p, *end = list.p + list.n;
	bool fine = true;
	uint64_t id;

	if (!pp_vec_reserve(&s->stack, s->stack.n + list.n)) {
		s->doc->no_memory = true;
		return false;
	}
	/* Numbers of up to three bytes, of which there is enough behind: nearly all. */
	while (fine && end - p >= 3) {
		id = p[0];
		if (id < 0x80) {
			p += 1;
		} else if (p[1] < 0x80) {
			id = (id & 0x7f) | (uint64_t)p[1] << 7;
			p += 2;
		} else if (p[2] < 0x80) {
			id = (id & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14;
			p += 3;
		} else {
			break;
		}
		fine = location_add(s, id);
	}
	pp_wire_init(bad, pp_slice_between(p, end));
	while (fine && pp_wire_varint(bad, &id))
		fine = location_add(s, id);
	return fine && bad->error == PP_WIRE_OK;
}

static bool
values_add(struct pprof_samples *s, struct pp_slice list, struct pp_wire *bad)
{
	uint64_t value;

	if (!pp_vec_reserve(&s->values, s->values.n + list.n)) {
		s->doc->no_memory = true;
		return false;
	}
	pp_wire_init(bad, list);
	while (pp_wire_varint(bad, &value))
		s->values.at[s->values.n++] = (int64_t)value;
	return bad->error == PP_WIRE_OK;
}

/* A field of a sample that is neither a packed list nor a label. */
static bool
sample_field_odd(struct pprof_samples *s, const struct pp_wire_field *f)
{
	bool known = f->number <= SAMPLE_LABEL, silent = !s->report;
	struct pp_diags *diags = s->doc->diags;
	bool fine;

	if (f->type == PP_WIRE_VARINT && f->number == SAMPLE_LOCATION) {
		if (pp_vec_reserve(&s->stack, s->stack.n + 1))
			return location_add(s, f->value);
		s->doc->no_memory = true;
		return false;
	}
	if (f->type == PP_WIRE_VARINT && f->number == SAMPLE_VALUE) {
		if (pp_vec_push(&s->values, (int64_t)f->value))
			return true;
		s->doc->no_memory = true;
		return false;
	}
	s->has_unknown |= !known || f->type == PP_WIRE_GROUP;
	s->odd = true;
	s->doc->diags = silent ? NULL : diags;
	fine = field_odd(s->doc, f, "a sample", known);
	s->doc->diags = diags;
	return fine;
}

static void
sample_wire_report(struct pprof_samples *s, const struct pp_wire *w, struct pp_slice message)
{
	s->odd |= w->error || w->overflow_at;
	if (s->report && (w->error || w->overflow_at))
		pp_pprof_wire_report(s->doc, w, message);
}

/* Takes a sample apart; false when it is to be left out. */
static bool
sample_read(struct pprof_samples *s)
{
	struct pp_wire w, list = { 0 };
	struct pp_wire_field f;
	bool fine = true;

	s->stack.n = s->values.n = s->labels.n = 0;
	s->has_unknown = false;
	pp_wire_init(&w, s->message);
	while (fine && pp_wire_next(&w, &f)) {
		if (f.type == PP_WIRE_BYTES && f.number == SAMPLE_LOCATION)
			fine = locations_add(s, f.bytes, &list);
		else if (f.type == PP_WIRE_BYTES && f.number == SAMPLE_VALUE)
			fine = values_add(s, f.bytes, &list);
		else if (f.type == PP_WIRE_BYTES && f.number == SAMPLE_LABEL)
			s->doc->no_memory |= !pp_vec_push(&s->labels, f.bytes);
		else
			fine = sample_field_odd(s, &f);
		if (PP_UNLIKELY(list.error || list.overflow_at))
			sample_wire_report(s, &list, f.bytes);
		list = (struct pp_wire){ 0 };
	}
	if (PP_UNLIKELY(w.error || w.overflow_at))
		sample_wire_report(s, &w, s->message);
	return fine && w.error == PP_WIRE_OK;
}

bool
pp_pprof_samples_next(struct pprof_samples *s)
{
	struct pp_wire_field f;

	while (!s->doc->no_memory && pp_wire_next(&s->wire, &f)) {
		if (PP_UNLIKELY(f.number != PROFILE_SAMPLE || f.type != PP_WIRE_BYTES))
			continue;
		s->message = f.bytes;
		if (!sample_read(s) || s->doc->no_memory)
			continue;
		if (PP_LIKELY(s->values.n == s->doc->types.n))
			return true;
		s->odd = true;
		if (s->report && s->doc->types.n)
			pp_pprof_report(s->doc, PPROF_VALUE_COUNT, s->message.p,
			                "%zu %s, and %zu sample %s", s->values.n,
			                pp_plural(s->values.n, "value", "values"), s->doc->types.n,
			                pp_plural(s->doc->types.n, "type", "types"));
	}
	return false;
}
