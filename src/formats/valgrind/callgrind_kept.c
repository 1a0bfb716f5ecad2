/*
 * Writing the bodies of a callgrind file while they are read; the file as a whole in another format.
 */
#include "formats/valgrind/callgrind_kept.h"

#include <stdlib.h>

struct pp_cg_body *
pp_cg_body_new(struct pp_builder *builder)
{
	struct pp_cg_body *body = calloc(1, sizeof *body);

	if (body && pp_sink_buffer(&body->text, &body->out) == PP_OK &&
	    pp_cg_emit_init(&body->emit, builder->profile, body->out)) {
		body->emit.typed = true;
		body->builder = builder;
		return body;
	}
	pp_cg_body_free(body);
	pp_builder_fail(builder, PP_E_NOMEM, NULL);
	return NULL;
}

/* Nothing more will be written. */
static void
writing_end(struct pp_cg_body *body)
{
	if (body->out)
		pp_cg_emit_release(&body->emit);
	pp_sink_close(body->out);
	body->out = NULL;
}

void
pp_cg_body_free(void *data)
{
	struct pp_cg_body *body = data;
	size_t i;

	if (!body)
		return;
	writing_end(body);
	for (i = 0; i < body->part_count; i++) {
		free(body->parts[i].events);
		free(body->parts[i].sums);
	}
	free(body->parts);
	free(body->headers);
	pp_vec_release(&body->begin);
	pp_buf_release(&body->text);
	free(body);
}

/* Parts begin where the text is now; those without a body are empty. */
static void
parts_begin(struct pp_cg_body *body, const struct pp_cg_parser *p, size_t parts)
{
	while (body->begin.n < parts && pp_builder_ok(body->builder)) {
		size_t at = (size_t)(body->out->written +
		                     (uint64_t)(body->out->cur - body->out->begin));

		if (!pp_vec_push(&body->begin, at)) {
			pp_builder_fail(body->builder, PP_E_NOMEM, NULL);
			return;
		}
		pp_cg_emit_part(&body->emit, p->head.parts.at[body->begin.n - 1].positions);
	}
}

struct pp_cg_emit *
pp_cg_body_place(struct pp_cg_body *body, struct pp_cg_parser *p)
{
	parts_begin(body, p, p->head.part);
	body->emit.columns = pp_cg_part(p)->events;
	body->emit.expands = p->by_callgrind;
	pp_cg_emit_place(&body->emit, pp_cg_func(p), p->place.current_file);
	if (body->emit.failed || body->out->status != PP_OK)
		pp_builder_fail(body->builder, PP_E_NOMEM, NULL);
	return &body->emit;
}

void
pp_cg_body_other(struct pp_cg_body *body, struct pp_cg_parser *p, struct pp_slice line)
{
	if (!pp_cg_part_need(p))
		return;
	(void)pp_cg_body_place(body, p);
	pp_sink_write(body->out, line.p, line.n);
	pp_sink_putc(body->out, '\n');
}

void
pp_cg_body_again(struct pp_cg_body *body)
{
	body->emit.func = 0;
}

void
pp_cg_body_finish(struct pp_cg_body *body, struct pp_cg_parser *p)
{
	if (!body)
		return;
	parts_begin(body, p, p->head.parts.n);
	if (pp_sink_commit(body->out) != PP_OK)
		pp_builder_fail(body->builder, PP_E_NOMEM, NULL);
	body->changed = body->emit.changed;
	writing_end(body);
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

struct pp_slice
pp_cg_body_text(const struct pp_cg_body *body, size_t part)
{
	size_t end = part + 1 < body->begin.n ? body->begin.at[part + 1] : body->text.n;

	return pp_slice_of(body->text.p + body->begin.at[part], end - body->begin.at[part]);
}

/* ---- carried by another format ---------------------------------------------------------- */

/* The file as text: the parts and headers above name strings by the ids of their own profile. */
struct carried {
	size_t n;
	unsigned char bytes[];
};

static void
carried_free(void *data)
{
	free(data);
}

struct pp_slice
pp_cg_carried(const struct pp_profile *p)
{
	const struct carried *text = p->kept.free == carried_free ? p->kept.data : NULL;

	return text ? pp_slice_of(text->bytes, text->n) : pp_slice_of(NULL, 0);
}

bool
pp_cg_carry_save(const struct pp_profile *p, struct pp_buf *out)
{
	struct pp_slice text = pp_cg_carried(p);
	struct pp_write_opts opts = { 0 };
	struct pp_diags diags;
	struct pp_writer writer = { .profile = p, .opts = &opts, .diags = &diags };
	bool ok;

	pp_buf_add(out, text.p, text.n);
	if (!pp_cg_body_of(p) || p->metrics.n == 0)
		return !out->failed;
	pp_diags_init(&diags);
	ok = pp_sink_buffer(out, &writer.out) == PP_OK && pp_callgrind_write(&writer) == PP_OK &&
	     pp_sink_commit(writer.out) == PP_OK;
	pp_sink_close(writer.out);
	pp_diags_release(&diags);
	return ok;
}

pp_status
pp_cg_carry_load(struct pp_kept_facet *kept, struct pp_slice bytes)
{
	struct carried *text = malloc(sizeof *text + bytes.n);

	if (!text)
		return PP_E_NOMEM;
	text->n = bytes.n;
	if (bytes.n)
		memcpy(text->bytes, bytes.p, bytes.n);
	kept->data = text;
	kept->free = carried_free;
	return PP_OK;
}
