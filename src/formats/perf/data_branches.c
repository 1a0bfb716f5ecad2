/*
 * Branches that samples hold beside their stacks (perf record -b), added up by whence and whither, as perf report shows
 * them, and the order in which each sample has them. They are no stacks: a loop takes the same branch a thousand times
 * without calling anybody. So they are told beside the profile, as lines of JSON: one for each pair, one for each sample.
 */
#include "formats/perf/data.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "model/schema.h"
#include "text/json_emit.h"

/* Pairs that are told apart. */
#define PAIRS_MOST ((size_t)1 << 18)
/* Branches whose order within their samples is kept. */
#define ORDERED_MOST ((size_t)1 << 22)

enum { MISPREDICTED = 1, PREDICTED = 2, IN_TRANSACTION = 4, ABORTED = 8, CYCLES = 4 /* bits up */ };

void
pp_pd_branches_release(struct pp_pd *d)
{
	pp_vec_release(&d->branches.list);
	pp_map_release(&d->branches.pair_of);
	pp_vec_release(&d->branches.runs);
	pp_vec_release(&d->branches.in_runs);
}

/* ---- samples ---------------------------------------------------------------------------- */

/* The flags of a branch from the lowest bit on, whence they are counted; on some machines that is the highest. */
static uint32_t
bits_of(const struct pp_pd *d, uint64_t flags)
{
	uint32_t bits = (uint32_t)(d->big ? (flags >> 44 & 0xffff) << CYCLES : flags & 0xfffff);
	unsigned i;

	for (i = 0; d->big && i < CYCLES; i++)
		bits |= (uint32_t)(flags >> (63 - i) & 1) << i;
	return bits;
}

/* An address within what is mapped there, or as it is. */
static struct pp_pd_end
end_of(const struct pp_pd *d, const struct pp_pd_facts *f, uint64_t ip)
{
	const struct pp_pd_map *map = pp_pd_map_at(d, pp_pd_space_of(d, f->pid), ip);
	struct pp_pd_end end = { .address = ip };

	if (!map)
		map = pp_pd_map_at(d, &d->threads.spaces.at[0], ip);
	if (!map)
		return end;
	end.module = map->module;
	if (d->threads.modules.at[map->module].offsets)
		end.address = ip - map->start + map->pgoff;
	return end;
}

static bool
end_is(const struct pp_pd_end *a, const struct pp_pd_end *b)
{
	return a->module == b->module && a->address == b->address;
}

/* The pair of that event; NULL when there are too many. */
static struct pp_pd_branch *
pair_of(struct pp_pd *d, const struct pp_pd_branch *like)
{
	struct pp_pd_branches *all = &d->branches;
	uint64_t hash = pp_mix(like->from.address ^ d->builder->seed,
	                       PP_HASH_K1 ^ ((uint64_t)like->from.module << 32 | like->attr));
	uint32_t at;

	hash = pp_mix(hash ^ like->to.address, PP_HASH_K2 ^ like->to.module);
	/* Equal hashes are told apart by probing the next one. */
	for (; (at = pp_map_get(&all->pair_of, hash)) != PP_MAP_NONE; hash++) {
		struct pp_pd_branch *b = &all->list.at[at];

		if (b->attr == like->attr && end_is(&b->from, &like->from) &&
		    end_is(&b->to, &like->to))
			return b;
	}
	if (all->list.n == PAIRS_MOST)
		return NULL;
	if (!pp_map_set(&all->pair_of, hash, (uint32_t)all->list.n) ||
	    !pp_vec_push(&all->list, *like)) {
		pp_pd_no_memory(d);
		return NULL;
	}
	return &all->list.at[all->list.n - 1];
}

/* Counts a branch; the number of its pair. */
static uint32_t
branch_count(struct pp_pd *d, const struct pp_pd_facts *f, const unsigned char *at, uint32_t bits)
{
	struct pp_pd_branch like = { .attr = (uint32_t)(f->attr - d->attrs.at),
		                     .from = end_of(d, f, pp_pd_u64(d, at)),
		                     .to = end_of(d, f, pp_pd_u64(d, at + 8)),
		                     .number = (uint32_t)d->branches.list.n };
	struct pp_pd_branch *b = pair_of(d, &like);

	d->branches.taken++;
	if (!b) {
		d->branches.others++;
		return PP_MAP_NONE;
	}
	b->taken++;
	b->mispredicted += (bits & MISPREDICTED) > 0;
	b->predicted += (bits & PREDICTED) > 0;
	b->in_transaction += (bits & IN_TRANSACTION) > 0;
	b->aborted += (bits & ABORTED) > 0;
	b->cycles += bits >> CYCLES;
	return b->number;
}

void
pp_pd_branches_add(struct pp_pd *d, const struct pp_pd_facts *f, const unsigned char *branches,
                   size_t n)
{
	struct pp_pd_branches *all = &d->branches;
	bool ordered = d->reader->order->facets & PP_EXTRAS;
	struct pp_pd_run run = { .time = f->time,
		                 .attr = (uint32_t)(f->attr - d->attrs.at),
		                 .tid = f->tid,
		                 .n = (uint32_t)n,
		                 .has_time = f->has_time };
	size_t i;

	if (!n || !(d->reader->order->facets & (PP_META | PP_EXTRAS)))
		return;
	if (ordered && n > ORDERED_MOST - all->in_runs.n) {
		ordered = false;
		all->unordered++;
	}
	if (ordered && !pp_vec_push(&all->runs, run))
		pp_pd_no_memory(d);
	for (i = 0; i < n && pp_builder_ok(d->builder); i++) {
		const unsigned char *at = branches + 24 * i;
		struct pp_pd_taken taken = { .bits = bits_of(d, pp_pd_u64(d, at + 16)) };

		taken.pair = branch_count(d, f, at, taken.bits);
		if (ordered && !pp_vec_push(&all->in_runs, taken))
			pp_pd_no_memory(d);
	}
}

/* ---- at the end ------------------------------------------------------------------------- */

static int
by_taken(const void *a, const void *b, void *ctx)
{
	const struct pp_pd_branch *x = a, *y = b;

	(void)ctx;
	if (x->taken != y->taken)
		return x->taken > y->taken ? -1 : 1;
	if (x->attr != y->attr)
		return x->attr < y->attr ? -1 : 1;
	if (!end_is(&x->from, &y->from))
		return x->from.module != y->from.module ? (x->from.module < y->from.module ? -1 : 1)
		       : x->from.address < y->from.address ? -1
		                                           : 1;
	if (x->to.module != y->to.module)
		return x->to.module < y->to.module ? -1 : 1;
	return x->to.address < y->to.address ? -1 : x->to.address > y->to.address;
}

static void
hex_put(struct pp_json *json, const char *key, uint64_t number)
{
	char text[24];

	(void)snprintf(text, sizeof text, "0x%llx", (unsigned long long)number);
	pp_json_key(json, key);
	pp_json_textz(json, text);
}

/* One end, in the words of SPAA's frames. */
static void
end_put(struct pp_pd *d, struct pp_json *json, const char *key, const struct pp_pd_end *end)
{
	struct pp_binary *binary = end->module && d->symbols.native.wanted
	                               ? pp_pd_binary(d, end->module)
	                               : NULL;
	const struct pp_symbol *symbol = binary ? pp_symbols_find(&binary->symbols, end->address)
	                                        : NULL;
	pp_str name = !symbol         ? 0
	              : symbol->plain ? pp_build_str(d->builder, symbol->name)
	                              : pp_native_name(&d->symbols.native, symbol->name);

	pp_json_key(json, key);
	pp_json_begin_object(json);
	if (symbol) {
		pp_json_key(json, "func");
		pp_json_text(json, pp_text_of(d->builder->profile, name));
		hex_put(json, "symoff", end->address - symbol->start);
	}
	if (end->module) {
		pp_json_key(json, "dso");
		pp_json_text(json, d->threads.modules.at[end->module].name);
	}
	hex_put(json, "ip", end->address);
	pp_json_end_object(json);
}

static void
count_put(struct pp_json *json, const char *key, uint64_t n)
{
	if (!n)
		return;
	pp_json_key(json, key);
	pp_json_u64(json, n);
}

static void
branch_put(struct pp_pd *d, struct pp_json *json, const struct pp_pd_branch *b)
{
	pp_json_begin_object(json);
	pp_json_key(json, "event");
	pp_json_text(json, pp_text_of(d->builder->profile, d->attrs.at[b->attr].title));
	end_put(d, json, "from", &b->from);
	end_put(d, json, "to", &b->to);
	count_put(json, "taken", b->taken);
	count_put(json, "mispredicted", b->mispredicted);
	count_put(json, "predicted", b->predicted);
	count_put(json, "in_transaction", b->in_transaction);
	count_put(json, "aborted", b->aborted);
	count_put(json, "cycles", b->cycles);
	pp_json_end_object(json);
	pp_json_end_line(json);
}

/* All pairs, those taken most often first. */
static void
pairs_put(struct pp_pd *d, struct pp_json *json, const uint32_t *line_of)
{
	size_t i;

	(void)line_of;
	for (i = 0; i < d->branches.list.n && pp_builder_ok(d->builder); i++)
		branch_put(d, json, &d->branches.list.at[i]);
}

/* One branch of a sample: the line of its pair, then letters for its flags and its cycles, where there are any. */
static void
taken_put(struct pp_json *json, const struct pp_pd_taken *t, const uint32_t *line_of)
{
	char flags[5];
	size_t n = 0;

	pp_json_begin_array(json);
	if (t->pair == PP_MAP_NONE)
		pp_json_null(json);
	else
		pp_json_u64(json, line_of[t->pair]);
	if (t->bits & MISPREDICTED)
		flags[n++] = 'M';
	if (t->bits & PREDICTED)
		flags[n++] = 'P';
	if (t->bits & IN_TRANSACTION)
		flags[n++] = 'X';
	if (t->bits & ABORTED)
		flags[n++] = 'A';
	if (t->bits)
		pp_json_text(json, pp_slice_of(flags, n));
	if (t->bits >> CYCLES)
		pp_json_u64(json, t->bits >> CYCLES);
	pp_json_end_array(json);
}

/* The branches of each sample in their order. */
static void
runs_put(struct pp_pd *d, struct pp_json *json, const uint32_t *line_of)
{
	const struct pp_pd_taken *next = d->branches.in_runs.at;
	size_t i;
	uint32_t k;

	for (i = 0; i < d->branches.runs.n; i++) {
		const struct pp_pd_run *run = &d->branches.runs.at[i];

		pp_json_begin_object(json);
		pp_json_put_text(json, "event",
		                 pp_text_of(d->builder->profile, d->attrs.at[run->attr].title));
		pp_json_put_u64(json, "tid", run->tid);
		if (run->has_time)
			pp_json_put_u64(json, "time_ns", run->time);
		pp_json_put_array(json, "branches");
		for (k = 0; k < run->n; k++)
			taken_put(json, next++, line_of);
		pp_json_end_array(json);
		pp_json_end_object(json);
		pp_json_end_line(json);
	}
}

/* Keeps lines of JSON beside the profile. */
static void
lines_keep(struct pp_pd *d, const char *key, const uint32_t *line_of,
           void (*put)(struct pp_pd *, struct pp_json *, const uint32_t *))
{
	struct pp_buf text = { 0 };
	struct pp_sink *sink;
	struct pp_json json;
	pp_status status;

	if (pp_sink_buffer(&text, &sink) != PP_OK) {
		pp_pd_no_memory(d);
		return;
	}
	pp_json_init(&json, sink, PP_JSON_COMPACT);
	put(d, &json, line_of);
	status = pp_sink_commit(sink);
	pp_sink_close(sink);
	if (status != PP_OK || text.failed)
		pp_pd_no_memory(d);
	else
		pp_build_extra(d->builder, PP_TABLE_PROFILE, 0, key,
		               pp_slice_of(text.p ? text.p : "", text.n));
	pp_buf_release(&text);
}

static void
extras_keep(struct pp_pd *d)
{
	struct pp_pd_branches *all = &d->branches;
	uint32_t *line_of = malloc((all->list.n + 1) * sizeof *line_of);
	size_t i;

	if (!line_of) {
		pp_pd_no_memory(d);
		return;
	}
	pp_sort(all->list.at, all->list.n, sizeof *all->list.at, by_taken, NULL);
	for (i = 0; i < all->list.n; i++)
		line_of[all->list.at[i].number] = (uint32_t)i;
	lines_keep(d, "x_branches", line_of, pairs_put);
	lines_keep(d, "x_branch_stacks", line_of, runs_put);
	free(line_of);
}

static void
number_put(struct pp_pd *d, uint32_t parent, const char *key, uint64_t n)
{
	char text[24];
	int length = snprintf(text, sizeof text, "%llu", (unsigned long long)n);

	if (n)
		(void)pp_build_meta(d->builder, parent, pp_slice_z(key), PP_META_NUMBER,
		                    pp_slice_of(text, (size_t)length));
}

void
pp_pd_branches_finish(struct pp_pd *d)
{
	struct pp_pd_branches *all = &d->branches;
	struct pp_pd_branch sum = { 0 };
	uint32_t row;
	size_t i;

	if (!all->taken || !pp_builder_ok(d->builder))
		return;
	for (i = 0; i < all->list.n; i++) {
		sum.mispredicted += all->list.at[i].mispredicted;
		sum.predicted += all->list.at[i].predicted;
		sum.aborted += all->list.at[i].aborted;
		sum.cycles += all->list.at[i].cycles;
	}
	row = pp_build_meta(d->builder, 0, pp_slice_z("branches"), PP_META_OBJECT,
	                    pp_slice_of("", 0));
	number_put(d, row, "taken", all->taken);
	number_put(d, row, "distinct", all->list.n);
	number_put(d, row, "not told apart", all->others);
	number_put(d, row, "samples without order", all->unordered);
	number_put(d, row, "mispredicted", sum.mispredicted);
	number_put(d, row, "predicted", sum.predicted);
	number_put(d, row, "aborted", sum.aborted);
	number_put(d, row, "cycles", sum.cycles);
	if (!(d->reader->order->facets & PP_EXTRAS))
		return;
	extras_keep(d);
}
