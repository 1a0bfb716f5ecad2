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
#include "formats/small/austin.h"

#define UNKNOWN "<unknown>"

/* The last stack of a thread. */
struct last {
	pp_frame *frames;
	bool *native;
	size_t n;
};

struct mojo {
	struct pp_austin *a;
	const unsigned char *begin, *cur, *end;
	int64_t version;
	bool building, broken;
	struct pp_strtab keys;         /* pid, kind and key as bytes */
	PP_VEC(struct pp_slice) texts; /* by key; p NULL = not told */
	PP_VEC(pp_frame) frames;       /* by key */
	PP_VEC(bool) native;           /* by key: no frame of Python */
	/* The stack that was begun. */
	bool open;
	int64_t pid, time, memory;
	bool timed, measured;
	struct pp_slice thread;
	PP_VEC(pp_frame) extra; /* :GC: and the like, on top */
	PP_VEC(pp_frame) base;  /* frames of the stack by which a repeat is known */
	PP_VEC(bool) base_native;
	PP_VEC(struct last) last; /* by thread */
	bool has[2];
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

/* The place of a key of the process in the tables. */
static pp_str
key_of(struct mojo *m, char kind, int64_t key)
{
	struct {
		int64_t pid, key, kind;
	} bytes = { m->pid, key, kind };
	bool is_new;
	pp_str id = 0;

	if (!pp_strtab_intern(&m->keys, &bytes, sizeof bytes, &id, &is_new))
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
	while (pp_builder_ok(m->a->b) && m->texts.n <= id)
		if (!pp_vec_push(&m->texts, (struct pp_slice){ 0 }) ||
		    !pp_vec_push(&m->frames, 0) || !pp_vec_push(&m->native, false) ||
		    !pp_vec_push(&m->last, (struct last){ 0 }))
			pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
	return id;
}

static struct pp_slice
text_of(struct mojo *m, int64_t key)
{
	struct pp_slice text;
	pp_str id;

	if (key == 0 || key == 1)
		return pp_slice_z(key ? UNKNOWN : "");
	id = key_of(m, 's', key);
	text = pp_builder_ok(m->a->b) ? m->texts.at[id] : (struct pp_slice){ 0 };
	if (!text.p)
		m->broken = true;
	return text;
}

/* ---- stacks ------------------------------------------------------------------------------- */

static void
frame_push(struct mojo *m, pp_frame frame, bool native)
{
	if (!m->building)
		return;
	if (!pp_vec_push(&m->base, frame) || !pp_vec_push(&m->base_native, native))
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
}

static void
extra_push(struct mojo *m, const char *name)
{
	if (m->building && !pp_vec_push(&m->extra, pp_austin_frame(m->a, pp_slice_z(name),
	                                                           (struct pp_slice){ 0 }, 0)))
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
}

/* The place of the thread's last stack. */
static pp_str
thread_of(struct mojo *m)
{
	struct pp_buf key = { 0 };
	bool is_new;
	pp_str id = 0;

	pp_buf_add(&key, &m->pid, sizeof m->pid);
	pp_buf_add(&key, m->thread.p, m->thread.n);
	if (key.failed || !pp_strtab_intern(&m->keys, key.p, key.n, &id, &is_new))
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
	pp_buf_release(&key);
	while (pp_builder_ok(m->a->b) && m->last.n <= id)
		if (!pp_vec_push(&m->texts, (struct pp_slice){ 0 }) ||
		    !pp_vec_push(&m->frames, 0) || !pp_vec_push(&m->native, false) ||
		    !pp_vec_push(&m->last, (struct last){ 0 }))
			pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
	return id;
}

static void
last_keep(struct mojo *m)
{
	pp_str id = thread_of(m);
	struct last *last;
	pp_frame *frames;
	bool *native;

	if (!pp_builder_ok(m->a->b))
		return;
	last = &m->last.at[id];
	frames = realloc(last->frames, (m->base.n + 1) * sizeof *frames);
	last->frames = frames ? frames : last->frames;
	native = realloc(last->native, (m->base.n + 1) * sizeof *native);
	last->native = native ? native : last->native;
	if (!frames || !native) {
		pp_builder_fail(m->a->b, PP_E_NOMEM, NULL);
		return;
	}
	if (m->base.n) {
		memcpy(frames, m->base.at, m->base.n * sizeof *frames);
		memcpy(native, m->base_native.at, m->base.n * sizeof *native);
	}
	last->n = m->base.n;
}

/* The stack before, without the native frames on its top, goes below what was told of this one. */
static void
repeat_put(struct mojo *m)
{
	const struct last *last;
	size_t n, was = m->base.n;
	pp_str id = thread_of(m);

	if (!pp_builder_ok(m->a->b) || !m->building)
		return;
	last = &m->last.at[id];
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

static void
stack_end(struct mojo *m)
{
	size_t i;

	if (!m->open)
		return;
	m->has[0] |= m->timed;
	m->has[1] |= m->measured;
	if (m->building) {
		last_keep(m);
		m->a->stack.n = 0;
		for (i = 0; i < m->base.n; i++)
			pp_austin_push(m->a, m->base.at[i]);
		for (i = 0; i < m->extra.n; i++)
			pp_austin_push(m->a, m->extra.at[i]);
		if (m->timed && m->memory < 0)
			m->memory = 0;
		if (pp_builder_ok(m->a->b))
			pp_austin_give(m->a, pp_austin_series(m->a, m->pid, m->thread, false),
			               m->time, m->memory);
	}
	m->open = false;
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
	pp_str id;

	if (m->version >= 2) {
		(void)number_take(m);
		(void)number_take(m);
		(void)number_take(m);
	}
	if (m->broken || !m->building)
		return;
	name = text_of(m, scope);
	place = text_of(m, file);
	id = key_of(m, 'f', key);
	if (m->broken || !pp_builder_ok(m->a->b))
		return;
	m->frames.at[id] = pp_austin_frame(m->a, name, place,
	                                   line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0);
	m->native.at[id] = is_native(place);
}

static void
frame_name(struct mojo *m)
{
	int64_t key = number_take(m);
	pp_str id;

	if (m->broken || !m->building)
		return;
	id = key_of(m, 'f', key);
	if (!pp_builder_ok(m->a->b))
		return;
	if (!m->frames.at[id])
		pp_austin_report(m->a, PP_AUSTIN_FRAME,
		                 pp_at_offset((uint64_t)(m->cur - m->begin)));
	else
		frame_push(m, m->frames.at[id], m->native.at[id]);
}

static void
kernel_push(struct mojo *m)
{
	struct pp_slice name = text_take(m);
	struct pp_builder *b = m->a->b;
	struct pp_func_row func = { .flags = PP_FUNC_KERNEL };

	if (m->broken || !m->building)
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

	if (!m->broken && !m->building && m->a->reader->order->facets & (PP_META | PP_EXTRAS))
		(void)pp_build_meta(m->a->b, 0, key, PP_META_TEXT, value);
}

static void
string_tell(struct mojo *m)
{
	int64_t key = number_take(m);
	struct pp_slice text = text_take(m);
	pp_str id;

	if (m->broken || !m->building)
		return;
	id = key_of(m, 's', key);
	if (pp_builder_ok(m->a->b))
		m->texts.at[id] = text;
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
	if (m->building && (m->version < 1 || m->version > 4))
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
			if (m->building)
				pp_austin_report(m->a, PP_AUSTIN_EVENT,
				                 pp_at_offset((uint64_t)(at - text.p)));
			break;
		}
	}
	if (m->broken && m->building && pp_builder_ok(m->a->b))
		pp_austin_report(m->a, PP_AUSTIN_CUT, pp_at_offset((uint64_t)(at - text.p)));
	if (!m->broken)
		stack_end(m);
}

void
pp_austin_mojo(struct pp_austin *a, struct pp_slice text)
{
	struct mojo m = { .a = a };
	size_t i;

	a->b->profile->variant = pp_build_strz(a->b, "mojo");
	if (!pp_strtab_init(&m.keys, a->reader->seed))
		pp_builder_fail(a->b, PP_E_NOMEM, NULL);
	if (pp_builder_ok(a->b))
		events_read(&m, text);
	pp_austin_metrics(a, m.has[0], m.has[1]);
	m.building = true;
	m.broken = m.open = false;
	if (pp_builder_ok(a->b))
		events_read(&m, text);
	for (i = 0; i < m.last.n; i++) {
		free(m.last.at[i].frames);
		free(m.last.at[i].native);
	}
	pp_strtab_release(&m.keys);
	pp_vec_release(&m.texts);
	pp_vec_release(&m.frames);
	pp_vec_release(&m.native);
	pp_vec_release(&m.last);
	pp_vec_release(&m.base);
	pp_vec_release(&m.base_native);
	pp_vec_release(&m.extra);
}
