/*
 * One reading of a body: what read.c (sections), chunks.c (events in chunks), merge.c (into the profile) and
 * names.c (the list of functions) share, by stage.
 */
#ifndef PP_SPX_READ_H
#define PP_SPX_READ_H

#include "formats/kit/parts.h"
#include "formats/spx/walk.h"

/* A piece of the events as text, and what was read from it. */
struct spx_chunk {
	unsigned char *text; /* cap + PP_INPUT_PAD bytes */
	size_t n, cap;
	size_t ahead;     /* bytes behind the text that belong to the next chunk */
	uint64_t number;  /* in the section */
	uint64_t offset;  /* of the first byte */
	bool independent; /* needs no state from the chunk before */
	bool cut;         /* the input ends without a newline */
	bool done;        /* the walk holds its events */
	struct spx_walk walk;
};

/* How far the section was cut into chunks. */
struct spx_cut {
	unsigned char *carry; /* bytes behind the last cut; SPX_CHUNK */
	size_t carry_n;
	uint64_t next_offset;
	uint64_t chunks; /* filled so far */
	bool next_independent;
	bool ended;     /* the section has */
	bool damaged;   /* and the container behind it is damaged */
	bool no_memory; /* found out while filling */
	bool begun;     /* a byte of the section was taken; `last_byte` is the last one */
	unsigned char last_byte;
	struct pp_behind behind;
};

/* The metrics, which all documents share. */
struct spx_columns {
	bool made;
	uint32_t n;
	uint32_t gains; /* metrics behind those n: what some of them gained */
	bool micro;     /* times are in microseconds */
	uint32_t time;  /* which column; n when there is none */
};

/* The events of the document at hand. */
struct spx_document {
	bool has_events, has_names;
	struct spx_layout layout;
	struct spx_state state; /* behind the last event merged */
	pp_node cur;            /* the innermost open frame */
	uint32_t series;
	bool garbage;
};

/* A function that events of the document name. */
struct spx_used {
	uint32_t index;
	pp_func func;
};

/* The functions of the document at hand: those that events name, and the list behind. */
struct spx_functions {
	PP_VEC(struct spx_used) used;
	struct pp_map func_map, frame_map; /* index -> row of used; index << 16 | site -> frame */
	uint32_t max_index;
	struct pp_buf names;      /* the lines of [functions], one after the other */
	PP_VEC(size_t) name_ends; /* in names */
	uint64_t lines;
};

struct spx_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_input *in;
	const struct spx_meta *meta;
	bool record; /* events are wanted */
	bool sites;  /* call-site lines are wanted */
	int header;  /* what ended the section: 'f', 'e', or 0 for the end of the input */

	struct spx_columns columns;
	uint64_t documents; /* with events */
	struct spx_found found;
	struct spx_document doc;
	struct spx_functions funcs;

	struct spx_cut cut;
	struct spx_chunk *chunks; /* 2 * room of them */
	unsigned room;
	PP_VEC(pp_node) map; /* scratch: node of a walk -> node of the profile */
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
void pp_spx_merge(struct spx_read *, struct spx_walk *);
/* Ends the document: frames left open, names. */
void pp_spx_document_end(struct spx_read *);

/* The function of an index, made when new; NULL when out of memory. */
const struct spx_used *pp_spx_used(struct spx_read *, uint32_t index);
/* Takes a line of [functions]. */
void pp_spx_name_add(struct spx_read *, struct pp_slice text);
/* Gives the functions of the document their names, says what is wrong with the list, and forgets it. */
void pp_spx_names_bind(struct spx_read *);
void pp_spx_names_forget(struct spx_functions *);

static inline void
pp_spx_lost(struct spx_read *r)
{
	r->b->profile->complete = false;
}

/* A finding that leaves the profile incomplete. */
#define pp_spx_find_lost(r, rule, place, ...)                                                      \
	(pp_diag_add((r)->reader->diags, &pp_spx_rules[rule], place, __VA_ARGS__), pp_spx_lost(r))

#endif
