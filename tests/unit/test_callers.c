/*
 * Who calls a function, and whom it calls.
 */
#include "analysis/callers.h"
#include "little.h"

/* "name depth total\n" of each row. */
static const char *
rows_text(const struct pp_calls *c, struct pp_buf *out)
{
	size_t i;

	out->n = 0;
	pp_buf_adds(out, "");
	for (i = 0; i < c->rows.n; i++) {
		struct pp_slice name = pp_text_of(c->profile,
		                                  c->profile->funcs.at[c->rows.at[i].func].name);

		pp_buf_addf(out, "%.*s %u %lld\n", (int)name.n, (const char *)name.p,
		            c->rows.at[i].depth, (long long)c->total.at[i * c->metrics].i);
	}
	return out->p ? out->p : "";
}

static void
asks(struct pp_profile *p, const char *name, enum pp_calls_side side, uint32_t depth,
     const char *rows)
{
	struct pp_calls calls = { 0 };
	struct pp_flat flat = { 0 };
	struct pp_buf text = { 0 };

	ok(pp_calls_compute(p, little_find(p, name), side, 0, depth, &calls, &flat) == PP_OK,
	   "%s of %s", side == PP_CALLERS ? "callers" : "callees", name);
	is_text(rows_text(&calls, &text), rows, "what they cost");
	pp_calls_release(&calls);
	pp_flat_release(&flat);
	pp_buf_release(&text);
}

static void
check_stacks(void)
{
	struct pp_profile *p = little_stacks("main;a;f 3\nmain;b;f;g 4\nmain;b;f;f 2\n");

	asks(p, "f", PP_CALLERS, 1, "b 1 6\na 1 3\nf 1 0\n");
	asks(p, "f", PP_CALLERS, 2, "b 1 6\nmain 2 6\na 1 3\nmain 2 3\nf 1 0\nb 2 0\n");
	asks(p, "f", PP_CALLEES, 1, "g 1 4\nf 1 0\n");
	pp_profile_release(p);
}

/* Functions that call each other: callers have the first activation on each stack, callees what is below the last one. */
static void
check_turns(void)
{
	struct pp_profile *p = little_stacks("main;even;odd;even;odd 4\n"
	                                     "main;odd;even 2\nmain;even;g 1\n");

	asks(p, "even", PP_CALLERS, 1, "main 1 5\nodd 1 2\n");
	asks(p, "even", PP_CALLEES, 1, "odd 1 4\ng 1 1\n");
	asks(p, "odd", PP_CALLERS, 1, "even 1 4\nmain 1 2\n");
	asks(p, "odd", PP_CALLEES, 1, "even 1 2\n");
	asks(p, "main", PP_CALLEES, 2, "even 1 5\nodd 2 4\ng 2 1\nodd 1 2\neven 2 2\n");
	pp_profile_release(p);
}

/* Of calls alone: those that enter the cycle count first, the others share what is left of the total. */
static void
check_cycle(void)
{
	struct pp_profile *p = little_calls("main 1\neven 3\nodd 6\nmain>even 1 9\n"
	                                    "even>odd 2 10\nodd>even 2 7\n");

	asks(p, "even", PP_CALLERS, 1, "main 1 3\nodd 1 0\n");
	asks(p, "even", PP_CALLEES, 1, "odd 1 0\n");
	asks(p, "odd", PP_CALLERS, 1, "even 1 3\n 1 3\n");
	asks(p, "main", PP_CALLEES, 1, " 1 6\neven 1 3\n");
	pp_profile_release(p);
}

static void
check_calls(void)
{
	struct pp_profile *p = little_calls("f 5\na 1\na>f 2 3\nb>f 1 2\n");

	asks(p, "f", PP_CALLERS, 1, "a 1 3\nb 1 2\n");
	asks(p, "a", PP_CALLEES, 1, "f 1 3\n");
	pp_profile_release(p);
}

int
main(void)
{
	check_stacks();
	check_turns();
	check_cycle();
	check_calls();
	return tap_done();
}
