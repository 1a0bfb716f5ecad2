/*
 * Threads and what is mapped where, as time goes on.
 */
#include "formats/perf/data.h"

#include <stdio.h>

/* As many as Linux allows a process, and a few. */
#define MAPS_MOST 70000
#define KERNEL_PID UINT32_MAX
#define PROT_EXECUTE 4
#define MAP_HUGE 0x40000

enum { SPACE_KERNEL, SPACE_NOBODY, SPACES };

/* ---- the tables ------------------------------------------------------------------------- */

bool
pp_pd_threads_init(struct pp_pd *d)
{
	struct pp_pd_threads *t = &d->threads;
	uint64_t seed = d->builder->seed;
	size_t i;

	t->space_of.seed = t->thread_of.seed = seed;
	for (i = 0; i < SPACES; i++)
		if (!pp_vec_push(&t->spaces, (struct pp_pd_space){ .serial = ++t->serials }))
			return false;
	return pp_vec_push(&t->modules, (struct pp_pd_module){ 0 }) &&
	       pp_strtab_init(&t->module_keys, seed) && pp_strtab_init(&d->id_names, seed) &&
	       pp_vec_push(&d->ids, (struct pp_slice){ 0 });
}

void
pp_pd_threads_release(struct pp_pd *d)
{
	struct pp_pd_threads *t = &d->threads;
	size_t i;

	for (i = 0; i < t->spaces.n; i++)
		pp_vec_release(&t->spaces.at[i].maps);
	pp_vec_release(&t->spaces);
	pp_vec_release(&t->modules);
	pp_vec_release(&t->maps);
	pp_vec_release(&t->jits);
	pp_vec_release(&t->threads);
	pp_map_release(&t->space_of);
	pp_map_release(&t->thread_of);
	pp_strtab_release(&t->module_keys);
	pp_strtab_release(&d->id_names);
	pp_vec_release(&d->ids);
}

/* The mappings of a process, made when absent; SPACES when out of memory. */
static size_t
space_make(struct pp_pd *d, uint32_t pid)
{
	struct pp_pd_threads *t = &d->threads;
	uint32_t at = pp_map_get(&t->space_of, pid);

	if (at != PP_MAP_NONE)
		return at;
	at = (uint32_t)t->spaces.n;
	if (pp_vec_push(&t->spaces, (struct pp_pd_space){ .serial = ++t->serials }) &&
	    pp_map_set(&t->space_of, pid, at))
		return at;
	pp_pd_no_memory(d);
	return SPACE_NOBODY;
}

const struct pp_pd_space *
pp_pd_space_of(const struct pp_pd *d, uint32_t pid)
{
	uint32_t at = pid == KERNEL_PID ? SPACE_KERNEL : pp_map_get(&d->threads.space_of, pid);

	return &d->threads.spaces.at[at == PP_MAP_NONE ? SPACE_NOBODY : at];
}

/* The first mapping that ends behind an address. */
static size_t
first_behind(const struct pp_pd *d, const struct pp_pd_space *s, uint64_t address)
{
	size_t low = 0, high = s->maps.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->threads.maps.at[s->maps.at[middle]].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct pp_pd_map *
pp_pd_map_at(const struct pp_pd *d, const struct pp_pd_space *s, uint64_t address)
{
	size_t at = first_behind(d, s, address);
	const struct pp_pd_map *m;

	if (at == s->maps.n)
		return NULL;
	m = &d->threads.maps.at[s->maps.at[at]];
	return m->start <= address ? m : NULL;
}

/* ---- modules ---------------------------------------------------------------------------- */

/* The module of a name and build id, made when absent; 0 when out of memory. */
static uint32_t
module_make(struct pp_pd *d, const struct pp_pd_module *m)
{
	struct pp_buf key = { 0 };
	pp_str id = 0;
	bool is_new = false;

	pp_buf_add(&key, m->name.p, m->name.n);
	pp_buf_addc(&key, '\0');
	pp_buf_add(&key, m->build_id.p, m->build_id.n);
	if (key.failed || !pp_strtab_intern(&d->threads.module_keys, key.p, key.n, &id, &is_new) ||
	    (is_new && !pp_vec_push(&d->threads.modules, *m)))
		pp_pd_no_memory(d);
	pp_buf_release(&key);
	/* Keys are numbered like modules: the empty one, which is 0, is none of them. */
	return pp_builder_ok(d->builder) ? id : 0;
}

/* Memory without a file: what runs there was made by the program itself. */
static bool
is_anonymous(struct pp_slice name, uint32_t flags)
{
	return pp_slice_starts(name, "//anon") || pp_slice_starts(name, "/dev/zero") ||
	       pp_slice_starts(name, "/anon_hugepage") || pp_slice_starts(name, "[heap]") ||
	       pp_slice_starts(name, "[stack") || pp_slice_starts(name, "/SYSV") ||
	       (flags & MAP_HUGE);
}

/* "[kernel.kallsyms]_text" is called without the symbol that it is measured by. */
static struct pp_slice
kernel_name(struct pp_slice name)
{
	const unsigned char *stop = name.n && name.p[0] == '[' ? memchr(name.p, ']', name.n) : NULL;

	return stop ? pp_slice_between(name.p, stop + 1) : name;
}

/* What the kernel tells of a mapping. */
struct mapping {
	uint32_t pid, flags;
	struct pp_slice name, build_id;
	struct pp_pd_map map;
	bool kernel;
};

static uint32_t
module_of(struct pp_pd *d, const struct mapping *m)
{
	struct pp_pd_module row = {
		.name = m->name, .build_id = m->build_id, .kind = PP_MODULE_BINARY, .offsets = true
	};
	char jit[40];
	uint32_t made;

	row.kind = pp_pd_jit_is_dump(m->name) ? PP_MODULE_JIT : row.kind;
	if (m->kernel) {
		row.name = kernel_name(m->name);
		row.reference = pp_slice_from(m->name, row.name.n);
		row.reference_at = m->map.pgoff;
		row.kind = PP_MODULE_KERNEL;
		row.offsets = false;
	} else if (is_anonymous(m->name, m->flags)) {
		row.offsets = false;
		if (m->map.code) {
			row.name = pp_slice_of(
			    jit, (size_t)snprintf(jit, sizeof jit, "/tmp/perf-%u.map", m->pid));
			row.kind = PP_MODULE_JIT;
			row.build_id.n = 0;
		}
	}
	made = module_make(d, &row);
	if (row.reference.n && !d->symbols.kernel_module)
		d->symbols.kernel_module = made;
	/* The name lives in the table, whoever told it. */
	if (made)
		d->threads.modules.at[made].name.p = pp_strtab_get(&d->threads.module_keys, made).p;
	return made;
}

/* ---- mappings --------------------------------------------------------------------------- */

static bool
mapping_read(struct pp_pd *d, const unsigned char *r, struct mapping *m)
{
	size_t size = pp_pd_size(d, r);
	bool second = pp_pd_type(d, r) == PP_PD_RECORD_MMAP2;
	uint16_t misc = pp_pd_misc(d, r);
	uint64_t start, n;

	if (size <= (second ? 72u : 40u))
		return false;
	*m = (struct mapping){ .pid = pp_pd_u32(d, r + 8) };
	start = pp_pd_u64(d, r + 16);
	n = pp_pd_u64(d, r + 24);
	m->map = (struct pp_pd_map){ .start = start,
		                     .end = n > UINT64_MAX - start ? UINT64_MAX : start + n,
		                     .pgoff = pp_pd_u64(d, r + 32),
		                     .code = !(misc & PP_PD_MISC_EXEC) };
	if (second) {
		m->map.code = pp_pd_u32(d, r + 64) & PROT_EXECUTE;
		m->flags = pp_pd_u32(d, r + 68);
		if (misc & PP_PD_MISC_BUILD_ID)
			m->build_id = pp_slice_of(r + 44, r[40] <= 20 ? r[40] : 20);
	}
	m->name = second ? pp_pd_text(r + 72, size - 72) : pp_pd_text(r + 40, size - 40);
	m->kernel = m->pid == KERNEL_PID || (misc & PP_PD_CPUMODE) == PP_PD_KERNEL;
	if (m->kernel && n == 0)
		m->map.end = UINT64_MAX;
	/* Of guests nothing else is known. */
	return m->map.start < m->map.end && (misc & PP_PD_CPUMODE) != PP_PD_GUEST_KERNEL &&
	       (misc & PP_PD_CPUMODE) != PP_PD_GUEST_USER;
}

static uint32_t
map_add(struct pp_pd *d, struct pp_pd_map map)
{
	if (!pp_vec_push(&d->threads.maps, map))
		pp_pd_no_memory(d);
	return (uint32_t)(d->threads.maps.n - 1);
}

/* Puts a mapping where it belongs; what it covers of others goes, what stands out stays. */
static void
space_map(struct pp_pd *d, size_t space, const struct pp_pd_map *map)
{
	struct pp_pd_space *s = &d->threads.spaces.at[space];
	size_t from = first_behind(d, s, map->start), to = from, n = 0;
	const struct pp_pd_map *maps = d->threads.maps.at;
	uint32_t put[3];

	while (to < s->maps.n && maps[s->maps.at[to]].start < map->end)
		to++;
	if (to > from && maps[s->maps.at[from]].start < map->start) {
		struct pp_pd_map left = maps[s->maps.at[from]];

		left.end = map->start;
		put[n++] = map_add(d, left);
	}
	put[n++] = map_add(d, *map);
	maps = d->threads.maps.at;
	if (to > from && maps[s->maps.at[to - 1]].end > map->end) {
		struct pp_pd_map right = maps[s->maps.at[to - 1]];

		right.pgoff += map->end - right.start;
		right.start = map->end;
		put[n++] = map_add(d, right);
	}
	if (!pp_builder_ok(d->builder) || !pp_vec_reserve(&s->maps, s->maps.n + 3)) {
		pp_pd_no_memory(d);
		return;
	}
	memmove(s->maps.at + from + n, s->maps.at + to, (s->maps.n - to) * sizeof *s->maps.at);
	memcpy(s->maps.at + from, put, n * sizeof *put);
	s->maps.n = s->maps.n - (to - from) + n;
	s->serial = ++d->threads.serials;
}

void
pp_pd_map(struct pp_pd *d, uint32_t pid, const struct pp_pd_map *map)
{
	size_t space = space_make(d, pid);

	if (pp_builder_ok(d->builder) && d->threads.spaces.at[space].maps.n < MAPS_MOST)
		space_map(d, space, map);
}

void
pp_pd_mmap(struct pp_pd *d, const unsigned char *record)
{
	struct mapping m;
	size_t space;

	if (!mapping_read(d, record, &m))
		return;
	m.map.module = module_of(d, &m);
	space = m.kernel ? SPACE_KERNEL : space_make(d, m.pid);
	if (!m.kernel && pp_pd_jit_mapped(d, m.pid, m.name, m.map.module, m.map.code))
		return;
	if (!pp_builder_ok(d->builder))
		return;
	if (d->threads.spaces.at[space].maps.n >= MAPS_MOST)
		pp_pd_refuse(d, PP_PD_MAPS, record, "process %u has more than %d mappings", m.pid,
		             MAPS_MOST);
	else
		space_map(d, space, &m.map);
}

/* ---- threads ---------------------------------------------------------------------------- */

/* The thread of that id, made when absent; NULL when out of memory. */
static struct pp_pd_thread *
thread_make(struct pp_pd *d, uint32_t tid)
{
	struct pp_pd_threads *t = &d->threads;
	uint32_t at = pp_map_get(&t->thread_of, tid);

	if (at != PP_MAP_NONE)
		return &t->threads.at[at];
	at = (uint32_t)t->threads.n;
	if (pp_vec_push(&t->threads, (struct pp_pd_thread){ 0 }) &&
	    pp_map_set(&t->thread_of, tid, at))
		return &t->threads.at[at];
	pp_pd_no_memory(d);
	return NULL;
}

pp_str
pp_pd_comm_of(struct pp_pd *d, uint32_t tid)
{
	struct pp_pd_thread *t = thread_make(d, tid);

	if (t && !t->named) {
		t->named = true;
		t->comm = tid ? pp_build_strf(d->builder, ":%u", tid)
		              : pp_build_strz(d->builder, "swapper");
		t->made_up = tid != 0;
	}
	return t ? t->comm : 0;
}

void
pp_pd_comm(struct pp_pd *d, const unsigned char *r)
{
	size_t size = pp_pd_size(d, r);
	struct pp_pd_thread *t;
	size_t space;

	if (size <= 16)
		return;
	t = thread_make(d, pp_pd_u32(d, r + 12));
	if (!t)
		return;
	t->comm = pp_build_str(d->builder, pp_pd_text(r + 16, size - 16));
	t->named = true;
	t->made_up = false;
	if (!(pp_pd_misc(d, r) & PP_PD_MISC_EXEC))
		return;
	/* Another program: nothing of the one before is mapped any more, but the kernel is still within its execve(). */
	space = space_make(d, pp_pd_u32(d, r + 8));
	if (space >= SPACES && d->threads.spaces.at[space].maps.n) {
		d->threads.executing += !d->threads.spaces.at[space].before;
		d->threads.spaces.at[space].before = (uint32_t)d->threads.maps.n;
	}
}

void
pp_pd_executed(struct pp_pd *d, uint32_t pid)
{
	uint32_t at = pp_map_get(&d->threads.space_of, pid);
	struct pp_pd_space *s = at == PP_MAP_NONE ? NULL : &d->threads.spaces.at[at];
	size_t i, n = 0;

	if (!s || !s->before)
		return;
	for (i = 0; i < s->maps.n; i++)
		if (s->maps.at[i] >= s->before)
			s->maps.at[n++] = s->maps.at[i];
	s->maps.n = n;
	s->before = 0;
	s->serial = ++d->threads.serials;
	d->threads.executing--;
}

/* A child has all that its parent has mapped. */
static void
space_copy(struct pp_pd *d, uint32_t parent, uint32_t child)
{
	size_t to = space_make(d, child), i;
	const struct pp_pd_space *from = pp_pd_space_of(d, parent);
	struct pp_pd_space *s = &d->threads.spaces.at[to];

	if (to < SPACES || from == s)
		return;
	d->threads.executing -= s->before != 0;
	d->threads.executing += from->before != 0;
	s->before = from->before;
	s->maps.n = 0;
	s->serial = ++d->threads.serials;
	if (!pp_vec_reserve(&s->maps, from->maps.n)) {
		pp_pd_no_memory(d);
		return;
	}
	for (i = 0; i < from->maps.n; i++)
		s->maps.at[i] = from->maps.at[i];
	s->maps.n = from->maps.n;
}

void
pp_pd_fork(struct pp_pd *d, const unsigned char *r)
{
	uint32_t pid, parent, tid, at;
	struct pp_pd_thread *t, was = { 0 };

	if (pp_pd_size(d, r) < 24)
		return;
	pid = pp_pd_u32(d, r + 8);
	parent = pp_pd_u32(d, r + 12);
	tid = pp_pd_u32(d, r + 16);
	at = pp_map_get(&d->threads.thread_of, pp_pd_u32(d, r + 20));
	if (at != PP_MAP_NONE)
		was = d->threads.threads.at[at];
	t = thread_make(d, tid);
	if (!t)
		return;
	/* A name that was made up for the parent is not the child's. */
	*t = (struct pp_pd_thread){ .named = was.named && !was.made_up, .comm = was.comm };
	if (pid != parent && !(pp_pd_misc(d, r) & PP_PD_MISC_EXEC))
		space_copy(d, parent, pid);
}
