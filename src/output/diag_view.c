/*
 * Diagnostics for people.
 */
#include "output/diag_view.h"

#include <stdlib.h>

#include "text/units.h"
#include "text/escape.h"

/* ---- lines ---- */

void
pp_diag_print(const struct pp_diag *diag, const struct pp_style *style, struct pp_sink *out)
{
	struct pp_buf place = { 0 };

	pp_escape_terminal(&place, pp_slice_z(diag->file));
	if (diag->line && diag->column)
		pp_buf_addf(&place, ":%llu:%llu", (unsigned long long)diag->line,
		            (unsigned long long)diag->column);
	else if (diag->line)
		pp_buf_addf(&place, ":%llu", (unsigned long long)diag->line);
	else if (diag->offset != PP_NO_OFFSET)
		pp_buf_addf(&place, "@0x%llx", (unsigned long long)diag->offset);
	if (place.n)
		pp_ink_putf(out, style, PP_INK_TITLE, "%s:", place.p);
	pp_sink_puts(out, place.n ? " " : "");
	pp_ink_putf(out, style, pp_severity_ink(diag->severity),
	            "%s:", pp_severity_name(diag->severity));
	pp_sink_putc(out, ' ');
	pp_ink_text(out, style, PP_INK_PLAIN, pp_slice_z(diag->message));
	if (diag->rule && diag->rule->id) {
		pp_sink_putc(out, ' ');
		pp_ink_putf(out, style, PP_INK_FAINT, "[%s]", diag->rule->id);
	}
	pp_sink_putc(out, '\n');
	pp_buf_release(&place);
}

/* The number of a rule in the order of first appearance. */
static size_t
rule_index(const struct pp_diags *diags, const struct pp_rule *rule)
{
	size_t i;

	for (i = 0; i < diags->counts.n && diags->counts.at[i].rule != rule; i++)
		continue;
	return i;
}

static void
rest_print(const struct pp_diags *diags, const uint64_t *printed, pp_severity at_least,
           const struct pp_style *style, struct pp_sink *out)
{
	struct pp_buf text = { 0 };
	size_t i;

	for (i = 0; i < diags->counts.n; i++) {
		const struct pp_rule *rule = diags->counts.at[i].rule;

		if (diags->counts.at[i].n <= printed[i] || rule->severity < at_least)
			continue;
		text.n = 0;
		pp_buf_adds(&text, "... and ");
		pp_units_u64(&text, diags->counts.at[i].n - printed[i]);
		pp_buf_addf(&text, " more [%s]\n", rule->id);
		if (text.p)
			pp_ink_put(out, style, PP_INK_FAINT, text.p);
	}
	pp_buf_release(&text);
}

void
pp_diags_print(const struct pp_diags *diags, pp_severity at_least, size_t shown,
               const struct pp_style *style, struct pp_sink *out)
{
	struct pp_diag_order order;
	uint64_t *printed = calloc(diags->counts.n + 1, sizeof *printed);
	size_t i;

	if (!printed || !pp_diag_order_init(&order, diags)) {
		out->status = out->status == PP_OK ? PP_E_NOMEM : out->status;
		free(printed);
		return;
	}
	for (i = 0; i < order.n; i++) {
		size_t rule = rule_index(diags, order.at[i]->rule);

		if (order.at[i]->severity < at_least || (shown > 0 && printed[rule] >= shown))
			continue;
		pp_diag_print(order.at[i], style, out);
		printed[rule]++;
	}
	rest_print(diags, printed, at_least, style, out);
	pp_diag_order_release(&order);
	free(printed);
}
