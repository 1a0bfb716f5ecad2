/*
 * The layout of a flame graph.
 */
#include "analysis/flame.h"

#include "model/inclusive.h"
#include "base/sort.h"

/* A box whose children are still to be laid out. */
struct open {
	pp_node node;
	uint32_t box;
};

struct layout {
	struct pp_flame *flame;
	const struct pp_profile *p;
	const struct pp_flame_opts *opts;
	struct pp_inclusive after, before;
	struct pp_children children;
	/* What gives each node its width, never negative, and its own costs; NULL where the inclusive ones tell both. */
	double *weight;
	union pp_value *own, *own_before;
	double whole;           /* what widths are shares of */
	PP_VEC(pp_node) sorted; /* children of the node in work */
	PP_VEC(struct open) open;
	bool too_many; /* boxes */
};

/* ---- weights ---------------------------------------------------------------------------- */

static double
as_double(const struct pp_metric *m, union pp_value v)
{
	return m->type == PP_REAL ? v.d : (double)v.i;
}

static bool
any_is_negative(const struct pp_profile *p, size_t metric)
{
	uint32_t row;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++)
			if (pp_series_cell(&p->series.at[i], row, metric) < 0)
				return true;
	return false;
}

/* Whether widths are inclusive costs: whole numbers that fit, of one profile, none of which is negative. */
static bool
inclusive_tells(const struct layout *l)
{
	return l->after.narrow && !l->flame->compares && l->flame->metric->type != PP_REAL &&
	       !any_is_negative(l->p, l->opts->metric);
}

static double
weight_of(const struct layout *l, pp_node node)
{
	return l->weight ? l->weight[node] : (double)l->after.narrow[node];
}

static union pp_value
own_of(const struct layout *l, pp_node node)
{
	union pp_value own = pp_inclusive_of(&l->after, node);
	pp_node child;

	if (l->own)
		return l->own[node];
	for (child = l->children.first[node]; child; child = l->children.next[child])
		own.i -= l->after.narrow[child];
	return own;
}

/*
 * The width of a node is its own cost and the widths of its children; when two profiles are compared,
 * the larger of the two own costs, so that what vanished still has its place. Negative costs have none.
 */
static bool
weights_compute(struct layout *l)
{
	const struct pp_profile *p = l->p;
	const struct pp_metric *m = l->flame->metric;
	pp_node node;

	l->weight = calloc(p->tree.n, sizeof *l->weight);
	l->own = pp_own_compute(p, l->opts->metric);
	if (l->flame->compares)
		l->own_before = pp_own_compute(p, l->opts->before);
	if (!l->weight || !l->own || (l->flame->compares && !l->own_before))
		return false;
	for (node = p->tree.n; node-- > 0;) {
		double own = as_double(m, l->own[node]);
		double old = l->own_before ? as_double(m, l->own_before[node]) : 0;

		l->flame->negative += own < 0;
		own = own > old ? own : old;
		l->weight[node] += own > 0 ? own : 0;
		if (node)
			l->weight[pp_tree_parent(&p->tree, node)] += l->weight[node];
	}
	return true;
}

static bool
layout_weights(struct layout *l)
{
	if (!inclusive_tells(l) && !weights_compute(l))
		return false;
	l->whole = weight_of(l, 0);
	/* Own costs that a file rounded add up to less than the whole it measured. */
	if (l->opts->whole && as_double(l->flame->metric, *l->opts->whole) > l->whole)
		l->whole = as_double(l->flame->metric, *l->opts->whole);
	return true;
}

/* ---- order ------------------------------------------------------------------------------ */

static bool
is_more(const struct pp_profile *p, pp_node node)
{
	return p->funcs.at[pp_node_func(p, node)].flags & PP_FUNC_MORE;
}

static int
compare_children(const void *left, const void *right, void *context)
{
	const struct layout *l = context;
	pp_node a = *(const pp_node *)left, b = *(const pp_node *)right;
	int c = 0;

	if (l->opts->order == PP_FLAME_BY_WEIGHT)
		c = (weight_of(l, a) < weight_of(l, b)) - (weight_of(l, a) > weight_of(l, b));
	if (c == 0 && l->opts->order != PP_FLAME_AS_FOUND)
		c = pp_slice_cmp(pp_text_of(l->p, l->p->funcs.at[pp_node_func(l->p, a)].name),
		                 pp_text_of(l->p, l->p->funcs.at[pp_node_func(l->p, b)].name));
	return c ? c : (a > b) - (a < b);
}

/* ---- boxes ------------------------------------------------------------------------------ */

static union pp_value
inclusive_before(const struct layout *l, pp_node node)
{
	return l->flame->compares ? pp_inclusive_of(&l->before, node)
	                          : pp_value_zero(l->flame->metric);
}

/* Adds a node to a sum. */
static void
more_take(const struct layout *l, struct pp_box *more, pp_node node)
{
	const struct pp_metric *m = l->flame->metric;

	more->more += is_more(l->p, node) ? l->p->frames.at[pp_tree_frame(&l->p->tree, node)].more
	                                  : 1;
	more->width += weight_of(l, node);
	pp_value_add(m, &more->value, pp_inclusive_of(&l->after, node));
	pp_value_add(m, &more->value_before, inclusive_before(l, node));
}

static bool
box_add(struct layout *l, struct pp_box box, pp_node node)
{
	uint32_t index = (uint32_t)l->flame->boxes.n;

	if (box.depth + 1 > l->flame->depth)
		l->flame->depth = box.depth + 1;
	l->too_many |= l->opts->most && index >= l->opts->most;
	if (l->too_many || index == UINT32_MAX || !pp_vec_push(&l->flame->boxes, box))
		return false;
	return box.more || !l->children.first[node] ||
	       pp_vec_push(&l->open, (struct open){ node, index });
}

static struct pp_box
box_of(const struct layout *l, pp_node node, uint32_t parent, uint32_t depth, double start)
{
	double whole = l->whole;

	return (struct pp_box){
		.func = node ? pp_node_func(l->p, node) : 0,
		.depth = depth,
		.parent = parent,
		.start = start,
		.width = node == 0 ? 1 : weight_of(l, node) / whole,
		.value = pp_inclusive_of(&l->after, node),
		.own = own_of(l, node),
		.value_before = inclusive_before(l, node),
		.own_before = l->own_before ? l->own_before[node] : pp_value_zero(l->flame->metric),
	};
}

/* Lays the children of a box out: the wide ones in order, then the sum of the thin ones. */
static bool
layout_children(struct layout *l, struct open parent)
{
	const struct pp_box above = l->flame->boxes.at[parent.box];
	struct pp_box more = { .depth = above.depth + 1, .parent = parent.box };
	double whole = l->whole, at = above.start;
	bool too_deep = above.depth + 1 >= l->opts->deepest;
	pp_node child;
	size_t i;

	more.value = more.value_before = more.own = more.own_before = pp_value_zero(
	    l->flame->metric);
	l->sorted.n = 0;
	for (child = l->children.first[parent.node]; child; child = l->children.next[child]) {
		bool thin = weight_of(l, child) < l->opts->min_share * whole || too_deep;

		l->flame->too_deep += too_deep;
		if (thin || weight_of(l, child) <= 0 || is_more(l->p, child))
			more_take(l, &more, child);
		else if (!pp_vec_push(&l->sorted, child))
			return false;
	}
	if (l->sorted.n > 1)
		pp_sort(l->sorted.at, l->sorted.n, sizeof *l->sorted.at, compare_children, l);
	/* The deepest level is laid out last: what waits is taken from the end. */
	for (i = 0; i < l->sorted.n; i++) {
		if (!box_add(l, box_of(l, l->sorted.at[i], parent.box, above.depth + 1, at),
		             l->sorted.at[i]))
			return false;
		at += weight_of(l, l->sorted.at[i]) / whole;
	}
	if (more.more == 0 || more.width <= 0)
		return true;
	more.start = at;
	more.width /= whole;
	return box_add(l, more, 0);
}

static bool
layout_boxes(struct layout *l)
{
	struct pp_box all = box_of(l, 0, 0, 0, 0);

	if (l->opts->whole)
		all.value = *l->opts->whole;
	if (!box_add(l, all, 0))
		return false;
	while (weight_of(l, 0) > 0 && l->open.n)
		if (!layout_children(l, l->open.at[--l->open.n]))
			return false;
	return true;
}

/* The picture of an empty profile that does not even say what it counts. */
static pp_status
flame_nothing(struct pp_flame *flame)
{
	static const struct pp_metric none = { .type = PP_INT };

	flame->metric = &none;
	flame->unit = pp_slice_z("count");
	flame->depth = 1;
	return pp_vec_push(&flame->boxes, ((struct pp_box){ .width = 0 })) ? PP_OK : PP_E_NOMEM;
}

/* Lays out as many levels as there is room for: the most that do not exceed opts->most. */
static pp_status
flame_fit(struct pp_flame *flame, const struct pp_profile *p, const struct pp_flame_opts *opts,
          pp_status (*lay_out)(struct pp_flame *, const struct pp_profile *,
                               const struct pp_flame_opts *))
{
	uint32_t fits = 1, fails = opts->deepest; /* the whole alone is always there */
	struct pp_flame_opts fewer = *opts;
	pp_status status = lay_out(flame, p, opts);
	bool last;

	while (status == PP_E_LIMIT && fits + 1 < fails) {
		fewer.deepest = fails / 2 > 2 * fits ? 2 * fits : fits + (fails - fits) / 2;
		status = lay_out(flame, p, &fewer);
		*(status == PP_OK ? &fits : &fails) = fewer.deepest;
		last = fits + 1 == fails;
		if (status == PP_OK && last) {
			flame->levels = fits - 1;
		} else if (status == PP_OK) {
			pp_flame_release(flame);
			status = PP_E_LIMIT;
		} else if (status == PP_E_LIMIT && last && fits > 1) {
			fewer.deepest = fits;
			status = lay_out(flame, p, &fewer);
			flame->levels = fits - 1;
		}
	}
	return status;
}

static pp_status
flame_lay_out(struct pp_flame *flame, const struct pp_profile *p, const struct pp_flame_opts *opts)
{
	struct layout l = { .flame = flame, .p = p, .opts = opts };
	bool ok;

	*flame = (struct pp_flame){ .profile = p,
		                    .compares = opts->before != PP_FLAME_ALONE,
		                    .noise = opts->noise };
	if (p->metrics.n == 0 && p->tree.n <= 1 && !flame->compares)
		return flame_nothing(flame);
	if (opts->metric >= p->metrics.n || (flame->compares && opts->before >= p->metrics.n))
		return PP_E_UNSUPPORTED;
	flame->metric = &p->metrics.at[opts->metric];
	flame->unit = pp_text_of(p, flame->metric->unit);
	ok = pp_inclusive_compute(&l.after, p, opts->metric) &&
	     (!flame->compares || pp_inclusive_compute(&l.before, p, opts->before)) &&
	     pp_children_compute(&l.children, p) && layout_weights(&l) && layout_boxes(&l);
	pp_inclusive_release(&l.after);
	pp_inclusive_release(&l.before);
	pp_children_release(&l.children);
	free(l.weight);
	free(l.own);
	free(l.own_before);
	pp_vec_release(&l.sorted);
	pp_vec_release(&l.open);
	if (ok)
		return PP_OK;
	pp_flame_release(flame);
	return l.too_many ? PP_E_LIMIT : PP_E_NOMEM;
}

pp_status
pp_flame_compute(struct pp_flame *flame, const struct pp_profile *p,
                 const struct pp_flame_opts *opts)
{
	return flame_fit(flame, p, opts, flame_lay_out);
}

pp_status
pp_flame_chart(struct pp_flame *flame, const struct pp_profile *p, const struct pp_flame_opts *opts)
{
	return flame_fit(flame, p, opts, pp_flame_chart_lay_out);
}

void
pp_flame_release(struct pp_flame *flame)
{
	pp_vec_release(&flame->boxes);
}
