/*
 * Writing folded stacks from a list of stacks that never became a tree.
 *
 * Each name has two ranks in the order of bytes, one where a stack ends with it ("name") and one where it goes on
 * ("name;"). Stacks are divided by the rank of their first name, each part by the next, until one is alone or all end.
 */
#include "formats/folded/lines.h"

#include "base/sort.h"
#include "model/held.h"

/* How far ahead the next frames of stacks are fetched. */
#define AHEAD 12
#define UNKNOWN UINT32_MAX

/* A name as it stands in a line. */
struct key {
	struct pp_slice text;
	pp_str name;
	bool below; /* something follows it */
};

/* Stacks [begin, end) that begin alike. */
struct part {
	size_t begin, end;
	size_t above; /* length of the line that they share, but for the last name of it */
	pp_str name;  /* which is this one */
	bool whole;   /* they are alike to their ends */
};

struct child {
	uint32_t rank;
	uint32_t stacks;
	pp_str name; /* of its first stack: blanks at the end of lines do not tell names apart */
	bool ends;
	size_t next; /* where its next stack goes */
};

/* What is left of a stack, and its value, so that nobody has to look for it when its turn comes. */
struct rest {
	struct pp_held_walk walk;
	int64_t value;
};

struct list {
	const struct pp_held *held;
	struct pp_writer *w;
	size_t metric;
	struct pp_strtab names;
	pp_str *name_of, *root_of; /* by frame */
	pp_str nameless;
	struct span {
		uint32_t at, n;
	} * span_of;              /* by name: in `text` */
	PP_VEC(char) text;        /* names with what follows them, and room behind the last */
	uint32_t *rank[2];        /* by name: where it ends a stack, and where not */
	PP_VEC(struct rest) left; /* of each stack */
	PP_VEC(struct rest) sorted;
	PP_VEC(uint32_t) places; /* by stack of the part in work: its child */
	PP_VEC(struct child) children;
	uint32_t *child_of; /* by rank: its place among children + 1 */
	PP_VEC(struct part) parts;
	PP_VEC(char) line; /* what the stacks of the part in work share */
	bool begun;
};

/* ---- names ------------------------------------------------------------------------------ */

static int
key_cmp(const void *left, const void *right, void *context)
{
	const struct key *a = left, *b = right;
	size_t n = a->text.n < b->text.n ? a->text.n : b->text.n;
	int c = n ? memcmp(a->text.p, b->text.p, n) : 0, x, y;

	(void)context;
	if (c)
		return c;
	/* What follows the shorter one: a semicolon, which no name has, or the end of the stack. */
	x = n < a->text.n ? a->text.p[n] : a->below ? ';' : -1;
	y = n < b->text.n ? b->text.p[n] : b->below ? ';' : -1;
	return x - y;
}

/* Ranks names in the order of lines; what is the same at the end of a line has the same rank. */
static bool
ranks_make(struct list *l)
{
	size_t n = l->names.strs.n, i;
	struct key *keys = calloc(2 * n, sizeof *keys);
	uint32_t rank = 0;

	l->rank[0] = calloc(n, sizeof *l->rank[0]);
	l->rank[1] = calloc(n, sizeof *l->rank[1]);
	l->child_of = calloc(2 * n, sizeof *l->child_of);
	for (i = 0; keys && i < n; i++) {
		struct pp_slice name = pp_strtab_get(&l->names, (pp_str)i);

		keys[2 * i] = (struct key){ pp_folded_trim_right(name), (pp_str)i, false };
		keys[2 * i + 1] = (struct key){ name, (pp_str)i, true };
	}
	if (keys && l->rank[0] && l->rank[1])
		pp_sort(keys, 2 * n, sizeof *keys, key_cmp, NULL);
	for (i = 0; keys && l->rank[0] && l->rank[1] && i < 2 * n; i++) {
		rank += i && key_cmp(&keys[i - 1], &keys[i], NULL) != 0;
		l->rank[keys[i].below][keys[i].name] = rank;
	}
	free(keys);
	return l->rank[0] && l->rank[1] && l->child_of && keys;
}

/* Names are copied by so many bytes at once, those behind them being written over later. */
#define STEP 32

/* All names one after the other, near to each other and with room to copy more than there is. */
static bool
texts_make(struct list *l)
{
	size_t n = l->names.strs.n, i;

	l->span_of = calloc(n, sizeof *l->span_of);
	for (i = 0; l->span_of && i < n; i++) {
		struct pp_slice name = pp_strtab_get(&l->names, (pp_str)i);

		if (l->text.n + name.n + STEP > UINT32_MAX ||
		    !pp_vec_reserve(&l->text, l->text.n + name.n + 1 + STEP))
			return false;
		l->span_of[i] = (struct span){ (uint32_t)l->text.n, (uint32_t)name.n + 1 };
		memcpy(l->text.at + l->text.n, name.p, name.n);
		l->text.n += name.n;
		l->text.at[l->text.n++] = ';';
	}
	if (l->span_of)
		memset(l->text.at + l->text.n, 0, STEP);
	return l->span_of != NULL;
}

/* The names of all frames, and of those that stacks begin with. */
static bool
names_make(struct list *l, const struct pp_profile *p)
{
	bool is_new;
	size_t i;

	l->name_of = calloc(p->frames.n, sizeof *l->name_of);
	l->root_of = calloc(p->frames.n, sizeof *l->root_of);
	if (!l->name_of || !l->root_of || !pp_strtab_init(&l->names, p->strs.seed) ||
	    !pp_strtab_intern(&l->names, PP_FOLDED_NO_NAME, strlen(PP_FOLDED_NO_NAME), &l->nameless,
	                      &is_new))
		return false;
	memset(l->root_of, 0xff, p->frames.n * sizeof *l->root_of);
	for (i = 1; i < p->frames.n; i++)
		if (!pp_folded_clean(&l->names, &l->w->loss,
		                     pp_text_of(p, p->funcs.at[p->frames.at[i].func].name),
		                     &l->name_of[i]))
			return false;
	for (i = 0; i < l->left.n; i++) {
		pp_frame frame = pp_held_peek(l->held, &l->left.at[i].walk);
		struct pp_slice name = pp_strtab_get(&l->names, l->name_of[frame]);
		struct pp_slice trimmed = pp_folded_trim_left(name);

		if (l->root_of[frame] != UNKNOWN)
			continue;
		l->w->loss.names += trimmed.n != name.n;
		if (!pp_strtab_intern(&l->names, trimmed.p, trimmed.n, &l->root_of[frame], &is_new))
			return false;
	}
	return ranks_make(l) && texts_make(l);
}

/* The name of the next frame of a stack, whose first one it may be. */
static inline pp_str
name_next(const struct list *l, const struct pp_held_walk *at, bool first)
{
	pp_frame frame = pp_held_peek(l->held, at);
	pp_str name = first ? l->root_of[frame] : l->name_of[frame];

	/* A line must not begin with its count. */
	if (PP_UNLIKELY(first && at->left == 1 && pp_strtab_get(&l->names, name).n == 0))
		return l->nameless;
	return name;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* Adds a name and a semicolon to what is shared. */
static bool
line_add(struct list *l, pp_str name)
{
	struct span span = l->span_of[name];

	if (!pp_vec_reserve(&l->line, l->line.n + span.n))
		return false;
	memcpy(l->line.at + l->line.n, l->text.at + span.at, span.n);
	l->line.n += span.n;
	return true;
}

/* Writes bytes behind which STEP more can be read. */
static inline void
text_write(struct pp_sink *out, const char *from, size_t n)
{
	size_t i;

	if (PP_UNLIKELY((size_t)(out->end - out->cur) < n + STEP)) {
		pp_sink_write(out, from, n);
		return;
	}
	for (i = 0; i < n; i += STEP)
		memcpy(out->cur + i, from + i, STEP);
	out->cur += n;
}

/* Writes the name that a line ends with: without its semicolon, and without blanks at its end. */
static void
last_write(struct list *l, pp_str name)
{
	struct span span = l->span_of[name];
	const char *from = l->text.at + span.at;
	size_t n = span.n - 1;

	while (n && pp_is_space((unsigned char)from[n - 1]))
		n--;
	l->w->loss.names += n < span.n - 1;
	text_write(l->w->out, from, n);
	pp_sink_putc(l->w->out, ' ');
}

/* Writes what is left of a stack, of which there is something. */
static void
rest_write(struct list *l, struct pp_held_walk at, bool first)
{
	pp_str name = name_next(l, &at, first);

	for (pp_held_step(l->held, &at); at.left; pp_held_step(l->held, &at)) {
		struct span span = l->span_of[name];

		text_write(l->w->out, l->text.at + span.at, span.n);
		name = name_next(l, &at, false);
	}
	last_write(l, name);
}

/* The text that a file begins with may be taken for something else. */
static void
begin_mark(struct list *l, const struct part *part, bool first)
{
	pp_str name = first ? name_next(l, &l->left.at[part->begin].walk, true) : part->name;
	struct pp_slice text = pp_slice_of(l->text.at + l->span_of[name].at, l->span_of[name].n);

	if (l->line.n)
		text = pp_slice_of(l->line.at, l->line.n);
	pp_folded_write_mark(l->w->out, text);
	l->begun = true;
}

/* Writes a line for the stacks of a part, which are alike. */
static pp_status
line_write(struct list *l, const struct part *part, bool first)
{
	const struct pp_metric *m = &l->w->profile->metrics.at[l->metric];
	struct pp_sink *out = l->w->out;
	union pp_value sum = pp_value_zero(m);
	pp_status status;
	uint64_t count;
	size_t i;

	for (i = part->begin; i < part->end; i++)
		pp_value_add(m, &sum, pp_cell_value(m, l->left.at[i].value));
	status = pp_folded_count(&l->w->loss, m, sum, &count);
	if (status != PP_OK)
		return status;
	if (!l->begun)
		begin_mark(l, part, first);
	pp_sink_write(out, l->line.at, l->line.n);
	if (part->whole)
		last_write(l, part->name);
	else
		rest_write(l, l->left.at[part->begin].walk, first);
	pp_sink_u64(out, count);
	pp_sink_putc(out, '\n');
	return out->status;
}

/* ---- order ------------------------------------------------------------------------------ */

static int
child_cmp(const void *left, const void *right, void *context)
{
	const struct child *a = left, *b = right;

	(void)context;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Finds the child of each stack of a part, and steps over its frame; false when out of memory. */
static bool
part_count(struct list *l, const struct part *part, bool first)
{
	size_t i;

	l->children.n = 0;
	if (!pp_vec_reserve(&l->places, part->end - part->begin))
		return false;
	for (i = part->begin; i < part->end; i++) {
		struct pp_held_walk *at = &l->left.at[i].walk;
		bool below = at->left > 1;
		pp_str name = name_next(l, at, first);
		uint32_t rank = l->rank[below][name];

		if (i + AHEAD < part->end)
			pp_held_fetch(l->held, &l->left.at[i + AHEAD].walk);
		if (!l->child_of[rank]) {
			struct child child = { .rank = rank, .name = name, .ends = !below };

			if (!pp_vec_push(&l->children, child))
				return false;
			l->child_of[rank] = (uint32_t)l->children.n;
		}
		l->places.at[i - part->begin] = l->child_of[rank] - 1;
		l->children.at[l->child_of[rank] - 1].stacks++;
		pp_held_step(l->held, at);
	}
	return true;
}

/* Puts the stacks of a part in the order of children, which become parts themselves, the last one first. */
static bool
part_divide(struct list *l, const struct part *part)
{
	size_t at = part->end, n = l->children.n, i;

	if (!pp_vec_reserve(&l->sorted, part->end - part->begin) ||
	    !pp_vec_reserve(&l->parts, l->parts.n + n))
		return false;
	for (i = 0; i < n; i++)
		l->children.at[i].next = i;
	if (n > 1)
		pp_sort(l->children.at, n, sizeof *l->children.at, child_cmp, NULL);
	for (i = n; i-- > 0;) {
		struct child *child = &l->children.at[i];

		/* Where it stood tells those that are its own. */
		l->child_of[child->rank] = 0;
		at -= child->stacks;
		l->parts.at[l->parts.n++] = (struct part){ .begin = at,
			                                   .end = at + child->stacks,
			                                   .above = l->line.n,
			                                   .name = child->name,
			                                   .whole = child->ends };
	}
	if (n == 1)
		return true;
	for (i = 0; i < n; i++)
		l->child_of[l->children.at[i].next] = (uint32_t)i;
	at = part->begin;
	for (i = 0; i < n; i++) {
		l->children.at[i].next = at - part->begin;
		at += l->children.at[i].stacks;
	}
	for (i = part->begin; i < part->end; i++) {
		struct child *child = &l->children.at[l->child_of[l->places.at[i - part->begin]]];

		l->sorted.at[child->next++] = l->left.at[i];
	}
	memset(l->child_of, 0, n * sizeof *l->child_of);
	memcpy(l->left.at + part->begin, l->sorted.at,
	       (part->end - part->begin) * sizeof *l->left.at);
	return true;
}

static pp_status
list_write(struct list *l)
{
	pp_status status = PP_OK;
	bool first = true;

	if (l->left.n && !pp_vec_push(&l->parts, (struct part){ .end = l->left.n }))
		return PP_E_NOMEM;
	while (status == PP_OK && l->parts.n) {
		struct part part = l->parts.at[--l->parts.n];

		l->line.n = part.above;
		if (!first && !part.whole && !line_add(l, part.name))
			status = PP_E_NOMEM;
		else if (part.whole || part.end - part.begin == 1)
			status = line_write(l, &part, first);
		else if (!part_count(l, &part, first) || !part_divide(l, &part))
			status = PP_E_NOMEM;
		first = false;
	}
	return status;
}

pp_status
pp_folded_write_list(struct pp_writer *w, size_t metric)
{
	const struct pp_profile *p = w->profile;
	struct list l = { .held = p->held, .w = w, .metric = metric };
	bool skips = p->metrics.at[metric].flags & PP_METRIC_NO_ZERO;
	size_t n = pp_held_count(p->held), i;
	pp_status status = PP_E_NOMEM;

	if (pp_vec_reserve(&l.left, n + 1)) {
		for (i = 0; i < n; i++) {
			int64_t value = pp_held_value(p->held, i, metric);

			if (value || !skips)
				l.left.at[l.left.n++] = (struct rest){ pp_held_walk(p->held, i),
					                               value };
		}
		if (names_make(&l, p))
			status = list_write(&l);
	}
	pp_strtab_release(&l.names);
	free(l.name_of);
	free(l.span_of);
	pp_vec_release(&l.text);
	free(l.root_of);
	free(l.rank[0]);
	free(l.rank[1]);
	free(l.child_of);
	pp_vec_release(&l.left);
	pp_vec_release(&l.sorted);
	pp_vec_release(&l.places);
	pp_vec_release(&l.children);
	pp_vec_release(&l.parts);
	pp_vec_release(&l.line);
	return status;
}
