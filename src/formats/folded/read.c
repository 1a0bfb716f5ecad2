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

#include <stdatomic.h>

#include "formats/folded/names.h"
#include "formats/kit/parts.h"

extern const struct pp_format pp_format_folded, pp_format_diff_folded;

#define REPEAT_SLOTS ((size_t)1 << 18)
#define GROUP 16
#define REPEAT_LONGEST 65536
#define SMALLEST_PART ((size_t)2 << 20)
/* Names that are looked up side by side. */
#define NAMES_AHEAD 1024
/* How far reading is is told this often. */
#define TELL_STEP ((size_t)1 << 20)
#define FORGET_STEP ((size_t)16 << 20)
#define FORGET_KEEP ((size_t)64 << 20)

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
	pp_stack stack; /* 0 while it waits to be added */
};

/* What a line costs, and its number. */
struct record {
	int64_t count[2];
	uint64_t line;
};

/* A line taken apart but not yet looked up. */
struct waiting {
	struct pp_slice stack;
	struct record record;
	uint64_t hash;
};

/* One thread's work on one part of the input. */
struct folded_job {
	struct pp_builder *builder;
	struct pp_diags *diags;
	struct pp_input *in;
	struct pp_folded_grammar grammar;
	uint32_t series;
	uint64_t lines; /* lines taken so far */

	struct pp_folded_names names;
	struct name_seen seen[NAMES_AHEAD];
	PP_VEC(pp_frame) frames; /* of the stack taken last */
	struct pp_slice before;  /* its text, as long as that is there */

	struct repeat_slot *repeats; /* NULL when nothing can be known again */
	struct waiting group[GROUP]; /* their lookups overlap */
	size_t group_count;

	const unsigned char *begin, *end; /* the part */
	struct pp_reader *tells; /* this job tells how far reading is; NULL = another does */
	unsigned parts;          /* how many parts there are, all as long as this one */
	_Atomic bool *stop;      /* what that one was told; NULL when it is alone */
};

/* ---- from a stack to frames ------------------------------------------------------------- */

/*
 * How many frames a stack shares with the one before, except the last of them, which may continue
 * differently; *bytes is how long their text is.
 */
static size_t
job_share(const struct folded_job *job, struct pp_slice stack, size_t *bytes)
{
	size_t most = stack.n < job->before.n ? stack.n : job->before.n;
	size_t same = 0, done = 0, depth = 0;

	while (same + 8 <= most && pp_load64(stack.p + same) == pp_load64(job->before.p + same))
		same += 8;
	*bytes = 0;
	if (same < 16)
		return 0;
	for (;; depth++) {
		/* The ';' after the name must be among the equal bytes. */
		done += (size_t)job->names.length_of.at[job->frames.at[depth]] + 1;
		if (done > same)
			return depth;
		*bytes = done;
	}
}

/* Takes names off a text that is not empty or empty but one name, up to NAMES_AHEAD of them. */
static size_t
job_split(struct folded_job *job, const unsigned char **p, const unsigned char *end)
{
	uint64_t seed = job->builder->seed;
	size_t count;

	for (count = 0; count < NAMES_AHEAD && *p <= end; count++) {
		struct name_seen *name = &job->seen[count];

		name->p = *p;
		name->n = (uint32_t)pp_folded_scan(*p, end, seed, &name->tag);
		pp_folded_name_prefetch(&job->names, name->tag);
		*p += name->n + 1;
	}
	return count;
}

/* The frames of a stack; false on failure. */
static bool
job_frames(struct folded_job *job, struct pp_slice stack)
{
	const unsigned char *end = stack.p + stack.n, *p;
	size_t shared, n, i;

	if (stack.n >= UINT32_MAX) {
		pp_builder_fail(job->builder, PP_E_LIMIT, "a stack is too long");
		return false;
	}
	job->frames.n = job_share(job, stack, &shared);
	for (p = stack.p + shared; p <= end;) {
		n = job_split(job, &p, end);
		if (!pp_vec_reserve(&job->frames, job->frames.n + n)) {
			pp_builder_fail(job->builder, PP_E_NOMEM, NULL);
			return false;
		}
		for (i = 0; i < n; i++) {
			const struct name_seen *name = &job->seen[i];
			pp_frame frame = pp_folded_name(&job->names, name->p, name->n, name->tag);

			if (PP_UNLIKELY(!frame))
				return false;
			job->frames.at[job->frames.n++] = frame;
		}
	}
	job->before = stack;
	return true;
}

/* ---- records ---------------------------------------------------------------------------- */

static bool
job_stack(struct folded_job *job, struct pp_slice stack, const struct record *record,
          pp_stack *where)
{
	struct pp_sample sample = { .series = job->series,
		                    .values = record->count,
		                    .where = where };

	if (!job_frames(job, stack))
		return false;
	pp_builder_at(job->builder, pp_at_line(record->line, 1, PP_NO_OFFSET));
	return pp_build_sample(job->builder, &sample, job->frames.at, job->frames.n);
}

/* Looks one stack up among those seen lately; it is taken apart if it is not there. */
static bool
job_lookup(struct folded_job *job, const struct waiting *line)
{
	struct repeat_slot *slot = &job->repeats[line->hash & (REPEAT_SLOTS - 1)];
	struct pp_sample sample = { .series = job->series, .values = line->record.count };
	bool waits = !slot->stack && slot->p;

	if (slot->hash == line->hash && slot->stack && slot->n == line->stack.n &&
	    memcmp(slot->p, line->stack.p, slot->n) == 0) {
		pp_builder_at(job->builder, pp_at_line(line->record.line, 1, PP_NO_OFFSET));
		return pp_build_again(job->builder, &sample, slot->stack);
	}
	/* A slot that the builder will fill must not change hands. */
	if (!waits)
		*slot = (struct repeat_slot){ line->hash, line->stack.p, (uint32_t)line->stack.n,
			                      0 };
	return job_stack(job, line->stack, &line->record, waits ? NULL : &slot->stack);
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
	struct record record = { { (int64_t)line->count[0], (int64_t)line->count[1] }, job->lines };
	struct waiting *waiting;

	if (!job->repeats || line->stack.n > REPEAT_LONGEST)
		return job_group(job) && job_stack(job, line->stack, &record, NULL);
	waiting = &job->group[job->group_count++];
	*waiting = (struct waiting){ line->stack, record,
		                     pp_hash_long(line->stack, job->builder->seed) };
	__builtin_prefetch(&job->repeats[waiting->hash & (REPEAT_SLOTS - 1)]);
	return job->group_count < GROUP || job_group(job);
}

/* ---- lines ------------------------------------------------------------------------------ */

/*
 * Tells how far reading is, as far as one part can know; false to stop, which the other parts hear of. The
 * input's own position is what is told, and stays what it was; only the part that tells may look at it.
 */
static bool
job_tell(struct folded_job *job, const unsigned char *begin, const unsigned char *p)
{
	struct pp_input *in = job->in;
	const unsigned char *cur;
	size_t left, done = (size_t)(p - begin) * job->parts;
	bool stop = !job->tells && job->stop && atomic_load(job->stop);

	if (job->tells && job->tells->progress) {
		cur = in->cur;
		left = pp_input_left(in);
		in->cur = cur + (done < left ? done : left);
		stop = job->tells->progress(job->tells);
		in->cur = cur;
		if (stop && job->stop)
			atomic_store(job->stop, true);
	}
	if (stop)
		pp_builder_fail(job->builder, PP_E_IO, NULL);
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
		if (PP_UNLIKELY((size_t)(stop - p) > job->builder->limits.max_line)) {
			pp_builder_fail(job->builder, PP_E_LIMIT, "a line is too long");
			return NULL;
		}
		job->lines++;
		switch (pp_folded_parse(&job->grammar, pp_slice_of(p, (size_t)(stop - p)), &line)) {
		case PP_FOLDED_RECORD:
			if (!job_record(job, &line))
				return NULL;
			break;
		case PP_FOLDED_BAD:
			pp_folded_report(job->diags, job->in, &line, p, job->lines);
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

static void
job_free(struct folded_job *job)
{
	if (!job)
		return;
	pp_folded_names_release(&job->names);
	pp_vec_release(&job->frames);
	free(job->repeats);
	free(job);
}

uint32_t
pp_folded_series(struct pp_builder *b, const struct pp_folded_grammar *grammar)
{
	b->sum_rule = &pp_folded_rules[PP_FOLDED_SUM_TOO_LARGE];
	b->sum_message = "the count of this stack would exceed 18446744073709551615";
	if (grammar->counts == PP_FOLDED_DIFF)
		(void)pp_build_metric_z(b, "before", "samples", PP_KIND_SAMPLES, PP_UINT,
		                        PP_METRIC_SAMPLED);
	(void)pp_build_metric_z(b, grammar->counts == PP_FOLDED_DIFF ? "after" : "samples",
	                        "samples", PP_KIND_SAMPLES, PP_UINT,
	                        PP_METRIC_SAMPLED | PP_METRIC_PRIMARY);
	return pp_build_series_plain(b, true, false);
}

static struct folded_job *
job_new(struct pp_reader *reader, struct pp_builder *builder,
        const struct pp_folded_grammar *grammar)
{
	struct folded_job *job = calloc(1, sizeof *job);

	if (!job)
		return NULL;
	job->builder = builder;
	job->diags = reader->diags;
	job->in = reader->in;
	job->grammar = *grammar;
	job->series = pp_folded_series(builder, grammar);
	/* Without this table repeats only take longer. */
	if (reader->in->stable && pp_builder_remembers(builder) &&
	    pp_input_left(reader->in) > SMALLEST_PART)
		job->repeats = calloc(REPEAT_SLOTS, sizeof *job->repeats);
	if (pp_folded_names_init(&job->names, builder) && pp_builder_ok(builder))
		return job;
	job_free(job);
	return NULL;
}

/* ---- an input that moves ---------------------------------------------------------------- */

/* From here on sums of stacks may pass 64 bits in a file of millions of lines. */
#define LARGE ((uint64_t)1 << 40)

static bool
has_large_counts(const struct pp_folded_grammar *grammar, struct pp_slice run)
{
	const unsigned char *p = run.p, *end = p + run.n, *stop;
	struct pp_folded_line line;

	for (; p < end; p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p));
		stop = stop ? stop : end;
		if (pp_folded_parse(grammar, pp_slice_of(p, (size_t)(stop - p)), &line) ==
		        PP_FOLDED_RECORD &&
		    (line.count[0] >= LARGE ||
		     (grammar->counts == PP_FOLDED_DIFF && line.count[1] >= LARGE)))
			return true;
	}
	return false;
}

/*
 * What moves cannot be read again when sums turn out to be too large for some stack. So they are watched from the
 * start where counts are large, and else it is said that they were not.
 */
static void
report_unwatched(struct pp_builder *builder)
{
	if (!builder->overflowed || pp_builder_remembers(builder))
		return;
	pp_diag_add(
	    builder->diags, builder->sum_rule, PP_NOWHERE,
	    "all counts together exceed 18446744073709551615; whether those of one stack do "
	    "can only be told from a file that can be read twice");
	builder->profile->complete = false;
}

static pp_status
read_stream(struct pp_reader *reader, struct pp_builder *builder,
            const struct pp_folded_grammar *grammar)
{
	struct pp_runs runs = { .reader = reader };
	struct folded_job *job = NULL;
	struct pp_slice run = { NULL, 1 };
	pp_status status = PP_OK;

	/* Sums that a filter makes too large are not the file's fault, and it cannot be read again. */
	if (pp_order_sieves(&builder->order))
		builder->order.filter = NULL;
	while (status == PP_OK && run.n && !runs.last) {
		status = pp_runs_next(&runs, &run);
		if (status == PP_E_LIMIT)
			pp_builder_fail(builder, PP_E_LIMIT, "a line is too long");
		if (status != PP_OK)
			break;
		if (!job && ((!pp_builder_remembers(builder) && has_large_counts(grammar, run) &&
		              !pp_builder_restart_exactly(builder)) ||
		             !(job = job_new(reader, builder, grammar)))) {
			status = PP_E_NOMEM;
			break;
		}
		/* What a cut container leaves of a line is nothing to judge. */
		if (!job_lines(job, run.p, run.p + run.n, runs.last && reader->in->status == PP_OK))
			status = builder->status;
		reader->in->cur = run.p + run.n;
		/* The window is about to move. */
		job->before = pp_slice_of(NULL, 0);
	}
	if (status == PP_OK && pp_build_flush(builder))
		report_unwatched(builder);
	job_free(job);
	return status;
}

/* ---- parts of an input that stays ------------------------------------------------------- */

struct part {
	struct folded_job *job;
	struct pp_builder own; /* the first part builds the profile itself */
	struct pp_diags diags;
};

static void
part_run(void *context, unsigned index)
{
	struct folded_job *job = ((struct part *)context)[index].job;

	if (job_lines(job, job->begin, job->end, true))
		(void)pp_build_flush(job->builder);
}

/* Whether a sum that does not fit is nothing to report yet: of one stack in the file it may fit. */
static bool
must_add_up(const struct pp_builder *builder, unsigned parts)
{
	return parts > 1 || !pp_builder_remembers(builder) || pp_order_sieves(&builder->order);
}

/* Adds what the parts found, in order. False when it must be done again in one thread. */
static bool
parts_merge(struct part *parts, unsigned n, struct pp_reader *reader, struct pp_builder *builder)
{
	uint64_t lines = 0;
	unsigned i;

	for (i = 0; i < n && must_add_up(builder, n); i++)
		if (parts[i].job->builder->overflowed)
			return false;
	for (i = 1; i < n; i++) {
		struct pp_builder *from = &parts[i].own;

		if (!pp_builder_ok(from))
			pp_builder_fail(builder, from->status, from->limit);
		else if (!pp_builder_merge(builder, from) && pp_builder_ok(builder))
			return false;
		pp_builder_release(from);
	}
	if (must_add_up(builder, n) && builder->overflowed)
		return false;
	for (i = 0; i < n; i++) {
		pp_diags_append(reader->diags, &parts[i].diags, lines);
		lines += parts[i].job->lines;
	}
	return true;
}

/* Sets up the jobs of parts [cut[i], cut[i + 1]). */
static bool
parts_init(struct part *parts, unsigned n, const unsigned char **cut, struct pp_reader *reader,
           struct pp_builder *builder, const struct pp_folded_grammar *grammar, _Atomic bool *stop)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		struct part *x = &parts[i];

		pp_diags_init(&x->diags);
		if (i && !pp_builder_init(&x->own, &builder->limits, &builder->order, builder->seed,
		                          builder->pages))
			return false;
		x->job = job_new(reader, i ? &x->own : builder, grammar);
		if (!x->job)
			return false;
		x->job->diags = &x->diags;
		x->job->begin = cut[i];
		x->job->end = cut[i + 1];
		x->job->stop = stop;
	}
	parts[0].job->tells = reader;
	parts[0].job->parts = n;
	return true;
}

/* *again is set when a sum passed 64 bits: which line is to blame only one thread can tell. */
static pp_status
read_parts(struct pp_reader *reader, struct pp_builder *builder,
           const struct pp_folded_grammar *grammar, unsigned most, bool *again)
{
	struct pp_slice text = { reader->in->cur, pp_input_left(reader->in) };
	const unsigned char **cut = calloc(most + 1, sizeof *cut);
	struct part *parts = calloc(most, sizeof *parts);
	struct pp_diags *diags = builder->diags;
	_Atomic bool stop = false;
	unsigned n = 0, i;

	*again = false;
	if (cut && parts) {
		cut[1] = text.p;
		n = pp_parts_cut(text, most, SMALLEST_PART, pp_line_end, cut);
		n = n ? n : 1;
		builder->diags = must_add_up(builder, n) ? NULL : diags;
	}
	if (!n || !parts_init(parts, n, cut, reader, builder, grammar, &stop)) {
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
	} else {
		if (n == 1)
			part_run(parts, 0);
		else
			reader->run(reader, n, part_run, parts);
		*again = !parts_merge(parts, n, reader, builder) && pp_builder_ok(builder);
	}
	if (!*again)
		reader->in->cur = reader->in->end;
	builder->diags = diags;
	for (i = 0; i < n; i++) {
		job_free(parts[i].job);
		pp_builder_release(&parts[i].own);
		pp_diags_release(&parts[i].diags);
	}
	free(parts);
	free(cut);
	return builder->status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static pp_status
read_records(struct pp_reader *reader, struct pp_builder *builder,
             const struct pp_folded_grammar *grammar)
{
	pp_status status = pp_folded_divide(reader, builder, grammar);
	bool again;

	if (status != PP_E_UNSUPPORTED)
		return status;
	if (!reader->in->stable)
		return read_stream(reader, builder, grammar);
	status = read_parts(reader, builder, grammar, reader->threads, &again);
	if (!again)
		return status;
	return pp_builder_restart_exactly(builder) ? read_parts(reader, builder, grammar, 1, &again)
	                                           : PP_E_NOMEM;
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
