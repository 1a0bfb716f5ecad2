/*
 * Runs, parts and rounds.
 */
#include "formats/kit/parts.h"

void
pp_input_let_go(struct pp_input *in, struct pp_behind *behind, const unsigned char *from,
                const unsigned char *done)
{
	if (!in->stable || !in->forget)
		return;
	in->forget(in, from, done);
	behind->to = done;
}

/* ---- runs ---- */

/*
 * The end of the whole lines in memory, `most` bytes of them or one; in->cur when there is none. The first
 * `searched` bytes hold no line end.
 */
static const unsigned char *
run_end(const struct pp_runs *r, const struct pp_input *in, size_t searched)
{
	size_t left = pp_input_left(in), most = r->most && r->most < left ? r->most : left;
	const unsigned char *end = in->cur;

	if (searched < most)
		end = pp_last_line_end(in->cur + searched, in->cur + most);
	if (end > in->cur + searched)
		return end;
	end = pp_line_end(in->cur + (searched > most ? searched : most), in->end);
	return end > in->cur && end[-1] == '\n' ? end : in->cur;
}

pp_status
pp_runs_next(struct pp_runs *r, struct pp_slice *run)
{
	struct pp_input *in = r->reader->in;
	size_t searched = 0;

	*run = pp_slice_of(in->cur, 0);
	if (r->begun && r->reader->progress && r->reader->progress(r->reader))
		return PP_E_IO;
	r->begun = true;
	r->begin = r->begin ? r->begin : in->cur;
	if (in->stable)
		pp_input_behind(in, &r->behind, r->begin, in->cur);
	for (;;) {
		const unsigned char *end = run_end(r, in, searched);

		r->last = in->at_end && (end == in->end || end == in->cur);
		if (r->last || end > in->cur) {
			*run = pp_slice_between(in->cur, r->last ? in->end : end);
			return PP_OK;
		}
		searched = pp_input_left(in);
		if (searched > r->reader->limits.max_line)
			return PP_E_LIMIT;
		(void)pp_input_need(in, searched + 1);
	}
}

/* ---- parts ---- */

unsigned
pp_parts_cut(struct pp_slice text, unsigned most, size_t smallest,
             const unsigned char *(*record_end)(const unsigned char *p, const unsigned char *end),
             const unsigned char **cut)
{
	const unsigned char *end = text.p + text.n;
	size_t fit = smallest ? text.n / smallest : most, i;
	size_t parts = fit < most ? (fit ? fit : 1) : most;
	unsigned n = 0;

	cut[0] = text.p;
	for (i = 1; i <= parts; i++) {
		const unsigned char *at = text.p + text.n / parts * i;

		if (i == parts)
			at = end;
		else if (at > cut[n])
			at = record_end(at, end);
		if (at > cut[n])
			cut[++n] = at;
	}
	return n;
}

/* ---- rounds ---- */

/* Job 0: uses what was worked on, then fills that half again. */
static void
half_turn(struct pp_rounds *r)
{
	unsigned first = r->ready * r->room, n = 0, i;

	for (i = 0; i < r->filled[r->ready] && !r->stopped; i++)
		r->stopped = !r->take(r->ctx, first + i);
	while (n < r->room && !r->ended && !r->stopped) {
		r->ended = !r->fill(r->ctx, first + n);
		n += !r->ended;
	}
	r->filled[r->ready] = n;
}

static void
round_job(void *ctx, unsigned index)
{
	struct pp_rounds *r = ctx;

	if (index == 0)
		half_turn(r);
	else
		r->work(r->ctx, !r->ready * r->room + index - 1);
}

pp_status
pp_rounds_run(struct pp_rounds *r)
{
	r->filled[0] = r->filled[1] = r->ready = 0;
	r->ended = r->stopped = false;
	half_turn(r);
	for (r->ready = 1; (r->filled[0] || r->filled[1]) && !r->stopped; r->ready = !r->ready) {
		unsigned working = r->filled[!r->ready];

		/* All of a small input is at hand: no thread is needed. */
		if (r->ended && !r->filled[r->ready] && working == 1)
			r->work(r->ctx, !r->ready * r->room);
		else
			r->reader->run(r->reader, working + 1, round_job, r);
		if (r->reader->progress && r->reader->progress(r->reader))
			return PP_E_IO;
	}
	return PP_OK;
}
