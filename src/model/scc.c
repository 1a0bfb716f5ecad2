/*
 * Tarjan's algorithm without recursion: a hostile call chain may be as long as the file.
 */
#include "model/scc.h"

#include <stdlib.h>

#include "base/stops.h"

#define NOT_SEEN UINT32_MAX

struct search {
	uint32_t n;
	const size_t *first;
	const uint32_t *to;
	uint32_t *component;
	uint32_t *index; /* when each node was met */
	uint32_t *low;   /* the earliest node on the stack that it reaches */
	size_t *next;    /* the edge to follow next */
	uint32_t *path;  /* the way from the start of the search */
	uint32_t *stack; /* met, component not yet known */
	uint32_t path_n, stack_n, met, count;
	size_t steps;
	bool stopped;
};

static void
visit(struct search *s, uint32_t node)
{
	s->index[node] = s->low[node] = s->met++;
	s->next[node] = s->first[node];
	s->path[s->path_n++] = node;
	s->stack[s->stack_n++] = node;
}

/* All edges of the node at the end of the path were followed. */
static void
leave(struct search *s)
{
	uint32_t node = s->path[--s->path_n], member;

	if (s->path_n && s->low[node] < s->low[s->path[s->path_n - 1]])
		s->low[s->path[s->path_n - 1]] = s->low[node];
	if (s->low[node] != s->index[node])
		return;
	do {
		member = s->stack[--s->stack_n];
		s->component[member] = s->count;
	} while (member != node);
	s->count++;
}

static void
search_from(struct search *s, uint32_t start)
{
	visit(s, start);
	while (s->path_n && !s->stopped) {
		uint32_t node = s->path[s->path_n - 1], other;

		if (s->next[node] == s->first[node + 1]) {
			leave(s);
			continue;
		}
		s->stopped = pp_account_stops_at(++s->steps);
		other = s->to[s->next[node]++];
		if (s->index[other] == NOT_SEEN)
			visit(s, other);
		else if (s->component[other] == NOT_SEEN && s->index[other] < s->low[node])
			s->low[node] = s->index[other];
	}
}

bool
pp_scc_compute(uint32_t n, const size_t *first, const uint32_t *to, uint32_t *component,
               uint32_t *count)
{
	struct search s = { .n = n, .first = first, .to = to, .component = component };
	uint32_t *numbers = malloc(((size_t)n * 4 + 1) * sizeof *numbers), node;

	s.next = malloc(((size_t)n + 1) * sizeof *s.next);
	if (!numbers || !s.next) {
		free(numbers);
		free(s.next);
		return false;
	}
	s.index = numbers;
	s.low = numbers + n;
	s.path = numbers + (size_t)n * 2;
	s.stack = numbers + (size_t)n * 3;
	for (node = 0; node < n; node++)
		s.index[node] = component[node] = NOT_SEEN;
	for (node = 0; node < n && !s.stopped; node++)
		if (s.index[node] == NOT_SEEN)
			search_from(&s, node);
	*count = s.count;
	free(numbers);
	free(s.next);
	return !s.stopped;
}
