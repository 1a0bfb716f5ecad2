/*
 * Two formats share the banner "NYTProf 5 0": which one is it? Decided by the first record.
 */
#ifndef PP_NYTPROF_SNIFF_H
#define PP_NYTPROF_SNIFF_H

#include "formats/format.h"

enum pp_nyt_dialect {
	PP_NYT_NONE,     /* no banner of ours */
	PP_NYT_REAL,     /* Devel::NYTProf's tag stream */
	PP_NYT_CHUNKS,   /* letters with u32 lengths; P, if any, too */
	PP_NYT_RAW_P,    /* chunks, but P is 17 bytes without a length */
	PP_NYT_TOKENS,   /* raw P, then NYTProf's own tags */
	PP_NYT_UNFRAMED, /* raw P, then chunk letters without lengths */
	PP_NYT_BINARY    /* "NYTPROF\0", two u32, then chunks */
};

struct pp_nyt_sniff {
	enum pp_nyt_dialect dialect;
	int bits; /* verified, for the bid */
	unsigned major, minor;
	bool version_known; /* "NYTProf" is followed by two numbers */
	bool pid_first;     /* chunk P is {pid, ppid, double}, not {u64 us, pid, ppid} */
	unsigned blank_lines;
	size_t banner; /* bytes before the first record */
	bool cut;      /* the bytes end within the banner */
	bool python;   /* the banner says Pynytprof wrote it */
};

/* `whole`: nothing follows these bytes. */
void pp_nyt_sniff(struct pp_slice head, bool whole, struct pp_nyt_sniff *out);

#endif
