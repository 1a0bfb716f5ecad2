/*
 * A call of the library counts the memory it takes, unless whoever calls it counts already: the command
 * line has one account for all that it does.
 */
#ifndef PP_METER_H
#define PP_METER_H

#include "base/common.h"

struct pp_meter {
	struct pp_account account;
	struct pp_account *before;
};

/* Starts to count: `held` bytes are there already. A limit of 0 is the default, a share of the machine's memory. */
void pp_meter_start(struct pp_meter *, uint64_t limit, uint64_t held);
/* Ends it. Out of memory because of the limit becomes PP_E_LIMIT. */
pp_status pp_meter_stop(struct pp_meter *, pp_status);

#endif
