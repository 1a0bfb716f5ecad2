/*
 * Filters on the tree: parents stand before their children, so one loop forward decides on stacks and
 * frames, one backward finds the nodes that are still needed, one forward builds the new tree.
 */
#include "analysis/filter.h"

/* What is known of a node: PP_STACK_*, and whether it, or a node below it, has cost that stays. */
enum { SHOWN = PP_STACK_SHOWN, KEPT = PP_STACK_KEPT, NEEDED = 1 << 6 };

struct reshape {
	struct pp_profile *p;
	const struct pp_filter_stacks *want;
	unsigned char *state;
	uint32_t *depth; /* shown frames down to the node; NULL without a limit */
	pp_node *to;
	struct pp_tree tree;
};

/* What the rules say of each frame's function; NULL when out of memory. */
static pp_filter_flags *
frame_flags(const struct reshape *r)
{
	const struct pp_profile *p = r->p;
	pp_filter_flags *flags = calloc(p->frames.n + 1, sizeof *flags);
	size_t i;

	for (i = 0; flags && r->want->flags && i < p->frames.n; i++)
		flags[i] = r->want->flags[p->funcs.at[p->frames.at[i].func].same];
	return flags;
}

static bool
decide(struct reshape *r)
{
	const struct pp_tree *t = &r->p->tree;
	pp_filter_flags *says = frame_flags(r);
	struct pp_filter_steps steps;
	pp_node node;

	if (!says)
		return false;
	pp_filter_steps_init(&steps, r->want->kinds);
	r->state[0] = steps.start;
	for (node = 1; node < t->n; node++) {
		pp_node parent = pp_tree_parent(t, node);
		unsigned flags = says[pp_tree_frame(t, node)], state;

		if (r->depth && r->depth[parent] >= r->want->depth)
			flags |= PP_FILTER_BIT(HIDE);
		state = pp_filter_steps_go(&steps, r->state[parent], flags);
		if (r->depth)
			r->depth[node] = r->depth[parent] + (state & SHOWN ? 1 : 0);
		r->state[node] = (unsigned char)state;
	}
	free(says);
	return true;
}

static void
find_needed(struct reshape *r)
{
	struct pp_profile *p = r->p;
	pp_node node;
	uint32_t row;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++) {
			node = pp_series_node(&p->series.at[i], row);
			if ((r->state[node] & KEPT) && pp_series_present(&p->series.at[i], row))
				r->state[node] |= NEEDED;
		}
	for (node = p->tree.n; node-- > 1;)
		if (r->state[node] & NEEDED)
			r->state[pp_tree_parent(&p->tree, node)] |= NEEDED;
}

static bool
build(struct reshape *r)
{
	const struct pp_tree *old = &r->p->tree;
	pp_node node;

	if (!pp_tree_init(&r->tree, old->seed, old->max_nodes, old->pages))
		return false;
	for (node = 1; node < old->n; node++) {
		pp_node above = r->to[pp_tree_parent(old, node)];

		if (!(r->state[node] & NEEDED))
			continue;
		r->to[node] = above;
		if (!(r->state[node] & SHOWN))
			continue;
		r->to[node] = pp_tree_child(&r->tree, above, pp_tree_frame(old, node));
		if (!r->to[node])
			return false;
	}
	pp_tree_seal(&r->tree);
	return true;
}

/* Says at which function that is left, of the stack of a node, a sum passes 64 bits. */
static bool
sum_too_large(const struct reshape *r, pp_node node, size_t metric)
{
	while (node && !(r->state[node] & SHOWN))
		node = pp_tree_parent(&r->p->tree, node);
	pp_profile_sum_problem(r->p, pp_node_func(r->p, node), metric, r->want->problem);
	return false;
}

/*
 * Adds the cells of an old row to a new one: its costs where they stay, its calls where the frame itself
 * is still there, be it only on the way to costs that stay.
 */
static bool
cells_add(const struct reshape *r, const struct pp_series *s, int64_t *to, const int64_t *from,
          pp_node node)
{
	const struct pp_profile *p = r->p;
	unsigned state = r->state[node];
	size_t m, k = 0;

	for (m = 0; m < p->metrics.n; m++) {
		if (r->want->metrics && !r->want->metrics[m])
			continue;
		if ((state & KEPT) && !pp_cell_add(p->metrics.at[m].type, &to[k], from[m]))
			return sum_too_large(r, node, m);
		k++;
	}
	return !s->has_calls || !(state & SHOWN) ||
	       pp_cell_add(PP_UINT, &to[k], from[p->metrics.n]) || sum_too_large(r, node, m);
}

/* Whether a row has anything to give to the new tree. */
static bool
row_matters(const struct reshape *r, const struct pp_series *s, uint32_t row)
{
	unsigned state = r->state[pp_series_node(s, row)];

	return pp_series_present(s, row) &&
	       ((state & KEPT) || (s->has_calls && (state & NEEDED) && (state & SHOWN)));
}

/* Gives a series rows for the new tree. */
static pp_status
series_rebuild(const struct reshape *r, struct pp_series *s, uint32_t stride)
{
	struct pp_series n = *s;
	struct pp_map row_of = { .seed = r->tree.seed };
	size_t rows = s->dense ? r->tree.n : s->rows;
	pp_status status = PP_OK;
	uint32_t row;

	n.stride = stride;
	n.measured = false;
	n.rows = s->dense ? r->tree.n : 0;
	n.rows_cap = (uint32_t)rows;
	n.cells = calloc(rows * stride + 1, sizeof *n.cells);
	n.node_of = s->dense ? NULL : calloc(rows + 1, sizeof *n.node_of);
	n.present = s->dense ? calloc(rows / 64 + 1, sizeof *n.present) : NULL;
	if (!n.cells || (s->dense ? !n.present : !n.node_of))
		status = PP_E_NOMEM;
	for (row = 0; row < s->rows && status == PP_OK; row++) {
		pp_node node = pp_series_node(s, row), to = r->to[node];
		uint32_t at = to;

		if (!row_matters(r, s, row))
			continue;
		if (!s->dense) {
			at = pp_map_get(&row_of, to);
			if (at == PP_MAP_NONE) {
				at = n.rows++;
				n.node_of[at] = to;
				status = pp_map_set(&row_of, to, at) ? PP_OK : PP_E_NOMEM;
			}
		} else {
			n.present[to >> 6] |= (uint64_t)1 << (to & 63);
		}
		if (status == PP_OK &&
		    !cells_add(r, s, n.cells + (size_t)at * stride, pp_series_cells(s, row), node))
			status = PP_E_UNSUPPORTED;
	}
	pp_map_release(&row_of);
	free(status == PP_OK ? s->cells : n.cells);
	free(status == PP_OK ? s->node_of : n.node_of);
	free(status == PP_OK ? s->present : n.present);
	if (status == PP_OK)
		*s = n;
	return status;
}

static pp_status
rows_rebuild(struct reshape *r)
{
	struct pp_profile *p = r->p;
	pp_status status = PP_OK;
	size_t i, m, metrics = 0;

	for (m = 0; m < p->metrics.n; m++)
		metrics += !r->want->metrics || r->want->metrics[m];
	for (i = 0; i < p->series.n && status == PP_OK; i++) {
		struct pp_series *s = &p->series.at[i];

		status = series_rebuild(r, s, (uint32_t)(metrics + s->has_calls));
		pp_timeline_release(&s->timeline);
	}
	return status;
}

/* What is less at a node follows it. */
static void
less_rebuild(struct reshape *r)
{
	struct pp_profile *p = r->p;
	size_t i, n = 0;

	for (i = 0; i < p->not_own.n; i++) {
		struct pp_not_own_row less = p->not_own.at[i];
		bool stays = !r->want->metrics || r->want->metrics[less.metric];

		less.node = r->to[less.node];
		if (stays && less.node && (r->state[p->not_own.at[i].node] & KEPT))
			p->not_own.at[n++] = less;
	}
	p->not_own.n = n;
}

/* ---- whole stacks only ------------------------------------------------------------------ */

/*
 * Whether stacks stay or go as they are, or are cut at their end: what is left are nodes of the tree there is, in the
 * same order.
 */
static bool
is_choice(const struct reshape *r)
{
	const unsigned choices = PP_FILTER_BIT(FOCUS) | PP_FILTER_BIT(IGNORE);
	size_t m;

	for (m = 0; r->want->depth && m < r->p->series.n; m++)
		if (!r->p->series.at[m].dense)
			return false; /* rows of what is cut may come before those they go to */

	for (m = 0; r->want->metrics && m < r->p->metrics.n; m++)
		if (!r->want->metrics[m])
			return false;
	return !(r->want->kinds & ~choices);
}

/* Moves the nodes that stay together. A node's number only becomes smaller, so each is read before it is written. */
static void
tree_compact(struct reshape *r)
{
	struct pp_tree *t = &r->p->tree;
	pp_node node, n = 1;

	for (node = 1; node < t->n; node++) {
		bool again = t->recursive && t->recursive[node >> 6] >> (node & 63) & 1;

		if (!(r->state[node] & NEEDED))
			continue;
		if (!(r->state[node] & SHOWN)) {
			r->to[node] = r->to[pp_tree_parent(t, node)];
			continue;
		}
		r->to[node] = n;
		t->key[n] = (uint64_t)r->to[pp_tree_parent(t, node)] << 32 | pp_tree_frame(t, node);
		if (t->recursive) {
			t->recursive[n >> 6] &= ~((uint64_t)1 << (n & 63));
			t->recursive[n >> 6] |= (uint64_t)again << (n & 63);
		}
		n++;
	}
	t->n = n;
}

/* Moves the cells of a row that stays to its new place, or adds those of a cut one; false: a sum passes 64 bits. */
static inline bool
row_compact(const struct reshape *r, const struct pp_series *s, uint32_t row, uint32_t at,
            size_t stride)
{
	const struct pp_profile *p = r->p;
	unsigned state = r->state[pp_series_node(s, row)];
	const int64_t *from = s->cells + (size_t)row * s->stride;
	bool matters = row_matters(r, s, row);
	int64_t *to = s->cells + at * stride;
	size_t m;

	if (state & SHOWN && state & KEPT && matters) {
		for (m = 0; m < stride; m++)
			to[m] = from[m];
	} else if (state & SHOWN || pp_series_node(s, row) == 0) {
		for (m = 0; m < stride; m++)
			to[m] = matters && (state & KEPT || m == p->metrics.n) ? from[m] : 0;
	} else if (state & KEPT && matters) {
		for (m = 0; m < p->metrics.n; m++)
			if (!pp_cell_add(p->metrics.at[m].type, &to[m], from[m]))
				return sum_too_large(r, pp_series_node(s, row), m);
	}
	if (s->dense && (state & SHOWN || row == 0))
		s->present[at >> 6] &= ~((uint64_t)1 << (at & 63));
	if (s->dense)
		s->present[at >> 6] |= (uint64_t)matters << (at & 63);
	return true;
}

static bool
series_compact(const struct reshape *r, struct pp_series *s)
{
	size_t stride = r->p->metrics.n + s->has_calls;
	uint32_t row, n = s->dense ? r->p->tree.n : 0;
	bool fits = true;

	for (row = 0; row < s->rows && fits; row++) {
		pp_node node = pp_series_node(s, row);

		/* The root stays whatever becomes of its cost. */
		if ((node && !(r->state[node] & NEEDED)) || (!s->dense && !row_matters(r, s, row)))
			continue;
		fits = row_compact(r, s, row, s->dense ? r->to[node] : n, stride);
		if (!s->dense)
			s->node_of[n++] = r->to[node];
	}
	s->rows = n;
	s->stride = (uint32_t)stride;
	s->measured = false;
	pp_timeline_release(&s->timeline);
	return fits;
}

static bool
compact(struct reshape *r)
{
	pp_node node = 1;
	size_t i;

	while (node < r->p->tree.n && (r->state[node] & NEEDED) && (r->state[node] & KEPT) &&
	       (r->state[node] & SHOWN))
		node++;
	/* All of it stays: nothing moves, but for costs without a stack. */
	for (i = 0; node == r->p->tree.n && i < r->p->series.n; i++)
		if (r->p->series.at[i].measured ||
		    (r->p->series.at[i].rows && !(r->state[0] & KEPT)))
			node = 0;
	for (i = 0; node && node == r->p->tree.n && i < r->p->series.n; i++)
		pp_timeline_release(&r->p->series.at[i].timeline);
	if (node && node == r->p->tree.n) {
		for (node = 1; r->p->not_own.n && node < r->p->tree.n; node++)
			r->to[node] = node;
		return true;
	}
	tree_compact(r);
	for (i = 0; i < r->p->series.n; i++)
		if (!series_compact(r, &r->p->series.at[i]))
			return false;
	return true;
}

void
pp_filter_columns(struct pp_profile *p, const bool *metrics)
{
	size_t i, m, sets, kept = 0, less = 0;
	uint32_t row;

	for (m = 0; m < p->metrics.n; m++)
		kept += metrics[m];
	for (i = 0; kept < p->metrics.n && i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];
		const int64_t *from = s->cells;
		int64_t *to = s->cells;

		for (row = 0; row < s->rows; row++)
			for (sets = 0; sets < 1u + s->measured; sets++) {
				for (m = 0; m < p->metrics.n; m++, from++)
					if (metrics[m])
						*to++ = *from;
				if (sets == 0 && s->has_calls)
					*to++ = *from++;
			}
		s->stride = (uint32_t)(kept * (1u + s->measured) + s->has_calls);
		pp_timeline_release(&s->timeline);
	}
	for (i = 0; i < p->not_own.n; i++)
		if (metrics[p->not_own.at[i].metric])
			p->not_own.at[less++] = p->not_own.at[i];
	p->not_own.n = less;
}

pp_status
pp_filter_tree(struct pp_profile *p, const struct pp_filter_stacks *want)
{
	struct reshape r = { .p = p, .want = want };
	pp_status status = PP_E_NOMEM;

	r.state = calloc(p->tree.n, 1);
	r.to = calloc(p->tree.n, sizeof *r.to);
	r.depth = want->depth ? calloc(p->tree.n, sizeof *r.depth) : NULL;
	if (r.state && r.to && (!want->depth || r.depth)) {
		bool choice = is_choice(&r);
		bool fine = decide(&r);

		find_needed(&r);
		if (fine && choice) {
			status = compact(&r) ? PP_OK : PP_E_UNSUPPORTED;
		} else if (fine && build(&r)) {
			status = rows_rebuild(&r);
		}
	}
	if (status == PP_OK)
		less_rebuild(&r);
	if (status == PP_OK && r.tree.key) {
		pp_tree_release(&p->tree);
		p->tree = r.tree;
	} else if (r.tree.key) {
		pp_tree_release(&r.tree);
	}
	free(r.state);
	free(r.to);
	free(r.depth);
	return status;
}
