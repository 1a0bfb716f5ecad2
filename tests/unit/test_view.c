/*
 * Views: step after step, and the profile stays.
 */
#include "analysis/view.h"
#include "little.h"
#include "model/derive.h"

static const char calls[] = "main@m.c 1\n"
                            "a@a.c 2\n"
                            "b@a.c 6\n"
                            "main@m.c>a@a.c 1 8\n"
                            "a@a.c>b@a.c 3 6\n";

/* Estimates stacks, takes one function out, and looks at files. */
static bool
steps(struct pp_view *v)
{
	struct pp_estimate_opts opts = { 0 };
	struct pp_filter f = { 0 };
	struct pp_buf problem = { 0 };
	bool fine = pp_filter_add(&f, PP_FILTER_HIDE, pp_slice_z("^a$"), &problem) &&
	            pp_view_estimate(v, &opts) == PP_OK &&
	            pp_view_filter(v, &f, &problem) == PP_OK &&
	            pp_view_group(v, PP_BY_FILE, pp_slice_z(""), &problem) == PP_OK;

	pp_filter_release(&f);
	pp_buf_release(&problem);
	return fine;
}

static void
check_steps(void)
{
	struct pp_profile *p = little_calls(calls);
	struct pp_buf text = { 0 };
	struct pp_view v, other;

	pp_view_init(&v, p);
	pp_view_init(&other, p);
	ok(v.shown == p && !v.own, "a view starts with the profile");
	ok(steps(&v) && v.estimated && v.filtered, "an estimate, a filter and a group");
	is_text(little_text(v.shown, &text), "m.c 3\nm.c;a.c 6\n", "after each other");
	ok(v.estimate.exact == 1.0, "the estimate is certain");
	ok(pp_view_whole(&v, 0).i == 9, "the whole is that of the profile");
	ok(other.shown == p && p->tree.n == 1 && p->calls.rows.n == 2 && !p->estimated,
	   "which knows nothing of it");
	pp_view_release(&v);
	pp_view_release(&other);
	pp_profile_release(p);
	pp_buf_release(&text);
}

/* What a view has taken over goes as soon as no step needs it. */
static void
check_owned(void)
{
	struct pp_profile *p = little_calls(calls), *left;
	struct pp_buf text = { 0 };
	struct pp_view v;

	pp_view_init_owned(&v, p);
	ok(steps(&v), "the same with the profile given away");
	left = pp_view_take(&v);
	ok(left && left->shared == 0, "what is left depends on nothing");
	is_text(little_text(left, &text), "m.c 3\nm.c;a.c 6\n", "and is the same");
	pp_profile_release(left);
	pp_buf_release(&text);
}

static void
check_failure(void)
{
	struct pp_profile *p = little_stacks("main;a 1\n");
	struct pp_buf problem = { 0 };
	struct pp_view v;

	pp_view_init(&v, p);
	ok(pp_view_group(&v, PP_BY_FILE, pp_slice_z(""), &problem) == PP_E_UNSUPPORTED &&
	       v.shown == p,
	   "a step that fails leaves the view as it was");
	pp_view_release(&v);
	pp_profile_release(p);
	pp_buf_release(&problem);
}

/* Threads that go and threads that stay, when what they were derived from is given up. */
static void
check_adopt(void)
{
	struct pp_profile *p = little_threads("main;a 1\n", "main;b 2\n"), *derived = NULL;
	struct pp_buf text = { 0 };
	struct pp_derive d;

	ok(pp_derive_init(&d, p, PP_COLUMN_SERIES, 0), "a list of series of its own");
	d.to->series.at[0] = d.to->series.at[1];
	d.to->series.n = 1;
	ok(pp_derive_finish(&d, PP_OK, &derived) == PP_OK, "one stays");
	pp_profile_adopt(derived, p);
	ok(derived->shared == 0, "everything is its own");
	is_text(little_text(derived, &text), "main;b 2\n", "and there");
	pp_profile_release(derived);
	pp_buf_release(&text);
}

int
main(void)
{
	check_steps();
	check_owned();
	check_failure();
	check_adopt();
	return tap_done();
}
