/*
 * The verdict of `gate` as Markdown: a table for a comment or a summary of a build.
 */
#include "output/verdict.h"
#include "text/escape.h"

static void
row_put(struct pp_sink *out, const struct pp_gate *g, const struct pp_gate_outcome *o,
        const struct pp_diff_row *row)
{
	struct pp_buf text = { 0 };

	pp_sink_puts(out, "| ");
	pp_escape_markdown_code(out, pp_slice_z(o->rule.text));
	pp_sink_printf(out, " | %s | ", o->failed ? "**fail**" : "pass");
	pp_escape_markdown_code(out, row ? pp_gate_name(row) : pp_slice_z(""));
	if (row || o->rule.subject == PP_GATE_WHOLE)
		pp_gate_describe(g, o, row, &text);
	pp_sink_puts(out, " | ");
	pp_escape_markdown(out, pp_slice_of(text.p, text.n));
	pp_sink_puts(out, " |\n");
	if (text.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&text);
}

void
pp_verdict_markdown(struct pp_sink *out, const struct pp_gate *g)
{
	struct pp_buf text = { 0 };
	size_t i, k;

	pp_sink_printf(
	    out, "### polyprof gate: %s\n\n| limit | | function | values |\n|---|---|---|---|\n",
	    g->failed ? "failed" : "passed");
	for (i = 0; i < g->n; i++) {
		const struct pp_gate_outcome *o = &g->outcomes[i];

		if (o->rows.n == 0)
			row_put(out, g, o, NULL);
		for (k = 0; k < o->rows.n; k++)
			row_put(out, g, o, pp_verdict_row(g, o, k));
	}
	pp_diff_explain(g->diff, &text);
	pp_sink_puts(out, "\n");
	pp_escape_markdown(out, pp_slice_of(text.p, text.n));
	pp_sink_puts(out, "\n");
	if (text.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&text);
}
