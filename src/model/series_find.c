/*
 * Finding series by their properties: a merge may have very many, one for each set of labels.
 */
#include "model/series_find.h"

#include <stdlib.h>

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

/* ---- labels of another profile ---------------------------------------------------------- */

/* A set with more labels in it; those of a key that it has stay as they are. 0 on failure. */
static pp_labels
set_extend(struct pp_builder *b, pp_labels set, const struct pp_label_row *more, size_t n)
{
	const struct pp_profile *p = b->profile;
	PP_VEC(struct pp_label_row) list = { 0 };
	bool fine = true;
	pp_labels at;
	size_t i, own;

	for (at = set; fine && at; at = p->labels.at[at].rest)
		fine = pp_vec_push(&list, p->labels.at[at]);
	own = list.n;
	for (i = 0; fine && i < n; i++) {
		size_t k = 0;

		while (k < own && list.at[k].key != more[i].key)
			k++;
		fine = k < own || pp_vec_push(&list, more[i]);
	}
	if (fine)
		set = pp_build_labels(b, list.at, list.n);
	else
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	pp_vec_release(&list);
	return set;
}

/* What the metadata says of some keys, as labels; returns how many. */
static size_t
meta_labels(struct pp_builder *b, const struct pp_profile *from, const struct pp_slice *keys,
            size_t n, struct pp_label_row *to)
{
	size_t i, found = 0;

	for (i = 0; i < n; i++) {
		struct pp_slice text;

		if (pp_meta_label(from, keys[i], &text))
			to[found++] = (struct pp_label_row){ .key = pp_build_str(b, keys[i]),
				                             .text = pp_build_str(b, text) };
	}
	return found;
}

void
pp_labels_merge(struct pp_builder *b, const struct pp_profile *from, const uint32_t *strings,
                const struct pp_slice *keys, size_t key_count, pp_labels *to)
{
	struct pp_label_row *more = key_count ? calloc(key_count, sizeof *more) : NULL;
	bool *used = more ? calloc(from->labels.n + 1, sizeof *used) : NULL;
	size_t i, n;

	for (i = 1; i < from->labels.n; i++) {
		struct pp_label_row row = from->labels.at[i];

		row.rest = to[row.rest];
		row.key = strings[row.key];
		row.text = strings[row.text];
		row.unit = strings[row.unit];
		to[i] = pp_build_label_row(b, &row);
	}
	if (key_count && !used)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	n = used ? meta_labels(b, from, keys, key_count, more) : 0;
	for (i = 0; n && i < from->series.n; i++)
		used[from->series.at[i].labels] = true;
	for (i = 0; n && (i == 0 || i < from->labels.n) && pp_builder_ok(b); i++)
		if (used[i])
			to[i] = set_extend(b, to[i], more, n);
	free(more);
	free(used);
}
