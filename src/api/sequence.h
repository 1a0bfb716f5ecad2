/*
 * Profiles that are asked about one after the other, so that not all are held at once.
 */
#ifndef PP_SEQUENCE_H
#define PP_SEQUENCE_H

#include "api/reply.h"

/* Replaces a profile by what is to be seen of it. */
pp_status pp_topic_scope(struct pp_reply *, const struct pp_want *, struct pp_profile **);

/* Whether runs can be read one after the other: nothing that is asked for needs them all. */
bool pp_runs_stream(const struct pp_reply *, const struct pp_load_order *);
/* Many runs: each is read, added to what is compared, and let go of unless the answer names a function of it. */
pp_status pp_ask_runs(struct pp_reply *, const char *const *files, const struct pp_load_order *);
/* Profiles of a store by time. */
pp_status pp_ask_over_time(struct pp_reply *, const char *const *files, size_t n);

#endif
