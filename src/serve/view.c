/*
 * /api/v1/view: the tables of a report for the viewer of the web app, a piece at a time, so that a profile of any size is
 * seen at once. What was read stays on a desk for the next piece: one desk for each choice of sources, on it the answers
 * to what was asked with different filters.
 */
#include "serve/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/reply.h"
#include "api/shelf.h"
#include "io/system.h"
#include "serve/problem.h"
#include "store/store.h"

/* What one answer may hold at most: with the sums of what is not in it, one for each node, 20,000 nodes. */
#define PIECE_NODES 9999
#define PIECE_BYTES 1000000
/* What is kept. */
#define DESKS_MAX 6
#define PAPERS_MAX 4

/* An answer to "report" with some filters. */
struct paper {
	char *scope;
	pp_answer *answer;
	uint64_t shelved; /* bytes of profiles in the account of the answer: they are the shelf's */
	char *first;      /* its first piece, which is asked for again and again; NULL until then */
	size_t first_size;
	uint64_t used;
};

struct waiting {
	PP_VEC(struct pp_exchange *) list;
};

struct pp_desk {
	char *key;
	uint64_t stamp; /* of the files as they were */
	pthread_mutex_t lock;
	/* Guarded by its lock: */
	pp_shelf *shelf;
	struct paper papers[PAPERS_MAX];
	uint64_t clock;
	pp_profile *own[2]; /* read to be compared with what was dropped */
	/* Read by anybody: */
	_Atomic uint64_t done, total;
	_Atomic bool files, ready;
	/* Guarded by the lock of all: */
	struct pp_dropped *dropped[2];
	unsigned users;
	bool busy;              /* somebody works at it */
	struct waiting waiting; /* for that to be over */
	uint64_t used;
	uint64_t bytes; /* of the files, until it is known what was read of them takes */
};

/* ---- desks ---- */

static void
paper_drop(struct paper *p)
{
	pp_answer_free(p->answer);
	pp_free(p->first);
	free(p->scope);
	*p = (struct paper){ 0 };
}

static void
desk_free(struct pp_desk *d)
{
	size_t i;

	for (i = 0; i < PAPERS_MAX; i++)
		paper_drop(&d->papers[i]);
	pp_shelf_free(d->shelf);
	for (i = 0; i < 2; i++) {
		pp_profile_free(d->own[i]);
		if (d->dropped[i])
			d->dropped[i]->users--;
	}
	pthread_mutex_destroy(&d->lock);
	pp_vec_release(&d->waiting.list);
	free(d->key);
	free(d);
}

static struct pp_desk *
desk_new(const char *key, uint64_t stamp, uint64_t memory)
{
	struct pp_desk *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	d->key = strdup(key);
	d->stamp = stamp;
	d->shelf = pp_shelf_new(memory);
	pthread_mutex_init(&d->lock, NULL);
	if (d->key && d->shelf)
		return d;
	desk_free(d);
	return NULL;
}

static uint64_t
desks_bytes(const struct pp_views *v)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < v->desks.n; i++)
		bytes += v->desks.at[i]->bytes;
	return bytes;
}

/* Takes the oldest away that nobody uses; false when there is none. */
static bool
desk_drop(struct pp_views *v)
{
	size_t i, oldest = v->desks.n;

	for (i = 0; i < v->desks.n; i++)
		if (v->desks.at[i]->users == 0 &&
		    (oldest == v->desks.n || v->desks.at[i]->used < v->desks.at[oldest]->used))
			oldest = i;
	if (oldest == v->desks.n)
		return false;
	desk_free(v->desks.at[oldest]);
	v->desks.at[oldest] = v->desks.at[--v->desks.n];
	return true;
}

/* Half of the memory is for what is kept, and `bytes` more. */
static void
desks_fit(struct pp_views *v, uint64_t bytes, uint64_t memory)
{
	bool freed = false;

	while (desks_bytes(v) + bytes > memory / 2 && desk_drop(v))
		freed = true;
	/* Each thread's heap would keep what was freed. */
	if (freed)
		pp_memory_give_back();
}

/*
 * Takes away what nobody uses: what the same sources held before, but for the last, as somebody may look at that; then the
 * oldest until there is room for `bytes` more.
 */
static void
desks_clear(struct pp_views *v, const char *key, uint64_t bytes, uint64_t memory)
{
	size_t i;
	uint64_t last = 0;

	for (i = 0; i < v->desks.n; i++)
		if (strcmp(v->desks.at[i]->key, key) == 0 && v->desks.at[i]->used > last)
			last = v->desks.at[i]->used;
	for (i = v->desks.n; i-- > 0;)
		if (v->desks.at[i]->users == 0 && strcmp(v->desks.at[i]->key, key) == 0 &&
		    v->desks.at[i]->used < last) {
			desk_free(v->desks.at[i]);
			v->desks.at[i] = v->desks.at[--v->desks.n];
		}
	while (v->desks.n >= DESKS_MAX && desk_drop(v))
		;
	desks_fit(v, bytes, memory);
}

/*
 * The desk of a question, which is used until desk_give(); NULL when out of memory, or when what was looked at has changed and
 * is not kept any more. A store that grows all the time can so be looked at as it was. Where somebody works at the desk the
 * exchange waits there (`waits`), and not a thread: others ask about other things.
 */
static struct pp_desk *
desk_take(struct pp_views *v, struct pp_view_asked *a, struct pp_exchange *x, uint64_t memory)
{
	uint64_t given = a->given ? strtoull(a->given, NULL, 16) : a->stamp;
	struct pp_desk *d = NULL;
	size_t i;

	a->changed = given != a->stamp;
	a->stamp = given;

	pthread_mutex_lock(&v->lock);
	for (i = 0; i < v->desks.n && !d; i++)
		if (v->desks.at[i]->stamp == a->stamp && strcmp(v->desks.at[i]->key, a->key) == 0)
			d = v->desks.at[i];
	if (!d && !a->changed) {
		desks_clear(v, a->key, a->bytes, memory);
		d = desk_new(a->key, a->stamp, memory);
		if (d)
			d->bytes = a->bytes;
		if (d && !pp_vec_push(&v->desks, d)) {
			desk_free(d);
			d = NULL;
		}
		for (i = 0; d && i < 2; i++)
			if ((d->dropped[i] = a->dropped[i]) != NULL)
				d->dropped[i]->users++;
	}
	a->gone = !d && a->changed;
	if (d && d->busy) {
		a->waits = pp_vec_push(&d->waiting.list, x);
		d = NULL;
	} else if (d) {
		d->busy = true;
		d->users++;
		d->used = ++v->clock;
	}
	pthread_mutex_unlock(&v->lock);
	return d;
}

/* What lies on a desk, in memory; packed files are much smaller. */
static uint64_t
desk_weigh(const struct pp_desk *d)
{
	uint64_t bytes = pp_shelf_held(d->shelf);
	size_t i;

	for (i = 0; i < PAPERS_MAX; i++) {
		const struct paper *p = &d->papers[i];
		int64_t used = p->answer ? p->answer->meter.account.used : 0;

		if (used > 0 && (uint64_t)used > p->shelved)
			bytes += (uint64_t)used - p->shelved;
		bytes += p->first_size;
	}
	return bytes;
}

/* Leaves a desk, which may be heavier than its files were; those that wait for it ask again. */
static void
desk_give(struct pp_serve *s, struct pp_desk *d)
{
	struct waiting waiting;
	uint64_t bytes = desk_weigh(d);
	size_t i;

	pthread_mutex_lock(&s->views->lock);
	d->bytes = bytes > d->bytes ? bytes : d->bytes;
	desks_fit(s->views, 0, s->o->memory);
	d->users--;
	d->busy = false;
	waiting = d->waiting;
	d->waiting = (struct waiting){ 0 };
	pthread_mutex_unlock(&s->views->lock);
	for (i = 0; i < waiting.list.n; i++)
		pp_serve_again(s, waiting.list.at[i]);
	pp_vec_release(&waiting.list);
}

struct pp_views *
pp_views_new(void)
{
	struct pp_views *v = calloc(1, sizeof *v);

	if (v)
		pthread_mutex_init(&v->lock, NULL);
	return v;
}

void
pp_views_free(struct pp_views *v)
{
	if (!v)
		return;
	while (v->desks.n)
		desk_free(v->desks.at[--v->desks.n]);
	pp_vec_release(&v->desks);
	pp_dropped_release(v);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

/* ---- asking ---- */

/* What is said while a question is asked. */
struct listener {
	struct pp_working working; /* first, as the library hands the whole to pp_working_stops() */
	struct pp_desk *desk;
	uint64_t bytes; /* of the files that are read */
	char rule[64];
	struct pp_buf text;
};

static void
note_keep(void *ctx, pp_severity severity, const char *rule, const char *text)
{
	struct listener *l = ctx;
	struct pp_account *account;

	if (l->text.n || (severity != PP_ERROR && strcmp(rule, "usage") != 0))
		return;
	account = pp_account_enter(NULL);
	(void)snprintf(l->rule, sizeof l->rule, "%s", rule);
	pp_buf_adds(&l->text, text);
	(void)pp_account_enter(account);
}

static void
progress_keep(void *ctx, const struct pp_progress_at *at)
{
	const struct listener *l = ctx;
	struct pp_desk *d = l->desk;

	if (at->over)
		return;
	d->files = at->files;
	d->done = at->done;
	d->total = at->total || at->files ? at->total : l->bytes;
}

/* Why a file cannot be read, where nothing else was said. */
static void
findings_keep(void *ctx, const pp_diags *diags)
{
	const struct pp_diag *d = NULL;
	struct pp_account *account;
	struct pp_buf text = { 0 };
	size_t i;

	for (i = 0; i < pp_diags_count(diags) && (!d || d->severity != PP_ERROR); i++)
		d = pp_diags_get(diags, i);
	if (!d || d->severity != PP_ERROR)
		return;
	account = pp_account_enter(NULL);
	pp_buf_addf(&text, "%s%s%s", d->file ? d->file : "", d->file ? ": " : "", d->message);
	if (!text.failed)
		note_keep(ctx, PP_ERROR, d->rule->id, text.p);
	pp_buf_release(&text);
	(void)pp_account_enter(account);
}

/* What was dropped is asked about where it lies; what it is compared with is read beside it. */
static pp_status
dropped_ask(const struct pp_view_asked *a, struct pp_desk *d, struct listener *l, pp_answer **out)
{
	const pp_profile *both[2] = { NULL, NULL };
	struct pp_limits limits = *pp_limits_default();
	struct pp_read_opts opts = {
		.size = sizeof opts, .want = PP_DROPPED_FACETS, .limits = &limits, .confined = true
	};
	pp_status status = PP_OK;
	size_t i;

	limits.max_memory = a->memory;
	if (a->files.n > 2)
		return PP_E_USAGE;
	for (i = 0; i < a->files.n && status == PP_OK; i++) {
		if (!d->dropped[i] && !d->own[i])
			status = pp_read_file(a->files.at[i], &opts, NULL, &d->own[i]);
		both[i] = d->dropped[i] ? d->dropped[i]->profile : d->own[i];
	}
	if (status == PP_OK)
		status = pp_ask_pair(both[0], both[1], "report", a->params.at, out);
	for (i = 0; status != PP_OK && *out && i < pp_answer_note_count(*out); i++)
		note_keep(l, pp_answer_note_severity(*out, i), pp_answer_note_rule(*out, i),
		          pp_answer_note_text(*out, i));
	return status;
}

static pp_status
desk_ask(const struct pp_view_asked *a, struct pp_desk *d, struct listener *l, pp_answer **out)
{
	struct pp_ask_opts opts = { .size = sizeof opts,
		                    .form = PP_RENDER_FILE,
		                    .quiet = true,
		                    .ctx = l,
		                    .note = note_keep,
		                    .findings = findings_keep,
		                    .progress = progress_keep,
		                    .confined = true,
		                    .shelf = d->shelf,
		                    .provider = &pp_store_provider,
		                    .stop = pp_working_stops };

	if (d->dropped[0] || d->dropped[1])
		return dropped_ask(a, d, l, out);
	return pp_ask_files(a->files.at, a->files.n, "report", a->params.at, &opts, out);
}

/* The answer on the desk, or a new one in the place of the oldest. */
static pp_status
paper_find(struct pp_view_asked *a, struct pp_desk *d, struct listener *l, struct paper **out)
{
	struct paper *p = &d->papers[0];
	pp_status status;
	size_t i;

	for (i = 0; i < PAPERS_MAX; i++) {
		if (d->papers[i].scope && strcmp(d->papers[i].scope, a->scope) == 0 && !a->anew) {
			p = &d->papers[i];
			p->used = ++d->clock;
			*out = p;
			return PP_OK;
		}
		if (d->papers[i].used < p->used)
			p = &d->papers[i];
	}
	/* Asked again it would be about something else. */
	a->gone = a->changed;
	if (a->gone)
		return PP_E_INVALID;
	paper_drop(p);
	d->done = d->total = 0;
	status = desk_ask(a, d, l, &p->answer);
	p->shelved = pp_shelf_held(d->shelf);
	if (status == PP_OK && !(p->scope = strdup(a->scope)))
		status = PP_E_NOMEM;
	p->used = ++d->clock;
	if (status != PP_OK)
		paper_drop(p);
	*out = p;
	return status;
}

/* Puts the piece that is asked for into the exchange. */
static pp_status
piece_put(struct pp_view_asked *a, struct pp_desk *d, struct listener *l, struct pp_exchange *x)
{
	struct pp_piece_opts piece = { .size = sizeof piece,
		                       .at = a->at,
		                       .nodes = a->nodes && a->nodes < PIECE_NODES
		                                    ? (uint32_t)a->nodes
		                                    : PIECE_NODES,
		                       .max_size = PIECE_BYTES,
		                       .functions = a->functions,
		                       .from = a->from,
		                       .file = a->lines };
	bool first = !a->at && !a->nodes && !a->functions && !a->lines;
	struct paper *paper = NULL;
	char *bytes = NULL;
	size_t n = 0;
	pp_status status;

	pthread_mutex_lock(&d->lock);
	status = paper_find(a, d, l, &paper);
	if (status == PP_OK && first && paper->first)
		pp_buf_add(&x->out, paper->first, paper->first_size);
	else if (status == PP_OK)
		status = pp_answer_piece(paper->answer, &piece, &bytes, &n);
	if (status == PP_OK && bytes) {
		pp_buf_add(&x->out, bytes, n);
		if (first) {
			paper->first = bytes;
			paper->first_size = n;
			bytes = NULL;
		}
	}
	d->ready = status == PP_OK;
	pthread_mutex_unlock(&d->lock);
	pp_free(bytes);
	return status == PP_OK && x->out.failed ? PP_E_NOMEM : status;
}

/* ---- answers ---- */

/* Whether files in directories are still what they were: links may have been put in their place. */
static bool
files_stay(struct pp_serve *s, struct pp_exchange *x, const struct pp_view_asked *a)
{
	size_t i;

	for (i = 0; i < a->files.n; i++)
		if (!pp_is_dropped(a->files.at[i]) && !pp_source_find(s, x, a->files.at[i]))
			return false;
	return true;
}

static void
failure_put(struct pp_serve *s, struct pp_exchange *x, struct listener *l, pp_status status)
{
	int code = pp_exit_of(status);

	if (pp_working_stops(&l->working)) {
		s->counts.cancelled++;
		pp_answer_error(x, 504, "timeout", "it took too long, and was given up");
		return;
	}
	pp_buf_addc(&l->text, '\0');
	pp_answer_error(x,
	                code == PP_EXIT_USAGE   ? 400
	                : code == PP_EXIT_INPUT ? 422
	                                        : 500,
	                *l->rule ? l->rule : pp_problem_rule(code),
	                l->text.n > 1 ? l->text.p : pp_status_text(status));
}

static void
changed_put(struct pp_exchange *x)
{
	pp_answer_error(x, 409, "changed", "the profile changed meanwhile");
}

void
pp_view(struct pp_serve *s, struct pp_exchange *x)
{
	struct listener l = { .rule = "" };
	struct pp_view_asked a;
	struct pp_desk *d;
	pp_status status;
	char stamp[24];

	if (pp_view_read(s, x, &a)) {
		d = desk_take(s->views, &a, x, s->o->memory);
		(void)snprintf(stamp, sizeof stamp, "%016" PRIx64, a.stamp);
		if (a.waits) {
			pp_view_asked_release(&a);
			return;
		}
		if (a.gone) {
			changed_put(x);
		} else if (!d) {
			pp_answer_error(x, 503, "memory", "out of memory");
		} else {
			s->counts.questions++;
			pp_working_begin(&l.working, s, x);
			l.desk = d;
			l.bytes = a.bytes;
			status = piece_put(&a, d, &l, x);
			desk_give(s, d);
			x->status = 200;
			x->type = "application/octet-stream";
			pp_exchange_field(x, "Polyprof-Stamp", stamp);
			if (a.gone)
				changed_put(x);
			else if (status != PP_OK)
				failure_put(s, x, &l, status);
			else if (!files_stay(s, x, &a))
				pp_answer_error(x, 404, "no-source",
				                "a file was replaced meanwhile");
		}
	}
	pp_buf_release(&l.text);
	pp_view_asked_release(&a);
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_serve_weigh(s, x);
	pp_exchange_done(x);
}

/* How far reading is; nothing is asked. */
void
pp_view_progress(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_view_asked a;
	uint64_t done = 0, total = 0;
	bool files = false;
	char text[128];
	size_t i;

	if (pp_view_read(s, x, &a)) {
		pthread_mutex_lock(&s->views->lock);
		for (i = 0; i < s->views->desks.n; i++) {
			const struct pp_desk *d = s->views->desks.at[i];

			if (d->stamp != a.stamp || strcmp(d->key, a.key) != 0)
				continue;
			done = d->done;
			total = d->total;
			files = d->files;
		}
		pthread_mutex_unlock(&s->views->lock);
		(void)snprintf(text, sizeof text,
		               "{\"done\": %" PRIu64 ", \"total\": %" PRIu64 ", \"files\": %s}\n",
		               done, total, files ? "true" : "false");
		pp_exchange_text(x, 200, PP_JSON_TYPE, text);
	}
	pp_view_asked_release(&a);
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_exchange_done(x);
}
