/*
 * Who alone holds what: an object is dominated by another when every way from the root to it leads through that one.
 *
 * The algorithm is Lengauer's and Tarjan's (1979) with simple path compression, O(m log n) whatever the graph, and without
 * recursion. Objects go by their number in a walk from the root, so that what was linked to the forest are all numbers from some one
 * on, and one column is both the parents in the walk and the ancestors in the forest.
 */
#include "formats/heapsnapshot/snapshot.h"

struct walk {
	struct snapshot *s;
	uint32_t *parent;  /* by number: who led to it */
	uint32_t *pending; /* objects on the way, and the next edge of each */
	uint32_t *edge;
};

/* Everything that can be reached from an object and was not yet. */
static void
walk_from(struct walk *w, uint32_t node, uint32_t parent)
{
	struct snapshot *s = w->s;
	uint32_t depth = 1;

	s->number[node] = s->reached;
	w->parent[s->reached] = parent;
	s->vertex[s->reached++] = node;
	w->pending[0] = node;
	w->edge[node] = s->first[node];
	while (depth) {
		uint32_t from = w->pending[depth - 1], e = w->edge[from], to;

		while (e < s->first[from + 1] && s->number[s->to[e]] != SNAPSHOT_NONE)
			e++;
		if (e == s->first[from + 1]) {
			depth--;
			continue;
		}
		w->edge[from] = e + 1;
		to = s->to[e];
		s->number[to] = s->reached;
		w->parent[s->reached] = s->number[from];
		s->vertex[s->reached++] = to;
		w->edge[to] = s->first[to];
		w->pending[depth++] = to;
	}
}

/*
 * Numbers all that the root reaches, then what has no holder at all or only weak ones, as if the root held it. What is left are
 * rings that nobody holds; they have no numbers.
 */
static bool
objects_number(struct snapshot *s, uint32_t *parent)
{
	struct walk w = { .s = s, .parent = parent };
	uint32_t *holders, i;

	w.pending = malloc(s->nodes * sizeof *w.pending);
	w.edge = malloc(s->nodes * sizeof *w.edge);
	if (w.pending && w.edge) {
		memset(s->number, 0xff, s->nodes * sizeof *s->number);
		walk_from(&w, s->root, 0);
	}
	s->held = s->reached;
	holders = s->reached && s->reached < s->nodes ? calloc(s->nodes, sizeof *holders) : NULL;
	if (holders) {
		for (i = 0; i < s->edges; i++)
			holders[s->to[i]] = 1;
		for (i = 0; i < s->nodes; i++)
			if (!holders[i] && s->number[i] == SNAPSHOT_NONE)
				walk_from(&w, i, 0);
	}
	free(w.pending);
	free(w.edge);
	free(holders);
	return s->reached && (holders || s->held == s->nodes);
}

/* By number: who refers to it. `first` has one more, *from is given back. Forgets who refers to whom. */
static bool
holders_collect(struct snapshot *s, uint32_t *first, uint32_t **from)
{
	uint32_t node, e, sum = 0, i;

	*from = malloc((s->edges + (size_t)1) * sizeof **from);
	if (!*from)
		return false;
	memset(first, 0, (s->reached + (size_t)2) * sizeof *first);
	for (node = 0; node < s->nodes; node++)
		if (s->number[node] != SNAPSHOT_NONE)
			for (e = s->first[node]; e < s->first[node + 1]; e++)
				first[s->number[s->to[e]] + 2]++;
	for (i = 2; i < s->reached + 2; i++)
		first[i] = sum += first[i];
	for (i = 0; i < s->reached; i++)
		for (e = s->first[s->vertex[i]]; e < s->first[s->vertex[i] + 1]; e++)
			(*from)[first[s->number[s->to[e]] + 1]++] = i;
	for (i = 0; i < s->reached; i++)
		s->state[s->vertex[i]] |= SNAPSHOT_REACHED;
	free(s->to);
	free(s->first);
	free(s->number);
	s->to = s->first = s->number = NULL;
	return true;
}

struct forest {
	uint32_t *ancestor, *semi, *label;
	uint32_t *path;  /* room for one */
	uint32_t linked; /* all numbers from here on are in it */
};

/* The number of least semidominator between one and the root of its tree, that one left out. */
static inline uint32_t
forest_least(struct forest *f, uint32_t v)
{
	uint32_t depth = 0, at = v;

	if (v < f->linked)
		return v;
	while (f->ancestor[at] >= f->linked) {
		f->path[depth++] = at;
		at = f->ancestor[at];
	}
	/* The topmost of the path has nothing above it but the root. */
	while (depth) {
		uint32_t below = f->path[--depth], above = f->ancestor[below];

		if (f->semi[f->label[above]] < f->semi[f->label[below]])
			f->label[below] = f->label[above];
		f->ancestor[below] = f->ancestor[above];
	}
	return f->label[v];
}

/* dom[] is the list of those that wait for the same semidominator, until it is known. */
static void
dominators_find(struct snapshot *s, struct forest *f, const uint32_t *first, const uint32_t *from,
                uint32_t *waiting)
{
	uint32_t *dom = s->dom, w, i, v, next;

	for (w = s->reached - 1; w > 0; w--) {
		uint32_t least = first[w] == first[w + 1] ? 0 : w, parent = f->ancestor[w];

		for (i = first[w]; i < first[w + 1]; i++) {
			uint32_t semi = f->semi[forest_least(f, from[i])];

			least = semi < least ? semi : least;
		}
		f->semi[w] = least;
		dom[w] = waiting[least];
		waiting[least] = w;
		f->linked = w;
		for (v = waiting[parent]; v != SNAPSHOT_NONE; v = next) {
			uint32_t u = forest_least(f, v);

			next = dom[v];
			dom[v] = f->semi[u] < f->semi[v] ? u : parent;
		}
		waiting[parent] = SNAPSHOT_NONE;
		if ((w & SNAPSHOT_STEP) == 0 && !pp_builder_goes_on(s->doc.b))
			return;
	}
	dom[0] = 0;
	for (w = 1; w < s->reached; w++)
		if (dom[w] != f->semi[w])
			dom[w] = dom[dom[w]];
}

bool
pp_snapshot_dominators(struct snapshot *s)
{
	size_t n = s->nodes, bytes = n * sizeof(uint32_t);
	uint32_t *columns = NULL, *first = malloc(bytes + 2 * sizeof *first), *from = NULL, i;
	struct forest f = { .ancestor = malloc(bytes) };
	bool fine;

	s->number = malloc(bytes);
	s->vertex = malloc(bytes);
	fine = first && f.ancestor && s->number && s->vertex && objects_number(s, f.ancestor) &&
	       holders_collect(s, first, &from);
	/* Semidominators, labels, a path and those that wait. */
	if (fine) {
		s->dom = malloc(bytes);
		columns = pp_size_mul(bytes, 4, &bytes) ? malloc(bytes) : NULL;
		fine = s->dom && columns;
	}
	if (fine) {
		f.semi = columns;
		f.label = columns + n;
		f.path = columns + 2 * n;
		f.linked = SNAPSHOT_NONE;
		for (i = 0; i < s->reached; i++)
			f.semi[i] = f.label[i] = i;
		memset(columns + 3 * n, 0xff, n * sizeof *columns);
		dominators_find(s, &f, first, from, columns + 3 * n);
	}
	free(first);
	free(from);
	free(f.ancestor);
	free(columns);
	return fine;
}
