/*
 * What the decoders share. Internal to src/io.
 */
#ifndef PP_FILTER_H
#define PP_FILTER_H

#include "io/source.h"

/* A feed that decodes another input, which it owns. */
struct pp_decoder {
	struct pp_feed feed;
	struct pp_io *io;
	struct pp_input *raw;
	uint64_t made; /* decoded bytes so far */
	const unsigned char *forgotten;
	bool damaged; /* something was wrong, but decoding went on */
	bool done;
};

/* Whether so many decoded bytes are plausible for the file; notes the finding when they are not. */
bool pp_io_plausible(struct pp_io *, uint64_t made);
/* Starts: takes `raw` over. */
void pp_decoder_init(struct pp_decoder *, struct pp_io *, struct pp_input *raw,
                     size_t (*fill)(struct pp_feed *, unsigned char *, size_t),
                     void (*close)(struct pp_feed *));
void pp_decoder_release(struct pp_decoder *);
/* Ends the decoding with a status. */
void pp_decoder_end(struct pp_decoder *, pp_status);
/* Ends it because `raw` did: with its own status if that is bad, else with the rule for a cut. */
void pp_decoder_cut(struct pp_decoder *, enum pp_io_rule, const char *what);
/* Ends it because the bytes are wrong. */
void pp_decoder_bad(struct pp_decoder *, enum pp_io_rule, const char *why);
/* Counts what was made, tells how far the file was read, and ends the decoding past the limits. */
void pp_decoder_count(struct pp_decoder *, size_t made);
/* Ends the decoding well; zero padding may follow, other bytes are reported. */
void pp_decoder_finish(struct pp_decoder *, const char *what);

#endif
