/*
 * Records of JSON by a table: a format states once which keys an object has, what their values are and which rule is
 * cited when one is wrong or missing, and gets a struct filled.
 *
 *     static const struct pp_slice keys[] = { PP_KEY("name"), PP_KEY("line") };
 *     static const struct pp_json_field fields[] = {
 *             { PP_JSON_TEXT, offsetof(struct frame, name), R_NAME, R_NAME, NULL },
 *             { PP_JSON_UINT, offsetof(struct frame, line), R_LINE, PP_JSON_OPTIONAL, NULL } };
 *     static const struct pp_json_shape frame_shape = { "the frame", keys, fields, 2, .has = offsetof(struct frame, has) };
 *
 *     pp_scan_init(&r->scan, line, 0, PP_SCAN_STRICT);
 *     pp_json_keys_forget(r);
 *     if (pp_json_object_read(r, &frame_shape, R_FRAME, NULL, &frame) && pp_scan_end(&r->scan)) ...
 *
 * Keys come in any order, null counts as absent, unknown keys are passed, and no key may occur twice in an object, at
 * any depth. What is wrong is reported and passed, so that one run tells all. Nothing recurses but through the
 * format's own tables.
 */
#ifndef PP_JSON_RECORD_H
#define PP_JSON_RECORD_H

#include "base/hash.h"
#include "base/vec.h"
#include "text/json_scan.h"

struct pp_json_reader;
struct pp_json_object;

enum pp_json_kind {
	PP_JSON_ANY,         /* whatever it is */
	PP_JSON_UINT,        /* uint64_t */
	PP_JSON_SMALL,       /* int64_t: -1 when it is past 2^63 */
	PP_JSON_DECIMAL,     /* struct pp_decimal */
	PP_JSON_TEXT,        /* struct pp_slice */
	PP_JSON_TRUTH,       /* bool */
	PP_JSON_WORD,        /* uint32_t: which of struct pp_json_words */
	PP_JSON_STRICT_WORD, /* the same, and null is no way to leave it out */
	PP_JSON_MEMBERS, /* another object, of shape `more`, whose members are in the same struct */
	PP_JSON_OWN      /* from here on a format's own */
};

/* The missing rule of a field that may be missing. */
#define PP_JSON_OPTIONAL UINT8_MAX

struct pp_json_words {
	unsigned count;
	struct pp_slice words[6];
};

struct pp_json_field {
	unsigned kind;
	uint16_t to;            /* where in the struct */
	uint8_t wrong, missing; /* rules */
	const void *more; /* words, another shape, or what the format's own kind needs to know */
};

/* An object: at most 64 keys. */
struct pp_json_shape {
	const char *what; /* in findings: "the frame" */
	const struct pp_slice *keys;
	const struct pp_json_field *fields;
	unsigned count;
	bool warn;  /* unknown keys without x_ are reported */
	size_t has; /* where in the struct a uint32_t notes which keys were there and right */
	size_t
	    hash; /* where a uint64_t is added to for each unknown key and its value; 0 = nowhere */
	/* What is judged when all keys are known; or NULL. */
	void (*judge)(struct pp_json_reader *, const struct pp_json_object *, void *);
};

/* A key, or a word, in a table. */
#define PP_KEY(z)                                                                                  \
	{                                                                                          \
		(const unsigned char *)(z), sizeof(z) - 1                                          \
	}

/* An object or array that a walk is in. */
struct pp_json_level {
	uint64_t hash, key;
	size_t keys;
	uint64_t serial;
	bool object;
};

/* Embedded as the first member of a format's own reader, which the functions below get back. */
struct pp_json_reader {
	struct pp_scan scan;
	struct pp_arena *arena; /* for strings with escapes */
	uint64_t seed;
	bool failed;           /* out of memory */
	bool extras;           /* there was an unknown key */
	uint64_t serial;       /* of the objects seen in this record */
	PP_VEC(uint64_t) keys; /* hashes of the unknown keys of the open objects */
	struct pp_map many;    /* the same for objects with many of them */
	PP_VEC(struct pp_json_level) levels;
	/* Takes a finding, of a rule of the format. */
	void (*find)(struct pp_json_reader *, unsigned rule, const unsigned char *at,
	             const char *fmt, ...) PP_PRINTF(4, 5);
	/* A value of one of the format's own kinds: true when it is there and right, else it was passed. */
	bool (*own)(struct pp_json_reader *, struct pp_json_object *, void *out);
	uint8_t key_twice, key_unknown, too_large, not_finite; /* rules */
};

/* An object being read: which known keys were seen, taken, wrong, and where their values stand. */
struct pp_json_object {
	const struct pp_json_shape *shape;
	const char *what;
	struct pp_json_names names;
	uint64_t seen, taken, wrong;
	const unsigned char *start; /* its bracket */
	const unsigned char *at[16];
	size_t keys;
	uint64_t serial;
	uint64_t *hash; /* see pp_json_shape.hash; or NULL */
	/* the current key */
	struct pp_json_str key;
	unsigned index;
};

/* The caller has set what it needs of the reader before; false when out of memory. */
bool pp_json_reader_init(struct pp_json_reader *, uint64_t seed);
void pp_json_reader_release(struct pp_json_reader *);
/* Forgets the keys of the record before. */
void pp_json_keys_forget(struct pp_json_reader *);

/*
 * Reads the object that comes next by its table, under another name than the shape's if `what` is not NULL. False,
 * with the value passed and the rule reported, when it is something else.
 */
bool pp_json_object_read(struct pp_json_reader *, const struct pp_json_shape *, unsigned rule,
                         const char *what, void *out);
/* Enters an array; false, with the value passed and the rule reported, when it is something else. */
bool pp_json_array_begin(struct pp_json_reader *, unsigned rule, const char *what);
/* Passes any value, looking for keys that occur twice; its hash says which values are equal. */
uint64_t pp_json_walk(struct pp_json_reader *);
/* The value of a string, unescaped in the arena where it must be. */
struct pp_slice pp_json_text_of(struct pp_json_reader *, struct pp_json_str);

/* ---- for a format's own kinds ---- */

/* The value of the current key, if it is of that type; else it is passed, and reported but for null. */
bool pp_json_value_uint(struct pp_json_reader *, struct pp_json_object *, uint64_t *);
bool pp_json_value_text(struct pp_json_reader *, struct pp_json_object *, struct pp_slice *);
/* Notes that the value of the current key is wrong: it is not missed any more. Always false. */
bool pp_json_value_bad(struct pp_json_object *);

static inline const struct pp_json_field *
pp_json_object_field(const struct pp_json_object *o)
{
	return &o->shape->fields[o->index];
}

static inline const char *
pp_json_object_name(const struct pp_json_object *o)
{
	return (const char *)o->shape->keys[o->index].p;
}

static inline bool
pp_json_object_took(const struct pp_json_object *o, unsigned key)
{
	return o->taken >> key & 1;
}

#endif
