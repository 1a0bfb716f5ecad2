/*
 * Reading SPAA: chunks of lines are taken apart on any number of threads, their records are judged and
 * used in the order of the file on one.
 *
 * With several threads a round takes the next chunks apart while the records of the round before are
 * used. With one thread, or when bytes do not stay in memory, it goes chunk by chunk. Either way all
 * records of a chunk are known before the first is used, so what their ids hash to can be fetched ahead.
 */
#include "formats/kit/parts.h"
#include "formats/spaa/spaa.h"
#include "formats/spaa/carry.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define ROUND_CHUNKS 16
#define SMALLEST_PARALLEL ((size_t)4 << 20)

#define LINE_TOO_LONG "a line is too long"

/* Records ahead of which an id's slot, and then its row, are fetched. */
#define SLOT_AHEAD 24
#define ROW_AHEAD 12

/* ---- records ---------------------------------------------------------------------------- */

static const struct pp_spaa_id *
record_id(const struct pp_spaa_record *rec)
{
	if (rec->wrong)
		return NULL;
	if (rec->type == PP_SPAA_O_SAMPLE)
		return &rec->u.sample.id;
	return rec->type == PP_SPAA_O_STACK ? &rec->u.stack.id : NULL;
}

/* Always inline: a call of a function that does nothing but fetch is optimised away. */
static inline __attribute__((always_inline)) void
fetch_ahead(const struct pp_spaa_reader *r, const struct pp_spaa_chunk *c, size_t at)
{
	const struct pp_spaa_id *id;

	if (at + SLOT_AHEAD < c->records.n && (id = record_id(&c->records.at[at + SLOT_AHEAD])))
		pp_slots_prefetch(&r->stacks.slots, (uint32_t)(id->hash >> 32));
	if (at + ROW_AHEAD < c->records.n && (id = record_id(&c->records.at[at + ROW_AHEAD]))) {
		const struct pp_slots *s = &r->stacks.slots;
		uint32_t row = s->at[pp_slots_begin(s, (uint32_t)(id->hash >> 32))].row;

		if (row)
			__builtin_prefetch(&r->stacks.ids.at[row - 1]);
	}
}

/* What was found while the chunk was taken apart. */
static void
findings_report(struct pp_spaa_reader *r, const struct pp_spaa_chunk *c)
{
	size_t i;

	for (i = 0; i < c->findings.n; i++) {
		const struct pp_spaa_finding *f = &c->findings.at[i];
		struct pp_spaa_record rec = { .line = f->line, .text = { f->line_at, SIZE_MAX } };

		rec.text.n = (size_t)(c->end - f->line_at);
		pp_spaa_report(r, &rec, f->rule, f->at, "%s", f->message);
	}
}

static void
record_apply(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	static void (*const apply[])(struct pp_spaa_reader *, const struct pp_spaa_record *) = {
		[PP_SPAA_O_HEADER] = pp_spaa_apply_header,
		[PP_SPAA_O_STACK] = pp_spaa_apply_stack,
		[PP_SPAA_O_SAMPLE] = pp_spaa_apply_sample,
		[PP_SPAA_O_WINDOW] = pp_spaa_apply_window,
		[PP_SPAA_O_DSO] = pp_spaa_apply_dso,
		[PP_SPAA_O_FRAME] = pp_spaa_apply_frame,
		[PP_SPAA_O_THREAD] = pp_spaa_apply_thread,
		[PP_SPAA_O_OTHER] = pp_spaa_carry_record,
	};

	if (rec->type == PP_SPAA_O_NONE)
		return;
	if (PP_UNLIKELY(!r->header.seen && rec->type != PP_SPAA_O_HEADER)) {
		/* Once is enough: all records before the header are refused. */
		if (!r->in.early)
			pp_spaa_report(r, rec, PP_SPAA_R_HEADER_FIRST, rec->text.p,
			               "a record before the header");
		r->in.early = true;
		return;
	}
	apply[rec->type](r, rec);
	if (r->carried.kept && r->in.errors)
		pp_spaa_kept_drop(r);
	else if (r->carried.kept)
		pp_spaa_kept_add(r, rec);
}

static void
chunk_apply(struct pp_spaa_reader *r, const struct pp_spaa_chunk *c)
{
	size_t i;

	if (c->status != PP_OK)
		pp_builder_fail(r->builder, c->status,
		                c->status == PP_E_LIMIT ? LINE_TOO_LONG : NULL);
	r->in.chunk = c;
	r->carried.has_extras |= c->extras;
	findings_report(r, c);
	for (i = 0; i < c->records.n && pp_builder_ok(r->builder) && !r->in.gave_up; i++) {
		fetch_ahead(r, c, i);
		record_apply(r, &c->records.at[i]);
	}
	r->in.lines += c->lines;
}

/* ---- one thread ------------------------------------------------------------------------- */

static bool
stopped(struct pp_spaa_reader *r)
{
	return !pp_builder_ok(r->builder) || r->in.gave_up;
}

static pp_status
read_alone(struct pp_spaa_reader *r)
{
	struct pp_runs runs = { .reader = r->reader, .most = CHUNK_BYTES };
	struct pp_spaa_chunk chunk = { 0 };
	pp_status status = PP_OK;
	struct pp_slice run;

	while (!stopped(r) && (status = pp_runs_next(&runs, &run)) == PP_OK && run.n) {
		chunk.begin = run.p;
		chunk.end = run.p + run.n;
		pp_spaa_chunk_parse(&chunk, &r->in.parser);
		chunk_apply(r, &chunk);
		r->reader->in->cur = chunk.end;
	}
	pp_spaa_chunk_release(&chunk);
	if (status == PP_E_LIMIT)
		pp_builder_fail(r->builder, status, LINE_TOO_LONG);
	return stopped(r) ? r->builder->status : status;
}

/* ---- several threads -------------------------------------------------------------------- */

struct parallel {
	struct pp_spaa_reader *r;
	struct pp_spaa_chunk chunks[2 * ROUND_CHUNKS];
	struct pp_spaa_parser parsers[ROUND_CHUNKS];
	const unsigned char *begin;
	struct pp_behind behind;
};

/* Cuts the next chunk off the input at a line end. */
static bool
parallel_fill(void *ctx, unsigned piece)
{
	struct parallel *par = ctx;
	struct pp_spaa_chunk *c = &par->chunks[piece];
	struct pp_input *in = par->r->reader->in;

	c->begin = in->cur;
	in->cur = c->end = pp_input_left(in) > CHUNK_BYTES
	                       ? pp_line_end(in->cur + CHUNK_BYTES, in->end)
	                       : in->end;
	return c->begin < c->end;
}

static void
parallel_work(void *ctx, unsigned piece)
{
	struct parallel *par = ctx;

	pp_spaa_chunk_parse(&par->chunks[piece], &par->parsers[piece % ROUND_CHUNKS]);
}

/* Diagnostics hold no slices of what was used. */
static bool
parallel_take(void *ctx, unsigned piece)
{
	struct parallel *par = ctx;

	chunk_apply(par->r, &par->chunks[piece]);
	pp_input_behind(par->r->reader->in, &par->behind, par->begin, par->chunks[piece].end);
	return !stopped(par->r);
}

static pp_status
read_parallel(struct pp_spaa_reader *r)
{
	struct parallel *par = calloc(1, sizeof *par);
	struct pp_rounds rounds = { .reader = r->reader,
		                    .ctx = par,
		                    .room = ROUND_CHUNKS,
		                    .fill = parallel_fill,
		                    .work = parallel_work,
		                    .take = parallel_take };
	pp_status status = PP_E_NOMEM;
	bool fine = par != NULL;
	unsigned i;

	for (i = 0; fine && i < ROUND_CHUNKS; i++)
		fine = pp_spaa_parser_init(&par->parsers[i], r->reader->seed, &r->reader->limits);
	if (fine) {
		par->r = r;
		par->begin = r->reader->in->cur;
		status = pp_rounds_run(&rounds);
	}
	for (i = 0; par && i < 2 * ROUND_CHUNKS; i++) {
		pp_spaa_parser_release(&par->parsers[i % ROUND_CHUNKS]);
		pp_spaa_chunk_release(&par->chunks[i]);
	}
	free(par);
	return stopped(r) ? r->builder->status : status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static bool
state_init(struct pp_spaa_reader *r, struct pp_reader *reader, struct pp_builder *builder)
{
	unsigned facets = reader->order->facets;
	struct pp_map *maps[] = {
		&r->costs.event_of,     &r->dicts.func_of,        &r->metrics.of,
		&r->costs.series_of,    &r->stacks.contexts,      &r->stacks.pending_of,
		&r->dicts.dso_of.large, &r->dicts.frame_of.large, &r->dicts.thread_of.large,
		&r->metrics.unit_of,    &r->metrics.counted,      &r->times.share_of,
		&r->costs.labels_of
	};
	size_t i;

	r->reader = reader;
	r->builder = builder;
	/* All rules are looked at either way; what they need not is left out where nobody asks for it. */
	r->want_time = facets & (PP_TIMELINE | PP_THREADS) && !(facets & PP_FINDINGS);
	r->want_costs = !(facets & PP_FINDINGS) &&
	                (r->want_time ||
	                 pp_order_needs(reader->order, PP_TREE | PP_EDGES | PP_LINES));
	for (i = 0; i < PP_COUNT_OF(maps); i++)
		maps[i]->seed = reader->seed;
	if (facets & PP_EXTRAS && !(r->carried.kept = pp_spaa_kept_new(&builder->profile->kept)))
		return false;
	return pp_slots_init(&r->stacks.slots, 10, builder->pages) &&
	       pp_spaa_parser_init(&r->in.parser, reader->seed, &reader->limits);
}

static void
state_release(struct pp_spaa_reader *r)
{
	pp_spaa_parser_release(&r->in.parser);
	pp_spaa_dicts_release(&r->dicts);
	pp_spaa_stacks_release(&r->stacks);
	pp_spaa_metrics_release(&r->metrics);
	pp_spaa_costs_release(&r->costs);
	pp_vec_release(&r->times.moments);
	pp_vec_release(&r->times.windows);
	pp_vec_release(&r->times.window_weights);
	pp_vec_release(&r->times.shares);
	pp_vec_release(&r->times.share_cells);
	pp_map_release(&r->times.share_of);
	pp_spaa_carry_free(r->carried.carry);
	pp_vec_release(&r->carried.frames);
	pp_vec_release(&r->carried.ends);
}

/* A UTF-8 byte order mark is skipped; columns and offsets still count it. */
static void
skip_mark(struct pp_reader *reader)
{
	if (!pp_input_need(reader->in, 3) || memcmp(reader->in->cur, "\xef\xbb\xbf", 3) != 0)
		return;
	pp_diag_add(reader->diags, &pp_spaa_rules[PP_SPAA_R_BOM], pp_at_line(1, 1, 0),
	            "the file starts with a byte order mark");
	reader->in->cur += 3;
}

pp_status
pp_spaa_read(struct pp_reader *reader, struct pp_builder *builder)
{
	struct pp_spaa_reader *r = calloc(1, sizeof *r);
	pp_status status = PP_E_NOMEM;

	if (r && state_init(r, reader, builder)) {
		skip_mark(reader);
		status = reader->threads < 2 || !reader->in->stable ||
		                 pp_input_left(reader->in) < SMALLEST_PARALLEL
		             ? read_alone(r)
		             : read_parallel(r);
		if (status == PP_OK && !r->header.seen) {
			if (!r->in.early)
				pp_diag_add(reader->diags, &pp_spaa_rules[PP_SPAA_R_HEADER_MISSING],
				            pp_at_line(1, 1, 0), "the file has no header");
			r->in.gave_up = true;
		}
		if (status == PP_OK && !r->in.gave_up) {
			pp_spaa_apply_end(r);
			if (r->in.errors)
				pp_spaa_kept_drop(r);
			else if (r->carried.kept)
				r->carried.kept->incomplete = r->header.incomplete;
			pp_spaa_carry_finish(r);
			if (!r->carried.installed)
				pp_spaa_model_finish(r);
			status = builder->status;
		}
		if (r->in.errors || r->header.incomplete)
			builder->profile->complete = false;
		if (status == PP_OK && r->in.gave_up)
			status = PP_E_INVALID;
	} else {
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
	}
	if (r)
		state_release(r);
	free(r);
	return status;
}
