/*
 * A ring of blocks between the thread that decodes and the one that parses.
 *
 * Slots are used in turn. `filled` counts the blocks finished by the feed's thread, `freed` those given
 * back by the reader; both only grow, under the lock. The thread may write slot `filled % RING` when
 * filled - freed < RING; nobody else touches it then. The reader owns the blocks from `freed` to
 * `taken`. So the bytes themselves need no lock.
 */
#include "io/pipeline.h"

#include <stdlib.h>

#define RING 4
#define PIPE_BLOCK ((size_t)1 << 20)

struct slot {
	unsigned char *memory; /* PP_BLOCK_HEAD + block + PP_INPUT_PAD bytes */
	size_t size;
};

struct ring {
	struct pp_pipe pipe;
	struct pp_io *io;
	struct pp_feed *feed;
	size_t block;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot slots[RING];
	size_t filled, taken, freed;
	bool ended; /* the feed has come to its end: nothing follows `filled` */
	bool stop;  /* the reader wants no more */
};

static void *
ring_run(void *arg)
{
	struct ring *p = arg;
	bool more = true;

	(void)pp_account_enter(p->io->account);
	pthread_mutex_lock(&p->lock);
	while (more) {
		struct slot *slot = &p->slots[p->filled % RING];

		while (!p->stop && p->filled - p->freed == RING)
			pthread_cond_wait(&p->changed, &p->lock);
		if (p->stop)
			break;
		pthread_mutex_unlock(&p->lock);
		/* One fill, be it short: the next may have to wait for a slow writer. */
		slot->size = p->feed->fill(p->feed, slot->memory + PP_BLOCK_HEAD, p->block);
		more = slot->size > 0;
		pthread_mutex_lock(&p->lock);
		p->filled += more;
		p->ended = !more;
		pthread_cond_signal(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void
ring_free(struct ring *p)
{
	size_t i;

	for (i = 0; i < RING; i++)
		free(p->slots[i].memory);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static bool
ring_next(struct pp_pipe *pipe, struct pp_block *block)
{
	struct ring *p = (struct ring *)pipe;
	struct slot *slot;

	*block = (struct pp_block){ .owner = pipe };
	pthread_mutex_lock(&p->lock);
	while (p->filled == p->taken && !p->ended)
		pthread_cond_wait(&p->changed, &p->lock);
	if (p->filled > p->taken) {
		slot = &p->slots[p->taken++ % RING];
		block->data = slot->memory + PP_BLOCK_HEAD;
		block->size = slot->size;
	}
	block->last = p->ended && p->filled == p->taken;
	block->status = block->last ? p->feed->status : PP_OK;
	pthread_mutex_unlock(&p->lock);
	return block->data != NULL;
}

static void
ring_release(struct pp_pipe *pipe, struct pp_block *block)
{
	struct ring *p = (struct ring *)pipe;

	(void)block;
	pthread_mutex_lock(&p->lock);
	p->freed++;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void
ring_stop(struct pp_pipe *pipe)
{
	struct ring *p = (struct ring *)pipe;

	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	/* The feed may sleep on a pipe to which nobody writes. */
	pp_io_wake(p->io);
	pthread_join(p->thread, NULL);
	ring_free(p);
}

struct pp_pipe *
pp_pipe_feed(struct pp_io *io, struct pp_feed *feed, size_t block_size)
{
	struct ring *p = calloc(1, sizeof *p);
	bool good = true;
	size_t i;

	if (!p || !pp_io_wakeable(io)) {
		free(p);
		return NULL;
	}
	p->io = io;
	p->pipe = (struct pp_pipe){ ring_next, ring_release, ring_stop };
	p->feed = feed;
	p->block = block_size < PP_BLOCK_HEAD ? block_size : PIPE_BLOCK;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	for (i = 0; i < RING; i++) {
		p->slots[i].memory = malloc(PP_BLOCK_HEAD + p->block + PP_INPUT_PAD);
		good = good && p->slots[i].memory;
	}
	if (!good || pthread_create(&p->thread, NULL, ring_run, p) != 0) {
		ring_free(p);
		return NULL;
	}
	return &p->pipe;
}
