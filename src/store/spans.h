/*
 * Which profiles of a store are added up: those of one series that began within one span of time, once all of the span is old.
 */
#ifndef PP_SPANS_H
#define PP_SPANS_H

#include "store/store.h"

/* A profile, and when the span that it is in begins. */
struct pp_span_part {
	const struct pp_store_entry *entry;
	int64_t span;
};

struct pp_span_parts {
	PP_VEC(struct pp_span_part) all;
};

/* Whether all of the span that a profile is in is old; its beginning is *span. */
bool pp_span_is_old(const struct pp_store_entry *, const struct pp_store_upkeep *, int64_t *span);
/* Puts parts of one list in order: by series, by span, and as the list has them. */
void pp_spans_sort(struct pp_span_parts *);
/* How many parts from the nth on are of one series and one span. */
size_t pp_span_length(const struct pp_span_parts *, size_t nth);
/* The entry of their sum: like the first of them, from the first begin to the last end, known by the hashes of all. */
struct pp_store_entry pp_span_sum(const struct pp_span_part *, size_t n);

#endif
