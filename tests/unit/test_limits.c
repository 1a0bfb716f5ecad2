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
	return tap_done();
}
