/*
 * Pruning: subtrees below a share of the whole become one node beside their larger siblings, "(N more)".
 *
 * A picture shows nothing else of them. Functions of one name are one there, so only profiles whose functions
 * are nothing but names are pruned: elsewhere thin nodes of one name may become a wide one.
 */
#include "model/builder.h"

struct pruner {
	struct pp_builder *b;
	struct pp_tree tree;  /* as it was */
	struct pp_series old; /* its only series, likewise */
	uint64_t *weight;     /* inclusive, by old node */
	pp_node *to;          /* by old node; UINT32_MAX = gone */
	struct more {
		uint32_t n;
		uint64_t sum;
	} * more; /* by old node: its thin children */
	double limit;
};

#define GONE UINT32_MAX

/* Whether there is one count to go by, and names are all that functions are. */
static bool
can_prune(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].file || p->funcs.at[i].module || p->funcs.at[i].line ||
		    p->funcs.at[i].column)
			return false;
	return p->tree.n > 1 && p->metrics.n == 1 && p->metrics.at[0].type == PP_UINT &&
	       p->series.n == 1 && p->series.at[0].stride == 1 && !p->series.at[0].timeline.n &&
	       p->not_own.n == 0 && pp_profile_total(p, 0).i <= UINT64_MAX;
}

static void
weigh(struct pruner *x)
{
	const struct pp_series *s = &x->old;
	uint32_t row;
	pp_node node;

	for (row = 0; row < s->rows; row++)
		x->weight[pp_series_node(s, row)] += (uint64_t)s->cells[row];
	for (node = x->tree.n; node-- > 1;)
		x->weight[pp_tree_parent(&x->tree, node)] += x->weight[node];
	x->limit = x->b->order.min_share * (double)x->weight[0];
}

/* Makes nodes of those that are wide enough, and counts the others at their parents. */
static void
choose(struct pruner *x)
{
	pp_node node;

	for (node = 1; node < x->tree.n && pp_builder_ok(x->b); node++) {
		pp_node parent = pp_tree_parent(&x->tree, node);

		x->to[node] = GONE;
		if (x->to[parent] == GONE)
			continue;
		if ((double)x->weight[node] >= x->limit) {
			x->to[node] = pp_build_child(x->b, x->to[parent],
			                             pp_tree_frame(&x->tree, node));
		} else {
			x->more[parent].n++;
			x->more[parent].sum += x->weight[node];
		}
	}
}

pp_frame
pp_build_frame_more(struct pp_builder *b, uint32_t n)
{
	/* Told apart from a function that is really called so. */
	struct pp_func_row func = { .flags = PP_FUNC_PSEUDO | PP_FUNC_MORE, .line = UINT32_MAX };
	struct pp_frame_row frame = { .more = n };

	func.name = pp_build_strf(b, "(%u more)", n);
	frame.func = pp_build_func(b, &func);
	return pp_build_frame(b, &frame);
}

static void
give(struct pruner *x)
{
	const struct pp_series *s = &x->old;
	uint32_t row;
	pp_node node;

	for (row = 0; row < s->rows && pp_builder_ok(x->b); row++) {
		node = pp_series_node(s, row);
		if (pp_series_present(s, row) && x->to[node] != GONE)
			(void)pp_build_add(x->b, 0, x->to[node], 0, s->cells[row]);
	}
	for (node = 0; node < x->tree.n && pp_builder_ok(x->b); node++)
		if (x->more[node].n)
			(void)pp_build_add(
			    x->b, 0,
			    pp_build_child(x->b, x->to[node],
			                   pp_build_frame_more(x->b, x->more[node].n)),
			    0, (int64_t)x->more[node].sum);
}

/* Takes the tree and the rows out of the profile, which starts over without them. */
static bool
take(struct pruner *x)
{
	struct pp_profile *p = x->b->profile;
	struct pp_series *s = &p->series.at[0];
	struct pp_tree fresh;

	if (!pp_tree_init(&fresh, p->tree.seed, p->tree.max_nodes, p->tree.pages))
		return false;
	x->old = *s;
	x->tree = p->tree;
	p->tree = fresh;
	pp_series_forget(s);
	s->row_of = (struct pp_map){ .seed = x->old.row_of.seed };
	x->weight = calloc(x->tree.n, sizeof *x->weight);
	x->to = calloc(x->tree.n, sizeof *x->to);
	x->more = calloc(x->tree.n, sizeof *x->more);
	return x->weight && x->to && x->more;
}

bool
pp_builder_prune(struct pp_builder *b)
{
	struct pruner x = { .b = b };

	if (b->order.min_share <= 0 || !can_prune(b->profile))
		return true;
	if (take(&x)) {
		weigh(&x);
		choose(&x);
		give(&x);
	} else {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	}
	if (x.tree.key) {
		pp_series_release(&x.old);
		pp_tree_release(&x.tree);
	}
	free(x.weight);
	free(x.to);
	free(x.more);
	return pp_builder_ok(b);
}
