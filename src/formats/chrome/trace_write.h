/*
 * Trace events, between the files that write them.
 */
#ifndef PP_CHROME_TRACE_WRITE_H
#define PP_CHROME_TRACE_WRITE_H

#include "formats/chrome/trace.h"

/* A slice that is written and has not ended. */
struct open_slice {
	union pp_value begin;
	bool behind_empty; /* one that lasted no time was right before it */
};

struct trace_write {
	struct pp_writer *w;
	const struct pp_profile *p;
	const struct pp_metric *m;
	struct pp_json j;
	struct pp_buf text;
	bool *told;            /* by function: its place was written */
	bool *used;            /* by series: another one before has its ids */
	uint32_t *order;       /* by node: how many come before it on the way through the tree */
	PP_VEC(pp_node) shown; /* of the series at hand: the nodes on the way to a cost */
	int64_t pid, tid;
	size_t timed;     /* the series whose timeline the last labelled one is part of */
	int64_t free_tid; /* it and those above are nobody's */
	bool laid_out;    /* some times are made up */
	bool failed, too_large;
	bool any;
	uint64_t *drawn; /* by function: slices */
	PP_VEC(struct open_slice) open;
	union pp_value empty_at; /* when the last one that lasted no time was, of this thread */
	bool emptied;
	union pp_value *own;  /* by node, of the series at hand */
	union pp_value start; /* of all times, where they would begin at 0 */
	int64_t start_ns;
	uint64_t marks;   /* written */
	uint64_t counted; /* series of counters likewise */
};

/* The ids that a series has, or gets: no two have the same, as their slices would not nest. */
void pp_trace_ids_choose(struct trace_write *, size_t series);
/* Whether a series is the values of counters over time, and all of those. */
bool pp_trace_is_counted(const struct pp_profile *, const struct pp_series *);
void pp_trace_counters_put(struct trace_write *);
/* What is kept of other events, or as markers of another format. */
void pp_trace_marks_put(struct trace_write *);

#endif
