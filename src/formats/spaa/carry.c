/*
 * Carrying a profile of another format: all its tables as records of numbers.
 *
 * The tables go by their ids: strings first, then what refers to them. Records are cut at about a
 * thousand numbers, so that no line is long. The last record says how many stack records the file has
 * and what their ids and weights add up to, by which a reader knows whether they are still the same.
 */
#include "formats/spaa/carry.h"

#include <stdio.h>

#include "base/utf8.h"
#include "model/held.h"
#include "text/base64.h"

#define NUMBERS_PER_RECORD 1024
#define BYTES_PER_RECORD ((size_t)24 << 10)

const char *const pp_spaa_carry_names[PP_TABLES] = {
	[PP_TABLE_PROFILE] = "profile", [PP_TABLE_MODULES] = "modules",
	[PP_TABLE_FUNCS] = "funcs",     [PP_TABLE_FRAMES] = "frames",
	[PP_TABLE_NODES] = "nodes",     [PP_TABLE_METRICS] = "metrics",
	[PP_TABLE_SERIES] = "series",   [PP_TABLE_CALLS] = "edges",
	[PP_TABLE_LINES] = "lines",     [PP_TABLE_META] = "meta",
	[PP_TABLE_EXTRAS] = "extras",   [PP_TABLE_SOURCES] = "sources",
	[PP_TABLE_FACTS] = "facts",     [PP_TABLE_LABELS] = "labels",
};

size_t
pp_spaa_carry_width(const struct pp_profile *p, enum pp_table_id id)
{
	return pp_table_width(p, id) - (id == PP_TABLE_SERIES);
}

/* ---- records ---------------------------------------------------------------------------- */

/* A table being written; a record is open while n > 0. */
struct table {
	struct pp_json *json;
	const char *name;
	int64_t series; /* -1 = none */
	size_t n;
};

static void
record_begin(struct pp_json *j, const char *name)
{
	char type[64] = PP_SPAA_CARRY_PREFIX;

	strncat(type, name, sizeof type - sizeof PP_SPAA_CARRY_PREFIX);
	pp_json_begin_object(j);
	pp_json_put_textz(j, "type", type);
}

static void
record_end(struct pp_json *j)
{
	pp_json_end_object(j);
	pp_json_end_line(j);
}

static void
table_close(struct table *t)
{
	if (t->n == 0)
		return;
	pp_json_end_array(t->json);
	record_end(t->json);
	t->n = 0;
}

/* Appends a row. */
static void
table_add(struct table *t, const int64_t *numbers, size_t n)
{
	size_t i;

	if (t->n >= NUMBERS_PER_RECORD)
		table_close(t);
	if (t->n == 0) {
		record_begin(t->json, t->name);
		if (t->series >= 0)
			pp_json_put_i64(t->json, "series", t->series);
		pp_json_put_array(t->json, "n");
	}
	for (i = 0; i < n; i++)
		pp_json_i64(t->json, numbers[i]);
	t->n += n ? n : 1;
}

/* ---- strings and bytes ------------------------------------------------------------------ */

/* Text where it is UTF-8, else an object with its bytes in hexadecimal. */
static void
strings_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct pp_json *j = &o->json;
	size_t i = 1, bytes;

	while (i < p->strs.strs.n && o->w->out->status == PP_OK) {
		record_begin(j, "strings");
		pp_json_put_u64(j, "first", i);
		pp_json_put_array(j, "text");
		for (bytes = 0; i < p->strs.strs.n && bytes < BYTES_PER_RECORD; i++) {
			struct pp_slice s = p->strs.strs.at[i];

			if (pp_utf8_valid(s)) {
				pp_json_text(j, s);
			} else {
				pp_json_begin_object(j);
				pp_json_key(j, "hex");
				pp_json_hex(j, s);
				pp_json_end_object(j);
			}
			bytes += s.n + 3;
		}
		pp_json_end_array(j);
		record_end(j);
	}
}

/* Bytes of any length as records of base64. */
static void
bytes_write(struct pp_spaa_out *o, const char *name, int64_t series, struct pp_slice bytes)
{
	const size_t most = BYTES_PER_RECORD / 4 * 3;
	char text[PP_BASE64_SIZE(BYTES_PER_RECORD / 4 * 3)];
	size_t at;

	for (at = 0; at < bytes.n && o->w->out->status == PP_OK; at += most) {
		size_t n = bytes.n - at < most ? bytes.n - at : most;

		pp_base64_put(text, bytes.p + at, n);
		record_begin(&o->json, name);
		if (series >= 0)
			pp_json_put_i64(&o->json, "series", series);
		pp_json_put_text(&o->json, "base64", pp_slice_of(text, PP_BASE64_SIZE(n)));
		record_end(&o->json);
	}
}

/* ---- tables ----------------------------------------------------------------------------- */

/* Value k of a row of the costs of functions; false when it does not fit a cell. */
static bool
cost_cell(const struct pp_profile *p, size_t row, size_t k, int64_t *cell)
{
	struct pp_cost_pair cost = pp_costs_get(p, row, k % p->metrics.n);

	return pp_value_cell(&p->metrics.at[k % p->metrics.n],
	                     k < p->metrics.n ? cost.own : cost.total, cell);
}

/* Whether the costs of functions can be carried: a row for each function, and all fit. */
static bool
carries_costs(const struct pp_profile *p)
{
	bool fits = p->costs.stated && p->costs.calls.n == p->costs.funcs.n;
	int64_t cell;
	size_t i, k;

	for (i = 0; fits && i < p->costs.funcs.n; i++) {
		fits = p->costs.funcs.at[i] == i;
		for (k = 0; fits && k < 2 * p->metrics.n; k++)
			fits = cost_cell(p, i, k, &cell);
	}
	return fits;
}

/* Where costs of functions come from, as a number. */
static int64_t
basis_number(const struct pp_profile *p, bool costs)
{
	static const int64_t numbers[] = {
		[PP_BASIS_TREE] = PP_SPAA_B_TREE,
		[PP_BASIS_LINES] = PP_SPAA_B_LINES,
		[PP_BASIS_CALLS] = PP_SPAA_B_CALLS,
		[PP_BASIS_COSTS] = PP_SPAA_B_COSTS,
	};

	return p->costs.stated && !costs ? PP_SPAA_B_TREE : numbers[pp_profile_basis(p)];
}

/* All rows of a table of the schema. */
static void
table_write(struct pp_spaa_out *o, enum pp_table_id id)
{
	size_t width = pp_table_width(o->p, id), rows = pp_table_rows(o->p, id), row;
	struct table t = { &o->json, pp_spaa_carry_names[id], -1, 0 };
	int64_t *numbers = malloc(width * sizeof *numbers);

	o->failed |= !numbers;
	for (row = pp_schema[id].first; numbers && row < rows; row++) {
		pp_table_get(o->p, id, row, numbers);
		if (id == PP_TABLE_PROFILE)
			numbers[PP_SPAA_CARRY_BASIS] = basis_number(o->p, o->carries_costs);
		table_add(&t, numbers, pp_spaa_carry_width(o->p, id));
	}
	table_close(&t);
	free(numbers);
}

/* Which series have labels, and which. */
static void
labelled_write(struct pp_spaa_out *o)
{
	struct table t = { &o->json, PP_SPAA_CARRY_LABELLED, -1, 0 };
	size_t i;

	for (i = 0; i < o->p->series.n; i++)
		if (o->p->series.at[i].labels)
			table_add(&t, (const int64_t[]){ (int64_t)i, o->p->series.at[i].labels },
			          2);
	table_close(&t);
}

/* The events of a timeline, packed as in memory but each block alone; see docs/formats/spaa.md. */
static void
timeline_write(struct pp_spaa_out *o, size_t series)
{
	const struct pp_timeline *t = &o->p->series.at[series].timeline;
	const int64_t head[] = { (int64_t)t->n, t->columns, t->cumulative };
	struct table table = { &o->json, "timeline", (int64_t)series, 0 };

	if (!t->n)
		return;
	table_add(&table, head, PP_COUNT_OF(head));
	table_close(&table);
	bytes_write(o, "events", (int64_t)series, pp_slice_of(t->bytes.p, t->bytes.n));
}

/* What nodes cost, series by series. */
static void
rows_write(struct pp_spaa_out *o)
{
	size_t i, k;
	uint32_t row;

	for (i = 0; i < o->p->series.n && !o->failed; i++) {
		const struct pp_series *s = &o->p->series.at[i];
		int64_t *numbers = malloc((s->stride + 1) * sizeof *numbers);
		struct table t = { &o->json, "rows", (int64_t)i, 0 };

		for (row = 0; numbers && row < s->rows; row++) {
			if (!pp_series_present(s, row))
				continue;
			numbers[0] = pp_series_node(s, row);
			if (s->wide) {
				struct pp_cells costs = pp_series_costs(o->p, s, row);

				memset(numbers + 1, 0, s->stride * sizeof *numbers);
				for (k = 0; k < costs.n; k++)
					numbers[1 + costs.column[k]] = costs.at[k];
			} else {
				memcpy(numbers + 1, pp_series_cells(s, row),
				       s->stride * sizeof *numbers);
			}
			table_add(&t, numbers, s->stride + 1);
		}
		table_close(&t);
		o->failed |= !numbers;
		free(numbers);
		timeline_write(o, i);
	}
}

/* The frames of a stack of the list in a record of their own. */
static void
path_write(struct pp_spaa_out *o, size_t stack)
{
	const struct pp_held *h = o->p->held;
	struct pp_held_walk at;

	record_begin(&o->json, PP_SPAA_CARRY_PATH);
	pp_json_put_array(&o->json, "n");
	for (at = pp_held_walk(h, stack); at.left; pp_held_step(h, &at))
		pp_json_u64(&o->json, pp_held_peek(h, &at));
	pp_json_end_array(&o->json);
	record_end(&o->json);
}

/* What the rows from `first` on, of the same stack, add up to; returns where they end. Their sums have room. */
static size_t
listed_sum(const struct pp_spaa_out *o, size_t first, int64_t *cells)
{
	const struct pp_spaa_out_row *rows = o->from.rows.at;
	size_t columns = o->p->held->columns, i = first, m;

	memset(cells, 0, columns * sizeof *cells);
	do
		for (m = 0; m < columns; m++)
			cells[m] += rows[i].cells[m];
	while (++i < o->from.rows.n && rows[i].node == rows[first].node);
	return i;
}

/*
 * Stacks that are a list: where the frames of each stand, and its cells. Stack records have them; for stacks without one,
 * and where records tell functions only, they have records of their own. No record is told twice.
 */
static void
list_write(struct pp_spaa_out *o)
{
	const struct pp_held *h = o->p->held;
	struct table t = { &o->json, PP_SPAA_CARRY_LISTED, -1, 0 };
	int64_t numbers[1 + PP_HELD_COLUMNS], paths = 0;
	size_t n = h ? pp_held_count(h) : 0, i, next;
	bool by_record = o->from.list != NULL;

	for (i = 0; i < n && o->w->out->status == PP_OK; i++)
		if (!by_record || (o->from.node_of[i] == i + 1 && !o->from.record_of[i + 1]))
			path_write(o, i);
	for (i = 0; i < n && o->w->out->status == PP_OK; i = next) {
		uint32_t record = 0;

		if (by_record) {
			record = o->from.record_of[o->from.rows.at[i].node];
			next = listed_sum(o, i, numbers + 1);
		} else {
			memcpy(numbers + 1, h->values.at + i * h->columns,
			       h->columns * sizeof *numbers);
			next = i + 1;
		}
		numbers[0] = record ? (int64_t)record - 1 : --paths;
		table_add(&t, numbers, 1 + h->columns);
	}
	table_close(&t);
}

static void
costs_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct table t = { &o->json, "func_cells", -1, 0 };
	size_t i, k;

	for (i = 0; o->carries_costs && i < p->costs.funcs.n; i++) {
		int64_t cell = (int64_t)p->costs.calls.at[i];

		table_add(&t, &cell, 1);
		for (k = 0; k < 2 * p->metrics.n; k++) {
			(void)cost_cell(p, i, k, &cell);
			table_add(&t, &cell, 1);
		}
	}
	table_close(&t);
}

/* ---- the whole -------------------------------------------------------------------------- */

static void
private_write(struct pp_spaa_out *o)
{
	const struct pp_format *native = pp_profile_native(o->p);
	struct pp_buf bytes = { 0 };

	if (native->carry_save && !native->carry_save(o->p, &bytes))
		o->failed = true;
	if (!native->carry_save && o->p->kept.data)
		o->w->loss.more[PP_TRAIT_PRIVATE]++;
	if (!o->failed && bytes.n)
		bytes_write(o, "private", -1, pp_slice_of(bytes.p, bytes.n));
	pp_buf_release(&bytes);
}

void
pp_spaa_carry_write(struct pp_spaa_out *o)
{
	const struct pp_profile *plain = o->p;
	char sum[24];
	int id;

	/* What metrics gained has no place among weights. */
	if (o->w->with_gains)
		o->p = o->w->with_gains;
	o->carries_costs = carries_costs(o->p);
	strings_write(o);
	for (id = PP_TABLE_PROFILE; id <= PP_TABLE_SERIES; id++)
		table_write(o, (enum pp_table_id)id);
	labelled_write(o);
	rows_write(o);
	list_write(o);
	table_write(o, PP_TABLE_CALLS);
	table_write(o, PP_TABLE_LINES);
	table_write(o, PP_TABLE_FACTS);
	costs_write(o);
	table_write(o, PP_TABLE_META);
	table_write(o, PP_TABLE_EXTRAS);
	table_write(o, PP_TABLE_SOURCES);
	private_write(o);
	record_begin(&o->json, o->p->held ? PP_SPAA_CARRY_LISTED_END : "end");
	pp_json_put_textz(&o->json, "format", pp_profile_native(o->p)->name);
	pp_json_put_u64(&o->json, "stacks", o->stacks);
	snprintf(sum, sizeof sum, "0x%016llx", (unsigned long long)o->sum);
	pp_json_put_textz(&o->json, "sum", sum);
	record_end(&o->json);
	o->p = plain;
}
