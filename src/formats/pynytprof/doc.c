/*
 * Taking a Pynytprof file apart: banner, then chunks.
 */
#include "formats/pynytprof/doc.h"

#include "base/num.h"
#include "base/slice.h"
#include "text/units.h"

#define DEFAULT_RATE 10000000u
/* Below this it is no wonder that no byte of the chunks is a newline. */
#define NEWLINES_EXPECTED 4096

void
pp_pyn_doc_release(struct pp_pyn_doc *doc)
{
	pp_nyt_settings_release(&doc->settings);
	pp_vec_release(&doc->lines);
	pp_vec_release(&doc->subs);
	pp_vec_release(&doc->edges);
	pp_vec_release(&doc->files);
	pp_vec_release(&doc->statements);
	free(doc->copy);
	doc->copy = NULL;
}

void
pp_pyn_doc_free(void *doc)
{
	if (doc)
		pp_pyn_doc_release(doc);
	free(doc);
}

/* ---- the banner -------------------------------------------------------------------------- */

void
pp_pyn_rate_take(struct pp_pyn_parse *x, struct pp_slice value)
{
	uint64_t rate;

	if (pp_num_u64(value, &rate) && rate > 0 && rate <= 1000000000000u) {
		x->doc->rate = rate;
		return;
	}
	PP_PYN_FIND(x, PP_PYN_RATE_INVALID, value.p,
	            "ticks_per_sec is not a number that can be divided by; %u is used",
	            DEFAULT_RATE);
	x->doc->rate = DEFAULT_RATE;
}

static void
take_setting(struct pp_pyn_parse *x, struct pp_slice line)
{
	struct pp_nyt_setting s = { .option = line.p[0] == '!' };

	if (!pp_nyt_setting_split(pp_slice_from(line, 1), &s)) {
		PP_PYN_FIND(x, PP_PYN_ATTRIBUTE_MALFORMED, line.p, "%s without '='",
		            s.option ? "an option" : "an attribute");
		return;
	}
	if (memchr(line.p, 0, line.n))
		PP_PYN_FIND(x, PP_PYN_ATTRIBUTE_NUL, line.p,
		            "a NUL byte within a line of the banner");
	if (!s.option && pp_slice_eq_z(s.key, "ticks_per_sec"))
		pp_pyn_rate_take(x, s.value);
	if (pp_nyt_setting_find(&x->doc->settings, s.key, s.option))
		PP_PYN_FIND(x, PP_PYN_ATTRIBUTE_REPEATED, line.p,
		            "%s is given twice; the last one counts",
		            s.option ? "an option" : "an attribute");
	x->doc->no_memory |= !pp_nyt_setting_set(&x->doc->settings, s, false);
}

/* Reads the banner lines; returns what stands behind them. */
static struct pp_slice
take_banner(struct pp_pyn_parse *x, struct pp_slice rest)
{
	struct pp_pyn_doc *doc = x->doc;
	unsigned blank = 0, number = 0;
	bool crlf = false;

	for (;; number++) {
		struct pp_slice line, text;
		bool ended;

		if (number && (rest.n == 0 || rest.p[0] == 0 || !strchr("#:!\r\n", rest.p[0])))
			return rest;
		text = pp_slice_cut(&rest, '\n', &ended);
		if (!ended) {
			PP_PYN_DAMAGE(x, PP_PYN_BANNER_CUT, text.p,
			              "the file ends within its banner");
			return rest;
		}
		line = pp_slice_chomp(text);
		if (line.n != text.n && !crlf)
			PP_PYN_FIND(x, PP_PYN_BANNER_CRLF, line.p,
			            "lines of the banner end in CR LF");
		crlf |= line.n != text.n;
		if (line.n == 0 && ++blank == 2)
			PP_PYN_FIND(x, PP_PYN_BANNER_BLANK, text.p + text.n,
			            "more than one blank line after the banner");
		else if (line.n && (line.p[0] == ':' || line.p[0] == '!'))
			take_setting(x, line);
		else if (line.n && line.p[0] == '#' && !doc->comment.p)
			doc->comment = pp_slice_from(line, 1);
	}
}

static bool
take_version(struct pp_pyn_parse *x)
{
	const struct pp_nyt_sniff *s = &x->doc->sniff;

	if (s->dialect == PP_NYT_BINARY)
		return true;
	if (!s->version_known || s->major != 5) {
		PP_PYN_FIND(x, PP_PYN_VERSION_UNKNOWN, x->begin + 8,
		            "Pynytprof streams have version 5; this is another");
		return false;
	}
	if (s->minor > 0)
		PP_PYN_FIND(x, PP_PYN_VERSION_NEWER, x->begin + 10,
		            "version 5.%u is newer than 5.0; read as 5.0", s->minor);
	return true;
}

/* ---- chunks ------------------------------------------------------------------------------ */

/* The P that has no length: 16 bytes behind its letter. */
static struct pp_slice
take_raw_process(struct pp_pyn_parse *x, struct pp_slice rest)
{
	if (rest.n < 17)
		return rest;
	pp_pyn_chunk_take(x, 'P', pp_slice_of(rest.p + 1, 16));
	return pp_slice_from(rest, 17);
}

/* What stands behind the terminator. */
static void
take_rest(struct pp_pyn_parse *x, struct pp_slice rest)
{
	if (pp_slice_starts(rest, "NYTProf "))
		PP_PYN_DAMAGE(x, PP_PYN_JOINED, rest.p,
		              "a second profile follows the first; it is not read");
	else if (rest.n)
		PP_PYN_FIND(x, PP_PYN_TRAILING, rest.p, "%zu %s the terminator and %s ignored",
		            rest.n, pp_plural(rest.n, "byte follows", "bytes follow"),
		            pp_plural(rest.n, "is", "are"));
}

static void
take_end(struct pp_pyn_parse *x, struct pp_slice rest)
{
	x->doc->has_end = true;
	x->seen['E' - 'A'] = true;
	if (rest.n < 5) {
		/* Some versions wrote the letter alone. */
		if (rest.n > 1)
			PP_PYN_DAMAGE(x, PP_PYN_END_MISSING, rest.p, "the terminator is cut");
		return;
	}
	if (pp_load32(rest.p + 1) != 0 && pp_load32(rest.p + 1) <= rest.n - 5) {
		PP_PYN_FIND(x, PP_PYN_END_PAYLOAD, rest.p, "the terminator must be empty");
		rest = pp_slice_from(rest, pp_load32(rest.p + 1));
	}
	take_rest(x, pp_slice_from(rest, 5));
}

/* A length that runs past the end. Takes what is there. */
static void
take_cut(struct pp_pyn_parse *x, struct pp_slice rest, uint32_t length)
{
	if (__builtin_bswap32(length) <= rest.n - 5) {
		PP_PYN_FIND(x, PP_PYN_CHUNK_BIG_ENDIAN, rest.p,
		            "the length of chunk %c is big-endian", rest.p[0]);
	} else {
		PP_PYN_FIND(x, PP_PYN_CHUNK_CUT, rest.p, "chunk %c says %u bytes, %zu are left",
		            rest.p[0], length, rest.n - 5);
		x->doc->has_end = false;
		pp_pyn_chunk_take(x, rest.p[0], pp_slice_from(rest, 5));
	}
	x->doc->damaged = true;
}

/* Walks over letters with lengths until the terminator. */
static void
take_chunks(struct pp_pyn_parse *x, struct pp_slice rest)
{
	while (rest.n && !x->doc->no_memory) {
		unsigned char letter = rest.p[0];
		uint32_t length;

		if (letter < 'A' || letter > 'Z') {
			bool text = letter >= 0x20 && letter < 0x7f && !x->seen['P' - 'A'];

			PP_PYN_FIND(x, text ? PP_PYN_BANNER_LINE : PP_PYN_TOKEN_INVALID, rest.p,
			            text ? "a line of the banner does not start with #, : or !"
			                 : "a chunk starts with byte 0x%02x, which is not a "
			                   "letter",
			            letter);
			x->doc->damaged = true;
			return;
		}
		if (letter == 'E') {
			take_end(x, rest);
			return;
		}
		if (rest.n < 5) {
			PP_PYN_DAMAGE(x, PP_PYN_CHUNK_CUT, rest.p,
			              "the file ends within the length of chunk %c", letter);
			return;
		}
		length = pp_load32(rest.p + 1);
		if (length > rest.n - 5) {
			take_cut(x, rest, length);
			return;
		}
		pp_pyn_chunk_take(x, letter, pp_slice_of(rest.p + 5, length));
		rest = pp_slice_from(rest, (size_t)5 + length);
	}
}

/* ---- the whole --------------------------------------------------------------------------- */

static void
judge(struct pp_pyn_parse *x, const unsigned char *end)
{
	struct pp_pyn_doc *doc = x->doc;
	const unsigned char *banner = x->begin + doc->sniff.banner;
	bool relative = doc->sniff.dialect != PP_NYT_CHUNKS || x->seen['A' - 'A'] ||
	                x->seen['F' - 'A'] || doc->sniff.pid_first;

	if (relative)
		PP_PYN_FIND(x, PP_PYN_RELATIVE, banner,
		            "not the documented layout, but one that Pynytprof wrote at some time");
	if (!doc->has_process && !(relative && doc->lines.n))
		PP_PYN_DAMAGE(x, PP_PYN_PROCESS_MISSING, end, "there is no P chunk");
	if (!doc->has_end && !doc->damaged)
		PP_PYN_DAMAGE(x, PP_PYN_END_MISSING, end, "there is no terminator");
	if (!relative && doc->has_process &&
	    !(x->seen['S' - 'A'] && x->seen['D' - 'A'] && x->seen['C' - 'A']))
		PP_PYN_FIND(x, PP_PYN_CHUNK_MISSING, end,
		            "chunks are missing:%s%s%s; taken as empty",
		            x->seen['S' - 'A'] ? "" : " S", x->seen['D' - 'A'] ? "" : " D",
		            x->seen['C' - 'A'] ? "" : " C");
	if (x->payload > NEWLINES_EXPECTED && !x->newline_seen)
		PP_PYN_FIND(x, PP_PYN_NEWLINES_REWRITTEN, banner,
		            "no byte of the chunks is 0x0a: Pynytprof replaced them by 0x01");
	if (doc->rate == 0) {
		doc->rate = DEFAULT_RATE;
		PP_PYN_FIND(x, PP_PYN_RATE_MISSING, banner,
		            "there is no ticks_per_sec; %u is assumed", DEFAULT_RATE);
	}
}

void
pp_pyn_doc_parse(struct pp_pyn_doc *doc, struct pp_slice bytes, struct pp_diags *diags)
{
	struct pp_pyn_parse x = { .doc = doc, .diags = diags, .begin = bytes.p };
	struct pp_slice rest;

	*doc = (struct pp_pyn_doc){ 0 };
	pp_nyt_sniff(bytes, true, &doc->sniff);
	if (!take_version(&x))
		return;
	doc->usable = true;
	if (doc->sniff.dialect == PP_NYT_BINARY)
		rest = pp_slice_from(bytes, doc->sniff.banner);
	else
		rest = take_banner(&x, bytes);
	if (doc->sniff.dialect == PP_NYT_RAW_P || doc->sniff.dialect == PP_NYT_TOKENS ||
	    doc->sniff.dialect == PP_NYT_UNFRAMED)
		rest = take_raw_process(&x, rest);
	if (doc->sniff.dialect == PP_NYT_TOKENS)
		pp_pyn_tokens_take(&x, rest);
	else if (doc->sniff.dialect == PP_NYT_UNFRAMED)
		pp_pyn_unframed_take(&x, rest);
	else
		take_chunks(&x, rest);
	judge(&x, bytes.p + bytes.n);
}
