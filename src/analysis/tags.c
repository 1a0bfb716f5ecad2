/*
 * Costs by key and value of labels.
 */
#include "analysis/tags.h"

#include <stdlib.h>

#include "analysis/group.h"
#include "base/sort.h"

/* What tells one label from another, whatever set it is in. */
struct label_id {
	uint32_t key, text, unit, type;
	int64_t number;
};

/* Series that a tag is of. */
struct link {
	uint32_t series, row;
};

struct links {
	PP_VEC(struct link) list;
};

static bool
row_push(struct pp_tags *t, struct pp_tag tag)
{
	tag.row = t->rows.n;
	return pp_vec_push(&t->rows, tag);
}

/* A text of its own, which does not move; false when out of memory. */
static bool
text_keep(struct pp_tags *t, const struct pp_buf *text, struct pp_slice *kept)
{
	bool is_new;
	pp_str id = 0;

	if (text->failed ||
	    !pp_strtab_intern(&t->texts, text->p ? text->p : "", text->n, &id, &is_new))
		return false;
	*kept = pp_strtab_get(&t->texts, id);
	return true;
}

static bool
label_push(struct pp_tags *t, const struct pp_label_row *row)
{
	const struct pp_profile *p = t->profile;
	struct pp_tag tag = { .key = pp_text_of(p, row->key),
		              .is_number = row->type == PP_LABEL_NUMBER,
		              .number = row->number,
		              .unit = pp_text_of(p, row->unit) };
	struct pp_buf text = { 0 };
	bool fine;

	pp_label_print(p, row, &text);
	fine = text_keep(t, &text, &tag.value) && row_push(t, tag);
	pp_buf_release(&text);
	return fine;
}

/* By label row: its tag, whatever set it is in. NULL when out of memory. */
static uint32_t *
labels_find(struct pp_tags *t)
{
	const struct pp_profile *p = t->profile;
	uint32_t *tag_of = calloc(p->labels.n + 1, sizeof *tag_of);
	struct pp_strtab known;
	bool fine = pp_strtab_init(&known, p->strs.seed) && tag_of, is_new;
	pp_str id = 0;
	size_t i;

	for (i = 1; fine && i < p->labels.n; i++) {
		const struct pp_label_row *row = &p->labels.at[i];
		struct label_id label = { row->key, row->text, row->unit, row->type, row->number };

		fine = pp_strtab_intern(&known, &label, sizeof label, &id, &is_new) &&
		       (!is_new || label_push(t, row));
		tag_of[i] = id - 1;
	}
	pp_strtab_release(&known);
	if (fine)
		return tag_of;
	free(tag_of);
	return NULL;
}

static bool
labels_add(struct pp_tags *t, struct links *links)
{
	const struct pp_profile *p = t->profile;
	uint32_t *tag_of = labels_find(t), i;
	bool fine = tag_of != NULL;
	pp_labels at;

	for (i = 0; fine && i < p->series.n; i++)
		for (at = p->series.at[i].labels; fine && at; at = p->labels.at[at].rest)
			fine = pp_vec_push(&links->list, ((struct link){ i, tag_of[at] }));
	free(tag_of);
	return fine;
}

/* Whether the file has labels of a key. */
static bool
has_key(const struct pp_tags *t, struct pp_slice key)
{
	size_t i;

	for (i = 0; i < t->rows.n; i++)
		if (pp_slice_eq(t->rows.at[i].key, key))
			return true;
	return false;
}

/* Whether a label of a series has that value. */
static bool
label_says(const struct pp_profile *p, const struct pp_series *s, struct pp_slice value)
{
	struct pp_buf text = { 0 };
	bool says = false;
	pp_labels at;

	for (at = s->labels; at && !says; at = p->labels.at[at].rest) {
		text.n = 0;
		pp_label_print(p, &p->labels.at[at], &text);
		says = pp_slice_eq(pp_slice_of(text.p ? text.p : "", text.n), value);
	}
	pp_buf_release(&text);
	return says;
}

/* Whether values say more than labels of other keys do: threads may be known by their labels only. */
static bool
says_more(const struct pp_profile *p, const struct pp_label_values *v)
{
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (v->of[i] &&
		    !label_says(p, &p->series.at[i], pp_strtab_get(&v->texts, v->of[i])))
			return true;
	return false;
}

/* What else tells series apart. */
static bool
others_add(struct pp_tags *t, struct pp_slice key, size_t least, bool given, struct links *links)
{
	const struct pp_profile *p = t->profile;
	struct pp_label_values v = { 0 };
	size_t first = t->rows.n, i;
	bool fine;

	if (has_key(t, key))
		return true;
	fine = pp_label_values_find(p, key, &v);
	if (fine && v.n > least && (given || says_more(p, &v))) {
		for (i = 1; fine && i < v.n; i++) {
			struct pp_slice value = pp_strtab_get(&v.texts, (pp_str)i);
			struct pp_buf text = { 0 };
			struct pp_tag tag = { .key = key };

			pp_buf_add(&text, value.p, value.n);
			fine = text_keep(t, &text, &tag.value) && row_push(t, tag);
			pp_buf_release(&text);
		}
		for (i = 0; fine && i < p->series.n; i++)
			if (v.of[i])
				fine = pp_vec_push(
				    &links->list,
				    ((struct link){ (uint32_t)i, (uint32_t)first + v.of[i] - 1 }));
	}
	pp_label_values_release(&v);
	return fine;
}

struct order {
	const struct pp_tags *tags;
	size_t metric;
};

static int
tag_cmp(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const struct pp_profile *p = o->tags->profile;
	const struct pp_tag *x = a, *y = b;
	int by = pp_slice_cmp(x->key, y->key);

	if (!by && o->metric < p->metrics.n)
		by = pp_value_cmp(&p->metrics.at[o->metric],
		                  pp_ledger_get(&o->tags->cost, y->row, o->metric),
		                  pp_ledger_get(&o->tags->cost, x->row, o->metric));
	if (!by)
		by = pp_slice_cmp(x->value, y->value);
	return by ? by : (x->row > y->row) - (x->row < y->row);
}

/* What the series of each tag cost. */
static bool
costs_add(struct pp_tags *t, const struct links *links)
{
	struct pp_ledger series;
	bool fine = pp_series_sum(t->profile, NULL, t->profile->series.n, &series) &&
	            pp_ledger_init(&t->cost, t->profile, t->rows.n + 1);
	size_t i;

	for (i = 0; fine && i < links->list.n; i++)
		pp_ledger_add_values(&t->cost, links->list.at[i].row,
		                     pp_ledger_row(&series, links->list.at[i].series));
	pp_ledger_release(&series);
	return fine && !t->cost.failed;
}

bool
pp_tags_compute(const struct pp_profile *p, size_t metric, const struct pp_tags_of *of,
                struct pp_tags *t)
{
	static const char *const others[] = { "event", "process", "thread", "pid",
		                              "tid",   "cpu",     "context" };
	struct order order = { t, metric };
	struct links links = { 0 };
	bool fine;
	size_t i;

	*t = (struct pp_tags){ .profile = p };
	fine = pp_strtab_init(&t->texts, p->strs.seed) && labels_add(t, &links);
	for (i = 0; fine && i < of->key_count; i++)
		fine = others_add(t, of->keys[i], 1, true, &links);
	for (i = 0; fine && i < PP_COUNT_OF(others); i++)
		fine = others_add(t, pp_slice_z(others[i]), of->least, false, &links);
	fine = fine && costs_add(t, &links);
	pp_vec_release(&links.list);
	if (fine && t->rows.n > 1)
		pp_sort(t->rows.at, t->rows.n, sizeof *t->rows.at, tag_cmp, &order);
	return fine;
}

void
pp_tags_release(struct pp_tags *t)
{
	pp_ledger_release(&t->cost);
	pp_vec_release(&t->rows);
	pp_strtab_release(&t->texts);
}
