/*
 * One tree of one or two profiles, in preorder, without what is too small to be seen.
 */
#include "analysis/digest.h"
#include "little.h"

int
main(void)
{
	struct pp_profile *p = little_stacks("main;a 90\nmain;b 9\nmain;c 1\n");
	struct pp_profile *q = little_stacks("main;a 10\nmain;d 90\n");
	const struct pp_profile *const both[] = { p, q };
	struct pp_digest d;
	double weight = 1;

	ok(pp_digest_init(&d, both, 1) == PP_OK && pp_digest_cut(&d, 0) == PP_OK, "one profile");
	ok(d.up.n == 5 && d.summed_up == 0 && d.tree == &p->tree, "keeps its own tree");
	ok(pp_digest_cut(&d, 0.05) == PP_OK && d.up.n == 5 && d.summed_up == 1,
	   "what is small is part of a sum");
	ok(pp_digest_weight_for(&d, 3, &weight) == PP_OK && weight > 0.01, "or few are kept");
	pp_digest_release(&d);
	ok(pp_digest_init(&d, both, 2) == PP_OK && pp_digest_cut(&d, 0) == PP_OK, "two profiles");
	ok(d.up.n == 6 && d.funcs.n == 6, "share their stacks");
	ok(pp_digest_place(&d, 0, 2) == pp_digest_place(&d, 1, 2), "main;a is the same in both");
	pp_digest_release(&d);
	pp_profile_release(p);
	pp_profile_release(q);
	return tap_done();
}
