/*
 * The bytes of NYTProf streams, versions 1 to 5: varints, doubles, strings, records.
 */
#ifndef PP_NYTPROF_STREAM_H
#define PP_NYTPROF_STREAM_H

#include "formats/format.h"

/* How the writing perl stored its floating-point numbers. */
enum pp_nyt_number {
	PP_NYT_DOUBLE,
	PP_NYT_DOUBLE_SWAPPED,
	PP_NYT_FLOAT,
	PP_NYT_X87,  /* 80 bits, padded to 12 or 16 bytes with junk */
	PP_NYT_QUAD, /* IEEE binary128 */
	PP_NYT_QUAD_SWAPPED
};

/*
 * What one version writes. A record is its tag and the operands that `operands[tag]` lists:
 *     u  varint        n  floating-point number     t  tagged string (version 1: text up to a newline)
 *     l  rest of the line                           x  a count and that many varints, skipped
 */
struct pp_nyt_layout {
	unsigned major, minor;
	const char *operands[128]; /* NULL: no such tag */
	bool plain_strings;        /* version 1 */
	bool has_caller;           /* 'c' names the caller (3.0 on) */
	bool has_cpu;              /* 'c' has two more times, user and system */
	bool has_recursion;        /* 'c' has recursive time and depth */
	unsigned number_size;
	enum pp_nyt_number number;
	bool number_known; /* the byte order was settled by a plausible time */
};

struct pp_nyt_string {
	struct pp_slice bytes;
	bool utf8; /* flagged so by the writer; says little */
};

#define PP_NYT_UINTS 6
#define PP_NYT_NUMBERS 5

/* Operands in the order of the file. Strings point into the input: valid until the next record. */
struct pp_nyt_record {
	unsigned char tag;
	unsigned uints, numbers, strings;
	uint32_t u[PP_NYT_UINTS];
	double n[PP_NYT_NUMBERS];
	struct pp_nyt_string text[2];
};

/* A 'c' record of any version. */
struct pp_nyt_call {
	uint32_t fid, line, count, depth;
	double incl, excl, reci; /* seconds */
	struct pp_nyt_string caller, called;
};

/* A '@', 's' or 'S' record of any version. */
struct pp_nyt_file {
	uint32_t fid, eval_fid, eval_line, flags;
	struct pp_nyt_string name;
};

struct pp_nyt_sub {
	uint32_t fid, first, last;
	struct pp_nyt_string name;
};

/* The layout of a version; false when polyprof does not know it. */
bool pp_nyt_layout_init(struct pp_nyt_layout *, unsigned major, unsigned minor);
/* Takes `NYTProf MAJOR MINOR` apart; false when it is not that. `line` has no newline. */
bool pp_nyt_version_parse(struct pp_slice line, unsigned *major, unsigned *minor);
/* Chooses how numbers are stored from their size and the bytes of a time stamp; false: no such size. */
bool pp_nyt_number_guess(struct pp_nyt_layout *, unsigned size, const unsigned char *time);
double pp_nyt_number_load(const struct pp_nyt_layout *, const unsigned char *p);

/* What decoding came to when it is not a length. */
#define PP_NYT_BAD ((ptrdiff_t)-1) /* no record can stand here */
#define PP_NYT_MORE                                                                                \
	((ptrdiff_t)0) /* the bytes end too early; *need says how many it takes at least */

/* Decodes the record at `p`; returns its length. The varint at the very end may need PP_INPUT_PAD. */
ptrdiff_t pp_nyt_decode(const struct pp_nyt_layout *, const unsigned char *p,
                        const unsigned char *end, struct pp_nyt_record *, size_t *need);

void pp_nyt_call_of(const struct pp_nyt_layout *, const struct pp_nyt_record *,
                    struct pp_nyt_call *);
void pp_nyt_file_of(const struct pp_nyt_record *, struct pp_nyt_file *);
void pp_nyt_sub_of(const struct pp_nyt_record *, struct pp_nyt_sub *);

/* The length of the varint that starts with this byte. */
static inline size_t
pp_nyt_uint_size(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc0)
		return 2;
	if (first < 0xe0)
		return 3;
	return first < 0xff ? 4 : 5;
}

/* Loads a varint; five bytes must be readable. */
static inline const unsigned char *
pp_nyt_uint_load(const unsigned char *p, uint32_t *out)
{
	uint32_t d = *p;

	if (PP_LIKELY(d < 0x80)) {
		*out = d;
		return p + 1;
	}
	if (PP_LIKELY(d < 0xc0)) {
		*out = (d & 0x3f) << 8 | p[1];
		return p + 2;
	}
	if (d < 0xe0) {
		*out = (d & 0x1f) << 16 | (uint32_t)p[1] << 8 | p[2];
		return p + 3;
	}
	if (d < 0xff) {
		*out = (d & 0x0f) << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
		return p + 4;
	}
	*out = (uint32_t)p[1] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 8 | p[4];
	return p + 5;
}

/* Stores a varint in its shortest form, as the profiler does; returns 1..5. */
size_t pp_nyt_uint_store(unsigned char out[5], uint32_t v);

/* Appends text as UTF-8: as it is when valid, else as Latin-1. */
void pp_nyt_text_decode(struct pp_buf *, struct pp_slice);
/*
 * Appends the name as UTF-8: each `::` segment on its own. The
 * profiler writes the parts of one name in different encodings.
 */
void pp_nyt_name_decode(struct pp_buf *, struct pp_slice name);

/* ---- iterating over an input ---- */

struct pp_nyt_stream {
	struct pp_reader *reader;
	struct pp_nyt_layout layout;
	struct pp_nyt_record record;
	const unsigned char *bytes; /* of the record, up to `reader->in->cur` */
	uint64_t offset;            /* of the record */
	bool deflated;
	/* Told every byte of the stream that belongs to a whole record, in order; or NULL. */
	void (*tap)(void *ctx, const unsigned char *p, size_t n);
	void *tap_ctx;
};

enum pp_nyt_step {
	PP_NYT_RECORD,
	PP_NYT_END,     /* the input ended between records */
	PP_NYT_CUT,     /* it ended within the record at `offset` */
	PP_NYT_DAMAGED, /* no record stands at `offset`; the input is still there */
	PP_NYT_TOO_LONG /* the record at `offset` exceeds the limit */
};

/* Takes the version line; false when there is none (nothing is taken then). */
bool pp_nyt_stream_begin(struct pp_nyt_stream *, struct pp_reader *, unsigned *major,
                         unsigned *minor);
/* The next record. Long comments come with their first bytes only. */
enum pp_nyt_step pp_nyt_stream_next(struct pp_nyt_stream *);
/* Follows a 'z' record: what comes is deflated. */
pp_status pp_nyt_stream_inflate(struct pp_nyt_stream *);

#endif
