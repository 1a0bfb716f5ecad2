/*
 * Fields of tracepoints: the recording brings a description of each tracepoint in the words of the kernel,
 *
 *     name: sched_switch
 *     ID: 316
 *     format:
 *     	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *     	field:__data_loc char[] filename;	offset:16;	size:4;	signed:0;
 *
 * and samples their raw bytes. They become labels, those that are ordered. Every offset is compared with the bytes that
 * the sample has.
 */
#include "formats/perf/data.h"

/* Descriptions, fields of each, and series that labels may make. */
#define POINTS_MOST 4096
#define FIELDS_MOST 64
#define SERIES_MOST 65536
#define TRACING_MAGIC "\027\010Dtracing"

void
pp_pd_fields_release(struct pp_pd *d)
{
	pp_vec_release(&d->fields.list);
	pp_vec_release(&d->fields.points);
	pp_map_release(&d->fields.point_of);
}

/* ---- descriptions ----------------------------------------------------------------------- */

/* The number behind a word; 0 when it is not there. */
static uint32_t
number_behind(struct pp_slice line, const char *word)
{
	const unsigned char *at = memmem(line.p, line.n, word, strlen(word));
	struct pp_slice rest;
	size_t n = 0;
	uint64_t number = 0;

	if (!at)
		return 0;
	rest = pp_slice_between(at + strlen(word), line.p + line.n);
	while (n < rest.n && pp_is_digit(rest.p[n]))
		n++;
	return pp_num_u64(pp_slice_of(rest.p, n), &number) && number <= UINT16_MAX
	           ? (uint32_t)number
	           : 0;
}

static bool
is_word(unsigned char c)
{
	return c == '_' || pp_is_digit(c) || (unsigned)(c | 32) - 'a' < 26;
}

/* "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;" */
static bool
field_read(struct pp_slice line, struct pp_pd_field *f)
{
	struct pp_slice decl = line;
	size_t n;
	bool found;

	*f = (struct pp_pd_field){ 0 };
	decl = pp_slice_trim(decl);
	if (!pp_slice_take(&decl, "field:"))
		return false;
	decl = pp_slice_cut(&decl, ';', &found);
	f->offset = number_behind(line, "offset:");
	f->size = number_behind(line, "size:");
	f->is_signed = number_behind(line, "signed:") == 1;
	f->far = pp_slice_starts(decl, "__data_loc ")  ? PP_PD_FAR
	         : pp_slice_starts(decl, "__rel_loc ") ? PP_PD_FAR_FROM_HERE
	                                               : PP_PD_HERE;
	f->is_text = pp_slice_holds(decl, "char") && pp_slice_find(decl, '[');
	/* The name is the last word, before the length of an array. */
	if (f->far == PP_PD_HERE && pp_slice_find(decl, '['))
		decl = pp_slice_cut(&decl, '[', &found);
	for (n = decl.n; n > 0 && is_word(decl.p[n - 1]); n--)
		;
	f->name = pp_slice_from(decl, n);
	return found && f->name.n && f->size && !pp_slice_starts(f->name, "common_") &&
	       (f->is_text || f->size <= 8);
}

/* One description. */
static void
point_read(struct pp_pd *d, struct pp_slice text)
{
	struct pp_pd_fields *all = &d->fields;
	struct pp_pd_point point = { .first = (uint32_t)all->list.n };
	uint64_t id = UINT64_MAX;
	struct pp_slice line;
	bool found, fine = true;

	if (all->points.n >= POINTS_MOST)
		return;
	while (text.n && fine) {
		struct pp_pd_field field;

		line = pp_slice_cut(&text, '\n', &found);
		if (pp_slice_starts(line, "ID: "))
			(void)pp_num_u64(pp_slice_trim(pp_slice_from(line, 4)), &id);
		if (field_read(line, &field) && point.n < FIELDS_MOST) {
			fine = pp_vec_push(&all->list, field);
			point.n++;
		}
	}
	fine = fine && (id == UINT64_MAX || !point.n ||
	                (pp_map_set(&all->point_of, id, (uint32_t)all->points.n) &&
	                 pp_vec_push(&all->points, point)));
	if (!fine)
		pp_pd_no_memory(d);
}

/* A walk over the bytes, with their own order. */
struct bytes {
	struct pp_slice rest;
	bool big, bad;
};

static uint64_t
number_take(struct bytes *b, size_t n)
{
	uint64_t v = 0;
	size_t i;

	if (b->bad || b->rest.n < n) {
		b->bad = true;
		return 0;
	}
	for (i = 0; i < n; i++)
		v |= (uint64_t)b->rest.p[i] << 8 * (b->big ? n - 1 - i : i);
	b->rest = pp_slice_from(b->rest, n);
	return v;
}

/* A text that its length stands before. */
static struct pp_slice
text_take(struct bytes *b)
{
	uint64_t n = number_take(b, 8);
	struct pp_slice text = { 0 };

	if (b->bad || n > b->rest.n) {
		b->bad = true;
		return text;
	}
	text = pp_slice_of(b->rest.p, (size_t)n);
	b->rest = pp_slice_from(b->rest, (size_t)n);
	return text;
}

static void
name_skip(struct bytes *b)
{
	struct pp_slice name = pp_pd_text(b->rest.p, b->rest.n);

	b->bad |= name.n >= b->rest.n;
	b->rest = b->bad ? b->rest : pp_slice_from(b->rest, name.n + 1);
}

void
pp_pd_tracing(struct pp_pd *d, struct pp_slice content)
{
	struct bytes b = { .rest = content };
	uint64_t i, k, n, systems;

	/* Who only lists files has no profile. */
	if (!d->builder->profile || !pp_slice_take(&b.rest, TRACING_MAGIC))
		return;
	if (!pp_order_has_labels(d->reader->order)) {
		d->builder->profile->unread |= PP_HAS(LABELS);
		return;
	}
	name_skip(&b); /* the version */
	b.big = number_take(&b, 1) == 1;
	(void)number_take(&b, 5);
	for (i = 0; i < 2; i++) {
		name_skip(&b); /* header_page, header_event */
		(void)text_take(&b);
	}
	for (n = number_take(&b, 4), i = 0; i < n && !b.bad; i++)
		(void)text_take(&b);
	for (systems = number_take(&b, 4), i = 0; i < systems && !b.bad; i++) {
		name_skip(&b);
		for (n = number_take(&b, 4), k = 0; k < n && !b.bad; k++) {
			struct pp_slice text = text_take(&b);

			if (!b.bad && pp_builder_ok(d->builder))
				point_read(d, text);
		}
	}
}

/* ---- samples ---------------------------------------------------------------------------- */

/* The bytes of a field; none when they lie outside of the sample. */
static struct pp_slice
field_bytes(const struct pp_pd *d, const struct pp_pd_field *f, struct pp_slice raw)
{
	size_t offset = f->offset, n = f->size;

	if (f->far != PP_PD_HERE) {
		uint32_t where;

		if (offset + 4 > raw.n)
			return pp_slice_of(NULL, 0);
		where = pp_pd_u32(d, raw.p + offset);
		offset = (where & 0xffff) + (f->far == PP_PD_FAR ? 0 : offset + 4);
		n = where >> 16;
	}
	return offset <= raw.n && n <= raw.n - offset ? pp_slice_of(raw.p + offset, n)
	                                              : pp_slice_of(NULL, 0);
}

/* A field as a label; false when there is nothing to tell. */
static bool
label_make(struct pp_pd *d, const struct pp_pd_field *f, struct pp_slice bytes,
           struct pp_label_row *row)
{
	struct bytes b = { .rest = bytes, .big = d->big };
	uint64_t v;

	*row = (struct pp_label_row){ .key = pp_build_str(d->builder, f->name) };
	if (f->is_text) {
		row->type = PP_LABEL_TEXT;
		row->text = pp_build_str(d->builder, pp_pd_text(bytes.p, bytes.n));
		return row->text != 0;
	}
	if (bytes.n == 0 || bytes.n > 8)
		return false;
	v = number_take(&b, bytes.n);
	if (f->is_signed && bytes.n < 8 && v >> (8 * bytes.n - 1))
		v |= UINT64_MAX << 8 * bytes.n;
	if (!f->is_signed && v > INT64_MAX) {
		row->type = PP_LABEL_TEXT;
		row->text = pp_build_strf(d->builder, "0x%llx", (unsigned long long)v);
		return true;
	}
	row->type = PP_LABEL_NUMBER;
	row->number = (int64_t)v;
	return true;
}

pp_labels
pp_pd_labels(struct pp_pd *d, const struct pp_pd_facts *f)
{
	struct pp_label_row rows[FIELDS_MOST];
	const struct pp_pd_point *point;
	uint32_t at = pp_map_get(&d->fields.point_of, f->attr->config);
	size_t i, n = 0;

	if (at == PP_MAP_NONE)
		return 0;
	/* Where each sample differs, costs by label say nothing, and take memory. */
	if (d->frames.series.n >= SERIES_MOST) {
		d->builder->profile->unread |= PP_HAS(LABELS);
		return 0;
	}
	point = &d->fields.points.at[at];
	for (i = 0; i < point->n && pp_builder_ok(d->builder); i++) {
		const struct pp_pd_field *field = &d->fields.list.at[point->first + i];

		if (pp_order_has_label(d->reader->order, field->name) &&
		    label_make(d, field, field_bytes(d, field, f->raw), &rows[n]))
			n++;
	}
	return n ? pp_build_labels(d->builder, rows, n) : 0;
}
