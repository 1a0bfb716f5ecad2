/*
 * What lines cost: as the profile holds it, or by the frames that stacks end in.
 */
#include "analysis/linecost.h"
#include "little.h"

static void
costs(struct pp_profile *p, const char *rows, const char *what)
{
	struct pp_linecost lines = { 0 };
	struct pp_buf text = { 0 };
	size_t i;

	pp_buf_adds(&text, "");
	ok(pp_linecost_compute(p, &lines) == PP_OK && pp_linecost_sort(&lines, PP_LINES_BY_COST, 0),
	   "%s", what);
	for (i = 0; i < lines.rows.n; i++) {
		struct pp_slice file = pp_text_of(p, lines.rows.at[i].file);

		pp_buf_addf(&text, "%.*s:%u %lld\n", (int)file.n, (const char *)file.p,
		            lines.rows.at[i].line, (long long)pp_ledger_get(&lines.cost, i, 0).i);
	}
	is_text(text.p, rows, "costliest first");
	pp_linecost_release(&lines);
	pp_profile_release(p);
	pp_buf_release(&text);
}

int
main(void)
{
	struct pp_profile *p = little_stacks("main;a 1\n");
	struct pp_linecost lines = { 0 };

	costs(little_calls("f@x.c:3 1\nf@x.c:4 5\ng@y.c:3 2\n"), "x.c:4 5\ny.c:3 2\nx.c:3 1\n",
	      "lines");
	costs(little_stacks("main@m.c:1;f@x.c:3 2\nmain@m.c:2;f@x.c:3 2\nmain@m.c:2 1\n"),
	      "x.c:3 4\nm.c:2 1\n", "frames that stacks end in");
	costs(little_calls("f@x.c:3 1\ng@???:0 3\nh@???:0 2\n"), "???:0 3\n???:0 2\nx.c:3 1\n",
	      "functions of an unknown file stay apart");
	costs(little_calls("f@x.c:0 1\ng@x.c:0 3\n"), "x.c:0 4\n",
	      "lines of a file that are not known are the file as a whole");
	ok(pp_linecost_compute(p, &lines) == PP_E_UNSUPPORTED, "names alone have no lines");
	pp_linecost_release(&lines);
	pp_profile_release(p);
	return tap_done();
}
