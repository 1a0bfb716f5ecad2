/*
 * A call graph in the language of Graphviz. Every number and the order of all depend on the profile alone.
 */
#include "output/graph_dot.h"

#include <math.h>

#include "analysis/demangle.h"
#include "analysis/set_aside.h"
#include "base/utf8.h"
#include "output/flame_colour.h"
#include "text/escape.h"
#include "text/shorten.h"
#include "text/units.h"

#define NAME_COLUMNS 44
#define TIP_COLUMNS 200
#define TITLE_COLUMNS 100
/* Two that are never left out. */
#define BLANKS "\xc2\xa0\xc2\xa0"
/* Bytes of a name that labels are made of. */
#define LONGEST 4096

/* ---- text ---- */

/* Between quotes. Graphviz takes a backslash with what follows it; so is a newline. */
static void
quoted_put(struct pp_sink *out, struct pp_slice text)
{
	size_t i = 0, n;
	uint32_t code;

	for (; i < text.n; i += n) {
		unsigned char c = text.p[i];

		n = pp_utf8_decode(text.p + i, text.n - i, &code);
		if (n == 0 || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			pp_sink_printf(out, "\\\\x%02x", c);
		else if (c == '\n')
			pp_sink_puts(out, "\\n");
		else if (c == '"' || c == '\\')
			pp_sink_printf(out, "\\%c", c);
		else
			pp_sink_write(out, text.p + i, n);
		n = n ? n : 1;
	}
}

static void
attribute_put(struct pp_sink *out, const char *key, struct pp_slice value)
{
	pp_sink_printf(out, "%s=\"", key);
	quoted_put(out, value);
	pp_sink_puts(out, "\" ");
}

/* Text to be shown: Graphviz knows HTML's names of characters in it. */
static void
shown_put(struct pp_sink *out, const char *key, const struct pp_buf *text)
{
	struct pp_buf safe = { 0 };
	size_t i;

	for (i = 0; i < text->n; i++)
		if (text->p[i] == '&')
			pp_buf_adds(&safe, "&amp;");
		else
			pp_buf_addc(&safe, text->p[i]);
	attribute_put(out, key, pp_slice_of(safe.p ? safe.p : "", safe.n));
	if (safe.failed || text->failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&safe);
}

static void
name_add(struct pp_buf *to, struct pp_slice name, size_t columns)
{
	struct pp_buf tame = { 0 };

	name.n = name.n < LONGEST ? name.n : LONGEST;
	pp_escape_terminal(&tame, name.n ? name : pp_slice_z("(empty name)"));
	pp_name_shorten(to, tame.p ? tame.p : "", tame.n, columns);
	to->failed |= tame.failed;
	pp_buf_release(&tame);
}

/* A cost and what of it shares are of: what was gained, where the metric falls. */
struct cost {
	union pp_value net, gained;
};

static struct cost
self_of(const struct pp_net_node *node)
{
	return (struct cost){ node->self, node->gained.own };
}

static struct cost
total_of(const struct pp_net_node *node)
{
	return (struct cost){ node->total, node->gained.total };
}

/* Whether a cost is a part of the whole: a file may state calls that cost more than all functions by themselves. */
static bool
is_part_of(const struct pp_net *net, union pp_value v)
{
	double whole = pp_net_value(net, net->part_of);

	return whole > 0 && pp_net_value(net, v) <= whole * 1.0005;
}

static void
share_add(struct pp_buf *to, const struct pp_net *net, union pp_value v)
{
	if (!is_part_of(net, v))
		return;
	pp_buf_adds(to, " (");
	pp_units_share(to, pp_net_value(net, v), pp_net_value(net, net->part_of));
	if (pp_metric_falls(&net->profile->metrics.at[net->metric]))
		pp_buf_adds(to, " of all gained");
	pp_buf_adds(to, ")");
}

/* A value as people read it, with its share: "1.25 ms (12.5%)". */
static void
value_add(struct pp_buf *to, const struct pp_net *net, struct cost cost)
{
	const struct pp_profile *p = net->profile;

	pp_units_value(to, pp_text_of(p, p->metrics.at[net->metric].unit),
	               pp_net_value(net, cost.net));
	share_add(to, net, cost.gained);
}

/* The same, exact; with its share if it is a part of the whole. */
static void
exact_add(struct pp_buf *to, const struct pp_net *net, struct cost cost, bool is_part)
{
	const struct pp_profile *p = net->profile;
	const struct pp_metric *m = &p->metrics.at[net->metric];
	char digits[PP_NUM_MAX];
	size_t n = pp_value_print(m, cost.net, digits);

	if (n == 1 && digits[0] == '1') {
		pp_units_named(to, pp_text_of(p, m->unit), 1);
	} else {
		pp_buf_add(to, digits, n);
		pp_buf_addc(to, ' ');
		pp_escape_terminal(to, pp_text_of(p, m->unit));
	}
	if (is_part)
		share_add(to, net, cost.gained);
}

/* Whether it falls, and its steps are known. */
static bool
falls_known(const struct pp_net *net)
{
	return pp_metric_gained(net->profile, net->metric) < net->profile->metrics.n;
}

static void
number_put(struct pp_sink *out, const char *key, const struct pp_net *net, union pp_value v)
{
	char digits[PP_NUM_MAX];
	size_t n;

	if (net->metric >= net->profile->metrics.n)
		return;
	n = pp_value_print(&net->profile->metrics.at[net->metric], v, digits);
	attribute_put(out, key, pp_slice_of(digits, n));
}

static void
count_put(struct pp_sink *out, const char *key, bool known, uint64_t count)
{
	if (known)
		pp_sink_printf(out, "%s=\"%llu\" ", key, (unsigned long long)count);
}

/* A line of a tooltip. */
static void
calls_add(struct pp_buf *text, uint64_t calls)
{
	pp_buf_addc(text, '\n');
	pp_units_u64(text, calls);
	pp_buf_addf(text, " %s", pp_plural(calls, "call", "calls"));
}

/* ---- nodes and edges ---- */

/* Part of the whole, from 0 to 1. */
static double
share_of(const struct pp_net *net, union pp_value v)
{
	double whole = fabs(pp_net_value(net, net->part_of));

	return whole > 0 ? fmin(1, fabs(pp_net_value(net, v)) / whole) : 0;
}

static void
node_look(struct pp_sink *out, const struct pp_net *net, const struct pp_net_node *node,
          struct pp_buf *text)
{
	const struct pp_profile *p = net->profile;
	struct pp_slice name = pp_text_of(p, p->funcs.at[node->func].name);
	struct pp_rgb colour = pp_func_colour(p, node->func);
	bool costs = net->metric < p->metrics.n;

	text->n = 0;
	name_add(text, name, NAME_COLUMNS);
	if (costs) {
		pp_buf_adds(text, "\nself ");
		value_add(text, net, self_of(node));
		pp_buf_adds(text, "\ntotal ");
		value_add(text, net, total_of(node));
	}
	shown_put(out, "label", text);
	text->n = 0;
	name_add(text, name, TIP_COLUMNS);
	if (costs) {
		pp_buf_adds(text, "\nself ");
		exact_add(text, net, self_of(node), true);
		pp_buf_adds(text, "\ntotal ");
		exact_add(text, net, total_of(node), true);
	}
	if (node->counted)
		calls_add(text, node->calls);
	shown_put(out, "tooltip", text);
	pp_sink_printf(out, "fillcolor=\"#%02x%02x%02x\" fontsize=\"%.1f\"", colour.r, colour.g,
	               colour.b, 10 + 12 * sqrt(share_of(net, node->gained.own)));
}

static void
node_put(struct pp_sink *out, const struct pp_net *net, size_t i, struct pp_buf *text)
{
	const struct pp_net_node *node = &net->nodes.at[i];
	const struct pp_profile *p = net->profile;
	const struct pp_func_row *f = &p->funcs.at[node->func];
	struct pp_slice mangled = pp_func_mangled(p, node->func);

	pp_sink_printf(out, "\tn%zu [", i + 1);
	/* Scripts know functions by the names of the file, unless they ask for others. */
	attribute_put(out, "function",
	              p->derived.for_people && mangled.n ? mangled : pp_text_of(p, f->name));
	if (f->file)
		attribute_put(out, "file", pp_text_of(p, f->file));
	count_put(out, "line", f->file && f->line, f->line);
	count_put(out, "calls", node->counted, node->calls);
	number_put(out, "self", net, node->self);
	number_put(out, "total", net, node->total);
	if (falls_known(net)) {
		union pp_value given_back = node->gained.own;

		pp_value_sub(&p->metrics.at[net->metric], &given_back, node->self);
		number_put(out, "gained", net, node->gained.own);
		number_put(out, "given_back", net, given_back);
	}
	node_look(out, net, node, text);
	pp_sink_puts(out, "];\n");
}

static void
edge_look(struct pp_sink *out, const struct pp_net *net, const struct pp_net_edge *edge,
          struct pp_buf *text)
{
	const struct pp_profile *p = net->profile;
	bool is_part = is_part_of(net, edge->gained);
	double share = share_of(net, edge->gained);
	unsigned shade = (unsigned)(150 - 110 * sqrt(share));

	/* Blanks keep it off a thick line. */
	text->n = 0;
	if (net->metric < p->metrics.n && is_part && share > 0) {
		pp_buf_adds(text, BLANKS);
		pp_units_share(text, pp_net_value(net, edge->gained),
		               pp_net_value(net, net->part_of));
		pp_buf_adds(text, BLANKS);
	}
	if (net->edges_counted) {
		pp_buf_adds(text, text->n ? "\n" BLANKS : BLANKS);
		pp_units_count(text, (double)edge->calls);
		pp_buf_adds(text, "\xc3\x97" BLANKS);
	}
	shown_put(out, "label", text);
	text->n = 0;
	name_add(text, pp_text_of(p, p->funcs.at[net->nodes.at[edge->from].func].name),
	         TIP_COLUMNS);
	pp_buf_adds(text, " \xe2\x86\x92 ");
	name_add(text, pp_text_of(p, p->funcs.at[net->nodes.at[edge->to].func].name), TIP_COLUMNS);
	if (net->metric < p->metrics.n) {
		pp_buf_adds(text, "\ntotal ");
		exact_add(text, net, (struct cost){ edge->total, edge->gained }, is_part);
	}
	if (net->edges_counted)
		calls_add(text, edge->calls);
	shown_put(out, "tooltip", text);
	shown_put(out, "labeltooltip", text);
	pp_sink_printf(out, "penwidth=\"%.2f\" weight=\"%u\" color=\"#%02x%02x%02x\"",
	               0.8 + 5 * sqrt(share), 1 + (unsigned)(99 * share), shade, shade, shade);
}

static void
edge_put(struct pp_sink *out, const struct pp_net *net, const struct pp_net_edge *edge,
         struct pp_buf *text)
{
	pp_sink_printf(out, "\tn%u -> n%u [", edge->from + 1, edge->to + 1);
	count_put(out, "calls", net->edges_counted, edge->calls);
	number_put(out, "total", net, edge->total);
	edge_look(out, net, edge, text);
	pp_sink_puts(out, "];\n");
}

/* ---- all of it ---- */

static void
head_put(struct pp_sink *out, const struct pp_net *net, const char *title, const char *pruned)
{
	const struct pp_profile *p = net->profile;
	struct pp_buf text = { 0 }, metric = { 0 };

	name_add(&text, pp_slice_z(title), TITLE_COLUMNS);
	pp_buf_adds(&text, "\n");
	if (net->metric < p->metrics.n) {
		const struct pp_metric *m = &p->metrics.at[net->metric];

		pp_metric_title(p, m, &metric);
		pp_escape_terminal(&text, pp_slice_of(metric.p ? metric.p : "", metric.n));
		pp_buf_adds(&text, " \xc2\xb7 ");
		pp_units_named(&text, pp_text_of(p, m->unit), pp_net_value(net, net->whole));
		if (pp_metric_falls(m)) {
			pp_buf_adds(&text, falls_known(net) ? " of " : " of at least ");
			pp_units_named(&text, pp_text_of(p, m->unit),
			               pp_net_value(net, net->part_of));
			pp_buf_adds(&text, " gained");
		}
	}
	if (net->nodes.n == 0)
		pp_buf_adds(&text, " \xc2\xb7 nothing to draw");
	if (pruned)
		pp_buf_addf(&text, " \xc2\xb7 %s", pruned);
	if (p->estimated)
		pp_buf_adds(&text, " \xc2\xb7 stacks are estimated");
	if (pp_set_aside_note(p, net->metric))
		pp_buf_addf(&text, " \xc2\xb7 %s", pp_set_aside_note(p, net->metric));
	if (!p->complete)
		pp_buf_adds(&text, " \xc2\xb7 incomplete");
	pp_sink_puts(out, "digraph calls {\n\tgraph [");
	shown_put(out, "label", &text);
	pp_sink_puts(out, "labelloc=\"t\" fontsize=\"16\" fontname=\"Helvetica,Arial,sans-serif\" "
	                  "fontcolor=\"#1c1c22\" bgcolor=\"#ffffff\" pad=\"0.3\" nodesep=\"0.25\" "
	                  "ranksep=\"0.5\"];\n"
	                  "\tnode [shape=\"box\" style=\"filled,rounded\" color=\"#55555f\" "
	                  "fontcolor=\"#1c1c22\" fontname=\"Helvetica,Arial,sans-serif\" "
	                  "margin=\"0.3,0.07\"];\n"
	                  "\tedge [fontsize=\"9\" fontcolor=\"#3a3a44\" "
	                  "fontname=\"Helvetica,Arial,sans-serif\" arrowsize=\"0.7\"];\n");
	if (metric.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&metric);
	pp_buf_release(&text);
}

void
pp_graph_dot(struct pp_sink *out, const struct pp_net *net, const char *title, const char *pruned)
{
	struct pp_buf text = { 0 };
	size_t i;

	head_put(out, net, title, pruned);
	for (i = 0; i < net->nodes.n && out->status == PP_OK; i++)
		node_put(out, net, i, &text);
	for (i = 0; i < net->edges.n && out->status == PP_OK; i++)
		edge_put(out, net, &net->edges.at[i], &text);
	pp_sink_puts(out, "}\n");
	pp_buf_release(&text);
}
