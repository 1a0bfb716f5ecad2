/*
 * The records by which a SPAA file carries a profile of another format; docs/formats/spaa.md tells
 * their layout.
 */
#ifndef PP_SPAA_CARRY_H
#define PP_SPAA_CARRY_H

#include "formats/spaa/write.h"

#define PP_SPAA_CARRY_PREFIX "x_polyprof_"

/* The tables of numbers, by the rest of their record type. */
enum pp_spaa_carry_table {
	PP_SPAA_T_MODULES,
	PP_SPAA_T_FUNCS,
	PP_SPAA_T_FRAMES,
	PP_SPAA_T_NODES,
	PP_SPAA_T_METRICS,
	PP_SPAA_T_SERIES,
	PP_SPAA_T_ROWS,
	PP_SPAA_T_EDGES,
	PP_SPAA_T_LINES,
	PP_SPAA_T_FUNC_CELLS,
	PP_SPAA_T_META,
	PP_SPAA_T_EXTRAS,
	PP_SPAA_T_SOURCES,
	PP_SPAA_T_PROFILE, /* one row: what is true of the whole profile */
	PP_SPAA_TABLES
};

/* Where costs of functions come from, as the profile's row says. */
enum { PP_SPAA_B_TREE, PP_SPAA_B_LINES, PP_SPAA_B_CALLS, PP_SPAA_B_COSTS };

extern const char *const pp_spaa_carry_names[PP_SPAA_TABLES];

/* Numbers in a row of a table; those with cells depend on the profile, rows on their series. */
size_t pp_spaa_carry_width(const struct pp_profile *, enum pp_spaa_carry_table,
                           const struct pp_series *series);

/* Base64 without line breaks. */
void pp_spaa_base64_add(struct pp_buf *, const void *bytes, size_t n);
/* False when it is not base64. */
bool pp_spaa_base64_take(struct pp_buf *, struct pp_slice text);

/* ---- reading ---- */

/* An x_ record: collected when it is one of ours. */
void pp_spaa_carry_record(struct pp_spaa_reader *, const struct pp_spaa_record *);
/* All records were seen: puts the carried profile in place of the one read, if it is whole. */
void pp_spaa_carry_finish(struct pp_spaa_reader *);
void pp_spaa_carry_free(struct pp_spaa_carry *);

#endif
