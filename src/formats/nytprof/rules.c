/*
 * The findings of NYTProf streams, as the table that others see.
 */
#include "formats/nytprof/rules.h"

const struct pp_rule pp_nytprof_rules[] = {
#define RULE(name, id, severity, title, text) { id, severity, title, text },
#include "formats/nytprof/rule_list.h"
#undef RULE
	{ 0 },
};
