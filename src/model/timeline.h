/*
 * A timeline: the events of one series in the order of the file, packed.
 *
 * An event steps to a node at a time: `enter` goes to a child, `exit` back to the parent, a `sample` jumps
 * anywhere: in a trace, to what runs without having been called. An `enter` goes further down where nobody saw
 * the frames in between being called. Among samples an `exit` of node 0 says that nothing runs from then on, because
 * the thread left its processor; it weighs nothing. Each carries one
 * value per value column (for traces: the counter's state, for samples: the weight). Stored as zig-zag varints
 * of differences; every PP_TIMELINE_BLOCK events a block starts from absolute values, so a reader can start at
 * any block.
 */
#ifndef PP_TIMELINE_H
#define PP_TIMELINE_H

#include "base/buf.h"
#include "base/common.h"
#include "base/vec.h"

#define PP_TIMELINE_BLOCK 4096

enum pp_event_kind { PP_EVENT_ENTER, PP_EVENT_EXIT, PP_EVENT_SAMPLE };

struct pp_event {
	enum pp_event_kind kind;
	pp_node node;   /* enter: the node entered; exit: the node left; sample: the leaf */
	int64_t time;   /* in the timeline's unit; ns unless the reader says otherwise */
	uint32_t extra; /* format-specific small number (cpu, call-site line); 0 = none */
};

struct pp_timeline {
	struct pp_buf bytes;
	PP_VEC(struct pp_timeline_block {
		size_t at;      /* offset in bytes */
		uint64_t first; /* number of its first event */
		int64_t time;   /* of its first event */
	})
	blocks;
	uint64_t n;
	uint32_t columns;     /* values per event */
	bool cumulative;      /* values are counter states (traces), not weights (samples) */
	struct pp_event last; /* building: the event before */
	int64_t *last_values; /* building */
};

/* Prepares for `columns` values per event; false when out of memory. */
bool pp_timeline_init(struct pp_timeline *, uint32_t columns, bool cumulative);
void pp_timeline_release(struct pp_timeline *);
/* Appends; false when out of memory. */
bool pp_timeline_add(struct pp_timeline *, const struct pp_event *, const int64_t *values);
/*
 * Takes over `n` events packed as another timeline's bytes, whoever wrote them. False when they are not whole
 * or name a node from `nodes` on; or without memory, as *no_memory tells.
 */
bool pp_timeline_load(struct pp_timeline *, struct pp_buf *bytes, uint64_t n, uint32_t nodes,
                      bool *no_memory);
/*
 * Gives a timeline `wide` columns, where column k becomes column to[k] (UINT32_MAX = none) and the others are 0,
 * and puts it into the order of time when it is `unordered`; false when out of memory.
 */
bool pp_timeline_settle(struct pp_timeline *, const uint32_t *to, uint32_t wide, bool unordered);
/* Frees what only building needs. */
void pp_timeline_seal(struct pp_timeline *);

/* Iterates from a block on. `values` has `columns` cells and is the iterator's own. */
struct pp_timeline_iter {
	const struct pp_timeline *timeline;
	const unsigned char *p;
	uint64_t next; /* number of the next event */
	struct pp_event event;
	int64_t *values;
};

bool pp_timeline_begin(const struct pp_timeline *, struct pp_timeline_iter *, size_t block);
bool pp_timeline_next(struct pp_timeline_iter *); /* false at the end */
void pp_timeline_end(struct pp_timeline_iter *);
/* The block that holds the first event at or after a time. */
size_t pp_timeline_seek(const struct pp_timeline *, int64_t time);
/* When its first and its last event are; false when there is none, or out of memory. */
bool pp_timeline_span(const struct pp_timeline *, int64_t *first, int64_t *last);

/* A time as pictures draw it: further from 1970 than 73 years it stays there, so that differences fit. */
static inline int64_t
pp_time_near(int64_t time)
{
	const int64_t most = INT64_MAX / 4;

	return time > most ? most : time < -most ? -most : time;
}

#endif
