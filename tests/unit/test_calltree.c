/*
 * The call tree by function, branch after branch.
 */
#include "analysis/calltree.h"
#include "little.h"

static struct pp_profile *profile;
static struct pp_calltree tree;

/* Opens branches of the first function, level after level, and says what there is. */
static void
level_is(struct pp_branch *branch, const char *rows)
{
	struct pp_branches below = { 0 };
	struct pp_buf text = { 0 };
	size_t i;

	pp_buf_adds(&text, "");
	ok(pp_calltree_expand(&tree, branch, 0, &below), "what is below");
	for (i = 0; i < below.n; i++) {
		struct pp_slice name = pp_text_of(profile,
		                                  profile->funcs.at[below.at[i].func].name);

		pp_buf_addf(&text, "%.*s %lld %lld\n", (int)name.n, (const char *)name.p,
		            (long long)pp_calltree_total(&tree, &below.at[i], 0).i,
		            (long long)pp_calltree_self(&tree, &below.at[i], 0).i);
	}
	is_text(text.p, rows, "total and self, costliest first");
	pp_branch_release(branch);
	*branch = (struct pp_branch){ 0 };
	if (below.n) {
		*branch = below.at[0];
		below.at[0] = (struct pp_branch){ 0 };
	}
	pp_branches_release(&below);
	pp_buf_release(&text);
}

static void
check(bool fold, const char *third)
{
	struct pp_branch branch = { 0 };

	profile = little_stacks("main;a@1.c:3;a@1.c:3 2\nmain;a@1.c:4;b 5\nmain;c 1\n");
	ok(pp_calltree_init(&tree, profile, fold) && pp_calltree_root(&tree, &branch),
	   "recursion %s", fold ? "folded" : "as it is");
	level_is(&branch, "main 8 0\n");
	level_is(&branch, fold ? "a 7 2\nc 1 1\n" : "a 7 0\nc 1 1\n");
	level_is(&branch, third);
	pp_branch_release(&branch);
	pp_calltree_release(&tree);
	pp_profile_release(profile);
}

int
main(void)
{
	check(false, "b 5 5\na 2 2\n");
	check(true, "b 5 5\n");
	return tap_done();
}
