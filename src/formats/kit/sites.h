/*
 * Call sites for stacks that do not know theirs. A profile may state in its calls from which lines one function
 * called another, and how often, while its stacks only say that it did. A writer of stacks asks here at each step
 * from a caller to a callee and gets the sites of the two, shared out so that in the end each has the calls
 * and the costs that the profile states, as far as that is possible.
 */
#ifndef PP_KIT_SITES_H
#define PP_KIT_SITES_H

#include "model/profile.h"

/* How a writer sees the profile. */
struct pp_sites_by {
	const uint32_t
	    *func;        /* by function of the profile: the writer's; 0 = none. NULL = the same */
	unsigned columns; /* of costs */
	int64_t (*cost)(void *ctx, unsigned column, size_t row);
	void *ctx;
};

struct pp_sites {
	unsigned columns;
	struct pp_map pairs; /* (caller, callee) -> its first site */
	PP_VEC(struct pp_site {
		pp_str file;
		uint32_t line;
		uint64_t address;
		uint64_t calls; /* still to be given out */
		uint32_t next;  /* of the same pair, + 1; 0 = none */
		bool shared;    /* the pair has others */
		bool differs;   /* it got what the profile does not state of it */
		uint32_t given; /* how often of it */
	})
	at;
	/* By site and column: still to be given out. Either of the two, by the number of columns. */
	PP_VEC(int64_t) few;
	struct pp_wide *many;
	uint64_t steps; /* that sharing out took */
	/* The step that is asked about. */
	uint32_t site; /* + 1; 0 = none is left */
	uint64_t calls;
	int64_t *left; /* by column */
};

/* A part of a step: so many of its calls, and what they cost, come from there. */
struct pp_site_share {
	pp_str file;
	uint32_t line; /* 0 = not known */
	uint64_t address;
	uint64_t calls;
	int64_t *costs; /* by column; until the next call */
};

/* False when out of memory. To be released in any case. */
bool pp_sites_init(struct pp_sites *, const struct pp_profile *, const struct pp_sites_by *);
void pp_sites_release(struct pp_sites *);
/* Asks about a step of so many calls; true when there is a site to be had. */
bool pp_sites_ask(struct pp_sites *, uint32_t caller, uint32_t callee, uint64_t calls,
                  const int64_t *costs);
/* The next part of it; false when there is none. The parts of a step are all of it. */
bool pp_sites_next(struct pp_sites *, struct pp_site_share *);
/* The site of a pair at a line; with line 0 the only one that the pair has. NULL when there is none. */
struct pp_site *pp_sites_find(struct pp_sites *, uint32_t caller, uint32_t callee, uint32_t line);
/* How many sites did not get what the profile states, or nearly so where costs were `rounded`. */
uint64_t pp_sites_lost(const struct pp_sites *, bool rounded);

#endif
