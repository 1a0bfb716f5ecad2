/*
 * Numbers of a file, whole or with a fraction, as whole numbers of one unit that is fine enough for all of them.
 *
 * Which unit that is shows while they are read. A reader begins with the one the file names; where a number needs a finer one,
 * or has no room in 64 bits, it starts over:
 *
 *     do {
 *             ... pp_fixed_read(&fixed, &num, 6, &cell) ... stops where fixed.again is set
 *     } while (pp_fixed_retry(&fixed) && pp_builder_restart(b));
 *
 * Most files show at their first number what they need. What needs more digits than there are is rounded.
 */
#ifndef PP_KIT_FIXED_H
#define PP_KIT_FIXED_H

#include "model/metric.h"
#include "text/json_scan.h"

struct pp_fixed {
	int decimals; /* one is 10^-decimals: 6 where seconds are counted in µs */
	int wanted;   /* what a number needs */
	int most;     /* there is no room for more, where `bounded` */
	bool bounded;
	bool again; /* all has to be read again */
};

#define PP_FIXED_MOST 18
/* Numbers too large for 64 bits lose their last digits, down to these. */
#define PP_FIXED_LEAST (-9)

/* Takes a number whose unit is 10^-unit. False when it is beyond all that 64 bits can hold. */
bool pp_fixed_slow(struct pp_fixed *, struct pp_slice, int unit, int64_t *out);

static inline bool
pp_fixed_read(struct pp_fixed *f, const struct pp_json_num *num, int unit, int64_t *out)
{
	if (PP_LIKELY(num->integer && unit == f->decimals && pp_json_num_i64(num, out)))
		return true;
	return pp_fixed_slow(f, num->text, unit, out);
}

/* A sum of numbers has no room: all has to be read again with a digit less. False when there is none left. */
bool pp_fixed_coarser(struct pp_fixed *);
/* Whether all has to be read again; with what is known now. */
bool pp_fixed_retry(struct pp_fixed *);
/* Says in a metric what its cells mean; `ns`: their base is the second and the unit ns, else it is the unit itself. */
void pp_fixed_metric(const struct pp_fixed *, bool ns, struct pp_metric *);
/* A number of seconds as ns, rounded; false, and the nearest, when that has no 64 bits. */
bool pp_fixed_ns(const struct pp_fixed *, int64_t cell, int64_t *ns);

#endif
