/*
 * zstd frames decoded side by side, as parallel compressors (pzstd) and concatenation make them.
 *
 * The file is cut into jobs of whole frames, at least JOB_LEAST decoded bytes each. Any thread may
 * claim the next job: the workers, and the reading thread itself whenever the block that it needs is
 * not ready, so that `threads` run at once in all and none waits idly. Jobs stand in a ring in the order
 * of the file, and the reader takes them in that order.
 *
 * Everything unusual (an unknown or huge frame size, damage, bytes behind the last frame) ends the ring,
 * and the streaming decoder goes on from that very frame: it knows what to say and to salvage.
 */
#include "io/pipeline.h"

#include <stdlib.h>
#include <zstd.h>

#include "io/filter.h"

#define JOB_LEAST ((size_t)1 << 20)
#define JOB_MOST ((size_t)32 << 20)
#define WORKERS_MOST 32
/* Two blocks may be with the reader, and one more lets the workers run on while it changes them. */
#define RING_SPARE 3

enum job_state { JOB_RUNNING, JOB_GOOD, JOB_BAD };

struct job {
	enum job_state state;
	const unsigned char *from; /* whole frames */
	size_t packed;             /* bytes of them */
	size_t size;               /* decoded */
	unsigned char *memory;     /* PP_BLOCK_HEAD + cap + PP_INPUT_PAD bytes */
	size_t cap;
};

struct frames {
	struct pp_pipe pipe;
	struct pp_io *io;
	struct pp_input *raw;   /* NULL once `feed` owns it */
	struct pp_feed *feed;   /* the streaming decoder, once it took over */
	struct pp_pipe *serial; /* and its thread */
	ZSTD_DCtx *context;     /* the reader's own */
	uint64_t made;          /* decoded bytes taken by the reader */
	unsigned workers;       /* threads running */
	pthread_t thread[WORKERS_MOST];
	pthread_mutex_t lock; /* guards all below */
	pthread_cond_t changed;
	const unsigned char *next; /* the first frame that no job has */
	bool ended;                /* no more jobs: all claimed, or something unusual at `next` */
	bool stop;
	size_t ring; /* jobs in use */
	size_t claimed, taken, freed;
	struct job jobs[WORKERS_MOST + RING_SPARE];
};

/* ---- cutting ---- */

/* The packed and decoded size of the frame at p; false when it is unusual. */
static bool
frame_sizes(const unsigned char *p, const unsigned char *end, size_t *packed, size_t *size)
{
	unsigned long long content;

	*packed = ZSTD_findFrameCompressedSize(p, (size_t)(end - p));
	if (ZSTD_isError(*packed))
		return false;
	if ((p[0] & 0xf0) == 0x50) {
		*size = 0; /* skippable */
		return true;
	}
	content = ZSTD_getFrameContentSize(p, (size_t)(end - p));
	*size = content < JOB_MOST ? (size_t)content : 0;
	return content < JOB_MOST;
}

/* Cuts the next job off; false when there is nothing or nothing usual left. */
static bool
job_cut(struct frames *f, struct job *job)
{
	const unsigned char *end = f->raw->end;
	size_t packed, size;

	job->from = f->next;
	job->size = 0;
	while (f->next < end && job->size < JOB_LEAST) {
		if (!frame_sizes(f->next, end, &packed, &size))
			break;
		job->size += size;
		f->next += packed;
	}
	job->packed = (size_t)(f->next - job->from);
	return job->packed > 0;
}

/* ---- decoding ---- */

static enum job_state
job_decode(struct job *job, ZSTD_DCtx *context)
{
	size_t made;

	if (job->cap < job->size || !job->memory) {
		free(job->memory);
		job->cap = job->size;
		job->memory = malloc(PP_BLOCK_HEAD + job->cap + PP_INPUT_PAD);
	}
	if (!job->memory || !context) {
		job->cap = 0;
		return JOB_BAD;
	}
	made = ZSTD_decompressDCtx(context, job->memory + PP_BLOCK_HEAD, job->size, job->from,
	                           job->packed);
	return !ZSTD_isError(made) && made == job->size ? JOB_GOOD : JOB_BAD;
}

/* Claims and decodes one job; false when none can be claimed now. Called and left with the lock. */
static bool
frames_work(struct frames *f, ZSTD_DCtx *context)
{
	struct job *job = &f->jobs[f->claimed % f->ring];
	enum job_state state;

	if (f->ended || f->stop || f->claimed - f->freed == f->ring)
		return false;
	if (!job_cut(f, job)) {
		f->ended = true;
		pthread_cond_broadcast(&f->changed);
		return false;
	}
	job->state = JOB_RUNNING;
	f->claimed++;
	pthread_mutex_unlock(&f->lock);
	state = job_decode(job, context);
	pthread_mutex_lock(&f->lock);
	job->state = state;
	pthread_cond_broadcast(&f->changed);
	return true;
}

static void *
frames_run(void *arg)
{
	struct frames *f = arg;
	ZSTD_DCtx *context = ZSTD_createDCtx();

	(void)pp_account_enter(f->io->account);
	pthread_mutex_lock(&f->lock);
	while (!f->stop && !f->ended)
		if (!frames_work(f, context) && !f->stop && !f->ended)
			pthread_cond_wait(&f->changed, &f->lock);
	pthread_mutex_unlock(&f->lock);
	ZSTD_freeDCtx(context);
	return NULL;
}

static void
frames_start(struct frames *f)
{
	unsigned most = f->io->threads - 1 < WORKERS_MOST ? f->io->threads - 1 : WORKERS_MOST;

	while (f->workers < most &&
	       pthread_create(&f->thread[f->workers], NULL, frames_run, f) == 0)
		f->workers++;
}

static void
frames_join(struct frames *f)
{
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	while (f->workers)
		pthread_join(f->thread[--f->workers], NULL);
}

/* ---- taking ---- */

/* Lets the streaming decoder go on from a frame. */
static bool
frames_fall_back(struct frames *f, const unsigned char *from, struct pp_block *block)
{
	frames_join(f);
	f->raw->cur = from;
	f->feed = pp_feed_zstd_from(f->io, f->raw, f->made);
	f->raw = NULL;
	f->serial = f->feed ? pp_pipe_feed(f->io, f->feed, PP_PIPE_START) : NULL;
	block->status = PP_E_NOMEM;
	return f->serial && f->serial->next(f->serial, block);
}

/* Whether it is known what comes next. Called with the lock. */
static bool
frames_settled(const struct frames *f)
{
	if (f->taken < f->claimed)
		return f->jobs[f->taken % f->ring].state != JOB_RUNNING;
	return f->ended;
}

static void
frames_take(struct frames *f, const struct job *job, bool last, struct pp_block *block)
{
	block->data = job->memory + PP_BLOCK_HEAD;
	block->size = job->size;
	block->last = last;
	f->made += job->size;
	atomic_store_explicit(&f->io->file_read, pp_input_offset(f->raw, job->from + job->packed),
	                      memory_order_relaxed);
	if (!pp_io_plausible(f->io, f->made)) {
		block->last = true;
		block->status = PP_E_LIMIT;
	}
}

static bool
frames_next(struct pp_pipe *pipe, struct pp_block *block)
{
	struct frames *f = (struct frames *)pipe;
	const unsigned char *unusual = NULL;
	struct job *job = NULL;
	bool last;

	*block = (struct pp_block){ .owner = pipe };
	if (!f->raw)
		return f->serial && f->serial->next(f->serial, block);
	if (f->taken == 1)
		frames_start(f);
	pthread_mutex_lock(&f->lock);
	while (!frames_settled(f))
		if (!frames_work(f, f->context) && !frames_settled(f))
			pthread_cond_wait(&f->changed, &f->lock);
	if (f->taken < f->claimed)
		job = &f->jobs[f->taken++ % f->ring];
	last = f->ended && f->taken == f->claimed && f->next == f->raw->end;
	if (job && job->state == JOB_BAD)
		unusual = job->from;
	else if (!job && !last)
		unusual = f->next;
	pthread_mutex_unlock(&f->lock);
	if (unusual)
		return frames_fall_back(f, unusual, block);
	if (job)
		frames_take(f, job, last, block);
	return job != NULL;
}

static void
frames_release(struct pp_pipe *pipe, struct pp_block *block)
{
	struct frames *f = (struct frames *)pipe;
	struct job *job = &f->jobs[f->freed % f->ring];

	(void)block;
	if (f->raw && f->raw->forget)
		f->raw->forget(f->raw, job->from, job->from + job->packed);
	pthread_mutex_lock(&f->lock);
	f->freed++;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void
frames_stop(struct pp_pipe *pipe)
{
	struct frames *f = (struct frames *)pipe;
	size_t i;

	frames_join(f);
	if (f->serial)
		f->serial->stop(f->serial);
	if (f->feed)
		f->feed->close(f->feed);
	if (f->raw)
		f->raw->close(f->raw);
	for (i = 0; i < f->ring; i++)
		free(f->jobs[i].memory);
	ZSTD_freeDCtx(f->context);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

struct pp_pipe *
pp_pipe_frames(struct pp_io *io, struct pp_input *raw)
{
	struct frames *f;
	struct job first;

	if (io->threads < 2 || !raw->stable)
		return NULL;
	f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->pipe = (struct pp_pipe){ frames_next, frames_release, frames_stop };
	f->io = io;
	f->raw = raw;
	f->next = raw->cur;
	f->ring = (io->threads < WORKERS_MOST ? io->threads : WORKERS_MOST) + RING_SPARE;
	/* One job, or none that is usual: the streaming decoder does as well. */
	if (!job_cut(f, &first) || f->next == raw->end) {
		free(f);
		return NULL;
	}
	f->next = raw->cur;
	f->context = ZSTD_createDCtx();
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	return &f->pipe;
}
