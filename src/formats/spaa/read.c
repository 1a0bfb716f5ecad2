/*
 * Reading SPAA: chunks of lines are taken apart on any number of threads, their records are judged and
 * used in the order of the file on one.
 *
 * With several threads a round takes the next chunks apart while the records of the round before are
 * used. With one thread, or when bytes do not stay in memory, it goes chunk by chunk. Either way all
 * records of a chunk are known before the first is used, so what their ids hash to can be fetched ahead.
 */
#include "formats/spaa/spaa.h"
#include "formats/spaa/carry.h"
#include "formats/spaa/kept.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define ROUND_CHUNKS 16
#define FORGET_KEEP ((size_t)32 << 20)
#define SMALLEST_PARALLEL ((size_t)4 << 20)

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

	if (!r->id_slots)
		return;
	if (at + SLOT_AHEAD < c->records.n && (id = record_id(&c->records.at[at + SLOT_AHEAD])))
		__builtin_prefetch(&r->id_slots[id->hash >> (64 - r->id_bits)]);
	if (at + ROW_AHEAD < c->records.n && (id = record_id(&c->records.at[at + ROW_AHEAD]))) {
		uint32_t row = r->id_slots[id->hash >> (64 - r->id_bits)].id;

		if (row)
			__builtin_prefetch(&r->ids.at[row - 1]);
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
	uint64_t errors = r->errors;

	if (rec->type == PP_SPAA_O_NONE)
		return;
	if (rec->type == PP_SPAA_O_HEADER) {
		pp_spaa_apply_header(r, rec);
	} else if (PP_UNLIKELY(!r->header.seen)) {
		/* Once is enough: all records before the header are refused. */
		if (!r->early)
			pp_spaa_report(r, rec, PP_SPAA_R_HEADER_FIRST, rec->text.p,
			               "a record before the header");
		r->early = true;
		return;
	}
	switch (rec->type) {
	case PP_SPAA_O_STACK:
		(void)pp_spaa_apply_stack(r, rec);
		break;
	case PP_SPAA_O_SAMPLE:
		(void)pp_spaa_apply_sample(r, rec);
		break;
	case PP_SPAA_O_WINDOW:
		(void)pp_spaa_apply_window(r, rec);
		break;
	case PP_SPAA_O_DSO:
		pp_spaa_apply_dso(r, rec);
		break;
	case PP_SPAA_O_FRAME:
		pp_spaa_apply_frame(r, rec);
		break;
	case PP_SPAA_O_THREAD:
		pp_spaa_apply_thread(r, rec);
		break;
	case PP_SPAA_O_OTHER:
		pp_spaa_carry_record(r, rec);
		break;
	default:
		break;
	}
	if (r->kept && !rec->wrong && r->errors == errors)
		pp_spaa_kept_add(r, rec);
}

static void
chunk_apply(struct pp_spaa_reader *r, const struct pp_spaa_chunk *c)
{
	size_t i;

	if (c->status != PP_OK)
		pp_builder_fail(r->builder, c->status, NULL);
	r->chunk = c;
	r->has_extras |= c->extras;
	findings_report(r, c);
	for (i = 0; i < c->records.n && pp_builder_ok(r->builder) && !r->gave_up; i++) {
		fetch_ahead(r, c, i);
		record_apply(r, &c->records.at[i]);
	}
	r->lines += c->lines;
}

/* ---- one thread ------------------------------------------------------------------------- */

static bool
stopped(struct pp_spaa_reader *r)
{
	return !pp_builder_ok(r->builder) || r->gave_up;
}

/* The end of the last whole line of [from, to), or `from`. */
static const unsigned char *
last_line(const unsigned char *from, const unsigned char *to)
{
	const unsigned char *newline = from < to ? memrchr(from, '\n', (size_t)(to - from)) : NULL;

	return newline ? newline + 1 : from;
}

static pp_status
read_alone(struct pp_spaa_reader *r)
{
	struct pp_input *in = r->reader->in;
	const unsigned char *forgotten = in->cur;
	struct pp_spaa_chunk chunk = { 0 };
	pp_status status = PP_OK;
	size_t want = CHUNK_BYTES;

	while (status == PP_OK && !stopped(r) && pp_input_need(in, 1)) {
		bool full = pp_input_need(in, want);
		size_t left = pp_input_left(in);

		chunk.begin = in->cur;
		chunk.end = last_line(in->cur, in->cur + (left < want ? left : want));
		if (!full && in->at_end) {
			chunk.end = in->end;
		} else if (chunk.end == chunk.begin) {
			/* One line is longer than that. */
			if (want > r->reader->limits.max_line) {
				pp_builder_fail(r->builder, PP_E_LIMIT, "a line is too long");
				break;
			}
			want *= 2;
			continue;
		}
		want = CHUNK_BYTES;
		pp_spaa_chunk_parse(&chunk, &r->line_parser);
		chunk_apply(r, &chunk);
		in->cur = chunk.end;
		if (in->stable && in->forget && (size_t)(in->cur - forgotten) > FORGET_KEEP) {
			in->forget(in, forgotten, in->cur);
			forgotten = in->cur;
		}
		if (r->reader->progress && r->reader->progress(r->reader))
			status = PP_E_IO;
	}
	pp_spaa_chunk_release(&chunk);
	return stopped(r) ? r->builder->status : status;
}

/* ---- several threads -------------------------------------------------------------------- */

struct round {
	struct pp_spaa_chunk chunks[ROUND_CHUNKS];
	unsigned n;
};

struct parallel {
	struct pp_spaa_reader *r;
	struct round rounds[2]; /* one is used while the other is taken apart */
	struct round *ready, *next;
	struct pp_spaa_parser parsers[ROUND_CHUNKS];
};

/* Job 0 uses the round that is ready, the others take the next one apart. */
static void
parallel_job(void *context, unsigned index)
{
	struct parallel *par = context;
	unsigned i;

	if (index > 0) {
		pp_spaa_chunk_parse(&par->next->chunks[index - 1], &par->parsers[index - 1]);
		return;
	}
	for (i = 0; i < par->ready->n; i++)
		chunk_apply(par->r, &par->ready->chunks[i]);
}

/* Cuts the next round off the input at line ends. */
static void
round_cut(struct round *round, struct pp_input *in)
{
	for (round->n = 0; round->n < ROUND_CHUNKS && pp_input_left(in) > 0; round->n++) {
		struct pp_spaa_chunk *c = &round->chunks[round->n];

		c->begin = in->cur;
		c->end = in->end;
		if (pp_input_left(in) > CHUNK_BYTES) {
			const unsigned char *at = in->cur + CHUNK_BYTES;
			const unsigned char *newline = memchr(at, '\n', (size_t)(in->end - at));

			c->end = newline ? newline + 1 : in->end;
		}
		in->cur = c->end;
	}
}

static pp_status
read_parallel(struct pp_spaa_reader *r, struct parallel *par)
{
	struct pp_input *in = r->reader->in;
	const unsigned char *forgotten = in->cur;
	unsigned i;

	for (i = 0; i < ROUND_CHUNKS; i++)
		if (!pp_spaa_parser_init(&par->parsers[i], r->reader->seed,
		                         r->reader->limits.max_nesting))
			return PP_E_NOMEM;
	par->ready = &par->rounds[0];
	par->next = &par->rounds[1];
	for (;;) {
		const unsigned char *done = in->cur;
		struct round *swap;

		round_cut(par->next, in);
		if (par->next->n == 0 && par->ready->n == 0)
			return PP_OK;
		r->reader->run(r->reader, par->next->n + 1, parallel_job, par);
		if (stopped(r))
			return r->builder->status;
		/* What was ready has been used, up to `done`; diagnostics hold no slices of it. */
		if (in->forget && done - forgotten > (ptrdiff_t)FORGET_KEEP) {
			in->forget(in, forgotten, done);
			forgotten = done;
		}
		swap = par->ready;
		par->ready = par->next;
		par->next = swap;
		par->next->n = 0;
		if (r->reader->progress && r->reader->progress(r->reader))
			return PP_E_IO;
	}
}

static pp_status
read_lines(struct pp_spaa_reader *r)
{
	struct parallel *par;
	pp_status status = PP_E_NOMEM;
	unsigned i, k;

	if (r->reader->threads < 2 || !r->reader->in->stable ||
	    pp_input_left(r->reader->in) < SMALLEST_PARALLEL)
		return read_alone(r);
	par = calloc(1, sizeof *par);
	if (par) {
		par->r = r;
		status = read_parallel(r, par);
		for (i = 0; i < ROUND_CHUNKS; i++) {
			pp_spaa_parser_release(&par->parsers[i]);
			for (k = 0; k < 2; k++)
				pp_spaa_chunk_release(&par->rounds[k].chunks[i]);
		}
	}
	free(par);
	return status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static bool
state_init(struct pp_spaa_reader *r, struct pp_reader *reader, struct pp_builder *builder)
{
	uint64_t seed = reader->seed;

	r->reader = reader;
	r->builder = builder;
	r->want_time = reader->want & PP_TIMELINE;
	r->want_tree = r->want_time || reader->want & (PP_TREE | PP_EDGES | PP_LINES);
	r->flat = (reader->want & PP_FLAT || reader->order->filter) && !r->want_time &&
	          !(reader->want & PP_EXTRAS);
	pp_sieve_init(&r->sieve, r->flat ? reader->order->filter : NULL);
	r->keep = reader->order->keep && !r->want_time && !r->flat && !(reader->want & PP_EXTRAS);
	r->functions = r->flat ||
	               (reader->want & PP_FUNCTIONS && !(reader->want & (PP_EXTRAS | PP_SITES)));
	if (reader->want & PP_FINDINGS)
		r->want_tree = r->want_time = false;
	r->event_of.seed = r->func_of.seed = r->metric_of.seed = r->series_of.seed = seed;
	r->contexts.seed = r->pending_of.seed = r->dso_of.large.seed = r->frame_of.large.seed =
	    seed;
	r->thread_of.large.seed = seed;
	r->unit_of.seed = r->counted.seed = seed;
	r->batch_frames = malloc(PP_TREE_BATCH * sizeof *r->batch_frames);
	r->batch_depth = malloc(PP_SPAA_BATCH * sizeof *r->batch_depth);
	r->batch_under = malloc(PP_SPAA_BATCH * sizeof *r->batch_under);
	r->batch_leaf = malloc(PP_SPAA_BATCH * sizeof *r->batch_leaf);
	r->batch_rows = malloc(PP_SPAA_BATCH * sizeof *r->batch_rows);
	if (reader->want & PP_EXTRAS) {
		r->kept = pp_spaa_kept_new(builder->profile);
		if (!r->kept)
			return false;
	}
	return r->batch_frames && r->batch_depth && r->batch_under && r->batch_leaf &&
	       r->batch_rows && pp_spaa_parser_init(&r->parser, seed, reader->limits.max_nesting) &&
	       pp_spaa_parser_init(&r->line_parser, seed, reader->limits.max_nesting);
}

static void
state_release(struct pp_spaa_reader *r)
{
	size_t i;

	for (i = 0; i < r->events.n; i++) {
		pp_vec_release(&r->events.at[i].columns);
		pp_vec_release(&r->events.at[i].rows);
		pp_vec_release(&r->events.at[i].cells);
		pp_sums_release(&r->events.at[i].sums);
	}
	pp_spaa_parser_release(&r->parser);
	pp_spaa_parser_release(&r->line_parser);
	pp_vec_release(&r->events);
	pp_map_release(&r->event_of);
	pp_spaa_table_release(&r->dso_of);
	pp_spaa_table_release(&r->frame_of);
	pp_spaa_table_release(&r->thread_of);
	pp_vec_release(&r->dsos);
	pp_vec_release(&r->frames);
	pp_vec_release(&r->threads);
	pp_map_release(&r->func_of);
	if (r->id_slots)
		r->builder->pages->put(r->id_slots, sizeof *r->id_slots << r->id_bits);
	pp_vec_release(&r->ids);
	pp_vec_release(&r->id_frames);
	pp_arena_release(&r->id_texts);
	pp_vec_release(&r->stacks);
	pp_map_release(&r->contexts);
	pp_vec_release(&r->metrics);
	pp_map_release(&r->metric_of);
	pp_map_release(&r->unit_of);
	pp_map_release(&r->counted);
	pp_vec_release(&r->resolved);
	pp_vec_release(&r->weight_metrics);
	pp_vec_release(&r->series);
	pp_map_release(&r->series_of);
	free(r->series_at);
	free(r->batch_frames);
	free(r->batch_depth);
	free(r->batch_under);
	free(r->batch_leaf);
	free(r->batch_rows);
	pp_vec_release(&r->pending);
	pp_map_release(&r->pending_of);
	pp_vec_release(&r->links);
	pp_vec_release(&r->less);
	pp_vec_release(&r->own);
	pp_vec_release(&r->total);
	pp_vec_release(&r->path);
	pp_vec_release(&r->held);
	pp_vec_release(&r->held_frames);
	pp_vec_release(&r->moments);
	pp_vec_release(&r->windows);
	pp_vec_release(&r->window_weights);
	pp_sieve_release(&r->sieve);
	pp_spaa_carry_free(r->carry);
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
		status = read_lines(r);
		if (status == PP_OK && !r->header.seen) {
			if (!r->early)
				pp_diag_add(reader->diags, &pp_spaa_rules[PP_SPAA_R_HEADER_MISSING],
				            pp_at_line(1, 1, 0), "the file has no header");
			r->gave_up = true;
		}
		if (status == PP_OK && !r->gave_up) {
			pp_spaa_apply_end(r);
			pp_spaa_carry_finish(r);
			if (!r->installed)
				pp_spaa_model_finish(r);
			status = builder->status;
		}
		if (r->errors)
			builder->profile->complete = false;
		if (status == PP_OK && r->gave_up)
			status = PP_E_INVALID;
	} else {
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
	}
	if (r)
		state_release(r);
	free(r);
	return status;
}
