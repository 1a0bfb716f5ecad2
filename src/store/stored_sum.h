/*
 * The sum of several profiles, as polyprof 0.1 stored it in ClickHouse (`store compact --older-than`). Such sums are read, and made no
 * more: a sum has lost the variance of its parts, so comparisons of it were wrong.
 *
 * The bytes need nothing else to be read: they begin with a dictionary of their own.
 *
 *     texts, as store/record.h has them: the parts of the dictionary in their order, each number of rows and bytes · shape · own ·
 *     number of series · for each: its sub, whether it has calls, number of rows · for each row: stack less the one before, cells
 */
#ifndef PP_STORED_SUM_H
#define PP_STORED_SUM_H

#include "store/pack.h"

/* Makes the profile of such bytes, and counts the profiles in it. PP_E_INVALID if they are damaged. */
pp_status pp_stored_sum_read(struct pp_slice bytes, struct pp_own_facts *, struct pp_profile **out);

#endif
