/*
 * Messages out: one at a time, whole, in one line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/slice.h"
#include "mcp/server.h"

bool
pp_mcp_message_begin(struct pp_mcp_message *m)
{
	*m = (struct pp_mcp_message){ .sink = NULL };
	if (pp_sink_buffer(&m->bytes, &m->sink) != PP_OK)
		return false;
	pp_json_init(&m->json, m->sink, PP_JSON_COMPACT);
	pp_json_begin_object(&m->json);
	pp_json_put_textz(&m->json, "jsonrpc", "2.0");
	return true;
}

static bool
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

void
pp_mcp_send(struct pp_mcp_server *s, struct pp_mcp_message *m)
{
	bool fine;

	pp_json_end_object(&m->json);
	pp_json_end_line(&m->json);
	fine = pp_sink_commit(m->sink) == PP_OK;
	pp_sink_close(m->sink);
	if (s->port) {
		if (fine)
			s->port->send(s->port->ctx, m->bytes.p, m->bytes.n, m->last);
		pp_buf_release(&m->bytes);
		return;
	}
	pthread_mutex_lock(&s->output);
	if (fine && !write_all(s->options->out, m->bytes.p, m->bytes.n))
		atomic_store(&s->deaf, true);
	pthread_mutex_unlock(&s->output);
	pp_buf_release(&m->bytes);
}

static void
id_put(struct pp_mcp_message *m, const struct pp_mcp_request *r)
{
	if (r && r->id.n)
		pp_json_put_raw(&m->json, "id", (const char *)r->id.p, r->id.n);
}

bool
pp_mcp_result_begin(struct pp_mcp_message *m, const struct pp_mcp_request *r)
{
	if (!pp_mcp_message_begin(m))
		return false;
	id_put(m, r);
	m->last = true;
	pp_json_put_object(&m->json, "result");
	if (r->modern)
		pp_json_put_textz(&m->json, "resultType", "complete");
	return true;
}

void
pp_mcp_result_end(struct pp_mcp_server *s, struct pp_mcp_message *m, const struct pp_mcp_request *r)
{
	if (r->modern) {
		pp_json_put_object(&m->json, "_meta");
		pp_json_put_object(&m->json, "io.modelcontextprotocol/serverInfo");
		pp_json_put_textz(&m->json, "name", "polyprof");
		pp_json_put_textz(&m->json, "version", pp_version());
		pp_json_end_object(&m->json);
		pp_json_end_object(&m->json);
	}
	pp_json_end_object(&m->json);
	pp_mcp_send(s, m);
}

void
pp_mcp_cacheable(struct pp_mcp_message *m, const struct pp_mcp_request *r)
{
	if (!r->modern)
		return;
	pp_json_put_u64(&m->json, "ttlMs", 3600000);
	pp_json_put_textz(&m->json, "cacheScope", "public");
}

void
pp_mcp_error(struct pp_mcp_server *s, const struct pp_mcp_request *r, int code, const char *text,
             const char *data)
{
	struct pp_mcp_message m;

	if (s->port)
		s->refused = true;
	if (!pp_mcp_message_begin(&m))
		return;
	id_put(&m, r);
	m.last = true;
	pp_json_put_object(&m.json, "error");
	pp_json_put_i64(&m.json, "code", code);
	pp_json_put_textz(&m.json, "message", text);
	if (data)
		pp_json_put_raw(&m.json, "data", data, strlen(data));
	pp_json_end_object(&m.json);
	pp_mcp_send(s, &m);
}
