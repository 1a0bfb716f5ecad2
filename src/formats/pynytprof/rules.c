/*
 * The findings of Pynytprof streams, as the table that others see.
 */
#include "formats/pynytprof/doc.h"

const struct pp_rule pp_pynytprof_rules[] = {
#define RULE(name, id, severity, title, text) { id, severity, title, text },
#include "formats/pynytprof/rule_list.h"
#undef RULE
	{ 0 },
};
