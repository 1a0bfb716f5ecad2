/*
 * The verdict of `gate` as JUnit's XML: each limit is a test, and one that holds has passed.
 */
#include "output/verdict.h"
#include "text/escape.h"

/* Text for whoever looks at the report: characters that hide or reorder it are spelled, not left to the viewer. */
static void
text_put(struct pp_sink *out, struct pp_slice text)
{
	struct pp_buf tame = { 0 };

	pp_escape_terminal(&tame, text);
	pp_escape_xml(out, pp_slice_of(tame.p, tame.n));
	if (tame.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&tame);
}

static void
failure_put(struct pp_sink *out, const struct pp_gate *g, const struct pp_gate_outcome *o)
{
	struct pp_buf text = { 0 };
	size_t k;

	pp_sink_puts(out, "\">\n    <failure message=\"");
	if (o->rule.subject == PP_GATE_WHOLE)
		pp_gate_describe(g, o, NULL, &text);
	else
		pp_buf_addf(&text, "%zu of %zu functions", o->rows.n, o->matched);
	text_put(out, pp_slice_of(text.p, text.n));
	pp_sink_puts(out, "\">");
	for (k = 0; k < o->rows.n; k++) {
		text.n = 0;
		pp_verdict_message(g, o, pp_verdict_row(g, o, k), &text);
		text_put(out, pp_slice_of(text.p, text.n));
		pp_sink_puts(out, "\n");
	}
	pp_sink_puts(out, "</failure>\n  </testcase>\n");
	if (text.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&text);
}

void
pp_verdict_junit(struct pp_sink *out, const struct pp_gate *g)
{
	size_t i;

	pp_sink_printf(out,
	               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	               "<testsuite name=\"polyprof gate\" tests=\"%zu\" failures=\"%zu\">\n",
	               g->n, g->failed);
	for (i = 0; i < g->n; i++) {
		pp_sink_puts(out, "  <testcase classname=\"polyprof\" name=\"");
		text_put(out, pp_slice_z(g->outcomes[i].rule.text));
		if (g->outcomes[i].failed)
			failure_put(out, g, &g->outcomes[i]);
		else
			pp_sink_puts(out, "\"/>\n");
	}
	pp_sink_puts(out, "</testsuite>\n");
}
