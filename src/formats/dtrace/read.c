/*
 * Reading what DTrace prints, line by line: a stack is open until its value, or what stands for it, was read.
 */
#include "formats/dtrace/dtrace.h"

struct dtrace_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_places places;
	struct pp_slice line;
	pp_str event;
	bool samples;                   /* the values are counts of samples */
	PP_VEC(struct pp_slice) frames; /* of the stack that is open, the innermost first */
	PP_VEC(pp_frame) stack;
	size_t split;         /* how many of them stood before an empty line, */
	bool parted;          /* if there was one */
	struct pp_slice keys; /* the line of keys before it */
	struct {
		bool open, timed;
		int64_t time;
		uint32_t cpu; /* + 1; 0 = unknown */
		struct pp_owner owner;
	} probe;
	struct {
		bool open;
		int64_t sum;
	} table;
	struct pp_owners owners;
};

static void
report(struct dtrace_read *r, int rule, const char *what)
{
	if (pp_dtrace_rules[rule].severity != PP_NOTE)
		r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &pp_dtrace_rules[rule], pp_places_next(&r->places, r->line.p),
	            "%s", what);
}

static bool
is_kernel_module(struct pp_slice name)
{
	static const char *const known[] = { "unix",  "genunix", "kernel", "mach_kernel", "zfs",
		                             "ip",    "tcp",     "sockfs", "specfs",      "ufs",
		                             "nfs",   "rpcmod",  "doorfs", "procfs",      "tmpfs",
		                             "scsi",  "sd",      "dtrace", "profile",     "vmlinux",
		                             "zfs.ko" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (pp_slice_eq_z(name, known[i]))
			return true;
	return pp_slice_ends(name, ".ko");
}

/* "module`symbol+0x1f", "module`0x401a2b", "0x7fff1234", or what a helper of a language printed. */
static pp_frame
frame_build(struct dtrace_read *r, struct pp_slice text, bool kernel)
{
	const unsigned char *tick = pp_slice_find(text, '`');
	struct pp_slice module = tick ? pp_slice_between(text.p, tick) : pp_slice_of(NULL, 0);
	struct pp_slice name = tick ? pp_slice_between(tick + 1, text.p + text.n) : text;
	struct pp_func_row func = { 0 };
	struct pp_frame_row frame = { 0 };
	size_t plus = name.n;

	while (plus > 0 && name.p[plus - 1] != '+')
		plus--;
	if (pp_dtrace_is_address(name, &frame.address))
		func.flags |= PP_FUNC_UNKNOWN;
	else if (plus > 1 && pp_dtrace_is_address(pp_slice_from(name, plus), &frame.offset))
		name.n = plus - 1;
	kernel = kernel || is_kernel_module(module);
	func.name = pp_build_str(r->b, name);
	func.flags |= kernel ? PP_FUNC_KERNEL : 0;
	if (module.n)
		func.module = pp_build_module(
		    r->b, &(struct pp_module_row){ .name = pp_build_str(r->b, module),
		                                   .kind = kernel ? PP_MODULE_KERNEL
		                                                  : PP_MODULE_BINARY });
	frame.func = pp_build_func(r->b, &func);
	return pp_build_frame(r->b, &frame);
}

/* Columns of keys. */
static void
owner_read(struct pp_owner *o, struct pp_slice keys, struct pp_buf *rest)
{
	struct pp_slice column;

	while (pp_dtrace_column_next(&keys, &column))
		pp_owner_key(o, column, rest);
}

/* The recording lasted from the first sample to the last. */
static void
time_note(struct pp_builder *b, int64_t time)
{
	struct pp_time_span *span = &b->profile->time;

	span->start = span->known && span->start < time ? span->start : time;
	span->end = span->known && span->end > time ? span->end : time;
	span->known = true;
	b->profile->holds |= PP_TIMELINE;
}

/* A stack of some frames that are open is done: it has that value. */
static void
stack_build(struct dtrace_read *r, size_t from, size_t to, int64_t value,
            const struct pp_owner *owner)
{
	struct pp_sample sample = { .series = pp_owner_series(&r->owners, r->b, owner),
		                    .values = &value };
	bool two = r->frames.n > r->split || !(r->probe.open || r->table.open);
	size_t kernel = r->parted && two ? r->split : 0, i;

	if (r->probe.open) {
		sample.timed = r->probe.timed;
		sample.time = r->probe.time;
		sample.cpu = r->probe.cpu;
	}
	if (sample.timed)
		time_note(r->b, sample.time);
	r->stack.n = 0;
	for (i = to; i-- > from;)
		if (!pp_vec_push(&r->stack, frame_build(r, r->frames.at[i], i < kernel)))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	pp_builder_at(r->b, pp_places_next(&r->places, r->line.p));
	if (pp_builder_ok(r->b))
		pp_build_sample(r->b, &sample, r->stack.at, r->stack.n);
	r->b->profile->events++;
}

static void
open_forget(struct dtrace_read *r)
{
	r->frames.n = r->split = 0;
	r->parted = r->table.open = r->probe.open = false;
	r->keys = pp_slice_of(NULL, 0);
}

/* The end of a stack of an aggregation; `behind` are keys on the line of its value. */
static void
entry_end(struct dtrace_read *r, int64_t value, struct pp_slice behind)
{
	struct pp_owner owner = { .event = r->event, .pid = -1, .tid = -1 };
	struct pp_buf rest = { 0 };
	size_t from = 0;

	/* The last probe's stack, and then an aggregation. */
	if (r->probe.open && r->parted) {
		from = r->split;
		r->split = 0;
		stack_build(r, 0, from, 1, &r->probe.owner);
	}
	r->probe.open = false;
	owner_read(&owner, r->keys, &rest);
	owner_read(&owner, behind, &rest);
	if (rest.failed)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	stack_build(r, from, r->frames.n, value, &owner);
	pp_buf_release(&rest);
	open_forget(r);
}

/* What is open ends without a value: a probe's own stack counts once, others are lost. */
static void
open_end(struct dtrace_read *r, int rule)
{
	if (r->table.open)
		entry_end(r, r->table.sum, pp_slice_of(NULL, 0));
	else if (r->probe.open && r->frames.n)
		stack_build(r, 0, r->frames.n, 1, &r->probe.owner);
	else if (r->frames.n)
		report(r, rule, "no number follows these frames");
	else if (pp_dtrace_is_integer(pp_dtrace_column_last(r->keys)))
		report(r, DTRACE_SCALAR, "an aggregation without stacks is left out");
	open_forget(r);
}

static void
value_read(struct dtrace_read *r, struct pp_slice text, struct pp_slice behind)
{
	int64_t value;

	if (pp_num_i64(text, &value)) {
		entry_end(r, value, behind);
		return;
	}
	report(r, DTRACE_RANGE, "the value is too large for 64 bits");
	open_forget(r);
}

static void
blank_read(struct dtrace_read *r)
{
	/* What a probe prints follows its line at once. */
	if (!r->frames.n)
		r->probe.open = false;
	if (r->table.open || (r->probe.open && r->parted) || (!r->frames.n && r->keys.n)) {
		open_end(r, DTRACE_VALUE);
	} else if (r->frames.n && !r->parted) {
		r->parted = true;
		r->split = r->frames.n;
	}
}

static void
bar_read(struct dtrace_read *r)
{
	struct pp_slice count = pp_dtrace_column_last(r->line);
	int64_t n;

	if (r->table.open &&
	    (!pp_num_i64(count, &n) || __builtin_add_overflow(r->table.sum, n, &r->table.sum))) {
		report(r, DTRACE_RANGE, "the table adds up to more than 64 bits hold");
		open_forget(r);
	}
}

/* "CPU ID FUNCTION:NAME", and what the action printed: a time, a program, PID/TID. */
static void
probe_read(struct dtrace_read *r)
{
	struct pp_slice rest = r->line, word;
	uint64_t cpu = 0;
	int i;

	open_end(r, DTRACE_VALUE);
	r->probe.owner = (struct pp_owner){ .event = r->event, .pid = -1, .tid = -1 };
	r->probe.open = true;
	r->probe.timed = false;
	for (i = 0; i < 3 && pp_slice_word(&rest, &word); i++)
		if (i == 0)
			(void)pp_num_u64(word, &cpu);
	r->probe.cpu = cpu < UINT32_MAX ? (uint32_t)cpu + 1 : 0;
	while (pp_slice_word(&rest, &word)) {
		struct pp_slice thread = word, process;
		struct pp_owner *o = &r->probe.owner;
		bool slash;

		process = pp_slice_cut(&thread, '/', &slash);
		if (pp_dtrace_is_integer(word) && word.n >= 15 && !r->probe.timed)
			r->probe.timed = pp_num_i64(word, &r->probe.time);
		else if (slash && pp_dtrace_is_integer(process) && pp_dtrace_is_integer(thread) &&
		         o->tid < 0)
			(void)(pp_num_i64(process, &o->pid) && pp_num_i64(thread, &o->tid));
		else if (pp_dtrace_is_integer(word) && o->pid < 0)
			(void)pp_num_i64(word, &o->pid);
		else if (!o->process.n)
			o->process = word;
	}
}

/* "dtrace: 42 drops on CPU 1", "dtrace: error on enabled probe ID 1 ...". */
static void
says_read(struct dtrace_read *r)
{
	struct pp_slice text = pp_slice_trim(r->line);

	if (pp_slice_holds(text, " drop"))
		report(r, DTRACE_DROPS, "DTrace dropped data");
	else if (pp_slice_holds(text, "error on enabled probe"))
		report(r, DTRACE_ERROR, "an action of a probe failed");
}

/* Keys before a stack, or behind one, with its value. */
static void
keys_read(struct dtrace_read *r)
{
	struct pp_slice last = pp_dtrace_column_last(r->line);

	if (r->frames.n && !r->probe.open && pp_dtrace_is_integer(last)) {
		value_read(r, last, pp_slice_between(r->line.p, last.p));
		return;
	}
	open_end(r, DTRACE_VALUE);
	r->keys = r->line;
}

static void
line_read(struct dtrace_read *r)
{
	switch (pp_dtrace_line_kind_of(r->line)) {
	case LINE_BLANK:
		blank_read(r);
		break;
	case LINE_FRAME:
		if (r->table.open)
			open_end(r, DTRACE_VALUE);
		if (!pp_vec_push(&r->frames, pp_slice_trim(r->line)))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		break;
	case LINE_VALUE:
		value_read(r, pp_slice_trim(r->line), pp_slice_of(NULL, 0));
		break;
	case LINE_TABLE:
		r->table.open = true;
		r->table.sum = 0;
		break;
	case LINE_BAR:
		bar_read(r);
		break;
	case LINE_PROBE:
		probe_read(r);
		break;
	case LINE_SAYS:
		says_read(r);
		break;
	case LINE_KEYS:
		keys_read(r);
		break;
	case LINE_HEADER:
	case LINE_FLOW:
		break;
	}
}

/* What the values are, which only the whole output tells: the probe that is described, and whether any is negative. */
static void
metric_build(struct dtrace_read *r, struct pp_slice text)
{
	struct pp_slice event = { 0 }, line;
	bool falls = false;
	size_t described = 0;

	while (pp_slice_line(&text, &line)) {
		struct pp_slice value = pp_slice_trim(line);

		falls = falls || (value.n && value.p[0] == '-' && pp_dtrace_is_integer(value));
		if (pp_slice_take(&line, "dtrace: description '")) {
			bool quote;

			event = pp_slice_trim(pp_slice_cut(&line, '\'', &quote));
			described++;
		}
	}
	r->event = described == 1 ? pp_build_str(r->b, event) : 0;
	r->samples = !falls && (!r->event || pp_slice_starts(event, "profile") ||
	                        pp_slice_starts(event, "tick"));
	pp_build_metric(r->b, &(struct pp_metric){
	                          .name = pp_build_strz(r->b, falls        ? "sum"
	                                                      : r->samples ? "samples"
	                                                                   : "count"),
	                          .unit = pp_build_strz(r->b, r->samples ? "samples" : "count"),
	                          .event = r->event,
	                          .kind = r->samples ? PP_KIND_SAMPLES
	                                  : falls    ? PP_KIND_OTHER
	                                             : PP_KIND_COUNT,
	                          .flags = PP_METRIC_PRIMARY | (falls ? PP_METRIC_SIGNED : 0) });
}

pp_status
pp_dtrace_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct dtrace_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open_lines(&whole, reader, b);
	struct pp_slice rest;

	if (status == PP_OK) {
		rest = pp_slice_between(reader->in->cur, reader->in->end);
		r.places.text = rest;
		metric_build(&r, rest);
		while (pp_builder_ok(b) && pp_slice_line(&rest, &r.line))
			line_read(&r);
		r.line = pp_slice_of(rest.p, 0);
		open_end(&r, DTRACE_CUT);
	}
	pp_vec_release(&r.frames);
	pp_vec_release(&r.stack);
	pp_owners_release(&r.owners);
	pp_whole_close(&whole, reader);
	return status == PP_OK ? b->status : status;
}
