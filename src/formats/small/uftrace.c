/*
 * uftrace: calls and returns of native functions, in a directory.
 *
 *     info                "Ftrace!", a version, masks; behind them lines key:value
 *     task.txt            SESS ... pid=7 sid=ca76 exename="..."    TASK ... tid=7 pid=7
 *     sid-ca76.map        what was mapped where, as /proc/PID/maps, with build-id:... at the ends
 *     NAME.sym            ADDRESS TYPE NAME, from the start of the file's first mapping on; ? ends a row of symbols
 *     TID.dat             records of 16 bytes: ns; then type (2 bits: entry, exit, lost, event), more (1), 5 (3), depth (10),
 *                         address (48)
 *
 * What passes between two records is the time of the function that is innermost then. Arguments and other data behind records
 * ("more") have no length of their own and are not read. `info` is what is opened; the others stand beside it.
 */
#include <stdio.h>

#include "base/sort.h"
#include "formats/author.h"
#include "formats/kit/call_walk.h"

extern const struct pp_format pp_format_uftrace;

#define MAGIC "Ftrace!"
#define RECORD 16
#define RECORD_MAGIC 5
/* More than any program has; the rest is passed over. */
#define MOST_MAPPED 4096
#define MOST_TASKS 32768

enum { UF_CUT, UF_OPEN, UF_LOST };

static const struct pp_rule uf_rules[] = {
	[UF_CUT] = { "uftrace-cut", PP_ERROR, "a file of the recording is missing or breaks off",
	             "A recording is a directory with info, task.txt, maps, symbols and a file of records for each thread. "
	             "Everything before that place was read; records with arguments cannot be skipped." },
	[UF_OPEN] = { "uftrace-open", PP_WARNING, "functions did not return",
	              "The recording ends while functions run. Their time ends with the last record." },
	[UF_LOST] = { "uftrace-lost", PP_WARNING, "records were lost",
	              "uftrace could not write some records in time. Calls and times are those of the others." },
	{ 0 },
};

struct uf_symbol {
	uint64_t address;
	struct pp_slice name;
	bool end;
};

struct uf_module {
	struct pp_slice name; /* without directories */
	uint64_t base;        /* where its first mapping begins */
	bool tried;
	PP_VEC(struct uf_symbol) symbols;
};

struct uf_range {
	uint64_t start, end;
	uint32_t module;
};

struct uf_task {
	int64_t pid, tid;
};

struct uf_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_arena arena;
	PP_VEC(struct uf_module) modules;
	PP_VEC(struct uf_range) ranges;
	PP_VEC(struct uf_task) tasks;
	struct pp_map frame_of; /* address -> frame */
	bool lost, open;
};

static void
report(struct uf_read *r, int rule, const char *file, const char *what)
{
	r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &uf_rules[rule], PP_NOWHERE, "%s: %s", file, what);
}

static int
uf_bid(const struct pp_peek *peek)
{
	return peek->head.n >= 40 && memcmp(peek->head.p, MAGIC, 8) == 0 ? 64 : 0;
}

/* All of a file beside `info`, in the arena; false when it is not there. */
static bool
file_read(struct uf_read *r, const char *name, struct pp_slice *text)
{
	struct pp_input *in;
	struct pp_buf all = { 0 };
	pp_status status = r->reader->open_sibling(r->reader, name, &in);
	bool fine = status == PP_OK;

	if (status == PP_E_NOMEM || status == PP_E_LIMIT)
		pp_builder_fail(r->b, status, NULL);
	if (!fine)
		return false;
	while (!all.failed && pp_input_need(in, 1)) {
		pp_buf_add(&all, in->cur, pp_input_left(in));
		in->cur = in->end;
	}
	in->close(in);
	text->p = (const unsigned char *)pp_arena_copy(&r->arena, all.p ? all.p : "", all.n);
	text->n = all.n;
	if (all.failed || !text->p)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	pp_buf_release(&all);
	return pp_builder_ok(r->b);
}

/* ---- symbols ------------------------------------------------------------------------------ */

static int
symbol_cmp(const void *left, const void *right, void *ctx)
{
	const struct uf_symbol *a = left, *b = right;

	(void)ctx;
	return (a->address > b->address) - (a->address < b->address);
}

static void
symbols_read(struct uf_read *r, struct uf_module *m)
{
	struct pp_slice text, line, word;
	struct pp_buf name = { 0 };

	m->tried = true;
	pp_buf_add(&name, m->name.p, m->name.n);
	pp_buf_adds(&name, ".sym");
	if (name.failed)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	else if (file_read(r, name.p, &text))
		while (pp_builder_ok(r->b) && pp_slice_line(&text, &line)) {
			struct uf_symbol s = { 0 };
			bool blank;

			word = pp_slice_cut(&line, ' ', &blank);
			if (!blank || !pp_num_hex(word, &s.address) || line.n < 3 ||
			    line.p[1] != ' ')
				continue;
			s.end = line.p[0] == '?';
			s.name = pp_slice_chomp(pp_slice_from(line, 2));
			if (!pp_vec_push(&m->symbols, s))
				pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		}
	if (m->symbols.n)
		pp_sort(m->symbols.at, m->symbols.n, sizeof *m->symbols.at, symbol_cmp, NULL);
	pp_buf_release(&name);
}

/* The symbol that an address is in; NULL when there is none. */
static const struct uf_symbol *
symbol_find(const struct uf_module *m, uint64_t address)
{
	size_t low = 0, high = m->symbols.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->symbols.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && !m->symbols.at[low - 1].end ? &m->symbols.at[low - 1] : NULL;
}

static pp_frame
frame_make(struct uf_read *r, uint64_t address)
{
	struct pp_func_row func = { 0 };
	size_t i;

	for (i = 0; i < r->ranges.n && !func.name && pp_builder_ok(r->b); i++) {
		const struct uf_range *at = &r->ranges.at[i];
		struct uf_module *m;
		const struct uf_symbol *s;

		if (address < at->start || address >= at->end)
			continue;
		m = &r->modules.at[at->module];
		if (!m->tried)
			symbols_read(r, m);
		s = symbol_find(m, address - m->base);
		if (s)
			func.name = pp_build_str(r->b, s->name);
	}
	if (!func.name) {
		func.name = pp_build_strf(r->b, "<%llx>", (unsigned long long)address);
		func.flags = PP_FUNC_UNKNOWN;
	}
	return pp_build_frame(r->b, &(struct pp_frame_row){ .func = pp_build_func(r->b, &func) });
}

static pp_frame
frame_of(struct uf_read *r, uint64_t address)
{
	pp_frame frame = pp_map_get(&r->frame_of, address);

	if (frame != PP_MAP_NONE)
		return frame;
	frame = frame_make(r, address);
	if (!pp_map_set(&r->frame_of, address, frame))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return frame;
}

/* ---- what was mapped ---------------------------------------------------------------------- */

static uint32_t
module_of(struct uf_read *r, struct pp_slice path, uint64_t start)
{
	struct uf_module m = { .base = start };
	const unsigned char *mark = path.n ? memmem(path.p, path.n, " build-id:", 10) : NULL;
	size_t n, i;

	if (mark)
		path.n = (size_t)(mark - path.p);
	for (n = path.n; n && path.p[n - 1] != '/'; n--)
		;
	m.name = pp_slice_from(path, n);
	for (i = 0; i < r->modules.n; i++)
		if (pp_slice_eq(r->modules.at[i].name, m.name)) {
			if (start < r->modules.at[i].base)
				r->modules.at[i].base = start;
			return (uint32_t)i;
		}
	if (!pp_vec_push(&r->modules, m))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return (uint32_t)i;
}

/* "5602-5603 r-xp 00000000 00:00 0     /srv/work build-id:f86d" */
static void
map_line(struct uf_read *r, struct pp_slice line)
{
	struct uf_range range = { 0 };
	struct pp_slice word[5], first;
	bool dash;
	int i;

	for (i = 0; i < 5; i++)
		if (!pp_slice_word(&line, &word[i]))
			return;
	if (r->modules.n >= MOST_MAPPED || r->ranges.n >= MOST_MAPPED)
		return;
	line = pp_slice_trim(line);
	first = pp_slice_cut(&word[0], '-', &dash);
	if (!line.n || !dash || !pp_num_hex(first, &range.start) ||
	    !pp_num_hex(word[0], &range.end))
		return;
	range.module = module_of(r, line, range.start);
	if (pp_slice_find(word[1], 'x') && pp_builder_ok(r->b) && !pp_vec_push(&r->ranges, range))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

static void
map_read(struct uf_read *r, struct pp_slice sid)
{
	struct pp_buf name = { 0 };
	struct pp_slice text, line;

	pp_buf_addf(&name, "sid-%.*s.map", PP_CLIP(sid, 64));
	if (name.failed)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	else if (!file_read(r, name.p, &text))
		report(r, UF_CUT, name.p, "it is not there");
	else
		while (pp_builder_ok(r->b) && pp_slice_line(&text, &line))
			map_line(r, line);
	pp_buf_release(&name);
}

/* ---- tasks -------------------------------------------------------------------------------- */

/* The value of key= in a line. */
static bool
value_of(struct pp_slice line, const char *key, struct pp_slice *value)
{
	struct pp_slice word;
	size_t n = strlen(key);

	while (pp_slice_word(&line, &word))
		if (pp_slice_starts(word, key) && word.n > n && word.p[n] == '=') {
			*value = pp_slice_from(word, n + 1);
			return true;
		}
	return false;
}

static void
task_add(struct uf_read *r, int64_t pid, int64_t tid)
{
	size_t i;

	for (i = 0; i < r->tasks.n && r->tasks.at[i].tid != tid; i++)
		;
	if (i == r->tasks.n && i < MOST_TASKS &&
	    !pp_vec_push(&r->tasks, (struct uf_task){ pid, tid }))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

static void
tasks_read(struct uf_read *r)
{
	struct pp_slice text, line, word;
	int64_t pid, tid;

	if (!file_read(r, "task.txt", &text)) {
		report(r, UF_CUT, "task.txt", "it is not there");
		return;
	}
	while (pp_builder_ok(r->b) && pp_slice_line(&text, &line)) {
		line = pp_slice_chomp(line);
		if (pp_slice_starts(line, "SESS ") && value_of(line, "sid", &word))
			map_read(r, word);
		if (pp_slice_starts(line, "TASK ") && value_of(line, "tid", &word) &&
		    pp_num_i64(word, &tid) && tid >= 0) {
			if (!value_of(line, "pid", &word) || !pp_num_i64(word, &pid) || pid < 0)
				pid = tid;
			task_add(r, pid, tid);
		}
		if (pp_slice_starts(line, "FORK ") && value_of(line, "pid", &word) &&
		    pp_num_i64(word, &pid) && pid >= 0)
			task_add(r, pid, pid);
	}
}

/* ---- records ------------------------------------------------------------------------------ */

static uint64_t
word_at(const unsigned char *p)
{
	uint64_t n = 0;
	int i;

	for (i = 8; i-- > 0;)
		n = n << 8 | p[i];
	return n;
}

/* Returns until so many calls are open. */
static void
leave_to(struct pp_call_walk *walk, unsigned depth)
{
	while (walk->depth > depth && pp_builder_ok(walk->b))
		pp_call_walk_leave(walk);
}

/* The records of a task; false when they break off. */
static bool
records_read(struct uf_read *r, struct pp_call_walk *walk, struct pp_slice data)
{
	for (; data.n >= RECORD && pp_builder_goes_on(r->b); data = pp_slice_from(data, RECORD)) {
		uint64_t time = word_at(data.p), word = word_at(data.p + 8);
		unsigned type = word & 3, depth = word >> 6 & 1023;

		if ((word >> 3 & 7) != RECORD_MAGIC || word & 4)
			return false;
		r->b->profile->events++;
		if (type == 2)
			r->lost = true;
		if (type > 1)
			continue;
		/* What passed since the last record is the innermost function's. */
		pp_call_walk_until(walk, time < INT64_MAX ? (int64_t)time : INT64_MAX);
		leave_to(walk, depth);
		if (type == 0)
			pp_call_walk_enter(walk, frame_of(r, word >> 16));
	}
	return data.n == 0;
}

static void
task_read(struct uf_read *r, const struct uf_task *task)
{
	struct pp_series like = { .pid = task->pid, .tid = task->tid, .cpu = -1 };
	struct pp_call_walk walk = { .b = r->b, .alone = true };
	struct pp_slice data;
	char name[40];

	(void)snprintf(name, sizeof name, "%lld.dat", (long long)task->tid);
	if (!r->reader->has_sibling(r->reader, name) || !file_read(r, name, &data))
		return;
	walk.series = pp_build_series(r->b, &like, false, true);
	pp_call_walk_begin(&walk);
	if (!records_read(r, &walk, data) && pp_builder_ok(r->b))
		report(r, UF_CUT, name,
		       "a record is cut, of another kind, or has arguments behind it");
	r->open |= walk.depth > 0;
	pp_call_walk_end(&walk);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* Lines "key:value" behind the header. */
static void
info_read(struct uf_read *r, struct pp_slice text)
{
	struct pp_slice line, key;
	bool colon;

	text = pp_slice_from(text, text.n < 40 ? text.n : 40);
	while (pp_builder_ok(r->b) && pp_slice_line(&text, &line)) {
		key = pp_slice_cut(&line, ':', &colon);
		if (colon &&
		    (pp_slice_eq_z(key, "cmdline") || pp_slice_eq_z(key, "exename") ||
		     pp_slice_eq_z(key, "record_date") || pp_slice_eq_z(key, "uftrace_version")))
			(void)pp_build_meta(r->b, 0, key, PP_META_TEXT, pp_slice_chomp(line));
	}
}

static void
recording_read(struct uf_read *r, struct pp_slice text)
{
	size_t i;

	(void)pp_build_metric_z(r->b, "time", "ns", PP_KIND_WALL_TIME, PP_INT, PP_METRIC_PRIMARY);
	r->b->profile->producer = pp_build_strz(r->b, "uftrace");
	r->frame_of.seed = r->reader->seed;
	if (r->reader->order->facets == 0 || r->reader->order->facets & (PP_META | PP_EXTRAS))
		info_read(r, text);
	tasks_read(r);
	for (i = 0; i < r->tasks.n && pp_builder_ok(r->b); i++)
		task_read(r, &r->tasks.at[i]);
	if (r->open && pp_builder_ok(r->b))
		report(r, UF_OPEN, "TID.dat", "functions did not return");
	if (r->lost && pp_builder_ok(r->b))
		report(r, UF_LOST, "TID.dat", "records were lost");
}

static pp_status
uf_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct uf_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);
	size_t i;

	if (status == PP_OK) {
		recording_read(&r, pp_slice_between(reader->in->cur, reader->in->end));
		reader->in->cur = reader->in->end;
	}
	for (i = 0; i < r.modules.n; i++)
		pp_vec_release(&r.modules.at[i].symbols);
	pp_vec_release(&r.modules);
	pp_vec_release(&r.ranges);
	pp_vec_release(&r.tasks);
	pp_map_release(&r.frame_of);
	pp_arena_release(&r.arena);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_holds uf_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(CALLS) | PP_HAS(THREADS) | PP_HAS(TIMELINE) |
	           PP_HAS(METADATA) },
};

const struct pp_format pp_format_uftrace = {
	.name = "uftrace",
	.title = "uftrace recording",
	.extensions = "",
	.can = PP_CAN_READ | PP_TREE | PP_TIMELINE | PP_META,
	.bid = uf_bid,
	.read = uf_read,
	.holds = uf_holds,
	.rules = uf_rules,
};
