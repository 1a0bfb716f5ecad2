/*
 * Finding series by their properties: a merge may have very many, one for each set of labels.
 */
#include "model/series_find.h"

bool
pp_series_same_thread(const struct pp_series *a, const struct pp_series *b)
{
	return a->process == b->process && a->thread == b->thread && a->pid == b->pid &&
	       a->tid == b->tid && a->cpu == b->cpu;
}

bool
pp_series_same_kind(const struct pp_series *a, const struct pp_series *b)
{
	return a->event == b->event && a->context == b->context && a->labels == b->labels &&
	       a->has_calls == b->has_calls && a->measured == b->measured;
}

static uint32_t
series_tag(const struct pp_series_finder *f, const struct pp_series *s)
{
	uint64_t h = pp_mix((uint64_t)s->labels << 32 | s->event, PP_HASH_K1 ^ s->context);

	h = pp_mix(h ^ (uint64_t)s->tid, PP_HASH_K2 ^ (uint64_t)s->pid);
	h = pp_mix(h ^ (uint64_t)s->cpu, PP_HASH_K1);
	return pp_index_tag(&f->index, h ^ ((uint64_t)s->thread << 32 | s->process));
}

uint32_t
pp_series_find(struct pp_builder *b, struct pp_series_finder *f, const struct pp_series *like)
{
	const struct pp_profile *p = b->profile;
	uint32_t tag, i, found = PP_MAP_NONE;
	size_t at;

	for (; f->n < p->series.n && pp_builder_ok(b); f->n++)
		if (!pp_index_add(&f->index, series_tag(f, &p->series.at[f->n]), (uint32_t)f->n))
			pp_builder_fail(b, PP_E_NOMEM, NULL);
	tag = series_tag(f, like);
	at = pp_index_begin(&f->index, tag);
	while ((i = pp_index_next(&f->index, tag, &at)) != PP_MAP_NONE)
		if (i < found && pp_series_same_kind(&p->series.at[i], like) &&
		    pp_series_same_thread(&p->series.at[i], like))
			found = i;
	return found;
}

void
pp_series_finder_release(struct pp_series_finder *f)
{
	pp_slots_release(&f->index.slots);
}
