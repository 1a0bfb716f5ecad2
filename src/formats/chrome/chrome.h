/*
 * What Chrome's formats share.
 */
#ifndef PP_CHROME_H
#define PP_CHROME_H

#include "formats/author.h"
#include "formats/kit/json_doc.h"

extern const struct pp_format pp_format_cpuprofile, pp_format_heapprofile, pp_format_trace_event;

/* The first bytes without a byte order mark. */
struct pp_slice pp_chrome_head(const struct pp_peek *);
/* A member that is nothing else is metadata. */
void pp_chrome_meta_read(struct pp_json_doc *, struct pp_scan *, struct pp_json_str key);
/* A call frame as V8 writes it, of a function. */
void pp_chrome_frame_put(struct pp_json *, const struct pp_profile *, pp_func);

pp_status pp_cpuprofile_write(struct pp_writer *);
pp_status pp_heapprofile_write(struct pp_writer *);
pp_status pp_trace_event_write(struct pp_writer *);

#endif
