/*
 * A call of the library counts the memory it takes.
 */
#include "api/meter.h"

#include "io/system.h"

void
pp_meter_start(struct pp_meter *m, uint64_t limit, uint64_t held)
{
	*m = (struct pp_meter){ .account = { .limit = limit ? limit : pp_memory_share() } };
	m->account.used = held < INT64_MAX ? (int64_t)held : INT64_MAX;
	m->before = pp_account_current();
	if (!m->before)
		(void)pp_account_enter(&m->account);
}

pp_status
pp_meter_stop(struct pp_meter *m, pp_status status)
{
	if (status == PP_E_NOMEM && pp_account_exceeded())
		status = PP_E_LIMIT;
	(void)pp_account_enter(m->before);
	return status;
}
