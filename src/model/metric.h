/*
 * Metrics: what is counted, in which unit, stored how.
 *
 * A cell is 64 bits: int64, uint64 or double, as the metric's type says. Integers carry a decimal
 * scale and a unit factor, so that a file's own numbers are stored unchanged and still print in the
 * canonical unit:   canonical value = cell * 10^-scale * factor_num / factor_den   [unit]
 * e.g. Xdebug 3 time: cell 1234, scale 0, factor 10/1, unit "ns".
 */
#ifndef PP_METRIC_H
#define PP_METRIC_H

#include "base/common.h"
#include "base/num.h"

enum pp_cell_type { PP_INT, PP_UINT, PP_REAL };

/* What a metric means; metrics of two files can be compared when kind and unit agree. */
enum pp_metric_kind {
	PP_KIND_OTHER,
	PP_KIND_WALL_TIME,
	PP_KIND_CPU_TIME,
	PP_KIND_IDLE_TIME,
	PP_KIND_SAMPLES, /* number of samples: has a counting error */
	PP_KIND_COUNT,   /* exact counts: calls, instructions, allocations */
	PP_KIND_BYTES,   /* memory, input, output */
	PP_KIND_EVENTS   /* hardware or software events, possibly extrapolated from samples */
};

enum {
	PP_METRIC_PRIMARY = 1 << 0, /* what to sort by unless told otherwise; one per profile */
	PP_METRIC_SIGNED = 1 << 1,  /* may go down: memory in use */
	PP_METRIC_SAMPLED = 1 << 2, /* estimated from samples */
	PP_METRIC_NO_SUM = 1 << 3,  /* a peak or an average: adding makes no sense */
	PP_METRIC_TIME_OK = 1 << 4, /* may be read as time (SPAA rule 25) */
	PP_METRIC_SHARED =
	    1 << 5, /* its name is that of another metric, too: see pp_metric_label() */
	PP_METRIC_NO_ZERO = 1 << 6, /* nothing was recorded as 0: where it is, there is no value */
	PP_METRIC_GAINED = 1 << 7,  /* what another metric gained, whatever was given back later */
	PP_METRIC_UNSURE = 1 << 8,  /* of gains: they are not known of all that was added up */
	PP_METRIC_LEAST = 1 << 9 /* of gains: what is left of each stack, as no steps are known */
};

struct pp_metric {
	pp_str name;  /* the file's own key */
	pp_str title; /* a longer name, or 0 */
	pp_str event; /* the event it belongs to (SPAA, perf), or 0 */
	pp_str unit;  /* canonical: "ns", "bytes", "samples", "count", ... */
	enum pp_cell_type type;
	enum pp_metric_kind kind;
	unsigned flags;
	unsigned scale;
	uint32_t net;                    /* of PP_METRIC_GAINED: the metric that gained */
	uint64_t factor_num, factor_den; /* 0 means 1 */
};

/* A sum of cells: wide enough that it cannot overflow. */
union pp_value {
	pp_i128 i;
	double d;
};

/* What something costs itself, and with all that it called. */
struct pp_cost_pair {
	union pp_value own, total;
};

/* A cell as a sum of one. */
static inline union pp_value
pp_cell_value(const struct pp_metric *m, int64_t cell)
{
	union pp_value v;

	if (m->type == PP_REAL)
		memcpy(&v.d, &cell, sizeof v.d);
	else
		v.i = m->type == PP_UINT ? (pp_i128)(uint64_t)cell : (pp_i128)cell;
	return v;
}

/* A sum as a cell; false when it does not fit. */
bool pp_value_cell(const struct pp_metric *, union pp_value, int64_t *cell);

/* A double as a cell. */
static inline int64_t
pp_cell_real(double d)
{
	int64_t cell;

	memcpy(&cell, &d, sizeof cell);
	return cell;
}

static inline union pp_value
pp_value_zero(const struct pp_metric *m)
{
	union pp_value v;

	if (m->type == PP_REAL)
		v.d = 0.0;
	else
		v.i = 0;
	return v;
}

static inline void
pp_value_add(const struct pp_metric *m, union pp_value *sum, union pp_value v)
{
	if (m->type == PP_REAL)
		sum->d += v.d;
	else
		sum->i += v.i;
}

static inline void
pp_value_sub(const struct pp_metric *m, union pp_value *sum, union pp_value v)
{
	if (m->type == PP_REAL)
		sum->d -= v.d;
	else
		sum->i -= v.i;
}

/* Adds `add` to a cell; false (and the cell unchanged) when the sum does not fit its 64 bits. */
static inline bool
pp_cell_add(enum pp_cell_type type, int64_t *cell, int64_t add)
{
	if (type == PP_INT) {
		int64_t sum;

		if (PP_UNLIKELY(__builtin_add_overflow(*cell, add, &sum)))
			return false;
		*cell = sum;
	} else if (type == PP_UINT) {
		uint64_t sum;

		if (PP_UNLIKELY(__builtin_add_overflow((uint64_t)*cell, (uint64_t)add, &sum)))
			return false;
		*cell = (int64_t)sum;
	} else {
		double a, b;

		memcpy(&a, cell, sizeof a);
		memcpy(&b, &add, sizeof b);
		*cell = pp_cell_real(a + b);
	}
	return true;
}

/* What a counter gained from one state to the next. */
static inline int64_t
pp_cell_gain(enum pp_cell_type type, int64_t before, int64_t after)
{
	double a, z;

	if (type != PP_REAL)
		return (int64_t)((uint64_t)after - (uint64_t)before);
	memcpy(&a, &before, sizeof a);
	memcpy(&z, &after, sizeof z);
	return pp_cell_real(z - a);
}

/* What of a step upwards or downwards is gained. */
static inline int64_t
pp_cell_gained(enum pp_cell_type type, int64_t step)
{
	double d;

	if (type == PP_UINT)
		return step;
	if (type == PP_INT)
		return step > 0 ? step : 0;
	memcpy(&d, &step, sizeof d);
	return d > 0 ? step : 0;
}

bool pp_value_is_zero(const struct pp_metric *, union pp_value);
/*
 * One way to store the values of two metrics that mean the same, without loss: integers in the largest
 * unit that divides both, doubles when one has doubles. A cell of `a` times mul_a is a cell of `to`.
 */
struct pp_metric_join {
	struct pp_metric to; /* names and flags are those of `a` */
	int64_t mul_a, mul_b;
};

/* False when no 64-bit factors would do. */
bool pp_metric_join(const struct pp_metric *a, const struct pp_metric *b, struct pp_metric_join *);
/* A cell of `from` as a cell of `to`; false when it does not fit. */
bool pp_cell_convert(const struct pp_metric *from, const struct pp_metric *to, int64_t mul,
                     int64_t *cell);
/* The same for sums. */
union pp_value pp_value_convert(const struct pp_metric *from, const struct pp_metric *to,
                                int64_t mul, union pp_value);

/* -1, 0 or 1 as a < b, a == b, a > b. */
int pp_value_cmp(const struct pp_metric *, union pp_value a, union pp_value b);
/* In the canonical unit, as a double: for shares, bars and human units. */
double pp_value_double(const struct pp_metric *, union pp_value);
/*
 * In units of so many canonical ones, as the nearest whole number; *rounded tells that it is not exact. False when
 * it has no 64 bits.
 */
bool pp_value_whole(const struct pp_metric *, union pp_value, uint32_t unit, int64_t *whole,
                    bool *rounded);
/* In the canonical unit, exact where it has a finite decimal form; returns the length. */
size_t pp_value_print(const struct pp_metric *, union pp_value, char out[PP_NUM_MAX]);

#endif
