/*
 * Trace events, between the files that read them.
 */
#ifndef PP_CHROME_TRACE_H
#define PP_CHROME_TRACE_H

#include "formats/chrome/chrome.h"
#include "formats/chrome/v8.h"
#include "formats/kit/call_walk.h"

enum {
	TRACE_JSON,
	TRACE_CUT,
	TRACE_SHAPE,
	TRACE_TS,
	TRACE_DUR,
	TRACE_FRAME,
	TRACE_PROFILE,
	TRACE_PROFILE_SAMPLE,
	TRACE_PROFILE_NUMBER,
	TRACE_UTF8,
	TRACE_END,
	TRACE_OPEN,
	TRACE_OVERLAP,
	TRACE_DUR_MISSING,
	TRACE_PROFILE_PARENT,
	TRACE_PROFILE_DELTA_NEGATIVE,
	TRACE_PROFILE_END,
	TRACE_DIGITS,
	TRACE_DIGITS_FINE,
	TRACE_SKIPPED,
	TRACE_TOTALS,
	TRACE_UNTERMINATED
};

extern const struct pp_rule pp_trace_rules[];

/* A B, E or X, or what became of it: an interval. */
struct trace_slice {
	int64_t begin, end; /* an X has both, the end of a B is found */
	pp_frame frame;
	uint32_t name : 30; /* 0 = none */
	uint32_t kind : 2;  /* TRACE_B, ... */
};

enum { TRACE_B, TRACE_E, TRACE_X };

struct trace_thread {
	pp_str pid, tid;    /* of the reader's strings */
	int64_t tid_number; /* -1 = it is none */
	pp_str name;
	PP_VEC(struct trace_slice) slices;
	const unsigned char *at; /* the first of them, for what is found in all */
	bool sorted;
	bool has_series;
	uint32_t series; /* one of its own */
};

/* A Profile or CpuProfile event, or a chunk of one: where its data stand. */
struct trace_profile {
	pp_str pid, id;
	uint32_t thread;
	bool whole; /* CpuProfile */
	const unsigned char *at, *data;
};

struct trace_chunk {
	pp_str pid, id;
	bool timed; /* it has a ts */
	int64_t ts;
	uint32_t order;
	const unsigned char *at, *data; /* NULL = it has none */
};

/* What an event says, as far as it was looked at. */
struct event {
	const unsigned char *at, *args;
	unsigned char ph;
	bool has_ts, has_dur, dur_wrong, has_tdur, has_name, has_cat;
	int64_t ts, dur, tdur;
	struct pp_slice pid, tid, id;
	struct pp_json_str name, cat;
};

/* A counter, which is a metric, and a value of one. */
struct trace_counter {
	pp_str name; /* of the reader's strings */
	uint32_t metric;
	uint32_t values; /* how many */
	struct pp_fixed fixed;
};

struct trace_count {
	int64_t time;
	pp_str pid, tid;
	uint32_t counter, order;
	const unsigned char *at;
	struct pp_slice value; /* a number */
};

/* An event that is kept as it is; what `type` its details are of. */
#define PP_TRACE_MARK "trace-event"

struct trace_mark {
	const unsigned char *at;
	uint32_t thread;
	unsigned phase; /* as Firefox counts: 2 begins something, 3 ends it */
	bool has_time;
	int64_t time;
};

/* Most events are written like one of a few before; those that are not are scanned, and after many of them no way is looked for, for a while. */
#define TRACE_WAYS 4
#define TRACE_MISSES 16
#define TRACE_REST 1000

struct trace_quick {
	struct pp_json_alike ways[TRACE_WAYS];
	unsigned has[TRACE_WAYS]; /* which keys */
	unsigned next;            /* to be learned */
	unsigned char way_of[16]; /* by a byte that often is the phase: which it was last */
	unsigned misses, rest;
};

struct trace_read {
	struct trace_quick quick;
	struct pp_json_doc doc;
	struct pp_builder *b;
	struct pp_fixed fixed;
	struct pp_strtab strings;
	PP_VEC(struct trace_thread) threads;
	struct pp_map thread_of, frame_of; /* pid << 32 | tid; name << 32 | module */
	PP_VEC(struct trace_profile) profiles;
	PP_VEC(struct trace_chunk) chunks;
	PP_VEC(struct trace_thread) processes; /* names of processes, by pid */
	PP_VEC(struct trace_counter) counters;
	PP_VEC(struct trace_count) counts;
	PP_VEC(struct trace_mark) marks;
	const unsigned char *events, *samples, *frames;
	bool array, hermes, first;
	/* LLVM's -ftime-trace: details are part of the names of slices. */
	bool clang;
	bool labels;             /* details are labels */
	struct pp_map detail_of; /* the text, by frame */
	uint64_t totals;         /* slices that are sums, which are left out */
	const unsigned char *totals_at;
	bool has_slices, has_samples, has_profiles;
	uint64_t skipped;
	const unsigned char *skipped_at;
	bool unsorted, collect;
	uint32_t dur, time, count; /* metrics */
	pp_str slices_event, samples_event, counters_event;
	/* The thread of the event before. */
	bool has_last;
	struct pp_slice last_pid, last_tid;
	uint32_t last_thread;
	struct pp_slice last_cat; /* as it is written */
	pp_str last_cat_id;
};

/* The series of a thread, for slices or for samples. */
uint32_t pp_trace_series(struct trace_read *, uint32_t thread, bool slices);
/* That of a process by its id, for what is not of a thread. */
uint32_t pp_trace_process_series(struct trace_read *, pp_str pid);
/* An event that is no slice; then the metrics of counters, their values over time, and markers. */
void pp_trace_mark_take(struct trace_read *, const struct event *);
/* What has one value only says nothing over time: it is a marker. */
void pp_trace_counters_settle(struct trace_read *);
void pp_trace_counters_metrics(struct trace_read *);
void pp_trace_counters_build(struct trace_read *);
void pp_trace_marks_build(struct trace_read *);
/* The slices of all threads, nested by time. */
void pp_trace_slices_build(struct trace_read *);
/* CPU profiles in the events; whether there are any is known before. */
void pp_trace_profiles_find(struct trace_read *);
void pp_trace_profiles_build(struct trace_read *);
/* Samples with stackFrames. */
void pp_trace_samples_build(struct trace_read *);
/* A thread by its ids, numbers or texts. */
uint32_t pp_trace_thread(struct trace_read *, struct pp_slice pid, struct pp_slice tid);
/* What the event that comes next says. */
void pp_trace_event_scan(struct trace_read *, struct pp_scan *, struct event *);
/* A number, and a time, which may stand in quotes. */
bool pp_trace_number(struct trace_read *, struct pp_scan *, int64_t *);
bool pp_trace_time(struct trace_read *, struct pp_scan *, int64_t *);
/* An id as text, whether it is a number or one in quotes; empty when it is neither. */
struct pp_slice pp_trace_id(struct trace_read *, struct pp_scan *);
pp_str pp_trace_string(struct trace_read *, struct pp_slice);
/* The object under a key of another one; NULL when there is none. */
const unsigned char *pp_trace_object(struct trace_read *, const unsigned char *object,
                                     const char *name);
/* The source map that an event names for a script, and those of the metadata. */
void pp_trace_script_take(struct trace_read *, const struct event *);
void pp_trace_maps_read(struct trace_read *, struct pp_scan);
/* Whether LLVM wrote the trace, by its ends and its first event. */
bool pp_trace_clang_begins(struct trace_read *, const struct event *first);
/* Whether a slice is a sum over others; it is counted. */
bool pp_trace_clang_is_total(struct trace_read *, const struct event *);
/* The frame of a slice that has a detail, else 0. */
pp_frame pp_trace_clang_frame(struct trace_read *, const struct event *, pp_str name);
/* Ends the slice before, if it is an open one of that name. */
bool pp_trace_clang_close(struct trace_thread *, pp_str name, int64_t end);
/* The series of a thread that has the detail of a frame as a label; `around` if it has none. */
#define PP_TRACE_DETAIL "detail"
uint32_t pp_trace_clang_series(struct trace_read *, uint32_t series, uint32_t around,
                               pp_frame frame);
/* The frame of a name within a category. */
pp_frame pp_trace_frame(struct trace_read *, pp_str name, pp_str module);

#endif
