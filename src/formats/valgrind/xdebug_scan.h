/*
 * The fast way through Xdebug files with ids (2.3 and later): text to tokens, block by block.
 */
#ifndef PP_XDEBUG_SCAN_H
#define PP_XDEBUG_SCAN_H

#include "formats/valgrind/xdebug.h"

#define PP_XD_COLUMNS PP_CG_XDEBUG_EVENTS
/* Ids at most; a file with larger ones goes the slow way. */
#define PP_XD_IDS ((uint32_t)1 << 20)

/* A call's record. */
struct pp_xd_record {
	uint32_t slot; /* function */
	uint32_t line;
	uint32_t calls; /* how many; they follow those of the record before */
	int64_t own[PP_XD_COLUMNS];
};

/* A line of a record's list of calls. */
struct pp_xd_call {
	uint32_t slot;
	uint32_t line;
	int64_t cost[PP_XD_COLUMNS];
};

/* A function as a pair of ids, found by its function id: most ids go with one file only. */
struct pp_xd_slot {
	uint32_t file, function; /* ids */
	uint32_t next;           /* another slot of the same function id; 0 = none */
};

/* `(N) text`, where it stands in the input. */
struct pp_xd_name {
	uint32_t id;
	bool is_file;
	struct pp_slice text;
};

/* The tokens of a block, and the pairs of ids that were met in this and former ones. Zero-initialised is empty. */
struct pp_xd_scan {
	unsigned columns;
	size_t max_line;
	PP_VEC(struct pp_xd_record) records;
	PP_VEC(struct pp_xd_call) calls;
	PP_VEC(struct pp_xd_slot) slots; /* [0] is unused */
	PP_VEC(uint32_t) by_function;    /* function id -> newest slot */
	PP_VEC(struct pp_xd_name) names; /* of all blocks, unless the caller takes them */
	struct pp_slice summary;         /* value of the summary: line, if one was met */
	bool has_summary;
	bool no_memory;
};

/*
 * Takes apart the records of [p, end), which starts with `fl=` and ends with a newline. False when something
 * unusual stands there (or no_memory is set): then the slow way must look at it.
 */
bool pp_xd_scan_block(struct pp_xd_scan *, const unsigned char *p, const unsigned char *end);
/*
 * Makes whole what a cut left of the last record of a file: a call without its cost does not count, of a cost line
 * counts what was written. Returns its length, at most PP_XD_MENDED bytes more; 0 when it was cut elsewhere.
 */
#define PP_XD_MENDED 8
size_t pp_xd_mend(unsigned char *text, size_t n, unsigned columns);
/* The slot of a pair of ids, made when absent; 0 when out of memory. */
uint32_t pp_xd_slot(struct pp_xd_scan *, uint32_t file, uint32_t function);
void pp_xd_scan_release(struct pp_xd_scan *);

/* The last record of [begin, end) that starts at least `size` bytes before its end, or nearly so; else `begin`. */
const unsigned char *pp_xd_block_begin(const unsigned char *begin, const unsigned char *end,
                                       size_t size);

#endif
