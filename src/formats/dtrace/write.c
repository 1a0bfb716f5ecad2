/*
 * Writing stacks as DTrace prints them.
 */
#include "formats/dtrace/dtrace.h"

#include <inttypes.h>
#define NO_NAME "[no name]"

/* A name as a line can hold it. */
static void
name_put(struct pp_writer *w, struct pp_buf *line, struct pp_slice name, unsigned char never)
{
	size_t i;
	bool changed = name.n == 0 && never != '`';

	if (changed)
		pp_buf_adds(line, NO_NAME);
	for (i = 0; i < name.n; i++) {
		unsigned char c = name.p[i];
		bool bad = c == '\n' || c == '\r' || (never && c == never);

		pp_buf_addc(line, bad ? (c == never ? '\'' : ' ') : (char)c);
		changed |= bad;
	}
	w->loss.names += changed;
}

static void
frame_put(struct pp_writer *w, struct pp_buf *line, pp_frame id)
{
	const struct pp_profile *p = w->profile;
	const struct pp_frame_row *frame = &p->frames.at[id];
	const struct pp_func_row *func = &p->funcs.at[frame->func];
	struct pp_slice name = pp_text_of(p, func->name);
	bool own = pp_profile_native(p) == &pp_format_dtrace;
	uint64_t unused;

	pp_buf_adds(line, "              ");
	name_put(w, line,
	         func->module ? pp_text_of(p, p->modules.at[func->module].name)
	                      : pp_slice_of(NULL, 0),
	         '`');
	pp_buf_addc(line, '`');
	name_put(w, line, name, 0);
	w->loss.dropped |= frame->flags & PP_FRAME_KINDS ? PP_HAS(MARKS) : 0;
	if (!own || !pp_dtrace_is_address(name, &unused))
		pp_buf_addf(line, "+0x%" PRIx64, own ? frame->offset : 0);
	pp_buf_addc(line, '\n');
}

static bool
is_kernel(const struct pp_profile *p, pp_node node)
{
	return p->funcs.at[p->frames.at[pp_tree_frame(&p->tree, node)].func].flags & PP_FUNC_KERNEL;
}

/* A stack, the innermost frame first; the kernel's part of it stands apart. */
static void
stack_put(struct pp_writer *w, struct pp_buf *text, pp_node node, int64_t value)
{
	const struct pp_profile *p = w->profile;
	bool kernel = node && is_kernel(p, node);
	bool parted = false;

	for (; node; node = pp_tree_parent(&p->tree, node)) {
		if (kernel && !parted && !is_kernel(p, node)) {
			pp_buf_addc(text, '\n');
			parted = true;
		} else if ((parted || !kernel) && is_kernel(p, node)) {
			w->loss.dropped |= PP_HAS(MARKS);
		}
		frame_put(w, text, pp_tree_frame(&p->tree, node));
	}
	if (kernel && !parted)
		pp_buf_addc(text, '\n');
	pp_buf_addf(text, "%17" PRId64 "\n\n", value);
}

/* A value as DTrace prints it, and what is lost of it. */
static pp_status
value_put(struct pp_writer *w, struct pp_buf *text, pp_node node, union pp_value v)
{
	bool rounded = false;
	int64_t whole;

	if (!pp_value_whole(&w->profile->metrics.at[w->metric], v, 1, &whole, &rounded))
		return PP_E_LIMIT;
	w->loss.rounded += rounded;
	stack_put(w, text, node, whole);
	if (text->failed)
		return PP_E_NOMEM;
	pp_sink_write(w->out, text->p, text->n);
	text->n = 0;
	/* Stacks that nobody takes any more need not be made. */
	return w->out->status;
}

/* Keys as columns; where they would not come back as keys, the stack goes without. */
static void
keys_put(struct pp_writer *w, struct pp_buf *text, const struct pp_series *s)
{
	const struct pp_profile *p = w->profile;

	if (s->process) {
		pp_buf_adds(text, "  ");
		name_put(w, text, pp_text_of(p, s->process), 0);
	}
	if (s->pid >= 0)
		pp_buf_addf(text, "  %20" PRId64, s->pid);
	if (s->context) {
		pp_buf_adds(text, "  ");
		name_put(w, text, pp_text_of(p, s->context), 0);
	}
	if (text->n && pp_dtrace_line_kind_of(pp_slice_of(text->p, text->n)) != LINE_KEYS) {
		text->n = 0;
		w->loss.dropped |= PP_HAS(THREADS);
	}
	if (text->n)
		pp_buf_addc(text, '\n');
	w->loss.dropped |= s->tid >= 0 ? PP_HAS(THREADS) : 0;
}

/* Output of DTrace itself: by its keys. */
static pp_status
series_write(struct pp_writer *w, struct pp_buf *text)
{
	const struct pp_profile *p = w->profile;
	pp_status status = PP_OK;
	size_t i;
	uint32_t row;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; status == PP_OK && row < s->rows; row++) {
			int64_t cell = pp_series_cell(s, row, w->metric);

			if (!pp_series_present(s, row))
				continue;
			keys_put(w, text, s);
			status = value_put(w, text, pp_series_node(s, row),
			                   pp_cell_value(&p->metrics.at[w->metric], cell));
		}
	}
	return status;
}

/* Any other profile: each stack once. */
static pp_status
nodes_write(struct pp_writer *w, struct pp_buf *text)
{
	const struct pp_profile *p = w->profile;
	const struct pp_metric *m = &p->metrics.at[w->metric];
	union pp_value *sums = calloc(p->tree.n, sizeof *sums);
	bool *has = calloc(p->tree.n, sizeof *has);
	pp_status status = sums && has ? PP_OK : PP_E_NOMEM;
	pp_node node;
	size_t i;
	uint32_t row;

	for (node = 0; status == PP_OK && node < p->tree.n; node++)
		sums[node] = pp_value_zero(m);
	for (i = 0; status == PP_OK && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; (!s->event || !m->event || s->event == m->event) && row < s->rows;
		     row++)
			if (pp_series_present(s, row)) {
				node = pp_series_node(s, row);
				pp_value_add(m, &sums[node],
				             pp_cell_value(m, pp_series_cell(s, row, w->metric)));
				has[node] = true;
			}
	}
	for (node = 0; status == PP_OK && node < p->tree.n; node++)
		if (has[node] && !(m->flags & PP_METRIC_NO_ZERO && pp_value_is_zero(m, sums[node])))
			status = value_put(w, text, node, sums[node]);
	free(sums);
	free(has);
	return status;
}

pp_status
pp_dtrace_write(struct pp_writer *w)
{
	const struct pp_profile *p = w->profile;
	bool own = pp_profile_native(p) == &pp_format_dtrace;
	struct pp_buf text = { 0 };
	pp_status status = PP_OK;

	if (!(p->facets & PP_TREE) && p->metrics.n)
		return PP_E_UNSUPPORTED;
	if (w->metric < p->metrics.n) {
		const struct pp_metric *m = &p->metrics.at[w->metric];

		if (own && m->event) {
			struct pp_slice event = pp_text_of(p, m->event);

			pp_buf_addf(&text, "dtrace: description '%.*s ' matched 1 probe\n",
			            (int)event.n, (const char *)event.p);
		}
		if (own)
			pp_loss_metric(w, w->metric, pp_slice_of(NULL, 0), NULL);
		else
			pp_loss_metric(w, w->metric,
			               pp_slice_z(m->flags & PP_METRIC_SIGNED ? "sum" : "samples"),
			               m->flags & PP_METRIC_SIGNED ? "count" : "samples");
		pp_buf_adds(&text, "CPU     ID                    FUNCTION:NAME\n\n");
		if (!text.failed)
			pp_sink_write(w->out, text.p, text.n);
		text.n = 0;
		status = own ? series_write(w, &text) : nodes_write(w, &text);
	}
	pp_buf_release(&text);
	return status;
}
