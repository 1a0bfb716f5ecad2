/*
 * The least that a program must do to find the costliest functions of folded stacks: map the file, split
 * it, number the names, put every stack into a prefix tree, add up. No diagnostics, no checks, no limits:
 * a measure for what polyprof's care costs.  bare_tree FILE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { NAME_SLOTS = 1 << 17, DEEPEST = 1 << 16 };

struct name {
	const char *p;
	size_t n;
	uint64_t hash;
	uint64_t self;
};

struct node {
	uint64_t hash; /* of the path */
	uint32_t parent, name;
	uint64_t self;
};

static struct name names[NAME_SLOTS];
static struct node *nodes;
static uint32_t node_count = 1, *slots, slot_mask;

static uint32_t
name_find(const char *p, size_t n)
{
	uint64_t hash = 1469598103934665603u;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		uint64_t w;

		memcpy(&w, p + i, 8);
		hash = (hash ^ w) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	for (; i < n; i++)
		hash = (hash ^ (unsigned char)p[i]) * 0x100000001b3u;
	hash |= 1;
	for (i = (hash >> 20) % NAME_SLOTS;; i = (i + 1) % NAME_SLOTS) {
		if (!names[i].hash) {
			names[i] = (struct name){ p, n, hash, 0 };
			return (uint32_t)i;
		}
		if (names[i].hash == hash && names[i].n == n && memcmp(names[i].p, p, n) == 0)
			return (uint32_t)i;
	}
}

static void
slots_grow(void)
{
	uint32_t i, larger = slot_mask ? slot_mask * 2 + 1 : (1 << 20) - 1;

	free(slots);
	slots = calloc((size_t)larger + 1, sizeof *slots);
	nodes = realloc(nodes, ((size_t)larger + 1) * sizeof *nodes);
	if (!slots || !nodes)
		exit(1);
	slot_mask = larger;
	for (i = 1; i < node_count; i++) {
		uint32_t at = (uint32_t)nodes[i].hash & slot_mask;

		while (slots[at])
			at = (at + 1) & slot_mask;
		slots[at] = i;
	}
}

static uint32_t
child_find(uint32_t parent, uint32_t name, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & slot_mask;

	for (; slots[at]; at = (at + 1) & slot_mask) {
		const struct node *node = &nodes[slots[at]];

		if (node->hash == hash && node->parent == parent && node->name == name)
			return slots[at];
	}
	nodes[node_count] = (struct node){ hash, parent, name, 0 };
	return slots[at] = node_count++;
}

/* One line: all hashes first, so that their slots can be fetched together. */
static void
line_add(const char *p, const char *end)
{
	static uint32_t ids[DEEPEST];
	static uint64_t hashes[DEEPEST];
	const char *space = memrchr(p, ' ', (size_t)(end - p));
	uint64_t hash = 88172645463325252u, count = 0;
	uint32_t n = 0, i, node = 0;
	const char *c;

	if (!space)
		return;
	for (c = space + 1; c < end; c++)
		count = count * 10 + (uint64_t)(*c - '0');
	while (p < space && n < DEEPEST) {
		const char *stop = memchr(p, ';', (size_t)(space - p));

		stop = stop ? stop : space;
		ids[n] = name_find(p, (size_t)(stop - p));
		hash = (hash ^ ids[n]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
		hashes[n++] = hash;
		__builtin_prefetch(&slots[hash & slot_mask]);
		p = stop + 1;
	}
	if ((node_count + (uint64_t)n) * 3 > (uint64_t)slot_mask * 2)
		slots_grow();
	for (i = 0; i < n; i++)
		node = child_find(node, ids[i], hashes[i]);
	nodes[node].self += count;
}

int
main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	const char *p, *end;
	uint64_t total = 0;
	uint32_t i;

	if (fd < 0 || fstat(fd, &st) || st.st_size == 0)
		return 1;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	end = p + st.st_size;
	slots_grow();
	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		line_add(p, stop ? stop : end);
		p = (stop ? stop : end) + 1;
	}
	for (i = 1; i < node_count; i++) {
		names[nodes[i].name].self += nodes[i].self;
		total += nodes[i].self;
	}
	printf("%u nodes, %llu in all\n", node_count, (unsigned long long)total);
	return 0;
}
