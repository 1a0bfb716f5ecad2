/*
 * Texts of functions, frames and metrics, and shapes: see clickhouse_rows.h.
 */
#include "store/clickhouse_rows.h"

#include "base/slice.h"
#include "formats/format.h"
#include "store/hash.h"

#define SEPARATOR '\x1f'
#define SHAPE_VERSION 1
/* Of a shape that is read back. */
#define METRICS_MAX 64

/* ---- functions ---- */

static void
part_number(struct pp_buf *key, char what, uint64_t number)
{
	if (number)
		pp_buf_addf(key, "%c%c%llu", SEPARATOR, what, (unsigned long long)number);
}

static void
part_text(struct pp_buf *key, char what, struct pp_slice text)
{
	size_t i;

	if (!text.n)
		return;
	pp_buf_addc(key, SEPARATOR);
	pp_buf_addc(key, what);
	for (i = 0; i < text.n; i++) {
		if (text.p[i] == SEPARATOR || text.p[i] == '\\')
			pp_buf_addc(key, '\\');
		pp_buf_addc(key, (char)text.p[i]);
	}
}

/* Of most functions a name is all that is known. */
static bool
is_bare(const struct pp_func_row *f)
{
	return !f->file && !f->module && !f->line && !f->column && !f->last_line && !f->flags;
}

void
pp_rows_function(struct pp_buf *key, const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[func];
	const struct pp_module_row *m = &p->modules.at[f->module];

	if (is_bare(f)) {
		pp_function_key(key, pp_text_of(p, f->name), pp_slice_of("", 0), 0,
		                pp_slice_of("", 0));
		return;
	}
	pp_function_key(key, pp_text_of(p, f->name), pp_text_of(p, f->file), f->line,
	                pp_text_of(p, m->name));
	part_number(key, 'c', f->column);
	part_number(key, 'e', f->last_line);
	part_number(key, 'g', f->flags);
	part_text(key, 'b', pp_text_of(p, m->build_id));
	part_number(key, 'k', m->kind);
}

static bool
number_of(struct pp_slice text, uint64_t *out)
{
	size_t i;

	*out = 0;
	for (i = 0; i < text.n; i++) {
		unsigned digit = text.p[i] - (unsigned)'0';

		if (digit > 9 || __builtin_mul_overflow(*out, (uint64_t)10, out) ||
		    __builtin_add_overflow(*out, (uint64_t)digit, out))
			return false;
	}
	return text.n > 0;
}

/* The next part of a key, unescaped into *to; whether another one follows. */
static bool
part_next(struct pp_slice *rest, struct pp_buf *to)
{
	size_t i;
	bool more;

	to->n = 0;
	for (i = 0; i < rest->n && rest->p[i] != SEPARATOR; i++) {
		i += rest->p[i] == '\\' && i + 1 < rest->n;
		pp_buf_addc(to, (char)rest->p[i]);
	}
	more = i < rest->n;
	*rest = pp_slice_from(*rest, i + more);
	return more;
}

/* Sets what a part of a key says; false when it makes no sense. */
static bool
part_apply(struct pp_builder *b, struct pp_slice part, struct pp_func_row *f,
           struct pp_module_row *m)
{
	struct pp_slice value = pp_slice_from(part, 1);
	uint64_t number = 0;
	bool is_number = number_of(value, &number) && number <= UINT32_MAX;

	switch (part.p[0]) {
	case 'f':
		f->file = pp_build_str(b, value);
		return true;
	case 'm':
		m->name = pp_build_str(b, value);
		return true;
	case 'b':
		m->build_id = pp_build_str(b, value);
		return true;
	case 'l':
		f->line = (uint32_t)number;
		return is_number;
	case 'c':
		f->column = (uint32_t)number;
		return is_number;
	case 'e':
		f->last_line = (uint32_t)number;
		return is_number;
	case 'g':
		f->flags = (uint32_t)number;
		return is_number;
	case 'k':
		m->kind = (enum pp_module_kind)number;
		return is_number && number <= PP_MODULE_SCRIPT;
	default:
		return false;
	}
}

pp_func
pp_rows_build_function(struct pp_builder *b, struct pp_slice key)
{
	struct pp_func_row f = { 0 };
	struct pp_module_row m = { 0 };
	struct pp_buf part = { 0 };
	bool fine = true, more = part_next(&key, &part);
	pp_func made = 0;

	f.name = pp_build_str(b, pp_slice_of(part.p, part.n));
	while (more && fine) {
		more = part_next(&key, &part);
		fine = part.n > 0 && part_apply(b, pp_slice_of(part.p, part.n), &f, &m);
	}
	if (fine && !part.failed) {
		if (m.name || m.build_id)
			f.module = pp_build_module(b, &m);
		made = pp_build_func(b, &f);
	}
	pp_buf_release(&part);
	return made;
}

/* ---- frames ---- */

void
pp_rows_place(struct pp_buf *place, const struct pp_profile *p, pp_frame frame)
{
	const struct pp_frame_row *f = &p->frames.at[frame];

	/* Most have nothing of it. */
	if (!(f->column | f->address | f->offset | f->inline_depth | f->flags | f->file))
		return;
	part_number(place, 'c', f->column);
	part_number(place, 'a', f->address);
	part_number(place, 'o', f->offset);
	part_number(place, 'i', f->inline_depth);
	part_number(place, 'g', f->flags);
	part_text(place, 'f', pp_text_of(p, f->file));
}

pp_frame
pp_rows_build_frame(struct pp_builder *b, pp_func func, uint32_t line, struct pp_slice place)
{
	struct pp_frame_row f = { .func = func, .line = line };
	struct pp_buf part = { 0 };
	bool fine = true, more = place.n > 0;

	/* It begins with a separator. */
	if (more)
		place = pp_slice_from(place, 1);
	while (more && fine) {
		struct pp_slice value;
		uint64_t number = 0;

		more = part_next(&place, &part);
		value = pp_slice_of(part.n ? part.p + 1 : part.p, part.n ? part.n - 1 : 0);
		fine = part.n > 0 && (part.p[0] == 'f' || number_of(value, &number));
		if (!fine)
			break;
		if (part.p[0] == 'f')
			f.file = pp_build_str(b, value);
		else if (part.p[0] == 'c')
			f.column = (uint32_t)number;
		else if (part.p[0] == 'a')
			f.address = number;
		else if (part.p[0] == 'o')
			f.offset = number;
		else if (part.p[0] == 'i')
			f.inline_depth = (uint16_t)number;
		else if (part.p[0] == 'g')
			f.flags = (uint16_t)number;
		else
			fine = false;
	}
	fine = fine && !part.failed;
	pp_buf_release(&part);
	return fine ? pp_build_frame(b, &f) : 0;
}

/* ---- metrics ---- */

static bool
same_name(const struct pp_profile *p, size_t a, size_t b)
{
	return p->metrics.at[a].name == p->metrics.at[b].name &&
	       p->metrics.at[a].event == p->metrics.at[b].event;
}

void
pp_rows_metric(struct pp_buf *name, const struct pp_profile *p, size_t metric)
{
	struct pp_slice text = pp_text_of(p, p->metrics.at[metric].name);
	struct pp_slice event = pp_text_of(p, p->metrics.at[metric].event);
	size_t i, like = 0;

	pp_buf_add(name, text.p, text.n);
	if (event.n && !pp_slice_eq(event, text)) {
		pp_buf_addc(name, '@');
		pp_buf_add(name, event.p, event.n);
	}
	for (i = 0; i < metric; i++)
		like += same_name(p, i, metric);
	if (like)
		pp_buf_addf(name, "#%zu", like + 1);
}

/* ---- what can be added up ---- */

static bool
metrics_add_up(const struct pp_profile *p)
{
	size_t m;

	for (m = 0; m < p->metrics.n; m++)
		if (p->metrics.at[m].type == PP_REAL || pp_metric_falls(&p->metrics.at[m]) ||
		    p->metrics.at[m].flags & (PP_METRIC_NO_SUM | PP_METRIC_GAINED))
			return false;
	return p->metrics.n > 0 && p->metrics.n <= METRICS_MAX;
}

static bool
frames_are_plain(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->frames.n; i++)
		if (p->frames.at[i].site_line)
			return false;
	return true;
}

/* Whether something costs without a stack. */
static bool
root_costs(const struct pp_profile *p, const struct pp_series *s)
{
	uint32_t row;
	size_t m;

	for (row = 0; row < s->rows; row++)
		for (m = 0; pp_series_node(s, row) == 0 && m < p->metrics.n; m++)
			if (pp_series_cell(s, row, m))
				return true;
	return false;
}

/* Whether a profile is nothing but stacks with whole numbers, all in one series. */
static bool
adds_up(const struct pp_profile *p)
{
	const struct pp_series *s = p->series.at;

	return p->series.n == 1 && !s->has_calls && !s->measured && !s->wide && !s->labels &&
	       p->tree.n > 1 && p->calls.rows.n == 0 && p->lines.rows.n == 0 &&
	       p->costs.funcs.n == 0 && !p->costs.stated && p->not_own.n == 0 &&
	       p->calls.facts.n == 0 && p->sources.n == 0 && !p->estimated && !p->native &&
	       p->labels.n <= 1 && metrics_add_up(p) && frames_are_plain(p) && !root_costs(p, s);
}

static void
shape_str(struct pp_buf *shape, const struct pp_profile *p, pp_str text)
{
	pp_binary_text(shape, pp_text_of(p, text));
}

void
pp_rows_shape(struct pp_buf *shape, const struct pp_profile *p)
{
	const struct pp_series *s = p->series.at;
	size_t m;

	if (!adds_up(p))
		return;
	pp_binary_varint(shape, SHAPE_VERSION);
	pp_binary_text(shape, pp_slice_z(p->format->name));
	shape_str(shape, p, p->variant);
	shape_str(shape, p, p->producer);
	pp_binary_varint(shape, p->holds);
	shape_str(shape, p, s->event);
	shape_str(shape, p, s->process);
	shape_str(shape, p, s->thread);
	shape_str(shape, p, s->context);
	pp_binary_u64(shape, (uint64_t)s->pid);
	pp_binary_u64(shape, (uint64_t)s->tid);
	pp_binary_u64(shape, (uint64_t)s->cpu);
	pp_binary_varint(shape, s->dense);
	pp_binary_varint(shape, p->metrics.n);
	for (m = 0; m < p->metrics.n; m++) {
		const struct pp_metric *metric = &p->metrics.at[m];

		shape_str(shape, p, metric->name);
		shape_str(shape, p, metric->title);
		shape_str(shape, p, metric->event);
		shape_str(shape, p, metric->unit);
		pp_binary_varint(shape, metric->type);
		pp_binary_varint(shape, metric->kind);
		pp_binary_varint(shape, metric->flags);
		pp_binary_varint(shape, metric->scale);
		pp_binary_varint(shape, metric->factor_num);
		pp_binary_varint(shape, metric->factor_den);
	}
}

static void
shape_metric(struct pp_builder *b, struct pp_row_reader *r)
{
	struct pp_metric m = { 0 };

	m.name = pp_build_str(b, pp_rows_text(r));
	m.title = pp_build_str(b, pp_rows_text(r));
	m.event = pp_build_str(b, pp_rows_text(r));
	m.unit = pp_build_str(b, pp_rows_text(r));
	m.type = (enum pp_cell_type)pp_rows_varint(r);
	m.kind = (enum pp_metric_kind)pp_rows_varint(r);
	m.flags = (unsigned)pp_rows_varint(r);
	m.scale = (unsigned)pp_rows_varint(r);
	m.factor_num = pp_rows_varint(r);
	m.factor_den = pp_rows_varint(r);
	if (m.type > PP_UINT || m.kind > PP_KIND_EVENTS || m.scale > 18 || m.name == 0)
		r->bad = true;
	else
		(void)pp_build_metric(b, &m);
}

static pp_status
shape_read(struct pp_builder *b, struct pp_row_reader *r)
{
	struct pp_series s = { 0 };
	struct pp_buf name = { 0 };
	struct pp_slice format;
	uint64_t i, n;
	bool dense;

	r->bad = pp_rows_varint(r) != SHAPE_VERSION;
	format = pp_rows_text(r);
	pp_buf_add(&name, format.p, format.n);
	b->profile->format = name.p ? pp_format_find(name.p) : NULL;
	pp_buf_release(&name);
	b->profile->variant = pp_build_str(b, pp_rows_text(r));
	b->profile->producer = pp_build_str(b, pp_rows_text(r));
	b->profile->holds = (unsigned)pp_rows_varint(r);
	s.event = pp_build_str(b, pp_rows_text(r));
	s.process = pp_build_str(b, pp_rows_text(r));
	s.thread = pp_build_str(b, pp_rows_text(r));
	s.context = pp_build_str(b, pp_rows_text(r));
	s.pid = (int64_t)pp_rows_u64(r);
	s.tid = (int64_t)pp_rows_u64(r);
	s.cpu = (int64_t)pp_rows_u64(r);
	dense = pp_rows_varint(r) != 0;
	n = pp_rows_varint(r);
	if (n > METRICS_MAX)
		r->bad = true;
	for (i = 0; i < n && !r->bad; i++)
		shape_metric(b, r);
	if (r->bad || r->p != r->end || !b->profile->format)
		return PP_E_INVALID;
	(void)pp_build_series(b, &s, dense, false);
	return b->status;
}

pp_status
pp_rows_build_shape(struct pp_builder *b, struct pp_slice shape, const struct pp_order *order,
                    uint64_t seed)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_row_reader r = { shape.p, shape.p + shape.n, false };

	if (!pp_builder_init(b, &limits, order, seed, &pp_pages_plain))
		return PP_E_NOMEM;
	b->profile->complete = true;
	return shape_read(b, &r);
}
