/*
 * Extracts, there and back: see extract.h.
 */
#include "store/extract.h"

#include "base/varint.h"
#include "formats/format.h"
#include "io/system.h"
#include "model/schema.h"
#include "model/traits.h"
#include "store/record.h"

#define VERSION 1
/* An extract is worth its room where the input is so many times as large. */
#define SAVES 2
/* Sums of functions are below 2 to the power of 64 + so many, so that those of all functions fit. */
#define SUM_BITS 32

/* In the order in which they are told: what is referred to comes first. */
static const enum pp_table_id tables[] = {
	PP_TABLE_PROFILE, PP_TABLE_MODULES, PP_TABLE_FUNCS,   PP_TABLE_FRAMES, PP_TABLE_METRICS,
	PP_TABLE_LABELS,  PP_TABLE_SERIES,  PP_TABLE_NODES,   PP_TABLE_CALLS,  PP_TABLE_LINES,
	PP_TABLE_META,    PP_TABLE_SOURCES, PP_TABLE_NOT_OWN, PP_TABLE_FACTS,
};

bool
pp_extract_tells(const struct pp_order *o)
{
	/* Nothing has addresses to be looked up, or frames to be left out. */
	const unsigned told = PP_EXTRACT_FACETS | PP_COSTS | PP_FUNCTIONS | PP_SOURCE | PP_DROPS |
	                      PP_ASIDE;

	return o->facets && !(o->facets & ~told) && !o->label_key_count && !o->maps;
}

/* ---- what can be told ---- */

static bool
series_possible(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].wide || p->series.at[i].timeline.n)
			return false;
	return true;
}

/*
 * Whether what is read of it depends on more than the input: what addresses are called, on what is there when it is asked; frames that
 * are of no interest (pprof), on the question.
 */
static bool
depends(const struct pp_profile *p)
{
	size_t i;

	if (strcmp(pp_format_name(p->format), "pprof") == 0)
		return true;
	for (i = 1; i < p->frames.n && !p->frames.at[i].address; i++)
		;
	return i < p->frames.n;
}

bool
pp_extract_possible(const struct pp_profile *p)
{
	if (!p->complete || p->estimated || p->native || p->held || p->markers ||
	    p->unread & ~(uint64_t)PP_HAS(TIMELINE) || p->metrics.n == 0 ||
	    p->metrics.n > PP_FEW_COLUMNS)
		return false;
	if (p->calls.wide || p->lines.wide || p->costs.wide || p->costs.filtered ||
	    p->costs.shares_names || p->kept.extras.n || p->source_maps.n)
		return false;
	if (p->derived.alone.n || p->derived.cycles.n || p->derived.mangled.n ||
	    p->derived.generated.n)
		return false;
	return series_possible(p) && !depends(p);
}

/* ---- there ---- */

/* What is true of the whole and has no column. */
static void
facts_put(const struct pp_profile *p, struct pp_buf *out)
{
	size_t i;

	pp_record_number(out, p->calls.adds_up);
	pp_record_number(out, p->calls.told);
	pp_record_number(out, p->lines.adds_up);
	pp_record_number(out, p->lines.told);
	pp_record_number(out, p->unread);
	for (i = 0; i < PP_COUNT_OF(p->compression); i++)
		pp_record_number(out, p->compression[i]);
}

/* All rows of a table, but none beyond so many bytes: then there will be no extract. False when out of memory. */
static bool
table_put(const struct pp_profile *p, enum pp_table_id id, size_t most, struct pp_buf *out)
{
	size_t rows = pp_table_rows(p, id), width = pp_table_width(p, id), row, i;
	int64_t *numbers = malloc((width + 1) * sizeof *numbers);

	if (!numbers)
		return false;
	pp_record_number(out, rows < pp_schema[id].first ? 0 : rows - pp_schema[id].first);
	for (row = pp_schema[id].first; row < rows && out->n <= most; row++) {
		pp_table_get(p, id, row, numbers);
		for (i = 0; i < width; i++)
			pp_record_number(out, pp_zigzag(numbers[i]));
	}
	free(numbers);
	return true;
}

static void
series_put(const struct pp_series *s, size_t most, struct pp_buf *out)
{
	uint32_t row, n = 0, i;

	for (row = 0; row < s->rows; row++)
		n += pp_series_present(s, row);
	pp_record_number(out, n);
	for (row = 0; row < s->rows && out->n <= most; row++) {
		if (!pp_series_present(s, row))
			continue;
		pp_record_number(out, pp_series_node(s, row));
		for (i = 0; i < s->stride; i++)
			pp_record_number(out, pp_zigzag(pp_series_cells(s, row)[i]));
	}
}

/* Sums of functions may be wider than cells. */
static void
value_put(const struct pp_metric *m, union pp_value v, struct pp_buf *out)
{
	uint64_t bits;

	if (m->type == PP_REAL) {
		memcpy(&bits, &v.d, sizeof bits);
		pp_record_number(out, bits);
		return;
	}
	pp_record_number(out, (uint64_t)v.i);
	pp_record_number(out, pp_zigzag((int64_t)(v.i >> 64)));
}

static void
costs_put(const struct pp_profile *p, struct pp_buf *out)
{
	const struct pp_costs_facet *c = &p->costs;
	size_t i;

	pp_record_number(out, c->stated);
	pp_record_number(out, c->measured);
	pp_record_number(out, c->funcs.n);
	pp_record_number(out, c->calls.n);
	for (i = 0; i < c->funcs.n; i++)
		pp_record_number(out, c->funcs.at[i]);
	for (i = 0; i < c->calls.n; i++)
		pp_record_number(out, c->calls.at[i]);
	for (i = 0; i < c->cells.n; i++)
		value_put(&p->metrics.at[i % p->metrics.n], c->cells.at[i], out);
}

/* Up to so many bytes of `out`; it is of no use when there are more. */
static pp_status
extract_put(const struct pp_profile *p, uint64_t input_size, size_t most, struct pp_buf *out)
{
	bool fine = true;
	size_t i;

	pp_record_number(out, VERSION);
	pp_record_number(out, input_size);
	pp_record_text(out, pp_slice_z(pp_format_name(p->format)));
	pp_record_number(out, p->strs.strs.n);
	for (i = 1; i < p->strs.strs.n && out->n <= most; i++)
		pp_record_text(out, p->strs.strs.at[i]);
	for (i = 0; i < PP_COUNT_OF(tables) && fine; i++)
		fine = table_put(p, tables[i], most, out);
	facts_put(p, out);
	for (i = 0; i < p->series.n; i++)
		series_put(&p->series.at[i], most, out);
	costs_put(p, out);
	return fine && !out->failed ? PP_OK : PP_E_NOMEM;
}

/* What does not come back as it was is not kept. */
static pp_status
extract_try(struct pp_slice bytes, uint64_t input_size)
{
	struct pp_profile *again = NULL;
	struct pp_buf twice = { 0 };
	uint64_t size;
	pp_status status = pp_extract_read(bytes, &size, &again);

	if (status == PP_OK)
		status = extract_put(again, input_size, bytes.n, &twice);
	if (status == PP_OK && !pp_slice_eq(bytes, pp_slice_of(twice.p, twice.n)))
		status = PP_E_UNSUPPORTED;
	pp_buf_release(&twice);
	pp_profile_free(again);
	return status == PP_E_INVALID ? PP_E_UNSUPPORTED : status;
}

pp_status
pp_extract_make(const struct pp_profile *p, uint64_t input_size, uint64_t most, struct pp_buf *out)
{
	const size_t begin = out->n;
	const uint64_t room = most < input_size / SAVES ? most : input_size / SAVES;
	const size_t end = room < SIZE_MAX - begin ? begin + (size_t)room : SIZE_MAX;
	pp_status status = pp_extract_possible(p) ? extract_put(p, input_size, end, out)
	                                          : PP_E_UNSUPPORTED;

	if (status == PP_OK && out->n > end)
		status = PP_E_UNSUPPORTED;
	if (status == PP_OK)
		status = extract_try(pp_slice_of(out->p + begin, out->n - begin), input_size);
	if (status != PP_OK && !out->failed)
		out->n = begin;
	return status;
}

/* ---- back ---- */

/* A profile on its way out of bytes that anybody may have written. */
struct reading {
	struct pp_record r;
	struct pp_builder b;
	int64_t *numbers;
	size_t room;
};

static bool
texts_take(struct reading *x)
{
	uint64_t n = pp_record_take(&x->r), i;

	for (i = 1; i < n && !x->r.failed; i++)
		if (pp_build_str(&x->b, pp_record_take_text(&x->r)) != i)
			return false;
	return !x->r.failed;
}

/* The numbers of a row; false when they are no row of the table. */
static bool
numbers_take(struct reading *x, enum pp_table_id id, size_t width)
{
	const struct pp_profile *p = x->b.profile;
	size_t rows = pp_table_rows(p, id), i;

	if (width > x->room &&
	    !pp_vec_grow((void **)&x->numbers, &x->room, sizeof *x->numbers, width)) {
		pp_builder_fail(&x->b, PP_E_NOMEM, NULL);
		return false;
	}
	for (i = 0; i < width; i++)
		x->numbers[i] = pp_unzigzag(pp_record_take(&x->r));
	return !x->r.failed &&
	       pp_table_fits(p, id, rows < pp_schema[id].first ? pp_schema[id].first : rows,
	                     x->numbers);
}

static bool
metric_take(struct reading *x)
{
	struct pp_profile *p = x->b.profile;
	struct pp_metric metric = { 0 };

	pp_table_row(PP_TABLE_METRICS, x->numbers, &metric);
	if (p->metrics.n >= PP_FEW_COLUMNS || !pp_gains_settle(p, &metric))
		return false;
	(void)pp_build_metric(&x->b, &metric);
	/* Flags are as they were. */
	if (pp_builder_ok(&x->b))
		p->metrics.at[p->metrics.n - 1].flags = metric.flags;
	return true;
}

static bool
series_row_take(struct reading *x)
{
	struct pp_series like = { 0 };

	pp_table_row(PP_TABLE_SERIES, x->numbers, &like);
	(void)pp_build_series(&x->b, &like, like.dense, like.has_calls);
	return true;
}

/* Adds the row that was taken. */
static bool
row_add(struct reading *x, enum pp_table_id id)
{
	struct pp_profile *p = x->b.profile;
	struct pp_label_row label = { 0 };
	const int64_t *n = x->numbers;
	size_t rows = pp_table_rows(p, id);

	switch (id) {
	case PP_TABLE_PROFILE:
		pp_table_row(id, n, p);
		/* What is here is what comes; of damaged inputs there is no extract. */
		p->facets = 0;
		return p->complete && !p->estimated && !p->markers;
	case PP_TABLE_NOT_OWN:
		if (!p->series.n)
			return false;
		break;
	case PP_TABLE_NODES:
		return pp_build_child(&x->b, (pp_node)n[0], (pp_frame)n[1]) == rows;
	case PP_TABLE_METRICS:
		return metric_take(x);
	case PP_TABLE_SERIES:
		return series_row_take(x);
	case PP_TABLE_LABELS:
		pp_table_row(id, n, &label);
		return pp_build_label_row(&x->b, &label) == (rows ? rows : 1);
	default:
		break;
	}
	if (!pp_table_append(p, id, n))
		pp_builder_fail(&x->b, PP_E_NOMEM, NULL);
	return true;
}

static bool
table_take(struct reading *x, enum pp_table_id id)
{
	uint64_t n = pp_record_take(&x->r);

	/* A row has a number at least, so that there cannot be more of them than bytes. */
	if (n > (size_t)(x->r.end - x->r.p) || (id == PP_TABLE_PROFILE && n != 1))
		return false;
	for (; n && pp_builder_ok(&x->b); n--)
		if (!numbers_take(x, id, pp_table_width(x->b.profile, id)) || !row_add(x, id))
			return false;
	return pp_builder_ok(&x->b);
}

static bool
facts_take(struct reading *x)
{
	struct pp_profile *p = x->b.profile;
	size_t i;

	p->calls.adds_up = pp_record_take(&x->r) != 0;
	p->calls.told = (size_t)pp_record_take(&x->r);
	p->lines.adds_up = pp_record_take(&x->r) != 0;
	p->lines.told = (size_t)pp_record_take(&x->r);
	p->unread = pp_record_take(&x->r);
	for (i = 0; i < PP_COUNT_OF(p->compression); i++) {
		uint64_t text = pp_record_take(&x->r);

		if (text >= p->strs.strs.n)
			return false;
		p->compression[i] = (pp_str)text;
	}
	return !x->r.failed;
}

static bool
series_take(struct reading *x, uint32_t series)
{
	const uint32_t nodes = x->b.profile->tree.n;
	uint64_t n = pp_record_take(&x->r), node;
	uint32_t stride = x->b.profile->series.at[series].stride, i;

	for (; n && !x->r.failed; n--) {
		int64_t *cells;

		node = pp_record_take(&x->r);
		cells = x->r.failed || node >= nodes ? NULL
		                                     : pp_build_cells(&x->b, series, (pp_node)node);
		if (!cells)
			return false;
		for (i = 0; i < stride; i++)
			cells[i] = pp_unzigzag(pp_record_take(&x->r));
	}
	return !x->r.failed;
}

/* How many rows of costs there are; false when that cannot be, or there is no room for them. */
static bool
costs_room(struct reading *x, uint64_t *funcs, uint64_t *calls)
{
	struct pp_costs_facet *costs = &x->b.profile->costs;

	*funcs = pp_record_take(&x->r);
	*calls = pp_record_take(&x->r);
	/* Each takes a byte for its function, and one for each cost. */
	if (x->r.failed || *funcs > (size_t)(x->r.end - x->r.p) || (*calls && *calls != *funcs) ||
	    (costs->stated && !*funcs))
		return false;
	if (pp_vec_reserve(&costs->funcs, (size_t)*funcs) &&
	    pp_vec_reserve(&costs->calls, (size_t)*calls) &&
	    pp_vec_reserve(&costs->cells, (size_t)*funcs * 2 * x->b.profile->metrics.n))
		return true;
	pp_builder_fail(&x->b, PP_E_NOMEM, NULL);
	return false;
}

static union pp_value
value_take(struct pp_record *r, const struct pp_metric *m)
{
	uint64_t bits = pp_record_take(r);
	union pp_value v = { 0 };
	int64_t high;

	if (m->type == PP_REAL) {
		memcpy(&v.d, &bits, sizeof v.d);
		return v;
	}
	high = pp_unzigzag(pp_record_take(r));
	if (high < -((int64_t)1 << SUM_BITS) || high >= (int64_t)1 << SUM_BITS)
		r->failed = true;
	else
		v.i = (pp_i128)((pp_u128)(uint64_t)high << 64 | bits);
	return v;
}

static bool
costs_take(struct reading *x)
{
	struct pp_profile *p = x->b.profile;
	struct pp_costs_facet *costs = &p->costs;
	uint64_t funcs, calls, i, last = 0;

	costs->stated = pp_record_take(&x->r) != 0;
	costs->measured = pp_record_take(&x->r) != 0;
	if (!costs_room(x, &funcs, &calls))
		return false;
	for (i = 0; i < funcs; i++) {
		uint64_t func = pp_record_take(&x->r);

		/* That of the whole comes first. */
		if (i ? func <= last || func >= p->funcs.n : func)
			return false;
		last = func;
		costs->funcs.at[costs->funcs.n++] = (pp_func)func;
	}
	for (i = 0; i < calls; i++)
		costs->calls.at[costs->calls.n++] = pp_record_take(&x->r);
	for (i = 0; i < funcs * 2 * p->metrics.n && !x->r.failed; i++)
		costs->cells.at[costs->cells.n++] = value_take(&x->r,
		                                               &p->metrics.at[i % p->metrics.n]);
	return !x->r.failed;
}

static bool
all_take(struct reading *x)
{
	size_t i;

	if (!texts_take(x))
		return false;
	for (i = 0; i < PP_COUNT_OF(tables); i++)
		if (!table_take(x, tables[i]))
			return false;
	if (!facts_take(x))
		return false;
	for (i = 0; i < x->b.profile->series.n; i++)
		if (!series_take(x, (uint32_t)i))
			return false;
	return costs_take(x) && pp_record_end(&x->r);
}

pp_status
pp_extract_read(struct pp_slice bytes, uint64_t *input_size, struct pp_profile **out)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct reading x = { .r = pp_record_of(bytes) };
	pp_status status = PP_E_INVALID;
	struct pp_slice name;
	char format[64] = "";

	*out = NULL;
	if (pp_record_take(&x.r) != VERSION)
		return PP_E_INVALID;
	*input_size = pp_record_take(&x.r);
	name = pp_record_take_text(&x.r);
	if (name.n >= sizeof format)
		return PP_E_INVALID;
	memcpy(format, name.p, name.n);
	/* What fitted when it was read fits now. */
	limits.max_depth = limits.max_nodes = UINT32_MAX;
	if (!pp_builder_init(&x.b, &limits, NULL, pp_random_seed(), &pp_pages_plain))
		return PP_E_NOMEM;
	x.b.profile->format = pp_format_find(format);
	if (x.b.profile->format && all_take(&x))
		status = pp_builder_finish(&x.b, out);
	else if (!pp_builder_ok(&x.b) && x.b.status == PP_E_NOMEM)
		status = PP_E_NOMEM;
	pp_builder_release(&x.b);
	free(x.numbers);
	return status == PP_OK || status == PP_E_NOMEM ? status : PP_E_INVALID;
}
