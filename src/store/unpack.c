/*
 * Cells into profiles: names and nodes of the dictionary as far as the cells need them, in the dictionary's order.
 */
#include "store/pack.h"

#include "base/pages.h"
#include "base/sort.h"
#include "model/inclusive.h"
#include "model/schema.h"
#include "store/record.h"

#define NS_PER_SECOND 1000000000

/* ---- what is there beside stacks ---- */

/* What is gained belongs to the metrics that fall, in their order. */
static void
gains_link(struct pp_builder *b)
{
	struct pp_profile *p = b->profile;
	size_t gained = pp_metrics_shown(p), m;

	for (m = 0; m < pp_metrics_shown(p) && gained < p->metrics.n; m++)
		if (pp_metric_falls(&p->metrics.at[m]))
			p->metrics.at[gained++].net = (uint32_t)m;
}

pp_status
pp_shape_read(struct pp_shape *shape, struct pp_slice bytes, uint64_t seed)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_record r = pp_record_of(bytes);
	struct pp_builder *b = &shape->b;
	struct pp_profile *p;
	char format[64] = "";
	struct pp_slice name;
	size_t i;

	*shape = (struct pp_shape){ 0 };
	/* What fitted when it was added fits now, and so do sums. */
	limits.max_depth = limits.max_nodes = UINT32_MAX;
	if (!pp_builder_init(b, &limits, NULL, seed, &pp_pages_plain))
		return PP_E_NOMEM;
	p = b->profile;
	name = pp_record_take_text(&r);
	if (name.n < sizeof format)
		memcpy(format, name.p, name.n);
	p->format = pp_format_find(format);
	p->variant = pp_build_str(b, pp_record_take_text(&r));
	p->producer = pp_build_str(b, pp_record_take_text(&r));
	p->facets = (unsigned)pp_record_take(&r);
	p->holds = (unsigned)pp_record_take(&r);
	p->complete = true;
	for (i = 0; i < PP_COUNT_OF(p->compression); i++)
		p->compression[i] = pp_build_str(b, pp_record_take_text(&r));
	shape->metrics = pp_record_take(&r);
	if (shape->metrics == 0 || shape->metrics > PP_FEW_COLUMNS || !p->format)
		r.failed = true;
	for (i = 0; i < shape->metrics && !r.failed; i++) {
		struct pp_metric metric = { 0 };

		if (pp_record_take_row(&r, b, PP_TABLE_METRICS, &metric) &&
		    !pp_metrics_push(p, &metric))
			pp_builder_fail(b, PP_E_NOMEM, NULL);
	}
	shape->is_part = !r.failed && r.p < r.end;
	if (shape->is_part)
		p->unread = pp_record_take(&r);
	shape->described = shape->is_part && !r.failed && r.p < r.end && pp_record_take(&r);
	gains_link(b);
	if (pp_builder_ok(b) && pp_record_end(&r))
		return PP_OK;
	pp_shape_release(shape);
	return b->status == PP_E_NOMEM ? PP_E_NOMEM : PP_E_INVALID;
}

void
pp_shape_release(struct pp_shape *shape)
{
	pp_builder_release(&shape->b);
}

bool
pp_own_add(struct pp_slice bytes, struct pp_own_facts *facts)
{
	struct pp_record r = pp_record_of(bytes);
	uint64_t profiles = pp_record_take(&r);

	facts->profiles += profiles;
	facts->events += pp_record_take(&r);
	facts->samples += pp_record_take(&r);
	facts->size = profiles == 1 ? pp_record_take(&r) : 0;
	return !r.failed && profiles > 0;
}

/* What a single profile has of its own; several keep their counts only. */
static bool
own_apply(struct pp_builder *b, const struct pp_own_facts *facts)
{
	struct pp_record r = pp_record_of(facts->bytes);
	struct pp_profile *p = b->profile;
	uint64_t n;

	p->events = facts->events;
	p->samples = facts->samples;
	if (facts->profiles != 1 || !facts->bytes.n) {
		memset(p->compression, 0, sizeof p->compression);
		return true;
	}
	for (n = 0; n < 4; n++)
		(void)pp_record_take(&r);
	p->time.known = pp_record_take(&r) != 0;
	p->time.start = (int64_t)pp_record_take(&r);
	p->time.end = (int64_t)pp_record_take(&r);
	p->recorded_at = (int64_t)pp_record_take(&r);
	for (n = pp_record_take(&r); n && !r.failed; n--) {
		struct pp_meta_row row;

		if (pp_record_take_row(&r, b, PP_TABLE_META, &row) && !pp_vec_push(&p->meta, row))
			pp_builder_fail(b, PP_E_NOMEM, NULL);
	}
	/* Not in those that were packed when nobody knew it. */
	if (!r.failed && r.p < r.end)
		p->recorded_ns = (uint32_t)(pp_record_take(&r) % NS_PER_SECOND);
	return pp_record_end(&r);
}

struct pp_own_numbers
pp_own_numbers(struct pp_slice bytes)
{
	struct pp_record r = pp_record_of(bytes);
	bool single = pp_record_take(&r) == 1;
	struct pp_own_numbers n = { 0 };

	n.events = pp_record_take(&r);
	n.samples = pp_record_take(&r);
	if (!single)
		return n;
	(void)pp_record_take(&r);
	n.time.known = pp_record_take(&r) != 0;
	n.time.start = (int64_t)pp_record_take(&r);
	n.time.end = (int64_t)pp_record_take(&r);
	return n;
}

static bool
sub_take(struct pp_builder *b, struct pp_slice bytes, struct pp_series *like)
{
	struct pp_label_row labels[64];
	struct pp_record r = pp_record_of(bytes);
	uint64_t n, i;

	*like = (struct pp_series){ 0 };
	if (!pp_record_take_row(&r, b, PP_TABLE_SERIES, like))
		return false;
	n = pp_record_take(&r);
	if (n > PP_COUNT_OF(labels))
		return false;
	for (i = 0; i < n; i++) {
		memset(&labels[i], 0, sizeof labels[i]);
		if (!pp_record_take_row(&r, b, PP_TABLE_LABELS, &labels[i]))
			return false;
	}
	/* They are in order, the first in front. */
	while (n-- > 0) {
		labels[n].rest = like->labels;
		like->labels = pp_build_label_row(b, &labels[n]);
	}
	return pp_record_end(&r);
}

/* ---- rows ---- */

void
pp_unpack_release(struct pp_unpack *u)
{
	size_t i;

	for (i = 0; i < u->series.n; i++) {
		free(u->series.at[i].stacks);
		free(u->series.at[i].cells);
	}
	pp_vec_release(&u->series);
}

static bool
stack_is_there(const struct pp_cell_sums *sums, size_t columns, uint32_t stack)
{
	size_t i;

	for (i = 0; i < columns; i++)
		if (sums[i].sum[stack] || (sums[i].zero[stack >> 6] >> (stack & 63) & 1))
			return true;
	return false;
}

pp_status
pp_unpack_add(struct pp_unpack *u, struct pp_slice sub, const struct pp_cell_sums *sums,
              size_t metrics, bool has_calls)
{
	struct pp_unpacked_series s = { .sub = sub, .has_calls = has_calls };
	size_t columns = metrics + has_calls, i;
	uint32_t stack, rows = 0;

	for (stack = 1; stack < sums->ids; stack++)
		rows += stack_is_there(sums, columns, stack);
	s.stacks = malloc((rows + (size_t)1) * sizeof *s.stacks);
	s.cells = malloc((rows * columns + 1) * sizeof *s.cells);
	if (!s.stacks || !s.cells || !pp_vec_push(&u->series, s)) {
		free(s.stacks);
		free(s.cells);
		return PP_E_NOMEM;
	}
	for (stack = 1; stack < sums->ids && s.rows < rows; stack++) {
		if (!stack_is_there(sums, columns, stack))
			continue;
		for (i = 0; i < columns; i++)
			s.cells[s.rows * columns + i] = sums[i].sum[stack];
		s.stacks[s.rows++] = stack;
	}
	u->series.at[u->series.n - 1].rows = s.rows;
	return PP_OK;
}

pp_status
pp_unpack_take(struct pp_unpack *u, struct pp_slice sub, uint32_t *stacks, int64_t *cells,
               uint32_t rows, size_t metrics, bool has_calls)
{
	struct pp_unpacked_series s = { sub, has_calls, rows, stacks, cells };
	uint32_t row;

	for (row = 1; row < rows && !has_calls; row++)
		memmove(cells + row * metrics, cells + row * (metrics + 1),
		        metrics * sizeof *cells);
	if (pp_vec_push(&u->series, s))
		return PP_OK;
	free(stacks);
	free(cells);
	return PP_E_NOMEM;
}

/* ---- nodes ---- */

void
pp_dict_marks_release(struct pp_dict_marks *m)
{
	free(m->nodes);
	free(m->frames);
	free(m->funcs);
	*m = (struct pp_dict_marks){ 0 };
}

/* Room for all that a dictionary has; false when out of memory. */
static bool
marks_room(struct pp_dict_marks *m, const struct pp_dict *dict)
{
	const struct pp_profile *p = dict->b.profile;

	if (m->node_room > p->tree.n && m->frame_room > p->frames.n && m->func_room > p->funcs.n)
		return true;
	pp_dict_marks_release(m);
	m->node_room = (size_t)p->tree.n + 1;
	m->frame_room = p->frames.n + 1;
	m->func_room = p->funcs.n + 1;
	m->nodes = calloc(m->node_room, sizeof *m->nodes);
	m->frames = calloc(m->frame_room, sizeof *m->frames);
	m->funcs = calloc(m->func_room, sizeof *m->funcs);
	if (m->nodes && m->frames && m->funcs)
		return true;
	pp_dict_marks_release(m);
	return false;
}

/* Which nodes of a dictionary a profile has, and where they are in it. */
struct chosen {
	const struct pp_dict *dict;
	struct pp_builder *b;
	uint32_t *node_map; /* by node of the dictionary; 0 = it is not there */
	pp_frame *frames;   /* by frame of the dictionary; likewise */
	pp_func *funcs;
	PP_VEC(pp_node) marked; /* those that are there, unless they are many */
	size_t count;           /* of those that are there */
	struct pp_dict_marks own, *marks;
};

/* From one node in so many on all are looked at, and none is listed. */
#define MANY_FROM 16

static bool
chosen_many(const struct chosen *c)
{
	return c->count >= pp_dict_tree(c->dict)->n / MANY_FROM;
}

static pp_str
name_take(const struct chosen *c, pp_str id)
{
	return id ? pp_build_str(c->b, c->dict->b.profile->strs.strs.at[id]) : 0;
}

static pp_func
func_take(struct chosen *c, pp_func func)
{
	const struct pp_profile *names = c->dict->b.profile;

	if (!c->funcs[func]) {
		struct pp_func_row row = names->funcs.at[func];
		struct pp_module_row module = names->modules.at[row.module];

		row.name = name_take(c, row.name);
		row.file = name_take(c, row.file);
		module.name = name_take(c, module.name);
		module.build_id = name_take(c, module.build_id);
		row.module = row.module ? pp_build_module(c->b, &module) : 0;
		c->funcs[func] = pp_build_func(c->b, &row);
	}
	return c->funcs[func];
}

static pp_frame
frame_take(struct chosen *c, pp_frame frame)
{
	if (!c->frames[frame]) {
		struct pp_frame_row row = c->dict->b.profile->frames.at[frame];

		row.func = func_take(c, row.func);
		row.file = name_take(c, row.file);
		c->frames[frame] = pp_build_frame(c->b, &row);
	}
	return c->frames[frame];
}

/* Marks are made unless there are some. */
static bool
chosen_init(struct chosen *c, const struct pp_dict *dict, struct pp_builder *b,
            struct pp_dict_marks *marks)
{
	*c = (struct chosen){ .dict = dict, .b = b };
	c->marks = marks ? marks : &c->own;
	if (!marks_room(c->marks, dict))
		return false;
	c->node_map = c->marks->nodes;
	c->frames = c->marks->frames;
	c->funcs = c->marks->funcs;
	return true;
}

/* What was marked is not any more, for who comes next. */
static void
chosen_release(struct chosen *c)
{
	const struct pp_profile *names = c->dict->b.profile;
	size_t i;

	if (c->marks == &c->own || chosen_many(c))
		pp_dict_marks_release(c->marks);
	for (i = 0; c->marks->nodes && i < c->marked.n; i++) {
		pp_frame frame = pp_tree_frame(&names->tree, c->marked.at[i]);

		c->node_map[c->marked.at[i]] = 0;
		c->frames[frame] = 0;
		c->funcs[names->frames.at[frame].func] = 0;
	}
	pp_vec_release(&c->marked);
}

/* Marks the nodes above all stacks that have a row; false when out of memory. */
static bool
nodes_mark(struct chosen *c, const struct pp_unpack *u)
{
	const struct pp_tree *t = pp_dict_tree(c->dict);
	uint32_t row;
	size_t i;

	for (i = 0; i < u->series.n; i++)
		for (row = 0; row < u->series.at[i].rows; row++) {
			pp_node node = c->dict->stacks.at[u->series.at[i].stacks[row]];

			for (; node && !c->node_map[node]; node = pp_tree_parent(t, node)) {
				c->node_map[node] = 1;
				c->count++;
				if (!chosen_many(c) && !pp_vec_push(&c->marked, node))
					return false;
			}
		}
	return true;
}

static int
node_order(const void *left, const void *right, void *context)
{
	const pp_node *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* A marked node becomes one of the profile. */
static void
node_take(struct chosen *c, pp_node node, pp_node at)
{
	const struct pp_tree *from = pp_dict_tree(c->dict);
	struct pp_tree *to = &c->b->profile->tree;

	c->node_map[node] = at;
	to->key[at] = (uint64_t)c->node_map[pp_tree_parent(from, node)] << 32 |
	              frame_take(c, pp_tree_frame(from, node));
	to->recursive[at >> 6] |= (uint64_t)pp_dict_is_recursive(c->dict, node) << (at & 63);
}

/* All that are marked, in their order. One profile has few of the nodes of a dictionary: these are sorted. */
static bool
nodes_take(struct chosen *c)
{
	const uint32_t nodes = pp_dict_tree(c->dict)->n;
	struct pp_tree *to = &c->b->profile->tree;
	pp_node at = 1, node;
	size_t i;

	if (!pp_tree_reserve(to, c->count))
		return false;
	if (chosen_many(c)) {
		for (node = 1; node < nodes; node++)
			if (c->node_map[node])
				node_take(c, node, at++);
	} else {
		if (c->marked.n > 1)
			pp_sort(c->marked.at, c->marked.n, sizeof *c->marked.at, node_order, NULL);
		for (i = 0; i < c->marked.n; i++)
			node_take(c, c->marked.at[i], at++);
	}
	to->n = at;
	return pp_builder_ok(c->b);
}

/* A series takes its rows over. */
static pp_status
series_take(struct chosen *c, struct pp_unpacked_series *s)
{
	struct pp_builder *b = c->b;
	struct pp_series like, *to;
	uint32_t row;

	if (!sub_take(b, s->sub, &like) || like.measured || like.has_calls != s->has_calls)
		return pp_builder_ok(b) ? PP_E_INVALID : b->status;
	pp_build_series(b, &like, false, s->has_calls);
	if (!pp_builder_ok(b))
		return b->status;
	to = &b->profile->series.at[b->profile->series.n - 1];
	for (row = 0; row < s->rows; row++)
		s->stacks[row] = c->node_map[c->dict->stacks.at[s->stacks[row]]];
	to->node_of = s->stacks;
	to->cells = s->cells;
	to->rows = to->rows_cap = s->rows;
	s->stacks = NULL;
	s->cells = NULL;
	return PP_OK;
}

/* A dictionary of those stacks only that are used, in their order. */
pp_status
pp_dict_shrink(const struct pp_dict *from, const uint64_t *used, struct pp_dict *to,
               uint32_t *stack_map)
{
	struct pp_unpacked_series all = { 0 };
	struct pp_unpack u = { .dict = from };
	struct chosen c;
	bool fine = chosen_init(&c, from, &to->b, NULL) &&
	            (all.stacks = malloc(from->stacks.n * sizeof *all.stacks));
	size_t stack;

	for (stack = 1; fine && stack < from->stacks.n; stack++)
		if (used[stack >> 6] >> (stack & 63) & 1)
			all.stacks[all.rows++] = (uint32_t)stack;
	if (fine && pp_vec_push(&u.series, all))
		all.stacks = NULL;
	fine = fine && !all.stacks && nodes_mark(&c, &u) && nodes_take(&c) &&
	       pp_vec_reserve(&to->stacks, (size_t)all.rows + 1);
	for (stack = 1; fine && stack < from->stacks.n; stack++) {
		stack_map[stack] = 0;
		if (!(used[stack >> 6] >> (stack & 63) & 1))
			continue;
		stack_map[stack] = (uint32_t)to->stacks.n;
		to->stacks.at[to->stacks.n++] = c.node_map[from->stacks.at[stack]];
	}
	free(all.stacks);
	chosen_release(&c);
	pp_unpack_release(&u);
	return fine ? PP_OK : PP_E_NOMEM;
}

/* Takes away what was gained: the last metrics. False when out of memory. */
static bool
gains_drop(struct pp_builder *b)
{
	struct pp_profile *p = b->profile;
	const size_t shown = pp_metrics_shown(p), all = p->metrics.n;
	bool stays[PP_FEW_COLUMNS] = { false }, fine = true;
	size_t i;

	for (i = 0; i < shown; i++)
		stays[i] = true;
	for (i = 0; i < p->series.n && shown < all && fine; i++) {
		struct pp_cell_block block = pp_cell_block(p, i);

		fine = pp_cells_choose(block, stays, all, NULL);
		p->series.at[i].stride -= (uint32_t)((all - shown) * block.sets);
	}
	p->metrics.n = shown;
	return fine;
}

/*
 * A dictionary marks functions that run below themselves, a tree frames that do. Where a function has several frames
 * these differ. False too when out of memory.
 */
static bool
marks_are_of_frames(const struct pp_profile *p)
{
	pp_func *func_of_frame = pp_frame_funcs(p);
	bool are = func_of_frame && pp_frames_are_funcs(p, func_of_frame);

	free(func_of_frame);
	return are;
}

pp_status
pp_unpack_profile(struct pp_unpack *u, struct pp_shape *shape, const struct pp_own_facts *facts,
                  struct pp_profile **out)
{
	struct pp_builder *b = &shape->b;
	struct chosen c;
	pp_status status = chosen_init(&c, u->dict, b, u->marks) ? PP_OK : PP_E_NOMEM;
	size_t i;

	if (status == PP_OK && !(nodes_mark(&c, u) && nodes_take(&c)))
		status = pp_builder_ok(b) ? PP_E_NOMEM : b->status;
	for (i = 0; status == PP_OK && i < u->series.n; i++)
		status = series_take(&c, &u->series.at[i]);
	chosen_release(&c);
	if (status == PP_OK && !own_apply(b, facts))
		status = pp_builder_ok(b) ? PP_E_INVALID : b->status;
	if (status == PP_OK && shape->without_gains && !gains_drop(b))
		status = PP_E_NOMEM;
	if (status == PP_OK)
		status = pp_builder_finish(b, out);
	/* Without them whoever needs marks computes them. */
	if (status == PP_OK && !marks_are_of_frames(*out)) {
		free((*out)->tree.recursive);
		(*out)->tree.recursive = NULL;
		(*out)->tree.marks_recursion = false;
	}
	return status;
}

/* ---- costs of functions ---- */

pp_status
pp_unpack_names(const struct pp_dict *d, struct pp_shape *shape, struct pp_profile **out)
{
	const size_t funcs = d->b.profile->funcs.n;
	struct pp_builder *b = &shape->b;
	struct chosen c = { .dict = d, .b = b, .funcs = calloc(funcs + 1, sizeof *c.funcs) };
	pp_status status = c.funcs ? PP_OK : PP_E_NOMEM;
	size_t f;

	/* They differ, so that each has the number that it has in the dictionary. */
	for (f = 1; f < funcs && status == PP_OK; f++)
		if (func_take(&c, (pp_func)f) != f)
			status = pp_builder_ok(b) ? PP_E_UNSUPPORTED : b->status;
	free(c.funcs);
	return status == PP_OK ? pp_builder_finish(b, out) : status;
}

/* What functions cost in one metric: by function of the dictionary. */
struct func_sums {
	pp_i128 *own, *total;
};

/* Own costs go to nodes, and up from there; totals are those of outermost nodes. False when out of memory. */
static bool
metric_spread(const struct pp_dict *d, const pp_func *func_of_frame, const struct pp_cell_sums *s,
              struct func_sums *to)
{
	const struct pp_tree *t = pp_dict_tree(d);
	int64_t *cost = pp_pages_huge.get(t->n * sizeof *cost);
	uint32_t stack, node;

	if (!cost)
		return false;
	for (stack = 1; stack < s->ids; stack++)
		cost[d->stacks.at[stack]] = s->sum[stack];
	for (stack = 1; stack < s->ids; stack++)
		if (s->sum[stack])
			to->own[func_of_frame[pp_tree_frame(t, d->stacks.at[stack])]] +=
			    s->sum[stack];
	for (node = t->n; --node;) {
		if (!cost[node])
			continue;
		cost[pp_tree_parent(t, node)] += cost[node];
		if (!pp_dict_is_recursive(d, node))
			to->total[func_of_frame[pp_tree_frame(t, node)]] += cost[node];
	}
	to->total[0] = cost[0];
	pp_pages_huge.put(cost, t->n * sizeof *cost);
	return true;
}

static bool
costs_possible(const struct pp_shape *shape, const struct pp_cell_sums *sums)
{
	const struct pp_profile *p = shape->b.profile;
	size_t m;

	for (m = 0; m < shape->metrics; m++)
		if (p->metrics.at[m].type == PP_REAL || sums[m].overflowed || sums[m].negative ||
		    sums[m].absolute > INT64_MAX)
			return false;
	return true;
}

/* A row for each function that costs anything. */
static bool
costs_put(struct chosen *c, const struct func_sums *sums, size_t metrics)
{
	struct pp_costs_facet *costs = &c->b->profile->costs;
	size_t funcs = c->dict->b.profile->funcs.n, f, m;

	for (f = 0; f < funcs; f++) {
		bool occurs = f == 0;
		union pp_value *to;

		for (m = 0; m < metrics && !occurs; m++)
			occurs = sums[m].total[f] != 0;
		if (!occurs)
			continue;
		if (!pp_vec_push(&costs->funcs, f ? func_take(c, (pp_func)f) : 0) ||
		    !pp_vec_reserve(&costs->cells, costs->cells.n + 2 * metrics))
			return false;
		to = costs->cells.at + costs->cells.n;
		for (m = 0; m < metrics; m++) {
			to[m].i = f ? sums[m].own[f] : sums[m].total[0];
			to[metrics + m].i = sums[m].total[f];
		}
		costs->cells.n += 2 * metrics;
	}
	costs->stated = true;
	return pp_builder_ok(c->b);
}

pp_status
pp_unpack_costs(const struct pp_dict *d, struct pp_shape *shape, const struct pp_cell_sums *cells,
                const struct pp_own_facts *facts, struct pp_profile **out)
{
	const size_t funcs = d->b.profile->funcs.n;
	struct func_sums sums[PP_FEW_COLUMNS] = { 0 };
	pp_func *func_of_frame;
	struct chosen c = { .dict = d, .b = &shape->b };
	pp_status status = PP_E_NOMEM;
	bool fine;
	size_t m;

	if (!costs_possible(shape, cells))
		return PP_E_UNSUPPORTED;
	func_of_frame = pp_frame_funcs(d->b.profile);
	c.funcs = calloc(funcs + 1, sizeof *c.funcs);
	fine = func_of_frame && c.funcs;
	for (m = 0; fine && m < shape->metrics; m++) {
		sums[m].own = calloc(2 * funcs + 2, sizeof *sums[m].own);
		sums[m].total = sums[m].own ? sums[m].own + funcs + 1 : NULL;
		fine = sums[m].own && metric_spread(d, func_of_frame, &cells[m], &sums[m]);
	}
	if (fine && costs_put(&c, sums, shape->metrics) && own_apply(c.b, facts))
		status = pp_builder_finish(c.b, out);
	else if (fine)
		status = pp_builder_ok(c.b) ? PP_E_INVALID : c.b->status;
	for (m = 0; m < shape->metrics; m++)
		free(sums[m].own);
	free(c.funcs);
	free(func_of_frame);
	return status;
}
