/*
 * What a profile is, as `info` and the summary tell it to scripts.
 */
#ifndef PP_DESCRIBE_H
#define PP_DESCRIBE_H

#include "analysis/counts.h"
#include "questions/answer.h"
#include "text/json_emit.h"

/* Whether the reader saw samples only as weights: how many is the primary metric's total, which may pass 64 bits. */
bool pp_samples_are_weights(const struct pp_profile *);
/* "format" to "time". */
void pp_answer_profile(struct pp_answer *, const struct pp_profile *, const struct pp_counts *);
/* "key": the metadata of a profile, nested as in the file; and the same as a value of JSON that is begun elsewhere. */
void pp_answer_meta(struct pp_answer *, const char *key, const struct pp_profile *);
void pp_meta_json(struct pp_json *, const struct pp_profile *);
/* Appends how much of a metric was idle: " (526 ms idle)"; nothing where nothing was. */
void pp_describe_idle(struct pp_buf *, const struct pp_profile *, size_t metric);
/* How a file is called in text: standard input has no name. */
struct pp_slice pp_file_title(const char *file);

/* What is said of the callers of a function, or of what it calls: before a list of them, or when there are none. */
const char *pp_calls_said(const struct pp_profile *, bool callers, bool any);
/* What rows of functions are called: those of who holds whom are of classes. */
const char *pp_function_said(const struct pp_profile *, bool many);

#endif
