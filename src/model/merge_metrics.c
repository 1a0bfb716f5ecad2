/*
 * The metrics of a merged profile: found by meaning, added when new, rescaled when a finer unit comes.
 */
#include "model/merge.h"

#include "model/schema.h"

/* The same of rows that have only cells that are not 0: what stands behind it is called otherwise. */
static bool
wide_widen(const struct pp_cell_block *b, size_t at)
{
	uint32_t *new_of, shift = 0;
	size_t c;

	if (b->set[b->sets - 1] + at >= b->stride)
		return true;
	new_of = malloc(b->stride * sizeof *new_of);
	for (c = 0; new_of && c < b->stride; c++) {
		shift += shift < b->sets && c == b->set[shift] + at;
		new_of[c] = (uint32_t)c + shift;
	}
	if (new_of)
		pp_wide_rename(*b->wide, new_of);
	free(new_of);
	return new_of != NULL;
}

/* Rows of calls or lines from now on have only cells that are not 0. */
static bool
block_thin(const struct pp_cell_block *b)
{
	struct pp_wide *wide = pp_wide_new(sizeof **b->cells, 0);
	bool ok = wide != NULL;
	size_t row;

	for (row = 0; ok && row < b->rows; row++)
		ok = pp_wide_add_cells(wide, *b->cells + row * b->stride, b->stride);
	if (!ok) {
		pp_wide_free(wide);
		return false;
	}
	free(*b->cells);
	*b->cells = NULL;
	*b->n = *b->cap = 0;
	*b->wide = wide;
	return true;
}

/* Gives every row room for one more metric at a place of each set, zero. False when out of memory. */
static bool
block_widen(const struct pp_cell_block *b, size_t metrics, size_t at)
{
	size_t wide = b->stride + b->sets, bytes, row, set, c;
	int64_t *fresh;

	if (b->rows == 0)
		return true;
	if (b->n && !*b->wide && metrics >= PP_FEW_COLUMNS && !block_thin(b))
		return false;
	if (*b->wide)
		return wide_widen(b, at);
	if (!pp_size_mul(b->rows, wide * sizeof *fresh, &bytes))
		return false;
	fresh = calloc(b->rows * wide, sizeof *fresh);
	if (!fresh)
		return false;
	for (row = 0; row < b->rows; row++)
		for (c = 0, set = 0; c < b->stride; c++) {
			set += set < b->sets && c == b->set[set] + at;
			fresh[row * wide + c + set] = (*b->cells)[row * b->stride + c];
		}
	free(*b->cells);
	*b->cells = fresh;
	if (b->n)
		*b->n = *b->cap = b->rows * wide;
	return true;
}

/* The same for the costs of functions. */
static bool
costs_widen(struct pp_profile *p, size_t at)
{
	size_t n = p->metrics.n, sets = 2 * p->costs.funcs.n, set, m;
	union pp_value *cells;

	if (p->costs.wide)
		return wide_widen(
		    &(struct pp_cell_block){ .wide = &p->costs.wide, .stride = n, .sets = 1 }, at);
	if (!pp_vec_reserve(&p->costs.cells, sets * (n + 1)))
		return false;
	cells = p->costs.cells.at;
	for (set = sets; set-- > 0;) {
		for (m = n; m-- > 0;)
			cells[set * (n + 1) + m + (m >= at)] = cells[set * n + m];
		cells[set * (n + 1) + at] = (union pp_value){ 0 };
	}
	p->costs.cells.n = sets * (n + 1);
	return true;
}

bool
pp_profile_widen(struct pp_profile *p, const struct pp_metric *metric)
{
	bool gained = metric->flags & PP_METRIC_GAINED;
	size_t i, blocks = pp_cell_blocks(p), at = gained ? p->metrics.n : pp_metrics_shown(p);
	struct pp_metric last;

	for (i = 0; i < blocks; i++) {
		struct pp_cell_block block = pp_cell_block(p, i);

		if (!block_widen(&block, p->metrics.n, at))
			return false;
		if (i < p->series.n) {
			p->series.at[i].rows_cap = p->series.at[i].rows;
			p->series.at[i].stride += (uint32_t)block.sets;
		}
	}
	if (!costs_widen(p, at) || !pp_metrics_push(p, metric))
		return false;
	last = p->metrics.at[p->metrics.n - 1];
	memmove(p->metrics.at + at + 1, p->metrics.at + at,
	        (p->metrics.n - 1 - at) * sizeof *p->metrics.at);
	p->metrics.at[at] = last;
	for (i = 0; i < p->not_own.n; i++)
		p->not_own.at[i].metric += p->not_own.at[i].metric >= at;
	return true;
}

bool
pp_build_metric_late(struct pp_builder *b, const struct pp_metric *metric)
{
	return pp_profile_widen(b->profile, metric);
}

/* A cell of a block; NULL where it is 0. */
static int64_t *
block_cell(const struct pp_cell_block *b, size_t row, size_t column)
{
	if (!*b->wide)
		return &(*b->cells)[row * b->stride + column];
	return pp_wide_find(*b->wide, row, (uint32_t)column)
	           ? pp_wide_at(*b->wide, row, (uint32_t)column)
	           : NULL;
}

/* The costs of functions, likewise. */
static void
costs_rescale(struct pp_profile *p, size_t metric, const struct pp_metric_join *join)
{
	const struct pp_metric from = p->metrics.at[metric];
	size_t i;

	for (i = metric; i < p->costs.cells.n; i += p->metrics.n)
		p->costs.cells.at[i] = pp_value_convert(&from, &join->to, join->mul_a,
		                                        p->costs.cells.at[i]);
	for (i = 0; p->costs.wide && i < p->costs.wide->rows.n; i++) {
		struct pp_cost_pair *pair;

		if (!pp_wide_find(p->costs.wide, i, (uint32_t)metric))
			continue;
		pair = pp_wide_at(p->costs.wide, i, (uint32_t)metric);
		pair->own = pp_value_convert(&from, &join->to, join->mul_a, pair->own);
		pair->total = pp_value_convert(&from, &join->to, join->mul_a, pair->total);
	}
}

/* Stores a metric another way; false when a cell no longer fits. */
static bool
metric_rescale(struct pp_profile *p, size_t metric, const struct pp_metric_join *join)
{
	const struct pp_metric from = p->metrics.at[metric];
	size_t i, set, row;
	bool fine = true;

	for (i = 0; i < pp_cell_blocks(p); i++) {
		struct pp_cell_block b = pp_cell_block(p, i);

		for (set = 0; set < b.sets; set++)
			for (row = 0; fine && row < b.rows; row++) {
				int64_t *cell = block_cell(&b, row, b.set[set] + metric);

				fine = !cell ||
				       pp_cell_convert(&from, &join->to, join->mul_a, cell);
			}
	}
	for (i = 0; fine && i < p->not_own.n; i++)
		fine = p->not_own.at[i].metric != metric ||
		       pp_cell_convert(&from, &join->to, join->mul_a, &p->not_own.at[i].cell);
	for (i = 0; fine && i < p->calls.facts.n; i++)
		fine = p->calls.facts.at[i].metric != metric ||
		       pp_cell_convert(&from, &join->to, join->mul_a,
		                       &p->calls.facts.at[i].recursive);
	costs_rescale(p, metric, join);
	p->metrics.at[metric] = join->to;
	return fine;
}

static bool
same_storage(const struct pp_metric *a, const struct pp_metric *b)
{
	return a->type == b->type && a->scale == b->scale && a->factor_num == b->factor_num &&
	       a->factor_den == b->factor_den;
}

/* Makes both store the same way. */
static pp_status
metric_meet(struct pp_profile *into, size_t metric, const struct pp_metric *from,
            struct pp_metric_way *way, struct pp_buf *problem)
{
	struct pp_metric_join join;

	way->to = (uint32_t)metric;
	if (!pp_metric_join(&into->metrics.at[metric], from, &join)) {
		pp_buf_adds(problem, "their units have no common measure that fits 64 bits");
		return PP_E_USAGE;
	}
	way->mul = join.mul_b;
	way->converts = !same_storage(from, &join.to);
	if (same_storage(&into->metrics.at[metric], &join.to)) {
		into->metrics.at[metric].flags = join.to.flags;
		return PP_OK;
	}
	if (metric_rescale(into, metric, &join))
		return PP_OK;
	pp_buf_adds(problem, "values of ");
	pp_metric_label(into, &into->metrics.at[metric], problem);
	pp_buf_adds(problem, " pass 64 bits in the unit that both have in common");
	return PP_E_LIMIT;
}

static struct pp_metric
metric_copy(struct pp_builder *b, const struct pp_profile *from, const struct pp_metric *m)
{
	struct pp_metric copy = *m;

	copy.name = pp_build_str(b, pp_text_of(from, m->name));
	copy.title = pp_build_str(b, pp_text_of(from, m->title));
	copy.event = pp_build_str(b, pp_text_of(from, m->event));
	copy.unit = pp_build_str(b, pp_text_of(from, m->unit));
	copy.flags &= ~(unsigned)PP_METRIC_PRIMARY;
	return copy;
}

static void
metrics_list(struct pp_buf *out, const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < pp_metrics_shown(p) && i < 8; i++) {
		struct pp_slice name = pp_text_of(p, p->metrics.at[i].name);
		struct pp_slice unit = pp_text_of(p, p->metrics.at[i].unit);

		pp_buf_addf(out, "%s%.*s (%.*s)", i ? ", " : "", (int)name.n, (const char *)name.p,
		            (int)unit.n, (const char *)unit.p);
	}
	pp_buf_adds(out, p->metrics.n == 0 ? "nothing" : pp_metrics_shown(p) > 8 ? ", ..." : "");
}

static bool
is_sole(const struct pp_profile *p, size_t metric)
{
	return pp_profile_metric_sole(p, p, &p->metrics.at[metric]) == metric;
}

/* What is known of a kind of metric; NULL when nothing is, or the kind does not say what it means. */
static struct pp_merge_kind *
kind_find(const struct pp_merge *m, const struct pp_profile *p, const struct pp_metric *metric)
{
	size_t i;

	for (i = 0; i < m->kinds.n && metric->kind != PP_KIND_OTHER; i++)
		if (m->kinds.at[i].kind == metric->kind &&
		    (metric->kind == PP_KIND_SAMPLES ||
		     pp_slice_eq(pp_strtab_get(&m->texts, m->kinds.at[i].unit),
		                 pp_text_of(p, metric->unit))))
			return &m->kinds.at[i];
	return NULL;
}

static bool
text_note(struct pp_merge *m, const struct pp_profile *p, pp_str text, pp_str *own)
{
	struct pp_slice s = pp_text_of(p, text);
	bool is_new;

	return pp_strtab_intern(&m->texts, s.p, s.n, own, &is_new);
}

bool
pp_merge_is_empty(const struct pp_profile *p)
{
	uint32_t row;
	size_t i;

	if (p->tree.n > 1 || p->calls.rows.n || p->lines.rows.n || p->costs.funcs.n)
		return false;
	for (i = 0; i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++)
			if (pp_series_present(&p->series.at[i], row))
				return false;
	return true;
}

bool
pp_merge_see(struct pp_merge *m, const struct pp_profile *from)
{
	size_t i;

	/* What is empty is like everything. */
	if (pp_merge_is_empty(from))
		return true;
	for (i = 0; i < pp_metrics_shown(from); i++) {
		const struct pp_metric *metric = &from->metrics.at[i];
		struct pp_merge_kind *kind = kind_find(m, from, metric), made = { 0 };
		pp_str event, name;

		if (metric->kind == PP_KIND_OTHER)
			continue;
		made.kind = metric->kind;
		if (!text_note(m, from, metric->unit, &made.unit) ||
		    !text_note(m, from, metric->event, &event) ||
		    !text_note(m, from, metric->name, &name) ||
		    (!kind && !pp_vec_push(&m->kinds, made)))
			return false;
		kind = kind ? kind : &m->kinds.at[m->kinds.n - 1];
		kind->several |= !is_sole(from, i);
		kind->mixed |= event && kind->event && (event != kind->event || name != kind->name);
		if (event && !kind->event) {
			kind->event = event;
			kind->name = name;
		}
	}
	return true;
}

/*
 * The metric of the result that one of `from` is added to; metrics.n when it is a new one. Those of the same name,
 * event, kind and unit belong together. So do those of other names, if no profile has two of their kind and unit:
 * without an event, or with the only one that there is.
 */
static size_t
metric_find(const struct pp_merge *m, const struct pp_profile *from, size_t metric)
{
	const struct pp_profile *into = m->builder.profile;
	const struct pp_metric *wanted = &from->metrics.at[metric];
	const struct pp_merge_kind *kind = kind_find(m, from, wanted);
	size_t i, at = pp_profile_metric_same(into, from, wanted);

	if (at < into->metrics.n || !m->all_seen || !kind || kind->several)
		return at;
	for (i = 0; i < into->metrics.n; i++) {
		const struct pp_metric *own = &into->metrics.at[i];

		if (!(own->event && wanted->event) &&
		    (!kind->mixed || (!own->event && !wanted->event)) &&
		    pp_metric_same_kind(into, own, from, wanted))
			return i;
	}
	return into->metrics.n;
}

bool
pp_merge_must_wait(const struct pp_merge *m, const struct pp_profile *from)
{
	const struct pp_profile *into = m->builder.profile;
	size_t i, k;

	for (i = 0; !m->all_seen && i < pp_metrics_shown(from); i++) {
		const struct pp_metric *metric = &from->metrics.at[i];

		if (metric->kind == PP_KIND_OTHER ||
		    pp_profile_metric_same(into, from, metric) < into->metrics.n)
			continue;
		for (k = 0; k < into->metrics.n; k++)
			if (pp_metric_same_kind(into, &into->metrics.at[k], from, metric))
				return true;
	}
	return false;
}

/* Whether a profile counts events, of which one recording may have any. */
static bool
has_events(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->metrics.n && !p->metrics.at[i].event; i++)
		;
	return i < p->metrics.n;
}

/* The metric of what one gained, known of all or not. */
static size_t
gains_find(const struct pp_profile *p, size_t net)
{
	size_t i = pp_metrics_shown(p);

	while (i < p->metrics.n && p->metrics.at[i].net != net)
		i++;
	return i;
}

/* Room for what is known of one more metric. */
static bool
merged_insert(struct pp_merge *m, size_t at)
{
	if (!pp_vec_push(&m->metrics, (struct pp_merged_metric){ 0 }))
		return false;
	memmove(m->metrics.at + at + 1, m->metrics.at + at,
	        (m->metrics.n - 1 - at) * sizeof *m->metrics.at);
	m->metrics.at[at] = (struct pp_merged_metric){ 0 };
	return true;
}

/* Finds the metric that one of `from` is added to, or makes it. */
static pp_status
metric_merge(struct pp_merge *m, const struct pp_profile *from, size_t metric,
             struct pp_metric_way *ways, struct pp_buf *problem)
{
	struct pp_profile *into = m->builder.profile;
	const struct pp_metric *own = &from->metrics.at[metric];
	bool gained = own->flags & PP_METRIC_GAINED;
	struct pp_metric_way *way = &ways[metric];
	/* Gains go where what gained went. */
	size_t at = gained ? gains_find(into, ways[own->net].to) : metric_find(m, from, metric);
	unsigned preference = pp_metric_preference(from, own);
	struct pp_metric copy;
	pp_status status;

	if (at < into->metrics.n) {
		status = metric_meet(into, at, own, way, problem);
	} else {
		at = gained ? into->metrics.n : pp_metrics_shown(into);
		copy = metric_copy(&m->builder, from, own);
		copy.net = gained ? ways[own->net].to : 0;
		*way = (struct pp_metric_way){ .to = (uint32_t)at, .mul = 1 };
		status = merged_insert(m, at) && pp_build_metric_late(&m->builder, &copy)
		             ? PP_OK
		             : PP_E_NOMEM;
	}
	if (status == PP_OK) {
		m->metrics.at[at].having++;
		m->metrics.at[at].primary += pp_profile_primary(from) == metric;
		if (preference > m->metrics.at[at].preference)
			m->metrics.at[at].preference = preference;
	}
	return status;
}

pp_status
pp_merge_metrics_agree(const struct pp_merge *m, const struct pp_profile *from,
                       struct pp_buf *problem)
{
	const struct pp_profile *into = m->builder.profile;
	size_t i, common = 0;

	for (i = 0; i < pp_metrics_shown(from); i++)
		common += metric_find(m, from, i) < into->metrics.n;
	if (into->metrics.n == 0 || common || (m->has_events && has_events(from)))
		return PP_OK;
	pp_buf_adds(problem, "it counts ");
	metrics_list(problem, from);
	pp_buf_adds(problem, ", the others ");
	metrics_list(problem, into);
	return PP_E_USAGE;
}

pp_status
pp_merge_metrics(struct pp_merge *m, const struct pp_profile *from, struct pp_metric_way *ways,
                 struct pp_buf *problem)
{
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < from->metrics.n && status == PP_OK; i++)
		status = metric_merge(m, from, i, ways, problem);
	m->has_events |= has_events(from);
	return status;
}

/*
 * Whether a metric is shown rather than another: time and cycles first, what more profiles have, what is primary in
 * more. What it is called may depend on the order of the profiles, so that each of its names counts.
 */
static bool
is_before(const struct pp_merge *m, size_t a, size_t b)
{
	const struct pp_profile *p = m->builder.profile;
	const struct pp_merged_metric *x = &m->metrics.at[a], *y = &m->metrics.at[b];
	const struct pp_metric *one = &p->metrics.at[a], *two = &p->metrics.at[b];
	int c;

	if (!x->primary != !y->primary)
		return x->primary;
	if (x->preference != y->preference)
		return x->preference > y->preference;
	if (x->having != y->having)
		return x->having > y->having;
	if (x->primary != y->primary)
		return x->primary > y->primary;
	if (one->kind != two->kind)
		return one->kind != PP_KIND_OTHER &&
		       (two->kind == PP_KIND_OTHER || one->kind < two->kind);
	c = pp_slice_cmp(pp_text_of(p, one->event), pp_text_of(p, two->event));
	return (c ? c : pp_slice_cmp(pp_text_of(p, one->name), pp_text_of(p, two->name))) < 0;
}

void
pp_merge_primary(struct pp_merge *m)
{
	struct pp_profile *p = m->builder.profile;
	size_t i, best = 0;

	for (i = 1; i < pp_metrics_shown(p); i++)
		if (is_before(m, i, best))
			best = i;
	if (best < p->metrics.n && m->metrics.at[best].primary)
		p->metrics.at[best].flags |= PP_METRIC_PRIMARY;
	for (i = pp_metrics_shown(p); i < p->metrics.n; i++)
		if (m->metrics.at[i].having < m->metrics.at[p->metrics.at[i].net].having)
			p->metrics.at[i].flags |= PP_METRIC_UNSURE;
}

/* ---- all at once ---- */

pp_status
pp_profile_merge(struct pp_profile *const *profiles, size_t n, const struct pp_limits *limits,
                 struct pp_profile **out)
{
	struct pp_buf problem = { 0 };
	struct pp_merge m;
	pp_status status = PP_OK;
	bool *added = calloc(n + 1, sizeof *added);
	size_t i, left = n, before = n + 1;

	*out = NULL;
	if (n == 0 || !added || !pp_merge_init(&m, limits, profiles[0]->strs.seed)) {
		free(added);
		return n ? PP_E_NOMEM : PP_E_USAGE;
	}
	for (i = 0; i < n && status == PP_OK; i++)
		if (!pp_merge_see(&m, profiles[i]))
			status = PP_E_NOMEM;
	m.all_seen = true;
	/* What has nothing in common with those before may have with those behind. */
	while (left && left < before && status == PP_OK)
		for (i = 0, before = left; i < n && status == PP_OK; i++) {
			status = added[i] ? PP_E_USAGE : pp_merge_add(&m, profiles[i], &problem);
			left -= status == PP_OK;
			added[i] |= status == PP_OK;
			status = status == PP_E_USAGE ? PP_OK : status;
		}
	free(added);
	if (status == PP_OK)
		status = left ? PP_E_USAGE : pp_merge_finish(&m, out);
	pp_buf_release(&problem);
	pp_merge_release(&m);
	return status;
}
