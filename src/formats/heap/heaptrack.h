/*
 * What the parts of the reader of heaptrack share. What the lines are stands in heaptrack.c.
 *
 *     heaptrack.c         recognition, lines
 *     heaptrack_replay.c  what allocations and frees add up to, at the end, at the peak, and in time
 *     heaptrack_finish.c  stacks, metrics, metadata
 */
#ifndef PP_HEAPTRACK_H
#define PP_HEAPTRACK_H

#include "formats/author.h"
#include "formats/kit/mapped.h"

/* Positions in pp_heaptrack_rules[]. */
enum pp_ht_rule {
	PP_HT_VERSION,
	PP_HT_LINE,
	PP_HT_REFERENCE,
	PP_HT_CUT,
	PP_HT_SIZE,
	PP_HT_TIME,
	PP_HT_FREED,
	PP_HT_SUPPRESSED,
	PP_HT_SYMBOLS
};

extern const struct pp_rule pp_heaptrack_rules[];

/* Allocations of one size from one stack: half a line of the processor's cache, as each event needs another one. */
struct pp_ht_info {
	uint64_t size;
	uint32_t allocated, temporary;
	int32_t live;
	int32_t at_peak; /* how many were live then, if `peak` is the number of the last peak */
	uint32_t peak;
	uint32_t window; /* the last that it was touched in */
};

/* A stack: its innermost frame, and the rest. */
struct pp_ht_trace {
	uint32_t ip, parent;
};

/* An address and its functions, the innermost first: `n` of `places` from `first` on. */
struct pp_ht_ip {
	uint64_t address;
	uint32_t module; /* a string */
	uint32_t first, n;
};

struct pp_ht_place {
	uint32_t function, file, line;
};

/* Memory in use, of raw recordings: by pointer. */
struct pp_ht_pointer {
	uint64_t pointer; /* 0 = free slot */
	uint32_t info;
};

struct pp_ht_pointers {
	struct pp_ht_pointer *at;
	size_t n, mask;
	uint64_t seed;
};

/* What a stack did in a stretch of time. */
struct pp_ht_moment {
	int64_t time; /* ms */
	uint32_t trace;
	uint64_t allocated, temporary;
	int64_t bytes, live, live_bytes;
};

/* What was there before an info was touched in this stretch. */
struct pp_ht_touched {
	uint32_t info;
	uint32_t allocated, temporary;
	int32_t live;
};

struct pp_ht_windows {
	bool wanted;
	uint32_t number; /* of the stretch, from 1 */
	int64_t quantum; /* ms that a stretch is long at least */
	int64_t time;    /* when it began */
	PP_VEC(struct pp_ht_touched) touched;
	PP_VEC(struct pp_ht_moment) moments;
	PP_VEC(uint32_t) moment_of; /* by trace: the moment in this stretch + 1 */
};

struct pp_ht {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_mapped mapped; /* of raw recordings */
	unsigned version, format;
	bool raw, attached;
	bool lines;  /* places within functions are ordered */
	bool places; /* addresses are, too */
	/* what the file lists, each from 1 but for infos */
	PP_VEC(pp_str) strings;
	PP_VEC(struct pp_ht_ip) ips;
	PP_VEC(struct pp_ht_place) spots;
	PP_VEC(struct pp_ht_trace) traces; /* of raw recordings `ip` is a run of frames */
	PP_VEC(struct pp_ht_info) infos;
	PP_VEC(uint32_t) info_traces; /* by info */
	PP_VEC(pp_str) suppressions;
	/* of raw recordings, and those before 1.0 */
	struct pp_ht_pointers pointers;
	struct pp_slots info_slots;
	pp_str executable, command;
	bool in_command; /* lines may still belong to it */
	/* replaying */
	uint64_t last; /* what was allocated last: an info or, before 1.0, a pointer; 0 = none */
	int64_t live, most;      /* bytes now, and at the peak */
	uint32_t peaks;          /* how often there was a new one */
	int64_t time, peak_time; /* ms */
	bool timed;
	uint64_t allocated, bytes, temporary, freed_unknown;
	struct pp_ht_windows windows;
	/* what is told of the machine */
	uint64_t page_size, pages, rss;
	struct pp_buf rss_text; /* "ms pages", line by line */
	/* where reading is */
	uint64_t line;
	bool stopped; /* nothing more can be read */
};

static inline bool
pp_ht_ok(const struct pp_ht *h)
{
	return !h->stopped && pp_builder_ok(h->b);
}

void pp_ht_no_memory(struct pp_ht *);
/* A finding in the line that is being read. */
void pp_ht_report(struct pp_ht *, enum pp_ht_rule, const char *what);

/* ---- heaptrack_replay.c ---- */
/*
 * Events of interpreted recordings, of which there are millions, as long as they begin before `stop`; returns the first line
 * that is something else, or does not surely end before `end`.
 */
const unsigned char *pp_ht_events(struct pp_ht *, const unsigned char *p, const unsigned char *stop,
                                  const unsigned char *end);
/* A new kind of allocation. */
void pp_ht_info_add(struct pp_ht *, uint64_t size, uint32_t trace);
void pp_ht_allocate(struct pp_ht *, uint64_t info);
void pp_ht_free(struct pp_ht *, uint64_t info);
/* "+ SIZE TRACE POINTER" and "- POINTER" */
void pp_ht_pointer_add(struct pp_ht *, uint64_t size, uint64_t trace, uint64_t pointer);
void pp_ht_pointer_drop(struct pp_ht *, uint64_t pointer);
/* The clock moves on. */
void pp_ht_time(struct pp_ht *, int64_t ms);
/* What happened before is forgotten: heaptrack was attached here. */
void pp_ht_restart(struct pp_ht *);
/* Ends the last stretch of time. */
void pp_ht_replay_end(struct pp_ht *);
/* How many of an info were live at the peak. */
static inline int64_t
pp_ht_at_peak(const struct pp_ht *h, const struct pp_ht_info *i)
{
	return i->peak == h->peaks ? i->at_peak : i->live;
}

/* ---- heaptrack_finish.c ---- */
void pp_ht_finish(struct pp_ht *);

#endif
