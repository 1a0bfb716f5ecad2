/*
 * What V8 records, in all its wrappings: a tree of call frames, samples that hit its nodes, and their times.
 *
 *     {"id": 9, "callFrame": {"functionName": "bake", "scriptId": "7", "url": "file:///a.js", "lineNumber": 4, "columnNumber": 12},
 *      "hitCount": 3, "children": [10, 11], "positionTicks": [{"line": 6, "ticks": 2}]}
 *
 * Nodes are listed, with the ids of their children or of their parent, or nested (`head`, with whole nodes as children). Lines and columns
 * count from 0, -1 is none; in the older nested form, where they stand in the node itself, the root tells.
 */
#ifndef PP_CHROME_V8_H
#define PP_CHROME_V8_H

#include "base/id_table.h"
#include "formats/author.h"
#include "formats/kit/fixed.h"
#include "formats/kit/json_doc.h"

#define V8_ROOT "(root)"
#define V8_ANONYMOUS "(anonymous)"
/* The layout of stacks whose times are made up. */
#define V8_LAID_OUT "aggregated"
/* The layout of samples of which only the number is known. */
#define V8_COUNTED "counted"
/* Times are µs. */
#define V8_DECIMALS 6

/* What we add to a file ourselves: "x_polyprof": {"layout": "aggregated", "idle": true}. */
#define V8_OWN_KEY "x_polyprof"
struct v8_own {
	bool laid_out; /* stacks one after the other: their times are made up */
	bool counted;  /* so are samples themselves */
	bool idle;     /* nodes without children or costs are stacks, too */
};
void pp_v8_own_read(struct pp_scan *, struct v8_own *);

/* Which of the format's rules says what. */
struct v8_rules {
	bool heap;    /* nodes have sizes, and only samples go by ids */
	bool lenient; /* the last who names a child is its parent */
	unsigned shape, node_id, child, parent, sample, number, delta_count, delta_negative, end,
	    far;
};

enum { V8_FRESH, V8_UNDER_WAY, V8_PLACED, V8_BROKEN };

struct v8_node {
	uint64_t id;
	uint64_t parent_id;
	uint32_t parent; /* + 1; 0 = none */
	pp_str name, url;
	int64_t line, column; /* as written, from 0 on; -1 = none */
	uint64_t hits;
	int64_t self; /* bytes */
	const unsigned char *at;
	bool named; /* it has a functionName */
	bool has_id, has_frame, has_parent_id, has_self, has_child, direct;
	bool
	    bad; /* not what it must be, or a second one of its id: neither it nor what is below it is used */
	uint8_t state; /* V8_* */
	pp_node node;  /* 0 = the root itself, or not made yet */
};

struct v8_link {
	uint32_t parent; /* of the nodes */
	uint64_t child;
	const unsigned char *at;
};

struct v8_tick {
	uint32_t node;
	uint32_t line;
	uint64_t ticks;
};

struct v8_tree {
	struct pp_json_doc *doc;
	const struct v8_rules *rules;
	PP_VEC(struct v8_node) nodes;
	PP_VEC(struct v8_link) links;
	PP_VEC(struct v8_tick) ticks;
	struct pp_id_table by_id;
	PP_VEC(uint32_t) way;
	uint64_t hits;
	int base; /* what lines count from in nodes that have them themselves */
	bool orphans, bad;
	bool in_order;         /* ids count up from the first one's */
	pp_node root;          /* of samples that hit the root itself; 0 = none yet */
	struct pp_fixed sizes; /* what sizes of nodes are counted in */
};

void pp_v8_tree_init(struct v8_tree *, struct pp_json_doc *, const struct v8_rules *);
void pp_v8_tree_release(struct v8_tree *);
/* The next node of a list; what is wrong is told. */
void pp_v8_node_read(struct v8_tree *, struct pp_scan *);
/* The node that comes next, with all below it. */
void pp_v8_nested_read(struct v8_tree *, struct pp_scan *);
/* All nodes are there: links them, and makes nodes of the profile. */
void pp_v8_tree_settle(struct v8_tree *);
/* The node of the profile that a sample of a node belongs to; false when there is none. */
bool pp_v8_place(struct v8_tree *, uint32_t node, pp_node *);
/* Whether a sample may be of a node. */
static inline bool
pp_v8_is_placed(const struct v8_tree *t, uint32_t node)
{
	return !t->nodes.at[node].bad && t->nodes.at[node].state == V8_PLACED;
}
/* The number of the node of an id, from 1 on; 0 when there is none. */
uint32_t pp_v8_look_up(const struct v8_tree *, uint64_t id);
static inline uint32_t
pp_v8_find(const struct v8_tree *t, uint64_t id)
{
	if (PP_LIKELY(t->in_order))
		return id - t->nodes.at[0].id < t->nodes.n ? (uint32_t)(id - t->nodes.at[0].id) + 1
		                                           : 0;
	return pp_v8_look_up(t, id);
}
/* Stacks that cost nothing where the file says that there are some: each node without children has a row. */
void pp_v8_leaves_build(struct v8_tree *, uint32_t series);
/* Lines of functions, by their ticks. */
void pp_v8_ticks_build(struct v8_tree *, uint32_t series, uint32_t samples);

/* ---- samples ---- */

struct v8_sample {
	int64_t time;
	uint32_t node; /* + 1; 0 = of no node */
};

/* What samples of a node come to; together, as samples hit nodes all over. */
struct v8_sum {
	int64_t count, time;
};

/* As far as that is little, it is added up in less room first. */
struct v8_small_sum {
	uint32_t count, time;
};

/* Samples on their way into a series; those that wait are put in order of time. */
struct v8_samples {
	struct v8_tree *tree;
	struct pp_fixed *fixed;
	uint32_t series, samples, time; /* metrics; PP_NO_METRIC = there are no times */
	bool absolute;                  /* times are given, not differences */
	bool laid_out;                  /* when samples were is not known */
	bool *unsorted; /* set when there is more disorder than those that wait can mend */
	bool collect;   /* all of them wait */
	/* of the run itself */
	bool keeps, disorder;
	bool far;        /* a time, or what a sample lasted, is beyond 64 bits */
	bool all_placed; /* no node has to be looked at */
	int64_t now;
	const unsigned char *back; /* where time went back first */
	PP_VEC(struct v8_sample) wait;
	size_t first;               /* of those that wait */
	struct v8_sum *sums;        /* by node */
	struct v8_small_sum *small; /* as many */
	size_t room;                /* for so many */
	uint64_t n;                 /* samples */
	uint64_t more, fewer;       /* times than samples */
	int64_t ends;               /* with one more: that is the end of the last */
	int64_t last;               /* the latest that went on */
	bool any_last;
};

void pp_v8_samples_begin(struct v8_samples *, int64_t start);
/* Samples and their differences in time, arrays that stand there; the latter may be NULL. */
void pp_v8_samples_read(struct v8_samples *, const unsigned char *ids, const unsigned char *deltas);
/* The last one lasts until `end`, if that is known. */
void pp_v8_samples_end(struct v8_samples *, bool has_end, int64_t end, const unsigned char *at);

/* The metrics of samples and of their time. */
uint32_t pp_v8_metric_samples(struct pp_builder *, bool primary);
uint32_t pp_v8_metric_time(struct pp_builder *, const struct pp_fixed *, const char *name);

#endif
