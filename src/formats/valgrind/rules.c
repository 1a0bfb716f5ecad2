/*
 * The findings of the family, as the tables that others see.
 */
#include "formats/valgrind/family.h"

#define ROW(name, id, severity, title, text) { id, severity, title, text },

const struct pp_rule pp_callgrind_rules[] = {
#define CALLGRIND ROW
#include "formats/valgrind/rule_list.h"
	{ 0 },
};

const struct pp_rule pp_xdebug_rules[] = {
#define XDEBUG ROW
#include "formats/valgrind/rule_list.h"
	{ 0 },
};

const struct pp_rule pp_cachegrind_rules[] = {
#define CACHEGRIND ROW
#include "formats/valgrind/rule_list.h"
	{ 0 },
};
