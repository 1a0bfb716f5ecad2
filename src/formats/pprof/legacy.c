/*
 * What programs printed as text before there was pprof's own format, and Go still does with debug=1: counts of goroutines and threads,
 * contention of locks, threads of a server, and Java's heaps and locks.
 *
 *     goroutine profile: total 6                        --- contentionz 1 ---  (--- contention:, --- mutex:)
 *     5 @ 0x46c98e 0x40c305                             cycles/second = 3201000000
 *     #	0x40c304	main.f+0x18	app/main.go:184    sampling period = 100
 *                                                         19490304       27 @ 0xbccc97 0xc61202
 *     --- threadz 1 ---                                 --- heapz 1 ---
 *     --- Thread 7f79 (name: main/14748) stack: ---     format = java
 *       PC:  0x00bc8f1c: helper(arg *)                  resolution = bytes
 *       0x0040be31: main                                    7048     1 @ 0x00000003 0x00000004
 *       [same as previous thread]                        0x00000003 com.example.f (Source.java:14)
 *
 * Java's CPU profiles are those of gperftools (gperftools-cpu) of version 1: no mapped files stand behind the samples, but names.
 *
 * Stacks are addresses, the innermost first. Names stand in lines of their own, with the address where the code is; what was mapped
 * where is at the end. Heap profiles of C programs and of Go are the formats gperftools-heap and jemalloc.
 */
#include <math.h>

#include "formats/kit/mapped.h"
#include "formats/kit/words.h"
#include "formats/pprof/pprof.h"

/* What Java's heap is sampled at, in bytes. */
#define JAVA_RATE 524288.0
/* What its CPU profiles have where those of others have 0. */
#define JAVA_VERSION 1

enum legacy_kind {
	LEGACY_NONE,
	LEGACY_COUNT,
	LEGACY_CONTENTION,
	LEGACY_THREADS,
	LEGACY_HEAP,
	LEGACY_CPU
};

struct legacy_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_places places;
	enum legacy_kind kind;
	struct pp_slice name; /* of what is counted */
	bool java;
	int64_t period, hertz;
	int64_t scale; /* ns of a unit of contention */
	struct pp_mapped mapped;
	struct pp_map named; /* address -> frame */
	PP_VEC(pp_frame) stack;
	uint32_t series;
	bool open; /* the stack of a thread is being read */
};

/* ---- recognition ---- */

static enum legacy_kind
header_kind(struct pp_slice line, struct pp_slice *name)
{
	const unsigned char *at = line.n ? memmem(line.p, line.n, " profile: total ", 16) : NULL;
	size_t i;

	*name = pp_slice_of("", 0);
	if (pp_slice_starts(line, "--- threadz "))
		return LEGACY_THREADS;
	if (pp_slice_starts(line, "--- contention") || pp_slice_starts(line, "--- mutex:"))
		return LEGACY_CONTENTION;
	if (pp_slice_starts(line, "--- heapz "))
		return LEGACY_HEAP;
	if (!at || at == line.p)
		return LEGACY_NONE;
	*name = pp_slice_between(line.p, at);
	for (i = 0; i < name->n; i++)
		if (pp_is_blank(name->p[i]))
			return LEGACY_NONE;
	return pp_is_digit(line.p[line.n - 1]) ? LEGACY_COUNT : LEGACY_NONE;
}

int
pp_pprof_legacy_bid(struct pp_slice head)
{
	struct pp_slice line = { 0 }, name;
	enum legacy_kind kind;
	struct pp_words words;
	int bits;

	if (head.n && head.p[0] == 0)
		return pp_words_find(head, JAVA_VERSION, &words);
	while (pp_slice_line(&head, &line) && pp_slice_trim(line).n == 0)
		;
	line = pp_slice_trim(line);
	kind = header_kind(line, &name);
	bits = kind != LEGACY_NONE ? PP_BID_NAMED + (int)line.n : 0;
	return kind == LEGACY_THREADS && pp_slice_holds(head, "--- Thread ") ? bits + 88 : bits;
}

/* ---- names ---- */

static void
name_add(struct legacy_read *r, uint64_t address, struct pp_slice name, struct pp_slice file,
         uint32_t line)
{
	struct pp_func_row func = { .name = pp_build_str(r->b, name),
		                    .file = pp_build_str(r->b, file) };
	struct pp_frame_row frame = { .func = pp_build_func(r->b, &func) };
	pp_frame row;

	if (!pp_order_is_by_function(&r->b->order)) {
		frame.line = line;
		frame.address = address;
	}
	row = pp_build_frame(r->b, &frame);
	if (pp_builder_ok(r->b) && !pp_map_set(&r->named, address, row))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* "FILE:LINE" apart. */
static uint32_t
place_take(struct pp_slice *place)
{
	size_t n = place->n;
	uint64_t line;

	while (n > 0 && place->p[n - 1] != ':')
		n--;
	if (n < 2 || !pp_num_u64(pp_slice_from(*place, n), &line) || line > UINT32_MAX)
		return 0;
	place->n = n - 1;
	return (uint32_t)line;
}

/* "#	0x4d8bb8	main.main.func2+0x18	sample/goapp/main.go:184". */
static void
go_name_read(struct legacy_read *r, struct pp_slice line)
{
	struct pp_slice word, name, place;
	uint64_t address, offset;
	size_t plus;

	line = pp_slice_trim(pp_slice_from(line, 1));
	if (!pp_slice_word(&line, &word) || !pp_slice_take(&word, "0x") ||
	    !pp_num_hex(word, &address))
		return;
	line = pp_slice_trim(line);
	for (plus = 0; plus < line.n && line.p[plus] != '\t';)
		plus++;
	name = pp_slice_trim(pp_slice_of(line.p, plus));
	place = pp_slice_trim(pp_slice_from(line, plus));
	for (plus = name.n; plus > 0 && name.p[plus - 1] != '+';)
		plus--;
	if (plus > 1) {
		struct pp_slice tail = pp_slice_from(name, plus);

		if (pp_slice_take(&tail, "0x") && pp_num_hex(tail, &offset))
			name.n = plus - 1;
	}
	if (name.n) {
		uint32_t number = place_take(&place);

		name_add(r, address, name, place, number);
	}
}

/* " 0x0000003 com.example.function03 (source.java:03)". */
static bool
java_name_read(struct legacy_read *r, struct pp_slice line)
{
	struct pp_slice word, place = pp_slice_of("", 0);
	uint64_t address;
	uint32_t number;
	size_t n;

	if (!pp_slice_word(&line, &word) || !pp_slice_take(&word, "0x") ||
	    !pp_num_hex(word, &address))
		return false;
	line = pp_slice_trim(line);
	if (line.n && line.p[line.n - 1] == ')') {
		for (n = line.n - 1; n > 0 && line.p[n - 1] != '(';)
			n--;
		if (n > 1) {
			place = pp_slice_of(line.p + n, line.n - 1 - n);
			line = pp_slice_trim(pp_slice_of(line.p, n - 1));
		}
	}
	number = place_take(&place);
	if (line.n)
		name_add(r, address, line, place, number);
	return line.n > 0;
}

/* What has to be known before the first stack: names, and what was mapped where. */
static void
names_read(struct legacy_read *r, struct pp_slice text)
{
	struct pp_slice line;

	while (pp_builder_ok(r->b) && pp_slice_line(&text, &line)) {
		struct pp_slice word = pp_slice_trim(line);

		if (pp_slice_starts(word, "--- Memory map:") ||
		    pp_slice_starts(word, "MAPPED_LIBRARIES:")) {
			pp_mapped_read(&r->mapped, text);
			return;
		}
		if (word.n && word.p[0] == '#')
			go_name_read(r, word);
		else if (r->java && pp_slice_starts(word, "0x"))
			(void)java_name_read(r, word);
	}
}

/* ---- stacks ---- */

static void
frame_push(struct legacy_read *r, pp_frame frame)
{
	if (!pp_vec_push(&r->stack, frame))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

static void
address_push(struct legacy_read *r, uint64_t address)
{
	/* Names stand at the call, one before where it returns to. */
	uint64_t at = r->java || !address ? address : address - 1;
	uint32_t named = pp_map_get(&r->named, at), run;
	const pp_frame *frames;
	size_t i, n;

	if (named != PP_MAP_NONE) {
		frame_push(r, named);
		return;
	}
	run = pp_mapped_run(&r->mapped, address, r->java ? 0 : 1);
	frames = pp_mapped_frames(&r->mapped, run, &n);
	for (i = 0; i < n && pp_builder_ok(r->b); i++)
		frame_push(r, frames[i]);
}

static bool
addresses_push(struct legacy_read *r, struct pp_slice words)
{
	struct pp_slice word;
	uint64_t address;

	while (pp_slice_word(&words, &word)) {
		(void)pp_slice_take(&word, "0x");
		if (!pp_num_hex(word, &address))
			return false;
		address_push(r, address);
	}
	return true;
}

/* Gives the stack, which is the innermost first, to the builder. */
static void
stack_give(struct legacy_read *r, const int64_t *values)
{
	size_t i, n;

	/* Go has threads without a stack. */
	if (r->stack.n == 0 &&
	    !pp_vec_push(&r->stack, pp_build_frame_named(r->b, pp_slice_z(PPROF_NO_STACK))))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	n = r->stack.n;
	for (i = 0; i < n / 2; i++) {
		pp_frame swap = r->stack.at[i];

		r->stack.at[i] = r->stack.at[n - 1 - i];
		r->stack.at[n - 1 - i] = swap;
	}
	if (pp_builder_ok(r->b))
		(void)pp_build_stack(r->b, r->series, r->stack.at, n, values);
	/* The other way round again, for who has the same. */
	for (i = 0; i < n / 2; i++) {
		pp_frame swap = r->stack.at[i];

		r->stack.at[i] = r->stack.at[n - 1 - i];
		r->stack.at[n - 1 - i] = swap;
	}
	r->b->profile->samples++;
}

/* "5 @ 0x..." or "19490304 27 @ 0x..."; false when it is something else. */
static bool
record_read(struct legacy_read *r, struct pp_slice line)
{
	bool two = r->kind != LEGACY_COUNT, found;
	struct pp_slice head = pp_slice_cut(&line, '@', &found), first, second;
	int64_t a, b = 0, values[2];
	double factor;

	if (!found || !pp_slice_word(&head, &first) || !pp_num_i64(first, &a) ||
	    (two && (!pp_slice_word(&head, &second) || !pp_num_i64(second, &b))) ||
	    pp_slice_trim(head).n)
		return false;
	r->stack.n = 0;
	if (!addresses_push(r, line))
		return false;
	values[0] = two ? b : a;
	values[1] = a;
	if (r->kind == LEGACY_CONTENTION) {
		factor = r->hertz > 0 ? (double)r->period / ((double)r->hertz / 1e9)
		                      : (double)r->period * (double)r->scale;
		values[0] = (int64_t)((double)b * (double)r->period);
		values[1] = (int64_t)((double)a * factor);
	} else if (r->kind == LEGACY_HEAP && a > 0 && b > 0) {
		factor = 1 / (1 - exp(-((double)a / (double)b) / JAVA_RATE));
		values[0] = (int64_t)((double)b * factor);
		values[1] = (int64_t)((double)a * factor);
	}
	stack_give(r, values);
	return true;
}

/* "--- Thread 7f794ab90940 (name: main/14748) stack: ---". */
static void
thread_begin(struct legacy_read *r, struct pp_slice line)
{
	struct pp_series like = { .pid = -1, .tid = -1, .cpu = -1 };
	const unsigned char *name = memmem(line.p, line.n, "(name: ", 7), *end;
	struct pp_slice text;
	size_t slash;

	if (name && (end = memmem(name, (size_t)(line.p + line.n - name), ") stack", 7))) {
		text = pp_slice_between(name + 7, end);
		for (slash = text.n; slash > 0 && text.p[slash - 1] != '/';)
			slash--;
		if (slash && pp_num_i64(pp_slice_from(text, slash), &like.tid))
			text.n = slash - 1;
		like.thread = pp_build_str(r->b, text);
	}
	r->series = pp_build_series(r->b, &like, false, false);
}

static void
thread_end(struct legacy_read *r)
{
	const int64_t one[] = { 1 };

	if (r->open)
		stack_give(r, one);
	r->open = false;
}

/* A line of a thread's stack: "PC: 0x00bc8f1c: name", "creator: 0x... 0x..."; false when it is none. */
static bool
thread_line_read(struct legacy_read *r, struct pp_slice line)
{
	struct pp_slice word;
	uint64_t address;

	if (pp_slice_starts(line, "--- Thread ")) {
		thread_end(r);
		thread_begin(r, line);
		r->open = true;
		return true;
	}
	if (pp_slice_starts(line, "[same as previous thread]"))
		return r->open;
	if (r->open && pp_slice_take(&line, "creator:"))
		return addresses_push(r, line);
	if (pp_slice_take(&line, "PC:")) {
		r->stack.n = 0;
		line = pp_slice_trim(line);
	}
	if (!r->open || !pp_slice_word(&line, &word) || !pp_slice_take(&word, "0x"))
		return false;
	if (word.n && word.p[word.n - 1] == ':')
		word.n--;
	if (!pp_num_hex(word, &address))
		return false;
	line = pp_slice_trim(line);
	if (line.n && pp_map_get(&r->named, address - (address > 0)) == PP_MAP_NONE)
		name_add(r, address - (address > 0), line, pp_slice_of("", 0), 0);
	address_push(r, address);
	return true;
}

/* ---- the whole ---- */

/* "cycles/second = 3201000000"; false when it is something else. */
static bool
setting_read(struct legacy_read *r, struct pp_slice line)
{
	bool found;
	struct pp_slice key = pp_slice_trim(pp_slice_cut(&line, '=', &found));
	struct pp_slice value = pp_slice_trim(line);

	if (!found || pp_slice_find(key, '@'))
		return false;
	if (pp_slice_eq_z(key, "sampling period"))
		(void)pp_num_i64(value, &r->period);
	else if (pp_slice_eq_z(key, "cycles/second"))
		(void)pp_num_i64(value, &r->hertz);
	else if (pp_slice_eq_z(key, "format"))
		r->java = pp_slice_eq_z(value, "java");
	else if (pp_slice_eq_z(key, "resolution"))
		r->scale = pp_slice_eq_z(value, "microseconds") ? 1000 : 1;
	(void)pp_build_meta(r->b, 0, key, PP_META_TEXT, value);
	return true;
}

static void
metrics_build(struct legacy_read *r)
{
	char name[64];

	if (r->kind == LEGACY_CONTENTION) {
		(void)pp_build_metric_z(r->b, "contentions", "count", PP_KIND_COUNT, PP_INT, 0);
		(void)pp_build_metric_z(r->b, "delay", "ns", PP_KIND_WALL_TIME, PP_INT,
		                        PP_METRIC_PRIMARY);
	} else if (r->kind == LEGACY_CPU) {
		(void)pp_build_metric_z(r->b, "samples", "count", PP_KIND_SAMPLES, PP_INT,
		                        PP_METRIC_SAMPLED);
		(void)pp_build_metric_z(r->b, "cpu", "ns", PP_KIND_CPU_TIME, PP_INT,
		                        PP_METRIC_PRIMARY);
	} else if (r->kind == LEGACY_HEAP) {
		(void)pp_build_metric_z(r->b, "inuse_objects", "count", PP_KIND_COUNT, PP_INT, 0);
		(void)pp_build_metric_z(r->b, "inuse_space", "bytes", PP_KIND_BYTES, PP_INT,
		                        PP_METRIC_PRIMARY);
	} else {
		size_t n = r->name.n < sizeof name - 1 ? r->name.n : sizeof name - 1;

		memcpy(name, r->name.p, n);
		name[n] = '\0';
		(void)pp_build_metric_z(r->b, n ? name : "thread", "count", PP_KIND_COUNT, PP_INT,
		                        PP_METRIC_PRIMARY);
	}
	(void)pp_build_series_plain(r->b, true, false);
}

static void
lines_read(struct legacy_read *r, struct pp_slice text)
{
	struct pp_slice line;

	while (pp_builder_ok(r->b) && pp_slice_line(&text, &line)) {
		struct pp_slice word = pp_slice_trim(line);

		if (pp_slice_starts(word, "--- Memory map:") ||
		    pp_slice_starts(word, "MAPPED_LIBRARIES:"))
			break;
		if (word.n == 0 || word.p[0] == '#')
			continue;
		if (r->kind == LEGACY_THREADS ? thread_line_read(r, word) : record_read(r, word))
			continue;
		if (r->java && pp_slice_starts(word, "0x"))
			continue;
		r->b->profile->complete = false;
		pp_diag_add(r->reader->diags, &pp_pprof_rules[PPROF_LEGACY_LINE],
		            pp_places_next(&r->places, word.p), "this is not a stack");
	}
	thread_end(r);
}

/* Reads the stacks of Java's CPU profile, or only looks where they end: the word behind them, 0 when they do not end. */
static size_t
words_read(struct legacy_read *r, const struct pp_words *w, bool give)
{
	size_t at = 2 + (size_t)pp_word_at(w, 1), have = pp_words_count(w), i;
	const char *wrong = "the samples break off";

	while (have > at && have - at >= 3 && pp_builder_ok(r->b)) {
		uint64_t count = pp_word_at(w, at), n = pp_word_at(w, at + 1);
		int64_t values[2];

		if (n == 0 || n > have - at - 2)
			break;
		if (count == 0 && n == 1 && pp_word_at(w, at + 2) == 0)
			return at + 3;
		if (count > (uint64_t)(INT64_MAX / 1000 / r->period)) {
			wrong = "a stack has too many samples";
			break;
		}
		r->stack.n = 0;
		for (i = 0; give && i < n; i++)
			address_push(r, pp_word_at(w, at + 2 + i));
		values[0] = (int64_t)count;
		values[1] = (int64_t)count * r->period * 1000;
		if (give)
			stack_give(r, values);
		at += 2 + (size_t)n;
	}
	if (give && pp_builder_ok(r->b)) {
		r->b->profile->complete = false;
		pp_diag_add(r->reader->diags, &pp_pprof_rules[PPROF_LEGACY_LINE],
		            pp_at_offset(at * (w->wide ? 8 : 4)), "%s", wrong);
	}
	return 0;
}

static void
cpu_read(struct legacy_read *r, const struct pp_words *w)
{
	size_t end;

	r->kind = LEGACY_CPU;
	r->java = true;
	r->period = (int64_t)pp_word_at(w, 3);
	metrics_build(r);
	end = words_read(r, w, false);
	if (end)
		names_read(r, pp_slice_from(w->bytes, end * (w->wide ? 8 : 4)));
	(void)words_read(r, w, true);
}

static void
text_read(struct legacy_read *r, struct pp_slice text)
{
	struct pp_slice line = { 0 }, rest;

	r->places.text = text;
	while (pp_slice_line(&text, &line) && pp_slice_trim(line).n == 0)
		;
	r->kind = header_kind(pp_slice_trim(line), &r->name);
	for (rest = text; pp_slice_line(&rest, &line) && r->kind != LEGACY_THREADS &&
	                  setting_read(r, pp_slice_trim(line));)
		text = rest;
	metrics_build(r);
	names_read(r, text);
	lines_read(r, text);
}

bool
pp_pprof_is_legacy(struct pp_input *in)
{
	(void)pp_input_need(in, 256);
	return pp_pprof_legacy_bid(pp_slice_between(in->cur, in->end)) > 0;
}

pp_status
pp_pprof_legacy_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct legacy_read r = { .reader = reader, .b = b, .period = 1, .scale = 1 };
	struct pp_whole whole = { 0 };
	bool binary = pp_input_need(reader->in, 1) && reader->in->cur[0] == 0;
	pp_status status = binary ? pp_whole_open(&whole, reader)
	                          : pp_whole_open_lines(&whole, reader, b);
	struct pp_slice bytes = { 0 };
	struct pp_words words;

	r.named.seed = reader->seed;
	if (status == PP_OK && !pp_mapped_init(&r.mapped, reader, b))
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		bytes = pp_slice_between(reader->in->cur, reader->in->end);
		if (binary && pp_words_find(bytes, JAVA_VERSION, &words)) {
			cpu_read(&r, &words);
		} else {
			b->profile->variant = pp_build_strz(b, "text");
			text_read(&r, bytes);
		}
	}
	pp_mapped_release(&r.mapped);
	pp_map_release(&r.named);
	pp_vec_release(&r.stack);
	pp_whole_close(&whole, reader);
	return status == PP_OK ? b->status : status;
}
