/*
 * What the files of this format share: a profile as its tables stand in the file, and the samples one by one.
 */
#ifndef PP_PPROF_H
#define PP_PPROF_H

#include "formats/author.h"
#include "text/protobuf.h"

enum {
#define RULE(name, id, severity, title, text) PPROF_##name,
#include "formats/pprof/rule_list.h"
#undef RULE
	PPROF_RULES
};

extern const struct pp_rule pp_pprof_rules[];
extern const struct pp_format pp_format_pprof;

/* Fields by number. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_DROP_FRAMES,
	PROFILE_KEEP_FRAMES,
	PROFILE_TIME_NANOS,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE,
	PROFILE_DOC_URL,
	PROFILE_FIELDS
};
enum { VALUE_TYPE = 1, VALUE_UNIT, VALUE_FIELDS };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT, LABEL_FIELDS };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES,
	MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES,
	MAPPING_FIELDS
};
enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING,
	LOCATION_ADDRESS,
	LOCATION_LINE,
	LOCATION_FOLDED,
	LOCATION_FIELDS
};
enum { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN, LINE_FIELDS };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME,
	FUNCTION_SYSTEM,
	FUNCTION_FILE,
	FUNCTION_START,
	FUNCTION_FIELDS
};

#define PPROF_NONE UINT32_MAX
/* The function of samples without a stack. */
#define PPROF_NO_STACK "[no stack]"

/* Messages: scalar fields by number, and all of their bytes. */
struct pprof_value_type {
	uint64_t f[VALUE_FIELDS];
	struct pp_slice message;
};
struct pprof_mapping {
	uint64_t f[MAPPING_FIELDS];
	struct pp_slice message;
};
struct pprof_function {
	uint64_t f[FUNCTION_FIELDS];
	struct pp_slice message;
};
struct pprof_line {
	uint64_t f[LINE_FIELDS];
	uint32_t function; /* row, or PPROF_NONE */
	struct pp_slice message;
};
struct pprof_location {
	uint64_t f[LOCATION_FIELDS];
	struct pp_slice message;
	uint32_t mapping;     /* row, or PPROF_NONE */
	uint32_t line, lines; /* the innermost one, and how many */
};

struct pprof_doc {
	struct pp_slice bytes;
	uint64_t offset;        /* of the first of them in the input */
	struct pp_diags *diags; /* NULL = nothing is told */
	bool complete;
	bool stopped; /* the message cannot be followed to its end */
	bool no_memory;

	PP_VEC(struct pp_slice) strings;
	PP_VEC(struct pprof_value_type) types;
	PP_VEC(struct pprof_mapping) mappings;
	PP_VEC(struct pprof_function) functions;
	PP_VEC(struct pprof_location) locations;
	PP_VEC(struct pprof_line) lines;
	struct pp_id_table mapping_of, function_of, location_of;
	int64_t f[PROFILE_FIELDS]; /* scalars, by number */
	struct pprof_value_type period_type;
	PP_VEC(uint64_t) comments;
	PP_VEC(struct pp_slice) unknown; /* fields with their numbers */
	/* The part of the bytes that samples are in. */
	const unsigned char *samples, *samples_end;
	uint64_t sample_count;
	/* Where another profile may begin, and whether it does. */
	const unsigned char *next;
	bool concatenated;
};

/* One sample after the other. */
struct pprof_samples {
	struct pprof_doc *doc;
	struct pp_wire wire;
	bool report; /* what is wrong with samples is told */
	/* the sample */
	struct pp_slice message;
	PP_VEC(uint32_t) stack; /* rows of locations, the innermost first */
	PP_VEC(int64_t) values;
	PP_VEC(struct pp_slice) labels;
	bool has_unknown;
	bool odd; /* a sample was left out, or there is something to be told */
};

/* Zero but for bytes, offset, diags and the seed of the id tables; false when out of memory. To be released in any case. */
bool pp_pprof_parse(struct pprof_doc *);
void pp_pprof_release(struct pprof_doc *);
void pp_pprof_report(struct pprof_doc *, int rule, const unsigned char *at, const char *fmt, ...)
    PP_PRINTF(4, 5);
/* What a scanner ran into; `message` is what it went through. */
void pp_pprof_wire_report(struct pprof_doc *, const struct pp_wire *, struct pp_slice message);
/* The fields of a message that has no others than varints, up to number `count` - 1; false when it is to be left out. */
bool pp_pprof_fields(struct pprof_doc *, struct pp_slice message, const char *what, uint64_t *f,
                     unsigned count);
/* A string; empty, and told, where there is none. */
struct pp_slice pp_pprof_string(struct pprof_doc *, uint64_t index, const char *what,
                                const unsigned char *at);

/* The same without a word. */
struct pp_slice pp_pprof_text(const struct pprof_doc *, uint64_t index);

/* Types beyond so many are not held against each other. */
#define PPROF_TYPES_COMPARED 1000

/* How many types before it have the name of one. */
size_t pp_pprof_type_again(const struct pprof_doc *, size_t type);
/* The type that is shown unless told otherwise. */
size_t pp_pprof_primary(const struct pprof_doc *);
/* Tells what is wrong with types and with what is known of the recording. */
void pp_pprof_check(struct pprof_doc *);

void pp_pprof_samples_init(struct pprof_samples *, struct pprof_doc *, bool report);
/* The same for those of a part of the message. */
void pp_pprof_samples_of(struct pprof_samples *, struct pprof_doc *, struct pp_slice, bool report);
/* The next one that is right; false at the end, or when out of memory (doc->no_memory). */
bool pp_pprof_samples_next(struct pprof_samples *);
void pp_pprof_samples_release(struct pprof_samples *);

/* ---- labels ---- */

struct pprof_label {
	uint64_t f[LABEL_FIELDS];
	struct pp_slice key;
};

/* What is known of a key. */
struct pprof_label_key {
	uint64_t sample; /* the last one that had it, from 1 on */
	pp_str unit;     /* the first one; 0 = none yet */
};

struct pprof_labels {
	struct pprof_doc *doc;
	struct pp_strtab texts;
	PP_VEC(struct pprof_label_key) keys; /* by text */
	uint64_t sample;
};

/* False when out of memory. To be released in any case. */
bool pp_pprof_labels_init(struct pprof_labels *, struct pprof_doc *, uint64_t seed);
/* Tells what is wrong with the labels of a sample. */
void pp_pprof_labels_check(struct pprof_labels *, const struct pprof_samples *);
void pp_pprof_labels_release(struct pprof_labels *);
/* Takes a label apart; false when it is to be left out. */
bool pp_pprof_label_read(struct pprof_doc *, struct pp_slice message, struct pprof_label *);

/* ---- frames that the file says to drop ---- */

/* Where a location is cut: how many of its lines, from the outermost, stay. */
struct pprof_cut {
	uint32_t stay;
	bool matched; /* some line matches */
	bool whole;   /* all of it goes, where stacks are cut */
};

/* By location; NULL when nothing is to be dropped, or out of memory. */
struct pprof_cut *pp_pprof_cuts(struct pprof_doc *);
/* Takes off a stack, the innermost first, what is to be dropped. */
void pp_pprof_cut_stack(const struct pprof_cut *, uint32_t **stack, size_t *depth);

/* ---- samples on several threads ---- */

/* The frames of a location, the innermost first. */
struct pprof_span {
	uint32_t first, n;
};

/* What it takes to find the frames of samples, and what is done with them, in the order of the file. */
struct pprof_ahead {
	const struct pprof_doc *doc;
	const struct pprof_cut *cuts;
	const struct pprof_span *spans; /* by location */
	const pp_frame *frames;         /* of all of them */
	uint64_t max_depth;
	void *ctx;
	/* Uses a sample without labels; no frames = no locations. False to stop. */
	bool (*sample)(void *ctx, const unsigned char *message, const pp_frame *frames,
	               size_t depth, const int64_t *values);
	/* Reads samples that are not as plain as that. */
	bool (*odd)(void *ctx, struct pp_slice samples);
};

/* Whether it pays. */
bool pp_pprof_may_go_ahead(const struct pp_reader *, const struct pprof_doc *);
/* PP_E_IO when the caller wants to stop, PP_E_NOMEM. */
pp_status pp_pprof_go_ahead(struct pp_reader *, const struct pprof_ahead *);

/* ---- what was before ---- */
/* The bits of a first line of text that is one of the older forms; 0 = it is none. */
int pp_pprof_legacy_bid(struct pp_slice head);
bool pp_pprof_is_legacy(struct pp_input *);
pp_status pp_pprof_legacy_read(struct pp_reader *, struct pp_builder *);

/* ---- the profile ---- */
pp_status pp_pprof_read(struct pp_reader *, struct pp_builder *);
pp_status pp_pprof_write(struct pp_writer *);
pp_status pp_pprof_rewrite(struct pp_reader *, struct pp_sink *);
/* A message of this format once more, compressed as `how` says (emit.h). PP_OK, or why it could not be written. */
pp_status pp_pprof_write_bytes(struct pp_slice bytes, struct pp_sink *, const char *how,
                               uint64_t seed);
/* The message that a profile was read from, where it was kept; else empty. */
struct pp_slice pp_pprof_kept(const struct pp_profile *);
bool pp_pprof_carry_save(const struct pp_profile *, struct pp_buf *);
pp_status pp_pprof_carry_load(struct pp_kept_facet *, struct pp_slice);

#endif
