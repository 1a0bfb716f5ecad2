/*
 * What a format is: one const struct per file in this directory, found by the table that meson
 * generates from its list of words.
 */
#ifndef PP_FORMAT_H
#define PP_FORMAT_H

#include "base/common.h"
#include "base/diag.h"
#include "formats/kit/loss.h"
#include "formats/reader.h"
#include "io/sink.h"
#include "model/builder.h"
#include "model/profile.h"

/*
 * What recognition may look at: the first bytes, decoded (up to 64 KiB), and the name for tie-breaks. Where those of a JSON
 * document say nothing to anybody, all are asked once more about its outline (kit/json_outline).
 */
struct pp_peek {
	struct pp_slice head;
	bool whole;       /* head is all there is */
	bool outlined;    /* head is an outline: it has the keys of the whole document */
	const char *name; /* base name, compression endings removed; "" when unknown */
	const struct pp_format *format; /* that is asked */
};

/* An option of a format ("--option key=value"), for --help. */
struct pp_option_doc {
	const char *key;
	const char *values;
	const char *help;
};

struct pp_writer {
	const struct pp_profile *profile;
	struct pp_sink *out;
	struct pp_diags *diags; /* never NULL */
	const struct pp_write_opts *opts;
	size_t metric; /* index chosen by opts->metric or the primary one; metrics.n if none */
	struct pp_loss loss; /* what the writer found out; reported when it has written */
	const struct pp_format *format;
	/* The same profile with what its metrics gained (model/profile.h), for who has a place for that; or NULL. */
	const struct pp_profile *with_gains;
};

/* What a file tells of itself without being read to the end: a row of `polyprof list`. */
struct pp_brief {
	struct pp_buf what;  /* what was recorded: a command, a URL; as the file has it */
	bool is_request;     /* it is a URL, perhaps behind a method */
	struct pp_buf host;  /* the machine */
	int64_t recorded_at; /* Unix seconds, 0 = unknown */
	const char *variant; /* constant; NULL = unknown */
	bool known_complete; /* `complete` means something */
	bool complete;
	bool has_wall;
	int64_t wall; /* time it took, ns */
	bool has_cost;
	uint64_t cost;        /* the sum of a metric that is not time */
	struct pp_buf metric; /* its name or, if its sum it is, that of `wall` */
	bool has_calls;
	uint64_t calls;
	struct pp_buf companion; /* base name of the file that belongs to it; empty = none */
};

/* What the bytes of a format are. */
enum { PP_WRITES_TEXT = 1, PP_WRITES_JSON = 2, PP_WRITES_BINARY = 4 };

struct pp_format {
	const char *name, *title;
	const char *extensions; /* blank separated, without dots */
	const char *variants;   /* blank separated; NULL when there is one layout */
	unsigned can;           /* PP_CAN_READ | PP_CAN_WRITE | facets it holds */
	unsigned writes; /* PP_WRITES_...; by variant or name if there are several. 0 = not known */
	/* Bits really verified in the peek; 0 = not mine. */
	int (*bid)(const struct pp_peek *);
	/*
	 * Reads all of the input into the builder. Findings go to reader->diags. Returns PP_OK when
	 * anything could be used (setting profile->complete = false if not all), else PP_E_INVALID.
	 */
	pp_status (*read)(struct pp_reader *, struct pp_builder *);
	pp_status (*write)(struct pp_writer *);
	/*
	 * Optional: rewrites an input of this format straight into its canonical form, without a
	 * profile in between. Same result as read + write, only faster. PP_E_UNSUPPORTED (before any
	 * output) sends the caller the long way.
	 */
	pp_status (*rewrite)(struct pp_reader *, struct pp_sink *);
	/*
	 * Optional: tells what the first bytes and the metadata say. Costs the same whatever the size
	 * of the file. PP_OK, or why it could not; findings are not reported.
	 */
	pp_status (*describe)(struct pp_reader *, struct pp_brief *);
	/* Its stacks are of who holds whom in memory: nobody calls anybody. */
	bool holders;
	bool lists;   /* it writes profiles whose stacks are a list (profile->held), too */
	bool carries; /* it holds what any other format needs to be written back */
	/*
	 * Optional: the profile's private data as bytes and back, so that another format can carry them
	 * (see docs/formats/spaa.md). `carry_save` appends nothing when there are none. `carry_load` gets
	 * bytes that anybody may have written: PP_E_INVALID when it cannot use them, PP_E_NOMEM, both
	 * with the profile as it was. Strings, tables and nodes of the profile have the same ids in both.
	 */
	bool (*carry_save)(const struct pp_profile *, struct pp_buf *out);
	pp_status (*carry_load)(struct pp_kept_facet *, struct pp_slice bytes);
	const struct pp_holds *holds;        /* by variant; NULL when it cannot be written */
	const struct pp_rule *rules;         /* ends with id NULL */
	const struct pp_option_doc *options; /* ends with key NULL; or NULL */
	const struct pp_format_maker
	    *maker; /* of a format from outside of the library, else NULL */
};

/*
 * Two kinds of bids for text. A file whose first lines name the format (a header, a banner) is bid PP_BID_NAMED or more. Lines that
 * parse add up to less than that, however many there are; and they are worth little if the first line is none of the format's.
 */
enum { PP_BID_CONTRADICTED = 24, PP_BID_LINES_MOST = 120, PP_BID_NAMED = 128 };

/* Returns the bid for lines that parse; `fits` = the first line may begin such a file. */
static inline int
pp_bid_lines(int bits, bool fits)
{
	int most = fits ? PP_BID_LINES_MOST : PP_BID_CONTRADICTED;

	return bits < most ? bits : most;
}

/* One format's bid for an input. */
struct pp_bid {
	const struct pp_format *format;
	int bits;
};

/* Generated from the list in meson.build: all formats, NULL at the end. */
extern const struct pp_format *const pp_formats[];

/* The format of that name among those given (NULL-terminated, or NULL) and the library's; NULL when there is none. */
const struct pp_format *pp_format_among(const struct pp_format *const *, const char *name);

/* Whether the stacks of a profile are of who holds whom. */
static inline bool
pp_profile_holders(const struct pp_profile *p)
{
	const struct pp_format *format = pp_profile_native(p);

	return format && format->holders;
}

/* True when the name, compression endings aside, ends in ".EXT" (without regard to case). */
bool pp_name_ends(const char *name, const char *ext);
/* Whether a format has that variant, and the option KEY of "KEY=VALUE"; NULL is no variant and fine. */
bool pp_format_has_variant(const struct pp_format *, const char *variant);
bool pp_format_has_option(const struct pp_format *, const char *option);

/* Considers all formats with an ability (PP_CAN_READ ...; 0 = any), and appends the nearest as pp_suggest_print() does. */
void pp_suggest_format(const char *word, unsigned can, struct pp_buf *);

#endif
