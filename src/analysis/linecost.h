/*
 * Cost per source line: as the profile holds it, or else from the lines of the frames that stacks end in.
 */
#ifndef PP_LINECOST_H
#define PP_LINECOST_H

#include "model/ledger.h"

struct pp_line_cost {
	pp_str file;
	uint32_t line; /* 0 = the file as a whole, its lines are not known */
	bool shared;   /* the whole of a file that has several functions; `func` is none of them */
	uint64_t hits;
	pp_func
	    func; /* that it belongs to, of several the one with the largest part; 0 = not known */
};

struct pp_linecost {
	const struct pp_profile *profile;
	size_t metrics;
	bool has_hits;
	PP_VEC(struct pp_line_cost)
	rows;                  /* in the order of files and lines until they are sorted */
	struct pp_ledger cost; /* by row */
	union pp_value *whole; /* [metric]: over all rows */
};

/*
 * What shares of lines are of: the whole profile, lines or none, or all that was gained where the metric falls. The lines
 * of some files know more than its functions. `alone`: of the lines, where filters chose some.
 */
union pp_value pp_linecost_whole(const struct pp_linecost *, size_t metric, bool alone);

/* What of a metric a row gained, where that falls; else what it costs. */
union pp_value pp_linecost_gained(const struct pp_linecost *, size_t row, size_t metric);

/*
 * The metric to show unless told otherwise: the given one where any line has a cost in it, else the first of which any
 * has. Lines may know less than functions do: those of V8 know samples, not time.
 */
size_t pp_linecost_metric(const struct pp_linecost *, size_t preferred);

/* Whether a file is not known: its costs are kept apart by function, since they have no line in common. */
bool pp_line_is_placeless(const struct pp_profile *, pp_str file);
/* Adds up by file and line, and by function in unknown files. PP_E_UNSUPPORTED when the profile knows no lines. */
pp_status pp_linecost_compute(const struct pp_profile *, struct pp_linecost *);
void pp_linecost_release(struct pp_linecost *);

enum pp_line_order { PP_LINES_BY_COST, PP_LINES_BY_HITS, PP_LINES_BY_PLACE };

/* Sorts rows as they were made: costs and hits descending, then by file and line. False when out of memory. */
bool pp_linecost_sort(struct pp_linecost *, enum pp_line_order, size_t metric);

#endif
