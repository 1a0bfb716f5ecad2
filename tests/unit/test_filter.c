/*
 * What filters leave of a profile, and that the profile itself stays.
 */
#include "analysis/filter.h"
#include "little.h"

static const char stacks[] = "main;a 1\n"
                             "main;a;b 3\n"
                             "main;c 2\n"
                             "main;c;b 4\n"
                             "idle 5\n";

struct rules {
	const char *focus, *ignore, *show_from, *hide, *show, *collapse;
	uint32_t depth;
};

static bool
rules_fill(const struct rules *rules, struct pp_filter *f)
{
	const char *const patterns[] = { rules->focus, rules->ignore, rules->show_from,
		                         rules->hide,  rules->show,   rules->collapse };
	struct pp_buf problem = { 0 };
	size_t i;
	bool fine = true;

	f->depth = rules->depth;
	for (i = 0; i < PP_COUNT_OF(patterns); i++)
		if (patterns[i])
			fine &= pp_filter_add(f, (enum pp_filter_kind)i, pp_slice_z(patterns[i]),
			                      &problem);
	pp_buf_release(&problem);
	return fine;
}

static void
leaves_of(const char *from, struct rules rules, const char *left, const char *what)
{
	struct pp_profile *p = little_stacks(from), *derived = NULL;
	struct pp_buf text = { 0 }, problem = { 0 };
	struct pp_filter f = { 0 };

	ok(rules_fill(&rules, &f) && pp_filter_derive(p, &f, &derived, &problem) == PP_OK, "%s",
	   what);
	is_text(little_text(derived, &text), left, "%s", what);
	is_text(little_text(p, &text), from, "and the profile is what it was");
	pp_profile_release(derived);
	pp_profile_release(p);
	pp_filter_release(&f);
	pp_buf_release(&text);
	pp_buf_release(&problem);
}

static void
leaves(struct rules rules, const char *left, const char *what)
{
	leaves_of(stacks, rules, left, what);
}

/* Functions without a library are of the namespace, package or class that their names tell. */
static void
check_modules(void)
{
	static const char deep[] = "m;A\\U\\H\\C::t;curl 3\n"
	                           "m;A\\U\\L::w;A\\U\\H\\C::t 4\n"
	                           "m;A\\U\\L::w;A\\V\\L::w 5\n"
	                           "m;net/http.Get;net/http.do 2\n"
	                           "m;std::v<a::b::c>;std::f(x::y) 1\n";

	leaves_of(deep, (struct rules){ .collapse = "module:^A\\\\U$" },
	          "m;A\\U\\H\\C::t;curl 3\nm;A\\U\\L::w 4\nm;A\\U\\L::w;A\\V\\L::w 5\n"
	          "m;net/http.Get;net/http.do 2\nm;std::v<a::b::c>;std::f(x::y) 1\n",
	          "collapse: a namespace");
	leaves_of(deep, (struct rules){ .collapse = "module:." },
	          "m;A\\U\\H\\C::t;curl 3\nm;A\\U\\L::w 4\nm;A\\U\\L::w;A\\V\\L::w 5\n"
	          "m;net/http.Get 2\nm;std::v<a::b::c> 1\n",
	          "each of them by itself");
	leaves_of(deep, (struct rules){ .show = "module:^(std|net/http)$" },
	          "net/http.Get;net/http.do 2\nstd::v<a::b::c>;std::f(x::y) 1\n",
	          "show: two of them");
}

/* Frames that their like called, on the tree and as stacks come. */
static void
check_collapse(void)
{
	static const char deep[] = "a;b;b 4\na;r;r 2\na;r;r;r;b 3\na;x;r;x;r 1\n";
	struct pp_profile *p = little_stacks(deep);
	struct rules rules = { .collapse = "^r$" };
	struct pp_filter f = { 0 };
	struct pp_sieve sieve;
	pp_frame frames[] = { 1, 3, 3, 3, 2 }; /* a, r, r, r, b */
	size_t depth = 5;

	leaves_of(deep, rules, "a;b;b 4\na;r 2\na;r;b 3\na;x;r;x;r 1\n", "collapse: recursion");
	leaves_of(deep, (struct rules){ .collapse = "." }, "a;b 4\na;r 2\na;r;b 3\na;x;r;x;r 1\n",
	          "of every function");
	leaves_of(deep, (struct rules){ .collapse = "r", .hide = "x" },
	          "a;b;b 4\na;r 2\na;r;b 3\na;r;r 1\n", "what was between them is no caller");
	pp_sieve_init(&sieve, rules_fill(&rules, &f) ? &f : NULL);
	ok(pp_sieve_frames(&sieve, p) && pp_sieve_stack(&sieve, frames, &depth) && depth == 3 &&
	       frames[1] == 3 && frames[2] == 2,
	   "of a;r;r;r;b there is a;r;b left");
	pp_sieve_release(&sieve);
	pp_profile_release(p);
	pp_filter_release(&f);
}

static void
check_rules(void)
{
	leaves((struct rules){ .focus = "^b$" }, "main;a;b 3\nmain;c;b 4\n", "focus");
	leaves((struct rules){ .ignore = "^b$" }, "main;a 1\nmain;c 2\nidle 5\n", "ignore");
	leaves((struct rules){ .focus = "^b$", .ignore = "^c$" }, "main;a;b 3\n",
	       "ignore wins over focus");
	leaves((struct rules){ .show_from = "^[ac]$" }, "a 1\na;b 3\nc 2\nc;b 4\n", "show from");
	leaves((struct rules){ .hide = "^[ac]$" }, "main 3\nmain;b 7\nidle 5\n",
	       "hide: what becomes one is added up");
	leaves((struct rules){ .show = "^b$" }, "b 7\n", "show");
	leaves((struct rules){ .depth = 2 }, "main;a 4\nmain;c 6\nidle 5\n", "depth");
	leaves((struct rules){ .hide = "main", .depth = 1 }, "a 4\nc 6\nidle 5\n",
	       "depth counts what is shown");
	leaves((struct rules){ .focus = "." }, stacks, "a filter that leaves everything");
	leaves((struct rules){ .focus = "nobody" }, "", "a filter that leaves nothing");
}

/* The same rules on stacks as they come. */
static void
check_sieve(void)
{
	struct rules rules = { .show_from = "^[ac]$", .hide = "^c$", .depth = 1 };
	struct pp_profile *p = little_stacks(stacks), *derived = NULL;
	struct pp_buf text = { 0 }, problem = { 0 };
	struct pp_filter f = { 0 };
	struct pp_sieve sieve;
	pp_frame frames[] = { 1, 4, 3 }; /* main, c, b */
	size_t depth = 3;

	pp_sieve_init(&sieve, rules_fill(&rules, &f) ? &f : NULL);
	ok(pp_sieve_frames(&sieve, p) && pp_sieve_stack(&sieve, frames, &depth) && depth == 1 &&
	       frames[0] == 3,
	   "of main;c;b there is b left");
	ok(pp_filter_derive(p, &f, &derived, &problem) == PP_OK, "and of the tree");
	is_text(little_text(derived, &text), "a 4\nb 4\n", "the same");
	pp_sieve_release(&sieve);
	pp_profile_release(derived);
	pp_profile_release(p);
	pp_filter_release(&f);
	pp_buf_release(&text);
	pp_buf_release(&problem);
}

static void
check_threads(void)
{
	struct pp_profile *p = little_threads("main;a 1\n", "main;b 2\n"), *derived = NULL;
	struct pp_buf text = { 0 }, problem = { 0 };
	struct pp_filter f = { 0 };

	struct pp_filter_thread second = { .text = pp_slice_z("2") };

	ok(pp_vec_push(&f.threads, second) &&
	       pp_filter_derive(p, &f, &derived, &problem) == PP_OK && derived->series.n == 1,
	   "one of two threads");
	is_text(little_text(derived, &text), "main;b 2\n", "with its stacks");
	is_text(little_text(p, &text), "main;a 1\nmain;b 2\n", "the profile has both");
	pp_profile_release(derived);
	derived = NULL;
	/* Of another process: what is written the same is another thread. */
	f.threads.at[0] = (struct pp_filter_thread){ .text = pp_slice_z("2"),
		                                     .exact = true,
		                                     .pid = p->series.at[1].pid + 1,
		                                     .tid = p->series.at[1].tid };
	ok(!pp_filter_has_thread(p, &f.threads.at[0]) &&
	       pp_filter_derive(p, &f, &derived, &problem) == PP_OK && derived->series.n == 0,
	   "one thread exactly");
	pp_profile_release(derived);
	pp_profile_release(p);
	pp_filter_release(&f);
	pp_buf_release(&text);
	pp_buf_release(&problem);
}

/* Where there are no stacks, a filter chooses functions. */
static void
check_functions(void)
{
	struct pp_profile *p = little_calls("main@m.c:1 1\na@m.c:2 5\nmain>a 2 5\n"),
	                  *derived = NULL;
	struct pp_filter f = { .by_function = true };
	struct pp_buf problem = { 0 };

	ok(pp_filter_add(&f, PP_FILTER_FOCUS, pp_slice_z("^a$"), &problem) &&
	       pp_filter_derive(p, &f, &derived, &problem) == PP_OK && derived->lines.rows.n == 1 &&
	       derived->lines.cells.at[0] == 5,
	   "the lines of a function");
	ok(p->lines.rows.n == 2, "the profile has all");
	pp_profile_release(derived);
	f.by_function = false;
	ok(pp_filter_derive(p, &f, &derived, &problem) == PP_E_UNSUPPORTED && problem.n,
	   "stacks that are not there cannot be chosen");
	pp_profile_release(p);
	pp_filter_release(&f);
	pp_buf_release(&problem);
}

/* Several functions in one line: the line is that of each of them. */
static void
check_one_line(void)
{
	struct pp_profile *p = little_calls("main@m.c:1 1\na@m.c:2 5\nb@m.c:2 7\nmain>a 2 5\n"),
	                  *derived = NULL;
	struct pp_filter f = { .by_function = true };
	struct pp_buf problem = { 0 };
	const char *const patterns[] = { "^a$", "^b$" };
	size_t i;

	for (i = 1; i < p->funcs.n; i++)
		p->funcs.at[i].line = p->funcs.at[i].last_line = i == 1 ? 1 : 2;
	/* As of a file that lists lines without functions. */
	for (i = 0; i < p->lines.rows.n; i++) {
		p->lines.rows.at[i].file = p->funcs.at[p->lines.rows.at[i].func].file;
		p->lines.rows.at[i].func = 0;
	}
	for (i = 0; i < 2; i++) {
		ok(pp_filter_add(&f, PP_FILTER_FOCUS, pp_slice_z(patterns[i]), &problem) &&
		       pp_filter_derive(p, &f, &derived, &problem) == PP_OK &&
		       derived->lines.rows.n == 2,
		   "the line of %s", patterns[i]);
		pp_profile_release(derived);
		derived = NULL;
		pp_filter_release(&f);
		f = (struct pp_filter){ .by_function = true };
	}
	pp_profile_release(p);
	pp_buf_release(&problem);
}

int
main(void)
{
	check_rules();
	check_collapse();
	check_modules();
	check_sieve();
	check_threads();
	check_functions();
	check_one_line();
	return tap_done();
}
