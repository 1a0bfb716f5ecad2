/*
 * Telling the dialects apart, in the order that leaves the fewest doubts:
 *   a blank line after the banner never occurs in a real stream, a 'z' never in the others;
 *   then the bytes of the P record decide: with a length of 16, as varints and a time, or bare.
 */
#include "formats/nytprof/sniff.h"

#include "base/slice.h"
#include "formats/nytprof/stream.h"

static bool
is_letter(unsigned char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_time(double d)
{
	return d >= 1e6 && d <= 1e11;
}

static bool
is_micros(uint64_t us)
{
	return us >= 1000000000000u && us <= 100000000000000000u;
}

static double
load_double(const unsigned char *p)
{
	double d;

	memcpy(&d, p, sizeof d);
	return d;
}

/* A chunk letter with a length that fits, a bare final E, or the end. */
static bool
chunk_at(struct pp_slice s, size_t at, bool whole)
{
	if (at == s.n)
		return true;
	if (at > s.n || !is_letter(s.p[at]))
		return false;
	if (at + 5 > s.n)
		return !whole || s.p[at] == 'E';
	return !whole || pp_load32(s.p + at + 1) <= s.n - at - 5;
}

/* P, varint, varint, a time; then a tag or the end. */
static bool
real_pid(struct pp_slice s)
{
	static const unsigned sizes[] = { 8, 16, 12 };
	struct pp_nyt_layout layout;
	struct pp_nyt_record record;
	size_t i, need;

	(void)pp_nyt_layout_init(&layout, 5, 0);
	for (i = 0; i < PP_COUNT_OF(sizes); i++) {
		ptrdiff_t n;

		layout.number_size = sizes[i];
		n = pp_nyt_decode(&layout, s.p, s.p + s.n, &record, &need);
		if (n <= 0 || !pp_nyt_number_guess(&layout, sizes[i], s.p + n - sizes[i]) ||
		    !layout.number_known)
			continue;
		if ((size_t)n == s.n || (s.p[n] < 128 && layout.operands[s.p[n]]))
			return true;
		layout.number_known = false;
	}
	return false;
}

/* The record after the banner is a P: in whose form? */
static enum pp_nyt_dialect
dialect_of_pid(struct pp_slice s, bool whole, struct pp_nyt_sniff *out)
{
	bool raw_pid, raw_us;

	if (s.n >= 21 && memcmp(s.p + 1, "\x10\0\0\0", 4) == 0 && chunk_at(s, 21, whole)) {
		out->pid_first = is_time(load_double(s.p + 13));
		return PP_NYT_CHUNKS;
	}
	if (real_pid(s))
		return PP_NYT_REAL;
	raw_pid = s.n >= 17 && is_time(load_double(s.p + 9));
	raw_us = s.n >= 17 && is_micros(pp_load64(s.p + 1));
	out->pid_first = raw_pid;
	if (raw_pid || raw_us) {
		if (s.n > 17 && (s.p[17] == '@' || s.p[17] < 8))
			return PP_NYT_TOKENS;
		if (chunk_at(s, 17, whole))
			return PP_NYT_RAW_P;
		if (s.n > 17 && is_letter(s.p[17]))
			return PP_NYT_UNFRAMED;
	}
	out->pid_first = s.n >= 21 && is_time(load_double(s.p + 13));
	return PP_NYT_NONE;
}

/* Takes one banner line from the front; false, and nothing taken, when none is whole. */
static bool
banner_line(struct pp_slice *s, struct pp_slice *line)
{
	struct pp_slice rest = *s;
	bool whole;

	*line = pp_slice_cut(&rest, '\n', &whole);
	*s = whole ? rest : *s;
	return whole;
}

/* Walks over the banner; returns what stands behind it. */
static struct pp_slice
banner_walk(struct pp_slice s, struct pp_nyt_sniff *out)
{
	for (;;) {
		struct pp_slice before = s, line;

		if (s.n == 0 || !strchr("#:!\r\n", s.p[0]) || s.p[0] == 0)
			return s;
		if (!banner_line(&s, &line)) {
			out->cut = true;
			line = before;
		}
		if (line.n == 0 || (line.n == 1 && line.p[0] == '\r'))
			out->blank_lines++;
		else if (pp_slice_holds(line, "Pynytprof") || pp_slice_holds(line, "pynytprof") ||
		         pp_slice_eq_z(line, ":clock_mod=cpu"))
			out->python = true;
		if (out->cut)
			return pp_slice_of(before.p + before.n, 0);
	}
}

static enum pp_nyt_dialect
dialect_of(struct pp_slice s, bool whole, struct pp_nyt_sniff *out)
{
	enum pp_nyt_dialect d;

	if (s.n && s.p[0] == 'P') {
		d = dialect_of_pid(s, whole, out);
		if (d != PP_NYT_NONE && !(d == PP_NYT_REAL && out->blank_lines))
			return d;
	} else if (s.n && s.p[0] == 'z' && !out->blank_lines) {
		return PP_NYT_REAL;
	} else if (s.n && is_letter(s.p[0]) && s.p[0] != 'N' && chunk_at(s, 0, whole)) {
		return PP_NYT_CHUNKS;
	}
	return out->blank_lines || out->python ? PP_NYT_CHUNKS : PP_NYT_REAL;
}

void
pp_nyt_sniff(struct pp_slice head, bool whole, struct pp_nyt_sniff *out)
{
	struct pp_slice rest = head, line;

	*out = (struct pp_nyt_sniff){ 0 };
	if (head.n >= 8 && memcmp(head.p, "NYTPROF\0", 8) == 0) {
		out->dialect = PP_NYT_BINARY;
		out->bits = PP_BID_NAMED;
		out->banner = head.n < 16 ? head.n : 16;
		return;
	}
	if (!pp_slice_starts(head, "NYTProf "))
		return;
	out->bits = PP_BID_NAMED;
	out->dialect = PP_NYT_REAL;
	if (!banner_line(&rest, &line)) {
		out->cut = true;
		line = head;
		rest = pp_slice_of(head.p + head.n, 0);
	}
	out->version_known = pp_nyt_version_parse(line, &out->major, &out->minor);
	if (!out->cut)
		rest = banner_walk(rest, out);
	out->banner = head.n - rest.n;
	out->dialect = dialect_of(rest, whole, out);
	out->bits += out->version_known ? 32 : 0;
	out->bits += rest.n >= 17 ? 16 : 0;
}
