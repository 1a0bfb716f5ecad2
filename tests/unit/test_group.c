/*
 * Groups take the place of their functions, in a profile of their own.
 */
#include "analysis/group.h"
#include "little.h"
#include "model/flat.h"
#include "text/path.h"

static const char stacks[] = "main@m.c:1;f@x.c:3 2\n"
                             "main@m.c:1;f@x.c:3;g@x.c:8 4\n"
                             "main@m.c:1;f@x.c:5 1\n";
static const char plain[] = "main;f 2\nmain;f;g 4\nmain;f 1\n";

static void
groups(struct pp_profile *p, enum pp_group_by by, const char *left, const char *what)
{
	struct pp_profile *derived = NULL;
	struct pp_buf text = { 0 }, problem = { 0 };

	ok(pp_group_derive(p, by, pp_slice_z(""), &derived, &problem) == PP_OK, "%s", what);
	is_text(little_text(derived, &text), left, "%s", what);
	pp_profile_release(derived);
	pp_buf_release(&text);
	pp_buf_release(&problem);
}

static void
check_groups(void)
{
	struct pp_profile *p = little_stacks(stacks), *derived = NULL;
	struct pp_profile *threads = little_threads("main;a 1\n", "main;b 2\n");
	struct pp_buf text = { 0 };

	groups(p, PP_BY_FILE, "m.c;x.c 2\nm.c;x.c;x.c 4\nm.c;x.c 1\n", "by file");
	groups(p, PP_BY_LINE, "m.c:1;x.c:3 2\nm.c:1;x.c:3;x.c:8 4\nm.c:1;x.c:5 1\n", "by line");
	groups(threads, PP_BY_THREAD, "thread 1 1\nthread 2 2\n", "by thread");
	ok(pp_group_derive(p, PP_BY_MODULE, pp_slice_z(""), &derived, &text) == PP_E_UNSUPPORTED &&
	       !derived,
	   "by module, of which there is none");
	ok(pp_group_derive(p, PP_BY_FUNCTION, pp_slice_z(""), &derived, &text) == PP_OK && !derived,
	   "by function is the profile itself");
	is_text(little_text(p, &text), plain, "which is what it was");
	pp_profile_release(threads);
	pp_profile_release(p);
	pp_buf_release(&text);
}

/* A group's total counts outermost activations only. */
static void
check_totals(void)
{
	struct pp_profile *p = little_stacks(stacks), *derived = NULL;
	struct pp_flat flat = { 0 };
	struct pp_buf problem = { 0 };
	size_t i;

	ok(pp_group_derive(p, PP_BY_FILE, pp_slice_z(""), &derived, &problem) == PP_OK &&
	       pp_flat_compute(derived, &flat) == PP_OK && flat.n == 2,
	   "two files");
	for (i = 0; i < flat.n; i++)
		ok(flat.total[i].i == 7, "of which each is on all stacks");
	pp_flat_release(&flat);
	pp_profile_release(derived);
	pp_profile_release(p);
	pp_buf_release(&problem);
}

static void
check_unite(void)
{
	struct pp_profile *p = little_stacks("main;f@1.c 1\nmain;f@2.c 2\n"), *united = NULL;
	uint32_t key[4] = { 0, 0, 1, 1 };
	struct pp_buf text = { 0 };

	ok(pp_group_unite(p, key, 1, &united) == PP_OK && united->funcs.at[3].same == 2 &&
	       pp_func_alone(united, 3) == 3,
	   "two functions are one, and it is known who they were");
	ok(p->funcs.at[3].same == 3, "but not in the profile");
	pp_profile_release(united);
	key[3] = 0;
	ok(pp_group_unite(p, key, 1, &united) == PP_OK && !united, "one is one already");
	pp_profile_release(p);
	pp_buf_release(&text);
}

/* Compilers spell the path of a file in several ways. */
static void
check_paths(void)
{
	static const struct {
		const char *path, *clean;
	} paths[] = { { "./a/../b.c", "b.c" },   { "b.c", "b.c" },      { "/x//y/./../z/", "/x/z" },
		      { "../../a/..", "../.." }, { "/../a", "/a" },     { ".", "." },
		      { "a/..", "." },           { "/..", "/" },        { "a/../../b", "../b" },
		      { "...", "..." },          { "/a/b/../..", "/" }, { "", "" } };
	struct pp_profile *p = little_stacks("main@./m/../x.c;f@x.c 2\nf@./x.c 1\n");
	struct pp_buf text = { 0 };
	size_t i;

	groups(p, PP_BY_FILE, "x.c;x.c 2\nx.c 1\n", "by file, whatever its path");
	for (i = 0; i < PP_COUNT_OF(paths); i++) {
		text.n = 0;
		pp_path_clean(&text, pp_slice_z(paths[i].path));
		ok(pp_slice_eq_z(pp_slice_of(text.p ? text.p : "", text.n), paths[i].clean),
		   "'%s' is '%.*s'", paths[i].path, (int)text.n, text.p ? text.p : "");
	}
	pp_profile_release(p);
	pp_buf_release(&text);
}

int
main(void)
{
	check_paths();
	check_groups();
	check_totals();
	check_unite();
	return tap_done();
}
