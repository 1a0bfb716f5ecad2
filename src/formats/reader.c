/*
 * What every reader may ask about its orders.
 */
#include "formats/reader.h"

const char *
pp_reader_option(const struct pp_reader *r, const char *key)
{
	size_t n = strlen(key), i;

	for (i = 0; r->options && r->options[i]; i++)
		if (strncmp(r->options[i], key, n) == 0 && r->options[i][n] == '=')
			return r->options[i] + n + 1;
	return NULL;
}

pp_status
pp_reader_slurp(struct pp_reader *reader, struct pp_buf *buf, struct pp_input *whole)
{
	struct pp_input *in = reader->in;

	while (pp_input_need(in, 1)) {
		pp_buf_add(buf, in->cur, pp_input_left(in));
		if (buf->failed || buf->n > reader->limits.max_memory)
			return buf->failed ? PP_E_NOMEM : PP_E_LIMIT;
		in->cur = in->end;
	}
	if (!pp_buf_room(buf, PP_INPUT_PAD))
		return PP_E_NOMEM;
	*whole = (struct pp_input){ .at_end = true, .stable = true, .status = in->status };
	whole->begin = whole->cur = (const unsigned char *)buf->p;
	whole->end = whole->cur + buf->n;
	reader->in = whole;
	return PP_OK;
}
