/*
 * Boxes of a flame graph.
 */
#include "analysis/flame.h"
#include "analysis/reshape.h"
#include "little.h"

static const char *
boxes_text(const struct pp_flame *f, struct pp_buf *out)
{
	size_t i;

	out->n = 0;
	for (i = 0; i < f->boxes.n; i++) {
		const struct pp_box *box = &f->boxes.at[i];
		struct pp_slice name = pp_text_of(f->profile, f->profile->funcs.at[box->func].name);

		pp_buf_addf(out, "%u %.*s%s %.2f+%.2f\n", box->depth, (int)name.n,
		            (const char *)name.p, box->more ? "(more)" : "", box->start,
		            box->width);
	}
	return out->p ? out->p : "";
}

static void
check_boxes(void)
{
	struct pp_profile *p = little_stacks(
	    "main;b 50\nmain;a 30\nmain;c;d 15\nmain;e 3\nmain;f 2\n");
	struct pp_flame_opts opts = { .before = PP_FLAME_ALONE, .deepest = 100 };
	struct pp_buf text = { 0 };
	struct pp_flame flame;

	ok(pp_flame_compute(&flame, p, &opts) == PP_OK, "a flame graph");
	is_text(boxes_text(&flame, &text),
	        "0  0.00+1.00\n1 main 0.00+1.00\n2 a 0.00+0.30\n2 b 0.30+0.50\n"
	        "2 c 0.80+0.15\n2 e 0.95+0.03\n2 f 0.98+0.02\n3 d 0.80+0.15\n",
	        "by name");
	pp_flame_release(&flame);
	opts.order = PP_FLAME_BY_WEIGHT;
	opts.min_share = 0.04;
	ok(pp_flame_compute(&flame, p, &opts) == PP_OK, "without what is too small");
	is_text(boxes_text(&flame, &text),
	        "0  0.00+1.00\n1 main 0.00+1.00\n2 b 0.00+0.50\n2 a 0.50+0.30\n"
	        "2 c 0.80+0.15\n2 (more) 0.95+0.05\n3 d 0.80+0.15\n",
	        "by weight, the rest as one");
	pp_flame_release(&flame);
	pp_profile_release(p);
	pp_buf_release(&text);
}

/* Stacks upside down, two as one, and scaled: profiles made from profiles. */
static void
check_reshaped(void)
{
	struct pp_profile *p = little_stacks("main;a;b 3\nmain;b 1\n"), *made = NULL,
	                  *scaled = NULL;
	struct pp_buf text = { 0 };

	ok(pp_reshape_names(p, 0, &(struct pp_reversal){ 0 }, &made) == PP_OK, "upside down");
	is_text(little_text(made, &text), "b;a;main 3\nb;main 1\n", "leaves first");
	pp_profile_release(made);
	ok(pp_reshape_union(p, 0, p, 0, NULL, &made) == PP_OK && made->metrics.n == 2,
	   "two as one");
	ok(pp_reshape_scale(made, 1, 2.5, &scaled) == PP_OK &&
	       pp_profile_total(scaled, 1).i == 11 && pp_profile_total(made, 1).i == 4,
	   "one of them scaled, each cost rounded");
	pp_profile_release(scaled);
	pp_profile_release(made);
	pp_profile_release(p);
	pp_buf_release(&text);
}

int
main(void)
{
	check_boxes();
	check_reshaped();
	return tap_done();
}
