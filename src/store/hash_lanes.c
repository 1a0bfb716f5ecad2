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

/* Eight bytes of a text, little endian, zeros behind its end. It has more than `at`. */
static inline uint64_t
word_at(struct pp_slice text, size_t at)
{
	uint64_t word = pp_load64(text.p + at);
	size_t rest = text.n - at;

	return rest >= 8 ? word : word & (((uint64_t)1 << 8 * rest) - 1);
}

/* The nth block of what a job hashes, where all was 0: bytes of both parts, behind their lengths. */
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
	for (; word < PP_BLAKE2B_BLOCK / 8 && from < job->frame_key.n; word++, from += 8)
		l->block[word][lane] = word_at(job->frame_key, from);
}

/* The nth block of each lane's job; those that have ended do the last one again, for nothing. */
static void
lanes_fill(struct pp_lanes *l, const struct pp_node_job *jobs, const size_t blocks[PP_LANES],
           size_t nth)
{
	size_t lane;

	/* The head is everywhere; behind it most have little. */
	memset(l->block[nth ? 0 : HEAD / 8], 0,
	       sizeof l->block - (nth ? 0 : HEAD / 8 * sizeof l->block[0]));
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

static inline uint32_t
number_of(const struct pp_node_family *f, size_t node)
{
	return f->number ? f->number[node] : (uint32_t)node;
}

/* How many parents each wanted one has among them; how many there are of each depth comes back, or nothing when out of memory. */
static uint32_t *
depths_find(const struct pp_node_family *f, uint32_t *depth, size_t *deepest)
{
	uint32_t most = 0, *count;
	size_t i;

	/* One that is there has depth 0, one that is wanted at least 1. */
	depth[0] = 0;
	for (i = 1; i < f->n; i++) {
		depth[i] = number_of(f, i) < f->first ? 0 : depth[f->key[i] >> 32] + 1;
		most = depth[i] > most ? depth[i] : most;
	}
	count = calloc((size_t)most + 2, sizeof *count);
	for (i = 1; count && i < f->n; i++)
		count[depth[i] + 1]++;
	*deepest = most;
	return count;
}

static inline struct pp_node_job
job_of(const struct pp_node_family *f, size_t node)
{
	const struct pp_frame_text *frame = &f->frames[(uint32_t)f->key[node]];
	size_t parent = number_of(f, f->key[node] >> 32);

	return (struct pp_node_job){ f->digests + parent * f->stride,
		                     pp_slice_of(f->text + frame->at, frame->n),
		                     f->digests + (size_t)number_of(f, node) * f->stride };
}

static void
level_digest(const struct pp_node_family *f, const uint32_t *order, size_t n)
{
	struct pp_node_job jobs[JOBS];
	pp_lanes_mix *mix = pp_lanes_mixer(0);
	size_t i, k;

	for (i = 0; i < n; i += k) {
		for (k = 0; k < JOBS && i + k < n; k++)
			jobs[k] = job_of(f, order[i + k]);
		pp_node_digests(jobs, k, mix);
	}
}

bool
pp_node_family_digest(const struct pp_node_family *f)
{
	uint32_t *depth = malloc((f->n + 1) * sizeof *depth);
	uint32_t *order = malloc((f->n + 1) * sizeof *order), *begin = NULL;
	size_t i, deepest = 0;
	bool fine;

	if (depth && order)
		begin = depths_find(f, depth, &deepest);
	for (i = 0; begin && i <= deepest; i++)
		begin[i + 1] += begin[i];
	/* Each goes to where those of its depth begin, which then is where the next goes. */
	for (i = 1; begin && i < f->n; i++)
		order[begin[depth[i]]++] = (uint32_t)i;
	for (i = 1; begin && i <= deepest; i++)
		level_digest(f, order + begin[i - 1], begin[i] - begin[i - 1]);
	fine = begin != NULL;
	free(depth);
	free(order);
	free(begin);
	return fine;
}
