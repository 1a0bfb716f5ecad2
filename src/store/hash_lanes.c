/*
 * Many digests at a time: see hash_lanes.h.
 */
#include "store/hash_lanes.h"

#include <stdlib.h>

/* The length of the parent's digest, that digest, and the length of what tells the frame. */
#define HEAD (8 + PP_DIGEST + 8)
/* Of jobs that wait to be done side by side. */
#define JOBS 256

/* ---- none needs another ---- */

static size_t
job_blocks(const struct pp_node_job *job)
{
	return (HEAD + job->frame_key.n + PP_BLAKE2B_BLOCK - 1) / PP_BLAKE2B_BLOCK;
}

/* Eight bytes of a text, little endian; zeros are behind its end. */
static inline uint64_t
word_at(struct pp_slice text, size_t at)
{
	uint64_t word = 0;
	size_t i;

	if (at + 8 <= text.n)
		return pp_load64(text.p + at);
	if (text.n >= 8 && at < text.n)
		return pp_load64(text.p + text.n - 8) >> 8 * (at + 8 - text.n);
	for (i = at; i < text.n; i++)
		word |= (uint64_t)text.p[i] << 8 * (i - at);
	return word;
}

/* The nth block of what a job hashes: bytes of both parts, behind their lengths, then zeros. */
static inline void
block_fill(struct pp_lanes *l, size_t lane, const struct pp_node_job *job, size_t nth)
{
	size_t from = nth ? nth * PP_BLAKE2B_BLOCK - HEAD : 0, word = 0;

	if (nth == 0) {
		l->block[0][lane] = PP_DIGEST;
		l->block[1][lane] = pp_load64(job->parent);
		l->block[2][lane] = pp_load64(job->parent + 8);
		l->block[3][lane] = job->frame_key.n;
		word = HEAD / 8;
	}
	for (; word < PP_BLAKE2B_BLOCK / 8; word++, from += 8)
		l->block[word][lane] = word_at(job->frame_key, from);
}

/* The nth block of each lane's job; those that have ended do the last one again, for nothing. */
static void
lanes_fill(struct pp_lanes *l, const struct pp_node_job *jobs, const size_t blocks[PP_LANES],
           size_t nth)
{
	size_t lane;

	for (lane = 0; lane < PP_LANES; lane++) {
		bool last = nth + 1 >= blocks[lane];
		size_t at = last ? blocks[lane] - 1 : nth;

		block_fill(l, lane, &jobs[lane], at);
		l->last[lane] = last ? UINT64_MAX : 0;
		l->counted[lane] = last ? HEAD + jobs[lane].frame_key.n
		                        : (at + 1) * PP_BLAKE2B_BLOCK;
	}
}

static void
lanes_digest(const struct pp_node_job *jobs, pp_lanes_mix *mix)
{
	struct pp_lanes l;
	struct pp_blake2b begun;
	size_t blocks[PP_LANES], most = 0, lane, word, nth;

	pp_digest_begin(&begun);
	for (lane = 0; lane < PP_LANES; lane++) {
		blocks[lane] = job_blocks(&jobs[lane]);
		most = blocks[lane] > most ? blocks[lane] : most;
		for (word = 0; word < 8; word++)
			l.state[word][lane] = begun.state[word];
	}
	for (nth = 0; nth < most; nth++) {
		lanes_fill(&l, jobs, blocks, nth);
		mix(&l);
		for (lane = 0; lane < PP_LANES; lane++)
			if (nth + 1 == blocks[lane]) {
				memcpy(jobs[lane].out, &l.state[0][lane], 8);
				memcpy(jobs[lane].out + 8, &l.state[1][lane], 8);
			}
	}
}

void
pp_node_digests(const struct pp_node_job *jobs, size_t n, pp_lanes_mix *mix)
{
	size_t i = 0;

	for (; mix && n - i >= PP_LANES; i += PP_LANES)
		lanes_digest(jobs + i, mix);
	for (; i < n; i++)
		pp_node_digest(jobs[i].parent, jobs[i].frame_key, jobs[i].out);
}

/* ---- parents first ---- */

/* How many parents each has among them; how many there are of each depth comes back, or nothing when out of memory. */
static uint32_t *
depths_find(const struct pp_node_family *f, uint32_t *depth, size_t *deepest)
{
	uint32_t *count;
	size_t i;

	*deepest = 0;
	for (i = 0; i < f->n; i++) {
		size_t parent = f->parent(f->ctx, i);

		depth[i] = parent == i ? 0 : depth[parent] + 1;
		*deepest = depth[i] > *deepest ? depth[i] : *deepest;
	}
	count = calloc(*deepest + 2, sizeof *count);
	for (i = 0; count && i < f->n; i++)
		count[depth[i] + 1]++;
	return count;
}

static void
level_digest(const struct pp_node_family *f, const uint32_t *order, size_t n)
{
	struct pp_node_job jobs[JOBS];
	pp_lanes_mix *mix = pp_lanes_mixer(0);
	size_t i, k;

	for (i = 0; i < n; i += k) {
		for (k = 0; k < JOBS && i + k < n; k++)
			jobs[k] = f->job(f->ctx, order[i + k]);
		pp_node_digests(jobs, k, mix);
	}
}

bool
pp_node_family_digest(const struct pp_node_family *f)
{
	uint32_t *depth = calloc(f->n + 1, sizeof *depth);
	uint32_t *order = calloc(f->n + 1, sizeof *order), *begin = NULL;
	size_t i, deepest = 0;
	bool fine;

	if (depth && order)
		begin = depths_find(f, depth, &deepest);
	for (i = 0; begin && i <= deepest; i++)
		begin[i + 1] += begin[i];
	/* Each goes to where those of its depth begin, which then is where the next goes. */
	for (i = 0; begin && i < f->n; i++)
		order[begin[depth[i]]++] = (uint32_t)i;
	for (i = 0; begin && i <= deepest; i++)
		level_digest(f, order + (i ? begin[i - 1] : 0), begin[i] - (i ? begin[i - 1] : 0));
	fine = begin != NULL;
	free(depth);
	free(order);
	free(begin);
	return fine;
}
