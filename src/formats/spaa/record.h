/*
 * A line taken apart: numbers, ids, records, and the chunk of lines that they belong to.
 *
 * Taking a line apart needs nothing but the line, so chunks are taken apart by any number of threads.
 * What their records mean is judged in the order of the file (spaa.h).
 */
#ifndef PP_SPAA_RECORD_H
#define PP_SPAA_RECORD_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/kit/json_record.h"
#include "formats/spaa/grammar.h"
#include "formats/spaa/rules.h"

/* ---- values ---- */

/* Nanoseconds of a unit of time, 0 when it is none; *odd when the name is short for a proper one. */
int64_t pp_spaa_time_unit(struct pp_slice name, bool *odd);
/* 0x and hexadecimal digits. */
bool pp_spaa_is_hex(struct pp_slice);
/* Whether a name is one that only kernel images have. */
bool pp_spaa_kernel_name(struct pp_slice);

/* A known key and its value as a part of the hash of a context, in any order. */
static inline uint64_t
pp_spaa_context_add(unsigned key, uint64_t value)
{
	return pp_mix(PP_HASH_K1 * (key + 1), value ^ PP_HASH_K2);
}

/* The id of a stack: text, or a number by its digits; 17 and "17" are the same. */
struct pp_spaa_id {
	struct pp_slice text;
	uint64_t hash;
	const unsigned char *at; /* where it stands */
	bool is_text;
	bool is_hex; /* 0x and hexadecimal digits */
};

/* A run of items in one of a chunk's pools. */
struct pp_spaa_run {
	uint32_t first, n;
};

/* ---- the objects of the grammar ---- */

/* Whether a key was there and right: PP_SPAA_HAS(s, has, SAMPLE_PERIOD). */
#define PP_SPAA_HAS(object, mask, key) ((object)->mask >> PP_SPAA_K_##key & 1)

enum pp_spaa_kind { PP_SPAA_USER, PP_SPAA_KERNEL, PP_SPAA_UNKNOWN };
enum pp_spaa_stack_type { PP_SPAA_UNIFIED, PP_SPAA_USER_STACK, PP_SPAA_KERNEL_STACK };
enum pp_spaa_mode { PP_SPAA_PERIOD, PP_SPAA_FREQUENCY, PP_SPAA_EVENT };
enum pp_spaa_event_kind {
	PP_SPAA_HARDWARE,
	PP_SPAA_SOFTWARE,
	PP_SPAA_ALLOCATION,
	PP_SPAA_DEALLOCATION,
	PP_SPAA_TIMER,
	PP_SPAA_PROBE
};

struct pp_spaa_header {
	uint32_t has, range_has, source_has;
	uint32_t format, root_to_leaf, local_ids; /* words */
	struct pp_slice version, tool, unit_name, ignored;
	struct pp_decimal start, end;
	bool seen;
	bool has_range;
	bool unit_odd;
	bool incomplete; /* it says that something is missing */
	int64_t unit;    /* ns per unit of the range; 0 = unknown */
};

/* An event as the header declares it. */
struct pp_spaa_declared {
	uint32_t has, sampling_has, tracking_has;
	uint32_t kind, mode;
	struct pp_slice name, primary;
	struct pp_decimal period, frequency;
	const unsigned char *name_at;
	bool ignored;
	bool wrong; /* it must not be used */
};

struct pp_spaa_dso {
	uint32_t has;
	bool is_kernel;
	uint64_t id;
	struct pp_slice name, build_id;
};

struct pp_spaa_frame {
	uint32_t has, kind;
	uint64_t id, dso, depth, first_line;
	struct pp_slice func, srcline, ip, symoff, file;
	bool func_resolved, srcline_resolved, inlined;
};

struct pp_spaa_thread {
	uint32_t has;
	uint64_t pid, tid;
	struct pp_slice comm;
};

struct pp_spaa_weight {
	struct pp_slice metric, unit;
	struct pp_decimal value;
	uint32_t has;
};

/* A stack named by another record, with its weights in windows. */
struct pp_spaa_ref {
	struct pp_spaa_id id;
	struct pp_spaa_run weights;
	uint32_t has;
};

/* Thread, process and cpu numbers that are absent, or past 2^63, are -1. */
struct pp_spaa_stack {
	struct pp_spaa_id id;
	uint32_t has, context_has, own_has;
	uint32_t type;
	struct pp_spaa_run frames, weights, own, related;
	struct pp_slice event, comm;
	uint64_t context; /* a hash of its context: equal ones are equal as JSON values */
	uint64_t leaf;    /* exclusive.frame */
	int64_t pid, tid, cpu;
};

struct pp_spaa_sample {
	struct pp_spaa_id id;
	struct pp_slice event;
	struct pp_decimal time;
	uint64_t period;
	int64_t pid, tid, cpu;
	uint32_t has;
};

struct pp_spaa_window {
	struct pp_spaa_id id;
	struct pp_decimal start, end;
	struct pp_slice unit;
	struct pp_spaa_run by_stack;
	uint32_t has;
};

struct pp_spaa_record {
	enum pp_spaa_type type;
	bool wrong;    /* an error was found: it must not be used */
	uint64_t line; /* within the chunk, from 1 */
	struct pp_slice text;
	union {
		struct pp_spaa_dso dso;
		struct pp_spaa_frame frame;
		struct pp_spaa_thread thread;
		struct pp_spaa_stack stack;
		struct pp_spaa_sample sample;
		struct pp_spaa_window window;
		struct pp_slice name; /* of another type */
	} u;
};

struct pp_spaa_finding {
	enum pp_spaa_rule rule;
	uint64_t line;
	const unsigned char *line_at, *at;
	const char *message;
};

/* Some lines, taken apart. */
struct pp_spaa_chunk {
	const unsigned char *begin, *end;
	uint64_t lines;
	PP_VEC(struct pp_spaa_record) records;
	PP_VEC(uint64_t) frames;
	PP_VEC(struct pp_spaa_weight) weights;
	PP_VEC(struct pp_spaa_ref) refs;
	PP_VEC(struct pp_spaa_declared) events;
	PP_VEC(struct pp_spaa_finding) findings;
	struct pp_arena arena; /* unescaped strings, messages */
	pp_status status;
	bool extras; /* something has no meaning to anybody here and is kept only as text */
};

/* ---- the grammar as tables ---- */

extern const struct pp_json_shape pp_spaa_shapes[];
extern const struct pp_json_words pp_spaa_frame_kinds, pp_spaa_stack_types;
/* The type that a word names. */
enum pp_spaa_type pp_spaa_type_of(struct pp_slice word);

/* ---- taking lines apart ---- */

/* An object of a context that was there lately, by its bytes in the chunk. */
struct pp_spaa_known {
	struct pp_slice text;
	uint64_t hash;
};

struct pp_spaa_parser {
	struct pp_json_reader json; /* first: it stands for all of this */
	struct pp_spaa_chunk *chunk;
	struct pp_spaa_record *rec;
	const struct pp_limits *limits;
	const unsigned char
	    *type_at;            /* where the type of a record stands, if it is none of the known */
	struct pp_slice weights; /* the text of the stack's weights, if they are right */
	struct pp_spaa_run weights_run;
	struct pp_spaa_known known[8];
	unsigned known_next;
};

/* The limits stay the caller's. */
bool pp_spaa_parser_init(struct pp_spaa_parser *, uint64_t seed, const struct pp_limits *);
void pp_spaa_parser_release(struct pp_spaa_parser *);
void pp_spaa_chunk_release(struct pp_spaa_chunk *);
/* Takes all lines of [chunk->begin, chunk->end) apart; PP_E_LIMIT at one that is too long. */
void pp_spaa_chunk_parse(struct pp_spaa_chunk *, struct pp_spaa_parser *);
/* Takes the header apart, which is left for later: there is one. Its findings are in the chunk. */
bool pp_spaa_header_parse(struct pp_spaa_parser *, struct pp_spaa_chunk *, struct pp_spaa_record *,
                          struct pp_spaa_header *);

void pp_spaa_find(struct pp_json_reader *, unsigned rule, const unsigned char *at, const char *fmt,
                  ...) PP_PRINTF(4, 5);
/* A value of a kind that only SPAA has. */
bool pp_spaa_value_read(struct pp_json_reader *, struct pp_json_object *, void *out);
/* Passes a value of the context at *at; false, and nothing done, when something deserves a finding. */
bool pp_spaa_walk_plain(struct pp_spaa_parser *, const unsigned char **at, uint64_t *hash);

/* Takes the line apart if it is written plainly; false (and nothing changed but the record) when not. */
bool pp_spaa_quick_sample(struct pp_spaa_parser *);
bool pp_spaa_quick_stack(struct pp_spaa_parser *);
/* The same of a table of numbers that another format left (carry.h). */
bool pp_spaa_quick_table(struct pp_spaa_parser *);

#endif
