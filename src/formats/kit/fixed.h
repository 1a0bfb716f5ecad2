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
 * Most files show at their first number what they need. Numbers past 2^63 make the cells unsigned where that is allowed, times that
 * are large or need many digits count from the first of them. What then has no room beside the others is rounded, and told of at its
 * place; no number of the file's own unit is rounded for one that is too large: that one is refused.
 */
#ifndef PP_KIT_FIXED_H
#define PP_KIT_FIXED_H

#include "formats/kit/json_doc.h"
#include "model/metric.h"

/* What to say when a number is not held as it is written, and when a double could not hold it either. */
struct pp_fixed_rules {
	unsigned rounded, fine;
};

#define PP_FIXED_TITLE "a number has no room beside the others"
#define PP_FIXED_TEXT                                                                              \
	"All numbers of a metric are whole ones of one unit, in 64 bits. What needs more digits "  \
	"than there is room for beside the others is rounded; it is only a note where a double "   \
	"could not hold them either. Times that are too large count from the first one."

struct pp_fixed {
	int decimals; /* one is 10^-decimals: 6 where seconds are counted in µs */
	int wanted;   /* what a number needs */
	int most;     /* there is no room for more, where `bounded` */
	int least;    /* a number of the file's own unit has these, where `floored` */
	bool bounded, floored;
	bool again;            /* all has to be read again */
	unsigned char inexact; /* PP_FIXED_*: the worst of what was rounded */
	/* What the reader allows and says. */
	bool seconds;      /* the base is the second */
	bool may_unsigned; /* cells may be unsigned */
	struct pp_json_doc *doc;
	const struct pp_fixed_rules *rules; /* or NULL: nobody is told */
	/* What numbers made of it. */
	bool is_unsigned;
	bool negative; /* some number is below 0 */
	bool shifted;  /* times count from the first one, */
	bool begun;    /* which was read */
	pp_i128 origin;
};

enum { PP_FIXED_EXACT, PP_FIXED_FINE, PP_FIXED_ROUNDED };

#define PP_FIXED_MOST 18
/* Of seconds, so that ns have as many. */
#define PP_FIXED_MOST_SECONDS 27
/* Numbers too large for 64 bits lose their last digits, if those are 0, down to these. */
#define PP_FIXED_LEAST (-9)

/* Times of so many units of 10^-index s have room in 64 bits as ns. */
extern const int64_t pp_fixed_near[10];

/* Takes a number whose unit is 10^-unit. False when it is beyond all that 64 bits can hold. */
bool pp_fixed_slow(struct pp_fixed *, struct pp_slice, int unit, int64_t *out);
/* Takes a time, of which only differences count. */
bool pp_fixed_time_slow(struct pp_fixed *, struct pp_slice, int unit, int64_t *out);

static inline bool
pp_fixed_read(struct pp_fixed *f, const struct pp_json_num *num, int unit, int64_t *out)
{
	if (PP_LIKELY(num->integer && unit == f->decimals && !f->is_unsigned &&
	              pp_json_num_i64(num, out)))
		return true;
	return pp_fixed_slow(f, num->text, unit, out);
}

/* Whether a whole time in the file's unit is what it says, without a look at all of it. */
static inline bool
pp_fixed_is_near(const struct pp_fixed *f, int64_t time)
{
	int64_t most = f->decimals < 0 ? -1 : pp_fixed_near[f->decimals < 9 ? f->decimals : 9];

	return !f->shifted && (!f->seconds || (time <= most && time >= -most));
}

static inline bool
pp_fixed_time(struct pp_fixed *f, const struct pp_json_num *num, int unit, int64_t *out)
{
	if (PP_LIKELY(num->integer && unit == f->decimals && pp_json_num_i64(num, out) &&
	              pp_fixed_is_near(f, *out)))
		return true;
	return pp_fixed_time_slow(f, num->text, unit, out);
}

/* A sum of numbers has no room: all has to be read again with a digit less. False when there is none left. */
bool pp_fixed_coarser(struct pp_fixed *);
/* Whether all has to be read again; with what is known now. */
bool pp_fixed_retry(struct pp_fixed *);
/* Says in a metric what its cells are and mean; of seconds the unit is ns. */
void pp_fixed_metric(const struct pp_fixed *, struct pp_metric *);
/* A time of seconds as ns, rounded; false, and the nearest, when that has no 64 bits. */
bool pp_fixed_ns(const struct pp_fixed *, int64_t cell, int64_t *ns);

#endif
