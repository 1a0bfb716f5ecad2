/*
 * The least that a program must do to find the costliest functions of a store: load the dictionary, add the cells up by
 * stack, spread them to nodes and functions, sort. No checks, no totals, one metric, one dictionary: a measure for what
 * polyprof's care costs.  bare_store STORE top|tree [CONDITION ON PROFILES, AS SQL]
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *parent, *frame, *node_of, *func_of;
static unsigned char *recursive;
static uint32_t nodes = 1, stacks = 1, frames = 1, funcs = 1;
static int64_t *cell, *cost, *self, *total;

static const unsigned char *
get(const unsigned char *p, uint64_t *v)
{
	unsigned shift = 7;

	*v = *p & 0x7f;
	while (*p++ & 0x80) {
		*v |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
	}
	return p;
}

static void
part_load(char part, const unsigned char *p, uint32_t n)
{
	static int64_t last;
	uint64_t a, b;
	int i;

	if (part == 'n') {
		parent = realloc(parent, (nodes + n) * sizeof *parent);
		frame = realloc(frame, (nodes + n) * sizeof *frame);
		recursive = realloc(recursive, nodes + n);
		for (; n; n--, nodes++) {
			p = get(get(p, &a), &b);
			parent[nodes] = nodes - (uint32_t)(a >> 1);
			recursive[nodes] = a & 1;
			frame[nodes] = (uint32_t)b;
		}
	} else if (part == 't') {
		node_of = realloc(node_of, (stacks + n) * sizeof *node_of);
		for (; n; n--) {
			p = get(p, &a);
			last += (int64_t)(a >> 1 ^ (0 - (a & 1)));
			node_of[stacks++] = (uint32_t)last;
		}
	} else if (part == 'r') {
		func_of = realloc(func_of, (frames + n) * sizeof *func_of);
		for (; n; n--) {
			p = get(p, &a);
			func_of[frames++] = (uint32_t)a;
			for (i = 0; i < 8; i++)
				p = get(p, &b);
		}
	} else if (part == 'f') {
		funcs += n;
	}
}

static void
cells_add(const unsigned char *p, const unsigned char *end)
{
	uint64_t id = 0, step, value;

	while (p < end) {
		p = get(get(p, &step), &value);
		id += step;
		cell[id] += (int64_t)(value >> 1 ^ (0 - (value & 1)));
	}
}

static int
func_cmp(const void *a, const void *b)
{
	int64_t x = self[*(const uint32_t *)a], y = self[*(const uint32_t *)b];

	return (x < y) - (x > y);
}

static void
spread(void)
{
	uint32_t i;

	for (i = 1; i < stacks; i++) {
		cost[node_of[i]] += cell[i];
		self[func_of[frame[node_of[i]]]] += cell[i];
	}
	for (i = nodes; --i;) {
		cost[parent[i]] += cost[i];
		if (!recursive[i])
			total[func_of[frame[i]]] += cost[i];
	}
}

int
main(int argc, char **argv)
{
	char sql[1000];
	uint32_t *order, i, shown = 0;
	sqlite3_stmt *q;
	sqlite3 *db;

	if (argc < 3 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL))
		return 1;
	sqlite3_prepare_v2(db, "SELECT part, n, data FROM dict ORDER BY dict, part, chunk", -1, &q,
	                   NULL);
	while (sqlite3_step(q) == SQLITE_ROW)
		part_load(*(const char *)sqlite3_column_text(q, 0), sqlite3_column_blob(q, 2),
		          (uint32_t)sqlite3_column_int(q, 1));
	sqlite3_finalize(q);
	parent[0] = frame[0] = 0;
	cell = calloc(stacks, sizeof *cell);
	cost = calloc(nodes, sizeof *cost);
	self = calloc(funcs, sizeof *self);
	total = calloc(funcs, sizeof *total);
	snprintf(
	    sql, sizeof sql,
	    argc > 3
	        ? "SELECT c.data FROM profile p JOIN cells c ON c.profile = p.id AND c.facet = 1 WHERE %s"
	        : "SELECT data FROM cells",
	    argc > 3 ? argv[3] : "");
	sqlite3_prepare_v2(db, sql, -1, &q, NULL);
	while (sqlite3_step(q) == SQLITE_ROW) {
		const unsigned char *data = sqlite3_column_blob(q, 0);

		cells_add(data, data + sqlite3_column_bytes(q, 0));
	}
	sqlite3_finalize(q);
	spread();
	if (strcmp(argv[2], "tree") == 0) {
		for (i = 1; i < nodes; i++)
			shown += cost[i] * 1000 >= cost[0];
		printf("%u nodes\n", shown);
		return 0;
	}
	order = malloc(funcs * sizeof *order);
	for (i = 0; i < funcs; i++)
		order[i] = i;
	qsort(order, funcs, sizeof *order, func_cmp);
	for (i = 0; i < 20 && i < funcs; i++)
		printf("%u %lld %lld\n", order[i], (long long)self[order[i]],
		       (long long)total[order[i]]);
	return 0;
}
