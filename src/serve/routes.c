/*
 * Paths to handlers, and what a request says behind its path.
 */
#include <string.h>

#include "base/slice.h"
#include "serve/serve.h"
#include "text/json_emit.h"

const struct pp_route pp_routes[] = {
	{ "GET", "/healthz", PP_ROUTE_NOW, pp_healthz },
	{ "GET", "/metrics", PP_ROUTE_NOW, pp_metrics },
	{ "GET", "/", PP_ROUTE_NOW, pp_page_start },
	{ "GET", "/serve.js", PP_ROUTE_NOW, pp_page_part },
	{ "GET", "/serve.css", PP_ROUTE_NOW, pp_page_part },
	{ "GET", "/viewer.css", PP_ROUTE_NOW, pp_page_part },
	{ "GET", "/api/v1/sources", 0, pp_page_sources },
	{ "GET", "/api/v1/store", 0, pp_page_list },
	{ "GET", "/api/v1/stamps", 0, pp_page_stamps },
	{ "GET", "/api/v1/view", 0, pp_view },
	{ "GET", "/api/v1/progress", PP_ROUTE_NOW, pp_view_progress },
	{ "GET", "/api/v1/verdicts", 0, pp_api_verdicts },
	{ "POST", "/api/v1/drop", 0, pp_view_drop },
	{ "POST", "/mcp", 0, pp_agents },
	{ "POST", "/ingest", PP_ROUTE_STORE | PP_ROUTE_PUSH, pp_push_ingest },
	{ "POST", "/v1development/profiles", PP_ROUTE_STORE | PP_ROUTE_PUSH, pp_push_otlp },
	{ "POST", "/push.v1.PusherService/Push", PP_ROUTE_STORE | PP_ROUTE_PUSH, pp_push_connect },
	{ "POST", "/v1/profiles", PP_ROUTE_STORE | PP_ROUTE_PUSH, pp_push_coroot },
	{ "POST", "/profiles/writeraw", PP_ROUTE_STORE | PP_ROUTE_PUSH, pp_push_parca },
	{ "POST", "/api/v1/add", PP_ROUTE_STORE | PP_ROUTE_PUSH, pp_push_add },
	{ "GET", "/api/v1/*", 0, pp_api_ask },
	{ 0 },
};

static bool
path_fits(struct pp_slice path, const char *pattern)
{
	size_t n = strlen(pattern);

	if (pattern[n - 1] != '*')
		return pp_slice_eq_z(path, pattern);
	return path.n > n - 1 && memcmp(path.p, pattern, n - 1) == 0;
}

const struct pp_route *
pp_route_find(const struct pp_http_head *head, const char **allowed)
{
	const struct pp_route *r;

	*allowed = NULL;
	for (r = pp_routes; r->method; r++) {
		/* What has a route of its own is no question. */
		if (!path_fits(head->path, r->path) || (*allowed && strchr(r->path, '*')))
			continue;
		if (pp_slice_eq_z(head->method, r->method) ||
		    (strcmp(r->method, "GET") == 0 && pp_slice_eq_z(head->method, "HEAD")))
			return r;
		*allowed = *allowed ? *allowed : r->method;
	}
	return NULL;
}

/* ---- parameters ---- */

static int
hex_value(unsigned char c)
{
	return pp_is_digit(c)         ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

/* Text of a query as it is meant; NULL when it is none, or has a NUL. */
static const char *
decoded(struct pp_arena *arena, struct pp_slice text)
{
	char *to = pp_arena_alloc(arena, text.n + 1);
	size_t i, n = 0;

	for (i = 0; to && i < text.n; i++) {
		if (text.p[i] == '+') {
			to[n++] = ' ';
		} else if (text.p[i] != '%') {
			to[n++] = (char)text.p[i];
		} else {
			int high = text.n - i > 2 ? hex_value(text.p[i + 1]) : -1;
			int low = text.n - i > 2 ? hex_value(text.p[i + 2]) : -1;

			if (high < 0 || low < 0 || high + low == 0)
				return NULL;
			to[n++] = (char)(high << 4 | low);
			i += 2;
		}
	}
	if (to)
		to[n] = '\0';
	return to;
}

bool
pp_query_read(struct pp_exchange *x, struct pp_query *q)
{
	struct pp_slice rest = x->head.query, pair;
	bool more = rest.n > 0, found;

	*q = (struct pp_query){ 0 };
	while (pp_slice_field(&rest, '&', &more, &pair)) {
		struct pp_slice name = pp_slice_cut(&pair, '=', &found);
		struct pp_query_param p = { decoded(&x->arena, name), decoded(&x->arena, pair) };

		if (name.n == 0 && pair.n == 0)
			continue;
		if (!p.name || !p.value || !pp_vec_push(&q->list, p)) {
			pp_vec_release(&q->list);
			return false;
		}
	}
	return true;
}

const char *
pp_query_text(const struct pp_query *q, const char *name)
{
	size_t i;

	for (i = 0; i < q->list.n; i++)
		if (strcmp(q->list.at[i].name, name) == 0)
			return q->list.at[i].value;
	return NULL;
}

/* ---- answers ---- */

bool
pp_body_begin(struct pp_buf *to, struct pp_sink **out, struct pp_json *j)
{
	if (pp_sink_buffer(to, out) != PP_OK)
		return false;
	pp_json_init(j, *out, PP_JSON_SPACED);
	j->spelled = true;
	pp_json_begin_object(j);
	return true;
}

void
pp_body_end(struct pp_sink *out, struct pp_json *j)
{
	pp_json_end_object(j);
	pp_json_end_line(j);
	(void)pp_sink_commit(out);
	pp_sink_close(out);
}

void
pp_answer_error(struct pp_exchange *x, unsigned status, const char *rule, const char *message)
{
	struct pp_sink *out;
	struct pp_json j;

	x->status = status;
	x->type = PP_JSON_TYPE;
	pp_buf_release(&x->out);
	if (!pp_body_begin(&x->out, &out, &j))
		return;
	pp_json_put_object(&j, "error");
	pp_json_put_textz(&j, "rule", rule);
	pp_json_put_textz(&j, "message", message);
	pp_json_end_object(&j);
	pp_body_end(out, &j);
	if (status == 429 || status == 503)
		pp_exchange_field(x, "Retry-After", "1");
}

void
pp_answer_page(struct pp_exchange *x, const char *type, const void *bytes, size_t n)
{
	x->status = 200;
	x->type = type;
	x->constant = pp_slice_of(bytes, n);
	pp_exchange_field(
	    x, "Content-Security-Policy",
	    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
	    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
	    "frame-ancestors 'none'");
	pp_exchange_field(x, "Referrer-Policy", "no-referrer");
	pp_exchange_field(x, "Cross-Origin-Opener-Policy", "same-origin");
	pp_exchange_field(x, "Cross-Origin-Resource-Policy", "same-origin");
	pp_exchange_field(x, "Cache-Control", "no-cache");
}
