/*
 * Every finding that reading or writing SPAA can have, as the table that others see.
 */
#include "formats/spaa/rules.h"

const struct pp_rule pp_spaa_rules[] = {
#define RULE(name, id, severity, title, text) { id, severity, title, text },
#include "formats/spaa/rule_list.h"
#undef RULE
	{ 0 },
};
