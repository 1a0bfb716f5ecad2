/*
 * A heap snapshot while it is read: objects as columns, what refers to what, and what becomes of that.
 *
 *     tables.c       JSON to columns
 *     graph.c        who is detached, whose memory it is, which references hold anything
 *     shapes.c       plain objects told apart by their properties
 *     classes.c      what each object is an instance of
 *     dominators.c   who alone holds what
 *     tree.c         that by class, for the builder
 */
#ifndef PP_HEAPSNAPSHOT_H
#define PP_HEAPSNAPSHOT_H

#include "formats/author.h"
#include "formats/kit/json_doc.h"

extern const struct pp_format pp_format_heapsnapshot;

enum {
	SNAPSHOT_JSON,
	SNAPSHOT_CUT,
	SNAPSHOT_META,
	SNAPSHOT_SHAPE,
	SNAPSHOT_NUMBER,
	SNAPSHOT_COUNT,
	SNAPSHOT_TYPE,
	SNAPSHOT_EDGE,
	SNAPSHOT_STRING
};

/* What an object is. */
enum snapshot_kind {
	SNAPSHOT_OTHER,
	SNAPSHOT_HIDDEN,
	SNAPSHOT_ARRAY,
	SNAPSHOT_OBJECT,
	SNAPSHOT_CODE,
	SNAPSHOT_CLOSURE,
	SNAPSHOT_REGEXP,
	SNAPSHOT_NATIVE,
	SNAPSHOT_SYNTHETIC
};

/* How one refers to another. */
enum snapshot_link {
	SNAPSHOT_PLAIN,
	SNAPSHOT_ELEMENT,
	SNAPSHOT_PROPERTY,
	SNAPSHOT_INTERNAL,
	SNAPSHOT_CONCEALED,
	SNAPSHOT_SHORTCUT,
	SNAPSHOT_WEAK
};

/* Strings that mean something. */
enum snapshot_word {
	SNAPSHOT_NO_WORD,
	SNAPSHOT_IS_OBJECT,      /* the constructor of plain objects */
	SNAPSHOT_IS_PROTO,       /* __proto__ */
	SNAPSHOT_IS_SHARED,      /* from a closure to what it has in common with others, */
	SNAPSHOT_IS_SCRIPT,      /* and from there to its script */
	SNAPSHOT_IS_DOM_TREES,   /* the root of documents */
	SNAPSHOT_IS_STRING_DATA, /* memory of a string that is elsewhere */
	SNAPSHOT_IS_EPHEMERON,   /* from a WeakMap's table, or from its key, to a value */
	SNAPSHOT_IS_ELEMENT      /* "<div id=...": an element with its attributes */
};

/* What is known of an object beside its type. */
enum {
	SNAPSHOT_STATE = 3, /* of a DOM node: these bits are one of the next two, or unknown */
	SNAPSHOT_ATTACHED = 1,
	SNAPSHOT_DETACHED = 2,
	SNAPSHOT_VISITED = 4,
	SNAPSHOT_OF_PAGE = 8,  /* reachable from what belongs to the page */
	SNAPSHOT_SHAPED = 16,  /* `name` is its shape */
	SNAPSHOT_REACHED = 32, /* it has a number */
	SNAPSHOT_PLACED = 64   /* `name` is its frame already */
};

enum { SNAPSHOT_NODES, SNAPSHOT_EDGES, SNAPSHOT_LOCATIONS, SNAPSHOT_STRINGS, SNAPSHOT_PARTS };

#define SNAPSHOT_FIELDS_MOST 32
#define SNAPSHOT_TYPES_MOST 255
#define SNAPSHOT_NONE UINT32_MAX
/* How often in a long loop it is asked whether the profile is still wanted. */
#define SNAPSHOT_STEP 0xffff

/* Where the fields of rows stand; `n` is how many there are, and what a missing one has. */
struct snapshot_fields {
	unsigned type, name, id, size, edges, detached;
	unsigned n;
	unsigned edge_type, edge_name, edge_to;
	unsigned edge_n;
	unsigned object, script, script_object, line, column;
	unsigned location_n;
};

struct snapshot_type {
	enum snapshot_kind kind;
	pp_frame class; /* of its instances, where that does not depend on their names */
};

struct snapshot {
	struct pp_json_doc doc;
	bool has_meta;
	struct snapshot_fields fields;
	struct snapshot_type types[SNAPSHOT_TYPES_MOST + 1];
	unsigned char links[SNAPSHOT_TYPES_MOST + 1];
	unsigned type_n, link_n;
	uint64_t node_count, edge_count, root_index; /* as stated */
	const unsigned char *parts[SNAPSHOT_PARTS];  /* where each begins */
	bool whole[SNAPSHOT_PARTS];                  /* it was read to its end */
	struct pp_behind behind;

	/* Objects. */
	uint32_t nodes, node_cap, root;
	uint64_t *size;
	uint32_t *name;  /* a string; from pp_snapshot_classes() on a frame, 0 = none of its own */
	uint32_t *first; /* its edges, one more at the end */
	uint32_t *id;
	unsigned char *type, *state;
	/* References. */
	uint32_t edges, edge_cap;
	uint32_t *to, *label;
	unsigned char *link;
	/* Strings: where each begins in the text, and which it is. */
	PP_VEC(uint64_t) strings;
	PP_VEC(unsigned char) words;

	/* By object that was reached, in the order of a walk: which it is, and who holds it alone. */
	uint32_t reached; /* at all */
	uint32_t held;    /* from the root; the others have no holder or a weak one */
	uint32_t *vertex, *dom;
	uint32_t *number; /* back, while that is looked for: SNAPSHOT_NONE = not reached */
};

/* tables.c: false when there is nothing to go on with. */
bool pp_snapshot_tables_read(struct snapshot *);
void pp_snapshot_release(struct snapshot *);
/* A string; `raw.p` is NULL when it is not there. */
struct pp_json_str pp_snapshot_string(const struct snapshot *, uint32_t);
/* Scans a part anew: the next row of so many numbers; false at the end. */
bool pp_snapshot_row(struct snapshot *, struct pp_scan *, unsigned n, uint64_t *row);
struct pp_scan pp_snapshot_scan(const struct snapshot *, unsigned part);

/* graph.c: false when out of memory. */
bool pp_snapshot_mark(struct snapshot *);
bool pp_snapshot_sizes(struct snapshot *);
/* Leaves only references that hold something. */
void pp_snapshot_essential(struct snapshot *);

/* shapes.c: the class of each shape, by `name` of objects that have one. False when out of memory. */
struct snapshot_shapes {
	PP_VEC(pp_frame) class;
};
bool pp_snapshot_shapes(struct snapshot *, struct snapshot_shapes *);

/* classes.c */
void pp_snapshot_classes(struct snapshot *);

/* dominators.c: false when out of memory. */
bool pp_snapshot_dominators(struct snapshot *);

/* tree.c */
void pp_snapshot_tree(struct snapshot *, uint32_t series, uint32_t size, uint32_t objects);

static inline enum snapshot_kind
pp_snapshot_kind(const struct snapshot *s, uint32_t node)
{
	return s->types[s->type[node]].kind;
}

static inline enum snapshot_word
pp_snapshot_word(const struct snapshot *s, uint32_t string)
{
	return string < s->words.n ? (enum snapshot_word)s->words.at[string] : SNAPSHOT_NO_WORD;
}

/* The frame of a class. */
static inline pp_frame
pp_snapshot_frame(struct snapshot *s, struct pp_func_row func)
{
	return pp_build_frame(s->doc.b,
	                      &(struct pp_frame_row){ .func = pp_build_func(s->doc.b, &func) });
}

#endif
