/*
 * Reading folded stacks where only what is wide enough will be shown.
 *
 * The lines are divided by their first name, each part by its second, and so on. A part that weighs less than the
 * order's smallest share is not looked at further: it is reported as one stack that ends at its name, and the builder
 * sums it up with its thin siblings. Most names of most lines are never looked at.
 */
#include "formats/folded/lines.h"
#include "formats/folded/names.h"

/* How far ahead the next names of lines are fetched. */
#define AHEAD 12
#define ENDS_HERE UINT32_MAX

/* A line: what is left of its stack below the current path. */
struct rest {
	const unsigned char *p;
	const unsigned char *end; /* p > end: the stack ends here */
	uint64_t count;
};

/* Lines [begin, end) that lie below a path. */
struct part {
	size_t begin, end;
	size_t depth; /* of the path, whose last frame this is */
	pp_frame frame;
};

/* What follows the path in work. */
struct child {
	pp_frame frame;
	uint32_t lines;
	uint64_t sum;
	size_t next; /* where its next line goes, or SIZE_MAX when it is thin */
};

struct divider {
	struct pp_reader *reader;
	struct pp_builder *builder;
	struct pp_folded_names names;
	uint32_t series;
	PP_VEC(struct rest) lines;
	PP_VEC(struct rest) sorted;
	PP_VEC(uint32_t) child_of; /* per line of the part in work */
	PP_VEC(struct child) children;
	PP_VEC(uint32_t) child_of_frame; /* index + 1, 0 = none yet */
	PP_VEC(struct part) parts;       /* still to be divided */
	PP_VEC(pp_frame) path;
	double limit; /* sums below this are thin */
};

/* Takes all lines apart. PP_E_UNSUPPORTED when only the long way knows what to say. */
static pp_status
collect(struct divider *x, const struct pp_folded_grammar *grammar)
{
	struct pp_input *in = x->reader->in;
	const unsigned char *p = in->cur;
	struct pp_folded_line line;
	uint64_t number = 0, total = 0;

	while (p < in->end) {
		const unsigned char *stop = memchr(p, '\n', (size_t)(in->end - p));

		stop = stop ? stop : in->end;
		switch (pp_folded_parse(grammar, pp_slice_of(p, (size_t)(stop - p)), &line)) {
		case PP_FOLDED_BAD:
			return PP_E_UNSUPPORTED;
		case PP_FOLDED_RECORD:
			if (pp_folded_passes_limit(&x->reader->limits, &line, (size_t)(stop - p)) ||
			    __builtin_add_overflow(total, line.count[0], &total))
				return PP_E_UNSUPPORTED;
			if (!pp_vec_push(&x->lines,
			                 (struct rest){ line.stack.p, line.stack.p + line.stack.n,
			                                line.count[0] }))
				return PP_E_NOMEM;
			break;
		case PP_FOLDED_BLANK:
			break;
		}
		p = stop < in->end ? stop + 1 : stop;
		if ((++number & 0xffff) == 0 && x->reader->progress &&
		    x->reader->progress(x->reader))
			return PP_E_IO;
	}
	x->limit = x->builder->order.min_share * (double)total;
	return PP_OK;
}

/* The child for a frame, made when the part has none yet; NULL when out of memory. */
static struct child *
child_for(struct divider *x, pp_frame frame, uint32_t *index)
{
	if (frame >= x->child_of_frame.n) {
		size_t old = x->child_of_frame.n;

		if (!pp_vec_reserve(&x->child_of_frame, (size_t)frame + 1))
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

/* Reports the path in work, and one more frame unless it is 0. */
static bool
report(struct divider *x, pp_frame frame, uint64_t sum)
{
	int64_t value = (int64_t)sum;
	bool fine = !frame || pp_vec_push(&x->path, frame);

	fine = fine && pp_build_stack(x->builder, x->series, x->path.at, x->path.n, &value);
	x->path.n -= frame != 0;
	return fine;
}

/* Finds the child of each line of a part, and reports what ends at its path. */
static bool
part_count(struct divider *x, const struct part *part)
{
	uint64_t seed = x->builder->seed, own = 0;
	bool has_own = false;
	size_t i;

	x->children.n = x->child_of.n = 0;
	if (!pp_vec_reserve(&x->child_of, part->end - part->begin))
		return false;
	for (i = part->begin; i < part->end; i++) {
		struct rest *line = &x->lines.at[i];
		uint32_t index = ENDS_HERE, tag;
		struct child *child;
		pp_frame frame;
		size_t n;

		if (i + AHEAD < part->end)
			__builtin_prefetch(x->lines.at[i + AHEAD].p);
		if (line->p > line->end) {
			own += line->count;
			has_own = true;
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
	return !has_own || report(x, 0, own);
}

/* Queues the lines of children that are wide enough, and reports the others. */
static bool
part_divide(struct divider *x, const struct part *part)
{
	size_t at = part->begin, i;

	for (i = 0; i < x->children.n; i++) {
		struct child *child = &x->children.at[i];

		x->child_of_frame.at[child->frame] = 0;
		if ((double)child->sum < x->limit) {
			child->next = SIZE_MAX;
			if (!report(x, child->frame, child->sum))
				return false;
			continue;
		}
		child->next = at;
		at += child->lines;
		if (!pp_vec_push(&x->parts,
		                 (struct part){ child->next, at, x->path.n + 1, child->frame }))
			return false;
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
	return true;
}

static bool
divide(struct divider *x)
{
	if (x->lines.n && !pp_vec_push(&x->parts, (struct part){ .end = x->lines.n }))
		return false;
	while (x->parts.n) {
		struct part part = x->parts.at[--x->parts.n];

		x->path.n = part.depth ? part.depth - 1 : 0;
		if ((part.depth && !pp_vec_push(&x->path, part.frame)) || !part_count(x, &part) ||
		    !part_divide(x, &part))
			return false;
	}
	return true;
}

pp_status
pp_folded_divide(struct pp_reader *reader, struct pp_builder *builder,
                 const struct pp_folded_grammar *grammar)
{
	struct divider x = { .reader = reader, .builder = builder };
	pp_status status = PP_E_UNSUPPORTED;

	if (!reader->in->stable || builder->order.min_share <= 0 || builder->order.filter ||
	    grammar->counts != PP_FOLDED_PLAIN)
		return status;
	status = collect(&x, grammar);
	if (status == PP_OK) {
		x.series = pp_folded_series(builder, grammar);
		if (!pp_folded_names_init(&x.names, builder) || !divide(&x))
			pp_builder_fail(builder, PP_E_NOMEM, NULL);
		reader->in->cur = reader->in->end;
		status = builder->status;
	}
	pp_folded_names_release(&x.names);
	pp_vec_release(&x.lines);
	pp_vec_release(&x.sorted);
	pp_vec_release(&x.child_of);
	pp_vec_release(&x.children);
	pp_vec_release(&x.child_of_frame);
	pp_vec_release(&x.parts);
	pp_vec_release(&x.path);
	return status;
}
