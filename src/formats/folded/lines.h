/*
 * What folded and differential folded stacks share: one line's grammar, the reader, the writer.
 */
#ifndef PP_FOLDED_LINES_H
#define PP_FOLDED_LINES_H

#include "base/slice.h"
#include "formats/format.h"
#include "formats/kit/whole.h"

/* Counts at the end of a line: plain files have one, differential ones two. */
enum { PP_FOLDED_PLAIN = 1, PP_FOLDED_DIFF = 2 };

/* Positions in pp_folded_rules[]. */
enum pp_folded_rule {
	PP_FOLDED_COUNT_MISSING,
	PP_FOLDED_COUNT_INVALID,
	PP_FOLDED_COUNT_TOO_LARGE,
	PP_FOLDED_SUM_TOO_LARGE,
	PP_FOLDED_STACK_MISSING,
	PP_FOLDED_UTF16,
	PP_FOLDED_UTF16_DAMAGED
};

extern const struct pp_rule pp_folded_rules[];

/* Positions in pp_diff_folded_rules[]. */
enum pp_diff_folded_rule { PP_DIFF_FOLDED_GUESSED, PP_DIFF_FOLDED_COUNT_MISSING };

extern const struct pp_rule pp_diff_folded_rules[];

/* How counts with a fraction are taken (option "fractions"). */
enum pp_fractions { PP_FRACTIONS_REJECT, PP_FRACTIONS_ROUND, PP_FRACTIONS_SCALE };

struct pp_folded_grammar {
	unsigned counts;
	enum pp_fractions fractions;
	uint64_t fraction_scale; /* with PP_FRACTIONS_SCALE: multiply by this, then round */
	bool comments;           /* lines that start with '#' are skipped */
};

enum pp_folded_verdict { PP_FOLDED_RECORD, PP_FOLDED_BLANK, PP_FOLDED_BAD };

struct pp_folded_line {
	struct pp_slice stack;
	uint64_t count[2];
	const struct pp_rule *broken; /* when bad: by which rule */
	const unsigned char *where;   /* when bad: the byte to point at */
};

/* Takes one line, without its newline, apart. */
enum pp_folded_verdict pp_folded_parse(const struct pp_folded_grammar *, struct pp_slice line,
                                       struct pp_folded_line *out);

/*
 * Writes a byte order mark when the file would otherwise start with bytes that a reader takes for such a
 * mark or for a compressed file: a name may be anything. Readers drop the mark.
 */
void pp_folded_write_mark(struct pp_sink *, struct pp_slice first_stack);

/* Reports a bad line that starts at `begin`. */
void pp_folded_report(struct pp_diags *, const struct pp_input *, const struct pp_folded_line *,
                      const unsigned char *begin, uint64_t number);

/* Bits for recognition: how many lines of the head are records with so many counts, capped. */
int pp_folded_bid(const struct pp_peek *, unsigned counts);

/* Whether a record, the line of which is so long, exceeds a limit. */
bool pp_folded_passes_limit(const struct pp_limits *, const struct pp_folded_line *, size_t length);
/* Makes metrics, and the series of all stacks. */
uint32_t pp_folded_series(struct pp_builder *, const struct pp_folded_grammar *);

pp_status pp_folded_read(struct pp_reader *, struct pp_builder *, unsigned counts);
/*
 * Reads a sound file of which only wide stacks are ordered, faster. PP_E_UNSUPPORTED, with nothing built, when it is
 * none or something has to be said of it.
 */
pp_status pp_folded_divide(struct pp_reader *, struct pp_builder *,
                           const struct pp_folded_grammar *);
pp_status pp_folded_rewrite(struct pp_reader *, struct pp_sink *, unsigned counts);
pp_status pp_folded_write(struct pp_writer *, unsigned counts);
/* The same for a profile whose stacks are a list. */
pp_status pp_folded_write_list(struct pp_writer *, size_t metric);

/* What stands for a stack whose only name is blank. */
#define PP_FOLDED_NO_NAME "[no name]"

/* A name that the format can hold, which is noted where it is another one; false when out of memory. */
bool pp_folded_clean(struct pp_strtab *, struct pp_loss *, struct pp_slice name, pp_str *);
struct pp_slice pp_folded_trim_left(struct pp_slice);
struct pp_slice pp_folded_trim_right(struct pp_slice);
/* A sum of cells as a count; what is not one is noted. PP_E_LIMIT when it is too large. */
pp_status pp_folded_count(struct pp_loss *, const struct pp_metric *, union pp_value, uint64_t *);

/* An input made ready: byte order marks gone, UTF-16 decoded, plain or differential decided. */
struct pp_folded_input {
	struct pp_folded_grammar grammar;
	struct pp_whole whole;
};

pp_status pp_folded_open(struct pp_folded_input *, struct pp_reader *, unsigned counts);
/* Gives reader->in back; to be called whatever pp_folded_open() said. */
void pp_folded_close(struct pp_folded_input *, struct pp_reader *);

#endif
