/*
 * Messages in protobuf's wire format, into a sink, compressed or not.
 */
#ifndef PP_PPROF_EMIT_H
#define PP_PPROF_EMIT_H

#include "base/buf.h"
#include "base/varint.h"
#include "io/sink.h"
#include "io/squeeze.h"

struct pprof_out {
	struct pp_sink *sink;
	struct pp_squeeze *squeeze; /* NULL = none */
	struct pp_buf block;        /* what waits to be written */
	struct pp_buf message;      /* that is being made, and parts of it */
	struct pp_buf part;
	bool no_memory;
};

/*
 * `how` is what the user says of compression: "gzip" or NULL, "zstd", "no". Where the name of the sink says it already, nothing
 * is compressed twice. False when out of memory. To be finished in any case.
 */
bool pp_pprof_out_init(struct pprof_out *, struct pp_sink *, const char *how);
/* Writes what waits; PP_OK, or why not. */
pp_status pp_pprof_out_finish(struct pprof_out *);

/* A number of a field; none when it is 0. */
void pp_pprof_put_number(struct pp_buf *, unsigned field, uint64_t);
/* Bytes of a field, which may be a message. */
void pp_pprof_put_bytes(struct pp_buf *, unsigned field, const void *bytes, size_t n);
/* The numbers of a field, in one piece; none when there are none. `part` is emptied. */
void pp_pprof_put_numbers(struct pp_buf *, unsigned field, struct pp_buf *part, const uint64_t *,
                          size_t n);
/* Writes a field whose bytes are out->message, which is then empty; */
void pp_pprof_out_message(struct pprof_out *, unsigned field);
/* or other ones, */
void pp_pprof_out_bytes(struct pprof_out *, unsigned field, const void *bytes, size_t n);
/* or a number; none when it is 0, */
void pp_pprof_out_number(struct pprof_out *, unsigned field, uint64_t);
/* or a whole field as it is. */
void pp_pprof_out_raw(struct pprof_out *, const void *bytes, size_t n);

#endif
