/*
 * One profile, eight threads, different questions at the same time: nobody changes anything, so all answers are those
 * of one who asks alone. Run under the thread sanitizer.
 */
#include <pthread.h>

#include "analysis/callers.h"
#include "analysis/calltree.h"
#include "analysis/diff.h"
#include "analysis/flame.h"
#include "analysis/linecost.h"
#include "analysis/reshape.h"
#include "analysis/view.h"
#include "little.h"
#include "model/flat.h"

#define THREADS 8
#define ROUNDS 20

static struct pp_profile *tree, *graph;

/* Each question gives a number that depends on all of its answer. */
static double
flat_sum(const struct pp_profile *p)
{
	struct pp_flat flat;
	double sum = 0;
	size_t i;

	if (pp_flat_compute(p, &flat) != PP_OK || !pp_flat_sort(&flat, PP_SORT_TOTAL, 0))
		return -1;
	for (i = 0; i < flat.n; i++)
		sum += (double)(i + 1) * (double)(flat.self[i].i * 3 + flat.total[i].i);
	pp_flat_release(&flat);
	return sum;
}

static double
ask_filtered(enum pp_filter_kind kind, uint32_t depth)
{
	struct pp_filter f = { .depth = depth };
	struct pp_buf problem = { 0 };
	struct pp_view v;
	double sum = -1;

	pp_view_init(&v, tree);
	if (pp_filter_add(&f, kind, pp_slice_z("^f[1-4]$"), &problem) &&
	    pp_view_filter(&v, &f, &problem) == PP_OK)
		sum = flat_sum(v.shown);
	pp_view_release(&v);
	pp_filter_release(&f);
	pp_buf_release(&problem);
	return sum;
}

static double
ask_focus(void)
{
	return ask_filtered(PP_FILTER_FOCUS, 0);
}

static double
ask_hide(void)
{
	return ask_filtered(PP_FILTER_HIDE, 3);
}

static double
ask_files(void)
{
	struct pp_buf problem = { 0 };
	struct pp_view v;
	double sum = -1;

	pp_view_init(&v, tree);
	if (pp_view_group(&v, PP_BY_FILE, pp_slice_z(""), &problem) == PP_OK)
		sum = flat_sum(v.shown);
	pp_view_release(&v);
	pp_buf_release(&problem);
	return sum;
}

static double
ask_estimate(void)
{
	struct pp_estimate_opts opts = { 0 };
	struct pp_view v;
	double sum = -1;

	pp_view_init(&v, graph);
	if (pp_view_estimate(&v, &opts) == PP_OK)
		sum = flat_sum(v.shown) + (double)v.shown->tree.n;
	pp_view_release(&v);
	return sum;
}

static double
ask_callers(void)
{
	struct pp_calls calls = { 0 };
	struct pp_flat flat = { 0 };
	double sum = -1;
	size_t i;

	if (pp_calls_compute(tree, little_find(tree, "f3"), PP_CALLERS, 0, 3, &calls, &flat) ==
	    PP_OK)
		for (i = 0, sum = 0; i < calls.rows.n; i++)
			sum += (double)(i + 1) * (double)calls.total.at[i].i;
	pp_calls_release(&calls);
	pp_flat_release(&flat);
	return sum;
}

static double
ask_tree(void)
{
	struct pp_calltree t;
	struct pp_branch root = { 0 };
	struct pp_branches below = { 0 };
	double sum = -1;

	if (pp_calltree_init(&t, tree, true) && pp_calltree_root(&t, &root) &&
	    pp_calltree_expand(&t, &root, 0, &below) && below.n)
		sum = (double)pp_calltree_total(&t, &below.at[0], 0).i;
	pp_branches_release(&below);
	pp_branch_release(&root);
	pp_calltree_release(&t);
	return sum;
}

static double
ask_diff(void)
{
	struct pp_diff_input before = { .profile = tree }, after = { .profile = graph };
	struct pp_diff_options options = { .noise = 0.01 };
	struct pp_buf problem = { 0 };
	struct pp_diff d;
	double sum = -1;

	if (pp_diff_compute(&d, &before, 1, &after, 1, &options, &problem) == PP_OK)
		sum = (double)d.rows.n * 1000 + d.whole.value[PP_AFTER];
	pp_diff_release(&d);
	pp_buf_release(&problem);
	return sum;
}

static double
ask_lines(void)
{
	struct pp_linecost lines = { 0 };
	double sum = -1;
	size_t i;

	if (pp_linecost_compute(graph, &lines) == PP_OK &&
	    pp_linecost_sort(&lines, PP_LINES_BY_COST, 0))
		for (i = 0, sum = 0; i < lines.rows.n; i++)
			sum += (double)(i + 1) * (double)pp_ledger_get(&lines.cost, i, 0).i;
	pp_linecost_release(&lines);
	return sum;
}

static double
ask_flame(void)
{
	struct pp_flame_opts opts = { .before = PP_FLAME_ALONE, .deepest = 100, .min_share = 0.01 };
	struct pp_profile *upside_down = NULL;
	struct pp_flame flame = { 0 };
	double sum = -1;

	if (pp_reshape_names(tree, 0, &(struct pp_reversal){ 0 }, &upside_down) == PP_OK &&
	    pp_flame_compute(&flame, upside_down, &opts) == PP_OK)
		sum = (double)flame.boxes.n;
	pp_flame_release(&flame);
	pp_profile_release(upside_down);
	return sum;
}

static double (*const questions[])(void) = { ask_focus,    ask_hide,    ask_files,
	                                     ask_estimate, ask_callers, ask_tree,
	                                     ask_diff,     ask_lines,   ask_flame };

struct asker {
	size_t first; /* question */
	const double *expected;
	unsigned wrong;
};

static void *
ask(void *data)
{
	struct asker *a = data;
	size_t round, n = PP_COUNT_OF(questions), i;

	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < n; i++) {
			size_t q = (a->first + i) % n;

			a->wrong += questions[q]() != a->expected[q];
		}
	return NULL;
}

/* Some hundred stacks of eight functions in three files; and who calls whom among them. */
static void
profiles_make(void)
{
	struct pp_buf stacks = { 0 }, calls = { 0 };
	unsigned i, k;

	for (i = 0; i < 300; i++) {
		pp_buf_adds(&stacks, "main@m.c");
		for (k = 0; k < 1 + i % 5; k++)
			pp_buf_addf(&stacks, ";f%u@x%u.c:%u", (i * 7 + k * 3) % 8,
			            ((i * 7 + k * 3) % 8) % 3, i % 11);
		pp_buf_addf(&stacks, " %u\n", i + 1);
	}
	for (i = 0; i < 8; i++) {
		pp_buf_addf(&calls, "f%u@x%u.c:%u %u\n", i, i % 3, i * 2 + 1, 10 * i + 1);
		for (k = i + 1; k < 8; k += i + 1)
			pp_buf_addf(&calls, "f%u@x%u.c>f%u@x%u.c 2 %u\n", i, i % 3, k, k % 3,
			            k * 5 + i);
	}
	tree = little_stacks(stacks.p);
	graph = little_calls(calls.p);
	pp_buf_release(&stacks);
	pp_buf_release(&calls);
}

int
main(void)
{
	pthread_t threads[THREADS];
	struct asker askers[THREADS];
	double expected[PP_COUNT_OF(questions)];
	size_t i;

	profiles_make();
	for (i = 0; i < PP_COUNT_OF(questions); i++) {
		expected[i] = questions[i]();
		ok(expected[i] > 0, "question %zu has an answer", i + 1);
	}
	for (i = 0; i < THREADS; i++) {
		askers[i] = (struct asker){ i, expected, 0 };
		pthread_create(&threads[i], NULL, ask, &askers[i]);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ok(askers[i].wrong == 0, "thread %zu has the same answers", i + 1);
	}
	pp_profile_release(tree);
	pp_profile_release(graph);
	return tap_done();
}
