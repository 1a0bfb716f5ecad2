/*
 * From bytes to lines: byte order marks, UTF-16, the user's options, and the choice between plain and
 * differential that needs all of the file.
 */
#include "formats/folded/lines.h"

#include "base/num.h"
#include "text/utf16.h"
#include "text/units.h"

/* The grammar that the user's options ask for; false when they make no sense. */
static bool
grammar_of(const struct pp_reader *reader, unsigned counts, struct pp_folded_grammar *out)
{
	const char *fractions = pp_reader_option(reader, "fractions");
	const char *comments = pp_reader_option(reader, "comments");

	*out = (struct pp_folded_grammar){ .counts = counts };
	if (comments && strcmp(comments, "skip") == 0)
		out->comments = true;
	else if (comments && strcmp(comments, "keep") != 0)
		return false;
	if (!fractions || strcmp(fractions, "reject") == 0)
		return true;
	if (strcmp(fractions, "round") == 0) {
		out->fractions = PP_FRACTIONS_ROUND;
		return true;
	}
	out->fractions = PP_FRACTIONS_SCALE;
	return strncmp(fractions, "scale:", 6) == 0 &&
	       pp_num_u64(pp_slice_z(fractions + 6), &out->fraction_scale) &&
	       out->fraction_scale > 0;
}

/* Replaces UTF-16 with a byte order mark by its UTF-8 form. */
static pp_status
input_decode(struct pp_whole *whole, struct pp_reader *reader)
{
	bool big_endian = reader->in->cur[0] == 0xfe;
	pp_status status = pp_whole_open(whole, reader);
	struct pp_buf text = { 0 };
	uint64_t damaged = 0;

	if (status == PP_OK) {
		struct pp_input *in = reader->in;

		pp_utf16_decode(&text, pp_slice_of(in->cur + 2, pp_input_left(in) - 2), big_endian,
		                &damaged);
		in->cur = in->end;
		status = pp_whole_replace(whole, reader, &text);
	}
	if (status == PP_OK) {
		pp_diag_add(reader->diags, &pp_folded_rules[PP_FOLDED_UTF16], pp_at_offset(0),
		            "read as UTF-16, %s first", big_endian ? "high byte" : "low byte");
		if (damaged)
			pp_diag_add(reader->diags, &pp_folded_rules[PP_FOLDED_UTF16_DAMAGED],
			            PP_NOWHERE, "%llu broken %s replaced by U+FFFD",
			            (unsigned long long)damaged,
			            pp_plural(damaged, "character was", "characters were"));
	}
	pp_buf_release(&text);
	return status;
}

/* Whether every record of the input ends in two numbers. */
static bool
all_differential(const struct pp_input *in, const struct pp_folded_grammar *grammar)
{
	struct pp_folded_grammar two = *grammar;
	const unsigned char *p = in->cur;
	struct pp_folded_line line;
	bool any = false;

	two.counts = PP_FOLDED_DIFF;
	while (p < in->end) {
		const unsigned char *stop = memchr(p, '\n', (size_t)(in->end - p));
		enum pp_folded_verdict verdict;

		stop = stop ? stop : in->end;
		verdict = pp_folded_parse(&two, pp_slice_of(p, (size_t)(stop - p)), &line);
		if (verdict == PP_FOLDED_BAD)
			return false;
		any |= verdict == PP_FOLDED_RECORD;
		p = stop + 1;
	}
	return any;
}

/* Plain or differential, when neither the user nor the name says so; see diff_folded.c. */
static pp_status
decide(struct pp_reader *reader, struct pp_folded_grammar *grammar, struct pp_whole *whole)
{
	pp_status status;

	if (reader->forced || grammar->counts == PP_FOLDED_PLAIN ||
	    pp_name_ends(reader->path, "diff.folded"))
		return PP_OK;
	status = pp_whole_open(whole, reader);
	if (status != PP_OK)
		return status;
	if (all_differential(reader->in, grammar))
		pp_diag_add(
		    reader->diags, &pp_diff_folded_rules[PP_DIFF_FOLDED_GUESSED], PP_NOWHERE,
		    "every line ends in two numbers: read as differential (--from folded says "
		    "otherwise)");
	else
		grammar->counts = PP_FOLDED_PLAIN;
	return PP_OK;
}

pp_status
pp_folded_open(struct pp_folded_input *x, struct pp_reader *reader, unsigned counts)
{
	pp_status status = PP_OK;
	const unsigned char *head;

	*x = (struct pp_folded_input){ 0 };
	if (!grammar_of(reader, counts, &x->grammar))
		return PP_E_USAGE;
	(void)pp_input_need(reader->in, 3);
	head = reader->in->cur;
	if (pp_input_left(reader->in) >= 2 &&
	    ((head[0] == 0xff && head[1] == 0xfe) || (head[0] == 0xfe && head[1] == 0xff)))
		status = input_decode(&x->whole, reader);
	else if (pp_input_left(reader->in) >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
		reader->in->cur += 3;
	return status == PP_OK ? decide(reader, &x->grammar, &x->whole) : status;
}

void
pp_folded_close(struct pp_folded_input *x, struct pp_reader *reader)
{
	pp_whole_close(&x->whole, reader);
}
