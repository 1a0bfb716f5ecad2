/*
 * The grammar of the lines that perf script prints.
 *
 * Fields may be missing, and names hold anything: a comm may be "wrk (1) x: 7", a symbol has blanks and
 * parentheses, so has the path of a binary. So a header line is taken apart around its time (digits, a
 * dot, digits, a colon), or its event when it has none; a frame from both ends.
 */
#include "formats/perf/perf_script.h"

#include "base/num.h"

/* A line that is nothing but a comm (15 bytes in Linux) and ids. */
#define COMM_LONGEST 64
/* Seconds in 2^62 ns, 146 years: no machine runs longer. */
#define TIME_MOST 4611686018u

struct pp_slice
pp_perf_trim(struct pp_slice s)
{
	static const char blanks[8] = "        ";
	const unsigned char *p = s.p, *end = s.p + s.n;

	while (end > p && pp_perf_blank(end[-1]))
		end--;
	/* Addresses stand behind a tab and up to fifteen blanks. */
	p += end > p && *p == '\t';
	while (end - p > 8 && memcmp(p, blanks, sizeof blanks) == 0)
		p += sizeof blanks;
	while (p < end && pp_perf_blank(*p))
		p++;
	return pp_slice_of(p, (size_t)(end - p));
}

/* ---- events ----------------------------------------------------------------------------- */

/* The length of ":modifiers" at the end of an event; 0 when there are none. */
static size_t
modifiers(struct pp_slice event)
{
	static const char letters[] = "ukhHGpPSDWbIeR";
	size_t i = event.n;

	while (i > 0 && event.p[i - 1] != ':') {
		i--;
		if (!memchr(letters, event.p[i], sizeof letters - 1))
			return 0;
	}
	/* The last colon of "a:" is no start of modifiers, nor is that of ":u". */
	return i > 1 && i < event.n ? event.n - i + 1 : 0;
}

struct pp_slice
pp_perf_event_base(struct pp_slice event)
{
	event.n -= modifiers(event);
	return event;
}

bool
pp_perf_event_is_probe(struct pp_slice event)
{
	event = pp_perf_event_base(event);
	return event.n && memchr(event.p, ':', event.n) && !memchr(event.p, '/', event.n) &&
	       !pp_slice_starts(event, "mem:");
}

/* ---- header lines ----------------------------------------------------------------------- */

/* "2256.959900:", 1 to 9 digits behind the dot; the colon is at `colon`. Returns its start or NULL. */
static const unsigned char *
time_start(const unsigned char *begin, const unsigned char *colon)
{
	const unsigned char *p = colon, *dot;

	while (p > begin && pp_is_digit(p[-1]))
		p--;
	if (p == colon || colon - p > 9 || p == begin || p[-1] != '.')
		return NULL;
	dot = --p;
	while (p > begin && pp_is_digit(p[-1]))
		p--;
	return p < dot && (p == begin || pp_perf_blank(p[-1])) ? p : NULL;
}

static void
time_take(struct pp_perf_header *h, const unsigned char *p, const unsigned char *colon)
{
	const unsigned char *dot = memchr(p, '.', (size_t)(colon - p)), *c;
	uint64_t s, fraction = 0;

	for (c = dot + 1; c < dot + 10; c++)
		fraction = fraction * 10 + (c < colon ? (uint64_t)(*c - '0') : 0);
	h->has_time = true;
	/* Differences and sums of two times must fit, too. */
	if (!pp_num_u64(pp_slice_of(p, (size_t)(dot - p)), &s) || s >= TIME_MOST)
		h->wrong = p;
	else
		h->time = (int64_t)(s * 1000000000 + fraction);
}

/* The last word of [begin, *end), which then ends before it. Empty when there is none. */
static struct pp_slice
last_word(const unsigned char *begin, const unsigned char **end)
{
	const unsigned char *p = *end, *stop;

	while (p > begin && pp_perf_blank(p[-1]))
		p--;
	stop = p;
	while (p > begin && !pp_perf_blank(p[-1]))
		p--;
	*end = p;
	return pp_slice_of(p, (size_t)(stop - p));
}

/* "-1" and "123", the former being what perf prints for an unknown id. */
static bool
id_take(struct pp_slice s, int64_t *id, const unsigned char **wrong)
{
	size_t i = s.n > 1 && s.p[0] == '-';

	if (i == s.n)
		return false;
	for (; i < s.n; i++)
		if (!pp_is_digit(s.p[i]))
			return false;
	if (!pp_num_i64(s, id)) {
		*wrong = s.p;
		*id = -1;
	}
	if (*id < 0)
		*id = -1;
	return true;
}

/* "123" or "123/456". */
static bool
ids_take(struct pp_slice s, struct pp_perf_header *h)
{
	const unsigned char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;
	struct pp_slice pid, tid;

	if (!slash)
		return id_take(s, &h->tid, &h->wrong);
	pid = pp_slice_of(s.p, (size_t)(slash - s.p));
	tid = pp_slice_of(slash + 1, s.n - pid.n - 1);
	return id_take(pid, &h->pid, &h->wrong) && id_take(tid, &h->tid, &h->wrong);
}

/* "[001]". */
static bool
cpu_take(struct pp_slice s, struct pp_perf_header *h)
{
	if (s.n < 3 || s.p[0] != '[' || s.p[s.n - 1] != ']')
		return false;
	return id_take(pp_slice_of(s.p + 1, s.n - 2), &h->cpu, &h->wrong);
}

/* The letters of `-F +misc`. */
static bool
is_misc(struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (!memchr("KUHGgMESp", s.p[i], 9))
			return false;
	return s.n >= 1 && s.n <= 4;
}

/*
 * What stands before the time: comm, ids, cpu, misc. False when there is something, but neither id nor
 * cpu: then it is a comm at best.
 */
static bool
before_take(const unsigned char *begin, const unsigned char *end, struct pp_perf_header *h)
{
	const unsigned char *stop = end, *left = end;
	struct pp_slice word = last_word(begin, &left);
	bool found = false;

	if (is_misc(word)) {
		const unsigned char *further = left;
		struct pp_slice next = last_word(begin, &further);
		struct pp_perf_header probe = { 0 };

		if (cpu_take(next, &probe) || ids_take(next, &probe)) {
			stop = left;
			word = next;
			left = further;
		}
	}
	if (cpu_take(word, h)) {
		found = true;
		stop = left;
		word = last_word(begin, &left);
	}
	if (ids_take(word, h)) {
		found = true;
		stop = left;
	}
	h->comm = pp_perf_trim(pp_slice_of(begin, (size_t)(stop - begin)));
	return found || h->comm.n == 0;
}

/* The end of the word that starts at p. */
static const unsigned char *
word_end(const unsigned char *p, const unsigned char *end)
{
	while (p < end && !pp_perf_blank(*p))
		p++;
	return p;
}

static const unsigned char *
skip_blanks(const unsigned char *p, const unsigned char *end)
{
	while (p < end && pp_perf_blank(*p))
		p++;
	return p;
}

static void
period_take(struct pp_perf_header *h, const unsigned char *p, const unsigned char *stop)
{
	h->has_period = true;
	if (!pp_num_u64(pp_slice_of(p, (size_t)(stop - p)), &h->period))
		h->wrong = p;
}

static bool
all_digits(const unsigned char *p, const unsigned char *stop)
{
	const unsigned char *c = p;

	while (c < stop && pp_is_digit(*c))
		c++;
	return c == stop && p < stop;
}

/* "event:" at p, or "raw 0x1a8:", or the name of a record. */
static enum pp_perf_header_kind
event_take(const unsigned char *p, const unsigned char *end, struct pp_perf_header *h)
{
	const unsigned char *stop = word_end(p, end);
	struct pp_slice word = pp_slice_of(p, (size_t)(stop - p));

	if (pp_slice_starts(pp_slice_between(p, end), "PERF_RECORD_")) {
		while (p < stop && (*p == '_' || (unsigned)*p - 'A' <= 25 || pp_is_digit(*p)))
			p++;
		h->event = pp_slice_of(word.p, (size_t)(p - word.p));
		h->rest = pp_perf_trim(pp_slice_of(p, (size_t)(end - p)));
		return PP_PERF_RECORD;
	}
	if (pp_slice_eq_z(word, "raw") &&
	    pp_slice_starts(pp_slice_between(skip_blanks(stop, end), end), "0x"))
		stop = word_end(skip_blanks(stop, end), end);
	if (stop - p < 2 || stop[-1] != ':' || time_start(p, stop - 1))
		return PP_PERF_NO_HEADER;
	h->event = pp_slice_of(p, (size_t)(stop - 1 - p));
	h->rest = pp_perf_trim(pp_slice_of(stop, (size_t)(end - stop)));
	return PP_PERF_SAMPLE;
}

/*
 * What stands behind the time: period, event, the rest. PP_PERF_LOOSE when there is no event: then the
 * rest may be a frame, or nothing.
 */
static enum pp_perf_header_kind
after_take(const unsigned char *colon, const unsigned char *end, struct pp_perf_header *h)
{
	const unsigned char *p = skip_blanks(colon + 1, end), *stop = word_end(p, end), *next;
	enum pp_perf_header_kind kind = event_take(p, end, h);

	if (kind != PP_PERF_NO_HEADER)
		return kind;
	if (all_digits(p, stop)) {
		next = skip_blanks(stop, end);
		kind = event_take(next, end, h);
		/* Periods have ten columns, addresses sixteen. */
		if (kind == PP_PERF_SAMPLE || (next == end && stop - colon < 17))
			period_take(h, p, stop);
		if (kind == PP_PERF_SAMPLE)
			return kind;
		if (h->has_period)
			return PP_PERF_LOOSE;
	}
	h->event = h->rest = pp_slice_of(p, 0);
	h->rest = pp_perf_trim(pp_slice_of(p, (size_t)(end - p)));
	return PP_PERF_LOOSE;
}

static void
header_clear(struct pp_perf_header *h, struct pp_slice line)
{
	*h = (struct pp_perf_header){ .pid = -1, .tid = -1, .cpu = -1 };
	h->comm = h->event = h->rest = pp_slice_of(line.p, 0);
}

/* The next colon that ends a word, from p on; NULL when there is none. */
static const unsigned char *
next_colon(const unsigned char *p, const unsigned char *end)
{
	while (p < end && (p = memchr(p, ':', (size_t)(end - p)))) {
		if (p + 1 == end || pp_perf_blank(p[1]))
			return p;
		p++;
	}
	return NULL;
}

/* A header with a time. A comm may look like one, so the first that is followed by an event wins. */
static enum pp_perf_header_kind
timed_parse(struct pp_slice line, struct pp_perf_header *h)
{
	const unsigned char *end = line.p + line.n, *colon, *start;
	enum pp_perf_header_kind kind, best = PP_PERF_NO_HEADER;
	struct pp_perf_header weak;

	for (colon = next_colon(line.p, end); colon; colon = next_colon(colon + 1, end)) {
		bool ids;

		start = time_start(line.p, colon);
		if (!start)
			continue;
		header_clear(h, line);
		ids = before_take(line.p, start, h);
		time_take(h, start, colon);
		kind = after_take(colon, end, h);
		if (kind == PP_PERF_RECORD || kind == PP_PERF_SAMPLE)
			return kind;
		if (kind == PP_PERF_LOOSE && ids && best == PP_PERF_NO_HEADER) {
			best = PP_PERF_SAMPLE;
			weak = *h;
		}
	}
	if (best != PP_PERF_NO_HEADER)
		*h = weak;
	return best;
}

/*
 * What stands before the event of a header without time: "comm tid [cpu] period". A number alone is the
 * id; of two the second is the period, which is set off by more than one blank or has ten digits.
 */
static bool
untimed_before(const unsigned char *begin, const unsigned char *end, struct pp_perf_header *h)
{
	const unsigned char *left = end, *further;
	struct pp_slice word = last_word(begin, &left), next;
	struct pp_perf_header probe = { 0 };

	further = left;
	next = last_word(begin, &further);
	if (word.n && all_digits(word.p, word.p + word.n) &&
	    (cpu_take(next, &probe) ||
	     (ids_take(next, &probe) && (word.n >= 10 || word.p - (next.p + next.n) > 1)))) {
		period_take(h, word.p, word.p + word.n);
		end = left;
	}
	return before_take(begin, end, h);
}

/* "event:" and perhaps a frame. */
static enum pp_perf_header_kind
bare_event(struct pp_perf_header *h)
{
	struct pp_slice frame = h->rest;

	if (frame.n == 0)
		return PP_PERF_LOOSE;
	return pp_perf_rest_frame(&frame, h->event) && frame.p[frame.n - 1] == ')'
	           ? PP_PERF_SAMPLE
	           : PP_PERF_NO_HEADER;
}

static enum pp_perf_header_kind
untimed_parse(struct pp_slice line, struct pp_perf_header *h)
{
	const unsigned char *end = line.p + line.n, *colon, *p;
	enum pp_perf_header_kind kind;

	header_clear(h, line);
	if (pp_slice_starts(line, "PERF_RECORD_"))
		return event_take(line.p, end, h);
	for (colon = next_colon(line.p, end); colon; colon = next_colon(colon + 1, end)) {
		for (p = colon; p > line.p && !pp_perf_blank(p[-1]); p--)
			;
		if (p - line.p > 4 && pp_perf_blank(p[-1]) &&
		    pp_slice_starts(pp_slice_between(p, end), "0x") &&
		    pp_slice_starts(pp_slice_between(p - 4, end), "raw"))
			p -= 4;
		header_clear(h, line);
		kind = event_take(p, end, h);
		if (kind == PP_PERF_SAMPLE && untimed_before(line.p, p, h) &&
		    (h->tid >= 0 || h->cpu >= 0))
			return kind;
		/* An event and nothing else could be any word with a colon. */
		if (kind == PP_PERF_SAMPLE && p == line.p)
			return bare_event(h);
	}
	header_clear(h, line);
	return PP_PERF_NO_HEADER;
}

enum pp_perf_header_kind
pp_perf_header_parse(struct pp_slice line, struct pp_perf_header *h)
{
	enum pp_perf_header_kind kind;

	line = pp_perf_trim(line);
	kind = timed_parse(line, h);
	if (kind == PP_PERF_NO_HEADER)
		kind = untimed_parse(line, h);
	if (kind != PP_PERF_NO_HEADER || line.n == 0 || line.n > COMM_LONGEST)
		return kind;
	header_clear(h, line);
	(void)before_take(line.p, line.p + line.n, h);
	return PP_PERF_LOOSE;
}

/* ---- frames ----------------------------------------------------------------------------- */

/* The address at the start: 1 to 16 hexadecimal digits and a blank or the end. Its length, or 0. */
static size_t
address_length(struct pp_slice s)
{
	size_t i = 0;

	while (i < s.n && i < 17 && pp_perf_hex(s.p[i]))
		i++;
	return i >= 1 && i <= 16 && (i == s.n || pp_perf_blank(s.p[i])) ? i : 0;
}

/* The parenthesis that the last one, at the end of the text, belongs to; s.n when there is none. */
static size_t
balance(struct pp_slice s)
{
	size_t depth = 0, i;

	for (i = s.n; i-- > 0;) {
		depth += s.p[i] == ')';
		depth -= s.p[i] == '(' && depth > 0;
		if (depth == 0)
			return s.p[i] == '(' ? i : s.n;
	}
	return s.n;
}

/* "+0x1f" at the end: its length, 0 when there is none. */
static size_t
offset_length(struct pp_slice s, uint64_t *offset)
{
	size_t i = s.n;

	while (i > 0 && pp_perf_hex(s.p[i - 1]))
		i--;
	if (i == s.n || i < 3 || s.n - i > 16 || s.p[i - 1] != 'x' || s.p[i - 2] != '0' ||
	    s.p[i - 3] != '+' || !pp_num_hex(pp_slice_of(s.p + i, s.n - i), offset))
		return 0;
	return s.n - (i - 3);
}

/* Where the symbol of a path with an odd parenthesis ends: before the first " (/". */
static size_t
path_start(struct pp_slice s)
{
	size_t i;

	for (i = 0; i + 2 < s.n; i++)
		if (s.p[i] == ' ' && s.p[i + 1] == '(' && (s.p[i + 2] == '/' || s.p[i + 2] == '['))
			return i + 1;
	return s.n;
}

bool
pp_perf_frame_parse(struct pp_slice text, struct pp_perf_frame *f)
{
	size_t digits = address_length(text), open = text.n;
	uint64_t ignored;

	*f = (struct pp_perf_frame){ .symbol = pp_slice_of(text.p, 0),
		                     .dso = pp_slice_of(text.p, 0) };
	if (!digits || !pp_num_hex(pp_slice_of(text.p, digits), &f->ip))
		return false;
	text = pp_perf_trim(pp_slice_of(text.p + digits, text.n - digits));
	if (text.n && text.p[text.n - 1] == ')') {
		open = balance(text);
		/* Without a dso the parenthesis may be one of the symbol: "operator()". */
		if (open < text.n && open > 0 && !pp_perf_blank(text.p[open - 1]))
			open = text.n;
		if (open < text.n && text.p[open + 1] != '/' && text.p[open + 1] != '[' &&
		    path_start(text) < open)
			open = path_start(text);
		else if (open == text.n)
			open = path_start(text);
	}
	if (open < text.n) {
		f->dso = pp_slice_of(text.p + open + 1, text.n - open - 2);
		f->inlined = pp_slice_eq_z(f->dso, "inlined");
		if (f->inlined)
			f->dso.n = 0;
		f->dso.n -= offset_length(f->dso, &ignored);
		text.n = open;
	}
	f->symbol = pp_perf_trim(pp_slice_of(text.p, text.n));
	f->symbol.n -= offset_length(f->symbol, &f->offset);
	return true;
}

bool
pp_perf_rest_frame(struct pp_slice *rest, struct pp_slice event)
{
	struct pp_slice s = *rest, next, third;
	size_t n = address_length(s), more, i;

	if (!n)
		return false;
	/* `-F +addr` puts another address before that of the instruction. */
	next = pp_perf_trim(pp_slice_of(s.p + n, s.n - n));
	more = address_length(next);
	third = pp_perf_trim(pp_slice_of(next.p + more, next.n - more));
	if (more && third.n && third.p[0] != '(')
		s = next;
	/* Columns behind the frame, such as registers: cut behind its dso. */
	for (i = s.n; i > 0 && s.p[i - 1] != ')'; i--)
		;
	if (i > 0 && i < s.n && pp_perf_blank(s.p[i])) {
		struct pp_slice upto = pp_slice_of(s.p, i);
		size_t open = balance(upto);

		if (open > 0 && open < i && pp_perf_blank(s.p[open - 1]) &&
		    (s.p[open + 1] == '/' || s.p[open + 1] == '['))
			s.n = i;
	}
	*rest = s;
	return !pp_perf_event_is_probe(event) || (address_length(s) >= 8 && s.p[s.n - 1] == ')');
}

/* ---- source lines ----------------------------------------------------------------------- */

void
pp_perf_place_parse(struct pp_slice s, struct pp_perf_place *place)
{
	static const char inlined[] = " (inlined)", discriminator[] = " (discriminator ";
	const unsigned char *cut;
	uint64_t line;
	size_t i;

	*place = (struct pp_perf_place){ .file = pp_slice_of(s.p, 0) };
	s = pp_perf_trim(s);
	i = sizeof inlined - 1;
	if (s.n > i && memcmp(s.p + s.n - i, inlined, i) == 0) {
		place->inlined = true;
		s.n -= i;
	}
	cut = s.n ? memmem(s.p, s.n, discriminator, sizeof discriminator - 1) : NULL;
	if (cut)
		s.n = (size_t)(cut - s.p);
	for (i = s.n; i > 0 && pp_is_digit(s.p[i - 1]); i--)
		;
	if (i == s.n || i < 2 || s.p[i - 1] != ':' ||
	    !pp_num_u64(pp_slice_of(s.p + i, s.n - i), &line) || line == 0 || line > UINT32_MAX)
		return;
	place->file = pp_slice_of(s.p, i - 1);
	place->line = (uint32_t)line;
}

/* ---- details and messages ---------------------------------------------------------------------------- */

bool
pp_perf_is_message(struct pp_slice text)
{
	static const char *const words[] = { "Warning:",  "Processed ",     "Check IO/CPU",
		                             "[ perf ",   "Failed to open", "no symbols found",
		                             "addr2line", "cmd__addr2line", "Cannot load",
		                             "Display of" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(words); i++)
		if (text.n >= strlen(words[i]) && memcmp(text.p, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

bool
pp_perf_is_detail(struct pp_slice line, struct pp_slice text)
{
	return text.p[0] == '|' || (text.n > 4 && memcmp(text.p, "ABI:", 4) == 0) ||
	       (line.p[0] == ' ' && text.n > 2 && memcmp(text.p, "0x", 2) == 0);
}
