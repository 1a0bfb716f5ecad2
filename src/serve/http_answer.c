/*
 * What an answer says before its content.
 */
#include <time.h>

#include "serve/http.h"

/* The present second, as the head of an answer has it; only one thread prints heads. */
static const char *
date_text(void)
{
	static char text[64];
	static time_t last;
	time_t now = time(NULL);
	struct tm tm;

	if (now != last && gmtime_r(&now, &tm)) {
		(void)strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
		last = now;
	}
	return text;
}

void
pp_http_answer_head(struct pp_buf *out, const struct pp_exchange *x)
{
	out->n = 0;
	pp_buf_addf(out, "HTTP/1.1 %s\r\nDate: %s\r\n", pp_http_status(x->status), date_text());
	if (x->type)
		pp_buf_addf(out, "Content-Type: %s\r\n", x->type);
	if (x->begins)
		pp_buf_adds(out, "Transfer-Encoding: chunked\r\n");
	else if (x->status != 204 && x->status != 304)
		pp_buf_addf(out, "Content-Length: %zu\r\n", pp_exchange_content(x).n);
	pp_buf_adds(out, "X-Content-Type-Options: nosniff\r\n");
	if (x->fields.n)
		pp_buf_add(out, x->fields.p, x->fields.n);
	if (x->closes)
		pp_buf_adds(out, "Connection: close\r\n");
	pp_buf_adds(out, "\r\n");
}
