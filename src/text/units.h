/*
 * Numbers as people read them: 1.25 ms, 3.4 MiB, 12,345, 45.2 %.
 * Exact values are for JSON and CSV (pp_value_print).
 */
#ifndef PP_UNITS_H
#define PP_UNITS_H

#include "base/buf.h"
#include "base/common.h"

/* A value of a canonical unit ("ns", "bytes", anything else is a count of such things). */
void pp_units_value(struct pp_buf *, struct pp_slice unit, double value);
/* The same with the unit's name behind counts: "12,345 samples". */
void pp_units_named(struct pp_buf *, struct pp_slice unit, double value);
void pp_units_time(struct pp_buf *, double ns);
/* A moment on an axis: all have the unit of the last and the decimals that tell steps apart. */
void pp_units_moment(struct pp_buf *, double ns, double last, double step);
void pp_units_bytes(struct pp_buf *, double bytes);
/* 12,345; from ten million on 12.3M. */
void pp_units_count(struct pp_buf *, double n);
/* An exact number with separators. */
void pp_units_u64(struct pp_buf *, uint64_t n);
/* "45.2%" of a whole; nothing when the whole is not positive. */
void pp_units_share(struct pp_buf *, double part, double whole);
/* A limit that somebody set, as they would write it: "1%", "0.25%", "<0.01%"; never with an exponent. */
void pp_units_percent(struct pp_buf *, double share);
/* A second of the calendar, UTC: "2024-02-29 12:00:00 UTC". */
void pp_units_date(struct pp_buf *, int64_t seconds);
/* A bar of at most `columns` blocks, drawn to an eighth of a block, for a share from 0 to 1. */
void pp_units_bar(struct pp_buf *, double share, unsigned columns);
/* Adds "12,345 functions" to a list, with a comma before all but its first item; nothing for 0. */
void pp_units_listed(struct pp_buf *, uint64_t n, const char *one, const char *many);
/* "function" or "functions". */
const char *pp_plural(uint64_t n, const char *one, const char *many);

#endif
