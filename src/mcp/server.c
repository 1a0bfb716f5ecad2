/*
 * Requests to answers. One thread reads and answers what needs no work; another asks questions, one after the other.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/slice.h"
#include "mcp/server.h"

#define VERSION_KEY "io.modelcontextprotocol/protocolVersion"
#define CAPABILITIES_KEY "io.modelcontextprotocol/clientCapabilities"
#define PROGRESS_NS 200000000

static int64_t
now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- requests ---- */

static void
request_free(struct pp_mcp_request *r)
{
	if (!r)
		return;
	pp_arena_release(&r->arena);
	free(r->line);
	free(r);
}

/* The value of a member of an object, as it stands; n = 0 when there is none. */
static struct pp_slice
member(struct pp_slice object, const char *key)
{
	struct pp_slice found = { NULL, 0 }, value;
	struct pp_json_str name;
	struct pp_scan s;

	if (object.n == 0)
		return found;
	pp_scan_init(&s, object, PP_MCP_DEPTH_MAX + 2, PP_SCAN_STRICT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return found;
	while (pp_scan_key(&s, &name)) {
		if (!pp_scan_skip(&s, &value))
			break;
		if (pp_json_str_eq(name, key))
			found = value;
	}
	return found;
}

static bool
is_string(struct pp_slice json)
{
	return json.n >= 2 && json.p[0] == '"';
}

/* The text of a JSON string, in the arena where it has escapes. */
static struct pp_slice
string_of(struct pp_slice json, struct pp_arena *arena)
{
	struct pp_json_str text;
	struct pp_scan s;

	pp_scan_init(&s, json, 1, PP_SCAN_STRICT);
	if (!is_string(json) || !pp_scan_string(&s, &text))
		return (struct pp_slice){ NULL, 0 };
	return pp_json_str_value(text, arena);
}

struct pp_slice
pp_mcp_text(struct pp_mcp_request *r, const char *key)
{
	return string_of(member(r->params, key), &r->arena);
}

/* Takes a line apart: false when it is no request, which is said. */
static bool
request_parse(struct pp_mcp_server *s, struct pp_mcp_request *r)
{
	struct pp_slice whole = pp_slice_of(r->line, r->n), jsonrpc, method, raw;
	struct pp_scan scan;

	pp_scan_init(&scan, whole, PP_MCP_DEPTH_MAX, PP_SCAN_STRICT);
	if (!pp_scan_skip(&scan, NULL) || !pp_scan_end(&scan)) {
		pp_mcp_error(s, NULL, PP_RPC_PARSE, "this is not JSON, or it is nested too deep",
		             NULL);
		return false;
	}
	pp_scan_init(&scan, whole, PP_MCP_DEPTH_MAX, PP_SCAN_STRICT);
	if (pp_scan_peek(&scan) != PP_JSON_OBJECT) {
		pp_mcp_error(s, NULL, PP_RPC_INVALID,
		             "a message is one object; batches are not served", NULL);
		return false;
	}
	jsonrpc = member(whole, "jsonrpc");
	method = member(whole, "method");
	raw = member(whole, "id");
	/* An answer: nothing was asked. */
	if (!method.n && (member(whole, "result").n || member(whole, "error").n))
		return false;
	if (!pp_slice_eq_z(jsonrpc, "\"2.0\"") || !is_string(method) ||
	    (raw.n && !is_string(raw) && raw.p[0] != '-' &&
	     !(raw.p[0] >= '0' && raw.p[0] <= '9'))) {
		pp_mcp_error(s, NULL, PP_RPC_INVALID, "this is no request of JSON-RPC 2.0", NULL);
		return false;
	}
	r->id = raw;
	r->method = string_of(method, &r->arena);
	r->params = member(whole, "params");
	r->token = member(member(r->params, "_meta"), "progressToken");
	return r->method.p != NULL;
}

/* Which era a request is of; false (said) when it is of none that is served. */
static bool
request_era(struct pp_mcp_server *s, struct pp_mcp_request *r)
{
	struct pp_slice meta = member(r->params, "_meta"), version = member(meta, VERSION_KEY);
	struct pp_buf data = { 0 };

	if (pp_slice_eq_z(r->method, "initialize") || pp_slice_eq_z(r->method, "ping") ||
	    (s->initialized && !version.n))
		return true;
	if (!is_string(version) || !member(meta, CAPABILITIES_KEY).n) {
		pp_mcp_error(s, r, PP_RPC_PARAMS,
		             "_meta needs " VERSION_KEY " and " CAPABILITIES_KEY
		             "; clients of 2025 send initialize first",
		             NULL);
		return false;
	}
	r->modern = true;
	if (pp_slice_eq_z(version, "\"" PP_MCP_MODERN "\""))
		return true;
	pp_buf_adds(&data, "{\"supported\":[\"" PP_MCP_MODERN "\"],\"requested\":");
	pp_buf_add(&data, version.p, version.n);
	pp_buf_adds(&data, "}");
	pp_mcp_error(s, r, PP_RPC_VERSION, "this version of the protocol is not served",
	             data.failed ? NULL : data.p);
	pp_buf_release(&data);
	return false;
}

/* ---- what needs no work ---- */

static void
capabilities_put(struct pp_json *j)
{
	pp_json_put_object(j, "capabilities");
	pp_json_put_object(j, "tools");
	pp_json_end_object(j);
	pp_json_put_object(j, "resources");
	pp_json_end_object(j);
	pp_json_put_object(j, "prompts");
	pp_json_end_object(j);
	pp_json_end_object(j);
}

static void
initialize(struct pp_mcp_server *s, struct pp_mcp_request *r)
{
	struct pp_slice asked = pp_mcp_text(r, "protocolVersion");
	struct pp_mcp_message m;

	s->initialized = true;
	if (!pp_mcp_result_begin(&m, r))
		return;
	pp_json_put_textz(&m.json, "protocolVersion",
	                  pp_slice_eq_z(asked, PP_MCP_OLDER) ? PP_MCP_OLDER : PP_MCP_LEGACY);
	capabilities_put(&m.json);
	pp_json_put_object(&m.json, "serverInfo");
	pp_json_put_textz(&m.json, "name", "polyprof");
	pp_json_put_textz(&m.json, "version", pp_version());
	pp_json_end_object(&m.json);
	pp_json_put_textz(&m.json, "instructions", pp_mcp_instructions);
	pp_mcp_result_end(s, &m, r);
}

static void
discover(struct pp_mcp_server *s, const struct pp_mcp_request *r)
{
	struct pp_mcp_message m;

	if (!pp_mcp_result_begin(&m, r))
		return;
	pp_json_put_array(&m.json, "supportedVersions");
	pp_json_textz(&m.json, PP_MCP_MODERN);
	pp_json_end_array(&m.json);
	capabilities_put(&m.json);
	pp_json_put_textz(&m.json, "instructions", pp_mcp_instructions);
	pp_mcp_cacheable(&m, r);
	pp_mcp_result_end(s, &m, r);
}

static void
empty_result(struct pp_mcp_server *s, const struct pp_mcp_request *r)
{
	struct pp_mcp_message m;

	if (pp_mcp_result_begin(&m, r))
		pp_mcp_result_end(s, &m, r);
}

/* ---- calls ---- */

/* The object twice: as data, and as text for clients that show that. */
static void
answer_send(struct pp_mcp_server *s, const struct pp_mcp_request *r, struct pp_slice object,
            bool failed, const char *written)
{
	struct pp_mcp_message m;

	if (!pp_mcp_result_begin(&m, r))
		return;
	pp_json_put_array(&m.json, "content");
	pp_json_begin_object(&m.json);
	pp_json_put_textz(&m.json, "type", "text");
	pp_json_put_text(&m.json, "text", object);
	pp_json_end_object(&m.json);
	if (written)
		pp_mcp_link_put(&m.json, written);
	pp_json_end_array(&m.json);
	pp_json_put_raw(&m.json, "structuredContent", (const char *)object.p, object.n);
	if (failed)
		pp_json_put_bool(&m.json, "isError", true);
	pp_mcp_result_end(s, &m, r);
}

/* {"tool", "error"}: what whoever asked can mend. */
static void
refusal_send(struct pp_mcp_server *s, const struct pp_mcp_request *r, const char *tool,
             const char *text)
{
	struct pp_buf bytes = { 0 };
	struct pp_sink *out;
	struct pp_json j;

	if (pp_sink_buffer(&bytes, &out) != PP_OK)
		return;
	pp_json_init(&j, out, PP_JSON_COMPACT);
	j.spelled = true;
	pp_json_begin_object(&j);
	pp_json_put_textz(&j, "tool", tool);
	pp_json_put_text(&j, "error", pp_slice_of(text, strlen(text) < 300 ? strlen(text) : 300));
	pp_json_end_object(&j);
	if (pp_sink_commit(out) == PP_OK)
		answer_send(s, r, pp_slice_of(bytes.p, bytes.n), true, NULL);
	pp_sink_close(out);
	pp_buf_release(&bytes);
}

/* What a call looks at while it works. */
struct working {
	struct pp_mcp_server *server;
	const struct pp_mcp_request *request;
	int64_t told;  /* when progress was */
	uint64_t done; /* what was told last */
	uint64_t read; /* bytes of the file */
};

static bool
work_stops(void *data)
{
	struct pp_mcp_server *s = ((struct working *)data)->server;

	return atomic_load_explicit(&s->stop, memory_order_relaxed) ||
	       (s->port && s->port->gone(s->port->ctx)) ||
	       now_ns() > atomic_load_explicit(&s->deadline, memory_order_relaxed);
}

static void
progress_send(void *data, const struct pp_progress_at *at)
{
	struct working *w = data;
	struct pp_mcp_message m;
	int64_t now = now_ns();

	w->read = at->over ? w->read : at->done;
	if (!w->request->token.n || at->over || at->done <= w->done ||
	    now - w->told < PROGRESS_NS || atomic_load(&w->server->cancelled) ||
	    !pp_mcp_message_begin(&m))
		return;
	w->told = now;
	w->done = at->done;
	pp_json_put_textz(&m.json, "method", "notifications/progress");
	pp_json_put_object(&m.json, "params");
	pp_json_put_raw(&m.json, "progressToken", (const char *)w->request->token.p,
	                w->request->token.n);
	pp_json_put_u64(&m.json, "progress", at->done);
	if (at->total && at->total >= at->done)
		pp_json_put_u64(&m.json, "total", at->total);
	pp_json_end_object(&m.json);
	pp_mcp_send(w->server, &m);
}

/* The answer as one object, its newline left out. */
static void
answer_print(struct pp_mcp_server *s, const struct pp_mcp_request *r, const char *tool,
             pp_answer *answer, pp_status status)
{
	size_t size = 0;
	char *text = NULL;

	if (answer && pp_answer_render(answer, PP_RENDER_JSON, &text, &size) == PP_OK && size > 2 &&
	    text[0] == '{' && (status == PP_OK || pp_answer_stands(answer))) {
		while (size && text[size - 1] == '\n')
			size--;
		if (!atomic_load(&s->cancelled))
			answer_send(s, r, pp_slice_of(text, size), status != PP_OK, NULL);
	} else if (!atomic_load(&s->cancelled)) {
		bool said = answer && status == PP_E_USAGE && pp_answer_note_count(answer) > 0;

		refusal_send(s, r, tool,
		             said ? pp_answer_note_text(answer, pp_answer_note_count(answer) - 1)
		                  : pp_status_text(status));
	}
	pp_free(text);
}

/* Whether the files are still those that were allowed: links may have been put in their place. */
static bool
call_stays(const struct pp_mcp_call *call, struct pp_mcp_request *r, const struct pp_mcp_options *o)
{
	bool directory = strcmp(call->tool->files, "dir") == 0;
	struct pp_buf problem = { 0 };
	bool stays = true;
	size_t i;

	for (i = 0; i < call->files.n && stays; i++) {
		const char *now = pp_mcp_path(o, &r->arena, call->files.at[i], directory, &problem);

		stays = now && strcmp(now, call->files.at[i]) == 0;
	}
	pp_buf_release(&problem);
	return stays;
}

/* A call that writes a file. */
static void
call_write(struct pp_mcp_server *s, struct pp_mcp_request *r, const struct pp_mcp_call *call,
           const struct pp_ask_opts *opts)
{
	struct pp_buf object = { 0 }, problem = { 0 };
	bool fine = pp_mcp_write(call, opts, &object, &problem);

	if (!atomic_load(&s->cancelled) && fine)
		answer_send(s, r, pp_slice_of(object.p, object.n), false, call->output);
	else if (!atomic_load(&s->cancelled))
		refusal_send(s, r, call->tool->name, problem.n ? problem.p : "out of memory");
	pp_buf_release(&object);
	pp_buf_release(&problem);
}

static void
call_run(struct pp_mcp_server *s, struct pp_mcp_request *r)
{
	struct working w = { .server = s, .request = r };
	struct pp_ask_opts opts = { .size = sizeof opts,
		                    .form = PP_RENDER_JSON,
		                    .quiet = true,
		                    .ctx = &w,
		                    .shelf = s->shelf,
		                    .confined = true,
		                    .stop = work_stops,
		                    .provider = s->options->provider,
		                    .progress = progress_send };
	struct pp_mcp_call call = { .tool = NULL };
	struct pp_buf said = { 0 };
	const char *why;
	pp_answer *answer = NULL;
	pp_status status;

	pp_mcp_call_read(&call, r, s->options);
	if (!call.tool) {
		pp_mcp_error(s, r, PP_RPC_PARAMS, "there is no such tool", NULL);
	} else if (call.problem.n) {
		refusal_send(s, r, call.tool->name, call.problem.p);
	} else if (call.tool->writes) {
		call_write(s, r, &call, &opts);
	} else {
		status = pp_ask_files(call.files.at, call.files.n, call.tool->name, call.params.at,
		                      &opts, &answer);
		if (!call_stays(&call, r, s->options))
			refusal_send(s, r, call.tool->name, "the file was replaced meanwhile");
		else if (!atomic_load(&s->cancelled) && status != PP_OK && work_stops(&w))
			refusal_send(s, r, call.tool->name,
			             "it took too long; filter, or start the server with a larger "
			             "--timeout");
		else if ((why = pp_mcp_reason(&said, answer, status, s->options, w.read, &call)))
			refusal_send(s, r, call.tool->name, why);
		else
			answer_print(s, r, call.tool->name, answer, status);
		pp_answer_free(answer);
		pp_buf_release(&said);
	}
	pp_mcp_call_release(&call);
}

/* The thread that asks: calls one after the other. */
static void *
worker(void *data)
{
	struct pp_mcp_server *s = data;

	for (;;) {
		struct pp_mcp_request *r;

		pthread_mutex_lock(&s->lock);
		while (!s->ending && s->waiting.n == 0)
			pthread_cond_wait(&s->changed, &s->lock);
		if (s->waiting.n == 0 || atomic_load(&s->deaf)) {
			pthread_mutex_unlock(&s->lock);
			return NULL;
		}
		r = s->waiting.at[0];
		memmove(s->waiting.at, s->waiting.at + 1, --s->waiting.n * sizeof *s->waiting.at);
		s->running = r;
		atomic_store(&s->stop, false);
		atomic_store(&s->cancelled, false);
		atomic_store(&s->deadline, now_ns() + (int64_t)s->options->timeout * 1000000000);
		pthread_mutex_unlock(&s->lock);
		call_run(s, r);
		pthread_mutex_lock(&s->lock);
		s->running = NULL;
		pthread_cond_broadcast(&s->changed);
		pthread_mutex_unlock(&s->lock);
		request_free(r);
	}
}

/* Takes a call back: one that waits is dropped, the running one stops. */
static void
cancel(struct pp_mcp_server *s, struct pp_slice id)
{
	size_t i;

	if (!id.n)
		return;
	pthread_mutex_lock(&s->lock);
	for (i = 0; i < s->waiting.n; i++)
		if (pp_slice_eq(s->waiting.at[i]->id, id)) {
			request_free(s->waiting.at[i]);
			memmove(s->waiting.at + i, s->waiting.at + i + 1,
			        (--s->waiting.n - i) * sizeof *s->waiting.at);
			i--;
		}
	if (s->running && pp_slice_eq(s->running->id, id)) {
		atomic_store(&s->cancelled, true);
		atomic_store(&s->stop, true);
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- dispatch ---- */

/* A request that is answered at once; false when it is none of those. */
static bool
answer_now(struct pp_mcp_server *s, struct pp_mcp_request *r)
{
	if (pp_slice_eq_z(r->method, "initialize"))
		initialize(s, r);
	else if (pp_slice_eq_z(r->method, "server/discover") && r->modern)
		discover(s, r);
	else if (pp_slice_eq_z(r->method, "ping") &&
	         !member(member(r->params, "_meta"), VERSION_KEY).n)
		empty_result(s, r);
	else if (pp_slice_eq_z(r->method, "tools/list"))
		pp_mcp_tools_list(s, r);
	else if (pp_slice_eq_z(r->method, "prompts/list"))
		pp_mcp_prompts_list(s, r);
	else if (pp_slice_eq_z(r->method, "prompts/get"))
		pp_mcp_prompt_get(s, r);
	else if (pp_slice_eq_z(r->method, "resources/list"))
		pp_mcp_resources_list(s, r);
	else if (pp_slice_eq_z(r->method, "resources/templates/list"))
		pp_mcp_templates_list(s, r);
	else if (pp_slice_eq_z(r->method, "resources/read"))
		pp_mcp_resource_read(s, r, s->options);
	else
		return false;
	return true;
}

/* Takes over a request. */
static void
request_take(struct pp_mcp_server *s, struct pp_mcp_request *r)
{
	if (!request_parse(s, r)) {
		request_free(r);
		return;
	}
	if (!r->id.n) {
		if (pp_slice_eq_z(r->method, "notifications/cancelled"))
			cancel(s, member(r->params, "requestId"));
		request_free(r);
		return;
	}
	if (request_era(s, r) && !answer_now(s, r)) {
		if (pp_slice_eq_z(r->method, "tools/call")) {
			bool kept;

			pthread_mutex_lock(&s->lock);
			kept = pp_vec_push(&s->waiting, r);
			pthread_cond_broadcast(&s->changed);
			pthread_mutex_unlock(&s->lock);
			if (kept)
				return;
		}
		pp_mcp_error(s, r, PP_RPC_METHOD, "there is no such method", NULL);
	}
	request_free(r);
}

/* ---- one message, by another transport ---- */

/* Whether what a transport says beside a message is what stands in it; of the older era it says nothing. */
static bool
port_fits(struct pp_mcp_server *s, struct pp_mcp_request *r)
{
	const struct pp_mcp_port *port = s->port;
	struct pp_slice meta = member(r->params, "_meta");
	struct pp_slice version = string_of(member(meta, VERSION_KEY), &r->arena);
	struct pp_slice name = pp_mcp_text(r, pp_slice_eq_z(r->method, "resources/read") ? "uri"
	                                                                                 : "name");
	bool named = pp_slice_eq_z(r->method, "tools/call") ||
	             pp_slice_eq_z(r->method, "prompts/get") ||
	             pp_slice_eq_z(r->method, "resources/read");

	if (!version.p)
		return true;
	if (port->version.p && pp_slice_eq(port->version, version) && port->method.p &&
	    pp_slice_eq(port->method, r->method) &&
	    (!named || !name.p || (port->name.p && pp_slice_eq(port->name, name))))
		return true;
	pp_mcp_error(
	    s, r, PP_RPC_HEADER,
	    "MCP-Protocol-Version, Mcp-Method and Mcp-Name have to be those of the message", NULL);
	return false;
}

static enum pp_mcp_outcome
request_answer(struct pp_mcp_server *s, struct pp_mcp_request *r)
{
	enum pp_mcp_outcome outcome = PP_MCP_ANSWERED;

	if (!request_parse(s, r))
		return s->refused ? PP_MCP_REFUSED : PP_MCP_NOTED;
	if (!r->id.n)
		return PP_MCP_NOTED;
	if (!port_fits(s, r) || !request_era(s, r)) {
		outcome = PP_MCP_REFUSED;
	} else if (pp_slice_eq_z(r->method, "tools/call")) {
		atomic_store(&s->deadline, now_ns() + (int64_t)s->options->timeout * 1000000000);
		call_run(s, r);
	} else if ((pp_slice_eq_z(r->method, "initialize") &&
	            member(member(r->params, "_meta"), VERSION_KEY).n) ||
	           !answer_now(s, r)) {
		pp_mcp_error(s, r, PP_RPC_METHOD, "there is no such method", NULL);
		outcome = PP_MCP_UNKNOWN;
	}
	return outcome;
}

enum pp_mcp_outcome
pp_mcp_answer(const struct pp_mcp_options *options, const struct pp_mcp_port *port, pp_shelf *shelf,
              const char *message, size_t n)
{
	struct pp_mcp_server s = { .options = options, .port = port, .shelf = shelf };
	struct pp_mcp_request *r = calloc(1, sizeof *r);
	enum pp_mcp_outcome outcome = PP_MCP_REFUSED;

	if (r)
		r->line = calloc(1, n + PP_SCAN_PAD + 1);
	/* Who names no version began with a handshake, too. */
	s.initialized = !port->version.p || pp_slice_starts(port->version, "2025-");
	if (r && r->line) {
		memcpy(r->line, message, n);
		r->n = n;
		outcome = request_answer(&s, r);
	}
	request_free(r);
	return outcome;
}

/* ---- lines ---- */

struct lines {
	struct pp_buf bytes; /* of a line that has not ended */
	bool skipping;       /* it is too long: the rest of it is passed over */
};

static void
line_end(struct pp_mcp_server *s, struct lines *l)
{
	struct pp_mcp_request *r;
	size_t n = l->bytes.n;

	if (l->skipping) {
		pp_mcp_error(s, NULL, PP_RPC_INVALID, "a request has at most 1048576 bytes", NULL);
		l->skipping = false;
		l->bytes.n = 0;
		return;
	}
	while (n && (l->bytes.p[n - 1] == '\r' || l->bytes.p[n - 1] == ' '))
		n--;
	r = n ? calloc(1, sizeof *r) : NULL;
	if (r)
		r->line = calloc(1, n + PP_SCAN_PAD + 1);
	if (r && r->line) {
		memcpy(r->line, l->bytes.p, n);
		r->n = n;
		request_take(s, r);
	} else {
		request_free(r);
	}
	l->bytes.n = 0;
}

static void
bytes_take(struct pp_mcp_server *s, struct lines *l, const char *p, size_t n)
{
	while (n > 0) {
		const char *newline = memchr(p, '\n', n);
		size_t part = newline ? (size_t)(newline - p) : n;

		if (!l->skipping && l->bytes.n + part <= PP_MCP_LINE_MAX)
			pp_buf_add(&l->bytes, p, part);
		else
			l->skipping = true;
		if (newline) {
			line_end(s, l);
			part++;
		}
		p += part;
		n -= part;
	}
}

static volatile sig_atomic_t terminated;

static void
on_term(int signal)
{
	terminated = 1;
}

/* Reads until the input ends, the process is told to, or nobody listens. */
static void
lines_read(struct pp_mcp_server *s)
{
	struct pollfd input = { .fd = s->options->in, .events = POLLIN };
	struct lines l = { .skipping = false };
	static char block[65536];
	ssize_t n = 1;

	while (n != 0 && !terminated && !atomic_load(&s->deaf)) {
		int ready = poll(&input, 1, 100);

		if (ready == 0 || (ready < 0 && errno == EINTR))
			continue;
		n = read(s->options->in, block, sizeof block);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			n = 1;
		else if (n > 0)
			bytes_take(s, &l, block, (size_t)n);
		else
			n = 0;
	}
	pp_buf_release(&l.bytes);
}

/* What was asked for and runs may end; what takes longer than that is dropped. */
#define GRACE_NS 500000000

static void
work_end(struct pp_mcp_server *s)
{
	struct timespec until;
	int64_t ns;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	ns = until.tv_nsec + GRACE_NS;
	until.tv_sec += ns / 1000000000;
	until.tv_nsec = ns % 1000000000;
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_broadcast(&s->changed);
	while ((s->running || s->waiting.n) && !terminated && !atomic_load(&s->deaf) &&
	       pthread_cond_timedwait(&s->changed, &s->lock, &until) == 0)
		continue;
	atomic_store(&s->cancelled, s->running != NULL);
	atomic_store(&s->stop, true);
	while (s->waiting.n)
		request_free(s->waiting.at[--s->waiting.n]);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/* Directories by their real paths; the server works in the first. NULL when one cannot be read. */
static char **
directories_open(const struct pp_mcp_options *o)
{
	char **real = calloc(o->directory_count + 1, sizeof *real);
	bool fine = real != NULL;
	size_t i;

	for (i = 0; fine && i < o->directory_count; i++) {
		char path[PATH_MAX];

		fine = realpath(o->directories[i], path) && (real[i] = strdup(path)) != NULL;
	}
	if (fine && chdir(real[0]) == 0)
		return real;
	for (i = 0; real && i < o->directory_count; i++)
		free(real[i]);
	free(real);
	return NULL;
}

static void
directories_free(char **real)
{
	size_t i;

	for (i = 0; real[i]; i++)
		free(real[i]);
	free(real);
}

/* A reader that does not look at the flag must not keep the process: there is nothing left to write. */
static void
worker_join(pthread_t thread, int code)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += GRACE_NS / 2;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (pthread_timedjoin_np(thread, NULL, &until) != 0)
		_exit(code);
}

static int
serve(const struct pp_mcp_options *options)
{
	struct pp_mcp_server s = { .options = options, .shelf = pp_shelf_new(options->memory) };
	struct sigaction term = { .sa_handler = on_term }, pipes = { .sa_handler = SIG_IGN };
	pthread_t thread;
	bool deaf;

	if (!s.shelf)
		return 3;
	pthread_mutex_init(&s.output, NULL);
	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.changed, NULL);
	(void)sigaction(SIGTERM, &term, NULL);
	(void)sigaction(SIGINT, &term, NULL);
	(void)sigaction(SIGPIPE, &pipes, NULL);
	if (pthread_create(&thread, NULL, worker, &s) != 0) {
		pp_shelf_free(s.shelf);
		return 3;
	}
	lines_read(&s);
	work_end(&s);
	deaf = atomic_load(&s.deaf);
	worker_join(thread, deaf ? 4 : 0);
	pp_vec_release(&s.waiting);
	pp_shelf_free(s.shelf);
	return deaf ? 4 : 0;
}

int
pp_mcp_serve(const struct pp_mcp_options *given)
{
	struct pp_mcp_options options = *given;
	char write[PATH_MAX] = "";
	bool fine = !given->write || realpath(given->write, write);
	char **real = fine ? directories_open(given) : NULL;
	int code;

	if (!real)
		return 2;
	options.directories = (const char *const *)real;
	options.write = write[0] ? write : NULL;
	code = serve(&options);
	directories_free(real);
	return code;
}
