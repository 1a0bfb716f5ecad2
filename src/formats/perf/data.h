/*
 * What the parts of the reader of perf.data share. What the bytes are stands in data.c.
 *
 *     data.c          the container: header, sections, streams of records, directories
 *     data_attrs.c    events: attributes, their names and ids; features of the file
 *     data_order.c    records in the order of time
 *     data_maps.c     threads and what is mapped where
 *     data_sample.c   the fields of a sample
 *     data_fields.c   fields of tracepoints
 *     data_frames.c   from addresses to stacks, and to the builder
 *     data_symbols.c  the names of functions
 *     data_jit.c      functions that programs compile while they run
 *     data_unwind.c   callers out of copies of stacks
 *     data_finish.c   metrics, series, metadata, what was left out
 *
 * The input is in memory as a whole, so records are pointers into it. Every integer goes through pp_pd_u64() and its
 * kin, which know the byte order, and every length is compared with what is left before it is used.
 */
#ifndef PP_PERF_DATA_H
#define PP_PERF_DATA_H

#include "formats/author.h"
#include "formats/kit/native.h"
#include "formats/perf/perf_script.h"
#include "formats/perf/switches.h"
#include "symbols/locate.h"
#include "symbols/unwind.h"

/* Positions in pp_pd_rules[]. */
enum pp_pd_rule {
	PP_PD_HEADER,
	PP_PD_NO_ATTRIBUTE,
	PP_PD_CUT,
	PP_PD_SAMPLE,
	PP_PD_EVENT,
	PP_PD_EVENTS,
	PP_PD_MAPS,
	PP_PD_SUM,
	PP_PD_PACKED,
	PP_PD_UNFINISHED,
	PP_PD_FEATURES,
	PP_PD_LOST,
	PP_PD_THROTTLED,
	PP_PD_TRACE,
	PP_PD_BRANCHES,
	PP_PD_STACKS,
	PP_PD_RECORDS,
	PP_PD_SYMBOLS
};

extern const struct pp_rule pp_pd_rules[];

struct pp_pd_facts;

/* perf_event_attr.sample_type, in the order of their bits. */
enum {
	PP_PD_IP = 1 << 0,
	PP_PD_TID = 1 << 1,
	PP_PD_TIME = 1 << 2,
	PP_PD_ADDR = 1 << 3,
	PP_PD_READ = 1 << 4,
	PP_PD_CALLCHAIN = 1 << 5,
	PP_PD_ID = 1 << 6,
	PP_PD_CPU = 1 << 7,
	PP_PD_PERIOD = 1 << 8,
	PP_PD_STREAM_ID = 1 << 9,
	PP_PD_RAW = 1 << 10,
	PP_PD_BRANCH_STACK = 1 << 11,
	PP_PD_REGS_USER = 1 << 12,
	PP_PD_STACK_USER = 1 << 13,
	PP_PD_IDENTIFIER = 1 << 16
};

/* Types of records. Those below PP_PD_USER_TYPES come from the kernel and have a time. */
enum {
	PP_PD_RECORD_MMAP = 1,
	PP_PD_RECORD_LOST = 2,
	PP_PD_RECORD_COMM = 3,
	PP_PD_RECORD_EXIT = 4,
	PP_PD_RECORD_THROTTLE = 5,
	PP_PD_RECORD_FORK = 7,
	PP_PD_RECORD_SAMPLE = 9,
	PP_PD_RECORD_MMAP2 = 10,
	PP_PD_RECORD_AUX = 11,
	PP_PD_RECORD_ITRACE_START = 12,
	PP_PD_RECORD_LOST_SAMPLES = 13,
	PP_PD_RECORD_SWITCH = 14,
	PP_PD_RECORD_SWITCH_CPU_WIDE = 15,
	PP_PD_RECORD_KERNEL_LAST = 21,
	PP_PD_USER_TYPES = 64,
	PP_PD_RECORD_ATTR = 64,
	PP_PD_RECORD_TRACING_DATA = 66,
	PP_PD_RECORD_BUILD_ID = 67,
	PP_PD_RECORD_FINISHED_ROUND = 68,
	PP_PD_RECORD_AUXTRACE_INFO = 70,
	PP_PD_RECORD_AUXTRACE = 71,
	PP_PD_RECORD_EVENT_UPDATE = 78,
	PP_PD_RECORD_FEATURE = 80,
	PP_PD_RECORD_COMPRESSED = 81,
	PP_PD_RECORD_COMPRESSED2 = 83,
	PP_PD_RECORD_USER_LAST = 84
};

/* misc: who ran, and what the other bits say of some types. */
enum {
	PP_PD_CPUMODE = 7,
	PP_PD_KERNEL = 1,
	PP_PD_USER = 2,
	PP_PD_HYPERVISOR = 3,
	PP_PD_GUEST_KERNEL = 4,
	PP_PD_GUEST_USER = 5,
	PP_PD_MISC_EXEC =
	    0x2000, /* of COMM; of MMAP: not executable; of FORK: made by perf; of SWITCH: out */
	PP_PD_MISC_BUILD_ID = 0x4000, /* of MMAP2 */
	PP_PD_MISC_ID_SIZE = 0x8000   /* of BUILD_ID: the id tells its length */
};

/* An event. */
struct pp_pd_attr {
	uint32_t type;
	uint64_t config, rate; /* of sampling: a period, or a frequency if `freq` */
	uint64_t sample_type, read_format, flags, branch_type, regs_user, regs_intr;
	bool freq, id_all, monotonic; /* the last: by the clock that dumps of JIT compilers have */
	struct pp_slice name;         /* in the input; empty = to be derived */
	pp_str title;                 /* its name, at the end */
	uint64_t samples, period;
	uint32_t metric;
	uint32_t column; /* + 1, where stacks are added up; 0 = none yet */
};

/* A record that waits for its turn. */
struct pp_pd_pending {
	uint64_t time;
	const unsigned char *at;
};

struct pp_pd_order {
	PP_VEC(struct pp_pd_pending) waiting, spare;
	uint64_t latest; /* of all records */
	uint64_t flush;  /* as of the last round: nothing earlier will come */
	bool whole;      /* rounds say nothing here */
	size_t sides;    /* of those that wait, others than samples */
};

struct pp_pd_module {
	struct pp_slice name, build_id; /* bytes of the id */
	enum pp_module_kind kind;
	bool offsets; /* addresses are offsets in a file */
	pp_module row;
	bool tried; /* its symbols were looked for */
	struct pp_binary binary;
	struct pp_slice reference; /* of the kernel: a symbol, and where it was */
	uint64_t reference_at;
};

/* What is mapped somewhere: never changed, so processes may share them. */
struct pp_pd_map {
	uint64_t start, end; /* the last address + 1, UINT64_MAX for the very end */
	uint64_t pgoff;
	uint32_t module;
	bool code;
};

/* The mappings of a process by address, none overlapping. */
struct pp_pd_space {
	PP_VEC(uint32_t) maps;
	uint32_t serial; /* another number with each change */
	uint32_t before; /* mappings below are of the program before, as long as it is not 0 */
};

struct pp_pd_thread {
	pp_str comm;
	bool named, made_up;
};

/* A process with a compiler of its own that writes down what it makes. */
struct pp_pd_jit {
	uint32_t pid, module;
	size_t done; /* so many of its loads are mapped */
};

struct pp_pd_threads {
	PP_VEC(struct pp_pd_module) modules; /* [0] = none */
	struct pp_strtab module_keys;        /* name LF build id -> module */
	PP_VEC(struct pp_pd_map) maps;
	PP_VEC(struct pp_pd_space) spaces; /* [0] = the kernel, [1] = nobody's */
	struct pp_map space_of;            /* pid -> space */
	PP_VEC(struct pp_pd_thread) threads;
	struct pp_map thread_of; /* tid -> thread */
	uint32_t serials;
	size_t executing; /* processes that have mappings of the program before */
	PP_VEC(struct pp_pd_jit) jits;
};

/* Samples of one event, thread and set of labels. */
struct pp_pd_series {
	uint32_t attr;
	pp_labels labels;
	pp_str comm;
	uint32_t pid, tid;
	bool has_ids;
	pp_frame root;
	uint32_t index; /* of the profile's */
	int64_t last_time;
	bool unordered;
};

/* The frame of an address lately looked up. */
struct pp_pd_place {
	uint64_t ip;
	uint32_t serial;
	pp_frame frame;
	uint32_t around; /* frames that it is inlined into: position in `around`, 0 = none */
};

/* A chain of addresses that was there lately, and where its stack went. */
struct pp_pd_chain {
	const unsigned char *at;
	uint32_t n, serial, kernel, root;
	pp_stack stack;
	bool waits;
};

/* Where stacks are added up, and no tree is built: the chain that came last. */
struct pp_pd_walk {
	bool sums;  /* they are */
	bool walks; /* without a filter */
	const unsigned char *chain;
	size_t n; /* words of it */
	uint32_t user, kernel;
	pp_frame root;
	unsigned mode;          /* who runs at its outer end */
	PP_VEC(uint32_t) depth; /* by words from its outer end: frames up to there */
	PP_VEC(int64_t) values; /* by column, for filters */
};

struct pp_pd_frames {
	PP_VEC(struct pp_pd_series) series;
	struct pp_map series_of;
	uint32_t lately[64];        /* series + 1, by thread */
	struct pp_pd_place *places; /* by address */
	struct pp_pd_chain *chains; /* by hash */
	PP_VEC(pp_frame) stack;
	struct pp_map around_of; /* address in a module -> position in `around` */
	PP_VEC(uint64_t)
	around; /* module, address, number of frames, frames outwards; [0] is unused */
	struct pp_perf_switches switches;
	struct pp_pd_walk walk;
};

/* Where a field of a tracepoint stands: where it says, or where what stands there says. */
enum pp_pd_far { PP_PD_HERE, PP_PD_FAR, PP_PD_FAR_FROM_HERE };

struct pp_pd_field {
	struct pp_slice name;
	uint32_t offset, size;
	bool is_signed, is_text;
	enum pp_pd_far far;
};

/* A tracepoint: its fields in the list. */
struct pp_pd_point {
	uint32_t first, n;
};

struct pp_pd_fields {
	PP_VEC(struct pp_pd_field) list;
	PP_VEC(struct pp_pd_point) points;
	struct pp_map point_of; /* id -> tracepoint */
};

/* Where a branch comes from, or leads to: in a module, or nowhere. */
struct pp_pd_end {
	uint32_t module;
	uint64_t address;
};

struct pp_pd_branch {
	uint32_t attr;
	struct pp_pd_end from, to;
	uint64_t taken, mispredicted, predicted, in_transaction, aborted, cycles;
	uint32_t number; /* in the order in which pairs were met */
};

/* A branch as one sample has it. */
struct pp_pd_taken {
	uint32_t pair; /* number of a pp_pd_branch; PP_MAP_NONE: there was no room for it */
	uint32_t bits; /* the lowest 20 of its flags */
};

/* The branches of one sample, the latest first. */
struct pp_pd_run {
	uint64_t time;
	uint32_t attr, tid, n;
	bool has_time;
};

struct pp_pd_branches {
	PP_VEC(struct pp_pd_branch) list;
	struct pp_map pair_of;
	PP_VEC(struct pp_pd_run) runs;
	PP_VEC(struct pp_pd_taken) in_runs;
	uint64_t taken, others; /* in all; of pairs that there was no room for */
	uint64_t unordered;     /* samples of which there was no room for the order */
};

struct pp_pd_symbols {
	struct pp_native native;
	struct pp_locator locator;
	struct pp_buf cache;     /* its directory */
	struct pp_binary kernel; /* the kernel's list */
	uint32_t kernel_module;
	bool kernel_tried;
};

/* What the features say, in the input. */
struct pp_pd_features {
	struct pp_slice hostname, release, version, arch, cpu, cpu_id, command[64];
	size_t words; /* of the command */
	uint32_t cpus, cpus_online;
	uint64_t memory; /* KiB */
	uint64_t wall;   /* ns since 1970, of the recording's clock at `clock` */
	uint64_t clock;
	bool directory;
};

struct pp_pd_counts {
	uint64_t samples, errors, lost, lost_samples, throttled, traces, branches, stacks, unknown;
	uint64_t switches;  /* of threads, out of a processor or into one */
	uint64_t strangers; /* samples of events that nobody described */
	bool has_time;
	int64_t time_min, time_max;
};

struct pp_pd {
	struct pp_reader *reader;
	struct pp_builder *builder;
	struct pp_slice file; /* all of the input */
	bool big;             /* the byte order */
	bool pipe;
	enum pp_perf_root root;
	PP_VEC(struct pp_pd_attr) attrs;
	struct pp_map attr_of; /* id -> attribute */
	struct pp_map last_of; /* id -> value of a group's member, by position in `lasts` */
	PP_VEC(uint64_t) lasts;
	struct pp_strtab id_names;      /* files of which the build id is told */
	PP_VEC(struct pp_slice) ids;    /* by name */
	PP_VEC(struct pp_buf) unpacked; /* records that are not in the file itself */
	struct pp_pd_features features;
	struct pp_pd_order order;
	struct pp_pd_threads threads;
	struct pp_pd_frames frames;
	struct pp_pd_symbols symbols;
	struct pp_pd_fields fields;
	struct pp_pd_branches branches;
	struct pp_pd_counts counts;
};

/* ---- bytes ---- */

static inline uint16_t
pp_pd_u16(const struct pp_pd *d, const unsigned char *p)
{
	return (uint16_t)(d->big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static inline uint32_t
pp_pd_u32(const struct pp_pd *d, const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return d->big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}

static inline uint64_t
pp_pd_u64(const struct pp_pd *d, const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return d->big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap64(v);
}

/* A record's header: its size was compared with what is left when it was met. */
static inline uint32_t
pp_pd_type(const struct pp_pd *d, const unsigned char *record)
{
	return pp_pd_u32(d, record);
}

static inline uint16_t
pp_pd_misc(const struct pp_pd *d, const unsigned char *record)
{
	return pp_pd_u16(d, record + 4);
}

static inline uint16_t
pp_pd_size(const struct pp_pd *d, const unsigned char *record)
{
	return pp_pd_u16(d, record + 6);
}

/* Text up to a NUL, or to the end where there is none. */
static inline struct pp_slice
pp_pd_text(const unsigned char *p, size_t most)
{
	const unsigned char *nul = most ? memchr(p, 0, most) : NULL;

	return pp_slice_of(p, nul ? (size_t)(nul - p) : most);
}

/* ---- data.c ---- */
void pp_pd_no_memory(struct pp_pd *);
/* The place of a byte, as far as it is in the file. */
struct pp_place pp_pd_at(const struct pp_pd *, const unsigned char *);
/* Reports what is left out because it is wrong. */
void pp_pd_refuse(struct pp_pd *, enum pp_pd_rule, const unsigned char *at, const char *fmt, ...)
    PP_PRINTF(4, 5);

/* ---- data_attrs.c ---- */
/* An attribute of so many bytes; false when there are too few, or too many attributes. */
bool pp_pd_attr_add(struct pp_pd *, const unsigned char *, size_t n);
/* An id of the attribute added last, or of that number. */
void pp_pd_attr_id(struct pp_pd *, size_t attr, uint64_t id);
/* The content of a feature. */
void pp_pd_feature(struct pp_pd *, unsigned bit, struct pp_slice content);
/* EVENT_UPDATE and BUILD_ID records. */
void pp_pd_event_update(struct pp_pd *, struct pp_slice record);
void pp_pd_build_id(struct pp_pd *, struct pp_slice record);
/* The build id of a file by its name, empty when nobody tells. */
struct pp_slice pp_pd_build_id_of(const struct pp_pd *, struct pp_slice name);
/* What an event is called. */
void pp_pd_attr_title(struct pp_pd *, struct pp_pd_attr *);
/* The event that a record belongs to, by the ids in it; NULL when it is unknown. */
struct pp_pd_attr *pp_pd_sample_attr(struct pp_pd *, const unsigned char *record);
struct pp_pd_attr *pp_pd_side_attr(struct pp_pd *, const unsigned char *record);
/* The one of that id, of all if there is only one; NULL = none. */
struct pp_pd_attr *pp_pd_attr_by_id(struct pp_pd *, uint64_t id);

/* ---- data_order.c ---- */
/* A record of the kernel: now, or when its time has come. */
void pp_pd_order_add(struct pp_pd *, const unsigned char *record);
/* When a record was made; 0 = nobody knows. */
uint64_t pp_pd_time_of(struct pp_pd *, const unsigned char *record);
/* A round of buffers was written: what is older than the round before can be taken. */
void pp_pd_order_round(struct pp_pd *);
/* All that is left. */
void pp_pd_order_end(struct pp_pd *);

/* ---- data_maps.c ---- */
bool pp_pd_threads_init(struct pp_pd *);
void pp_pd_threads_release(struct pp_pd *);
void pp_pd_mmap(struct pp_pd *, const unsigned char *record);
void pp_pd_comm(struct pp_pd *, const unsigned char *record);
void pp_pd_fork(struct pp_pd *, const unsigned char *record);
/* A process runs code of its own: it has left execve(), if it was there. */
void pp_pd_executed(struct pp_pd *, uint32_t pid);
/* The name of a thread now; the mappings of a process. */
pp_str pp_pd_comm_of(struct pp_pd *, uint32_t tid);
const struct pp_pd_space *pp_pd_space_of(const struct pp_pd *, uint32_t pid);
/* What is mapped at an address; NULL = nothing. */
const struct pp_pd_map *pp_pd_map_at(const struct pp_pd *, const struct pp_pd_space *, uint64_t);

/* Maps something for a process. */
void pp_pd_map(struct pp_pd *, uint32_t pid, const struct pp_pd_map *);

/* ---- data_jit.c ---- */
/* "DIR/jit-PID.dump" */
bool pp_pd_jit_is_dump(struct pp_slice name);
/* A mapping of a process: whether it is to be passed over, because a dump tells more. */
bool pp_pd_jit_mapped(struct pp_pd *, uint32_t pid, struct pp_slice name, uint32_t module,
                      bool code);
/* Maps what a process compiled up to a time. */
void pp_pd_jit_until(struct pp_pd *, const struct pp_pd_facts *);

/* ---- data_sample.c ---- */
void pp_pd_sample(struct pp_pd *, const unsigned char *record);

/* ---- data_frames.c ---- */
/* What a sample says, as far as it is of use here. */
struct pp_pd_facts {
	struct pp_pd_attr *attr;
	uint64_t ip, time, period, id;
	uint32_t pid, tid, cpu;
	bool has_time, has_cpu;
	unsigned mode;              /* PP_PD_CPUMODE of the record */
	const unsigned char *chain; /* of 64-bit words */
	size_t chain_n;
	const unsigned char *branches; /* taken last; or NULL */
	size_t branch_n;
	bool by_branches;               /* they are the user's part of the stack */
	const unsigned char *registers; /* of the user, with a copy of the stack; or NULL */
	uint64_t registers_abi;
	struct pp_slice stack;
	struct pp_slice raw; /* of a tracepoint */
	const unsigned char *record;
};

bool pp_pd_frames_init(struct pp_pd *);
void pp_pd_frames_release(struct pp_pd *);
void pp_pd_give(struct pp_pd *, const struct pp_pd_facts *);
/* A thread leaves its processor, or ends. */
void pp_pd_switch(struct pp_pd *, const unsigned char *record);

/* ---- data_fields.c ---- */
void pp_pd_fields_release(struct pp_pd *);
/* The descriptions of tracepoints. */
void pp_pd_tracing(struct pp_pd *, struct pp_slice content);
/* What the fields of a sample say, as far as that is ordered; 0 = nothing. */
pp_labels pp_pd_labels(struct pp_pd *, const struct pp_pd_facts *);

/* ---- data_branches.c ---- */
void pp_pd_branches_release(struct pp_pd *);
/* Branches of a sample that are no stack, 24 bytes each. */
void pp_pd_branches_add(struct pp_pd *, const struct pp_pd_facts *, const unsigned char *branches,
                        size_t n);
/* What came of them, as metadata. */
void pp_pd_branches_finish(struct pp_pd *);

/* ---- data_symbols.c ---- */
void pp_pd_symbols_init(struct pp_pd *);
void pp_pd_symbols_release(struct pp_pd *); /* before the modules go */
/* What was found of a module, looked for when it is asked for the first time; NULL for none. */
struct pp_binary *pp_pd_binary(struct pp_pd *, uint32_t module);
void pp_pd_symbols_report(struct pp_pd *);
/* What came of looking for the symbols of each module, as metadata. */
void pp_pd_symbols_meta(struct pp_pd *);

/* ---- data_unwind.c ---- */
/* The user's part of a stack out of its copy, from the leaf on; returns how many addresses. */
size_t pp_pd_unwind(struct pp_pd *, const struct pp_pd_facts *, const struct pp_pd_space *,
                    uint64_t *addresses, size_t most);

/* ---- data_finish.c ---- */
void pp_pd_finish(struct pp_pd *);

#endif
