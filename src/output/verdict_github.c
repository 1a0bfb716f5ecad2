/*
 * The verdict of `gate` as commands of a GitHub workflow: an annotation for each function that exceeds a limit.
 *
 *     ::error file=src/a.php,line=12,title=self(*) > +5%25::a: 12 ms before, 15 ms after (+25.0%25)
 *
 * A message has %, CR and LF escaped, a property also : and the comma. Other controls are spelled: they would go on to
 * whoever reads the log.
 */
#include "output/verdict.h"
#include "text/escape.h"

static void
text_put(struct pp_sink *out, struct pp_slice text, bool property)
{
	struct pp_buf tame = { 0 };
	size_t i, start, n;

	for (start = 0; start <= text.n; start = i + 1) {
		tame.n = 0;
		for (i = start; i < text.n && text.p[i] != '\n' && text.p[i] != '\r';)
			i++;
		if (i > start)
			pp_escape_terminal(&tame, pp_slice_of(text.p + start, i - start));
		for (n = 0; n < tame.n; n++)
			if (tame.p[n] == '%' || (property && strchr(":,", tame.p[n])))
				pp_sink_printf(out, "%%%02X", (unsigned)tame.p[n]);
			else
				pp_sink_putc(out, tame.p[n]);
		if (i < text.n)
			pp_sink_puts(out, text.p[i] == '\n' ? "%0A" : "%0D");
	}
	if (tame.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&tame);
}

static void
error_put(struct pp_sink *out, const struct pp_gate *g, const struct pp_gate_outcome *o,
          const struct pp_diff_row *row)
{
	uint32_t line = 0;
	struct pp_slice file = row ? pp_gate_place(g, row, &line) : pp_slice_z("");
	struct pp_buf text = { 0 };

	pp_sink_puts(out, "::error ");
	if (file.n) {
		pp_sink_puts(out, "file=");
		text_put(out, file, true);
		if (line)
			pp_sink_printf(out, ",line=%u", line);
		pp_sink_puts(out, ",");
	}
	pp_sink_puts(out, "title=");
	text_put(out, pp_slice_z(o->rule.text), true);
	pp_sink_puts(out, "::");
	pp_verdict_message(g, o, row, &text);
	text_put(out, pp_slice_of(text.p, text.n), false);
	pp_sink_putc(out, '\n');
	if (text.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&text);
}

void
pp_verdict_github(struct pp_sink *out, const struct pp_gate *g)
{
	size_t i, k;

	for (i = 0; i < g->n; i++)
		for (k = 0; k < pp_verdict_count(&g->outcomes[i]); k++)
			error_put(out, g, &g->outcomes[i], pp_verdict_row(g, &g->outcomes[i], k));
	if (g->failed == 0)
		pp_sink_printf(out, "::notice title=polyprof gate::%s\n",
		               g->n == 1 ? "the limit holds" : "all limits hold");
}
