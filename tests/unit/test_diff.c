/*
 * What changed between two profiles; neither is changed by that.
 */
#include "analysis/diff.h"
#include "little.h"

static const struct pp_diff_row *
row_named(const struct pp_diff *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->rows.n; i++) {
		const struct pp_profile *p;
		const struct pp_func_row *func = pp_diff_func(&d->rows.at[i], &p);

		if (pp_slice_eq_z(pp_text_of(p, func->name), name))
			return &d->rows.at[i];
	}
	return NULL;
}

static void
check_changes(void)
{
	struct pp_profile *p = little_stacks("main;a 100\nmain;gone 400\n");
	struct pp_profile *q = little_stacks("main;a 900\nmain;new 400\n"), *both = NULL;
	struct pp_diff_input before = { .profile = p }, after = { .profile = q };
	struct pp_diff_options options = { .noise = 0.01 };
	struct pp_buf problem = { 0 }, text = { 0 };
	struct pp_diff d;

	ok(pp_diff_compute(&d, &before, 1, &after, 1, &options, &problem) == PP_OK && d.exact,
	   "two runs");
	ok(d.rows.n == 4 && pp_diff_delta(&d.whole) == 800, "four functions cost 800 more");
	ok(row_named(&d, "a")->self.status == PP_GREW &&
	       pp_diff_delta(&row_named(&d, "a")->self) == 800,
	   "a grew");
	ok(row_named(&d, "gone")->total.status == PP_GONE, "one is gone");
	ok(row_named(&d, "new")->total.status == PP_NEW, "one is new");
	ok(pp_diff_union(&d, false, &both) == PP_OK && both->metrics.n == 2, "both trees as one");
	pp_profile_release(both);
	pp_diff_release(&d);
	pp_profile_release(p);
	pp_profile_release(q);
	pp_buf_release(&problem);
	pp_buf_release(&text);
}

/* What one side tells apart and the other does not is taken together, in the comparison only. */
static void
check_united(void)
{
	struct pp_profile *p = little_stacks("main;f@1.c 2\nmain;f@2.c 3\n");
	struct pp_profile *q = little_stacks("main;f 5\n");
	struct pp_diff_input before = { .profile = p }, after = { .profile = q };
	struct pp_diff_options options = { .noise = 0.01 };
	struct pp_buf problem = { 0 };
	struct pp_diff d;

	ok(pp_diff_compute(&d, &before, 1, &after, 1, &options, &problem) == PP_OK, "f and f");
	ok(d.rows.n == 2 && pp_diff_delta(&row_named(&d, "f")->self) == 0, "cost the same");
	ok(p->funcs.at[little_find(p, "f")].same != p->funcs.at[3].same && before.profile == p,
	   "and are two in their profile");
	pp_diff_release(&d);
	pp_profile_release(p);
	pp_profile_release(q);
	pp_buf_release(&problem);
}

int
main(void)
{
	check_changes();
	check_united();
	return tap_done();
}
