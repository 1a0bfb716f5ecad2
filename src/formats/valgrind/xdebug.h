/*
 * What both ways of reading Xdebug files share: adding calls to the profile, and the end of a file.
 */
#ifndef PP_XDEBUG_H
#define PP_XDEBUG_H

#include "formats/valgrind/family.h"

/* Numbers of time from here on are dates, not durations (2.0 to 2.5.1 write such when exiting twice). */
#define PP_XD_EPOCH INT64_C(1000000000000000)

#define PP_XD_MAIN "{main}"
#define PP_XD_INTERNAL "php:internal"

/* What a part of the file says about its version: 2.8 -> 208, 3.2 -> 302, before 2.1.1 -> 0. */
unsigned pp_xd_version(struct pp_slice creator);

/* By function: the line of its records; PP_XD_LINES where they differ, 0 where none tells. */
struct pp_xd_lines {
	PP_VEC(uint32_t) of;
};

#define PP_XD_LINES UINT32_MAX

/* A record of a function has that line. */
void pp_xd_lines_note(struct pp_xd_lines *, struct pp_builder *, pp_func, uint32_t line);
/* All records are noted: functions get their first lines where all agree. Releases. */
void pp_xd_lines_settle(struct pp_xd_lines *, struct pp_builder *);

/* The end of a file: what is missing, meta data. `cut`: it ends inside a record. */
void pp_xd_finish(struct pp_cg_parser *, bool cut);

enum pp_xd_fast { PP_XD_FAST_DONE, PP_XD_FAST_ODD, PP_XD_FAST_FAILED };

/*
 * Reads the records [begin, end) of the parser's current part, whose header it has read. *cut is set when
 * they end inside a record. PP_XD_FAST_ODD: something unusual, read the file the slow way from the start.
 */
enum pp_xd_fast pp_xd_fast_part(struct pp_cg_parser *, struct pp_input *,
                                const unsigned char *begin, const unsigned char *end,
                                struct pp_xd_lines *, bool *cut);

/* Reads every version, one line after the other. */
pp_status pp_xd_records(struct pp_reader *, struct pp_builder *);

#endif
