/*
 * Extracts as stores keep them: a parcel of one file, beside the input of a profile. What engines have in common of making and of
 * reading them.
 */
#ifndef PP_EXTRACT_KEPT_H
#define PP_EXTRACT_KEPT_H

#include "api/provider.h"
#include "store/extract.h"

/* Appends the parcel of an extract; false when out of memory. */
bool pp_extract_keep(struct pp_slice extract, struct pp_buf *out);
/*
 * The profile of such a parcel, supply->profile, and how large its input was; *size is that of the extract. PP_E_INVALID when
 * the bytes are none. Drop the supply in all cases.
 */
pp_status pp_extract_open(struct pp_slice parcel, struct pp_supply *, uint64_t *size);
/* Whether an order, NULL for all, wants to know what was gained, as pp_build_gains() sees it. */
bool pp_gains_ordered(const struct pp_order *, const struct pp_profile *like);
/* Whoever did not order what was gained is not told, as by the reader. */
pp_status pp_extract_settle(const struct pp_order *, struct pp_supply *);

#endif
