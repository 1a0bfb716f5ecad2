/*
 * Profiles that are nothing but stacks, as cells over a dictionary; and back.
 *
 * What is left beside the cells: of what many profiles have in common (the shape: format, producer, metrics), of the
 * series that cells belong to (thread, labels: the sub), and of what one profile has of its own (counts, times,
 * metadata). All three are bytes that are equal where what they tell is equal.
 */
#ifndef PP_PACK_H
#define PP_PACK_H

#include "api/provider.h"
#include "store/cells.h"
#include "store/dict.h"

/*
 * Whether cells can hold what questions ask for, read without what happened when and without lines; `findings` is how many
 * were told when it was read, but for notes.
 */
bool pp_pack_possible(const struct pp_profile *, uint64_t findings);
/*
 * Whether they hold less than the input, which then stays beside them: it tells what happened when, what lines cost, or what
 * was gained where memory is given back, which only some questions want to know.
 */
bool pp_pack_is_part(const struct pp_profile *);

/*
 * Whether its format keeps more than any profile holds, which one that is written in the same format has (PP_EXTRAS). Sums have
 * nothing of it, so only a profile that is loaded alone needs its input for that.
 */
bool pp_pack_has_details(const struct pp_profile *);

/* ---- into cells ---- */

/* Cells of one column of one series: a metric, or calls where that is metrics.n. */
struct pp_packed_cells {
	uint32_t series, metric;
	struct pp_cell_sum sum;
	struct pp_buf data;
};

struct pp_packed {
	struct pp_buf shape, own;
	PP_VEC(struct pp_buf) subs; /* by series */
	PP_VEC(struct pp_packed_cells) cells;
	bool is_part;     /* pp_pack_is_part(), or there are notes */
	bool is_detailed; /* pp_pack_has_details() */
};

/* What is known of an input beside what was read of it. */
struct pp_pack_input {
	uint64_t size;
	bool noted; /* its reader told notes, which are told again by whoever reads it */
};

/*
 * What a profile was read from, read again; NULL where cells cannot hold it, or out of memory. Then an extract (store/extract.h)
 * is appended, if there can be one and `extract` is not NULL.
 */
struct pp_profile *pp_stored_read(struct pp_supply *, const char *path, const char *format,
                                  struct pp_pack_input *, struct pp_buf *extract);
/*
 * Appends the extract that this makes, if there is one, of a profile that was just read from that with all facets but what happened
 * when; `noted`: its reader told something. It is read again only where its format may tell labels or threads of calls (SPAA).
 * Large ones (8 MB) have none: adding takes no second profile beside the first.
 */
void pp_stored_extract(const struct pp_profile *, bool noted, struct pp_supply *, const char *path,
                       struct pp_buf *extract);

/* A status as that of pp_dict_add(). What it holds is to be released whatever the status. */
pp_status pp_pack(struct pp_dict *, const struct pp_profile *, const struct pp_pack_input *,
                  struct pp_packed *);
void pp_packed_release(struct pp_packed *);

/* ---- out of cells ---- */

/* Metrics of a shape, and whether there are calls. */
struct pp_shape {
	struct pp_builder b; /* a profile that is like it, without series and nodes */
	size_t metrics;
	bool is_part;       /* the input is there for what it does not tell */
	bool described;     /* only the input tells all that there is to say of the whole */
	bool without_gains; /* what is made of it must not tell what was gained */
};

/* PP_E_INVALID when the bytes are none. */
pp_status pp_shape_read(struct pp_shape *, struct pp_slice bytes, uint64_t seed);
void pp_shape_release(struct pp_shape *);

/* One series: rows of cells by stack, in ascending order. */
struct pp_unpacked_series {
	struct pp_slice sub; /* its bytes */
	bool has_calls;
	uint32_t rows;
	uint32_t *stacks;
	int64_t *cells; /* per row: one of each metric, then calls when has_calls */
};

/*
 * Where nodes, frames and functions of a dictionary are in a profile that is made of it, by their number there. All are 0 in
 * between, so that many small profiles can be made of a large dictionary.
 */
struct pp_dict_marks {
	uint32_t *nodes;
	pp_frame *frames;
	pp_func *funcs;
	size_t node_room, frame_room, func_room;
};
void pp_dict_marks_release(struct pp_dict_marks *);

/* What is read of cells: their rows, one series after the other. */
struct pp_unpack {
	const struct pp_dict *dict;
	struct pp_dict_marks *marks;
	PP_VEC(struct pp_unpacked_series) series;
};

void pp_unpack_release(struct pp_unpack *);
/*
 * Adds a series out of the rows of one profile: `cells` has a column for each metric, then one for calls. Takes both lists
 * over, whatever the status.
 */
pp_status pp_unpack_take(struct pp_unpack *, struct pp_slice sub, uint32_t *stacks, int64_t *cells,
                         uint32_t rows, size_t metrics, bool has_calls);
/* Adds a series: the sums of each metric, then those of calls or NULL. */
pp_status pp_unpack_add(struct pp_unpack *, struct pp_slice sub, const struct pp_cell_sums *,
                        size_t metrics, bool has_calls);

/* What is true of single profiles, and of several together. */
struct pp_own_facts {
	uint64_t profiles; /* that it stands for */
	uint64_t events, samples;
	struct pp_slice bytes; /* all that there is of the only one; else empty */
	uint64_t size;         /* of the input of the last one */
};

/* Adds the counts out of what a profile has of its own; false when that is damaged. */
bool pp_own_add(struct pp_slice bytes, struct pp_own_facts *);
/* What a profile has of its own in numbers, out of these bytes. */
struct pp_own_numbers {
	uint64_t events, samples;
	struct pp_time_span time;
};
struct pp_own_numbers pp_own_numbers(struct pp_slice bytes);
/* All functions of a dictionary in a profile of a shape, which is of no use afterwards: the names that profiles share. */
pp_status pp_unpack_names(const struct pp_dict *, struct pp_shape *, struct pp_profile **out);

/* Makes the profile, out of a shape that is of no use afterwards. */
pp_status pp_unpack_profile(struct pp_unpack *, struct pp_shape *, const struct pp_own_facts *,
                            struct pp_profile **out);
/*
 * Makes a dictionary, empty so far, that of some stacks of another: `used` has a bit for each. stack_map (one entry for each
 * stack) receives where each went; their order stays.
 */
pp_status pp_dict_shrink(const struct pp_dict *, const uint64_t *used, struct pp_dict *to,
                         uint32_t *stack_map);
/*
 * The costs of its functions and nothing else, out of the sums of each metric over all series. PP_E_UNSUPPORTED where only
 * the whole profile tells them; the shape is as before then.
 */
pp_status pp_unpack_costs(const struct pp_dict *, struct pp_shape *, const struct pp_cell_sums *,
                          const struct pp_own_facts *, struct pp_profile **out);

#endif
