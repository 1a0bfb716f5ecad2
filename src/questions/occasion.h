/*
 * What was profiled, as far as a profile tells: a request or a command, where, when, for how long.
 */
#ifndef PP_OCCASION_H
#define PP_OCCASION_H

#include "questions/answer.h"

/* Slices lie in the profile; what is empty or 0 is not known. */
struct pp_occasion {
	struct pp_slice method, target; /* of a request; the target may be a whole URL */
	struct pp_slice address;        /* that it was sent to */
	struct pp_slice command;        /* unless it was a request */
	struct pp_slice
	    program;   /* of a command that runs another one, as `perf record` does: that one */
	size_t others; /* that ran beside it */
	bool threads;  /* they are threads, not commands */
	struct pp_slice pid;       /* its process */
	struct pp_slice host;      /* the machine */
	int64_t when;              /* Unix seconds */
	struct pp_slice when_text; /* the same in the file's own words, if only they are known */
	bool has_span;
	double span; /* ns */
};

struct pp_occasion pp_occasion_of(const struct pp_profile *);
/* Whether it says what was profiled, where or when. */
bool pp_occasion_known(const struct pp_occasion *);
/* "GET shop.test/cart?id=1", or the command; bytes of the file. */
void pp_occasion_what(const struct pp_occasion *, struct pp_buf *);
/*
 * "GET /cart?id=1 on web1 (shop.test), 2026-11-15 08:08, 201 µs", safe for a terminal, long parts shortened. The date is
 * printed by `date` (struct pp_subject), or left out without it.
 */
void pp_occasion_print(const struct pp_occasion *, void (*date)(int64_t when, struct pp_buf *),
                       struct pp_buf *);
/* "what", "host": for scripts. */
void pp_answer_occasion(struct pp_answer *, const struct pp_occasion *);

#endif
