/*
 * The records of a stream as they were read, so that they can be written back: deflated again where they were, on the
 * way, since they take a tenth of the memory then.
 */
#ifndef PP_NYTPROF_STORE_H
#define PP_NYTPROF_STORE_H

#include "base/buf.h"
#include "formats/nytprof/emit.h"
#include "model/profile.h"

struct pp_nyt_store {
	struct pp_buf bytes; /* of a file; whole when finished */
	struct pp_sink *sink;
	struct pp_nyt_out out;
};

/* NULL when out of memory. */
struct pp_nyt_store *pp_nyt_store_new(void);
void pp_nyt_store_free(void *ctx);
/* Appends bytes; a tap for streams. */
void pp_nyt_store_add(void *ctx, const unsigned char *p, size_t n);
/* What was added so far ends with the 'z'. */
void pp_nyt_store_deflate(struct pp_nyt_store *);
/* Nothing more will be added; false when out of memory. */
bool pp_nyt_store_finish(struct pp_nyt_store *);
/* The store that is a profile's private data, or NULL. */
const struct pp_nyt_store *pp_nyt_store_of(const struct pp_profile *);
/* It as bytes and back, for formats that carry it. */
bool pp_nyt_carry_save(const struct pp_profile *, struct pp_buf *out);
pp_status pp_nyt_carry_load(struct pp_kept_facet *, struct pp_slice bytes);

#endif
