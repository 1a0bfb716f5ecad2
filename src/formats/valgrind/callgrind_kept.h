/*
 * A callgrind file kept whole, so that writing callgrind again loses nothing: parts, headers, and the bodies as
 * they will be written, which is done while they are read.
 */
#ifndef PP_CALLGRIND_KEPT_H
#define PP_CALLGRIND_KEPT_H

#include "formats/valgrind/emit.h"

struct pp_cg_body {
	struct pp_buf text;   /* the bodies of all parts, one after the other */
	PP_VEC(size_t) begin; /* by part: where its text begins */
	uint64_t changed;     /* names that could not be written as they are */
	/* Taken over from the parser at the end. */
	struct pp_cg_part *parts;
	size_t part_count;
	struct pp_cg_header *headers;
	size_t header_count;
	/* While reading. */
	struct pp_builder *builder;
	struct pp_sink *out; /* into `text` */
	struct pp_cg_emit emit;
};

/* NULL when out of memory (the builder has failed then). */
struct pp_cg_body *pp_cg_body_new(struct pp_builder *);
/* Says where the next line is, if that changed; the line is to be written there. */
struct pp_cg_emit *pp_cg_body_place(struct pp_cg_body *, struct pp_cg_parser *);
void pp_cg_body_other(struct pp_cg_body *, struct pp_cg_parser *, struct pp_slice line);
/* The function is named again with its next line, though it is the same (xtree's stacks). */
void pp_cg_body_again(struct pp_cg_body *);
/* Hands the body over to the profile, with the parser's parts and headers. NULL is allowed. */
void pp_cg_body_finish(struct pp_cg_body *, struct pp_cg_parser *);
void pp_cg_body_free(void *);

/* The body that a profile carries, or NULL. */
const struct pp_cg_body *pp_cg_body_of(const struct pp_profile *);
/* The text of a part's body. */
struct pp_slice pp_cg_body_text(const struct pp_cg_body *, size_t part);

/* The file as text, when another format carried it; empty otherwise. */
struct pp_slice pp_cg_carried(const struct pp_profile *);
bool pp_cg_carry_save(const struct pp_profile *, struct pp_buf *out);
pp_status pp_cg_carry_load(struct pp_kept_facet *, struct pp_slice bytes);

#endif
