/*
 * Cost per source line.
 */
#include "analysis/linecost.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/places.h"
#include "base/sort.h"
#include "base/stops.h"

/* ---- sorting ---------------------------------------------------------------------------- */

/* What is sorted: a number, and whose it is. */
struct item {
	uint64_t key;
	uint32_t at;
};

/* Sorts by key, ascending, equal ones as they were: byte by byte, those that all have in common left out. */
static bool
items_sort(struct item *items, size_t n)
{
	struct item *other = n > 1 ? malloc(n * sizeof *other) : NULL, *from = items, *to = other;
	uint64_t some = 0, all = UINT64_MAX;
	unsigned shift;
	size_t i;

	if (n > 1 && !other)
		return false;
	for (i = 0; i < n; i++) {
		some |= items[i].key;
		all &= items[i].key;
	}
	for (shift = 0; n > 1 && shift < 64 && !pp_account_stops(); shift += 8) {
		size_t start[257] = { 0 };
		struct item *swap = from;

		if (((some ^ all) >> shift & 0xff) == 0)
			continue;
		for (i = 0; i < n; i++)
			start[(from[i].key >> shift & 0xff) + 1]++;
		for (i = 1; i < 257; i++)
			start[i] += start[i - 1];
		for (i = 0; i < n && !pp_account_stops_at(i); i++)
			to[start[from[i].key >> shift & 0xff]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof *items);
	free(other);
	return !pp_account_stops();
}

/* Numbers that go up as values go down; false when a value does not fit. */
static bool
falling(const struct pp_metric *m, union pp_value v, uint64_t *key)
{
	uint64_t bits;

	if (m->type == PP_REAL) {
		double d = v.d == 0 ? 0 : v.d; /* no -0 */

		memcpy(&bits, &d, sizeof bits);
		bits = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
	} else if (v.i < INT64_MIN || v.i > INT64_MAX) {
		return false;
	} else {
		bits = (uint64_t)(int64_t)v.i ^ (uint64_t)1 << 63;
	}
	*key = ~bits;
	return true;
}

/* ---- adding up -------------------------------------------------------------------------- */

/* A cost that belongs to a line, on its way. */
struct part {
	pp_str file;
	uint32_t line;
	pp_func func;
	const struct pp_series *series; /* whose row `row` it is; NULL = it is that of a line */
	uint32_t row;
	uint64_t hits;
};

/* Lines as the profile has them, or what was collected from frames. */
struct parts {
	const struct pp_profile *lines; /* NULL = collected */
	size_t n;
	PP_VEC(struct part) at;
};

static struct part
part_of(const struct parts *parts, size_t i)
{
	const struct pp_profile *p = parts->lines;
	const struct pp_line_row *line;

	if (!p)
		return parts->at.at[i];
	line = &p->lines.rows.at[i];
	return (struct part){
		.file = line->file ? line->file : p->funcs.at[line->func].file,
		.line = line->line,
		.func = line->func,
		.row = (uint32_t)i,
		.hits = p->lines.hits ? (uint64_t)pp_line_cell(p, i, 0) : 0,
	};
}

bool
pp_line_is_placeless(const struct pp_profile *p, pp_str file)
{
	static const char *const unknown[] = { "???", "??", "<unknown>", "(unknown)", "[unknown]" };
	struct pp_slice name = pp_text_of(p, file);
	size_t i;

	if (name.n == 0)
		return true;
	for (i = 0; i < PP_COUNT_OF(unknown); i++)
		if (pp_slice_eq_z(name, unknown[i]))
			return true;
	return false;
}

static inline pp_str
part_file(const struct parts *parts, size_t i)
{
	const struct pp_profile *p = parts->lines;
	const struct pp_line_row *line;

	if (!p)
		return parts->at.at[i].file;
	line = &p->lines.rows.at[i];
	return line->file ? line->file : p->funcs.at[line->func].file;
}

/* The own cost of a node belongs to the line of its frame. */
static bool
from_frames(const struct pp_profile *p, struct parts *parts)
{
	uint32_t r;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (r = 0; r < s->rows; r++) {
			pp_node node = pp_series_node(s, r);
			const struct pp_frame_row *frame =
			    &p->frames.at[pp_tree_frame(&p->tree, node)];
			struct part part = {
				.line = frame->line, .func = frame->func, .series = s, .row = r
			};

			if (node == 0 || !frame->line || !pp_series_present(s, r))
				continue;
			part.file = frame->file ? frame->file : p->funcs.at[frame->func].file;
			if (!pp_vec_push(&parts->at, part))
				return false;
		}
	}
	parts->n = parts->at.n;
	return true;
}

static bool
frames_have_lines(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->frames.n; i++)
		if (p->frames.at[i].line)
			return true;
	return false;
}

static int
compare_files(const void *left, const void *right, void *profile)
{
	return pp_slice_cmp(pp_text_of(profile, *(const pp_str *)left),
	                    pp_text_of(profile, *(const pp_str *)right));
}

/* The ranks of the files that occur, by name. */
struct ranks {
	uint32_t *of;  /* by string */
	bool *unknown; /* by rank: nothing is known of the file; NULL = of none */
};

static void
ranks_release(struct ranks *r)
{
	free(r->of);
	free(r->unknown);
}

static bool
ranks_find(const struct pp_profile *p, const struct parts *parts, struct ranks *r)
{
	PP_VEC(pp_str) files = { 0 };
	bool fine = (r->of = calloc(p->strs.strs.n + 1, sizeof *r->of)) != NULL;
	size_t i;

	for (i = 0; fine && i < parts->n; i++) {
		pp_str file = part_file(parts, i);

		if (r->of[file])
			continue;
		fine = pp_vec_push(&files, file);
		r->of[file] = 1;
	}
	if (fine && files.n > 1)
		pp_sort(files.at, files.n, sizeof *files.at, compare_files, (void *)(uintptr_t)p);
	for (i = 0; fine && i < files.n; i++) {
		r->of[files.at[i]] = (uint32_t)i;
		if (!pp_line_is_placeless(p, files.at[i]))
			continue;
		if (!r->unknown)
			fine = (r->unknown = calloc(files.n, sizeof *r->unknown)) != NULL;
		if (fine)
			r->unknown[i] = true;
	}
	pp_vec_release(&files);
	return fine;
}

static void
cells_add(struct pp_linecost *l, size_t row, struct pp_cells cells)
{
	pp_ledger_add_cells(&l->cost, row, cells);
	pp_values_add_cells(l->profile, l->whole, cells);
}

static double
cost_of(const struct pp_linecost *l, size_t metric, const struct part *part)
{
	const struct pp_profile *p = l->profile;
	const struct pp_metric *m = &p->metrics.at[metric];
	int64_t cell = part->series ? pp_series_cell(part->series, part->row, metric)
	                            : pp_line_cell(p, part->row, p->lines.hits + metric);

	return fabs(pp_value_double(m, pp_cell_value(m, cell)));
}

/* Whether two parts of an unknown file are of different functions. */
static bool
is_other_func(const struct pp_profile *p, const struct parts *parts, const struct item *a,
              const struct item *b)
{
	return p->funcs.at[part_of(parts, a->at).func].same !=
	       p->funcs.at[part_of(parts, b->at).func].same;
}

/* Whether a row begins: another line or, if the file is not known, another function. */
static inline bool
begins_row(const struct pp_profile *p, const struct parts *parts, const struct item *order,
           size_t i, const bool *unknown)
{
	return i == 0 || order[i].key != order[i - 1].key ||
	       (unknown && unknown[order[i].key >> 32] &&
	        is_other_func(p, parts, &order[i - 1], &order[i]));
}

/* Parts in the order of their places, those of one row next to each other, become rows. */
static bool
rows_make(struct pp_linecost *l, const struct parts *parts, const struct item *order,
          const bool *unknown)
{
	const struct pp_profile *p = l->profile;
	size_t rows = 0, i, primary = pp_profile_primary(p);
	struct pp_line_cost *row;
	double most = 0;

	for (i = 0; i < parts->n; i++)
		rows += begins_row(p, parts, order, i, unknown);
	if (!pp_vec_reserve(&l->rows, rows) || !pp_ledger_init(&l->cost, p, rows))
		return false;
	for (i = 0; i < parts->n && !pp_account_stops_at(i); i++) {
		struct part part = part_of(parts, order[i].at);
		double cost = primary < l->metrics ? cost_of(l, primary, &part) : 0;

		if (begins_row(p, parts, order, i, unknown)) {
			l->rows.at[l->rows.n++] = (struct pp_line_cost){ .file = part.file,
				                                         .line = part.line };
			most = -1;
		}
		row = &l->rows.at[l->rows.n - 1];
		/* The cost of a whole file belongs to none of its functions. */
		row->shared |= part.line == 0 && most >= 0 &&
		               p->funcs.at[row->func].same != p->funcs.at[part.func].same;
		if (cost > most) {
			row->func = part.func;
			most = cost;
		}
		pp_count_add(&l->rows.at[l->rows.n - 1].hits, part.hits);
		cells_add(l, l->rows.n - 1,
		          part.series ? pp_series_costs(p, part.series, part.row)
		                      : pp_line_costs(p, part.row));
	}
	return !l->cost.failed && !pp_account_stops();
}

static int
compare_funcs(const void *left, const void *right, void *profile)
{
	return pp_func_cmp(profile, *(const pp_func *)left, *(const pp_func *)right);
}

/*
 * Puts parts whose file is not known into the order of their functions: those of one are next to each other when they are
 * sorted by place.
 */
static bool
order_by_function(const struct pp_profile *p, const struct parts *parts, const struct ranks *ranks,
                  struct item *order)
{
	uint32_t *rank = calloc(p->funcs.n + 1, sizeof *rank);
	PP_VEC(pp_func) funcs = { 0 };
	bool fine = rank != NULL;
	size_t i;

	for (i = 0; fine && i < parts->n; i++) {
		struct part part = part_of(parts, i);
		pp_func func = p->funcs.at[part.func].same;

		if (!rank[func] && ranks->unknown[ranks->of[part.file]]) {
			rank[func] = 1;
			fine = pp_vec_push(&funcs, func);
		}
	}
	if (fine && funcs.n > 1)
		pp_sort(funcs.at, funcs.n, sizeof *funcs.at, compare_funcs, (void *)(uintptr_t)p);
	for (i = 0; fine && i < funcs.n; i++)
		rank[funcs.at[i]] = (uint32_t)i + 1;
	for (i = 0; fine && i < parts->n; i++) {
		struct part part = part_of(parts, i);

		order[i] = (struct item){ .at = (uint32_t)i };
		if (ranks->unknown[ranks->of[part.file]])
			order[i].key = rank[p->funcs.at[part.func].same];
	}
	fine = fine && (funcs.n < 2 || items_sort(order, parts->n));
	pp_vec_release(&funcs);
	free(rank);
	return fine;
}

static bool
parts_add_up(struct pp_linecost *l, const struct parts *parts)
{
	struct item *order = malloc((parts->n + 1) * sizeof *order);
	struct ranks ranks = { 0 };
	bool fine = order && ranks_find(l->profile, parts, &ranks);
	size_t i;

	fine = fine && (!ranks.unknown || order_by_function(l->profile, parts, &ranks, order));
	for (i = 0; fine && i < parts->n && !pp_account_stops_at(i); i++) {
		struct part part;

		if (!ranks.unknown)
			order[i].at = (uint32_t)i;
		part = part_of(parts, order[i].at);
		order[i].key = (uint64_t)ranks.of[part.file] << 32 | part.line;
	}
	fine = fine && !pp_account_stops() && items_sort(order, parts->n) &&
	       rows_make(l, parts, order, ranks.unknown);
	free(order);
	ranks_release(&ranks);
	return fine;
}

/* What the file does not say is told by the places of functions. */
static bool
funcs_find(struct pp_linecost *l)
{
	struct pp_places places;
	bool fine = true;
	size_t i;

	for (i = 0; i < l->rows.n; i++)
		if (l->rows.at[i].shared)
			l->rows.at[i].func = 0;
	for (i = 0; i < l->rows.n && (l->rows.at[i].func || l->rows.at[i].shared); i++)
		l->rows.at[i].func = l->profile->funcs.at[l->rows.at[i].func].same;
	if (i == l->rows.n)
		return true;
	fine = pp_places_init(&places, l->profile);
	for (; fine && i < l->rows.n && !pp_account_stops_at(i); i++) {
		struct pp_line_cost *row = &l->rows.at[i];

		if (row->shared)
			continue;
		row->func = row->func ? l->profile->funcs.at[row->func].same
		                      : pp_place_func(&places, row->file, row->line);
	}
	pp_places_release(&places);
	return fine;
}

pp_status
pp_linecost_compute(const struct pp_profile *p, struct pp_linecost *l)
{
	struct parts parts = { .lines = p->lines.rows.n ? p : NULL, .n = p->lines.rows.n };
	bool fine;
	size_t m;

	*l = (struct pp_linecost){ .profile = p, .metrics = p->metrics.n };
	if (p->lines.rows.n == 0 && !frames_have_lines(p))
		return PP_E_UNSUPPORTED;
	l->has_hits = p->lines.rows.n && p->lines.hits;
	l->whole = calloc(l->metrics + 1, sizeof *l->whole);
	for (m = 0; l->whole && m < l->metrics; m++)
		l->whole[m] = pp_value_zero(&p->metrics.at[m]);
	fine = l->whole && (p->lines.rows.n || from_frames(p, &parts)) && parts_add_up(l, &parts) &&
	       funcs_find(l);
	pp_vec_release(&parts.at);
	if (!fine)
		pp_linecost_release(l);
	return fine ? PP_OK : PP_E_NOMEM;
}

union pp_value
pp_linecost_gained(const struct pp_linecost *l, size_t row, size_t metric)
{
	const struct pp_profile *p = l->profile;
	size_t known = pp_metric_gained(p, metric);

	return pp_value_gained(&p->metrics.at[metric], pp_ledger_get(&l->cost, row, metric),
	                       known < p->metrics.n ? pp_ledger_get(&l->cost, row, known)
	                                            : pp_value_zero(&p->metrics.at[metric]));
}

union pp_value
pp_linecost_whole(const struct pp_linecost *l, size_t metric, bool alone)
{
	const struct pp_profile *p = l->profile;
	const struct pp_metric *m = &p->metrics.at[metric];
	size_t shares = pp_metric_of_shares(p, metric), row;
	union pp_value lines = l->whole[shares], all = pp_profile_total(p, shares);

	if (pp_metric_falls(m) && shares == metric)
		for (lines = pp_value_zero(m), row = 0; row < l->rows.n; row++)
			pp_value_add(m, &lines, pp_linecost_gained(l, row, metric));
	return alone || pp_value_cmp(m, lines, all) > 0 ? lines : all;
}

static bool
metric_is_known(const struct pp_linecost *l, size_t metric)
{
	const struct pp_metric *m = &l->profile->metrics.at[metric];
	size_t row;

	for (row = 0; row < l->rows.n; row++)
		if (pp_value_cmp(m, pp_ledger_get(&l->cost, row, metric), pp_value_zero(m)) != 0)
			return true;
	return false;
}

size_t
pp_linecost_metric(const struct pp_linecost *l, size_t preferred)
{
	size_t metric, shown = pp_metrics_shown(l->profile);

	if (preferred >= shown || metric_is_known(l, preferred))
		return preferred;
	for (metric = 0; metric < shown; metric++)
		if (metric_is_known(l, metric))
			return metric;
	return preferred;
}

void
pp_linecost_release(struct pp_linecost *l)
{
	pp_vec_release(&l->rows);
	pp_ledger_release(&l->cost);
	free(l->whole);
	*l = (struct pp_linecost){ 0 };
}

/* ---- the order of rows ------------------------------------------------------------------ */

/* Sums beyond 64 bits. */
struct wide {
	const struct pp_linecost *lines;
	size_t metric;
};

static int
compare_wide(const void *left, const void *right, void *context)
{
	const struct wide *w = context;
	const struct pp_linecost *l = w->lines;
	size_t a = ((const struct item *)left)->at, b = ((const struct item *)right)->at;
	int c = pp_value_cmp(&l->profile->metrics.at[w->metric],
	                     pp_ledger_get(&l->cost, b, w->metric),
	                     pp_ledger_get(&l->cost, a, w->metric));

	return c ? c : (a > b) - (a < b);
}

/* Puts the rows into the order of items. */
static bool
rows_permute(struct pp_linecost *l, const struct item *items)
{
	size_t n = l->rows.n, i;
	uint32_t *order = malloc(n * sizeof *order);
	bool fine;

	for (i = 0; order && i < n; i++)
		order[i] = items[i].at;
	fine = order && pp_items_permute(l->rows.at, sizeof *l->rows.at, order, n) &&
	       pp_ledger_permute(&l->cost, order, n);
	free(order);
	return fine;
}

bool
pp_linecost_sort(struct pp_linecost *l, enum pp_line_order by, size_t metric)
{
	struct wide wide = { l, metric };
	bool fine, fits = true;
	struct item *order;
	size_t i;

	if (l->rows.n < 2 || by == PP_LINES_BY_PLACE ||
	    (by == PP_LINES_BY_COST && metric >= l->metrics))
		return true;
	order = malloc(l->rows.n * sizeof *order);
	for (i = 0; order && i < l->rows.n && !pp_account_stops_at(i); i++) {
		order[i].at = (uint32_t)i;
		if (by == PP_LINES_BY_HITS)
			order[i].key = ~l->rows.at[i].hits;
		else
			fits &= falling(&l->profile->metrics.at[metric],
			                pp_ledger_get(&l->cost, i, metric), &order[i].key);
	}
	fine = order && !pp_account_stops();
	if (fine && !fits)
		pp_sort(order, l->rows.n, sizeof *order, compare_wide, &wide);
	fine = fine && (!fits || items_sort(order, l->rows.n)) && rows_permute(l, order);
	free(order);
	return fine;
}
