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
	check_calls();
	return tap_done();
}
