/*
 * Reading Xdebug files the fast way: whole in memory, backwards, with several threads where only
 * sums are wanted.
 *
 * For sums the text is cut at records. Each part is walked on its own, not knowing what was on the stack at
 * its end; then the parts are put together from the last to the first (see pp_xd_walk_absorb). Calls
 * that began shortly before the cut make most of the difference, so a stretch at the end of each part, to
 * where all that began in it has ended, is walked afterwards with the true stack.
 */
#include "formats/valgrind/xdebug_walk.h"

#include <stdlib.h>

#include "formats/kit/parts.h"

#define SMALLEST_PART ((size_t)8 << 20)
#define JOINT ((size_t)2 << 20)
#define MOST_PARTS 64
#define FORGET_STEP ((size_t)16 << 20)

struct fast {
	struct pp_reader *reader;
	struct pp_builder *builder;
	struct pp_cg_parser *parser;
	struct pp_input *in;
	struct pp_xd_lines *lines;
	const unsigned char *begin, *end; /* the records */
	unsigned columns;
	bool cut;
	const unsigned char *forgotten; /* bytes from here on were given back */
	struct pp_xd_walk walk;
	unsigned parts;
	struct part {
		const unsigned char *begin, *end;
		const unsigned char
		    *joint; /* from here on it is walked again, with the true stack */
		struct pp_input *in;
		const unsigned char *forgotten; /* bytes from here on were given back */
		struct pp_xd_walk walk;
	} part[MOST_PARTS];
};

/* ---- walking ---------------------------------------------------------------------------- */

/* Gives pages back now and then: what was walked is not read again, or only once more. */
static bool
forget_block(void *ctx, const unsigned char *begin, const unsigned char *end)
{
	struct part *part = ctx;

	(void)end;
	if ((size_t)(part->forgotten - begin) > FORGET_STEP && part->in->forget) {
		part->in->forget(part->in, begin, part->forgotten);
		part->forgotten = begin;
	}
	return true;
}

/* The last record. If it is cut it is read from a copy that is made whole. */
static bool
walk_tail(struct fast *f, const unsigned char *tail)
{
	struct pp_xd_scan *scan = &f->walk.scan;
	size_t n = (size_t)(f->end - tail), i;
	unsigned char *copy;
	bool ok;

	if (n >= 2 && f->end[-1] == '\n' && f->end[-2] == '\n')
		return pp_xd_walk_range(&f->walk, tail, f->end, NULL, NULL);
	f->cut = true;
	copy = calloc(n + PP_XD_MENDED + PP_INPUT_PAD, 1);
	if (!copy) {
		f->walk.status = PP_E_NOMEM;
		return false;
	}
	memcpy(copy, tail, n);
	n = pp_xd_mend(copy, n, f->columns);
	/* Cut around the summary: rare enough. */
	ok = n && pp_xd_scan_block(scan, copy, copy + n) && !scan->has_summary;
	/* What it found must point into the input, which stays. */
	for (i = 0; i < scan->names.n; i++)
		scan->names.at[i].text.p = tail + (scan->names.at[i].text.p - copy);
	free(copy);
	return ok && pp_xd_walk_block(&f->walk);
}

/* The last record's start. */
static const unsigned char *
find_tail(const unsigned char *begin, const unsigned char *end)
{
	size_t size = 4096;

	for (;; size *= 2) {
		const unsigned char *at, *last = NULL;

		if ((size_t)(end - begin) <= size)
			size = (size_t)(end - begin);
		for (at = end - size; at < end;) {
			at = pp_xd_boundary(at, end);
			last = at < end ? at : last;
		}
		if (last)
			return last;
		if (size == (size_t)(end - begin))
			return begin;
	}
}

static void
part_run(void *ctx, unsigned index)
{
	struct fast *f = ctx;
	struct part *part = &f->part[index];

	if (index + 1 < f->parts)
		part->joint = pp_xd_walk_settle(&part->walk, part->begin, part->end, JOINT);
	(void)pp_xd_walk_range(&part->walk, part->begin, part->joint, forget_block, part);
}

/* Cuts [begin, tail) for the threads. */
static bool
cut_parts(struct fast *f, const unsigned char *tail)
{
	unsigned most = f->reader->threads < MOST_PARTS ? f->reader->threads : MOST_PARTS, i;
	const unsigned char *cut[MOST_PARTS + 1];
	unsigned n = pp_parts_cut(pp_slice_between(f->begin, tail), most, SMALLEST_PART,
	                          pp_xd_boundary, cut);

	for (i = 0; i < n; i++) {
		struct part *part = &f->part[f->parts++];

		*part = (struct part){ .begin = cut[i],
			               .end = cut[i + 1],
			               .joint = cut[i + 1],
			               .in = f->in,
			               .forgotten = cut[i + 1] };
		if (!pp_xd_walk_init(&part->walk, f->columns, f->reader, NULL))
			return false;
	}
	return true;
}

/* Puts the parts together, from the last to the first. */
static bool
join_parts(struct fast *f)
{
	unsigned i;

	for (i = f->parts; i-- > 0;) {
		struct part *part = &f->part[i];

		if (!pp_xd_walk_range(&f->walk, part->joint, part->end, NULL, NULL))
			return false;
		if (part->walk.status != PP_OK) {
			f->walk.status = part->walk.status;
			return false;
		}
		if (!pp_xd_walk_absorb(&f->walk, &part->walk) &&
		    (f->walk.status != PP_OK ||
		     !pp_xd_walk_range(&f->walk, part->begin, part->joint, NULL, NULL)))
			return false;
		if (f->in->forget)
			f->in->forget(f->in, part->begin, part->end);
	}
	return !f->walk.odd && f->walk.status == PP_OK;
}

static bool
walk_all(struct fast *f)
{
	const unsigned char *tail = find_tail(f->begin, f->end);
	bool tree = f->reader->order->facets & PP_TREE;

	if (!pp_xd_walk_init(&f->walk, f->columns, f->reader, tree ? f->builder : NULL)) {
		f->walk.status = PP_E_NOMEM;
		return false;
	}
	if (!walk_tail(f, tail))
		return false;
	f->part[0].in = f->in;
	f->part[0].forgotten = tail;
	if (tree || f->reader->threads < 2 || (size_t)(tail - f->begin) < 2 * SMALLEST_PART)
		return pp_xd_walk_range(&f->walk, f->begin, tail, forget_block, &f->part[0]);
	if (!cut_parts(f, tail)) {
		f->walk.status = PP_E_NOMEM;
		return false;
	}
	f->reader->run(f->reader, f->parts, part_run, f);
	return join_parts(f);
}

/* ---- names ------------------------------------------------------------------------------ */

/* One more than the largest id that is used or defined. */
static size_t
ids_end(const struct fast *f)
{
	size_t i, end = 1;

	for (i = 0; i < f->walk.scan.names.n; i++)
		if (f->walk.scan.names.at[i].id >= end)
			end = (size_t)f->walk.scan.names.at[i].id + 1;
	for (i = 0; i < f->walk.scan.slots.n; i++) {
		const struct pp_xd_slot *slot = &f->walk.scan.slots.at[i];

		end = slot->file >= end ? (size_t)slot->file + 1 : end;
		end = slot->function >= end ? (size_t)slot->function + 1 : end;
	}
	return end;
}

/* id -> text; false when an id has two texts. */
static bool
names_collect(struct fast *f, struct pp_slice *texts[2])
{
	size_t i;

	for (i = 0; i < f->walk.scan.names.n; i++) {
		const struct pp_xd_name *name = &f->walk.scan.names.at[i];
		struct pp_slice *text = &texts[name->is_file][name->id];

		if (text->p && !pp_slice_eq(*text, name->text))
			return false;
		*text = name->text;
	}
	return true;
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

/* Names a function; *func is its id. False when it has no name, or another one has the same. */
static bool
function_name(struct fast *f, const struct order *o, struct pp_slice *const texts[2], pp_func *func)
{
	struct pp_xd_sums *sums = &f->walk.sums.at[o->slot];
	struct pp_func_row row = { .name = pp_build_str(f->builder, texts[0][o->function]),
		                   .file = pp_build_str(f->builder, texts[1][o->file]) };
	size_t before = f->builder->profile->funcs.n;

	if (!texts[0][o->function].p || !texts[1][o->file].p)
		return false;
	if (pp_slice_eq_z(texts[1][o->file], PP_XD_INTERNAL))
		row.flags = PP_FUNC_INTERNAL;
	if (sums->func) {
		pp_build_func_bind(f->builder, sums->func, &row);
		*func = sums->func;
		return true;
	}
	*func = pp_build_func(f->builder, &row);
	return f->parser->head.part > 1 || *func >= before;
}

/* Two slots with the same names would have been two functions on the stack. */
static bool
names_unique(struct fast *f, struct pp_slice *const texts[2], unsigned is_file, size_t n)
{
	struct pp_strtab seen;
	size_t i;
	pp_str id;
	bool ok = pp_strtab_init(&seen, f->reader->seed), is_new;

	for (i = 0; ok && i < n; i++)
		if (texts[is_file][i].p)
			ok = pp_strtab_intern(&seen, texts[is_file][i].p, texts[is_file][i].n, &id,
			                      &is_new) &&
			     is_new;
	pp_strtab_release(&seen);
	return ok;
}

/* ---- the whole ------------------------------------------------------------------------- */

/* Names all functions in the order of their ids. */
static bool
name_functions(struct fast *f, struct pp_slice *const texts[2], pp_func *func_of)
{
	size_t n = f->walk.sums.n, i;
	struct order *order = malloc((n + 1) * sizeof *order);
	bool ok = order != NULL;

	for (i = 1; ok && i < n; i++)
		order[i - 1] = (struct order){ (uint32_t)i, f->walk.scan.slots.at[i].file,
			                       f->walk.scan.slots.at[i].function };
	if (ok && n > 1)
		qsort(order, n - 1, sizeof *order, order_cmp);
	for (i = 0; ok && i + 1 < n; i++) {
		const struct order *o = &order[i];

		ok = function_name(f, o, texts, &func_of[o->slot]);
		if (ok && pp_slice_eq_z(texts[0][o->function], PP_XD_MAIN) &&
		    f->walk.sums.at[o->slot].calls) {
			/* A second {main} is one that exit() wrote again. */
			ok = !pp_cg_part(f->parser)->has_main &&
			     f->walk.sums.at[o->slot].calls == 1;
			pp_cg_part(f->parser)->has_main = true;
		}
	}
	free(order);
	return ok;
}

/* Puts what was walked into the profile; false when the slow way must do it. */
static bool
build(struct fast *f)
{
	size_t ids = ids_end(f);
	struct pp_slice *texts[2] = { calloc(ids, sizeof *texts[0]),
		                      calloc(ids, sizeof *texts[1]) };
	pp_func *func_of = calloc(f->walk.sums.n + 1, sizeof *func_of);
	bool ok = false;

	if (!texts[0] || !texts[1] || !func_of)
		pp_builder_fail(f->builder, PP_E_NOMEM, NULL);
	else
		ok = names_collect(f, texts) && names_unique(f, texts, 0, ids) &&
		     names_unique(f, texts, 1, ids) && name_functions(f, texts, func_of) &&
		     pp_xd_build(f->parser, &f->walk, f->lines, func_of);
	free(texts[0]);
	free(texts[1]);
	free(func_of);
	return ok;
}

static void
fast_release(struct fast *f)
{
	unsigned i;

	pp_xd_walk_release(&f->walk);
	for (i = 0; i < f->parts; i++)
		pp_xd_walk_release(&f->part[i].walk);
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
		            .end = end,
		            .columns = part->event_count };
	pp_cg_series(parser, true, true);
	if (walk_all(f) && f->walk.stack.n == 0 && build(f)) {
		result = PP_XD_FAST_DONE;
		part->has_body = true;
		part->has_summary = f->walk.scan.has_summary;
		part->summary = pp_build_str(parser->builder, pp_slice_trim(f->walk.scan.summary));
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
