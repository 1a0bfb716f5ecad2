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

#define NUMBERS_PER_RECORD 1024
#define BYTES_PER_RECORD ((size_t)24 << 10)

const char *const pp_spaa_carry_names[PP_SPAA_TABLES] = {
	[PP_SPAA_T_MODULES] = "modules", [PP_SPAA_T_FUNCS] = "funcs",
	[PP_SPAA_T_FRAMES] = "frames",   [PP_SPAA_T_NODES] = "nodes",
	[PP_SPAA_T_METRICS] = "metrics", [PP_SPAA_T_SERIES] = "series",
	[PP_SPAA_T_ROWS] = "rows",       [PP_SPAA_T_EDGES] = "edges",
	[PP_SPAA_T_LINES] = "lines",     [PP_SPAA_T_FUNC_CELLS] = "func_cells",
	[PP_SPAA_T_META] = "meta",       [PP_SPAA_T_EXTRAS] = "extras",
	[PP_SPAA_T_SOURCES] = "sources", [PP_SPAA_T_PROFILE] = "profile",
};

size_t
pp_spaa_carry_width(const struct pp_profile *p, enum pp_spaa_carry_table table,
                    const struct pp_series *series)
{
	static const size_t widths[PP_SPAA_TABLES] = {
		[PP_SPAA_T_MODULES] = 3, [PP_SPAA_T_FUNCS] = 7,      [PP_SPAA_T_FRAMES] = 9,
		[PP_SPAA_T_NODES] = 2,   [PP_SPAA_T_METRICS] = 10,   [PP_SPAA_T_SERIES] = 10,
		[PP_SPAA_T_ROWS] = 1,    [PP_SPAA_T_EDGES] = 6,      [PP_SPAA_T_LINES] = 5,
		[PP_SPAA_T_META] = 4,    [PP_SPAA_T_FUNC_CELLS] = 1, [PP_SPAA_T_EXTRAS] = 4,
		[PP_SPAA_T_SOURCES] = 3, [PP_SPAA_T_PROFILE] = 18,
	};
	size_t n = widths[table];

	if (table == PP_SPAA_T_ROWS)
		n += series->stride;
	else if (table == PP_SPAA_T_EDGES)
		n += pp_edge_stride(p);
	else if (table == PP_SPAA_T_LINES)
		n += pp_line_stride(p);
	return n;
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

static struct table
table_of(struct pp_spaa_out *o, enum pp_spaa_carry_table table)
{
	return (struct table){ &o->json, pp_spaa_carry_names[table], -1, 0 };
}

#define ROW(t, ...)                                                                                \
	do {                                                                                       \
		const int64_t numbers[] = { __VA_ARGS__ };                                         \
		table_add((t), numbers, PP_COUNT_OF(numbers));                                     \
	} while (0)

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

void
pp_spaa_base64_add(struct pp_buf *out, const void *bytes, size_t n)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = bytes;
	char *to = pp_buf_room(out, n / 3 * 4 + 8);
	size_t i;

	if (!to)
		return;
	for (i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
		             (i + 2 < n ? p[i + 2] : 0u);

		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[v & 63] : '=';
	}
	out->n += (n + 2) / 3 * 4;
}

static int
base64_digit(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool
pp_spaa_base64_take(struct pp_buf *out, struct pp_slice text)
{
	unsigned char *to = (unsigned char *)pp_buf_room(out, text.n / 4 * 3 + 4);
	size_t i, n = text.n;
	uint32_t v = 0;
	unsigned bits = 0;

	if (n % 4)
		return false;
	if (!to)
		return true; /* out->failed says it */
	while (n && text.n - n < 2 && text.p[n - 1] == '=')
		n--;
	for (i = 0; i < n; i++) {
		int digit = base64_digit(text.p[i]);

		if (digit < 0)
			return false;
		v = v << 6 | (uint32_t)digit;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			*to++ = (unsigned char)(v >> bits);
			out->n++;
		}
	}
	return true;
}

/* Bytes of any length as records of base64. */
static void
bytes_write(struct pp_spaa_out *o, const char *name, int64_t series, struct pp_slice bytes)
{
	struct pp_buf text = { 0 };
	size_t at;

	for (at = 0; at < bytes.n && o->w->out->status == PP_OK; at += BYTES_PER_RECORD / 4 * 3) {
		size_t left = bytes.n - at, most = BYTES_PER_RECORD / 4 * 3;

		text.n = 0;
		pp_spaa_base64_add(&text, bytes.p + at, left < most ? left : most);
		if (text.failed)
			break;
		record_begin(&o->json, name);
		if (series >= 0)
			pp_json_put_i64(&o->json, "series", series);
		pp_json_put_text(&o->json, "base64", pp_slice_of(text.p, text.n));
		record_end(&o->json);
	}
	o->failed |= text.failed;
	pp_buf_release(&text);
}

/* ---- tables ----------------------------------------------------------------------------- */

/* Value k of a row of the costs of functions; false when it does not fit a cell. */
static bool
cost_cell(const struct pp_profile *p, size_t row, size_t k, int64_t *cell)
{
	return pp_value_cell(&p->metrics.at[k % p->metrics.n], pp_costs_own(p, row)[k], cell);
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
basis_number(const struct pp_profile *p)
{
	static const int64_t numbers[] = {
		[PP_BASIS_TREE] = PP_SPAA_B_TREE,
		[PP_BASIS_LINES] = PP_SPAA_B_LINES,
		[PP_BASIS_CALLS] = PP_SPAA_B_CALLS,
		[PP_BASIS_COSTS] = PP_SPAA_B_COSTS,
	};

	return p->costs.stated && !carries_costs(p) ? PP_SPAA_B_TREE : numbers[pp_profile_basis(p)];
}

static void
names_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct table t = table_of(o, PP_SPAA_T_MODULES);
	size_t i;

	for (i = 1; i < p->modules.n; i++)
		ROW(&t, p->modules.at[i].name, p->modules.at[i].build_id, p->modules.at[i].kind);
	table_close(&t);
	t = table_of(o, PP_SPAA_T_FUNCS);
	for (i = 1; i < p->funcs.n; i++) {
		const struct pp_func_row *f = &p->funcs.at[i];

		ROW(&t, f->name, f->file, f->module, f->line, f->last_line, f->flags, f->same);
	}
	table_close(&t);
	t = table_of(o, PP_SPAA_T_FRAMES);
	for (i = 1; i < p->frames.n; i++) {
		const struct pp_frame_row *f = &p->frames.at[i];

		ROW(&t, f->func, f->line, f->column, f->site_line, (int64_t)f->address,
		    (int64_t)f->offset, f->inline_depth, f->flags, f->file);
	}
	table_close(&t);
	t = table_of(o, PP_SPAA_T_NODES);
	for (i = 1; i < p->tree.n; i++)
		ROW(&t, pp_tree_parent(&p->tree, (pp_node)i), pp_tree_frame(&p->tree, (pp_node)i));
	table_close(&t);
	t = table_of(o, PP_SPAA_T_METRICS);
	for (i = 0; i < p->metrics.n; i++) {
		const struct pp_metric *m = &p->metrics.at[i];

		ROW(&t, m->name, m->title, m->event, m->unit, m->type, m->kind, m->flags, m->scale,
		    (int64_t)m->factor_num, (int64_t)m->factor_den);
	}
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

static void
series_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct table t = table_of(o, PP_SPAA_T_SERIES);
	size_t i;
	uint32_t row;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		ROW(&t, s->event, s->process, s->thread, s->pid, s->tid, s->cpu, s->context,
		    s->dense, s->has_calls, s->measured);
	}
	table_close(&t);
	for (i = 0; i < p->series.n && !o->failed; i++) {
		const struct pp_series *s = &p->series.at[i];
		int64_t *numbers = malloc((s->stride + 1) * sizeof *numbers);

		t = table_of(o, PP_SPAA_T_ROWS);
		t.series = (int64_t)i;
		for (row = 0; numbers && row < s->rows; row++) {
			if (!pp_series_present(s, row))
				continue;
			numbers[0] = pp_series_node(s, row);
			memcpy(numbers + 1, pp_series_cells(s, row), s->stride * sizeof *numbers);
			table_add(&t, numbers, s->stride + 1);
		}
		table_close(&t);
		o->failed |= !numbers;
		free(numbers);
		timeline_write(o, i);
	}
}

static void
edges_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	size_t stride = pp_edge_stride(p), i;
	struct table t = table_of(o, PP_SPAA_T_EDGES);

	for (i = 0; i < p->calls.rows.n; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];

		ROW(&t, e->caller, e->callee, e->site_file, e->site_line, (int64_t)e->site_address,
		    e->series);
		/* The cells belong to the row: they go into the same record. */
		for (size_t k = 0; k < stride; k++)
			pp_json_i64(&o->json, p->calls.cells.at[i * stride + k]);
		t.n += stride;
	}
	table_close(&t);
	t = table_of(o, PP_SPAA_T_LINES);
	stride = pp_line_stride(p);
	for (i = 0; i < p->lines.rows.n; i++) {
		const struct pp_line_row *l = &p->lines.rows.at[i];

		ROW(&t, l->func, l->file, l->line, l->series, (int64_t)l->address);
		for (size_t k = 0; k < stride; k++)
			pp_json_i64(&o->json, p->lines.cells.at[i * stride + k]);
		t.n += stride;
	}
	table_close(&t);
	t = table_of(o, PP_SPAA_T_FUNC_CELLS);
	for (i = 0; carries_costs(p) && i < p->costs.funcs.n; i++) {
		ROW(&t, (int64_t)p->costs.calls.at[i]);
		for (size_t k = 0; k < 2 * p->metrics.n; k++) {
			int64_t cell;

			(void)cost_cell(p, i, k, &cell);
			ROW(&t, cell);
		}
	}
	table_close(&t);
}

static void
rest_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct table t = table_of(o, PP_SPAA_T_META);
	size_t i;

	for (i = 0; i < p->meta.n; i++)
		ROW(&t, p->meta.at[i].parent, p->meta.at[i].key, p->meta.at[i].text,
		    p->meta.at[i].type);
	table_close(&t);
	t = table_of(o, PP_SPAA_T_EXTRAS);
	for (i = 0; i < p->kept.extras.n; i++)
		ROW(&t, p->kept.extras.at[i].table, p->kept.extras.at[i].row,
		    p->kept.extras.at[i].key, p->kept.extras.at[i].bytes);
	table_close(&t);
	t = table_of(o, PP_SPAA_T_SOURCES);
	for (i = 0; i < p->sources.n; i++)
		ROW(&t, p->sources.at[i].file, p->sources.at[i].line, p->sources.at[i].text);
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
		pp_diag_add(o->w->diags, &pp_spaa_rules[PP_SPAA_R_WRITE_PRIVATE], PP_NOWHERE,
		            "details that only %s understands were left out", native->name);
	if (!o->failed && bytes.n)
		bytes_write(o, "private", -1, pp_slice_of(bytes.p, bytes.n));
	pp_buf_release(&bytes);
}

void
pp_spaa_carry_write(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct table t = table_of(o, PP_SPAA_T_PROFILE);
	char sum[24];

	strings_write(o);
	ROW(&t, p->variant, p->producer, p->complete, p->estimated, p->facets, p->holds,
	    basis_number(p), p->calls.own, p->calls.self_repeats, p->lines.hits, (int64_t)p->events,
	    (int64_t)p->samples, p->time.known, p->time.start, p->time.end, p->recorded_at,
	    p->tree.marks_recursion, 0);
	table_close(&t);
	names_write(o);
	series_write(o);
	edges_write(o);
	rest_write(o);
	private_write(o);
	record_begin(&o->json, "end");
	pp_json_put_textz(&o->json, "format", pp_profile_native(p)->name);
	pp_json_put_u64(&o->json, "stacks", o->stacks);
	snprintf(sum, sizeof sum, "0x%016llx", (unsigned long long)o->sum);
	pp_json_put_textz(&o->json, "sum", sum);
	record_end(&o->json);
}
