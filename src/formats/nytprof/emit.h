/*
 * Writing NYTProf's bytes, deflated from some place on.
 */
#ifndef PP_NYTPROF_EMIT_H
#define PP_NYTPROF_EMIT_H

#include "io/sink.h"
#include "io/squeeze.h"

struct pp_nyt_out {
	struct pp_sink *sink;       /* where records go */
	struct pp_sink *outer;      /* the file */
	struct pp_squeeze *squeeze; /* between the two; NULL = they are the same */
};

void pp_nyt_out_init(struct pp_nyt_out *, struct pp_sink *);
/* Writes what is left and frees. PP_E_NOMEM or the sink's status. */
pp_status pp_nyt_out_finish(struct pp_nyt_out *);
/* What follows is one zlib stream; the caller has written the 'z'. */
void pp_nyt_out_deflate(struct pp_nyt_out *);

static inline void
pp_nyt_out_bytes(struct pp_nyt_out *o, const void *p, size_t n)
{
	pp_sink_write(o->sink, p, n);
}

static inline void
pp_nyt_out_byte(struct pp_nyt_out *o, char c)
{
	pp_sink_putc(o->sink, c);
}

void pp_nyt_out_uint(struct pp_nyt_out *, uint32_t);
void pp_nyt_out_number(struct pp_nyt_out *, double);
/* A tagged string of bytes. */
void pp_nyt_out_string(struct pp_nyt_out *, struct pp_slice);
/* ":key=value\n" or with '!'. */
void pp_nyt_put_setting(struct pp_sink *, char tag, struct pp_slice key, struct pp_slice value);

#endif
