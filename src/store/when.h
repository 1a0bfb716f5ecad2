/*
 * Times and spans of time as people write them. Times are nanoseconds since 1970, UTC.
 */
#ifndef PP_WHEN_H
#define PP_WHEN_H

#include "base/buf.h"
#include "base/common.h"

#define PP_SECOND INT64_C(1000000000)

/* A span: a whole number and one of s, m, h, d, w ("90s", "30m", "1h", "1d", "2w"). False: *problem says why. */
bool pp_span_parse(struct pp_slice text, int64_t *ns, struct pp_buf *problem);
/* A time: an age, which is a span before `now`; "@SECONDS" since 1970, with a fraction or without; "2026-11-15T20:00:00Z". */
bool pp_when_parse(struct pp_slice text, int64_t now, int64_t *ns, struct pp_buf *problem);
/* "A..B", each a time, B not before A. */
bool pp_between_parse(struct pp_slice text, int64_t now, int64_t *since, int64_t *until,
                      struct pp_buf *problem);

/* Appends a time as "2026-11-15T20:00:00Z", with a fraction where there is one. */
void pp_when_print(struct pp_buf *, int64_t ns);
/* Appends a span in the largest unit of which it is a whole number. */
void pp_span_print(struct pp_buf *, int64_t ns);

/* From `since` (or from ever) up to `until`, that itself not included (or for ever). */
struct pp_window {
	int64_t since, until;
	bool has_since, has_until;
};

/* Whether a profile's time, from t0 up to t1 (a moment when they are the same), meets the window. */
static inline bool
pp_window_meets(const struct pp_window *window, int64_t t0, int64_t t1)
{
	if (window->has_until && t0 >= window->until)
		return false;
	return !window->has_since || t1 > window->since || t0 >= window->since;
}

/* The multiple of `every` (> 0) at or before a time. */
static inline int64_t
pp_when_floor(int64_t ns, int64_t every)
{
	int64_t rest = ns % every;

	return ns - (rest < 0 ? rest + every : rest);
}

#endif
