/*
 * A callgrind file kept whole: parts, headers and every line of the bodies in order, so that writing
 * callgrind again loses nothing. Bodies are packed: one byte for the kind of line, then varints.
 */
#ifndef PP_CALLGRIND_BODY_H
#define PP_CALLGRIND_BODY_H

#include "formats/valgrind/family.h"

enum pp_cg_op {
	PP_CG_OP_END,
	PP_CG_OP_PART,
	PP_CG_OP_PLACE,
	PP_CG_OP_OWN,
	PP_CG_OP_CALL,
	PP_CG_OP_JUMP,
	PP_CG_OP_OTHER
};

struct pp_cg_body {
	struct pp_builder *builder; /* while building */
	struct pp_buf ops;
	uint32_t part; /* building: of the last op */
	pp_func func;
	pp_str file;
	/* Taken over from the parser at the end. */
	struct pp_cg_part *parts;
	size_t part_count;
	struct pp_cg_header *headers;
	size_t header_count;
};

/* One line, unpacked. Costs are indexed by column of the part. */
struct pp_cg_line {
	enum pp_cg_op op;
	uint32_t part;
	bool again;   /* the place is named anew although it did not change */
	pp_func func; /* of the place */
	pp_str file;
	struct pp_cg_pos pos;
	uint32_t cost_count;
	const int64_t *costs;
	struct pp_cg_call call;
	struct pp_cg_jump jump;
	pp_str text; /* PP_CG_OP_OTHER */
};

/* NULL when out of memory (the builder has failed then). */
struct pp_cg_body *pp_cg_body_new(struct pp_builder *);
void pp_cg_body_own(struct pp_cg_body *, struct pp_cg_parser *, const struct pp_cg_pos *,
                    const int64_t *costs);
void pp_cg_body_call(struct pp_cg_body *, struct pp_cg_parser *, const struct pp_cg_call *,
                     const struct pp_cg_pos *, const int64_t *costs);
void pp_cg_body_jump(struct pp_cg_body *, struct pp_cg_parser *, const struct pp_cg_jump *,
                     const struct pp_cg_pos *);
void pp_cg_body_other(struct pp_cg_body *, struct pp_cg_parser *, struct pp_slice line);
/* Hands the body over to the profile, with the parser's parts and headers. NULL is allowed. */
void pp_cg_body_finish(struct pp_cg_body *, struct pp_cg_parser *);
void pp_cg_body_free(void *);

/* The body that a profile carries, or NULL. */
const struct pp_cg_body *pp_cg_body_of(const struct pp_profile *);

/* The file as text, when another format carried it; empty otherwise. See callgrind_carry.c. */
struct pp_slice pp_cg_carried(const struct pp_profile *);
bool pp_cg_carry_save(const struct pp_profile *, struct pp_buf *out);
pp_status pp_cg_carry_load(struct pp_profile *, struct pp_slice bytes);

/* Goes over the lines. `costs` must have room for the events of any part. */
struct pp_cg_cursor {
	const struct pp_cg_body *body;
	size_t at;
	struct pp_cg_line line;
	int64_t *costs;
};

bool pp_cg_cursor_next(struct pp_cg_cursor *);

#endif
