/*
 * All rules by where they belong.
 */
#include "cli/rules.h"

#include "io/rules.h"
#include "model/rules.h"

const struct pp_rule *
pp_rules_of(size_t source, const char **name)
{
	static const struct pp_rule none[] = { { 0 } };
	size_t i;

	if (source == 0) {
		*name = "io";
		return pp_io_rules;
	}
	if (source == 1) {
		*name = "loss";
		return pp_loss_rules;
	}
	if (source == 2) {
		*name = "model";
		return pp_model_rules;
	}
	for (i = 0; pp_formats[i]; i++)
		if (i + 3 == source) {
			*name = pp_formats[i]->name;
			return pp_formats[i]->rules ? pp_formats[i]->rules : none;
		}
	return NULL;
}
