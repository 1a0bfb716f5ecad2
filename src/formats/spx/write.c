/*
 * Writing the body of a report.
 *
 * A timeline is written event by event. A tree alone is laid out as one walk: each stack is entered
 * once, spends its own cost, and then its children follow. Samples become the ends and starts that lead
 * from one stack to the next, as SPX itself does when it samples. Frames that are open at the end are
 * closed, since SPX's viewers need a balanced report.
 */
#include "formats/spx/write.h"

#include <stdio.h>

#include "base/num.h"
#include "formats/kit/replay.h"
#include "formats/kit/tree_walk.h"

/* ---- numbers ---- */

/* What does not fit into 64 bits is neither cut nor wrapped: nothing is written. */
static void
value_too_large(struct spx_out *o)
{
	if (o->status == PP_OK)
		pp_diag_add(o->w->diags, &pp_loss_rules[PP_LOSS_VALUES], PP_NOWHERE,
		            "the values exceed 64 bits, so no report can hold them");
	o->status = o->status == PP_OK ? PP_E_LIMIT : o->status;
}

/* A cell (or a sum of cells) as what the column holds. */
static int64_t
whole_value(struct spx_out *o, const struct spx_column *c, union pp_value v)
{
	int64_t whole = 0;
	bool rounded = false;

	if (!pp_value_whole(&c->in, v, c->unit, &whole, &rounded))
		value_too_large(o);
	o->w->loss.rounded += rounded;
	return whole;
}

/* A number in a base of at most 16, with at least `width` digits. */
static char *
put_digits(char *p, uint64_t v, unsigned base, unsigned width)
{
	char digits[64];
	unsigned n = 0;

	do
		digits[n++] = "0123456789abcdef"[v % base];
	while ((v /= base) != 0 || n < width);
	while (n)
		*p++ = digits[--n];
	return p;
}

static char *
put_u64(char *p, uint64_t v)
{
	return put_digits(p, v, 10, 1);
}

static char *
put_value(const struct spx_column *c, char *p, int64_t value)
{
	unsigned scale = c->scale;
	const char *point;
	size_t n;

	if (scale == 0) {
		if (value < 0)
			*p++ = '-';
		return put_u64(p, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	}
	n = pp_num_print(p, value, scale);
	point = memchr(p, '.', n);
	if (c->decimals == SPX_FIXED) {
		if (!point)
			p[n++] = '.';
		for (scale -= point ? (unsigned)(p + n - point - 1) : 0; scale; scale--)
			p[n++] = '0';
	} else if (value < 0 && point && strcmp(point, ".9999") == 0) {
		/* -4.9999 would be read as SPX's way to write -5. */
		for (; scale > 4; scale--)
			value /= 10;
		n = pp_num_print(p, value, 0);
		memcpy(p + n, "e-4", 3);
		n += 3;
	}
	return p + n;
}

/* ---- events ---- */

/* The index of a function in this document, given when it is first written. */
static uint32_t
index_of(struct spx_out *o, pp_func func)
{
	/* In the 0.4 layout the name is all there is of a function. */
	uint32_t *index = &o->index_of[o->bars ? func : o->p->funcs.at[func].name];

	if (!*index) {
		if (!pp_vec_push(&o->funcs, func)) {
			o->status = PP_E_NOMEM;
			return 0;
		}
		*index = (uint32_t)o->funcs.n;
	}
	return *index - 1;
}

static char *
put_04(struct spx_out *o, char *p, bool start, uint32_t index)
{
	uint32_t j;

	p = put_u64(p, index);
	*p++ = ' ';
	*p++ = start ? '1' : '0';
	for (j = 0; j < o->n; j++) {
		*p++ = ' ';
		p = put_value(&o->columns[j], p, o->doc.values[j]);
	}
	return p;
}

static char *
put_05(struct spx_out *o, char *p, bool start, uint32_t index, uint32_t site)
{
	uint64_t in_block = o->doc.events % SPX_BLOCK_EVENTS;
	uint32_t j, back = 1, most = SPX_RECENT_WRITTEN;

	if (!start)
		*p++ = '-';
	else if (site)
		p = put_digits(p, site, 16, 1);
	if (start)
		*p++ = '|';
	if (in_block < most)
		most = (uint32_t)in_block;
	while (back <= most && o->doc.recent[(o->doc.events - back) % SPX_RECENT_WRITTEN] != index)
		back++;
	if (index >= 100 && back <= most) {
		*p++ = 'r';
		*p++ = (char)('0' + back);
	} else {
		p = put_u64(p, index);
	}
	o->doc.recent[o->doc.events % SPX_RECENT_WRITTEN] = index;
	for (j = 0; j < o->n; j++) {
		int64_t grew;
		bool wide = __builtin_sub_overflow(o->doc.values[j], o->doc.last[j], &grew);

		*p++ = '|';
		if (in_block == 0 || wide) {
			*p++ = 'a';
			p = put_value(&o->columns[j], p, o->doc.values[j]);
		} else if (grew) {
			p = put_value(&o->columns[j], p, grew);
		}
	}
	return p;
}

/*
 * Adds up how far each column has moved, up and down. Within 64 bits no sum that a reader makes of the
 * events can pass them; beyond, a report would not read back.
 */
static void
note_swing(struct spx_out *o)
{
	uint32_t j;

	for (j = 0; j < o->n; j++) {
		pp_i128 step = (pp_i128)o->doc.values[j] - o->doc.last[j];

		o->doc.swing[j] += (pp_u128)(step < 0 ? -step : step);
		if (o->doc.swing[j] > (pp_u128)1 << 63)
			value_too_large(o);
	}
}

/*
 * The call site of a start as it is written: what is known of this very call, of its stack, or of all calls of the
 * two functions. What calls know of a line of another file than the caller's would be taken for one of its own.
 */
static uint32_t
site_written(struct spx_out *o, pp_node node, uint32_t line)
{
	pp_func caller = pp_node_func(o->p, pp_tree_parent(&o->p->tree, node));
	uint32_t of_stack = o->p->frames.at[pp_tree_frame(&o->p->tree, node)].site_line;
	struct pp_site *site;
	bool sure;

	line = line ? line : of_stack;
	sure = line && (line == of_stack || o->source);
	site = pp_sites_find(&o->sites, caller, pp_node_func(o->p, node), line);
	if (site && caller && site->file && site->file != o->p->funcs.at[caller].file)
		site = NULL;
	line = sure ? line : site ? site->line : 0;
	if (line > 0xffff) {
		o->w->loss.more[PP_TRAIT_STACK_SITES] += sure;
		return 0;
	}
	if (site)
		site->given = 1;
	return line;
}

/* Where calls were made, of calls; a caller that is on no stack is the outside. */
static bool
sites_prepare(struct spx_out *o)
{
	const struct pp_profile *p = o->p;
	uint32_t *known = calloc(p->funcs.n, sizeof *known);
	struct pp_sites_by by = { .func = known };
	pp_node node;
	bool fine;

	for (node = 1; known && node < p->tree.n; node++)
		known[pp_node_func(p, node)] = pp_node_func(p, node);
	fine = known && pp_sites_init(&o->sites, p, &by);
	free(known);
	return fine;
}

/* `site`: what is known of this very call; 0 = nothing. */
static void
put_event(struct spx_out *o, bool start, pp_node node, uint32_t site)
{
	/* A sign, 20 digits and a few more for each value. */
	char line[64 + SPX_METRICS_MAX * 32], *p = line;
	pp_func func = node ? pp_frame_func(o->p, pp_tree_frame(&o->p->tree, node)) : 0;
	uint32_t index = index_of(o, func);

	if (o->bars && start && node)
		site = site_written(o, node, site);
	p = o->bars ? put_05(o, p, start, index, site) : put_04(o, p, start, index);
	*p++ = '\n';
	pp_sink_write(o->body, line, (size_t)(p - line));
	note_swing(o);
	memcpy(o->doc.last, o->doc.values, o->n * sizeof *o->doc.last);
	o->doc.events++;
	if (start) {
		o->calls++;
		if (!pp_vec_push(&o->stack, node))
			o->status = PP_E_NOMEM;
		if (o->stack.n > o->deepest)
			o->deepest = o->stack.n;
	} else {
		o->stack.n--;
	}
}

/* The memory in use at its highest, and the last time, as the json has them. */
static void
note_peak(struct spx_out *o)
{
	uint32_t j;

	for (j = 0; j < o->n; j++) {
		const struct spx_column *c = &o->columns[j];
		pp_i128 value = (pp_i128)o->doc.values[j] * c->unit;
		unsigned i;

		for (i = 0; i < c->scale; i++)
			value /= 10;
		if (j == 0)
			o->wall = (int64_t)value;
		if (pp_slice_eq_z(c->key, "zm") && value > o->peak)
			o->peak = (int64_t)value;
	}
}

/* ---- from a timeline ---- */

/* Ends and starts frames until the stack is the path to a node; 0 closes all. */
static void
go_to(struct spx_out *o, pp_node node, uint32_t site)
{
	const struct pp_tree *tree = &o->p->tree;
	PP_VEC(pp_node) path = { 0 };
	size_t common = 0, i;
	pp_node at;

	for (at = node; at; at = pp_tree_parent(tree, at))
		if (!pp_vec_push(&path, at))
			o->status = PP_E_NOMEM;
	while (common < path.n && common < o->stack.n &&
	       o->stack.at[common] == path.at[path.n - 1 - common])
		common++;
	while (o->stack.n > common && o->status == PP_OK)
		put_event(o, false, o->stack.at[o->stack.n - 1], 0);
	for (i = common; i < path.n && o->status == PP_OK; i++) {
		at = path.at[path.n - 1 - i];
		put_event(o, true, at, at == node ? site : 0);
	}
	pp_vec_release(&path);
}

/* The state of all columns from an event's values. The first event of a report is all zeros. */
static void
take_values(struct spx_out *o, const struct pp_timeline *t, const struct pp_event *e,
            const int64_t *values)
{
	uint32_t j;

	for (j = 0; j < o->n; j++) {
		const struct spx_column *c = &o->columns[j];
		bool valued = c->metric < t->columns;
		int64_t value = 0;

		if (valued && c->raw)
			value = values[c->metric];
		else if (valued)
			value = whole_value(o, c, pp_cell_value(&c->in, values[c->metric]));
		else if (j == 0)
			value = whole_value(o, c, (union pp_value){ .i = e->time });
		if (o->doc.events == 0 && !o->source)
			o->doc.base[j] = value;
		if (__builtin_sub_overflow(value, o->doc.base[j], &o->doc.values[j]))
			value_too_large(o);
	}
}

/* Adds a cost to a column's state. */
static void
add_value(struct spx_out *o, uint32_t j, const struct pp_metric *m, union pp_value v)
{
	pp_value_add(m, &o->doc.sums[j], v);
	v = o->doc.sums[j];
	if (!o->columns[j].raw)
		o->doc.values[j] = whole_value(o, &o->columns[j], v);
	else if (v.i > INT64_MAX || v.i < INT64_MIN)
		value_too_large(o);
	else
		o->doc.values[j] = (int64_t)v.i;
}

/* Adds the cells of a sample to the columns' states. */
static void
add_cells(struct spx_out *o, const struct pp_timeline *t, const int64_t *cells)
{
	uint32_t j;

	for (j = 0; j < o->n; j++) {
		size_t metric = o->columns[j].metric;
		const struct pp_metric *m = &o->p->metrics.at[metric];

		if (metric < t->columns)
			add_value(o, j, m, pp_cell_value(m, cells[metric]));
	}
}

/* A sample, or that nothing runs from now on: which weighs nothing. */
static void
write_sample(struct spx_out *o, const struct pp_timeline *t, const struct pp_event *e,
             const int64_t *values)
{
	bool sampled = e->kind == PP_EVENT_SAMPLE;

	go_to(o, sampled ? e->node : 0, 0);
	/* Cost without a stack stands under a frame of its own. */
	if (sampled && e->node == 0)
		put_event(o, true, 0, 0);
	if (sampled)
		add_cells(o, t, values);
	if (sampled && e->node == 0)
		put_event(o, false, 0, 0);
}

static void
write_timeline(struct spx_out *o, const struct pp_timeline *t)
{
	struct pp_timeline_iter it;

	if (!pp_timeline_begin(t, &it, 0)) {
		o->status = PP_E_NOMEM;
		return;
	}
	while (o->status == PP_OK && o->body->status == PP_OK && pp_timeline_next(&it)) {
		const struct pp_event *e = &it.event;
		pp_node top = o->stack.n ? o->stack.at[o->stack.n - 1] : 0;

		if (!t->cumulative) {
			write_sample(o, t, e, it.values);
			continue;
		}
		take_values(o, t, e, it.values);
		/* What runs without having been called has to be a call here. */
		if (e->kind == PP_EVENT_SAMPLE)
			o->w->loss.made |= PP_HAS(CALLS);
		if (e->kind == PP_EVENT_ENTER && pp_tree_parent(&o->p->tree, e->node) == top)
			put_event(o, true, e->node, e->extra);
		else if (e->kind == PP_EVENT_EXIT && top == e->node)
			put_event(o, false, top, 0);
		else
			go_to(o,
			      e->kind == PP_EVENT_EXIT ? pp_tree_parent(&o->p->tree, e->node)
			                               : e->node,
			      e->extra);
		note_peak(o);
	}
	pp_timeline_end(&it);
	go_to(o, 0, 0);
	note_peak(o);
}

/* ---- from a tree ---- */

/* What is written of a tree, per node. */
struct spx_nodes {
	union pp_value *own; /* per column */
	uint64_t *calls;
};

static bool
nodes_prepare(const struct spx_out *o, struct spx_nodes *n)
{
	const struct pp_profile *p = o->p;
	uint32_t row, j;
	size_t i;

	n->calls = pp_node_calls(p, NULL);
	n->own = calloc((size_t)p->tree.n * o->n + 1, sizeof *n->own);
	for (i = 0; n->own && i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++) {
			const struct pp_series *s = &p->series.at[i];
			union pp_value *own = n->own + (size_t)pp_series_node(s, row) * o->n;

			for (j = 0; j < o->n; j++) {
				size_t metric = o->columns[j].metric;
				const struct pp_metric *m = &p->metrics.at[metric];

				if (metric < p->metrics.n)
					pp_value_add(
					    m, &own[j],
					    pp_cell_value(m, pp_series_cell(s, row, metric)));
			}
		}
	return n->own && n->calls;
}

/* The own cost of a node into the columns' states. */
static void
spend(struct spx_out *o, pp_node node, const struct spx_nodes *n)
{
	uint32_t j;

	for (j = 0; j < o->n; j++)
		if (o->columns[j].metric < o->p->metrics.n)
			add_value(o, j, &o->p->metrics.at[o->columns[j].metric],
			          n->own[(size_t)node * o->n + j]);
	note_peak(o);
}

/* Ends a node. What its further calls cost is not known: the first has it all, and they follow it. */
static void
leave(struct spx_out *o, pp_node node, uint64_t calls)
{
	put_event(o, false, node, 0);
	if (!calls)
		o->w->loss.made |= PP_HAS(CALLS);
	if (calls > SPX_REPEATS_MAX - o->repeats) {
		o->w->loss.more[PP_TRAIT_CALLS]++;
		return;
	}
	for (; calls > 1 && o->status == PP_OK && o->body->status == PP_OK; calls--) {
		put_event(o, true, node, 0);
		put_event(o, false, node, 0);
		o->repeats++;
	}
}

static void
walk_tree(struct spx_out *o, struct pp_tree_walk *x, const struct spx_nodes *n)
{
	bool rootless = false;
	uint32_t j;

	/* Cost without a stack stands under a frame of its own. */
	for (j = 0; j < o->n; j++)
		rootless |= o->columns[j].metric < o->p->metrics.n &&
		            !pp_value_is_zero(&o->p->metrics.at[o->columns[j].metric], n->own[j]);
	if (rootless) {
		put_event(o, true, 0, 0);
		spend(o, 0, n);
		put_event(o, false, 0, 0);
	}
	while (o->status == PP_OK && o->body->status == PP_OK && pp_tree_walk_next(x)) {
		if (x->leaving) {
			leave(o, x->node, n->calls[x->node]);
			continue;
		}
		put_event(o, true, x->node, 0);
		spend(o, x->node, n);
	}
}

static void
write_tree(struct spx_out *o)
{
	struct pp_tree_walk walk = { 0 };
	struct spx_nodes nodes = { 0 };

	if (nodes_prepare(o, &nodes) && pp_tree_walk_begin(&walk, o->p))
		walk_tree(o, &walk, &nodes);
	else
		o->status = PP_E_NOMEM;
	free(nodes.own);
	free(nodes.calls);
	pp_tree_walk_release(&walk);
}

/* ---- names ---- */

/* A name in one line. */
static void
text_add(struct pp_buf *line, struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		pp_buf_addc(line, s.p[i] == '\n' || s.p[i] == '\r' ? ' ' : (char)s.p[i]);
}

/* A line of the list. Nothing is escaped in it, so what a reader will make of it is looked at. */
static void
put_name(struct spx_out *o, pp_func func)
{
	const struct pp_func_row *f = &o->p->funcs.at[func];
	struct pp_slice name = pp_text_of(o->p, f->name), file = pp_text_of(o->p, f->file);
	struct pp_buf line = { 0 };
	struct spx_name read;

	if (func == 0)
		name = pp_slice_z("[no stack]");
	if (o->bars) {
		text_add(&line, file);
		pp_buf_addf(&line, ":%u:", f->line);
	} else if (pp_slice_eq_z(name, "[events]") || pp_slice_eq_z(name, "[functions]")) {
		/* A name that looks like a section is kept from being one. */
		pp_buf_addc(&line, ' ');
	}
	text_add(&line, name.n ? name : pp_slice_z("?"));
	if (line.failed) {
		o->status = PP_E_NOMEM;
	} else {
		read = pp_spx_name_split(pp_slice_of(line.p, line.n), o->bars);
		o->w->loss.names += !pp_slice_eq(read.name, name) ||
		                    (o->bars && !pp_slice_eq(read.file, file));
	}
	pp_sink_write(o->body, line.p, line.n);
	pp_sink_putc(o->body, '\n');
	pp_buf_release(&line);
}

/* Functions that are listed though nothing calls them, when the source lists such. */
static void
list_uncalled(struct spx_out *o)
{
	unsigned char *framed = calloc(o->p->funcs.n, 1);
	size_t i;

	if (!framed) {
		o->status = PP_E_NOMEM;
		return;
	}
	for (i = 1; i < o->p->frames.n; i++)
		framed[o->p->frames.at[i].func] = 1;
	for (i = 1; i < o->p->funcs.n; i++)
		if (!framed[i])
			(void)index_of(o, (pp_func)i);
	free(framed);
}

static void
put_names(struct spx_out *o, bool last)
{
	size_t i;

	if (o->source && last)
		list_uncalled(o);
	pp_sink_puts(o->body, "[functions]\n");
	for (i = 0; i < o->funcs.n; i++)
		put_name(o, o->funcs.at[i]);
	o->listed += o->funcs.n;
}

/* ---- the whole ---- */

/* One document; t is NULL for the tree. */
static void
write_document(struct spx_out *o, const struct pp_timeline *t, bool last)
{
	size_t keys = o->bars ? o->p->funcs.n : o->p->strs.strs.n;

	memset(o->index_of, 0, keys * sizeof *o->index_of);
	o->doc = (struct spx_written){ 0 };
	o->funcs.n = o->stack.n = 0;
	pp_sink_puts(o->body, "[events]\n");
	if (t)
		write_timeline(o, t);
	else
		write_tree(o);
	put_names(o, last);
}

/* Whether a series has a cost that its timeline does not have. */
static bool
costs_more(struct spx_out *o, const struct pp_series *s)
{
	bool more = false, fine = true;
	uint32_t j, row;

	if (s->timeline.n && s->timeline.cumulative)
		return false;
	for (j = 0; j < o->n && !more; j++) {
		size_t metric = o->columns[j].metric;

		if (metric >= o->p->metrics.n)
			continue;
		if (s->timeline.n && metric < s->timeline.columns) {
			more = !pp_samples_add_up(o->p, s, metric, &fine);
			continue;
		}
		for (row = 0; row < s->rows && !more; row++)
			more = pp_series_present(s, row) && pp_series_cell(s, row, metric) != 0;
	}
	if (!fine)
		o->status = PP_E_NOMEM;
	return more;
}

/* Chooses timelines or the tree, which has costs without a time. The last series with a timeline goes to *last. */
static void
order_choose(struct spx_out *o, size_t *last)
{
	bool more = false;
	size_t i;

	for (i = 0; i < o->p->series.n; i++)
		if (o->p->series.at[i].timeline.n) {
			o->ordered = true;
			*last = i;
		}
	for (i = 0; o->ordered && !more && i < o->p->series.n; i++)
		more = costs_more(o, &o->p->series.at[i]);
	if (more)
		o->w->loss.dropped |= PP_HAS(TIMELINE);
	o->ordered &= !more;
}

static void
write_body(struct spx_out *o)
{
	size_t keys = o->bars ? o->p->funcs.n : o->p->strs.strs.n, i, last = 0;

	o->index_of = calloc(keys, sizeof *o->index_of);
	if (!o->index_of || (o->bars && !sites_prepare(o))) {
		o->status = PP_E_NOMEM;
		return;
	}
	order_choose(o, &last);
	for (i = 0; o->ordered && i < o->p->series.n; i++)
		if (o->p->series.at[i].timeline.n)
			write_document(o, &o->p->series.at[i].timeline, i == last);
	if (o->ordered)
		return;
	/* One step for each stack. */
	o->w->loss.dropped |= PP_HAS(GAINS);
	write_document(o, NULL, true);
}

pp_status
pp_spx_write(struct pp_writer *w)
{
	struct spx_out *o = calloc(1, sizeof *o);
	const struct pp_profile *p = w->profile;
	pp_status status;

	if (!o)
		return PP_E_NOMEM;
	o->w = w;
	o->p = p;
	o->source = p->format && strcmp(pp_profile_native(p)->name, "spx") == 0 &&
	            pp_spx_out_is_own(p);
	o->bars = w->opts->variant ? strcmp(w->opts->variant, "0.5") == 0
	          : o->source      ? pp_slice_eq_z(pp_text_of(p, p->variant), "0.5")
	                           : w->out->open_sibling && !w->out->direct &&
	                            !pp_spx_ending(w->out->path, ".gz");
	w->loss.variant = o->bars ? "0.5" : "0.4";
	if (!(p->facets & (PP_TREE | PP_TIMELINE)) && !o->source) {
		free(o);
		return PP_E_UNSUPPORTED;
	}
	if (pp_spx_out_open(o)) {
		pp_spx_out_columns(o);
		write_body(o);
		if (o->json && o->status == PP_OK)
			pp_spx_out_json(o);
		if (o->status == PP_OK)
			pp_spx_out_report(o);
	}
	status = w->out->status != PP_OK ? w->out->status : o->status;
	if (status == PP_OK && o->body && o->body->status != PP_OK)
		status = o->body->status;
	if (status == PP_OK && o->json && o->json->status != PP_OK)
		status = o->json->status;
	free(o->index_of);
	pp_sites_release(&o->sites);
	pp_vec_release(&o->funcs);
	pp_vec_release(&o->stack);
	free(o);
	return status;
}
