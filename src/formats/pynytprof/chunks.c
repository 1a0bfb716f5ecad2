/*
 * The payloads of Pynytprof chunks, in every layout that was ever written.
 */
#include "base/slice.h"
#include "formats/nytprof/stream.h"
#include "formats/pynytprof/doc.h"

#define ROW 28
#define LARGEST_LINE ((uint32_t)1 << 24)

/* Reads from the front of a payload; `failed` when it ends too early. */
struct cursor {
	const unsigned char *p, *end;
	bool failed;
};

static struct cursor
cursor_of(struct pp_slice s)
{
	return (struct cursor){ s.p, s.p + s.n, false };
}

static uint32_t
next_u32(struct cursor *c)
{
	uint32_t v = 0;

	if (c->end - c->p < 4)
		c->failed = true;
	else
		v = pp_load32(c->p), c->p += 4;
	return v;
}

static uint64_t
next_u64(struct cursor *c)
{
	uint64_t v = 0;

	if (c->end - c->p < 8)
		c->failed = true;
	else
		v = pp_load64(c->p), c->p += 8;
	return v;
}

/* A number of four bytes, or a varint. */
static uint32_t
next_uint(struct cursor *c, bool varints)
{
	size_t left = (size_t)(c->end - c->p);
	uint32_t v = 0;

	if (!varints)
		return next_u32(c);
	if (left == 0 || left < pp_nyt_uint_size(*c->p))
		c->failed = true;
	else
		c->p = pp_nyt_uint_load(c->p, &v);
	return v;
}

static struct pp_slice
next_zstr(struct cursor *c)
{
	struct pp_slice rest = pp_slice_between(c->p, c->end), s;
	bool ended;

	s = pp_slice_cut(&rest, 0, &ended);
	c->failed |= !ended;
	c->p = ended ? rest.p : c->p;
	return s;
}

/* ---- rows of lines and edges ---------------------------------------------------------------- */

/* {u32, u32, u32, u64, u64}, or the first three as varints. */
static struct pp_pyn_line
next_row(struct cursor *c, bool varints)
{
	struct pp_pyn_line row;

	row.fid = next_uint(c, varints);
	row.line = next_uint(c, varints);
	row.calls = next_uint(c, varints);
	row.inc = next_u64(c);
	row.exc = next_u64(c);
	return row;
}

static bool
fits_varints(struct pp_slice payload)
{
	struct cursor c = cursor_of(payload);

	while (c.p < c.end && !c.failed)
		if (next_row(&c, true).line >= LARGEST_LINE)
			return false;
	return !c.failed;
}

static void
push_row(struct pp_pyn_parse *x, unsigned char letter, const struct pp_pyn_line *row)
{
	struct pp_pyn_edge edge = { row->fid, row->line, row->calls, row->inc, row->exc };

	if (letter == 'S')
		pp_pyn_push(x, lines, *row);
	else
		pp_pyn_push(x, edges, edge);
}

static void
take_rows(struct pp_pyn_parse *x, unsigned char letter, struct pp_slice payload)
{
	/* Only the last writers packed rows; their P starts with the pid. */
	bool varints = payload.n % ROW && x->doc->sniff.pid_first && fits_varints(payload);
	struct cursor c = cursor_of(payload);

	if (payload.n % ROW && !varints)
		PP_PYN_DAMAGE(x, PP_PYN_CHUNK_LENGTH, payload.p,
		              "chunk %c has %zu bytes, not a multiple of %d", letter, payload.n,
		              ROW);
	while ((varints ? c.p < c.end : c.end - c.p >= ROW) && !x->doc->no_memory) {
		struct pp_pyn_line row = next_row(&c, varints);

		push_row(x, letter, &row);
	}
}

/* ---- P, F, A ---------------------------------------------------------------------------------- */

static void
take_process(struct pp_pyn_parse *x, struct pp_slice payload)
{
	struct pp_pyn_doc *doc = x->doc;

	if (payload.n != 16) {
		PP_PYN_DAMAGE(x, PP_PYN_CHUNK_LENGTH, payload.p,
		              "chunk P has %zu bytes instead of 16", payload.n);
		if (payload.n < 16)
			return;
	}
	if (doc->has_process) {
		PP_PYN_FIND(x, PP_PYN_PROCESS_REPEATED, payload.p,
		            "a second P chunk; the first counts");
		return;
	}
	doc->has_process = true;
	if (doc->sniff.pid_first) {
		double seconds;

		doc->pid = pp_load32(payload.p);
		doc->ppid = pp_load32(payload.p + 4);
		memcpy(&seconds, payload.p + 8, sizeof seconds);
		if (seconds >= 0 && seconds < 1e12)
			doc->start_us = (uint64_t)(seconds * 1e6 + 0.5);
	} else {
		doc->start_us = pp_load64(payload.p);
		doc->pid = pp_load32(payload.p + 8);
		doc->ppid = pp_load32(payload.p + 12);
	}
}

/* {fid, flags, size, mtime, zstr}; the same packed; or {fid, string index} without any strings. */
static void
take_files(struct pp_pyn_parse *x, struct pp_slice payload)
{
	/* Packed tables came with a P that starts with the pid; read as u32 they may look sound. */
	static const int orders[2][3] = { { 0, 1, 2 }, { 1, 0, 2 } };
	int try;

	PP_PYN_FIND(x, PP_PYN_FILE_TABLE, payload.p,
	            "an F chunk, which the document says is not written; read as the file table");
	for (try = 0; try < 3; try++) {
		int layout = orders[x->doc->sniff.pid_first][try];
		struct cursor c = cursor_of(payload);
		size_t before = x->doc->files.n;

		while (c.p < c.end && !c.failed) {
			struct pp_pyn_file f = { 0 };
			unsigned i;

			f.fid = next_uint(&c, layout == 1);
			for (i = 0; i < (layout == 2 ? 1 : 3); i++)
				(void)next_uint(&c, layout == 1);
			if (layout < 2)
				f.name = next_zstr(&c);
			/* A path that starts with a control byte is no path. */
			if (f.name.n && f.name.p[0] < 0x20)
				c.failed = true;
			if (!c.failed)
				pp_pyn_push(x, files, f);
		}
		if (!c.failed)
			return;
		x->doc->files.n = before;
	}
}

/* key=value, each followed by a NUL: the attributes of the first days. */
static void
take_attributes(struct pp_pyn_parse *x, struct pp_slice payload)
{
	struct cursor c = cursor_of(payload);

	while (c.p < c.end) {
		struct pp_slice s = next_zstr(&c);
		struct pp_nyt_setting row = { 0 };

		if (c.failed)
			return;
		if (!pp_nyt_setting_split(s, &row))
			continue;
		if (pp_slice_eq_z(row.key, "ticks_per_sec") && !x->doc->rate)
			pp_pyn_rate_take(x, row.value);
		/* What the banner says counts. */
		if (!pp_nyt_setting_find(&x->doc->settings, row.key, false) &&
		    !pp_nyt_setting_find(&x->doc->settings, row.key, true) &&
		    !pp_slice_find(s, '\n'))
			pp_pyn_push(x, settings.rows, row);
	}
}

/* ---- D ---------------------------------------------------------------------------------------- */

/* {u8 1, fid, line, u64 ns}* and a final 0; returns the bytes taken, 0 when it is not that. */
static size_t
fits_statements(struct pp_slice s, bool varints)
{
	struct cursor c = cursor_of(s);

	while (c.p < c.end && *c.p == 1) {
		c.p++;
		(void)next_uint(&c, varints);
		if (next_uint(&c, varints) >= LARGEST_LINE)
			return 0;
		(void)next_u64(&c);
		if (c.failed)
			return 0;
	}
	return c.p < c.end && *c.p == 0 && c.p > s.p ? (size_t)(c.p - s.p) + 1 : 0;
}

static void
take_statements(struct pp_pyn_parse *x, struct pp_slice s, bool varints)
{
	struct cursor c = cursor_of(s);

	PP_PYN_FIND(x, PP_PYN_STATEMENTS, s.p,
	            "chunk D holds statements, not subs; subs have no names");
	while (c.p < c.end && *c.p == 1 && !x->doc->no_memory) {
		struct pp_pyn_statement row;

		c.p++;
		row.fid = next_uint(&c, varints);
		row.line = next_uint(&c, varints);
		row.ns = next_u64(&c);
		pp_pyn_push(x, statements, row);
	}
}

static bool
printable(struct pp_slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] < 0x20 && s.p[i] != '\n' && s.p[i] != '\t')
			return false;
	return true;
}

/* {sid, flags, zstr}, or with `places` {sid, fid, first, last, zstr}. */
static bool
fits_subs(struct pp_slice s, bool places)
{
	struct cursor c = cursor_of(s);

	while (c.p < c.end) {
		(void)next_u64(&c);
		if (places)
			(void)next_u64(&c);
		if (!printable(next_zstr(&c)) || c.failed)
			return false;
	}
	return true;
}

static void
take_subs(struct pp_pyn_parse *x, struct pp_slice s)
{
	/* With places only in layouts that are not the document's: names may hold any byte there. */
	bool relative = x->doc->sniff.pid_first || x->doc->files.n;
	bool places = relative && !fits_subs(s, false) && fits_subs(s, true);
	struct cursor c = cursor_of(s);

	while (c.p < c.end && !x->doc->no_memory) {
		struct pp_pyn_sub row = { .offset = (uint64_t)(c.p - x->begin) };
		const unsigned char *begin = c.p;

		row.sid = next_u32(&c);
		row.flags = next_u32(&c);
		if (places) {
			(void)next_u64(&c);
			row.flags = 0;
		}
		row.name = next_zstr(&c);
		if (c.failed) {
			PP_PYN_DAMAGE(x, PP_PYN_NAME_UNTERMINATED, begin,
			              "the last sub of chunk D is cut");
			return;
		}
		pp_pyn_push(x, subs, row);
	}
}

static void
take_descriptors(struct pp_pyn_parse *x, struct pp_slice s)
{
	if (fits_statements(s, false) == s.n && s.n)
		take_statements(x, s, false);
	else if (fits_subs(s, false) || !x->doc->sniff.pid_first || fits_statements(s, true) != s.n)
		take_subs(x, s);
	else
		take_statements(x, s, true);
}

/* ---- all -------------------------------------------------------------------------------------- */

/* The documented order is P S D C; anything that comes after a later one is out of it. */
static void
order_check(struct pp_pyn_parse *x, unsigned char letter, const unsigned char *at)
{
	static const char order[] = "PSDC";
	const char *own = strchr(order, letter);

	if (x->order_said || !own)
		return;
	for (own++; *own; own++)
		if (x->seen[*own - 'A']) {
			PP_PYN_FIND(x, PP_PYN_CHUNK_ORDER, at,
			            "chunk %c comes after chunk %c; the order is P S D C E", letter,
			            *own);
			x->order_said = true;
			return;
		}
}

void
pp_pyn_chunk_take(struct pp_pyn_parse *x, unsigned char letter, struct pp_slice payload)
{
	order_check(x, letter, payload.p);
	if (x->seen[letter - 'A'] && letter != 'P')
		PP_PYN_FIND(x, PP_PYN_CHUNK_REPEATED, payload.p,
		            "another chunk %c; it is added to the first", letter);
	x->seen[letter - 'A'] = true;
	if (letter != 'P') {
		x->payload += payload.n;
		x->newline_seen |= pp_slice_find(payload, '\n') != NULL;
	}
	switch (letter) {
	case 'P':
		take_process(x, payload);
		break;
	case 'S':
	case 'C':
		take_rows(x, letter, payload);
		break;
	case 'D':
		take_descriptors(x, payload);
		break;
	case 'F':
		take_files(x, payload);
		break;
	case 'A':
		take_attributes(x, payload);
		break;
	case 'H': /* version and flags of the binary days */
		break;
	default:
		PP_PYN_FIND(x, PP_PYN_CHUNK_UNKNOWN, payload.p, "chunk %c is not known; skipped",
		            letter);
		break;
	}
}

/* Whether all that is left is the record with which NYTProf ends a process. */
static bool
process_ends(const struct cursor *c)
{
	size_t left = (size_t)(c->end - c->p);

	return left > 2 && c->p[0] == 'p' && left == 1 + pp_nyt_uint_size(c->p[1]) + 8;
}

/* Chunk letters without lengths (26 July 2025): varint rows up to the next letter. */
void
pp_pyn_unframed_take(struct pp_pyn_parse *x, struct pp_slice rest)
{
	struct cursor c = cursor_of(rest);

	x->newline_seen = true;
	while (c.p < c.end && !x->doc->no_memory) {
		unsigned char letter;

		if (process_ends(&c)) {
			x->doc->has_end = true;
			return;
		}
		letter = *c.p++;
		x->seen[letter >= 'A' && letter <= 'Z' ? letter - 'A' : 0] = true;
		if (letter == 'E') {
			x->doc->has_end = true;
			return;
		}
		if (letter == 'D') {
			size_t n = fits_statements(pp_slice_between(c.p, c.end), true);

			if (n == 0)
				break;
			take_statements(x, pp_slice_of(c.p, n), true);
			c.p += n;
		} else if (letter == 'F') {
			struct pp_pyn_file f = { .fid = next_uint(&c, true) };

			(void)next_uint(&c, true);
			if (!c.failed)
				pp_pyn_push(x, files, f);
		} else if (letter == 'S' || letter == 'C') {
			while (c.p < c.end && !strchr("FDCE", *c.p ? *c.p : 'x') &&
			       !process_ends(&c) && !c.failed) {
				struct pp_pyn_line row = next_row(&c, true);

				if (!c.failed)
					push_row(x, letter, &row);
			}
		} else {
			break;
		}
		if (c.failed)
			break;
	}
	PP_PYN_DAMAGE(x, PP_PYN_CHUNK_CUT, c.p, "the rest cannot be read");
}

/* Nothing but payloads (24 July 2025): lines, fid and string index, statements, edges, a final E. */
static bool
take_bare(struct pp_pyn_parse *x, struct pp_slice rest)
{
	size_t lines, n;

	for (lines = 0; lines * ROW < rest.n; lines++) {
		size_t at = lines * ROW + 8, edges;

		if (at >= rest.n)
			return false;
		n = fits_statements(pp_slice_of(rest.p + at, rest.n - at), false);
		edges = at + n;
		if (n < 18 || (rest.n - edges) % ROW != 1 || rest.p[rest.n - 1] != 'E')
			continue;
		take_rows(x, 'S', pp_slice_of(rest.p, lines * ROW));
		take_statements(x, pp_slice_of(rest.p + at, n), false);
		take_rows(x, 'C', pp_slice_of(rest.p + edges, rest.n - edges - 1));
		x->doc->has_end = true;
		return true;
	}
	return false;
}

/* A bare P, then NYTProf's own records: files and the end of the process. */
void
pp_pyn_tokens_take(struct pp_pyn_parse *x, struct pp_slice rest)
{
	struct pp_nyt_layout layout;
	struct pp_nyt_record r;
	const unsigned char *p = rest.p, *end = rest.p + rest.n;

	x->newline_seen = true;
	if (take_bare(x, rest))
		return;
	(void)pp_nyt_layout_init(&layout, 5, 0);
	while (p < end) {
		size_t need;
		ptrdiff_t n = pp_nyt_decode(&layout, p, end, &r, &need);
		struct pp_pyn_file f = { 0 };

		if (n <= 0) {
			PP_PYN_DAMAGE(x, PP_PYN_CHUNK_CUT, p, "the rest cannot be read");
			return;
		}
		f.fid = r.u[0];
		f.name = r.text[0].bytes;
		if (r.tag == '@')
			pp_pyn_push(x, files, f);
		if (r.tag == 'p')
			x->doc->has_end = true;
		p += n;
	}
}
