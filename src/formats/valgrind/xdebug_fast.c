/*
 * Reading Xdebug files the fast way: whole in memory, backwards. Blocks of text become tokens, by several threads if
 * there are, which are walked over one after the other.
 */
#include "formats/valgrind/xdebug_walk.h"

#include <stdlib.h>

#include "formats/kit/parts.h"

#define BLOCK_BYTES ((size_t)256 << 10)
#define TAIL_BYTES ((size_t)4 << 10)
#define MOST_PIECES 16
#define FORGET_STEP ((size_t)16 << 20)

/* A block that is being worked on. */
struct piece {
	const unsigned char *begin, *end;
	struct pp_xd_scan scan;
	PP_VEC(uint32_t) slot_of; /* by slot of the scan: the walk's */
	bool ok;
};

struct fast {
	struct pp_reader *reader;
	struct pp_builder *builder;
	struct pp_cg_parser *parser;
	struct pp_input *in;
	struct pp_xd_lines *lines;
	const unsigned char *begin, *end; /* the records; those behind `end` were given out */
	const unsigned char *forgotten;   /* bytes from here on were given back */
	bool cut;
	struct pp_xd_scan all; /* slots, names and summary of all blocks */
	struct pp_xd_walk walk;
	struct piece piece[2 * MOST_PIECES];
};

/* ---- walking ---------------------------------------------------------------------------- */

static bool
out_of_memory(struct fast *f)
{
	f->walk.status = PP_E_NOMEM;
	return false;
}

/* The text before what was given out, as the next block; false when there is none. */
static bool
piece_fill(void *ctx, unsigned index)
{
	struct fast *f = ctx;
	struct piece *piece = &f->piece[index];

	if (f->end == f->begin)
		return false;
	piece->end = f->end;
	piece->begin = f->end = pp_xd_block_begin(f->begin, f->end, BLOCK_BYTES);
	return true;
}

static void
piece_work(void *ctx, unsigned index)
{
	struct piece *piece = &((struct fast *)ctx)->piece[index];

	piece->ok = pp_xd_scan_block(&piece->scan, piece->begin, piece->end);
}

/* Makes what a block found part of what all found; its tokens get the slots of all. */
static bool
piece_adopt(struct fast *f, struct piece *piece)
{
	struct pp_xd_scan *scan = &piece->scan;
	size_t i;

	for (i = piece->slot_of.n; i < scan->slots.n; i++) {
		const struct pp_xd_slot *slot = &scan->slots.at[i];
		uint32_t ours = i ? pp_xd_slot(&f->all, slot->file, slot->function) : 0;

		if ((i && !ours) || !pp_vec_push(&piece->slot_of, ours))
			return out_of_memory(f);
	}
	for (i = 0; i < scan->records.n; i++)
		scan->records.at[i].slot = piece->slot_of.at[scan->records.at[i].slot];
	for (i = 0; i < scan->calls.n; i++)
		scan->calls.at[i].slot = piece->slot_of.at[scan->calls.at[i].slot];
	for (i = 0; i < scan->names.n; i++)
		if (!pp_vec_push(&f->all.names, scan->names.at[i]))
			return out_of_memory(f);
	scan->names.n = 0;
	if (scan->has_summary && f->all.has_summary)
		f->walk.odd |= PP_XD_ODD_LIST;
	if (scan->has_summary)
		f->all.summary = scan->summary;
	f->all.has_summary |= scan->has_summary;
	scan->has_summary = false;
	return pp_xd_walk_slots(&f->walk, f->all.slots.n);
}

/* Walks over a block from its last record to its first. */
static bool
piece_take(void *ctx, unsigned index)
{
	struct fast *f = ctx;
	struct piece *piece = &f->piece[index];
	const struct pp_xd_scan *scan = &piece->scan;
	size_t calls = scan->calls.n, i;

	if (scan->no_memory)
		return out_of_memory(f);
	if (!piece->ok || !piece_adopt(f, piece)) {
		f->walk.odd |= PP_XD_ODD_LIST;
		return false;
	}
	for (i = scan->records.n; i-- > 0;) {
		const struct pp_xd_record *record = &scan->records.at[i];

		calls -= record->calls;
		if (!pp_xd_walk_record(&f->walk, record,
		                       record->calls ? scan->calls.at + calls : NULL))
			return false;
	}
	/* What was walked is not read again but for its names. */
	if ((size_t)(f->forgotten - piece->begin) > FORGET_STEP && f->in->forget) {
		f->in->forget(f->in, piece->begin, f->forgotten);
		f->forgotten = piece->begin;
	}
	return !f->walk.odd;
}

/* The last record. If it is cut it is read from a copy that is made whole. */
static bool
walk_tail(struct fast *f)
{
	struct piece *piece = &f->piece[0];
	const unsigned char *tail = NULL, *next = pp_xd_block_begin(f->begin, f->end, TAIL_BYTES);
	struct pp_xd_scan *scan = &piece->scan;
	unsigned char *copy;
	size_t n, i;

	while (next != tail) {
		tail = next;
		next = memmem(tail, (size_t)(f->end - tail), "\n\nfl=", 5);
		next = next ? next + 2 : tail;
	}
	n = (size_t)(f->end - tail);
	f->end = tail;
	f->forgotten = tail;
	if (n >= 2 && tail[n - 1] == '\n' && tail[n - 2] == '\n') {
		piece->begin = tail;
		piece->ok = pp_xd_scan_block(scan, tail, tail + n);
		return piece_take(f, 0);
	}
	f->cut = true;
	copy = calloc(n + PP_XD_MENDED + PP_INPUT_PAD, 1);
	if (!copy)
		return out_of_memory(f);
	memcpy(copy, tail, n);
	n = pp_xd_mend(copy, n, scan->columns);
	piece->begin = tail;
	/* Cut around the summary: rare enough. */
	piece->ok = n && pp_xd_scan_block(scan, copy, copy + n) && !scan->has_summary;
	/* What it found must point into the input, which stays. */
	for (i = 0; i < scan->names.n; i++)
		scan->names.at[i].text.p = tail + (scan->names.at[i].text.p - copy);
	free(copy);
	return piece_take(f, 0);
}

static bool
walk_all(struct fast *f)
{
	unsigned columns = pp_cg_part(f->parser)->event_count, i;
	struct pp_rounds rounds = { .reader = f->reader,
		                    .ctx = f,
		                    .room = f->reader->threads < MOST_PIECES ? f->reader->threads
		                                                             : MOST_PIECES,
		                    .fill = piece_fill,
		                    .work = piece_work,
		                    .take = piece_take };

	rounds.room += rounds.room == 0;
	for (i = 0; i < 2 * rounds.room; i++) {
		f->piece[i].scan.columns = columns;
		f->piece[i].scan.max_line = f->reader->limits.max_line;
	}
	if (!pp_xd_walk_init(&f->walk, f->parser, f->reader->order->facets & PP_TREE))
		return out_of_memory(f);
	if (!walk_tail(f))
		return false;
	if (pp_rounds_run(&rounds) == PP_E_IO)
		f->walk.status = PP_E_IO;
	return !f->walk.odd && f->walk.status == PP_OK;
}

/* ---- names ------------------------------------------------------------------------------ */

/* Gives all ids their names; false when one has two. */
static bool
names_define(struct fast *f)
{
	size_t i;

	for (i = 0; i < f->all.names.n; i++) {
		const struct pp_xd_name *name = &f->all.names.at[i];

		if (!pp_cg_id_define(f->parser, name->is_file ? PP_CG_FILES : PP_CG_FUNCTIONS,
		                     name->id, pp_build_str(f->builder, name->text)))
			return false;
	}
	return true;
}

/* The name of an id; 0 when it has none, or another id has the same: they were taken for two on the stack. */
static pp_str
name_of(struct fast *f, enum pp_cg_space space, uint32_t id, struct pp_map *known)
{
	pp_str name = pp_cg_id_name(f->parser, space, id);
	uint32_t other = name ? pp_map_get(known, name) : PP_MAP_NONE;

	if (!name || (other != PP_MAP_NONE && other != id))
		return 0;
	if (!pp_map_set(known, name, id))
		pp_builder_fail(f->builder, PP_E_NOMEM, NULL);
	return name;
}

struct order {
	uint32_t slot, file, function;
};

static int
order_cmp(const void *left, const void *right)
{
	const struct order *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->file > b->file) - (a->file < b->file);
}

/* Names a function; its id, or 0 when its names will not do. */
static pp_func
name_function(struct fast *f, const struct order *o, struct pp_map known[PP_CG_SPACES])
{
	const struct pp_profile *profile = f->builder->profile;
	struct pp_cg_part *part = pp_cg_part(f->parser);
	struct pp_xd_sums *sums = &f->walk.sums.at[o->slot];
	struct pp_func_row row = { .name = name_of(f, PP_CG_FUNCTIONS, o->function,
		                                   &known[PP_CG_FUNCTIONS]),
		                   .file = name_of(f, PP_CG_FILES, o->file, &known[PP_CG_FILES]) };

	if (!row.name || !row.file)
		return 0;
	if (pp_slice_eq_z(pp_text_of(profile, row.file), PP_XD_INTERNAL))
		row.flags = PP_FUNC_INTERNAL;
	if (sums->calls && pp_slice_eq_z(pp_text_of(profile, row.name), PP_XD_MAIN)) {
		/* A second {main} is one that exit() wrote again. */
		if (part->has_main || sums->calls > 1)
			return 0;
		part->has_main = true;
	}
	if (!sums->func)
		return pp_build_func(f->builder, &row);
	pp_build_func_bind(f->builder, sums->func, &row);
	return sums->func;
}

/* ---- the whole ------------------------------------------------------------------------- */

/* Puts what was walked into the profile, functions in the order of their ids; false when the slow way must do it. */
static bool
build(struct fast *f)
{
	size_t n = f->walk.sums.n, i;
	struct order *order = calloc(n + 1, sizeof *order);
	pp_func *func_of = calloc(n + 1, sizeof *func_of);
	struct pp_map known[PP_CG_SPACES] = { 0 };
	bool ok = order && func_of;

	if (!ok)
		pp_builder_fail(f->builder, PP_E_NOMEM, NULL);
	for (i = 0; i < PP_CG_SPACES; i++)
		known[i].seed = f->reader->seed;
	for (i = 1; ok && i < n; i++)
		order[i - 1] = (struct order){ (uint32_t)i, f->all.slots.at[i].file,
			                       f->all.slots.at[i].function };
	if (ok && n > 1)
		qsort(order, n - 1, sizeof *order, order_cmp);
	ok = ok && names_define(f);
	for (i = 0; ok && i + 1 < n; i++)
		ok = (func_of[order[i].slot] = name_function(f, &order[i], known)) != 0;
	ok = ok && pp_xd_build(f->parser, &f->walk, f->lines, func_of);
	for (i = 0; i < PP_CG_SPACES; i++)
		pp_map_release(&known[i]);
	free(order);
	free(func_of);
	return ok;
}

static void
fast_release(struct fast *f)
{
	unsigned i;

	pp_xd_walk_release(&f->walk);
	pp_xd_scan_release(&f->all);
	for (i = 0; i < PP_COUNT_OF(f->piece); i++) {
		pp_xd_scan_release(&f->piece[i].scan);
		pp_vec_release(&f->piece[i].slot_of);
	}
}

enum pp_xd_fast
pp_xd_fast_part(struct pp_cg_parser *parser, struct pp_input *in, const unsigned char *begin,
                const unsigned char *end, struct pp_xd_lines *lines, bool *cut)
{
	struct fast *f = calloc(1, sizeof *f);
	struct pp_cg_part *part = pp_cg_part(parser);
	enum pp_xd_fast result = PP_XD_FAST_ODD;

	if (!f) {
		pp_builder_fail(parser->builder, PP_E_NOMEM, NULL);
		return PP_XD_FAST_FAILED;
	}
	*f = (struct fast){ .reader = parser->reader,
		            .builder = parser->builder,
		            .parser = parser,
		            .in = in,
		            .lines = lines,
		            .begin = begin,
		            .end = end };
	pp_cg_series(parser, true, true);
	if (walk_all(f) && f->walk.stack.n == 0 && build(f)) {
		result = PP_XD_FAST_DONE;
		part->has_body = true;
		part->has_summary = f->all.has_summary;
		part->summary = pp_build_str(parser->builder, pp_slice_trim(f->all.summary));
		*cut |= f->cut;
	}
	if (f->walk.status != PP_OK)
		pp_builder_fail(parser->builder, f->walk.status, PP_TOO_DEEP);
	if (!pp_builder_ok(parser->builder))
		result = PP_XD_FAST_FAILED;
	fast_release(f);
	free(f);
	return result;
}
