/*
 * Writing SPAA: what the writer of stacks and the carrier of everything else share.
 */
#ifndef PP_SPAA_WRITE_H
#define PP_SPAA_WRITE_H

#include "base/hash.h"
#include "formats/spaa/spaa.h"
#include "text/json_emit.h"

/* Ids are hashed by FNV-1a: that must never change. */
static inline uint64_t
pp_spaa_fnv_byte(uint64_t h, unsigned char c)
{
	return (h ^ c) * PP_FNV_PRIME;
}

/*
 * What a stack record adds to the sum by which a carrier knows its stacks again: its id and the values
 * of its weights, in any order of records.
 */
static inline uint64_t
pp_spaa_mark_id(struct pp_slice id)
{
	return pp_fnv_add(PP_FNV_BASIS, id.p, id.n);
}

static inline uint64_t
pp_spaa_mark_value(uint64_t id, const struct pp_decimal *n)
{
	uint64_t bits = n->magnitude;

	if (n->is_real)
		memcpy(&bits, &n->real, sizeof bits);
	return (id ^ bits ^ n->scale) * PP_FNV_PRIME;
}

/* An event as it is written: those of the profile first, then one for each metric that needs it. */
struct pp_spaa_out_event {
	struct pp_slice name;
	pp_str event;     /* of series and metrics; 0 = all */
	uint32_t primary; /* metric */
	bool freed;       /* a side event of negative values */
	bool used;
	struct pp_buf own_name;
};

/* A row of own cost: which node, whose cells. */
struct pp_spaa_out_row {
	pp_node node;
	uint32_t series;
	const int64_t *cells; /* NULL: there are many, those of row `row` that many() tells */
	uint32_t row;
};

struct pp_spaa_out;
/* The costs that are written, by stack: write_rows.c. */
struct pp_spaa_out_costs {
	const struct pp_tree *tree; /* of frames, or of functions */
	struct pp_tree own_tree;
	pp_node *map; /* node of the profile -> node of the tree; NULL = the same */
	uint16_t
	    *kinds; /* per function, when written by function: PP_FRAME_KINDS of its first frame */
	PP_VEC(struct pp_spaa_out_row) rows; /* by node */
	struct pp_not_own_row *less;         /* what is not the own cost of leaves, by node */
	size_t less_n;
	struct pp_cells (*many)(const struct pp_spaa_out *, uint32_t series, uint32_t row);
	/* Where stacks are a list (profile->held): a node is the number of a stack + 1, */
	const struct pp_held *list;
	uint32_t *node_of;   /* that of the first stack that is the same, by stack; */
	uint32_t *record_of; /* and its first record + 1, by node. */
};

/* A stack record that there will be: the rows from `first` on that are of an event. */
struct pp_spaa_out_record {
	uint64_t id;
	uint64_t weight; /* of its first metric, as a number that has its order */
	size_t first;
	uint32_t event; /* whose costs they are */
	uint32_t what;  /* 0 = the record of the event, else 1 + the metric of a side event */
	uint32_t rank;  /* the event that it is written as */
};

struct pp_spaa_out {
	struct pp_writer *w;
	const struct pp_profile *p;
	struct pp_json json;
	bool split, by_func, samples, terse;
	bool native;   /* the profile came from SPAA itself */
	bool own_meta; /* its metadata are the header's */
	struct pp_spaa_out_costs from;
	int64_t *own; /* by function, where calls tell it together only */
	PP_VEC(struct pp_spaa_out_event) events;
	size_t main_events;
	PP_VEC(struct pp_spaa_out_record) records;
	uint64_t
	    *order;     /* the records as they are written: the lower 32 bits are a number of one */
	uint32_t *side; /* per metric: its side events, positive and negative; 0 = none */
	uint64_t *hash; /* per node: of its path */
	uint64_t *keys; /* per frame or function: of itself */
	uint32_t *dso_of; /* per module: its number; [0] for none, [modules.n] for kernels */
	struct pp_map
	    ids; /* those written; 0, or how many of `moved` tell where others of it went */
	PP_VEC(uint64_t) moved;
	bool may_clash; /* two records may have hashed alike */
	struct pp_spaa_out_weight {
		struct pp_buf head, tail;
	} * weights; /* per metric, positive and negative */
	uint64_t stacks, sum;
	PP_VEC(uint32_t) path; /* keys of a stack, the leaf first */
	/* Keys and a comma as text, and how much that is; 0 = too long. */
	struct pp_spaa_out_digits {
		char text[7];
		uint8_t n;
	} * digits;
	size_t digits_n;
	struct pp_buf weights_text, own_text; /* lists of the record in work */
	struct pp_buf line, context;          /* the context of the event and series written last */
	bool in_place;                        /* a line in work is in the output, not in `line` */
	uint32_t context_event, context_series;
	bool carries_costs; /* of functions */
	bool failed;
};

/* A stack record to be written. */
struct pp_spaa_out_stack {
	const struct pp_spaa_out_event *event;
	pp_node node;
	uint32_t series; /* meaningful when split */
	unsigned part;   /* of a sum that one record cannot hold */
	uint64_t id;     /* of the first part */
};

/* What the rows of a stack add up to, per metric, and what of it is not the leaf's own. */
struct pp_spaa_sums {
	union pp_value *all, *less;
	/* Metrics that may have any, in order: all, or where there are many those that rows of the stack have. */
	uint32_t *used;
	size_t n;
	bool *is_used;          /* by metric, where there are many */
	struct pp_map event_of; /* the name of an event: its number */
};

/* Collects the rows, the tree they are of, and what is not leaves' own; false when out of memory. */
bool pp_spaa_out_rows(struct pp_spaa_out *);
/* Sorts rows by node, of which there are so many; those of one node stay in the order of the series. */
bool pp_spaa_rows_sort(struct pp_spaa_out *, size_t nodes);
/* The same from a list of stacks: write_list.c. */
bool pp_spaa_out_list(struct pp_spaa_out *);
/* Hashes of the stacks of a list; the keys are known. */
bool pp_spaa_list_hashes(struct pp_spaa_out *);
/* The keys of a node and its ancestors, the leaf first, are o->path then; false when out of memory. */
bool pp_spaa_out_path(struct pp_spaa_out *, pp_node);
/* Whether a metric belongs to an event. */
bool pp_spaa_out_has(const struct pp_spaa_out *, const struct pp_spaa_out_event *, size_t metric);
/* The id: the path, the event, and what else keeps records apart. */
uint64_t pp_spaa_out_id(const struct pp_spaa_out *, const struct pp_spaa_out_stack *);

/*
 * The group of rows that make one stack, with what they add up to, which is used up: writes the record that `what` says,
 * or only notes all records and side events that there will be.
 */
void pp_spaa_group_write(struct pp_spaa_out *, struct pp_spaa_out_record, struct pp_spaa_sums *,
                         bool write);

/* Gives records ids that no two have. */
void pp_spaa_ids_claim(struct pp_spaa_out *);

/* The frame or function of a node as the frame row that is written. */
struct pp_frame_row pp_spaa_out_frame(const struct pp_spaa_out *, uint32_t key);

/*
 * Writes a record by the grammar: what it must have, and of the rest what its mask says that it has
 * (PP_SPAA_BIT(condition, FRAME_IP) | ...).
 */
void pp_spaa_record_write(struct pp_json *, enum pp_spaa_type, const void *record);
#define PP_SPAA_BIT(condition, key) ((condition) ? 1u << PP_SPAA_K_##key : 0u)

/* Header, dictionaries: write_dict.c. */
void pp_spaa_write_header(struct pp_spaa_out *);
void pp_spaa_write_dicts(struct pp_spaa_out *);
/* Stacks: write_stacks.c. The first finds the records, and with them the side events, that there are. */
void pp_spaa_find_records(struct pp_spaa_out *);
void pp_spaa_write_stacks(struct pp_spaa_out *);
/* Samples: write_samples.c. */
void pp_spaa_write_samples(struct pp_spaa_out *);
/* A path and one more frame. */
static inline uint64_t
pp_spaa_path_add(uint64_t path, uint64_t frame)
{
	unsigned i;

	for (i = 0; i < 64; i += 8)
		path = pp_spaa_fnv_byte(path, (unsigned char)(frame >> i));
	return path;
}

/* The hash of what a frame is called. */
uint64_t pp_spaa_frame_key(struct pp_spaa_out *, uint32_t key);
/* Everything that SPAA has no place for: carry.c. */
void pp_spaa_carry_write(struct pp_spaa_out *);
/* Whether a profile has anything that must be carried. */
bool pp_spaa_carry_needed(const struct pp_profile *);

pp_status pp_spaa_write(struct pp_writer *);

#endif
