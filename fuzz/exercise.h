/*
 * Does with some bytes all that polyprof can do with a profile, and checks what must hold whatever the
 * bytes are. Shared by the fuzzers, by the driver that replays samples in plain builds, and by the test
 * that makes allocations fail.
 */
#ifndef PP_EXERCISE_H
#define PP_EXERCISE_H

#include "base/common.h"

struct exercise {
	const char *format; /* NULL = recognise it */
	const char *path;   /* a file, or NULL to use the bytes */
	const void *data;
	size_t size;
	bool may_lack_memory; /* PP_E_NOMEM is an answer */
	bool draws;           /* pictures and reports too, which take longer than the rest */
};

/* Runs; stops the program with a message when something does not hold. Returns what reading gave. */
pp_status exercise_run(const struct exercise *);
/* Asks all questions about a profile, wherever it came from. */
void exercise_ask(const struct exercise *, const struct pp_profile *);
/* Draws a profile in every way. */
void exercise_draw(const struct exercise *, const struct pp_profile *);

#endif
