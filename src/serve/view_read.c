/*
 * What the web app asks: which profiles, which part of them, which piece of that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/slice.h"
#include "serve/view.h"

/* Parameters of a report that a client may set: none of them names a file. */
static const struct known {
	const char *name;
	bool chooses; /* which profiles it is about */
	bool flag;
} known[] = {
	{ "where", true, false },   { "since", true, false },      { "until", true, false },
	{ "between", true, false }, { "merge", true, true },       { "metric", false, false },
	{ "focus", false, false },  { "ignore", false, false },    { "hide", false, false },
	{ "show", false, false },   { "show-from", false, false }, { "collapse", false, false },
	{ "event", false, false },  { "thread", false, false },    { "label", false, false },
	{ "time", false, false },   { "by", false, false },        { "root", false, false },
};

/* A question while it is read. */
struct reading {
	struct pp_serve *serve;
	struct pp_exchange *exchange;
	struct pp_view_asked *asked;
	struct pp_buf key, scope;
	bool refused, failed;
};

static void
refuse(struct reading *r, unsigned status, const char *rule, const char *text, const char *word)
{
	struct pp_buf message = { 0 };

	if (!r->refused) {
		pp_buf_addf(&message, text, word);
		pp_answer_error(r->exchange, status, rule, message.p ? message.p : "out of memory");
		pp_buf_release(&message);
	}
	r->refused = true;
}

/* ---- what it was when ---- */

/* Mixes in what tells one content of a file from the next; false when nothing does. */
static bool
file_mix(const char *path, uint64_t *h, uint64_t *bytes)
{
	struct stat st;
	int64_t facts[4];

	if (stat(path, &st) != 0)
		return false;
	facts[0] = (int64_t)st.st_size;
	facts[1] = (int64_t)st.st_mtim.tv_sec;
	facts[2] = (int64_t)st.st_mtim.tv_nsec;
	facts[3] = (int64_t)st.st_ino;
	*h = pp_fnv_add(*h, facts, sizeof facts);
	*bytes += (uint64_t)st.st_size;
	return true;
}

/* A store changes in a second file first, which whoever reads may make anew, empty. What has no time of its own is asked anew with each first piece. */
static void
stamp_make(struct reading *r)
{
	struct pp_view_asked *a = r->asked;
	uint64_t h = PP_FNV_BASIS;
	size_t i;

	for (i = 0; i < a->files.n; i++) {
		const char *name = a->files.at[i], *where = strstr(name, "?where=");
		struct pp_buf path = { 0 };
		struct stat st;

		h = pp_fnv_add(h, name, strlen(name) + 1);
		pp_buf_add(&path, name, where ? (size_t)(where - name) : strlen(name));
		pp_buf_addc(&path, '\0');
		if (!path.failed && !pp_is_dropped(name) && !file_mix(path.p, &h, &a->bytes))
			a->anew = a->at == 0 && !a->functions && !a->lines;
		path.n -= !path.failed;
		pp_buf_adds(&path, "-wal");
		if (!path.failed && pp_source_is_store(r->serve, name) && stat(path.p, &st) == 0 &&
		    st.st_size > 0)
			(void)file_mix(path.p, &h, &a->bytes);
		r->failed |= path.failed;
		pp_buf_release(&path);
	}
	a->stamp = h;
}

/* ---- parameters ---- */

/* Adds to what tells questions apart: with its length, as a text may hold anything. */
static void
key_add(struct pp_buf *key, const char *text)
{
	pp_buf_addf(key, "%zu %s\n", strlen(text), text);
}

static void
param_add(struct reading *r, const struct known *k, const char *value)
{
	struct pp_buf text = { 0 };
	const char *copy;

	if (k->flag && (strcmp(value, "0") == 0 || strcmp(value, "false") == 0))
		return;
	pp_buf_addf(&text, "%s=%s", k->name, k->flag ? "" : value);
	copy = text.failed ? NULL : pp_arena_copy(&r->exchange->arena, text.p, text.n);
	r->failed |= !copy || !pp_vec_push(&r->asked->params, copy);
	if (copy)
		key_add(k->chooses ? &r->key : &r->scope, copy);
	pp_buf_release(&text);
}

static void
file_add(struct reading *r, const char *value)
{
	struct pp_view_asked *a = r->asked;
	const char *path = pp_is_dropped(value) ? value
	                                        : pp_source_find(r->serve, r->exchange, value);

	if (pp_is_dropped(value) && a->files.n < 2)
		a->dropped[a->files.n] = pp_dropped_take(r->serve->views, value);
	if (!path)
		refuse(r, 404, "no-source", "there is no source '%s'", value);
	else if (pp_is_dropped(value) && (a->files.n > 1 || !a->dropped[a->files.n]))
		refuse(r, 404, "no-source", "'%s' was dropped, and is not kept any more", value);
	else
		r->failed |= !pp_vec_push(&a->files, path);
	key_add(&r->key, path ? path : "");
}

/* Whole numbers that say which piece. */
static uint64_t *
number_of(struct pp_view_asked *a, const char *name)
{
	if (strcmp(name, "functions") == 0) {
		a->functions = true;
		return &a->from;
	}
	return strcmp(name, "at") == 0 ? &a->at : strcmp(name, "nodes") == 0 ? &a->nodes : NULL;
}

static void
param_read(struct reading *r, const char *name, const char *value)
{
	uint64_t *number = number_of(r->asked, name);
	size_t i;

	if (strcmp(name, "file") == 0) {
		file_add(r, value);
		return;
	}
	if (strcmp(name, "stamp") == 0 || strcmp(name, "lines") == 0) {
		*(name[0] == 's' ? &r->asked->given : &r->asked->lines) = value;
		return;
	}
	if (number) {
		if (!*value || value[strspn(value, "0123456789")] || strlen(value) > 10)
			refuse(r, 400, "usage", "'%s' is a whole number", name);
		else
			*number = strtoull(value, NULL, 10);
		return;
	}
	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (strcmp(name, known[i].name) == 0) {
			param_add(r, &known[i], value);
			return;
		}
	refuse(r, 400, "usage", "there is no parameter '%s'", name);
}

/* What a question about memory says for itself. */
static void
params_end(struct reading *r)
{
	struct pp_view_asked *a = r->asked;
	const char *title = NULL;
	struct pp_buf text = { 0 };

	if (a->dropped[0] || a->dropped[1]) {
		const char *first = a->dropped[0] ? a->dropped[0]->title : a->files.at[0];

		pp_buf_addf(&text, "title=%s", first);
		if (a->files.n > 1)
			pp_buf_addf(&text, " \xe2\x86\x92 %s",
			            a->dropped[1] ? a->dropped[1]->title : a->files.at[1]);
		title = text.failed ? NULL : pp_arena_copy(&r->exchange->arena, text.p, text.n);
		r->failed |= !title || !pp_vec_push(&a->params, title) ||
		             !pp_vec_push(&a->params, "demangle=");
		pp_buf_release(&text);
	}
	r->failed |= !pp_vec_push(&a->params, (const char *)NULL);
}

bool
pp_view_read(struct pp_serve *s, struct pp_exchange *x, struct pp_view_asked *a)
{
	struct reading r = { .serve = s, .exchange = x, .asked = a };
	struct pp_query q;
	size_t i;

	*a = (struct pp_view_asked){ .views = s->views, .memory = s->memory_each };
	if (!pp_query_read(x, &q)) {
		pp_answer_error(x, 400, "usage", "the query cannot be decoded");
		return false;
	}
	for (i = 0; i < q.list.n && !r.refused; i++)
		param_read(&r, q.list.at[i].name, q.list.at[i].value);
	pp_vec_release(&q.list);
	if (!r.refused && a->files.n == 0)
		refuse(&r, 400, "usage", "name a %s: file=NAME", "source");
	if (!r.refused) {
		stamp_make(&r);
		params_end(&r);
	}
	a->key = r.key.failed ? NULL : pp_arena_copy(&x->arena, r.key.p ? r.key.p : "", r.key.n);
	a->scope = r.scope.failed ? NULL
	                          : pp_arena_copy(&x->arena, r.scope.p ? r.scope.p : "", r.scope.n);
	if (!r.refused && (r.failed || !a->key || !a->scope)) {
		pp_answer_error(x, 503, "memory", "out of memory");
		r.refused = true;
	}
	pp_buf_release(&r.key);
	pp_buf_release(&r.scope);
	return !r.refused;
}

void
pp_view_asked_release(struct pp_view_asked *a)
{
	size_t i;

	for (i = 0; i < 2; i++)
		if (a->dropped[i])
			pp_dropped_give(a->views, a->dropped[i]);
	pp_vec_release(&a->files);
	pp_vec_release(&a->params);
}
