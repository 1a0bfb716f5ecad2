/*
 * All of an input at once.
 */
#include "formats/kit/whole.h"

pp_status
pp_whole_replace(struct pp_whole *w, struct pp_reader *reader, struct pp_buf *text)
{
	struct pp_input whole = { .at_end = true, .stable = true, .status = reader->in->status };

	if (!w->outer)
		w->outer = reader->in;
	if (!pp_buf_room(text, PP_INPUT_PAD))
		return PP_E_NOMEM;
	pp_buf_release(&w->text);
	w->text = *text;
	*text = (struct pp_buf){ 0 };
	whole.begin = whole.cur = (const unsigned char *)w->text.p;
	whole.end = whole.cur + w->text.n;
	w->input = whole;
	reader->in = &w->input;
	return PP_OK;
}

pp_status
pp_whole_open(struct pp_whole *w, struct pp_reader *reader)
{
	struct pp_input *in = reader->in;
	struct pp_buf text = { 0 };
	pp_status status = PP_OK;

	if (!w->outer)
		w->outer = in;
	if (in->stable)
		return PP_OK;
	while (status == PP_OK && pp_input_need(in, 1)) {
		pp_buf_add(&text, in->cur, pp_input_left(in));
		status = text.failed || pp_account_stops() ? PP_E_NOMEM : PP_OK;
		in->cur = in->end;
	}
	if (status == PP_OK)
		status = pp_whole_replace(w, reader, &text);
	pp_buf_release(&text);
	return status;
}

pp_status
pp_whole_open_lines(struct pp_whole *w, struct pp_reader *reader, struct pp_builder *b)
{
	pp_status status = pp_whole_open(w, reader);
	uint64_t most = reader->limits.max_line;
	struct pp_slice rest = pp_slice_between(reader->in->cur, reader->in->end), line;

	while (status == PP_OK && rest.n > most && pp_slice_line(&rest, &line))
		if (line.n > most) {
			pp_builder_fail(b, PP_E_LIMIT, "a line is too long");
			status = b->status;
		}
	return status;
}

void
pp_whole_close(struct pp_whole *w, struct pp_reader *reader)
{
	if (w->outer) {
		w->outer->status = reader->in->status;
		reader->in = w->outer;
	}
	pp_buf_release(&w->text);
	*w = (struct pp_whole){ 0 };
}
