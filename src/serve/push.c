/*
 * What all endpoints share: unpacking, labels, limits; and the one thread that commits, many requests at once.
 */
#include "serve/push.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/slice.h"
#include "io/source.h"
#include "serve/problem.h"
#include "store/hash.h"
#include "store/when.h"
#include "text/json_emit.h"

/* Requests that wait for the commit; and how many go into one. */
#define QUEUE_MAX 512
#define GROUP_MAX 256
/* Without requests for so long there is time for other things. */
#define IDLE_NS 100000000
/* A store that has kept some waiting for so long is away for all of them. */
#define PATIENCE_NS ((int64_t)20000000000)

/* ---- one request ---- */

static int64_t
time_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * PP_SECOND + t.tv_nsec;
}

static void
push_free(struct pp_push *p)
{
	while (p->items.n)
		pp_store_prepared_free(p->items.at[--p->items.n]);
	pp_vec_release(&p->items);
	pp_vec_release(&p->results);
	pp_buf_release(&p->unpacked);
	pp_buf_release(&p->why);
	free(p);
}

static void
error_answer(struct pp_push *p, unsigned status, const char *rule, const char *message)
{
	(p->fail ? p->fail : pp_answer_error)(p->exchange, status, rule, message);
}

/* Refuses one profile, and with it all of the request unless it is selective. */
static void
profile_refuse(struct pp_push *p, unsigned status, const char *rule, const char *message)
{
	if (!p->selective || status != 400)
		(void)pp_push_refuse(p, status, rule, message);
	else if (p->why.n == 0)
		pp_buf_addf(&p->why, "%s [%s]", message, rule);
}

bool
pp_push_refuse(struct pp_push *p, unsigned status, const char *rule, const char *message)
{
	if (p->exchange->status == 0)
		error_answer(p, status, rule, message);
	return false;
}

/* ---- unpacking ---- */

/*
 * Unpacks bytes, `layers` of packing at most, into `out` or only counts them (NULL). 0; 413 when they are more than what is
 * left; 400 when they cannot be unpacked.
 */
static unsigned
unpack(struct pp_slice bytes, unsigned layers, uint64_t left, struct pp_buf *out, uint64_t *count)
{
	bool packed = false;
	struct pp_limits limits = *pp_limits_default();
	struct pp_input *in = NULL;
	enum pp_container container;
	pp_status status;
	struct pp_io io;

	/* How much there may be is counted here. */
	limits.expansion_grace = UINT64_MAX / 2;
	*count = 0;
	if (!pp_io_init(&io, &limits, 1, NULL))
		return 503;
	status = pp_input_memory(&io, bytes.p, bytes.n, &in);
	while (status == PP_OK && layers-- > 0 &&
	       (container = pp_container_detect(in)) != PP_CONTAINER_NONE) {
		packed = true;
		status = pp_input_decode(&io, container, in, &in);
	}
	if (out && !packed)
		status = PP_E_INVALID;
	while (status == PP_OK && *count <= left && pp_input_need(in, 1)) {
		*count += pp_input_left(in);
		if (out && *count <= left)
			pp_buf_add(out, in->cur, pp_input_left(in));
		in->cur = in->end;
	}
	if (status == PP_OK)
		status = in->status;
	if (in)
		in->close(in);
	pp_io_release(&io);
	return *count > left                                  ? 413
	       : status == PP_E_NOMEM || (out && out->failed) ? 503
	       : status != PP_OK                              ? 400
	                                                      : 0;
}

static bool
unpack_failed(struct pp_push *p, unsigned status)
{
	return pp_push_refuse(p, status,
	                      status == 413   ? "too-large"
	                      : status == 400 ? "packing"
	                                      : "memory",
	                      status == 413   ? "it is too large when it is unpacked"
	                      : status == 400 ? "it cannot be unpacked"
	                                      : "out of memory");
}

/* The body as the handlers read it: without the packing that the request tells of. */
static bool
body_unpack(struct pp_push *p)
{
	size_t count;
	struct pp_slice coding = pp_http_field(&p->exchange->head, "content-encoding", &count);
	struct pp_slice bytes = pp_slice_of(p->exchange->body.p ? p->exchange->body.p : "",
	                                    p->exchange->body.n);
	uint64_t size;
	unsigned status;

	p->body = bytes;
	if (count == 0 || coding.n == 0 || pp_http_same(coding, "identity"))
		return true;
	if (count > 1 || !(pp_http_same(coding, "gzip") || pp_http_same(coding, "zstd")))
		return pp_push_refuse(p, 415, "packing", "bodies may be packed by gzip or zstd");
	status = unpack(bytes, 1, p->left, &p->unpacked, &size);
	if (status)
		return unpack_failed(p, status);
	p->body = pp_slice_of(p->unpacked.p ? p->unpacked.p : "", p->unpacked.n);
	return true;
}

bool
pp_push_unpack(struct pp_push *p, struct pp_slice bytes, struct pp_buf *out)
{
	uint64_t size;

	return unpack(bytes, 8, p->left, out, &size) == 0;
}

struct pp_push *
pp_push_begin(struct pp_serve *s, struct pp_exchange *x, struct pp_query *q)
{
	struct pp_push *p = calloc(1, sizeof *p);

	*q = (struct pp_query){ 0 };
	if (!p) {
		pp_answer_error(x, 503, "memory", "out of memory");
		pp_exchange_done(x);
		return NULL;
	}
	p->serve = s;
	p->exchange = x;
	p->left = 8 * s->o->max_body;
	p->now = time_now();
	if (pp_http_gives_up(s->http))
		(void)pp_push_refuse(p, 503, "store", "the server is stopping");
	if (x->status || !body_unpack(p) ||
	    (!pp_query_read(x, q) &&
	     !pp_push_refuse(p, 400, "usage", "the query cannot be decoded"))) {
		pp_vec_release(&q->list);
		pp_push_end(p);
		return NULL;
	}
	return p;
}

/* ---- labels ---- */

void
pp_push_labels_clear(struct pp_push *p)
{
	p->label_count = 0;
	p->many_labels = false;
}

bool
pp_push_label(struct pp_push *p, struct pp_slice key, struct pp_slice value)
{
	bool other;
	size_t i;

	if (pp_slice_eq_z(key, "service.name") || pp_slice_eq_z(key, "service_name"))
		key = pp_slice_z("service");
	/* The last one wins, as where a map has a key twice. */
	for (i = 0; i < p->label_count && !pp_slice_eq(p->labels[i].key, key); i++)
		;
	other = i < p->label_count && !pp_slice_eq(p->labels[i].value, value);
	if (i < PP_COUNT_OF(p->labels))
		p->labels[i] = (struct pp_store_label){ key, value };
	p->many_labels |= i >= PP_COUNT_OF(p->labels);
	p->label_count += i == p->label_count && i < PP_COUNT_OF(p->labels);
	return !other;
}

bool
pp_push_time(struct pp_push *p, const char *text, bool *has, int64_t *ns)
{
	struct pp_buf problem = { 0 };
	int64_t value;
	size_t n;

	if (!text || !*text)
		return true;
	/* Pyroscope takes these, too. */
	if (strncmp(text, "now", 3) == 0) {
		value = 0;
		*has = !text[3] ||
		       (text[3] == '-' && pp_span_parse(pp_slice_z(text + 4), &value, &problem));
		*ns = p->now - value;
		pp_buf_release(&problem);
		return *has || pp_push_refuse(p, 400, "usage", "a time is not valid");
	}
	n = strspn(text, "0123456789");
	value = n && n < 20 ? (int64_t)strtoull(text, NULL, 10) : -1;
	if (n && !text[n] && value >= 0) {
		/* Clients send seconds, but some milli-, micro- or nanoseconds: what would lie beyond 2255 is finer. */
		*ns = value < INT64_C(9000000000)         ? value * 1000000000
		      : value < INT64_C(9000000000000)    ? value * 1000000
		      : value < INT64_C(9000000000000000) ? value * 1000
		                                          : value;
		*has = true;
		return true;
	}
	*has = pp_when_parse(pp_slice_z(text), p->now, ns, &problem);
	pp_buf_release(&problem);
	return *has || pp_push_refuse(p, 400, "usage", "a time is not valid");
}

/* ---- the thread that commits ---- */

struct pp_writer {
	struct pp_serve *serve;
	struct pp_store *store;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct pp_push *first, **last;
	size_t waiting;
	bool ending;
	pthread_t thread;
	struct pp_writer_counts counts;
	struct pp_account account; /* nothing is counted: it stops what the store waits for */
	/* Sets of labels that were taken: 64 bits of their digests, by those; guarded by `lock`. */
	uint64_t series[4 * PP_SERIES_MAX];
	size_t series_count;
};

const struct pp_writer_counts *
pp_writer_counts(const struct pp_writer *w)
{
	return &w->counts;
}

/* Whether a set of labels may be taken: it was before, or there are not too many. */
static bool
series_take(struct pp_writer *w, struct pp_slice labels)
{
	unsigned char digest[PP_DIGEST];
	struct pp_blake2b hash;
	uint64_t key;
	bool taken;
	size_t at;

	pp_digest_begin(&hash);
	pp_digest_part(&hash, labels);
	pp_digest_end(&hash, digest);
	memcpy(&key, digest, sizeof key);
	key += key == 0;
	pthread_mutex_lock(&w->lock);
	at = key % PP_COUNT_OF(w->series);
	while (w->series[at] && w->series[at] != key)
		at = (at + 1) % PP_COUNT_OF(w->series);
	taken = w->series[at] == key || w->series_count < PP_SERIES_MAX;
	if (taken && !w->series[at]) {
		w->series[at] = key;
		w->counts.series = ++w->series_count;
	}
	pthread_mutex_unlock(&w->lock);
	return taken;
}

/* {"added", "known", "profiles": [{"id", "known"}]}. */
static void
outcome_put(struct pp_push *p)
{
	struct pp_exchange *x = p->exchange;
	size_t i, known = 0;

	for (i = 0; i < p->results.n; i++)
		known += p->results.at[i].added == PP_STORE_KNOWN;
	x->out.n = 0;
	pp_buf_addf(&x->out, "{\"added\": %zu, \"known\": %zu, \"profiles\": [",
	            p->results.n - known, known);
	for (i = 0; i < p->results.n; i++) {
		char id[2 * PP_DIGEST + 1];

		pp_digest_hex(p->results.at[i].hash, id);
		pp_buf_addf(&x->out, "%s{\"id\": \"%s\", \"known\": %s}", i ? ", " : "", id,
		            p->results.at[i].added == PP_STORE_KNOWN ? "true" : "false");
	}
	pp_buf_adds(&x->out, "]}\n");
	x->status = 200;
	x->type = PP_JSON_TYPE;
}

static void
push_answer(struct pp_writer *w, struct pp_push *p, pp_status status, const struct pp_buf *problem)
{
	size_t i;

	w->counts.waiting--;
	if (status != PP_OK) {
		w->counts.failed++;
		error_answer(p, 503, "store",
		             problem->p && problem->n ? problem->p : pp_status_text(status));
	} else if (p->answer) {
		pp_exchange_text(p->exchange, 200, p->type, p->answer);
	} else {
		outcome_put(p);
	}
	for (i = 0; status == PP_OK && i < p->results.n; i++) {
		if (p->results.at[i].added == PP_STORE_KNOWN) {
			w->counts.known++;
		} else {
			w->counts.added++;
			w->counts.samples += p->results.at[i].samples;
		}
	}
	pp_exchange_done(p->exchange);
	push_free(p);
}

/* Commits some requests in one transaction; a status, and what became of each profile in their results. */
static pp_status
group_commit(struct pp_writer *w, struct pp_push *const *group, size_t n, struct pp_buf *problem)
{
	PP_VEC(struct pp_store_item) items = { 0 };
	enum pp_store_added *added;
	pp_status status = PP_OK;
	size_t i, k, at = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < group[i]->items.n; k++)
			if (!pp_vec_push(&items, *pp_store_prepared_item(group[i]->items.at[k])))
				status = PP_E_NOMEM;
	added = calloc(items.n + 1, sizeof *added);
	if (status == PP_OK && added) {
		(void)pp_account_enter(&w->account);
		status = w->store->engine->add(w->store, items.at, items.n, added, problem);
		(void)pp_account_enter(NULL);
	} else {
		status = PP_E_NOMEM;
	}
	for (i = 0; i < n && status == PP_OK; i++)
		for (k = 0; k < group[i]->items.n; k++)
			group[i]->results.at[k].added = added[at++];
	w->counts.commits++;
	free(added);
	pp_vec_release(&items);
	return status;
}

static void
group_write(struct pp_writer *w, struct pp_push *const *group, size_t n)
{
	struct pp_buf problem = { 0 };
	int64_t late = pp_clock_ns() + PATIENCE_NS;
	pp_status status = group_commit(w, group, n, &problem);
	size_t i;

	for (i = 0; i < n; i++) {
		/* One that cannot be written must not take the others along. */
		if (status != PP_OK && n > 1 && pp_clock_ns() < late)
			group_write(w, group + i, 1);
		else
			push_answer(w, group[i], status, &problem);
	}
	pp_buf_release(&problem);
}

/* Waits for requests, with the lock held. While none comes, what was added is made faster to ask, a part at a time. */
static void
writer_wait(struct pp_writer *w)
{
	bool untidy = w->store->engine->tidy != NULL;

	while (!w->first && !w->ending) {
		struct timespec soon;

		if (!untidy) {
			pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		(void)clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_nsec += IDLE_NS;
		soon.tv_sec += soon.tv_nsec / 1000000000;
		soon.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&w->changed, &w->lock, &soon) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&w->lock);
		(void)pp_account_enter(&w->account);
		untidy = w->store->engine->tidy(w->store, false);
		(void)pp_account_enter(NULL);
		pthread_mutex_lock(&w->lock);
	}
}

static void *
writer_run(void *data)
{
	struct pp_writer *w = data;
	struct pp_push *group[GROUP_MAX];

	for (;;) {
		size_t n = 0;

		pthread_mutex_lock(&w->lock);
		writer_wait(w);
		while (w->first && n < GROUP_MAX) {
			group[n++] = w->first;
			w->first = w->first->next;
		}
		w->last = w->first ? w->last : &w->first;
		w->waiting -= n;
		pthread_mutex_unlock(&w->lock);
		if (n == 0)
			return NULL;
		group_write(w, group, n);
	}
}

/* Nobody waits for what is not committed by now. */
static bool
given_up(void *data)
{
	return pp_http_gives_up(((struct pp_writer *)data)->serve->http);
}

struct pp_writer *
pp_writer_new(struct pp_serve *s, const char *store, int *code, struct pp_buf *problem)
{
	struct pp_writer *w = calloc(1, sizeof *w);
	pp_status status = w ? pp_store_open(store, PP_STORE_ADD, &w->store, problem) : PP_E_NOMEM;

	if (status != PP_OK) {
		*code = pp_exit_of(status);
		if (problem->n == 0)
			pp_buf_adds(problem, pp_status_text(status));
		free(w);
		return NULL;
	}
	w->serve = s;
	w->last = &w->first;
	w->account = (struct pp_account){ .limit = UINT64_MAX, .stop = given_up, .stop_ctx = w };
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	if (pthread_create(&w->thread, NULL, writer_run, w) != 0) {
		*code = PP_EXIT_INPUT;
		pp_store_close(w->store);
		free(w);
		return NULL;
	}
	return w;
}

void
pp_writer_free(struct pp_writer *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	(void)pthread_join(w->thread, NULL);
	pp_store_close(w->store);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	free(w);
}

/* ---- profiles ---- */

/* The labels in canonical form. */
static bool
labels_make(struct pp_push *p, struct pp_buf *out)
{
	struct pp_buf problem = { 0 };
	bool fine = !p->many_labels &&
	            pp_labels_canonical(p->labels, p->label_count, out, &problem) == PP_OK;

	if (!fine)
		(void)pp_push_refuse(p, 400, "label",
		                     problem.n ? problem.p : "a profile has at most 64 labels");
	pp_buf_release(&problem);
	return fine;
}

/* What is wrong with a profile that could be read in part: the rule of the first error. */
static void
damage_refuse(struct pp_push *p, struct pp_slice bytes, const char *name, const char *from)
{
	struct pp_read_opts opts = { .size = sizeof opts, .from = from, .threads = 1 };
	pp_diags *diags = pp_diags_new();
	pp_profile *profile = NULL;
	size_t i;

	opts.confined = true;
	(void)pp_read_memory(bytes.p, bytes.n, name, &opts, diags, &profile);
	for (i = 0; diags && i < pp_diags_count(diags); i++) {
		const struct pp_diag *d = pp_diags_get(diags, i);

		if (d->severity == PP_ERROR)
			profile_refuse(p, 400, d->rule->id, d->message);
	}
	profile_refuse(p, 400, "incomplete", "the profile is not complete");
	pp_profile_free(profile);
	pp_diags_free(diags);
}

/* The status of a profile that is refused. */
static unsigned
refusal_status(pp_status status)
{
	return status == PP_E_NOMEM ? 503 : status == PP_E_LIMIT ? 413 : 400;
}

bool
pp_push_profile(struct pp_push *p, struct pp_slice bytes, const char *name, const char *from)
{
	struct pp_store_how how = { .has_t0 = p->has_t0,
		                    .has_t1 = p->has_t1,
		                    .t0 = p->t0,
		                    .t1 = p->t1,
		                    .extracts = p->serve->writer->store->engine->extracts,
		                    .sound = p->selective,
		                    .threads = 1,
		                    .from = from,
		                    .now = p->now };
	struct pp_buf labels = { 0 }, problem = { 0 };
	struct pp_store_prepared *prepared = NULL;
	struct pp_store_result result;
	pp_status status;
	uint64_t size;
	unsigned refused = unpack(bytes, 8, p->left, NULL, &size);

	if (p->exchange->status)
		return false;
	if (bytes.n == 0)
		return pp_push_refuse(p, 400, "no-profile", "there is no profile in this request");
	if (p->has_t0 && p->has_t1 && p->t1 < p->t0)
		return pp_push_refuse(p, 400, "usage", "it ends before it begins");
	/* What cannot be unpacked to its end may still be of use: whoever reads it decides. */
	if (refused == 413)
		return unpack_failed(p, refused);
	if (p->items.n >= PP_PUSH_PROFILES)
		return pp_push_refuse(p, 413, "too-many", "a request has at most 4096 profiles");
	p->left -= size;
	if (!labels_make(p, &labels)) {
		pp_buf_release(&labels);
		return false;
	}
	how.labels = labels.p;
	status = pp_store_prepare_memory(bytes.p, bytes.n, name, &how, &prepared, &result,
	                                 &problem);
	if (status == PP_OK && !p->damaged &&
	    !pp_profile_complete(pp_store_prepared_item(prepared)->profile)) {
		damage_refuse(p, bytes, name, from);
		status = PP_E_INVALID;
	}
	/* What is refused does not count. */
	if (status == PP_OK && !series_take(p->serve->writer, pp_slice_of(labels.p, labels.n))) {
		(void)pp_push_refuse(p, 400, "too-many-series",
		                     "too many different sets of labels were pushed");
		status = PP_E_INVALID;
	}
	/* It may wait for others. */
	if (status == PP_OK && !p->serve->writer->store->engine->take)
		pp_store_prepared_trim(prepared);
	if (status == PP_OK && pp_vec_push(&p->items, prepared)) {
		prepared = NULL;
		if (!pp_vec_push(&p->results, result))
			status = PP_E_NOMEM;
	} else if (status == PP_OK) {
		status = PP_E_NOMEM;
	}
	pp_store_prepared_free(prepared);
	if (status != PP_OK)
		profile_refuse(p, refusal_status(status),
		               result.rule[0] ? result.rule : "unreadable",
		               problem.n ? problem.p : pp_status_text(status));
	pp_buf_release(&labels);
	pp_buf_release(&problem);
	return status == PP_OK;
}

/* Lets go of what was sent: what is stored of it waits, and many that were packed well may do so. */
static void
sent_drop(struct pp_push *p)
{
	p->body = pp_slice_of("", 0);
	pp_buf_release(&p->unpacked);
	pp_buf_release(&p->exchange->body);
}

void
pp_push_end(struct pp_push *p)
{
	struct pp_writer *w = p->serve->writer;
	bool room = false;

	if (p->exchange->status == 0 && p->items.n == 0)
		(void)pp_push_refuse(p, 400, "no-profile", "there is no profile in this request");
	if (p->exchange->status == 0) {
		sent_drop(p);
		pthread_mutex_lock(&w->lock);
		room = w->waiting < QUEUE_MAX;
		if (room) {
			*w->last = p;
			w->last = &p->next;
			w->waiting++;
			w->counts.waiting++;
			pthread_cond_signal(&w->changed);
		}
		pthread_mutex_unlock(&w->lock);
		if (room)
			return;
		w->counts.busy++;
		(void)pp_push_refuse(p, 429, "queue-full", "too many profiles wait for the store");
	} else if (p->exchange->status >= 400) {
		w->counts.refused++;
	}
	pp_exchange_done(p->exchange);
	push_free(p);
}
