/*
 * Reading folded stacks fast.
 *
 * A line goes through three stages, each of which most lines leave early:
 *   1. The whole stack was seen lately (repeats): its node is found by one hash over its bytes.
 *   2. It starts like the line before (sorted files): those frames are taken over.
 *   3. The other names are hashed while their ends are searched, eight bytes at a time, and looked up in
 *      a table from name to frame. Stacks are then put into the tree in batches, see model/tree.h.
 * Whole inputs are cut at line ends, one part per thread, and merged in order.
 */
#include "formats/folded/lines.h"

#include "formats/folded/names.h"

extern const struct pp_format pp_format_folded, pp_format_diff_folded;

#define BATCH_RECORDS 512
#define REPEAT_SLOTS ((size_t)1 << 18)
#define GROUP 16
#define REPEAT_LONGEST 65536
#define SMALLEST_PART ((size_t)2 << 20)
/* How far reading is is told this often. */
#define TELL_STEP ((size_t)4 << 20)
#define FORGET_STEP ((size_t)16 << 20)
#define FORGET_KEEP ((size_t)64 << 20)
/* The leaf of a stack that the filter drops. */
#define DROPPED UINT32_MAX

/* A name as found in a line. */
struct name_seen {
	const unsigned char *p;
	uint32_t n;
	uint32_t tag;
};

/* A stack seen lately. */
struct repeat_slot {
	uint64_t hash;
	const unsigned char *p;
	uint32_t n;
	pp_node leaf; /* 0 while it waits in the batch */
};

struct record {
	uint64_t count[2];
	uint64_t line;
	struct repeat_slot *repeat; /* to be told the leaf, or NULL */
};

/* One thread's work on one part of the input. */
struct folded_job {
	struct pp_builder *builder;
	struct pp_diags *diags;
	struct pp_input *in;
	struct pp_folded_grammar grammar;
	uint32_t series;
	uint64_t lines; /* lines taken so far */
	bool
	    quiet_overflow; /* part of several: an overflow makes the reader start again in one thread */
	bool overflowed;
	struct pp_sieve sieve; /* what of a stack gets into the tree, if it has a filter */
	pp_u128 whole[2];      /* what all stacks would cost, with a filter */
	bool gives_up;         /* the filter must be applied to the whole tree */

	struct pp_folded_names names;
	struct name_seen seen[PP_TREE_BATCH];

	struct repeat_slot *repeats; /* NULL when the input's bytes do not stay */

	pp_frame frames[PP_TREE_BATCH];
	uint32_t depth[BATCH_RECORDS];
	pp_node under[BATCH_RECORDS];
	pp_node leaf[BATCH_RECORDS];
	struct record records[BATCH_RECORDS];
	size_t frame_count, record_count;
	/* Lines taken apart but not yet looked up, so that their lookups overlap. */
	struct waiting {
		struct pp_slice stack;
		struct record record;
		uint64_t hash;
	} group[GROUP];
	size_t group_count;
	struct pp_slice before; /* the stack before, if its frames are in the batch */
	size_t before_frames;   /* where they start */

	const unsigned char *begin, *end; /* the part */
	struct pp_reader *tells; /* this job tells how far reading is; NULL = another does */
	unsigned parts;          /* how many parts there are, all as long as this one */
};

/* ---- putting records into the tree ------------------------------------------------------ */

/* Adds a record's counts to its node. */
static bool
job_add(struct folded_job *job, pp_node leaf, const struct record *record)
{
	int64_t *cells = pp_build_cells(job->builder, job->series, leaf);
	int64_t before;

	if (!cells)
		return false;
	before = cells[0];
	if (PP_LIKELY(pp_cell_add(PP_UINT, &cells[0], (int64_t)record->count[0]))) {
		if (job->grammar.counts == PP_FOLDED_PLAIN ||
		    PP_LIKELY(pp_cell_add(PP_UINT, &cells[1], (int64_t)record->count[1])))
			return true;
		cells[0] = before;
	}
	job->overflowed = true;
	job->gives_up = job->sieve.filter != NULL;
	if (!job->quiet_overflow)
		pp_diag_add(job->diags, &pp_folded_rules[PP_FOLDED_SUM_TOO_LARGE],
		            pp_at_line(record->line, 1, PP_NO_OFFSET),
		            "the count of this stack would pass 18446744073709551615");
	return true;
}

/* Leaves in the batch what the filter leaves of its stacks. */
static bool
job_sieve(struct folded_job *job)
{
	const struct pp_profile *p = job->builder->profile;
	pp_frame *from = job->frames, *to = job->frames;
	size_t i, n = 0;

	if (!pp_sieve_frames(&job->sieve, p)) {
		pp_builder_fail(job->builder, PP_E_NOMEM, NULL);
		return false;
	}
	job->gives_up |= job->sieve.status != PP_OK;
	for (i = 0; i < job->record_count; i++) {
		size_t depth = job->depth[i], left = depth;

		if (pp_sieve_stack(&job->sieve, from, &left)) {
			memmove(to, from, left * sizeof *to);
			to += left;
			job->depth[n] = (uint32_t)left;
			job->records[n++] = job->records[i];
		} else if (job->records[i].repeat) {
			job->records[i].repeat->leaf = DROPPED;
		}
		from += depth;
	}
	job->record_count = n;
	return true;
}

static bool
job_flush(struct folded_job *job)
{
	size_t i;

	if (job->record_count == 0)
		return true;
	if (job->sieve.filter && !job_sieve(job))
		return false;
	if (job->record_count && !pp_build_batch(job->builder, job->frames, job->depth, job->under,
	                                         job->record_count, job->leaf))
		return false;
	for (i = 0; i < job->record_count; i++) {
		if (job->records[i].repeat)
			job->records[i].repeat->leaf = job->leaf[i];
		if (!job_add(job, job->leaf[i], &job->records[i]))
			return false;
	}
	job->record_count = job->frame_count = 0;
	job->before = pp_slice_of(NULL, 0);
	return true;
}

/* A stack too deep for a batch, frame by frame. */
static bool
job_deep(struct folded_job *job, struct pp_slice stack, const struct record *record)
{
	const unsigned char *p = stack.p, *end = p + stack.n;
	uint32_t depth = 0;
	pp_node node = 0;

	job->gives_up |= job->sieve.filter != NULL;
	if (!job_flush(job) || job->gives_up)
		return false;
	for (;;) {
		uint32_t tag;
		size_t n = pp_folded_scan(p, end, job->builder->seed, &tag);
		pp_frame frame = pp_folded_name(&job->names, p, n, tag);

		if (++depth > job->builder->limits.max_depth)
			pp_builder_fail(job->builder, PP_E_LIMIT, "a stack is too deep");
		node = frame ? pp_build_child(job->builder, node, frame) : 0;
		if (!node)
			return false;
		p += n;
		if (p >= end)
			break;
		p++;
	}
	if (record->repeat)
		record->repeat->leaf = node;
	return job_add(job, node, record);
}

/*
 * Takes over the frames that this stack shares with the one before, except the last of them, which may
 * continue differently. Returns how many bytes are done.
 */
static size_t
job_share(struct folded_job *job, struct pp_slice stack, uint32_t *depth)
{
	size_t most = stack.n < job->before.n ? stack.n : job->before.n;
	size_t same = 0, done = 0, from = job->before_frames;

	while (same + 8 <= most && pp_load64(stack.p + same) == pp_load64(job->before.p + same))
		same += 8;
	if (same < 16)
		return 0;
	for (;;) {
		pp_frame frame = job->frames[from];
		size_t n = (size_t)job->names.length_of.at[frame] + 1;

		/* The ';' after the name must be among the equal bytes. */
		if (done + n > same || job->frame_count == PP_TREE_BATCH)
			return done;
		done += n;
		job->frames[job->frame_count++] = frame;
		++*depth;
		from++;
	}
}

/* Splits a stack into names; 0 when there are more than `most`. */
static size_t
job_split(struct folded_job *job, const unsigned char *p, const unsigned char *end, size_t most)
{
	uint64_t seed = job->builder->seed;
	size_t count = 0;

	for (;;) {
		struct name_seen *name = &job->seen[count];

		if (count++ == most)
			return 0;
		name->p = p;
		name->n = (uint32_t)pp_folded_scan(p, end, seed, &name->tag);
		pp_folded_name_prefetch(&job->names, name->tag);
		p += name->n;
		if (p >= end)
			return count;
		p++;
	}
}

/* Appends a stack to the batch. */
static bool
job_stack(struct folded_job *job, struct pp_slice stack, const struct record *record)
{
	size_t first = job->frame_count, names = 0, i;
	uint32_t depth = 0;

	if (PP_LIKELY(stack.n < UINT32_MAX)) {
		size_t shared = job_share(job, stack, &depth);

		names = job_split(job, stack.p + shared, stack.p + stack.n,
		                  PP_TREE_BATCH - job->frame_count);
	}
	if (names == 0) {
		job->frame_count = first;
		if (first == 0)
			return job_deep(job, stack, record);
		return job_flush(job) && job_stack(job, stack, record);
	}
	for (i = 0; i < names; i++) {
		const struct name_seen *name = &job->seen[i];
		pp_frame frame = pp_folded_name(&job->names, name->p, name->n, name->tag);

		if (PP_UNLIKELY(!frame))
			return false;
		job->frames[job->frame_count++] = frame;
	}
	job->before = stack;
	job->before_frames = first;
	job->depth[job->record_count] = depth + (uint32_t)names;
	job->under[job->record_count] = 0;
	job->records[job->record_count++] = *record;
	return job->record_count < BATCH_RECORDS || job_flush(job);
}

/* Looks one stack up among those seen lately; it goes into the batch if it is not there. */
static bool
job_lookup(struct folded_job *job, struct waiting *line)
{
	struct repeat_slot *slot = &job->repeats[line->hash & (REPEAT_SLOTS - 1)];

	if (slot->hash == line->hash && slot->leaf && slot->n == line->stack.n &&
	    memcmp(slot->p, line->stack.p, slot->n) == 0)
		return slot->leaf == DROPPED || job_add(job, slot->leaf, &line->record);
	/* A slot that a record in the batch will fill must not change hands. */
	if (slot->leaf || !slot->p) {
		*slot = (struct repeat_slot){ line->hash, line->stack.p, (uint32_t)line->stack.n,
			                      0 };
		line->record.repeat = slot;
	}
	return job_stack(job, line->stack, &line->record);
}

/* Looks up the lines that wait: first all slots are fetched, then what they point to. */
static bool
job_group(struct folded_job *job)
{
	size_t i, n = job->group_count;

	for (i = 0; i < n; i++) {
		const struct repeat_slot *slot =
		    &job->repeats[job->group[i].hash & (REPEAT_SLOTS - 1)];

		if (slot->hash == job->group[i].hash) {
			__builtin_prefetch(slot->p);
			__builtin_prefetch(slot->p + 64);
			__builtin_prefetch(slot->p + 128);
			__builtin_prefetch(slot->p + 192);
		}
	}
	job->group_count = 0;
	for (i = 0; i < n; i++)
		if (!job_lookup(job, &job->group[i]))
			return false;
	return true;
}

static bool
job_record(struct folded_job *job, const struct pp_folded_line *line)
{
	struct record record = { { line->count[0], line->count[1] }, job->lines, NULL };
	struct waiting *waiting;

	if (job->sieve.filter) {
		job->whole[0] += line->count[0];
		job->whole[1] += line->count[1];
	}
	if (!job->repeats || line->stack.n > REPEAT_LONGEST)
		return job_group(job) && job_stack(job, line->stack, &record);
	waiting = &job->group[job->group_count++];
	*waiting = (struct waiting){ line->stack, record,
		                     pp_folded_hash(line->stack, job->builder->seed) };
	__builtin_prefetch(&job->repeats[waiting->hash & (REPEAT_SLOTS - 1)]);
	return job->group_count < GROUP || job_group(job);
}

/* ---- lines ------------------------------------------------------------------------------ */

static void
job_report(struct folded_job *job, const unsigned char *line, const struct pp_folded_line *broken)
{
	uint64_t column = (uint64_t)(broken->where - line) + 1;

	pp_diag_add(job->diags, broken->broken,
	            pp_at_line(job->lines, column, pp_input_offset(job->in, broken->where)), "%s",
	            broken->broken->title);
}

/*
 * Tells how far reading is, as far as one part can know; false to stop. The input's own position is
 * what is told, and stays what it was.
 */
static bool
job_tell(struct folded_job *job, const unsigned char *begin, const unsigned char *p)
{
	struct pp_input *in = job->in;
	const unsigned char *cur = in->cur;
	size_t left = pp_input_left(in), done = (size_t)(p - begin) * job->parts;

	if (!job->tells || !job->tells->progress)
		return true;
	in->cur = cur + (done < left ? done : left);
	if (job->tells->progress(job->tells))
		pp_builder_fail(job->builder, PP_E_IO, NULL);
	in->cur = cur;
	return pp_builder_ok(job->builder);
}

/*
 * Takes all whole lines of [p, end), and the last one without a newline too when `last`. Returns the
 * first byte not taken, NULL on failure.
 */
static const unsigned char *
job_lines(struct folded_job *job, const unsigned char *p, const unsigned char *end, bool last)
{
	const unsigned char *begin = p, *forgotten = p, *told = p;
	struct pp_folded_line line;

	while (p < end) {
		const unsigned char *stop = memchr(p, '\n', (size_t)(end - p));

		if (!stop && !last)
			break;
		stop = stop ? stop : end;
		job->lines++;
		switch (pp_folded_parse(&job->grammar, pp_slice_of(p, (size_t)(stop - p)), &line)) {
		case PP_FOLDED_RECORD:
			if (!job_record(job, &line))
				return NULL;
			break;
		case PP_FOLDED_BAD:
			job_report(job, p, &line);
			break;
		case PP_FOLDED_BLANK:
			break;
		}
		p = stop < end ? stop + 1 : end;
		if (PP_UNLIKELY((size_t)(p - told) > TELL_STEP)) {
			told = p;
			if (!job_tell(job, begin, p))
				return NULL;
		}
		if (PP_UNLIKELY((size_t)(p - forgotten) > FORGET_KEEP + FORGET_STEP) &&
		    job->in->forget) {
			job->in->forget(job->in, forgotten, p - FORGET_KEEP);
			forgotten = p - FORGET_KEEP;
		}
	}
	return job_group(job) ? p : NULL;
}

/* ---- a job's life ----------------------------------------------------------------------- */

static bool
job_init(struct folded_job *job, struct pp_reader *reader, struct pp_builder *builder,
         const struct pp_folded_grammar *grammar)
{
	job->builder = builder;
	job->in = reader->in;
	job->grammar = *grammar;
	pp_sieve_init(&job->sieve, builder->order.filter);
	if (grammar->counts == PP_FOLDED_DIFF) {
		(void)pp_build_metric_z(builder, "before", "samples", PP_KIND_SAMPLES, PP_UINT,
		                        PP_METRIC_SAMPLED);
		(void)pp_build_metric_z(builder, "after", "samples", PP_KIND_SAMPLES, PP_UINT,
		                        PP_METRIC_SAMPLED | PP_METRIC_PRIMARY);
	} else {
		(void)pp_build_metric_z(builder, "samples", "samples", PP_KIND_SAMPLES, PP_UINT,
		                        PP_METRIC_SAMPLED | PP_METRIC_PRIMARY);
	}
	job->series = pp_build_series_plain(builder, true, false);
	if (!pp_folded_names_init(&job->names, builder))
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
	/* Without this table repeats only take longer. */
	if (reader->in->stable && pp_input_left(reader->in) > SMALLEST_PART)
		job->repeats = calloc(REPEAT_SLOTS, sizeof *job->repeats);
	return pp_builder_ok(builder);
}

static void
job_free(struct folded_job *job)
{
	if (!job)
		return;
	pp_folded_names_release(&job->names);
	pp_sieve_release(&job->sieve);
	free(job->repeats);
	free(job);
}

/* ---- one thread ------------------------------------------------------------------------- */

/* Takes the input window by window. */
static pp_status
read_stream(struct pp_reader *reader, struct folded_job *job)
{
	struct pp_input *in = reader->in;
	size_t searched = 0; /* unread bytes known to hold no newline */

	for (;;) {
		const unsigned char *taken = in->cur;
		/* What a cut container leaves of a line is nothing to judge. */
		bool last = in->at_end, whole = last && in->status == PP_OK;

		if (last || memchr(in->cur + searched, '\n', pp_input_left(in) - searched))
			taken = job_lines(job, in->cur, in->end, whole);
		if (!taken)
			return job->builder->status;
		in->cur = taken;
		if (last)
			return job_flush(job) ? PP_OK : job->builder->status;
		if (reader->progress && reader->progress(reader))
			return PP_E_IO;
		/* What waits in the batch still points into the window, which is about to move. */
		job->before = pp_slice_of(NULL, 0);
		searched = pp_input_left(in);
		if (searched > reader->limits.max_line) {
			pp_builder_fail(job->builder, PP_E_LIMIT, "a line is too long");
			return PP_E_LIMIT;
		}
		(void)pp_input_need(in, searched + 1);
	}
}

/* ---- several threads -------------------------------------------------------------------- */

struct parallel {
	struct folded_job **jobs;
	struct pp_builder *builders; /* [0] is unused: the first job builds the profile itself */
	struct pp_diags *diags;
};

static void
parallel_run(void *context, unsigned index)
{
	struct folded_job *job = ((struct parallel *)context)->jobs[index];

	if (job_lines(job, job->begin, job->end, true))
		(void)job_flush(job);
}

/* Cuts the input at line ends into n parts. */
static void
parallel_cut(struct parallel *par, const struct pp_input *in, unsigned n)
{
	const unsigned char *p = in->cur;
	size_t size = pp_input_left(in) / n;
	unsigned i;

	for (i = 0; i < n; i++) {
		const unsigned char *stop = in->end;

		if (i + 1 < n && (size_t)(in->end - p) > size) {
			stop = memchr(p + size, '\n', (size_t)(in->end - p) - size);
			stop = stop ? stop + 1 : in->end;
		}
		par->jobs[i]->begin = p;
		par->jobs[i]->end = stop;
		p = stop;
	}
}

/*
 * With a filter: what the file costs as it is. False when that passes 64 bits, for so may a stack that was
 * dropped.
 */
static bool
parallel_wholes(const struct parallel *par, struct pp_builder *builder, unsigned n)
{
	struct pp_profile *p = builder->profile;
	size_t m;
	unsigned i;

	for (m = 0; m < p->metrics.n; m++) {
		union pp_value sum = { .i = 0 };

		for (i = 0; i < n; i++)
			sum.i += (pp_i128)par->jobs[i]->whole[m];
		if (sum.i > UINT64_MAX)
			return false;
		if (!pp_vec_push(&p->costs.unfiltered, sum))
			pp_builder_fail(builder, PP_E_NOMEM, NULL);
	}
	p->costs.filtered = true;
	return true;
}

/* Adds what the parts found, in order. False when it must be done again in one thread. */
static bool
parallel_merge(struct parallel *par, struct pp_reader *reader, struct pp_builder *builder,
               unsigned n)
{
	uint64_t lines = par->jobs[0]->lines;
	unsigned i;

	for (i = 0; i < n; i++)
		if (par->jobs[i]->overflowed || par->jobs[i]->gives_up)
			return false;
	if (builder->order.filter && !parallel_wholes(par, builder, n))
		return false;
	pp_diags_append(reader->diags, &par->diags[0], 0);
	for (i = 1; i < n; i++) {
		if (!pp_builder_ok(&par->builders[i]))
			pp_builder_fail(builder, par->builders[i].status, par->builders[i].limit);
		else if (!pp_builder_merge(builder, &par->builders[i]) && pp_builder_ok(builder))
			return false;
		pp_diags_append(reader->diags, &par->diags[i], lines);
		lines += par->jobs[i]->lines;
		pp_builder_release(&par->builders[i]);
	}
	return true;
}

static bool
parallel_init(struct parallel *par, struct pp_reader *reader, struct pp_builder *builder,
              const struct pp_folded_grammar *grammar, unsigned n)
{
	unsigned i;

	par->jobs = calloc(n, sizeof(struct folded_job *));
	par->builders = calloc(n, sizeof *par->builders);
	par->diags = calloc(n, sizeof *par->diags);
	if (!par->jobs || !par->builders || !par->diags)
		return false;
	for (i = 0; i < n; i++) {
		struct pp_builder *own = i ? &par->builders[i] : builder;

		if (i && !pp_builder_init(own, &builder->limits, &builder->order, builder->seed,
		                          builder->pages))
			return false;
		pp_diags_init(&par->diags[i]);
		par->jobs[i] = calloc(1, sizeof *par->jobs[i]);
		if (!par->jobs[i] || !job_init(par->jobs[i], reader, own, grammar))
			return false;
		par->jobs[i]->diags = &par->diags[i];
		par->jobs[i]->quiet_overflow = true;
	}
	par->jobs[0]->tells = reader;
	par->jobs[0]->parts = n;
	return true;
}

static void
parallel_release(struct parallel *par, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		if (par->jobs)
			job_free(par->jobs[i]);
		if (par->builders)
			pp_builder_release(&par->builders[i]);
		if (par->diags)
			pp_diags_release(&par->diags[i]);
	}
	free(par->jobs);
	free(par->builders);
	free(par->diags);
}

/* *again is set when a sum passed 64 bits: which line is to blame only one thread can tell. */
static pp_status
read_parallel(struct pp_reader *reader, struct pp_builder *builder,
              const struct pp_folded_grammar *grammar, unsigned n, bool *again)
{
	struct parallel par = { 0 };

	*again = false;
	if (!parallel_init(&par, reader, builder, grammar, n)) {
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
	} else {
		parallel_cut(&par, reader->in, n);
		reader->run(reader, n, parallel_run, &par);
		*again = pp_builder_ok(builder) && !parallel_merge(&par, reader, builder, n);
		if (!*again)
			reader->in->cur = reader->in->end;
	}
	parallel_release(&par, n);
	return builder->status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static pp_status
read_alone(struct pp_reader *reader, struct pp_builder *builder,
           const struct pp_folded_grammar *grammar)
{
	struct folded_job *job = calloc(1, sizeof *job);
	pp_status status = PP_E_NOMEM;

	if (job && job_init(job, reader, builder, grammar)) {
		job->diags = reader->diags;
		job->tells = reader;
		job->parts = 1;
		status = read_stream(reader, job);
	}
	job_free(job);
	return status;
}

static pp_status
read_records(struct pp_reader *reader, struct pp_builder *builder,
             const struct pp_folded_grammar *grammar)
{
	size_t parts = reader->in->stable ? pp_input_left(reader->in) / SMALLEST_PART : 0;
	unsigned n = parts < reader->threads ? (unsigned)parts : reader->threads;
	pp_status status;
	bool again;

	if (reader->order->min_share > 0 && reader->in->stable &&
	    grammar->counts == PP_FOLDED_PLAIN) {
		status = pp_folded_prune(reader, builder, grammar);
		if (status != PP_E_UNSUPPORTED)
			return status;
		if (!pp_builder_restart(builder))
			return PP_E_NOMEM;
	}
	if (builder->order.filter && reader->in->stable) {
		status = read_parallel(reader, builder, grammar, n ? n : 1, &again);
		if (!again)
			return status;
		builder->order.filter = NULL;
		if (!pp_builder_restart(builder))
			return PP_E_NOMEM;
	}
	/* Whoever asked for a filter will apply it to the tree. */
	builder->order.filter = NULL;
	if (n < 2)
		return read_alone(reader, builder, grammar);
	status = read_parallel(reader, builder, grammar, n, &again);
	if (!again)
		return status;
	return pp_builder_restart(builder) ? read_alone(reader, builder, grammar) : PP_E_NOMEM;
}

pp_status
pp_folded_read(struct pp_reader *reader, struct pp_builder *builder, unsigned counts)
{
	uint64_t errors = pp_diags_total(reader->diags, PP_ERROR);
	size_t findings = pp_diags_count(reader->diags);
	struct pp_folded_input input;
	pp_status status = pp_folded_open(&input, reader, counts);

	if (status == PP_OK)
		status = read_records(reader, builder, &input.grammar);
	pp_folded_close(&input, reader);
	if (status != PP_OK)
		return status;
	builder->profile->format = input.grammar.counts == PP_FOLDED_DIFF ? &pp_format_diff_folded
	                                                                  : &pp_format_folded;
	if (pp_diags_total(reader->diags, PP_ERROR) > errors)
		builder->profile->complete = false;
	/* Sums are added in batches, so their findings may come late. */
	pp_diags_sort(reader->diags, findings);
	/* An empty file has an empty tree all the same. */
	builder->profile->facets |= PP_TREE;
	return PP_OK;
}
