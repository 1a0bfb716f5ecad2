/*
 * What the parts of the reader of perf script text share.
 *
 * The grammar of single lines (perf_script_parse.c) knows no state and builds nothing, so recognition,
 * the reader and the tests use the same functions.
 */
#ifndef PP_PERF_SCRIPT_H
#define PP_PERF_SCRIPT_H

#include "base/slice.h"
#include "formats/format.h"
#include "formats/perf/switches.h"

/* Positions in pp_perf_rules[]. */
enum pp_perf_rule {
	PP_PERF_LINE,
	PP_PERF_NUMBER,
	PP_PERF_HEADER_MISSING,
	PP_PERF_CUT,
	PP_PERF_END,
	PP_PERF_SUM,
	PP_PERF_EVENTS,
	PP_PERF_LOST,
	PP_PERF_MESSAGE,
	PP_PERF_PERIOD_MISSING,
	PP_PERF_TIME_ORDER,
	PP_PERF_DETAILS
};

extern const struct pp_rule pp_perf_rules[];
extern const struct pp_format pp_format_perf, pp_format_perf_script;

/* ---- lines ------------------------------------------------------------------------------ */

/* How much of the grammar of a header line was found. */
enum pp_perf_header_kind {
	PP_PERF_NO_HEADER,
	PP_PERF_LOOSE,  /* only a name and perhaps an id: a sample when a frame follows */
	PP_PERF_SAMPLE, /* at least a time or an event */
	PP_PERF_RECORD  /* PERF_RECORD_...: something that is not a sample */
};

/* The line that starts a sample. What `-F` left out is empty, -1 or false. */
struct pp_perf_header {
	struct pp_slice comm;
	int64_t pid, tid, cpu;
	bool has_time, has_period;
	int64_t time; /* ns */
	uint64_t period;
	struct pp_slice event;      /* without the colon; of a record its name */
	struct pp_slice rest;       /* behind the event: a frame, fields of a tracepoint, ... */
	const unsigned char *wrong; /* a number that does not fit, NULL when all do */
};

/* Takes a line without its newline apart. */
enum pp_perf_header_kind pp_perf_header_parse(struct pp_slice line, struct pp_perf_header *);

/* A frame: "7f12 symbol+0x1f (dso)", any of the latter two may be missing. */
struct pp_perf_frame {
	uint64_t ip, offset;
	struct pp_slice symbol; /* without offset; empty when there is none */
	struct pp_slice dso;    /* empty when there is none */
	bool inlined;           /* "(inlined)" stands in place of the dso */
};

/* Takes a frame apart: text without blanks at its ends. False when it is none. */
bool pp_perf_frame_parse(struct pp_slice text, struct pp_perf_frame *);
/*
 * The frame of a sample on one line, which stands among other columns: cuts `rest` down to it. False
 * when there is none. Fields of tracepoints look like anything, so more is asked of theirs.
 */
bool pp_perf_rest_frame(struct pp_slice *rest, struct pp_slice event);

/* A source line: "file.c:12 (inlined)"; `line` is 0 when it names none ("libc.so[27b25]"). */
struct pp_perf_place {
	struct pp_slice file;
	uint32_t line;
	bool inlined;
};

void pp_perf_place_parse(struct pp_slice s, struct pp_perf_place *);

/* Registers, branches, source code: what perf prints within a sample, but no frame. */
bool pp_perf_is_detail(struct pp_slice line, struct pp_slice text);
/* What perf says on standard error, which people redirect as well. */
bool pp_perf_is_message(struct pp_slice text);
/* Whether an event is a tracepoint or probe ("sched:sched_switch"), not one with modifiers ("cycles:u"). */
bool pp_perf_event_is_probe(struct pp_slice event);
/* The name of an event without its modifiers. */
struct pp_slice pp_perf_event_base(struct pp_slice event);
/* The text without blanks (and CR) at its ends. */
struct pp_slice pp_perf_trim(struct pp_slice);

static inline bool
pp_perf_blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline bool
pp_perf_hex(unsigned char c)
{
	return (unsigned)c - '0' <= 9 || (unsigned)c - 'a' <= 5;
}

/* ---- the reader ------------------------------------------------------------------------- */

/* What stands for a thread in front of its stacks (option "root"). */
enum pp_perf_root { PP_PERF_ROOT_NONE, PP_PERF_ROOT_COMM, PP_PERF_ROOT_PID, PP_PERF_ROOT_TID };

/* A frame or source line, by the text that tells it from others. What it means is found out when used. */
struct pp_perf_entry {
	bool known;   /* the fields below but the next one are set */
	bool by_text; /* of a frame without its address: it means nothing without */
	bool inlined;
	bool nameless; /* no symbol was found */
	pp_str name;
	pp_module module;
	uint64_t ip, offset; /* of a frame with its address */
	pp_str file;         /* of a place, or of a function that the JIT told the place of */
	uint32_t line;
};

/*
 * Looking up a line touches a slot and the text, and its frame: programs have tens of thousands of them, and
 * every step to other memory costs more than comparing. The text of a frame is that of its line or, where places
 * are not ordered, without address and offset: "symbol LF" or "symbol LF LF (dso)". That of a source line is
 * "LF file:12".
 */
struct pp_perf_entries {
	struct pp_strtab texts;            /* [0] = none */
	PP_VEC(struct pp_perf_entry) list; /* by text */
	PP_VEC(pp_frame) frame_of;  /* per entry that needs no neighbours; 0 = not known yet */
	PP_VEC(unsigned char) keys; /* texts being looked up */
};

/* What a line of a stack is looked up by. */
struct pp_perf_key {
	struct pp_slice line; /* without blanks at its ends */
	struct pp_slice text;
	const unsigned char *offset; /* where its offset is cut out; NULL = it has none */
	const unsigned char *next;   /* the line behind it */
	uint64_t ip;
	uint32_t tag; /* of its text */
	bool folded;  /* address and offset are left out */
};

struct pp_perf_keys {
	PP_VEC(struct pp_perf_key) list;
	PP_VEC(unsigned char) texts; /* room is made for all of them before any is there */
};

/*
 * A sample as another thread found it in the text: its header and the stack right behind it. All of that depends on
 * the text alone, so whether it was found out before or is found out now makes no difference.
 */
struct pp_perf_found {
	struct pp_slice line;
	struct pp_perf_header header;
	struct pp_slice text; /* of the stack, up to the empty line that ends it */
	uint64_t hash;        /* of that */
	uint32_t lines;
	uint32_t key_count; /* 0 = its lines were not looked at, since the whole was there lately */
	size_t first_key;
};

/* Samples found in a piece of the text, in order. */
struct pp_perf_ahead {
	const struct pp_perf_found *next, *end;
	const struct pp_perf_key *keys;
	/* The hash in each slot of the chains, for other threads to see; NULL = there are none. */
	uint64_t *known;
};

/* A frame of the sample being read: a line, and the source line behind it (0 = none). */
struct pp_perf_step {
	uint32_t entry, place;
	uint64_t ip;
};

struct pp_perf_event {
	pp_str name;
	uint64_t samples, with_period;
	uint64_t period; /* the sum */
	bool sums;       /* they are no samples, but stacks and what each costs in all */
	uint32_t metric; /* of its period, or of its samples when it has no period; at the end */
};

/* Samples are kept apart by event and thread. */
struct pp_perf_series {
	uint32_t event;
	pp_str comm;
	int64_t pid, tid;
	pp_frame root;
	uint32_t index; /* of the profile's */
	int64_t last_time;
	bool unordered; /* times went back */
};

/* A sample whose stack is being read. */
struct pp_perf_sample {
	uint32_t series;
	uint32_t cpu;                /* + 1 */
	struct pp_perf_chain *chain; /* the text that it is, to be known again; or NULL */
	bool has_period, has_time;
	uint64_t period;
	int64_t time;
	uint64_t line, offset;
};

/* The text of a stack. */
struct pp_perf_chain {
	uint64_t hash;
	uint64_t at; /* in the ring, counted from its beginning on */
	uint32_t n, lines;
	pp_stack stack; /* where it went; 0 = not known yet */
	bool waits;     /* the builder will tell */
	bool used;
};

/* A ring of texts: what is more than its size behind the head was written over. */
struct pp_perf_chains {
	struct pp_perf_chain *slots; /* by hash */
	unsigned char *ring;
	uint64_t head;
	unsigned tried, found; /* lately */
	unsigned pause;        /* so many stacks are not looked up, since hardly any was found */
};

/* Two functions that are in one binary. */
struct pp_perf_link {
	pp_func a, b;
};

struct pp_perf_ids {
	int64_t pid, tid, cpu;
};

/* An event as the header lines of the file describe it. */
struct pp_perf_attr {
	struct pp_slice name; /* in the arena */
	int64_t type;         /* of perf_event_attr; -1 = unknown */
	bool freq;
	bool has_rate;
	uint64_t rate; /* samples per second if freq, else events per sample */
	/* What polyprof writes of profiles that are no samples: stacks and what each costs in all. */
	bool listed; /* in the order of events */
	bool sums;
	bool nameless; /* its name is but that of the metric */
	struct pp_slice unit, metric;
};

struct pp_perf_pair {
	struct pp_slice key, value;
};

/* What the header lines ("# hostname : vm") say. */
struct pp_perf_meta {
	struct pp_arena arena;
	PP_VEC(struct pp_perf_pair) pairs;
	PP_VEC(struct pp_perf_attr) attrs;
	bool failed; /* out of memory */
};

/* Events of one file; every series has a cell for each, so a file of nothing but names must end. */
#define PP_PERF_EVENTS_MOST 1024

/* From lines to frames. */
struct pp_perf_frames {
	struct pp_map pair_frames;         /* entry, place -> frame */
	struct pp_map inline_of;           /* name -> function whose module is not known yet */
	struct pp_map linked;              /* pairs of those that are in one binary, */
	PP_VEC(struct pp_perf_link) links; /* in order */
	PP_VEC(pp_frame) stack;            /* of the sample that ends */
};

/* What records tell. */
struct pp_perf_records {
	struct pp_map pid_of;    /* tid -> pid */
	struct pp_map build_ids; /* name of a module -> build id */
	struct pp_perf_switches switches;
};

/* Events and threads. */
struct pp_perf_threads {
	PP_VEC(struct pp_perf_event) events;
	struct pp_map event_of; /* name -> event */
	PP_VEC(struct pp_perf_series) series;
	struct pp_map series_of; /* hash -> newest series, older ones by probing */
	uint32_t lately[64];     /* + 1, by tid: the series seen last */
};

/* The sample being read, and what the lines around it were. */
struct pp_perf_current {
	bool open;
	bool single;              /* it has one frame, on its own line */
	bool refused;             /* it was wrong: its frames are passed over */
	bool record;              /* lines belong to a record */
	bool headless;            /* a stack without header was reported */
	struct pp_perf_step rest; /* the frame on the header line; entry 0 = none */
	struct pp_perf_sample sample;
	PP_VEC(struct pp_perf_step) steps; /* leaf first */
	bool uneven;                       /* some step needs its neighbours */
	bool blank;                        /* there was an empty line */
	bool has_chains;                   /* some sample had frames on lines of their own */
	uint32_t chain_lines;              /* of the text of its stack, if that is kept */
	uint64_t chain_trouble;            /* how much there was to say before it */
};

/* A line that is a header if a frame follows. */
struct pp_perf_loose {
	bool waits;
	pp_str comm, event;
	struct pp_perf_ids ids;
	struct pp_place place;
};

/* What was counted. */
struct pp_perf_counts {
	uint64_t headers, samples, errors;
	uint64_t details, details_line, lost;
	bool unended; /* the last sample may be cut */
	bool has_time;
	int64_t time_min, time_max;
};

struct pp_perf_reader {
	struct pp_reader *reader;
	struct pp_builder *builder;
	bool places; /* frames keep addresses, offsets and inline depths */
	enum pp_perf_root root;
	uint64_t line; /* number of the current line */

	struct pp_perf_meta meta;
	struct pp_perf_entries entries;
	struct pp_perf_chains chains;
	struct pp_perf_ahead ahead;
	struct pp_perf_frames frames;
	struct pp_perf_records records;
	struct pp_perf_threads threads;
	struct pp_perf_current cur;
	struct pp_perf_loose loose;
	struct pp_perf_counts counts;
};

/* ---- perf_script_frames.c ---- */
bool pp_perf_entries_init(struct pp_perf_reader *);
void pp_perf_entries_release(struct pp_perf_reader *);
/*
 * Takes the frames at the start of a text of whole lines into the sample being read; returns how many bytes
 * that were, and adds up lines.
 */
size_t pp_perf_frames_take(struct pp_perf_reader *, struct pp_slice text, uint32_t *lines);
/*
 * The same in two steps. The first one works on any thread; the room for texts that is there must be that of the text. False
 * when out of memory.
 */
bool pp_perf_keys_make(const struct pp_perf_reader *, struct pp_slice text, struct pp_perf_keys *);
size_t pp_perf_keys_take(struct pp_perf_reader *, const unsigned char *begin,
                         const struct pp_perf_key *, size_t n, uint32_t *lines);
/* A frame by its text; entry 0 when it is none, or no memory. */
struct pp_perf_step pp_perf_frame_step(struct pp_perf_reader *, struct pp_slice text);
/* The entry of a source line, made when absent if `add`; else 0. */
uint32_t pp_perf_place_entry(struct pp_perf_reader *, struct pp_slice text, bool add);
/* Whether a frame, by its text, ends in a dso. */
bool pp_perf_entry_has_dso(const struct pp_perf_reader *, uint32_t entry);
/* Puts the frames of the sample being read behind those of r->frames.stack, root first. */
bool pp_perf_resolve(struct pp_perf_reader *);
/* Gives inlined functions whose binary is not told the one where others of their name are. */
void pp_perf_bind_inlined(struct pp_perf_reader *);
/* Kernel images and modules: "[kernel.kallsyms]", "[nf_nat]", ".../vmlinux", "x.ko.xz". */
bool pp_perf_module_is_kernel(struct pp_slice dso);
/* The module of that name. */
pp_module pp_perf_module(struct pp_perf_reader *, struct pp_slice dso);

/* ---- perf_script_meta.c ---- */
/* A line that starts with '#'. */
void pp_perf_meta_line(struct pp_perf_meta *, struct pp_slice line);
void pp_perf_meta_release(struct pp_perf_meta *);
/* What is said of an event; NULL when nothing is. */
const struct pp_perf_attr *pp_perf_meta_attr(const struct pp_perf_meta *, struct pp_slice event);
/* What was recorded, where the command line of perf tells: behind its "--"; else nothing. */
struct pp_slice pp_perf_command(struct pp_slice cmdline);
void pp_perf_meta_build(struct pp_perf_reader *);
/* An event in the words of SPAA, whose writer copies it; what is said of it, or NULL. */
void pp_perf_event_build(struct pp_builder *, uint32_t list, struct pp_slice name,
                         const struct pp_perf_attr *, bool period);
pp_status pp_perf_describe(struct pp_reader *, struct pp_brief *);

/* ---- perf_script_finish.c ---- */
/* The unit and meaning of an event's period. */
bool pp_perf_event_is_time(struct pp_slice event);
/*
 * The metrics of an event: its period if it has one (`by_period`: all samples have), and how many samples. Returns the
 * first of them.
 */
uint32_t pp_perf_metrics_build(struct pp_builder *, pp_str event, const struct pp_perf_attr *,
                               bool period, bool by_period);
void pp_perf_finish(struct pp_perf_reader *);

/* ---- perf_script_series.c ---- */
/* Events in the order of the comments that polyprof wrote, before any has a sample. */
void pp_perf_events_list(struct pp_perf_reader *);
/* What a header says, for when its stack is complete; false when it cannot be used. */
bool pp_perf_header_take(struct pp_perf_reader *, struct pp_slice line,
                         const struct pp_perf_header *, struct pp_perf_sample *out);

/* ---- perf_script_records.c ---- */
/* A line of something that is no sample. */
void pp_perf_record_take(struct pp_perf_reader *, struct pp_slice line,
                         const struct pp_perf_header *);

/* ---- perf_script_samples.c ---- */
/* Starts a sample; one that is not fine has frames like any other, but is not counted. */
void pp_perf_sample_open(struct pp_perf_reader *, const struct pp_perf_sample *, bool fine);
/* Ends the sample being read, if there is one. */
void pp_perf_sample_close(struct pp_perf_reader *);
bool pp_perf_chains_init(struct pp_perf_reader *);
void pp_perf_chains_release(struct pp_perf_reader *);
/*
 * Right behind a header: takes the whole stack that follows at once, if it was there before. `found` is what is known
 * of it already, or NULL.
 */
void pp_perf_chain_take(struct pp_perf_reader *, const struct pp_perf_found *found);
/*
 * The text of a stack up to the empty line that ends it, and how many lines it has; nothing when that is not in the
 * text, or some line may be too long.
 */
struct pp_slice pp_perf_chain_text(struct pp_slice text, uint64_t max_line, uint32_t *lines);
/* Which slot a stack of that hash would be in. */
size_t pp_perf_chain_slot(uint64_t hash);
size_t pp_perf_chain_slots(void);

/* ---- script_write.c ---- */
pp_status pp_perf_script_write(struct pp_writer *);

/* ---- perf_script_read.c ---- */
void pp_perf_no_memory(struct pp_perf_reader *);
struct pp_place pp_perf_place_of(const struct pp_perf_reader *, const unsigned char *line,
                                 const unsigned char *at);
/* Reports a line that is wrong. */
void pp_perf_refuse(struct pp_perf_reader *, enum pp_perf_rule, const unsigned char *line,
                    const unsigned char *at);
pp_status pp_perf_read(struct pp_reader *, struct pp_builder *);
/* Takes all whole lines that begin before `end`; false when reading must stop. */
bool pp_perf_lines_take(struct pp_perf_reader *, const unsigned char *end);

/* ---- script_ahead.c ---- */
/*
 * Takes all whole lines of an input that stays in memory, samples being found by other threads while this one uses
 * them. PP_E_UNSUPPORTED when that does not pay, or nobody is there to do it.
 */
pp_status pp_perf_ahead_read(struct pp_perf_reader *);

#endif
