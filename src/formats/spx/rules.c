/*
 * The findings of SPX reports, as the table that others see.
 */
#include "formats/spx/spx.h"

const struct pp_rule pp_spx_rules[] = {
#define RULE(name, id, severity, title, text) { id, severity, title, text },
#include "formats/spx/rule_list.h"
#undef RULE
	{ 0 },
};
