/*
 * One writing of a report: what spx_write.c (events and names) and spx_write_meta.c (files, columns,
 * json) share.
 */
#ifndef PP_SPX_WRITE_H
#define PP_SPX_WRITE_H

#include "formats/kit/sites.h"
#include "formats/spx/spx.h"

#define SPX_RECENT_WRITTEN 4
#define SPX_BLOCK_EVENTS 8192
/* Calls without a cost of their own that are written at most. */
#define SPX_REPEATS_MAX ((uint64_t)4000000)

/* How a number is written. */
enum spx_decimals {
	SPX_WHOLE,  /* 12 */
	SPX_FIXED,  /* 12.3000: all values of the column have as many */
	SPX_TRIMMED /* 12.3 */
};

/* A column of the events, and where its values come from. */
struct spx_column {
	struct pp_slice key;
	size_t metric; /* of the profile; metrics.n = always 0 */
	enum spx_decimals decimals;
	bool raw;            /* the profile's cells are the column's numbers */
	uint32_t unit;       /* of canonical ones: 1000 where times are microseconds */
	unsigned scale;      /* decimals at most */
	struct pp_metric in; /* the metric, its values times 10^scale */
};

struct spx_out {
	struct pp_writer *w;
	const struct pp_profile *p;
	bool bars;                   /* the 0.5 layout */
	bool source;                 /* the profile is of SPX reports alone */
	struct pp_sink *body, *json; /* json may be NULL: one stream only */
	struct pp_sites sites;       /* where the profile knows them of calls, not of stacks */

	struct spx_column columns[SPX_METRICS_MAX];
	uint32_t n;

	/* The document being written. */
	uint32_t *index_of;    /* function (0.5) or name (0.4) -> index + 1 */
	PP_VEC(pp_func) funcs; /* by index */
	PP_VEC(pp_node) stack;
	struct spx_written {
		union pp_value sums[SPX_METRICS_MAX]; /* costs added so far */
		int64_t values[SPX_METRICS_MAX], last[SPX_METRICS_MAX];
		int64_t base
		    [SPX_METRICS_MAX]; /* what the first event of another format's timeline has */
		pp_u128 swing[SPX_METRICS_MAX]; /* sum of all steps up and down */
		uint64_t events;
		uint32_t recent[SPX_RECENT_WRITTEN];
	} doc;

	/* All documents, for the json. */
	uint64_t calls, listed;
	int64_t peak; /* of memory in use */
	int64_t wall; /* last time, ns */
	size_t deepest;
	uint64_t repeats; /* calls without a cost of their own */
	bool ordered;     /* timelines are written, not the tree */
	pp_status status;
};

/* Opens the files; false when that failed (the sink's status says why). */
bool pp_spx_out_open(struct spx_out *);
/* Whether all metrics are what SPX's keys mean: a profile merged with one of another format has others. */
bool pp_spx_out_is_own(const struct pp_profile *);
/* Decides which metrics go into which columns. */
void pp_spx_out_columns(struct spx_out *);
/* Writes the json. */
void pp_spx_out_json(struct spx_out *);
/* Notes what has no place where there is no json, and what exceeds SPX's own limits. */
void pp_spx_out_report(struct spx_out *);

#endif
