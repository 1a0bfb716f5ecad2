/*
 * What both ways of reading Xdebug files share: adding calls to the profile, and the end of a file.
 */
#ifndef PP_XDEBUG_CALLS_H
#define PP_XDEBUG_CALLS_H

#include "formats/valgrind/family.h"

/* Numbers of time from here on are dates, not durations (2.0 to 2.5.1 write such when exiting twice). */
#define PP_XD_EPOCH INT64_C(1000000000000000)

#define PP_XD_MAIN "{main}"
#define PP_XD_INTERNAL "php:internal"

/* What a part of the file says about its version: 2.8 -> 208, 3.2 -> 302, before 2.1.1 -> 0. */
unsigned pp_xd_version(struct pp_slice creator);

/* The end of a file: what is missing, meta data. `cut`: it ends inside a record. */
void pp_xd_finish(struct pp_cg_parser *, bool cut);

/*
 * By function: its first line as far as records tell it so far, 0 = none does. The line is part of a
 * function's identity, so that functions get theirs at the end.
 */
struct pp_xd_lines {
	PP_VEC(uint32_t) at;
};

/* Records or profiles tell different lines. */
#define PP_XD_LINES_DIFFER UINT32_MAX

/* Notes what a record tells. */
void pp_xd_lines_note(struct pp_xd_lines *, struct pp_builder *, pp_func, uint32_t line);
/* Gives functions their lines, and forgets them. */
void pp_xd_lines_give(struct pp_xd_lines *, struct pp_builder *);

enum pp_xd_fast { PP_XD_FAST_DONE, PP_XD_FAST_ODD, PP_XD_FAST_FAILED };

/*
 * Reads the records [begin, end) of the parser's current part, whose header it has read. *cut is set when
 * they end inside a record; lines are noted. PP_XD_FAST_ODD: something unusual, read the file the slow way from the start.
 */
enum pp_xd_fast pp_xd_fast_part(struct pp_cg_parser *, struct pp_input *,
                                const unsigned char *begin, const unsigned char *end,
                                struct pp_xd_lines *, bool *cut);

/* Reads every version, one line after the other. */
pp_status pp_xd_records(struct pp_reader *, struct pp_builder *);

#endif
