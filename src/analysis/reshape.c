/*
 * Profiles made from profiles, for pictures.
 */
#include "analysis/reshape.h"

#include <math.h>

#include "model/builder.h"
#include "model/derive.h"

/* Nodes of a tree from the leaves. */
#define REVERSED_MOST 4000000
/* The levels tried first when all of them are too many. */
#define REVERSED_LEVELS 1024

bool
pp_reshape_is_by_name(const struct pp_profile *p, bool *out_of_memory)
{
	unsigned char *used = calloc(p->strs.strs.n, 1);
	bool distinct = used != NULL;
	size_t i;

	*out_of_memory = !used;
	for (i = 1; distinct && i < p->frames.n; i++) {
		pp_str name = p->funcs.at[p->frames.at[i].func].name;

		distinct = !used[name];
		used[name] = 1;
	}
	free(used);
	return distinct;
}

/* Where a function of a new profile comes from: one of those of its name, the same in whatever order they stand. */
struct place {
	pp_func func;
	const struct pp_func_row *from;
};

struct places {
	PP_VEC(struct place) list; /* by function, without gaps */
};

/* Those that know their file, or module, come first. */
static int
known_cmp(struct pp_slice a, struct pp_slice b)
{
	return (a.n == 0) != (b.n == 0) ? (a.n == 0) - (b.n == 0) : pp_slice_cmp(a, b);
}

static int
place_cmp(const struct pp_profile *p, const struct pp_func_row *a, const struct pp_func_row *b)
{
	const struct pp_module_row *x = &p->modules.at[a->module], *y = &p->modules.at[b->module];
	int by = known_cmp(pp_text_of(p, a->file), pp_text_of(p, b->file));

	if (!by)
		by = known_cmp(pp_text_of(p, x->name), pp_text_of(p, y->name));
	return by ? by : (x->kind > y->kind) - (x->kind < y->kind);
}

/* Remembers where a function comes from, which is no part of what it is when only names count. */
static bool
place_add(struct places *places, const struct pp_profile *p, const struct pp_func_row *from,
          pp_func func)
{
	struct place *place = places->list.at;

	if (places->list.n == 0 || places->list.at[places->list.n - 1].func < func)
		return pp_vec_push(&places->list, ((struct place){ func, from }));
	/* That of the root is none of them. */
	if (func < place->func)
		return true;
	place += func - place->func;
	if (place_cmp(p, from, place->from) < 0)
		place->from = from;
	return true;
}

/* Tells functions where they come from, once all are there: what they are does not change any more. */
static void
places_settle(struct pp_builder *b, const struct pp_profile *p, const struct places *places)
{
	size_t i;

	for (i = 0; pp_builder_ok(b) && i < places->list.n; i++) {
		const struct place *place = &places->list.at[i];
		const struct pp_module_row *module = &p->modules.at[place->from->module];
		pp_str file = pp_build_str(b, pp_text_of(p, place->from->file));
		pp_module made = 0;

		if (module->name)
			made = pp_build_module(
			    b, &(struct pp_module_row){
			           .name = pp_build_str(b, pp_text_of(p, module->name)),
			           .kind = module->kind });
		b->profile->funcs.at[place->func].file = file;
		b->profile->funcs.at[place->func].module = made;
	}
}

/* The frame of each frame's name in the new profile; NULL when out of memory. */
static pp_frame *
frames_by_name(struct pp_builder *b, const struct pp_profile *p, struct places *places)
{
	pp_frame *map = calloc(p->frames.n, sizeof *map);
	size_t i;

	for (i = 1; map && i < p->frames.n; i++) {
		const struct pp_func_row *from =
		    &p->funcs.at[p->funcs.at[p->frames.at[i].func].same];
		struct pp_func_row func = { .flags = from->flags };
		struct pp_frame_row frame = { 0 };

		func.name = pp_build_str(b, pp_text_of(p, from->name));
		/* A sum of small frames is not the function that happens to be called so. */
		if (from->flags & PP_FUNC_MORE) {
			func.line = from->line;
			frame.more = p->frames.at[i].more;
		}
		frame.func = pp_build_func(b, &func);
		map[i] = pp_build_frame(b, &frame);
		if (places && !place_add(places, p, from, frame.func))
			pp_builder_fail(b, PP_E_NOMEM, NULL);
	}
	return map;
}

/* The stack of a node from its leaf to its root, as a path in the new tree. */
static pp_node
node_reversed(struct pp_builder *b, const struct pp_profile *p, const pp_frame *frames,
              pp_node node, const struct pp_reversal *reverse)
{
	uint32_t level = 0, more = 0;
	pp_node to = 0;

	for (; node && pp_builder_ok(b); node = pp_tree_parent(&p->tree, node))
		if (reverse->levels && ++level > reverse->levels)
			more++;
		else
			to = pp_build_child(b, to, frames[pp_tree_frame(&p->tree, node)]);
	return more ? pp_build_child(b, to, pp_build_frame_more(b, more)) : to;
}

static bool
cell_take(const struct pp_taking *as, const struct pp_metric *m, int64_t *cell)
{
	union pp_value v = pp_cell_value(m, *cell);
	double plain = (m->type == PP_REAL ? v.d : (double)v.i) * as->factor;

	if (as->to)
		*cell = as->real ? pp_cell_real(pp_value_double(m, v) * as->factor)
		                 : (int64_t)pp_value_convert(m, as->to, as->mul, v).i;
	else if (as->plain && !as->real && !(fabs(plain) < 9.2e18))
		return false;
	else if (as->plain)
		*cell = as->real ? pp_cell_real(plain) : (int64_t)llround(plain);
	return true;
}

bool
pp_taking_add(struct pp_builder *b, uint32_t to, const struct pp_taking *as, const pp_frame *frames)
{
	const struct pp_profile *p = as->profile;
	const struct pp_metric *m = &p->metrics.at[as->metric];
	pp_node *map = calloc(p->tree.n, sizeof *map), node;
	bool ok = frames && map;
	size_t i;
	uint32_t row;

	for (node = 1; ok && !as->reverse && node < p->tree.n && pp_builder_ok(b); node++)
		map[node] = pp_build_child(b, map[pp_tree_parent(&p->tree, node)],
		                           frames[pp_tree_frame(&p->tree, node)]);
	for (i = 0; ok && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; ok && row < s->rows; row++) {
			int64_t cell = pp_series_cell(s, row, as->metric);

			node = pp_series_node(s, row);
			if (!pp_series_present(s, row))
				continue;
			node = as->reverse ? node_reversed(b, p, frames, node, as->reverse)
			                   : map[node];
			ok = pp_builder_ok(b) && cell_take(as, m, &cell) &&
			     pp_build_add(b, 0, node, to, cell);
		}
	}
	if (!frames || !map)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	free(map);
	return ok && pp_builder_ok(b);
}

void
pp_taking_metric(struct pp_builder *b, const struct pp_taking *as, const char *name, unsigned flags)
{
	const struct pp_profile *p = as->profile;
	struct pp_metric m = as->to ? *as->to : p->metrics.at[as->metric];

	m.name = name ? pp_build_strz(b, name) : pp_build_str(b, pp_text_of(p, m.name));
	m.title = name ? 0 : pp_build_str(b, pp_text_of(p, m.title));
	m.event = 0;
	m.unit = pp_build_str(b, pp_text_of(p, p->metrics.at[as->metric].unit));
	/* Gains that are taken alone are a metric like others. */
	m.flags &= ~(unsigned)PP_METRIC_GAINED;
	m.flags = (m.flags & ~(unsigned)PP_METRIC_PRIMARY) | flags;
	if (as->plain || (as->to && as->real)) {
		m.type = as->real ? PP_REAL : PP_INT;
		m.scale = 0;
		m.factor_num = m.factor_den = 0;
	}
	(void)pp_build_metric(b, &m);
}

bool
pp_taking_start(struct pp_builder *b, const struct pp_taking *sides, size_t n)
{
	const struct pp_profile *first = sides[0].profile, *last = sides[n - 1].profile;
	struct pp_limits limits = pp_limits_complete(
	    &(struct pp_limits){ .max_nodes = sides->reverse ? REVERSED_MOST : 0 });

	if (!pp_builder_init(b, &limits, NULL, last->strs.seed, &pp_pages_plain))
		return false;
	b->profile->format = last->format;
	b->profile->complete = first->complete && last->complete;
	b->profile->estimated = first->estimated || last->estimated;
	b->profile->facets = PP_TREE; /* though it may be empty */
	return true;
}

pp_status
pp_taking_finish(struct pp_builder *b, bool fits, struct pp_profile **out)
{
	pp_status status = pp_builder_ok(b) && !fits ? PP_E_LIMIT : pp_builder_finish(b, out);

	pp_builder_release(b);
	return status;
}

/* Whether to try again with fewer levels, after a tree from the leaves became too large. */
static bool
reverse_less(const struct pp_builder *b, struct pp_reversal *reverse)
{
	if (!reverse || b->profile->tree.n < REVERSED_MOST || reverse->levels == 1)
		return false;
	reverse->levels = reverse->levels ? reverse->levels / 2 : REVERSED_LEVELS;
	return true;
}

/* One profile by names, or two as one. */
static pp_status
sides_try(const struct pp_taking *sides, size_t n, bool *again, struct pp_profile **out)
{
	struct places places = { 0 };
	struct pp_builder b;
	bool fits = true;
	size_t i;

	if (!pp_taking_start(&b, sides, n))
		return PP_E_NOMEM;
	for (i = 0; i < n; i++)
		pp_taking_metric(&b, &sides[i],
		                 n < 2 ? NULL
		                 : i   ? "after"
		                       : "before",
		                 i + 1 == n ? PP_METRIC_PRIMARY : 0);
	(void)pp_build_series_plain(&b, true, false);
	for (i = 0; fits && i < n; i++) {
		pp_frame *frames = frames_by_name(&b, sides[i].profile, n < 2 ? &places : NULL);

		fits = pp_taking_add(&b, (uint32_t)i, &sides[i], frames);
		free(frames);
	}
	places_settle(&b, sides[0].profile, &places);
	pp_vec_release(&places.list);
	*again = !fits && reverse_less(&b, sides->reverse);
	return pp_taking_finish(&b, fits, out);
}

static pp_status
sides_put(const struct pp_taking *sides, size_t n, struct pp_profile **out)
{
	bool again = false;
	pp_status status;

	*out = NULL;
	do
		status = sides_try(sides, n, &again, out);
	while (again);
	return status;
}

pp_status
pp_reshape_names(const struct pp_profile *p, size_t metric, struct pp_reversal *reverse,
                 struct pp_profile **out)
{
	const struct pp_taking as = { .profile = p, .metric = metric, .reverse = reverse };

	return sides_put(&as, 1, out);
}

/* Whether a metric tells parts of its unit. */
static bool
tells_parts(const struct pp_metric *m)
{
	return m->type == PP_REAL || m->scale || m->factor_den > 1;
}

static double
factor_of(const struct pp_metric *m)
{
	return (double)(m->factor_num ? m->factor_num : 1) /
	       (double)(m->factor_den ? m->factor_den : 1) / pow(10, m->scale);
}

pp_status
pp_reshape_union(const struct pp_profile *before, size_t before_metric,
                 const struct pp_profile *after, size_t after_metric, struct pp_reversal *reverse,
                 struct pp_profile **out)
{
	const struct pp_metric *x = &before->metrics.at[before_metric];
	const struct pp_metric *y = &after->metrics.at[after_metric];
	struct pp_taking sides[] = {
		{ .profile = before, .metric = before_metric, .factor = factor_of(x) },
		{ .profile = after, .metric = after_metric, .factor = factor_of(y) },
	};
	size_t i;

	*out = NULL;
	if (!pp_slice_eq(pp_text_of(before, x->unit), pp_text_of(after, y->unit)))
		return PP_E_USAGE;
	for (i = 0; i < 2; i++) {
		sides[i].plain = x->type != y->type || x->scale != y->scale ||
		                 x->factor_num != y->factor_num || x->factor_den != y->factor_den;
		sides[i].real = tells_parts(x) || tells_parts(y);
		sides[i].reverse = reverse;
	}
	return sides_put(sides, 2, out);
}

pp_status
pp_reshape_scale(const struct pp_profile *p, size_t metric, double factor, struct pp_profile **out)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	const struct pp_taking as = {
		.metric = metric, .plain = true, .real = m->type == PP_REAL, .factor = factor
	};
	struct pp_derive d;
	bool fits = true;
	size_t i;
	uint32_t row;

	*out = NULL;
	if (!pp_derive_init(&d, p, PP_COLUMN_ROWS, 0))
		return PP_E_NOMEM;
	for (i = 0; i < p->series.n; i++) {
		struct pp_series *s = &d.to->series.at[i];

		for (row = 0; fits && row < s->rows; row++) {
			int64_t *cell = s->wide ? NULL
			                        : s->cells + (size_t)row * s->stride + metric;

			if (s->wide && pp_series_cell(s, row, metric))
				cell = pp_wide_at(s->wide, row, (uint32_t)metric);
			fits = !cell || cell_take(&as, m, cell);
		}
	}
	return pp_derive_finish(&d, fits ? PP_OK : PP_E_LIMIT, out);
}
