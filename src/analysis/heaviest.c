/*
 * The heaviest stacks.
 */
#include "analysis/heaviest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "model/builder.h"
#include "model/inclusive.h"

struct ranked {
	double weight;
	pp_node node;
};

struct heaviest {
	const struct pp_profile *p;
	struct pp_builder b;
	bool *has;        /* by node: it has costs of its own */
	bool *kept;       /* by node */
	pp_node *to;      /* by node, as far as it is made; 0 = not yet */
	pp_frame *frames; /* by frame, likewise */
	pp_node *more;    /* by series: the stack of what is left out; 0 = not yet */
	bool overflowed;
};

/* Marks the nodes that a series has costs at. */
static void
series_mark(const struct pp_series *s, bool *nodes)
{
	uint32_t row;

	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row))
			nodes[pp_series_node(s, row)] = true;
}

size_t
pp_heaviest_count(const struct pp_profile *p)
{
	bool *has = calloc(p->tree.n + 1, sizeof *has);
	size_t i, n = 0;

	for (i = 0; has && i < p->series.n; i++)
		series_mark(&p->series.at[i], has);
	for (i = 0; has && i < p->tree.n; i++)
		n += has[i];
	free(has);
	return n;
}

static int
ranked_order(const void *left, const void *right, void *context)
{
	const struct ranked *a = left, *b = right;

	(void)context;
	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Chooses the stacks that stay; false when out of memory. */
static bool
choose(struct heaviest *h, size_t keep)
{
	const struct pp_profile *p = h->p;
	size_t primary = pp_profile_primary(p), n = 0, i;
	union pp_value *own = primary < p->metrics.n ? pp_own_compute(p, primary) : NULL;
	struct ranked *list = calloc(p->tree.n + 1, sizeof *list);
	bool fine = list && (own || primary >= p->metrics.n);

	for (i = 0; fine && i < p->tree.n; i++)
		if (h->has[i])
			list[n++] = (struct ranked){
				own ? fabs(pp_value_double(&p->metrics.at[primary], own[i])) : 0,
				(pp_node)i
			};
	if (fine && n > 1)
		pp_sort(list, n, sizeof *list, ranked_order, NULL);
	for (i = 0; fine && i < n && i < keep; i++)
		h->kept[list[i].node] = true;
	free(list);
	free(own);
	return fine;
}

/* ---- what is taken over ---- */

static pp_str
text_take(struct heaviest *h, pp_str text)
{
	return pp_build_str(&h->b, pp_text_of(h->p, text));
}

/* An event; what has none is of the format that the profile came from. */
static pp_str
event_take(struct heaviest *h, pp_str event)
{
	return event ? text_take(h, event)
	             : pp_build_strz(&h->b, pp_format_name(pp_profile_native(h->p)));
}

static pp_frame
frame_take(struct heaviest *h, pp_frame frame)
{
	struct pp_frame_row row = h->p->frames.at[frame];
	struct pp_func_row func = h->p->funcs.at[row.func];
	struct pp_module_row module = h->p->modules.at[func.module];

	if (h->frames[frame])
		return h->frames[frame];
	module.name = text_take(h, module.name);
	module.build_id = text_take(h, module.build_id);
	func.name = text_take(h, func.name);
	func.file = text_take(h, func.file);
	func.module = func.module ? pp_build_module(&h->b, &module) : 0;
	row.func = pp_build_func(&h->b, &func);
	row.file = text_take(h, row.file);
	return h->frames[frame] = pp_build_frame(&h->b, &row);
}

/* The stack of a node, made from the root on. */
static pp_node
stack_take(struct heaviest *h, pp_node node)
{
	const struct pp_tree *t = &h->p->tree;
	PP_VEC(pp_node) path = { 0 };
	pp_node at;

	for (at = node; at && !h->to[at]; at = pp_tree_parent(t, at))
		if (!pp_vec_push(&path, at))
			pp_builder_fail(&h->b, PP_E_NOMEM, NULL);
	while (path.n && pp_builder_ok(&h->b)) {
		at = path.at[--path.n];
		h->to[at] = pp_build_child(&h->b, h->to[pp_tree_parent(t, at)],
		                           frame_take(h, pp_tree_frame(t, at)));
	}
	pp_vec_release(&path);
	return node ? h->to[node] : 0;
}

/* The stack for what is left out of all series of an event. */
static void
more_make(struct heaviest *h, size_t series)
{
	const struct pp_profile *p = h->p;
	bool *left = calloc(p->tree.n + 1, sizeof *left);
	struct pp_func_row func = { .flags = PP_FUNC_PSEUDO };
	size_t i, n = 0;
	pp_node node;

	if (!left)
		pp_builder_fail(&h->b, PP_E_NOMEM, NULL);
	for (i = 0; left && i < p->series.n; i++)
		if (p->series.at[i].event == p->series.at[series].event)
			series_mark(&p->series.at[i], left);
	for (i = 0; left && i < p->tree.n; i++)
		n += left[i] && !h->kept[i];
	free(left);
	func.name = pp_build_strf(&h->b, "[%zu more]", n);
	node = pp_build_child(
	    &h->b, 0,
	    pp_build_frame(&h->b, &(struct pp_frame_row){ .func = pp_build_func(&h->b, &func) }));
	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].event == p->series.at[series].event)
			h->more[i] = node;
}

static void
series_take(struct heaviest *h, size_t number)
{
	const struct pp_series *s = &h->p->series.at[number];
	struct pp_series like = { .pid = s->pid, .tid = s->tid, .cpu = s->cpu };
	uint32_t to, row, m;
	pp_node node;

	like.event = event_take(h, s->event);
	like.process = text_take(h, s->process);
	like.thread = text_take(h, s->thread);
	like.context = text_take(h, s->context);
	to = pp_build_series(&h->b, &like, false, false);
	for (row = 0; row < s->rows && pp_builder_ok(&h->b); row++) {
		if (!pp_series_present(s, row))
			continue;
		node = pp_series_node(s, row);
		if (!h->kept[node] && !h->more[number])
			more_make(h, number);
		node = h->kept[node] ? stack_take(h, node) : h->more[number];
		for (m = 0; m < pp_metrics_shown(h->p) && pp_builder_ok(&h->b); m++) {
			int64_t cell = pp_series_cell(s, row, m);

			if (cell || m == 0)
				h->overflowed |= !pp_build_add(&h->b, to, node, m, cell);
		}
	}
}

static void
metrics_take(struct heaviest *h)
{
	size_t i;

	for (i = 0; i < pp_metrics_shown(h->p); i++) {
		struct pp_metric m = h->p->metrics.at[i];

		m.name = text_take(h, m.name);
		m.unit = text_take(h, m.unit);
		m.event = event_take(h, m.event);
		m.title = text_take(h, m.title);
		(void)pp_build_metric(&h->b, &m);
	}
}

static void
meta_make(struct heaviest *h, const struct pp_heaviest *want)
{
	struct pp_slice none = pp_slice_of("", 0);
	struct pp_slice tool = h->p->producer ? pp_text_of(h->p, h->p->producer)
	                                      : pp_slice_z(pp_format_name(pp_profile_native(h->p)));
	uint32_t parent = pp_build_meta(&h->b, 0, pp_slice_z("source"), PP_META_OBJECT, none);
	char digits[24];

	(void)pp_build_meta(&h->b, parent, pp_slice_z("tool"), PP_META_TEXT, tool);
	parent = pp_build_meta(&h->b, 0, pp_slice_z("x_polyprof"), PP_META_OBJECT, none);

	snprintf(digits, sizeof digits, "%llu", (unsigned long long)want->budget);
	(void)pp_build_meta(&h->b, parent, pp_slice_z("budget"), PP_META_NUMBER,
	                    pp_slice_z(digits));
	snprintf(digits, sizeof digits, "%zu", pp_heaviest_count(h->p));
	(void)pp_build_meta(&h->b, parent, pp_slice_z("stacks"), PP_META_NUMBER,
	                    pp_slice_z(digits));
	snprintf(digits, sizeof digits, "%zu", want->keep);
	(void)pp_build_meta(&h->b, parent, pp_slice_z("stacks_kept"), PP_META_NUMBER,
	                    pp_slice_z(digits));
}

static void
profile_make(struct heaviest *h, const struct pp_heaviest *want)
{
	struct pp_profile *to = h->b.profile;
	size_t i;

	to->format = want->format;
	to->complete = h->p->complete;
	to->facets = PP_TREE;
	to->time = h->p->time;
	to->recorded_at = h->p->recorded_at;
	to->recorded_ns = h->p->recorded_ns;
	if (pp_profile_native(h->p) == want->format)
		to->producer = text_take(h, h->p->producer);
	metrics_take(h);
	meta_make(h, want);
	for (i = 0; i < h->p->series.n && pp_builder_ok(&h->b); i++)
		series_take(h, i);
}

pp_status
pp_heaviest_derive(const struct pp_profile *p, const struct pp_heaviest *want,
                   struct pp_profile **out)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct heaviest h = { .p = p };
	pp_status status = PP_E_NOMEM;
	size_t i;

	*out = NULL;
	if (p->tree.n <= 1 || !p->series.n)
		return PP_E_UNSUPPORTED;
	if (!pp_builder_init(&h.b, &limits, NULL, p->strs.seed, &pp_pages_plain))
		return PP_E_NOMEM;
	h.has = calloc(p->tree.n + 1, sizeof *h.has);
	h.kept = calloc(p->tree.n + 1, sizeof *h.kept);
	h.to = calloc(p->tree.n + 1, sizeof *h.to);
	h.frames = calloc(p->frames.n + 1, sizeof *h.frames);
	h.more = calloc(p->series.n + 1, sizeof *h.more);
	if (h.has && h.kept && h.to && h.frames && h.more) {
		for (i = 0; i < p->series.n; i++)
			series_mark(&p->series.at[i], h.has);
		if (choose(&h, want->keep)) {
			profile_make(&h, want);
			status = h.overflowed && pp_builder_ok(&h.b) ? PP_E_LIMIT
			                                             : pp_builder_finish(&h.b, out);
		}
	}
	pp_builder_release(&h.b);
	free(h.has);
	free(h.kept);
	free(h.to);
	free(h.frames);
	free(h.more);
	return status;
}
