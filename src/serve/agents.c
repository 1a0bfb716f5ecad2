/*
 * /mcp: the Model Context Protocol over HTTP. A message in a request, its answer in the answer; as a stream of events only where
 * there is progress to be told. Nothing is kept between requests but open profiles.
 */
#include <string.h>

#include "base/slice.h"
#include "mcp/mcp.h"
#include "serve/serve.h"
#include "store/store.h"

struct talk {
	struct pp_serve *serve;
	struct pp_exchange *exchange;
	bool events; /* the client takes events */
	bool streams;
};

/* Messages as they come: the last one alone is the answer, unless others came before it. */
static void
message_send(void *ctx, const char *message, size_t n, bool last)
{
	struct talk *t = ctx;
	struct pp_exchange *x = t->exchange;
	struct pp_account *account = pp_account_enter(NULL);
	struct pp_buf event = { 0 };

	while (n && message[n - 1] == '\n')
		n--;
	if (!last && t->events && !t->streams) {
		t->streams = true;
		x->status = 200;
		x->type = "text/event-stream";
		pp_exchange_field(x, "Cache-Control", "no-store");
	}
	if (t->streams) {
		pp_buf_adds(&event, "event: message\ndata: ");
		pp_buf_add(&event, message, n);
		pp_buf_adds(&event, "\n\n");
		if (!event.failed)
			pp_exchange_stream(x, event.p, event.n);
	} else if (last) {
		x->out.n = 0;
		pp_buf_add(&x->out, message, n);
		x->type = PP_JSON_TYPE;
	}
	pp_buf_release(&event);
	(void)pp_account_enter(account);
}

static bool
is_gone(void *ctx)
{
	return atomic_load_explicit(&((struct talk *)ctx)->exchange->gone, memory_order_relaxed);
}

/* A file of an agent is a source. */
static const char *
path_find(void *ctx, struct pp_arena *arena, const char *path, bool directory,
          struct pp_buf *problem)
{
	const struct pp_serve *s = ctx;
	const char *found = strcmp(path, ".") == 0 ? NULL : pp_source_path(s, arena, path);
	size_t i;

	for (i = 0; directory && !found && strcmp(path, ".") == 0 && i < s->o->source_count; i++)
		if (pp_source_is_directory(s->o->sources[i]))
			found = s->o->sources[i];
	if (!found)
		pp_buf_adds(problem, directory
		                         ? "no such directory is served"
		                         : "there is no such file among what is served; it may be "
		                           "outside. `list` gives names that are not");
	return found;
}

/* A field that is there once: of two, others may have looked at the other one. */
static struct pp_slice
only_field(const struct pp_http_head *head, const char *name)
{
	size_t count;
	struct pp_slice value = pp_http_field(head, name, &count);

	return count == 1 ? value : (struct pp_slice){ NULL, 0 };
}

void
pp_agents(struct pp_serve *s, struct pp_exchange *x)
{
	struct talk t = { .serve = s, .exchange = x };
	struct pp_mcp_options options = { .tools = s->o->tools,
		                          .memory = s->memory_each,
		                          .timeout = s->o->timeout,
		                          .path = path_find,
		                          .provider = &pp_store_provider,
		                          .ctx = s };
	struct pp_mcp_port port = { .version = only_field(&x->head, "mcp-protocol-version"),
		                    .method = only_field(&x->head, "mcp-method"),
		                    .name = only_field(&x->head, "mcp-name"),
		                    .send = message_send,
		                    .gone = is_gone,
		                    .ctx = &t };
	bool modern = port.version.p && !pp_slice_starts(port.version, "2025-");
	pp_shelf *shelf;

	/* A client of HTTP/1.0 knows no chunks. */
	t.events = !x->head.simple &&
	           pp_slice_holds(pp_http_field(&x->head, "accept", NULL), "text/event-stream");
	if (x->body.n > PP_MCP_LINE_MAX) {
		pp_answer_error(x, 413, "too-large", "a message has at most 1048576 bytes");
		pp_exchange_done(x);
		return;
	}
	shelf = pp_serve_shelf_take(s);
	s->counts.questions++;
	switch (pp_mcp_answer(&options, &port, shelf, x->body.p ? x->body.p : "", x->body.n)) {
	case PP_MCP_ANSWERED:
		/* What is streamed has said so, and is looked at while it is sent. */
		if (!t.streams)
			x->status = 200;
		break;
	case PP_MCP_NOTED:
		x->status = 202;
		break;
	case PP_MCP_REFUSED:
		x->status = 400;
		break;
	case PP_MCP_UNKNOWN:
		x->status = modern ? 404 : 200;
		break;
	}
	pp_serve_shelf_give(s, shelf);
	if (!t.streams) {
		pp_exchange_field(x, "Cache-Control", "no-store");
		pp_serve_weigh(s, x);
	}
	pp_exchange_done(x);
}
