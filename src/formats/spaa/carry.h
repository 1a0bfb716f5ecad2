/*
 * The records by which a SPAA file carries a profile of another format; docs/formats/spaa.md tells
 * their layout. Most are tables of the model's schema, as it describes them.
 */
#ifndef PP_SPAA_CARRY_H
#define PP_SPAA_CARRY_H

#include "formats/spaa/write.h"
#include "model/schema.h"

#define PP_SPAA_CARRY_PREFIX "x_polyprof_"

/* Tables by the rest of their record type; NULL = it is not carried. */
extern const char *const pp_spaa_carry_names[PP_TABLES];

/*
 * Numbers in a row of a table. Series have all but their labels, which are pairs of series and set in records of their
 * own, so that profiles without labels are carried as they always were.
 */
size_t pp_spaa_carry_width(const struct pp_profile *, enum pp_table_id);
#define PP_SPAA_CARRY_LABELLED "labelled"

/*
 * Stacks that were never a tree: where the frames of each stand, the number of a stack record or below 0 that of a path
 * (-1 the first), and its cells; and such paths, root first. Who does not know them must not miss them, so the end of
 * such a profile is another one.
 */
#define PP_SPAA_CARRY_LISTED "listed"
#define PP_SPAA_CARRY_PATH "path"
#define PP_SPAA_CARRY_LISTED_END "listed_end"

/* Where costs of functions come from, as the profile's row says in this column. */
enum { PP_SPAA_B_TREE, PP_SPAA_B_LINES, PP_SPAA_B_CALLS, PP_SPAA_B_COSTS };
enum { PP_SPAA_CARRY_BASIS = 6 };

/* ---- reading ---- */

/* An x_ record: collected when it is one of ours. */
void pp_spaa_carry_record(struct pp_spaa_reader *, const struct pp_spaa_record *);
/* All records were seen: puts the carried profile in place of the one read, if it is whole. */
void pp_spaa_carry_finish(struct pp_spaa_reader *);
void pp_spaa_carry_free(struct pp_spaa_carry *);

#endif
