/*
 * Every limit, through the API: input that passes it is refused or cut with a diagnostic, input that
 * stays below is not.
 */
#include "tap.h"

#include "api/api.h"

static pp_status
read_with(const char *text, size_t n, const struct pp_limits *limits, struct pp_diags *diags,
          bool *complete)
{
	struct pp_read_opts opts = { .from = "folded", .threads = 1, .limits = limits };
	pp_profile *p;
	pp_status status = pp_read_memory(text, n, "x.folded", &opts, diags, &p);

	*complete = p && pp_profile_complete(p);
	pp_profile_free(p);
	return status;
}

/* The text is read whole with the limits `enough`, and not with the limits `tight`, for which the rule stands. */
static void
check(const char *what, const char *text, size_t n, struct pp_limits enough, struct pp_limits tight,
      const char *rule)
{
	struct pp_diags diags;
	bool complete;

	pp_diags_init(&diags);
	ok(read_with(text, n, &enough, &diags, &complete) == PP_OK && complete &&
	       pp_diags_total(&diags, PP_NOTE) == 0,
	   "%s: below", what);
	ok((read_with(text, n, &tight, &diags, &complete) != PP_OK || !complete) &&
	       pp_diags_of_rule(&diags, pp_rule_find(rule)) == 1,
	   "%s: above, %s", what, rule);
	pp_diags_release(&diags);
}

/* Lines and stacks of text formats are limited whichever way bytes come, and whatever is asked. */
struct feed {
	const char *text;
	size_t n, done;
};

static ptrdiff_t
feed_some(void *ctx, void *to, size_t room)
{
	struct feed *f = ctx;
	size_t n = f->n - f->done < room ? f->n - f->done : room;

	n = n < 1000 ? n : 1000;
	memcpy(to, f->text + f->done, n);
	f->done += n;
	return (ptrdiff_t)n;
}

static void
check_way(const char *format, const struct pp_buf *text, size_t way, struct pp_limits limits,
          pp_status wanted)
{
	static const unsigned orders[] = { PP_TREE, PP_TREE | PP_EXTRAS, 0 };
	struct pp_read_opts opts = { .from = format,
		                     .want = orders[way / 3],
		                     .threads = way % 3 == 2 ? 2 : 1,
		                     .limits = &limits };
	struct feed feed = { text->p, text->n, 0 };
	pp_profile *p;
	pp_status status = way % 3 ? pp_read_memory(text->p, text->n, "x", &opts, NULL, &p)
	                           : pp_read_callback(feed_some, &feed, "x", &opts, NULL, &p);

	ok(status == wanted, "%s: way %zu: %s", format, way, pp_status_text(status));
	pp_profile_free(p);
}

static void
check_ways(const char *format, const struct pp_buf *text, uint64_t line, uint32_t depth)
{
	size_t way;

	for (way = 0; way < 9; way++) {
		check_way(format, text, way, (struct pp_limits){ .max_line = line }, PP_OK);
		check_way(format, text, way, (struct pp_limits){ .max_line = line - 1 },
		          PP_E_LIMIT);
		check_way(format, text, way, (struct pp_limits){ .max_depth = depth }, PP_OK);
		check_way(format, text, way, (struct pp_limits){ .max_depth = depth - 1 },
		          PP_E_LIMIT);
	}
}

/* The longest line has 4001 bytes, the deepest stack 400 frames. */
static void
check_formats(void)
{
	struct pp_buf folded = { 0 }, diff = { 0 }, perf = { 0 };
	size_t i;

	for (i = 0; i < 400; i++)
		pp_buf_addf(&folded, "%sf%03zuabcde", i ? ";" : "", i % 7);
	pp_buf_add(&diff, folded.p, folded.n);
	pp_buf_adds(&folded, " 1\n");
	pp_buf_adds(&diff, " 1 2\n");
	pp_buf_adds(&perf, "app 1 [000] 1.000000: 7 cycles: \n");
	for (i = 0; i < 400; i++)
		pp_buf_addf(&perf, "\t%16zx f%zu+0x1 (/bin/%0*d)\n", i + 1, i % 7,
		            i == 399 ? 3969 : 3, 1);
	pp_buf_adds(&perf, "\n");
	check_ways("folded", &folded, 4001, 400);
	check_ways("diff-folded", &diff, 4003, 400);
	check_ways("perf-script", &perf, 4001, 400);
	pp_buf_release(&folded);
	pp_buf_release(&diff);
	pp_buf_release(&perf);
}

/* Formats that are read as a whole have lines, too. */
static void
check_lines(void)
{
	static const struct {
		const char *format, *text;
	} cases[] = {
		{ "dtrace", "\n              a.out`function_of_sixty_bytes_in_a_line_of_it+0x10\n"
		            "              a.out`main+0x1\n                5\n" },
		{ "bpftrace",
		  "@[\n    a_function_whose_line_has_sixty_bytes_in_all_of_it_+0123\n]: 3\n" },
		{ "austin",
		  "# austin: 3.6.0\n\nP7;T0:1;/srv/a_path_of_some_len/main.py:<module>:10 1200000\n" },
		{ "massif",
		  "desc: a description that makes sixty bytes of this line 12345\ncmd: x\n"
		  "time_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=0\n"
		  "mem_heap_B=5\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=empty\n" },
		{ "jemalloc", "heap_v2/1\n  t*: 1: 8 [1: 8]\n"
		              "@ 0x55a697c0a010 0x55a697c0a011 0x55a697c0a012 0x55a697c0a0a\n"
		              "  t*: 1: 8 [1: 8]\n" },
		{ "gperftools-heap",
		  "heap profile: 1: 8 [1: 8] @ heapprofile\n"
		  "1: 8 [1: 8] @ 0x55a697c0a010 0x55a697c0a011 0x55a697c0a01234\n" },
		{ "pprof", "goroutine profile: total 1\n"
		           "1 @ 0x55a697c0a010 0x55a697c0a011 0x55a697c0a012 0x55a697c0a01234\n" },
		{ "dump",
		  "Thread 1 (Thread 0x7f10b3a51740 (LWP 211)):\n#0  compute_something_with_a_name_of_length (n=12) at calc.c:41\n"
		  "#1  0x000055d0aa3c0001 in main (argc=1) at main.c:7\n" },
	};
	size_t i, way;

	for (i = 0; i < PP_COUNT_OF(cases); i++) {
		struct pp_buf text = { 0 };
		size_t longest = 0;
		const char *at = cases[i].text, *end;

		for (; (end = strchr(at, '\n')); at = end + 1)
			longest = (size_t)(end - at) > longest ? (size_t)(end - at) : longest;
		pp_buf_adds(&text, cases[i].text);
		for (way = 0; way < 2; way++) {
			check_way(cases[i].format, &text, way,
			          (struct pp_limits){ .max_line = longest + 1 }, PP_OK);
			check_way(cases[i].format, &text, way,
			          (struct pp_limits){ .max_line = longest - 1 }, PP_E_LIMIT);
		}
		pp_buf_release(&text);
	}
}

/* A stack of so many frames, "a;a;...;a 1\n"; the caller frees it. */
static char *
deep_stack(size_t frames, size_t *n)
{
	char *text = malloc(2 * frames + 3);
	size_t i;

	if (!text)
		abort();
	for (i = 0; i < frames; i++)
		memcpy(text + 2 * i, "a;", 2);
	*n = 2 * frames - 1;
	memcpy(text + *n, " 1\n", 3);
	*n += 3;
	return text;
}

/* What is asked of a profile, and what is written of it, is on the account of reading it. */
static void
check_account(const char *deep, size_t n)
{
	struct pp_limits limits = { .max_memory = 100000 };
	struct pp_read_opts opts = { .from = "folded", .threads = 2, .limits = &limits };
	struct pp_account own = { .limit = 40960 };
	size_t step = 0, read = 0, asked = 0, written = 0, size;
	pp_profile *p;
	pp_answer *answer;
	void *data;

	/* Ever more memory: it is enough for reading first, and for the rest later. */
	for (; step < 60 && !written; step++, limits.max_memory += limits.max_memory / 4) {
		const char *const rows[] = { "limit=0", NULL };

		if (pp_read_memory(deep, n, "x", &opts, NULL, &p) != PP_OK)
			continue;
		read = read ? read : step;
		if (pp_ask(p, "tree", rows, &answer) == PP_OK) {
			asked = asked ? asked : step;
			if (pp_write_memory(p, pp_format_find("spaa"), NULL, NULL, &data, &size) ==
			    PP_OK)
				written = step;
			pp_free(written ? data : NULL);
		}
		pp_answer_free(answer);
		pp_profile_free(p);
	}
	ok(read > 0 && asked >= read && written >= asked,
	   "memory for reading (step %zu), asking (%zu) and writing (%zu)", read, asked, written);
	(void)pp_account_enter(&own);
	ok(!malloc(50000) && pp_account_exceeded(), "an account of one's own is heeded");
	data = malloc(40000);
	ok(data && own.used >= 40000, "and tells how much is used");
	data = realloc(data, 100);
	ok(data && own.used < 40000, "also when that becomes less");
	free(data);
	ok(own.used == 0, "until all is free again");
	ok(pp_read_memory(deep, n, "x", NULL, NULL, &p) == PP_E_LIMIT && own.used == 0,
	   "who counts already counts alone, and a failure leaves nothing behind");
	(void)pp_account_enter(NULL);
}

int
main(void)
{
	static const char stacks[] = "main;a;b;c 1\nmain;dddddddddd 2\n";
	const struct pp_limits *defaults = pp_limits_default();
	struct pp_limits own = pp_limits_complete(&(struct pp_limits){ .max_nodes = 7 });
	size_t n = sizeof stacks - 1, deep_n;
	char *deep = deep_stack(20000, &deep_n);

	ok(own.max_nodes == 7 && own.max_line == defaults->max_line &&
	       own.max_depth == defaults->max_depth,
	   "limits that are not given are the default");
	ok(!defaults->max_memory && defaults->max_nodes && defaults->max_expansion,
	   "the default limits something; that of memory depends on the machine");
	check("string", stacks, n, (struct pp_limits){ .max_string = 10 },
	      (struct pp_limits){ .max_string = 9 }, "io-limit-reached");
	check("memory", stacks, n, (struct pp_limits){ .max_memory = 10 << 20 },
	      (struct pp_limits){ .max_memory = 100 }, "io-limit-reached");
	check("nodes", deep, deep_n, (struct pp_limits){ .max_nodes = 50000 },
	      (struct pp_limits){ .max_nodes = 10000 }, "io-limit-reached");
	check("depth", deep, deep_n, (struct pp_limits){ .max_depth = 20000 },
	      (struct pp_limits){ .max_depth = 19999 }, "io-limit-reached");
	check_account(deep, deep_n);
	free(deep);
	check_formats();
	check_lines();
	return tap_done();
}
