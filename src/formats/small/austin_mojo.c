/*
 * MOJO: austin's binary form. "MOJ", a version, then events of one byte and what it says:
 *
 *     1  key, value            metadata             7   GC ran, on top of the stack
 *     2  pid, [iid], thread    a stack begins       8   idle
 *     3  key, file, scope, line, [line, column,     9   us
 *        column]               a frame is told      10  bytes
 *     4                        an invalid frame     11  key, text: a text is told
 *     5  key                   that frame           12  key: that text
 *     6  text                  a kernel's frame     13  the thread's stack before goes below
 *
 * Numbers are 6 bits, a sign (0x40) and 7 bits more as long as 0x80 is set; texts end with a zero. iid is there from version 3 on, ends
 * of lines and columns from 2 on. Keys are those of a process. Text 0 is empty, text 1 is not known.
 */
#include "base/stops.h"
#include "formats/small/austin.h"

#define UNKNOWN "<unknown>"

/* The last stack of a thread. */
struct last {
	pp_frame *frames;
	bool *native;
	size_t n, room;
};

/* What a key of a process stands for: a text (s), a frame (f) or a thread (t). */
struct known {
	int64_t key;
	uint32_t process;
	char kind;
	bool native;          /* no frame of Python */
	uint32_t frame;       /* pp_frame, or the row of a thread's last stack + 1; 0 = not told */
	struct pp_slice text; /* p NULL = not told */
};

/* Frames that were named lately, by the lowest bits of their keys. */
#define RECENT 4096

struct mojo {
	struct pp_austin *a;
	const unsigned char *begin, *cur, *end;
	int64_t version;
	bool broken;
	struct pp_map processes; /* pid to a number */
	uint32_t process, process_count;
	struct pp_strtab threads; /* pid and name as bytes */
	struct pp_index index;    /* of what is known */
	PP_VEC(struct known) known;
	uint32_t recent[RECENT];  /* rows of them + 1 */
	PP_VEC(struct last) last; /* by thread */
	/* The stack that was begun. */
	bool open;
	int64_t pid, time, memory;
	bool timed, measured;
	struct pp_slice thread;
	PP_VEC(pp_frame) extra; /* :GC: and the like, on top */
	PP_VEC(pp_frame) base;  /* frames of the stack by which a repeat is known */
	PP_VEC(bool) base_native;
	uint32_t owner; /* row of its last stack + 1; 0 = not looked up */
};

/* ---- bytes -------------------------------------------------------------------------------- */

static int64_t
number_take(struct mojo *m)
{
	uint64_t n = 0;
	unsigned shift = 6;
	unsigned char c;
	bool negative;

	if (m->cur == m->end) {
		m->broken = true;
		return 0;
	}
	c = *m->cur++;
	n = c & 0x3f;
	negative = c & 0x40;
	while (c & 0x80) {
		if (m->cur == m->end || shift > 62) {
			m->broken = true;
			return 0;
		}
		c = *m->cur++;
		n |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	}
	n &= INT64_MAX;
	return negative ? -(int64_t)n : (int64_t)n;
}

static struct pp_slice
text_take(struct mojo *m)
{
	const unsigned char *zero = m->cur < m->end ? memchr(m->cur, 0, (size_t)(m->end - m->cur))
	                                            : NULL;
	struct pp_slice text = { 0 };

	if (!zero) {
		m->broken = true;
		return text;
	}
	text = pp_slice_between(m->cur, zero);
	m->cur = zero + 1;
	return text;
}

/* What a key of the process stands for, made when absent. NULL on failure. */
static struct known *
key_of(struct mojo *m, char kind, int64_t key)
{
	uint64_t hash = pp_mix((uint64_t)key ^ m->index.seed, PP_HASH_K1) ^
	                ((uint64_t)m->process << 8 | (unsigned char)kind);
	uint32_t tag = pp_index_tag(&m->index, hash), row;
	size_t at = pp_index_begin(&m->index, tag);
	struct known *known;

	while ((row = pp_index_next(&m->index, tag, &at)) != PP_MAP_NONE) {
		known = &m->known.at[row];
		if (PP_LIKELY(known->key == key && known->process == m->process &&
		              known->kind == kind))
			return known;
	}
	row = (uint32_t)m->known.n;
	if (!pp_vec_push(&m->known,
	                 (struct known){ .key = key, .process = m->process, .kind = kind }) ||
	    !pp_index_add(&m->index, tag, row)) {
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
		return NULL;
	}
	return &m->known.at[row];
}

/* The same for a frame that is named, which is most of a file. */
static inline struct known *
frame_of(struct mojo *m, int64_t key)
{
	uint32_t *recent = &m->recent[(uint64_t)key % RECENT];
	struct known *known = *recent ? &m->known.at[*recent - 1] : NULL;

	if (PP_LIKELY(known && known->key == key && known->process == m->process))
		return known;
	known = key_of(m, 'f', key);
	if (known)
		*recent = (uint32_t)(known - m->known.at) + 1;
	return known;
}

static struct pp_slice
text_of(struct mojo *m, int64_t key)
{
	struct pp_slice text = { 0 };
	struct known *known;

	if (key == 0 || key == 1)
		return pp_slice_z(key ? UNKNOWN : "");
	known = key_of(m, 's', key);
	if (known)
		text = known->text;
	if (!text.p)
		m->broken = true;
	return text;
}

/* ---- stacks ------------------------------------------------------------------------------- */

static void
frame_push(struct mojo *m, pp_frame frame, bool native)
{
	if (!pp_vec_push(&m->base, frame) || !pp_vec_push(&m->base_native, native))
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
}

static void
extra_push(struct mojo *m, const char *name)
{
	if (!pp_vec_push(&m->extra,
	                 pp_austin_frame(m->a, pp_slice_z(name), (struct pp_slice){ 0 }, 0)))
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
}

/* The thread's last stack; NULL on failure. */
static struct last *
last_of(struct mojo *m)
{
	struct pp_buf bytes = { 0 };
	struct known *thread;
	bool is_new;
	pp_str id;

	if (m->owner)
		return &m->last.at[m->owner - 1];
	pp_buf_add(&bytes, &m->pid, sizeof m->pid);
	pp_buf_add(&bytes, m->thread.p, m->thread.n);
	thread = !bytes.failed && pp_strtab_intern(&m->threads, bytes.p, bytes.n, &id, &is_new)
	             ? key_of(m, 't', id)
	             : NULL;
	pp_buf_release(&bytes);
	if (!thread || (!thread->frame && !pp_vec_push(&m->last, (struct last){ 0 }))) {
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (!thread->frame)
		thread->frame = (uint32_t)m->last.n;
	m->owner = thread->frame;
	return &m->last.at[m->owner - 1];
}

static void
last_keep(struct mojo *m)
{
	struct last *last = last_of(m);
	size_t n = m->base.n;

	if (!last)
		return;
	if (n > last->room) {
		pp_frame *frames = realloc(last->frames, 2 * n * sizeof *frames);
		bool *native = realloc(last->native, 2 * n * sizeof *native);

		last->frames = frames ? frames : last->frames;
		last->native = native ? native : last->native;
		if (!frames || !native) {
			pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
			return;
		}
		last->room = 2 * n;
	}
	if (n) {
		memcpy(last->frames, m->base.at, n * sizeof *last->frames);
		memcpy(last->native, m->base_native.at, n * sizeof *last->native);
	}
	last->n = n;
}

/* The stack before, without the native frames on its top, goes below what was told of this one. */
static void
repeat_put(struct mojo *m)
{
	const struct last *last;
	size_t n, was = m->base.n;

	last = last_of(m);
	if (!last)
		return;
	for (n = last->n; n && last->native[n - 1]; n--)
		;
	if (n == 0)
		return;
	if (!pp_vec_reserve(&m->base, was + n) || !pp_vec_reserve(&m->base_native, was + n)) {
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
		return;
	}
	memmove(m->base.at + n, m->base.at, was * sizeof *m->base.at);
	memmove(m->base_native.at + n, m->base_native.at, was * sizeof *m->base_native.at);
	memcpy(m->base.at, last->frames, n * sizeof *m->base.at);
	memcpy(m->base_native.at, last->native, n * sizeof *m->base_native.at);
	m->base.n = m->base_native.n = was + n;
}

/* The series of the thread, which is mostly that of the stack before. */
static uint32_t
series_of(struct mojo *m)
{
	struct pp_austin *a = m->a;

	if (!a->last_thread.p || a->last_pid != m->pid || !pp_slice_eq(a->last_thread, m->thread)) {
		a->last_series = pp_austin_series(a, m->pid, m->thread, false);
		a->last_pid = m->pid;
		a->last_thread = m->thread;
	}
	return a->last_series;
}

static void
frames_give(struct mojo *m, const pp_frame *frames, size_t n)
{
	struct pp_austin *a = m->a;

	if (!pp_vec_reserve(&a->stack, a->stack.n + n))
		pp_builder_fail(a->b, PP_E_NOMEM, NULL);
	if (!n || !pp_builder_ok(a->b))
		return;
	memcpy(a->stack.at + a->stack.n, frames, n * sizeof *frames);
	a->stack.n += n;
}

static void
stack_end(struct mojo *m)
{
	if (!m->open)
		return;
	last_keep(m);
	m->a->stack.n = 0;
	frames_give(m, m->base.at, m->base.n);
	frames_give(m, m->extra.at, m->extra.n);
	if (m->timed && m->memory < 0)
		m->memory = 0;
	if (pp_builder_ok(m->a->b))
		pp_austin_give(m->a, series_of(m), m->time, m->memory);
	m->open = false;
}

/* Keys are those of a process from here on. */
static void
process_set(struct mojo *m, int64_t pid)
{
	uint32_t found = pp_map_get(&m->processes, (uint64_t)pid);

	if (found == PP_MAP_NONE) {
		found = m->process_count++;
		if (!pp_map_set(&m->processes, (uint64_t)pid, found))
			pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
	}
	m->process = found;
}

static void
stack_begin(struct mojo *m)
{
	int64_t pid = number_take(m);
	struct pp_slice thread;

	if (m->version >= 3)
		(void)number_take(m);
	thread = text_take(m);
	if (m->broken)
		return;
	stack_end(m);
	if (pid != m->pid || !m->process_count)
		process_set(m, pid);
	if (pid != m->pid || !pp_slice_eq(thread, m->thread))
		m->owner = 0;
	m->pid = pid;
	m->thread = thread;
	m->time = m->memory = 0;
	m->timed = m->measured = false;
	m->base.n = m->base_native.n = m->extra.n = 0;
	m->open = true;
}

/* Of what file a frame of Python is. */
static bool
is_native(struct pp_slice file)
{
	return !pp_slice_ends(file, ".py") &&
	       !(pp_slice_starts(file, "<") && pp_slice_ends(file, ">"));
}

static void
frame_tell(struct mojo *m)
{
	int64_t key = number_take(m), file = number_take(m), scope = number_take(m),
	        line = number_take(m);
	struct pp_slice name, place;
	struct known *known;

	if (m->version >= 2) {
		(void)number_take(m);
		(void)number_take(m);
		(void)number_take(m);
	}
	if (m->broken)
		return;
	name = text_of(m, scope);
	place = text_of(m, file);
	known = key_of(m, 'f', key);
	if (m->broken || !known)
		return;
	known->frame = pp_austin_frame(m->a, name, place,
	                               line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0);
	known->native = is_native(place);
}

static void
frame_name(struct mojo *m)
{
	int64_t key = number_take(m);
	const struct known *known;

	if (m->broken)
		return;
	known = frame_of(m, key);
	if (!known)
		return;
	if (!known->frame)
		pp_austin_report(m->a, PP_AUSTIN_FRAME,
		                 pp_at_offset((uint64_t)(m->cur - m->begin)));
	else
		frame_push(m, known->frame, known->native);
}

static void
kernel_push(struct mojo *m)
{
	struct pp_slice name = text_take(m);
	struct pp_builder *b = m->a->b;
	struct pp_func_row func = { .flags = PP_FUNC_KERNEL };

	if (m->broken)
		return;
	func.name = pp_build_str(b, name);
	func.module = pp_build_module(b,
	                              &(struct pp_module_row){ .name = pp_build_strz(b, "[kernel]"),
	                                                       .kind = PP_MODULE_KERNEL });
	frame_push(m, pp_build_frame(b, &(struct pp_frame_row){ .func = pp_build_func(b, &func) }),
	           true);
}

/* ---- events ------------------------------------------------------------------------------- */

static void
meta_take(struct mojo *m)
{
	struct pp_slice key = text_take(m), value = text_take(m);

	if (!m->broken && m->a->reader->order->facets & (PP_META | PP_EXTRAS))
		(void)pp_build_meta(m->a->b, 0, key, PP_META_TEXT, value);
}

static void
string_tell(struct mojo *m)
{
	int64_t key = number_take(m);
	struct pp_slice text = text_take(m);
	struct known *known;

	if (m->broken)
		return;
	known = key_of(m, 's', key);
	if (known)
		known->text = text;
}

/* An event within a stack; false when there is no such kind. */
static bool
event_take(struct mojo *m, unsigned char kind)
{
	switch (kind) {
	case 3:
		frame_tell(m);
		return true;
	case 4:
		extra_push(m, ":INVALID:");
		return true;
	case 5:
		frame_name(m);
		return true;
	case 6:
		kernel_push(m);
		return true;
	case 7:
		extra_push(m, ":GC:");
		return true;
	case 8:
		return true;
	case 9:
		m->time = number_take(m);
		m->timed = true;
		return true;
	case 10:
		m->memory = number_take(m);
		m->measured = true;
		return true;
	case 11:
		string_tell(m);
		return true;
	case 12:
		(void)number_take(m);
		return true;
	case 13:
		repeat_put(m);
		return true;
	default:
		return false;
	}
}

static void
events_read(struct mojo *m, struct pp_slice text)
{
	const unsigned char *at = text.p;

	m->begin = text.p;
	m->cur = text.p + 3;
	m->end = text.p + text.n;
	m->version = number_take(m);
	if (m->version < 1 || m->version > 4)
		pp_austin_report(m->a, PP_AUSTIN_VERSION, pp_at_offset(3));
	while (m->cur < m->end && !m->broken && pp_builder_ok(m->a->b)) {
		unsigned char kind;

		at = m->cur;
		kind = *m->cur++;
		if (kind == 1)
			meta_take(m);
		else if (kind == 2)
			stack_begin(m);
		else if (!m->open)
			m->broken = true;
		else if (!event_take(m, kind)) {
			pp_austin_report(m->a, PP_AUSTIN_EVENT,
			                 pp_at_offset((uint64_t)(at - text.p)));
			break;
		}
	}
	if (m->broken && pp_builder_ok(m->a->b))
		pp_austin_report(m->a, PP_AUSTIN_CUT, pp_at_offset((uint64_t)(at - text.p)));
	if (!m->broken)
		stack_end(m);
}

/* ---- what is measured --------------------------------------------------------------------- */

/* What follows so many numbers; NULL when they do not end. */
static const unsigned char *
numbers_pass(const unsigned char *p, const unsigned char *end, unsigned n)
{
	for (; n; n--) {
		while (p < end && *p & 0x80)
			p++;
		if (p++ >= end)
			return NULL;
	}
	return p;
}

/* The same for texts. */
static const unsigned char *
texts_pass(const unsigned char *p, const unsigned char *end, unsigned n)
{
	for (; p && n; n--) {
		p = p < end ? memchr(p, 0, (size_t)(end - p)) : NULL;
		p += p != NULL;
	}
	return p;
}

/* What follows an event of a kind; NULL when it does not end, or there is no such kind. */
static const unsigned char *
event_pass(const struct mojo *m, unsigned char kind, const unsigned char *p)
{
	/* Most are frames that are named. */
	if (PP_LIKELY(kind == 5 || kind == 9 || kind == 10 || kind == 12))
		return numbers_pass(p, m->end, 1);
	if (kind == 3)
		return numbers_pass(p, m->end, m->version >= 2 ? 7 : 4);
	if (kind == 1 || kind == 6)
		return texts_pass(p, m->end, kind == 1 ? 2 : 1);
	if (kind == 2 || kind == 11)
		return texts_pass(numbers_pass(p, m->end, kind == 2 && m->version >= 3 ? 2 : 1),
		                  m->end, 1);
	return kind >= 4 && kind <= 13 ? p : NULL;
}

/* Whether stacks tell time and memory: has[0], has[1]. What is wrong is told when they are read. */
static void
kinds_find(struct mojo *m, struct pp_slice text, bool has[2])
{
	const unsigned char *p;
	bool seen[2] = { false, false }, open = false;
	size_t steps = 0;

	m->cur = text.p + 3;
	m->end = text.p + text.n;
	m->version = number_take(m);
	for (p = m->cur; p && p < m->end && !(has[0] && has[1]); steps++) {
		unsigned char kind = *p++;

		if ((!open && kind > 2) || pp_account_stops_at(steps))
			break;
		p = event_pass(m, kind, p);
		if (kind == 9 || kind == 10)
			seen[kind - 9] = p != NULL;
		if (kind != 2 || !p)
			continue;
		has[0] |= seen[0];
		has[1] |= seen[1];
		seen[0] = seen[1] = false;
		open = true;
	}
	/* A stack that is cut is none. */
	has[0] |= p && seen[0];
	has[1] |= p && seen[1];
	m->broken = false;
}

void
pp_austin_mojo(struct pp_austin *a, struct pp_slice text)
{
	struct mojo m = { .a = a,
		          .processes.seed = a->reader->seed,
		          .index.seed = a->reader->seed };
	bool has[2] = { false, false };
	size_t i;

	a->b->profile->variant = pp_build_strz(a->b, "mojo");
	if (!pp_strtab_init(&m.threads, a->reader->seed))
		pp_builder_fail(a->b, PP_E_NOMEM, NULL);
	kinds_find(&m, text, has);
	pp_austin_metrics(a, has[0], has[1]);
	if (pp_builder_ok(a->b))
		events_read(&m, text);
	for (i = 0; i < m.last.n; i++) {
		free(m.last.at[i].frames);
		free(m.last.at[i].native);
	}
	pp_vec_release(&m.last);
	pp_strtab_release(&m.threads);
	pp_map_release(&m.processes);
	pp_slots_release(&m.index.slots);
	pp_vec_release(&m.known);
	pp_vec_release(&m.base);
	pp_vec_release(&m.base_native);
	pp_vec_release(&m.extra);
}
