/*
 * What an answer says before its content.
 */
#include <stdlib.h>
#include <time.h>

#include "serve/http.h"

/* A status with its text. */
const char *
pp_http_status(unsigned status)
{
	static const char *const texts[] = {
		"200 OK",
		"202 Accepted",
		"204 No Content",
		"304 Not Modified",
		"400 Bad Request",
		"401 Unauthorized",
		"403 Forbidden",
		"404 Not Found",
		"405 Method Not Allowed",
		"406 Not Acceptable",
		"408 Request Timeout",
		"409 Conflict",
		"413 Content Too Large",
		"414 URI Too Long",
		"415 Unsupported Media Type",
		"417 Expectation Failed",
		"422 Unprocessable Content",
		"429 Too Many Requests",
		"431 Request Header Fields Too Large",
		"500 Internal Server Error",
		"501 Not Implemented",
		"503 Service Unavailable",
		"504 Gateway Timeout",
		"505 HTTP Version Not Supported",
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(texts); i++)
		if (strtoul(texts[i], NULL, 10) == status)
			return texts[i];
	return "500 Internal Server Error";
}

void
pp_exchange_text(struct pp_exchange *x, unsigned status, const char *type, const char *text)
{
	x->status = status;
	x->type = type;
	x->out.n = 0;
	pp_buf_adds(&x->out, text);
}

void
pp_exchange_field(struct pp_exchange *x, const char *name, const char *value)
{
	pp_buf_addf(&x->fields, "%s: %s\r\n", name, value);
}

struct pp_slice
pp_exchange_content(const struct pp_exchange *x)
{
	return x->constant.p ? x->constant : pp_slice_of(x->out.p ? x->out.p : "", x->out.n);
}

int64_t
pp_serve_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

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
