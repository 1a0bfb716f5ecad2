/*
 * Sets of labels, and what they say of series.
 */
#include "model/labels.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "model/builder.h"
#include "model/divide.h"

bool
pp_profile_has_labels(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; p->labels.n > 1 && i < p->series.n; i++)
		if (p->series.at[i].labels)
			return true;
	return false;
}

bool
pp_profile_label(struct pp_profile *p, struct pp_slice key, struct pp_slice text)
{
	struct pp_meta_row row = { .type = PP_META_TEXT };
	bool is_new;

	return pp_series_ensure(p) && pp_strtab_intern(&p->strs, key.p, key.n, &row.key, &is_new) &&
	       pp_strtab_intern(&p->strs, text.p, text.n, &row.text, &is_new) &&
	       pp_vec_push(&p->meta, row);
}

void
pp_label_print(const struct pp_profile *p, const struct pp_label_row *row, struct pp_buf *to)
{
	struct pp_slice text = pp_text_of(p, row->type == PP_LABEL_TEXT ? row->text : row->unit);

	if (row->type == PP_LABEL_NUMBER)
		pp_buf_addf(to, "%" PRId64 "%s", row->number, text.n ? " " : "");
	pp_buf_add(to, text.p, text.n);
}

bool
pp_meta_label(const struct pp_profile *p, struct pp_slice key, struct pp_slice *text)
{
	size_t i;

	for (i = 0; i < p->meta.n; i++) {
		const struct pp_meta_row *row = &p->meta.at[i];

		if (row->parent == 0 && row->type <= PP_META_BOOL &&
		    pp_slice_eq(pp_text_of(p, row->key), key)) {
			*text = pp_text_of(p, row->text);
			return true;
		}
	}
	return false;
}

/* ---- building --------------------------------------------------------------------------- */

static bool
label_same(const struct pp_label_row *a, const struct pp_label_row *b)
{
	return a->rest == b->rest && a->key == b->key && a->text == b->text && a->unit == b->unit &&
	       a->type == b->type && a->number == b->number;
}

pp_labels
pp_build_label_row(struct pp_builder *b, const struct pp_label_row *row)
{
	struct pp_profile *p = b->profile;
	uint64_t hash = pp_mix((uint64_t)row->rest << 32 | row->key, PP_HASH_K1 ^ row->text);
	uint32_t tag, i;
	size_t at;

	hash = pp_mix(hash ^ (uint64_t)row->number, PP_HASH_K2 ^ row->unit);
	tag = pp_index_tag(&b->label_index, hash);
	at = pp_index_begin(&b->label_index, tag);
	if (!pp_builder_ok(b))
		return 0;
	while ((i = pp_index_next(&b->label_index, tag, &at)) != PP_MAP_NONE)
		if (label_same(&p->labels.at[i], row))
			return i;
	if ((p->labels.n == 0 && !pp_vec_push(&p->labels, (struct pp_label_row){ 0 })) ||
	    p->labels.n >= UINT32_MAX - 1 || !pp_vec_push(&p->labels, *row) ||
	    !pp_index_add(&b->label_index, tag, (uint32_t)p->labels.n - 1)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return 0;
	}
	return (pp_labels)(p->labels.n - 1);
}

/* Keys by their bytes, values of one key as they came (`rest` has their places). */
static int
label_cmp(const void *a, const void *b, void *ctx)
{
	const struct pp_profile *p = ctx;
	const struct pp_label_row *x = a, *y = b;
	int order = x->key == y->key ? 0
	                             : pp_slice_cmp(pp_text_of(p, x->key), pp_text_of(p, y->key));

	return order ? order : (x->rest > y->rest) - (x->rest < y->rest);
}

pp_labels
pp_build_labels(struct pp_builder *b, struct pp_label_row *list, size_t n)
{
	pp_labels set = 0;
	size_t i;

	if (!pp_builder_ok(b))
		return 0;
	for (i = 0; i < n; i++)
		list[i].rest = (uint32_t)i;
	if (n > 1)
		pp_sort(list, n, sizeof *list, label_cmp, b->profile);
	while (n-- > 0 && pp_builder_ok(b)) {
		list[n].rest = set;
		set = pp_build_label_row(b, &list[n]);
	}
	return set;
}

uint32_t
pp_build_series_labelled(struct pp_builder *b, uint32_t series, pp_labels labels)
{
	uint64_t key = (uint64_t)series << 32 | labels;
	struct pp_series like;
	uint32_t found;

	if (!labels || !pp_builder_ok(b))
		return series;
	found = pp_map_get(&b->labelled, key);
	if (found != PP_MAP_NONE)
		return found;
	like = b->profile->series.at[series];
	like.labels = labels;
	found = pp_build_series(b, &like, false, like.has_calls);
	if (pp_builder_ok(b) && !pp_map_set(&b->labelled, key, found))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return found;
}

/* ---- values of one key ------------------------------------------------------------------ */

static bool
value_add(struct pp_label_values *v, struct pp_slice text, uint32_t *value)
{
	bool is_new;
	pp_str id;

	/* An empty text is a value, and string 0 stands for none. */
	if (!pp_strtab_intern(&v->texts, text.n ? text.p : (const void *)"\"\"",
	                      text.n ? text.n : 2, &id, &is_new))
		return false;
	*value = id;
	return true;
}

/* Sets with more values of one key differ in the first so many only. */
#define VALUES_MOST 64

/* By set: the first of its labels that has a key. NULL when out of memory. */
static pp_labels *
firsts_find(const struct pp_profile *p, pp_str key)
{
	pp_labels *first = calloc(p->labels.n + 1, sizeof *first);
	size_t i;

	for (i = 1; first && i < p->labels.n; i++)
		first[i] = p->labels.at[i].key == key ? (pp_labels)i : first[p->labels.at[i].rest];
	return first;
}

/* The value of a set from a label on; those of one key stand together. */
static void
set_value(const struct pp_profile *p, pp_labels first, struct pp_buf *text)
{
	const pp_str key = p->labels.at[first].key;
	size_t n = 0;

	text->n = 0;
	for (; first && p->labels.at[first].key == key && n < VALUES_MOST; n++) {
		pp_buf_adds(text, n ? ", " : "");
		pp_label_print(p, &p->labels.at[first], text);
		first = p->labels.at[first].rest;
	}
}

/* What else is known of a series by that key; false when nothing is. */
static bool
series_value(const struct pp_profile *p, const struct pp_series *s, struct pp_slice key,
             struct pp_buf *text)
{
	const struct {
		const char *key;
		pp_str text;
		int64_t number;
	} known[] = {
		{ "event", s->event, -1 },     { "process", s->process, -1 },
		{ "thread", s->thread, -1 },   { "comm", s->thread ? s->thread : s->process, -1 },
		{ "context", s->context, -1 }, { "pid", 0, s->pid },
		{ "tid", 0, s->tid },          { "cpu", 0, s->cpu }
	};
	struct pp_slice name;
	size_t i;

	text->n = 0;
	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (pp_slice_eq_z(key, known[i].key))
			break;
	if (i == PP_COUNT_OF(known) || (!known[i].text && known[i].number < 0))
		return false;
	name = pp_text_of(p, known[i].text);
	if (known[i].text)
		pp_buf_add(text, name.p, name.n);
	else
		pp_buf_addf(text, "%" PRId64, known[i].number);
	return true;
}

/* The value of a series, or `meta`, that of the file; that of a set is found once. False when out of memory. */
static bool
series_find(const struct pp_profile *p, size_t series, struct pp_slice key, struct pp_slice meta,
            pp_labels first, struct pp_label_values *v, uint32_t *of_set)
{
	const struct pp_series *s = &p->series.at[series];
	struct pp_buf text = { 0 };
	bool of_series, fine = true;

	if (first && of_set[first]) {
		v->of[series] = of_set[first];
	} else if ((of_series = first || series_value(p, s, key, &text)) || meta.p) {
		if (first)
			set_value(p, first, &text);
		fine = !text.failed &&
		       value_add(v, of_series ? pp_slice_of(text.p, text.n) : meta, &v->of[series]);
		if (first)
			of_set[first] = v->of[series];
	}
	pp_buf_release(&text);
	return fine;
}

bool
pp_label_values_find(const struct pp_profile *p, struct pp_slice key, struct pp_label_values *v)
{
	bool fine = pp_strtab_init(&v->texts, p->strs.seed);
	pp_labels *first = NULL;
	uint32_t *of_set = NULL;
	struct pp_slice meta = { 0 };
	pp_str id = 0;
	size_t i;

	(void)pp_meta_label(p, key, &meta);
	v->of = calloc(p->series.n + 1, sizeof *v->of);
	fine = fine && v->of;
	if (fine && p->labels.n > 1 && pp_strtab_find(&p->strs, key.p, key.n, &id)) {
		first = firsts_find(p, id);
		of_set = calloc(p->labels.n, sizeof *of_set);
		fine = first && of_set;
	}
	for (i = 0; fine && i < p->series.n; i++)
		fine = series_find(p, i, key, meta, first ? first[p->series.at[i].labels] : 0, v,
		                   of_set);
	v->n = (uint32_t)v->texts.strs.n;
	free(first);
	free(of_set);
	return fine;
}

void
pp_label_values_release(struct pp_label_values *v)
{
	free(v->of);
	pp_strtab_release(&v->texts);
}
