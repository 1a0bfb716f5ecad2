/*
 * What the parts of the format dtrace share. dtrace.c tells what the bytes are.
 */
#ifndef PP_DTRACE_H
#define PP_DTRACE_H

#include "formats/author.h"

extern const struct pp_format pp_format_dtrace;
extern const struct pp_rule pp_dtrace_rules[];

enum { DTRACE_CUT, DTRACE_VALUE, DTRACE_RANGE, DTRACE_DROPS, DTRACE_ERROR, DTRACE_SCALAR };

enum pp_dtrace_line {
	LINE_BLANK,
	LINE_FRAME,
	LINE_VALUE,
	LINE_TABLE,
	LINE_BAR,
	LINE_PROBE,
	LINE_SAYS,
	LINE_HEADER,
	LINE_FLOW,
	LINE_KEYS
};

/* What a line is, by itself. */
enum pp_dtrace_line pp_dtrace_line_kind_of(struct pp_slice line);
/* Digits, with a minus at most. */
bool pp_dtrace_is_integer(struct pp_slice);
/* 0x and digits, to the end. */
bool pp_dtrace_is_address(struct pp_slice, uint64_t *address);
/* The next column of a line of keys; false when there is none. */
bool pp_dtrace_column_next(struct pp_slice *rest, struct pp_slice *column);
struct pp_slice pp_dtrace_column_last(struct pp_slice line);

pp_status pp_dtrace_read(struct pp_reader *, struct pp_builder *);
pp_status pp_dtrace_write(struct pp_writer *);

#endif
