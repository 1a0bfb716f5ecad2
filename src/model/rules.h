/*
 * What can be found in a profile, whatever its format is.
 */
#ifndef PP_MODEL_RULES_H
#define PP_MODEL_RULES_H

#include "base/common.h"

enum pp_model_rule { PP_MODEL_SUM_OVERFLOW, PP_MODEL_ESTIMATED, PP_MODEL_RULE_COUNT };

/* Indexed by enum pp_model_rule; ends with id NULL. */
extern const struct pp_rule pp_model_rules[];

#endif
