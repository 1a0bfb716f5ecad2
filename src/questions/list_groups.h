/*
 * Profiles of one URL or command as runs of the same: how long they took, and which are worth comparing.
 */
#ifndef PP_LIST_GROUPS_H
#define PP_LIST_GROUPS_H

#include "questions/question.h"

enum pp_list_by { PP_LIST_PROFILES, PP_LIST_BY_URL, PP_LIST_BY_PATH, PP_LIST_BY_COMMAND };

/* "by", "groups": a row for each, the one with the slowest run first; `usual` of them are shown to people. */
pp_status pp_list_groups(struct pp_answer *, const struct pp_listed *const *, size_t n,
                         enum pp_list_by, size_t usual);

#endif
