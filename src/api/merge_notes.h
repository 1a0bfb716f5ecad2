/*
 * What a merged profile could not take over.
 */
#ifndef PP_MERGE_NOTES_H
#define PP_MERGE_NOTES_H

#include "model/merge.h"
#include "questions/answer.h"

void pp_merge_notes(struct pp_answer *, const struct pp_merge *);

#endif
