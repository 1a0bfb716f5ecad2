/*
 * What the files of this format share: its messages as data, a message as its tables stand in the file, and its samples one by one.
 * Whatever an input looks like, it becomes protobuf first: JSON is turned into it (json.c), and all else knows nothing of JSON.
 */
#ifndef PP_OTLP_H
#define PP_OTLP_H

#include "formats/author.h"
#include "formats/otlp/translate.h"
#include "text/protobuf.h"

enum {
#define RULE(name, id, severity, title, text) OTLP_BAD_##name,
#include "formats/otlp/rule_list.h"
#undef RULE
	OTLP_RULES
};

extern const struct pp_rule pp_otlp_rules[];

/* ---- messages as data (schema.c) ---- */

enum otlp_kind {
	OTLP_INT64 = 1,
	OTLP_UINT64,
	OTLP_INT32,
	OTLP_UINT32,
	OTLP_BOOL,
	OTLP_FIXED64,
	OTLP_DOUBLE,
	OTLP_STRING,
	OTLP_BYTES,
	OTLP_MESSAGE
};

enum otlp_type {
	OTLP_DATA,
	OTLP_RESOURCE_PROFILES,
	OTLP_RESOURCE,
	OTLP_ENTITY_REF,
	OTLP_SCOPE_PROFILES,
	OTLP_SCOPE,
	OTLP_KEY_VALUE,
	OTLP_ANY_VALUE,
	OTLP_ARRAY_VALUE,
	OTLP_KEY_VALUE_LIST,
	OTLP_PROFILE,
	OTLP_VALUE_TYPE,
	OTLP_SAMPLE,
	OTLP_DICTIONARY,
	OTLP_MAPPING,
	OTLP_LOCATION,
	OTLP_LINE,
	OTLP_FUNCTION,
	OTLP_LINK,
	OTLP_ATTRIBUTE,
	OTLP_STACK,
	OTLP_TYPES
};

/* Bytes are base64 in JSON, ids hexadecimal; profiles have them either way. */
enum otlp_digits { OTLP_BASE64, OTLP_HEX, OTLP_EITHER };

struct otlp_field {
	enum otlp_kind kind;
	bool many;
	enum otlp_digits hex; /* of bytes in JSON */
	enum otlp_type type;  /* of OTLP_MESSAGE */
};

/* A message: its fields are numbered from 1 on, without gaps. */
struct otlp_message {
	const char *name;
	const struct pp_slice *keys; /* in JSON */
	const struct otlp_field *fields;
	unsigned count;
};

#define OTLP_FIELDS_MOST 11
/* Messages within messages: as deep as protobuf's own libraries go. */
#define OTLP_DEPTH 100

extern const struct otlp_message pp_otlp_messages[OTLP_TYPES];

/* How a field is stored unless it is packed. */
enum pp_wire_type pp_otlp_wire_type(enum otlp_kind);

/* Fields by number, of messages that more than one file looks into. */
enum { OTLP_DATA_RESOURCES = 1, OTLP_DATA_DICTIONARY };
enum { OTLP_RESOURCES_RESOURCE = 1, OTLP_RESOURCES_SCOPES, OTLP_RESOURCES_SCHEMA };
enum { OTLP_RESOURCE_ATTRIBUTES = 1 };
enum { OTLP_SCOPES_SCOPE = 1, OTLP_SCOPES_PROFILES, OTLP_SCOPES_SCHEMA };
enum { OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION, OTLP_SCOPE_ATTRIBUTES };
enum { OTLP_KEY_VALUE_KEY = 1, OTLP_KEY_VALUE_VALUE, OTLP_KEY_VALUE_INDEX };
enum {
	OTLP_ANY_STRING = 1,
	OTLP_ANY_BOOL,
	OTLP_ANY_INT,
	OTLP_ANY_DOUBLE,
	OTLP_ANY_ARRAY,
	OTLP_ANY_LIST,
	OTLP_ANY_BYTES,
	OTLP_ANY_INDEX
};
enum {
	OTLP_PROFILE_TYPE = 1,
	OTLP_PROFILE_SAMPLES,
	OTLP_PROFILE_TIME,
	OTLP_PROFILE_DURATION,
	OTLP_PROFILE_PERIOD_TYPE,
	OTLP_PROFILE_PERIOD,
	OTLP_PROFILE_ID,
	OTLP_PROFILE_DROPPED,
	OTLP_PROFILE_FORMAT,
	OTLP_PROFILE_PAYLOAD,
	OTLP_PROFILE_ATTRIBUTES
};
enum { OTLP_TYPE_NAME = 1, OTLP_TYPE_UNIT };
enum {
	OTLP_SAMPLE_STACK = 1,
	OTLP_SAMPLE_ATTRIBUTES,
	OTLP_SAMPLE_LINK,
	OTLP_SAMPLE_VALUES,
	OTLP_SAMPLE_TIMES
};
enum {
	OTLP_TABLE_MAPPINGS = 1,
	OTLP_TABLE_LOCATIONS,
	OTLP_TABLE_FUNCTIONS,
	OTLP_TABLE_LINKS,
	OTLP_TABLE_STRINGS,
	OTLP_TABLE_ATTRIBUTES,
	OTLP_TABLE_STACKS,
	OTLP_TABLES
};
enum {
	OTLP_MAPPING_START = 1,
	OTLP_MAPPING_LIMIT,
	OTLP_MAPPING_OFFSET,
	OTLP_MAPPING_FILE,
	OTLP_MAPPING_ATTRIBUTES
};
enum {
	OTLP_LOCATION_MAPPING = 1,
	OTLP_LOCATION_ADDRESS,
	OTLP_LOCATION_LINES,
	OTLP_LOCATION_ATTRIBUTES
};
enum { OTLP_LINE_FUNCTION = 1, OTLP_LINE_LINE, OTLP_LINE_COLUMN };
enum { OTLP_FUNCTION_NAME = 1, OTLP_FUNCTION_SYSTEM, OTLP_FUNCTION_FILE, OTLP_FUNCTION_START };
enum { OTLP_LINK_TRACE = 1, OTLP_LINK_SPAN };
enum { OTLP_ATTRIBUTE_KEY = 1, OTLP_ATTRIBUTE_VALUE, OTLP_ATTRIBUTE_UNIT };
enum { OTLP_STACK_LOCATIONS = 1 };

/* ---- JSON and back (json.c, emit.c) ---- */

/* Where a message of the protobuf that was made of JSON stands in that. */
struct otlp_mark {
	size_t at;
	uint64_t offset; /* in the input */
};

/* What an input holds, one message after the other. */
struct otlp_messages {
	struct pp_buf made;             /* of JSON */
	PP_VEC(struct pp_slice) list;   /* in `made`, or in the input */
	PP_VEC(struct otlp_mark) marks; /* of `made`, in its order */
	PP_VEC(size_t) ends;            /* in `made`, by message */
	struct pp_slice input;
	uint64_t offset; /* of the input's first byte */
	struct pp_diags *diags;
	bool json, prefixed, complete, no_memory;
};

/* Finds the messages; what is wrong with how they stand there is told. To be released in any case. */
void pp_otlp_messages_open(struct otlp_messages *, struct pp_slice input, uint64_t offset,
                           struct pp_diags *);
void pp_otlp_messages_release(struct otlp_messages *);
/* Where a byte of a message stands in the input. */
uint64_t pp_otlp_offset(const struct otlp_messages *, const unsigned char *at);
/* Turns objects of JSON, to the end of the input, into messages. */
void pp_otlp_json_read(struct otlp_messages *);

enum otlp_form { OTLP_PROTOBUF, OTLP_PREFIXED, OTLP_JSON };
/* Writes a message once more: fields in order, numbers as short as they can be, lists in one piece; in JSON without what nobody knows. */
void pp_otlp_emit(struct pp_slice message, enum otlp_form, struct pp_sink *, bool *no_memory);

/* ---- a message (doc.c, check.c) ---- */

/* A list of numbers in doc->numbers. */
struct otlp_span {
	uint32_t first, n;
};

/* Any element of a table that is no string and no stack: numbers and bytes by field. */
struct otlp_row {
	uint64_t f[5];
	struct pp_slice bytes[2]; /* a value; ids of a link */
	struct otlp_span list;    /* attributes */
	struct otlp_span lines;   /* of a location, in doc->lines */
	const unsigned char *at;
};
struct otlp_line {
	uint32_t function;
	int64_t line, column;
};
/* Who made profiles: attributes as messages KeyValue, in doc->pairs. */
struct otlp_origin {
	struct otlp_span pairs;
	struct pp_slice name, version; /* of a scope */
	struct pp_slice schema;
	const unsigned char *at;
};
struct otlp_profile {
	uint64_t f[OTLP_FIELDS_MOST + 1]; /* numbers; of samples how many there are */
	struct pp_slice id, format, payload;
	uint32_t type[2], period_type[2]; /* strings: name, unit */
	struct otlp_span list;            /* attributes */
	uint32_t resource, scope;
	struct pp_slice message;
	uint64_t number; /* in the message, from 0 on */
};

struct otlp_doc {
	const struct otlp_messages *from;
	struct pp_slice bytes;
	struct pp_diags *diags; /* NULL = nothing is told */
	bool cut;               /* what lacks may be behind the end */
	bool lacks;             /* all lacks: there is no dictionary */
	bool no_memory;
	bool has_dictionary;
	PP_VEC(struct pp_slice) strings;
	PP_VEC(struct otlp_row) tables[OTLP_TABLES]; /* none of strings and stacks */
	PP_VEC(struct otlp_span) stacks;
	PP_VEC(int32_t) numbers;
	PP_VEC(struct otlp_line) lines;
	PP_VEC(struct otlp_origin) resources;
	PP_VEC(struct otlp_origin) scopes;
	PP_VEC(struct pp_slice) pairs;
	PP_VEC(struct otlp_profile) profiles;
};

/* The value of an attribute. */
struct otlp_value {
	unsigned field;       /* ANY_*; 0 = none */
	uint64_t number;      /* of a bool, an int, a double's bits */
	struct pp_slice text; /* of others; of an index its string */
};

/* Zero but for from, bytes and diags. To be released in any case; false when out of memory. */
bool pp_otlp_parse(struct otlp_doc *);
void pp_otlp_release(struct otlp_doc *);
/* Tells what is wrong with tables and profiles, samples aside; `duplicates` what stands in tables twice, too. */
void pp_otlp_check(struct otlp_doc *, bool duplicates, uint64_t seed);
/* The same with samples, and without duplicates. */
void pp_otlp_check_all(struct otlp_doc *, uint64_t seed);
void pp_otlp_report(struct otlp_doc *, int rule, const unsigned char *at, const char *fmt, ...)
    PP_PRINTF(4, 5);
/* Of a field that is not used: why. */
void pp_otlp_field_odd(struct otlp_doc *, const struct pp_wire_field *, enum otlp_type);
void pp_otlp_wire_report(struct otlp_doc *, const struct pp_wire *);
/* How many elements a table has, that of number 0 included. */
size_t pp_otlp_count(const struct otlp_doc *, unsigned table);
/* An index as 32 bits hold it, of a field that is one. */
static inline int32_t
pp_otlp_index(uint64_t value)
{
	return (int32_t)(uint32_t)value;
}
/* Whether an element exists; told where not. */
bool pp_otlp_has(struct otlp_doc *, unsigned table, int32_t index, const char *what,
                 const unsigned char *at);
/* The string of a number; empty where there is none. */
struct pp_slice pp_otlp_text(const struct otlp_doc *, uint32_t index);
/* Tells what is wrong with the attributes of a holder. */
void pp_otlp_attributes_check(struct otlp_doc *, const int32_t *, size_t n, const char *what,
                              const unsigned char *at);
struct otlp_value pp_otlp_value(const struct otlp_doc *, struct pp_slice any);
/* The attribute of a number, and of a pair of a resource or scope. */
struct pp_slice pp_otlp_attribute(const struct otlp_doc *, int32_t index, struct otlp_value *,
                                  struct pp_slice *unit);
struct pp_slice pp_otlp_pair(const struct otlp_doc *, struct pp_slice pair, struct otlp_value *);
/* All attributes of a resource or scope as they stand, to hold it against others. */
struct pp_slice pp_otlp_origin_bytes(const struct otlp_doc *, const struct otlp_origin *);
/* Appends a value as text: lists as JSON, bytes as base64. */
void pp_otlp_value_print(const struct otlp_doc *, const struct otlp_value *, struct pp_buf *);
/* Appends bytes as hexadecimal digits. */
void pp_otlp_hex(struct pp_slice bytes, struct pp_buf *);

/* One sample after the other. */
struct otlp_samples {
	struct otlp_doc *doc;
	const struct otlp_profile *profile;
	struct pp_wire wire;
	bool report;
	uint64_t number; /* of the next one */
	unsigned shapes; /* bits: values, times, both */
	/* the sample */
	const unsigned char *at;
	int32_t stack, link;
	PP_VEC(int32_t) attributes;
	PP_VEC(int32_t) last; /* those that were found to be right last */
	PP_VEC(int64_t) values;
	struct pp_slice times; /* eight bytes each */
	struct pp_buf times_gathered;
};

void pp_otlp_samples_init(struct otlp_samples *, struct otlp_doc *, const struct otlp_profile *,
                          bool report);
/* The next one that is right; false at the end, or when out of memory (doc->no_memory). */
bool pp_otlp_samples_next(struct otlp_samples *);
void pp_otlp_samples_release(struct otlp_samples *);
/* A time of them. */
static inline uint64_t
pp_otlp_time(struct pp_slice times, size_t i)
{
	uint64_t t = 0;
	unsigned k;

	for (k = 8; k-- > 0;)
		t = t << 8 | times.p[8 * i + k];
	return t;
}

/* ---- the profile ---- */
pp_status pp_otlp_read(struct pp_reader *, struct pp_builder *);
pp_status pp_otlp_write(struct pp_writer *);
pp_status pp_otlp_rewrite(struct pp_reader *, struct pp_sink *);
bool pp_otlp_carry_save(const struct pp_profile *, struct pp_buf *);
pp_status pp_otlp_carry_load(struct pp_kept_facet *, struct pp_slice);

#endif
