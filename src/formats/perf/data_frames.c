/*
 * From addresses to stacks. Programs loop: most addresses, and most chains as a whole, were there lately, and are known
 * again as long as nothing else was mapped since.
 */
#include "formats/perf/data.h"

#include <stdio.h>

/* Addresses and chains that are remembered. */
#define PLACES ((size_t)1 << 15)
#define CHAINS ((size_t)1 << 15)
/* Frames of a user's stack, as many as perf has. */
#define UNWOUND_MOST 127
/* Addresses from here on are markers: who runs from here on. */
#define MARKERS (UINT64_MAX - 4094)
#define MARK_HYPERVISOR (UINT64_MAX - 31)
#define MARK_KERNEL (UINT64_MAX - 127)
#define MARK_USER (UINT64_MAX - 511)
#define MARK_GUEST (UINT64_MAX - 2047)
#define MARK_GUEST_KERNEL (UINT64_MAX - 2175)
#define MARK_GUEST_USER (UINT64_MAX - 2559)

bool
pp_pd_frames_init(struct pp_pd *d)
{
	d->frames.series_of.seed = d->frames.switches.running_of.seed = d->builder->seed;
	d->branches.pair_of.seed = d->builder->seed;
	d->frames.walk.sums = !pp_builder_remembers(d->builder);
	d->frames.walk.walks = pp_builder_walks(d->builder);
	d->frames.places = calloc(PLACES, sizeof *d->frames.places);
	d->frames.chains = calloc(CHAINS, sizeof *d->frames.chains);
	return d->frames.places && d->frames.chains;
}

void
pp_pd_frames_release(struct pp_pd *d)
{
	pp_vec_release(&d->frames.series);
	pp_map_release(&d->frames.series_of);
	pp_vec_release(&d->frames.stack);
	pp_map_release(&d->frames.around_of);
	pp_vec_release(&d->frames.around);
	pp_perf_switches_release(&d->frames.switches);
	pp_vec_release(&d->frames.walk.depth);
	pp_vec_release(&d->frames.walk.values);
	free(d->frames.places);
	free(d->frames.chains);
}

/* ---- one address ------------------------------------------------------------------------ */

static void
hex_add(struct pp_buf *to, struct pp_slice bytes)
{
	size_t i;

	for (i = 0; i < bytes.n; i++)
		pp_buf_addf(to, "%02x", bytes.p[i]);
}

/* The module of a mapping in the profile. */
static pp_module
module_row(struct pp_pd *d, uint32_t module)
{
	struct pp_pd_module *m = &d->threads.modules.at[module];
	struct pp_module_row row = { .kind = m->kind };
	struct pp_buf id = { 0 };

	if (!module || m->row)
		return m->row;
	if (!m->build_id.n)
		m->build_id = pp_pd_build_id_of(d, m->name);
	hex_add(&id, m->build_id);
	row.name = pp_build_str(d->builder, m->name);
	row.build_id = pp_build_buf(d->builder, &id);
	m->row = pp_build_module(d->builder, &row);
	return m->row;
}

/* Frames that others are inlined into, by their address; returns where they stand. */
static uint32_t
around_keep(struct pp_pd *d, uint64_t module, uint64_t address, const pp_frame *frames, size_t n)
{
	struct pp_pd_frames *f = &d->frames;
	uint64_t hash = pp_mix(address ^ d->builder->seed, PP_HASH_K2 ^ module);
	uint32_t at;
	size_t i;

	/* Equal hashes are told apart by probing the next one. */
	for (; (at = pp_map_get(&f->around_of, hash)) != PP_MAP_NONE; hash++)
		if (f->around.at[at] == module && f->around.at[at + 1] == address)
			return at;
	if (f->around.n == 0 && !pp_vec_push(&f->around, 0)) {
		pp_pd_no_memory(d);
		return 0;
	}
	at = (uint32_t)f->around.n;
	if (!pp_vec_reserve(&f->around, f->around.n + 3 + n) ||
	    !pp_map_set(&f->around_of, hash, at)) {
		pp_pd_no_memory(d);
		return 0;
	}
	f->around.at[f->around.n++] = module;
	f->around.at[f->around.n++] = address;
	f->around.at[f->around.n++] = n;
	for (i = 0; i < n; i++)
		f->around.at[f->around.n++] = frames[i];
	return at;
}

static PP_NOINLINE void
place_make(struct pp_pd *d, const struct pp_pd_space *space, uint64_t ip, bool kernel,
           struct pp_pd_place *place)
{
	const struct pp_pd_map *map = pp_pd_map_at(d, space, ip);
	uint32_t module = map ? map->module : 0;
	struct pp_native *native = &d->symbols.native;
	struct pp_native_at at = { .module = module_row(d, module),
		                   .address = ip,
		                   .offset = map && d->threads.modules.at[module].offsets,
		                   .kernel = kernel };
	pp_frame frames[PP_NATIVE_FRAMES];
	size_t n;

	if (at.offset)
		at.address = ip - map->start + map->pgoff;
	if (native->wanted)
		at.binary = pp_pd_binary(d, module);
	n = pp_native_frames(native, &at, frames);
	*place = (struct pp_pd_place){ .ip = ip, .serial = space->serial, .frame = frames[0] };
	if (n > 1)
		place->around = around_keep(d, module, at.address, frames + 1, n - 1);
}

static inline const struct pp_pd_place *
place_of(struct pp_pd *d, const struct pp_pd_space *space, uint64_t ip, bool kernel)
{
	uint64_t hash = pp_mix(ip ^ d->builder->seed, PP_HASH_K1 ^ space->serial);
	struct pp_pd_place *at = &d->frames.places[hash & (PLACES - 1)];

	if (PP_UNLIKELY(at->ip != ip || at->serial != space->serial || !at->frame))
		place_make(d, space, ip, kernel, at);
	return at;
}

/* ---- one stack -------------------------------------------------------------------------- */

/* Where the addresses of a sample are looked up. */
struct resolving {
	const struct pp_pd_space *user, *kernel, *nobody;
	unsigned mode;
};

static bool
is_marker(uint64_t address)
{
	return address >= MARKERS;
}

/* Who runs from a marker on; false for one that nobody knows. */
static bool
marker_mode(uint64_t marker, unsigned *mode)
{
	switch (marker) {
	case MARK_KERNEL:
		*mode = PP_PD_KERNEL;
		return true;
	case MARK_USER:
		*mode = PP_PD_USER;
		return true;
	case MARK_HYPERVISOR:
		*mode = PP_PD_HYPERVISOR;
		return true;
	case MARK_GUEST_KERNEL:
		*mode = PP_PD_GUEST_KERNEL;
		return true;
	case MARK_GUEST:
	case MARK_GUEST_USER:
		*mode = PP_PD_GUEST_USER;
		return true;
	}
	return false;
}

static void
frame_push(struct pp_pd *d, const struct resolving *r, uint64_t ip)
{
	bool kernel = r->mode == PP_PD_KERNEL;
	const struct pp_pd_space *space = kernel                  ? r->kernel
	                                  : r->mode == PP_PD_USER ? r->user
	                                                          : r->nobody;

	const struct pp_pd_place *place = place_of(d, space, ip, kernel);
	const uint64_t *around = place->around ? d->frames.around.at + place->around + 2 : NULL;
	uint64_t i;

	if (!pp_vec_push(&d->frames.stack, place->frame))
		pp_pd_no_memory(d);
	for (i = 1; around && i <= around[0]; i++)
		if (!pp_vec_push(&d->frames.stack, (pp_frame)around[i]))
			pp_pd_no_memory(d);
}

/* The user's part of a stack out of branches: where it is, and whence each call came. */
static void
branches_push(struct pp_pd *d, struct resolving *r, const struct pp_pd_facts *f)
{
	size_t i;

	r->mode = PP_PD_USER;
	if (f->branch_n)
		frame_push(d, r, pp_pd_u64(d, f->branches + 8));
	for (i = 0; i < f->branch_n; i++)
		frame_push(d, r, pp_pd_u64(d, f->branches + 24 * i));
}

/* The user's part of a stack out of a copy of it; false when it tells nothing. */
static bool
copy_push(struct pp_pd *d, struct resolving *r, const struct pp_pd_facts *f)
{
	uint64_t addresses[UNWOUND_MOST];
	size_t n = pp_pd_unwind(d, f, r->user, addresses, UNWOUND_MOST), i;

	r->mode = PP_PD_USER;
	for (i = 0; i < n; i++)
		frame_push(d, r, addresses[i]);
	return n > 0;
}

/* Frames from the leaf on. False when a marker is unknown: then the chain says nothing. */
static bool
chain_push(struct pp_pd *d, struct resolving *r, const struct pp_pd_facts *f)
{
	bool replaced = f->by_branches || (f->registers && f->stack.n);
	size_t i, users = 0;

	r->mode = PP_PD_USER;
	for (i = 0; i < f->chain_n; i++) {
		uint64_t ip = pp_pd_u64(d, f->chain + 8 * i);

		if (is_marker(ip)) {
			if (!marker_mode(ip, &r->mode))
				return false;
			users = i + 1;
			if (r->mode == PP_PD_USER && replaced)
				break;
			continue;
		}
		frame_push(d, r, ip);
	}
	if (f->by_branches)
		branches_push(d, r, f);
	else if (replaced && !copy_push(d, r, f))
		for (i = users; i < f->chain_n; i++)
			frame_push(d, r, pp_pd_u64(d, f->chain + 8 * i));
	return true;
}

/* The frames of a sample, from the leaf on. */
static void
stack_make(struct pp_pd *d, struct resolving *r, const struct pp_pd_facts *f, pp_frame root)
{
	d->frames.stack.n = 0;
	if (!chain_push(d, r, f))
		d->frames.stack.n = 0;
	if (d->frames.stack.n == 0 && (f->attr->sample_type & PP_PD_IP)) {
		r->mode = f->mode;
		frame_push(d, r, f->ip);
	}
	if (root && !pp_vec_push(&d->frames.stack, root))
		pp_pd_no_memory(d);
}

static void
stack_turn(struct pp_pd *d)
{
	size_t n = d->frames.stack.n, i;

	for (i = 0; i < n / 2; i++) {
		pp_frame swap = d->frames.stack.at[i];

		d->frames.stack.at[i] = d->frames.stack.at[n - 1 - i];
		d->frames.stack.at[n - 1 - i] = swap;
	}
}

/* ---- threads ---------------------------------------------------------------------------- */

/* The frame that stands for a thread, if one is asked for. */
static pp_frame
root_of(struct pp_pd *d, const struct pp_pd_series *s)
{
	struct pp_func_row func = { .flags = PP_FUNC_PSEUDO };
	struct pp_slice comm = pp_text_of(d->builder->profile, s->comm);
	struct pp_buf text = { 0 };

	if (d->root == PP_PERF_ROOT_NONE)
		return 0;
	pp_buf_add(&text, comm.p, comm.n);
	if (d->root != PP_PERF_ROOT_COMM)
		pp_buf_addf(&text, "-%u", s->pid);
	if (d->root == PP_PERF_ROOT_TID)
		pp_buf_addf(&text, "/%u", s->tid);
	func.name = pp_build_buf(d->builder, &text);
	return pp_build_frame(d->builder,
	                      &(struct pp_frame_row){ .func = pp_build_func(d->builder, &func) });
}

static bool
series_is(const struct pp_pd_series *a, const struct pp_pd_series *b)
{
	return a->attr == b->attr && a->comm == b->comm && a->pid == b->pid && a->tid == b->tid &&
	       a->labels == b->labels;
}

/* The series of an event and thread, made when absent; NULL when out of memory. */
static PP_NOINLINE struct pp_pd_series *
series_make(struct pp_pd *d, const struct pp_pd_series *like)
{
	struct pp_pd_frames *f = &d->frames;
	struct pp_pd_series s = *like;
	uint64_t hash = pp_mix((uint64_t)s.comm << 32 | s.attr, PP_HASH_K1 ^ s.tid);
	uint32_t at;

	hash = pp_mix(hash, PP_HASH_K2 ^ s.pid);
	hash = s.labels ? pp_mix(hash, PP_HASH_K1 ^ s.labels) : hash;
	/* Equal hashes are told apart by probing the next one. */
	for (; (at = pp_map_get(&f->series_of, hash)) != PP_MAP_NONE; hash++)
		if (series_is(&f->series.at[at], &s))
			return &f->series.at[at];
	s.root = root_of(d, &s);
	s.last_time = INT64_MIN;
	s.index = pp_build_series_late(d->builder,
	                               &(struct pp_series){ .thread = s.comm,
	                                                    .pid = s.has_ids ? (int64_t)s.pid : -1,
	                                                    .tid = s.has_ids ? (int64_t)s.tid : -1,
	                                                    .cpu = -1,
	                                                    .labels = s.labels },
	                               2);
	at = (uint32_t)f->series.n;
	if (pp_builder_ok(d->builder) && pp_vec_push(&f->series, s) &&
	    pp_map_set(&f->series_of, hash, at))
		return &f->series.at[at];
	pp_pd_no_memory(d);
	return NULL;
}

static struct pp_pd_series *
series_of(struct pp_pd *d, const struct pp_pd_facts *f)
{
	bool has_ids = f->attr->sample_type & PP_PD_TID;
	struct pp_pd_series like = { .attr = (uint32_t)(f->attr - d->attrs.at),
		                     .comm = has_ids ? pp_pd_comm_of(d, f->tid) : 0,
		                     .pid = f->pid,
		                     .tid = f->tid,
		                     .has_ids = has_ids,
		                     .labels = f->raw.n && d->fields.points.n ? pp_pd_labels(d, f)
		                                                              : 0 };
	uint32_t *lately = &d->frames.lately[(f->tid ^ like.attr) % PP_COUNT_OF(d->frames.lately)];
	struct pp_pd_series *s;

	if (*lately && series_is(&d->frames.series.at[*lately - 1], &like))
		return &d->frames.series.at[*lately - 1];
	s = series_make(d, &like);
	if (s)
		*lately = (uint32_t)(s - d->frames.series.at) + 1;
	return s;
}

/* ---- to the builder --------------------------------------------------------------------- */

/* Counts a sample; false when it is too much. */
static bool
sample_count(struct pp_pd *d, struct pp_pd_series *s, const struct pp_pd_facts *f)
{
	struct pp_pd_counts *c = &d->counts;
	struct pp_pd_attr *a = f->attr;
	int64_t time = (int64_t)f->time;

	if (f->period > UINT64_MAX - a->period) {
		pp_pd_refuse(d, PP_PD_SUM, f->record, "%s", pp_pd_rules[PP_PD_SUM].title);
		return false;
	}
	a->period += f->period;
	a->samples++;
	c->samples++;
	if (!f->has_time)
		return true;
	c->time_min = !c->has_time || time < c->time_min ? time : c->time_min;
	c->time_max = !c->has_time || time > c->time_max ? time : c->time_max;
	c->has_time = true;
	s->unordered |= time < s->last_time;
	s->last_time = time;
	if (!d->frames.walk.sums && s->has_ids &&
	    !pp_perf_run(&d->frames.switches, s->index, s->tid, time))
		pp_pd_no_memory(d);
	return true;
}

void
pp_pd_switch(struct pp_pd *d, const unsigned char *record)
{
	const struct pp_pd_attr *a = pp_pd_side_attr(d, record);
	bool ends = pp_pd_type(d, record) == PP_PD_RECORD_EXIT;
	uint64_t time = pp_pd_time_of(d, record);
	size_t size = pp_pd_size(d, record), back;

	if (!a || time == 0 || time > INT64_MAX || (ends && size < 24) ||
	    (!ends && !(pp_pd_misc(d, record) & PP_PD_MISC_EXEC)))
		return;
	/* Whom a switch is about is told by what all records end with. */
	back = 8 * (size_t)__builtin_popcountll(a->sample_type &
	                                        (PP_PD_TID | PP_PD_TIME | PP_PD_ID |
	                                         PP_PD_STREAM_ID | PP_PD_CPU | PP_PD_IDENTIFIER));
	if (!ends && (!(a->sample_type & PP_PD_TID) || back + 8 > size))
		return;
	pp_perf_stop(&d->frames.switches, d->builder,
	             pp_pd_u32(d, ends ? record + 16 : record + size - back + 4), (int64_t)time);
}

/* The slot of a chain that may be known; *known tells whether it is the one. */
static struct pp_pd_chain *
chain_find(struct pp_pd *d, const struct resolving *r, const struct pp_pd_facts *f, pp_frame root,
           bool *known)
{
	struct pp_slice bytes = pp_slice_of(f->chain, f->chain_n * 8);
	uint64_t hash = pp_hash_long(bytes, d->builder->seed ^ r->user->serial);
	struct pp_pd_chain *slot = &d->frames.chains[(hash ^ root) & (CHAINS - 1)];

	*known = slot->n == f->chain_n && slot->serial == r->user->serial &&
	         slot->kernel == r->kernel->serial && slot->root == root &&
	         memcmp(slot->at, bytes.p, bytes.n) == 0;
	if (*known)
		return slot->stack ? slot : NULL;
	/* What the builder will fill must stay. */
	if (slot->waits && !slot->stack)
		return NULL;
	*slot = (struct pp_pd_chain){ .at = f->chain,
		                      .n = (uint32_t)f->chain_n,
		                      .serial = r->user->serial,
		                      .kernel = r->kernel->serial,
		                      .root = root };
	return slot;
}

/* ---- sums without a tree ---------------------------------------------------------------- */

/* The column of an event's periods, behind which that of its samples is; made when absent. */
static uint32_t
column_of(struct pp_pd *d, struct pp_pd_attr *a)
{
	uint32_t first;

	if (PP_LIKELY(a->column))
		return a->column - 1;
	first = pp_build_column(d->builder);
	(void)pp_build_column(d->builder);
	if (pp_builder_ok(d->builder)) {
		pp_build_column_unsigned(d->builder, first);
		pp_build_column_unsigned(d->builder, first + 1);
	}
	a->column = first + 1;
	return first;
}

/* How many words, from its outer end, a chain has like the one before; none is a marker. */
static size_t
words_shared(const struct pp_pd *d, const struct resolving *r, const struct pp_pd_facts *f,
             pp_frame root)
{
	const struct pp_pd_walk *w = &d->frames.walk;
	size_t most = w->n < f->chain_n ? w->n : f->chain_n, n = 0;
	const unsigned char *a = f->chain + 8 * f->chain_n, *b = w->chain + 8 * w->n;

	if (w->n == 0 || w->user != r->user->serial || w->kernel != r->kernel->serial ||
	    w->root != root)
		return 0;
	for (; n < most; n++) {
		a -= 8;
		b -= 8;
		if (memcmp(a, b, 8) != 0 || is_marker(pp_pd_u64(d, a)))
			break;
	}
	return n;
}

/*
 * The frames of a chain that the one before has not, from the leaf on; *keep is how many of its frames there are before them.
 * False when the chain says nothing.
 */
static bool
chain_walk(struct pp_pd *d, struct resolving *r, const struct pp_pd_facts *f, pp_frame root,
           size_t *keep)
{
	struct pp_pd_walk *w = &d->frames.walk;
	size_t shared = words_shared(d, r, f, root), i, n = f->chain_n;
	uint32_t more;

	if (!pp_vec_reserve(&w->depth, n + 1)) {
		pp_pd_no_memory(d);
		return false;
	}
	r->mode = PP_PD_USER;
	d->frames.stack.n = 0;
	for (i = 0; i < n; i++) {
		uint64_t ip;

		/* Who runs in what they share is told by what they do not. */
		if (i == n - shared && r->mode == w->mode)
			break;
		ip = pp_pd_u64(d, f->chain + 8 * i);
		w->depth.at[n - i] = (uint32_t)d->frames.stack.n;
		if (!is_marker(ip))
			frame_push(d, r, ip);
		else if (!marker_mode(ip, &r->mode))
			return false;
	}
	shared = n - i;
	if (shared == 0)
		w->depth.at[0] = root ? 1 : 0;
	more = w->depth.at[shared] + (uint32_t)d->frames.stack.n;
	*keep = shared ? w->depth.at[shared] : 0;
	for (i = shared + 1; i <= n; i++)
		w->depth.at[i] = more - w->depth.at[i];
	if (shared == 0 && d->frames.stack.n == 0)
		return false;
	if (shared == 0 && root && !pp_vec_push(&d->frames.stack, root))
		pp_pd_no_memory(d);
	w->chain = f->chain;
	w->n = n;
	w->user = r->user->serial;
	w->kernel = r->kernel->serial;
	w->root = root;
	w->mode = r->mode;
	return true;
}

/* Through a filter: a whole stack, and a value for each column. */
static void
sums_filtered(struct pp_pd *d, const struct pp_sample *sample, uint32_t column)
{
	struct pp_pd_walk *w = &d->frames.walk;
	struct pp_sample s = *sample;
	uint32_t columns[] = { column, column + 1 }, k;

	while (w->values.n < column + PP_COUNT_OF(columns))
		if (!pp_vec_push(&w->values, 0)) {
			pp_pd_no_memory(d);
			return;
		}
	for (k = 0; k < PP_COUNT_OF(columns); k++)
		w->values.at[columns[k]] = sample->values[k];
	s.values = w->values.at;
	s.columns = columns;
	s.column_count = PP_COUNT_OF(columns);
	stack_turn(d);
	(void)pp_build_sample(d->builder, &s, d->frames.stack.at, d->frames.stack.n);
}

static void
sums_give(struct pp_pd *d, struct resolving *r, const struct pp_pd_facts *f, pp_frame root,
          const struct pp_sample *sample)
{
	uint32_t column = column_of(d, f->attr);
	bool plain = f->chain_n && !f->by_branches && !f->registers && d->frames.walk.walks;
	size_t keep = 0;

	if (!plain || !chain_walk(d, r, f, root, &keep)) {
		d->frames.walk.n = 0;
		keep = 0;
		stack_make(d, r, f, root);
	}
	if (!pp_builder_ok(d->builder))
		return;
	if (d->frames.walk.walks)
		(void)pp_build_walk(d->builder, column, keep, d->frames.stack.at, d->frames.stack.n,
		                    (const uint64_t[]){ f->period, 1 });
	else
		sums_filtered(d, sample, column);
}

void
pp_pd_give(struct pp_pd *d, const struct pp_pd_facts *f)
{
	struct pp_pd_series *s = series_of(d, f);
	struct resolving r;
	int64_t values[2] = { (int64_t)f->period, 1 };
	struct pp_sample sample = { .cpu = f->has_cpu ? f->cpu + 1 : 0,
		                    .values = values,
		                    .timed = f->has_time,
		                    .time = (int64_t)f->time };
	struct pp_pd_chain *chain = NULL;
	bool known = false;

	if (!s || !sample_count(d, s, f))
		return;
	pp_pd_jit_until(d, f);
	r = (struct resolving){ pp_pd_space_of(d, f->pid), &d->threads.spaces.at[0],
		                &d->threads.spaces.at[1], 0 };
	sample.series = s->index;
	pp_builder_at(d->builder, pp_pd_at(d, f->record));
	if (d->frames.walk.sums) {
		sums_give(d, &r, f, s->root, &sample);
		return;
	}
	if (f->chain_n && !f->by_branches && !f->registers)
		chain = chain_find(d, &r, f, s->root, &known);
	if (known && chain) {
		(void)pp_build_again(d->builder, &sample, chain->stack);
		return;
	}
	stack_make(d, &r, f, s->root);
	stack_turn(d);
	if (chain) {
		chain->waits = true;
		sample.where = &chain->stack;
	}
	if (pp_builder_ok(d->builder))
		(void)pp_build_sample(d->builder, &sample, d->frames.stack.at, d->frames.stack.n);
}
