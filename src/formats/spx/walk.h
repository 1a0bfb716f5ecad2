/*
 * The events of one chunk of text as a walk on a small tree of its own.
 *
 * A chunk may start in the middle of a profile, so the frames that are open at its start are not
 * known. Node 0 stands for the innermost of them. Each time an end closes a frame that was open before
 * the chunk, a new node (a "floor") stands for the next one outwards. What is known later, when the
 * chunks are merged in order, is which nodes of the profile the floors are: the first is where the
 * chunk before ended, each other one its parent. So chunks can be read in any order, by any thread.
 *
 * Costs: values are counters. What a counter grew between two events belongs to the frame that was
 * innermost in between. The first event of an independent chunk has no event before it; its values are
 * kept in `first`, and merging charges the difference.
 */
#ifndef PP_SPX_WALK_H
#define PP_SPX_WALK_H

#include "base/slice.h"
#include "base/slots.h"
#include "formats/spx/spx.h"

/* A chunk's text; its nodes must fit in 20 bits of a key, and the shortest event has 3 bytes. */
#define SPX_CHUNK ((size_t)2 << 20)
/* Back references reach this far at most (SPX: 4; its readers accept 20). */
#define SPX_RECENT 32

/* So many doubtful lines out of so many are garbage: that of a broken deflate stream has three in four. */
#define SPX_DOUBTS_MOST 64
#define SPX_DOUBT_LINES 256

/* parent << 44 | function index << 16 | call-site line */
#define SPX_KEY_PARENT 44
#define SPX_KEY_INDEX 16

/* How the lines of one document look. */
struct spx_layout {
	bool bars;             /* 0.5: fields separated by '|', differences */
	bool sites;            /* 0.5: start lines begin with the line of the call */
	bool repair;           /* 0.4: lines may be so long that SPX damages them */
	uint32_t columns;      /* values per event line */
	uint32_t metrics;      /* >= columns; the others stay 0 */
	uint32_t gains;        /* metrics of which gains are wanted, too: in order, */
	uint32_t gain_columns; /* so those that event lines have come first */
	uint32_t gain_of[SPX_METRICS_MAX];
	unsigned scale[SPX_METRICS_MAX]; /* decimals that each column starts with */
	bool fixed[SPX_METRICS_MAX];     /* every value has them: -5.9999 is -5.9999 */
};

struct spx_node {
	uint64_t key;
	uint32_t last;  /* the child visited last */
	uint32_t floor; /* number of the floor + 1; 0 = an ordinary node */
};

/* An end that closed a frame opened before the chunk. */
struct spx_floor {
	uint32_t node;
	uint32_t ended; /* function index that the end named; SPX_INDEX_NONE while it is open */
	struct pp_place place;
};

struct spx_event {
	uint32_t node; /* entered or left */
	uint16_t site;
	uint16_t start;
};

/* What one event depends on besides its own line. */
struct spx_state {
	bool known;       /* there are values */
	uint32_t used;    /* bytes in the buffer of the 0.4 writer */
	uint32_t flushed; /* events since it was last emptied for certain */
	uint32_t recents; /* events so far, for back references */
	uint32_t recent[SPX_RECENT];
	unsigned scale[SPX_METRICS_MAX];
	int64_t values[SPX_METRICS_MAX];
};

/* What was noticed in the text: of a chunk or, added up, of the whole body. */
struct spx_found {
	uint64_t lines;
	uint64_t short_lines, merged_lines;
	struct pp_place damage; /* the first of them */
	int64_t back;           /* negative when the first column went back */
	bool crlf;
	bool garbage; /* the text has turned into garbage: the rest was not read */
};

/* Lines that SPX does not write. Many of them together are garbage. */
struct spx_doubts {
	uint64_t n;
	uint64_t first; /* the line of the chunk at which the run at hand began */
	uint32_t run;   /* how many there are from there on */
};

/*
 * What a chunk that holds garbage is read again with: from line `from` on the first line that SPX would not have
 * written at this place ends it.
 */
struct spx_strict {
	bool on;
	uint64_t from;
	uint32_t open;      /* frames that are open before the chunk */
	uint32_t functions; /* named so far; each new one has the next index */
	uint32_t time;      /* the column whose values only grow, up to `latest` */
	int64_t latest;
};

/* The tree of a chunk and the place on it. */
struct spx_tree {
	struct spx_node *nodes;
	int64_t *cells;  /* per node: metrics, gains, then calls */
	uint32_t stride; /* cells of a node */
	uint32_t n, cap;
	struct pp_slots slots;
	uint32_t cur;
	PP_VEC(struct spx_floor) floors;
};

struct spx_walk {
	const struct spx_layout *layout;
	uint32_t site_mask; /* 0xffff when call sites are wanted, else 0 */
	bool record;        /* keep the events */
	bool slow;          /* some column has decimals */
	bool alone;         /* began without the state of the chunk before */
	bool lacks;         /* and an event needs it */
	bool no_memory;

	struct spx_state state;
	struct spx_tree tree;
	bool has_first;
	int64_t first[SPX_METRICS_MAX];
	int64_t next[SPX_METRICS_MAX]; /* of the line at hand */

	PP_VEC(struct spx_event) events;
	PP_VEC(int64_t) event_values;
	uint64_t count; /* events */
	struct spx_found found;
	struct spx_doubts doubts;
	struct spx_strict strict;
	struct pp_diags diags;

	/* The text being read, for places. */
	const unsigned char *text;
	uint64_t text_offset;
};

bool pp_spx_walk_init(struct spx_walk *);
void pp_spx_walk_release(struct spx_walk *);
/* Empties the walk for another chunk. */
void pp_spx_walk_begin(struct spx_walk *, const struct spx_layout *, const struct spx_state *);
/*
 * Reads lines. Each ends in a newline, but the last may lack it (`cut` then says whether it is to be
 * refused). PP_INPUT_PAD bytes behind the text are readable. `offset` is that of the first byte.
 */
void pp_spx_walk_text(struct spx_walk *, struct pp_slice text, uint64_t offset, bool cut);

/* ---- lines (spx/events.c) ---- */

/* Runs over whole lines as long as they are plain; returns where a line is not. Used by walk_text. */
const unsigned char *pp_spx_run(struct spx_walk *, const unsigned char *p,
                                const unsigned char *end);
/* Any line, without its newline (`whole`: it had one). */
void pp_spx_line(struct spx_walk *, struct pp_slice line, bool whole);

/* The node for a key, made when absent; its number, or 0 when out of memory (w->no_memory). */
uint32_t pp_spx_walk_child(struct spx_walk *, uint64_t key);
/* An end that does not simply close the current node. */
void pp_spx_walk_end_odd(struct spx_walk *, uint32_t index, struct pp_place);
/* An event whose values are in w->next: charges, steps, records. */
void pp_spx_walk_event(struct spx_walk *, bool start, uint32_t index, uint32_t site,
                       const unsigned char *line);
/*
 * A number as SPX or its relatives write it, as the new state of a column (or, with `relative`, as the
 * difference to the one before); into w->next[column]. False when it is none or does not fit.
 */
bool pp_spx_walk_number(struct spx_walk *, uint32_t column, struct pp_slice, bool relative);
/* Gives a column more decimals; false when a value would not fit. */
bool pp_spx_walk_rescale(struct spx_walk *, uint32_t column, unsigned scale);
/* Notes an event, when events are wanted. */
void pp_spx_walk_record(struct spx_walk *, uint32_t node, bool start, uint32_t site);
/* Notes a line that SPX does not write; `line` is its number in the chunk. */
void pp_spx_walk_doubt(struct spx_walk *, uint64_t line);
/* Refuses a line. */
void pp_spx_walk_refuse(struct spx_walk *, struct pp_place, const char *why);
/* Whether reading is strict at the line at hand. */
static inline bool
pp_spx_is_strict(const struct spx_walk *w)
{
	return w->strict.on && w->found.lines >= w->strict.from;
}
/* Whether SPX would not write this event here. */
bool pp_spx_walk_unlikely(struct spx_walk *, bool start, uint32_t index);
/* Ends the reading: from this line on the text is garbage. */
void pp_spx_walk_stop(struct spx_walk *, struct pp_place);

static inline uint32_t
pp_spx_key_index(uint64_t key)
{
	return (uint32_t)(key >> SPX_KEY_INDEX) & SPX_INDEX_NONE;
}

static inline uint32_t
pp_spx_key_parent(uint64_t key)
{
	return (uint32_t)(key >> SPX_KEY_PARENT);
}

static inline struct pp_place
pp_spx_place(const struct spx_walk *w, const unsigned char *at, size_t column)
{
	return pp_at_line(w->found.lines, column + 1,
	                  w->text_offset + (uint64_t)(at - w->text) + column);
}

/* The walk's pointers and place in local variables, which a fast run keeps in registers. */
struct spx_cursor {
	struct spx_node *nodes;
	int64_t *cells;
	size_t stride;
	uint32_t cur;
	uint64_t count; /* events of this run */
};

static inline __attribute__((always_inline)) struct spx_cursor
pp_spx_cursor_begin(const struct spx_walk *w)
{
	return (struct spx_cursor){ w->tree.nodes, w->tree.cells, w->tree.stride, w->tree.cur, 0 };
}

static inline __attribute__((always_inline)) void
pp_spx_cursor_end(struct spx_walk *w, const struct spx_cursor *c)
{
	w->tree.cur = c->cur;
	w->count += c->count;
	w->found.lines += c->count;
}

/* An end that does not close the current node, in the middle of a fast run. */
static inline void
pp_spx_cursor_odd(struct spx_walk *w, struct spx_cursor *c, uint32_t index,
                  const unsigned char *line)
{
	w->tree.cur = c->cur;
	w->found.lines += c->count + 1;
	pp_spx_walk_end_odd(w, index, pp_spx_place(w, line, 0));
	w->found.lines -= c->count + 1;
	c->cur = w->tree.cur;
	c->nodes = w->tree.nodes;
	c->cells = w->tree.cells;
}

/* Steps to where an event leads, its cost being charged already. */
static inline __attribute__((always_inline)) void
pp_spx_cursor_step(struct spx_walk *w, struct spx_cursor *c, bool start, uint32_t index,
                   uint32_t site, const unsigned char *line, const bool record)
{
	uint32_t left = c->cur;

	if (start) {
		uint64_t key = (uint64_t)left << SPX_KEY_PARENT | (uint64_t)index << SPX_KEY_INDEX |
		               (site & w->site_mask);
		uint32_t child = c->nodes[left].last;

		if (PP_UNLIKELY(c->nodes[child].key != key)) {
			child = pp_spx_walk_child(w, key);
			c->nodes = w->tree.nodes;
			c->cells = w->tree.cells;
			c->nodes[left].last = child;
		}
		c->cells[child * c->stride + c->stride - 1]++;
		c->cur = left = child;
	} else if (PP_LIKELY(pp_spx_key_index(c->nodes[left].key) == index)) {
		c->cur = pp_spx_key_parent(c->nodes[left].key);
	} else {
		pp_spx_cursor_odd(w, c, index, line);
	}
	if (record)
		pp_spx_walk_record(w, left, start, site);
	c->count++;
}

#endif
