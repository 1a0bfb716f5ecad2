/*
 * One tree of one or two profiles, in preorder, without what is too small to be seen.
 */
#include "analysis/digest.h"
#include "little.h"

static const struct pp_digest_keep all;

/* Samples 10 ns apart; without a period in time each covers 15 ns, unless something comes in between. */
static struct pp_profile *
sampled(void)
{
	struct pp_frame_row frame = { 0 };
	struct pp_series like = { .pid = -1, .tid = 1, .cpu = -1 };
	static const int64_t times[] = { 0, 10, 20, 50, 60 };
	int64_t one = 1;
	pp_frame id;
	size_t i;

	if (!little_start())
		return NULL;
	little.order.facets = PP_TREE | PP_TIMELINE;
	frame.func = little_func(pp_slice_z("run"), &frame.line);
	id = pp_build_frame(&little, &frame);
	like.tid = (int64_t)pp_build_series(&little, &like, false, false);
	little.profile->time.known = true;
	little.profile->time.end = 64;
	for (i = 0; i < PP_COUNT_OF(times); i++) {
		struct pp_sample s = { .series = (uint32_t)like.tid,
			               .values = &one,
			               .timed = true };

		s.time = times[i];
		pp_build_sample(&little, &s, &id, 1);
		if (i == 0 || i == 3)
			pp_build_pause(&little, (uint32_t)like.tid, s.time + 4);
	}
	return little_end();
}

/* A report says how long each sample ran: up to the next one, or where its thread stopped. */
static void
check_lengths(void)
{
	static const uint64_t lengths[] = { 4, 10, 15, 4, 15 };
	struct pp_profile *p = sampled();
	const struct pp_profile *const one[] = { p };
	struct pp_moments m;
	struct pp_digest d;

	ok(pp_digest_init(&d, one, 1) == PP_OK && pp_digest_cut(&d, all) == PP_OK,
	   "samples in time");
	ok(pp_digest_moments(&d, 0, 0, 100, &m) == PP_OK && m.node.n == 5, "are moments");
	ok(m.length.n == 5 && memcmp(m.length.at, lengths, sizeof lengths) == 0,
	   "which end where their threads stop");
	pp_moments_release(&m);
	ok(pp_digest_moments(&d, 0, 0, 3, &m) == PP_OK && m.unit > 0 && m.length.n == m.node.n,
	   "fewer moments");
	ok(m.length.n && m.length.at[0] == 4 + 10 + 15 + 4 + 15,
	   "last as long as their samples together");
	pp_moments_release(&m);
	pp_digest_release(&d);
	pp_profile_release(p);
}

/* What lies below one node, as a viewer asks for it. */
static void
check_below(void)
{
	struct pp_profile *p = little_stacks(
	    "main;a;x 5\nmain;a;y 1\nmain;a 2\nmain;b;x 8\nmain;b;z 4\n");
	const struct pp_profile *const one[] = { p };
	struct pp_digest d;
	struct pp_digest_keep keep = all;
	uint32_t a;

	ok(pp_digest_init(&d, one, 1) == PP_OK &&
	       pp_digest_cut(&d, (struct pp_digest_keep){ .min_share = 0.2 }) == PP_OK,
	   "a part");
	ok(d.up.n == 8 && d.summed_up == 1 && d.more.at[4] == 1 && d.node.at[4] == d.node.at[2],
	   "a sum lies in a node");
	a = d.node.at[2];
	ok(!pp_digest_enter(&d, p->tree.n) && pp_digest_enter(&d, a), "below a node that there is");
	ok(pp_digest_keep_for(&d, 2, &keep) == PP_OK && pp_digest_cut(&d, keep) == PP_OK &&
	       d.up.n == 3 && d.more.at[2] == 1 && d.summed_up == 1,
	   "are few or");
	ok(pp_digest_keep_for(&d, 3, &keep) == PP_OK && keep.min_share <= 0 &&
	       pp_digest_cut(&d, keep) == PP_OK && d.up.n == 3 && d.summed_up == 0,
	   "all of its nodes");
	ok(pp_digest_place(&d, 0, a) == 0 && pp_digest_place(&d, 0, 0) == PP_DIGEST_NOWHERE &&
	       pp_digest_place(&d, 0, p->tree.n - 1) == PP_DIGEST_NOWHERE,
	   "and no others");
	pp_digest_release(&d);
	pp_profile_release(p);
}

/* As many nodes are kept as there is room for, whatever they weigh: callers before what they call. */
static void
check_ties(void)
{
	struct pp_profile *p = little_stacks("main;a;x 1\nmain;b;x 1\nmain;c;x 1\nmain;d;x 1\n");
	const struct pp_profile *const one[] = { p };
	struct pp_digest_keep keep;
	struct pp_digest d;
	uint32_t n;

	ok(pp_digest_init(&d, one, 1) == PP_OK, "four stacks of one weight");
	for (n = 2; n < 10; n++)
		ok(pp_digest_keep_for(&d, n, &keep) == PP_OK && pp_digest_cut(&d, keep) == PP_OK &&
		       d.tree->n - d.summed_up == n,
		   "%u nodes of 10 are kept", n);
	pp_digest_release(&d);
	pp_profile_release(p);
}

int
main(void)
{
	struct pp_profile *p = little_stacks("main;a 90\nmain;b 9\nmain;c 1\n");
	struct pp_profile *q = little_stacks("main;a 10\nmain;d 90\n");
	const struct pp_profile *const both[] = { p, q };
	struct pp_digest d;
	struct pp_digest_keep keep = all;

	ok(pp_digest_init(&d, both, 1) == PP_OK && pp_digest_cut(&d, all) == PP_OK, "one profile");
	ok(d.up.n == 5 && d.summed_up == 0 && d.tree == &p->tree, "keeps its own tree");
	ok(pp_digest_cut(&d, (struct pp_digest_keep){ .min_share = 0.05 }) == PP_OK &&
	       d.up.n == 5 && d.summed_up == 1,
	   "what is small is part of a sum");
	ok(pp_digest_keep_for(&d, 3, &keep) == PP_OK && keep.min_share > 0.01, "or few are kept");
	pp_digest_release(&d);
	ok(pp_digest_init(&d, both, 2) == PP_OK && pp_digest_cut(&d, all) == PP_OK, "two profiles");
	ok(d.up.n == 6 && d.funcs.n == 6, "share their stacks");
	ok(pp_digest_place(&d, 0, 2) == pp_digest_place(&d, 1, 2), "main;a is the same in both");
	pp_digest_release(&d);
	pp_profile_release(p);
	pp_profile_release(q);
	check_lengths();
	check_below();
	check_ties();
	return tap_done();
}
