/*
 * Labels as `info` lists them.
 */
#ifndef PP_LABEL_LIST_H
#define PP_LABEL_LIST_H

#include "analysis/tags.h"
#include "questions/answer.h"

/* "labels": [{"key": ..., "values": 3, "costliest": [...]}], and a line for people, where there are any. */
void pp_answer_labels(struct pp_answer *, const struct pp_profile *);

#endif
