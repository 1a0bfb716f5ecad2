/*
 * Packing and unpacking the lines of a callgrind file.
 */
#include "formats/valgrind/body.h"

#include <stdlib.h>

struct pp_cg_body *
pp_cg_body_new(struct pp_builder *builder)
{
	struct pp_cg_body *body = calloc(1, sizeof *body);

	if (body)
		body->builder = builder;
	else
		pp_builder_fail(builder, PP_E_NOMEM, NULL);
	return body;
}

void
pp_cg_body_free(void *data)
{
	struct pp_cg_body *body = data;
	size_t i;

	if (!body)
		return;
	for (i = 0; i < body->part_count; i++) {
		free(body->parts[i].events);
		free(body->parts[i].sums);
	}
	free(body->parts);
	free(body->headers);
	pp_buf_release(&body->ops);
	free(body);
}

/* ---- packing ---------------------------------------------------------------------------- */

static void
put(struct pp_cg_body *body, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		pp_buf_addc(&body->ops, (char)(v | 128));
	pp_buf_addc(&body->ops, (char)v);
}

static void
put_signed(struct pp_cg_body *body, int64_t v)
{
	put(body, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static void
put_pos(struct pp_cg_body *body, const struct pp_cg_pos *pos)
{
	put(body, pos->at[0]);
	put(body, pos->at[1]);
	put(body, pos->at[2]);
}

/* As many costs as the line had, by column. */
static void
put_costs(struct pp_cg_body *body, struct pp_cg_parser *p, const int64_t *costs)
{
	const struct pp_cg_part *part = pp_cg_part(p);
	uint32_t k;

	put(body, p->cost_count);
	for (k = 0; k < p->cost_count; k++)
		put_signed(body, costs[part->events[k]]);
}

/* Starts a line: says first where it is if that changed. */
static void
put_op(struct pp_cg_body *body, struct pp_cg_parser *p, enum pp_cg_op op)
{
	pp_func func = pp_cg_func(p);

	if (body->part != p->head.part) {
		body->part = p->head.part;
		body->func = 0;
		put(body, PP_CG_OP_PART);
		put(body, p->head.part);
	}
	if (body->func != func || body->file != p->place.current_file) {
		body->func = func;
		body->file = p->place.current_file;
		put(body, PP_CG_OP_PLACE);
		put(body, func);
		put(body, p->place.current_file);
	}
	put(body, op);
	if (body->ops.failed)
		pp_builder_fail(body->builder, PP_E_NOMEM, NULL);
	else if (body->ops.n > body->builder->limits.max_memory)
		pp_builder_fail(body->builder, PP_E_LIMIT, "the file takes too much memory");
}

void
pp_cg_body_own(struct pp_cg_body *body, struct pp_cg_parser *p, const struct pp_cg_pos *pos,
               const int64_t *costs)
{
	put_op(body, p, PP_CG_OP_OWN);
	put_pos(body, pos);
	put_costs(body, p, costs);
}

void
pp_cg_body_call(struct pp_cg_body *body, struct pp_cg_parser *p, const struct pp_cg_call *call,
                const struct pp_cg_pos *pos, const int64_t *costs)
{
	put_op(body, p, PP_CG_OP_CALL);
	put_pos(body, pos);
	put_costs(body, p, costs);
	put(body, call->callee);
	put(body, call->count);
	put_pos(body, &call->target);
}

void
pp_cg_body_jump(struct pp_cg_body *body, struct pp_cg_parser *p, const struct pp_cg_jump *jump,
                const struct pp_cg_pos *pos)
{
	put_op(body, p, PP_CG_OP_JUMP);
	put_pos(body, pos);
	put(body, jump->conditional);
	put(body, jump->followed);
	put(body, jump->executed);
	put_pos(body, &jump->target);
	put(body, jump->file);
	put(body, jump->name);
}

void
pp_cg_body_other(struct pp_cg_body *body, struct pp_cg_parser *p, struct pp_slice line)
{
	pp_str text = pp_build_str(body->builder, line);

	if (!pp_cg_part_need(p))
		return;
	put_op(body, p, PP_CG_OP_OTHER);
	put(body, text);
}

void
pp_cg_body_finish(struct pp_cg_body *body, struct pp_cg_parser *p)
{
	if (!body)
		return;
	put(body, PP_CG_OP_END);
	if (body->ops.failed)
		pp_builder_fail(body->builder, PP_E_NOMEM, NULL);
	body->parts = p->head.parts.at;
	body->part_count = p->head.parts.n;
	body->headers = p->head.lines.at;
	body->header_count = p->head.lines.n;
	p->head.parts.at = NULL;
	p->head.lines.at = NULL;
	p->head.parts.n = p->head.parts.cap = p->head.lines.n = p->head.lines.cap = 0;
	body->builder->profile->kept.data = body;
	body->builder->profile->kept.free = pp_cg_body_free;
	body->builder = NULL;
}

const struct pp_cg_body *
pp_cg_body_of(const struct pp_profile *p)
{
	return p->kept.free == pp_cg_body_free ? p->kept.data : NULL;
}

/* ---- unpacking -------------------------------------------------------------------------- */

/* The ops were packed by the functions above: they are well-formed. */
static uint64_t
get(struct pp_cg_cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	unsigned char byte;

	do {
		byte = (unsigned char)c->body->ops.p[c->at++];
		v |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128);
	return v;
}

static int64_t
get_signed(struct pp_cg_cursor *c)
{
	uint64_t v = get(c);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static void
get_pos(struct pp_cg_cursor *c, struct pp_cg_pos *pos)
{
	pos->at[0] = get(c);
	pos->at[1] = get(c);
	pos->at[2] = get(c);
}

static void
get_costs(struct pp_cg_cursor *c)
{
	uint32_t k, n = (uint32_t)get(c);

	for (k = 0; k < n; k++)
		c->costs[k] = get_signed(c);
	c->line.cost_count = n;
	c->line.costs = c->costs;
}

bool
pp_cg_cursor_next(struct pp_cg_cursor *c)
{
	struct pp_cg_line *line = &c->line;

	line->again = false;
	for (;;) {
		line->op = (enum pp_cg_op)get(c);
		if (line->op == PP_CG_OP_PART) {
			line->part = (uint32_t)get(c);
		} else if (line->op == PP_CG_OP_PLACE) {
			pp_func func = (pp_func)get(c);
			pp_str file = (pp_str)get(c);

			line->again = func == line->func && file == line->file;
			line->func = func;
			line->file = file;
		} else {
			break;
		}
	}
	if (line->op == PP_CG_OP_END)
		return false;
	if (line->op == PP_CG_OP_OTHER) {
		line->text = (pp_str)get(c);
		return true;
	}
	get_pos(c, &line->pos);
	if (line->op == PP_CG_OP_JUMP) {
		line->jump.conditional = get(c) != 0;
		line->jump.followed = get(c);
		line->jump.executed = get(c);
		get_pos(c, &line->jump.target);
		line->jump.file = (pp_str)get(c);
		line->jump.name = (pp_str)get(c);
		return true;
	}
	get_costs(c);
	if (line->op == PP_CG_OP_CALL) {
		line->call.callee = (pp_func)get(c);
		line->call.count = get(c);
		get_pos(c, &line->call.target);
	}
	return true;
}
