/*
 * The verdict of `gate`: what all of its forms share.
 */
#include "output/verdict.h"

void
pp_verdict_put(struct pp_sink *out, const struct pp_gate *g, enum pp_gate_form form)
{
	static void (*const forms[])(struct pp_sink *, const struct pp_gate *) = {
		[PP_GATE_MARKDOWN] = pp_verdict_markdown,
		[PP_GATE_JUNIT] = pp_verdict_junit,
		[PP_GATE_GITHUB] = pp_verdict_github,
		[PP_GATE_SARIF] = pp_verdict_sarif,
	};

	forms[form](out, g);
}

size_t
pp_verdict_count(const struct pp_gate_outcome *o)
{
	return !o->failed ? 0 : o->rule.subject == PP_GATE_WHOLE ? 1 : o->rows.n;
}

const struct pp_diff_row *
pp_verdict_row(const struct pp_gate *g, const struct pp_gate_outcome *o, size_t index)
{
	return o->rule.subject == PP_GATE_WHOLE ? NULL : &g->diff->rows.at[o->rows.at[index]];
}

void
pp_verdict_message(const struct pp_gate *g, const struct pp_gate_outcome *o,
                   const struct pp_diff_row *row, struct pp_buf *out)
{
	struct pp_slice name = row ? pp_gate_name(row) : pp_slice_z("total");

	pp_buf_add(out, name.p, name.n);
	pp_buf_adds(out, ": ");
	pp_gate_describe(g, o, row, out);
}
