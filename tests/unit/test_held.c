/*
 * Stacks that are cut below thin branches: what is wide enough costs what it costs in the whole tree.
 */
#include "analysis/calltree.h"
#include "little.h"

#define FUNCTIONS 12
#define SHARE 0.01

static uint32_t state;

static uint32_t
random_below(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

/* Random stacks of two metrics with much recursion; names of functions repeat in several files. */
static struct pp_profile *
made(double cut, bool negative, size_t stacks)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_order order = { .facets = PP_TREE | PP_FUNCTIONS, .cut_share = cut };
	pp_frame frames[FUNCTIONS], stack[40];
	size_t i, k;

	state = 5;
	if (!pp_builder_init(&little, &limits, &order, 7, &pp_pages_plain))
		return NULL;
	little.may_hold = true;
	pp_build_metric_z(&little, "samples", "samples", PP_KIND_SAMPLES, PP_INT, 0);
	pp_build_metric_z(&little, "cpu", "ns", PP_KIND_CPU_TIME, PP_INT, PP_METRIC_PRIMARY);
	(void)pp_build_series_plain(&little, false, false);
	for (i = 0; i < FUNCTIONS; i++) {
		struct pp_func_row func = { .name = pp_build_strf(&little, "f%zu", i / 2),
			                    .file = pp_build_strf(&little, "%zu.c", i) };

		frames[i] = pp_build_frame(
		    &little, &(struct pp_frame_row){ .func = pp_build_func(&little, &func) });
	}
	for (i = 0; i < stacks; i++) {
		size_t depth = random_below(40);
		int64_t values[] = { 1 + random_below(3), random_below(1000) };

		for (k = 0; k < depth; k++)
			stack[k] = frames[random_below(k < 4 ? 3 : FUNCTIONS)];
		if (negative && i == stacks / 2)
			values[1] = -5;
		pp_build_stack(&little, 0, stack, depth, values);
	}
	return little_end();
}

/* Adds "depth name total self" of all branches that are wide enough, and of what they call how many there are. */
static void
branch_print(struct pp_calltree *t, const struct pp_branch *b, unsigned depth, struct pp_buf *out)
{
	struct pp_branches below;
	size_t i;

	if (!pp_calltree_expand(t, b, 1, &below))
		return;
	pp_buf_addf(out, "%u %u %zu %lld %lld %lld\n", depth, b->func, below.n,
	            (long long)pp_calltree_total(t, b, 0).i,
	            (long long)pp_calltree_total(t, b, 1).i,
	            (long long)pp_calltree_self(t, b, 1).i);
	for (i = 0; i < below.n; i++)
		if ((double)pp_calltree_total(t, &below.at[i], 1).i >=
		    SHARE * (double)pp_calltree_cost(t, 0, 1).i)
			branch_print(t, &below.at[i], depth + 1, out);
	pp_branches_release(&below);
}

static char *
tree_text(const struct pp_profile *p, bool fold)
{
	struct pp_calltree t;
	struct pp_branch root;
	struct pp_buf out = { 0 };

	if (pp_calltree_init(&t, p, fold) && pp_calltree_root(&t, &root)) {
		branch_print(&t, &root, 0, &out);
		pp_branch_release(&root);
		pp_calltree_release(&t);
	}
	pp_buf_addc(&out, '\0');
	return out.p;
}

static void
check(bool negative, size_t stacks)
{
	struct pp_profile *whole = made(0, negative, stacks), *cut = made(SHARE, negative, stacks);
	bool fold;

	ok(whole && cut, "%zu stacks", stacks);
	ok(negative ? cut->tree.n == whole->tree.n : cut->tree.n < whole->tree.n / 4,
	   "%u of %u nodes", cut->tree.n, whole->tree.n);
	for (fold = false;; fold = true) {
		char *a = tree_text(whole, fold), *b = tree_text(cut, fold);

		is_text(b, a, "branches %s", fold ? "folded" : "as they are");
		free(a);
		free(b);
		if (fold)
			break;
	}
	pp_profile_release(whole);
	pp_profile_release(cut);
}

int
main(void)
{
	check(false, 20000);
	check(true, 500);
	return tap_done();
}
