/*
 * Writing NYTProf's bytes, deflated from some place on.
 */
#ifndef PP_NYTPROF_EMIT_H
#define PP_NYTPROF_EMIT_H

#include "io/sink.h"
#include "io/squeeze.h"

struct pp_nyt_out {
	struct pp_sink *sink;
	struct pp_squeeze *squeeze; /* NULL = plain */
	unsigned char *buffer;
	size_t n;
	bool failed; /* out of memory */
};

bool pp_nyt_out_init(struct pp_nyt_out *, struct pp_sink *);
/* Writes what is left and frees. PP_E_NOMEM or the sink's status. */
pp_status pp_nyt_out_finish(struct pp_nyt_out *);
/* What follows is one zlib stream; the caller has written the 'z'. */
void pp_nyt_out_deflate(struct pp_nyt_out *);

void pp_nyt_out_bytes(struct pp_nyt_out *, const void *p, size_t n);
void pp_nyt_out_byte(struct pp_nyt_out *, unsigned char);
void pp_nyt_out_uint(struct pp_nyt_out *, uint32_t);
void pp_nyt_out_number(struct pp_nyt_out *, double);
/* A tagged string of bytes. */
void pp_nyt_out_string(struct pp_nyt_out *, struct pp_slice);
/* ":key=value\n" or with '!'. */
void pp_nyt_out_setting(struct pp_nyt_out *, char tag, struct pp_slice key, struct pp_slice value);
/* The same bytes many times over. */
void pp_nyt_out_repeat(struct pp_nyt_out *, const unsigned char *p, size_t n, uint64_t times);

#endif
