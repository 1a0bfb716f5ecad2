/*
 * Stacks from pairs of caller and callee.
 */
#include "analysis/estimate.h"
#include "little.h"

static void
estimates(const char *calls, const char *stacks, double exact, uint32_t cycles, const char *what)
{
	struct pp_profile *p = little_calls(calls), *derived = NULL;
	struct pp_estimate_opts opts = { 0 };
	struct pp_estimate how;
	struct pp_buf text = { 0 };

	ok(pp_estimate_possible(p) && pp_estimate_derive(p, &opts, &how, &derived) == PP_OK, "%s",
	   what);
	is_text(little_text(derived, &text), stacks, "%s", what);
	ok(how.exact > exact - 0.01 && how.exact < exact + 0.01, "certain: %g", how.exact);
	is_u64(how.cycles, cycles, "cycles");
	ok(!pp_estimate_possible(derived) && p->tree.n == 1, "the profile itself has no stacks");
	pp_profile_release(derived);
	pp_profile_release(p);
	pp_buf_release(&text);
}

int
main(void)
{
	estimates("main 1\na 2\nb 6\nmain>a 1 8\na>b 3 6\n", "main 1\nmain;a 2\nmain;a;b 6\n", 1.0,
	          0, "one caller each is certain");
	estimates("x 0\ny 0\nf 10\ng 20\nx>f 1 10\ny>f 1 20\nf>g 1 20\n",
	          "y;f 6\ny;f;g 14\nx;f 3\nx;f;g 7\n", 0.0, 0,
	          "two callers share in proportion, and everything is handed out");
	estimates("main 1\na 2\nb 3\nmain>a 1 5\na>b 4 3\nb>a 3 2\n",
	          "main 1\nmain;a 2\nmain;a;b 3\n", 0.17, 1,
	          "a cycle is one unit, and nobody knows who did what in it");
	return tap_done();
}
