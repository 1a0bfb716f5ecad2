/*
 * One reading of a body: what spx_read.c (sections and chunks) and spx_merge.c (into the profile) share.
 */
#ifndef PP_SPX_READ_H
#define PP_SPX_READ_H

#include "formats/spx/walk.h"

/* A piece of the events as text, and what was read from it. */
struct spx_chunk {
	unsigned char *text; /* cap + PP_INPUT_PAD bytes */
	size_t n, cap;
	uint64_t offset;  /* of the first byte */
	bool independent; /* needs no state from the chunk before */
	bool cut;         /* the input ends without a newline */
	bool done;        /* the walk holds its events */
	struct spx_walk walk;
};

/* A function that events of the document name. */
struct spx_used {
	uint32_t index;
	pp_func func;
};

struct spx_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_input *in;
	const struct spx_meta *meta;
	bool record; /* events are wanted */
	bool sites;  /* call-site lines are wanted */

	/* All documents. */
	uint32_t metrics;
	bool metrics_made;
	bool micro;           /* times are in microseconds */
	uint32_t time_column; /* metrics when there is none */
	uint64_t documents;   /* with events */
	uint64_t lines;       /* of text before what is read now */
	uint64_t short_lines, merged_lines;
	struct pp_place damage; /* the first of them */
	bool back, crlf;
	bool lost; /* something was refused or is missing */

	/* The document at hand: its events and its functions. */
	bool has_events, has_names;
	struct spx_layout layout;
	struct spx_state state; /* behind the last event merged */
	pp_node cur;            /* the innermost open frame */
	uint32_t series;
	bool garbage;
	PP_VEC(struct spx_used) used;
	struct pp_map func_map, frame_map; /* index -> row of used; index << 16 | site -> frame */
	uint32_t max_index;
	struct pp_buf names;      /* the lines of [functions], one after the other */
	PP_VEC(size_t) name_ends; /* in names */
	uint64_t name_lines;

	/* Chunks being filled and being read, in turn. */
	struct spx_chunk *batch[2];
	unsigned batch_n[2], batch_cap;
	pp_node *map; /* scratch: node of a walk -> node of the profile */
	size_t map_cap;

	/* How far the section was cut into chunks. */
	unsigned char *carry; /* bytes behind the last cut; SPX_CHUNK */
	size_t carry_n;
	uint64_t next_offset;
	bool next_independent;
	const unsigned char *kept; /* of a mapped file, from here on */
	bool section_end;
	bool no_memory; /* found out while filling */
	bool begun;     /* a byte of the section was taken; `last_byte` is the last one */
	unsigned char last_byte;
	int header; /* what ended it: 'f', 'e', or 0 for the end of the input */
};

/* Reads all events of a section; the header behind them has been taken (r->header). */
pp_status pp_spx_events_read(struct spx_read *);
/* Which section header the input stands at: 'f', 'e' or 0. It is not taken. */
int pp_spx_header_at(struct pp_input *, size_t *length);

/* Makes the metrics, once it is known how many columns there are. */
void pp_spx_metrics_make(struct spx_read *, uint32_t columns);
/* Starts the events of a document. */
void pp_spx_document_begin(struct spx_read *);
/* Adds what a chunk's walk found. */
void pp_spx_merge(struct spx_read *, struct spx_chunk *);
/* Ends the document: frames left open, names. */
void pp_spx_document_end(struct spx_read *);

static inline void
pp_spx_lost(struct spx_read *r)
{
	r->b->profile->complete = false;
}

#endif
