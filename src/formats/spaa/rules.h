/*
 * Every finding that reading or writing SPAA can have: rule_list.h.
 */
#ifndef PP_SPAA_RULES_H
#define PP_SPAA_RULES_H

#include "base/common.h"

/* Positions in pp_spaa_rules[]. */
enum pp_spaa_rule {
#define RULE(name, id, severity, title, text) PP_SPAA_R_##name,
#include "formats/spaa/rule_list.h"
#undef RULE
	PP_SPAA_RULES
};

extern const struct pp_rule pp_spaa_rules[];

#endif
