/*
 * The engines there are, and which of them a source belongs to.
 */
#include <stdlib.h>

#include "store/store.h"

const struct pp_store_engine *const pp_store_engines[] = { &pp_store_sqlite, NULL };

/* A source up to "?where=", which is the selection's. NULL when out of memory. */
static char *
source_bare(const char *source)
{
	const char *where = strstr(source, "?where=");
	size_t n = where ? (size_t)(where - source) : strlen(source);
	char *bare = malloc(n + 1);

	if (bare) {
		memcpy(bare, source, n);
		bare[n] = '\0';
	}
	return bare;
}

const struct pp_store_engine *
pp_store_engine_of(const char *source)
{
	char *bare = source_bare(source);
	size_t i;

	for (i = 0; bare && pp_store_engines[i]; i++)
		if (pp_store_engines[i]->mine(bare))
			break;
	free(bare);
	return bare ? pp_store_engines[i] : NULL;
}

/* Whether a store of that name is made where there is none. */
static bool
may_be_made(const char *source)
{
	size_t n = strlen(source);

	return n > 5 && strcmp(source + n - 5, ".ppdb") == 0;
}

pp_status
pp_store_open(const char *source, enum pp_store_mode mode, struct pp_store **out,
              struct pp_buf *problem)
{
	const struct pp_store_engine *engine = pp_store_engine_of(source);
	char *bare = source_bare(source);
	pp_status status = PP_E_NOMEM;

	*out = NULL;
	if (!engine && bare && (mode == PP_STORE_CREATE || may_be_made(bare)))
		engine = &pp_store_sqlite;
	if (bare && engine) {
		status = engine->open(bare, mode, out, problem);
	} else if (bare) {
		pp_buf_addf(problem, "%s is no store", bare);
		status = PP_E_INVALID;
	}
	free(bare);
	return status;
}

void
pp_store_close(struct pp_store *store)
{
	if (store)
		store->engine->close(store);
}

void
pp_store_list_release(struct pp_store_list *list)
{
	while (list->texts.n > 0)
		free(list->texts.at[--list->texts.n]);
	pp_vec_release(&list->texts);
	pp_vec_release(&list->entries);
}

const char *
pp_store_list_text(struct pp_store_list *list, const char *text, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return NULL;
	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	if (!pp_vec_push(&list->texts, copy)) {
		free(copy);
		return NULL;
	}
	return copy;
}

void
pp_store_outcome_release(struct pp_store_outcome *o)
{
	while (o->problems.n > 0)
		free(o->problems.at[--o->problems.n]);
	pp_vec_release(&o->problems);
}
