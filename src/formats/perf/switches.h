/*
 * Who runs: a sample says that its thread does, a switch that it no longer does. Both readers of perf tell both.
 */
#ifndef PP_PERF_SWITCHES_H
#define PP_PERF_SWITCHES_H

#include "formats/author.h"

struct pp_perf_switches {
	struct pp_map running_of; /* tid -> series that runs, the others follow it */
	PP_VEC(struct pp_perf_running {
		int64_t since; /* its last sample */
		uint32_t next; /* of the same thread, + 1; 0 = none */
		bool runs;
	})
	series; /* by index in the profile */
};

void pp_perf_switches_release(struct pp_perf_switches *);
/* A series of a thread has a sample; false when out of memory. */
bool pp_perf_run(struct pp_perf_switches *, uint32_t series, int64_t tid, int64_t time);
/* A thread stops: so do all of its series. */
void pp_perf_stop(struct pp_perf_switches *, struct pp_builder *, int64_t tid, int64_t time);

#endif
