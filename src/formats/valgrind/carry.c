/*
 * A callgrind file inside another format: its canonical text, as bytes.
 *
 * The packed lines (callgrind_body.c) name strings and functions by the ids of their own profile, so
 * they cannot travel. What they would be written as can, and writing it again needs nothing else.
 */
#include <stdlib.h>

#include "formats/valgrind/body.h"

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
pp_cg_carry_load(struct pp_profile *p, struct pp_slice bytes)
{
	struct carried *text = malloc(sizeof *text + bytes.n);

	if (!text)
		return PP_E_NOMEM;
	text->n = bytes.n;
	if (bytes.n)
		memcpy(text->bytes, bytes.p, bytes.n);
	p->kept.data = text;
	p->kept.free = carried_free;
	return PP_OK;
}
