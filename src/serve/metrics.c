/*
 * How the server does: /healthz for whoever restarts it, /metrics as Prometheus reads them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/push.h"

void
pp_healthz(struct pp_serve *s, struct pp_exchange *x)
{
	pp_exchange_text(x, 200, "text/plain; charset=utf-8", "ok\n");
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_exchange_done(x);
}

/* One metric that has no labels. */
static void
metric(struct pp_buf *out, const char *name, const char *type, const char *help, uint64_t value)
{
	pp_buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, type, name,
	            (unsigned long long)value);
}

/* What the process holds in memory; 0 where the system does not tell. */
static uint64_t
memory_resident(void)
{
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	const char *second;

	if (fd >= 0)
		(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	second = strchr(text, ' ');
	return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* What was pushed. */
static void
store_put(struct pp_serve *s, struct pp_buf *out)
{
	const struct pp_writer_counts *c = pp_writer_counts(s->writer);

	metric(out, "polyprof_profiles_added_total", "counter", "Profiles that were stored.",
	       c->added);
	metric(out, "polyprof_profiles_known_total", "counter",
	       "Profiles that were there when they came again.", c->known);
	metric(out, "polyprof_samples_added_total", "counter", "Stacks of stored profiles.",
	       c->samples);
	metric(out, "polyprof_pushes_refused_total", "counter",
	       "Requests with profiles that were refused.", c->refused);
	metric(out, "polyprof_pushes_busy_total", "counter",
	       "Requests that were sent away because too many waited.", c->busy);
	metric(out, "polyprof_pushes_failed_total", "counter",
	       "Requests whose profiles could not be stored.", c->failed);
	metric(out, "polyprof_pushes_waiting", "gauge", "Requests that wait for a commit.",
	       c->waiting);
	metric(out, "polyprof_commits_total", "counter", "Transactions.", c->commits);
	metric(out, "polyprof_series", "gauge", "Different sets of labels that were pushed.",
	       c->series);
}

void
pp_metrics(struct pp_serve *s, struct pp_exchange *x)
{
	const struct pp_http_counts *http = pp_http_counts(s->http);
	struct pp_buf *out = &x->out;
	size_t i;

	metric(out, "polyprof_up_seconds", "gauge", "Seconds since the start.",
	       (uint64_t)(pp_clock_ns() - s->started) / 1000000000);
	metric(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
	       memory_resident());
	metric(out, "polyprof_connections", "gauge", "Open connections.", http->connections);
	metric(out, "polyprof_connections_total", "counter", "Connections that were made.",
	       http->accepted);
	metric(out, "polyprof_requests_total", "counter", "Requests that were read.",
	       http->requests);
	metric(out, "polyprof_requests_refused_total", "counter",
	       "Requests that could not be read.", http->refused);
	metric(out, "polyprof_received_bytes_total", "counter", "Bytes received.", http->received);
	metric(out, "polyprof_sent_bytes_total", "counter", "Bytes sent.", http->sent);
	metric(out, "polyprof_bodies_bytes", "gauge", "Bytes of requests in memory.", http->held);
	metric(out, "polyprof_answers_bytes", "gauge", "Bytes of answers that were not read yet.",
	       s->counts.unread);
	pp_buf_adds(out, "# HELP polyprof_answers_total Answers by the class of their status.\n"
	                 "# TYPE polyprof_answers_total counter\n");
	for (i = 1; i < PP_COUNT_OF(s->counts.answers); i++)
		pp_buf_addf(out, "polyprof_answers_total{status=\"%zuxx\"} %llu\n", i,
		            (unsigned long long)s->counts.answers[i]);
	metric(out, "polyprof_questions_total", "counter", "Questions that were asked.",
	       s->counts.questions);
	metric(
	    out, "polyprof_questions_cancelled_total", "counter",
	    "Questions that were given up because the client left or the time limit was reached.",
	    s->counts.cancelled);
	metric(out, "polyprof_questions_running", "gauge", "Questions being worked on.",
	       s->counts.running);
	metric(out, "polyprof_questions_waiting", "gauge", "Questions that wait for a thread.",
	       pp_workers_waiting(s->asking));
	if (s->writer)
		store_put(s, out);
	x->status = 200;
	x->type = "text/plain; version=0.0.4; charset=utf-8";
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_exchange_done(x);
}
