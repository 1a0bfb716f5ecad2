/*
 * Every finding about NYTProf streams.
 */
#ifndef PP_NYTPROF_RULES_H
#define PP_NYTPROF_RULES_H

#include "polyprof/polyprof.h"

enum pp_nyt_rule {
#define RULE(name, id, severity, title, text) PP_NYT_##name,
#include "formats/nytprof/rule_list.h"
#undef RULE
};

extern const struct pp_rule pp_nytprof_rules[];

/* So many scripts of one file are told apart: each process is compared with all of them. */
#define PP_NYT_SCRIPTS_MOST 64

#endif
