/*
 * OTLP and pprof as each other, message by message: all that both hold.
 */
#ifndef PP_OTLP_TRANSLATE_H
#define PP_OTLP_TRANSLATE_H

#include "formats/format.h"

extern const struct pp_format pp_format_otlp;

/* pprof's message, plain, as one of OTLP; the writer is told what has no place there. */
pp_status pp_otlp_from_pprof(struct pp_slice message, struct pp_writer *, struct pp_buf *out);
/* An input of OTLP as pprof's message, likewise. PP_E_UNSUPPORTED when sums or units need more than that. */
pp_status pp_otlp_to_pprof(struct pp_slice input, struct pp_writer *, struct pp_buf *out);

/* The messages that a profile was read from, where they were kept; else empty. */
struct pp_slice pp_otlp_kept(const struct pp_profile *);

#endif
