/*
 * heaptrack: each allocation and each free of a program, as `heaptrack` records them (raw) and as its interpreter turns them
 * into (functions instead of addresses). Lines begin with a letter; numbers are hexadecimal.
 *
 *     v 10400 3                 version, and that of the format; without the second number, 1 if it is 10200, else 0
 *     X ./oven --hot            the command, which may have several lines
 *     I 1000 5e2991             size of a page, and how many the machine has
 *     s 4 main                  a string, counted from 1: its length and any bytes; before format 3 the rest of the line
 *     i 4011a1 1 2 3 2a         an address: its module, then function, file and line, the innermost inlined function first
 *     t 5 4                     a stack: an address and the stack that called it (0 = none)
 *     a 1f4 5                   an allocation of a size from a stack, counted from 0
 *     + 0                       it happens; in format 0 "+ SIZE STACK POINTER"
 *     - 0                       it is undone; in format 0 "- POINTER"
 *     c a                       milliseconds since the start
 *     R 3e8                     pages in memory
 *     S leak:pattern            leaks that heaptrack_print does not show
 *     A                         heaptrack was attached here
 *     # comment
 *
 * Raw recordings have instead of strings and addresses
 *
 *     x 6 /oven                 the executable
 *     m 1 x 400000 0 1000 ...   what is mapped: a module ("x" the executable, "-" all anew), its base, its parts and their sizes
 *     t 4011a1 4                a stack: an address itself
 *
 * and events as in format 0. Addresses are those of calls, not where they return to.
 */
#include "formats/heap/heaptrack.h"

/* No machine has more. */
#define SIZE_MOST ((uint64_t)1 << 56)
/* Numbers of a line that are looked at. */
#define NUMBERS_MOST 512
/* Of a command of many lines more is not kept. */
#define COMMAND_MOST 4096

const struct pp_rule pp_heaptrack_rules[] = {
	[PP_HT_VERSION] = { "heaptrack-version", PP_ERROR, "the format is newer than 3",
	                    "heaptrack 1.5 and all before it write formats 0 to 3. What a later one means is not known; "
	                    "nothing is read." },
	[PP_HT_LINE] = { "heaptrack-line", PP_ERROR, "a line is not what heaptrack writes",
	                 "A line begins with a letter and a space, and has as many "
	                 "hexadecimal numbers as that letter requires. The line is left out." },
	[PP_HT_REFERENCE] = { "heaptrack-reference", PP_ERROR, "a number refers to nothing",
	                      "Strings, addresses, stacks and allocations are counted as they are listed, and are "
	                      "listed before they are used. The line is left out, or the part of it." },
	[PP_HT_CUT] = { "heaptrack-cut", PP_ERROR, "the recording breaks off",
	                "The last line has no end: the program or heaptrack was killed, or the file was cut. Everything before that is used; all that was live there counts as live." },
	[PP_HT_SIZE] = { "heaptrack-size", PP_ERROR, "a size is impossibly large",
	                 "Sizes are less than 2^56 bytes, and all that is in use together "
	                 "fits into 64 bits." },
	[PP_HT_TIME] = { "heaptrack-time", PP_WARNING, "the clock goes backwards",
	                 "Times are milliseconds since the start and never fall. As with heaptrack_print, this one is skipped." },
	[PP_HT_FREED] = { "heaptrack-freed", PP_WARNING,
	                  "something was freed that was not allocated",
	                  "More allocations of a kind are freed than were made, so that less than nothing is live. The "
	                  "numbers are those of heaptrack_print, which counts the same way." },
	[PP_HT_SUPPRESSED] = { "heaptrack-suppressed", PP_NOTE,
	                       "the program names leaks that it wants to be left out",
	                       "It contains patterns of known leaks (S lines), which "
	                       "heaptrack_print subtracts. Here they are counted; --exclude "
	                       "leaves them out." },
	[PP_HT_SYMBOLS] = { "heaptrack-symbols", PP_NOTE, "some modules have no symbols",
	                    "Names of functions in raw recordings come from the binaries that were recorded and their debug "
	                    "files (/usr/lib/debug, .gnu_debuglink). On another machine than the recorded one, --option symfs=DIR says where to find them." },
	{ 0 },
};

void
pp_ht_no_memory(struct pp_ht *h)
{
	h->stopped = true;
	pp_builder_fail(h->b, PP_E_NOMEM, NULL);
}

void
pp_ht_report(struct pp_ht *h, enum pp_ht_rule rule, const char *what)
{
	if (pp_heaptrack_rules[rule].severity == PP_ERROR)
		h->b->profile->complete = false;
	pp_diag_add(h->reader->diags, &pp_heaptrack_rules[rule],
	            pp_at_line(h->line + 1, 0, PP_NO_OFFSET), "%s", what);
}

/* ---- recognition ------------------------------------------------------------------------ */

/* The value of a hexadecimal digit, 16 for all else. */
static inline unsigned
digit_of(unsigned char c)
{
	unsigned letter = (unsigned)(c | 32) - 'a';

	return (unsigned)c - '0' < 10 ? (unsigned)c - '0' : letter < 6 ? letter + 10 : 16;
}

/* Hexadecimal numbers with single blanks between them, to the end. How many, `most` at most; -1 when it is something else. */
static int
numbers_read(struct pp_slice s, uint64_t *numbers, int most)
{
	size_t i = 0;
	int n = 0;

	while (i < s.n) {
		uint64_t value = 0;
		size_t first = i;

		for (; i < s.n && digit_of(s.p[i]) < 16 && i - first < 17; i++)
			value = value << 4 | digit_of(s.p[i]);
		if (i == first || i - first > 16 || (i < s.n && s.p[i] != ' ') || n == most)
			return -1;
		numbers[n++] = value;
		i += i < s.n;
	}
	return n;
}

/* Whether a line can be a record, not the rest of a command that has several lines: python3 -c '...', say. */
static bool
is_record(struct pp_slice line)
{
	struct pp_slice rest = pp_slice_from(line, line.n < 2 ? line.n : 2), word;
	uint64_t numbers[NUMBERS_MOST];
	bool blank;

	if (line.n == 0 || line.p[0] == '#' || (line.n == 1 && line.p[0] == 'A'))
		return line.n > 0;
	if (line.n < 3 || line.p[1] != ' ')
		return false;
	if (memchr("Iitac+-R", line.p[0], 8))
		return numbers_read(rest, numbers, NUMBERS_MOST) > 0;
	word = pp_slice_cut(&rest, ' ', &blank);
	return memchr("smx", line.p[0], 3) && word.n &&
	       (!blank || numbers_read(word, numbers, 1) > 0);
}

static int
heaptrack_bid(const struct pp_peek *peek)
{
	struct pp_slice rest = peek->head, line;
	uint64_t numbers[8];
	int n;
	bool command = false;

	if (!pp_slice_line(&rest, &line) || !pp_slice_take(&line, "v "))
		return 0;
	n = numbers_read(line, numbers, 8);
	if (n < 1 || n > 2 || numbers[0] < 0x1000 || numbers[0] > 0xffffff)
		return 0;
	for (n = 0; n < 8 && pp_slice_line(&rest, &line); n++) {
		bool names = pp_slice_starts(line, "X ") || pp_slice_starts(line, "S ");

		if (!names && !command && !is_record(line) && (rest.n || peek->whole))
			return 0;
		command |= names;
	}
	return PP_BID_NAMED;
}

/* ---- what the file lists ---------------------------------------------------------------- */

static void
string_add(struct pp_ht *h, struct pp_slice text)
{
	if (!pp_vec_push(&h->strings, pp_build_str(h->b, text)))
		pp_ht_no_memory(h);
}

/* A number that refers to one of `n`, 0 being none; false, and a finding, when there is no such thing. */
static bool
refers(struct pp_ht *h, uint64_t number, size_t n, const char *what)
{
	if (PP_LIKELY(number < n))
		return true;
	pp_ht_report(h, PP_HT_REFERENCE, what);
	return false;
}

static void
ip_add(struct pp_ht *h, const uint64_t *numbers, int n)
{
	struct pp_ht_ip ip = { .first = (uint32_t)h->spots.n };
	bool fine = true;
	int i;

	ip.address = n > 0 ? numbers[0] : 0;
	if (n > 1 && refers(h, numbers[1], h->strings.n, "no such module"))
		ip.module = (uint32_t)numbers[1];
	for (i = 2; fine && i < n; i += 3) {
		struct pp_ht_place p = { 0 };

		fine = refers(h, numbers[i], h->strings.n, "no such function") &&
		       (i + 1 >= n || refers(h, numbers[i + 1], h->strings.n, "no such file"));
		if (!fine)
			break;
		p.function = (uint32_t)numbers[i];
		p.file = i + 1 < n ? (uint32_t)numbers[i + 1] : 0;
		p.line = i + 2 < n && numbers[i + 2] <= UINT32_MAX ? (uint32_t)numbers[i + 2] : 0;
		if (!pp_vec_push(&h->spots, p))
			pp_ht_no_memory(h);
		ip.n++;
	}
	if (!pp_vec_push(&h->ips, ip))
		pp_ht_no_memory(h);
}

/* A stack is there even if what it refers to is not, since those behind it are counted. */
static void
trace_add(struct pp_ht *h, const uint64_t *numbers)
{
	struct pp_ht_trace t = { 0 };

	if (h->raw)
		t.ip = numbers[0] ? pp_mapped_run(&h->mapped, numbers[0], 0) : 0;
	else if (refers(h, numbers[0], h->ips.n, "no such address"))
		t.ip = (uint32_t)numbers[0];
	if (refers(h, numbers[1], h->traces.n, "no such stack"))
		t.parent = (uint32_t)numbers[1];
	if (!pp_vec_push(&h->traces, t))
		pp_ht_no_memory(h);
}

static void
info_add(struct pp_ht *h, const uint64_t *numbers)
{
	uint64_t size = numbers[0];
	uint32_t trace = 0;

	if (size >= SIZE_MOST) {
		pp_ht_report(h, PP_HT_SIZE,
		             "an allocation of 2^56 bytes or more counts as nothing");
		size = 0;
	}
	if (refers(h, numbers[1], h->traces.n, "no such stack"))
		trace = (uint32_t)numbers[1];
	pp_ht_info_add(h, size, trace);
}

static void
module_add(struct pp_ht *h, struct pp_slice name, const uint64_t *numbers, int n)
{
	int i;

	if (pp_slice_eq_z(name, "-")) {
		pp_mapped_clear(&h->mapped);
		return;
	}
	if (pp_slice_eq_z(name, "x"))
		name = pp_text_of(h->b->profile, h->executable);
	for (i = 1; i + 1 < n; i += 2) {
		uint64_t start = numbers[0] + numbers[i];

		pp_mapped_add_part(&h->mapped, name, start, start + numbers[i + 1], numbers[0]);
	}
}

/* ---- lines ------------------------------------------------------------------------------ */

static void
line_broken(struct pp_ht *h)
{
	pp_ht_report(h, PP_HT_LINE, pp_heaptrack_rules[PP_HT_LINE].title);
}

/* What a raw recording begins with: false, and a finding, when stacks of an interpreted one were there already. */
static bool
raw_begin(struct pp_ht *h)
{
	if (!h->raw && h->traces.n > 1)
		line_broken(h);
	else
		h->raw = true;
	return h->raw;
}

static void
version_read(struct pp_ht *h, const uint64_t *numbers, int n)
{
	if (h->version) {
		line_broken(h);
		return;
	}
	h->version = (unsigned)numbers[0];
	h->format = n > 1 && numbers[1] <= 1000 ? (unsigned)numbers[1]
	            : n > 1                     ? 1000
	                                        : numbers[0] == 0x10200;
	if (h->format > 3) {
		pp_ht_report(h, PP_HT_VERSION, pp_heaptrack_rules[PP_HT_VERSION].title);
		h->stopped = true;
	}
}

static void
event_read(struct pp_ht *h, bool allocates, const uint64_t *numbers, int n)
{
	bool pointers = h->raw || h->format == 0;

	if (n < (pointers && allocates ? 3 : 1)) {
		line_broken(h);
	} else if (!pointers) {
		(allocates ? pp_ht_allocate : pp_ht_free)(h, numbers[0]);
	} else if (!allocates) {
		pp_ht_pointer_drop(h, numbers[0]);
	} else if (numbers[0] >= SIZE_MOST) {
		pp_ht_report(h, PP_HT_SIZE, "an allocation of 2^56 bytes or more is left out");
	} else if (refers(h, numbers[1], h->traces.n, "no such stack")) {
		pp_ht_pointer_add(h, numbers[0], numbers[1], numbers[2]);
	}
}

static void
time_read(struct pp_ht *h, uint64_t ms)
{
	if (ms > INT64_MAX / 1000000 || (int64_t)ms < h->time)
		pp_ht_report(h, PP_HT_TIME, pp_heaptrack_rules[PP_HT_TIME].title);
	else
		pp_ht_time(h, (int64_t)ms);
}

static void
rss_read(struct pp_ht *h, uint64_t pages)
{
	h->rss = pages > h->rss ? pages : h->rss;
	if (h->reader->order->facets & PP_EXTRAS)
		pp_buf_addf(&h->rss_text, "%lld %llu\n", (long long)h->time,
		            (unsigned long long)pages);
}

/* Lines of numbers only. */
static void
numbers_line(struct pp_ht *h, unsigned char letter, struct pp_slice rest)
{
	static const char known[] = "v1I1i1t2a2+1-1c1R1";
	const char *at = memchr(known, letter, sizeof known - 1);
	uint64_t numbers[NUMBERS_MOST];
	int n = numbers_read(rest, numbers, NUMBERS_MOST);

	if (!at || n < at[1] - '0') {
		line_broken(h);
		return;
	}
	switch (letter) {
	case 'v':
		version_read(h, numbers, n);
		break;
	case 'I':
		h->page_size = numbers[0] <= UINT32_MAX ? numbers[0] : 0;
		h->pages = n > 1 ? numbers[1] : 0;
		break;
	case 'i':
		ip_add(h, numbers, n);
		break;
	case 't':
		trace_add(h, numbers);
		break;
	case 'a':
		info_add(h, numbers);
		break;
	case 'c':
		time_read(h, numbers[0]);
		break;
	case 'R':
		rss_read(h, numbers[0]);
		break;
	default:
		event_read(h, letter == '+', numbers, n);
	}
}

/* "LEN TEXT", or text up to a blank in formats before 3; false when it is not whole. */
static bool
sized_read(const struct pp_ht *h, struct pp_slice *rest, struct pp_slice *text)
{
	struct pp_slice word;
	uint64_t n;
	bool blank;

	word = pp_slice_cut(rest, ' ', &blank);
	if (h->format < 3) {
		*text = word;
		return word.n > 0;
	}
	if (!blank || !pp_num_hex(word, &n) || n > rest->n)
		return false;
	*text = pp_slice_of(rest->p, (size_t)n);
	*rest = pp_slice_from(*rest, (size_t)n);
	(void)pp_slice_take(rest, " ");
	return true;
}

static void
module_line(struct pp_ht *h, struct pp_slice rest)
{
	struct pp_slice name;
	uint64_t numbers[NUMBERS_MOST];
	int n;

	if (!raw_begin(h))
		return;
	if (!sized_read(h, &rest, &name)) {
		line_broken(h);
		return;
	}
	n = numbers_read(rest, numbers, NUMBERS_MOST);
	if (n < 1 && !pp_slice_eq_z(name, "-"))
		line_broken(h);
	else
		module_add(h, name, numbers, n);
}

static void
suppression_add(struct pp_ht *h, struct pp_slice text)
{
	if (!h->suppressions.n)
		pp_ht_report(h, PP_HT_SUPPRESSED, pp_heaptrack_rules[PP_HT_SUPPRESSED].title);
	if (!pp_vec_push(&h->suppressions, pp_build_str(h->b, text)))
		pp_ht_no_memory(h);
}

static void
command_add(struct pp_ht *h, struct pp_slice line)
{
	struct pp_slice before = pp_text_of(h->b->profile, h->command);
	struct pp_buf text = { 0 };

	if (before.n + line.n > COMMAND_MOST)
		return;
	pp_buf_add(&text, before.p, before.n);
	pp_buf_addc(&text, '\n');
	pp_buf_add(&text, line.p, line.n);
	h->command = pp_build_buf(h->b, &text);
}

static void
line_read(struct pp_ht *h, struct pp_slice line)
{
	struct pp_slice rest = pp_slice_from(line, line.n < 2 ? line.n : 2), text = rest;

	if (h->in_command && !is_record(line)) {
		command_add(h, line);
		return;
	}
	h->in_command = false;
	if (line.n == 0 || line.p[0] == '#')
		return;
	if (line.n > 1 && line.p[1] != ' ') {
		line_broken(h);
		return;
	}
	switch (line.p[0]) {
	case 'X':
		h->command = pp_build_str(h->b, rest);
		h->in_command = true;
		break;
	case 'x':
		if (!raw_begin(h))
			break;
		if (h->format >= 3 && !sized_read(h, &rest, &text))
			line_broken(h);
		else
			h->executable = pp_build_str(h->b, text);
		break;
	case 'm':
		module_line(h, rest);
		break;
	case 's':
		string_add(h, rest);
		break;
	case 'S':
		suppression_add(h, rest);
		break;
	case 'A':
		/* Nobody is attached twice. */
		if (!h->attached)
			pp_ht_restart(h);
		h->attached = true;
		break;
	default:
		numbers_line(h, line.p[0], rest);
	}
}

/* ---- all of them ------------------------------------------------------------------------ */

/*
 * "s LEN TEXT" with its length, where the text may have line ends of its own: returns what is behind it, NULL when it goes
 * on behind `end`, or `p` when it is something else.
 */
static const unsigned char *
string_read(struct pp_ht *h, const unsigned char *p, const unsigned char *end)
{
	struct pp_slice rest = pp_slice_between(p + 2, end), word;
	uint64_t n;
	bool blank;

	word = pp_slice_cut(&rest, ' ', &blank);
	if (!blank || word.n > 16 || !pp_num_hex(word, &n))
		return p;
	if (n >= rest.n)
		return NULL;
	if (rest.p[n] != '\n')
		return p;
	string_add(h, pp_slice_of(rest.p, (size_t)n));
	h->line += pp_slice_count(pp_slice_of(rest.p, (size_t)n), '\n') + 1;
	return rest.p + n + 1;
}

/* Reads lines that begin before `stop`; returns what is left: from there on, or from a line on that goes on behind `end`. */
static const unsigned char *
run_read(struct pp_ht *h, const unsigned char *p, const unsigned char *stop,
         const unsigned char *end)
{
	while (p < stop && pp_ht_ok(h)) {
		const unsigned char *next = p;

		if (h->format > 0 && !h->raw) {
			p = next = pp_ht_events(h, p, stop, end);
			if (p >= stop || !pp_ht_ok(h))
				break;
		}
		if (h->format >= 3 && end - p > 2 && p[0] == 's' && p[1] == ' ')
			next = string_read(h, p, end);
		if (!next)
			break;
		if (next == p) {
			next = pp_line_end(p, end);
			if (next[-1] != '\n')
				break;
			line_read(h, pp_slice_between(p, next - 1));
			h->line++;
		}
		p = next;
	}
	return p;
}

static pp_status
lines_read(struct pp_ht *h)
{
	struct pp_input *in = h->reader->in;
	struct pp_behind behind = { 0 };
	const unsigned char *begin = in->cur;

	while (pp_ht_ok(h) && pp_input_need(in, 1)) {
		size_t left = pp_input_left(in),
		       part = left < PP_BEHIND_STEP ? left : PP_BEHIND_STEP;
		const unsigned char *rest = run_read(h, in->cur, in->cur + part, in->end);

		if (h->reader->progress && h->reader->progress(h->reader))
			return PP_E_IO;
		if (rest > in->cur) {
			in->cur = rest;
			if (in->stable)
				pp_input_behind(in, &behind, begin, in->cur);
			continue;
		}
		if (!pp_ht_ok(h))
			break;
		if (left > h->reader->limits.max_line)
			return PP_E_LIMIT;
		if (!pp_input_need(in, left + 1)) {
			pp_ht_report(h, PP_HT_CUT, pp_heaptrack_rules[PP_HT_CUT].title);
			break;
		}
	}
	in->cur = in->end;
	return PP_OK;
}

static void
heaptrack_release(struct pp_ht *h)
{
	pp_mapped_release(&h->mapped);
	pp_vec_release(&h->strings);
	pp_vec_release(&h->ips);
	pp_vec_release(&h->spots);
	pp_vec_release(&h->traces);
	pp_vec_release(&h->infos);
	pp_vec_release(&h->info_traces);
	pp_vec_release(&h->suppressions);
	free(h->pointers.at);
	pp_slots_release(&h->info_slots);
	pp_vec_release(&h->windows.touched);
	pp_vec_release(&h->windows.moments);
	pp_vec_release(&h->windows.moment_of);
	pp_buf_release(&h->rss_text);
}

static pp_status
heaptrack_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct pp_ht h = { .reader = reader, .b = b };
	pp_status status = PP_OK;

	h.places = (reader->order->facets & PP_EXTRAS) != 0;
	h.lines = !pp_order_is_by_function(reader->order);
	h.windows.wanted = (reader->order->facets & PP_TIMELINE) && pp_builder_remembers(b);
	h.windows.number = 1;
	h.windows.quantum = 1;
	h.pointers.seed = b->seed;
	/* What 0 refers to: nothing. */
	if (!pp_mapped_init(&h.mapped, reader, b) || !pp_vec_push(&h.strings, 0) ||
	    !pp_vec_push(&h.ips, (struct pp_ht_ip){ 0 }) ||
	    !pp_vec_push(&h.traces, (struct pp_ht_trace){ 0 }))
		status = PP_E_NOMEM;
	if (status == PP_OK)
		status = lines_read(&h);
	if (status == PP_OK && pp_builder_ok(b) && h.format > 3)
		status = PP_E_INVALID;
	if (status == PP_OK && pp_builder_ok(b))
		pp_ht_finish(&h);
	if (status == PP_E_LIMIT)
		pp_builder_fail(b, PP_E_LIMIT, "a line is too long");
	heaptrack_release(&h);
	return status == PP_OK ? b->status : status;
}

/* The command stands in the first lines. */
static pp_status
heaptrack_describe(struct pp_reader *reader, struct pp_brief *brief)
{
	struct pp_slice line;
	bool whole;
	int i;

	for (i = 0; i < 16 && pp_input_line(reader->in, 1 << 20, &line, &whole); i++)
		if (pp_slice_take(&line, "X ")) {
			pp_buf_add(&brief->what, line.p, line.n);
			break;
		}
	return brief->what.failed ? PP_E_NOMEM : PP_OK;
}

static const struct pp_option_doc heaptrack_options[] = { PP_MAPPED_OPTIONS, { 0 } };

/* It cannot be written, but what it has tells what converting it may lose. */
static const struct pp_holds heaptrack_holds[] = {
	{ .keeps = PP_MAPPED_HOLDS | PP_HAS(STACKS) | PP_HAS(TIMELINE) | PP_HAS(TIME) |
	           PP_HAS(EVENTS) | PP_HAS(METADATA) },
};

extern const struct pp_format pp_format_heaptrack;

const struct pp_format pp_format_heaptrack = {
	.name = "heaptrack",
	.title = "heaptrack recording",
	.extensions = "heaptrack raw",
	.variants = "interpreted raw",
	.can = PP_CAN_READ | PP_TREE | PP_TIMELINE,
	.bid = heaptrack_bid,
	.read = heaptrack_read,
	.describe = heaptrack_describe,
	.holds = heaptrack_holds,
	.rules = pp_heaptrack_rules,
	.options = heaptrack_options,
};
