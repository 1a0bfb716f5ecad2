/*
 * Dumps that print stacks frame by frame: gdb, goroutines, and Go's raw profiles.
 */
#include "formats/dump/dump.h"

/* "file.c:12" into both; a text without a number is all file. */
static struct pp_slice
place_take(struct pp_slice text, uint32_t *line)
{
	size_t n = text.n;
	uint64_t number;

	*line = 0;
	while (n > 0 && pp_is_digit(text.p[n - 1]))
		n--;
	if (n < 2 || n == text.n || text.p[n - 1] != ':' ||
	    !pp_num_u64(pp_slice_from(text, n), &number) || number > UINT32_MAX)
		return text;
	*line = (uint32_t)number;
	return pp_slice_of(text.p, n - 1);
}

void
pp_dump_frame_add(struct pp_dump *d, struct pp_slice name, struct pp_slice module,
                  struct pp_slice place)
{
	uint32_t line;
	struct pp_slice file = place_take(place, &line);

	if (!pp_vec_push(&d->frames, pp_dump_frame(d, name, module, file, line)))
		pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
}

void
pp_dump_stack_end(struct pp_dump *d)
{
	pp_dump_stack(d, 1, false);
	d->open = false;
}

const unsigned char *
pp_dump_find_last(struct pp_slice text, const char *word)
{
	size_t n = strlen(word), i;

	for (i = text.n >= n ? text.n - n + 1 : 0; i > 0; i--)
		if (memcmp(text.p + i - 1, word, n) == 0)
			return text.p + i - 1;
	return NULL;
}

/* A text without the brackets at its end, and what stands in them. */
static struct pp_slice
brackets_cut(struct pp_slice text)
{
	size_t n = text.n, deep = 0;

	if (!n || text.p[n - 1] != ')')
		return text;
	while (n > 0) {
		n--;
		deep += text.p[n] == ')';
		deep -= text.p[n] == '(';
		if (deep == 0)
			break;
	}
	return n ? pp_slice_trim(pp_slice_of(text.p, n)) : text;
}

/* ---- gdb -------------------------------------------------------------------------------- */

/* "#12 ", which begins a frame; what follows it in *rest. */
static bool
gdb_number(struct pp_slice line, uint64_t *number, struct pp_slice *rest)
{
	size_t n = 1;

	if (line.n < 3 || line.p[0] != '#')
		return false;
	while (n < line.n && pp_is_digit(line.p[n]))
		n++;
	*rest = pp_slice_from(line, n);
	return n > 1 && n < line.n && line.p[n] == ' ' &&
	       pp_num_u64(pp_slice_of(line.p + 1, n - 1), number);
}

static int
gdb_bid(struct pp_slice line)
{
	struct pp_slice rest;
	uint64_t number;

	if (pp_slice_starts(line, "Thread ") && pp_slice_ends(line, "):"))
		return 16;
	if (!gdb_number(line, &number, &rest))
		return 0;
	return pp_slice_holds(rest, " (") && pp_slice_holds(rest, ")") ? 10 : 0;
}

/* 'Thread 2 (Thread 0x7f10 (LWP 212) "worker"):': whose the stacks are that follow. */
static void
gdb_thread(struct pp_dump *d, struct pp_slice line)
{
	struct pp_owner owner = { .pid = -1, .tid = -1 };
	const unsigned char *at = memmem(line.p, line.n, "(LWP ", 5),
	                    *end = pp_dump_find_last(line, "\"");
	struct pp_slice rest = pp_slice_from(line, at ? (size_t)(at + 5 - line.p) : line.n);
	bool ended;

	if (!pp_num_i64(pp_slice_cut(&rest, ')', &ended), &owner.tid) || owner.tid < 0)
		owner.tid = -1;
	if (rest.n > 2 && rest.p[1] == '"' && end > rest.p + 1)
		owner.thread = pp_slice_between(rest.p + 2, end);
	d->series = pp_owner_series(&d->owners, d->builder, &owner);
}

static bool
gdb_line(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice rest, module = { 0 }, place = { 0 };
	const unsigned char *at, *in;
	uint64_t number;

	if (!gdb_number(line, &number, &rest)) {
		/* Variables of `bt full` are indented. */
		if (line.n == 0 || !pp_is_blank(line.p[0]))
			pp_dump_stack_end(d);
		if (pp_slice_starts(line, "Thread ") && pp_slice_ends(line, "):"))
			gdb_thread(d, line);
		return true;
	}
	if (number == 0)
		pp_dump_stack_end(d);
	d->open = true;
	rest = pp_slice_trim(rest);
	in = pp_slice_starts(rest, "0x") ? memmem(rest.p, rest.n, " in ", 4) : NULL;
	if (in)
		rest = pp_slice_between(in + 4, rest.p + rest.n);
	if ((at = pp_dump_find_last(rest, ") at "))) {
		place = pp_slice_between(at + 5, rest.p + rest.n);
		rest = pp_slice_between(rest.p, at + 1);
	} else if ((at = pp_dump_find_last(rest, ") from "))) {
		module = pp_slice_between(at + 7, rest.p + rest.n);
		rest = pp_slice_between(rest.p, at + 1);
	}
	rest = brackets_cut(rest);
	if (rest.n == 0)
		return false;
	pp_dump_frame_add(d, rest, module, place);
	return true;
}

const struct pp_dump_kind pp_dump_gdb = { "gdb",     gdb_bid,   gdb_line,        pp_dump_stack_end,
	                                  "samples", "samples", PP_KIND_SAMPLES, { "[New LWP " } };

/* ---- goroutines ------------------------------------------------------------------------- */

static bool
goroutine_is_head(struct pp_slice line)
{
	return pp_slice_starts(line, "goroutine ") && pp_slice_ends(line, "]:") &&
	       pp_slice_find(line, '[');
}

static int
goroutine_bid(struct pp_slice line)
{
	struct pp_slice text = pp_slice_trim(line);

	if (goroutine_is_head(line))
		return 32;
	return line.n > 4 && line.p[0] == '\t' && pp_slice_holds(text, ".go:") ? 8 : 0;
}

/* "goroutine 7 [chan receive, 5 minutes]:": what comes before the comma. */
static void
goroutine_state(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice state;
	bool found;

	(void)pp_slice_cut(&line, '[', &found);
	state = pp_slice_cut(&line, ']', &found);
	state = pp_slice_trim(pp_slice_cut(&state, ',', &found));
	d->state.n = 0;
	pp_buf_add(&d->state, state.p, state.n);
}

static void
goroutine_end(struct pp_dump *d)
{
	static const struct pp_owner nobody = { .pid = -1, .tid = -1 };

	if (d->frames.n)
		pp_dump_series(d, &nobody);
	pp_dump_stack_end(d);
}

static bool
goroutine_line(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice text = line, place;
	bool found;

	if (goroutine_is_head(line) || line.n == 0) {
		goroutine_end(d);
		d->open = line.n > 0;
		d->thread.n = 0;
		if (d->open)
			goroutine_state(d, line);
		return true;
	}
	if (!d->open)
		return true;
	if (line.p[0] != '\t') {
		/* The place follows on the next line. */
		if (pp_slice_take(&text, "created by ")) {
			const unsigned char *in = pp_dump_find_last(text, " in goroutine ");

			text = in ? pp_slice_between(text.p, in) : text;
		} else {
			text = brackets_cut(text);
		}
		d->thread.n = 0;
		pp_buf_add(&d->thread, text.p, text.n);
		return true;
	}
	if (!d->thread.n)
		return true;
	text = pp_slice_trim(line);
	place = pp_slice_cut(&text, ' ', &found);
	pp_dump_frame_add(d, pp_slice_of(d->thread.p, d->thread.n), pp_slice_of(NULL, 0), place);
	d->thread.n = 0;
	return true;
}

const struct pp_dump_kind pp_dump_goroutine = { "goroutine",     goroutine_bid,
	                                        goroutine_line,  goroutine_end,
	                                        "samples",       "samples",
	                                        PP_KIND_SAMPLES, { "goroutine ", "SIGQUIT: " } };

/* ---- go tool pprof -raw ----------------------------------------------------------------- */

enum { RAW_HEAD, RAW_SAMPLES, RAW_LOCATIONS, RAW_MAPPINGS };

static int
raw_bid(struct pp_slice line)
{
	return pp_slice_starts(line, "PeriodType: ")             ? 32
	       : pp_slice_eq_z(line, "Samples:")                 ? 16
	       : pp_slice_eq_z(pp_slice_trim(line), "Locations") ? 24
	                                                         : 0;
}

/* Adds a line to the location that was read last: windows move, and samples are taken at the end. */
static void
raw_keep(struct pp_dump *d, struct pp_slice text)
{
	pp_buf_add(&d->places, text.p, text.n);
	pp_buf_addc(&d->places, '\n');
	d->kept.at[d->last].n = d->places.n - d->kept.at[d->last].begin;
}

/* Begins a location; false if its number is out of range. */
static bool
raw_begin(struct pp_dump *d, uint64_t id)
{
	static const struct pp_dump_place nowhere;

	if (id > d->kept.n + 1000000)
		return false;
	while (d->kept.n <= id)
		if (!pp_vec_push(&d->kept, nowhere)) {
			pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
			return false;
		}
	d->last = id;
	d->kept.at[id].begin = d->places.n;
	return true;
}

/* "     1: 0x58b265 M=1 scanblock /src/x.go:12:3 s=0": name and place of a location, or of a line that goes on. */
static void
raw_location(struct pp_slice text, struct pp_slice *name, struct pp_slice *place)
{
	struct pp_slice word, all[64];
	size_t n = 0;

	while (n < PP_COUNT_OF(all) && pp_slice_word(&text, &word)) {
		if (n == 0 && (pp_slice_starts(word, "0x") || pp_slice_starts(word, "M=")))
			continue;
		if (!pp_slice_starts(word, "s=") || pp_slice_trim(text).n)
			all[n++] = word;
	}
	*place = n > 1 ? all[n - 1] : pp_slice_of(NULL, 0);
	*name = n > 1 ? pp_slice_between(all[0].p, all[n - 2].p + all[n - 2].n)
	        : n   ? all[0]
	              : pp_slice_of(NULL, 0);
	/* "file.go:12:3": the column is not kept. */
	if (place->n && pp_slice_count(*place, ':') > 1) {
		const unsigned char *colon = pp_dump_find_last(*place, ":");

		*place = pp_slice_between(place->p, colon);
	}
	if (pp_slice_starts(*place, ":"))
		place->n = 0;
}

/* Samples are kept, since the locations follow; row 0 collects them, one after the other. */
static bool
raw_line(struct pp_dump *d, struct pp_slice line)
{
	struct pp_slice text = pp_slice_trim(line), number = text;
	uint64_t id;
	bool found;

	if (pp_slice_eq_z(text, "Samples:") || pp_slice_eq_z(text, "Locations") ||
	    pp_slice_eq_z(text, "Mappings")) {
		d->section = pp_slice_eq_z(text, "Samples:")    ? RAW_SAMPLES
		             : pp_slice_eq_z(text, "Locations") ? RAW_LOCATIONS
		                                                : RAW_MAPPINGS;
		return true;
	}
	if (d->section == RAW_SAMPLES) {
		/* Labels stand on lines of their own, without numbers; the units on the first. */
		if (text.n && pp_is_digit(text.p[0]) && pp_slice_find(text, ':')) {
			pp_buf_add(&d->thread, text.p, text.n);
			pp_buf_addc(&d->thread, '\n');
		}
		return true;
	}
	if (d->section != RAW_LOCATIONS || text.n == 0)
		return true;
	number = pp_slice_cut(&text, ':', &found);
	/* Lines without a number are of the functions that the one before was inlined into. */
	if (found && pp_num_u64(number, &id)) {
		d->open = raw_begin(d, id);
		if (!d->open)
			return false;
	} else {
		text = pp_slice_trim(line);
	}
	if (d->open)
		raw_keep(d, text);
	return true;
}

/* Adds the frames of a location, the innermost first. */
static void
raw_frames(struct pp_dump *d, uint64_t id)
{
	struct pp_slice text, line, name, place;
	bool found;

	text = pp_slice_of(d->places.p + d->kept.at[id].begin, d->kept.at[id].n);
	do {
		line = pp_slice_cut(&text, '\n', &found);
		raw_location(line, &name, &place);
		pp_dump_frame_add(d, name.n ? name : pp_slice_z("[unknown]"), pp_slice_of(NULL, 0),
		                  place);
	} while (text.n);
}

/* "1   10000000: 1 2": what counts, and the locations, the innermost first. */
static void
raw_sample(struct pp_dump *d, struct pp_slice text)
{
	struct pp_slice values, word;
	uint64_t count = 0, id;
	bool found;

	values = pp_slice_cut(&text, ':', &found);
	if (!pp_slice_word(&values, &word) || !pp_num_u64(word, &count))
		return;
	while (pp_slice_word(&text, &word)) {
		if (pp_num_u64(word, &id) && id < d->kept.n)
			raw_frames(d, id);
	}
	pp_dump_stack(d, count, false);
}

static void
raw_end(struct pp_dump *d)
{
	struct pp_slice rest = pp_slice_of(d->thread.p ? d->thread.p : "", d->thread.n), line;
	bool found;

	if (d->thread.failed || d->places.failed)
		pp_builder_fail(d->builder, PP_E_NOMEM, NULL);
	while (rest.n && pp_builder_ok(d->builder)) {
		line = pp_slice_cut(&rest, '\n', &found);
		raw_sample(d, line);
	}
}

const struct pp_dump_kind pp_dump_go_raw = { "go-raw",        raw_bid,
	                                     raw_line,        raw_end,
	                                     "samples",       "samples",
	                                     PP_KIND_SAMPLES, { "PeriodType: ", "Period: " } };
