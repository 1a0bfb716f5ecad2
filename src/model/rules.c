/*
 * The rules of the model.
 */
#include "model/rules.h"

const struct pp_rule pp_model_rules[PP_MODEL_RULE_COUNT + 1] = {
	[PP_MODEL_SUM_OVERFLOW] = { "sum-overflow", PP_ERROR,
	                            "a sum of costs does not fit into 64 bits",
	                            "What equal stacks, lines or calls cost is added up exactly. With what stands here the sum "
	                            "would pass 64 bits, so it is left out; what was added before stays, and the profile is "
	                            "marked incomplete." },
	{ 0 },
};
