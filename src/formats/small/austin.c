/*
 * austin: samples of Python, as text of three generations and as MOJO.
 *
 *     Thread 7f1;main (a.py);L22;work (a.py);L3 1200            1.x; perhaps Process 5; before it; -a: work (a.py:3)
 *     Thread 7f1;main (a.py);L22 1200 4096 -16                  1.x -f: us, bytes gained, bytes given back
 *     # mode: wall                                              2 and later: what was recorded
 *     P123;T0:456;a.py:main:22;a.py:work:3 1200
 *     P123;T0:456;a.py:main:22:22:1:9 1200,0,4096               4: lines and columns to the end; -f: us, idle, bytes
 *
 * Root first. A thread alone has no stack. :GC: and :INVALID: are frames.
 */
#include "formats/small/austin.h"

#define DIGITS_FIT 18 /* as many are a number of 64 bits */
#define NO_STACK "[no stack]"

extern const struct pp_format pp_format_austin;

const struct pp_rule pp_austin_rules[] = {
	[PP_AUSTIN_LINE] = { "austin-line", PP_ERROR, "a line is not what austin writes",
	                     "A line is a process or thread, frames, and one number or three. It was left out." },
	[PP_AUSTIN_FRAME] = { "austin-frame", PP_ERROR, "a stack has a frame that is not known",
	                      "MOJO tells each frame once and then names it by number, by process. The stack was read "
	                      "without that frame." },
	[PP_AUSTIN_CUT] = { "austin-cut", PP_ERROR, "the file breaks off",
	                    "The last line or event is not whole. Everything before it was read." },
	[PP_AUSTIN_EVENT] = { "austin-event", PP_ERROR, "an event is of an unknown kind",
	                      "Events of MOJO do not tell how long they are, so that nothing behind it can be read." },
	[PP_AUSTIN_VERSION] = { "austin-version", PP_WARNING,
	                        "the version is newer than those known",
	                        "MOJO of versions 1 to 4 is known. What newer ones changed may be read wrongly." },
	{ 0 },
};

void
pp_austin_report(struct pp_austin *a, int rule, struct pp_place place)
{
	if (pp_austin_rules[rule].severity == PP_ERROR)
		a->b->profile->complete = false;
	pp_diag_add(a->reader->diags, &pp_austin_rules[rule], place, "%s",
	            pp_austin_rules[rule].title);
}

void
pp_austin_metrics(struct pp_austin *a, bool time, bool memory)
{
	a->time = a->memory = PP_NO_METRIC;
	if (time || !memory)
		a->time = pp_build_metric(
		    a->b, &(struct pp_metric){ .name = pp_build_strz(a->b, "time"),
		                               .unit = pp_build_strz(a->b, "ns"),
		                               .kind = PP_KIND_WALL_TIME,
		                               .flags = PP_METRIC_PRIMARY | PP_METRIC_SAMPLED,
		                               .factor_num = 1000 });
	if (memory)
		a->memory = pp_build_metric_z(
		    a->b, "memory", "bytes", PP_KIND_BYTES, PP_INT,
		    PP_METRIC_SAMPLED | (a->time == PP_NO_METRIC ? PP_METRIC_PRIMARY : 0u));
}

pp_frame
pp_austin_frame(struct pp_austin *a, struct pp_slice name, struct pp_slice file, uint32_t line)
{
	struct pp_func_row func = { .name = pp_build_str(a->b, name) };
	struct pp_frame_row row = { 0 };

	if (file.n)
		func.file = pp_build_str(a->b, file);
	else if (pp_slice_starts(name, ":"))
		func.flags = PP_FUNC_PSEUDO;
	row.func = pp_build_func(a->b, &func);
	row.line = pp_order_is_by_function(a->reader->order) ? 0 : line;
	return pp_build_frame(a->b, &row);
}

void
pp_austin_push(struct pp_austin *a, pp_frame frame)
{
	if (!pp_vec_push(&a->stack, frame))
		pp_builder_fail(a->b, PP_E_NOMEM, NULL);
}

void
pp_austin_give(struct pp_austin *a, uint32_t series, int64_t time, int64_t memory)
{
	int64_t values[2] = { 0 };

	if (a->time != PP_NO_METRIC)
		values[a->time] = time;
	if (a->memory != PP_NO_METRIC)
		values[a->memory] = memory;
	if (!a->stack.n) {
		if (!a->nothing)
			a->nothing = pp_build_frame_named(a->b, pp_slice_z(NO_STACK));
		pp_austin_push(a, a->nothing);
	}
	a->b->profile->samples++;
	(void)pp_build_stack(a->b, series, a->stack.at, a->stack.n, values);
}

/* "0:456" or "7f1": the interpreter, where it is not the first one, and the thread. */
uint32_t
pp_austin_series(struct pp_austin *a, int64_t pid, struct pp_slice thread, bool decimal)
{
	struct pp_owner owner = { .pid = pid, .tid = -1, .context = thread };
	struct pp_slice rest = thread, first;
	uint32_t series;
	uint64_t tid;
	bool colon;

	first = pp_slice_cut(&rest, ':', &colon);
	if (!colon)
		rest = first;
	(void)pp_slice_take(&rest, "0x");
	if ((decimal ? pp_num_u64(rest, &tid) : pp_num_hex(rest, &tid)) && tid <= INT64_MAX) {
		owner.tid = (int64_t)tid;
		owner.context = colon && !pp_slice_eq_z(first, "0") ? first
		                                                    : (struct pp_slice){ 0 };
	}
	series = pp_owner_series(&a->owners, a->b, &owner);
	/* Its name is as austin writes it. */
	if (pp_builder_ok(a->b) && owner.tid >= 0 && !a->b->profile->series.at[series].thread)
		a->b->profile->series.at[series].thread = pp_build_str(a->b, thread);
	return series;
}

/* ---- text --------------------------------------------------------------------------------- */

/* Takes a whole number off the end of a text, behind a separator. */
static bool
number_off(struct pp_slice *text, unsigned char separator, int64_t *number)
{
	size_t n = text->n;

	while (n && (pp_is_digit(text->p[n - 1]) || text->p[n - 1] == '-'))
		n--;
	if (n == 0 || text->p[n - 1] != separator || !pp_num_i64(pp_slice_from(*text, n), number))
		return false;
	text->n = n - 1;
	return true;
}

/* The numbers at the end of a line: one, or three with commas or blanks. Returns how many. */
static unsigned
numbers_off(struct pp_slice *line, int64_t out[3])
{
	struct pp_slice rest = *line;
	int64_t last, middle, first;

	if (number_off(&rest, ',', &last)) {
		if (!number_off(&rest, ',', &middle) || !number_off(&rest, ' ', &first))
			return 0;
	} else if (!number_off(&rest, ' ', &last)) {
		return 0;
	} else {
		*line = rest;
		out[0] = last;
		if (!number_off(&rest, ' ', &middle) || !number_off(&rest, ' ', &first))
			return 1;
	}
	*line = rest;
	out[0] = first;
	out[1] = middle;
	out[2] = last;
	return 3;
}

/* "file:name:12" or "file:name:12:12:1:9"; a file may hold colons. */
static bool
frame_new(struct pp_austin *a, struct pp_slice text)
{
	struct pp_slice rest = text, name = { 0 }, shorter;
	int64_t line = 0, more;
	size_t n;

	if (text.n > 1 && text.p[0] == ':' && text.p[text.n - 1] == ':') {
		pp_austin_push(a, pp_austin_frame(a, text, name, 0));
		return true;
	}
	if (!number_off(&rest, ':', &line))
		return false;
	shorter = rest;
	if (number_off(&shorter, ':', &more) && number_off(&shorter, ':', &more) &&
	    number_off(&shorter, ':', &line))
		rest = shorter;
	for (n = rest.n; n && rest.p[n - 1] != ':'; n--)
		;
	if (n == 0)
		return false;
	name = pp_slice_from(rest, n);
	rest.n = n - 1;
	pp_austin_push(
	    a, pp_austin_frame(a, name, rest, line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0));
	return true;
}

/* Puts the frame that a text is; false when it is none. */
typedef bool frame_put(struct pp_austin *, struct pp_slice text);

/* A frame that was there before is known by its text. */
static bool
frame_known(struct pp_austin *a, struct pp_slice text, frame_put *put)
{
	size_t before = a->stack.n;
	bool is_new;
	pp_str id;

	if (!pp_strtab_intern(&a->texts, text.p, text.n, &id, &is_new)) {
		pp_builder_fail(a->b, PP_E_NOMEM, NULL);
		return false;
	}
	if (!is_new && id < a->frame_of.n && a->frame_of.at[id]) {
		pp_austin_push(a, a->frame_of.at[id]);
		return true;
	}
	if (!put(a, text))
		return false;
	while (pp_builder_ok(a->b) && a->frame_of.n <= id)
		if (!pp_vec_push(&a->frame_of, 0))
			pp_builder_fail(a->b, PP_E_NOMEM, NULL);
	if (pp_builder_ok(a->b) && a->stack.n > before)
		a->frame_of.at[id] = a->stack.at[before];
	return true;
}

static bool
frames_new(struct pp_austin *a, struct pp_slice rest)
{
	struct pp_slice frame;
	bool more = true;

	while (pp_slice_field(&rest, ';', &more, &frame))
		if (frame.n && !frame_known(a, frame, frame_new))
			return false;
	return true;
}

/* "name (file:12)", of -a. */
static bool
frame_flat(struct pp_austin *a, struct pp_slice text)
{
	struct pp_slice rest = text;
	int64_t line;
	size_t n;

	if (!pp_slice_ends(rest, ")"))
		return false;
	rest.n--;
	if (!number_off(&rest, ':', &line))
		return false;
	for (n = rest.n; n > 1 && !(rest.p[n - 2] == ' ' && rest.p[n - 1] == '('); n--)
		;
	if (n < 2)
		return false;
	pp_austin_push(a, pp_austin_frame(a, pp_slice_of(rest.p, n - 2), pp_slice_from(rest, n),
	                                  line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0));
	return true;
}

/* The end of ";L12" that a text has at a place, if a field ends there; 0 when it has none. */
static size_t
line_mark(struct pp_slice text, size_t at)
{
	size_t end = at + 2;
	uint64_t line;

	if (at + 2 >= text.n || text.p[at] != ';' || text.p[at + 1] != 'L')
		return 0;
	while (end < text.n && pp_is_digit(text.p[end]))
		end++;
	if (end == at + 2 || (end < text.n && text.p[end] != ';') ||
	    (end - at - 2 > DIGITS_FIT &&
	     !pp_num_u64(pp_slice_of(text.p + at + 2, end - at - 2), &line)))
		return 0;
	return end;
}

/* "name (file);L12": the first " (" ends the name, as names have none. */
static bool
frame_old(struct pp_austin *a, struct pp_slice text)
{
	struct pp_slice rest = text;
	uint64_t line;
	size_t n;

	while (rest.p[rest.n - 1] != ';')
		rest.n--;
	if (!pp_num_u64(pp_slice_from(text, rest.n + 1), &line))
		return false;
	rest.n -= 2;
	for (n = 0; n + 1 < rest.n && !(rest.p[n] == ' ' && rest.p[n + 1] == '('); n++)
		;
	if (n + 1 >= rest.n)
		return false;
	pp_austin_push(a, pp_austin_frame(a, pp_slice_of(rest.p, n), pp_slice_from(rest, n + 2),
	                                  line <= UINT32_MAX ? (uint32_t)line : 0));
	return true;
}

/* The end of the first ");L12" of a text; 0 when it has none. */
static size_t
frame_end(struct pp_slice text)
{
	const unsigned char *at = text.p, *end = text.p + text.n;
	size_t n = 0;

	while (!n && (at = memchr(at, ')', (size_t)(end - at))))
		n = line_mark(text, (size_t)(++at - text.p));
	return n;
}

/* "name (file);L12;...", or flat ones. */
static bool
frames_old(struct pp_austin *a, struct pp_slice text)
{
	struct pp_slice frame, rest = text;
	const unsigned char *mark = text.n ? memchr(text.p, ';', text.n) : NULL;
	size_t end = 0;
	bool more = true;

	for (; mark && !end; mark = memchr(mark + 1, ';', (size_t)(text.p + text.n - mark) - 1))
		end = line_mark(text, (size_t)(mark - text.p));
	if (!end) {
		while (text.n && pp_slice_field(&rest, ';', &more, &frame))
			if (!frame_flat(a, frame))
				return false;
		return true;
	}
	while (rest.n) {
		end = frame_end(rest);
		if (!end || !frame_known(a, pp_slice_of(rest.p, end), frame_old))
			return false;
		rest = pp_slice_from(rest, end + (end < rest.n));
	}
	return true;
}

/* Who a line is of: the rest is its frames. False when it does not say. */
static bool
owner_take(struct pp_slice *text, bool *new, int64_t *pid, struct pp_slice *thread)
{
	struct pp_slice word;
	bool found;

	*pid = -1;
	*new = false;
	if (pp_slice_take(text, "Process ")) {
		word = pp_slice_cut(text, ';', &found);
		if (!found || !pp_num_i64(word, pid))
			*pid = -1;
	} else if (text->n > 1 && text->p[0] == 'P' && pp_is_digit(text->p[1])) {
		*text = pp_slice_from(*text, 1);
		word = pp_slice_cut(text, ';', &found);
		*new = true;
		if (!found || !pp_num_i64(word, pid) || !pp_slice_take(text, "T"))
			return false;
	}
	if (!*new && !pp_slice_take(text, "Thread "))
		return false;
	*thread = pp_slice_cut(text, ';', &found);
	return true;
}

/* A line; false when it is none. `counting` only learns which metrics there are. */
static bool
line_read(struct pp_austin *a, struct pp_slice line, bool memory_mode, bool counting, bool has[2])
{
	struct pp_slice text = line, thread;
	int64_t numbers[3], pid;
	unsigned n = numbers_off(&text, numbers);
	bool new;

	a->stack.n = 0;
	if (!n || !owner_take(&text, &new, &pid, &thread))
		return false;
	if (counting) {
		has[0] |= !memory_mode || (n == 3 && new);
		has[1] |= memory_mode || (n == 3 && new);
		return true;
	}
	if (!(new ? frames_new(a, text) : frames_old(a, text)))
		return false;
	if (!a->last_thread.p || pid != a->last_pid || !pp_slice_eq(thread, a->last_thread)) {
		a->last_series = pp_austin_series(a, pid, thread, new);
		a->last_pid = pid;
		a->last_thread = thread;
	}
	if (n == 3 && new)
		pp_austin_give(a, a->last_series, numbers[0], numbers[2] > 0 ? numbers[2] : 0);
	else
		pp_austin_give(a, a->last_series, numbers[0], numbers[0]);
	return true;
}

/* "# key: value" */
static void
meta_line(struct pp_austin *a, struct pp_slice line, bool counting, bool *memory)
{
	struct pp_slice rest = pp_slice_from(line, 1), key;
	bool colon;

	key = pp_slice_trim(pp_slice_cut(&rest, ':', &colon));
	rest = pp_slice_trim(rest);
	if (colon && pp_slice_eq_z(key, "mode"))
		*memory = pp_slice_eq_z(rest, "memory");
	if (colon && counting && a->reader->order->facets & (PP_META | PP_EXTRAS))
		(void)pp_build_meta(a->b, 0, key, PP_META_TEXT, rest);
}

static void
lines_read(struct pp_austin *a, struct pp_slice text, bool counting, bool has[2])
{
	const char *unit = pp_reader_option(a->reader, "unit");
	bool memory = unit && strcmp(unit, "bytes") == 0;
	struct pp_slice rest = text, line;
	uint64_t number = 0;

	while (pp_builder_ok(a->b) && rest.n) {
		bool ended;
		struct pp_place place;

		line = pp_slice_cut(&rest, '\n', &ended);
		place = pp_at_line(++number, 1, (uint64_t)(line.p - text.p));
		if (!ended) {
			if (!counting)
				pp_austin_report(a, PP_AUSTIN_CUT, place);
			return;
		}
		line = pp_slice_chomp(line);
		if (line.n && line.p[0] == '#') {
			meta_line(a, line, counting, &memory);
			continue;
		}
		if (!pp_slice_trim(line).n)
			continue;
		pp_builder_at(a->b, place);
		if (!line_read(a, line, memory, counting, has) && !counting && pp_builder_ok(a->b))
			pp_austin_report(a, PP_AUSTIN_LINE, place);
	}
}

void
pp_austin_text(struct pp_austin *a, struct pp_slice text)
{
	bool has[2] = { false, false };

	a->b->profile->variant = pp_build_strz(a->b, "text");
	lines_read(a, text, true, has);
	pp_austin_metrics(a, has[0], has[1]);
	lines_read(a, text, false, has);
}

/* ---- the format --------------------------------------------------------------------------- */

static int
austin_bid(const struct pp_peek *peek)
{
	struct pp_slice rest = peek->head, line, thread;
	int64_t numbers[3], pid;
	unsigned lines = 0, owned = 0;
	bool new;

	if (rest.n > 3 && memcmp(rest.p, "MOJ", 3) == 0 && rest.p[3] >= 1 && rest.p[3] < 0x40)
		return 32;
	if (!rest.n || !strchr("#TP", rest.p[0]))
		return 0;
	while (lines < 4 && pp_slice_line(&rest, &line)) {
		line = pp_slice_chomp(line);
		if (pp_slice_starts(line, "# austin:"))
			return PP_BID_NAMED;
		if (!line.n || line.p[0] == '#')
			continue;
		lines++;
		if (numbers_off(&line, numbers) && owner_take(&line, &new, &pid, &thread))
			owned++;
	}
	return owned && owned * 2 >= lines ? pp_bid_lines((int)(40 * owned), true) : 0;
}

static pp_status
austin_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct pp_austin a = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	bool packed = pp_input_need(reader->in, 3) && memcmp(reader->in->cur, "MOJ", 3) == 0;
	pp_status status = packed ? pp_whole_open(&whole, reader)
	                          : pp_whole_open_lines(&whole, reader, b);
	struct pp_slice text;

	if (status == PP_OK && !pp_strtab_init(&a.texts, reader->seed)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	} else if (status == PP_OK) {
		text = pp_slice_between(reader->in->cur, reader->in->end);
		b->profile->producer = pp_build_strz(b, "austin");
		b->profile->facets |= PP_TREE;
		if (packed)
			pp_austin_mojo(&a, text);
		else
			pp_austin_text(&a, text);
		reader->in->cur = reader->in->end;
	}
	pp_owners_release(&a.owners);
	pp_strtab_release(&a.texts);
	pp_vec_release(&a.frame_of);
	pp_vec_release(&a.stack);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_option_doc austin_options[] = {
	{ "unit", "us|bytes", "what the numbers of old files are, which do not say (default us)" },
	{ 0 }
};

static const struct pp_holds austin_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(NO_STACK) | PP_HAS(FILES) | PP_HAS(PLACES) |
	           PP_HAS(THREADS) | PP_HAS(SAMPLES) | PP_HAS(METADATA) | PP_HAS(MODULES) },
};

const struct pp_format pp_format_austin = {
	.name = "austin",
	.title = "austin profile (Python)",
	.extensions = "austin mojo",
	.variants = "text mojo",
	.can = PP_CAN_READ | PP_TREE | PP_META,
	.bid = austin_bid,
	.read = austin_read,
	.holds = austin_holds,
	.rules = pp_austin_rules,
	.options = austin_options,
};
