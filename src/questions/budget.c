/*
 * How much of an answer is wanted.
 */
#include "questions/budget.h"

#include "questions/param.h"

#define CLIP_HEAD 100
#define CLIP_TAIL 30

struct pp_window
pp_budget_window(const struct pp_budget *budget, size_t rows, size_t usual)
{
	uint64_t most = budget->rows == PP_UNSET ? usual : budget->rows;
	uint64_t page = budget->page == PP_UNSET ? 0 : budget->page;
	struct pp_window window = { page < rows ? (size_t)page : rows, 0 };

	window.n = rows - window.first;
	if (most > 0 && window.n > most)
		window.n = (size_t)most;
	return window;
}

bool
pp_purse_take(struct pp_purse *purse, size_t n)
{
	if (!purse->bounded)
		return true;
	if (purse->empty || n > purse->left) {
		purse->empty = true;
		return false;
	}
	purse->left -= n;
	return true;
}

/* Whether a byte goes on with a character of UTF-8. */
static bool
byte_continues(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

struct pp_slice
pp_budget_clip(struct pp_slice text, struct pp_buf *spare)
{
	size_t head = CLIP_HEAD, tail = text.n - CLIP_TAIL, i;

	if (text.n <= PP_CLIP_MAX)
		return text;
	/* Not more than the three bytes that may follow the first one: the text need not be UTF-8. */
	for (i = 0; i < 3 && byte_continues(text.p[head]); i++)
		head--;
	for (i = 0; i < 3 && byte_continues(text.p[tail]); i++)
		tail++;
	spare->n = 0;
	pp_buf_add(spare, text.p, head);
	pp_buf_adds(spare, "…");
	pp_buf_add(spare, text.p + tail, text.n - tail);
	pp_buf_addf(spare, " (%zu bytes)", text.n);
	return spare->p ? pp_slice_of(spare->p, spare->n) : pp_slice_of("", 0);
}
