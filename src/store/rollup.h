/*
 * Roll-ups: the sum of several profiles that cells can hold, as bytes that need nothing else to be read. The names and nodes of all of
 * them are in a dictionary of its own; cells stand beside it, added up by stack.
 *
 *     texts, as store/record.h has them: the parts of the dictionary in their order, each number of rows and bytes · shape · own ·
 *     number of series · for each: its sub, whether it has calls, number of rows · for each row: stack less the one before, cells
 *
 * For engines that have no dictionary of the store's: what SQLite keeps of a sum lies in its tables.
 */
#ifndef PP_ROLLUP_H
#define PP_ROLLUP_H

#include "store/pack.h"

/* A profile that was packed, and which of the rollup's series its own are. */
struct pp_rollup_part {
	struct pp_packed packed;
	PP_VEC(uint32_t) series;
};

struct pp_rollup {
	struct pp_dict dict;
	struct pp_own_facts facts;
	PP_VEC(struct pp_buf) subs; /* in the order in which they were met */
	PP_VEC(struct pp_rollup_part) parts;
	bool begun;
};

/* False when out of memory. To be released in all cases; zeroed is released. */
bool pp_rollup_init(struct pp_rollup *);
void pp_rollup_release(struct pp_rollup *);

/*
 * Adds a profile that was read for packing, in the order of the selection. With `facts` it is a sum itself, of which these are true.
 * PP_E_UNSUPPORTED: the sum would not tell all that the profiles do (times, other metrics, too many nodes or threads); the
 * rollup is of no use then.
 */
pp_status pp_rollup_add(struct pp_rollup *, const struct pp_profile *, const struct pp_pack_input *,
                        const struct pp_own_facts *);
/* Appends the sum. PP_E_UNSUPPORTED: a cell of it exceeds 64 bits. */
pp_status pp_rollup_write(struct pp_rollup *, struct pp_buf *);

/* The profile of such bytes, and what it stands for. PP_E_INVALID: they are none, or damaged. */
pp_status pp_rollup_read(struct pp_slice bytes, struct pp_own_facts *, struct pp_profile **out);

#endif
