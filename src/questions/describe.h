/*
 * What a profile is, as `info` and the summary tell it to scripts.
 */
#ifndef PP_DESCRIBE_H
#define PP_DESCRIBE_H

#include "analysis/counts.h"
#include "questions/answer.h"

/* "format" to "time". */
void pp_answer_profile(struct pp_answer *, const struct pp_profile *, const struct pp_counts *);
/* How a file is called in text: standard input has no name. */
struct pp_slice pp_file_title(const char *file);

#endif
