/*
 * Profiles into cells: what they have beside their stacks, and the stacks.
 */
#include "store/pack.h"

#include "base/sort.h"
#include "formats/format.h"
#include "model/traits.h"
#include "store/record.h"

/* ---- which ---- */

static bool
series_possible(const struct pp_profile *p, const struct pp_series *s, uint64_t *has_row)
{
	uint32_t row;

	if (s->measured || s->wide || s->timeline.n)
		return false;
	for (row = 0; row < s->rows; row++) {
		pp_node node = pp_series_node(s, row);

		if (pp_series_present(s, row))
			has_row[node >> 6] |= (uint64_t)1 << (node & 63);
	}
	return true;
}

/* Stacks are known by their cells, so every path has to end in one. */
static bool
paths_possible(const struct pp_profile *p)
{
	uint64_t *used = calloc((size_t)p->tree.n / 64 + 1, sizeof *used);
	bool fine = used != NULL;
	pp_node node;
	size_t i;

	for (i = 0; fine && i < p->series.n; i++)
		fine = series_possible(p, &p->series.at[i], used);
	for (node = fine ? p->tree.n - 1 : 0; node && fine; node--) {
		pp_node parent = pp_tree_parent(&p->tree, node);

		fine = used[node >> 6] >> (node & 63) & 1;
		used[parent >> 6] |= (uint64_t)1 << (parent & 63);
	}
	free(used);
	return fine;
}

bool
pp_pack_is_part(const struct pp_profile *p)
{
	return p->holds & (PP_TIMELINE | PP_LINES) || p->unread || pp_profile_falls(p);
}

bool
pp_pack_has_details(const struct pp_profile *p)
{
	const struct pp_format *format = p->format;

	/* One that carries others keeps its records as they were, and does not tell where it was not asked to. */
	return p->holds & PP_EXTRAS || format->carries;
}

/*
 * What addresses are called depends on what is there when it is asked, so such a profile is packed only as a whole; but
 * recordings of Firefox have the names in them, and nobody looks for others.
 */
static bool
has_addresses(const struct pp_profile *p)
{
	const char *format = pp_format_name(p->format);
	size_t i;

	if (strcmp(format, "firefox") == 0 || strcmp(format, "gecko") == 0)
		return false;
	for (i = 1; i < p->frames.n && !p->frames.at[i].address; i++)
		;
	return i < p->frames.n;
}

bool
pp_pack_possible(const struct pp_profile *p, uint64_t findings)
{
	if (findings || !p->complete || p->estimated || p->native || p->held ||
	    p->unread & ~(uint64_t)PP_HAS(TIMELINE))
		return false;
	if ((p->facets & PP_FACETS) != PP_TREE || p->tree.n < 2 || p->series.n == 0)
		return false;
	if (p->calls.rows.n || p->calls.facts.n || p->lines.rows.n || p->sources.n ||
	    p->not_own.n || p->costs.stated || p->costs.funcs.n || p->derived.alone.n)
		return false;
	if (p->metrics.n == 0 || p->metrics.n > PP_FEW_COLUMNS)
		return false;
	return !(pp_pack_is_part(p) && has_addresses(p)) && paths_possible(p);
}

/* ---- what is there beside stacks ---- */

static void
shape_put(const struct pp_profile *p, const struct pp_pack_input *input, bool is_part,
          bool described, struct pp_buf *out)
{
	const char *format = pp_format_name(p->format);
	size_t i;

	pp_record_text(out, pp_slice_z(format));
	pp_record_text(out, pp_text_of(p, p->variant));
	pp_record_text(out, pp_text_of(p, p->producer));
	pp_record_number(out, p->facets);
	pp_record_number(out, p->holds);
	for (i = 0; i < PP_COUNT_OF(p->compression); i++)
		pp_record_text(out, pp_text_of(p, p->compression[i]));
	pp_record_number(out, p->metrics.n);
	for (i = 0; i < p->metrics.n; i++)
		pp_record_row(out, p, PP_TABLE_METRICS, i);
	if (is_part)
		pp_record_number(out, p->unread);
	if (described)
		pp_record_number(out, 1);
}

static void
sub_put(const struct pp_profile *p, const struct pp_series *s, struct pp_buf *out)
{
	pp_labels set;
	uint64_t n = 0;

	pp_record_row(out, p, PP_TABLE_SERIES, (size_t)(s - p->series.at));
	for (set = s->labels; set; set = p->labels.at[set].rest)
		n++;
	pp_record_number(out, n);
	for (set = s->labels; set; set = p->labels.at[set].rest)
		pp_record_row(out, p, PP_TABLE_LABELS, set);
}

static void
own_put(const struct pp_profile *p, uint64_t size, struct pp_buf *out)
{
	size_t i;

	pp_record_number(out, 1);
	pp_record_number(out, p->events);
	pp_record_number(out, p->samples);
	pp_record_number(out, size);
	pp_record_number(out, p->time.known);
	pp_record_number(out, (uint64_t)p->time.start);
	pp_record_number(out, (uint64_t)p->time.end);
	pp_record_number(out, (uint64_t)p->recorded_at);
	pp_record_number(out, p->meta.n);
	for (i = 0; i < p->meta.n; i++)
		pp_record_row(out, p, PP_TABLE_META, i);
	if (p->recorded_ns)
		pp_record_number(out, p->recorded_ns);
}

/* ---- stacks ---- */

/* A row of a series on its way: by the stack that it is of. */
struct row {
	uint32_t stack, row;
};

static int
row_order(const void *left, const void *right, void *context)
{
	const struct row *a = left, *b = right;

	return (a->stack > b->stack) - (a->stack < b->stack);
}

/* Rows of a series in the order of stacks; NULL when out of memory. */
static struct row *
rows_sorted(struct pp_dict *d, const struct pp_series *s, const pp_node *node_map, size_t *n)
{
	struct row *rows = malloc((s->rows + (size_t)1) * sizeof *rows);
	bool sorted = true;
	uint32_t i;

	*n = 0;
	for (i = 0; rows && i < s->rows; i++) {
		struct row row = { .row = i };

		if (!pp_series_present(s, i))
			continue;
		row.stack = pp_dict_stack(d, node_map[pp_series_node(s, i)]);
		if (!row.stack) {
			free(rows);
			return NULL;
		}
		sorted = sorted && (*n == 0 || rows[*n - 1].stack < row.stack);
		rows[(*n)++] = row;
	}
	if (rows && !sorted)
		pp_sort(rows, *n, sizeof *rows, row_order, NULL);
	return rows;
}

/* The cells of one column. All rows are told by the first metric, so that others need not have those that are 0. */
static bool
column_put(struct pp_packed *out, const struct pp_profile *p, uint32_t series, size_t column,
           const struct row *rows, size_t n)
{
	const struct pp_series *s = &p->series.at[series];
	enum pp_cell_type type = column < p->metrics.n ? p->metrics.at[column].type : PP_UINT;
	struct pp_packed_cells *cells;
	uint32_t last = 0;
	size_t i;

	if (!pp_vec_push(&out->cells,
	                 (struct pp_packed_cells){ .series = series, .metric = (uint32_t)column }))
		return false;
	cells = &out->cells.at[out->cells.n - 1];
	for (i = 0; i < n; i++) {
		int64_t cell = pp_series_cells(s, rows[i].row)[column];

		if (cell || column == 0)
			pp_cells_put(&cells->data, type, &last, rows[i].stack, cell, &cells->sum);
	}
	return !cells->data.failed;
}

static pp_status
series_pack(struct pp_dict *d, const struct pp_profile *p, uint32_t series, const pp_node *node_map,
            struct pp_packed *out)
{
	const struct pp_series *s = &p->series.at[series];
	size_t n, column, columns = p->metrics.n + s->has_calls;
	struct row *rows = rows_sorted(d, s, node_map, &n), *unique;
	bool fine = rows != NULL;
	struct pp_buf sub = { 0 };

	/* Nodes that the dictionary knows as one would have to be added up. */
	for (unique = rows; fine && n && unique < rows + n - 1; unique++)
		if (unique[0].stack == unique[1].stack) {
			free(rows);
			return PP_E_UNSUPPORTED;
		}
	sub_put(p, s, &sub);
	fine = fine && !sub.failed && pp_vec_push(&out->subs, sub);
	if (!fine)
		pp_buf_release(&sub);
	for (column = 0; fine && column < columns; column++)
		fine = column_put(out, p, series, column, rows, n);
	free(rows);
	return fine ? PP_OK : PP_E_NOMEM;
}

/* Two series that say the same of themselves would become one. */
static bool
subs_differ(const struct pp_packed *out)
{
	size_t i, k;

	for (i = 1; i < out->subs.n; i++)
		for (k = 0; k < i; k++)
			if (pp_slice_eq(pp_slice_of(out->subs.at[i].p, out->subs.at[i].n),
			                pp_slice_of(out->subs.at[k].p, out->subs.at[k].n)))
				return false;
	return true;
}

/* More series would take too long to compare, and a merge keeps no more threads. */
#define SERIES_MAX 1024

pp_status
pp_pack(struct pp_dict *d, const struct pp_profile *p, const struct pp_pack_input *input,
        struct pp_packed *out)
{
	bool described = input->noted || p->markers;
	pp_node *node_map = malloc(p->tree.n * sizeof *node_map);
	pp_status status = node_map ? PP_OK : PP_E_NOMEM;
	uint32_t series;

	*out = (struct pp_packed){ 0 };
	if (p->series.n > SERIES_MAX)
		status = PP_E_UNSUPPORTED;
	if (status == PP_OK)
		status = pp_dict_add(d, p, node_map);
	for (series = 0; status == PP_OK && series < p->series.n; series++)
		status = series_pack(d, p, series, node_map, out);
	free(node_map);
	if (status == PP_OK && !subs_differ(out))
		status = PP_E_UNSUPPORTED;
	if (status != PP_OK)
		return status;
	out->is_part = described || pp_pack_is_part(p);
	out->is_detailed = pp_pack_has_details(p);
	shape_put(p, input, out->is_part, described, &out->shape);
	own_put(p, input->size, &out->own);
	return out->shape.failed || out->own.failed ? PP_E_NOMEM : PP_OK;
}

void
pp_packed_release(struct pp_packed *packed)
{
	size_t i;

	pp_buf_release(&packed->shape);
	pp_buf_release(&packed->own);
	for (i = 0; i < packed->subs.n; i++)
		pp_buf_release(&packed->subs.at[i]);
	pp_vec_release(&packed->subs);
	for (i = 0; i < packed->cells.n; i++)
		pp_buf_release(&packed->cells.at[i].data);
	pp_vec_release(&packed->cells);
}
