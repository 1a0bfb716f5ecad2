/*
 * Calls and returns of one thread as they come, with their times: a walk on the tree that charges what passes to the
 * frame that is innermost, counts calls, and keeps the order of events where that is asked for.
 */
#ifndef PP_KIT_CALL_WALK_H
#define PP_KIT_CALL_WALK_H

#include "formats/kit/fixed.h"
#include "model/builder.h"

/* What a function cost so far, where costs per function are all that is asked for. */
struct pp_call_sum {
	uint64_t calls;
	int64_t own, total;
	int64_t since;  /* when its outermost call began */
	uint32_t depth; /* how many calls of it are open */
	bool idle;      /* what passes in it is set aside */
};

struct pp_call_walk {
	struct pp_builder *b;
	uint32_t series, metric;
	uint32_t
	    charged; /* the series of costs and calls: `series`, or one like it that has labels */
	const struct pp_fixed *fixed; /* what times are; seconds if `ns` */
	bool ns;
	bool
	    alone; /* all costs of the file come by such walks, so that they may be added up without a tree */
	/* of the walk itself */
	bool keeps;   /* what happens is kept */
	bool adds_up; /* there is no tree */
	bool begun;
	pp_node node;
	uint32_t depth;
	int64_t time;
	int64_t spent;                   /* while anything was open */
	int64_t idle;                    /* and set aside, as it was idle */
	PP_VEC(struct pp_call_sum) sums; /* by function */
	PP_VEC(pp_func) open;
};

/* Whether times of events are kept; where they are not, the profile says that the file has some. */
bool pp_times_kept(struct pp_builder *);

/* Whether a walk adds up what functions cost, without a tree; `alone` as above. */
bool pp_call_walk_adds_up(const struct pp_builder *, bool alone);
/* Begins at the outermost. The series counts calls and has a row for any node. */
void pp_call_walk_begin(struct pp_call_walk *);
/* Time goes on; it never goes back. */
void pp_call_walk_until(struct pp_call_walk *, int64_t time);
/* A call, or the return from the innermost one, at the time that it is. */
void pp_call_walk_enter(struct pp_call_walk *, pp_frame);
void pp_call_walk_leave(struct pp_call_walk *);
/* The same without counting it: a call that goes on, at another place of the tree. */
void pp_call_walk_resume(struct pp_call_walk *, pp_frame);
/* All is closed: hands over what was added up, and lets go of memory. */
void pp_call_walk_end(struct pp_call_walk *);

#endif
