/*
 * What both ways of reading Xdebug files share: adding calls to the profile, and the end of a file.
 */
#ifndef PP_XDEBUG_CALLS_H
#define PP_XDEBUG_CALLS_H

#include "formats/callgrind_family.h"

/* Numbers of time from here on are dates, not durations (2.0 to 2.5.1 write such when exiting twice). */
#define PP_XD_EPOCH INT64_C(1000000000000000)

#define PP_XD_MAIN "{main}"
#define PP_XD_INTERNAL "php:internal"

/* What a part of the file says about its version: 2.8 -> 208, 3.2 -> 302, before 2.1.1 -> 0. */
unsigned pp_xd_version(struct pp_slice creator);

/* The end of a file: what is missing, meta data. `cut`: it ends inside a record. */
void pp_xd_finish(struct pp_cg_parser *, bool cut);

/* Reads every version, one line after the other. */
pp_status pp_xd_records(struct pp_reader *, struct pp_builder *);

#endif
