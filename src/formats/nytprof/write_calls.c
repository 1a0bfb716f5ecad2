/*
 * Writing calls: returns from the tree, callers from edges or the tree.
 *
 * Perl's tools add up the callers of each sub. What they get must come to what the profile itself says a
 * function costs, so where edges repeat time (recursion over several functions) the surplus goes to the
 * recursive time, and what no edge accounts for is called from main::RUNTIME.
 */
#include "formats/nytprof/write.h"

#include "base/stops.h"
#include "formats/kit/tree_walk.h"

/* ---- the tree ------------------------------------------------------------------------------ */

bool
pp_nyt_is_outside_node(const struct pp_nyt_writing *w, pp_node node)
{
	return w->levels && !w->calls[node] &&
	       pp_nyt_is_level(w->profile, pp_node_func(w->profile, node));
}

bool
pp_nyt_write_tree_prepare(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	size_t i;
	uint32_t row;
	pp_node node;

	w->self = calloc(p->tree.n, sizeof *w->self);
	w->incl = calloc(p->tree.n, sizeof *w->incl);
	w->calls = pp_node_calls(p, &w->has_calls);
	if (!w->self || !w->incl || !w->calls)
		return false;
	for (i = 0; w->metric && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows && !pp_account_stops_at(row); row++)
			w->self[pp_series_node(s, row)] += pp_nyt_cell_ticks(
			    w, pp_series_cell(s, row, w->metric_index));
	}
	for (node = p->tree.n; --node && !pp_account_stops_at(node);) {
		w->returns = w->returns || !pp_nyt_is_outside_node(w, node);
		w->incl[node] += w->self[node];
		w->incl[pp_tree_parent(&p->tree, node)] += w->incl[node];
	}
	return !pp_account_stops();
}

static void
return_write(struct pp_nyt_writing *w, pp_node node, uint32_t depth)
{
	struct pp_nyt_out *o = &w->out;
	uint64_t calls = w->calls[node] ? w->calls[node] : 1, i;

	for (i = 0; i < calls; i++) {
		if (i && w->budget == 0) {
			w->writer->loss.more[PP_TRAIT_CALLS]++;
			return;
		}
		w->budget -= i > 0;
		pp_nyt_out_byte(o, '<');
		pp_nyt_out_uint(o, depth);
		pp_nyt_out_number(o, i ? 0.0 : w->incl[node]);
		pp_nyt_out_number(o, i ? 0.0 : w->self[node]);
		pp_nyt_write_name(w, pp_node_func(w->profile, node));
	}
}

void
pp_nyt_write_returns(struct pp_nyt_writing *w, const struct pp_nyt_run *run)
{
	struct pp_tree_walk x;
	uint32_t level = 0;
	bool ours = true;

	if (w->profile->tree.n < 2)
		return;
	if (!pp_tree_walk_begin(&x, w->profile)) {
		w->no_memory = true;
		return;
	}
	while (pp_tree_walk_next(&x)) {
		if (run && !pp_tree_parent(&w->profile->tree, x.node))
			ours = run == &w->runs.at[pp_nyt_run_of_root(w, x.node)];
		if (!ours)
			continue;
		if (!x.leaving)
			level += pp_nyt_is_outside_node(w, x.node);
		else if (pp_nyt_is_outside_node(w, x.node))
			level--;
		else
			return_write(w, x.node, x.depth - level);
	}
	pp_tree_walk_release(&x);
}

static struct pp_nyt_callers
callers_new(const struct pp_profile *p)
{
	return (struct pp_nyt_callers){ .of_pair = { .seed = p->strs.seed },
		                        .places = { .seed = p->strs.seed } };
}

/* ---- callers from the tree ------------------------------------------------------------------- */

/* The number of a callee and the line that calls it; PP_MAP_NONE when out of memory. */
static uint32_t
place_of(struct pp_nyt_callers *c, pp_func callee, uint32_t site)
{
	uint64_t key = (uint64_t)callee << 32 | site;
	uint32_t place = pp_map_get(&c->places, key);

	if (place != PP_MAP_NONE)
		return place;
	place = (uint32_t)c->places.n;
	return pp_map_set(&c->places, key, place) ? place : PP_MAP_NONE;
}

static struct pp_nyt_caller *
pair_row(struct pp_nyt_writing *w, struct pp_nyt_callers *c, pp_func caller, pp_func callee,
         uint32_t site)
{
	uint32_t place = place_of(c, callee, site), row;
	uint64_t key = (uint64_t)caller << 32 | place;
	struct pp_nyt_caller fresh = { .caller = caller, .callee = callee, .line = site };

	row = place != PP_MAP_NONE ? pp_map_get(&c->of_pair, key) : PP_MAP_NONE;
	if (row != PP_MAP_NONE)
		return &c->rows.at[row];
	fresh.file = w->profile->funcs.at[caller].file;
	row = (uint32_t)c->rows.n;
	if (place == PP_MAP_NONE || !pp_vec_push(&c->rows, fresh) ||
	    !pp_map_set(&c->of_pair, key, row)) {
		w->no_memory = true;
		return NULL;
	}
	return &c->rows.at[row];
}

/* Adds one node to the row of its pair. `running`: how often the callee is on the stack already. */
static void
pair_add(const struct pp_nyt_writing *w, struct pp_nyt_caller *row, pp_node node, uint32_t running)
{
	row->count += w->calls[node] ? w->calls[node] : 1;
	row->excl += w->self[node];
	if (running)
		row->reci += w->incl[node];
	else
		row->incl += w->incl[node];
	if (running > row->depth)
		row->depth = running;
}

/* One row for each pair of functions and call site; inclusive time of outermost calls, else recursive. */
static void
pairs_collect(struct pp_nyt_writing *w, struct pp_nyt_callers *c)
{
	const struct pp_profile *p = w->profile;
	uint32_t *running = calloc(p->funcs.n, sizeof *running);
	struct pp_tree_walk x = { 0 };

	if (!running || !pp_tree_walk_begin(&x, p))
		w->no_memory = true;
	while (!w->no_memory && pp_tree_walk_next(&x)) {
		pp_func callee = pp_node_func(p, x.node);
		pp_node parent = pp_tree_parent(&p->tree, x.node);
		struct pp_nyt_caller *row;

		if (x.leaving) {
			running[callee]--;
			continue;
		}
		if (pp_nyt_is_outside_node(w, x.node)) {
			running[callee]++;
			continue;
		}
		row = pair_row(w, c, parent ? pp_node_func(p, parent) : 0, callee,
		               p->frames.at[pp_tree_frame(&p->tree, x.node)].site_line);
		if (!row)
			break;
		pair_add(w, row, x.node, running[callee]++);
	}
	pp_tree_walk_release(&x);
	free(running);
}

/* ---- callers from edges ------------------------------------------------------------------------ */

static void
edges_collect(struct pp_nyt_writing *w, struct pp_nyt_callers *c)
{
	const struct pp_profile *p = w->profile;
	size_t i;

	for (i = 0; i < p->calls.rows.n && w->metric; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];
		struct pp_nyt_caller row = { .caller = p->funcs.at[e->caller].same,
			                     .callee = p->funcs.at[e->callee].same,
			                     .file = e->site_file ? e->site_file
			                                          : p->funcs.at[e->caller].file,
			                     .line = e->site_line,
			                     .count = (uint64_t)pp_edge_cell(p, i, 0) };

		/* What runs outside of subs, the statements tell. */
		if (w->levels && !row.count && pp_nyt_is_level(p, row.callee))
			continue;
		row.incl = pp_nyt_cell_ticks(w, pp_edge_cell(p, i, 1 + w->metric_index));
		if (p->calls.own)
			row.excl = pp_nyt_cell_ticks(
			    w, pp_edge_cell(p, i, 1 + p->metrics.n + w->metric_index));
		if (row.caller == row.callee &&
		    (p->calls.self_repeats || !(p->calls.adds_up && p->calls.own))) {
			row.reci = row.incl;
			row.incl = 0.0;
			row.depth = 1;
		}
		if (!pp_vec_push(&c->rows, row)) {
			w->no_memory = true;
			return;
		}
	}
}

/*
 * Takes recursive time and depth from the tree, for the first row of each pair. Profiles that state edges know
 * no sites in their stacks.
 */
static void
recursion_add(struct pp_nyt_writing *w, struct pp_nyt_callers *c)
{
	struct pp_nyt_callers pairs = callers_new(w->profile);
	size_t i;

	if (w->profile->tree.n > 1)
		pairs_collect(w, &pairs);
	for (i = 0; i < c->rows.n && !w->no_memory; i++) {
		struct pp_nyt_caller *row = &c->rows.at[i];
		uint32_t place = pp_map_get(&pairs.places, (uint64_t)row->callee << 32);
		uint32_t pair = pp_map_get(&pairs.of_pair, (uint64_t)row->caller << 32 | place);

		if (pair != PP_MAP_NONE) {
			row->reci += pairs.rows.at[pair].reci;
			row->depth = pairs.rows.at[pair].depth;
			pairs.rows.at[pair].reci = 0.0;
		} else if (row->caller && row->caller == row->callee && row->count && !row->depth) {
			w->writer->loss.more[PP_TRAIT_RECURSION]++;
		}
	}
	pp_nyt_callers_release(&pairs);
}

/* ---- making sums come out ------------------------------------------------------------------------ */

/* What the edges of one function come to, beside what the function costs. */
struct settling {
	double incl, excl;  /* by the edges */
	double total, self; /* by the profile */
	uint64_t count;
};

static void
row_settle(const struct pp_nyt_writing *w, struct pp_nyt_caller *r, struct settling *s)
{
	if (s->incl > s->total && s->incl > 0) {
		double kept = r->incl * (s->total > 0 ? s->total / s->incl : 0.0);

		r->reci += r->incl - kept;
		r->depth = r->depth ? r->depth : 1;
		r->incl = kept;
	}
	/* Where edges state no own cost, the first one carries it all. */
	if (!w->profile->calls.own) {
		r->excl += s->self - s->excl;
		s->excl = s->self;
	}
}

/* Other formats lose the mark of a script's own code, not its name. */
static bool
is_script_level(const struct pp_nyt_writing *w, pp_func func)
{
	return pp_slice_eq_z(pp_text_of(w->profile, w->profile->funcs.at[func].name),
	                     "main::RUNTIME");
}

/* Calls from nowhere, for what the edges of a function do not account for. */
static void
rest_add(struct pp_nyt_writing *w, struct pp_nyt_callers *c, size_t row, const struct settling *s)
{
	struct pp_nyt_caller rest = { .callee = w->flat.func[row] };

	rest.incl = s->total > s->incl ? s->total - s->incl : 0.0;
	rest.excl = s->self - s->excl;
	/* Sums of rounded numbers differ in their last bits; that is no call. */
	if (rest.incl < 1e-6 && rest.excl < 1e-6 && rest.excl > -1e-6)
		return;
	rest.file = w->profile->funcs.at[rest.callee].file;
	rest.line = w->profile->funcs.at[rest.callee].line;
	w->writer->loss.made |= rest.line ? PP_HAS(SITES) : 0;
	if (w->flat.has_calls && w->flat.calls[row] > s->count)
		rest.count = w->flat.calls[row] - s->count;
	/* Readers add what statements state outside of subs to it: a call from itself would count twice. */
	if (w->levels && !rest.count && is_script_level(w, rest.callee))
		return;
	if (!pp_vec_push(&c->rows, rest))
		w->no_memory = true;
}

/* Brings each function to its flat cost. */
static void
sums_settle(struct pp_nyt_writing *w, struct pp_nyt_callers *c)
{
	struct settling *of = calloc(w->flat.n + 1, sizeof *of);
	size_t edges = c->rows.n, i;

	if (!of) {
		w->no_memory = true;
		return;
	}
	for (i = 0; i < w->flat.n; i++) {
		struct pp_cost_pair cost = pp_flat_get(&w->flat, i, w->metric_index);

		of[i + 1].total = pp_nyt_value_ticks(w, cost.total);
		of[i + 1].self = pp_nyt_value_ticks(w, cost.own);
	}
	for (i = 0; i < edges; i++) {
		struct settling *s = &of[w->row_of[c->rows.at[i].callee]];

		s->incl += c->rows.at[i].incl;
		s->excl += c->rows.at[i].excl;
		s->count += c->rows.at[i].count;
	}
	for (i = 0; i < edges; i++)
		if (w->row_of[c->rows.at[i].callee])
			row_settle(w, &c->rows.at[i], &of[w->row_of[c->rows.at[i].callee]]);
	for (i = 0; i < w->flat.n && !w->no_memory; i++)
		rest_add(w, c, i, &of[i + 1]);
	free(of);
}

/* ---- records ------------------------------------------------------------------------------------- */

static void
caller_write(struct pp_nyt_writing *w, const struct pp_nyt_caller *r)
{
	struct pp_nyt_out *o = &w->out;
	uint64_t left = r->count;
	bool first = true;

	/* Counts are 32 bits; larger ones take several records. */
	do {
		uint32_t count = left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;

		if (!first && w->budget == 0) {
			w->writer->loss.more[PP_TRAIT_CALLS]++;
			return;
		}
		w->budget -= !first;
		pp_nyt_out_byte(o, 'c');
		pp_nyt_out_uint(o, pp_nyt_write_fid(w, r->file));
		pp_nyt_out_uint(o, r->line);
		w->writer->loss.made |= r->caller || w->outside ? 0 : PP_HAS(ROOTS);
		/* Code outside of subs has one name; the place says which file's it is. */
		if (!r->caller || pp_nyt_is_outside_row(w, r->caller))
			pp_nyt_out_string(o, pp_slice_z("main::RUNTIME"));
		else
			pp_nyt_write_name(w, r->caller);
		pp_nyt_out_uint(o, count);
		pp_nyt_out_number(o, first ? pp_nyt_write_seconds(w, r->incl) : 0.0);
		pp_nyt_out_number(o, first ? pp_nyt_write_seconds(w, r->excl) : 0.0);
		pp_nyt_out_number(o, first ? pp_nyt_write_seconds(w, r->reci) : 0.0);
		pp_nyt_out_uint(o, r->depth);
		pp_nyt_write_name(w, r->callee);
		left -= count;
		first = false;
	} while (left);
}

/* Says that a sub is not written in Perl. */
static void
marker_write(struct pp_nyt_writing *w, pp_func func)
{
	struct pp_nyt_out *o = &w->out;

	pp_nyt_out_bytes(o, "c\0\0'\0\0", 6);
	pp_nyt_out_number(o, 0.0);
	pp_nyt_out_number(o, 0.0);
	pp_nyt_out_number(o, 0.0);
	pp_nyt_out_uint(o, 0);
	pp_nyt_write_name(w, func);
}

static bool
row_is_empty(const struct pp_nyt_caller *r)
{
	return r->count == 0 && r->incl == 0 && r->excl == 0 && r->reci == 0;
}

void
pp_nyt_callers_collect(struct pp_nyt_writing *w, struct pp_nyt_callers *c)
{
	const struct pp_profile *p = w->profile;

	*c = callers_new(p);
	if (!w->metric)
		return;
	if (p->calls.rows.n)
		edges_collect(w, c);
	else if (p->tree.n > 1)
		pairs_collect(w, c);
	if (p->calls.adds_up && p->calls.own && p->calls.rows.n)
		recursion_add(w, c);
	else if (!w->no_memory)
		sums_settle(w, c);
}

void
pp_nyt_callers_release(struct pp_nyt_callers *c)
{
	pp_vec_release(&c->rows);
	pp_map_release(&c->of_pair);
	pp_map_release(&c->places);
}

void
pp_nyt_write_callers(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	struct pp_nyt_callers c;
	size_t i;

	pp_nyt_callers_collect(w, &c);
	for (i = 0; i < w->flat.n; i++)
		if (p->funcs.at[w->flat.func[i]].flags & PP_FUNC_INTERNAL)
			marker_write(w, w->flat.func[i]);
	for (i = 0; i < c.rows.n && !w->no_memory; i++)
		if (!row_is_empty(&c.rows.at[i]))
			caller_write(w, &c.rows.at[i]);
		else
			w->writer->loss.more[PP_TRAIT_SITES] += c.rows.at[i].line != 0;
	pp_nyt_callers_release(&c);
}
