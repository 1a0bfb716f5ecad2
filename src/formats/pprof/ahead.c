/*
 * Samples on several threads: all but one take samples apart and look up their frames, which depends on the bytes alone; one
 * uses them in the order of the file, so that nothing depends on their number. Whatever is odd, is to be told, or has labels,
 * is left to the plain way, piece by piece.
 */
#include "formats/kit/parts.h"
#include "formats/pprof/pprof.h"

#define PIECE_BYTES ((size_t)256 << 10)
#define ROUND_PIECES 8
/* Less is done before threads have started. */
#define SMALLEST ((size_t)4 << 20)

struct row {
	uint32_t depth;
	uint32_t at; /* its message in the piece */
};

struct piece {
	struct pp_slice bytes;
	bool plain;
	PP_VEC(struct row) rows;
	PP_VEC(pp_frame) frames; /* of all of them, root first */
	PP_VEC(int64_t) values;
};

struct ahead {
	const struct pprof_ahead *with;
	struct pprof_doc doc; /* as it is at the start */
	struct pp_wire wire;  /* samples that are to be cut off */
	struct piece pieces[2 * ROUND_PIECES];
};

/* Cuts the next piece off at the end of a message. */
static bool
piece_fill(void *ctx, unsigned which)
{
	struct ahead *a = ctx;
	struct piece *piece = &a->pieces[which];
	const unsigned char *begin = a->wire.cur;
	struct pp_wire_field f;

	while ((size_t)(a->wire.cur - begin) < PIECE_BYTES && pp_wire_next(&a->wire, &f))
		;
	piece->bytes = pp_slice_between(begin, a->wire.cur);
	return piece->bytes.n > 0;
}

/* The frames of a sample behind those of the others, root first; false when there are too many, or no memory. */
static bool
frames_add(const struct pprof_ahead *with, struct piece *piece, const uint32_t *locations, size_t n,
           size_t *depth)
{
	size_t need = 0, i;
	pp_frame *to;
	uint32_t k;

	for (i = 0; i < n; i++)
		need += with->spans[locations[i]].n;
	if (need > with->max_depth || !pp_vec_reserve(&piece->frames, piece->frames.n + need))
		return false;
	to = piece->frames.at + piece->frames.n + need;
	for (i = 0; i < n; i++)
		for (k = 0; k < with->spans[locations[i]].n; k++)
			*--to = with->frames[with->spans[locations[i]].first + k];
	piece->frames.n += need;
	*depth = need;
	return true;
}

static bool
sample_add(const struct pprof_ahead *with, struct piece *piece, struct pprof_samples *s)
{
	size_t values = s->values.n, n = s->stack.n, depth;
	uint32_t *locations = s->stack.at;

	if (with->cuts)
		pp_pprof_cut_stack(with->cuts, &locations, &n);
	if (s->labels.n || !frames_add(with, piece, locations, n, &depth) ||
	    !pp_vec_reserve(&piece->values, piece->values.n + values) ||
	    !pp_vec_push(&piece->rows, ((struct row){ (uint32_t)depth,
	                                              (uint32_t)(s->message.p - piece->bytes.p) })))
		return false;
	memcpy(piece->values.at + piece->values.n, s->values.at, values * sizeof *s->values.at);
	piece->values.n += values;
	return true;
}

static void
piece_work(void *ctx, unsigned which)
{
	struct ahead *a = ctx;
	struct piece *piece = &a->pieces[which];
	/* Tables are shared and do not change; what is told or fails is this piece's own. */
	struct pprof_doc doc = a->doc;
	struct pprof_samples s;

	piece->plain = true;
	piece->rows.n = piece->frames.n = piece->values.n = 0;
	pp_pprof_samples_of(&s, &doc, piece->bytes, false);
	while (piece->plain && pp_pprof_samples_next(&s))
		piece->plain = sample_add(a->with, piece, &s);
	piece->plain &= !s.odd && !doc.no_memory;
	pp_pprof_samples_release(&s);
}

static bool
piece_take(void *ctx, unsigned which)
{
	struct ahead *a = ctx;
	const struct pprof_ahead *with = a->with;
	const struct piece *piece = &a->pieces[which];
	const pp_frame *frames = piece->frames.at;
	const int64_t *values = piece->values.at;
	bool fine = true;
	size_t i;

	if (!piece->plain)
		return with->odd(with->ctx, piece->bytes);
	for (i = 0; fine && i < piece->rows.n; i++) {
		const struct row *row = &piece->rows.at[i];

		fine = with->sample(with->ctx, piece->bytes.p + row->at, frames, row->depth,
		                    values);
		frames += row->depth;
		values += with->doc->types.n;
	}
	return fine;
}

bool
pp_pprof_may_go_ahead(const struct pp_reader *reader, const struct pprof_doc *d)
{
	return reader->threads > 1 && reader->run && d->sample_count && d->types.n &&
	       (size_t)(d->samples_end - d->samples) >= SMALLEST;
}

pp_status
pp_pprof_go_ahead(struct pp_reader *reader, const struct pprof_ahead *with)
{
	struct ahead *a = calloc(1, sizeof *a);
	struct pp_rounds rounds = { .reader = reader,
		                    .ctx = a,
		                    .room = ROUND_PIECES,
		                    .fill = piece_fill,
		                    .work = piece_work,
		                    .take = piece_take };
	pp_status status = PP_E_NOMEM;
	unsigned i;

	if (!a)
		return status;
	a->with = with;
	a->doc = *with->doc;
	a->doc.diags = NULL;
	pp_wire_init(&a->wire, pp_slice_between(with->doc->samples, with->doc->samples_end));
	status = pp_rounds_run(&rounds);
	for (i = 0; i < PP_COUNT_OF(a->pieces); i++) {
		pp_vec_release(&a->pieces[i].rows);
		pp_vec_release(&a->pieces[i].frames);
		pp_vec_release(&a->pieces[i].values);
	}
	free(a);
	return status;
}
