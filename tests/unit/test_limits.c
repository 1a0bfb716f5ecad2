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
	ok(defaults->max_memory && defaults->max_nodes && defaults->max_expansion,
	   "the default limits something");
	check("string", stacks, n, (struct pp_limits){ .max_string = 10 },
	      (struct pp_limits){ .max_string = 9 }, "io-limit-reached");
	check("memory", stacks, n, (struct pp_limits){ .max_memory = 10 << 20 },
	      (struct pp_limits){ .max_memory = 100 }, "io-limit-reached");
	check("nodes", deep, deep_n, (struct pp_limits){ .max_nodes = 50000 },
	      (struct pp_limits){ .max_nodes = 10000 }, "io-limit-reached");
	check("depth", deep, deep_n, (struct pp_limits){ .max_depth = 20000 },
	      (struct pp_limits){ .max_depth = 19999 }, "io-limit-reached");
	free(deep);
	return tap_done();
}
