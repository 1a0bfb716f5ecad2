/*
 * Files that are dropped into the page: read at once, kept in memory, never written. Only few are kept: who wants a
 * profile to stay adds it to a store.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/profile.h"
#include "serve/view.h"
#include "text/json_emit.h"

#define DROPPED_MAX 8
/* The part of all memory that they may take. */
#define DROPPED_PART 4
#define PREFIX "dropped:"

static void
dropped_free(struct pp_dropped *d)
{
	pp_profile_free(d->profile);
	free(d->title);
	free(d);
}

void
pp_dropped_release(struct pp_views *v)
{
	while (v->dropped.n)
		dropped_free(v->dropped.at[--v->dropped.n]);
	pp_vec_release(&v->dropped);
}

bool
pp_is_dropped(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0;
}

struct pp_dropped *
pp_dropped_take(struct pp_views *v, const char *name)
{
	struct pp_dropped *found = NULL;
	size_t i;

	pthread_mutex_lock(&v->lock);
	for (i = 0; i < v->dropped.n; i++)
		if (strcmp(v->dropped.at[i]->name, name) == 0)
			found = v->dropped.at[i];
	if (found)
		found->users++;
	pthread_mutex_unlock(&v->lock);
	return found;
}

void
pp_dropped_give(struct pp_views *v, struct pp_dropped *d)
{
	pthread_mutex_lock(&v->lock);
	d->users--;
	pthread_mutex_unlock(&v->lock);
}

/* Lets go of the oldest that nobody looks at, as long as there are too many, or they take more than `most` bytes. */
static void
dropped_clear(struct pp_views *v, uint64_t most)
{
	uint64_t bytes = 0;
	size_t i, n = v->dropped.n;

	for (i = 0; i < v->dropped.n; i++)
		bytes += v->dropped.at[i]->memory;
	for (i = 0; i < v->dropped.n && (n > DROPPED_MAX || bytes > most);) {
		struct pp_dropped *d = v->dropped.at[i];

		if (d->users || i + 1 == v->dropped.n) {
			i++;
			continue;
		}
		bytes -= d->memory;
		n--;
		memmove(&v->dropped.at[i], &v->dropped.at[i + 1],
		        (v->dropped.n - i - 1) * sizeof *v->dropped.at);
		v->dropped.n--;
		dropped_free(d);
	}
}

/* Keeps a profile; NULL when out of memory. Its name is for the answer. */
static struct pp_dropped *
dropped_keep(struct pp_serve *s, pp_profile *profile, const char *title, uint64_t bytes,
             char name[32])
{
	struct pp_views *v = s->views;
	struct pp_dropped *d = calloc(1, sizeof *d);

	if (!d || !(d->title = strdup(title))) {
		free(d);
		return NULL;
	}
	d->bytes = bytes;
	d->memory = profile->memory.used;
	d->when = (int64_t)time(NULL);
	pthread_mutex_lock(&v->lock);
	(void)snprintf(d->name, sizeof d->name, PREFIX "%" PRIu64, ++v->serial);
	memcpy(name, d->name, sizeof d->name);
	if (pp_vec_push(&v->dropped, d)) {
		d->profile = profile;
		dropped_clear(v, s->o->memory / DROPPED_PART);
	} else {
		free(d->title);
		free(d);
		d = NULL;
	}
	pthread_mutex_unlock(&v->lock);
	return d;
}

/* {"file": NAME} */
static void
name_put(struct pp_exchange *x, const char *name)
{
	char text[64];

	(void)snprintf(text, sizeof text, "{\"file\": \"%s\"}\n", name);
	pp_exchange_text(x, 200, PP_JSON_TYPE, text);
}

/* The first error in what was found. */
static void
failure_put(struct pp_exchange *x, const pp_diags *diags, pp_status status)
{
	const struct pp_diag *worst = NULL;
	size_t i;

	for (i = 0; i < pp_diags_count(diags) && !worst; i++)
		if (pp_diags_get(diags, i)->severity == PP_ERROR)
			worst = pp_diags_get(diags, i);
	pp_answer_error(x, status == PP_E_NOMEM ? 503 : 422, worst ? worst->rule->id : "",
	                worst ? worst->message : pp_status_text(status));
}

void
pp_view_drop(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_read_opts opts = { .size = sizeof opts,
		                     .want = PP_DROPPED_FACETS,
		                     .confined = true };
	struct pp_limits limits = *pp_limits_default();
	pp_diags *diags = pp_diags_new();
	pp_profile *profile = NULL;
	struct pp_query q = { 0 };
	const char *title;
	char name[32];
	pp_status status;

	if (!diags || !pp_query_read(x, &q)) {
		pp_answer_error(x, 400, "usage", "the query cannot be decoded");
	} else {
		limits.max_memory = s->memory_each;
		opts.limits = &limits;
		title = pp_query_text(&q, "name");
		title = title && *title ? title : "dropped";
		status = pp_read_memory(x->body.p ? x->body.p : "", x->body.n, title, &opts, diags,
		                        &profile);
		if (status != PP_OK)
			failure_put(x, diags, status);
		else if (!dropped_keep(s, profile, title, x->body.n, name))
			pp_answer_error(x, 503, "memory", "out of memory");
		else {
			profile = NULL;
			name_put(x, name);
		}
	}
	pp_profile_free(profile);
	pp_diags_free(diags);
	pp_vec_release(&q.list);
	pp_exchange_field(x, "Cache-Control", "no-store");
	pp_exchange_done(x);
}
