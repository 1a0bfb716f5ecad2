/*
 * Dumps that print stacks frame by frame: gdb, and goroutines.
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
