/*
 * One or two profiles as tables small enough to be sent to a viewer.
 *
 * Functions are told apart as in `top` (one profile) or `diff` (two), and are numbered in the order of
 * their names. One tree holds the stacks of both; what is lighter than asked for is summed up
 * in one node behind its siblings, so that everything still adds up. Nodes of the cut tree stand in
 * preorder: a node's subtree follows it without a gap.
 */
#ifndef PP_DIGEST_H
#define PP_DIGEST_H

#include "model/source.h"
#include "text/shorten.h"

#define PP_DIGEST_MAX 2
/* The place of nodes that do not lie below the root. */
#define PP_DIGEST_NOWHERE (UINT32_MAX - 1)

struct pp_digest_func {
	uint32_t profile; /* the last that has it */
	pp_func func;
};

struct pp_digest {
	const struct pp_profile *profile[PP_DIGEST_MAX];
	size_t profiles;
	PP_VEC(struct pp_digest_func) funcs; /* [0] = none */
	uint32_t *func_of[PP_DIGEST_MAX];    /* by function id of the profile */
	/* Stacks of all: the only profile's own where its frames are functions, else `merged`. */
	const struct pp_tree *tree;
	struct pp_tree merged;
	uint32_t *frame_func; /* number of `funcs` by frame of the tree; NULL = the frame is it */
	pp_node *node_of[PP_DIGEST_MAX]; /* by node of the profile; NULL = it is the same */
	double *weight;                  /* by node: share of the whole, never above its parent's */

	pp_node root; /* what is cut is this with all below it; 0 = everything */

	/* What pp_digest_cut() made. */
	double min_share;
	PP_VEC(uint32_t) up;   /* per node: levels from the node before up to its parent */
	PP_VEC(uint32_t) func; /* 0: a sum of thin nodes, or the root */
	PP_VEC(uint32_t) more; /* of how many; 0 for other nodes */
	PP_VEC(pp_node) node;  /* of `tree`; of a sum the one that it lies in */
	uint32_t *place;       /* by node of `tree`: where it is now, or PP_DIGEST_NOWHERE */
	uint64_t summed_up;    /* nodes that are part of a sum only */
};

/* PP_E_NOMEM, PP_E_LIMIT. Release it in any case. The profiles must outlive it. */
pp_status pp_digest_init(struct pp_digest *, const struct pp_profile *const *profiles, size_t n);
void pp_digest_release(struct pp_digest *);
/* What is cut from now on lies below that node, which stands where the root does; false: there is none. */
bool pp_digest_enter(struct pp_digest *, uint64_t node);
/* Which nodes are kept. */
struct pp_digest_keep {
	double min_share; /* all of at least that weight */
	uint32_t ties;    /* the first so many of those that weigh just less */
};

/* Cuts the rest; all is kept when min_share is 0. May be called again. */
pp_status pp_digest_cut(struct pp_digest *, struct pp_digest_keep);
/* How to keep the `nodes` heaviest, callers before what they call; PP_E_NOMEM. */
pp_status pp_digest_keep_for(struct pp_digest *, uint32_t nodes, struct pp_digest_keep *);

/* Where a node of a profile is in the cut tree. */
static inline uint32_t
pp_digest_place(const struct pp_digest *d, size_t profile, pp_node node)
{
	return d->place[d->node_of[profile] ? d->node_of[profile][node] : node];
}

/*
 * What happened when in one series: moments one after the other, each a stretch of time in a node (for
 * traces) or a sample at its start (for samples).
 */
struct pp_moments {
	bool trace;
	int64_t start;           /* ns */
	uint64_t unit;           /* ns; within this much the order is not kept; 0 = all of it is */
	uint32_t columns;        /* values per moment */
	PP_VEC(uint64_t) wait;   /* traces: how long it lasts; samples: since the one before */
	PP_VEC(uint64_t) length; /* samples: how long each ran, as far as it is known */
	PP_VEC(uint32_t) node;   /* of the cut tree */
	PP_VEC(pp_frame)
	frame; /* samples: of the profile, the one each ended in; none when unit > 0 */
	PP_VEC(uint32_t) calls; /* begun with it */
	PP_VEC(int64_t) values;
};

/* At most about `most` moments, coarser than in the file if need be. PP_E_NOMEM; PP_E_LIMIT: a sum exceeds 64 bits. */
pp_status pp_digest_moments(const struct pp_digest *, size_t profile, size_t series, uint64_t most,
                            struct pp_moments *);
void pp_moments_release(struct pp_moments *);

/* What a report shows, and how. */
/* A fact about the profile: a sentence, the share of the whole that it speaks of, and the function, if it is about one. */
struct pp_html_fact {
	double share; /* 0 = of none */
	const char *text;
	struct pp_slice func; /* empty = it is of none */
	const char *
	    rest; /* what follows the function's name, which then follows the text; NULL = the text is all */
};

struct pp_html_opts {
	const char *title;         /* NULL = the names of the files */
	const char *const *files;  /* one per profile, for headings and command lines */
	const char *const *inputs; /* all files as given, NULL at the end */
	const char *const
	    *words;    /* that name them on a command line, likewise; NULL = the inputs */
	size_t metric; /* of the first profile: what to show first */
	/* The text of source files that are part of it; NULL = none. */
	pp_source_finder *source;
	void *source_data;
	uint64_t max_size;                /* bytes of the whole file; 0 = no limit */
	enum pp_names names;              /* of labels */
	const struct pp_html_fact *facts; /* the weightiest first */
	size_t fact_count;
};

#endif
