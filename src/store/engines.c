/*
 * The engines there are, and which of them a source belongs to.
 */
#include <stdlib.h>

#include "store/hash.h"
#include "store/store.h"

const struct pp_store_engine *const pp_store_engines[] = { &pp_store_sqlite, &pp_store_clickhouse,
	                                                   NULL };

const char *
pp_store_source_where(const char *source)
{
	const char *where = strstr(source, "?where=");

	/* The address of a server has a query of its own. */
	if (!where && strstr(source, "://"))
		where = strstr(source, "&where=");
	return where;
}

/* A source up to what selects some of its profiles. NULL when out of memory. */
static char *
source_bare(const char *source)
{
	const char *where = pp_store_source_where(source);
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

pp_status
pp_store_open(const char *source, enum pp_store_mode mode, struct pp_store **out,
              struct pp_buf *problem)
{
	const struct pp_store_engine *engine = pp_store_engine_of(source);
	char *bare = source_bare(source);
	pp_status status = PP_E_NOMEM;

	*out = NULL;
	/* What is no store, or none yet, is for the engine to say. */
	if (!engine)
		engine = &pp_store_sqlite;
	if (bare)
		status = engine->open(bare, mode, out, problem);
	free(bare);
	return status;
}

void
pp_store_close(struct pp_store *store)
{
	if (store)
		store->engine->close(store);
}

bool
pp_store_lists_equal(const struct pp_store_list *a, const struct pp_store_list *b)
{
	size_t i;

	for (i = 0; i < a->entries.n && i < b->entries.n; i++)
		if (a->entries.at[i].id != b->entries.at[i].id)
			return false;
	return a->entries.n == b->entries.n;
}

/* Bytes of labels that a message shows. */
#define LABELS_SHOWN 160

void
pp_store_name_put(const uint8_t hash[PP_STORE_HASH], const char *labels, struct pp_buf *out)
{
	size_t n = labels ? strlen(labels) : 0, shown = n;
	char hex[2 * PP_DIGEST + 1];

	pp_digest_hex(hash, hex);
	pp_buf_addf(out, "%.12s", hex);
	if (n == 0)
		return;
	if (n > LABELS_SHOWN)
		for (shown = LABELS_SHOWN; shown && (labels[shown] & 0xc0) == 0x80; shown--)
			;
	pp_buf_addc(out, ' ');
	pp_buf_add(out, labels, shown);
	pp_buf_adds(out, shown < n ? "…" : "");
}

void
pp_store_list_release(struct pp_store_list *list)
{
	pp_arena_release(&list->texts);
	pp_vec_release(&list->entries);
	*list = (struct pp_store_list){ 0 };
}

const char *
pp_store_list_text(struct pp_store_list *list, const char *text, size_t n)
{
	return pp_arena_copy(&list->texts, text, n);
}

void
pp_store_outcome_count(struct pp_store_outcome *out, const struct pp_store_entry *e)
{
	if (e->level != PP_STORE_SUM)
		return;
	out->sums++;
	out->in_sums += e->profiles;
}

void
pp_store_outcome_release(struct pp_store_outcome *o)
{
	while (o->problems.n > 0)
		free(o->problems.at[--o->problems.n]);
	pp_vec_release(&o->problems);
}
