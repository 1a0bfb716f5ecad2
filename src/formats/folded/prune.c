/*
 * Reading folded stacks for a picture: only what is wide enough to be seen.
 *
 * No tree of all stacks is built. The lines are divided by their first name, each part by its second,
 * and so on; a part that weighs less than the limit is not looked at further but summed up with its thin
 * siblings as "(N more)". What is left is exactly the tree that pruning the whole one would give.
 */
#include "formats/folded/lines.h"
#include "formats/folded/names.h"

#include <stdio.h>

/* How far ahead the next names of lines are fetched. */
#define AHEAD 12

/* A line: what is left of its stack below the current node. */
struct rest {
	const unsigned char *p;
	const unsigned char *end; /* p > end: the stack ends here */
	uint64_t count;
};

/* Lines [begin, end) that lie below a node. */
struct part {
	size_t begin, end;
	pp_node node;
};

/* A child of the node in work. */
struct child {
	pp_frame frame;
	uint32_t lines;
	pp_u128 sum;
	size_t next; /* where its next line goes, or SIZE_MAX when it is thin */
};

struct pruner {
	struct pp_reader *reader;
	struct pp_builder *builder;
	struct pp_folded_names names;
	uint32_t series;
	PP_VEC(struct rest) lines;
	PP_VEC(struct rest) sorted;
	PP_VEC(uint32_t) child_of; /* per line of the part in work */
	PP_VEC(struct child) children;
	PP_VEC(uint32_t) child_of_frame; /* index + 1, 0 = none yet */
	PP_VEC(struct part) parts;
	pp_u128 total;
	uint64_t broken;
	double limit; /* sums below this are thin */
};

/* ---- collecting ------------------------------------------------------------------------- */

/*
 * Takes all lines apart; *total receives the sum of all counts. Broken lines are only counted unless
 * `report` is set, because the reader may still decide to go the long way, which reports them.
 */
static pp_status
pruner_collect(struct pruner *x, const struct pp_folded_grammar *grammar, bool report)
{
	struct pp_input *in = x->reader->in;
	const unsigned char *p = in->cur;
	struct pp_folded_line line;
	uint64_t number = 0;

	while (p < in->end) {
		const unsigned char *stop = memchr(p, '\n', (size_t)(in->end - p));
		enum pp_folded_verdict verdict;

		stop = stop ? stop : in->end;
		number++;
		verdict = pp_folded_parse(grammar, pp_slice_of(p, (size_t)(stop - p)), &line);
		if (verdict == PP_FOLDED_RECORD && !report) {
			struct rest rest = { line.stack.p, line.stack.p + line.stack.n,
				             line.count[0] };

			if (!pp_vec_push(&x->lines, rest))
				return PP_E_NOMEM;
			x->total += line.count[0];
		} else if (verdict == PP_FOLDED_BAD) {
			x->broken++;
			if (report)
				pp_folded_report(x->reader, &line, p, number);
		}
		p = stop < in->end ? stop + 1 : stop;
		if ((number & 0xffff) == 0 && x->reader->progress && x->reader->progress(x->reader))
			return PP_E_IO;
	}
	return PP_OK;
}

/* ---- dividing --------------------------------------------------------------------------- */

/* The child for a frame, made when the part has none yet; NULL when out of memory. */
static struct child *
child_for(struct pruner *x, pp_frame frame, uint32_t *index)
{
	if (frame >= x->child_of_frame.n) {
		size_t old = x->child_of_frame.n, need = (size_t)frame + 1;

		if (!pp_vec_reserve(&x->child_of_frame, need))
			return NULL;
		x->child_of_frame.n = x->child_of_frame.cap;
		memset(x->child_of_frame.at + old, 0,
		       (x->child_of_frame.n - old) * sizeof *x->child_of_frame.at);
	}
	if (!x->child_of_frame.at[frame]) {
		if (!pp_vec_push(&x->children, (struct child){ .frame = frame }))
			return NULL;
		x->child_of_frame.at[frame] = (uint32_t)x->children.n;
	}
	*index = x->child_of_frame.at[frame] - 1;
	return &x->children.at[*index];
}

#define ENDS_HERE UINT32_MAX

/* Finds the child of each line of a part; *own receives the sum of those that end at the node. */
static bool
part_count(struct pruner *x, const struct part *part, pp_u128 *own, bool *has_own)
{
	uint64_t seed = x->builder->seed;
	size_t i;

	x->children.n = x->child_of.n = 0;
	if (!pp_vec_reserve(&x->child_of, part->end - part->begin))
		return false;
	for (i = part->begin; i < part->end; i++) {
		struct rest *line = &x->lines.at[i];
		struct child *child;
		uint32_t index = ENDS_HERE, tag;
		pp_frame frame;
		size_t n;

		if (i + AHEAD < part->end)
			__builtin_prefetch(x->lines.at[i + AHEAD].p);
		if (line->p > line->end) {
			*own += line->count;
			*has_own = true;
		} else {
			n = pp_folded_scan(line->p, line->end, seed, &tag);
			frame = pp_folded_name(&x->names, line->p, n, tag);
			child = frame ? child_for(x, frame, &index) : NULL;
			if (!child)
				return false;
			child->sum += line->count;
			child->lines++;
			line->p += n + 1;
		}
		x->child_of.at[x->child_of.n++] = index;
	}
	return true;
}

/* Adds a cost to a node; false when it does not fit 64 bits or on failure. */
static bool
node_add(struct pruner *x, pp_node node, pp_u128 sum)
{
	return node && sum <= UINT64_MAX &&
	       pp_build_add(x->builder, x->series, node, 0, (int64_t)(uint64_t)sum);
}

/* The block that stands for all thin children. */
static bool
more_add(struct pruner *x, pp_node parent, size_t thin, pp_u128 sum)
{
	char name[48];
	struct pp_func_row func = { .flags = PP_FUNC_PSEUDO | PP_FUNC_MORE };
	struct pp_frame_row frame = { 0 };

	snprintf(name, sizeof name, "(%zu more)", thin);
	func.name = pp_build_strz(x->builder, name);
	/* Told apart from a function that is really called so. */
	func.line = UINT32_MAX;
	frame.func = pp_build_func(x->builder, &func);
	return node_add(x, pp_build_child(x->builder, parent, pp_build_frame(x->builder, &frame)),
	                sum);
}

/* Makes nodes of the children that are wide enough, in the order they came, and queues their lines. */
static bool
part_divide(struct pruner *x, const struct part *part)
{
	size_t at = part->begin, thin = 0, i;
	pp_u128 more = 0;

	for (i = 0; i < x->children.n; i++) {
		struct child *child = &x->children.at[i];
		pp_node node;

		x->child_of_frame.at[child->frame] = 0;
		if ((double)child->sum < x->limit) {
			thin++;
			more += child->sum;
			child->next = SIZE_MAX;
			continue;
		}
		node = pp_build_child(x->builder, part->node, child->frame);
		if (!node || !pp_vec_push(&x->parts, (struct part){ at, at + child->lines, node }))
			return false;
		child->next = at;
		at += child->lines;
	}
	if (!pp_vec_reserve(&x->sorted, part->end))
		return false;
	for (i = part->begin; i < part->end; i++) {
		uint32_t index = x->child_of.at[i - part->begin];

		if (index != ENDS_HERE && x->children.at[index].next != SIZE_MAX)
			x->sorted.at[x->children.at[index].next++] = x->lines.at[i];
	}
	if (at > part->begin)
		memcpy(x->lines.at + part->begin, x->sorted.at + part->begin,
		       (at - part->begin) * sizeof *x->lines.at);
	return thin == 0 || more_add(x, part->node, thin, more);
}

static bool
pruner_divide(struct pruner *x)
{
	if (!pp_vec_push(&x->parts, (struct part){ 0, x->lines.n, 0 }))
		return false;
	while (x->parts.n) {
		struct part part = x->parts.at[--x->parts.n];
		pp_u128 own = 0;
		bool has_own = false;

		if (!part_count(x, &part, &own, &has_own) ||
		    (has_own && !node_add(x, part.node, own)) || !part_divide(x, &part))
			return false;
	}
	return true;
}

pp_status
pp_folded_prune(struct pp_reader *reader, struct pp_builder *builder,
                const struct pp_folded_grammar *grammar)
{
	struct pruner x = { .reader = reader, .builder = builder };
	pp_status status = PP_E_NOMEM;

	(void)pp_build_metric_z(builder, "samples", "samples", PP_KIND_SAMPLES, PP_UINT,
	                        PP_METRIC_SAMPLED | PP_METRIC_PRIMARY);
	x.series = pp_build_series_plain(builder, true, false);
	if (pp_folded_names_init(&x.names, builder))
		status = pruner_collect(&x, grammar, false);
	x.limit = reader->order->min_share * (double)x.total;
	if (status == PP_OK && x.total > UINT64_MAX)
		status = PP_E_UNSUPPORTED;
	else if (status == PP_OK && !pruner_divide(&x))
		status = pp_builder_ok(builder) ? PP_E_NOMEM : builder->status;
	if (status == PP_OK && x.broken)
		status = pruner_collect(&x, grammar, true);
	if (status == PP_OK)
		reader->in->cur = reader->in->end;
	pp_folded_names_release(&x.names);
	pp_vec_release(&x.lines);
	pp_vec_release(&x.sorted);
	pp_vec_release(&x.child_of);
	pp_vec_release(&x.children);
	pp_vec_release(&x.child_of_frame);
	pp_vec_release(&x.parts);
	return status;
}
