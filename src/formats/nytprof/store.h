/*
 * The records of a stream as they were read.
 */
#ifndef PP_NYTPROF_STORE_H
#define PP_NYTPROF_STORE_H

#include "base/buf.h"
#include "base/common.h"
#include "model/profile.h"

struct pp_nyt_store;

/* NULL when out of memory. */
struct pp_nyt_store *pp_nyt_store_new(void);
void pp_nyt_store_free(void *ctx);
/* Appends bytes; a tap for streams. */
void pp_nyt_store_add(void *ctx, const unsigned char *p, size_t n);
/* What was added so far ends with the 'z': the rest is deflated in the file. */
void pp_nyt_store_deflate(struct pp_nyt_store *);
/* Memory ran out: something is missing. */
bool pp_nyt_store_failed(const struct pp_nyt_store *);
bool pp_nyt_store_deflated(const struct pp_nyt_store *);
/* Hands out the bytes before (and with) the 'z', or those after it. */
void pp_nyt_store_walk(const struct pp_nyt_store *, bool deflated,
                       void (*take)(void *ctx, const unsigned char *p, size_t n), void *ctx);
/* The store that is a profile's private data as bytes and back, for formats that carry it. */
bool pp_nyt_carry_save(const struct pp_profile *, struct pp_buf *out);
pp_status pp_nyt_carry_load(struct pp_profile *, struct pp_slice bytes);

#endif
