/*
 * Dumps of JIT compilers.
 *
 *     file   = u32:4a695444 u32:version u32:size u32:machine u32 u32:pid u64:time u64:flags *record
 *     record = u32:kind u32:size u64:time bytes          size counts these sixteen bytes, too
 *     load   = u32:pid u32:tid u64 u64:address u64:size u64:number name NUL code
 *     move   = u32:pid u32:tid u64 u64:old u64:address u64:size u64:number
 *     lines  = u64:address u64:n n*(u64:address u32:line u32 file NUL)     of the load that follows
 */
#include "symbols/jitdump.h"

#include "base/hash.h"
#include "base/sort.h"
#include "symbols/dwarf_bytes.h"

#define HEADER 40
#define RECORD 16

enum { LOAD = 0, MOVE = 1, LINES = 2 };
enum { FLAG_OTHER_CLOCK = 1 };

struct reading {
	struct pp_jitdump *j;
	struct pp_symbols *symbols;
	struct pp_slice file;
	struct pp_elf order;         /* for its byte order alone */
	struct pp_dwarf_bytes lines; /* of the next load; empty = none */
	uint64_t lines_address, lines_n;
	struct pp_map by_number; /* the last load of each function */
};

/* Text up to its NUL; NULL when there is none. */
static const char *
text_take(struct pp_dwarf_bytes *b)
{
	const unsigned char *at = b->p, *nul;

	nul = b->bad ? NULL : memchr(b->p, 0, (size_t)(b->end - b->p));
	b->bad |= !nul;
	if (!nul)
		return NULL;
	b->p = nul + 1;
	return (const char *)at;
}

/* The lines that were told before a load. */
static void
lines_take(struct reading *r, const struct pp_jit_load *load)
{
	struct pp_dwarf_bytes *b = &r->lines;
	const char *file = NULL;
	uint64_t i;

	for (i = 0; i < r->lines_n && !b->bad && r->lines_address == load->address; i++) {
		uint64_t address = pp_dwarf_fixed(b, 8);
		struct pp_jit_line line = { .line = (uint32_t)pp_dwarf_fixed(b, 4) };
		const char *name;

		(void)pp_dwarf_fixed(b, 4);
		name = text_take(b);
		/* "\xff" is the file before. */
		if (name && strcmp(name, "\xff") != 0)
			file = name;
		line.file = file;
		line.at = load->at + (address - load->address);
		if (!b->bad && file && address - load->address < load->size)
			r->symbols->failed |= !pp_vec_push(&r->j->lines, line);
	}
	r->lines_n = 0;
}

static void
load_take(struct reading *r, struct pp_dwarf_bytes *b, uint64_t time)
{
	struct pp_jit_load load = { .time = time };
	struct pp_symbol symbol = { 0 };
	const char *name;

	(void)pp_dwarf_take(b, 16);
	load.address = pp_dwarf_fixed(b, 8);
	load.size = pp_dwarf_fixed(b, 8);
	load.number = pp_dwarf_fixed(b, 8);
	name = text_take(b);
	if (b->bad || load.size == 0 || load.size > (uint64_t)(b->end - b->p) ||
	    load.size > UINT64_MAX - load.address)
		return;
	load.at = (uint64_t)(b->p - r->file.p);
	symbol.start = load.at;
	symbol.end = load.at + load.size;
	symbol.reach = symbol.end;
	symbol.name = pp_slice_z(name);
	lines_take(r, &load);
	r->symbols->failed |= !pp_map_set(&r->by_number, load.number, (uint32_t)r->j->loads.n) ||
	                      !pp_vec_push(&r->j->loads, load);
	/* Code stands in the order of the file, so symbols are sorted as they come. */
	if (symbol.name.n)
		r->symbols->failed |= !pp_vec_push(&r->symbols->list, symbol);
}

static void
move_take(struct reading *r, struct pp_dwarf_bytes *b, uint64_t time)
{
	struct pp_jit_load load = { 0 };
	uint64_t address, number;
	uint32_t at;

	(void)pp_dwarf_take(b, 24);
	address = pp_dwarf_fixed(b, 8);
	(void)pp_dwarf_fixed(b, 8);
	number = pp_dwarf_fixed(b, 8);
	at = pp_map_get(&r->by_number, number);
	if (at != PP_MAP_NONE)
		load = r->j->loads.at[at];
	load.address = address;
	load.time = time;
	if (!b->bad && load.size > 0 && load.size <= UINT64_MAX - load.address)
		r->symbols->failed |= !pp_vec_push(&r->j->loads, load);
}

/* One record; false at the end, or when what follows makes no sense. */
static bool
record_take(struct reading *r, struct pp_dwarf_bytes *rest)
{
	uint64_t kind = pp_dwarf_fixed(rest, 4), size = pp_dwarf_fixed(rest, 4),
	         time = pp_dwarf_fixed(rest, 8);
	struct pp_dwarf_bytes b;
	const unsigned char *at = size < RECORD ? NULL : pp_dwarf_take(rest, size - RECORD);

	if (!at)
		return false;
	b = (struct pp_dwarf_bytes){ &r->order, at, rest->p, false };
	if (kind == LOAD) {
		load_take(r, &b, time);
	} else if (kind == MOVE) {
		move_take(r, &b, time);
	} else if (kind == LINES) {
		r->lines_address = pp_dwarf_fixed(&b, 8);
		r->lines_n = pp_dwarf_fixed(&b, 8);
		r->lines = b;
	}
	return !r->symbols->failed;
}

static int
compare_lines(const void *left, const void *right, void *unused)
{
	const struct pp_jit_line *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

bool
pp_jitdump_open(struct pp_jitdump *j, struct pp_slice file, uint64_t seed,
                struct pp_symbols *symbols)
{
	struct reading r = { .j = j, .symbols = symbols, .file = file };
	struct pp_dwarf_bytes rest = pp_dwarf_bytes_of(&r.order, file);
	uint64_t header, flags;

	r.order.big = file.n >= 4 && memcmp(file.p, "JiTD", 4) == 0;
	if (file.n < HEADER || (!r.order.big && memcmp(file.p, "DTiJ", 4) != 0))
		return true;
	header = pp_elf_u32(&r.order, file.p + 8);
	flags = pp_elf_u64(&r.order, file.p + 32);
	j->clocked = !(flags & FLAG_OTHER_CLOCK);
	if (header < HEADER || !pp_dwarf_take(&rest, header))
		return true;
	r.by_number.seed = seed;
	while (record_take(&r, &rest))
		;
	pp_map_release(&r.by_number);
	if (j->lines.n > 1)
		pp_sort(j->lines.at, j->lines.n, sizeof *j->lines.at, compare_lines, NULL);
	return !symbols->failed;
}

void
pp_jitdump_release(struct pp_jitdump *j)
{
	pp_vec_release(&j->loads);
	pp_vec_release(&j->lines);
}

bool
pp_jitdump_line(const struct pp_jitdump *j, uint64_t at, struct pp_dwarf_place *place)
{
	size_t low = 0, high = j->lines.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (j->lines.at[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*place = (struct pp_dwarf_place){ .file = j->lines.at[low - 1].file,
		                          .line = j->lines.at[low - 1].line };
	return true;
}
