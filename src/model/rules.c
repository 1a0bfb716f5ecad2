/*
 * The rules of the model.
 */
#include "model/rules.h"

const struct pp_rule pp_model_rules[PP_MODEL_RULE_COUNT + 1] = {
	[PP_MODEL_SUM_OVERFLOW] = { "sum-overflow", PP_ERROR,
	                            "a sum of costs does not fit into 64 bits",
	                            "What equal stacks, lines or calls cost is added up "
	                            "exactly. With this one the sum would exceed 64 bits, so "
	                            "it is left out; what was added before stays, and the "
	                            "profile is marked incomplete." },
	[PP_MODEL_ESTIMATED] = { "stacks-estimated", PP_WARNING,
	                         "stacks were estimated from pairs of caller and callee",
	                         "The profile knows what each function called, not on which "
	                         "whole stacks. Each function's cost is divided among its "
	                         "callers in proportion to what they spent in it. The "
	                         "message says how much of the cost is on stacks that are "
	                         "certain." },
	{ 0 },
};
